"""The description of an event."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

RANDOM_STATES, RANDOM_MOVES = "random states", "random moves"
"""The kinds of scrambles."""


class Event(NamedTuple):
    """An event.

    Attributes:
        name: its name, as the World Cube Association has it.
        title: its name in words.
        puzzle: the name of its puzzle.
        attempts: the number of attempts in a round.
        draw: yields a number of scrambles.
        method: `RANDOM_STATES` or `RANDOM_MOVES`.
    """

    name: str
    title: str
    puzzle: str
    attempts: int
    draw: Callable[[random.Random, int], Iterator[str]]
    method: str = RANDOM_STATES

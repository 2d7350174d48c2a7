"""Scrambles of the Megaminx."""

from __future__ import annotations

import random
from collections.abc import Iterator

from cubesolve import lookup
from cubesolve.practice.events.event import RANDOM_MOVES, Event
from cubesolve.practice.events.moves import is_scrambled

_LINES, _PAIRS = 7, 5
_DIRECTIONS = ("++", "--")


def _megaminx(rng: random.Random, number: int) -> Iterator[str]:
    """Yield scrambles of seven lines, which end with U in the direction of the last move before it, as in TNoodle."""
    rules = lookup.puzzle("megaminx").rules
    while number:
        alg = "\n".join(_line(rng) for _ in range(_LINES))
        if is_scrambled(rules, alg):
            yield alg
            number -= 1


def _line(rng: random.Random) -> str:
    moves = [side + rng.choice(_DIRECTIONS) for _ in range(_PAIRS) for side in "RD"]
    return " ".join([*moves, "U" if moves[-1] == "D++" else "U'"])


EVENTS = (Event("minx", "Megaminx", "megaminx", 5, _megaminx, RANDOM_MOVES),)
"""The events of this puzzle."""

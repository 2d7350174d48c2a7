"""Scrambles of puzzles whose own scrambles have the form of the Regulations: Square-1, Clock and FTO."""

from __future__ import annotations

import random
from collections.abc import Iterator

from cubesolve import lookup
from cubesolve.practice.events.event import Event


def _event(name: str, title: str, puzzle: str) -> Event:
    def draw(rng: random.Random, number: int) -> Iterator[str]:
        return lookup.puzzle(puzzle).solver.scrambles(number, rng)

    return Event(name, title, puzzle, 5, draw)


EVENTS = (
    _event("sq1", "Square-1", "square1"),
    _event("clock", "Clock", "clock"),
    _event("fto", "Face-Turning Octahedron", "fto"),
)
"""The events of these puzzles."""

"""Scrambles of the puzzles that turn about their corners: Pyraminx and Skewb."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from cubesolve import lookup
from cubesolve.practice.events.event import Event

_LENGTH = 11  # moves, without those of tips; every state of both puzzles has such a scramble
_TIPS = "lrbu"
_FEWEST = 6  # moves to solve a Pyraminx: World Cube Association, Regulations, 4b3f


def _pyraminx(rng: random.Random, number: int) -> Iterator[str]:
    """Yield scrambles with tips at the end; a state of the Pyraminx is one without tips, and one of its tips."""
    pyraminx = lookup.puzzle("pyraminx")
    for _ in range(number):
        depth, tips = 0, list[str]()
        while depth + len(tips) < _FEWEST:
            turns = (rng.choice(("", tip, f"{tip}'")) for tip in _TIPS)
            depth, tips = pyraminx.depth(pyraminx.random_state(rng)), [turn for turn in turns if turn]
        yield " ".join([pyraminx.scramble(rng, depth=depth, length=_LENGTH), *tips])


def _skewb(rng: random.Random, number: int) -> Iterator[str]:
    skewb = lookup.puzzle("skewb")
    return (skewb.scramble(rng, length=_LENGTH) for _ in itertools.repeat(None, number))


EVENTS = (Event("pyram", "Pyraminx", "pyraminx-tips", 5, _pyraminx), Event("skewb", "Skewb", "skewb", 5, _skewb))
"""The events of these puzzles."""

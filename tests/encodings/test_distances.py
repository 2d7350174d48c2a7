"""Ranks at a depth in a table of bytes."""

from __future__ import annotations

import random

import pytest

from cubesolve import puzzle
from cubesolve.encodings import distances
from cubesolve.encodings.distances import Distances
from cubesolve.errors import CorruptTableError


@pytest.mark.parametrize("size", [1, 99, 100, 101, 1000, 1001])
def test_ranks_at_a_depth_are_numbered_across_blocks(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distances, "_BLOCK", 100)
    body = bytes(random.Random(size).choices(range(3), k=size))
    table = Distances(puzzle("pancake-4").rules.graph(), body)  # type: ignore[attr-defined]
    for depth in range(3):
        ranks = [rank for rank, found in enumerate(body) if found == depth]
        counts, draw = [len(ranks)] * 3, random.Random(1)
        for number in range(len(ranks)):
            monkeypatch.setattr(draw, "randrange", lambda _, number=number: number)
            assert table.random_at(depth, counts, draw) == ranks[number]
        assert ranks == list(table.at(depth))
    with pytest.raises(CorruptTableError):
        table.random_at(9, [1] * 10, random.Random(1))

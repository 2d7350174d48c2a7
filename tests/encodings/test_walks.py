"""Walks of an exact length: their table, compared with a plain search, and what it proves for scrambles."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from cubesolve import lookup
from cubesolve.search.walks import ExactWalks

Graph = list[list[int]]


def _walks(graph: Graph, rank: int, length: int, before: list[int]) -> Iterator[tuple[int, ...]]:
    """Return all canonical walks of so many moves that end in 0."""
    if length == 0:
        yield from [()] if rank == 0 else []
        return
    for move, there in enumerate(graph[rank]):
        if there >= 0 and there not in before:
            for rest in _walks(graph, there, length - 1, [rank, *graph[rank]]):
                yield move, *rest


def _random_graph(seed: int) -> Graph:
    """Random moves; some are blocked, and some have no inverse."""
    source = random.Random(seed)
    states, moves = source.randrange(2, 12), source.randrange(1, 4)
    return [[source.randrange(-1, states) for _ in range(moves)] for _ in range(states)]


@pytest.mark.parametrize("seed", range(30))
def test_walks_are_those_that_a_plain_search_finds(seed: int) -> None:
    graph = _random_graph(seed)
    walks, source = ExactWalks(np.array(graph), [0]), random.Random(seed)
    for length in (0, 1, 2, 3, 4, 5, 8):
        possible = walks.possible(length).tolist()
        for rank in range(len(graph)):
            expected = set(_walks(graph, rank, length, []))
            assert possible[rank] == bool(expected)
            if expected:
                assert {tuple(walks.draw(rank, length, source)) for _ in range(5)} <= expected


def test_walks_repeat_themselves_in_the_end() -> None:
    ring = [[(rank + 1) % 6, (rank - 1) % 6] for rank in range(6)]
    walks = ExactWalks(np.array(ring), [0])
    for length in (0, 1, 5, 6, 7, 602, 10**12 + 3):
        expected = {length % 6, -length % 6} if length else {0}
        assert set(walks.possible(length).nonzero()[0].tolist()) == expected


@pytest.mark.parametrize(
    ("puzzle", "depth", "length"), [("floppy", 0, 1), ("floppy", 1, 2), ("tiles-2x3", 20, 21), ("tiles-2x3", 0, 7)]
)
def test_a_scramble_that_cannot_be_is_proved_not_to_be(puzzle: str, depth: int, length: int) -> None:
    message = f"there is no state at depth {depth} that is reached by exactly {length} moves, none of which cancel"
    with pytest.raises(ValueError, match=message):
        lookup.scramble(1, puzzle, depth=depth, length=length)


@pytest.mark.parametrize(("puzzle", "depth"), [("floppy", 3), ("tiles-2x3", 9), ("pancake-5", 4), ("ivy", 2)])
def test_a_scramble_of_just_so_many_moves_is_one_wherever_it_can_be(puzzle: str, depth: int) -> None:
    asked = lookup.puzzle(puzzle)
    for length in range(12):
        try:
            alg = asked.scramble(length, depth=depth, length=length)
        except ValueError as error:
            assert str(error).startswith("there is no state")  # noqa: PT017  # which is proved
        else:
            assert len(asked.rules.view.split(alg)) == length
            assert asked.depth(alg) == depth


def test_rare_scrambles_are_found() -> None:
    for seed in range(3):
        alg = lookup.scramble(seed, "tiles-3x3", length=2)
        assert len(alg.split()) == 2
        assert lookup.puzzle("tiles-3x3").depth(alg) == 2


def test_what_cannot_be_looked_through_is_said_not_to_be_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExactWalks, "can_be_found", staticmethod(lambda _states, _moves: False))
    with pytest.raises(ValueError, match=r"no state at depth 1 was found .*; one may exist"):
        lookup.scramble(1, "floppy", depth=1, length=2)


@pytest.mark.parametrize(("length", "message"), [(-1, "at least 0, not -1"), (501, "at most 500, not 501")])
def test_lengths_of_scrambles_are_bounded(length: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lookup.scramble(1, "skewb", length=length)
    assert len(lookup.scramble(1, "skewb", length=500).split()) == 500

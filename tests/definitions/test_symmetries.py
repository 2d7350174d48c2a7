"""Symmetries of the moves: published groups, and equal depths of symmetric states."""

from __future__ import annotations

import random

import pytest

from cubesolve import lookup
from cubesolve.definitions.symmetries import Symmetries, symmetries_of
from cubesolve.permutations import Arrangement, after
from cubesolve.search.packed import PackedPuzzle
from cubesolve.spaces.defined import DerivedGraph
from cubesolve.spaces.defined import derived as rules_of
from tests.subsets import later


def _graph(name: str, moves: str = "") -> DerivedGraph:
    puzzle = lookup.puzzle(name)
    return rules_of((puzzle.restrict(moves) if moves else puzzle).rules).graph()


def _solved(graph: DerivedGraph) -> list[Arrangement]:
    assert graph.reach
    return [*filter(graph.reach.may_have, graph.reduction.solved)]


def _found(graph: DerivedGraph) -> Symmetries:
    return symmetries_of([move.cases[0].sources for move in graph.reduction.moves], _solved(graph))


@pytest.mark.parametrize(
    ("name", "moves", "order"),
    [("rubik", "R U F", 6), ("rubik", "R U", 4), later("rubik", "R U L", 4), later("fto", "", 48)],
)
def test_the_order_of_the_group(name: str, moves: str, order: int) -> None:
    assert _found(_graph(name, moves)).order == order


def test_symmetric_states_have_the_same_key() -> None:
    graph = _graph("rubik", "R U F")
    sources, solved = [move.cases[0].sources for move in graph.reduction.moves], _solved(graph)
    symmetries, orbits = _found(graph), graph.rules.definition.orbits
    puzzle = PackedPuzzle(sources, solved, orbits, graph.canonical.following, symmetries)
    assert (puzzle.symmetries, len(puzzle.first_moves)) == (6, 2)
    source, keys = random.Random(1), set[int]()
    for _ in range(20):
        alg = source.choices(range(len(sources)), k=12)
        for symmetry in symmetries.generators:
            state, image = solved[0], solved[0]
            for move in alg:
                state, image = after(state, sources[move]), after(image, sources[symmetry.moves[move]])
            key = puzzle.key(puzzle.pack(state))
            assert puzzle.key(puzzle.pack(image)) == key
            keys.add(int(key))
    assert len(keys) == 20

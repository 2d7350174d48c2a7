"""The labels that projections distinguish, and the effect of moves on projections."""

from __future__ import annotations

import random

import pytest

from cubesolve.catalog import rules_named
from cubesolve.errors import TooLargeError
from cubesolve.spaces.defined import DerivedGraph, derived
from cubesolve.spaces.derived import make_ready
from cubesolve.spaces.projections import PieceType, Projection, covering, kinds, mixtures
from cubesolve.spaces.variants import restricted


def _graph(name: str, moves: str | None = None) -> DerivedGraph:
    return derived(restricted(rules_named(name), moves) if moves else rules_named(name)).graph()


def _kinds(graph: DerivedGraph) -> list[PieceType]:
    return kinds(graph.reduction.solved[0], graph.reduction.moves)


@pytest.mark.parametrize(("name", "moves"), [("rubik", "R U F"), ("skewb", None), ("tiles-3x3", None), ("tower", None)])
@pytest.mark.parametrize("most", [30, 3000, 300_000])
def test_projections_commute_with_moves(name: str, moves: str | None, most: int) -> None:
    graph, source = _graph(name, moves), random.Random(most)
    turns = graph.reduction.moves
    for distinguished in [*covering(_kinds(graph), most), *mixtures(_kinds(graph), most)[:3]]:
        projection = Projection.of(graph, distinguished)
        part = projection.graph()
        state = graph.reduction.solved[0]
        for _ in range(20):
            move = source.randrange(len(turns))
            moved = turns[move].apply(state)
            there = part.definition_moves[move].apply(projection.image(state))
            assert there == (None if moved is None else projection.image(moved))
            state = moved or state
        assert part.rules.definition.points == graph.rules.definition.points


def test_covering_projections_tell_where_every_piece_is() -> None:
    graph = _graph("rubik", "R U F")
    every = {label for kind in _kinds(graph) for label in kind.labels}
    for most in (50, 5000, 10**6, 10**9):
        cover = covering(_kinds(graph), most)
        assert {label for distinguished in cover for labels in distinguished for label in labels} == every
        assert all(len(labels) == 1 for distinguished in cover for labels in distinguished)
    assert len(cover) == 2


def test_a_projection_with_too_many_states_is_refused_before_it_is_listed() -> None:
    graph = _graph("tiles-4x4")
    distinguished = covering(_kinds(graph), 10**7)[0]
    with pytest.raises(TooLargeError):
        make_ready(Projection.of(graph, distinguished).graph(), 1000)

"""Searches with any projections find the distances of a table of all states."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from cubesolve.catalog import rules_named
from cubesolve.encodings.enumeration import enumerate_depths
from cubesolve.errors import SearchLimitError, UnsolvableStateError
from cubesolve.group.canonical import Alg, canonical
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.deadline import Deadline, EndedError, running
from cubesolve.search import ida_star as projected
from cubesolve.search.ida_star import Projected, ProjectedSolver
from cubesolve.search.rounds import Run
from cubesolve.spaces.defined import DerivedGraph, DerivedRules
from cubesolve.spaces.derived import derived_space
from cubesolve.spaces.projections import Distinguished, Projection, covering, kinds
from cubesolve.spaces.variants import restricted


def graph_of(name: str, moves: str | None = None, costs: str | None = None, metric: str = "htm") -> DerivedGraph:
    rules = rules_named(name)
    if moves or costs:
        rules = restricted(rules, moves, costs)
    assert isinstance(rules, DerivedRules)
    return rules.graph(metric=metric)


class Search:
    """The solver of a puzzle with some projections."""

    def __init__(self, graph: DerivedGraph, distinguished: Sequence[Distinguished]) -> None:
        self.graph, self.moves = graph, graph.reduction.moves
        self.parts = [Projection.of(graph, each) for each in distinguished]
        groups = []
        for part in self.parts:
            space = derived_space(part.graph()).arrays
            groups.append([Projected(space, enumerate_depths(space, list(part.graph().starts)))])
        solved = [ranks for state in graph.reduction.solved if min(ranks := self.ranks(state)) >= 0]
        blocked = bool(graph.rules.definition.illegal)
        self.canonical = canonical(self.moves, graph.reduction.solved[0], blocked=blocked)
        costs = [number.cost for number in self.moves]
        self.solver = ProjectedSolver(groups, np.array(solved), self.canonical.following, costs)

    def ranks(self, state: Arrangement) -> list[int]:
        return [part.graph().rank_of(part.image(state)) for part in self.parts]

    def after(self, state: Arrangement, alg: Sequence[int]) -> Arrangement | None:
        moved: Arrangement | None = state
        for number in alg:
            moved = moved and self.moves[number].apply(moved)
        return moved

    def cost(self, alg: Sequence[int]) -> int:
        return sum(self.moves[number].cost for number in alg)


def _one_by_one(*labels: int) -> Distinguished:
    return frozenset(frozenset({label}) for label in labels)


PUZZLES = {
    "pancakes": (graph_of("pancake-6"), [_one_by_one(5, 4, 3), _one_by_one(0, 1, 2)]),
    "tiles": (graph_of("tiles-2x3"), [_one_by_one(0, 1, 2), _one_by_one(2, 3, 4)]),
    "topspin": (graph_of("topspin-8-4"), [_one_by_one(1, 2, 3, 4), _one_by_one(5, 6, 7)]),
    "half turns": (graph_of("rubik", "U2 R2"), None),
    "costs": (graph_of("pocket", "R U2", "U2=3 R2=2"), None),
    "skewb": (graph_of("ivy"), None),
}


@pytest.mark.parametrize("worth", [0, 1 << 60])
def test_a_search_ends_at_its_limits(monkeypatch: pytest.MonkeyPatch, worth: int) -> None:
    monkeypatch.setattr(projected, "_WORTH", worth)
    graph = graph_of("topspin-10-4")
    search = Search(graph, [_one_by_one(1, 2), _one_by_one(3, 4, 5), _one_by_one(6, 7, 8, 9)])
    state = graph.reduction.solved[0]
    source = random.Random(3)
    for _ in range(100):
        state = graph.reduction.moves[source.randrange(len(graph.reduction.moves))].apply(state) or state
    ranks = search.ranks(state)
    (alg,) = search.solver.solve(ranks)
    before = search.solver.nodes
    seen: list[tuple[int, int]] = []
    again = search.solver.solve(ranks, workers=3, progress=lambda depth, nodes, _: seen.append((depth, nodes)))
    assert again == [alg]
    assert [depth for depth, _ in seen] == list(range(seen[0][0], len(alg) + 1))
    assert seen[-1][1] <= search.solver.nodes - before
    with pytest.raises(SearchLimitError) as caught:
        search.solver.solve(ranks, max_depth=len(alg) - 1)
    assert caught.value.at_least == len(alg)
    with running(Deadline(0)), pytest.raises(SearchLimitError) as caught:
        search.solver.solve(ranks)
    assert caught.value.at_least <= len(alg)
    cancel = threading.Event()
    cancel.set()
    with running(Deadline(None, cancel)), pytest.raises(SearchLimitError, match="cancelled"):
        search.solver.solve(ranks)
    assert search.solver.solve(ranks, ruled_out=len(alg) - 1) == [alg]
    assert alg in search.solver.solve(ranks, every=True)


class _Moment(Deadline):
    """A deadline that ends a search after a number of checks, soon after the beginning of a round."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._looks = looks

    def left(self) -> float:
        if self._looks == 0:
            time.sleep(0.002)
            raise EndedError("after a moment")
        self._looks -= 1
        return 1


def test_an_interrupted_search_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projected, "_WORTH", 0)
    begun = list[int]()

    class Counted(Run):
        def __init__(self, kernel: Any, longest: int, *others: Any) -> None:
            super().__init__(kernel, longest, *others)
            begun.append(longest)

    graph = graph_of("topspin-10-4")
    search = Search(graph, [_one_by_one(1, 2), _one_by_one(3, 4)])
    state, source = graph.reduction.solved[0], random.Random(3)
    for _ in range(100):
        state = graph.reduction.moves[source.randrange(len(graph.reduction.moves))].apply(state) or state
    ranks = search.ranks(state)

    def accept(alg: Sequence[int]) -> bool:
        return search.after(state, alg) in graph.reduction.solved

    expected = search.solver.solve(ranks, every=True, accept=accept)
    length = len(expected[0])
    monkeypatch.setattr(projected, "Run", Counted)
    for about, most in ((state, 100), (None, 3)):
        found, tries = list[Alg](), 0
        while not found and tries < most:
            tries += 1
            with running(_Moment(1 if about is None else tries)), contextlib.suppress(SearchLimitError):
                found = search.solver.solve(
                    ranks, every=True, accept=accept, ruled_out=length - 1, workers=1, about=about
                )
        assert tries > 1
        assert begun == [length] * (1 if about else tries)
        assert found == expected or not about
        begun.clear()


def test_what_the_projections_do_not_tell_is_seen_by_who_asks() -> None:
    graph = graph_of("pancake-6")
    search = Search(graph, [_one_by_one(5, 4)])
    state = graph.reduction.moves[1].apply(graph.reduction.solved[0])
    assert state is not None

    def accept(alg: Sequence[int]) -> bool:
        return search.after(state, alg) in graph.reduction.solved

    assert search.solver.solve(search.ranks(state)) == [()]
    assert search.solver.solve(search.ranks(state), accept=accept) == [(1,)]
    assert search.solver.solve(search.ranks(state), accept=accept, every=True) == [(1,)]


def test_a_state_without_a_solution_is_an_error() -> None:
    """Two separate rings: all bounds are 0 for an unreachable state, and the search ends."""
    graph = graph_of("rubik", "R2")
    search = Search(graph, covering(kinds(graph.reduction.solved[0], graph.reduction.moves), 100))
    assert search.solver.solve(search.ranks(graph.reduction.solved[0])) == [()]
    with pytest.raises(UnsolvableStateError):
        search.solver.solve(search.ranks(graph.reduction.solved[0]), accept=lambda _: False)

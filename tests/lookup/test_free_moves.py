"""Tables of puzzles some moves of which cost 0, compared with searches over dictionaries."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cubesolve import puzzle
from cubesolve.ask import Puzzle
from cubesolve.definition.piece_view import PieceView
from cubesolve.embedding.embedded import embedded, without_table
from cubesolve.encodings.proof import find_fault
from cubesolve.errors import CubesolveError
from cubesolve.group.permutations import Arrangement, arrangement
from cubesolve.spaces import space_of
from cubesolve.spaces.defined import DerivedGraph, DerivedRules, derived
from cubesolve.store.build import build, verify
from cubesolve.store.tables import Tables
from tests.commands import invoke
from tests.distances import by_cost, distances
from tests.spaces.test_free import layer, ring
from tests.subsets import later

Steps = dict[Arrangement, list[tuple[int, Arrangement]]]
"""The possible moves of each state, by number, with the state after them."""

Depths = dict[Arrangement, int]


def steps_of(graph: DerivedGraph) -> Steps:
    @functools.cache
    def steps(state: Arrangement) -> list[tuple[int, Arrangement]]:
        moved = enumerate(graph.moved(state, move) for move in graph.reduction.moves)
        return [(move, there) for move, there in moved if there is not None]

    states = distances([graph.origin], lambda state: (there for _, there in steps(state)))
    return {state: steps(state) for state in states}


def nearest(steps: Steps, ends: set[Arrangement], cost: Callable[[Arrangement, int], int | None]) -> Depths:
    """The least cost of moves from each state to one of some others; moves whose cost is None are left out."""
    before = dict[Arrangement, list[tuple[int, Arrangement]]]()
    for state, moves in steps.items():
        for move, there in moves:
            each = cost(state, move)
            if each is not None:
                before.setdefault(there, []).append((each, state))
    return dict(by_cost(ends, lambda state: before.get(state, ())))


def check(rules: DerivedRules, folder: Path) -> int:
    """Compare the answers about states with those of dictionaries; return the number of states."""
    graph = rules.graph()
    steps, costs = steps_of(graph), [move.cost for move in graph.reduction.moves]
    solved = {*graph.reduction.solved} & steps.keys()
    depths = nearest(steps, solved, lambda _, move: costs[move])
    after = {(state, move): there for state in steps for move, there in steps[state]}

    def is_level(state: Arrangement, move: int) -> bool:
        return state in depths and depths[state] == depths.get(after[state, move], -9) + costs[move]

    ends = solved | {state for state, move in after if costs[move] and is_level(state, move)}
    free = nearest(steps, ends, lambda state, move: 1 if not costs[move] and is_level(state, move) else None)

    def is_optimal(state: Arrangement, move: int, there: Arrangement) -> bool:
        return is_level(state, move) and (not free[state] if costs[move] else free[there] == free[state] - 1)

    @functools.cache
    def algs(state: Arrangement) -> list[tuple[int, ...]]:
        if state in solved:
            return [()]
        return [(m, *rest) for m, there in steps[state] if is_optimal(state, m, there) for rest in algs(there)]

    entries = Puzzle(rules, Tables(folder)).usual_tables()
    for entry in entries:
        build(rules, entry, folder)
        verify(rules, entry, folder)
    asked, counts = Puzzle(rules, Tables(folder)), Counter(depths.values())
    assert asked.distribution() == tuple(counts[depth] for depth in range(1 + max(counts)))
    places = [*depths]
    rows = np.array([[graph.labelling.numbers[label] for label in place] for place in places])
    found, leads = asked.solve_batch(rows), asked.optimal_moves_batch(rows)
    assert found.moves.shape == (len(places), max(len(alg) for state in places for alg in algs(state)))
    for place, moves, length, first in zip(places, found.moves.tolist(), found.lengths.tolist(), leads, strict=True):
        assert tuple(moves[:length]) == algs(place)[0]
        assert {*moves[length:]} <= {255}
        assert np.flatnonzero(first).tolist() == sorted({alg[0] for alg in algs(place) if alg})
    assert asked.count_solutions_batch(rows).tolist() == [len(algs(place)) for place in places]
    counts_by_rank = asked.arrays_of(entries[-1]).solution_counts(None)
    assert counts_by_rank[asked.ranks(rows)].tolist() == [len(algs(place)) for place in places]
    for state in places[:: 1 + len(places) // 40]:
        given, names = graph.labelling.state(state), [" ".join(graph.moves[m] for m in alg) for alg in algs(state)]
        assert asked.depth(given) == depths[state]
        assert str(asked.solve(given)) == names[0]
        assert asked.count_solutions(given) == len(names)
        assert list(asked.solutions(given)) == names
        assert asked.optimal_moves(given) == [*dict.fromkeys(alg.split()[0] for alg in names if alg)]
    return len(depths)


def _changed(graph: DerivedGraph, **changes: Any) -> DerivedGraph:
    return DerivedRules(PieceView(graph.rules.definition._replace(**changes), "puzzle")).graph()


_ALL = {"S": 0, "T": 0, "T'": 0, "T2": 0, "T2'": 0}


@pytest.mark.parametrize(
    "graph",
    [
        later(layer(1)),  # moves that are not always possible
        _changed(layer(1), costs={"U": 0, "/": 3}),
        _changed(ring(0, 1, 2, 4, 3), directed=True, costs={"T": 0}),  # moves without inverses
        _changed(ring(0, 1, 2, 4, 3), solved=(arrangement([0, 0, 1, 1, 1]), arrangement([0, 1, 1, 0, 1]))),
        ring(0, 1, 2, 4, 3),
        later(_changed(ring(0, 1, 2, 4, 5, 3), costs={"S": 0, "S'": 0})),
        _changed(ring(0, 1, 2, 4, 3), costs=_ALL),  # no others
    ],
)
def test_states(graph: DerivedGraph, tmp_path: Path) -> None:
    assert check(graph.rules, tmp_path) > 5


def test_a_goal() -> None:
    asked = puzzle("floppy").restrict(cost="R2=0")
    graph = derived(asked.rules).graph()
    steps, costs = steps_of(graph), [move.cost for move in graph.reduction.moves]
    solved = {state for state in steps if state[2:4] == graph.origin[2:4]}
    depths = nearest(steps, solved, lambda _, move: costs[move])
    toward = asked.towards("* FL * * ; * * * *")
    for state in [*steps][::7]:
        alg = toward.solve(graph.labelling.state(state))
        here = graph.rules.definition.apply(state, graph.rules.definition.parse(str(alg)))
        assert here in solved
        assert sum(costs[graph.moves.index(move)] for move in str(alg).split()) == depths[state]
    distribution = asked.distribution(from_goal="* FL * * ; * * * *")
    whole = nearest(steps, {graph.origin}, lambda _, move: costs[move])
    assert distribution == tuple(np.bincount([whole[state] for state in solved]))


def test_other_questions() -> None:
    asked = puzzle("floppy").restrict(cost="R2=0")
    assert asked.distribution() == asked.distribution(count=True) == asked.distribution(levels=99)
    assert asked.restrict(cost="R2=1").depth("R2") == 1
    state = asked.parse("F2 R2 L2")
    assert asked.depths([state, asked.parse("R2")]).tolist() == [asked.depth(state), 0] == [2, 0]
    alg = asked.solve(state, "R2")
    assert (str(alg), alg.at_least, alg.is_proved) == ("L2 R2 F2 R2", 2, True)
    assert asked.depth(asked.random_state(1, depth=3)) == 3
    scramble = asked.scramble(1, length=5)
    assert len(scramble.split()) == 5
    for ask in (
        lambda: asked.solutions(state, slack=1),
        lambda: puzzle("rubik").restrict(cost="U=0").solve("R"),
        lambda: puzzle("rubik").restrict(cost="U=0").scramble(),
    ):
        with pytest.raises(CubesolveError, match="where moves cost 0"):
            ask()
    for refused in (
        asked.state_arrays,
        asked.heuristic,
        asked.whole,
        lambda: puzzle("rubik").restrict(cost="U=0").towards("cross-any"),
        lambda: embedded(asked),
        lambda: without_table(asked),
    ):
        with pytest.raises(ValueError, match="cost 0"):
            refused()
    result = invoke("tables", "build", "floppy", "--cost", "R2=0", "--bits", "2")
    assert "require moves with inverses and cost 1" in result.output


def test_wrong_depths_are_found(tmp_path: Path) -> None:
    """Also where states support one another in a circle of moves of cost 0."""
    rules = ring(0, 1, 2, 4, 5, 6, 3).rules
    for entry in Puzzle(rules, Tables(tmp_path)).usual_tables():
        build(rules, entry, tmp_path)
    graph = rules.graph()
    body = np.frombuffer(Tables(tmp_path).body(graph.entry), np.uint8)
    space, starts = space_of(graph), list(graph.starts)
    assert find_fault(space, body, starts) is None
    assert find_fault(space, np.where(body == 2, np.uint8(1), body), starts) is not None
    wrong = np.where(body == body.max(), body.max() - 1, body)
    fault = find_fault(space, wrong, starts)
    assert fault is not None
    assert (wrong[fault.rank], body[fault.rank]) == (fault.depth, fault.expected)

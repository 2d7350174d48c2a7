"""Shortest algs between two states, from both ends; the lengths are those of a search in pure Python."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import numpy as np
import pytest

from cubesolve import puzzle
from cubesolve.search import commutators, short
from cubesolve.search.meeting import Meeting
from cubesolve.search.near import between
from cubesolve.search.slots import MoveArrays, Row, Slots
from cubesolve.solvers import anything
from cubesolve.solvers.anything import Anything
from cubesolve.spaces.defined import DerivedGraph

_RINGS = """
Name rings
Set RING 14 1
Solved
RING
1 2 2 2 2 1 2 2 3 3 3 3 3 3
End
Move L
RING
2 3 4 5 6 7 8 1 9 10 11 12 13 14
End
Move R
RING
9 2 3 4 5 12 7 8 10 11 6 13 14 1
End
"""


@pytest.fixture(name="graph")
def _graph(tmp_path: Path) -> DerivedGraph:
    path = tmp_path / "rings.tws"
    path.write_text(_RINGS)
    found: DerivedGraph = puzzle(str(path)).rules.graph(metric="qtm")  # type: ignore[attr-defined]
    return found


def _ends(graph: DerivedGraph, moves: int, seed: int) -> tuple[MoveArrays, Row, Row]:
    """Return the moves, the state after some random moves, and the solved one."""
    group, changes = graph.rules.group, [move.effects[0].sources for move in graph.definition_moves]
    assert group is not None
    slots, source = Slots(graph.rules.definition.points, group.kinds, changes), random.Random(seed)
    (solved,) = slots.rows([graph.rules.definition.solved[0]])
    state = solved
    for _ in range(moves):
        state = state[slots.moves.sources[source.randrange(len(changes))]]
    return slots.moves, state, solved


def _distance(moves: MoveArrays, state: Row, solved: Row) -> int:
    def neighbours(row: bytes) -> list[tuple[str, bytes]]:
        return [(str(number), bytes(row[slot] for slot in source)) for number, source in enumerate(moves.sources)]

    found = between(bytes(state.tolist()), [bytes(solved.tolist())], neighbours, most=1 << 20)
    assert found is not None
    assert not isinstance(found, int)
    return int(found.depth)


def _end(moves: MoveArrays, state: Row, alg: list[int]) -> list[int]:
    for move in alg:
        state = state[moves.sources[move]]
    end: list[int] = state.tolist()
    return end


@pytest.mark.parametrize("memory", [1 << 22, 1 << 15], ids=["enough", "little"])
@pytest.mark.parametrize("length", [0, 1, 2, 40])
def test_algs_are_shortest(graph: DerivedGraph, length: int, memory: int) -> None:
    for seed in range(3):
        moves, state, solved = _ends(graph, length, seed)
        alg = Meeting(moves).alg(state, solved, memory, 1 << 20)
        assert alg is not None
        assert len(alg) == _distance(moves, state, solved)
        assert _end(moves, state, alg) == solved.tolist()


def test_limits_are_kept(graph: DerivedGraph) -> None:
    moves, state, solved = _ends(graph, 40, 1)
    distance = _distance(moves, state, solved)
    meeting = Meeting(moves)
    assert meeting.alg(state, solved, 1 << 22, 0, distance - 1) is None
    assert meeting.alg(state, solved, 1 << 14, 1 << 20, distance - 1) is None
    assert meeting.alg(state, solved, 1 << 13, 0) is None  # of states that there is no room for
    other = np.where(solved == 0, 5, solved).astype(np.uint16)
    assert Meeting(moves).alg(state, other, 1 << 22, 1 << 20) is None  # no alg leads there


def test_a_puzzle_with_few_enough_states_is_solved_so(graph: DerivedGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    finder, definition = Anything(graph), graph.rules.definition
    assert finder._arrangements(definition.solved[0]) == 14 * 13 // 2 * 924  # 2 of 14 places, then 6 of 12
    assert graph.reach is not None
    state = graph.reach.random_state(random.Random(3))
    alg = next(finder.solutions(state))
    assert alg is not None
    assert definition.apply(state, definition.parse(" ".join(alg))) == definition.solved[0]
    moves, _, solved = _ends(graph, 0, 0)
    rows = finder._slots.result().rows([definition.solved[0], state])
    assert len(alg) == _distance(moves, rows[1], solved)
    assert Anything(graph)._met(state, definition.solved[0], 1 << 30, (1 << 13, 1 << 11)) is None
    monkeypatch.setattr(anything, "_QUICK", (1 << 13, 1 << 11))
    monkeypatch.setattr(commutators, "_FIRST", 400)
    monkeypatch.setattr(commutators, "_SECOND", 200)
    monkeypatch.setattr(short, "_CHANGES", 1 << 13)
    longer, shortest = itertools.islice(Anything(graph).solutions(state), 2)
    assert longer is not None
    assert shortest is not None
    assert len(longer) > len(shortest) == len(alg)

"""Puzzles some moves of which cost 0; the matrix has their answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cubesolve import puzzle
from cubesolve.ask import Puzzle
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.piece_view import PieceView
from cubesolve.embedding.embedded import embedded, without_table
from cubesolve.encodings.proof import find_fault
from cubesolve.group.moves import Effect
from cubesolve.spaces import space_of
from cubesolve.spaces.defined import DerivedRules
from cubesolve.store.build import build
from cubesolve.store.tables import Tables
from tests.commands import invoke
from tests.spaces.test_symmetric import free_ring as ring


def test_other_questions() -> None:
    asked = puzzle("floppy").restrict(cost="R2=0")
    assert asked.distribution() == asked.distribution(count=True) == asked.distribution(levels=99)
    ranks = range(asked.states)
    for each in (asked, puzzle("floppy").restrict(cost="R2=3")):
        assert each.solution_counts().tolist() == [each.count_solutions(rank) for rank in ranks]
    moves, lengths = asked.solve_batch(ranks)
    assert moves.shape == (asked.states, max(lengths))
    assert asked.restrict(cost="R2=1").depth("R2") == 1
    state = asked.parse("F2 R2 L2")
    assert asked.depths([state, asked.parse("R2")]).tolist() == [asked.depth(state), 0] == [2, 0]
    alg = asked.solve(state, "R2")
    assert (str(alg), alg.at_least, alg.is_proved) == ("L2 R2 F2 R2", 2, True)
    assert asked.depth(asked.random_state(1, depth=3)) == 3
    scramble = asked.scramble(1, length=5)
    assert len(scramble.split()) == 5
    for refused in (embedded, without_table):
        with pytest.raises(ValueError, match="cost 0"):
            refused(asked)
    result = invoke("tables", "build", "floppy", "--cost", "R2=0", "--bits", "2")
    assert "require moves with inverses and cost 1" in result.output


def test_free_moves_follow_moves_of_every_cost(tmp_path: Path) -> None:
    """States that moves of one cost lead to are followed by free moves, also before moves of another cost."""
    turn, swap = (Effect(bytes([0, 2, 3, 1])),), (Effect(bytes([0, 2, 1, 3])),)
    definition = Definition("three", (Orbit("DISKS", 4),), (bytes([0, 0, 0, 1]),), {"S": swap, "T": turn})
    rules = DerivedRules(PieceView(definition._replace(costs={"S": 0, "T": 2})))
    asked = Puzzle(rules, Tables(tmp_path))
    assert asked.distribution() == asked.distribution(levels=9) == (1, 2)


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

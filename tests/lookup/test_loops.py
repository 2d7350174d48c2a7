"""Solutions by placements and loops, where moves are blocked: every solution is applied."""

from __future__ import annotations

import itertools

import pytest

from cubesolve import UnsolvableStateError, puzzle
from cubesolve.ask import Puzzle
from cubesolve.search import commutators, short
from cubesolve.solvers.derived import DerivedSolver
from cubesolve.solvers.loops import Loops
from tests.subsets import later


def _loops(asked: Puzzle) -> Loops:
    solver = asked.solver
    assert isinstance(solver, DerivedSolver)
    return Loops(solver.rules.graph(), asked.state_arrays())


@pytest.mark.parametrize("name", ["docs/glued-ring.tws", later("docs/square1.tws"), later("docs/bandaged.tws")])
def test_random_states_are_solved(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commutators, "_FIRST", 300)  # algs, and changes of algs: little work
    monkeypatch.setattr(short, "_CHANGES", 1 << 13)
    monkeypatch.setattr(short, "_LABOUR", 1 << 21)
    asked = puzzle(name)
    loops, arrays = _loops(asked), asked.state_arrays()
    for seed in range(2):
        state = asked.random_state(seed)
        found = [alg for alg in itertools.islice(loops.solutions(state.arrangement), 3) if alg is not None]
        assert all(len(one) > len(other) for one, other in itertools.pairwise(found))
        for alg in found:
            row = arrays.read([state])
            for number in arrays.numbers(" ".join(alg)):
                assert arrays.possible(row)[0, number]
                row = arrays.apply(row, number)
            assert arrays.is_solved(row)[0]


def test_what_no_moves_solve() -> None:
    asked = puzzle("docs/glued-ring.tws")
    place = bytearray(asked.parse("").arrangement)
    place[0], place[1] = place[1], place[0]  # the glued beads in the wrong order
    with pytest.raises(UnsolvableStateError, match="no moves of the glued-ring"):
        next(_loops(asked).solutions(bytes(place)))


@pytest.mark.exhaustive
def test_scrambles_where_no_tables_fit_into_memory() -> None:
    asked = puzzle("docs/square1.tws")
    assert not asked.parse(asked.scramble(5)).is_solved

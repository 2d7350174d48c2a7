"""Solutions where moves are blocked or have no inverses, by beams and by loops: every solution is applied."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from cubesolve import SearchLimitError, UnsolvableStateError, puzzle
from cubesolve.ask import Puzzle
from cubesolve.errors import CubesolveError
from cubesolve.search import commutators, short
from cubesolve.solvers import beams
from cubesolve.solvers import derived as derived_solver
from cubesolve.solvers.beams import Beams, tunnelled
from cubesolve.solvers.derived import DerivedSolver
from cubesolve.solvers.loops import Loops
from cubesolve.spaces.defined import derived
from tests.subsets import later


def _beams(asked: Puzzle) -> Beams:
    solver = asked.solver
    assert isinstance(solver, DerivedSolver)
    return Beams(solver, solver.rules.graph())


@pytest.mark.parametrize(
    ("asked", "longest"),
    [
        (puzzle("docs/glued-ring.tws"), 8),
        (puzzle("tiles-2x3"), 1),  # beams end too early, and are followed by longer ones
        later(puzzle("ivy").restrict(inverses=False), 8),
    ],
    ids=["blocked", "sliding", "without inverses"],
)
def test_the_last_solution_of_a_small_puzzle_is_optimal(
    asked: Puzzle, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beams, "_LONGEST", longest)
    solver = _beams(asked)
    for seed in range(3):
        state = asked.random_state(seed)
        place = derived(asked.rules).labelling.arrangement(asked.rules.read(state))
        found = [alg for alg in solver.solutions(place) if alg is not None]
        assert all(len(one) > len(other) for one, other in itertools.pairwise(found))
        for alg in found:
            assert asked.depth(asked.rules.view.after(asked.rules.read(state), " ".join(alg))) == 0
        depth = asked.depth(state)
        assert len(found[-1]) == depth
        assert 0 <= solver.at_least(place) <= depth


@pytest.mark.parametrize("longest", [8, 1])
def test_what_no_moves_solve(longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beams, "_LONGEST", longest)
    with pytest.raises(UnsolvableStateError, match="no moves of the sliding tiles"):
        next(_beams(puzzle("tiles-2x3")).solutions(bytes([1, 0, 2, 3, 4, 5])))


def test_any_solution_of_a_large_sliding_puzzle() -> None:
    tiles = puzzle("24-puzzle")
    assert tiles.parse(tiles.scramble(3), "alg") == tiles.random_state(3)
    state = tiles.random_state(1)
    solution = tiles.solve(state, max_length=250)
    assert tiles.rules.view.after(state, solution) == tiles.parse("", "alg")
    assert 60 < solution.at_least <= solution.length <= 250
    assert solution == tiles.solve(state, max_length=250)
    better = list(itertools.islice(tiles.improvements(state, within=0), 3))
    assert all(one.length > other.length for one, other in itertools.pairwise(better))
    with pytest.raises(SearchLimitError, match="at least"):
        tiles.solve(state, max_length=60)
    assert tiles.solver.moves_in_seconds is not None
    assert puzzle("15-puzzle").solver.moves_in_seconds is None


def test_databases_that_are_too_large_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubesolve.solvers.beams._DATABASES", 1)
    ring = puzzle("docs/glued-ring.tws")
    place = derived(ring.rules).labelling.arrangement(ring.rules.read(ring.random_state(1)))
    with pytest.raises(CubesolveError, match=r"^only optimal solutions are supported for .*: 1 bytes are not enough"):
        next(_beams(ring).solutions(place))


def test_states_that_databases_do_not_distinguish_are_not_solved(tmp_path: Path) -> None:
    """Beads move along with disks, and look alike."""
    ring = "Set BEADS 4 1\nSet DISKS 4 1\nSolved\nBEADS\n1 1 1 1\nEnd\nMove A\nBEADS\n2 3 4 1\nDISKS\n2 3 4 1\nEnd\n"
    (path := tmp_path / "ring.tws").write_text(ring)
    asked = puzzle(str(path)).restrict(inverses=False)
    place = derived(asked.rules).labelling.arrangement(asked.rules.read("A"))
    with pytest.raises(CubesolveError, match="pattern databases do not distinguish all of its states"):
        next(_beams(asked).solutions(place))


def test_tunnels_cut_corners() -> None:
    arrays = puzzle("tiles-3x3").state_arrays()
    walk = arrays.walks(1, 60, rng=4)
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}
    alg = arrays.numbers(" ".join(back[arrays.moves[move]] for move in walk.moves[0][::-1]))
    shorter = tunnelled(arrays, walk.states, alg, 500)
    assert shorter is not None
    assert len(shorter) < 60
    end = walk.states
    for move in shorter:
        assert arrays.possible(end)[0, move]
        end = arrays.apply(end, move)
    assert arrays.is_solved(end).all()


def test_moves_with_costs_have_only_optimal_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("AT_ONCE", 0), ("ALGS_IN_SECONDS", 1)):
        monkeypatch.setattr(derived_solver, name, number)
    costly = puzzle("8-puzzle").restrict(cost="U=2")
    with pytest.raises(SearchLimitError, match=r"^not solved in 200 moves within seconds"):
        costly.solve(costly.random_state(1), max_length=200)


# -- Placements and loops ----------------------------------------------------------------------------------------------


def _loops(asked: Puzzle) -> Loops:
    solver = asked.solver
    assert isinstance(solver, DerivedSolver)
    return Loops(solver.rules.graph(), asked.state_arrays())


@pytest.mark.parametrize("name", ["docs/glued-ring.tws", later("docs/square1.tws"), later("docs/bandaged.tws")])
def test_random_states_are_solved_by_loops(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commutators, "_FIRST", 300)  # algs, and changes of algs: little work
    monkeypatch.setattr(short, "_CHANGES", 1 << 13)
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


def test_what_neither_moves_nor_loops_solve() -> None:
    asked = puzzle("docs/glued-ring.tws")
    place = bytearray(asked.parse("").arrangement)
    place[0], place[1] = place[1], place[0]  # the glued beads in the wrong order
    with pytest.raises(UnsolvableStateError, match="no moves of the glued-ring"):
        next(_loops(asked).solutions(bytes(place)))

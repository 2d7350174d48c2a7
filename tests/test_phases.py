"""Multi-phase search finds solutions with any phases, and optimal ones if one phase has an exact table."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cubesolve import puzzle
from cubesolve.definition.definition import Definition
from cubesolve.definition.facelets import facelet_names
from cubesolve.definition.phases import Coordinate, Phase
from cubesolve.errors import CorruptTableError, SearchLimitError, TooLargeError, UnsupportedTableError
from cubesolve.group.canonical import canonical
from cubesolve.group.permutations import Arrangement, after, arrangement
from cubesolve.search import phases as phased
from cubesolve.search.phased import PhasedRules, phases_entry
from cubesolve.search.phases import PhasedSearch, PhaseProblem, prepare
from cubesolve.solvers.phased import PhasedSolver
from cubesolve.store import build
from cubesolve.store.tables import Tables
from tests.definitions.samples import rules_of

RULES = rules_of("pocket")
MOVES = [move for move in RULES.definition.moves("htm") if move.name[0] in "URF" and move.name[1:] in {"", "2", "'"}]
CHANGES = [move.effects[0].sources for move in MOVES]
SOLVED = RULES.definition.solved[0]
FOLLOWING = canonical(tuple(MOVES), SOLVED).following
NAMES = facelet_names(2)
TWIST = Coordinate.alike(label for label, name in enumerate(NAMES) if name[0] in "UD")
PLACES = Coordinate.of(label for label, name in enumerate(NAMES) if name[0] in "UD")
SWAPS, DISKS = [bytes([1, 0, 2, 3]), bytes([0, 2, 1, 3]), bytes([0, 1, 3, 2])], bytes(range(4))
EVERY, HALF = tuple(range(9)), tuple(i for i, move in enumerate(MOVES) if move.name[0] == "U" or "2" in move.name)


@pytest.fixture(scope="module")
def problem() -> PhaseProblem:
    """Twists, by all moves, and then places, by U, R2 and F2."""
    return prepare(CHANGES, SOLVED, FOLLOWING, [Phase(EVERY, (TWIST,), ((0,),)), Phase(HALF, (PLACES,), ((0,),))])


def after_all(state: Arrangement, alg: Sequence[int]) -> Arrangement:
    for move in alg:
        state = after(state, CHANGES[move])
    return state


def scrambled(seed: int) -> Arrangement:
    return after_all(SOLVED, random.Random(seed).choices(EVERY, k=40))


def test_solutions_become_shorter_until_there_are_none(problem: PhaseProblem) -> None:
    for seed in range(10):
        state = scrambled(seed)
        optimal = puzzle("pocket").depth(RULES.view.write(state))
        search, lengths = PhasedSearch(problem, [state], 30), [31]
        while (found := search.improve()) is not None:
            assert found[0] == 0
            assert after_all(state, found[1]) == SOLVED
            lengths.append(len(found[1]))
        assert lengths == sorted(set(lengths), reverse=True)
        assert search.is_exhausted
        assert optimal <= lengths[-1] <= optimal + 2
        assert search.improve() is None


def test_one_phase_with_an_exact_table_is_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phased, "MOST_VALUES", 1 << 22)
    small = Coordinate.of(label for label, name in enumerate(NAMES) if name in {"U1", "U2", "U3", "U4"})
    layer = prepare(CHANGES, SOLVED, FOLLOWING, [Phase(EVERY, (small,), ((0,),))])
    for seed in range(5):
        search = PhasedSearch(layer, [scrambled(seed)], 30)
        alg = search.improve()
        assert alg is not None
        assert search.nodes <= 9 * len(alg[1])  # no move is in vain
        assert search.improve() is None


def test_a_search_is_the_same_in_steps(problem: PhaseProblem) -> None:
    state = scrambled(7)
    whole, parts = PhasedSearch(problem, [state], 30), PhasedSearch(problem, [state], 30)
    expected = [whole.improve() for _ in range(3)]
    found = []
    for nodes in range(0, 10**6, 97):
        found += [alg for alg in [parts.improve(nodes)] if alg is not None]
        assert parts.nodes <= nodes + 9
        if len(found) == 3:
            break
    assert found == expected


def test_the_shortest_first_phase_of_several_roots_comes_first(problem: PhaseProblem) -> None:
    far, near = scrambled(1), after_all(SOLVED, [0])
    assert PhasedSearch(problem, [far, near], 30).improve() == (1, (2,))
    assert PhasedSearch(problem, [SOLVED], 30).improve() == (0, ())


def test_states_outside_the_group_have_no_solutions(problem: PhaseProblem) -> None:
    swapped = list(SOLVED)
    corner = [NAMES.index(name) for name in ("U1", "L1", "B2")]
    for one, other in zip(corner, corner[1:] + corner[:1], strict=True):
        swapped[one] = SOLVED[other]
    search = PhasedSearch(problem, [arrangement(swapped)], 30)
    assert search.is_exhausted
    assert search.improve() is None
    assert PhasedSearch(problem, [scrambled(3)], 2).improve() is None


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phased, "MOST_VALUES", 700)
    with pytest.raises(TooLargeError):
        prepare(CHANGES, SOLVED, FOLLOWING, [Phase(EVERY, (TWIST,), ((0,),))])
    monkeypatch.setattr(phased, "MOST_ENTRIES", 100)
    with pytest.raises(TooLargeError):
        prepare(CHANGES, SOLVED, FOLLOWING, [Phase(EVERY, (TWIST,), ((0,),))])
    with pytest.raises(ValueError, match="exchanged with one another"):
        prepare(CHANGES, SOLVED, FOLLOWING, [Phase(EVERY, (Coordinate.of({0}, CHANGES[:1]),), ((0,),))])


def test_labels_that_are_exchanged_have_one_value() -> None:
    """The places of three disks in a ring of four up to a turn: one of two cyclic orders."""
    cyclic = Coordinate.of(range(3), [bytes([1, 2, 0, 3])])
    problem = prepare(SWAPS[:2], DISKS, [[0, 1]] * 3, [Phase((0, 1), (cyclic,), ((0,),))])
    assert problem.coordinates[0, 7] == 2
    assert problem.distances.tolist() == [0, 1]


def test_partitions_and_signs() -> None:
    """Two unordered parts of two points each: distances of pairings. A sign requires one label of a class."""
    pairs = frozenset({frozenset({0, 1}), frozenset({2, 3})})
    pairing, sign = Coordinate(pairs, reads="partition"), Coordinate.of(range(4))._replace(reads="sign")
    problem = prepare(SWAPS, DISKS, [[0, 1, 2]] * 3, [Phase((0, 1, 2), (pairing, sign), ((0,), (1,)))])
    assert problem.distances.tolist() == [0, 1, 2, 0, 1]
    assert PhasedSearch(problem, [bytes([2, 0, 1, 3])], 9).at_least == 2
    half = Coordinate(frozenset({frozenset({0, 2}), frozenset({1, 3})}), reads="sign", points=frozenset({0, 1}))
    apart = prepare(SWAPS[::2], DISKS, [[0, 1]] * 2, [Phase((0, 1), (half,), ((0,),))])
    assert apart.distances.tolist() == [0, 1]
    assert PhasedSearch(apart, [bytes([1, 2, 0, 3])], 9).improve() == (0, (0,))
    assert PhasedSearch(apart, [bytes([0, 2, 1, 3])], 9).is_exhausted
    with pytest.raises(ValueError, match="must not exchange the points"):
        prepare(SWAPS, DISKS, [[0, 1, 2]] * 3, [Phase((0, 1, 2), (half,), ((0,),))])


def test_a_phase_may_have_other_moves_than_the_next() -> None:
    """Places of one label by two swaps, then the other labels by two others; both phases have one swap in common."""
    first = Phase((1, 2), (Coordinate.of({3}),), ((0,),))
    second = Phase((0, 1), (Coordinate.of({0, 1, 2}),), ((0,),))
    problem = prepare(SWAPS, DISKS, [[0, 1, 2]] * 3, [first, second])
    assert PhasedSearch(problem, [bytes([0, 3, 2, 1])], 9).improve() == (0, (1, 2, 1))


def test_a_phase_may_search_only_likely_states() -> None:
    """Six swaps reverse four disks; then each of two tables has an entry of 5."""
    halves = Phase((0, 1, 2), (Coordinate.of({0, 1}), Coordinate.of({2, 3})), ((0,), (1,)))

    def search(likely: tuple[int, int] | None, longest: int) -> PhasedSearch:
        problem = prepare(SWAPS, DISKS, [[0, 1, 2]] * 3, [halves._replace(likely=likely)])
        return PhasedSearch(problem, [DISKS[::-1]], longest)

    every, likely = search(None, 6), search((2, 0), 6)
    assert every.improve() == likely.improve() == (0, (0, 1, 0, 2, 1, 0))
    assert search((1, 2), 6).improve() is None
    longer = search((1, 2), 12).improve()
    assert longer is not None
    assert len(longer[1]) == 8


# -- Questions about puzzles with phases: accepted solutions, limits, and the file of tables ---------------------------

IVY: Any = puzzle("ivy")


def ivy_phases(definition: Definition) -> Sequence[Phase]:
    """Two phases of the Ivy cube: the leaf of U and two others, then the rest with two moves."""
    first, rest = Coordinate.of({12, 13, 14}), Coordinate.of(range(12))
    leaves = Coordinate.of(range(12, 18))
    return [Phase.of(definition, "R L D B", [first], [(0,)]), Phase.of(definition, "R L D B", [rest, leaves], [(0, 1)])]


def ivy(size: int = 0, sha256: str = "") -> PhasedRules:
    return PhasedRules(IVY.rules.view, ivy_phases, phases_entry("ivy", size, sha256), usual_length=20)


@pytest.fixture(scope="module")
def solver(tmp_path_factory: pytest.TempPathFactory) -> PhasedSolver:
    return PhasedSolver(ivy(), Tables(str(tmp_path_factory.mktemp("ivy"))))


def test_solutions_get_shorter_until_one_is_accepted(solver: PhasedSolver) -> None:
    source = random.Random(7)
    for _ in range(5):
        state = solver.random_state(source)
        depth = IVY.depth(str(state))
        found = list(solver.improvements(state))
        assert found[-1].length == found[-1].at_least == depth
        assert all(one.length > other.length for one, other in itertools.pairwise(found))
        for more in range(4):
            solution = solver.solve(state, within=more)
            assert depth <= solution.length <= depth + more
            assert solution.at_least == depth
            assert solver.rules.view.after(state, solution).is_solved
        assert solver.solve(state, max_length=depth).length == depth
        with pytest.raises(SearchLimitError, match=f"at least {depth} moves"):
            solver.solve(state, max_length=depth - 1)
        with pytest.raises(SearchLimitError, match=f"in {depth - 1} moves"):
            solver.solve(state, within=9, max_depth=depth - 1)
    with pytest.raises(ValueError, match="cannot be combined"):
        solver.solve(state, within=1, max_length=9)


def test_scrambles_with_acceptance(solver: PhasedSolver) -> None:
    drawn, source = random.Random(3), random.Random(3)
    accepted: Sequence[dict[str, Any]] = ({}, {"within": 1}, {"max_length": 9})
    for acceptance in accepted:
        state, scramble = solver.random_state(drawn), solver.scramble(source, **acceptance)
        assert solver.rules.view.after(state, solver.rules.view.invert(scramble)).is_solved
        assert len(scramble.split()) <= IVY.depth(str(state)) + acceptance.get("within", 9)


def test_the_table_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = ivy().arrays(ivy().phases_entry)
    rules = ivy(len(body), hashlib.sha256(body).hexdigest())
    entry = rules.phases_entry
    assert [each.name for each in rules.tables()] == ["ivy-phases"]
    monkeypatch.setattr(PhasedSolver, "_near", lambda *_: 0)  # a table or a search would answer
    made = PhasedSolver(rules, Tables(str(tmp_path))).solve("R L D", max_length=20)
    path = Path(build.verify(rules, entry, str(tmp_path)))
    assert path.parent == tmp_path
    monkeypatch.setattr(PhasedRules, "arrays", lambda *_, **__: body[:-1])
    assert PhasedSolver(rules, Tables(str(tmp_path))).solve("R L D", max_length=20) == made
    with pytest.raises(CorruptTableError, match="do not match the moves"):
        build.verify(rules, entry, str(tmp_path))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(CorruptTableError):
        PhasedSolver(rules, Tables(str(tmp_path))).solve("R L D", max_length=20)
    other = ivy(len(body) + 8, hashlib.sha256(body).hexdigest())
    with pytest.raises((CorruptTableError, UnsupportedTableError)):
        PhasedSolver(other, Tables(str(tmp_path))).solve("R L D", max_length=20)

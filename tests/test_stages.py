"""Stages reduce a puzzle by beams, with exact tables, and phases solve what is left."""

from __future__ import annotations

import functools
import hashlib
import itertools
import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest

from cubesolve import puzzle
from cubesolve.catalog import rules_named
from cubesolve.catalog.nxnxn import USUAL_LENGTH_555
from cubesolve.catalog.nxnxn.stages import reduction
from cubesolve.definition.phases import Coordinate, Phase, Places, Reduction, Stage
from cubesolve.group.canonical import canonical
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, after, is_odd
from cubesolve.search import stages
from cubesolve.search.phases import packed, prepare
from cubesolve.search.stage_tables import prepare_stages
from cubesolve.search.stages import Reduced, opened_reduced
from tests.distances import distances

# Two rings of four disks: turn both, exchange two neighbours of both or of one, and a disk with that beside it.
SOLVED = bytes(range(8))
TURN, BOTH = bytes([3, 0, 1, 2, 7, 4, 5, 6]), bytes([1, 0, 2, 3, 5, 4, 6, 7])
ONE, OTHER, ACROSS = bytes([1, 0, *range(2, 8)]), bytes([0, 1, 2, 3, 5, 4, 6, 7]), bytes([4, 1, 2, 3, 0, 5, 6, 7])
MOVES = [TURN, after(TURN, after(TURN, TURN)), BOTH, ONE, OTHER, ACROSS]
PAIRS = tuple(frozenset({disk, disk + 4}) for disk in range(4))
RING = Places(tuple(range(8)), (frozenset(range(4)),))
"""Which disks of the first ring are on which points."""
BESIDE = Places(tuple(range(4)), PAIRS, tuple(range(4, 8)))
EVERY, JOINED = (0, 1, 2, 3, 4), (0, 1, 2)


def reduced() -> Reduced:
    first = Stage((*EVERY, 5), (RING,), ((0,),))
    second = Stage(EVERY, (BESIDE,), ((0,),))
    rest = Phase(JOINED, (Coordinate.of(range(4)),), ((0,),))
    following = canonical(tuple(Move(str(i), (Effect(move),)) for i, move in enumerate(MOVES)), SOLVED).following
    stages = prepare_stages(MOVES, SOLVED, Reduction((first, second)), rest.moves)
    return Reduced(stages, prepare(MOVES, SOLVED, following, [rest]))


def after_all(state: Arrangement, alg: Sequence[int]) -> Arrangement:
    for move in alg:
        state = after(state, MOVES[move])
    return state


def searched(starts: Iterable[Arrangement], moves: Sequence[int]) -> dict[Arrangement, int]:
    """Return the distance of each state from some, by a search that shares nothing with the tables."""
    return distances(starts, lambda state: (after(state, MOVES[move]) for move in moves))


def test_every_state_is_solved_by_shorter_and_shorter_algs() -> None:
    search, source = reduced(), random.Random(7)
    for _ in range(20):
        state = after_all(SOLVED, [source.randrange(len(MOVES)) for _ in range(40)])
        algs, found = list[Sequence[int]](), search.search([SOLVED[::-1], state], 60)
        while len(algs) < 3 and (answer := found.improve(1 << 20)) is not None:
            root, alg = answer
            assert after_all([SOLVED[::-1], state][root], alg) == SOLVED
            assert found.at_least <= len(alg)
            algs.append(alg)
        assert algs
        assert all(len(one) > len(other) for one, other in itertools.pairwise(algs))


def test_the_number_of_threads_changes_no_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "_FEW", 1)  # otherwise one thread looks at all states of so small a puzzle
    search, state = reduced(), after_all(SOLVED, random.Random(3).choices(range(len(MOVES)), k=40))

    def solutions(workers: int) -> list[tuple[int, Sequence[int]]]:
        return list(iter(functools.partial(search.search([state], 60, workers).improve, 1 << 20), None))

    assert solutions(3) == solutions(1) != []


def test_tables_have_exact_distances() -> None:
    """Both tables are those of plain searches of all states, sets in one order and pairs in another."""
    problem = reduced().stages
    first, second = np.split(problem.distances, [problem.tables[1, 0]])
    counted: dict[frozenset[int], int] = {}
    for state, distance in searched(searched([SOLVED], EVERY), range(len(MOVES))).items():
        there = frozenset(point for point, disk in enumerate(state) if disk < 4)
        counted.setdefault(there, distance)
    assert sorted(first.tolist()) == sorted(counted.values())
    beside: dict[tuple[int, ...], int] = {}
    for state, distance in searched(searched([SOLVED], JOINED), EVERY).items():
        beside.setdefault(tuple(state.index(state[point] + 4) for point in range(4)), distance)
    assert second.tolist() == [beside[key] for key in sorted(beside)]


def test_a_sign_is_read_with_points_of_its_own() -> None:
    """Three moves exchange two disks; the sign of all is even after two of them, and the stage ends there."""
    swaps, solved = [bytes([1, 0, 2]), bytes([0, 2, 1]), bytes([1, 2, 0]), bytes([2, 0, 1])], bytes(range(3))
    sign = Places((3, 4), (frozenset({3}),))
    even = Reduction((Stage((0, 1, 2, 3), (sign,), ((0,),)),), ((0, 1, 2),))
    rest = Phase((2, 3), (Coordinate.of(range(3)),), ((0,),))
    search = Reduced(
        prepare_stages(swaps, solved, even, rest.moves), prepare(swaps, solved, [[0, 1, 2, 3]] * 5, [rest])
    )
    for state in itertools.permutations(range(3)):
        answer = search.search([bytes(state)], 9).improve()
        assert answer is not None
        assert len([move for move in answer[1] if move < 2]) == is_odd(state)


def test_a_packed_reduction_is_opened_again() -> None:
    search = reduced()
    body = packed(search.stages) + packed(search.phases)
    assert packed(opened_reduced(body).stages) + packed(opened_reduced(body).phases) == body


def test_stages_of_the_5x5x5_are_a_chain() -> None:
    """Each stage has moves of the one before, and every kind of piece is read by some stage."""
    stages = reduction(rules_named("5x5x5").definition).stages  # type: ignore[attr-defined]
    assert all(set(one.moves) > set(other.moves) for one, other in itertools.pairwise(stages))
    assert [len(stage.moves) for stage in stages] == [36, 28, 24, 20, 14]
    assert [len(stage.renamings) for stage in stages] == [0, 0, 2048, 495, 0]


@pytest.mark.exhaustive
def test_the_table_of_the_5x5x5_is_pinned() -> None:
    rules: Any = rules_named("5x5x5")
    body = rules.arrays(rules.phases_entry)
    assert len(body) == rules.phases_entry.header.entries
    assert hashlib.sha256(body).hexdigest() == rules.phases_entry.header.sha256


@pytest.mark.exhaustive
def test_random_states_of_the_5x5x5_are_solved_in_any_orientation() -> None:
    solver, source = puzzle("5x5x5"), random.Random(7)
    for held in ("", "x y", "z2", "y'"):
        state: Any = solver.random_state(source).apply(held)
        solution = solver.solve(state, max_length=USUAL_LENGTH_555)
        assert solution.length <= USUAL_LENGTH_555
        assert state.apply(solution).is_solved
    scramble = solver.scramble(random.Random(3))
    assert scramble == solver.scramble(random.Random(3))
    assert len(scramble.split()) <= USUAL_LENGTH_555

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
from cubesolve.catalog.nxnxn import NAMES, USUAL_LENGTHS
from cubesolve.catalog.nxnxn.stages import reduction
from cubesolve.definition.phases import Coordinate, Phase, Places, Reduction, Stage
from cubesolve.group.canonical import canonical
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, after, is_odd
from cubesolve.search import stages
from cubesolve.search.phases import prepare
from cubesolve.search.stage_tables import prepare_stages
from cubesolve.search.stages import Reduced, opened_reduced
from tests.distances import distances
from tests.subsets import only

# Two rings of four disks: turn both, exchange two neighbours of both or of one, and a disk with that beside it.
SOLVED = bytes(range(8))
TURN, BOTH = bytes([3, 0, 1, 2, 7, 4, 5, 6]), bytes([1, 0, 2, 3, 5, 4, 6, 7])
ONE, OTHER, ACROSS = bytes([1, 0, *range(2, 8)]), bytes([0, 1, 2, 3, 5, 4, 6, 7]), bytes([4, 1, 2, 3, 0, 5, 6, 7])
MOVES = [TURN, after(TURN, after(TURN, TURN)), BOTH, ONE, OTHER, ACROSS]
EVERY, JOINED = (0, 1, 2, 3, 4), (0, 1, 2)


def reduced() -> Reduced:
    """Stages for which disks of the first ring are on which points, and for the disks that are beside each other."""
    pairs = tuple(frozenset({disk, disk + 4}) for disk in range(4))
    first = Stage((*EVERY, 5), (Places(tuple(range(8)), (frozenset(range(4)),)),), ((0,),))
    second = Stage(EVERY, (Places(tuple(range(4)), pairs, tuple(range(4, 8))),), ((0,),))
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


@pytest.mark.parametrize(("width", "states"), [(20_480, 20), (8, 2)])
def test_every_state_is_solved_by_shorter_and_shorter_algs(
    monkeypatch: pytest.MonkeyPatch, width: int, states: int
) -> None:
    """Also if beams are so narrow that most are stuck, and others begin."""
    search, source = reduced(), random.Random(7)
    monkeypatch.setattr(stages, "_NARROWEST", width)
    monkeypatch.setattr(stages, "_STUCK", 1)
    for _ in range(states):
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
    """Three moves exchange two disks; the sign of all is even after two of them, and the stage ends there.

    Classes of two labels have the same sign, whichever label of each is there.
    """
    swaps, solved = [bytes([1, 0, 2]), bytes([0, 2, 1]), bytes([1, 2, 0]), bytes([2, 0, 1])], bytes(range(3))
    sign = Places((3, 4), (frozenset({3}),))
    of_all = Places((0, 1, 2), tuple(frozenset({label, label + 10}) for label in range(3)))
    even = Reduction((Stage((0, 1, 2, 3), (sign,), ((0,),)),), (of_all,))
    rest = Phase((2, 3), (Coordinate.of(range(3)),), ((0,),))
    search = Reduced(
        prepare_stages(swaps, solved, even, rest.moves), prepare(swaps, solved, [[0, 1, 2, 3]] * 5, [rest])
    )
    for state in itertools.permutations(range(3)):
        answer = search.search([bytes(state)], 9).improve()
        assert answer is not None
        assert len([move for move in answer[1] if move < 2]) == is_odd(state)
        others = bytes(label + 10 * (label == 1) for label in state)
        (row,) = search.search([others], 9)._with_signs(search.search([others], 9)._roots).tolist()
        assert row[3:] == ([4, 3] if is_odd(state) else [3, 4])


def entered(moves: Sequence[bytes], solved: bytes, reduced: Reduction, state: bytes) -> list[list[int]]:
    """Return the largest entry and the sum of all for each renaming of a state in the only stage."""
    rest = prepare(moves, solved, [[*range(len(moves))]] * 5, [Phase((0,), (Coordinate.alike({0}),), ((0,),))])
    search = stages.StagedSearch(prepare_stages(moves, solved, reduced, (0,)), rest, [state], 9)
    entries: list[list[int]] = search._enter(0, search._with_signs(search._roots))[1].tolist()
    return entries


def test_a_sign_without_classes_is_a_guess() -> None:
    """Labels that are alike have no sign, so it may be either, and each renaming has one."""
    sign = Places((3, 4), (frozenset({3}),))
    exchanged = bytes({3: 4, 4: 3}.get(label, label) for label in range(256))
    guessed = Stage((0, 1), (sign,), ((0,),), renamings=(bytes(range(256)), exchanged))
    moves, of_all = [bytes([1, 2, 0]), bytes([1, 0, 2])], Places((0, 1, 2), ())
    assert entered(moves, bytes(3), Reduction((guessed,), (of_all,)), bytes(3)) == [[0, 0], [1, 1]]


def test_sets_beside_each_other_are_compared() -> None:
    """Two rings of 24 disks turn, one of them alone; the entry is the number of places of which only one has a disk."""
    ring, few = [*range(1, 24), 0], frozenset(range(8))
    moves = [bytes([*ring, *(24 + point for point in ring)]), bytes([*ring, *range(24, 48)])]
    one, other = Places(tuple(range(24)), (few,)), Places(tuple(range(24, 48)), (frozenset(range(24, 32)),))
    disk = Places(tuple(range(24, 48)), (frozenset({24}),))
    reduced = Reduction((Stage((0, 1), (one, other, disk), ((2,),), ((0, 1),)),))
    for turns in range(24):
        state = bytes([*ring[turns:], *ring[:turns], *range(24, 48)])
        there = {point for point in range(24) if state[point] in few}
        assert entered(moves, bytes(range(48)), reduced, state) == [[len(there ^ few)] * 2]


def cube(name: str) -> tuple[Any, Reduction]:
    rules: Any = rules_named(name)
    return rules, reduction(rules.definition)


@pytest.mark.parametrize("name", NAMES[1:])
def test_stages_are_a_chain(name: str) -> None:
    """The stages of each layer end in the group of the next, in which its bars and joined edges move as a whole."""
    rules, reduced = cube(name)
    names = [move.name for move in rules.graph().definition_moves]
    widths = [
        {names[move].split("w")[0][:-1] for move in stage.moves if "w" in names[move]} for stage in reduced.stages
    ]
    if name == "5x5x5":
        assert widths == [{""}] * 5
        assert [len(stage.moves) for stage in reduced.stages] == [36, 28, 24, 20, 14]
        assert all(set(one.moves) > set(other.moves) for one, other in itertools.pairwise(reduced.stages))
    else:
        inner, both, outer = {"3"}, {"", "3"}, {""}
        assert widths == [both, both, outer, both, both, outer, both, inner, inner, inner, outer, outer, outer]
    renamings, of_layer = [len(stage.renamings) for stage in reduced.stages if stage.renamings], [2 * 2048, 2 * 495]
    assert renamings == (of_layer if name == "5x5x5" else [8, *of_layer, *of_layer])


@pytest.mark.parametrize("name", only({"6x6x6"}, NAMES[1:]))  # which has all that the others have but middle pieces
def test_tables_are_pinned_and_lead_to_the_solved_state(name: str) -> None:
    """Moves of the next stage leave all entries of a stage at 0, under one of its renamings."""
    (rules, reduced), source = cube(name), random.Random(name)
    body, entry = bytes(rules.arrays(rules.phases_entry)), rules.phases_entry
    assert len(body) == entry.header.entries
    assert hashlib.sha256(body).hexdigest() == entry.header.sha256
    opened, moves = opened_reduced(body), [move.effects[0].sources for move in rules.graph().definition_moves]
    for number, stage in enumerate(reduced.stages):
        later = reduced.stages[number + 1].moves if number + 1 < len(reduced.stages) else rules.phases[0].moves
        state = rules.definition.solved[0]
        for move in source.choices([move for move in later if move in stage.moves], k=40):
            state = after(state, moves[move])
        search = opened.search([state], 9)
        _, entries = search._enter(number, search._with_signs(search._roots))
        assert entries[:, 1].min() == 0
    state = rules.definition.solved[0]
    for move in source.choices(range(len(moves)), k=300):
        state = after(state, moves[move])
    answer = opened.search([state], USUAL_LENGTHS[name]).improve()
    assert answer is not None
    assert len(answer[1]) <= USUAL_LENGTHS[name]
    for number in answer[1]:
        state = after(state, moves[number])
    assert state == rules.definition.solved[0]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "usual"), [(name, USUAL_LENGTHS[name]) for name in NAMES])
def test_random_states_are_solved_in_any_orientation(name: str, usual: int) -> None:
    solver, source = puzzle(name), random.Random(7)
    for held in ("", "x y", "z2", "y'"):
        state: Any = solver.random_state(source).apply(held)
        solution = solver.solve(state, max_length=usual)
        assert solution.length <= usual
        assert state.apply(solution).is_solved
    scramble = solver.scramble(random.Random(3))
    assert scramble == solver.scramble(random.Random(3))
    assert len(scramble.split()) <= usual

"""Rubik's Clock, compared with dictionary searches, published numbers, and another program."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import cubesolve
from cubesolve.ask import Puzzle
from cubesolve.catalog.clock.dials import CORNERS, CROSS, ClockState, parse
from cubesolve.catalog.clock.dials import PINS as NUMBERED
from cubesolve.catalog.clock.optimal import ALL_CORNERS, UNKNOWN, VECTORS, all_ways, fewest, sums, ways
from cubesolve.errors import InvalidStateError, SearchLimitError
from cubesolve.picture.render import picture_svg
from cubesolve.picture.scenes import Point, middle
from tests.chance import agrees
from tests.facts import DATA
from tests.patience import PATIENCE

FACTS = json.loads((DATA / "clock.json").read_text())


@pytest.fixture(scope="module")
def clock() -> Puzzle[ClockState]:
    return cubesolve.puzzle("clock")


# -- Notation ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("alg", "hours"), FACTS["cubing"]["algs"] + FACTS["pins"]["algs"])
def test_algs_are_applied_as_by_another_program(clock: Puzzle[ClockState], alg: str, hours: list[int]) -> None:
    view: Any = clock.rules.view
    state = view.read(alg)
    assert [*state.hours[:9], *state.back] == hours
    assert [int(hour) % 12 for hour in re.findall(r"\d+", str(state))] == hours
    assert ClockState.of(str(state)) == view.read(str(state)) == state
    assert state.apply(view.invert(alg)).is_solved
    assert " ".join(view.split(alg)) == " ".join(view.split(" ".join(view.split(alg))))
    picture = view.picture(state)
    rows = [hours[first + 9 * side : first + 9 * side + 3] for first in (0, 3, 6) for side in (0, 1)]
    assert [int(word) % 12 for word in picture.text().split()] == [hour for row in rows for hour in row]
    assert (picture_svg(picture) or "").count("<path") == 4


def test_the_bounds_of_states_are_their_depths() -> None:
    clock = cubesolve.puzzle("clock")
    states = [clock.random_state(1), "UR1+ DL2-", "no clock", ""]
    found = clock.bounds(states, invalid="mask", memory=1_000_000)
    assert found.tolist() == [[clock.depth(states[0])], [2], [255], [0]]
    with pytest.raises(InvalidStateError):
        clock.bounds(states)


def test_spellings_of_algs_and_states(clock: Puzzle[ClockState]) -> None:
    assert clock.parse("(UR1+ y2)2") == clock.parse("UR1+ y2 UR1+ y2'")
    assert clock.parse("UR1+ y2 U2- UR DL ") == clock.parse("UR1+ y2 U2-")
    for given_text in (ClockState(), "", "ALL12+"):
        assert clock.solve(given_text) == ""
    wrong: Sequence[Any] = (3, [], [1, 2], ["UR1+"])
    for each in wrong:
        with pytest.raises(InvalidStateError, match=r"expected a state or text, not (int|list)"):
            clock.depth(each)


# -- Answers -----------------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_depths_are_those_of_a_dictionary_and_published(clock: Puzzle[ClockState]) -> None:
    moves = [
        ClockState().apply(f"{around}{name}{hours}+{around}").hours
        for name in NUMBERED
        for hours in range(1, 12)
        for around in ("", " y2 ")
    ]
    depths = {ClockState().hours: 0}
    for depth in (1, 2):
        states = np.array([each for each, known in depths.items() if known == depth - 1])
        sums = (states[:, None] + np.array(moves)) % 12
        for there in map(tuple, sums.reshape(-1, len(moves[0])).tolist()):
            depths.setdefault(there, depth)
    assert [*Counter(depths.values()).values()] == FACTS["distribution"][:3]
    assert list(clock.distribution()) == FACTS["distribution"]
    assert sum(FACTS["distribution"]) == clock.states == 12**14
    rng = random.Random(1)
    for hours in rng.sample([*depths], 30):
        assert clock.depth(ClockState(hours)) == depths[hours]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("scramble", "slack"), [("UR3+", 2), ("U3+ y2 dr2-", 1)])
def test_longer_solutions_are_those_of_a_dictionary(clock: Puzzle[ClockState], scramble: str, slack: int) -> None:
    """All sets of moves with different pins are listed, each in one order, unless its first moves solve the state."""
    moves = [(around, name, hours) for around in ("", " y2 ") for name in NUMBERED for hours in range(1, 12)]
    made: list[tuple[int, ...]] = [
        ClockState().apply(f"{around}{name}{hours}+{around}").hours for around, name, hours in moves
    ]
    number_of = {hours: number for number, hours in enumerate(made)}
    state = clock.parse(scramble)
    wanted = tuple(-hours % 12 for hours in state.hours)
    nothing: tuple[int, ...] = (0,) * 14

    def added(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
        return tuple((a + b) % 12 for a, b in zip(first, second, strict=True))

    def ends_where_it_solves(way: tuple[int, ...]) -> bool:
        return wanted not in itertools.accumulate((made[each] for each in way[:-1]), added, initial=nothing)

    depth, listed = clock.depth(state), list(clock.solutions(state, slack=slack))
    expected = set[tuple[int, ...]]()
    for length in range(depth, depth + slack + 1):
        all_few = [*itertools.combinations(range(len(moves)), length - 1)]
        sums = np.array(made)[np.array(all_few, np.int64).reshape(len(all_few), length - 1)].sum(axis=1)
        for few, left in zip(all_few, ((np.array(wanted) - sums) % 12).tolist(), strict=True):
            way = (*few, number_of.get(tuple(left), -1))
            if way[-1] > max(few, default=-1) and len({moves[each][:2] for each in way}) == length:
                expected.add(way)
    assert {way for way in expected if ends_where_it_solves(way)} == {numbers_of(alg, moves) for alg in listed}
    assert len(listed) == len(set(listed))
    assert all(state.apply(alg).is_solved for alg in listed)
    assert clock.solve(state) == listed[0]
    lengths = [alg.count("+") + alg.count("-") for alg in listed]
    assert lengths == sorted(lengths)
    assert (
        listed[: clock.count_solutions(state)]
        == list(clock.solutions(state))
        == list(clock.solutions(state, slack=slack, max_depth=depth))
    )


def numbered(hours: list[int]) -> tuple[int, int]:
    """Return the cross and the corners of hours in the order of `VECTORS`."""
    text = "".join("0123456789ab"[hour % 12] for hour in hours)
    return int(text[:5], 12), int(text[5:], 12)


@pytest.mark.parametrize(("moves", "number"), [(0, 0), (1, 1), (2, 0), (3, 1), (4, 10), (5, 59), (6, 70)])
def test_ways_are_listed_in_two_manners(moves: int, number: int) -> None:
    """Pairs of sums and free choices of six moves find the same ways of a single move, however many moves they have."""
    cross, corners = numbered([5 * dial for dial in VECTORS[3].tolist()])
    found = list(ways(cross, corners, moves))
    assert len(found) == len(set(found)) == number
    assert found == sorted(all_ways(cross, corners, moves))


def numbers_of(alg: str, moves: list[tuple[str, str, int]]) -> tuple[int, ...]:
    """Return the numbers of the moves of an alg."""
    front, _, back = map(parse, alg.partition("y2"))
    turns = [*(("", turn) for turn in front), *((" y2 ", turn) for turn in back)]
    return tuple(moves.index((around, turn.name, turn.hours)) for around, turn in turns)


def test_fewest_moves_of_a_side_are_those_of_all_sums() -> None:
    assert [len(sums(moves).corners) for moves in range(4)] == [math.comb(15, n) * 11**n for n in range(4)]
    rng = random.Random(3)
    order = [*CROSS, *CORNERS]
    vectors = np.array([[ClockState().apply(f"{name}1+").hours[dial] for dial in order] for name in NUMBERED])
    assert vectors.tolist() == VECTORS.tolist()
    chosen = rng.sample(range(15), 5)
    cross, corners = numbered((sum(rng.randrange(1, 12) * vectors[move] for move in chosen) % 12).tolist())
    known = np.full(ALL_CORNERS, UNKNOWN, np.uint8)
    for moves in range(6):
        fewest(cross, moves, known)
    lengths = [moves for moves in range(6) if any(all_ways(cross, corners, moves))]
    assert known[corners] == min(lengths)
    for made in itertools.islice(ways(cross, corners, min(lengths)), 20):
        assert numbered((sum(hours * vectors[move] for move, hours in made) % 12).tolist()) == (cross, corners)


def test_random_states_are_uniform(clock: Puzzle[ClockState]) -> None:
    """Each dial shows each hour equally often."""
    rng = random.Random(7)
    drawn = [re.findall(r"\d+", str(clock.random_state(rng))) for _ in range(300)]
    for dials in zip(*drawn, strict=True):
        assert agrees(Counter(map(int, dials)), dict.fromkeys(range(1, 13), 1 / 12))
    assert len(set(map(tuple, drawn))) == 300


def test_random_states_are_solved(clock: Puzzle[ClockState]) -> None:
    rng = random.Random(5)
    for _ in range(2):
        state = clock.random_state(rng)
        alg = clock.solve(state)
        made = [word for word in alg.split() if word != "y2"]
        assert len(made) == alg.at_least == clock.rules.view.count(alg)
        assert state.apply(alg).is_solved
        assert clock.depth(state.apply("y2")) == alg.at_least
        assert clock.parse(clock.alg(state)) == state
        assert clock.depth(state.apply(made[0])) == alg.at_least - 1
    assert clock.optimal_moves("UR3+ y2 U1+") == ["U1-", "y2"]
    other = clock.random_state(rng)
    assert state.apply(clock.path(state, other, timeout=PATIENCE)) == other
    assert clock.path(state, state.apply("y2")) == "y2"
    assert clock.depth(state, state.apply("UL3+ y2 R2+")) == 2


def test_targets_are_reached_however_they_are_held(clock: Puzzle[ClockState]) -> None:
    for target in ("UR3+", "y2 UR3+ y2"):  # of the two ends, the other one is farther than the limit
        assert clock.depth("UR1+", target, max_depth=2) == clock.depth("", target, max_depth=1) == 1
    assert [*clock.solutions("UR3+", "", slack=1)] == [*clock.solutions("UR3+", slack=1)] == ["UR3-"]  # one end


def test_limits_and_scrambles(clock: Puzzle[ClockState]) -> None:
    state = clock.random_state(2)
    with pytest.raises(SearchLimitError) as caught:
        clock.depth(state, max_depth=3)
    assert caught.value.at_least > 3
    with pytest.raises(SearchLimitError):
        clock.depth(state, timeout=0)
    with pytest.raises(ValueError, match="slack"):
        clock.solutions(state, slack=-1)
    assert clock.scramble(3) == SCRAMBLE


SCRAMBLE = "UR3+ DR3- DL4- UL2+ U5+ R3- D5- L2- ALL3- y2 U1+ R3- D0+ L5- ALL4+"


def test_scrambles_lead_to_every_state_once() -> None:
    names = [word.rstrip("0123456789+-") for word in SCRAMBLE.split() if word != "y2"]
    assert len(names) == 14
    moves = [f"{'' if number < 9 else 'y2 '}{name}1+ y2" for number, name in enumerate(names)]
    columns = [ClockState().apply(move).apply("y2" if number >= 9 else "").hours for number, move in enumerate(moves)]
    determinant = round(np.linalg.det(np.array(columns) - 12 * (np.array(columns) > 6)))
    assert math.gcd(determinant, 12) == 1


def test_pins_come_out_on_the_face_in_front(clock: Puzzle[ClockState]) -> None:
    scene, motion = clock.rules.view.scene(ClockState()), clock.rules.view.motion(ClockState(), "R3+")
    assert scene is not None
    out = defaultdict[Point, list[Point]](list)
    for each in motion.also:
        if any(each.out):
            out[each.out] += [point for part in scene.parts if each.takes(point := middle(part))]
    # The face in front is the upper one of the copy on the left, the lower one of the other, where the columns change.
    places = {way[1] > 0: [(float(x), float(z)) for x, _, z in points] for way, points in out.items()}
    assert places == {True: [(-2.4, -1), (-2.4, 1)], False: [(2.4, -1), (2.4, 1)]}
    assert all(point[1] * way[1] > 0 for way, points in out.items() for point in points)

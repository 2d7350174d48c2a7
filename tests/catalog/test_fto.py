"""The face-turning octahedron, compared with another implementation and with computed numbers."""

from __future__ import annotations

import itertools
import math
import random
import threading
from collections import Counter
from typing import Any

import pytest

from cubesolve import SearchLimitError, UnsolvableStateError, puzzle
from cubesolve.group.permutations import after
from cubesolve.practice.trainers import setups, step_scrambles
from cubesolve.solvers import derived as solvers_derived
from cubesolve.solvers import phased
from tests.chance import agrees, cycles
from tests.distances import distances
from tests.facts import FTO
from tests.subsets import later

TRIPLES = ("F BL' F' BL F' BR F BR'", "F' BR F BR BL BR BL'", "F BR' F D' BL D BR' BL' BR BL BR D' BL' D F")
"""Algs that move pieces of the last three triples only."""
EDGE = 6 * 4 + 5 * 2  # the first sticker of the edge FD
LETTERS = {"BL": "l", "BR": "r"}


@pytest.fixture(scope="module")
def fto() -> Any:
    return puzzle("fto")


def test_moves_are_those_of_another_implementation(fto: Any) -> None:
    definition = fto.rules.definition
    faces = "".join(name for orbit in definition.orbits for name in orbit.names)  # of each point
    sources = {LETTERS.get(name, name): effects[0].sources for name, effects in definition.generators.items()}
    moved = [
        frozenset(face for face, source in sources.items() if source[point] != point) for point in range(len(faces))
    ]
    points = {(face, by): point for point, (face, by) in enumerate(zip(faces, moved, strict=True))}
    order = [points[own, frozenset(by)] for own, by in (each.split(":") for each in FTO["stickers"].split())]
    assert sorted(order) == list(range(72))
    for alg, stickers in FTO["states"].items():
        state = fto.parse(alg).arrangement
        assert "".join(faces[definition.solved[0].index(state[point])] for point in order) == stickers


def test_two_alike_centres_may_change_places(fto: Any) -> None:
    corners, edges, some, others = str(fto.parse("")).split(" ; ")
    swapped = some.replace("U U U F F F", "F U U U F F")
    assert fto.parse(f"{corners} ; {edges} ; {swapped} ; {others}") != fto.parse("")
    assert fto.rules.graph().reach.may_have(fto.parse(f"{corners} ; {edges} ; {swapped} ; {others}").arrangement)


def test_a_search_without_a_time_limit_ends(fto: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The phases have no solution so short, and only few moves are ruled out."""
    monkeypatch.setattr(phased, "_MOST_NODES", 1 << 10)
    monkeypatch.setattr(solvers_derived, "ALGS_IN_SECONDS", 1 << 10)
    with pytest.raises(SearchLimitError, match=r"in 20 moves within seconds \(a time limit .*: at least 3 moves"):
        fto.solve(fto.random_state(3), max_length=20)


def test_short_solutions(fto: Any) -> None:
    state = fto.random_state(3)
    for given in (state, str(state), state.apply("Uv Fv")):
        solution = fto.solve(given, max_length=32)
        assert solution.length <= 32
        assert fto.parse(str(given)).apply(solution).is_solved
        assert 2 <= solution.at_least <= solution.length
    with pytest.raises(SearchLimitError, match="after 0 s"):
        fto.solve(state, max_length=20, timeout=0)
    with pytest.raises(UnsolvableStateError):
        fto.solve(str(state.apply("U")).replace(" UR", " RU").replace("; UR", "; RU"), max_length=40)


# -- Steps -------------------------------------------------------------------------------------------------------------


def test_steps_have_exact_tables_where_they_fit(fto: Any) -> None:
    assert tuple(fto.towards("corners").distribution()) == (1, 16, 208, 1764, 6439, 2957, 135)
    assert fto.towards("edges").states == math.factorial(12) // 2


@pytest.mark.parametrize("most", [3, later(5)])
def test_corners_and_edges_are_as_many_as_published(fto: Any, most: int) -> None:
    step = fto.towards("corners-edges")
    facts = FTO["corners and edges"]
    assert step.states == 12 * facts["states"]  # held in one of twelve orientations
    changes = [move.effects[0].sources for move in step.rules.definition.moves()]
    before, level = set[Any](), {step.rules.definition.solved[0]}
    for states in facts["distribution"][:most]:
        assert len(level) == states
        reached = {after(place, change) for place in level for change in changes}
        before, level = level, reached - before - level
    assert len(level) == facts["distribution"][most]


def test_each_step_of_a_method_continues_the_one_before(fto: Any) -> None:
    goals = fto.rules.view.goals
    solved = [goals[name][0].points for name in ("fc", "f2t", "sc", "l2c", "lbt")]
    # Three edges and three centres; two triples; as before; the centres of two faces with six edges; a triple.
    assert list(map(len, solved)) == [3 * 2 + 3, 21, 30, 48, 54]
    assert all(one < other for one, other in itertools.pairwise(solved))


def test_states_at_a_depth_of_a_step(fto: Any) -> None:
    """A step of pieces that look alike is drawn from states in which it is solved, in the orientation of the puzzle."""
    step = fto.towards("lbt")
    for depth in (0, 3):
        (alg,) = step_scrambles(fto, 1, 3, goal="lbt", depth=depth)
        assert step.depth(fto.parse(alg)) == depth


def test_scrambles_keep_the_orientation(fto: Any) -> None:
    states = [fto.random_state(seed) for seed in range(5)]
    assert [fto.parse(alg) for alg in setups(fto, states)] == states


def test_last_three_triples(fto: Any) -> None:
    """Algs make 4,320 states of the last layer, with D turned in three ways; the cases list them with D at home."""
    cases = fto.cases("l3t")
    assert len(cases) == 180
    assert Counter(case.states for case in cases) == {9: 153, 3: 18, 1: 9}
    assert sum(case.probability for case in cases) == 1
    changes = [fto.rules.definition.apply(bytes(range(72)), fto.rules.view.parse(alg)) for alg in ("D", *TRIPLES)]
    solved = fto.rules.definition.solved[0]
    reached = distances([solved], lambda place: (after(place, change) for change in changes))
    assert len(reached) == 4320
    at_home = [place for place in reached if place[EDGE] == solved[EDGE]]
    assert len(at_home) == sum(case.states for case in cases) == len({cases.states.seen(place) for place in at_home})
    assert all(cases.find(fto.rules.view.state(place)) in cases for place in at_home[::40])


def test_a_case_is_the_same_from_three_sides(fto: Any) -> None:
    cases = fto.cases("l3t")
    for alg in (TRIPLES[0], f"{TRIPLES[1]} {TRIPLES[0]}"):
        assert len({cases.find(given).number for given in (alg, f"D {alg} D'", f"Uv {alg} Uv'")}) == 1


def test_corners_of_random_states_are_uniform(fto: Any) -> None:
    source = random.Random(20260101)
    drawn = [fto.random_state(source).pattern["CORNERS"] for _ in range(250)]
    turned = Counter(tuple(corners["orientation"][1:-1]) for corners in drawn)
    assert agrees(turned, dict.fromkeys(itertools.product((0, 2), repeat=4), 1 / 16))
    assert all(sum(corners["orientation"]) % 4 == 0 for corners in drawn)
    # One corner is always at home, which determines the orientation of the puzzle; the others are permuted evenly.
    shares = {(1, 1, 1, 1, 1, 1): 1 / 60, (3, 1, 1, 1): 20 / 60, (2, 2, 1, 1): 15 / 60, (5, 1): 24 / 60}
    assert agrees(Counter(cycles(corners["pieces"]) for corners in drawn), shares)


def test_an_alg_leads_to_any_state(fto: Any) -> None:
    start, target = fto.random_state(1), fto.random_state(2)
    way = fto.path(start, target, max_length=62)
    assert start.apply(way) == target
    assert way.length <= 62
    cancel = threading.Event()
    found = fto.improvements(start, target, cancel=cancel)
    first = next(found)
    cancel.set()
    with pytest.raises(SearchLimitError, match="moves found, at least") as caught:
        list(found)
    assert caught.value.solution == first
    assert start.apply(first) == target

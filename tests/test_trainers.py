"""Scrambles for practising a step."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any, NoReturn

import pytest

from cubesolve import Puzzle, SearchLimitError, TooLargeError, puzzle
from cubesolve.definition.goals import fulfils
from cubesolve.definition.view import DefinedView
from cubesolve.practice import trainers
from cubesolve.practice.trainers import case_scrambles, step_scrambles
from cubesolve.solvers.goals import GoalSolver
from cubesolve.spaces import variants
from tests.chance import agrees
from tests.commands import printed
from tests.distances import distances

DUO = puzzle("pyraminx-duo")
DUO_CORNERS = "U L R B ; * * * *"
DUO_CENTRES = "* * * * ; -U -L -R -B"


def all_states(whole: Puzzle[Any]) -> list[Any]:
    """Return all states of a small puzzle."""
    after = whole.rules.view.after
    return list(distances([whole.parse("")], lambda state: (after(state, move) for move in whole.moves)))


@pytest.mark.parametrize(
    ("question", "at"),
    [
        ({"goal": DUO_CORNERS, "depth": 1}, (1, None)),
        ({"goal": DUO_CORNERS, "depth": 0}, (0, None)),
        ({"solved": DUO_CENTRES}, (None, 0)),
        ({"solved": DUO_CENTRES, "goal": DUO_CORNERS, "depth": 2}, (2, 0)),
    ],
)
def test_states_are_uniform(question: dict[str, Any], at: tuple[int | None, int | None]) -> None:
    corners, centres = DUO.towards(DUO_CORNERS), DUO.towards(DUO_CENTRES)
    expected = {
        state
        for state in all_states(DUO)
        if at[0] in {None, corners.depth(state)} and at[1] in {None, centres.depth(state)}
    }
    number = 12 * len(expected)
    drawn = Counter(DUO.parse(alg) for alg in step_scrambles(DUO, number, 7, **question))
    assert set(drawn) == expected
    assert len(expected) == 1 or agrees(drawn, dict.fromkeys(expected, 1 / len(expected)))


def test_states_near_one_of_several_goals_are_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some are as near to both goals, which a rotation makes of one another."""
    monkeypatch.setattr(variants, "_is_small", lambda *_: False)
    topspin, goal = puzzle("topspin-6-3"), "1 2 * * * *|* 2 3 * * *"
    expected = [state for state in all_states(topspin) if topspin.towards(goal).depth(state) == 1]
    drawn = Counter(topspin.parse(alg) for alg in step_scrambles(topspin, 300, 7, goal=goal, depth=1))
    assert agrees(drawn, dict.fromkeys(expected, 1 / len(expected)))


def test_states_without_a_table_are_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    """States that random algs solve."""
    corners = DUO.towards(DUO_CORNERS)
    expected = {corners.write(state, "pieces") for state in all_states(DUO) if corners.depth(state) == 2}
    monkeypatch.setattr(GoalSolver, "has_table", lambda *_: False)
    monkeypatch.setattr(GoalSolver, "_number", lambda *_: None)
    algs = [corners.scramble(source, depth=2) for source in map(random.Random, range(300))]
    assert {len(alg.split()) for alg in algs} == {2}
    seen = Counter(DUO.write(DUO.parse(alg), "pieces").split(";")[0] for alg in algs)
    assert set(seen) == {text.split(";")[0] for text in expected}
    assert agrees(seen, dict.fromkeys(seen, 1 / len(seen)))


@pytest.mark.parametrize("goal", ["* * 2 1", "2 * * *"])
def test_a_step_that_the_solved_state_does_not_fulfil_has_the_depth(goal: str) -> None:
    pancakes = puzzle("pancake-4")
    towards = pancakes.towards(goal)
    for depth in range(len(towards.distribution())):
        algs = step_scrambles(pancakes, 5, 1, goal=goal, depth=depth)
        assert {towards.depth(pancakes.parse(alg, "alg")) for alg in algs} == {depth}


@pytest.mark.exhaustive
def test_depths_without_a_table() -> None:
    slot = puzzle("rubik").towards("last-slot-FR")
    for depth in (0, 5, 8):
        alg = slot.scramble(7, depth=depth)
        assert slot.depth(puzzle("rubik").parse(alg, "alg")) == len(alg.split()) == depth
    with pytest.raises(TooLargeError, match="more than can be enumerated"):
        slot.scramble(7, depth=14)


def test_a_limit_has_no_bound_of_a_state_that_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(*_: object) -> NoReturn:
        raise SearchLimitError(6, "after 60 s")

    monkeypatch.setattr(trainers, "_is_at_depth", end)
    pyraminx = puzzle("pyraminx")
    for drawing in (
        step_scrambles(DUO, 1, 7, goal=DUO_CORNERS, depth=2, solved=DUO_CENTRES),
        case_scrambles(pyraminx, pyraminx.cases("l3e"), 1, 7, depth=2),
    ):
        with pytest.raises(SearchLimitError, match=r"^not answered after 60 s$"):
            next(drawing)


@pytest.mark.parametrize(
    ("name", "solved", "included"),
    [("rubik", step, [step]) for step in ("last-slot-BR", "oll", "eo-any")] + [("fto", "sc", ["fc", "f2t", "sc"])],
)
def test_solved_steps(name: str, solved: str, included: list[str]) -> None:
    """States with a step solved are drawn from the subgroup that fixes it, and the other pieces are random."""
    whole = puzzle(name)
    view = whole.rules.view
    assert isinstance(view, DefinedView)
    algs = list(step_scrambles(whole, 2, 7, solved=solved))
    assert len(set(algs)) == 2
    for alg, step in itertools.product(algs, included):
        assert fulfils(view.oriented(whole.parse(alg, "alg")), view.goals_named(step))


def test_command() -> None:
    command = ("scramble", "--puzzle", "pyraminx-duo", "--seed", "7")
    found = printed(*command, "--goal", DUO_CORNERS, "--depth", "2", "--random-rest", "-n", "3")
    assert found.splitlines() == list(step_scrambles(DUO.name, 3, 7, goal=DUO_CORNERS, depth=2))
    assert printed(*command, "--solved", DUO_CENTRES).splitlines() == [*step_scrambles(DUO, 1, 7, solved=DUO_CENTRES)]


@pytest.mark.exhaustive
def test_steps_made_with_the_moves_that_keep_another() -> None:
    """Random states of a domino reduction, at a depth in its moves."""
    rubik = puzzle("rubik")
    reduced, domino = rubik.towards("dr"), rubik.restrict("U D R2 L2 F2 B2").towards("htr")
    for alg in step_scrambles(rubik, 2, 7, solved="dr", goal="htr", depth=9):
        state = rubik.parse(alg, "alg")
        assert (reduced.depth(state), domino.depth(state)) == (0, 9)

"""Rolling cubes with six colours: what a search by single faces finds is what the whole space says."""

from __future__ import annotations

import random

import pytest

from cubesolve import lookup, rolling
from cubesolve.catalog.rolling.faces import FACES, face_of, goal_of
from cubesolve.catalog.rolling.goal import Goal
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.errors import SearchLimitError, UnsolvableStateError
from cubesolve.lookup import trays


@pytest.fixture
def by_faces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trays, "_MOST_WHOLE", 0)
    monkeypatch.setattr(trays, "_NEAR", 10)


def _random_tray(like: Tray, source: random.Random) -> Tray:
    return Tray.unrank(source.randrange(like.shape.states(like.plus)), like.plus, like.shape)


def _solutions(tray: Tray, goal: str) -> list[str]:
    try:
        found = list(lookup.solutions(tray, goal, model="full"))
    except UnsolvableStateError:
        return []
    assert lookup.count_solutions(tray, goal, model="full") == len(found)
    assert lookup.solve(tray, goal, model="full") == found[0]
    assert lookup.depth(tray, goal, model="full") == len(found[0])
    return found


def test_faces_roll_along_and_tell_everything() -> None:
    source = random.Random(2)
    start = Tray.start((1, 1), 2, 2, "full")
    seen = set()
    for _ in range(2000):
        tray = _random_tray(start, source)
        for direction, rolled in tray.rolls():
            for number in range(len(FACES)):
                assert face_of(tray, number).roll(direction) == face_of(rolled, number)
        seen.add((tray, (face_of(tray, 0), face_of(tray, 1))))
    assert len({two for _, two in seen}) == len({tray for tray, _ in seen})


@pytest.mark.usefixtures("by_faces")
def test_every_tray_has_its_depth() -> None:
    goal = Tray("UR LB FU/FD UL .", "full")
    found = rolling.enumerate(goal)
    source = random.Random(4)
    for _ in range(40):
        tray = _random_tray(goal, source)
        assert lookup.depth(tray, goal) == found.depth(tray)
        assert tray.apply(lookup.solve(tray, goal)) == goal


@pytest.mark.parametrize(
    "goal",
    ["U**/.**", "***/*F*", *(pytest.param(each, marks=pytest.mark.exhaustive) for each in ("UR * */* . *", "F**/*UR"))],
)
def test_goals_that_allow_several_things(goal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, start = random.Random(goal), Tray.start((2, 2), 2, 3, "full")
    states = [_random_tray(start, source) for _ in range(10)]
    expected = [_solutions(tray, goal) for tray in states]
    assert any(expected)
    monkeypatch.setattr(trays, "_MOST_WHOLE", 0)
    monkeypatch.setattr(trays, "_NEAR", 10)
    assert [_solutions(tray, goal) for tray in states] == expected
    parsed = Goal.parse(goal, "full")
    for tray in states:
        fits = [goal_of(parsed, number).matches(face_of(tray, number)) for number in range(len(FACES))]
        assert all(fits) or not parsed.matches(tray)


def test_a_tray_of_nine_cells_is_solved_from_anywhere_to_anywhere() -> None:
    source = random.Random(6)
    goal = Tray.start((1, 1), model="full")
    for end in (goal, _random_tray(goal, source)):
        tray = end
        for _ in range(36):
            tray = source.choice([rolled for _, rolled in tray.rolls()])
        alg = lookup.solve(tray, end)
        assert tray.apply(alg) == end
        assert len(alg) == lookup.depth(tray, end) <= 36
        assert len(alg) % 2 == 0
        back = lookup.depth(end, tray)
        assert back == len(alg)


def test_limits_and_what_cannot_be() -> None:
    goal = Tray.start((1, 1), model="full")
    tray = _random_tray(goal, random.Random(8))
    depth = lookup.depth(tray, goal)
    with pytest.raises(SearchLimitError) as caught:
        lookup.depth(tray, goal, max_depth=depth - 1)
    assert depth - 1 <= caught.value.at_least - 1 <= depth
    with pytest.raises(SearchLimitError):
        lookup.depth(tray, goal, timeout=0)
    with pytest.raises(UnsolvableStateError):
        lookup.depth(tray, "UR UR UL/. UR UR/UR UR UR", model="full")

"""Rolling cubes: searches with tables of single faces, corners and lines agree with the whole space."""

from __future__ import annotations

import random
from pathlib import Path
from unittest.mock import Mock

import pytest

from cubesolve import lookup
from cubesolve.catalog.rolling import searching
from cubesolve.catalog.rolling import solver as trays
from cubesolve.catalog.rolling.goal import ON_CORNERS, ON_FACES, ON_LINES, Goal, Mark
from cubesolve.catalog.rolling.tray import Tray, invert_rolls
from cubesolve.errors import SearchLimitError, UnsolvableStateError
from cubesolve.store import build
from tests.subsets import later
from tests.trays import enumerated


def _search_by(model: str, marks: tuple[Mark, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the searches without marks, and all other marks."""
    monkeypatch.setattr(trays, "_NEAR", 10)
    monkeypatch.setattr(trays, "_FEW", 10)
    monkeypatch.setattr(trays, "_FOLLOWED", {model: [(marks, 1 << 26)]})
    assert trays._marks(Tray.start((1, 1), 2, 3, model), 1 << 31) == marks


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


@pytest.mark.parametrize(
    ("model", "marks"),
    [later("full", ON_FACES), later("full", ON_CORNERS), ("axis", ON_LINES)],
    ids=["faces", "corners", "lines"],
)
def test_every_tray_has_its_depth(model: str, marks: tuple[Mark, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    _search_by(model, marks, monkeypatch)
    goal = Tray("UR LB FU/FD UL ." if model == "full" else "WB RB WB/BR WR .", model)
    found = enumerated(goal)
    source = random.Random(4)
    for _ in range(3):
        tray = _random_tray(goal, source)
        assert lookup.depth(tray, goal) == found.depth(tray)
        assert tray.apply(lookup.solve(tray, goal)) == goal


@pytest.mark.exhaustive
@pytest.mark.parametrize("goal", ["***/*F*", "U**/.**", "UR * */* . *", "F**/*UR"])
def test_goals_that_allow_several_things(goal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, start = random.Random(goal), Tray.start((2, 2), 2, 3, "full")
    states = [_random_tray(start, source) for _ in range(2)]
    expected = [_solutions(tray, goal) for tray in states]
    assert any(expected)
    parsed = Goal.parse(goal, "full")
    for marks in (ON_FACES, ON_CORNERS):
        _search_by("full", marks, monkeypatch)
        assert [_solutions(tray, goal) for tray in states] == expected
        for tray in states:
            fits = [mark.of_goal(parsed).matches(mark.of_tray(tray)) for mark in marks]
            assert all(fits) or not parsed.matches(tray)


@pytest.mark.parametrize("goal", [Tray.start((1, 1), model="full"), Tray.start((2, 2), 3, 4, "axis")])
def test_a_large_tray_is_solved_from_anywhere_to_anywhere(goal: Tray) -> None:
    source = random.Random(6)
    for end in (goal, _random_tray(goal, source)):
        tray = end
        for _ in range(36):
            tray = source.choice([rolled for _, rolled in tray.rolls()])
        alg = lookup.solve(tray, end)
        assert tray.apply(alg) == end
        assert lookup.depth(end, tray) == lookup.depth(tray, end) == len(alg) <= 36
        assert len(alg) % 2 == 0


def test_tables_of_either_end_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    _search_by("full", ON_CORNERS, monkeypatch)
    monkeypatch.setattr(trays.mark_solver, "_make", make := Mock(wraps=trays.mark_solver._make))
    trays.mark_solver.cache_clear()
    source, start = random.Random(12), Tray.start((1, 1), 2, 3, "full")
    ends = [_random_tray(start, source) for _ in range(3)]
    found = enumerated(start)
    from_start = [list(lookup.solutions(start, end)) for end in ends]
    for end, each in zip(ends, from_start, strict=True):
        assert {len(alg) for alg in each} == {found.depth(end)}
        assert all(start.apply(alg) == end for alg in each)
        assert each == sorted(each, key=lambda alg: ["UDLR".index(roll) for roll in alg])
        assert sorted(map(invert_rolls, lookup.solutions(end, start))) == sorted(each)
        assert lookup.solve(start, end) == each[0]
        assert lookup.count_solutions(start, end) == len(each)
        assert lookup.optimal_moves(start, end) == list(dict.fromkeys(alg[0] for alg in each))
    assert [call.args[0] for call in make.call_args_list] == [Goal.only(start)]
    other = lookup.solve(ends[0], ends[1])  # no tables of either end
    back = list(lookup.solutions(ends[1], ends[0]))  # those of its start
    assert [call.args[0] for call in make.call_args_list] == [Goal.only(start), Goal.only(ends[1])]
    trays.mark_solver.cache_clear()
    assert (lookup.solve(ends[1], ends[0]), lookup.solve(ends[0], ends[1])) == (back[0], other)
    with pytest.raises(UnsolvableStateError, match=str(start)):
        lookup.solve(start, "UR UR UR/UR UR .", model="full")


def test_tables_of_a_uniform_start_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _search_by("full", ON_CORNERS, monkeypatch)
    monkeypatch.setattr(searching, "_LEAST_KEPT", 1)
    start = Tray.start((1, 1), 2, 3, "full")
    one, other = (_random_tray(start, random.Random(seed)) for seed in (3, 4))
    found = lookup.open_tablebase(tmp_path).solve(start, one)
    assert sorted(path.name.split("-")[2] for path in tmp_path.iterdir()) == ["corner", "corner", "face"]
    monkeypatch.delattr(searching, "enumerate_depths")
    monkeypatch.setattr(searching, "meet_by_levels", None)
    monkeypatch.delattr(build, "make_distances")
    again = lookup.open_tablebase(tmp_path)
    assert again.solve(start, one) == found
    assert invert_rolls(again.solve(other, start)) in lookup.open_tablebase(tmp_path).solutions(start, other)


def test_limits_and_what_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    _search_by("full", ON_CORNERS, monkeypatch)
    goal = Tray.start((1, 1), 2, 3, "full")
    tray = _random_tray(goal, random.Random(8))
    depth = lookup.depth(tray, goal)
    with pytest.raises(SearchLimitError) as caught:
        lookup.depth(tray, goal, max_depth=depth - 1)
    assert depth - 1 <= caught.value.at_least - 1 <= depth
    with pytest.raises(SearchLimitError):
        lookup.depth(tray, goal, timeout=0)
    with pytest.raises(UnsolvableStateError):
        lookup.depth(Tray.start((1, 1), model="full"), "UR UR UL/. UR UR/UR UR UR", model="full")

"""`Puzzle` documents every question, and its keywords; solvers answer it."""

from __future__ import annotations

import contextlib
import inspect
import pydoc
from typing import Any

import pytest

from cubesolve import Puzzle, SearchLimitError, lookup, puzzle
from cubesolve.catalog import rules_named
from cubesolve.catalog.rolling.solver import TraySolver
from cubesolve.catalog.rubik.solver import RubikSolver
from cubesolve.runtime.deadline import Deadline, current, running
from cubesolve.solvers import keywords
from cubesolve.solvers.derived import DerivedSolver
from cubesolve.solvers.goals import GoalSolver
from cubesolve.solvers.nearest import NearestSolver
from cubesolve.solvers.questions import Asked, Kept
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.table import TableSolver
from tests.patience import PATIENCE
from tests.processes import run_python

SOLVERS = (TableSolver, DerivedSolver, GoalSolver, NearestSolver, RubikSolver, TraySolver)


def _public(cls: type) -> list[str]:
    members = inspect.getmembers(cls, lambda member: inspect.isfunction(member) or isinstance(member, property))
    return [name for name, _ in members if not name.startswith("_")]


def test_every_question_is_documented() -> None:
    documented = {name: inspect.getdoc(getattr(Puzzle, name)) or "" for name in _public(Puzzle)}
    assert len(documented) > 30
    assert [name for name, text in documented.items() if not text or text.startswith("See ")] == []


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_repeats_no_documentation(solver: type[Solver]) -> None:
    own = vars(solver).keys() & set(_public(solver)) & set(_public(Puzzle))
    assert own
    assert [name for name in own if vars(solver)[name].__doc__] == []


def test_a_question_about_one_puzzle_loads_no_other() -> None:
    code = (
        "import sys\n"
        "from cubesolve import puzzle\n"
        "puzzle('skewb').depth('R')\n"
        "others = 'cubesolve.catalog.rubik', 'cubesolve.catalog.rolling', 'cubesolve.solvers.goals'\n"
        "print(sorted(name for name in sys.modules if name.startswith(others)))\n"
    )
    result = run_python(code, fresh=True)
    assert result.stdout == "[]\n", result.stderr


@pytest.mark.parametrize("name", ["skewb", "pocket", "rubik", "rolling"])
def test_help_about_a_question_shows_its_arguments_and_errors(name: str) -> None:
    text = pydoc.plain(pydoc.render_doc(puzzle(name).depth))
    assert text.splitlines()[2].startswith("depth(state")
    assert "least number of moves" in text
    assert "goal: " in text
    assert "SearchLimitError: " in text


def test_signatures_list_the_parameters_of_a_question() -> None:
    assert list(inspect.signature(puzzle("skewb").depth).parameters) == ["state", "goal", "question"]
    assert inspect.signature(puzzle("skewb").solutions).parameters["question"].annotation == "Unpack[SolutionsQuestion]"
    assert "slack" in keywords.SolutionsQuestion.__annotations__
    assert "within" in keywords.SolveQuestion.__annotations__
    assert "patterns" in keywords.StatesQuestion.__annotations__


@pytest.mark.parametrize("name", ["depth", "solve", "random_state", "scramble"])
def test_a_model_of_rolling_cubes_that_is_none_is_the_usual_one(name: str) -> None:
    given: dict[str, Any] = {"state": (1, 1), "goal": "**E/***/***"} if name in {"depth", "solve"} else {"rng": 3}
    ask = getattr(puzzle("rolling"), name)
    assert ask(**given, model=None) == ask(**given)
    for odd in ("", "nosuch"):
        with pytest.raises(ValueError, match="unknown model"):
            ask(**given, model=odd)


@pytest.mark.parametrize(
    "said", [{"start": (2, 1)}, {"tray": (2, 2)}, {"start": (1, 1), "tray": (2, 2), "model": "face"}]
)
def test_distributions_of_rolling_cubes_are_found_by_their_keywords(said: dict[str, Any]) -> None:
    assert lookup.distribution(**said) == puzzle("rolling").distribution(**said) != lookup.distribution()


def test_asking_whether_a_target_is_answered_at_once_enumerates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rings, end = puzzle("docs/rings.tws"), "1 1 1 1 2 1 2 1 2 2"
    depth = rings.depth("L R", end)
    monkeypatch.setattr(DerivedSolver, "_distances_to", lambda *_: pytest.fail("all states are enumerated"))
    assert not rings.answers_at_once("L R", end)
    monkeypatch.undo()
    rings.forget()
    assert rings.depth("L R", end) == depth


@pytest.mark.parametrize(("timeout", "known"), [(PATIENCE, 5), (None, 0)])
def test_what_a_limited_question_proves_is_kept_for_the_next(timeout: float | None, known: int) -> None:
    kept, asked = Kept(), Asked.of(rules_named("pocket"), "R U", {}, has_lengths=True)
    with contextlib.suppress(SearchLimitError), running(Deadline(timeout=timeout)), kept.of(asked):
        current().prove(5)
        raise SearchLimitError(3, "after a moment")
    with running(Deadline(timeout=timeout)), kept.of(asked):
        assert current().at_least == known

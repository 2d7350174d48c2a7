"""Every question that can take long ends at its limit, for a puzzle for which it takes long."""

from __future__ import annotations

import contextlib
import inspect
import os
import runpy
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import cubesolve
from cubesolve import Puzzle, lookup
from cubesolve.errors import SearchLimitError
from cubesolve.runtime import kernels, stored_code
from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.search import limits
from cubesolve.search.limits import proving, within_limits
from cubesolve.solvers import questions
from cubesolve.solvers.answers import Solution
from cubesolve.solvers.derived import DerivedSolver
from cubesolve.solvers.goals import GoalSolver
from cubesolve.solvers.nearest import NearestSolver
from cubesolve.solvers.questions import Answers, Asked, solved_in_time
from tests.lookup.test_goals import KnownAnswers
from tests.lookup.test_searched import made_tables
from tests.patience import PATIENCE
from tests.subsets import only
from tests.test_deadline import CancelledAfter

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "bench_timeouts.py"))
ASKED: list[str] = SCRIPT["NAMES"]

_DECORATED = [
    name for name, question in inspect.getmembers(Puzzle) if name[0] != "_" and hasattr(question, "__wrapped__")
]
QUESTIONS = ("depth", "solve", "solve_batch", *_DECORATED)
"""The questions that can take long."""

AT_ONCE = {
    "large towards", "skewb antipodes", "3x3x3 towards", "3x3x3 bounds", "skewb sample",
    "large random_state", "large distribution", "large depths", "large path", "4x4x4 two moves' depths",
    "3x3x3 scramble", "3x3x3 scramble of a length", "15-puzzle heuristic", "15-puzzle pdb", "skewb open", "skewb table",
    "skewb scramble of a length", "skewb whole",
}  # fmt: skip
"""What is answered, or refused, after so few looks at the deadline that it may be so before it comes."""


@pytest.fixture
def ready(
    tmp_path: Path,
    nothing_open: None,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[str], Callable[..., Any]]:
    """Prepare a question that needs no tables."""
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    return lambda name: SCRIPT["questions"](str(tmp_path))[name]()


def require_nobody_works() -> None:
    for thread in threading.enumerate():
        if thread.name == "cubesolve question":
            thread.join(PATIENCE)
            assert not thread.is_alive()


@pytest.mark.parametrize("name", only([name for name in ASKED if not name.startswith("2x6 tray")], ASKED))
def test_a_question_ends_after_a_few_looks_at_its_deadline(
    name: str, ready: Callable[[str], Callable[..., Any]]
) -> None:
    ask = ready(name)
    event: Any = CancelledAfter(2)
    if name in AT_ONCE:
        with contextlib.suppress(SearchLimitError, ValueError, LookupError):
            ask(cancel=event)
    else:
        with pytest.raises(SearchLimitError, match="before it was cancelled"):
            consumed(ask(cancel=event))
    require_nobody_works()


def consumed(answer: Any) -> Any:
    return list(answer) if hasattr(answer, "__next__") else answer


def test_every_question_of_a_puzzle_is_asked() -> None:
    asked = {word for name in ASKED for word in name.replace(",", " ").split()}
    assert set(QUESTIONS) - asked == {"written", "state_arrays", "definition", "order"}  # nothing is computed for long


def test_every_method_is_a_question_or_waits_for_nothing() -> None:
    others = {"answers_at_once", "forget", "header", "usual_tables", "usual_table", "arrays_of"}
    methods = {name for name, _ in inspect.getmembers(Puzzle, inspect.isfunction) if name[0] != "_"}
    assert methods - set(QUESTIONS) == others
    methods = {name for name, _ in inspect.getmembers(lookup.Tablebase, inspect.isfunction) if name[0] != "_"}
    assert methods - set(lookup.__all__) == {"close", "found"}


@pytest.mark.parametrize(
    "ask",
    [
        *(getattr(lookup, name) for name in sorted(set(lookup.__all__) & set(dir(lookup.Tablebase)))),
        *(getattr(cubesolve.puzzle("skewb"), name) for name in QUESTIONS),
    ],
    ids=lambda ask: ask.__qualname__,
)
def test_every_question_takes_limits(ask: Callable[..., Any]) -> None:
    kind, said = inspect.Parameter.POSITIONAL_OR_KEYWORD, {"goal": (2, 1)} if ask.__name__ == "cells" else {}
    required = [each for each in inspect.signature(ask).parameters.values() if each.default is each.empty]
    given = ["R" for each in required if each.kind is kind]
    for limit, message in (
        ({"timeout": -1}, "timeout must be at least 0 seconds, not -1"),
        ({"cancel": 3}, "an event"),
    ):
        with pytest.raises(ValueError, match=message):
            consumed(ask(*given, **said, **limit))
    assert inspect.getdoc(ask)


def test_questions_without_limits_have_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    skewb = cubesolve.puzzle("skewb")
    assert skewb.depth("R U") == 2
    monkeypatch.setattr(threading.Thread, "start", Mock(side_effect=AssertionError("a thread begins")))
    assert skewb.depth("R U L") == 3


def test_what_an_iterator_finds_later_is_limited() -> None:
    event = threading.Event()
    found = cubesolve.puzzle("skewb").solutions("R U L", slack=4, cancel=event)
    assert next(found) == "L' U' R'"
    event.set()
    with pytest.raises(SearchLimitError, match="not answered before it was cancelled"):
        list(found)


def test_questions_go_on_with_what_was_built(
    ready: Callable[[str], Callable[..., Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = made_tables(monkeypatch)
    ask = ready("skewb path")
    answer = None
    for looks in (10 * 3**number // 2**number for number in range(30)):
        event: Any = CancelledAfter(looks)
        with contextlib.suppress(SearchLimitError):
            answer = ask(cancel=event)
            break
    assert str(answer) == ask()
    assert len(made) == len(set(made))


@pytest.fixture
def no_compilers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the kernels that earlier tests left to be compiled."""
    monkeypatch.setattr(kernels, "_processes", {})


# -- Kernels -----------------------------------------------------------------------------------------------------------

COMPILING = "kernels were still being compiled, which is done once; `cubesolve warm` compiles all of them"
NEW = """
from cubesolve.runtime.kernels import kernel

@kernel()
def double(number: int):
    return 2 * number
"""


@pytest.fixture
def new_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A kernel that has not been compiled, in a module that other processes can import."""
    name = f"kernel_of_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(NEW)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{Path(cubesolve.__file__).parents[1]}")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (tmp_path / "kernels").mkdir(mode=0o700)
    monkeypatch.setattr(stored_code, "folder", lambda: str(tmp_path / "kernels"))
    return __import__(name).double


@pytest.mark.usefixtures("no_compilers")
def test_a_question_does_not_wait_for_a_compiler(new_kernel: Any) -> None:
    assert not new_kernel.is_ready()
    with running(Deadline(timeout=0)), pytest.raises(EndedError):
        new_kernel(21)
    process = kernels._processes[new_kernel]
    assert (os.getpgid(process.pid), os.getsid(process.pid)) == (process.pid, os.getsid(0))  # Ctrl-C does not reach it
    with pytest.raises(SearchLimitError) as error:
        within_limits(new_kernel, 21, timeout=0.01)
    assert str(error.value) == f"not answered after 0.01 s ({COMPILING})"
    assert process.wait(PATIENCE) == 0
    with running(Deadline(timeout=0)), pytest.raises(EndedError, match=r"^after 0 s$"):
        check()
    assert new_kernel.is_ready()
    with running(Deadline(timeout=PATIENCE)):
        assert new_kernel(21) == 42


@pytest.mark.usefixtures("no_compilers")
def test_several_kernels_are_compiled_by_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call of each waits for this kernel alone."""
    kept, compiler = {"c"}, Mock(return_value=Mock(poll=Mock(return_value=None)))  # which never ends
    monkeypatch.setattr(kernels, "_Compiler", compiler)
    monkeypatch.setattr(kernels, "processors", lambda: 2)
    monkeypatch.setattr(kernels.Kernel, "is_ready", lambda kernel: kernel.__name__ in kept)
    declared = list[Any]()
    for name in "abc":
        function = types.FunctionType((lambda: 0).__code__, {}, name)
        function.__module__ = "m"
        declared.append(kernels.Kernel(function, at_start=False))
    kernels.compile_meanwhile(*declared)
    kernels.compile_meanwhile(*declared)
    [(command,)] = [call.args for call in compiler.call_args_list]
    assert command[-1] == "from m import a as kernel; kernel.load(); from m import b as kernel; kernel.load()"
    kept.add("a")
    declared[0]._wait_for_process()
    with running(Deadline(timeout=0)), pytest.raises(EndedError):
        declared[1]._wait_for_process()


@pytest.mark.usefixtures("no_compilers")
def test_a_question_compiles_a_kernel_that_cannot_be_kept(new_kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its caller does not wait for the compiler, either."""
    monkeypatch.setattr(stored_code, "folder", lambda: None)
    monkeypatch.setattr(limits, "_PATIENCE", 0.01)
    allowed, compile_kernel = threading.Event(), kernels.Kernel.compiled

    def compile_later(kernel: Any) -> bytes:
        allowed.wait(PATIENCE)
        return compile_kernel(kernel)

    monkeypatch.setattr(kernels.Kernel, "compiled", compile_later)
    with pytest.raises(SearchLimitError, match=r"not answered after 0\.05 s"):
        within_limits(new_kernel, 21, timeout=0.05)
    assert not kernels._processes
    allowed.set()
    assert within_limits(new_kernel, 21, timeout=PATIENCE) == 42


def test_what_is_proved_of_all_goals_is_proved_of_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    several, over = lookup.puzzle("rubik").towards("f2l|f2l-U"), threading.Event()
    assert isinstance(several.solver, NearestSolver)

    def optimal(_goal: GoalSolver, asked: Asked, **_: Any) -> Answers:
        most = asked.search["max_depth"] or 0
        if most > 14:
            over.set()
        raise SearchLimitError(most + 1, f"in {most} moves")

    monkeypatch.setattr(GoalSolver, "_optimal", optimal)
    with pytest.raises(SearchLimitError) as caught:
        several.depth("R U F", cancel=over)
    assert caught.value.at_least == 15


def test_what_is_proved_of_one_goal_is_not_proved_of_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    several = lookup.puzzle("rubik").towards("f2l|f2l-U")
    assert isinstance(several.solver, NearestSolver)

    def optimal(*_: Any, **_question: Any) -> Answers:
        with proving(9):
            return KnownAnswers(3, ["R U F"])

    monkeypatch.setattr(GoalSolver, "_optimal", optimal)
    with running(Deadline()) as deadline:
        assert several.depth("R U F") == 3
        assert deadline.at_least == 0


def test_a_solution_that_is_proved_when_the_time_ends_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = lookup.puzzle("skewb").solver
    known = Solution("R U", 0, solver.rules, "U' R'")

    def find(*_: object, **__: object) -> Answers:
        current().prove(2)
        current().find(known)
        raise EndedError("after 1 s")

    monkeypatch.setattr(DerivedSolver, "_optimal", find)
    monkeypatch.setattr(DerivedSolver, "_short", Mock(side_effect=AssertionError("a shorter solution is looked for")))
    with running(Deadline(timeout=PATIENCE)):
        assert solved_in_time(solver, solver._asked("U' R'", {})) is known


def test_solutions_are_compared_after_the_end_of_the_time() -> None:
    rules = lookup.puzzle("rubik").rules
    with running(Deadline(timeout=0)) as deadline:
        for alg in ("R U F", "R"):
            deadline.find(Solution(alg, 0, rules, rules.view.solved(None)))
    assert deadline.solution == "R"


def test_a_part_of_the_time_is_for_solutions_that_may_be_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    solver, deadlines = lookup.puzzle("skewb").solver, Mock(wraps=Deadline)
    monkeypatch.setattr(DerivedSolver, "_optimal", Mock(side_effect=SearchLimitError(1, "after 1 s")))
    monkeypatch.setattr(DerivedSolver, "_short", lambda *_: iter(()))
    monkeypatch.setattr(questions, "Deadline", deadlines)
    for timeout, part in ((1 << 20, 3), (12, 3), (12, 4)):
        monkeypatch.setattr(DerivedSolver, "last_part", part)
        with running(Deadline(timeout=timeout)), pytest.raises(SearchLimitError):
            solved_in_time(solver, solver._asked("R", {}))
    times = [call.kwargs["timeout"] for call in deadlines.call_args_list]
    first, last = times[::2], times[1::2]
    assert last[0] == 10
    assert [(left + more) / more for left, more in zip(first[1:], last[1:], strict=True)] == pytest.approx([3, 4])

"""Solutions of many states by search, in this process or by an executor."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from typing import TYPE_CHECKING, Any

from cubesolve.errors import CubesolveError, SearchLimitError
from cubesolve.runtime.arguments import Keywords

if TYPE_CHECKING:
    from cubesolve.solvers.solver import Solver

Answer = str | CubesolveError
"""An alg, or the error instead."""

_ATTEMPTS = 3
_PATIENCE = 5  # seconds without an answer, after which the executor is checked


def solve_here(solver: Solver, state: object, question: Keywords) -> Answer:
    """Return an optimal alg for a state; or the error of a search that ended at its limit."""
    try:
        return str(solver.solve_in_time(state, **question))  # options that are not sent with each state
    except SearchLimitError as error:
        return error


def solve_elsewhere(solver: Solver, states: Iterable[object], executor: Executor, question: Keywords) -> list[Answer]:
    """Return optimal algs for many states, each found by a worker of an executor.

    A state whose worker failed is given to another one; states that no worker solves are solved in this process.

    Args:
        solver: the solver here; workers use the tables of the same folder, by default the usual ones.
        question: the keywords; without `workers`, each search has one thread.

    Raises:
        TableError: neither the workers nor this process have a large enough table.
    """
    asked = dict(enumerate(states))
    task = functools.partial(_solve_there, solver, {"workers": 1, **question})
    answers: dict[int, Answer] = {}
    for _ in range(_ATTEMPTS):
        futures: dict[int, Future[Answer]] = {}
        try:
            takes_work = _submit(executor, task, {row: asked[row] for row in asked if row not in answers}, futures)
            answers |= _gather(futures, executor)
        finally:
            for future in futures.values():
                future.cancel()
        if not takes_work or len(answers) == len(asked):
            break
    return [answers[row] if row in answers else solve_here(solver, asked[row], question) for row in asked]


def _submit(
    executor: Executor, task: Callable[[Any], Answer], states: Mapping[int, Any], futures: dict[int, Future[Answer]]
) -> bool:
    """Submit states; return whether the executor accepted all of them."""
    try:
        for row, state in states.items():
            futures[row] = executor.submit(task, state)
    except Exception:  # noqa: BLE001  # executors that are shut down raise many types of errors
        return False
    return True


def _gather(futures: Mapping[int, Future[Answer]], executor: Executor) -> dict[int, Answer]:
    """Yield the answers of those workers that did not fail."""
    waiting: set[Future[Answer]] = set(futures.values())
    while waiting:
        done, waiting = wait(waiting, _PATIENCE, FIRST_COMPLETED)
        if not done and _is_broken(executor):  # tasks submitted while it broke are never run
            break
    answers = {}
    for row, future in futures.items():
        if future in waiting:
            continue
        try:
            failed = future.exception() is not None
        except CancelledError:
            failed = True
        if not failed:
            answers[row] = future.result()
    return answers


def _is_broken(executor: Executor) -> bool:
    """Return whether an executor accepts no more work."""
    try:
        executor.submit(int)
    except Exception:  # noqa: BLE001  # of many types
        return True
    return False


def _solve_there(solver: Solver, question: Keywords, state: object) -> Answer:
    return solve_here(solver, state, question)

"""Solutions of many states by search, in this process or by an executor."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import TYPE_CHECKING

from cubesolve.errors import CubesolveError, SearchLimitError
from cubesolve.runtime.arguments import Keywords

if TYPE_CHECKING:
    from cubesolve.solvers.solver import Solver

Answer = str | CubesolveError
"""An alg, or the error instead."""

_ATTEMPTS = 3
_PATIENCE = 5  # seconds without an answer, after which the executor is checked


def solve_many(
    solver: Solver, states: Sequence[object], executor: Executor | None, question: Keywords
) -> Iterator[Answer]:
    """Yield an optimal alg for each of many states, or the error of a search that ended at its limit.

    A state whose worker failed is given to another one; states that no worker solves are solved in this process.
    Workers use the tables of the same folder. Without `workers`, each of their searches has one thread.
    """
    answers = {} if executor is None else _solved_elsewhere(solver, states, executor, {"workers": 1, **question})
    return (answers[row] if row in answers else _solve(solver, question, state) for row, state in enumerate(states))


def _solve(solver: Solver, question: Keywords, state: object) -> Answer:
    try:
        return str(solver.solve_in_time(state, **question))
    except SearchLimitError as error:
        return error


def _solved_elsewhere(
    solver: Solver, states: Sequence[object], executor: Executor, question: Keywords
) -> dict[int, Answer]:
    """Return the answers of workers by the number of the state; those of workers that failed are missing."""
    task, answers = functools.partial(_solve, solver, question), dict[int, Answer]()
    for _ in range(_ATTEMPTS):
        left = [row for row in range(len(states)) if row not in answers]
        futures = dict[Future[Answer], int]()
        try:
            with contextlib.suppress(Exception):  # executors that are shut down raise many types of errors
                for row in left:
                    futures[executor.submit(task, states[row])] = row
            answers |= _gathered(futures, executor)
        finally:
            for future in futures:
                future.cancel()
        if len(futures) < len(left):
            break
    return answers


def _gathered(futures: Mapping[Future[Answer], int], executor: Executor) -> dict[int, Answer]:
    """Return the answers of those workers that did not fail."""
    waiting = {*futures}
    while waiting:
        done, waiting = wait(waiting, _PATIENCE, FIRST_COMPLETED)
        if not done and _is_broken(executor):  # tasks submitted while it broke are never run
            break
    ended = {future: row for future, row in futures.items() if future not in waiting and not future.cancelled()}
    return {row: future.result() for future, row in ended.items() if future.exception() is None}


def _is_broken(executor: Executor) -> bool:
    """Return whether an executor accepts no more work."""
    try:
        executor.submit(int)
    except Exception:  # noqa: BLE001  # of many types
        return True
    return False

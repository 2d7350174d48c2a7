"""Many states of a puzzle that takes a search, solved by whatever processes there are."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from typing import TYPE_CHECKING, Any

from cubesolve.errors import CubesolveError, InvalidStateError, SearchLimitError
from cubesolve.solvers.faults import NAMED, invalid_rows, is_masking

if TYPE_CHECKING:
    from cubesolve.solvers.solver import Solver

Answer = str | CubesolveError
"""An alg, or why there is none."""

_ATTEMPTS = 3
_PATIENCE = 5  # seconds without an answer, after which the executor is asked whether it goes on


def read_states(read_row: Callable[[Any], Any], states: Iterable[Any], invalid: str) -> list[Any]:
    """The states of a batch, with what is wrong in the place of those that are none.

    Args:
        read_row: reads a state; it raises an `InvalidStateError` at what is none.
        states: the states, however they are given.
        invalid: ``raise`` or ``mask``.

    Raises:
        InvalidStateError: some are none, and these are not to be masked.

    >>> from cubesolve.catalog import rules_named
    >>> read_states(rules_named("rubik").view.read_row, ["R'"], "mask")
    [InvalidStateError('a 3x3x3 cube has 54 facelets, not 2: use the format alg for moves')]
    """
    masking = is_masking(invalid)
    read: list[Any] = []
    for state in states:
        try:
            read.append(read_row(state))
        except InvalidStateError as error:
            read.append(error)
    faults = [(row, error) for row, error in enumerate(read) if isinstance(error, InvalidStateError)]
    if faults and not masking:
        raise invalid_rows(faults[:NAMED], len(faults), len(read))
    return read


def solve_here(solver: Solver, state: Any, question: Mapping[str, Any]) -> Answer:
    """A shortest alg for one state; the error that says what is known, where the search ended at its limit."""
    try:
        return str(solver.solve_in_time(state, **question))  # what a batch does not need is not sent to other processes
    except SearchLimitError as error:
        return error


def solve_elsewhere(
    solver: Solver, states: Iterable[Any], executor: Executor, question: Mapping[str, Any]
) -> list[Answer]:
    """Shortest algs for many states, each found by a worker of an executor.

    A state whose worker failed, in whatever way, is given to another one; what no worker solves is solved here.

    Args:
        solver: what answers here, and elsewhere by the tables in the same folder; by default the usual ones there.
        states: the states.
        executor: whose workers solve them.
        question: what else was said; without `workers`, each state is searched for by one thread.

    Returns:
        For each state an alg, or the error that says what is known about it.

    Raises:
        TableError: neither the workers nor this process have a table that is large enough.
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
    """Hand states out; whether the executor took all of them."""
    try:
        for row, state in states.items():
            futures[row] = executor.submit(task, state)
    except Exception:  # noqa: BLE001  # executors that take no more work say so in many ways
        return False
    return True


def _gather(futures: Mapping[int, Future[Answer]], executor: Executor) -> dict[int, Answer]:
    """The answers of those workers that did not fail."""
    waiting: set[Future[Answer]] = set(futures.values())
    while waiting:
        done, waiting = wait(waiting, _PATIENCE, FIRST_COMPLETED)
        if not done and _is_broken(executor):  # what was submitted while it broke is never done
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
    """Whether an executor takes no more work."""
    try:
        executor.submit(int)
    except Exception:  # noqa: BLE001  # which is said in many ways
        return True
    return False


def _solve_there(solver: Solver, question: Mapping[str, Any], state: Any) -> Answer:
    return solve_here(solver, state, question)

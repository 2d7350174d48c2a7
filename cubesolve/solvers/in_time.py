"""Optimal solutions in a limited time, the last part of which is for solutions that may be longer (pure Python)."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import TypeVar

from cubesolve.errors import CubesolveError, SearchLimitError
from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.solvers.solution import Solution

Found = TypeVar("Found")

_LAST_SECONDS = 10.0  # at most, for solutions that may be longer


def solved_in_time(
    find: Callable[[], Found],
    some: Callable[[], Iterator[Solution]],
    *,
    part: int,
    has_costs: bool = False,
) -> Found | Solution:
    """Return an optimal solution; in the last part of a limited time, look for one that may be longer.

    The deadline gets the shortest solution. It is returned only if it is proved to be optimal.

    Args:
        find: returns an optimal solution; a later call continues the work of one that a limit ended.
        has_costs: whether some moves cost more than one, so that a bound proves nothing about a length.
    """
    deadline = current()
    left = deadline.left()
    if deadline.solution or math.isinf(left):
        return _or_shortest(find, deadline)
    last = min(left / part, _LAST_SECONDS)
    moment = Deadline(timeout=left - last, within=deadline)
    try:
        with running(moment):
            return find()
    except (EndedError, SearchLimitError) as end:
        _take(deadline, moment)
        if (proved := _proved(deadline, has_costs)) is not None:
            return proved
        check()
        if isinstance(end, SearchLimitError):
            deadline.prove(end.at_least)
    moment = Deadline(timeout=last, within=deadline)
    _take(moment, deadline)
    # Of some states, only optimal solutions are found.
    with contextlib.suppress(CubesolveError, EndedError), running(moment):
        for found in some():
            if deadline.solution is None or found.length < deadline.solution.length:
                deadline.solution = found
    _take(deadline, moment)
    if (proved := _proved(deadline, has_costs)) is not None:
        return proved
    check()
    return _or_shortest(find, deadline)


def _or_shortest(find: Callable[[], Found], deadline: Deadline) -> Found:
    """Return an optimal solution; if there is none in time, the error has the shortest one that the deadline has."""
    try:
        return find()
    except SearchLimitError as error:
        error.solution = error.solution or deadline.solution
        raise


def _proved(deadline: Deadline, has_costs: bool) -> Solution | None:
    """Return the solution that a deadline has, if it is proved to be optimal."""
    shortest: Solution | None = deadline.solution
    return None if has_costs or shortest is None or shortest.length > deadline.at_least else shortest


def _take(deadline: Deadline, moment: Deadline) -> None:
    """Record what was proved and found within another deadline."""
    deadline.prove(moment.at_least)
    deadline.solution = deadline.solution or moment.solution

"""Solutions that lead to a goal: beginnings of solutions of the whole puzzle (pure Python)."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from cubesolve.deadline import Deadline, EndedError, check, current, running
from cubesolve.definitions.goals import fulfils
from cubesolve.definitions.state import MaskedState
from cubesolve.errors import CubesolveError
from cubesolve.search.limits import split

if TYPE_CHECKING:
    from cubesolve.solvers.solver import Solver
    from cubesolve.spaces.variants import GoalRules

_Found = TypeVar("_Found")

_PART = 2  # one of so many parts of the remaining time is for solutions of the whole puzzle


def beginnings(rules: GoalRules, whole: Solver, state: object, question: Mapping[str, Any]) -> Iterator[str]:
    """Yield shorter and shorter beginnings of solutions of the whole puzzle that lead to a goal.

    After the first one, others are looked for in a part of the remaining time.

    Args:
        rules: the puzzle with the goal.
        whole: the solver of the puzzle without it.
        state: the state.
        question: the keywords.

    Raises:
        EndedError: the current deadline has passed.
    """
    named, search = split(question)
    if rules.graph(**named).costs or isinstance(rules.read(state), MaskedState):
        return
    given = {**named, **{name: value for name, value in search.items() if name in {"memory", "workers"}}}
    part = Deadline(timeout=current().left() / _PART, within=current())
    solutions, shortest = _solutions(whole, state, given), None
    with contextlib.suppress(CubesolveError, EndedError):
        for alg in itertools.chain(aside(itertools.islice(solutions, 1)), aside(solutions, part)):
            found = _beginning(rules, state, alg.split(), shortest)
            if found is not None:
                shortest = found
                yield " ".join(found)
    check()


def _solutions(whole: Solver, state: object, question: dict[str, Any]) -> Iterator[str]:
    """Yield solutions of the whole puzzle, the first as soon as possible."""
    usual = whole.rules.usual_length
    if usual is not None:
        yield whole.solve_as_held(state, max_length=usual, **question)
    yield from whole.improvements_as_held(state, **question)


def _beginning(rules: GoalRules, state: object, moves: list[str], shortest: list[str] | None) -> list[str] | None:
    """Return the moves up to the first state that fulfils a goal; None if there is none, or they are not shorter."""
    here, view = rules.view.read(state), rules.view
    for number in range(len(moves) + 1 if shortest is None else len(shortest)):
        if fulfils(view.oriented(here), rules.goals):
            return moves[:number]
        if number == len(moves):
            break
        here = view.after(here, moves[number])
    return None


def aside(answers: Iterator[_Found], deadline: Deadline | None = None) -> Iterator[_Found]:
    """Yield answers to another question; what is proved about it is not recorded by the current deadline.

    Args:
        answers: the answers.
        deadline: ends them; by default, the current one.

    Raises:
        EndedError: the deadline has passed.
    """
    while True:
        with running(Deadline(within=deadline or current())):
            try:
                found = next(answers)
            except StopIteration:
                return
        yield found

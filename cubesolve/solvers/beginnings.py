"""Solutions that lead to a goal, made of those to the whole puzzle, to a step on the way, and of states near the goal.

All of it is pure Python.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from cubesolve.deadline import Deadline, EndedError, check, current, running
from cubesolve.definitions.goals import fulfils
from cubesolve.definitions.state import MaskedState
from cubesolve.errors import CubesolveError, SearchLimitError, UnsolvableStateError
from cubesolve.search.limits import split
from cubesolve.spaces.variants import GoalRules

if TYPE_CHECKING:
    from cubesolve.definitions.goals import Allowed
    from cubesolve.definitions.view import View
    from cubesolve.solvers.solver import Solver

_Found = TypeVar("_Found")
_AlgWithin = Callable[[object, int], str | None]
"""Returns an optimal alg for a state, of at most a number of moves; None if there is none."""

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


def included_steps(rules: GoalRules) -> list[GoalRules]:
    """Return the named steps that are fulfilled wherever a goal is, those with the fewest points first.

    >>> from cubesolve.catalog import rules_named
    >>> from cubesolve.spaces.variants import towards
    >>> [step.goal for step in included_steps(towards(rules_named("fto"), "sc"))]
    ['fc', 'f2t']
    """
    steps = [(name, rules.view.goals_named(name)) for name in rules.view.goals]
    named = [(name, goals[0]) for name, goals in steps if len(goals) == 1 and [*goals] != [*rules.goals]]
    included = {frozenset(step.items()): (name, step) for name, step in named[::-1] if _includes_all(rules.goals, step)}
    few = sorted(included.values(), key=lambda each: len(each[1]))
    return [GoalRules(rules.whole, [step], name) for name, step in few]


def _includes_all(goals: Sequence[Allowed], step: Allowed) -> bool:
    return all(point in goal and goal[point] <= labels for goal in goals for point, labels in step.items())


def alg_within(solver: Solver, question: Mapping[str, Any], state: object, most: int) -> str | None:
    """Return an optimal alg of at most a number of moves; None if there is none.

    Raises:
        EndedError, SearchLimitError: a limit ended the search.
    """
    try:
        return solver.solve(state, **{**question, "max_depth": most, "progress": None})
    except SearchLimitError as error:
        if error.at_least <= most:
            raise
        return None


def shortened(view: View, state: object, alg: str, steps: Iterable[_AlgWithin], within: _AlgWithin) -> Iterator[str]:
    """Yield shorter algs: some through steps that a goal includes, then those with an optimal end.

    Args:
        view: reads states, and moves them.
        state: the state that the alg begins with.
        alg: the alg.
        steps: for each step, a function that returns an optimal alg to it.
        within: returns an optimal alg to the goal.

    Raises:
        EndedError: the current deadline has passed.
    """
    for step in steps:
        most = len(alg.split()) - 1
        with contextlib.suppress(UnsolvableStateError):
            begin = step(state, most)
            if begin is not None:
                end = within(view.after(view.read(state), begin), most - len(begin.split()))
                if end is not None:
                    alg = " ".join([*begin.split(), *end.split()])
                    yield alg
    yield from with_shorter_ends(view, state, alg, within)


def with_shorter_ends(view: View, state: object, alg: str, within: _AlgWithin) -> Iterator[str]:
    """Yield shorter and shorter algs: longer and longer ends of one are replaced by optimal algs.

    Args:
        view: reads states, and moves them.
        state: the state that the alg begins with.
        alg: the alg.
        within: returns an optimal alg to the goal.

    Raises:
        EndedError: the current deadline has passed.
    """
    moves, number = alg.split(), 2
    while number <= len(moves):
        kept = moves[: len(moves) - number]
        here = view.after(view.read(state), " ".join(kept))
        end = within(here, number - 1)
        if end is not None:
            moves, number = [*kept, *end.split()], len(end.split())
            yield " ".join(moves)
        number += 1


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

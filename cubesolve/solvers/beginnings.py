"""Solutions that lead to a goal, made of those to the whole puzzle, to a step on the way, and of states near the goal.

All of it is pure Python.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from cubesolve.definition.goals import fulfils
from cubesolve.definition.state import MaskedState
from cubesolve.errors import CubesolveError, SearchLimitError, UnsolvableStateError
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.search.limits import split
from cubesolve.spaces.variants import GoalRules

if TYPE_CHECKING:
    from cubesolve.definition.goals import Allowed
    from cubesolve.definition.view import View
    from cubesolve.solvers.solver import Solver

_Found = TypeVar("_Found")

AlgsWithin = Callable[[object, int], Iterator[str]]
"""Returns the optimal algs for a state, if they have at most a number of moves."""

_AlgWithin = Callable[[object, int], str | None]
"""Returns one of them; None if there is none."""

_PART = 8  # one of so many parts of the remaining time is for solutions of the whole puzzle
_BEGINS = 100  # optimal algs to a step
_LONGER = 2  # a search of one more move takes as long as 2^2 searches


def beginnings(rules: GoalRules, whole: Solver, state: object, question: Mapping[str, object]) -> Iterator[str]:
    """Yield shorter and shorter beginnings of solutions of the whole puzzle that lead to a goal."""
    named, search = split(question)
    if rules.graph(**named).costs or isinstance(rules.read(state), MaskedState):
        return
    given = {**named, **{name: value for name, value in search.items() if name in {"memory", "workers"}}}
    deadline, part = current(), Deadline(timeout=current().left() / _PART, within=current())
    solutions, view, limit = _solutions(whole, state, given), rules.view, None
    shorter = aside(solutions, part) if deadline.is_limited else ()  # which may not end
    with contextlib.suppress(CubesolveError, EndedError):
        for alg in itertools.chain(aside(itertools.islice(solutions, 1)), shorter):
            moves = alg.split()[:limit]
            places = itertools.accumulate(moves, view.after, initial=view.read(state))
            ends = (number for number, place in enumerate(places) if fulfils(view.oriented(place), rules.goals))
            number = next(ends, None)
            if number is not None:
                yield " ".join(moves[:number])
                if not number:
                    break
                limit = number - 1
    check()


def _solutions(whole: Solver, state: object, question: dict[str, Any]) -> Iterator[str]:
    """Yield solutions of the whole puzzle, the first as soon as possible."""
    usual = whole.rules.usual_length_in(question.get("metric"))
    if usual is not None:
        yield whole.solve_as_held(state, max_length=usual, **question)
    yield from whole.improvements_as_held(state, within=0, **question)


def included_steps(rules: GoalRules) -> list[GoalRules]:
    """Return the named steps that are fulfilled wherever a goal is.

    Those whose states have half of the digits of the goal's come first: two searches of equal size are the smallest.
    """
    steps = [(name, rules.view.goals_named(name)) for name in rules.view.goals]
    named = [(name, goals[0]) for name, goals in steps if len(goals) == 1 and [*goals] != [*rules.goals]]
    included = {frozenset(step.items()): (name, step) for name, step in named[::-1] if _includes_all(rules.goals, step)}
    step_rules = [GoalRules(rules.whole, [step], name) for name, step in included.values()]
    whole = _digits(rules)
    return sorted(step_rules, key=lambda step: abs(2 * _digits(step) - whole))


def _digits(rules: GoalRules) -> float:
    """Return the logarithm of the number of states for each that fulfils a goal."""
    number = rules.graph().number_of_states
    return 0.0 if number is None else math.log(number / len(rules.definition.solved))


def _includes_all(goals: Sequence[Allowed], step: Allowed) -> bool:
    return all(point in goal and goal[point] <= labels for goal in goals for point, labels in step.items())


def alg_within(solver: Solver, question: Keywords, state: object, most: int) -> str | None:
    """Return an optimal alg of at most a number of moves; None if there is none."""
    try:
        return solver.solve(state, **{**question, "max_depth": most, "progress": None})
    except SearchLimitError as error:
        if error.at_least <= most:
            raise
        return None


def algs_within(solver: Solver, question: Keywords, state: object, most: int) -> Iterator[str]:
    """Yield the optimal algs, if they have at most a number of moves."""
    with contextlib.suppress(UnsolvableStateError):
        try:
            yield from solver.solutions(state, **{**question, "max_depth": most, "progress": None})
        except SearchLimitError as error:
            if error.at_least <= most:
                raise


def shortened(view: View, state: object, alg: str, steps: Iterable[AlgsWithin], within: _AlgWithin) -> Iterator[str]:
    """Yield shorter algs: some through steps that a goal includes, then those with an optimal end."""
    for step in steps:
        begins = [*itertools.islice(step(state, len(alg.split()) - 1), _BEGINS)]
        for shorter in _finished(view, state, alg, begins, within):
            alg = shorter
            yield alg
    yield from with_shorter_ends(view, state, alg, within)


def _finished(view: View, state: object, alg: str, begins: Sequence[str], within: _AlgWithin) -> Iterator[str]:
    """Yield shorter algs that begin with some others: ends of a few moves are tried first, then longer ones."""
    shortest = len(alg.split())
    starts = [(begin.split(), view.after(view.read(state), begin)) for begin in begins]
    # A search for a longer end of one alg takes as long as for shorter ends of several: later ones get fewer moves.
    waiting = [(*start, (number.bit_length() + 1) // _LONGER) for number, start in enumerate(starts)]
    for longest in itertools.count(len(starts[0][0]) if starts else 0):
        for begin, here, fewer in waiting:
            limit = min(longest - fewer, shortest - 1 - len(begin))
            end = within(here, limit) if limit >= 0 else None
            if end is not None:
                shortest = len(begin) + len(end.split())
                yield " ".join([*begin, *end.split()])
        waiting = [entry for entry in waiting if longest - entry[2] < shortest - 1 - len(entry[0])]
        if not waiting:
            return


def with_shorter_ends(view: View, state: object, alg: str, within: _AlgWithin) -> Iterator[str]:
    """Yield shorter and shorter algs: longer and longer ends of one are replaced by optimal algs."""
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
    """Yield answers to another question, until a deadline; what is proved about it is not recorded by this one."""
    while True:
        with running(Deadline(within=deadline or current())):
            try:
                answer = next(answers)
            except StopIteration:
                return
        yield answer

"""Counts that questions ask for: all states, the first levels, or the distances from another goal (numpy)."""

from __future__ import annotations

from cubesolve.definition.state import StateT
from cubesolve.errors import TooLargeError, UnsolvableStateError
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.notices import notifying
from cubesolve.search.limits import split
from cubesolve.solvers.counting import Count, counted, counted_each, counted_levels
from cubesolve.solvers.distribution import COUNTING
from cubesolve.solvers.solver import OTHER_GOAL, Solver
from cubesolve.spaces import variants

FEW_LISTED = 1 << 14
"""The number of states that are listed and looked up in about a second."""

FEWER_STATES = "choose another goal that fewer states fulfil (--from), or of several goals one alone (--goal)"
"""The advice for too many states of another goal."""


def count(solver: Solver[StateT], question: Keywords) -> Count:
    """Count the states of a question; those up to a depth, and of another goal, are found from the moves alone."""
    if question.get("from_goal") is not None:
        return _count_from(solver, question)
    if question.get("levels") is not None:
        graph, up_to_free = solver.graph_of_levels(question)
        return counted_levels(graph, question, up_to_free=up_to_free)
    named = {name: value for name, value in question.items() if name not in COUNTING}
    return counted(solver.space_to_count(named, question.get("memory")), question)


def _count_from(solver: Solver[StateT], question: Keywords) -> Count:
    """Count the states by their distance from those that fulfil the other goal of a question."""
    unused = {"from_goal", "count", "progress", "resume"}
    given = {name: value for name, value in question.items() if name not in unused and value is not None}
    named = solver.with_free_orientation(given, OTHER_GOAL)
    if named.pop("levels", None) is not None:
        what = f"the first levels of {OTHER_GOAL}, which are counted at all depths"
        raise solver.unsupported(f"{what}; leave levels (--levels) out")
    about, _ = split(named)
    solver.require_known(about, ("metric",))
    goal, resume = question["from_goal"], bool(question.get("resume"))
    for most in (FEW_LISTED, variants.MOST_LISTED):
        try:
            with notifying("listing the states of the other goal"):
                states = variants.fulfilling(solver.rules, goal, most, metric=about.get("metric"))
        except TooLargeError as error:
            found = solver.count_unlisted(about, question, most + 1)
            if found is None and most == variants.MOST_LISTED:
                what = "states of the other goal"
                raise TooLargeError(error.states, error.most, error.exact, FEWER_STATES, what) from None
        else:
            found = solver.count_unlisted(about, question, len(states))
            if found is None:
                classes, what = solver.listed_classes(states, named), f"{solver.distances_digest(about)} {goal}"
                if solver.symmetries > 1:
                    what += f" in {len(classes)} classes"
                found = counted_each(
                    classes,
                    lambda some: solver.depths_from(some, named),
                    what,
                    symmetries=solver.symmetries,
                    resume=resume,
                )
        if found is not None:
            break
    assert found is not None  # otherwise the last error is raised
    if not found.distribution:
        raise UnsolvableStateError(f"no moves of the {solver.rules.title} lead to this goal")
    return found

"""Counts that questions ask for: all states, the first levels, or the distances from another goal (needs numba)."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.state import StateT
from cubesolve.errors import TooLargeError, UnsolvableStateError
from cubesolve.group.permutations import Arrangement, after, arrangement
from cubesolve.group.symmetries import MOST_SYMMETRIES
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.deadline import check
from cubesolve.runtime.machine import memory_limit
from cubesolve.runtime.notices import following, notifying
from cubesolve.search.limits import split
from cubesolve.solvers.answers import COUNTING, OTHER_GOAL, Distribution
from cubesolve.solvers.counting import (
    Count,
    Counted,
    SymmetryClass,
    counted,
    counted_each,
    counted_levels,
    up_to_symmetry,
)
from cubesolve.solvers.expected import announce_effort
from cubesolve.spaces import space_of, variants
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.derived import derived_space, make_ready
from cubesolve.spaces.members import StatesOfEntries
from cubesolve.spaces.representatives import groups_of
from cubesolve.spaces.rows import Rows, hashed

if TYPE_CHECKING:
    from cubesolve.solvers.solver import Solver


_NONE = 255  # the depth of a state that no moves lead to
_STATES_A_SECOND = 5e8  # and goal; a rough estimate for messages

Placements = Sequence[dict[int, int]]
"""The ways to place the pieces of a kind: the label on each point."""


class ShownGoal(NamedTuple):
    """One of several goals."""

    looks: dict[int, int]  # the label that stands for each
    depths: Callable[[Sequence[Arrangement]], Sequence[int]]  # -1 for arrangements that no moves lead to


def count_together(start: Arrangement, places: Sequence[Placements], goals: Sequence[ShownGoal]) -> Count | None:
    """Count the states at each least depth for some goals: all combinations of placements of each kind of pieces.

    A goal distinguishes few placements of each kind, so its depths are an array with an axis for each kind. The kind
    with the most placements is counted at once for each combination of the others. None is returned if a goal
    distinguishes too many combinations.
    """
    by_number = sorted(places, key=len)
    points = [sorted(kind[0]) for kind in by_number]
    kinds = [
        np.array([[place[point] for point in along] for place in kind], np.uint16)
        for kind, along in zip(by_number, points, strict=True)
    ]
    distinct = [[_distinct(rows, goal.looks) for rows in kinds] for goal in goals]
    if any(math.prod(len(first) for first, _ in by_kind) > variants.MOST_LISTED for by_kind in distinct):
        return None
    tables, numbers = list[NDArray[np.uint8]](), list[list[NDArray[np.int64]]]()
    for goal, by_kind in zip(goals, distinct, strict=True):
        states = list[Arrangement]()
        state = np.array([*start], np.int64)
        for chosen in itertools.product(*(rows[first] for rows, (first, _) in zip(kinds, by_kind, strict=True))):
            for labels, along in zip(chosen, points, strict=True):
                state[along] = labels
            states.append(arrangement(state.tolist()))
        depths = np.array([*goal.depths(states)], np.int64)
        tables.append(
            np.where(depths < 0, _NONE, depths).astype(np.uint8).reshape([len(first) for first, _ in by_kind])
        )
        numbers.append([which for _, which in by_kind])
    *others, last = (range(len(rows)) for rows in kinds)
    total = math.prod(map(len, others)) * len(last)
    announce_effort(f"{total:,} states", 0, total * len(goals) / _STATES_A_SECOND)
    deepest = max(int(table[table < _NONE].max(initial=0)) for table in tables)
    counts = [0] * (deepest + 1)
    with following("counting", total) as advance:
        for combination in itertools.product(*others):
            check()
            shown = (
                table[(*(which[i] for which, i in zip(numbered, combination, strict=False)),)][numbered[-1]]
                for table, numbered in zip(tables, numbers, strict=True)
            )
            least = functools.reduce(np.minimum, shown)
            for depth in range(deepest + 1):
                counts[depth] += int(np.count_nonzero(least == depth))
            advance(len(last))
    found_counts = Distribution(np.trim_zeros(counts, "b"))
    return Count(found_counts, None, 1, total, 0)


def _distinct(rows: Rows, looks: dict[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first of the placements that a goal does not distinguish, and the number of this set for each."""
    look = np.zeros(max(looks) + 1, np.uint16)
    look[[*looks]] = [*looks.values()]
    _, first, which = np.unique(hashed(look[rows]), return_index=True, return_inverse=True)
    return first, which


FEW_LISTED = 1 << 14
"""The number of states that are listed and looked up in about a second."""

FEWER_STATES = "choose another goal that fewer states fulfil (--from), or of several goals one alone (--goal)"
"""The advice for too many states of another goal."""

_LEVELS = "count the first levels (--levels)"  # advice
_MORE_OR_LEVELS = f"allow more memory with memory (--memory), or {_LEVELS}"  # likewise
_HOPELESS = 1 << 50  # states that no memory holds
_MANY = 1 << 22  # states that are counted up to symmetry; of fewer, a space is derived and counted in a second
_MOVES_A_LOOKUP, _MOVES_A_SEARCH = 1 << 15, 1 << 20  # that are counted while a state is looked up or searched for


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
    for limit in (FEW_LISTED, variants.MOST_LISTED):
        try:
            with notifying("listing the states of the other goal"):
                states = variants.fulfilling(solver.rules, goal, limit, metric=about.get("metric"))
        except TooLargeError as error:
            counts = solver.count_unlisted(about, question, limit + 1)
            if counts is None and limit == variants.MOST_LISTED:
                what = "states of the other goal"
                raise TooLargeError(error.states, error.most, error.exact, FEWER_STATES, what) from None
        else:
            counts = solver.count_unlisted(about, question, len(states))
            if counts is None:
                classes, symmetries = solver.listed_classes(states, named)
                what = f"{solver.distances_digest(about)} {goal}"
                if symmetries > 1:
                    what += f" in {len(classes)} classes"
                counts = counted_each(
                    classes, lambda some: solver.depths_from(some, named), what, symmetries=symmetries, resume=resume
                )
        if counts is not None:
            break
    assert counts is not None  # otherwise the last error is raised
    if not counts.distribution:
        raise UnsolvableStateError(f"no moves of the {solver.rules.title} lead to this goal")
    return counts


def all_states(solver: Solver[StateT], question: Mapping[str, object], memory: int | None) -> Counted:
    """Return the space of all states, up to symmetry if there are many."""
    graph = solver.graph_asked(question)
    number = graph.number_of_states
    if number is not None and number >= _MANY:
        limit = 4 * memory_limit(memory)  # with two bits for each
        if not _may_be_counted(number, memory):
            raise TooLargeError(number, limit, exact=True, advice=_MORE_OR_LEVELS if number < _HOPELESS else _LEVELS)
        try:
            space = up_to_symmetry(graph, solver.derived_rules.labelling.state, memory)
        except TooLargeError as error:
            if number > limit:
                raise
            with contextlib.suppress(TooLargeError):
                return _derived(solver, question, memory, number)
            raise error from None
        if space is not None:
            return space._replace(known=number)
    return _derived(solver, question, memory, number)


def _derived(solver: Solver[StateT], question: Keywords, memory: int | None, number: int | None) -> Counted:
    """Return the space of all states, of which there may be a known number."""
    try:
        graph = solver.graph_to_count(question, functools.partial(make_ready, memory=memory_limit(memory)))
    except TooLargeError as error:
        advice = _LEVELS if error.what == "states" else _MORE_OR_LEVELS  # more memory allows no more states
        raise TooLargeError(error.states, error.most, error.exact, advice, error.what) from None
    space = derived_space(graph)
    entries = StatesOfEntries.plain(space.arrangements, space.ways)
    starts, classes = list(graph.starts), functools.partial(_classes, graph)
    return Counted(space_of(graph), starts, classes, known=number, entries=entries, written=graph.written)


def count_unlisted(solver: Solver[StateT], about: Keywords, question: Keywords, number: int) -> Count | None:
    """Count the states of another goal together with all others; see `Solver.count_unlisted`."""
    graph, memory = solver.graph_asked(about), question.get("memory")
    states, reduction = graph.number_of_states, graph.reduction
    if reduction.rotations or (states is not None and not _may_be_counted(states, memory)):
        return None
    if number <= variants.MOST_LISTED:
        has_table = solver.has_table(graph)
        labour = number * (_MOVES_A_LOOKUP if has_table else _MOVES_A_SEARCH)
        if (has_table and number <= FEW_LISTED) or states is None or states * len(graph.moves) > labour:
            return None
    try:
        return counted(among_all(solver, about, question["from_goal"], memory), question)
    except TooLargeError:
        if number > variants.MOST_LISTED:
            raise
        return None


def among_all(solver: Solver[StateT], question: Keywords, goal: object, memory: int | None) -> Counted:
    """Return the space of all states, and the states of another goal among them."""
    reduction, labelling = solver.graph_asked(question).reduction, solver.derived_rules.labelling
    if reduction.rotations:
        raise solver.only_listed()

    def state(place: Arrangement) -> StateT:
        return labelling.state(min((after(place, rotation) for rotation in reduction.merged), default=place))

    try:
        about = all_states(solver, question, memory)
    except TooLargeError as error:
        fewer = f"{FEWER_STATES}; few are counted one by one, without a cluster"
        advice = error.advice.replace(_LEVELS, fewer)  # no levels of these are counted
        raise TooLargeError(error.states, error.most, error.exact, advice, error.what) from None
    conditions = variants.conditions(solver.derived_rules, goal, metric=question.get("metric"))
    return about._replace(conditions=conditions, state=state)


def _classes(graph: DerivedGraph, ranks: NDArray[np.int64]) -> list[SymmetryClass]:
    """Return the symmetry classes among some ranks, each with the number of these states that it has."""
    reduction, state = graph.reduction, graph.labelling.state
    left = {graph.known.unrank(rank): rank for rank in ranks.tolist()}
    if len(left) == 1 or reduction.namings or reduction.rotated or reduction.rotations:
        return [SymmetryClass(state(place), 1, rank) for place, rank in left.items()]
    *_, group = groups_of(reduction, graph.definition_moves, graph.rules.definition.illegal, up_to_free=False)
    classes = []
    for place, rank in [*left.items()]:
        homes = [reduction.home(symmetry.image(place)) for symmetry in group.symmetries] if place in left else []
        images = {home[0] for home in homes if home} & left.keys()
        classes += [SymmetryClass(state(place), len(images), rank)] if images else []
        for image in images:
            del left[image]
    return classes


def _may_be_counted(number: int, memory: int | None) -> bool:
    """Return whether a number of states, up to as many symmetries as there may be, fit in some memory."""
    return number <= 4 * memory_limit(memory) * MOST_SYMMETRIES

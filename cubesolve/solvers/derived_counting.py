"""Counts of all states of puzzles that are given by a definition (needs numba)."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Generic

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.state import StateT
from cubesolve.errors import TooLargeError
from cubesolve.group.permutations import Arrangement, after
from cubesolve.group.symmetries import MOST_SYMMETRIES
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.machine import memory_limit
from cubesolve.solvers.counting import Count, Counted, CountedAmong, SymmetryClass, counted_among, up_to_symmetry
from cubesolve.solvers.counts import FEW_LISTED, FEWER_STATES
from cubesolve.spaces import variants
from cubesolve.spaces.defined import DerivedGraph
from cubesolve.spaces.derived import derived_space, make_ready
from cubesolve.spaces.members import StatesOfEntries
from cubesolve.spaces.representatives import groups_of

if TYPE_CHECKING:
    from cubesolve.solvers.derived import DerivedSolver

_LEVELS = "count the first levels (--levels)"  # advice
_MORE_OR_LEVELS = f"allow more memory with memory (--memory), or {_LEVELS}"  # likewise
_HOPELESS = 1 << 50  # states that no memory holds
_MANY = 1 << 22  # states that are counted up to symmetry; of fewer, a space is derived and counted in a second
_MOVES_A_LOOKUP, _MOVES_A_SEARCH = 1 << 15, 1 << 20  # that are counted while a state is looked up or searched for


class DerivedCounting(Generic[StateT]):
    """Counts the states of a puzzle for its solver."""

    def __init__(self, solver: DerivedSolver[StateT]) -> None:
        """Take the solver."""
        self._solver = solver

    def space(self, question: Mapping[str, object], memory: int | None) -> Counted:
        """Return the space of all states, up to symmetry if there are many."""
        graph = self._solver.graph_asked(question)
        number = graph.number_of_states
        if number is not None and number >= _MANY:
            most = 4 * memory_limit(memory)  # with two bits for each
            if not _may_be_counted(number, memory):
                raise TooLargeError(number, most, exact=True, advice=_MORE_OR_LEVELS if number < _HOPELESS else _LEVELS)
            try:
                found = up_to_symmetry(graph, self._solver.rules.labelling.state, memory)
            except TooLargeError as error:
                if number > most:
                    raise
                with contextlib.suppress(TooLargeError):
                    return self._derived(question, memory, number)
                raise error from None
            if found is not None:
                return found._replace(known=number)
        return self._derived(question, memory, number)

    def _derived(self, question: Keywords, memory: int | None, number: int | None) -> Counted:
        """Return the space of all states, of which there may be a known number."""
        try:
            graph = self._solver.graph_to_count(question, functools.partial(make_ready, memory=memory_limit(memory)))
        except TooLargeError as error:
            advice = _LEVELS if error.what == "states" else _MORE_OR_LEVELS  # more memory allows no more states
            raise TooLargeError(error.states, error.most, error.exact, advice, error.what) from None
        space = derived_space(graph)
        entries = StatesOfEntries.plain(space.arrangements, space.ways)
        about = self._solver.listed_to_count(graph)
        return about._replace(known=number, entries=entries, classes=functools.partial(_classes, graph))

    def count_unlisted(self, about: Keywords, question: Keywords, number: int) -> Count | None:
        """Count the states of another goal together with all others; see `Solver.count_unlisted`."""
        graph, memory = self._solver.graph_asked(about), question.get("memory")
        states, reduction = graph.number_of_states, graph.reduction
        if reduction.rotations or (states is not None and not _may_be_counted(states, memory)):
            return None
        if number <= variants.MOST_LISTED:
            has_table = self._solver.has_table(graph)
            labour = number * (_MOVES_A_LOOKUP if has_table else _MOVES_A_SEARCH)
            if (has_table and number <= FEW_LISTED) or states is None or states * len(graph.moves) > labour:
                return None

        try:
            return counted_among(self.among(about, question["from_goal"], memory), question)
        except TooLargeError:
            if number > variants.MOST_LISTED:
                raise
            return None

    def among(self, question: Keywords, goal: object, memory: int | None) -> CountedAmong:
        """Return the space of all states, and the states of another goal among them."""
        reduction, labelling = self._solver.graph_asked(question).reduction, self._solver.rules.labelling
        if reduction.rotations:
            raise self._solver.only_listed()

        def state(place: Arrangement) -> StateT:
            return labelling.state(min((after(place, each) for each in reduction.merged), default=place))

        try:
            about = self.space(question, memory)
        except TooLargeError as error:
            fewer = f"{FEWER_STATES}; few are counted one by one, without a cluster"
            advice = error.advice.replace(_LEVELS, fewer)  # no levels of these are counted
            raise TooLargeError(error.states, error.most, error.exact, advice, error.what) from None
        return CountedAmong(about, variants.conditions(self._solver.rules, goal, metric=question.get("metric")), state)


def _classes(graph: DerivedGraph, ranks: NDArray[np.int64]) -> list[SymmetryClass]:
    """Return the symmetry classes among some ranks, each with the number of these states that it has."""
    reduction, state = graph.reduction, graph.labelling.state
    left = {graph.known.unrank(rank): rank for rank in ranks.tolist()}
    if len(left) == 1 or reduction.namings or reduction.rotated or reduction.rotations:
        return [SymmetryClass(state(place), 1, rank) for place, rank in left.items()]
    *_, group = groups_of(reduction, graph.definition_moves, graph.rules.definition.illegal, up_to_free=False)
    found = []
    for place, rank in [*left.items()]:
        homes = [reduction.home(each.image(place)) for each in group.symmetries] if place in left else []
        images = {home[0] for home in homes if home} & left.keys()
        found += [SymmetryClass(state(place), len(images), rank)] if images else []
        for image in images:
            del left[image]
    return found


def _may_be_counted(number: int, memory: int | None) -> bool:
    """Return whether a number of states, up to as many symmetries as there may be, fit in some memory."""
    return number <= 4 * memory_limit(memory) * MOST_SYMMETRIES

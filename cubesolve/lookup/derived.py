"""Answers about puzzles that are only defined."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cubesolve.errors import CubesolveWarning, TableError
from cubesolve.lookup.distances import Distances
from cubesolve.lookup.graphs import Asked, GraphPuzzle
from cubesolve.lookup.limits import require_room, require_within, split
from cubesolve.notices import telling
from cubesolve.rules.defined import DerivedGraph, DerivedRules

if TYPE_CHECKING:
    from cubesolve.lookup.arrays import GraphArrays
    from cubesolve.lookup.tables import Body
    from cubesolve.rules.tables import TableEntry, TableHeader

AT_ONCE = 1 << 24
"""The number of states up to which a table that is missing is built when it is first needed."""


class DerivedPuzzle(GraphPuzzle):
    """A puzzle of which its moves are known; tables that are missing are built, if that takes a moment only."""

    rules: DerivedRules

    @property
    def states(self) -> int:
        """See `Puzzle.states`; of most puzzles it is known without a table, however many there are."""
        return self.rules.number_of_states or self.graph().states

    def graph(self, **question: Any) -> DerivedGraph:
        """See `GraphPuzzle.graph`; it is known what ranks stand for."""
        graph = super().graph(**question)
        assert isinstance(graph, DerivedGraph)  # as its rules have no others
        if not graph.is_ready:
            self._tables.offer(graph.coordinates_entry, functools.partial(self._build, graph.coordinates_entry))
            graph.use(self._tables.body(graph.coordinates_entry))
        if graph.states <= AT_ONCE:
            self._tables.offer(graph.entry, functools.partial(self._build, graph.entry))
        return graph

    def arrays_of(self, entry: TableEntry) -> GraphArrays:
        """See `Puzzle.arrays_of`."""
        return self._arrays_about(self.graph(metric=entry.header.metric))

    def usual_tables(self) -> Sequence[TableEntry]:
        """See `Puzzle.usual_tables`."""
        graph = self.graph()
        return [graph.coordinates_entry, graph.entry]

    def _build(self, entry: TableEntry) -> tuple[TableHeader, Body]:
        """Make a table that is missing, and keep it for the next time, if that can be."""
        from cubesolve.store.build import make, write  # noqa: PLC0415  # needs numba

        with telling(f"building {entry.name}, once"):
            header, body = make(self.rules, entry)
        try:
            write(entry, self._tables.directory, header, body)
        except TableError as error:
            warnings.warn(CubesolveWarning(f"{error}: it is made anew by every process"), stacklevel=2)
        return header, bytes(body)

    # -- Other goals ---------------------------------------------------------------------------------------------------

    def _ask(self, state: Any, goal: Any, question: dict[str, Any]) -> tuple[Asked, Distances, int]:
        if goal is None or self.rules.is_relabelled:
            return super()._ask(state, goal, question)
        named, search = split(question)
        graph = self.graph(**named)
        target, start = graph.rank(goal), graph.rank(state)
        distances = self._towards(graph, target)
        require_within(distances[start], search)
        return Asked(state, functools.partial(self._finish, state, goal)), distances, start

    def _finish(self, state: Any, goal: Any, alg: str) -> str:
        begin, end = (next(iter(self.rules.arrangements(self.rules.read(each)))) for each in (state, goal))
        return self.rules.finished(alg, begin, end)

    def _towards(self, graph: DerivedGraph, target: int) -> Distances:
        """The distances to a state that is not solved."""
        from cubesolve.engine.breadth_first import enumerate_depths  # noqa: PLC0415  # needs numba
        from cubesolve.spaces import space_of  # noqa: PLC0415

        key = graph.metric, target
        if self._other is None or self._other[0] != key:
            require_room(graph.states)
            with telling(f"looking at all {graph.states:,} states, once"):
                self._other = key, Distances(graph, enumerate_depths(space_of(graph), target).tobytes())
        return self._other[1]

    _other: tuple[tuple[str, int], Distances] | None = None

    def forget(self) -> None:
        """See `Puzzle.forget`."""
        super().forget()
        self._other = None


ANSWERS = DerivedPuzzle
"""What answers questions about the puzzles that name this module."""

"""Graphs of spaces without a puzzle, for questions about single states (no numpy before there is a space)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from cubesolve.spaces.rules import Graph, InArrays
from cubesolve.spaces.tables import TableEntry, TableHeader

if TYPE_CHECKING:
    from cubesolve.spaces.space import StateSpace


class PlainGraph(Graph):
    """States that are their ranks."""

    def __init__(self, states: int, neighbours: Callable[[int], Sequence[int]], starts: Sequence[int] = (0,)) -> None:
        self.states, self._neighbours = states, neighbours
        self.moves = [f"m{number}" for number in range(len(neighbours(0)))]
        self.entry = TableEntry(TableHeader("plain", "plain", "moves", "ranks", states, (), ""), tuple(starts))

    def rank(self, given: Any) -> int:
        return self.checked(given)

    def unrank(self, rank: int) -> int:
        return rank

    def neighbours(self, rank: int) -> Sequence[int]:
        return self._neighbours(rank)

    def in_arrays(self) -> InArrays:
        raise NotImplementedError


class SpaceGraph(PlainGraph):
    """The states of a space."""

    def __init__(self, space: StateSpace, starts: Sequence[int] = (0,)) -> None:
        import numpy as np

        self._space = space
        super().__init__(space.states, space.neighbours_of(np.arange(space.states)).tolist().__getitem__, starts)

    def in_arrays(self) -> InArrays:
        return InArrays(lambda: self._space, self._form)

    def _form(self) -> NoReturn:
        raise NotImplementedError

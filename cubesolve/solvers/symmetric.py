"""Distances and solutions of single states from a table up to symmetry (pure Python)."""

from __future__ import annotations

from collections.abc import Iterator

from cubesolve.encodings.byte.distances import Descents, Distances, wrong_distances
from cubesolve.permutations import Arrangement
from cubesolve.spaces.symmetric_graph import SymmetricGraph


class SymmetricDistances(Descents[Arrangement]):
    """The distances of arrangements, their reference pieces at home.

    A state is looked up as the state of an entry to which a symmetry leads, and the moves from there are those that the
    symmetry makes of its own. So solutions and their order are those of a table of all states.
    """

    def __init__(self, graph: SymmetricGraph, entries: Distances) -> None:
        """Take the graph of a table, and the distances of its entries."""
        super().__init__(graph.whole)
        self._symmetric, self._entries = graph, entries
        self._moves = graph.whole.reduction.moves

    def place(self, state: object) -> Arrangement:
        """Return the arrangement of a state that is given in any supported way; see `SymmetricGraph.place`."""
        return self._symmetric.place(state)

    def __getitem__(self, place: Arrangement) -> int:
        return self._entries[self._symmetric.known.find(place)[0]]

    def following(self, place: Arrangement) -> list[tuple[int, Arrangement]]:
        """Return the possible moves, by number, with the states after them."""
        made = ((move, self._symmetric.whole.moved(place, each)) for move, each in enumerate(self._moves))
        return [(move, there) for move, there in made if there is not None]

    def first_steps(self, place: Arrangement) -> list[tuple[int, Arrangement]]:
        """Return the optimal moves of a state, by number, with the states after them."""
        return list(self._steps(place))

    def step(self, place: Arrangement) -> tuple[int, Arrangement] | None:
        """Return the first of the moves that `first_steps` lists, with the state after it; None for a solved state."""
        return next(self._steps(place), None)

    def _steps(self, place: Arrangement) -> Iterator[tuple[int, Arrangement]]:
        entry, number = self._symmetric.known.find(place)
        optimal = {move for move, _ in self._entries.first_steps(entry)}
        images = self._symmetric.known.moves_after(number)
        for move, image in enumerate(images):
            if image in optimal:
                there = self._moves[move].apply(place)
                if there is None:
                    raise wrong_distances(self._symmetric)
                yield move, there

    def _first_steps(self, place: Arrangement, left: int) -> list[tuple[int, Arrangement]]:  # noqa: ARG002
        return self.first_steps(place)

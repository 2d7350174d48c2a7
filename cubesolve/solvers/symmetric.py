"""Distances and solutions of single states from a table up to symmetry (pure Python)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cubesolve.encodings.byte.distances import Descents, Distances, wrong_distances
from cubesolve.encodings.residues import AS_OFTEN, RARE
from cubesolve.permutations import Arrangement
from cubesolve.spaces.symmetric_graph import SymmetricGraph

if TYPE_CHECKING:
    import random


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

    def at(self, depth: int) -> Iterator[Arrangement]:
        """Yield the states at a depth, in the order of the entries that stand for them."""
        known = self._symmetric.known
        for entry in self._entries.at(depth):
            for image in dict.fromkeys(known.images(entry)):
                if known.find(image)[0] == entry:  # several entries may stand for a state
                    yield image

    def random_at(self, depth: int, counts: Sequence[int], source: random.Random) -> Arrangement:
        """Return a uniformly random state at a depth: an image of an entry that is drawn by its number of states.

        Args:
            depth: the depth.
            counts: the number of states at each depth.
            source: the source of random numbers.

        Raises:
            CorruptTableError: the table has no states at the depth.
        """
        known, most = self._symmetric.known, self._symmetric.known.symmetries
        entries: Iterable[int]
        if counts[depth] * RARE < known.entries * most:
            at_depth = [*self._entries.at(depth)]
            entries = source.choices(at_depth, [*map(known.weight, at_depth)]) if at_depth else ()
        else:
            drawn = (source.randrange(known.entries) for _ in range(AS_OFTEN * RARE))
            entries = (entry for entry in drawn if self._entries[entry] == depth)
            entries = (entry for entry in entries if source.randrange(most) < known.weight(entry))
        for entry in entries:
            return source.choice(known.images(entry))
        raise wrong_distances(self._symmetric)

    def following(self, place: Arrangement) -> list[tuple[int, Arrangement]]:
        """Return the possible moves, by number, with the states after them."""
        made = ((move, self._symmetric.whole.moved(place, each)) for move, each in enumerate(self._moves))
        return [(move, there) for move, there in made if there is not None]

    def is_solved(self, place: Arrangement) -> bool:
        """Return whether a state is solved."""
        return self._entries.is_solved(self._symmetric.known.find(place)[0])

    def step(self, place: Arrangement) -> tuple[int, Arrangement] | None:
        """Return the first of the moves that `first_steps` lists, with the state after it; None for a solved state."""
        entry, number = self._symmetric.known.find(place)
        return next(self._images(place, number, self._entries.first_steps(entry)), None)

    def first_steps(self, place: Arrangement) -> list[tuple[int, Arrangement]]:
        """Return the optimal moves of a state, by number, with the states after them."""
        entry, number = self._symmetric.known.find(place)
        return [*self._images(place, number, self._entries.first_steps(entry))]

    def _first_steps(self, place: Arrangement, left: int) -> list[tuple[int, Arrangement]]:  # noqa: ARG002
        return self.first_steps(place)

    def steps_left(self, place: Arrangement, left: int) -> tuple[int, list[tuple[int, Arrangement]]]:
        """Return the number of moves of cost 0 before the next one that costs, or the end, and the optimal moves."""
        entry, number = self._symmetric.known.find(place)
        free, steps = self._entries.steps_left(entry, left)
        return free, [*self._images(place, number, steps)]

    def _images(
        self, place: Arrangement, number: int, steps: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, Arrangement]]:
        """Yield the moves of a state, in their order, that a symmetry makes of moves of its entry."""
        optimal = {move for move, _ in steps}
        for move, image in enumerate(self._symmetric.known.moves_after(number)):
            if image in optimal:
                there = self._moves[move].apply(place)
                if there is None:
                    raise wrong_distances(self._symmetric)
                yield move, there

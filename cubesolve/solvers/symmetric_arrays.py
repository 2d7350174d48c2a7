"""Answers about many states at once, from a table up to symmetry (numpy)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.encodings.byte.descent import NO_MOVE
from cubesolve.encodings.byte.distances import wrong_distances
from cubesolve.solvers.arrays import NO_DEPTH, GraphArrays, Random, Solutions, answer_batch, require_few_moves
from cubesolve.spaces.rows import Rows
from cubesolve.spaces.symmetric_graph import SymmetricGraph
from cubesolve.spaces.symmetric_tables import SymmetricBatch, entries_of
from cubesolve.store.tables import Tables


class SymmetricArrays(GraphArrays):
    """Answers about arrays of states, of which those that symmetries map to one another have one entry."""

    def __init__(self, graph: SymmetricGraph, tables: Tables, whole: Callable[[], GraphArrays]) -> None:
        """Take the graph, the tables with its distances, and a function that returns the answers about all states."""
        super().__init__(graph, tables)
        self._whole = whole
        self._entries = entries_of(graph)
        self._costs = np.array(graph.costs or [1] * len(graph.moves), np.uint8)

    def solve(self, given: Any, invalid: str, workers: int | None) -> Solutions:
        """Return an optimal solution of each state of a batch: the one that `solve` returns."""
        require_few_moves(self.graph.moves)
        batch, longest = cast("SymmetricBatch", self._batch(given)), self.longest
        moves = np.full((len(batch), longest), NO_MOVE, np.uint8)
        lengths = np.empty(len(batch), np.uint8)

        def answer(ranks: NDArray[np.int64], _: NDArray[np.uint8], depths: NDArray[np.uint8]) -> None:
            self.probe.find_depths(ranks, depths)

        def finish(part: slice, moves: NDArray[np.uint8]) -> None:
            self._descend(batch.home_labels(part), moves, lengths[part])
            batch.hold_moves(part, moves)

        results: list[tuple[NDArray[Any], int]] = [(moves, NO_MOVE), (lengths, NO_DEPTH)]
        answer_batch(batch, answer, results, invalid, workers, finish)
        return Solutions(moves.reshape(*batch.shape, longest), lengths.reshape(batch.shape))

    def sample(self, number: int, depth: ArrayLike | None, rng: Random) -> NDArray[np.integer]:
        """Draw states uniformly at random, from the table of all states."""
        return self._whole().sample(number, depth, rng)

    def _descend(self, rows: Rows, moves: NDArray[np.uint8], depths: NDArray[np.uint8]) -> None:
        """Find the first optimal solution of each state, in the order of its own moves.

        Args:
            rows: the labels of the states, reference pieces at home; replaced by other states.
            moves: the output.
            depths: the depths, replaced by the number of moves; 255 stays.

        Raises:
            CorruptTableError: the depths lead to no solved state.
        """
        going, left = np.flatnonzero((depths > 0) & (depths != NO_DEPTH)), depths.copy()
        depths[going] = 0
        for step in moves.T:
            if not len(going):
                return
            here = rows[going]
            leads = np.empty((len(going), len(self._costs)), np.bool_)
            entries, maps = self._entries.find(here)
            self.probe.lead_down(len(going))(entries, leads)
            self._entries.hold_leads(maps, leads)
            if not leads.any(axis=1).all():
                break
            step[going] = first = leads.argmax(axis=1)
            self._entries.go(here, first)
            rows[going] = here
            depths[going] += 1
            left[going] -= self._costs[first]
            going = going[left[going] > 0]
        if len(going):
            raise wrong_distances(self.graph)

"""Answers about many states at once, from a table up to symmetry (numpy)."""

from __future__ import annotations

import functools
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.descent import NO_MOVE
from cubesolve.encodings.byte.distances import wrong_distances
from cubesolve.encodings.probe import drawn_at, first_drawn
from cubesolve.encodings.residues import RARE
from cubesolve.solvers.arrays import NO_DEPTH, GraphArrays, Solutions, answer_batch, rank_type, require_few_moves
from cubesolve.spaces import form_of
from cubesolve.spaces.derived import DerivedForm, at_home, derived_space, is_derivable
from cubesolve.spaces.rows import Rows
from cubesolve.spaces.symmetric_graph import SymmetricGraph
from cubesolve.spaces.symmetric_tables import SymmetricBatch, entries_of
from cubesolve.store.tables import Tables

_CHUNK = 1 << 16


class SymmetricArrays(GraphArrays):
    """Answers about arrays of states, of which those that symmetries map to one another have one entry."""

    def __init__(self, graph: SymmetricGraph, tables: Tables) -> None:
        """Take the graph, and the tables with its distances."""
        super().__init__(graph, tables)
        self._whole = graph.whole
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

    def states(self, entries: NDArray[np.int64]) -> NDArray[np.integer]:
        """Return the states that the graph has for some entries, as the numbers of the labels on their points."""
        return self._listed(entries, np.zeros(len(entries), np.int64))

    def weights(self, entries: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of states for which each entry stands, divided by that of the entries that do."""
        return self._entries.weights(entries)

    def _drawn(self, number: int, source: np.random.Generator) -> NDArray[np.integer]:
        """Draw from all states."""
        if self._ranks:
            return source.integers(self._ranks, size=number, dtype=rank_type(self._ranks))
        return self._images(self._drawn_entries(number, source), source)

    def _drawn_at(self, wanted: NDArray[np.integer], source: np.random.Generator) -> NDArray[np.integer]:
        """Draw states at some depths."""
        entries = drawn_at(wanted, lambda depth, number: self._drawn_entries(number, source, depth))
        return self._images(entries, source)

    @functools.cached_property
    def _ranks(self) -> int:
        """The number of states, if these have ranks because a table could have all of them; else 0."""
        number = self._whole.number_of_states or 0
        return number if number <= self._whole.most_in_table and is_derivable(self._whole) else 0

    def _images(self, entries: NDArray[np.int64], source: np.random.Generator) -> NDArray[np.integer]:
        """Return the state of each entry under a random symmetry: its rank, or its labels if states have no ranks."""
        states = self._listed(entries, source.integers(self._entries.symmetries, size=len(entries)))
        if not self._ranks:
            return states
        derived_space(self._whole)  # which makes it ready
        return GraphArrays(self._whole, self._tables).ranks(states, "raise", None)

    def _listed(self, entries: NDArray[np.int64], symmetries: NDArray[np.int64]) -> NDArray[np.integer]:
        """Return the state of each entry under a symmetry, as the numbers of the labels on its points."""
        rows = self._entries.images(entries, symmetries)
        return cast("DerivedForm", form_of(self.graph)).numbers_of(at_home(self._whole, rows))

    def _drawn_entries(self, number: int, source: np.random.Generator, depth: int | None = None) -> NDArray[np.int64]:
        """Return random entries at a depth, or of all, each as often as it has states.

        Raises:
            CorruptTableError: the table is not that of the graph.
        """
        entries, most = self.graph.states, self._entries.symmetries
        if depth is not None and self.probe.counts[depth] * RARE < entries * most:
            parts = (np.arange(first, min(first + _CHUNK, entries)) for first in range(0, entries, _CHUNK))
            listed = np.concatenate([each[self._depths(each) == depth] for each in parts])
            ends = np.cumsum(self._entries.weights(listed))
            if not len(ends):
                raise wrong_distances(self.graph)
            return listed[np.searchsorted(ends, source.integers(ends[-1], size=number), "right")]

        def some() -> NDArray[np.int64]:
            drawn = source.integers(entries, size=_CHUNK)
            drawn = drawn[source.integers(most, size=_CHUNK) < self._entries.weights(drawn)]
            return drawn if depth is None else drawn[self._depths(drawn) == depth]

        return first_drawn(number, some, _CHUNK, self.graph)

    def _depths(self, entries: NDArray[np.int64]) -> NDArray[np.uint8]:
        depths = np.empty(len(entries), np.uint8)
        self.probe.find_depths(entries, depths)
        return depths

    def _descend(self, rows: Rows, moves: NDArray[np.uint8], depths: NDArray[np.uint8]) -> None:
        """Find the first optimal solution of each state, in the order of its own moves.

        Args:
            rows: the labels of the states, reference pieces at home; replaced by other states.
            moves: the output.
            depths: the depths, replaced by the number of moves; 255 stays.

        Raises:
            CorruptTableError: the depths lead to no solved state.
        """
        has_free = self.graph.has_free_moves  # then a state at depth 0 need not be solved
        going, left = np.flatnonzero(((depths > 0) | has_free) & (depths != NO_DEPTH)), depths.copy()
        depths[going] = 0
        for step in moves.T:
            if not len(going):
                return
            here = rows[going]
            leads = np.empty((len(going), len(self._costs)), np.bool_)
            entries, maps = self._entries.find(here)
            self.probe.lead_down(len(going))(entries, leads)
            self._entries.hold_leads(maps, leads)
            some = leads.any(axis=1)
            if left[going[~some]].any():
                break
            here, going, leads = here[some], going[some], leads[some]
            step[going] = first = leads.argmax(axis=1)
            self._entries.go(here, first)
            rows[going] = here
            depths[going] += 1
            left[going] -= self._costs[first]
            going = going[(left[going] > 0) | has_free]
        if left[going].any():
            raise wrong_distances(self.graph)

"""Building, proving and probing tables with one byte per entry (numpy)."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte import batch, descent
from cubesolve.encodings.byte.batch import ByteSteps
from cubesolve.encodings.byte.distances import wrong_distances
from cubesolve.encodings.byte.enumeration import Depths, distribution, enumerate_levels
from cubesolve.encodings.byte.proof import find_fault
from cubesolve.encodings.encoding import require_counts
from cubesolve.encodings.methods import Descend, ExactMethods, LeadDown, Probe
from cubesolve.errors import CorruptTableError, CubesolveError
from cubesolve.spaces import space_of
from cubesolve.spaces.batches import SMALL
from cubesolve.spaces.rules import Graph, Rules
from cubesolve.spaces.space import Checkpointer, Levels, Progress
from cubesolve.spaces.tables import UNREACHABLE, Fold, TableEntry, TableHeader


def folded(depths: Depths, fold: Fold) -> Depths:
    """Return the least depth of each set of states.

    >>> folded(np.array([4, 5, 3, 6], np.uint8), Fold("all", height=2, width=2)).tolist()
    [3, 5]
    """
    least: Depths = depths.reshape(-1, fold.height, fold.width).min(axis=1).reshape(-1)
    return least


def require_folded(least: Depths, depths: Depths, fold: Fold, path: str, pattern: Callable[[int], str]) -> None:
    """Require that each entry is the least depth of its states.

    Raises:
        CorruptTableError: an entry is wrong.
    """
    by_entry = depths.reshape(-1, fold.height, fold.width)
    claimed = least.reshape(len(by_entry), 1, -1)
    wrong = np.flatnonzero(~((by_entry == claimed).any(axis=1) & (by_entry >= claimed).all(axis=1)))
    if len(wrong):
        first = int(wrong[0])
        reason = f"pattern {first} ({pattern(first)}) has depth {least[first]}"
        raise CorruptTableError(path, f"{reason}, which is not that of its nearest state (wrong entries: {len(wrong)})")


class ByteProbe(Probe):
    """Answers about arrays of states from depths in bytes."""

    counts_all = True
    _solved = 0  # states, of large batches

    def find_depths(self, ranks: NDArray[np.int64], depths: NDArray[np.uint8]) -> None:
        """Fill depths, uint8 (N,); 255 if no start can be reached."""
        np.take(self.body, ranks, out=depths, mode="clip")  # all are in range, but the other modes are slower

    def descend(self, rows: int) -> Descend:
        """Return a function that finds the first optimal solution of each of a number of states."""
        if self.graph.has_free_moves:
            return functools.partial(descent.descend, space_of(self.graph), self.body, free=self._free)
        if rows > SMALL:
            self._solved += rows
            if self.graph.states <= min(_MOST_FIRST_MOVES, self._solved * _WORTH_FIRST_MOVES):
                return functools.partial(batch.follow, steps_of(self.graph), self._first_moves)
            return functools.partial(batch.descend, steps_of(self.graph), self.depths)
        return functools.partial(descent.descend, space_of(self.graph), self.body)

    def lead_down(self, rows: int) -> LeadDown:
        """Return a function that finds the optimal moves of each of a number of states."""
        if self.graph.has_free_moves:
            return functools.partial(descent.lead_down, space_of(self.graph), self.body, free=self._free)
        if rows > SMALL:
            return functools.partial(batch.lead_down, steps_of(self.graph), self.depths)
        return functools.partial(descent.lead_down, space_of(self.graph), self.body)

    def count_solutions(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state."""
        space, free = space_of(self.graph), self._free if self.graph.has_free_moves else None
        pieces = (ranks[start : start + SMALL] for start in range(0, max(len(ranks), 1), SMALL))
        counts = np.concatenate([descent.count_solutions(space, self.body, piece, free) for piece in pieces])
        if ((counts == 0) & (self.body[ranks] != UNREACHABLE)).any():
            raise wrong_distances(self.graph)
        return counts

    def count_all_solutions(self, workers: int | None) -> NDArray[np.int64]:
        """Return the number of optimal solutions of every state, int64 (states,)."""
        space = space_of(self.graph)
        if self.graph.has_free_moves:
            return descent.count_all_solutions(space, self.depths, self._free)
        if space.is_small:
            return descent.count_all_solutions(space, self.depths)
        return batch.count_solutions(steps_of(self.graph), self.depths, workers)

    @functools.cached_property
    def longest(self) -> int:
        """The largest number of moves of a solution that `descend` finds, or an upper bound of it."""
        if not self.graph.has_free_moves:
            return super().longest
        found = descent.most_moves(space_of(self.graph), self.depths, self._free)
        if found >= UNREACHABLE:
            raise self._too_long()
        return found

    @functools.cached_property
    def _free(self) -> descent.Free:
        found = descent.free_before(space_of(self.graph), self.depths, list(self.graph.starts))
        if found is None:
            raise self._too_long()
        return found

    def _too_long(self) -> CubesolveError:
        message = f"{self.graph.entry.name} has solutions of more than {UNREACHABLE - 1} moves, as some cost 0"
        return CubesolveError(f"{message}: solve the states one by one")

    def at_depths(self, wanted: NDArray[np.integer], source: np.random.Generator) -> NDArray[np.integer]:
        """Return random ranks at depths, each of which has states."""
        counts = np.array(self.counts)
        firsts = np.cumsum(counts) - counts
        ranks, by_depth = np.empty(len(wanted), np.int32), self.by_depth
        for start in range(0, len(wanted), _CHUNK):
            piece = wanted[start : start + _CHUNK]
            ranks[start : start + _CHUNK] = by_depth[firsts[piece] + source.integers(counts[piece])]
        if (self.body[ranks] != wanted).any():
            raise wrong_distances(self.graph)
        return ranks

    @functools.cached_property
    def by_depth(self) -> NDArray[np.int32]:
        """Int32 (states,): the ranks, those of the smallest depth first."""
        return np.argsort(self.body, kind="stable").astype(np.int32)

    @functools.cached_property
    def _first_moves(self) -> NDArray[np.uint8]:
        return batch.first_moves(steps_of(self.graph), self.depths)

    @functools.cached_property
    def depths(self) -> NDArray[np.uint8]:
        """The depths of all states by rank, proved, so that kernels can follow them without checks.

        A table that is not pinned is proved first.
        """
        if not self.graph.entry.header.sha256:
            space = space_of(self.graph)
            fault = find_fault(space, self.body, self.graph.starts)
            if fault or distribution(self.body, space) != self.counts:
                raise wrong_distances(self.graph)
        return self.body


_CHUNK = 1 << 16
_MOST_FIRST_MOVES = 1 << 27  # bytes
_WORTH_FIRST_MOVES = 16  # descending from a state takes longer than finding the first moves of this many


@functools.lru_cache(maxsize=4)
def steps_of(graph: Graph) -> ByteSteps:
    """Return the moves of a graph for kernels."""
    return ByteSteps.of(space_of(graph))


class ByteMethods(ExactMethods):
    """Methods for arrays of depths; a table of least depths is a fold of another table, which is made and proved."""

    def make(
        self,
        rules: Rules,
        entry: TableEntry,
        progress: Progress | None,
        workers: int | None,
        checkpointer: Checkpointer | None,
    ) -> Levels:
        """Make the body of a table, and prove it right unless its digest is pinned."""
        if entry.fold is None:
            return super().make(rules, entry, progress, workers, checkpointer)
        depths, _ = self.make(rules, rules.table(entry.fold.table), progress, workers, None)
        least = folded(depths, entry.fold)
        return least, distribution(least)

    def verify(
        self,
        rules: Rules,
        entry: TableEntry,
        claimed: TableHeader,
        body: NDArray[np.uint8],
        path: str,
        workers: int | None,
    ) -> None:
        """Prove that every entry of a table and the distribution in its header are right."""
        if entry.fold is None:
            super().verify(rules, entry, claimed, body, path, workers)
            return
        depths, _ = self.make(rules, rules.table(entry.fold.table), None, workers, None)
        require_folded(body, depths, entry.fold, path, lambda number: rules.pattern(entry, number))
        require_counts(distribution(body), claimed, path)


METHODS = ByteMethods(
    enumerate_levels,
    lambda space, starts, body, workers: (find_fault(space, body, starts, workers), distribution(body, space)),
    ByteProbe,
)

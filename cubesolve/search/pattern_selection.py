"""Pattern selection: choosing the projections that are worth most for the memory of their tables (numpy)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.errors import NoMemoryError
from cubesolve.spaces import space_of
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.derived import derived_space, make_ready, refused
from cubesolve.spaces.projections import Distinguished, Projection, covering, kinds, mixtures
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import TableEntry
from cubesolve.store.build import remove
from cubesolve.store.tables import Tables

ENOUGH = 1 << 20
"""The bytes for tables that suffice for most puzzles."""

_DERIVING, _BESIDES = 2, 1 << 25  # deriving a projection may take this part of the memory for tables, and so many bytes
_ARRAYS = 1 << 22  # bytes of the arrays of moves of a projection that do not count
_WORTH = 0.05  # moves by which a table must increase the mean bound
_FEWEST = 1 << 8  # states of a projection
_LARGEST_MIXTURE = 1 << 22  # states of projections that together cover all pieces; larger ones are derived too slowly
_TRIED = 4  # projections that together cover all pieces
_SAMPLE = 2_000  # states of the sample,
_WALK = 500  # each after this many random moves from the solved state

_Moves = NDArray[np.int64]


class Candidates:
    """Candidate projections. Each table is written as soon as it is made, and not made again by any process."""

    def __init__(
        self,
        project: Callable[[Distinguished], Projection],
        make_ready: Callable[[Projection], None],  # makes the tables of a projection, if they are missing
        tables: Tables,
        memory: int,  # bytes of the tables and of large arrays of moves
    ) -> None:
        self._memory = memory // _DERIVING + _BESIDES
        self._project, self._make_ready, self._tables = project, make_ready, tables
        self._entries = dict[Distinguished, Sequence[TableEntry]]()
        self.sizes = dict[Distinguished, int]()

    def build_all(self, cover: Sequence[Distinguished], memory: int) -> bool:
        """Make the tables of some projections; return whether they fit in memory."""
        if sum(self._project(distinguished).graph().number_of_states or 0 for distinguished in cover) > memory:
            return False
        room = memory
        for distinguished in cover:
            if not self.build(distinguished, room):
                return False
            room -= self.sizes[distinguished]
        return True

    def build(self, distinguished: Distinguished, most: int) -> bool:
        """Make the tables of a projection; return whether its table and large arrays have at most some bytes."""
        projection = self._project(distinguished)
        graph = projection.graph()
        number = graph.number_of_states
        if number is not None and number > most:
            return False
        is_made = graph.is_ready or self._tables.has(graph.coordinates_entry)
        if not is_made and refused(make_ready, graph, most, self._memory):
            return False
        if is_made:
            self._make_ready(projection)
        size = graph.states + max(derived_space(graph).arrays.nbytes - _ARRAYS, 0)
        if size > most:
            return False
        entries = self._entries[distinguished] = graph.coordinates_entry, graph.entry
        if not all(map(self._tables.has, entries)):
            self._make_ready(projection)
            self._tables.body(graph.entry)
        self.sizes[distinguished] = size
        self._release(graph, entries)
        return True

    def bounds(self, distinguished: Distinguished, walk: _Moves) -> NDArray[np.uint8]:
        """Return the distances of the projections of random states."""
        projection = self._project(distinguished)
        self._make_ready(projection)
        graph = projection.graph()
        depths = np.frombuffer(self._tables.body(graph.entry), np.uint8)
        bounds: NDArray[np.uint8] = depths[_walked(derived_space(graph).arrays, walk)]
        self._release(graph, self._entries[distinguished])
        return bounds

    def keep(self, chosen: Collection[Distinguished]) -> None:
        """Remove the tables of all other candidates."""
        kept = {entry for distinguished in chosen for entry in self._entries[distinguished]}
        for entry in itertools.chain.from_iterable(self._entries.values()):
            if entry not in kept:
                self._tables.drop(entry)
                remove(entry, self._tables.directory)

    def _release(self, graph: DerivedGraph, entries: Sequence[TableEntry]) -> None:
        """Release the memory of the space of a candidate, and of the tables that files have."""
        space_of.cache_clear()
        graph.forget()  # its rules and it refer to each other, so it is freed late
        for entry in entries:
            self._tables.release(entry)


def choose(graph: DerivedGraph, candidates: Candidates, memory: int) -> list[Distinguished]:
    """Return the projections whose tables are worth most for the memory.

    Together they distinguish the places and orientations of all pieces. Further ones are added as long as they increase
    the bounds of random states.
    """
    pieces = kinds(graph.reduction.solved[0], graph.reduction.moves)
    limit = memory // 2
    any_label = frozenset({frozenset({graph.reduction.solved[0][0]})})  # where no move changes what is visible
    while limit >= _FEWEST:
        limit //= 2
        cover = covering(pieces, limit) or [any_label]
        if candidates.build_all(cover, memory):
            break
    else:
        enough = f": {ENOUGH:,} are" if memory < ENOUGH else ""
        raise NoMemoryError(f"{memory:,} bytes are not enough for tables of the {graph.rules.title}{enough}")
    room, sizes = memory - sum(candidates.sizes[distinguished] for distinguished in cover), candidates.sizes
    mixed = mixtures(pieces, min(limit, _LARGEST_MIXTURE))[:_TRIED]
    mixed = [distinguished for distinguished in mixed if candidates.build(distinguished, min(room, limit))]
    # All tables are made before the first is used: repeating the rest takes no longer than opening them.
    walk = np.random.default_rng(20260711).integers(0, len(graph.reduction.moves), (_WALK, _SAMPLE))
    chosen = {distinguished: candidates.bounds(distinguished, walk) for distinguished in cover}
    for distinguished in mixed:
        if sizes[distinguished] > room:
            continue
        best, one = np.max(list(chosen.values()), axis=0), candidates.bounds(distinguished, walk)
        if np.maximum(best, one).mean() > best.mean() + _WORTH:
            chosen[distinguished] = one
            room -= sizes[distinguished]
    candidates.keep(chosen)
    return sorted(chosen, key=lambda distinguished: -float(chosen[distinguished].mean()))


def _walked(space: StateSpace, walk: _Moves) -> _Moves:
    """Return the ranks after random moves; impossible ones are skipped."""
    ranks = np.zeros(walk.shape[1], np.int64)
    for moves in walk:
        a, b = np.divmod(ranks, space.width)
        rows = space.base[moves, a]  # a projection keeps rows together
        ends = rows.astype(np.int64) * space.width + space.fibre[space.action[moves, a], b]
        ranks = np.where(rows >= 0, ends, ranks)
    return ranks

"""Selecting, making and opening the tables of a search (needs numba)."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Callable, Iterable, Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.sliding import Sliding
from cubesolve.encodings import enumeration, mod3_proof
from cubesolve.encodings.counting import LeastDepths
from cubesolve.encodings.enumeration import distribution
from cubesolve.encodings.kernels import write_depth
from cubesolve.encodings.making import made_of
from cubesolve.errors import CorruptTableError
from cubesolve.group.permutations import Arrangement, arrangement
from cubesolve.runtime.kernels import compile_meanwhile
from cubesolve.runtime.notices import notifying
from cubesolve.search.additive import (
    choose_parts,
    contracted_space,
    entries_of,
    fits,
    has_regions,
    known_pieces,
    open_parts,
    search_kernel,
    start_of,
)
from cubesolve.search.gaps import Gaps, GapSolver
from cubesolve.search.ida_star import Opened, Projected, ProjectedSolver, deepen
from cubesolve.search.pattern_selection import Candidates, choose
from cubesolve.spaces.batches import SMALL
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.derived import Ranking, derived_space, find_ranks
from cubesolve.spaces.projections import Distinguished, Projection
from cubesolve.spaces.rows import Rows
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import BYTE_DEPTHS, TableEntry, TableHeader
from cubesolve.store import build
from cubesolve.store.build import headed
from cubesolve.store.tablefile import digest
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    from cubesolve.store.tables import Body


class Opening:
    """Opens the search for a puzzle; selects and makes missing tables."""

    def __init__(
        self,
        graph: DerivedGraph,
        tables: Tables,
        solved: Sequence[Arrangement],
        puzzle: Sliding | None,
        gaps: Gaps | None,
    ) -> None:
        """Take the puzzle: its pieces, if it is a sliding one, and its pairs, if the gap heuristic beats tables."""
        self._graph, self._tables, self._solved = graph, tables, solved
        self._sliding, self._gaps = puzzle, gaps

    def open(self, memory: int) -> Opened:
        """Return the search with tables of at most `memory` bytes."""
        if self._gaps:
            return Opened(GapSolver(self._gaps), lambda rows: rows.astype(np.int64))
        if self._sliding:
            return self._open_parts(self._sliding, memory)
        return self._open_projections(memory)

    def _open_projections(self, memory: int) -> Opened:
        entry = self._graph.choice_entry("projections", memory)
        self._tables.offer(entry, lambda: self._choose(entry, memory))
        labels = {*self._graph.reduction.solved[0]}
        choice = self._read_choice(entry, lambda given: given and all(_are_sets(sets, labels) for sets in given))
        projections = [self._projection(frozenset(map(frozenset, distinguished))) for distinguished in choice]
        for projection in projections:
            self.ready(projection)
        tables = self._taken([projection.graph().entry for projection in projections])
        spaces = [derived_space(projection.graph()) for projection in projections]
        for projection in projections:
            self._tables.release(projection.graph().coordinates_entry)
        finders = [RowRanks(projection, self._solved) for projection in projections]
        return open_databases(
            self._graph,
            [[Projected(space.arrays, table)] for space, table in zip(spaces, tables, strict=True)],
            lambda rows: np.stack([find(rows) for find in finders], axis=1),
            self._solved,
            [space.arrays for space in spaces],
        )

    def _taken(self, entries: Sequence[TableEntry]) -> list[NDArray[np.uint8]]:
        """Return tables as parts of one array, which a search uses as it is; the largest is made or read first."""
        sizes = [entry.header.entries for entry in entries]
        parts = np.split(np.empty(sum(sizes), np.uint8), np.cumsum(sizes)[:-1])
        for part, entry in sorted(zip(parts, entries, strict=True), key=lambda each: -len(each[0])):
            part[:] = np.frombuffer(self._tables.body(entry), np.uint8)
            self._tables.drop(entry)
        return parts

    def _projection(self, distinguished: Distinguished) -> Projection:
        return Projection.of(self._graph, distinguished, self._solved)

    def ready(self, projection: Projection) -> None:
        """Make the coordinates and the table of a projection, if they are missing."""
        graph = projection.graph()
        self._offer(projection, graph.coordinates_entry)
        body = self._tables.body(graph.coordinates_entry)  # also if they are known: this keeps the file
        if not graph.is_ready:
            graph.use(body)
        self._offer(projection, graph.entry)

    def _offer(self, projection: Projection, entry: TableEntry) -> None:
        self._tables.offer(entry, lambda: build.built(projection, entry, self._tables.directory))

    def _choose(self, entry: TableEntry, memory: int) -> tuple[TableHeader, Body]:
        compile_meanwhile(deepen)
        candidates = Candidates(self._projection, self.ready, self._tables, memory)
        with notifying(f"choosing projections of the {self._graph.rules.title} and building their tables, once"):
            distinguished = choose(self._graph, candidates, memory)
        return self._keep_choice(entry, [sorted(map(sorted, pattern)) for pattern in distinguished])

    def _keep_choice(self, entry: TableEntry, choice: Sequence[Any]) -> tuple[TableHeader, Body]:
        body = json.dumps(choice).encode()
        header = entry.header._replace(entries=len(body), sha256=digest(body))
        build.keep(entry, self._tables.directory, header, memoryview(body))
        return header, body

    def _read_choice(self, entry: TableEntry, is_right: Callable[[Any], object]) -> list[Any]:
        """Return the selection in a file; one that does not match its puzzle is corrupt."""
        body = bytes(self._tables.body(entry))
        with contextlib.suppress(ValueError, TypeError, RecursionError):
            choice: list[Any] = json.loads(body)
            if is_right(choice):
                return choice
        raise CorruptTableError(entry.name, "the choice does not match its puzzle")

    # -- Sliding puzzles -----------------------------------------------------------------------------------------------

    def _open_parts(self, puzzle: Sliding, memory: int) -> Opened:
        choice = self._graph.choice_entry("parts", memory)
        self._tables.offer(choice, lambda: self._choose_parts(choice, puzzle, memory))
        labels = {*puzzle.solved} - {puzzle.gap}

        def is_partition(sets: Any) -> bool:
            sizes = [*map(len, sets)]
            return _are_sets(sets, labels) and sum(sizes) == len(labels) and fits(puzzle, sizes, memory)

        parts = [*map(tuple, self._read_choice(choice, is_partition))]
        tables = self._taken([self.part_entry(puzzle, part) for part in parts])
        contracted_space.cache_clear()
        return open_parts(puzzle, parts, tables, self._graph.canonical.following)

    def _choose_parts(self, entry: TableEntry, puzzle: Sliding, memory: int) -> tuple[TableHeader, Body]:
        compile_meanwhile(search_kernel(puzzle))
        with notifying(f"choosing a partition of the pieces of the {self._graph.rules.title}, once"):
            return self._keep_choice(entry, choose_parts(puzzle, memory))

    def part_entry(self, puzzle: Sliding, part: tuple[int, ...]) -> TableEntry:
        """Return the table of the moves of some pieces; a missing one is made."""
        pieces, labels = known_pieces(puzzle, len(part)), "-".join(map(str, part))
        what = "moves" if has_regions(pieces) else "least-moves"
        scheme = f"{what.replace('-', ' ')} of {labels} {self._graph.digest}"
        entry = self._graph.search_entry(f"{what}-of-{labels}", scheme, BYTE_DEPTHS, entries_of(pieces))

        def make() -> tuple[TableHeader, memoryview]:
            space, start = contracted_space(puzzle, len(part)), start_of(puzzle, part)
            if has_regions(pieces):
                return build.make_distances(entry, space, start)
            return make_least(entry, space, start, pieces.first_regions)

        self._tables.offer(entry, lambda: build.build_once(entry, self._tables.directory, make))
        return entry


def open_databases(
    graph: DerivedGraph,
    groups: Sequence[Sequence[Projected]],
    ranks: Callable[[Rows], NDArray[np.int64]],
    solved: Sequence[Arrangement],
    spaces: Sequence[StateSpace] = (),
) -> Opened:
    """Return the search of a puzzle with groups of pattern databases, given the ranks of rows in all of them."""
    ends, costs = ranks(np.array([list(state) for state in solved])), [move.cost for move in graph.reduction.moves]
    solver = ProjectedSolver(groups, ends[(ends >= 0).all(axis=1)], graph.canonical.following, costs)
    return Opened(solver, ranks, spaces)


class RowRanks:
    """Finds the ranks of the projections of reachable states, which are rows of labels."""

    def __init__(self, projection: Projection, solved: Iterable[Arrangement]) -> None:
        self._projection, self._graph = projection, projection.graph()
        self._space = derived_space(self._graph)
        self.images = {label: projection.image(arrangement([label]))[0] for label in set().union(*solved)}

    @functools.cached_property
    def _ranking(self) -> Ranking | None:
        return Ranking.of(self._space, self.images, reference=None)

    def __call__(self, rows: Rows) -> NDArray[np.int64]:
        """Return int64 (N,): the ranks of states at home, (N, points)."""
        if len(rows) > SMALL and self._ranking is not None:
            ranks = find_ranks(self._ranking, rows)
        else:
            image = np.zeros(1 + max(self.images), self._space.arrangements.dtype)
            image[list(self.images)] = list(self.images.values())
            ranks = self._space.ranks(image[rows])
        for row in np.flatnonzero(ranks < 0).tolist():  # listed in another naming
            ranks[row] = self._graph.rank_of(self._projection.image(arrangement(rows[row].tolist())))
        return ranks


def make_least(
    entry: TableEntry, space: StateSpace, start: int, first_rows: NDArray[np.int64]
) -> tuple[TableHeader, memoryview]:
    """Make a table of the least distances of sets of rows, uint8 (sets * width,), with two bits a state of the space.

    Every move of the space must have an inverse and cost 1. `first_rows` is int64 (sets + 1,): the first row of each
    set, and the number of all rows.
    """
    # Arrays take all of the memory, and the compiler would take more beside them.
    compile_meanwhile(*enumeration.KERNELS, write_depth, *mod3_proof.KERNELS)
    least = LeastDepths(first_rows, space.width)
    made_of(space, [start], entry.name, 2, checkpointer=least)
    return headed(entry, least.depths, distribution(least.depths))


def _are_sets(given: Any, labels: Set[int]) -> bool:
    """Return whether these are disjoint nonempty sets of the labels, and at least one."""
    listed = [label for some in given for label in some]
    return {*map(type, listed)} == {int} and all(given) and len({*listed}) == len(listed) and labels >= {*listed}

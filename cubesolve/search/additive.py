"""Search of sliding puzzles with additive pattern databases: the partition of the pieces, and the search (numpy)."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.sliding import Sliding, SlidingSymmetry, symmetries
from cubesolve.encodings.byte.enumeration import enumerate_depths
from cubesolve.encodings.mod3 import Mod3Encoding
from cubesolve.errors import CubesolveError
from cubesolve.group.canonical import CanonicalAutomaton
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.prepared import Cached
from cubesolve.search.ida_star import Projected, ProjectedSolver, deepen
from cubesolve.search.sliding import MOST_POINTS, PartTable, SlidingSolver, deepen_sliding
from cubesolve.spaces.additive import PieceSubset, piece_subset
from cubesolve.spaces.rows import Rows
from cubesolve.spaces.tables import UNREACHABLE

Part = tuple[int, ...]
"""The labels of pieces that share a table."""

MOST_PIECES = 8
"""The maximum number of pieces of a set, whose orders are numbers in a machine word."""

_MOST_WITH_REGIONS = 7  # pieces of a table with an entry for each region of the gap; others store the minimum
_LARGEST = 1 << 31  # entries that a search can number
_BESIDES = 80_000_000  # bytes that building a table may take beyond those for tables
_ROW_BYTES = 12  # for each row and move, while a table is made
_TOGETHER = 3  # pieces in a subset whose worth is measured,
_MORE_TOGETHER = 4  # or this many if a part has the most pieces: its table takes minutes, and this some seconds,
_MOST_TRIED = 2_500  # if there are at most this many subsets
_BEGINNINGS = 16

_Worth = Mapping[frozenset[int], float]

known_pieces = Cached(piece_subset, 4)
"""Return the spaces of a number of pieces, which are kept."""

contracted_space = Cached(lambda puzzle, pieces: known_pieces(puzzle, pieces).contracted, 1)
"""Return the space in which only a number of pieces move; the last one is kept."""


class OpenParts(NamedTuple):
    """A search with additive databases.

    Attributes:
        puzzle: the puzzle.
        parts: the partition: disjoint sets that contain all pieces.
        views: the symmetries of the puzzle under which each part is looked up.
        solver: the search.
    """

    puzzle: Sliding
    parts: Sequence[Part]
    views: Sequence[SlidingSymmetry]
    solver: SlidingSolver | ProjectedSolver

    def ranks(self, state: Arrangement) -> list[int]:
        """Return the ranks of a state in all tables."""
        return _ranks(self.puzzle, self.parts, self.views, state)

    def ranks_of_rows(self, rows: Rows) -> NDArray[np.int64]:
        """Return the same for states as rows, (N, points) to (N, tables)."""
        puzzle, found = self.puzzle, list[NDArray[np.int64]]()
        for view in self.views:
            image = np.zeros(1 + max(puzzle.solved), rows.dtype)
            for point, label in enumerate(puzzle.solved):
                image[label] = puzzle.solved[view.points[point]]
            seen = image[rows][:, np.argsort(view.points)]
            found += [known_pieces(puzzle, len(part)).ranks(seen, part, puzzle.gap) for part in self.parts]
        return np.stack(found, axis=1)


def start_of(puzzle: Sliding, part: Part) -> int:
    """Return the entry of the solved state in the table of a part."""
    pieces = known_pieces(puzzle, len(part))
    return pieces.contract(pieces.rank(puzzle.solved, part, puzzle.gap))


def search_kernel(puzzle: Sliding) -> Callable[..., int]:
    """Return the kernel that searches a puzzle."""
    return deepen_sliding if len(puzzle.solved) <= MOST_POINTS else deepen


def open_parts(
    puzzle: Sliding, parts: Sequence[Part], tables: Sequence[NDArray[np.uint8]], canonical: CanonicalAutomaton
) -> OpenParts:
    """Prepare a search."""
    views = _views(puzzle, parts)
    solved = np.array([_ranks(puzzle, parts, views, puzzle.solved)])
    solver: SlidingSolver | ProjectedSolver
    if search_kernel(puzzle) is deepen_sliding:
        of_size = {size: known_pieces(puzzle, size) for size in set(map(len, parts))}
        arrays = {size: (each.fibre.T.astype(np.int32), _table_rows(each)) for size, each in of_size.items()}
        ready = [PartTable(len(part), *arrays[len(part)], table) for part, table in zip(parts, tables, strict=True)]
        solver = SlidingSolver(puzzle, views, ready, solved, canonical.following)
    else:
        groups = []
        for view in views:
            about = zip(parts, tables, strict=True)
            groups.append([projected(known_pieces(puzzle, len(part)), table, view) for part, table in about])
        solver = ProjectedSolver(groups, solved, canonical.following, [1] * len(puzzle.sources))
    return OpenParts(puzzle, parts, views, solver)


def projected(pieces: PieceSubset, table: NDArray[np.uint8], view: SlidingSymmetry) -> Projected:
    """Return a table of some pieces as a search uses it, looked up under a symmetry."""
    return Projected(pieces, table, view.moves, _table_rows(pieces))


def has_regions(pieces: PieceSubset) -> bool:
    """Return whether the table of these pieces has an entry for each region of the gap."""
    return pieces.pieces <= _MOST_WITH_REGIONS


def entries_of(pieces: PieceSubset) -> int:
    """Return the number of entries of the table of these pieces."""
    return (1 + int(_table_rows(pieces).max())) * pieces.width


def _table_rows(pieces: PieceSubset) -> NDArray[np.int32]:
    return pieces.regions if has_regions(pieces) else pieces.sets


def _views(puzzle: Sliding, parts: Sequence[Part]) -> list[SlidingSymmetry]:
    """Return the symmetries under which parts are other sets of pieces; the others give no better bounds."""
    found: dict[frozenset[frozenset[int]], SlidingSymmetry] = {}
    where = {label: point for point, label in enumerate(puzzle.solved)}
    for view in symmetries(puzzle):
        seen = (frozenset(view.points[where[label]] for label in part) for part in parts)
        found.setdefault(frozenset(seen), view)
    return list(found.values())


def _ranks(puzzle: Sliding, parts: Sequence[Part], views: Sequence[SlidingSymmetry], state: Arrangement) -> list[int]:
    seen = [puzzle.reflected(state, view) for view in views]
    return [known_pieces(puzzle, len(part)).rank(each, part, puzzle.gap) for each in seen for part in parts]


# -- The partition of the pieces ---------------------------------------------------------------------------------------


def choose_parts(puzzle: Sliding, memory: int) -> list[Part]:
    """Return the partition of the pieces whose tables have the largest bounds, of those that fit in memory.

    There are as few sets as possible. The numbers of moves that all subsets of up to three or four pieces need are
    measured, unless these are too many; pieces that need more together than separately belong in one set.

    Raises:
        CubesolveError: there is too little memory for any partition.

    >>> from cubesolve.catalog import rules_named
    >>> from cubesolve.definition.sliding import sliding
    >>> tiles = rules_named("tiles-3x3").graph().reduction
    >>> choose_parts(sliding(tiles.solved, tiles.moves), 100_000)
    [(0, 1, 2, 3), (4, 5, 6, 7)]
    """
    labels = [label for label in puzzle.solved if label != puzzle.gap]
    sizes = _sizes(puzzle, len(labels), memory)
    worth = _worths(puzzle, labels, _MORE_TOGETHER if max(sizes) == MOST_PIECES else _TOGETHER)
    source = random.Random(20261121)
    orders = [labels, *(source.sample(labels, len(labels)) for _ in range(_BEGINNINGS))]
    found = [_improved(_cut(order, sizes), worth) for order in orders]
    return max(found, key=lambda parts: round(sum(_worth(part, worth) for part in parts), 6))


def fits(puzzle: Sliding, parts: Sequence[Part], memory: int) -> bool:
    """Return whether parts are a partition of the pieces, and their tables fit in memory.

    >>> from cubesolve.catalog import rules_named
    >>> from cubesolve.definition.sliding import sliding
    >>> tiles = rules_named("tiles-3x3").graph().reduction
    >>> puzzle = sliding(tiles.solved, tiles.moves)
    >>> fits(puzzle, [(0, 1, 2, 3), (4, 5, 6, 7)], 100_000), fits(puzzle, [(0, 1, 2, 3), (3, 4, 5, 6)], 100_000)
    (True, False)
    """
    labels = sorted(label for label in puzzle.solved if label != puzzle.gap)
    listed = sorted(label for part in parts for label in part)
    return all(parts) and listed == labels and _bytes(puzzle, [len(part) for part in parts], memory) <= memory


def _sizes(puzzle: Sliding, pieces: int, memory: int) -> list[int]:
    """Return the sizes of the parts: as few as possible, with the first as large as possible then."""
    found = [
        sizes for most in range(min(pieces, MOST_PIECES), 0, -1) if (sizes := _filled(puzzle, pieces, most, memory))
    ]
    if not found:
        enough = _bytes(puzzle, [1] * pieces, _LARGEST)
        raise CubesolveError(f"{memory:,} bytes are not enough for tables of {pieces} sliding pieces: {enough:,} are")
    return min(found, key=len)


def _filled(puzzle: Sliding, pieces: int, most: int, memory: int) -> list[int]:
    """Return the same with parts of at most a size, each as large as memory allows; none if they do not fit."""
    sizes = list[int]()
    while sum(sizes) < pieces:
        some = range(min(most, pieces - sum(sizes)), 0, -1)
        fitting = next((number for number in some if _may_be_made(puzzle, [*sizes, number], memory)), None)
        if fitting is None:
            return []
        sizes.append(fitting)
    return sizes


def _may_be_made(puzzle: Sliding, sizes: Sequence[int], memory: int) -> bool:
    """Return whether the tables of parts of these sizes fit in memory, and the last of them can be built."""
    if _bytes(puzzle, sizes, memory) > memory:
        return False
    pieces = known_pieces(puzzle, sizes[-1])
    if has_regions(pieces):
        return True
    states = int(pieces.first_regions[-1]) * pieces.width
    return Mod3Encoding().building_bytes(states) + entries_of(pieces) <= memory + _BESIDES


def _bytes(puzzle: Sliding, sizes: Sequence[int], memory: int) -> float:
    """Return the bytes of the tables and spaces of parts of these sizes; sizes above a limit count as too many."""
    points, moves = len(puzzle.solved), len(puzzle.sources)
    rows = sum(points * math.comb(points, size) for size in set(sizes)) * moves * _ROW_BYTES
    least = [math.perm(points, size) for size in sizes]  # with one region of the gap for each set
    if rows + sum(least) > memory or max(least) >= _LARGEST:
        return math.inf
    entries = [entries_of(known_pieces(puzzle, size)) for size in sizes]
    return math.inf if max(entries) >= _LARGEST else rows + sum(entries)


def _worths(puzzle: Sliding, labels: Sequence[int], together: int) -> _Worth:
    """Return how many more moves small subsets of pieces need together than their subsets do, on average."""
    worth: dict[frozenset[int], float] = {}
    for number in range(1, min(together, len(labels)) + 1):
        if math.comb(len(labels), number) > _MOST_TRIED:
            break
        for some in itertools.combinations(labels, number):
            worth[frozenset(some)] = _mean(puzzle, some) - _worth(some, worth)
    return worth


def _mean(puzzle: Sliding, part: Part) -> float:
    depths = enumerate_depths(contracted_space(puzzle, len(part)), start_of(puzzle, part), workers=1)
    return float(depths[depths != UNREACHABLE].mean())


def _worth(part: Sequence[int], worth: _Worth) -> float:
    """Return the mean number of moves that a part needs, as far as it is known."""
    return sum(worth.get(some, 0) for some in _subsets(part))


def _subsets(part: Sequence[int]) -> Iterator[frozenset[int]]:
    return (frozenset(some) for n in range(1, _MORE_TOGETHER + 1) for some in itertools.combinations(part, n))


def _cut(order: Sequence[int], sizes: Sequence[int]) -> list[Part]:
    ends = [*itertools.accumulate(sizes)]
    return [tuple(order[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


def _improved(parts: list[Part], worth: _Worth) -> list[Part]:
    """Yield the partitions after all exchanges of two pieces that increase the worth, the best first."""
    while True:
        known = [_worth(part, worth) for part in parts]
        best, gain = None, 1e-6
        for one, other in itertools.combinations(range(len(parts)), 2):
            for pair in _exchanged(parts[one], parts[other]):
                more = sum(_worth(part, worth) for part in pair) - known[one] - known[other]
                if more > gain:
                    best, gain = (one, other, pair), more
        if best is None:
            return sorted(tuple(sorted(part)) for part in parts)
        one, other, (parts[one], parts[other]) = best


def _exchanged(one: Part, other: Part) -> Iterable[tuple[Part, Part]]:
    for i, j in itertools.product(range(len(one)), range(len(other))):
        yield (*one[:i], other[j], *one[i + 1 :]), (*other[:j], one[i], *other[j + 1 :])

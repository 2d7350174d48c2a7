"""Search of sliding puzzles with additive pattern databases: the partition of the pieces, and the search (numpy).

A state of some pieces is the set of their points, the point of the gap, and the order of the pieces on their points.
Only a move of one of the pieces changes the set and the order. So the moves of other pieces can be *contracted*: the
points that the gap can reach without moving any of the pieces are one *region*, and a state is the set, the region, and
the order. Every move between these costs one, and they are enumerated and proved like any other space. If moves without
cost were left in, states could confirm each other in a circle, each with too small a distance, and a proof by
neighbours would accept them; if every move costs one, each state but the start must have a neighbour with a smaller
depth.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.sliding import Sliding, SlidingSymmetry, symmetries
from cubesolve.encodings import BY_BITS
from cubesolve.encodings.enumeration import enumerate_depths
from cubesolve.errors import CubesolveError
from cubesolve.runtime.prepared import cached
from cubesolve.search.ida_star import Opened, Projected, ProjectedSolver, deepen
from cubesolve.search.sliding import MOST_POINTS, SlidingSolver, deepen_sliding
from cubesolve.spaces.rows import Rows, order_ranks, set_numbers
from cubesolve.spaces.space import StateSpace, first_ranks
from cubesolve.spaces.tables import UNREACHABLE


class PieceSubset(NamedTuple):
    """Any pieces of a given number and the gap, as a space. Large arrays are computed anew each time, and not kept.

    A row is a set of points of the pieces and a point of the gap, and its number ``set * points + point``. A row of
    `contracted` is a set and a region of the gap.
    """

    puzzle: Sliding
    pieces: int  # the number of pieces
    # (sets * points,): the row of `contracted` of each row; -1 if the gap is on a piece
    regions: NDArray[np.int32]

    @property
    def points(self) -> int:
        """The number of points."""
        return len(self.puzzle.solved)

    @property
    def width(self) -> int:
        """The number of orders of the pieces."""
        return math.factorial(self.pieces)

    @property
    def fibre(self) -> NDArray[np.uint32]:
        """The fibre of both spaces: the image of each order if one piece moves: row ``from * pieces + to``."""
        orders = np.array([*itertools.permutations(range(self.pieces))])
        shifts = np.empty((self.pieces * self.pieces, len(orders)), np.uint32)
        for left, come in itertools.product(range(self.pieces), repeat=2):
            others = np.delete(orders, left, axis=1)
            shifts[left * self.pieces + come] = order_ranks(np.insert(others, come, orders[:, left], axis=1))
        return shifts

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.regions)

    @property
    def keeps_rows(self) -> bool:
        """Whether moves keep rows together; see `StateSpace.keeps_rows`."""
        return True

    @property
    def contracted(self) -> StateSpace:
        """The space in which only the pieces move. Its moves are those of the pieces around a region, in any order."""
        regions, steps = self.regions, []
        for move in range(len(self.puzzle.sources)):
            after, action = self.rows_after(move)
            rows = np.flatnonzero(after >= 0)
            reached = after[rows]
            counted = rows // self.points != reached // self.points
            rows, reached = rows[counted], reached[counted]
            steps.append((regions[rows], regions[reached], action[rows]))
        here, reached, actions = map(np.concatenate, zip(*steps, strict=True))
        order = np.argsort(here, kind="stable")
        here = here[order]
        first = np.searchsorted(here, np.arange(1 + regions.max()))
        column = np.arange(len(here)) - first[here]
        base = np.full((1 + column.max(initial=0), len(first)), -1, np.int32)
        actions_of = np.zeros(base.shape, np.uint16)
        base[column, here] = reached[order]
        actions_of[column, here] = actions[order]
        return StateSpace(base, actions_of, self.fibre, True)

    def of_move(self, move: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return the ranks to which a move adds numbers of the fibre, and its action; see `StateSpace`."""
        rows, action = self.rows_after(move)
        return first_ranks(rows, self.width), action

    def rows_after(self, move: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Return the rows after a move, -1 if it is impossible, and its action: (rows,) each."""
        points, sets = self.points, _sets(self.puzzle, self.pieces)
        taken = _taken(sets, self.puzzle)
        target, action = np.full(taken.shape, -1, np.int32), np.zeros(taken.shape, np.uint8)
        for gap, source in enumerate(self.puzzle.sources[move]):
            if source < 0:
                continue
            free = ~taken[:, gap] & ~taken[:, source]
            target[free, gap] = np.flatnonzero(free) * points + source
            moved = taken[:, source] & ~taken[:, gap]
            after = np.sort(np.where(sets[moved] == source, gap, sets[moved]), axis=1)
            target[moved, gap] = set_numbers(after, points) * points + source
            left, come = (sets[moved] < source).sum(axis=1), (after < gap).sum(axis=1)
            action[moved, gap] = left * self.pieces + come
        return target.reshape(-1), action.reshape(-1)

    def ranks(self, states: Rows, labels: Sequence[int], gap: int) -> NDArray[np.int64]:
        """Return the ranks of states as rows, (N, points) to (N,)."""
        places = np.argwhere(np.isin(states, labels))[:, 1].reshape(-1, self.pieces)
        number = np.zeros(1 + max(labels), np.int64)
        number[list(labels)] = np.arange(self.pieces)
        orders = number[np.take_along_axis(states, places, axis=1)]
        rows = set_numbers(places, self.points) * self.points + (states == gap).argmax(axis=1)
        ranks: NDArray[np.int64] = rows * self.width + order_ranks(orders)
        return ranks

    @property
    def sets(self) -> NDArray[np.int32]:
        """The number of the set of points for each row: int32 (rows,)."""
        return (np.arange(len(self.regions)) // self.points).astype(np.int32)

    @property
    def first_regions(self) -> NDArray[np.int64]:
        """The first row of `contracted` of each set, and the number of all: int64 (sets + 1,)."""
        inside = self.regions >= 0
        first = np.unique(self.sets[inside], return_index=True)[1]
        return np.append(self.regions[inside][first], 1 + self.regions.max()).astype(np.int64)


@cached(4)
def known_pieces(puzzle: Sliding, pieces: int) -> PieceSubset:
    """Return the spaces of a number of pieces of a puzzle, which are kept."""
    return PieceSubset(puzzle, pieces, _regions(_taken(_sets(puzzle, pieces), puzzle), puzzle))


def _sets(puzzle: Sliding, pieces: int) -> NDArray[np.uint8]:
    """Return the sets of points, in the order of their numbers: (sets, pieces)."""
    points = len(puzzle.solved)
    sets = np.array([*itertools.combinations(range(points), pieces)], np.uint8)
    return sets[np.argsort(set_numbers(sets, points))]


def _taken(sets: NDArray[np.uint8], puzzle: Sliding) -> NDArray[np.bool_]:
    """Return for each set which points it contains: (sets, points)."""
    taken = np.zeros((len(sets), len(puzzle.solved)), np.bool_)
    np.put_along_axis(taken, sets.astype(np.int64), True, axis=1)
    return taken


def _regions(taken: NDArray[np.bool_], puzzle: Sliding) -> NDArray[np.int32]:
    """Return the number of the region of each set and each point: int32 (sets * points,); -1 for points of pieces."""
    points = np.arange(taken.shape[1], dtype=np.uint16)
    first = np.where(taken, points[-1], points)
    edges = {(point, near) for sources in puzzle.sources for point, near in enumerate(sources) if near >= 0}
    before = None
    while before is None or (first != before).any():
        before = first.copy()
        for point, near in edges:
            joined = ~taken[:, point] & ~taken[:, near]
            first[joined, point] = np.minimum(first[joined, point], first[joined, near])
    numbers = np.cumsum((first == points) & ~taken, dtype=np.int32).reshape(taken.shape) - 1
    regions: NDArray[np.int32] = np.where(taken, -1, np.take_along_axis(numbers, first, axis=1)).astype(np.int32)
    return regions.reshape(-1)


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


@cached(1)
def contracted_space(puzzle: Sliding, pieces: int) -> StateSpace:
    """Return the space in which only a number of pieces move; the last one is kept."""
    return known_pieces(puzzle, pieces).contracted


def start_of(puzzle: Sliding, part: Part) -> int:
    """Return the entry of the solved state in the table of a part."""
    pieces = known_pieces(puzzle, len(part))
    [rank] = pieces.ranks(np.array([[*puzzle.solved]]), part, puzzle.gap)
    row, order = divmod(int(rank), pieces.width)
    return int(pieces.regions[row]) * pieces.width + order


def search_kernel(puzzle: Sliding) -> Callable[..., int]:
    """Return the kernel that searches a puzzle."""
    return deepen_sliding if len(puzzle.solved) <= MOST_POINTS else deepen


def open_parts(
    puzzle: Sliding, parts: Sequence[Part], tables: Sequence[NDArray[np.uint8]], following: Sequence[Sequence[int]]
) -> Opened:
    """Return the search with the tables of a partition: disjoint sets that contain all pieces."""
    views, of_size = _views(puzzle, parts), {size: known_pieces(puzzle, size) for size in set(map(len, parts))}
    rows = {size: table_rows(pieces) for size, pieces in of_size.items()}
    groups = [
        [
            Projected(of_size[len(part)], table, view.moves, rows[len(part)])
            for part, table in zip(parts, tables, strict=True)
        ]
        for view in views
    ]
    ranks = functools.partial(_ranks, puzzle, parts, views)
    solved = ranks(np.array([list(puzzle.solved)]))
    if search_kernel(puzzle) is deepen_sliding:
        return Opened(SlidingSolver(puzzle, groups, solved, following), ranks)
    return Opened(ProjectedSolver(groups, solved, following, [1] * len(puzzle.sources)), ranks)


def has_regions(pieces: PieceSubset) -> bool:
    """Return whether the table of these pieces has an entry for each region of the gap."""
    return pieces.pieces <= _MOST_WITH_REGIONS


def entries_of(pieces: PieceSubset) -> int:
    """Return the number of entries of the table of these pieces."""
    return (1 + int(table_rows(pieces).max())) * pieces.width


def table_rows(pieces: PieceSubset) -> NDArray[np.int32]:
    """Return the row of the table of these pieces for each row."""
    return pieces.regions if has_regions(pieces) else pieces.sets


def _views(puzzle: Sliding, parts: Sequence[Part]) -> list[SlidingSymmetry]:
    """Return the symmetries under which parts are other sets of pieces; the others give no better bounds."""
    views: dict[frozenset[frozenset[int]], SlidingSymmetry] = {}
    where = {label: point for point, label in enumerate(puzzle.solved)}
    for view in symmetries(puzzle):
        seen = (frozenset(view.points[where[label]] for label in part) for part in parts)
        views.setdefault(frozenset(seen), view)
    return list(views.values())


def _ranks(puzzle: Sliding, parts: Sequence[Part], views: Sequence[SlidingSymmetry], rows: Rows) -> NDArray[np.int64]:
    """Return the ranks of states in the table of each part, as each view sees them: (N, points) to (N, tables)."""
    ranks = list[NDArray[np.int64]]()
    for view in views:
        shown = seen(puzzle, view, rows)
        ranks += [known_pieces(puzzle, len(part)).ranks(shown, part, puzzle.gap) for part in parts]
    return np.stack(ranks, axis=1)


def seen(puzzle: Sliding, view: SlidingSymmetry, rows: Rows) -> Rows:
    """Return states, (N, points), as they look under a symmetry."""
    image = np.zeros(1 + max(puzzle.solved), rows.dtype)
    image[list(puzzle.solved)] = [puzzle.solved[point] for point in view.points]
    shown: Rows = image[rows][:, np.argsort(view.points)]
    return shown


# -- The partition of the pieces ---------------------------------------------------------------------------------------


def choose_parts(puzzle: Sliding, memory: int) -> list[Part]:
    """Return the partition of the pieces whose tables have the largest bounds, of those that fit in memory.

    There are as few sets as possible. The numbers of moves that all subsets of up to three or four pieces need are
    measured, unless these are too many; pieces that need more together than separately belong in one set.

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
    partitions = [_improved(_cut(order, sizes), worth) for order in orders]
    return max(partitions, key=lambda parts: round(sum(_worth(part, worth) for part in parts), 6))


def fits(puzzle: Sliding, sizes: Sequence[int], memory: int) -> bool:
    """Return whether the tables of parts of these sizes fit in memory."""
    return _bytes(puzzle, sizes, memory) <= memory


def _sizes(puzzle: Sliding, pieces: int, memory: int) -> list[int]:
    """Return the sizes of the parts: as few as possible, with the first as large as possible then."""
    choices = [
        sizes
        for largest in range(min(pieces, MOST_PIECES), 0, -1)
        if (sizes := _filled(puzzle, pieces, largest, memory))
    ]
    if not choices:
        enough = _bytes(puzzle, [1] * pieces, _LARGEST)
        raise CubesolveError(f"{memory:,} bytes are not enough for tables of {pieces} sliding pieces: {enough:,} are")
    return min(choices, key=len)


def _filled(puzzle: Sliding, pieces: int, most: int, memory: int) -> list[int]:
    """Return the sizes of parts, of at most one size, each as large as memory allows; none if they do not fit."""
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
    if not fits(puzzle, sizes, memory):
        return False
    pieces = known_pieces(puzzle, sizes[-1])
    if has_regions(pieces):
        return True
    states = int(pieces.first_regions[-1]) * pieces.width
    return BY_BITS[2].building_bytes(states) + entries_of(pieces) <= memory + _BESIDES


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
            depths = enumerate_depths(contracted_space(puzzle, number), start_of(puzzle, some), workers=1)
            worth[frozenset(some)] = float(depths[depths != UNREACHABLE].mean()) - _worth(some, worth)
    return worth


def _worth(part: Sequence[int], worth: _Worth) -> float:
    """Return the mean number of moves that a part needs, as far as it is known."""
    subsets = (some for size in range(1, _MORE_TOGETHER + 1) for some in itertools.combinations(part, size))
    return sum(worth.get(frozenset(some), 0) for some in subsets)


def _cut(order: Sequence[int], sizes: Sequence[int]) -> list[Part]:
    ends = [*itertools.accumulate(sizes)]
    return [tuple(order[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


def _improved(parts: list[Part], worth: _Worth) -> list[Part]:
    """Return the partition after all exchanges of two pieces that increase the worth, the best first."""
    while True:
        worths = [_worth(part, worth) for part in parts]
        best, gain = None, 1e-6
        for one, other in itertools.combinations(range(len(parts)), 2):
            for pair in _exchanged(parts[one], parts[other]):
                more = sum(_worth(part, worth) for part in pair) - worths[one] - worths[other]
                if more > gain:
                    best, gain = (one, other, pair), more
        if best is None:
            return sorted(tuple(sorted(part)) for part in parts)
        one, other, (parts[one], parts[other]) = best


def _exchanged(one: Part, other: Part) -> Iterable[tuple[Part, Part]]:
    for i, j in itertools.product(range(len(one)), range(len(other))):
        yield (*one[:i], other[j], *one[i + 1 :]), (*other[:j], one[i], *other[j + 1 :])

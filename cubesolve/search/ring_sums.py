"""IDA* for puzzles whose pieces form a ring, with sums of pattern databases.

The pieces are divided into parts of adjacent ones, each of which pays shares of the moves (`spaces.shares`). The sum of
their distances is a lower bound, and so is that of every other partition that a rotation makes of this one. They read
the same tables. The inverse of a state has the same depth, so its partitions, which are those of places, count as well.
The bound of a state is the largest sum.

A solved ring may be rotated, and all parts of it by the same number of places. So there is a search for each rotation,
in which each piece has one place of its own: a part alone would choose the rotation that suits it best. Where all moves
are even permutations, or all are odd, the depth and the state exclude some rotations.

A move changes an entry of a part of pieces only if it moves one of them, and that of a part of places only if it
touches one of them. Other entries are taken over, and the rest is read as far as it can rule out a state.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.definitions.canonical import canonical
from cubesolve.definitions.rings import Ring
from cubesolve.definitions.rotations import RotationReduction
from cubesolve.encodings.byte.enumeration import enumerate_depths
from cubesolve.instructions import prefetch
from cubesolve.kernels import named, part, read_only, types
from cubesolve.search.frontier import (
    ABORTED,
    BATCH,
    Roots,
    SearchOutput,
    append,
    begin,
    deepening_kernel,
    empty_frontier,
    take_batch,
    write_result,
)
from cubesolve.search.ida_star import Node, joined_tables
from cubesolve.search.rings import RingDeepening, mean_of_windows
from cubesolve.search.rounds import NOTHING_BEYOND, Task
from cubesolve.spaces.orders import odd_orders
from cubesolve.spaces.shares import Partition
from cubesolve.spaces.tables import UNREACHABLE

_FIRST = 3  # partitions that are looked up before all entries
_FEWEST = 2  # pieces of a part
_TRIED = 4  # pieces of the parts that are compared,
_MOST_TRIED = 1 << 24  # if their tables take at most so many bytes
_SAMPLE, _SCRAMBLED = 500, 8  # states whose bounds are compared, and the moves that led there for each piece
_DEEPEST = 150  # the largest distance of the parts that are chosen, if it grew with their pieces; the most is 254
_NEVER = 1 << 14  # the bound of states that no moves solve: larger than others


class SumTables(NamedTuple):
    """A ring, its partitions and their tables, as the kernel reads them.

    Attributes:
        forward: uint8 (moves, places): the place to which each move leads.
        moved: uint8 (moves, places): the places that it leads elsewhere,
        number_moved: int64 (moves,): and how many these are.
        touched: uint64 (moves,): the same as bits.
        layout: int64 (parts, 3): where the digits of each part begin (see `deepen_sums`), its number of pieces, and
            where its table begins; parts by kind and first piece, and then likewise of places.
        masks: uint64 (parts,): the pieces of each part as bits.
        partitions: int64 (partitions, parts of each): the parts of each partition, those of places after the others.
        tables: uint8: the distances in shares, one table after the other; see `Partition.table`.
        scale: the number of shares of a move.
        following: int64 (canonical states, moves): see `definitions.canonical`.
        costs: int64 (moves,): the cost of each move, 1.
        solved: int64 (0, pieces): a state whose bounds are 0 is solved.
    """

    forward: NDArray[np.uint8]
    moved: NDArray[np.uint8]
    number_moved: NDArray[np.int64]
    touched: NDArray[np.uint64]
    layout: NDArray[np.int64]
    masks: NDArray[np.uint64]
    partitions: NDArray[np.int64]
    tables: NDArray[np.uint8]
    scale: int
    following: NDArray[np.int64]
    costs: NDArray[np.int64]
    solved: NDArray[np.int64]


_ZERO, _ONE = np.uint64(0), np.uint64(1)

_PROBLEM = named(
    SumTables,
    forward=read_only(types.uint8),
    moved=read_only(types.uint8),
    number_moved=read_only(types.int64, 1),
    touched=read_only(types.uint64, 1),
    layout=read_only(types.int64),
    masks=read_only(types.uint64, 1),
    partitions=read_only(types.int64),
    tables=read_only(types.uint8, 1),
    scale=types.int64,
    following=read_only(types.int64),
    costs=read_only(types.int64, 1),
    solved=read_only(types.int64),
)


@part
def _look_up(
    problem: SumTables,
    ahead: NDArray[np.uint8],
    numbers: NDArray[np.uint32],
    entries: NDArray[np.uint8],
    sums: NDArray[np.int16],
) -> Any:
    """Read the entries of all parts of a state, and return the largest sum of a partition.

    Loops over the parts of a kind, and over partitions, are plain, so they become vectors.
    """
    tables, layout, partitions, pieces = problem.tables, problem.layout, problem.partitions, len(ahead) >> 2
    base, half = np.uint32(pieces), len(sums) >> 1
    for first in range(0, len(entries), pieces):
        found = numbers[first : first + pieces]
        for w in range(pieces):
            found[w] = 0
        for t in range(layout[first, 1]):
            digits = ahead[layout[first, 0] + t : layout[first, 0] + t + pieces]
            for w in range(pieces):
                found[w] = found[w] * base + digits[w]
        for w in range(pieces):
            prefetch(tables, layout[first, 2] + np.int64(found[w]))
    for x in range(len(entries)):
        entries[x] = tables[layout[x, 2] + np.int64(numbers[x])]
    for side in range(0, len(sums), half):
        total = sums[side : side + half]
        for g in range(half):
            total[g] = 0
        for k in range(partitions.shape[1]):
            begin = partitions[side, k]  # the parts of others begin at the next pieces, round the ring
            before = min(half, pieces - begin % pieces)
            for g in range(before):
                total[g] += np.int16(entries[begin + g])
            for g in range(before, half):
                total[g] += np.int16(entries[begin + g - pieces])
    largest: Any = np.int16(0)
    for g in range(len(sums)):
        largest = max(largest, sums[g])
    return largest


@deepening_kernel(_PROBLEM)
def deepen_sums(  # noqa: PLR0912, PLR0915  # one loop over a batch, in stages
    problem: SumTables, roots: Roots, task: Task, found: SearchOutput
) -> int:
    """Find algs as `ida_star.deepen` does, whose lists and results these are; ranks are the places of the pieces.

    A state is two rows of digits: how many places each piece is ahead of its own, and then how far the piece in each
    place is from there. Each row is repeated, so the digits of a part are adjacent. The parts are those of pieces and
    then those of places, and so are the partitions.

    A neighbour is first tested by the few partitions whose sums were largest before the move. All entries are read only
    if none of these rules it out.
    """
    forward, tables, following, layout = problem.forward, problem.tables, problem.following, problem.layout
    masks, partitions, scale = problem.masks, problem.partitions, problem.scale
    longest, stop_at, counts = task.longest, task.stop_at, found.counts
    pieces, moves = roots.ranks.shape[1], following.shape[1]
    parts, of_each, sets, half = len(masks), partitions.shape[1], len(partitions), len(partitions) >> 1
    frontier = empty_frontier(longest, moves)
    states, left = frontier.states, frontier.left
    most, room = BATCH * moves, states.shape[1]
    ahead = np.empty((longest + 1, room, 4 * pieces), np.uint8)
    entries = np.empty((longest + 1, room, parts), np.uint8)
    sums = np.empty((longest + 1, room, sets), np.int16)
    # The states of one batch, and their neighbours.
    order = np.empty((BATCH, _FIRST + 1), np.int64)
    turned, touched = np.empty((most, 4 * pieces), np.uint8), np.empty((most, 2), np.uint64)
    origin, move, total = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    chosen = np.empty(most, np.int64)
    reader, read = np.empty(most * of_each + 1, np.int64), np.empty(most * of_each + 1, np.int64)
    numbers = np.empty(parts, np.uint32)

    number, root = 0, -1
    while True:
        depth, top, taken = take_batch(frontier)
        if taken == 0:
            root += 1
            if root == len(roots.left):
                return number
            begin(frontier, roots, root)
            for t in range(pieces):
                place = roots.ranks[root, t]
                ahead[0, 0, t] = ahead[0, 0, pieces + t] = (place - t) % pieces
                ahead[0, 0, 2 * pieces + place] = ahead[0, 0, 3 * pieces + place] = (t - place) % pieces
            _look_up(problem, ahead[0, 0], numbers, entries[0, 0], sums[0, 0])
            continue
        if task.best[0] < task.first + root:
            return ABORTED
        count = 0
        for i in range(taken):
            at = top + i
            if left[depth, at] == 0 or depth == stop_at:
                if number < len(found.algs):
                    write_result(frontier, depth, at, root, found, number)
                    for t in range(pieces):
                        found.ranks[number, t] = (t + np.int64(ahead[depth, at, t])) % pieces
                    largest = np.int64(0)
                    for g in range(sets):
                        largest = max(largest, np.int64(sums[depth, at, g]))
                    found.bounds[number, 0] = (largest + scale - 1) // scale
                number += 1
                if left[depth, at] == 0 and not task.every:
                    return number
                continue
            listed = np.int64(0)
            for g in range(sets - 1, -1, -1):  # of equal sums, those of places rule out more states
                place_of = listed
                while place_of > 0 and sums[depth, at, order[i, place_of - 1]] < sums[depth, at, g]:
                    order[i, place_of] = order[i, place_of - 1]
                    place_of -= 1
                order[i, place_of] = g
                listed += np.int64(listed < _FIRST)
            for m in range(moves):
                if following[states[depth, at], m] < 0:
                    continue
                origin[count], move[count], chosen[count] = i, m, count
                for t in range(4 * pieces):
                    turned[count, t] = ahead[depth, at, t]
                moved = _ZERO
                for n in range(problem.number_moved[m]):
                    before = np.int64(problem.moved[m, n])
                    there = np.int64(forward[m, before])
                    piece = before + np.int64(ahead[depth, at, 2 * pieces + before])
                    piece -= np.int64(piece >= pieces) * pieces
                    far = there - piece
                    far += np.int64(far < 0) * pieces
                    turned[count, piece] = turned[count, pieces + piece] = far
                    far = np.int64(far > 0) * (pieces - far)
                    turned[count, 2 * pieces + there] = turned[count, 3 * pieces + there] = far
                    moved |= _ONE << np.uint64(piece)
                touched[count, 0], touched[count, 1] = moved, problem.touched[m]
                count += 1
        counts[root, 0] += count
        still = count
        for turn in range(min(_FIRST, sets)):
            # No branches depend on entries: they would be mispredicted.
            missing, looked_up, still = np.int64(0), still, 0
            for n in range(looked_up):
                j = chosen[n]
                at, g, known = top + origin[j], order[origin[j], turn], np.int64(0)
                changed = touched[j, np.int64(g >= half)]
                for k in range(of_each):
                    x = partitions[g, k]
                    is_changed = np.int64(changed & masks[x] != _ZERO)
                    known += (1 - is_changed) * np.int64(entries[depth, at, x])
                    reader[missing], read[missing] = j, x
                    missing += is_changed
                total[j] = known
            counts[root, 1] += missing
            for n in range(missing):
                j, x = reader[n], read[n]
                first, entry = layout[x, 0], np.int64(0)
                for t in range(first, first + layout[x, 1]):
                    entry = entry * pieces + np.int64(turned[j, t])
                read[n] = layout[x, 2] + entry
                prefetch(tables, read[n])
            for n in range(missing):
                total[reader[n]] += np.int64(tables[read[n]])
            for n in range(looked_up):
                j = chosen[n]
                chosen[still] = j
                still += total[j] <= (left[depth, top + origin[j]] - 1) * scale
        was_kept = np.int64(0)
        for n in range(still):
            j = chosen[n]
            i, m = origin[j], move[j]
            at, to = top + i, frontier.waiting[depth + 1]
            rest = left[depth, at] - 1
            counts[root, 1] += parts
            if _look_up(problem, turned[j], numbers, entries[depth + 1, to], sums[depth + 1, to]) > rest * scale:
                continue
            append(frontier, depth, at, m, following[states[depth, at], m], rest)
            was_kept += 1
            for t in range(4 * pieces):
                ahead[depth + 1, to, t] = turned[j, t]
        if was_kept < count:
            counts[root, 2] = 1


class RingSumSolver(RingDeepening[SumTables]):
    """Finds optimal algs of a ring with sums of the distances of its parts."""

    def __init__(
        self, partition: Partition, tables: Mapping[int, NDArray[np.uint8]], reduction: RotationReduction
    ) -> None:
        """Prepare the arrays of the search.

        Args:
            partition: the parts.
            tables: the distances of the parts of each size.
            reduction: the puzzle up to rotations.
        """
        ring, number, goes = partition.ring, len(partition.ring.places), partition.goes
        is_moved, sizes = goes != np.arange(number), [*tables]
        places = np.array([*itertools.accumulate(map(len, tables.values()), initial=0)][:-1])
        kinds = np.array([number * sizes.index(size) for size in partition.sizes])
        partitions = partition.firsts + kinds
        layout = np.empty((2, len(sizes), number, 3), np.int64)
        layout[..., 0] = 2 * number * np.arange(2)[:, None, None] + np.arange(number)
        layout[..., 1], layout[..., 2] = np.array(sizes)[:, None], places[:, None]
        masks = [_bits(((np.arange(size) + first) % number).tolist()) for size in sizes for first in range(number)]
        problem = SumTables(
            forward=goes.astype(np.uint8),
            moved=np.argsort(~is_moved, axis=1, kind="stable").astype(np.uint8),
            number_moved=is_moved.sum(axis=1),
            touched=np.array([_bits(np.flatnonzero(row).tolist()) for row in is_moved], np.uint64),
            layout=layout.reshape(-1, 3),
            masks=np.array(masks * 2, np.uint64),
            partitions=np.concatenate([partitions, len(sizes) * number + partitions]),
            tables=joined_tables([*tables.values()]),
            scale=partition.scale,
            following=np.array(canonical(ring.moves, reduction.solved[0]).following, np.int64),
            costs=np.ones(len(ring.moves), np.int64),
            solved=np.empty((0, number), np.int64),
        )
        self._partition, self._tables = partition, tables
        self._odd_moves = {*odd_orders(goes).tolist()}
        super().__init__(deepen_sums, problem, ring, reduction.reference)

    def bounds(self, ranks: ArrayLike) -> NDArray[np.int64]:
        """Return the least bound of a rotation, for states given by the places of their pieces: (..., 1)."""
        found: NDArray[np.int64] = self._bounds_of_rotations(np.asarray(ranks, np.int64)).min(axis=-1, keepdims=True)
        return found

    def roots(self, ranks: Sequence[int], length: int) -> tuple[list[Node], int]:
        """Return a state with its pieces renamed by each rotation that some moves may solve; see `DeepeningSolver`."""
        places = np.array(ranks, np.int64)
        bounds = self._bounds_of_rotations(places)
        solvable = bounds < _NEVER
        fits = solvable & (bounds <= length)
        if self._odd_moves == {1}:
            fits &= (length - bounds) % 2 == 0
        found = [
            Node((), np.roll(places, -rotation), bounds[rotation, None].astype(np.int16), 0, length, rotation)
            for rotation in np.flatnonzero(fits).tolist()
        ]
        return found, 1 if (solvable & ~fits).any() else NOTHING_BEYOND

    def turned(self, ranks: Sequence[int]) -> NDArray[np.uint8]:
        """Return a state with its pieces renamed by each rotation that some moves may solve: (rotations, pieces)."""
        places = np.array(ranks, np.uint8)
        rotations = np.flatnonzero(self._bounds_of_rotations(places.astype(np.int64)) < _NEVER)
        found: NDArray[np.uint8] = places[(np.arange(len(places)) + rotations[:, None]) % len(places)]
        return found

    def sums(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sums of all partitions, in shares, for states in which each piece has one place: (N, sums)."""
        return self._sums(places, places.argsort(axis=-1))

    def _sums(self, places: NDArray[np.int64], pieces: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the same for states and their inverses."""
        return np.concatenate([sums_of(self._partition, self._tables, each) for each in (places, pieces)], axis=-1)

    def _bounds_of_rotations(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bound of each rotation: (..., pieces) to (..., rotations). `_NEVER` where no moves solve it."""
        number, pieces = places.shape[-1], places.argsort(axis=-1)
        found: NDArray[np.int64] = np.empty_like(places)
        for rotation in range(number):
            sums = self._sums(np.roll(places, -rotation, axis=-1), (pieces - rotation) % number)
            found[..., rotation] = -(-sums.max(axis=-1) // self.problem.scale)
        odd = odd_orders(places.reshape(-1, number)).reshape(*places.shape[:-1], 1) + (number - 1) * np.arange(number)
        if self._odd_moves == {1}:
            found += (found + odd) % 2
        elif self._odd_moves == {0}:
            found[odd % 2 > 0] = _NEVER
        return found


def sums_of(
    partition: Partition, tables: Mapping[int, NDArray[np.uint8]], places: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the sum of each partition, which begins at any piece: (..., pieces) to (..., partitions).

    Args:
        partition: one of them.
        tables: the distances of the parts of each size.
        places: the places of the pieces.
    """
    pieces, entries = np.arange(places.shape[-1]), dict[int, Any]()
    total: NDArray[np.int64] = np.zeros_like(places)
    for size, table in tables.items():
        parts = (pieces[:, None] + np.arange(size)) % len(pieces)
        entries[size] = table[partition.numbers(places[..., parts] - pieces[:, None])]  # as if each were the first part
    for size, first in zip(partition.sizes, itertools.accumulate(partition.sizes, initial=0), strict=False):
        total += np.roll(entries[size], -first, axis=-1)
    return total


def _bits(numbers: Sequence[int]) -> int:
    return sum(1 << number for number in numbers)


def choose_partition(ring: Ring, memory: int) -> Partition | None:
    """Return the partition whose parts have as many pieces as tables in some memory allow.

    Returns:
        None if a window with one piece more than a part has a larger mean distance than the sums have, in small tables;
        or if there is too little memory.
    """
    best, most = None, mean_of_windows(ring, _TRIED + 1) if len(ring.places) > _TRIED + 1 else math.inf
    for extra in (0, 1):
        tried = Partition(ring, _TRIED, extra)
        if tried.is_sound and building_bytes(tried) <= _MOST_TRIED:
            mean, deepest = _distances(tried)
            if mean > most:
                best, most, largest = tried, mean, _TRIED * _DEEPEST // deepest
    if best is None:
        return None
    partitions = (best._replace(pieces=pieces) for pieces in range(_FEWEST, min(largest + 1, len(ring.places))))
    fitting = itertools.takewhile(lambda each: partition_fits(each, memory), partitions)
    return max(fitting, key=lambda each: each.pieces, default=None)


def building_bytes(partition: Partition) -> int:
    """Return the memory for the tables of a partition, and for building the largest."""
    sizes = {*partition.sizes}
    states = max(map(partition.states, sizes), default=0)
    return sum(map(partition.entries, sizes)) + states + max(map(partition.bytes_of_space, sizes), default=0)


def partition_fits(partition: Partition, memory: int) -> bool:
    """Return whether a partition has parts, and their tables can be built in some memory."""
    return partition.is_sound and building_bytes(partition) <= memory


def _distances(partition: Partition) -> tuple[float, int]:
    """Return the mean bound of scrambled states, without inverses, and the largest distance of a part in shares."""
    sizes, number, goes = {*partition.sizes}, len(partition.ring.places), partition.goes
    tables = {size: partition.table(size, enumerate_depths(partition.space(size), workers=1)) for size in sizes}
    places, source = np.tile(np.arange(number), (_SAMPLE, 1)), np.random.default_rng(_SAMPLE)
    for _ in range(_SCRAMBLED * number):
        places = goes[source.integers(len(goes), size=(_SAMPLE, 1)), places]
    rotated = (np.roll(places, -rotation, axis=1) for rotation in range(number))
    least = np.min([sums_of(partition, tables, each).max(axis=1) for each in rotated], axis=0)
    deepest = max(int(each[each != UNREACHABLE].max()) for each in tables.values())
    return float(least.mean()) / partition.scale, deepest

"""IDA* for puzzles whose pieces form a ring, with sums of pattern databases.

The pieces are divided into parts of adjacent ones, each of which pays shares of the moves (`spaces.shares`). The sum of
their distances is a lower bound, and so is that of every other partition that a rotation makes of this one. They read
the same tables. The inverse of a state has the same depth, so its partitions, which are those of places, count as well.
The bound of a state is the largest sum.

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
from cubesolve.instructions import count_ones, prefetch
from cubesolve.kernels import kernel, named, part, read_only, types
from cubesolve.search.ida_star import (
    ABORTED,
    BATCH,
    FOUND,
    ROOTS,
    Roots,
    SearchOutput,
    is_solved,
    joined_tables,
    next_depth,
)
from cubesolve.search.rings import RingDeepening, mean_of_windows, solved_points
from cubesolve.search.rounds import TASK, Task
from cubesolve.spaces.shares import Partition
from cubesolve.spaces.tables import UNREACHABLE
from cubesolve.spaces.windows import Windows

_FIRST = 3  # partitions that are looked up before all entries
_FEWEST = 2  # pieces of a part
_TRIED = 4  # pieces of the parts that are compared,
_MOST_TRIED = 1 << 24  # if their tables take at most so many bytes
_DEEPEST = 150  # the largest distance of the parts that are chosen, if it grew with their pieces; the most is 254


class SumTables(NamedTuple):
    """A ring, its partitions and their tables, as the kernel reads them.

    Attributes:
        forward: uint8 (moves, places): the place to which each move leads.
        moved: uint8 (moves, places): the places that it leads elsewhere,
        number_moved: int64 (moves,): and how many these are.
        touched: uint64 (moves,): the same as bits.
        sizes: int64 (kinds,): the number of pieces of each kind of parts, which begin at each piece and at each place.
        weights: uint64 (kinds, pieces): what each place of a part counts in its rank; see `spaces.windows`.
        firsts: uint64 (kinds,): where the table of each kind begins.
        masks: uint64 (parts,): the pieces of each part as bits, by kind and first piece; then likewise of places.
        partitions: int64 (partitions, parts of each): the parts of each partition, those of places after the others.
        tables: uint8: the distances in shares, one table after the other.
        scale: the number of shares of a move.
        following: int64 (canonical states, moves): see `definitions.canonical`.
        costs: int64 (moves,): the cost of each move, 1.
        solved: int64 (solved states, pieces): the place of each piece.
    """

    forward: NDArray[np.uint8]
    moved: NDArray[np.uint8]
    number_moved: NDArray[np.int64]
    touched: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    weights: NDArray[np.uint64]
    firsts: NDArray[np.uint64]
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
    sizes=read_only(types.int64, 1),
    weights=read_only(types.uint64),
    firsts=read_only(types.uint64, 1),
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
    seen: NDArray[np.uint8],
    twice: NDArray[np.int64],
    used: NDArray[np.uint64],
    ranks: NDArray[np.uint64],
    entries: NDArray[np.uint8],
) -> None:
    """Read the entries of all parts of a state. Loops over the parts of a kind are plain, so they become vectors."""
    tables, weights = problem.tables, problem.weights
    kinds, pieces = len(weights), len(seen) >> 1
    number = np.int64(pieces)
    for side in range(2):
        for w in range(pieces):
            twice[w] = twice[pieces + w] = seen[side * pieces + w]
        for kind in range(kinds):
            found = ranks[(side * kinds + kind) * pieces : (side * kinds + kind + 1) * pieces]
            for w in range(pieces):
                found[w] = problem.firsts[kind]
                used[w] = 0
            for t in range(1, problem.sizes[kind]):
                weight = weights[kind, t]
                for w in range(pieces):
                    offset = twice[w + t] - twice[w]
                    offset += number & (offset >> 63)
                    bit = _ONE << np.uint64(offset)
                    found[w] += (np.uint64(offset) - _ONE - count_ones(used[w] & (bit - _ONE))) * weight
                    used[w] |= bit
            for w in range(pieces):
                prefetch(tables, found[w])
    for x in range(2 * kinds * pieces):
        entries[x] = tables[ranks[x]]


@kernel(_PROBLEM, ROOTS, TASK, FOUND, at_start=True)
def deepen_sums(  # noqa: PLR0912, PLR0915  # one loop over a batch, in stages
    problem: SumTables, roots: Roots, task: Task, found: SearchOutput
) -> int:
    """Find algs as `ida_star.deepen` does, whose lists and results these are; ranks are the places of the pieces.

    A state has two rows of numbers: where each piece is, and then which piece is in each place. Its parts are those of
    pieces and then those of places, and so are its partitions.

    A neighbour is first tested by the few partitions whose sums were largest before the move. All entries are read only
    if none of these rules it out.
    """
    forward, tables, following, solved = problem.forward, problem.tables, problem.following, problem.solved
    masks, weights, partitions, scale = problem.masks, problem.weights, problem.partitions, problem.scale
    longest, stop_at, counts = task.longest, task.stop_at, found.counts
    pieces, moves = roots.ranks.shape[1], following.shape[1]
    parts, of_each, sets, half = len(masks), partitions.shape[1], len(partitions), len(partitions) >> 1
    kinds, number_of_places = len(weights), np.uint64(pieces)
    most = BATCH * moves
    room = BATCH + most
    seen = np.empty((longest + 1, room, 2 * pieces), np.uint8)
    entries = np.empty((longest + 1, room, parts), np.uint8)
    sums = np.empty((longest + 1, room, sets), np.int16)
    states = np.empty((longest + 1, room), np.int16)
    left = np.empty((longest + 1, room), np.int64)
    made = np.empty((longest + 1, room, longest), np.uint8)
    waiting = np.zeros(longest + 1, np.int64)
    # The states of one batch, and their neighbours.
    order = np.empty((BATCH, _FIRST + 1), np.int64)
    turned, touched = np.empty((most, 2 * pieces), np.uint8), np.empty((most, 2), np.uint64)
    origin, move, total = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    chosen = np.empty(most, np.int64)
    reader, read = np.empty(most * of_each + 1, np.int64), np.empty(most * of_each + 1, np.int64)
    ranks, all_ranks = np.empty(most * of_each, np.uint64), np.empty(parts, np.uint64)

    twice, used_places = np.empty(2 * pieces, np.int64), np.empty(pieces, np.uint64)

    number, root, deepest = 0, -1, -1
    while True:
        while deepest >= 0 and waiting[deepest] == 0:
            deepest -= 1
        if deepest < 0:
            root += 1
            if root == len(roots.left):
                return number
            for t in range(pieces):
                place = np.uint8(roots.ranks[root, t])
                seen[0, 0, t] = place
                seen[0, 0, pieces + np.int64(place)] = t
            _look_up(problem, seen[0, 0], twice, used_places, all_ranks, entries[0, 0])
            for g in range(sets):
                sums[0, 0, g] = 0
                for k in range(of_each):
                    sums[0, 0, g] += np.int16(entries[0, 0, partitions[g, k]])
            states[0, 0], left[0, 0] = roots.states[root], roots.left[root]
            waiting[0], deepest = 1, 0
        if task.best[0] < task.first + root:
            return ABORTED
        depth = next_depth(waiting, deepest)
        taken = min(waiting[depth], BATCH)
        waiting[depth] -= taken
        top = waiting[depth]
        count = 0
        for i in range(taken):
            at = top + i
            if left[depth, at] == 0 or depth == stop_at:
                if number < len(found.algs):
                    for level in range(depth):
                        found.algs[number, level] = made[depth, at, level]
                    for t in range(pieces):
                        found.ranks[number, t] = seen[depth, at, t]
                    for g in range(sets):
                        found.bounds[number, g] = (sums[depth, at, g] + scale - 1) // scale
                    found.facts[number, 0] = states[depth, at]
                    found.facts[number, 1] = left[depth, at]
                    found.facts[number, 2] = depth
                    found.numbers[number] = root
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
                for t in range(2 * pieces):
                    turned[count, t] = seen[depth, at, t]
                moved = _ZERO
                for n in range(problem.number_moved[m]):
                    before = problem.moved[m, n]
                    piece, there = np.int64(seen[depth, at, pieces + before]), forward[m, before]
                    turned[count, piece] = there
                    turned[count, pieces + np.int64(there)] = piece
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
                block = x // pieces
                side, kind = np.int64(block >= kinds), block % kinds
                first, along = side * pieces, x - block * pieces
                ahead = number_of_places - np.uint64(turned[j, first + along])
                rank, used = problem.firsts[kind], _ZERO
                for t in range(1, problem.sizes[kind]):
                    along += 1
                    along -= np.int64(along == pieces) * pieces
                    offset = np.uint64(turned[j, first + along]) + ahead
                    offset -= np.uint64(offset >= number_of_places) * number_of_places
                    bit = _ONE << offset
                    rank += (offset - _ONE - count_ones(used & (bit - _ONE))) * weights[kind, t]
                    used |= bit
                ranks[n] = rank
                prefetch(tables, rank)
            for n in range(missing):
                total[reader[n]] += np.int64(tables[ranks[n]])
            for n in range(looked_up):
                j = chosen[n]
                chosen[still] = j
                still += total[j] <= (left[depth, top + origin[j]] - 1) * scale
        was_kept = np.int64(0)
        for n in range(still):
            j = chosen[n]
            i, m = origin[j], move[j]
            at, to = top + i, waiting[depth + 1]
            rest = left[depth, at] - 1
            _look_up(problem, turned[j], twice, used_places, all_ranks, entries[depth + 1, to])
            counts[root, 1] += parts
            largest = np.int64(0)
            for g in range(sets):
                known = np.int64(0)
                for k in range(of_each):
                    known += np.int64(entries[depth + 1, to, partitions[g, k]])
                sums[depth + 1, to, g] = known
                largest = max(largest, known)
            if largest > rest * scale or (rest == 0 and not is_solved(turned[:, :pieces], j, solved)):
                continue
            waiting[depth + 1] += 1
            was_kept += 1
            for t in range(2 * pieces):
                seen[depth + 1, to, t] = turned[j, t]
            for level in range(depth):
                made[depth + 1, to, level] = made[depth, at, level]
            made[depth + 1, to, depth] = m
            states[depth + 1, to], left[depth + 1, to] = following[states[depth, at], m], rest
        if was_kept < count:
            counts[root, 2] = 1
        if was_kept:
            deepest = max(deepest, depth + 1)


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
        weights, masks = np.zeros((len(sizes), partition.pieces), np.uint64), list[int]()
        for row, size in zip(weights, sizes, strict=True):
            row[:size] = Windows(ring, size, 1).weights
            masks += map(_bits, ((np.arange(number)[:, None] + np.arange(size)) % number).tolist())
        kinds = np.array([number * sizes.index(size) for size in partition.sizes])
        partitions = partition.firsts + kinds
        problem = SumTables(
            forward=goes.astype(np.uint8),
            moved=np.argsort(~is_moved, axis=1, kind="stable").astype(np.uint8),
            number_moved=is_moved.sum(axis=1),
            touched=np.array([_bits(np.flatnonzero(row).tolist()) for row in is_moved], np.uint64),
            sizes=np.array(sizes),
            weights=weights,
            firsts=np.cumsum([0, *(len(tables[size]) for size in sizes[:-1])]).astype(np.uint64),
            masks=np.array(masks * 2, np.uint64),
            partitions=np.concatenate([partitions, len(sizes) * number + partitions]),
            tables=joined_tables([*tables.values()]),
            scale=partition.scale,
            following=np.array(canonical(ring.moves, reduction.solved[0]).following, np.int64),
            costs=np.ones(len(ring.moves), np.int64),
            solved=solved_points(ring, reduction),
        )
        self._partition, self._tables = partition, tables
        super().__init__(deepen_sums, problem, ring, reduction.reference)

    def bounds(self, ranks: ArrayLike) -> NDArray[np.int64]:
        """Return the bound of each partition, for states given by the places of their pieces."""
        points = np.asarray(ranks, np.int64)
        partition, found = self._partition, []
        for seen in (points, points.argsort(axis=-1)):  # the dual state is the inverse
            total: Any = 0
            for size, firsts in zip(partition.sizes, partition.firsts.T, strict=True):
                pieces = (firsts[:, None] + np.arange(size)) % points.shape[-1]
                total = total + self._tables[size][Windows(partition.ring, size, 1).ranks(seen[..., pieces])].astype(
                    np.int64
                )
            found.append(-(-total // partition.scale))
        return np.concatenate(found, axis=-1)


def _bits(numbers: Sequence[int]) -> int:
    return sum(1 << number for number in numbers)


def choose_partition(ring: Ring, memory: int) -> Partition | None:
    """Return the partition whose parts have as many pieces as tables in some memory allow.

    Returns:
        None if a window with one piece more than a part has a larger mean distance, in small tables; or if there is too
        little memory.
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
    """Return the memory for the tables of a partition, and for building the largest, which is made in another order."""
    sizes = {*partition.sizes}
    states = [*map(partition.states, sizes)]
    return sum(states) + max(states, default=0) + max(map(partition.bytes_of_space, sizes), default=0)


def partition_fits(partition: Partition, memory: int) -> bool:
    """Return whether a partition has parts, and their tables can be built in some memory."""
    return partition.is_sound and building_bytes(partition) <= memory


def _distances(partition: Partition) -> tuple[float, int]:
    """Return the mean bound of one partition, and the largest distance of a part in shares."""
    depths = {size: enumerate_depths(partition.space(size), workers=1) for size in {*partition.sizes}}
    reached = {size: each[each != UNREACHABLE] for size, each in depths.items()}
    total = sum(float(reached[size].mean()) for size in partition.sizes)
    return total / partition.scale, max(int(each.max()) for each in reached.values())

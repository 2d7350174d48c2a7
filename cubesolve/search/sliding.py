"""IDA* of sliding puzzles with additive pattern databases.

A move takes one piece, so it changes the entry of one table only. The state of a table is a set of points, one bit for
each, and the order of the pieces on them. After a move, the number of the set follows from the bits, and the order from
the places that the piece left and came to, counted among the others. So a state needs no arrays of moves, which take
more memory than the tables of few pieces, and would be read at random; and the sums of a state and of its mirror
image cost one entry each.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.definition.sliding import Sliding
from cubesolve.runtime.instructions import count_ones, prefetch
from cubesolve.runtime.kernel_arrays import Read1, Read2, Read3
from cubesolve.runtime.kernels import kernel, part
from cubesolve.search.ida_star import DeepeningSolver, Projected, joined, largest_first
from cubesolve.search.rounds import (
    ABORTED,
    BATCH,
    BOUNDS,
    SearchOutput,
    Task,
    append,
    begin,
    empty_frontier,
    take_batch,
    write_result,
)
from cubesolve.search.slides import canonical_slides

MOST_POINTS = 64
"""The largest number of points of a puzzle: a set of points is one machine word."""

_ENTRIES, _FEWEST = 4096, 10_000  # of tables for each sequence of slides that is compared; the fewest sequences
_BYTE = 8  # bits whose numbers are added up at once
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_WIDTH, _LOWEST = np.uint64(_BYTE), np.uint64(255)
_ORDER, _SET = 8, 24  # the bits above the entry at which the order and the number of the set begin
_ENTRY_BITS, _ORDER_BITS = 0xFF, 0xFFFF
_TABLE, _ROWS, _FIBRE, _PIECES, _ORDERS = range(5)  # columns of the layout


class SlidingTables(NamedTuple):
    """A sliding puzzle and its tables, as the kernel reads them. Each view of the puzzle has as many tables."""

    # (views, moves, points): the point whose piece comes to the gap, by the point of the gap; or -1
    sources: Read3[np.int64]
    # (tables, 5): where the table, its rows and its fibre begin, its numbers of pieces and of orders
    layout: Read2[np.int64]
    tables: Read1[np.uint8]  # the distances, all tables one after the other
    rows: Read1[np.int32]  # likewise
    fibre: Read1[np.int32]  # likewise
    numbers: Read3[np.int64]  # (bytes, points below, 256): what the bits of a byte add to the number of a set
    choose: Read2[np.int64]  # (points, sizes): the number of sets of a size below a point
    following: Read2[np.int64]  # (canonical states, moves): see `group.canonical`
    costs: Read1[np.int64]  # (moves,): the cost of each move, 1
    solved: Read2[np.int64]  # (1, tables): the ranks of the solved state


@part
def _set_of(number: int, pieces: int, choose: NDArray[np.int64]) -> np.uint64:
    """Return the set of points with a number."""
    points, point, rest = _ZERO, len(choose), number
    for size in range(pieces, 0, -1):
        point -= 1
        while choose[point, size] > rest:
            point -= 1
        rest -= choose[point, size]
        points |= _ONE << np.uint64(point)
    return points


@kernel(at_start=True)
def deepen_sliding(  # noqa: PLR0912, PLR0915  # one loop over a batch, in stages
    problem: SlidingTables, roots: Read2[np.int64], task: Task, found: SearchOutput
) -> int:
    """Find algs as `ida_star.deepen` does, whose lists and results these are. A group is a view.

    If no moves are left, a state whose bound is 0 is solved: its pieces are, and one point is left for the gap.
    """
    sources, layout, following, counts = problem.sources, problem.layout, problem.following, found.counts
    tables, rows, fibre, numbers, choose = problem.tables, problem.rows, problem.fibre, problem.numbers, problem.choose
    longest, stop_at = task.longest, task.stop_at
    views, moves, number_of_points = sources.shape
    parts = len(layout) // views
    frontier = empty_frontier(longest, moves)
    states, left = frontier.states, frontier.left
    width, room = BATCH * moves, states.shape[1]
    sets = np.empty((longest + 1, room, len(layout)), np.uint64)
    about = np.empty((longest + 1, room, len(layout)), np.int64)  # the number of the set, the order, and the entry
    gaps = np.empty((longest + 1, room, views), np.uint8)
    bounds = np.empty((longest + 1, room, views), np.int16)
    # The states of one batch, and their neighbours: the table of each view that a move changes, and its state there.
    order = np.empty((BATCH, views), np.int64)
    origin, move, chosen = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    changed, entries = np.empty((width, views), np.int64), np.empty((width, views), np.int64)
    new_sets, new_about = np.empty((width, views), np.uint64), np.empty((width, views), np.int64)
    new_gaps, new_bounds = np.empty((width, views), np.uint8), np.empty((width, views), np.int16)

    number, root = 0, -1
    while True:
        depth, top, taken = take_batch(frontier)
        if taken == 0:
            root += 1
            if root == len(roots):
                return number
            begin(frontier, roots, root)
            for t in range(len(layout)):
                row, turned = divmod(roots[root, BOUNDS + views + t], layout[t, _ORDERS])
                sets[0, 0, t] = _set_of(row // number_of_points, layout[t, _PIECES], choose)
                entry = np.int64(rows[layout[t, _ROWS] + row]) * layout[t, _ORDERS] + turned
                about[0, 0, t] = row // number_of_points << _SET | turned << _ORDER
                about[0, 0, t] |= np.int64(tables[layout[t, _TABLE] + entry])
                gaps[0, 0, t // parts] = row % number_of_points
            for v in range(views):
                bounds[0, 0, v] = roots[root, BOUNDS + v]
            continue
        if task.best[0] < task.first + root:
            return ABORTED
        count = 0
        for i in range(taken):
            at = top + i
            if left[depth, at] == 0 or depth == stop_at:
                if number < len(found.algs):
                    write_result(frontier, depth, at, root, found, number)
                    for t in range(len(layout)):
                        row = (about[depth, at, t] >> _SET) * number_of_points + gaps[depth, at, t // parts]
                        turned = about[depth, at, t] >> _ORDER & _ORDER_BITS
                        found.nodes[number, BOUNDS + views + t] = row * layout[t, _ORDERS] + turned
                    for v in range(views):
                        found.nodes[number, BOUNDS + v] = bounds[depth, at, v]
                number += 1
                if left[depth, at] == 0 and not task.every:
                    return number
                continue
            largest_first(bounds, depth, at, order, i)
            for m in range(moves):
                if sources[0, m, gaps[depth, at, 0]] >= 0 and following[states[depth, at], m] >= 0:
                    origin[count], move[count], chosen[count] = i, m, count
                    count += 1
        counts[root, 0] += count
        kept = count
        for turn in range(views):
            for n in range(kept):
                j = chosen[n]
                at, v = top + origin[j], order[origin[j], turn]
                gap = gaps[depth, at, v]
                come_from = sources[v, move[j], gap]
                shift = np.uint64(come_from)
                t = parts * v
                for p in range(1, parts):
                    t += p * np.int64((sets[depth, at, parts * v + p] >> shift) & _ONE)
                here, there = _ONE << shift, _ONE << np.uint64(gap)
                before = sets[depth, at, t]
                after = before ^ here ^ there
                leaves, comes = count_ones(before & (here - _ONE)), count_ones(after & (there - _ONE))
                pieces = layout[t, _PIECES]
                action = np.int64(leaves) * pieces + np.int64(comes)
                turned = about[depth, at, t] >> _ORDER & _ORDER_BITS
                turned = np.int64(fibre[layout[t, _FIBRE] + turned * pieces * pieces + action])
                set_number, below, rest = 0, _ZERO, after
                for byte in range(len(numbers)):
                    set_number += numbers[byte, below, rest & _LOWEST]
                    below += count_ones(rest & _LOWEST)
                    rest >>= _WIDTH
                changed[j, v], new_sets[j, v], new_gaps[j, v] = t, after, come_from
                new_about[j, v] = set_number << _SET | turned << _ORDER
                entries[j, v] = layout[t, _ROWS] + set_number * number_of_points + come_from
                prefetch(rows, entries[j, v])
            for n in range(kept):
                j = chosen[n]
                v = order[origin[j], turn]
                t = changed[j, v]
                row = np.int64(rows[entries[j, v]])
                entries[j, v] = layout[t, _TABLE] + row * layout[t, _ORDERS] + (new_about[j, v] >> _ORDER & _ORDER_BITS)
                prefetch(tables, entries[j, v])
            counts[root, 1] += kept
            still = 0
            for n in range(kept):
                j = chosen[n]
                at, v = top + origin[j], order[origin[j], turn]
                value = np.int64(tables[entries[j, v]])
                bound = bounds[depth, at, v] + value - (about[depth, at, changed[j, v]] & _ENTRY_BITS)
                new_about[j, v], new_bounds[j, v] = new_about[j, v] | value, bound
                beyond = bound + 1 - left[depth, at]
                if beyond > 0:
                    counts[root, 2] = min(counts[root, 2], beyond)
                chosen[still] = j
                still += beyond <= 0
            kept = still
        for n in range(kept):
            j = chosen[n]
            at, m = top + origin[j], move[j]
            to = append(frontier, depth, at, m, following[states[depth, at], m], left[depth, at] - 1)
            for t in range(len(layout)):
                sets[depth + 1, to, t] = sets[depth, at, t]
                about[depth + 1, to, t] = about[depth, at, t]
            for v in range(views):
                t = changed[j, v]
                sets[depth + 1, to, t], about[depth + 1, to, t] = new_sets[j, v], new_about[j, v]
                gaps[depth + 1, to, v], bounds[depth + 1, to, v] = new_gaps[j, v], new_bounds[j, v]


class SlidingSolver(DeepeningSolver):
    """Finds optimal algs of a sliding puzzle with the sums of additive tables."""

    problem: SlidingTables

    def __init__(
        self,
        puzzle: Sliding,
        groups: Sequence[Sequence[Projected]],
        solved: ArrayLike,
        following: Sequence[Sequence[int]],
    ) -> None:
        """Prepare the arrays of the search. Each group has the same tables of pieces, seen under a symmetry."""
        points, moves, parts = len(puzzle.solved), len(puzzle.sources), groups[0]
        of_size = {id(projection.space): projection for projection in parts}
        images = {key: projection.space.fibre.T.astype(np.int32) for key, projection in of_size.items()}
        fibre, first_images = joined({key: array.reshape(-1) for key, array in images.items()})
        rows, first_rows = joined(
            {key: projection.table_rows for key, projection in of_size.items() if projection.table_rows is not None}
        )
        tables, first_entries = joined({number: projection.depths for number, projection in enumerate(parts)})
        layout = []
        for number, key in enumerate(id(projection.space) for projection in parts):
            orders, actions = images[key].shape
            layout.append([first_entries[number], first_rows[key], first_images[key], math.isqrt(actions), orders])
        sources = np.array(puzzle.sources, np.int64)
        problem = SlidingTables(
            sources=np.array([sources[list(group[0].renamed or range(moves))] for group in groups]),
            layout=np.array(layout * len(groups), np.int64),
            tables=tables,
            rows=rows,
            fibre=fibre,
            numbers=_numbers(points),
            choose=_choose(points),
            following=np.array(following, np.int64),
            costs=np.ones(moves, np.int64),
            solved=np.asarray(solved, np.int64),
        )
        super().__init__(deepen_sliding, problem)
        self._puzzle, self._views = puzzle, len(groups)

    def skipping(self, ranks: Sequence[int]) -> tuple[SlidingTables, int]:
        """Return the arrays of a search for one alg, and the canonical state in which it begins."""
        return self._skipping, ranks[0] // int(self.problem.layout[0, _ORDERS]) % len(self._puzzle.solved)

    @functools.cached_property
    def _skipping(self) -> SlidingTables:
        most = max(len(self.problem.tables) // _ENTRIES, _FEWEST)
        return self.problem._replace(following=canonical_slides(self._puzzle, most))

    def bounds(self, ranks: ArrayLike) -> NDArray[np.int64]:
        """Return the sum of each view, for states given by their ranks in all tables."""
        problem = self.problem
        row, order = np.divmod(np.asarray(ranks, np.int64), problem.layout[:, _ORDERS])
        rows = problem.rows[problem.layout[:, _ROWS] + row].astype(np.int64)
        entries = problem.layout[:, _TABLE] + rows * problem.layout[:, _ORDERS] + order
        depths = problem.tables[entries].astype(np.int64)
        return np.add.reduceat(depths, np.arange(self._views) * (depths.shape[-1] // self._views), axis=-1)


def _choose(points: int) -> NDArray[np.int64]:
    """Return the number of sets of each size of the points below each point."""
    return np.array([[math.comb(point, size) for size in range(_BYTE + 1)] for point in range(points)], np.int64)


def _numbers(points: int) -> NDArray[np.int64]:
    """Return what the bits of each byte add to the number of a set, by the number of points below them."""
    numbers = np.zeros((-(-points // _BYTE), _BYTE + 1, 1 << _BYTE), np.int64)
    for at, below, byte in np.ndindex(*numbers.shape):
        bits = [bit for bit in range(_BYTE) if byte >> bit & 1]
        numbers[at, below, byte] = sum(math.comb(at * _BYTE + bit, below + n + 1) for n, bit in enumerate(bits))
    return numbers

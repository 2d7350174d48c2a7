"""IDA* for puzzles whose pieces form a ring, with one pattern database for all windows.

A *window* is a number of pieces at equal distances along the ring. Renaming the pieces along the ring makes each window
the first one, so one table has the distances of all, and the bound of a state is the largest of these. The table is
that of the states up to rotation. The search keeps the place of each piece and computes ranks from the places, because
arrays that update the ranks of so many windows would not stay in the cache.

Where pieces have no orientations, a state has a *dual*, in which the numbers of places and pieces are exchanged: the
inverse permutation, which has the same depth. Its windows are looked up in the same table. A move changes the window of
some places of a state only if it touches one of them, so a bound that is not touched stays exact; but one that is may
change by any number. Entries are therefore whole distances, in four bits each (`encodings.mod3.absolute`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.definitions.canonical import Alg, canonical
from cubesolve.definitions.rings import Ring
from cubesolve.definitions.rotations import Reference, RotationReduction
from cubesolve.encodings.byte.enumeration import enumerate_depths
from cubesolve.encodings.mod3 import Mod3Encoding
from cubesolve.encodings.mod3.absolute import HalfBytes
from cubesolve.errors import NoMemoryError
from cubesolve.instructions import count_ones, prefetch
from cubesolve.kernels import named, read_only, types
from cubesolve.permutations import after
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
from cubesolve.search.ida_star import DeepeningSolver, Kernel, Problem, is_solved
from cubesolve.search.rounds import Task
from cubesolve.spaces.tables import UNREACHABLE
from cubesolve.spaces.windows import Windows, bytes_of_space, states_of

_FEWEST = 2  # pieces of a window
_TRIED = 4  # pieces of the windows that are compared,
_MOST_TRIED = 1 << 20  # if their tables take at most so many bytes


class RingTables(NamedTuple):
    """A ring and its table, as the kernel reads them. A point is a place and an orientation there.

    Attributes:
        forward: uint8 (moves, points): the point to which each move leads.
        place: uint8 (points,): the place of each point.
        turn: uint8 (points,): its orientation.
        windows: uint8 (windows, pieces): the pieces of each window; those of the dual state, after the others, count
            from the number of pieces on.
        touches: uint8 (moves, windows): whether a move may change the bound of a window.
        kept: uint64 (moves,): a bit for each window of the dual state whose bound a move does not change.
        turns: the number of orientations of a piece.
        weights: uint64 (pieces,): what each place of a window counts in its rank; see `spaces.windows`.
        table: uint64 (words,): the distances, shifted to the right, 16 in a word; see `encodings.mod3.absolute`.
        shift: by so many bits.
        following: int64 (canonical states, moves): see `definitions.canonical`.
        costs: int64 (moves,): the cost of each move, 1.
        solved: int64 (solved states, pieces): the point of each piece.
    """

    forward: NDArray[np.uint8]
    place: NDArray[np.uint8]
    turn: NDArray[np.uint8]
    windows: NDArray[np.uint8]
    touches: NDArray[np.uint8]
    kept: NDArray[np.uint64]
    turns: int
    weights: NDArray[np.uint64]
    table: NDArray[np.uint64]
    shift: int
    following: NDArray[np.int64]
    costs: NDArray[np.int64]
    solved: NDArray[np.int64]


_ZERO, _ONE = np.uint64(0), np.uint64(1)
_IN_WORD, _BITS, _WIDTH = np.uint64(15), np.uint64(4), np.uint64(2)  # 16 entries in a word, of 1 << 2 bits
_ENTRY = np.uint64(15)

_PROBLEM = named(
    RingTables,
    forward=read_only(types.uint8),
    place=read_only(types.uint8, 1),
    turn=read_only(types.uint8, 1),
    windows=read_only(types.uint8),
    touches=read_only(types.uint8),
    kept=read_only(types.uint64, 1),
    turns=types.int64,
    weights=read_only(types.uint64, 1),
    table=read_only(types.uint64, 1),
    shift=types.int64,
    following=read_only(types.int64),
    costs=read_only(types.int64, 1),
    solved=read_only(types.int64),
)


@deepening_kernel(_PROBLEM)
def deepen_ring(  # noqa: PLR0912, PLR0915  # one loop over a batch, in stages
    problem: RingTables, roots: Roots, task: Task, found: SearchOutput
) -> int:
    """Find algs as `ida_star.deepen` does, whose lists and results these are; ranks are the points of the pieces.

    The rank of a window is computed here, not by a function: calling one takes as long as its work.

    The bounds of windows of the dual state are always exact. Those of other windows change by at most 1 with a move:
    one that cannot rule out a state is not read, and its largest possible value is stored.
    """
    forward, table, following, solved = problem.forward, problem.table, problem.following, problem.solved
    place, turn_of, windows, weights = problem.place, problem.turn, problem.windows, problem.weights
    touches, kept_by, size, turns = problem.touches, problem.kept, windows.shape[1], np.uint64(problem.turns)
    longest, stop_at, counts = task.longest, task.stop_at, found.counts
    pieces, moves, sets = roots.ranks.shape[1], following.shape[1], len(windows)
    number_of_places, step = np.uint64(pieces), 1 << problem.shift
    frontier = empty_frontier(longest, moves)
    states, left = frontier.states, frontier.left
    most, room = BATCH * moves, states.shape[1]
    points = np.empty((longest + 1, room, pieces), np.uint8)
    bounds = np.empty((longest + 1, room, sets), np.int16)
    # The states of one batch, and their neighbours.
    order = np.empty(sets + 1, np.int64)
    reads, number_of_reads = np.empty((most, sets), np.uint8), np.empty(most, np.int64)
    ranks, turned_bounds = np.empty(most, np.uint64), np.empty((most, sets), np.int16)
    origin, move = np.empty(most, np.int64), np.empty(most, np.int64)
    chosen, kept = np.empty(most, np.int64), np.empty(most, np.int64)  # those with windows to look up, and without
    turned, seen = np.empty((most, pieces), np.uint8), np.empty((most, 2 * pieces), np.uint8)

    number, root = 0, -1
    while True:
        depth, top, taken = take_batch(frontier)
        if taken == 0:
            root += 1
            if root == len(roots.left):
                return number
            begin(frontier, roots, root)
            for t in range(pieces):
                points[0, 0, t] = roots.ranks[root, t]
            for g in range(sets):
                bounds[0, 0, g] = roots.bounds[root, g]
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
                        found.ranks[number, t] = points[depth, at, t]
                    for g in range(sets):
                        found.bounds[number, g] = bounds[depth, at, g]
                number += 1
                if left[depth, at] == 0 and not task.every:
                    return number
                continue
            ordered, tight, here = 0, _ZERO, left[depth, at]
            for g in range(pieces, sets):
                tight |= np.uint64(bounds[depth, at, g] >= here) << np.uint64(g - pieces)
            # First the bounds that rule out states most often: large ones, and of equal ones those of the dual state.
            for missing in range(3):  # steps; bounds that miss two or more are read only to be exact
                for g in range(sets - 1, (pieces if missing == 2 else 0) - 1, -1):
                    bound = bounds[depth, at, g]
                    order[ordered] = g
                    ordered += np.int64(bound < here) + np.int64(bound + step < here) == missing
            for m in range(moves):
                if following[states[depth, at], m] < 0:
                    continue
                counts[root, 0] += 1
                if tight & kept_by[m]:
                    counts[root, 2] = 1
                    continue
                origin[count], move[count], chosen[count] = i, m, count
                listed: Any = 0  # a list for each state, because branches in the stages would be mispredicted
                for n in range(ordered):
                    reads[count, listed] = order[n]
                    listed += np.int64(touches[m, order[n]])
                number_of_reads[count] = listed
                for t in range(pieces):
                    turned[count, t] = forward[m, points[depth, at, t]]
                    seen[count, t] = place[turned[count, t]]
                for g in range(pieces):
                    turned_bounds[count, g] = bounds[depth, at, g] + step
                for g in range(pieces, sets):
                    turned_bounds[count, g] = bounds[depth, at, g]
                    seen[count, pieces + seen[count, g - pieces]] = g - pieces
                count += 1
        still, number_kept, turn = 0, 0, -1
        for n in range(count):
            j = chosen[n]
            chosen[still] = kept[number_kept] = j
            is_ready = number_of_reads[j] == 0
            still += not is_ready
            number_kept += is_ready
        while still:
            looked_up, still, turn = still, 0, turn + 1
            counts[root, 1] += looked_up
            for n in range(looked_up):
                j = chosen[n]
                window, rank, used = np.int64(reads[j, turn]), _ZERO, _ZERO
                ahead = number_of_places - np.uint64(seen[j, windows[window, 0]])
                for i in range(1, size):
                    offset = np.uint64(seen[j, windows[window, i]]) + ahead
                    if offset >= number_of_places:
                        offset -= number_of_places
                    bit = _ONE << offset
                    rank += (offset - _ONE - count_ones(used & (bit - _ONE))) * weights[i]
                    used |= bit
                if turns > _ONE:
                    digits = _ZERO
                    for i in range(size):
                        digits = digits * turns + np.uint64(turn_of[turned[j, windows[window, i]]])
                    rank += digits
                ranks[j] = rank
                prefetch(table, rank >> _BITS)
            for n in range(looked_up):
                j, rank = chosen[n], ranks[chosen[n]]
                entry = (table[rank >> _BITS] >> ((rank & _IN_WORD) << _WIDTH)) & _ENTRY
                bound = np.int64(entry) << problem.shift
                turned_bounds[j, reads[j, turn]] = bound
                chosen[still] = kept[number_kept] = j
                is_kept, is_ready = bound < left[depth, top + origin[j]], turn + 1 == number_of_reads[j]
                still += is_kept and not is_ready
                number_kept += is_kept and is_ready
        if number_kept < count:
            counts[root, 2] = 1
        for n in range(number_kept):
            j = kept[n]
            at, m = top + origin[j], move[j]
            rest = left[depth, at] - 1
            if rest == 0 and not is_solved(turned, j, solved):
                counts[root, 2] = 1
                continue
            to = append(frontier, depth, at, m, following[states[depth, at], m], rest)
            for t in range(pieces):
                points[depth + 1, to, t] = turned[j, t]
            for g in range(sets):
                bounds[depth + 1, to, g] = turned_bounds[j, g]


class RingDeepening(DeepeningSolver[Problem]):
    """Finds optimal algs of a ring. The search is of states as they are, and algs are those up to rotation."""

    def __init__(self, kernel: Kernel[Problem], problem: Problem, ring: Ring, reference: Reference | None) -> None:
        """Take the kernel, its arrays, the ring, and how rotations rename moves."""
        super().__init__(kernel, problem)
        self._numbers = _numbers(ring, reference) if reference else [[*range(len(ring.moves))]]
        self._rotations = reference.following if reference else [[0] * len(ring.moves)]

    def following(self, following: Sequence[Sequence[int]]) -> Self:
        """Return the same search with another automaton, of the moves up to rotation that may follow one another."""
        states, rows = {(0, 0): 0}, list[list[int]]()
        for state, rotation in (reached := list(states)):
            row = list[int]()
            for number in self._numbers[rotation]:
                there = following[state][number], self._rotations[rotation][number]
                if there[0] >= 0 and there not in states:
                    states[there] = len(states)
                    reached.append(there)
                row.append(states.get(there, -1))
            rows.append(row)
        return super().following(rows)

    def named(self, alg: Alg) -> Alg:
        """Return an alg of the ring as one of the moves up to rotation."""
        found, rotation = list[int](), 0
        for move in alg:
            found.append(self._numbers[rotation][move])
            rotation = self._rotations[rotation][found[-1]]
        return tuple(found)


class RingSolver(RingDeepening[RingTables]):
    """Finds optimal algs of a ring with the distances of windows."""

    def __init__(self, windows: Windows, table: HalfBytes, reduction: RotationReduction) -> None:
        """Prepare the arrays of the search.

        Args:
            windows: the windows.
            table: the distances of a window.
            reduction: the puzzle up to rotations.
        """
        ring = windows.ring
        self._windows, self._table = windows, table
        self._seen, touches, kept = _looked_up(windows)
        turns = len(ring.places[0])
        forward = np.array([ring.forward(move) for move in ring.moves]) @ [turns, 1]
        points = np.arange(turns * len(ring.places))
        problem = RingTables(
            forward=forward.reshape(len(forward), -1).astype(np.uint8),
            place=(points // turns).astype(np.uint8),
            turn=(points % turns).astype(np.uint8),
            windows=self._seen.astype(np.uint8),
            touches=touches,
            kept=kept,
            turns=turns,
            weights=windows.weights,
            table=table.words,
            shift=table.shift,
            following=np.array(canonical(ring.moves, reduction.solved[0]).following, np.int64),
            costs=np.ones(len(ring.moves), np.int64),
            solved=_solved_points(ring, reduction),
        )
        super().__init__(deepen_ring, problem, ring, reduction.reference)

    def bounds(self, ranks: ArrayLike) -> NDArray[np.int64]:
        """Return the entry of each window, for states given by the points of their pieces."""
        points = np.asarray(ranks, np.int64)
        both = np.concatenate([points, points.argsort(axis=-1)], axis=-1)  # the dual state is the inverse
        return self._table.depths(self._windows.ranks(both[..., self._seen]))


def _solved_points(ring: Ring, reduction: RotationReduction) -> NDArray[np.int64]:
    """Return the point of each piece in each solved state: (rotations, pieces)."""
    ends = [after(reduction.solved[0], rotation) for rotation in reduction.merged]
    return np.array([*map(ring.points_of, ends)])


def _looked_up(windows: Windows) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.uint64]]:
    """Return the windows that are looked up, those that moves touch, and those that they keep; see `RingTables`."""
    ring, numbers = windows.ring, windows.numbers
    touches = np.ones((len(ring.moves), len(numbers)), np.uint8)
    if len(ring.places[0]) > 1:
        return numbers, touches, np.zeros(len(ring.moves), np.uint64)
    goes = np.array([ring.forward(move) for move in ring.moves])[:, :, 0, 0] != np.arange(len(numbers))
    is_touched = goes[:, numbers].any(axis=-1)
    bits = _ONE << np.arange(len(numbers), dtype=np.uint64)
    return np.concatenate([numbers, len(numbers) + numbers]), np.hstack([touches, is_touched]), ~is_touched @ bits


def _numbers(ring: Ring, reference: Reference) -> list[list[int]]:
    """Return for each rotation the number that each move of the ring has up to rotation."""
    return [[names.index(move.name) for move in ring.moves] for names in reference.names]


def choose_windows(ring: Ring, memory: int) -> Windows:
    """Return the windows with as many pieces as a table in some memory allows, at the distance with the best bounds.

    The distances are compared by the mean entries of small tables.

    Raises:
        NoMemoryError: there is too little memory for windows of two pieces.
    """
    number, pieces = len(ring.places), _largest(ring, memory)
    if pieces < _FEWEST:
        enough = building_bytes(ring, _FEWEST)
        raise NoMemoryError(f"{memory:,} bytes are not enough for a table of a ring of {number}: {enough:,} are")
    few = min(pieces, _TRIED, _largest(ring, _MOST_TRIED))
    steps = [step for step in range(1, number // 2 + 1) if math.gcd(step, number) == 1]
    return Windows(ring, pieces, max(steps, key=lambda step: (_mean(Windows(ring, few, step)), -step)))


def windows_fit(windows: Windows, memory: int) -> bool:
    """Return whether windows lead to all places, and their table can be built in some memory."""
    ring, pieces, step = windows
    is_sound = _FEWEST <= pieces < len(ring.places) and math.gcd(step, len(ring.places)) == 1
    return is_sound and building_bytes(ring, pieces) <= memory


def building_bytes(ring: Ring, pieces: int) -> int:
    """Return the memory for the table of windows with a number of pieces, and for building it."""
    states = states_of(ring, pieces)
    return max(Mod3Encoding().building_bytes(states), HalfBytes.bytes_of(states)) + bytes_of_space(ring, pieces)


def _largest(ring: Ring, memory: int) -> int:
    """Return the largest number of pieces of a window whose table can be built in some memory."""
    some = itertools.takewhile(lambda pieces: building_bytes(ring, pieces) <= memory, range(_FEWEST, len(ring.places)))
    return max(some, default=0)


def mean_of_windows(ring: Ring, pieces: int) -> float:
    """Return the mean distance of windows of adjacent pieces."""
    return _mean(Windows(ring, pieces, 1))


def _mean(windows: Windows) -> float:
    depths = enumerate_depths(windows.space(), windows.start, workers=1)
    return float(depths[depths != UNREACHABLE].mean())

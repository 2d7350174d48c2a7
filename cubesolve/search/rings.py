"""IDA* for puzzles whose pieces form a ring, with one pattern database for all windows.

A *window* is a number of pieces at equal distances along the ring. Renaming the pieces along the ring makes each window
the first one, so one table has the distances of all, and the bound of a state is the largest of these. The table is
that of the states up to rotation. The search keeps the place of each piece and computes ranks from the places, because
arrays that update the ranks of so many windows would not stay in the cache.

Entries are distances modulo 3, in two bits each: every move costs 1 and can be undone, so the entries of neighbours
differ by at most 1, and the search knows those of the state before.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.definitions.canonical import Alg, canonical
from cubesolve.definitions.rings import Ring
from cubesolve.definitions.rotations import Reference, RotationReduction
from cubesolve.encodings.byte.enumeration import enumerate_depths
from cubesolve.encodings.mod3 import Mod3Encoding
from cubesolve.errors import NoMemoryError
from cubesolve.instructions import count_ones, prefetch
from cubesolve.kernels import kernel, named, read_only, types
from cubesolve.permutations import after
from cubesolve.search.ida_star import (
    ABORTED,
    BATCH,
    FOUND,
    ROOTS,
    DeepeningSolver,
    Roots,
    SearchOutput,
    is_solved,
    largest_first,
)
from cubesolve.search.rounds import TASK, Task
from cubesolve.spaces.tables import UNREACHABLE
from cubesolve.spaces.windows import Windows, bytes_of_space, states_of

if TYPE_CHECKING:
    from cubesolve.store.tables import Body

_FEWEST = 2  # pieces of a window
_TRIED = 4  # pieces of the windows that are compared,
_MOST_TRIED = 1 << 20  # if their tables take at most so many bytes


class RingTables(NamedTuple):
    """A ring and its table, as the kernel reads them. A point is a place and an orientation there.

    Attributes:
        forward: uint8 (moves, points): the point to which each move leads.
        place: uint8 (points,): the place of each point.
        turn: uint8 (points,): its orientation.
        windows: uint8 (windows, pieces): the pieces of each window.
        turns: the number of orientations of a piece.
        weights: uint64 (pieces,): what each place of a window counts in its rank; see `spaces.windows`.
        table: uint64 (words,): the distances modulo 3, 32 in a word; see `encodings.mod3`.
        following: int64 (canonical states, moves): see `definitions.canonical`.
        costs: int64 (moves,): the cost of each move, 1.
        solved: int64 (solved states, pieces): the point of each piece.
    """

    forward: NDArray[np.uint8]
    place: NDArray[np.uint8]
    turn: NDArray[np.uint8]
    windows: NDArray[np.uint8]
    turns: int
    weights: NDArray[np.uint64]
    table: NDArray[np.uint64]
    following: NDArray[np.int64]
    costs: NDArray[np.int64]
    solved: NDArray[np.int64]


_ZERO, _ONE, _THREE, _FOUR = np.uint64(0), np.uint64(1), np.uint64(3), np.uint64(4)
_IN_WORD, _BITS = np.uint64(31), np.uint64(5)  # 32 entries in a word

_PROBLEM = named(
    RingTables,
    forward=read_only(types.uint8),
    place=read_only(types.uint8, 1),
    turn=read_only(types.uint8, 1),
    windows=read_only(types.uint8),
    turns=types.int64,
    weights=read_only(types.uint64, 1),
    table=read_only(types.uint64, 1),
    following=read_only(types.int64),
    costs=read_only(types.int64, 1),
    solved=read_only(types.int64),
)


@kernel(_PROBLEM, ROOTS, TASK, FOUND)
def deepen_ring(  # noqa: PLR0912, PLR0915  # one loop over a batch, in stages
    problem: RingTables, roots: Roots, task: Task, found: SearchOutput
) -> int:
    """Find algs as `ida_star.deepen` does, whose lists and results these are; ranks are the points of the pieces.

    The rank of a window is computed here, not by a function: calling one takes as long as its work.
    """
    forward, table, following, solved = problem.forward, problem.table, problem.following, problem.solved
    place, turn_of, windows, weights = problem.place, problem.turn, problem.windows, problem.weights
    number_of_places, size, turns = np.uint64(len(windows)), windows.shape[1], np.uint64(problem.turns)
    longest, stop_at, counts = task.longest, task.stop_at, found.counts
    pieces, moves, sets = roots.ranks.shape[1], following.shape[1], len(windows)
    most = BATCH * moves
    room = BATCH + most
    points = np.empty((longest + 1, room, pieces), np.uint8)
    bounds = np.empty((longest + 1, room, sets), np.int16)
    states = np.empty((longest + 1, room), np.int16)
    left = np.empty((longest + 1, room), np.int64)
    made = np.empty((longest + 1, room, longest), np.uint8)
    waiting = np.zeros(longest + 1, np.int64)
    # The states of one batch, and their neighbours.
    order = np.empty((BATCH, sets), np.int64)
    ranks, turned_bounds = np.empty(most, np.uint64), np.empty((most, sets), np.int16)
    origin, move, chosen = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    turned = np.empty((most, pieces), np.uint8)

    number, root, deepest = 0, -1, -1
    while True:
        while deepest >= 0 and waiting[deepest] == 0:
            deepest -= 1
        if deepest < 0:
            root += 1
            if root == len(roots.left):
                return number
            for t in range(pieces):
                points[0, 0, t] = roots.ranks[root, t]
            for g in range(sets):
                bounds[0, 0, g] = roots.bounds[root, g]
            states[0, 0], left[0, 0] = roots.states[root], roots.left[root]
            waiting[0], deepest = 1, 0
        if task.best[0] < task.first + root:
            return ABORTED
        depth = deepest
        for level in range(deepest, -1, -1):
            if waiting[level]:
                depth = level
                if waiting[level] >= BATCH:
                    break
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
                        found.ranks[number, t] = points[depth, at, t]
                    for g in range(sets):
                        found.bounds[number, g] = bounds[depth, at, g]
                    found.facts[number, 0] = states[depth, at]
                    found.facts[number, 1] = left[depth, at]
                    found.facts[number, 2] = depth
                    found.numbers[number] = root
                number += 1
                if left[depth, at] == 0 and not task.every:
                    return number
                continue
            largest_first(bounds, depth, at, order, i)
            for m in range(moves):
                if following[states[depth, at], m] >= 0:
                    origin[count], move[count], chosen[count] = i, m, count
                    for t in range(pieces):
                        turned[count, t] = forward[m, points[depth, at, t]]
                    count += 1
        counts[root, 0] += count
        kept = count
        for turn in range(sets):
            for n in range(kept):
                j = chosen[n]
                window, rank, used = order[origin[j], turn], _ZERO, _ZERO
                ahead = number_of_places - np.uint64(place[turned[j, windows[window, 0]]])
                for i in range(1, size):
                    seen = np.uint64(place[turned[j, windows[window, i]]]) + ahead
                    if seen >= number_of_places:
                        seen -= number_of_places
                    bit = _ONE << seen
                    rank += (seen - _ONE - count_ones(used & (bit - _ONE))) * weights[i]
                    used |= bit
                if turns > _ONE:
                    digits = _ZERO
                    for i in range(size):
                        digits = digits * turns + np.uint64(turn_of[turned[j, windows[window, i]]])
                    rank += digits
                ranks[j] = rank
                prefetch(table, rank >> _BITS)
            still = 0
            for n in range(kept):
                j = chosen[n]
                at, g = top + origin[j], order[origin[j], turn]
                before, rank = np.uint64(bounds[depth, at, g]), ranks[j]
                entry = (table[rank >> _BITS] >> ((rank & _IN_WORD) << _ONE)) & _THREE
                bound = np.int64(before + (entry + _FOUR - before % _THREE) % _THREE) - 1
                turned_bounds[j, g] = bound
                chosen[still] = j
                still += bound < left[depth, at]
            counts[root, 1] += kept
            if still < kept:
                counts[root, 2] = 1
            kept = still
        for n in range(kept):
            j = chosen[n]
            at, m = top + origin[j], move[j]
            rest = left[depth, at] - 1
            if rest == 0 and not is_solved(turned, j, solved):
                counts[root, 2] = 1
                continue
            to = waiting[depth + 1]
            waiting[depth + 1] += 1
            for t in range(pieces):
                points[depth + 1, to, t] = turned[j, t]
            for g in range(sets):
                bounds[depth + 1, to, g] = turned_bounds[j, g]
            for level in range(depth):
                made[depth + 1, to, level] = made[depth, at, level]
            made[depth + 1, to, depth] = m
            states[depth + 1, to], left[depth + 1, to] = following[states[depth, at], m], rest
        if kept:
            deepest = max(deepest, depth + 1)


class RingSolver(DeepeningSolver[RingTables]):
    """Finds optimal algs of a ring. The search is of states as they are, and algs are those up to rotation."""

    def __init__(self, windows: Windows, table: Body, reduction: RotationReduction) -> None:
        """Prepare the arrays of the search.

        Args:
            windows: the windows.
            table: the body of the table of a window.
            reduction: the puzzle up to rotations.
        """
        ring, reference = windows.ring, reduction.reference
        self._windows = windows
        self._numbers = _numbers(ring, reference) if reference else [[*range(len(ring.moves))]]
        self._rotations = reference.following if reference else [[0] * len(ring.moves)]
        turns, solved = len(ring.places[0]), reduction.solved[0]
        ends = [after(solved, rotation) for rotation in reduction.merged]
        forward = np.array([ring.forward(move) for move in ring.moves]) @ [turns, 1]
        points = np.arange(turns * len(ring.places))
        problem = RingTables(
            forward=forward.reshape(len(forward), -1).astype(np.uint8),
            place=(points // turns).astype(np.uint8),
            turn=(points % turns).astype(np.uint8),
            windows=windows.numbers.astype(np.uint8),
            turns=turns,
            weights=windows.weights,
            table=np.frombuffer(table, np.uint64),
            following=np.array(canonical(ring.moves, solved).following, np.int64),
            costs=np.ones(len(ring.moves), np.int64),
            solved=np.array([*map(ring.points_of, ends)]),
        )
        super().__init__(deepen_ring, problem)

    def following(self, following: Sequence[Sequence[int]]) -> RingSolver:
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

    def bounds(self, ranks: ArrayLike) -> NDArray[np.int64]:
        """Return the entry of each window, for states given by the points of their pieces."""
        points = np.asarray(ranks, np.int64)
        seen = points[..., self._windows.numbers].reshape(-1, self._windows.pieces)
        return self._depths(seen).reshape(*points.shape[:-1], -1)

    def _depths(self, points: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the distances of windows, given by the points of their pieces, by walking to the solved state."""
        depths, here = np.zeros(len(points), np.int64), points.copy()
        ranks = self._windows.ranks(here)
        while len(far := np.flatnonzero(ranks != self._windows.start)):
            there = self.problem.forward[:, here[far]].astype(np.int64)  # (moves, far, pieces)
            after = self._windows.ranks(there)
            nearer = (self._entries(after) + 1) % 3 == self._entries(ranks[far])
            move, number = nearer.argmax(axis=0), np.arange(len(far))
            here[far], ranks[far] = there[move, number], after[move, number]
            depths[far] += 1
        return depths

    def _entries(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        words = self.problem.table[ranks >> 5] >> (2 * (ranks & 31)).astype(np.uint64)
        entries: NDArray[np.int64] = (words & np.uint64(3)).astype(np.int64)
        return entries

    def named(self, alg: Alg) -> Alg:
        """Return an alg of the ring as one of the moves up to rotation."""
        found, rotation = list[int](), 0
        for move in alg:
            found.append(self._numbers[rotation][move])
            rotation = self._rotations[rotation][found[-1]]
        return tuple(found)


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
    """Return the memory for building the table of windows with a number of pieces."""
    return Mod3Encoding().building_bytes(states_of(ring, pieces)) + bytes_of_space(ring, pieces)


def _largest(ring: Ring, memory: int) -> int:
    """Return the largest number of pieces of a window whose table can be built in some memory."""
    some = itertools.takewhile(lambda pieces: building_bytes(ring, pieces) <= memory, range(_FEWEST, len(ring.places)))
    return max(some, default=0)


def _mean(windows: Windows) -> float:
    depths = enumerate_depths(windows.space(), windows.start, workers=1)
    return float(depths[depths != UNREACHABLE].mean())

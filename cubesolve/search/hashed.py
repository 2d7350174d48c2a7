"""IDA* with a hashed table of depths, for any puzzle whose moves are permutations.

The table has slots of two bits, and stores no keys. A slot has the least depth of all states that share it, up to the
depth to which the table is filled. This is a lower bound, so it prunes, and the table may have any size. The canonical
algs from the solved states fill it, one length after the other, as long as this costs less than a search without it.
Each length generates all states of shorter algs again, which costs a fraction of the last length. This is how Tomas
Rokicki's twsearch works.

The search finds the first of all optimal algs in the order of moves: this alg is canonical, and the parts of a round
are numbered in this order.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import Deadline, EndedError, current
from cubesolve.definitions.canonical import Alg, beginnings
from cubesolve.errors import SearchLimitError, UnsolvableStateError
from cubesolve.instructions import fetch_and, prefetch
from cubesolve.kernels import kernel, named, read_only, types
from cubesolve.locks import ThreadLock
from cubesolve.permutations import Arrangement
from cubesolve.search.limits import Progress, require_within
from cubesolve.search.packed import PACKED_MOVES, Keys, PackedMoves, PackedPuzzle
from cubesolve.workers import run_watched

_BITS = np.uint64(2)
_IN_WORD = np.uint64(31)  # the last slot of a word
_HALF = np.uint64(32)
_BEYOND = np.uint64(3)  # the value of a slot that no alg has reached
_TO_VALUE = (3, 2, 1)  # the bits to clear so that an unreached slot gets the value 0, 1 or 2
_VALUES = len(_TO_VALUE)
_SLOTS = 32  # in a word
_LOW_BITS = np.uint64(0x5555_5555_5555_5555)  # of the slots of a word
_AT_ONCE = 1 << 16  # words that are changed at a time; they fit into the cache of a processor

_FILLS = 2  # states generated to fill the table for each that the next round saves; later rounds save, too
_FULL = 0.7  # the largest fraction of filled slots
_EMPTY = 32  # preferred number of slots for each state

_AHEAD = 64  # neighbours of siblings that are prefetched together
_LONGEST = 1000  # moves
_ROOM = 16  # algs
_SMALL = 1 << 12  # states that one thread generates within a millisecond
_CHUNKS = 256  # the largest number for a round
_PATIENCE = 0.05  # seconds between two checks of the deadline
_ENDLESS = np.iinfo(np.int64).max


class _Part(NamedTuple):
    """Some parts of a round, see `_Round`."""

    first: int
    last: int
    split: int


class _Round(NamedTuple):
    """All algs of one length, or some parts of them.

    A *part* of a round consists of all algs that begin with the same `split` moves, the digits of the part's number.

    Attributes:
        first: the number of the first part.
        last: the number of the last part, plus one.
        split: see above.
        length: the number of moves.
        filled: the length up to which the table is filled.
        least: the depth that the value 0 of a slot stands for, or a smaller one.
        clear: the bits to clear in the slots that the algs lead to; 0 to search.
        every: whether to go on after the first alg.
        best: int64 (1,): the round ends when this is below the number of a part.
    """

    first: int
    last: int
    split: int
    length: int
    filled: int
    least: int
    clear: int
    every: bool
    best: NDArray[np.int64]


class _Stack(NamedTuple):
    """The states on the path to the current one, some siblings of each, and the results of the search.

    Attributes:
        states: uint8 (moves * siblings * places,): states after 0 moves, 1, and so on; the caller sets the first one.
        canonical: int32 (moves, siblings): their states in the automaton of canonical sequences.
        made: int32 (moves, siblings): the last move that leads to each.
        numbers: int32 (moves, siblings): the number of neighbours of each.
        moves: int32 (moves * siblings * moves of the puzzle,): the moves that lead to these neighbours.
        keys: uint64 (moves * siblings * moves of the puzzle,): the keys of these neighbours.
        waiting: int64 (moves, 4): the number of siblings and of those searched, and the number of neighbours of the
            state before that have to be searched, and of those that are siblings or have been.
        algs: int32 (room, moves): the algs found.
        nodes: int64 (1,): the number of generated states.
    """

    states: NDArray[np.uint8]
    canonical: NDArray[np.int32]
    made: NDArray[np.int32]
    numbers: NDArray[np.int32]
    moves: NDArray[np.int32]
    keys: Keys
    waiting: NDArray[np.int64]
    algs: NDArray[np.int32]
    nodes: NDArray[np.int64]

    @classmethod
    def of(cls, packed: NDArray[np.uint8], length: int, moves: int, room: int) -> _Stack:
        """Allocate the arrays of a search from a state."""
        size = (length + 1, max(_AHEAD // moves, 1))
        states = np.zeros(size[0] * size[1] * len(packed), np.uint8)
        states[: len(packed)] = packed
        return cls(
            states,
            np.zeros(size, np.int32),
            np.zeros(size, np.int32),
            np.zeros(size, np.int32),
            np.zeros(size[0] * size[1] * moves, np.int32),
            np.zeros(size[0] * size[1] * moves, np.uint64),
            np.zeros((length + 1, 4), np.int64),
            np.zeros((room, length), np.int32),
            np.zeros(1, np.int64),
        )


_ROUND = named(
    _Round,
    first=types.int64,
    last=types.int64,
    split=types.int64,
    length=types.int64,
    filled=types.int64,
    least=types.int64,
    clear=types.int64,
    every=types.boolean,
    best=read_only(types.int64, 1),
)
_STACK = named(
    _Stack,
    states=types.uint8[::1],
    canonical=types.int32[:, ::1],
    made=types.int32[:, ::1],
    numbers=types.int32[:, ::1],
    moves=types.int32[::1],
    keys=types.uint64[::1],
    waiting=types.int64[:, ::1],
    algs=types.int32[:, ::1],
    nodes=types.int64[::1],
)


@kernel(PACKED_MOVES, _ROUND, types.uint64, types.uint64[::1], _STACK, at_start=True)
def descend(puzzle: PackedMoves, task: _Round, root: np.uint64, table: Keys, stack: _Stack) -> int:  # noqa: PLR0912, PLR0915
    """Search all algs of one length in the order of moves, or fill the table with the states they lead to.

    A neighbour whose lower bound exceeds the moves left is pruned. The neighbours of several siblings are prefetched
    before the first of them is looked up, so the processor loads many cache lines at once.

    Args:
        puzzle: the puzzle.
        task: the round.
        root: the key of the first state.
        table: the slots.
        stack: room for the search.

    Returns:
        The number of algs found, which may exceed the room.
    """
    firsts, sources, changes, labels, change_keys = (
        puzzle.firsts,
        puzzle.sources,
        puzzle.changes,
        puzzle.labels,
        puzzle.keys,
    )
    following, solved = puzzle.following, puzzle.solved
    states, canonical, made, numbers = stack.states, stack.canonical, stack.made, stack.numbers
    moves, keys, waiting, algs = stack.moves, stack.keys, stack.waiting, stack.algs
    number_of_moves, width = following.shape[1], made.shape[1]
    places = np.uint64(len(states) // made.size)
    size, clear = np.uint64(len(table)), np.uint64(task.clear)
    number, nodes = 0, 0
    for part in range(task.first, task.last):
        depth = 0
        waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, 0, 1, 0
        while depth >= 0:
            left = task.length - depth - 1
            looks_up = left == 0 or (left <= task.filled and not clear)
            if waiting[depth, 1] == waiting[depth, 0]:
                begun = waiting[depth, 3]
                count = min(width, waiting[depth, 2] - begun)
                if count == 0 or task.best[0] < part:
                    depth -= 1
                    continue
                waiting[depth, 0], waiting[depth, 1], waiting[depth, 3] = count, 0, begun + count
                low, high = 0, number_of_moves
                if depth < task.split:
                    low = part
                    for _ in range(depth + 1, task.split):
                        low //= number_of_moves
                    low %= number_of_moves
                    high = low + 1
                for sibling in range(count):
                    place, key = np.uint64(depth * width + sibling), root
                    at, row = place * places, place * np.uint64(number_of_moves)
                    if depth:
                        parent = waiting[depth - 1, 1] - 1
                        place = np.uint64((depth - 1) * width + parent)
                        before, up = place * places, place * np.uint64(number_of_moves) + np.uint64(begun + sibling)
                        last, key = moves[up], keys[up]
                        made[depth, sibling] = last
                        canonical[depth, sibling] = following[canonical[depth - 1, parent], last]
                        for i in range(places):
                            states[at + i] = states[before + i]
                        for i in range(firsts[last], firsts[last + 1]):
                            states[at + changes[i, 0]] = labels[changes[i, 1], states[before + sources[i]]]
                    here, found = canonical[depth, sibling], 0
                    for move in range(low, high):
                        if following[here, move] >= 0:
                            there = key
                            for i in range(firsts[move], firsts[move + 1]):
                                there ^= change_keys[i, states[at + sources[i]]]
                            moves[row + np.uint64(found)], keys[row + np.uint64(found)] = move, there
                            found += 1
                            if looks_up:
                                prefetch(table, ((there >> _HALF) * size) >> _HALF)
                    numbers[depth, sibling] = found
                    nodes += found
            taken = waiting[depth, 1]
            waiting[depth, 1] += 1
            count, row = numbers[depth, taken], np.uint64((depth * width + taken) * number_of_moves)
            if looks_up:
                kept, most = 0, np.uint64(max(left - task.least, 0))
                for i in range(count):
                    there = keys[row + np.uint64(i)]
                    word = ((there >> _HALF) * size) >> _HALF
                    slot = (there & _IN_WORD) * _BITS
                    value = (table[word] >> slot) & _BEYOND
                    if clear:
                        if value == _BEYOND:
                            fetch_and(table, word, ~(clear << slot))
                    elif value <= most:
                        is_kept = left > 0
                        for j in range(len(solved)):
                            is_kept |= there == solved[j]
                        moves[row + np.uint64(kept)], keys[row + np.uint64(kept)] = moves[row + np.uint64(i)], there
                        kept += is_kept
                count = kept
            if left > 0:
                depth += 1
                waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3] = 0, 0, count, 0
                continue
            for i in range(count):
                if number < len(algs):
                    for level in range(1, task.length):
                        algs[number, level - 1] = made[level, waiting[level, 1] - 1]
                    algs[number, task.length - 1] = moves[row + np.uint64(i)]
                number += 1
                if not task.every:
                    stack.nodes[0] += nodes
                    return number
    stack.nodes[0] += nodes
    return number


class _Table(NamedTuple):
    """A hashed table of depths.

    Attributes:
        words: uint64 (N,): the slots, 32 in a word.
        filled: the depth up to which it is filled.
        least: see `_Round`.
    """

    words: Keys
    filled: int
    least: int

    def bound(self, key: np.uint64) -> int:
        """Return the lower bound for a key."""
        if self.filled < 0:
            return 0
        value = int(self.words[_word(key, len(self.words))]) >> 2 * int(key & _IN_WORD) & int(_BEYOND)
        if value == _BEYOND:
            return self.filled + 1
        return max(self.least + value, 0) if value else 0


def _word(key: np.uint64, words: int) -> int:
    return (int(key) >> 32) * words >> 32


_NO_TABLE = _Table(np.empty(0, np.uint64), -1, -1)


class _Filling(NamedTuple):
    """A table that is being filled to the next depth. The work can be interrupted.

    Attributes:
        table: the table as it is when the work is finished.
        left: the remaining work: for each depth, the last first, the solved states and the parts of rounds from them.
    """

    table: _Table
    left: list[list[tuple[int, _Part]]]


class HashedSolver:
    """Finds optimal algs with a hashed table, which it keeps and fills as far as this saves time.

    Attributes:
        nodes: the number of states generated by all searches so far, without those generated to fill the table.
        farthest: the largest number of moves of a search; it does not depend on earlier searches.

    >>> swaps = [bytes([1, 0, 2]), bytes([0, 2, 1])]
    >>> solver = HashedSolver(PackedPuzzle(swaps, [bytes([0, 1, 2])], [], [[1, 2], [-1, 2], [1, -1]]), 1 << 20, 1 << 20)
    >>> solver.solve(bytes([2, 1, 0]), every=True)
    [(0, 1, 0), (1, 0, 1)]
    """

    def __init__(self, puzzle: PackedPuzzle, memory: int, most: int) -> None:
        """Begin without a table.

        Args:
            puzzle: the puzzle.
            memory: the largest number of bytes of the table.
            most: the largest number of states that one round may generate.
        """
        self.nodes = 0
        self._puzzle, self._most_words = puzzle, max(memory // 8, 1)
        self._table = _NO_TABLE
        self._filling: _Filling | None = None
        self._lock = ThreadLock()
        self._counts, self._counting = [1], beginnings(puzzle.moves.following.tolist())
        self.farthest = self._farthest(most)

    def solve(
        self,
        state: Arrangement,
        *,
        every: bool = False,
        max_depth: int | None = None,
        ruled_out: int = -1,
        most: int | None = None,
        deadline: Deadline | None = None,
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> list[Alg] | int:
        """Return the first optimal alg in the order of moves, or all canonical ones.

        Args:
            state: the state.
            every: find all canonical algs instead of one.
            max_depth: the largest number of moves to try.
            ruled_out: a number of moves known to be too small.
            most: a smaller limit on the states that one round may generate.
            deadline: when to give up.
            workers: number of threads; by default one for each processor. The result does not depend on it.
            progress: called from this thread after each length.

        Returns:
            The algs; the number of moves that is ruled out if a round would generate too many states.

        Raises:
            SearchLimitError: there is no alg of `max_depth`, or none was found in time.
            UnsolvableStateError: there is no alg of any length.
            ValueError: `workers` is not in 1..1024.
        """
        clock, before = deadline or current(), self.nodes
        packed = self._puzzle.pack(state)
        key = self._puzzle.key(packed)
        length = max(self._table.bound(key), ruled_out + 1)
        if length == 0:
            if key in self._puzzle.moves.solved:
                return [()]
            length = 1
        while True:
            require_within(length, {"max_depth": max_depth})
            if not self._number(length):
                raise UnsolvableStateError("no moves lead from this state to the solved one", "unreachable")
            filled = self._filled_for(length, self._table.filled)
            if length > self.farthest or (most is not None and self._cost(length, filled) > most):
                return length - 1
            try:
                # No name is given to the table: a larger one may replace it, and there is memory for one.
                algs = self._search(self._fill_to(filled, clock, workers), packed, key, length, every, clock, workers)
            except EndedError as end:
                raise SearchLimitError(length, end.limit) from None
            if progress:
                progress(length, self.nodes - before, clock.elapsed)
            if algs:
                return algs
            length += 1

    def forget(self) -> None:
        """Drop the table, unless another question is filling it."""
        with self._lock.held_within(0) as is_held:
            if is_held:
                self._table, self._filling = _NO_TABLE, None

    # -- Costs ---------------------------------------------------------------------------------------------------------

    def _number(self, length: int) -> int:
        """Return the number of canonical algs of a length."""
        while len(self._counts) <= length:
            self._counts.append(next(self._counting)[1])
        return self._counts[length]

    def _cost(self, length: int, filled: int) -> int:
        """Return the expected number of states that a search generates."""
        return self._number(max(length - filled, 0))

    def _filled_for(self, length: int, filled: int) -> int:
        """Return the depth to which filling the table before a search saves time."""
        largest, filled = _FULL * self._most_words * _SLOTS, max(filled, 0)
        while filled + 1 < length:
            saved = self._cost(length, filled) - self._cost(length, filled + 1)
            more = self._number(filled + 1) * len(self._puzzle.solved)
            if more > min(_FILLS * saved, largest):
                break
            filled += 1
        return filled

    def _farthest(self, most: int) -> int:
        filled = 0
        for length in range(1, _LONGEST + 1):
            filled = self._filled_for(length, filled)
            if self._cost(length, filled) > most:
                return length - 1
        return _LONGEST

    # -- The table -----------------------------------------------------------------------------------------------------

    def _fill_to(self, depth: int, deadline: Deadline, workers: int | None) -> _Table:
        """Return the table, filled up to a depth; the current table if another question is filling it."""
        while True:
            with self._lock.held_within(0 if self._table.filled >= 0 else _PATIENCE) as is_held:
                while is_held and self._table.filled < depth:
                    self._filling = self._filling or self._begin_filling()
                    self._fill(self._filling, deadline, workers)
                    self._table, self._filling = self._filling.table, None
                table = self._table
            if table.filled >= 0:
                return table
            deadline.left()

    def _begin_filling(self) -> _Filling:
        """Return the work for the next depth: in the same table, or from the beginning in a larger one.

        In the same table, the values of reached slots are shifted by one depth first. They remain lower bounds for
        running searches.
        """
        words, filled, depth = self._table.words, self._table.filled, self._table.filled + 1
        wanted = min(-(-_EMPTY * self._number(depth) * len(self._puzzle.solved) // _SLOTS), self._most_words)
        if 2 * len(words) < wanted:
            del words
            self._table = _NO_TABLE
            words, filled = _empty(wanted), -1
        else:
            self._table = _Table(words, filled, depth - _VALUES + 1)
            for first in range(0, len(words), _AT_ONCE):
                _make_less(words[first : first + _AT_ONCE])
        roots, depths = range(len(self._puzzle.solved)), range(depth, filled, -1)
        left = [list(itertools.product(roots, self._parts(each, self._number(each)))) for each in depths]
        return _Filling(_Table(words, depth, depth - _VALUES + 1), left)

    def _fill(self, filling: _Filling, deadline: Deadline, workers: int | None) -> None:
        """Do the remaining work. The first alg that leads to a slot sets its value, so shorter algs come first."""
        while filling.left:
            depth = filling.table.filled + 1 - len(filling.left)
            self._fill_depth(filling.table, depth, filling.left[-1], deadline, workers)
            filling.left.pop()

    def _fill_depth(
        self, table: _Table, depth: int, left: list[tuple[int, _Part]], deadline: Deadline, workers: int | None
    ) -> None:
        best, lock, solved = np.full(1, _ENDLESS), threading.Lock(), self._puzzle.moves.solved
        clear = _TO_VALUE[max(depth - table.least, 0)]

        def work() -> None:
            while best[0] >= 0:
                with lock:
                    if not left:
                        return
                    root, part = task = left.pop()
                is_done = False
                try:
                    fill_from(root, part)
                    is_done = best[0] >= 0
                finally:
                    if not is_done:
                        with lock:
                            left.append(task)

        def fill_from(root: int, part: _Part) -> None:
            if depth == 0:
                word, slot = _word(solved[root], len(table.words)), 2 * int(solved[root] & _IN_WORD)
                table.words[word] &= ~np.uint64(clear << slot)
                return
            stack = self._stack(self._puzzle.solved[root], depth, 0)
            task = _Round(*part, depth, -1, 0, clear, True, best)
            descend(self._puzzle.moves, task, solved[root], table.words, stack)

        self._run(work, len(left), best, deadline, workers)

    # -- Rounds --------------------------------------------------------------------------------------------------------

    def _search(
        self,
        table: _Table,
        packed: NDArray[np.uint8],
        key: np.uint64,
        length: int,
        every: bool,
        deadline: Deadline,
        workers: int | None,
    ) -> list[Alg]:
        """Return the algs of a length: all, or the first."""
        words, filled, least = table
        parts = self._parts(length, self._cost(length, filled))
        best, lock, found, begun = np.full(1, _ENDLESS), threading.Lock(), dict[int, list[Alg]](), iter(parts)
        moves = self._puzzle.moves.following.shape[1]

        def work() -> None:
            for part in iter(lambda: next(begun, None), None):
                if part.first > best[0]:
                    return
                room = _ROOM
                while True:
                    stack = self._stack(packed, length, room)
                    task = _Round(*part, length, filled, least, 0, every, best)
                    count = descend(self._puzzle.moves, task, key, words, stack)
                    if count <= room:
                        break
                    room = count
                with lock:
                    self.nodes += int(stack.nodes[0])
                    if count:
                        found[part.first] = list(map(tuple, stack.algs[:count].tolist()))
                        if not every and best[0] >= 0:
                            best[0] = min(best[0], _part_of(found[part.first][0][: part.split], moves))

        self._run(work, len(parts), best, deadline, workers)
        algs = [alg for first in sorted(found) for alg in found[first]]
        return algs if every else algs[:1]

    def _parts(self, length: int, nodes: int) -> list[_Part]:
        """Divide a round."""
        chunks = max(1, min(nodes // _SMALL, _CHUNKS))
        split = max(min(length - 1, 2), 0) if chunks > 1 else 0
        number = self._puzzle.moves.following.shape[1] ** split
        each = -(-number // chunks)
        return [_Part(first, min(first + each, number), split) for first in range(0, number, each)]

    def _run(
        self, work: Callable[[], None], parts: int, best: NDArray[np.int64], deadline: Deadline, workers: int | None
    ) -> None:
        """Run long work in threads, and short work in this thread, which also compiles the kernels."""
        if parts == 1:
            deadline.left()
            work()
            return

        def stop() -> None:
            best[0] = -1

        run_watched(work, parts, workers, stop, deadline)

    def _stack(self, packed: NDArray[np.uint8], length: int, room: int) -> _Stack:
        return _Stack.of(packed, length, self._puzzle.moves.following.shape[1], room)


def _part_of(alg: Alg, moves: int) -> int:
    """Return the number of the part of algs that begin with some moves."""
    number = 0
    for move in alg:
        number = moves * number + move
    return number


def _empty(words: int) -> Keys:
    return np.full(words, ~np.uint64(0))


def _make_less(words: Keys) -> None:
    """Subtract one from the values 1 and 2 of all slots."""
    high = words >> np.uint64(1) & _LOW_BITS
    words &= high
    words <<= np.uint64(1)
    words |= high

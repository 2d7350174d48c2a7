"""IDA* with hashed tables of the states at each depth, for any puzzle whose moves are permutations.

The table of a depth is a Bloom filter, see `search.bloom`: a state whose bits are not all set is not at this depth.
All shorter solutions are ruled out before a length is searched, so a state with n moves left leads to a solution only
if it is at depth n exactly: it is looked up in the table of depth n.

The canonical algs of a length from the solved states fill the table of this depth, as long as this costs less than a
search without it. Filling tables between the rounds of a search is how Tomas Rokicki's twsearch works.

The search finds the first of all optimal algs in the order of moves: this alg is canonical, and the parts of a round
are numbered in this order.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.group.canonical import Alg, beginnings
from cubesolve.group.permutations import Arrangement, Permutation
from cubesolve.runtime.deadline import check, current
from cubesolve.runtime.instructions import fetch_or, prefetch
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1
from cubesolve.runtime.kernels import kernel
from cubesolve.runtime.locks import thread_lock
from cubesolve.search.bloom import bits_of, word_of
from cubesolve.search.limits import Progress
from cubesolve.search.packed import PackedMoves, PackedPuzzle
from cubesolve.search.rounds import NOTHING_BEYOND, Watch, deepened, run_watched

_WORD = 64  # bits
_PREFERRED = 16  # bits of a table for each state that is entered into it,
_FEWEST = 4  # and the fewest
_FILLS = 2  # states generated to fill a table for each that the next round saves; later rounds save, too,
# and one for each that it would have saved since the last one was filled (renting and buying: at most twice the best)

_AHEAD = 64  # neighbours of siblings that are prefetched together
_LONGEST = 1000  # moves
_ROOM = 16  # algs
_SMALL = 1 << 12  # states that one thread generates within a millisecond
_CHUNKS = 256  # the largest number for a round
_ENDLESS = np.iinfo(np.int64).max


class _Part(NamedTuple):
    """Some parts of a round, see `_Round`."""

    first: int
    last: int
    split: int


class _Tables(NamedTuple):
    """The tables of the depths 0, 1, and so on."""

    words: Array1[np.uint64]  # (N,): their words, one table after the other
    starts: Read1[np.uint64]  # (tables + 1,): the first word of each, and the number of all

    @property
    def filled(self) -> int:
        """The largest depth that has a table."""
        return len(self.starts) - 2

    def bound(self, key: np.uint64) -> int:
        """Return the lower bound for a key: the first depth whose table has it."""
        return next(self._depths(key), self.filled + 1)

    def _depths(self, key: np.uint64) -> Iterator[int]:
        """Yield the depths whose tables have a key."""
        bits = bits_of(key)
        for depth, (first, last) in enumerate(itertools.pairwise(self.starts)):
            if self.words[first + word_of(key, last - first)] & bits == bits:
                yield depth


class _Round(NamedTuple):
    """All algs of one length, or some parts of them.

    A *part* of a round consists of all algs that begin with the same `split` moves, the digits of the part's number.
    """

    first: int  # the number of the first part
    last: int  # the number of the last part, plus one
    split: int  # see above
    length: int  # the number of moves
    filled: int  # the largest depth that has a table
    enters: bool  # whether to enter the states that the algs lead to into the table of this depth, instead of searching
    every: bool  # whether to go on after the first alg
    best: Read1[np.int64]  # (1,): the round ends when this is below the number of a part


class _Stack(NamedTuple):
    """The states on the path to the current one, some siblings of each, and the results of the search."""

    # (moves * siblings * places,): states after 0 moves, 1, and so on; the caller sets the first one
    states: Array1[np.uint8]
    canonical: Array2[np.int32]  # (moves, siblings): their states in the automaton of canonical sequences
    made: Array2[np.int32]  # (moves, siblings): the last move that leads to each
    numbers: Array2[np.int32]  # (moves, siblings): the number of neighbours of each
    moves: Array1[np.int32]  # (moves * siblings * moves of the puzzle,): the moves that lead to these neighbours
    keys: Array1[np.uint64]  # (moves * siblings * moves of the puzzle,): the keys of these neighbours
    # (moves, 4): the number of siblings and of those searched, and the number of neighbours of the state before that
    # have to be searched, and of those that are siblings or have been
    waiting: Array2[np.int64]
    algs: Array2[np.int32]  # (room, moves): the algs found
    nodes: Array1[np.int64]  # (1,): the number of generated states

    @classmethod
    def of(cls, packed: NDArray[np.uint8], length: int, moves: int, room: int) -> _Stack:
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


@kernel(at_start=True)
def descend(puzzle: PackedMoves, task: _Round, root: np.uint64, tables: _Tables, stack: _Stack) -> int:  # noqa: PLR0912, PLR0915
    """Search all algs of one length in the order of moves, or fill a table with the states they lead to.

    A neighbour is pruned if it is not in the table of the moves left. The neighbours of several siblings are prefetched
    before the first of them is looked up, so the processor loads many cache lines at once.
    """
    firsts, sources, changes, labels = puzzle.firsts, puzzle.sources, puzzle.changes, puzzle.labels
    runs, first_moves, changed, run_keys = puzzle.runs, puzzle.first_moves, puzzle.places, puzzle.keys
    following, solved = puzzle.following, puzzle.solved
    states, canonical, last_moves, numbers = stack.states, stack.canonical, stack.made, stack.numbers
    moves, keys, waiting, algs = stack.moves, stack.keys, stack.waiting, stack.algs
    number_of_moves, width = following.shape[1], last_moves.shape[1]
    places = np.uint64(len(states) // last_moves.size)
    words, starts = tables.words, tables.starts
    first, size, number, nodes = np.uint64(0), np.uint64(0), 0, 0
    for part in range(task.first, task.last):
        depth = 0
        waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, 0, 1, 0
        while depth >= 0:
            left = task.length - depth - 1
            looks_up = left == 0 or (left <= task.filled and not task.enters)
            if looks_up:
                level = task.length if task.enters else left
                first, size = starts[level], starts[level + 1] - starts[level]
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
                        last_moves[depth, sibling] = last
                        canonical[depth, sibling] = following[canonical[depth - 1, parent], last]
                        for i in range(places):
                            states[at + i] = states[before + i]
                        for i in range(firsts[last], firsts[last + 1]):
                            states[at + changes[i, 0]] = labels[changes[i, 1], states[before + sources[i]]]
                    here, total = canonical[depth, sibling], 0
                    for run in range(len(runs) - 1):
                        move, end = max(low, first_moves[run]), min(high, first_moves[run + 1])
                        while move < end and following[here, move] < 0:
                            move += 1
                        if move >= end:
                            continue
                        key_0, key_1, key_2, key_3 = key, key, key, key
                        for i in range(runs[run], runs[run + 1]):
                            label = states[at + changed[i]]
                            key_0 += run_keys[i, label, 0]
                            key_1 += run_keys[i, label, 1]
                            key_2 += run_keys[i, label, 2]
                            key_3 += run_keys[i, label, 3]
                        for m in range(move, end):
                            if following[here, m] >= 0:
                                n = m - first_moves[run]
                                neighbour = key_0 if n == 0 else key_1 if n == 1 else key_2 if n == 2 else key_3
                                moves[row + np.uint64(total)], keys[row + np.uint64(total)] = m, neighbour
                                total += 1
                                if looks_up:
                                    prefetch(words, first + word_of(neighbour, size))
                    numbers[depth, sibling] = total
                    nodes += total
            taken = waiting[depth, 1]
            waiting[depth, 1] += 1
            count, row = numbers[depth, taken], np.uint64((depth * width + taken) * number_of_moves)
            if looks_up:
                kept = 0
                for i in range(count):
                    neighbour = keys[row + np.uint64(i)]
                    word, bits = first + word_of(neighbour, size), bits_of(neighbour)
                    is_entered = words[word] & bits == bits
                    if task.enters:
                        if not is_entered:
                            fetch_or(words, word, bits)
                    elif is_entered:
                        is_kept = left > 0
                        for j in range(len(solved)):
                            is_kept |= neighbour == solved[j]
                        moves[row + np.uint64(kept)], keys[row + np.uint64(kept)] = moves[row + np.uint64(i)], neighbour
                        kept += is_kept
                count = kept
            if left > 0:
                depth += 1
                waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3] = 0, 0, count, 0
                continue
            for i in range(count):
                if number < len(algs):
                    for level in range(1, task.length):
                        algs[number, level - 1] = last_moves[level, waiting[level, 1] - 1]
                    algs[number, task.length - 1] = moves[row + np.uint64(i)]
                number += 1
                if not task.every:
                    stack.nodes[0] += nodes
                    return number
    stack.nodes[0] += nodes
    return number


class _Filling(NamedTuple):
    """One more table that is being filled. The work can be interrupted."""

    tables: _Tables  # the tables as they are when the work is finished
    left: list[tuple[int, _Part]]  # the remaining work: solved states, and parts of rounds from them


class _TooManyStatesError(Exception):
    """A round, of the number of moves that is the argument, would generate too many states."""


class HashedSolver:
    """Finds optimal algs with hashed tables, which it keeps, and fills as many as save time.

    Attributes:
        nodes: the number of states generated by all searches so far, without those generated to fill tables.
        farthest: the largest number of moves of a search; it does not depend on earlier searches.

    >>> swaps = [bytes([1, 0, 2]), bytes([0, 2, 1])]
    >>> solver = HashedSolver(PackedPuzzle(swaps, [bytes([0, 1, 2])], [[1, 2], [-1, 2], [1, -1]]), 1 << 20, 1 << 20)
    >>> solver.solve(bytes([2, 1, 0]), every=True)
    [(0, 1, 0), (1, 0, 1)]
    """

    def __init__(self, puzzle: PackedPuzzle, memory: int, most: int, images: int = 1) -> None:
        """Begin with a table of the solved states; all tables take at most `memory` bytes."""
        self.nodes = 0
        self._missed = 0.0  # states that one more table would have saved since the last one was filled
        self._puzzle, self._most_words, self._images = puzzle, max(memory // 8, 1), images
        self._filling: _Filling | None = None
        self._lock = thread_lock()
        self._sizes = list[int]()
        self._counts, self._counting = [1], beginnings(puzzle.moves.following.tolist())
        self._filling_counts = [1]
        self._filling_counting = beginnings(puzzle.least, len(puzzle.moves.following))
        self._filling_moves = puzzle.moves._replace(following=np.array(puzzle.least, np.int32))
        self._tables = self._first_table()
        self.farthest = self._farthest(most)

    def solve(
        self,
        *states: Arrangement,
        moves: Sequence[Permutation] | None = None,
        every: bool = False,
        max_depth: int | None = None,
        ruled_out: int = -1,
        most: int | None = None,
        beyond: bool = False,
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> list[Alg] | int:
        """Return the first optimal alg in the order of moves, or all canonical ones.

        Args:
            states: the states; algs are those of the nearest of them.
            moves: the moves of these states, if a rotation of the puzzle makes them of the moves; algs number these.
            workers: number of threads; by default one for each processor. The result does not depend on it.
            progress: called from this thread after each length, and from time to time within it.

        Returns:
            The algs; the number of moves that is ruled out if a round would generate too many states.
        """
        before = self.nodes
        packed_moves = self._puzzle.rotated(tuple(moves)) if moves else self._puzzle.moves
        roots = [(packed, self._puzzle.key(packed)) for packed in self._puzzle.pack_all(states)]
        length = max(min(self._tables.bound(key) for _, key in roots), ruled_out + 1)
        if length == 0:
            if any(key in self._puzzle.moves.solved for _, key in roots):
                return [()]
            length = 1

        def search(length: int, watch: Watch) -> tuple[list[Alg], int]:
            if not self._number(length):
                return [], NOTHING_BEYOND
            filled = self._filled_for(length, self._tables.filled, self._missed)
            if (length > self.farthest and not beyond) or (most is not None and self._cost(length, filled) > most):
                raise _TooManyStatesError(length)
            # No name is given to the tables: larger ones may replace them, and there is memory for one set.
            return self._search(self._fill_to(filled, workers), roots, packed_moves, length, every, workers, watch), 1

        try:
            return deepened(length, search, lambda: self.nodes - before, max_depth=max_depth, progress=progress)
        except _TooManyStatesError as error:
            return int(error.args[0]) - 1

    def states(self, length: int) -> int:
        """Return the expected number of states that the round of a length generates; it does not depend on searches."""
        return self._cost(length, self._filled_for(length, 0, 0))

    @property
    def divisor(self) -> float:
        """The number that the tables divide the states of a round by, in the first round beyond `farthest`."""
        length = self.farthest + 1
        return self._number(length) / max(self.states(length), 1)

    def forget(self) -> None:
        """Drop all tables but the first, unless another question is filling one."""
        if self._lock.acquire(blocking=False):
            self._tables, self._filling = self._first_table(), None
            self._lock.release()

    # -- Costs ---------------------------------------------------------------------------------------------------------

    def _number(self, length: int) -> int:
        while len(self._counts) <= length:
            self._counts.append(next(self._counting)[1])
        return self._counts[length]

    def _cost(self, length: int, filled: int) -> int:
        """Return the expected number of states that a search generates."""
        return self._images * self._number(max(length - filled, 0))

    def _saved(self, length: int, filled: int) -> int:
        """Return the expected number of states that one more table saves in a search."""
        return self._cost(length, filled) - self._cost(length, filled + 1)

    def _filled_for(self, length: int, filled: int, missed: float) -> int:
        """Return the depth to which filling tables before a search saves time."""
        while filled + 1 < length and self._words(filled + 1):
            if self._filling_cost(filled + 1) > _FILLS * self._saved(length, filled) + missed:
                break
            filled, missed = filled + 1, 0
        return filled

    def _filling_cost(self, depth: int) -> int:
        """Return the expected number of states that filling the table of a depth generates."""
        while len(self._filling_counts) <= depth:
            self._filling_counts.append(next(self._filling_counting)[1])
        return self._filling_counts[depth] * len(self._puzzle.solved)

    def _words(self, depth: int) -> int:
        """Return the number of words of the table of a depth; 0 if there is not enough memory."""
        while len(self._sizes) <= depth:
            states = self._number(len(self._sizes)) * len(self._puzzle.solved) // self._puzzle.symmetries
            words = min(1 + _PREFERRED * states // _WORD, self._most_words - sum(self._sizes))
            self._sizes.append(words if _WORD * words >= _FEWEST * states else 0)
        return self._sizes[depth]

    def _farthest(self, most: int) -> int:
        filled = 0
        for length in range(1, _LONGEST + 1):
            filled = self._filled_for(length, filled, 0)
            if self._cost(length, filled) > most:
                return length - 1
        return _LONGEST

    # -- The tables ----------------------------------------------------------------------------------------------------

    def _first_table(self) -> _Tables:
        solved, words = self._puzzle.moves.solved, np.zeros(self._words(0), np.uint64)
        np.bitwise_or.at(words, word_of(solved, np.uint64(len(words))), bits_of(solved))
        return _Tables(words, np.array([0, len(words)], np.uint64))

    def _fill_to(self, depth: int, workers: int | None) -> _Tables:
        """Return the tables, filled up to a depth; the current ones if another question is filling one."""
        if self._lock.acquire(blocking=False):
            try:
                while self._tables.filled < depth:
                    self._filling = self._filling or self._begin_filling()
                    self._fill(self._filling, workers)
                    self._tables, self._filling, self._missed = self._filling.tables, None, 0.0
            finally:
                self._lock.release()
        return self._tables

    def _begin_filling(self) -> _Filling:
        """Return the work for the table of the next depth. Running searches keep the tables that they have."""
        depth, words, starts = self._tables.filled + 1, self._tables.words, self._tables.starts
        more = np.zeros(len(words) + self._words(depth), np.uint64)  # uses memory where it is written to only
        more[: len(words)] = words
        self._tables = _Tables(more[: len(words)], starts)  # the old array is no longer needed
        roots = range(len(self._puzzle.solved))
        tables = _Tables(more, np.append(starts, np.uint64(len(more))))
        return _Filling(tables, list(itertools.product(roots, self._parts(depth, self._filling_cost(depth)))))

    def _fill(self, filling: _Filling, workers: int | None) -> None:
        (tables, left), depth = filling, filling.tables.filled
        best, lock, solved = np.full(1, _ENDLESS), threading.Lock(), self._puzzle.moves.solved

        def work() -> None:
            while best[0] >= 0:
                with lock:
                    if not left:
                        return
                    root, part = left.pop()
                is_done = False
                try:
                    stack = _Stack.of(self._puzzle.solved[root], depth, self._puzzle.moves.following.shape[1], 0)
                    stack.canonical[0, 0] = len(self._puzzle.moves.following)
                    task = _Round(*part, depth, -1, True, True, best)
                    descend(self._filling_moves, task, solved[root], tables, stack)
                    is_done = best[0] >= 0
                finally:
                    if not is_done:
                        with lock:
                            left.append((root, part))

        self._run(work, len(left), best, workers)

    # -- Rounds --------------------------------------------------------------------------------------------------------

    def _search(
        self,
        tables: _Tables,
        roots: Sequence[tuple[NDArray[np.uint8], np.uint64]],
        moves: PackedMoves,
        length: int,
        every: bool,
        workers: int | None,
        watch: Callable[[], object] | None,
    ) -> list[Alg]:
        """Return the algs of a length: all, or the first."""
        parts = [*itertools.product(self._parts(length, self._cost(length, tables.filled)), roots)]
        best, lock, solutions, begun = np.full(1, _ENDLESS), threading.Lock(), list[Alg](), iter(parts)
        number = moves.following.shape[1]
        missed = self._saved(length, tables.filled) / max(self._cost(length, tables.filled), 1)

        def work() -> None:
            for part, (packed, key) in iter(lambda: next(begun, None), None):
                if part.first > best[0]:
                    return
                room = _ROOM
                while True:
                    stack = _Stack.of(packed, length, number, room)
                    task = _Round(*part, length, tables.filled, False, every, best)
                    count = descend(moves, task, key, tables, stack)
                    if count <= room:
                        break
                    room = count
                with lock:
                    nodes = int(stack.nodes[0])
                    self.nodes += nodes
                    self._missed += nodes * missed
                    if count:
                        algs = [*map(tuple, stack.algs[:count].tolist())]
                        solutions.extend(algs)
                        if not every and best[0] >= 0:
                            digits = enumerate(reversed(algs[0][: part.split]))
                            best[0] = min(best[0], sum(move * number**place for place, move in digits))

        self._run(work, len(parts), best, workers, watch)
        return sorted(solutions) if every else sorted(solutions)[:1]

    def _parts(self, length: int, nodes: int) -> list[_Part]:
        """Divide a round."""
        chunks = max(1, min(nodes // _SMALL, _CHUNKS))
        split = max(min(length - 1, 2), 0) if chunks > 1 else 0
        number = self._puzzle.moves.following.shape[1] ** split
        size = -(-number // chunks)
        return [_Part(first, min(first + size, number), split) for first in range(0, number, size)]

    def _run(
        self,
        work: Callable[[], None],
        parts: int,
        best: NDArray[np.int64],
        workers: int | None,
        watch: Callable[[], object] | None = None,
    ) -> None:
        """Run long work in threads, and short work in this thread, which also compiles the kernels."""
        if parts == 1:
            check()
            work()
        else:
            run_watched(work, parts, workers, lambda: best.fill(-1), current(), watch)

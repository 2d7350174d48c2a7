"""All algs that keep given pieces in place, found by joining halves.

An alg that keeps some pieces where they are is a first half followed by a second one. The first halves of one length
are listed, with the places to which they bring the pieces. The second halves are listed backwards, from the end, and
each is joined with all first halves that bring the pieces to the same places. Every alg of canonical form is found
exactly once: the first half has the full length, unless the alg is shorter.

The places are compared by hash values of 64 bits, so a join can be wrong; callers apply what they get.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.errors import NoMemoryError
from cubesolve.group.permutations import Arrangement, Permutation, after, identity, inverse
from cubesolve.runtime.deadline import check
from cubesolve.runtime.kernels import kernel, named, read_only, types
from cubesolve.runtime.workers import Workers

MOST_HALVES = 1 << 23
"""The largest number of first halves in memory."""

MEMORY = 120 << 20
"""The memory that a search needs besides its halves, in bytes: the filter, and the table of buckets as it is made."""

_LONGEST = 10  # moves of a half, six bits each
_BITS = 6
_FILTER, _BUCKETS = 28, 22  # the leading bits of a hash value that select a bit of the filter, and a bucket
_PREFIXES = 1 << 12  # second halves whose last moves are the same are found together
_LEFT = 5  # at most so many moves are left after a prefix, so that a deadline is noticed in time
_ROOM = 1 << 16  # joins of a range, at first
_NONE = 255
_CHUNK = 1 << 19  # rows between two checks of the deadline
_SORTED_APART = 4  # leading bits of hash values that are sorted apart, likewise

Rows = NDArray[np.uint8]
Keys = NDArray[np.uint64]


class _Level(NamedTuple):
    """Halves of one length.

    Attributes:
        places: (N, pieces): where each piece is.
        last: (N,): the last move; 255 if there is none.
        words: (N,): the moves, six bits each, the last in the lowest bits.
    """

    places: Rows
    last: Rows
    words: Keys


class _Table(NamedTuple):
    """First halves, sorted by their hash values.

    Attributes:
        keys: (N,): the hash values.
        last: (N,): the last moves.
        begins: where the bucket of each value of the leading bits begins.
        bits: the filter.
    """

    keys: Keys
    last: Rows
    begins: NDArray[np.int32]
    bits: NDArray[np.uint64]


class _Turning(NamedTuple):
    """The moves, and the hash function.

    Attributes:
        places: (moves, points): the point to which each move brings what is on a point.
        follows: (moves + 1, moves): whether a move may follow another in a second half, from the end on.
        meets: (moves + 1, moves): whether a second half that ends here may follow a first half with this last move.
        marks: (moves, pieces, points): the part of a hash value for a piece on a point, after a move.
    """

    places: Rows
    follows: Rows
    meets: Rows
    marks: Keys


class _Joins(NamedTuple):
    """The joins that a task finds.

    Attributes:
        halves: (N,): the numbers of the first halves.
        prefixes: (N,): the numbers of the prefixes of the second halves.
        words: (N,): the moves after the prefix.
    """

    halves: NDArray[np.int64]
    prefixes: NDArray[np.int64]
    words: Keys


@kernel(
    types.int64,
    types.int64,
    types.int64,
    named(_Level, places=read_only(types.uint8), last=read_only(types.uint8, 1), words=read_only(types.uint64, 1)),
    named(
        _Turning,
        places=read_only(types.uint8),
        follows=read_only(types.uint8),
        meets=read_only(types.uint8),
        marks=read_only(types.uint64, 3),
    ),
    named(
        _Table,
        keys=read_only(types.uint64, 1),
        last=read_only(types.uint8, 1),
        begins=read_only(types.int32, 1),
        bits=read_only(types.uint64, 1),
    ),
    named(_Joins, halves=types.int64[::1], prefixes=types.int64[::1], words=types.uint64[::1]),
)
def _join(first, end, left, prefixes, turning, table, joins):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, PLR0912
    """Join the second halves that end with some prefixes and have `left` more moves, at least one.

    Joins for which there is no room are counted only.
    """
    moved, follows, meets, marks = turning.places, turning.follows, turning.meets, turning.marks
    keys, lasts, begins, bits = table.keys, table.last, table.begins, table.bits
    moves, pieces, room = marks.shape[0], marks.shape[1], joins.halves.size
    places = np.empty((left, pieces), np.uint8)
    tried = np.zeros(left, np.int64)
    made = np.empty(left + 1, np.int64)
    found = 0
    for prefix in range(first, end):
        for i in range(pieces):  # copying a row would compile what reports other lengths
            places[0, i] = prefixes.places[prefix, i]
        made[0] = prefixes.last[prefix] if prefixes.last[prefix] < moves else moves
        depth = 0
        tried[0] = 0
        while depth >= 0:
            move = tried[depth]
            while move < moves and not follows[made[depth], move]:
                move += 1
            if move == moves:
                depth -= 1
                continue
            tried[depth] = move + 1
            made[depth + 1] = move
            if depth + 1 < left:
                for piece in range(pieces):
                    places[depth + 1, piece] = moved[move, places[depth, piece]]
                depth += 1
                tried[depth] = 0
                continue
            key = np.uint64(0)
            for piece in range(pieces):
                key ^= marks[move, piece, places[depth, piece]]
            bit = key >> np.uint64(64 - 28)
            if not bits[bit >> np.uint64(6)] >> (bit & np.uint64(63)) & np.uint64(1):
                continue
            bucket = key >> np.uint64(64 - 22)
            for half in range(begins[bucket], begins[bucket + np.uint64(1)]):
                if keys[half] == key and meets[lasts[half], move]:
                    if found < room:
                        word = np.uint64(0)
                        for number in range(1, left + 1):
                            word = word << np.uint64(6) | np.uint64(made[number])
                        joins.halves[found] = half
                        joins.prefixes[found] = prefix
                        joins.words[found] = word
                    found += 1
    return found


class Halves:
    """The algs of some moves that lead from states to others with the same places of some pieces.

    >>> swap, turn = bytes([1, 0, 2, 3]), bytes([0, 2, 3, 1])
    >>> halves = Halves([swap, turn, bytes([0, 3, 1, 2])], [0, 1], identity(4), [identity(4)])
    >>> [halves.algs(length)[0].tolist() for length in range(4)]
    [[[]], [], [], []]
    >>> alike = Halves([swap], [0, 1], identity(4), [identity(4)], names=bytes([0, 0, 2, 3]))
    >>> alike.algs(1)[0].tolist()
    [[0]]
    """

    def __init__(
        self,
        moves: Sequence[Permutation],
        pieces: Sequence[int],
        start: Arrangement,
        ends: Sequence[Arrangement],
        inner: Collection[int] = (),
        memory: int | None = None,
        names: Arrangement | None = None,
    ) -> None:
        """List the first halves.

        Args:
            memory: the bytes that the search may use; by default, those of `MOST_HALVES` first halves.
            names: a name for each label, the same for pieces that may change places; by default they may not.

        Raises:
            NoMemoryError: there is too little memory.
        """
        self._moves, self._ends = list(moves), list(ends)
        self._backs = [self._moves.index(inverse(move)) for move in moves]
        self._places = np.array([list(inverse(move)) for move in moves], np.uint8)
        self._pieces = np.array(list(pieces), np.intp)
        random = np.random.default_rng(0)  # nothing depends on these numbers but the time
        marks = random.integers(1 << 64, size=(len(start), len(start)), dtype=np.uint64)
        self._marks = np.ascontiguousarray(
            marks[self._pieces if names is None else np.array(list(names))[self._pieces]]
        )
        self._follows = _follows(moves)
        self._follows[-1, list(inner)] = 0
        self._levels = [self._root([start])]
        self._longest = _LONGEST
        self._most = _most_halves(len(self._pieces), memory, len(moves))

    def _extend(self, length: int) -> None:
        """List the first halves of a length, or of the largest length of which there are not too many."""
        while len(self._levels) <= min(length, self._longest):
            if not 0 < self._number_expanded(self._levels[-1], self._follows) <= self._most:
                self._longest = len(self._levels) - 1
                return
            self.__dict__.pop("_by_key", None)
            self._levels.append(self._expanded(self._levels[-1], self._follows))

    def _root(self, states: Sequence[Arrangement]) -> _Level:
        homes = np.array([list(inverse(state)) for state in states], np.uint8)
        number = len(states)
        return _Level(
            np.ascontiguousarray(homes[:, self._pieces]), np.full(number, _NONE, np.uint8), np.zeros(number, np.uint64)
        )

    def _rows(self, level: _Level) -> NDArray[np.intp]:
        """Return the row of the last move of each half in tables of moves that follow."""
        return np.where(level.last == _NONE, len(self._moves), level.last)

    def _number_expanded(self, level: _Level, follows: Rows) -> int:
        """Return the number of halves with one more move."""
        each = follows.sum(axis=1, dtype=np.int64)
        return int(np.bincount(self._rows(level), minlength=len(each)) @ each)

    def _expanded(self, level: _Level, follows: Rows) -> _Level:
        """Return the halves with one more move."""
        parts, rows = list[_Level](), self._rows(level)
        for move in range(len(self._moves)):
            check()
            chosen = np.flatnonzero(follows[rows, move])
            words = level.words[chosen] << np.uint64(_BITS) | np.uint64(move)
            last = np.full(len(chosen), move, np.uint8)
            parts.append(_Level(self._places[move][level.places[chosen]], last, words))
        return _Level(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    @functools.cached_property
    def _by_key(self) -> tuple[NDArray[np.intp], _Table]:
        """The numbers of the longest first halves in the order of their keys, and their table."""
        keys = self._keys(self._levels[-1])
        order = _sorted(keys)
        return order, _table(keys[order], self._levels[-1].last[order])

    def _keys(self, level: _Level) -> Keys:
        keys = np.zeros(len(level.last), np.uint64)
        for piece, marks in enumerate(self._marks):
            check()
            keys ^= marks[level.places[:, piece]]
        return keys

    def algs(self, length: int, workers: int | None = None) -> tuple[Rows, NDArray[np.intp]]:
        """Return the algs of a length: the number of each move; and for each alg the number of its end.

        Args:
            workers: number of threads; by default one for each processor. The result does not depend on it.

        """
        self._extend((length + 1) // 2)
        found = [self._algs_to(end, length, workers) for end in self._ends]
        numbers = [np.full(len(rows), end, np.intp) for end, rows in enumerate(found)]
        return np.concatenate(found), np.concatenate(numbers)

    def _algs_to(self, end: Arrangement, length: int, workers: int | None) -> Rows:
        if length < len(self._levels):
            level = self._levels[length]
            may_end = self._follows[-1][self._rows(level) % len(self._moves)].astype(bool) | (level.last == _NONE)
            chosen = np.flatnonzero((self._keys(level) == self._keys(self._root([end]))[0]) & may_end)
            return _spelled(level.words[chosen], length)
        back = length - len(self._levels) + 1
        prefixes, left = self._root([end]), back
        while left > 1 and self._number_expanded(prefixes, self._backwards) <= (
            self._most if left > _LEFT else _PREFIXES
        ):
            prefixes, left = self._expanded(prefixes, self._backwards), left - 1
        marks = np.ascontiguousarray(self._marks[:, self._places].transpose(1, 0, 2))
        meets = np.ascontiguousarray(self._follows[:, self._backs])
        turning = _Turning(self._places, self._backwards, meets, marks)
        joins = self._joined(prefixes, left, turning, workers)
        firsts = _spelled(self._levels[-1].words[self._by_key[0][joins.halves]], len(self._levels) - 1)
        backs = np.hstack([_spelled(prefixes.words[joins.prefixes], back - left), _spelled(joins.words, left)])
        seconds = np.array(self._backs, np.uint8)[backs[:, ::-1]]
        rows: Rows = np.hstack([firsts, seconds])
        return rows[np.lexsort(rows.T[::-1])]

    def _joined(self, prefixes: _Level, left: int, turning: _Turning, workers: int | None) -> _Joins:
        """Return the joins of second halves."""
        nothing = _Joins(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint64))
        found, table = [nothing], self._by_key[1]

        def task(first: int, end: int) -> int:
            room = _ROOM
            while True:
                joins = _Joins(np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.uint64))
                number = _join(first, end, left, prefixes, turning, table, joins)
                if number <= room:
                    found.append(_Joins(joins.halves[:number], joins.prefixes[:number], joins.words[:number]))
                    return number
                room = number

        Workers(len(prefixes.last), workers, at_most=max(1, len(prefixes.last) // 64)).run(task)
        halves, ends, words = zip(*found, strict=True)
        return _Joins(np.concatenate(halves), np.concatenate(ends), np.concatenate(words))

    @functools.cached_property
    def _backwards(self) -> Rows:
        """Whether a move may follow another when algs are listed backwards, each move undone."""
        turned = np.array([*self._backs, len(self._moves)])
        return np.ascontiguousarray(np.vstack([self._follows[:-1].T, self._follows[-1:]])[turned][:, turned[:-1]])


def _follows(moves: Sequence[Permutation]) -> Rows:
    """Return whether a move may follow another in canonical algs; any may be first, which the last row says.

    Two moves that make one move or none do not follow each other, and of two that commute the first comes first.
    """
    trivial = {*moves, identity(len(moves[0]))}
    found = np.ones((len(moves) + 1, len(moves)), np.uint8)
    for i, one in enumerate(moves):
        for j, other in enumerate(moves):
            both = after(one, other)
            found[i, j] = both not in trivial and (i < j or both != after(other, one))
    return found


def _most_halves(pieces: int, memory: int | None, moves: int) -> int:
    """Return the largest number of first halves in some memory.

    Raises:
        NoMemoryError: it is less than the number of moves.

    >>> _most_halves(8, None, 12), _most_halves(8, 200 << 20, 12)
    (8388608, 1133595)
    """
    each = 2 * (pieces + 1 + 8) + 5 * 8  # a level, once more while it is made, and its keys as they are sorted
    most = MOST_HALVES if memory is None else min(MOST_HALVES, (memory - MEMORY) // each)
    if most < moves:
        raise NoMemoryError(f"{memory:,} bytes are not enough for a search of algs: {MEMORY + moves * each:,} are")
    return most


def _sorted(keys: Keys) -> NDArray[np.intp]:
    """Return the order of keys by size. They are sorted in parts, so that a deadline is noticed in time.

    >>> _sorted(np.array([1 << 63, 3, 1 << 61], np.uint64)).tolist()
    [1, 2, 0]
    """
    leading, parts = (keys >> np.uint64(64 - _SORTED_APART)).astype(np.uint8), list[NDArray[np.intp]]()
    for part in range(1 << _SORTED_APART):
        check()
        chosen = np.flatnonzero(leading == part)
        parts.append(chosen[np.argsort(keys[chosen])])
    return np.concatenate(parts)


def _table(keys: Keys, last: Rows) -> _Table:
    """Return the table of sorted keys."""
    begins, bits = np.empty((1 << _BUCKETS) + 1, np.int32), np.zeros(1 << (_FILTER - 6), np.uint64)
    buckets = keys >> np.uint64(64 - _BUCKETS)
    for first in range(0, len(begins), _CHUNK):
        check()
        values = np.arange(first, min(first + _CHUNK, len(begins)), dtype=np.uint64)
        begins[first : first + _CHUNK] = np.searchsorted(buckets, values)
    for first in range(0, len(keys), _CHUNK):
        check()
        numbers = keys[first : first + _CHUNK] >> np.uint64(64 - _FILTER)
        np.bitwise_or.at(bits, numbers >> np.uint64(6), np.uint64(1) << (numbers & np.uint64(63)))
    return _Table(keys, last, begins, bits)


def _spelled(words: Keys, length: int) -> Rows:
    """Return the moves of halves of a length."""
    shifts = np.arange(length - 1, -1, -1, dtype=np.uint64) * np.uint64(_BITS)
    return (words[:, None] >> shifts & np.uint64((1 << _BITS) - 1)).astype(np.uint8)


def applied(moves: Sequence[Permutation], algs: Rows) -> Iterator[Rows]:
    """Yield the permutations of algs, some thousands at a time.

    >>> [rows.tolist() for rows in applied([bytes([1, 2, 0])], np.array([[0, 0]], np.uint8))]
    [[[2, 0, 1]]]
    """
    sources, points = np.array(list(map(list, moves)), np.uint8), len(moves[0])
    for first in range(0, len(algs), _PREFIXES):
        check()
        chunk = algs[first : first + _PREFIXES]
        made = np.tile(np.arange(points, dtype=np.uint8), (len(chunk), 1))
        for column in chunk.T:
            made = np.take_along_axis(made, sources[column].astype(np.intp), axis=1)
        yield made

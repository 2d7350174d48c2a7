"""Shortest algs between two states: a search from both ends over looks, with compiled kernels (needs numba).

All states near both ends are listed, level by level, in hash tables. When there is no more room, the algs that lead
further from one end are tried one by one, and their states are only looked up at the other end. States are compared by
their looks, so pieces that look alike may take each other's place. They are compared by hash values of 64 bits, so an
alg can be wrong; callers apply it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.deadline import check
from cubesolve.runtime.kernels import kernel, named, part, read_only, types
from cubesolve.search.cycles import Alg, inverted
from cubesolve.search.slots import MOVES, MoveArrays, Row

MOST_LOOKS = 256
"""The largest number of looks."""

_SEED = 1  # of the numbers by which states are compared
_LEVEL = 1 << 12  # states that are expanded between two checks of the deadline
_TRIED = 1 << 18  # algs that are tried between two checks, about
_STATE = 8 + 4 + 2 + 2 * 4  # bytes of a state beside its looks: its key, parent and move, and two entries of the table
_LONGEST = 1 << 15  # moves
_LEAST_GROWTH = 2.0
_NONE = -1
_FOUND = -2


class _Side(NamedTuple):
    """The states near one end.

    Attributes:
        rows: uint8 (room, slots): their looks.
        keys: uint64 (room,): their hash values.
        parents: int32 (room,): the state before each.
        moves: int16 (room,): the move that leads from there; -1 for the end itself.
        table: int32 (a power of two,): the states in the places of their hash values or the next free ones; -1 if free.
    """

    rows: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    parents: NDArray[np.int32]
    moves: NDArray[np.int16]
    table: NDArray[np.int32]

    def alg(self, state: int) -> Alg:
        """Return a shortest alg that leads to a state from the end."""
        alg: Alg = []
        while self.moves[state] >= 0:
            alg.append(int(self.moves[state]))
            state = int(self.parents[state])
        return alg[::-1]


_SIDE = named(
    _Side,
    rows=types.uint8[:, ::1],
    keys=types.uint64[::1],
    parents=types.int32[::1],
    moves=types.int16[::1],
    table=types.int32[::1],
)


@part
def _key(firsts: Row, marks: NDArray[np.uint64], row: NDArray[np.uint8]) -> np.uint64:
    """Return the hash value of a state."""
    key = np.uint64(0)
    for place in range(len(firsts)):
        key += marks[place, row[firsts[place]]]
    return key


@part
def _find(side: _Side, key: np.uint64) -> Any:
    """Return the state with a hash value; if there is none, -1 minus the place in the table where it belongs."""
    last = np.uint64(len(side.table) - 1)
    place = (key ^ (key >> np.uint64(32))) & last
    while side.table[place] >= 0:
        state = side.table[place]
        if side.keys[state] == key:
            return np.int64(state)
        place = (place + np.uint64(1)) & last
    return np.int64(-1) - np.int64(place)


@part
def _may_follow(moves: MoveArrays, before: Any, move: Any) -> Any:
    """Return whether two moves are neither joined nor, if they can be exchanged, in the wrong order."""
    return before < 0 or (moves.products[before, move] == -1 and not (moves.commute[before, move] and move < before))


@kernel(MOVES, read_only(types.uint64), _SIDE, _SIDE, types.int64[::1])
def _expand(moves: MoveArrays, marks: NDArray[np.uint64], here: _Side, there: _Side, task: NDArray[np.int64]) -> int:
    """Expand states of one end.

    The task has the first state, the one after the last, and the number of states, which grows. It ends as soon as a
    state is one of the other end, and then has that one in the place of the first. Returns -2 then, -1 if there is no
    more room, and 0 if all are expanded.
    """
    for state in range(task[0], task[1]):
        for move in range(len(moves.sources)):
            if not _may_follow(moves, here.moves[state], move):
                continue
            new = task[2]
            if new == len(here.keys):
                return _NONE
            for slot in range(here.rows.shape[1]):
                here.rows[new, slot] = here.rows[state, moves.sources[move, slot]]
            key = _key(moves.firsts, marks, here.rows[new])
            place = _find(here, key)
            if place >= 0:
                continue
            here.keys[new], here.parents[new], here.moves[new] = key, state, move
            here.table[-1 - place] = new
            task[2] += 1
            met = _find(there, key)
            if met >= 0:
                task[0] = met
                return _FOUND
    return 0


@kernel(MOVES, read_only(types.uint64), _SIDE, _SIDE, types.int64[::1], types.uint8[:, ::1], types.int64[::1])
def _extend(
    moves: MoveArrays,
    marks: NDArray[np.uint64],
    here: _Side,
    there: _Side,
    task: NDArray[np.int64],
    rows: NDArray[np.uint8],
    made: NDArray[np.int64],
) -> int:
    """Try all algs of some moves from some states of one end.

    The task has the first state, and the one after the last. It ends as soon as an alg leads to a state of the other
    end; it then has the state at which it begins, and that one. Returns -2 then, and otherwise 0.

    `rows` has room for the looks before each move. `made` has the moves, each of which is the next
    to try where it is not yet made.
    """
    longest = len(made)
    for state in range(task[0], task[1]):
        for slot in range(rows.shape[1]):
            rows[0, slot] = here.rows[state, slot]
        depth, made[0] = 0, -1
        while depth >= 0:
            made[depth] += 1
            move = made[depth]
            if move == len(moves.sources):
                depth -= 1
                continue
            before = made[depth - 1] if depth else np.int64(here.moves[state])
            if not _may_follow(moves, before, move):
                continue
            if depth + 1 < longest:
                for slot in range(rows.shape[1]):
                    rows[depth + 1, slot] = rows[depth, moves.sources[move, slot]]
                depth += 1
                made[depth] = -1
                continue
            key = np.uint64(0)  # of the state after the last move, which is not made
            for place in range(len(moves.firsts)):
                key += marks[place, rows[depth, moves.sources[move, moves.firsts[place]]]]
            met = _find(there, key)
            if met >= 0:
                task[0], task[1] = state, met
                return _FOUND
    return 0


class _End:
    """One end of the search.

    Attributes:
        side: its states.
        levels: where each level begins, and where the last one ends.
    """

    def __init__(self, row: NDArray[np.uint8], key: np.uint64, room: int) -> None:
        self.side = _Side(
            np.empty((room, len(row)), np.uint8),
            np.empty(room, np.uint64),
            np.zeros(room, np.int32),
            np.full(room, _NONE, np.int16),
            np.full(1 << (2 * room - 1).bit_length(), _NONE, np.int32),
        )
        self.side.rows[0], self.side.keys[0] = row, key
        self.side.table[-1 - _find(self.side, key)] = 0
        self.levels = [0, 1]

    @property
    def last(self) -> int:
        """The number of states of the last level."""
        return self.levels[-1] - self.levels[-2]

    @property
    def next(self) -> int:
        """The number of states that the next level will have, about."""
        return int(self.last * self.growth)

    @property
    def growth(self) -> float:
        """The number of states of the last level for each of the one before."""
        return self.last / (self.levels[-2] - self.levels[-3]) if len(self.levels) > 2 else 1.0


class Meeting:
    """Finds shortest algs from a state to another."""

    def __init__(self, moves: MoveArrays) -> None:
        """Take the moves of a puzzle."""
        self._moves = moves
        source = np.random.default_rng(_SEED)
        self._marks = source.integers(1 << 64, size=(len(moves.firsts), MOST_LOOKS), dtype=np.uint64)

    def room(self, memory: int) -> int:
        """Return the number of states of one end for which some memory has room."""
        number: int = memory // (2 * (self._moves.sources.shape[1] + _STATE))
        return number

    def alg(self, state: Row, target: Row, memory: int, tried: int, longest: int | None = None) -> Alg | None:
        """Return a shortest alg from a state to another.

        Args:
            target: the looks of the other; all looks are less than `MOST_LOOKS`.
            memory: the bytes that the search may use.
            longest: the largest number of moves; by default without limit.

        Returns:
            The alg; None if none was found within these limits.
        """
        room, longest = self.room(memory), _LONGEST if longest is None else longest
        rows = [row.astype(np.uint8) for row in (state, target)]
        ends = [_End(row, self._key(row), room) for row in rows]
        if ends[0].side.keys[0] == ends[1].side.keys[0]:
            return []
        while sum(len(end.levels) - 2 for end in ends) < longest:
            here, there = sorted(ends, key=lambda end: end.last)
            if not here.last:
                return None
            if here.levels[-1] + here.next > room:
                break
            met = self._advance(here, there)
            if met is not None:
                return self._joined(ends, here, here.side.alg(met[0]), there.side.alg(met[1]))
            if here.levels[-1] == room:
                break
        return self._extended(ends, tried, longest)

    def _key(self, row: NDArray[np.uint8]) -> np.uint64:
        places = np.arange(len(self._moves.firsts))
        key: np.uint64 = self._marks[places, row[self._moves.firsts]].sum()
        return key

    def _advance(self, here: _End, there: _End) -> tuple[int, int] | None:
        """Find the next level of one end; return a state of each end that are the same if there are some."""
        number = here.levels[-1]
        for first in range(here.levels[-2], here.levels[-1], _LEVEL):
            check()
            task = np.array([first, min(first + _LEVEL, here.levels[-1]), number], np.int64)
            ended = _expand(self._moves, self._marks, here.side, there.side, task)
            number = int(task[2])
            if ended == _FOUND:
                return number - 1, int(task[0])
            if ended == _NONE:
                break
        here.levels.append(number)
        return None

    def _extended(self, ends: list[_End], tried: int, longest: int) -> Alg | None:
        """Return an alg that leads further from one end than its states, and then to a state of the other end."""
        here, there = sorted(ends, key=lambda end: end.last)
        algs, moves = float(here.last), 0
        while here.last and (algs := algs * max(self._following, _LEAST_GROWTH)) <= tried:
            moves += 1
            if sum(len(end.levels) - 2 for end in ends) + moves > longest:
                return None
            rows, made = np.empty((moves, here.side.rows.shape[1]), np.uint8), np.empty(moves, np.int64)
            step = max(int(_TRIED * here.last / algs), 1)
            for first in range(here.levels[-2], here.levels[-1], step):
                check()
                task = np.array([first, min(first + step, here.levels[-1])], np.int64)
                if _extend(self._moves, self._marks, here.side, there.side, task, rows, made) == _FOUND:
                    begin, met = task.tolist()
                    return self._joined(ends, here, [*here.side.alg(begin), *made.tolist()], there.side.alg(met))
        return None

    @property
    def _following(self) -> float:
        """The number of moves that may follow a move, on average."""
        numbers = np.arange(len(self._moves.sources))
        is_exchanged = (self._moves.commute != 0) & (numbers < numbers[:, None])
        return float(((self._moves.products == -1) & ~is_exchanged).sum() / len(numbers))

    def _joined(self, ends: list[_End], here: _End, to: Alg, back: Alg) -> Alg:
        """Return an alg from one end to the other, given those from both to the same state."""
        first, second = (to, back) if here is ends[0] else (back, to)
        return [*first, *inverted(self._moves, second)]

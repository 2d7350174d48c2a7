"""Beam search: the most promising states after each move (numpy)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cubesolve.errors import SearchLimitError, in_bytes
from cubesolve.runtime.deadline import check, current
from cubesolve.runtime.machine import half_of_memory
from cubesolve.solvers.defined_arrays import Successors
from cubesolve.spaces.rows import RowSet, hashed

if TYPE_CHECKING:
    from cubesolve.solvers.state_arrays import StateArrays
    from cubesolve.spaces.space import StateSpace

_Levels = list[tuple[NDArray[Any], NDArray[Any]]]
"""For each level of a search, the row of the state before each state, and the move between them."""

_NEXT = 64  # bytes of a neighbour, beside labels


class RankRows:
    """States as ranks in pattern databases, int64 (N, databases), with the moves up to rotations."""

    def __init__(self, spaces: Sequence[StateSpace], moves: Sequence[str], solved: NDArray[np.int64]) -> None:
        self._spaces, self.points, self.moves = spaces, len(spaces), moves
        self._solved = RowSet(solved)

    def is_solved(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which states are solved: bool (N,)."""
        return self._solved.has(rows)

    def successors(self, rows: NDArray[np.int64]) -> Successors:
        """Return the states after all possible moves."""
        neighbours = np.stack(
            [space.neighbours_of(rows[:, number]) for number, space in enumerate(self._spaces)], axis=2
        )
        origins, moves = (neighbours[:, :, 0] >= 0).nonzero()
        return Successors(neighbours[origins, moves], origins, moves)


MovedStates: TypeAlias = "StateArrays | RankRows"
"""States as rows of numbers, with their moves."""


class BeamSearch:
    """A beam search."""

    def __init__(
        self,
        states: MovedStates,
        values: Callable[[NDArray[Any]], NDArray[Any]],
        width: int,
        most: float = math.inf,
        *,
        memory: int | None = None,
        keys: Callable[[NDArray[Any]], NDArray[np.uint64]] = hashed,
        after_level: Callable[[int], object] = lambda _depth: None,
    ) -> None:
        """Take the moves and options; states of infinite value are left out.

        By default, half of the machine's memory may be used.
        """
        self._states, self._values, self._width, self._most = states, values, width, most
        self._memory = half_of_memory() if memory is None else memory
        self._keys, self._after_level = keys, after_level
        self.at_least = 0  # the proved lower bound of the solution length
        self.is_whole = True  # the beam had room for all states, so that it missed no solution

    def solve(self, start: NDArray[Any]) -> list[int]:
        """Return the numbers of moves that solve a state, (1, points), which is not solved."""
        beam, seen, levels = start, self._keys(start), _Levels()
        self._prove(1)
        while len(levels) < self._most:
            check()
            after, rows, moves = self._states.successors(beam)
            check()
            hashes, firsts = np.unique(self._keys(after), return_index=True)
            places = np.minimum(np.searchsorted(seen, hashes), len(seen) - 1)
            new = seen[places] != hashes
            hashes, firsts = hashes[new], firsts[new]
            if not len(firsts):
                raise SearchLimitError(self.at_least, "without another state in the beam")
            after = after[firsts]
            solved = self._states.is_solved(after)
            if solved.any():
                levels.append((rows, moves))
                return _path(levels, int(firsts[solved.argmax()]))
            values = self._values(after)
            kept = np.flatnonzero(values < math.inf)
            if len(kept) > self._width:
                kept = kept[np.argpartition(values[kept], self._width - 1)[: self._width]]
            if len(kept) < len(after):
                after, hashes, firsts, self.is_whole = after[kept], hashes[kept], firsts[kept], False
            levels.append((rows[firsts].astype(np.int32), moves[firsts].astype(np.int16)))
            beam = after
            seen = np.sort(np.concatenate([seen, hashes]))
            if self.is_whole:
                self._prove(len(levels) + 1)
            self._after_level(len(levels))
            used = 14 * len(seen) + len(beam) * len(self._states.moves) * (2 * self._states.points + _NEXT)
            if used > self._memory:
                raise SearchLimitError(self.at_least, f"with {in_bytes(self._memory)} of memory")
        raise SearchLimitError(self.at_least, f"at max_depth {self._most}")

    def _prove(self, at_least: int) -> None:
        self.at_least = at_least
        current().prove(at_least)


def _path(levels: _Levels, row: int) -> list[int]:
    """Return the moves that lead to a state of the last level."""
    moves = list[int]()
    for parents, numbers in reversed(levels):
        moves.append(int(numbers[row]))
        row = int(parents[row])
    return moves[::-1]

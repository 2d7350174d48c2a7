"""Windows of a solution solved optimally: shortcuts between any two of the states that it passes (numpy).

All states near each of these are computed. A state near two of them makes a way from one to the other, which replaces
the moves between them if it is shorter. Windows of any length are compared at once, and each whose shortest way takes
at most twice the radius is then solved optimally. States are compared by their looks, so pieces that look alike may
take each other's place.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.deadline import check
from cubesolve.search.cycles import Alg, inverted, joined
from cubesolve.search.slots import MoveArrays, Row

_LABOUR = 3 << 27  # slots of all states that are computed
_SEED = 1  # of the numbers by which states are compared


class _Near(NamedTuple):
    """The states near a state, by distance.

    Attributes:
        keys: uint64 (states,): a number of each, by which states are compared.
        depths: int64 (states,): their distances.
        parents: int64 (states,): the state before each.
        moves: int64 (states,): the move that leads from there.
    """

    keys: NDArray[np.uint64]
    depths: NDArray[np.int64]
    parents: NDArray[np.int64]
    moves: NDArray[np.int64]

    def alg(self, state: int) -> Alg:
        """Return a shortest alg that leads to one of the states."""
        alg: Alg = []
        while self.depths[state]:
            alg.append(int(self.moves[state]))
            state = int(self.parents[state])
        return alg[::-1]


class Shortcuts:
    """Finds shortcuts in the solutions of a puzzle."""

    def __init__(self, moves: MoveArrays, looks: int) -> None:
        """Take the moves of a puzzle, and the number of looks."""
        source = np.random.default_rng(_SEED)
        self._moves = moves
        self._keys = source.integers(1 << 64, size=(len(moves.firsts), looks), dtype=np.uint64)
        self._known: Mapping[bytes, _Near] = {}

    def taken(self, state: Row, alg: Sequence[int]) -> Alg:
        """Return an alg that leads from a state to the same one, in which no window has a shortcut."""
        alg = joined(self._moves, alg)
        while (shorter := self._shorter(state, alg)) is not None:
            alg = shorter
        return alg

    def _shorter(self, state: Row, alg: Alg) -> Alg | None:
        """Return the alg with the shortcut that saves most; None if there is none."""
        states = [*itertools.accumulate(alg, lambda row, move: row[self._moves.sources[move]], initial=state)]
        most = _LABOUR // (len(states) * len(state))
        if most < len(self._moves.sources):
            return None
        known = {}
        for row in states:
            check()
            known[row.tobytes()] = self._known.get(row.tobytes()) or self._near(row, most)
        self._known = known
        near = [known[row.tobytes()] for row in states]
        keys = np.concatenate([each.keys for each in near])
        order = np.argsort(keys)
        ends = np.flatnonzero(np.diff(keys[order], prepend=keys[order[0]] + np.uint64(1)))  # where other keys begin
        arrived = np.concatenate([number + each.depths for number, each in enumerate(near)])[order]
        left = np.concatenate([number - each.depths for number, each in enumerate(near)])[order]
        saved = np.maximum.reduceat(left, ends) - np.minimum.reduceat(arrived, ends)
        best = int(saved.argmax())
        if saved[best] <= 0:
            return None
        span = slice(ends[best], ends[best + 1] if best + 1 < len(ends) else None)
        here, there = order[span][arrived[span].argmin()], order[span][left[span].argmax()]
        begins = np.cumsum([0, *(len(each.keys) for each in near)])
        i, j = (int(np.searchsorted(begins, each, side="right")) - 1 for each in (here, there))
        to, back = near[i].alg(int(here - begins[i])), near[j].alg(int(there - begins[j]))
        shorter = joined(self._moves, [*alg[:i], *to, *inverted(self._moves, back), *alg[j:]])
        end = states[0]
        for move in shorter:
            end = end[self._moves.sources[move]]
        return shorter if len(shorter) < len(alg) and (end == states[-1]).all() else None  # keys may be equal by chance

    def _near(self, state: Row, most: int) -> _Near:
        """Return the states near a state, as far as a level takes no more than a number of states to compute."""
        sources = self._moves.sources
        rows = state[np.newaxis]
        levels = [(self._numbered(rows), np.zeros(1, np.int64), np.zeros(1, np.int64))]
        begin, seen = 0, levels[0][0]
        while 0 < len(rows) * len(sources) <= most:
            following = rows[:, sources].reshape(-1, len(state))
            keys, first = np.unique(self._numbered(following), return_index=True)
            is_new = ~np.isin(keys, seen)
            keys, first = keys[is_new], first[is_new]
            levels.append((keys, begin + first // len(sources), first % len(sources)))
            begin, seen, rows = len(seen), np.concatenate([seen, keys]), following[first]
        depths = np.repeat(np.arange(len(levels)), [len(keys) for keys, _, _ in levels])
        return _Near(seen, depths, *(np.concatenate(each) for each in list(zip(*levels, strict=True))[1:]))

    def _numbered(self, rows: NDArray[np.uint16]) -> NDArray[np.uint64]:
        """Return the number of each state."""
        numbers = np.zeros(len(rows), np.uint64)
        for place, keys in zip(self._moves.firsts, self._keys, strict=True):
            numbers += keys[rows[:, place]]
        return numbers

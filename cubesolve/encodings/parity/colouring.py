"""Parities that every move changes, computed and proved from the arrays of a space (numpy).

A parity has the form ``rows[a] ^ fibre[b]``. In derived spaces every parity has it: the moves of the spanning tree of
rows act on the fibre as the identity. So it is in hand-written spaces in which moves change the parity of rows alone.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.mod3.enumeration import start_ranks
from cubesolve.spaces.space import StateSpace

Ranks = int | Sequence[int] | NDArray[np.int64]
_Forms = NDArray[np.uint64]  # sums of unknown bits: the lowest bit is the constant 1, each other bit is an unknown

_FEW = 100  # states, among which an odd cycle is looked for
_MOST_UNKNOWNS = 62
_AT_ONCE = 1 << 22  # numbers that are processed at a time, as all actions can take gigabytes
_ONE = np.uint64(1)

_known = weakref.WeakKeyDictionary["StateSpace", "Colouring | None"]()


class Colouring(NamedTuple):
    """A parity of states: that of the state (a, b) is ``rows[a] ^ fibre[b]``.

    Attributes:
        rows: uint8 (A,): 0 or 1.
        fibre: uint8 (B,): 0 or 1.
    """

    rows: NDArray[np.uint8]
    fibre: NDArray[np.uint8]

    def parities(self, ranks: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the parities of states, given their ranks, int64 (N,)."""
        a, b = np.divmod(ranks, len(self.fibre))
        parities: NDArray[np.uint8] = self.rows[a] ^ self.fibre[b]
        return parities

    def from_starts(self, starts: NDArray[np.int64]) -> Colouring:
        """Return the parity that is 0 for some states, all of which have the same."""
        return Colouring(self.rows ^ self.parities(starts[:1]).sum(dtype=np.uint8), self.fibre)

    def is_proper(self, space: StateSpace) -> bool:
        """Return whether every move of a space changes the parity wherever it is possible.

        If an action leads into other rows, all rows between the first and the last must have one parity, which is
        sufficient and not necessary.
        """
        reach, before = space.fibre.max(axis=1).astype(np.int64), np.append(0, np.cumsum(self.rows, dtype=np.int64))
        flip = np.zeros(_number_acting(space) + 1, np.uint8)
        if self.fibre.any():
            if reach.max(initial=0) >= space.width:
                return False
            for part, acting in _acting(space):
                flips = self.fibre[acting] ^ self.fibre
                flip[part] = flips[:, 0]
                if not (flips == flips[:, :1]).all():
                    return False
        for move, symmetry in enumerate(_symmetries_of(space)):
            ranks, action = space.of_move(move)
            possible = np.flatnonzero(ranks >= 0)
            first, last = ranks[possible], ranks[possible] + reach[action[possible]]
            first, last = first // space.width, last // space.width + 1
            odd = before[last] - before[first]
            wanted = self.rows[possible] ^ flip[action[possible]] ^ flip[symmetry[possible]] ^ 1
            if np.any(odd != wanted * (last - first)):
                return False
        return True


def colouring_of(space: StateSpace) -> Colouring | None:
    """Return a parity that every move of a space changes; None if there is none of this form.

    >>> ring = StateSpace(np.array([[1, 2, 3, 0]]), np.zeros((1, 4), np.int32), np.array([[0]], np.uint32))
    >>> colouring_of(ring).rows.tolist()
    [0, 1, 0, 1]
    """
    if space not in _known:  # a question needs it several times, and a large space takes seconds
        _known[space] = _find_colouring(space)
    return _known[space]


def common_parity(space: StateSpace, starts: Ranks) -> Colouring | None:
    """Return a parity that every move of a space changes, and that all starts have in common; None if there is none."""
    ranks, colouring = start_ranks(space, starts), colouring_of(space)
    is_common = colouring is not None and len(set(colouring.parities(ranks).tolist())) <= 1
    return colouring if is_common else None


def has_parity(space: StateSpace, starts: Ranks) -> bool:
    """Return whether every move of a space changes a parity, and all starts have the same.

    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [3, 0, 1, 2]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True)
    >>> has_parity(ring, [0, 2]), has_parity(ring, [0, 1])
    (True, False)
    """
    return common_parity(space, starts) is not None


def _find_colouring(space: StateSpace) -> Colouring | None:
    if space.parity is not None:
        found: Colouring | None = Colouring(space.parity, np.zeros(space.width, np.uint8))
    elif _has_odd_cycle(space):
        found = None
    elif space.fibre.max(initial=0) < space.width and space.keeps_rows:
        found = _Search(space).colouring()
    else:
        found = None
    return found if found and found.is_proper(space) else None


def _has_odd_cycle(space: StateSpace) -> bool:
    """Return whether a move connects two states at equal distances from the first, as far as a few states show it."""
    sides, newest, side = {0: 0}, [0], 0
    while newest and len(sides) < _FEW:
        side ^= 1
        reached = {rank for each in newest for rank in space.neighbours(each)}
        if any(sides.get(rank, side) != side for rank in reached):
            return True
        newest = [rank for rank in reached if rank not in sides]
        sides.update(dict.fromkeys(newest, side))
    return False


def _acting(space: StateSpace) -> Iterator[tuple[slice, NDArray[np.uint32]]]:
    """Yield the actions of a space, and after them the symmetries that act on its fibre: some at a time, and which."""
    first = 0
    for array in (space.fibre, space.fibre[:0] if space.symmetries is None else space.symmetries.images):
        step = max(1, _AT_ONCE // space.width)
        for start in range(0, len(array), step):
            some = array[start : start + step]
            yield slice(first, first + len(some)), some
            first += len(some)


def _number_acting(space: StateSpace) -> int:
    """Return the number of actions that `_acting` yields."""
    return len(space.fibre) + (0 if space.symmetries is None else len(space.symmetries.images))


def _symmetries_of(space: StateSpace) -> NDArray[np.integer]:
    """Return the numbers of symmetries among what `_acting` returns; without any, the number that follows the last."""
    if space.symmetries is None:
        return np.broadcast_to(len(space.fibre), space.base.shape)
    return len(space.fibre) + space.symmetries.numbers.astype(np.int32)


class _Search:
    """A system of linear equations: parities of rows and of the fibre, and whether each action changes the latter.

    A move from row a to row c by the action k changes the parity if ``rows[a] ^ rows[c] ^ flips[k] == 1``, and
    ``fibre[b] ^ fibre[k(b)] == flips[k]`` for all b; a symmetry that acts before is an action, too. Values are
    propagated from row 0 along actions with known flips: those with a fixed point have none. Where that stops, an
    unknown is introduced.
    """

    def __init__(self, space: StateSpace) -> None:
        self._space = space
        self._rows, self._has_row = np.zeros(space.rows, np.uint64), np.zeros(space.rows, np.bool_)
        self._moves = [*zip(space.base, space.action, _symmetries_of(space), strict=True)]
        fixed = np.concatenate([(some == np.arange(space.width)).any(axis=1) for _, some in _acting(space)])
        self._flips, self._has_flip = np.zeros(len(fixed) + 1, np.uint64), np.append(fixed, True)
        self._unknowns = 0

    def colouring(self) -> Colouring | None:
        """Return a solution, if there is one."""
        if not self._follow_rows():
            return None
        fibre, equations, values = self._follow_fibre(), set[int](), 1
        for sums in self._sums(fibre):
            equations.update(np.unique(sums[sums != 0]).tolist())
            solution = _solution(sorted(equations))
            if solution is None:
                return None
            values = solution
        return Colouring(_evaluated(self._rows, values), _evaluated(fibre, values))

    def _sums(self, fibre: _Forms) -> Iterator[_Forms]:
        """Yield the sums that must be 0, given the parities of the fibre."""
        for base, action, symmetry in self._moves:
            a = np.flatnonzero(base >= 0)
            yield self._rows[a] ^ self._rows[base[a]] ^ self._flips[action[a]] ^ self._flips[symmetry[a]] ^ _ONE
        for acting, flips in self._known_actions():
            yield fibre ^ fibre[acting] ^ flips[:, None]

    def _known_actions(self) -> Iterator[tuple[NDArray[np.uint32], _Forms]]:
        """Yield actions with known flips, some at a time, and these flips."""
        for part, acting in _acting(self._space):
            known = self._has_flip[part]
            yield acting[known], self._flips[part][known]

    def _follow_rows(self) -> bool:
        """Express all rows and all flips that occur; False if there are too many unknowns."""
        while True:
            while self._spread():
                pass
            if self._unknowns == _MOST_UNKNOWNS:
                return False
            self._unknowns += 1
            if not self._introduce(_ONE << np.uint64(self._unknowns)):
                return True

    def _introduce(self, unknown: np.uint64) -> bool:
        """Introduce an unknown, the flip of an action from a known row, or else a row; return whether one is needed."""
        if not self._has_row.any():
            self._has_row[0] = True
            self._unknowns -= 1
            return True
        for base, action, symmetry in self._moves:
            for acts in (action, symmetry):
                leads = np.flatnonzero((base >= 0) & self._has_row & ~self._has_flip[acts])
                if len(leads):
                    act = acts[leads[0]]
                    self._flips[act], self._has_flip[act] = unknown, True
                    return True
        left = np.flatnonzero(~self._has_row)[:1]
        self._rows[left], self._has_row[left] = unknown, True
        return len(left) > 0

    def _spread(self) -> bool:
        """Propagate known values by one move; return whether any was found."""
        found = False
        for base, action, symmetry in self._moves:
            near = np.where(base >= 0, base, 0)
            for act, other in ((action, symmetry), (symmetry, action)):
                flips, has_flip = self._flips[other], self._has_flip[other]
                both = (base >= 0) & self._has_row & self._has_row[near] & has_flip & ~self._has_flip[act]
                if both.any():
                    self._flips[act[both]] = (self._rows ^ self._rows[near] ^ flips ^ _ONE)[both]
                    self._has_flip[act[both]] = found = True
            flips = self._flips[action] ^ self._flips[symmetry]
            has_flip = self._has_flip[action] & self._has_flip[symmetry]
            for here, there in ((np.arange(len(base)), near), (near, np.arange(len(base)))):
                leads = np.flatnonzero((base >= 0) & has_flip & self._has_row[here] & ~self._has_row[there])
                if len(leads):
                    self._rows[there[leads]] = self._rows[here[leads]] ^ flips[leads] ^ _ONE
                    self._has_row[there[leads]] = found = True
        return found

    def _follow_fibre(self) -> _Forms:
        """Express the parities of the fibre by flips."""
        fibre, known = np.zeros(self._space.width, np.uint64), np.zeros(self._space.width, np.bool_)
        while not known.all():
            frontier: NDArray[Any] = np.flatnonzero(~known)[:1]  # the first of each orbit has 0
            known[frontier] = True
            while len(frontier) and not known.all():
                reached = []
                for acting, flips in self._known_actions():
                    new, index = np.unique(acting[:, frontier], return_index=True)
                    act, b = np.divmod(index, len(frontier))
                    keep = ~known[new]
                    fibre[new[keep]] = (fibre[frontier[b]] ^ flips[act])[keep]
                    known[new[keep]] = True
                    reached.append(new[keep])
                    if known.all():
                        break
                frontier = np.concatenate(reached)
        return fibre


def _solution(equations: list[int]) -> int | None:
    """Return values of unknowns that make sums 0, as a sum itself: the lowest bit is 1; None if there are none."""
    pivots: dict[int, int] = {}
    for equation in equations:
        left = equation
        for top in sorted(pivots, reverse=True):
            if left >> top & 1:
                left ^= pivots[top]
        if left == 1:
            return None
        if left:
            pivots[left.bit_length() - 1] = left
    values = 1
    for top in sorted(pivots):
        if (pivots[top] & values & ~(1 << top)).bit_count() & 1:
            values |= 1 << top
    return values


def _evaluated(forms: _Forms, values: int) -> NDArray[np.uint8]:
    evaluated: NDArray[np.uint8] = np.bitwise_count(forms & np.uint64(values)) & np.uint8(1)
    return evaluated

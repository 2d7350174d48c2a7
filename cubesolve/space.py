"""State spaces as base times fibre: what every enumeration runs over.

A state is a pair (a, b) of a small graph, the *base*, and a small array, the *fibre*; its rank is
``a * len(fibre) + b``. Move ``m`` takes it to the rank ``base[m, a] + fibre[action[m, a], b]``, or nowhere where
``base[m, a]`` is -1. In the plain case ``base[m, a]`` is the rank of a row's first state and ``fibre[...]`` a
permutation of one row; where a fibre is cut into rows because it is large, ``fibre[...]`` may reach into other rows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve import pocket
from cubesolve.catalog import CatalogEntry
from cubesolve.errors import InvalidStateError
from cubesolve.notation import FACES, Move, metric_moves
from cubesolve.rolling import DIRECTIONS, Goal, Shape, Tray
from cubesolve.rubik import turn_cubies

LARGEST_SPACE = 2**30
"""The number of states up to which a space is enumerated: an array of that many bytes."""

Progress = Callable[[int, int, int], None]
"""Called once a depth with the depth, the number of states there, and the number of states so far."""

_WIDEST_ROW = 8192  # rows of this many bytes stay in the innermost cache


@dataclass(frozen=True, slots=True, eq=False)
class StateSpace:
    """A puzzle as three arrays.

    Attributes:
        base: int64 (moves, A): the rank from which a move counts in each base state, or -1 where it is not possible.
        action: int32 (moves, A): the row of `fibre` with which it acts.
        fibre: uint32 (actions, B): what each fibre state adds to that rank.
        mutual: whether neighbours are always each other's: no move leads where no move leads back.
        describe: a state in words the puzzle's users know, from its rank.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> ring.states, list(ring.neighbours(2)), list(ring.reversed().neighbours(2))
    (3, [0], [1])
    """

    base: NDArray[np.int64]
    action: NDArray[np.int32]
    fibre: NDArray[np.uint32]
    mutual: bool = False
    describe: Callable[[int], str] = str

    @property
    def rows(self) -> int:
        """The number of base states, A."""
        return int(self.base.shape[1])

    @property
    def width(self) -> int:
        """The number of fibre states, B."""
        return int(self.fibre.shape[1])

    @property
    def states(self) -> int:
        """The number of states, A * B."""
        return self.rows * self.width

    def neighbours(self, rank: int) -> Iterator[int]:
        """The ranks that the possible moves lead to, in the order of the moves."""
        a, b = divmod(rank, self.width)
        for first, action in zip(self.base[:, a], self.action[:, a], strict=True):
            if first >= 0:
                yield int(first) + int(self.fibre[action, b])

    def neighbours_of(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ranks that the moves lead to from many states at once.

        Args:
            ranks: int64 (N,).

        Returns:
            int64 (N, moves): -1 where a move is not possible.

        >>> ring = StateSpace(np.array([[1, 2, 0], [-1, 0, 1]]), np.zeros((2, 3), np.int32), np.array([[0]], np.uint32))
        >>> ring.neighbours_of(np.array([0, 2])).tolist()
        [[1, -1], [0, 1]]
        """
        a, b = np.divmod(ranks, self.width)
        first = self.base.T[a]
        return np.where(first >= 0, first + self.fibre[self.action.T[a], b[:, None]], -1)

    def reversed(self) -> StateSpace:
        """The same space with every move undone instead of made; itself, where neighbours are mutual.

        Raises:
            ValueError: neighbours are not mutual, and a move does not keep rows together.
        """
        if self.mutual:
            return self
        if self.fibre.max() >= self.width or np.any(self.base[self.base >= 0] % self.width):
            raise ValueError("cannot undo moves that take a row apart")
        base, action = np.full_like(self.base, -1), np.zeros_like(self.action)
        for m, targets in enumerate(self.base):
            possible = np.flatnonzero(targets >= 0)
            base[m, targets[possible] // self.width] = possible * self.width
            action[m, targets[possible] // self.width] = self.action[m, possible]
        return StateSpace(base, action, np.argsort(self.fibre, axis=1).astype(np.uint32), False, self.describe)


@dataclass(frozen=True, slots=True, eq=False)
class RefinedSpace:
    """A state space whose base is itself a base, of *classes*, times *labels*.

    The two are kept apart, for the whole base can be too large. Row ``a * labels + l`` is the class `a` with the label
    `l`; moves are always possible, and keep rows together.

    Attributes:
        base: int32 (moves, C): the class that a move leads to.
        action: uint16 (moves, C): the row of `fibre` with which it acts.
        relabel: int32 (moves, C): the row of `labels` with which it acts.
        labels: uint8 (relabellings, L): the label that becomes of each.
        fibre: uint16 (actions, B): the fibre state that becomes of each.
    """

    base: NDArray[np.int32]
    action: NDArray[np.uint16]
    relabel: NDArray[np.int32]
    labels: NDArray[np.uint8]
    fibre: NDArray[np.uint16]

    @property
    def rows(self) -> int:
        """The number of rows, C * L."""
        return int(self.base.shape[1] * self.labels.shape[1])

    def whole(self) -> StateSpace:
        """The same space as one base and one fibre.

        A state that a symmetry takes to another of its row counts twice there, but moves may lead to one of the two
        only: neighbours are not mutual, and depths are found by looking from a state to its neighbours, never the other
        way.
        """
        count, width = self.labels.shape[1], self.fibre.shape[1]
        rows = self.base[:, :, None].astype(np.int64) * count + self.labels[self.relabel]
        action = np.repeat(self.action.astype(np.int32), count, axis=1)
        return StateSpace(rows.reshape(len(rows), -1) * width, action, self.fibre.astype(np.uint32))


class Fault(NamedTuple):
    """A state whose depth is wrong.

    Attributes:
        rank: the state.
        depth: the depth it has.
        expected: the depth that its neighbours say it should have.
        conflicts: how many states disagree with their neighbours in all.
    """

    rank: int
    depth: int
    expected: int
    conflicts: int


def pocket_space(moves: Sequence[Move]) -> StateSpace:
    """The pocket cube with some turns of U, R and F; ranks are those of `pocket.PocketCube`.

    >>> pocket_space(metric_moves("qtm", "UR")).states
    3674160
    """
    tables = [pocket.turn_tables(move) for move in moves]
    base = np.array([permutation for permutation, _ in tables], np.int64) * pocket.TWISTS
    action = np.repeat(np.arange(len(moves), dtype=np.int32)[:, None], pocket.PERMUTATIONS, axis=1)
    fibre = np.array([twist for _, twist in tables], np.uint32)
    mutual = all(move.inverse() in moves for move in moves)
    return StateSpace(base, action, fibre, mutual, lambda rank: str(pocket.PocketCube.unrank(rank)))


def corner_space(moves: Sequence[Move]) -> StateSpace:
    """The corners of the 3x3x3, or the pocket cube in a fixed holding: permutations are the base, twists the fibre.

    >>> corner_space(metric_moves("htm", "URFDLB")).states
    88179840
    """
    pieces = np.array(list(itertools.permutations(range(8))))
    octal = 8 ** np.arange(7, -1, -1)
    ternary = 3 ** np.arange(6, -1, -1)
    twists = np.arange(3**7)[:, None] // ternary % 3
    twists = np.hstack([twists, -twists.sum(axis=1, keepdims=True) % 3])
    base = np.empty((len(moves), len(pieces)), np.int64)
    fibre = np.empty((len(moves), len(twists)), np.uint32)
    for m, move in enumerate(moves):
        origin, change, _, _ = turn_cubies(move)
        base[m] = np.searchsorted(pieces @ octal, pieces[:, origin] @ octal) * len(twists)
        fibre[m] = (twists[:, origin[:7]] + change[:7]) % 3 @ ternary
    action = np.repeat(np.arange(len(moves), dtype=np.int32)[:, None], len(pieces), axis=1)
    return StateSpace(base, action, fibre, mutual=all(move.inverse() in moves for move in moves))


def rolling_space(shape: Shape, plus: int) -> StateSpace:
    """Rolling cubes with `plus` cubes of the class "+"; ranks are those of `rolling.Tray`.

    Raises:
        InvalidStateError: the tray has more states than can be enumerated.

    >>> rolling_space(Shape(3, 3, "axis"), 4).states
    4133430
    """
    states = shape.states(plus)
    if states > LARGEST_SPACE:
        number = f"{states:,}" if states < 10**15 else f"about 10^{math.log10(states):.0f}"
        raise InvalidStateError(f"the tray has {number} states, more than can be enumerated ({LARGEST_SPACE:,})")
    digits = shape.model.base
    low = max(n for n in range(shape.slots + 1) if digits**n <= _WIDEST_ROW)  # slots whose digits are the fibre
    width, block = digits**low, digits ** (shape.slots - low)
    subsets = shape.subsets(plus)
    base = np.full((len(DIRECTIONS), shape.cells * len(subsets) * block), -1, np.int64)
    action = np.zeros(base.shape, np.int32)
    fibre: dict[tuple[int, ...], NDArray[np.int64]] = {}
    numbers = {"base": np.arange(block) * width, "fibre": np.arange(width)}
    slots = {"base": range(shape.slots - low), "fibre": range(shape.slots - low, shape.slots)}
    for m, direction in enumerate(DIRECTIONS):
        for vacancy in range(shape.cells):
            source = shape.source(vacancy, direction)
            if source is None:
                continue
            for rank, subset in enumerate(subsets):
                roll = _Roll(shape, direction, vacancy, source, subset)
                to = (source * len(subsets) + shape.subset_rank(roll.subset)) * block * width
                if roll.key not in fibre:
                    fibre[roll.key] = roll.change(numbers["fibre"], slots["fibre"])
                # What the fibre adds must not be negative; the base makes up for it.
                lowest = fibre[roll.key].min()
                rows = slice((vacancy * len(subsets) + rank) * block, (vacancy * len(subsets) + rank + 1) * block)
                base[m, rows] = to + lowest + roll.change(numbers["base"], slots["base"])
                action[m, rows] = list(fibre).index(roll.key)
    actions = np.array([row - row.min() for row in fibre.values()], np.uint32)
    return StateSpace(base, action, actions, True, lambda rank: str(Tray.unrank(rank, plus, shape)))


def goal_ranks(goal: Goal, plus: int) -> NDArray[np.int64]:
    """The ranks of the states that fulfil a goal, as `rolling.Goal.ranks` lists them.

    >>> goal_ranks(Goal.parse("W*/WE"), 2).tolist() == list(Goal.parse("W*/WE").ranks(2))
    True
    """
    parts = []
    for first, choices in goal.choices(plus):
        ranks = np.array([first])
        for choice in choices:
            ranks = np.add.outer(ranks, choice).reshape(-1)
        parts.append(ranks)
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


class _Roll:
    """A roll, for one vacancy and one set of "+" slots, as what it adds to the number that the digits make.

    The digit of the cube that rolls goes from slot `old` to slot `new`; where these differ, the digit of the cube that
    is listed in the vacancy's place comes back to `old`. Both changes are sums over single digits, so that base and
    fibre can be added up.
    """

    def __init__(self, shape: Shape, direction: str, vacancy: int, source: int, subset: int) -> None:
        model = shape.model
        self._digits = model.base
        self._old, self._new = shape.slot(source, vacancy), shape.slot(vacancy, source)
        self._old_weight, self._new_weight = (model.base ** (shape.slots - 1 - s) for s in (self._old, self._new))
        is_plus, other_is_plus = subset >> self._old & 1, subset >> self._new & 1
        self.subset = subset & ~(1 << self._old) & ~(1 << self._new) | other_is_plus << self._old | is_plus << self._new
        sign = shape.sign(source, is_plus)
        rolled = (model.rolls[direction][model.orientation(sign, digit)] for digit in range(model.base))
        self._rolled = np.array([model.digits[orientation] for orientation in rolled])
        self.key = (self._old, self._new, *self._rolled.tolist())

    def change(self, numbers: NDArray[np.int64], slots: range) -> NDArray[np.int64]:
        """Numbers after the roll, as far as the digits of these slots matter."""
        changed = numbers.copy()
        if self._old in slots:
            digit = numbers // self._old_weight % self._digits
            changed += self._rolled[digit] * self._new_weight - digit * self._old_weight
        if self._new in slots and self._new != self._old:
            digit = numbers // self._new_weight % self._digits
            changed += digit * (self._old_weight - self._new_weight)
        return changed


def table_space(entry: CatalogEntry) -> StateSpace:
    """The space that a table of states is about."""
    if entry.header.puzzle == "rubik-corners":
        return corner_space(metric_moves(entry.header.metric, FACES))
    if entry.vacancy is None:
        return pocket_space(metric_moves(entry.header.metric, pocket.TURNING_FACES))
    start = start_tray(entry)
    return rolling_space(start.shape, start.plus)


def start_tray(entry: CatalogEntry) -> Tray:
    """The start of a table about rolling cubes.

    Raises:
        ValueError: the table is about another puzzle.
    """
    if entry.vacancy is None:
        raise ValueError(f"{entry.name} is not about rolling cubes")
    return Tray.start(entry.vacancy, model=entry.header.puzzle.removeprefix("rolling-"))

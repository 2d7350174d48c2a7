"""The moves of the Square-1 as arrays, and lower bounds of the number of twists (numpy; needs numba).

A state up to turns of the layers is a class of shapes, the rank of the permutation of the corners in the order of their
places, and that of the edges. One table has the least number of twists for each class and permutation of the
corners, another for the edges. They are exact for the puzzle whose other pieces look alike.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.square1.definition import HALF, LAYER, turned, twisted
from cubesolve.catalog.square1.shapes import (
    PIECES,
    Sources,
    alignments,
    changes,
    classes,
    in_order_of,
    shape_of,
    symmetries,
)
from cubesolve.encodings.enumeration import enumerate_depths
from cubesolve.errors import TooLargeError
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.kernel_arrays import Read1, Read2
from cubesolve.spaces.rows import all_orders, order_ranks
from cubesolve.spaces.space import StateSpace

RANKS = 40_320  # number of permutations of eight pieces
MOST_LISTED = 1 << 28  # maximum number of moves, times looks, of bounds


class ClassMoves(NamedTuple):
    """The moves of all classes, one class after the other, in the order of their turns.

    A move is turns from the standard shape of a class, a twist, and turns to the standard shape of another class.
    """

    first: Read1[np.int32]  # the number of the first move of each class, then the number of all moves, (171,)
    there: Read1[np.int32]  # the class that each move leads to
    # of the moves in the first half of that class, the one that undoes each, perhaps up to an exchange
    back: Read1[np.int32]
    turns: Read2[np.int32]  # the turns of both layers before the twist, then those after it, (moves, 4)
    changes: Read2[np.int32]  # three changes of the corners, then of the edges, as rows of `after`, (moves, 6)
    # For turns that leave a standard shape as it is, its class, and the changes of corners and edges, (symmetries, 3).
    symmetries: Read2[np.int32]
    after: Read2[np.uint16]  # the rank after each change of a permutation, (changes, 40320)


@functools.cache
def permutations() -> NDArray[np.int64]:
    """Return the permutations of eight pieces by rank, int64 (40320, 8)."""
    return all_orders(PIECES)


class Looks:
    """How the permutations of eight pieces look, of which some are alike.

    A look is a *pattern*, the places of about half of the pieces, and the order of these, then of the others.
    """

    def __init__(self, alike: list[int]) -> None:
        """Take for each piece the number of the first one that looks alike."""
        pieces, weights = np.array(alike)[permutations()], PIECES ** np.arange(PIECES)
        is_early = pieces <= sorted(alike)[PIECES // 2 - 1]
        ordered = np.take_along_axis(pieces, np.argsort(~is_early, axis=1, kind="stable"), axis=1)
        _, pattern = np.unique(is_early @ weights, return_inverse=True)
        numbers, order = np.unique(ordered @ weights, return_inverse=True)
        self.orders = len(numbers)  # with each pattern
        # A permutation with each look, (looks,); the look of each one, by the pattern, then by the order, (40320,).
        _, self.first, self.of = np.unique(pattern * self.orders + order, return_index=True, return_inverse=True)

    def after(self, arrays: ClassMoves) -> NDArray[np.uint16]:
        """Return the look after each change, (changes, looks)."""
        numbers = self.of.astype(np.uint16)
        return np.stack([numbers[ranks[self.first]] for ranks in arrays.after])


@functools.cache
def all_moves() -> ClassMoves:
    """Return the moves of all classes."""
    numbers = dict[Sources, int]()

    def changed(*states: Arrangement) -> list[int]:
        return [numbers.setdefault(sources, len(numbers)) for kind in changes(*states) for sources in kind]

    aligning = [alignments(shape) for shape in classes()]
    first = np.cumsum([0, *map(len, aligning)]).astype(np.int32)
    there, back, turns, rows = list[int](), list[int](), list[list[int]](), list[list[int]]()
    for shape, number in classes().items():
        start = in_order_of(shape)
        for amount in aligning[number]:
            before = turned(start, amount)
            after = twisted(before)
            standard, settling = shape_of(after).standard()
            there.append(classes()[standard])
            half = HALF if 0 < settling[0] <= HALF else 0
            undoing = (half - settling[0]) % LAYER, (half - settling[1]) % LAYER
            back.append(first[there[-1]] + aligning[there[-1]].index(undoing))
            turns.append([*amount, *settling])
            rows.append(changed(start, before, after, turned(after, settling)))
    symmetric = [
        [number, *changed(start, turned(start, amount))]
        for shape, number in classes().items()
        for start in [in_order_of(shape)]
        for amount in symmetries(shape)
    ]
    ranks = [order_ranks(permutations()[:, list(sources)]).astype(np.uint16) for sources in numbers]
    return ClassMoves(
        first,
        np.array(there, np.int32),
        np.array(back, np.int32),
        np.array(turns, np.int32),
        np.array(rows, np.int32),
        np.array(symmetric, np.int32),
        np.stack(ranks),
    )


class Effects(NamedTuple):
    """The effects of changes on the looks of one kind of pieces; the numbers of looks are divided by a width."""

    numbers: NDArray[np.int64]  # the effect of each of some changes
    quotients: NDArray[np.int32]  # the quotient after each effect, by that before: (effects, looks / width)
    actions: NDArray[np.int32]  # the row of `remainders` that is used
    remainders: NDArray[np.uint32]  # the remainder after each action, by that before, (actions, width)

    @classmethod
    def of(cls, changes: NDArray[np.int32], after: NDArray[np.uint16], width: int) -> Effects:
        """Take three changes each, (N, 3), and the look after each change, (changes, looks)."""
        steps, numbers = np.unique(changes @ len(after) ** np.arange(3), return_inverse=True)
        quotients, actions = np.empty((2, len(steps), after.shape[1] // width), np.int32)
        rows = dict[bytes, int]()
        for effect, (c, b, a) in enumerate(zip(*np.unravel_index(steps, (len(after),) * 3), strict=True)):
            images = after[c][after[b][after[a]]].reshape(-1, width)  # all effects at once would take 300 MB
            quotients[effect] = images[:, 0] // width
            actions[effect] = [rows.setdefault(row.tobytes(), len(rows)) for row in images % width]
        remainders = np.frombuffer(b"".join(rows), np.uint16).reshape(-1, width)
        return cls(numbers, quotients, actions, remainders.astype(np.uint32))


class TwistSpace:
    """The states of each class and look: moves cost 1, and turns that keep a standard shape cost 0.

    Rows of the space are a class and a look of the kind of pieces with fewer looks, the fibre is a look of the other;
    if all pieces of one kind look alike, the fibre is an order, and the pattern is in the row.
    """

    def __init__(self, looks: Sequence[Looks], goals: NDArray[np.int64]) -> None:
        """Take the looks of the corners and of the edges, and the class and both looks of each goal, (goals, 3)."""
        arrays = all_moves()
        sizes, free, first = [len(look.first) for look in looks], arrays.symmetries, arrays.first
        if math.prod(sizes) * len(arrays.there) > MOST_LISTED:
            classes = len(first) - 1
            raise TooLargeError(classes * math.prod(sizes), classes * (MOST_LISTED // len(arrays.there)))
        # Each move has a number in its class, and so has each turn, after all of these.
        most, groups = int(np.diff(first).max()), np.repeat(np.arange(len(first) - 1), np.diff(first))
        turns = most + np.arange(len(free)) - np.searchsorted(free[:, 0], free[:, 0])
        here = np.concatenate([np.arange(len(groups)) - first[groups], turns]), np.concatenate([groups, free[:, 0]])
        there = np.full((int(turns.max()) + 1, len(first) - 1), -1, np.int32)
        there[here] = np.concatenate([arrays.there, free[:, 0]])
        few, many = sorted(range(2), key=sizes.__getitem__)
        width = looks[many].orders if sizes[few] == 1 else sizes[many]
        base, action = there[:, :, None], np.zeros((*there.shape, 1), np.int32)
        for kind, divisor in (few, 1), (many, width):
            still = np.full((len(free), 2), free[0, 1 + kind])
            changes = [arrays.changes[:, 3 * kind :][:, :3], np.hstack([free[:, 1 + kind, None], still])]
            effects = Effects.of(np.concatenate(changes), looks[kind].after(arrays), divisor)
            effect = np.zeros(there.shape, np.int64)
            effect[here] = effects.numbers
            quotients, actions = effects.quotients[effect][:, :, None], effects.actions[effect][:, :, None]
            base = (base[..., None] * quotients.shape[-1] + quotients).reshape(*there.shape, -1)
            action = (action[..., None] + actions).reshape(base.shape)
        base[there < 0] = -1
        costs = (1,) * most + (0,) * (len(there) - most)
        # Moves are mutual up to turns, and turns complete each level.
        rows = base.reshape(len(there), -1), action.reshape(len(there), -1)
        self.space = StateSpace(*rows, effects.remainders, mutual=True, costs=costs)
        self.starts = (goals[:, 0] * sizes[few] + goals[:, 1 + few]) * sizes[many] + goals[:, 1 + many]

    def depths(self) -> NDArray[np.uint8]:
        """Return the least number of twists of each state, uint8 (states,)."""
        return enumerate_depths(self.space, self.starts)

    def distribution(self) -> NDArray[np.int64]:
        """Return the number of states with each number of twists, where turns lead to no other state."""
        space, ranks = self.space, np.arange(self.space.states).reshape(self.space.rows, -1)
        is_first = np.ones_like(ranks, np.bool_)
        for turn in np.flatnonzero(space.cost_of_moves == 0).tolist():
            begins, action = space.of_move(turn)
            here = np.flatnonzero(begins >= 0)
            is_first[here] &= begins[here, None] + space.fibre[action[here]] >= ranks[here]
        return np.bincount(self.depths()[is_first.reshape(-1)])

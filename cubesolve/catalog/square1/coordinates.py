"""States of the Square-1 as numbers, up to turns of the layers, and the algs of paths between them (needs numba)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.square1.definition import (
    CORNER_WEDGES,
    EDGE_WEDGES,
    HALF,
    LAYER,
    Target,
    Turns,
    exact,
    exchanged,
    square1,
    turned,
    turns_between,
    twisted,
)
from cubesolve.catalog.square1.search import HashedOnDemand, SearchBounds, filled, paths
from cubesolve.catalog.square1.shapes import PIECES, classes, in_order, shape_of, symmetries
from cubesolve.catalog.square1.tables import RANKS, Looks, TwistSpace, all_moves
from cubesolve.group.permutations import Arrangement
from cubesolve.spaces.rows import order_ranks


class ClassMove(NamedTuple):
    """A move of `ClassMoves`: the turns before the twist, and those to the standard position after it."""

    turns: Turns
    after: Turns


class Path(NamedTuple):
    """A way to solve a state: for each twist, turns and a move."""

    start: Turns  # from the state to the standard position
    moves: Sequence[ClassMove]
    ends: Sequence[Turns]  # from the last standard position to the goal; several where pieces look alike
    is_exchanged: bool  # whether the last standard position must be exchanged to be the goal, up to turns

    def algs(self, *, with_all_ends: bool) -> Iterator[list[Turns]]:
        """Yield the turns before each twist and after the last one: all of these, or those of the smallest amounts."""
        for choices in itertools.product((0, 1), repeat=len(self.moves)):
            if sum(choices) % 2 == self.is_exchanged:
                before, position = self._turns(choices)
                ends = self._last(position)
                yield from ([*before, end] for end in (ends if with_all_ends else ends[:1]))

    def first(self) -> list[Turns]:
        """Return the turns before the first twist of these algs."""
        choices = (0, 1) if len(self.moves) > 1 else (int(self.is_exchanged),)
        return [_step(self.moves[0], choice, self.start, 0)[0] for choice in choices]

    def _turns(self, choices: Sequence[int]) -> tuple[list[Turns], Turns]:
        """Return the turns before each twist, and those to the standard position after the last one."""
        position, swapped, turns = self.start, 0, list[Turns]()
        for move, choice in zip(self.moves, choices, strict=True):
            amount, position, swapped = _step(move, choice, position, swapped)
            turns.append(amount)
        return turns, position

    def _last(self, position: Turns) -> list[Turns]:
        """Return the turns after the last twist that lead to the goal, the best first."""
        return sorted((_sum(end, position) for end in self.ends), key=Partial(0, 0, []).with_turns)

    def shortest(self) -> Partial:
        """Return an alg with as few turns as possible, and as small ones as possible."""
        partials = {(0, self.start): Partial(0, 0, [])}
        for move in self.moves:
            following = dict[tuple[int, Turns], Partial]()
            for (swapped, position), partial in partials.items():
                for choice in (0, 1):
                    amount, target, exchange = _step(move, choice, position, swapped)
                    key, longer = (exchange, target), partial.with_turns(amount)
                    following[key] = min(longer, following.get(key, longer))
            partials = following
        ends = (
            partial.with_turns(self._last(position)[0])
            for (swapped, position), partial in partials.items()
            if swapped == self.is_exchanged
        )
        return min(ends)


class Partial(NamedTuple):
    """The beginning of an alg."""

    number: int  # of turns that are not zero
    size: int  # the sum of their amounts
    turns: list[Turns]

    def with_turns(self, amount: Turns) -> Partial:
        """Return it with further turns."""
        size = sum(min(turn, LAYER - turn) for turn in amount)
        return Partial(self.number + any(amount), self.size + size, [*self.turns, amount])


def _step(move: ClassMove, choice: int, position: Turns, swapped: int) -> tuple[Turns, Turns, int]:
    """Return the turns before a move or its counterpart; then the turns to the standard position, and an exchange.

    Exchanging the layers after turns is the same as the exchanged turns after exchanging the layers.
    """
    half = (HALF * choice, HALF * choice)
    amount = _sum(_sum(half, _swapped(move.turns, swapped)), position)
    swapped ^= choice
    return amount, _sum(half, _swapped(move.after, swapped)), swapped


def _sum(first: Turns, second: Turns) -> Turns:
    return (first[0] + second[0]) % LAYER, (first[1] + second[1]) % LAYER


def _swapped(turns: Turns, swapped: int) -> Turns:
    return turns[::-1] if swapped else turns


class TargetCoordinates:
    """The numbers of states for a target, whose pieces are counted in the order of their places."""

    def __init__(self, target: Target, known: bytes | None = None, hashed: HashedOnDemand | None = None) -> None:
        """Take a target, and what is known of one of the same shape in which no pieces look alike."""
        self.target, goal = target, target.state
        self._moves = all_moves()
        standard = turned(goal, shape_of(goal).standard()[1])
        numbers = [
            {wedge: number for number, wedge in enumerate(in_order(standard, wedges))}
            for wedges in (CORNER_WEDGES, EDGE_WEDGES)
        ]
        self._corner_numbers, self._edge_numbers = numbers
        self._looks = [Looks([numbered[target.looks[wedge]] for wedge in numbered]) for numbered in numbers]
        images = {image for state in (goal, exchanged(goal)) for image in self._images(state)}
        self._goals = np.array(sorted(images))  # bounds need them all; see `shapes`
        both = [None, None] if known is None else np.frombuffer(known, np.uint8).reshape(2, -1)
        tables = [self._bounds_by(kind, table) for kind, table in enumerate(both)]
        self._bounds = SearchBounds(self._goals, self._looks[0].of, self._looks[1].of, *tables)
        if any(len(look.first) < RANKS for look in self._looks):
            self.hashed = HashedOnDemand(None)  # the bounds are strong where pieces look alike
        else:
            ranks = (look.first[column] for look, column in zip(self._looks, self._goals.T[1:], strict=True))
            goals = np.column_stack([self._goals[:, 0], *ranks])
            fill = functools.partial(filled, self._moves, goals, self.numbers(goal)[0])  # without `self`: no circle
            self.hashed = hashed or HashedOnDemand(fill)  # for long searches

    def _bounds_by(self, kind: int, known: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
        """Return the lower bounds by the pieces of a kind, as if the others looked alike."""
        if known is not None and len(self._looks[kind].first) == RANKS:
            return known
        looks, goals = [Looks([0] * PIECES)] * 2, self._goals.copy()
        looks[kind], goals[:, 2 - kind] = self._looks[kind], 0
        depths = TwistSpace(looks, goals).depths().reshape(len(classes()), -1)
        return np.ascontiguousarray(depths[:, looks[kind].of]).reshape(-1)

    @property
    def table(self) -> bytes:
        """The lower bounds."""
        return b"".join((self._bounds.corners.data, self._bounds.edges.data))  # without copies of both

    def numbers(self, state: Arrangement) -> tuple[int, int, int]:
        """Return the class of a state, the rank of its corners, and that of its edges."""
        standard, turns = shape_of(state).standard()
        return self._numbers(classes()[standard], turned(state, turns))

    def _numbers(self, number: int, standard: Arrangement) -> tuple[int, int, int]:
        corners = [self._corner_numbers[wedge] for wedge in in_order(standard, CORNER_WEDGES)]
        edges = [self._edge_numbers[wedge] for wedge in in_order(standard, EDGE_WEDGES)]
        first, second = order_ranks(np.array([corners, edges])).tolist()
        return number, first, second

    def _images(self, state: Arrangement) -> Iterator[tuple[int, int, int]]:
        """Yield the class and the looks of a state for all turns that lead to its standard shape."""
        standard, turns = shape_of(state).standard()
        placed = turned(state, turns)
        for more in symmetries(standard):
            number, corners, edges = self._numbers(classes()[standard], turned(placed, more))
            yield number, int(self._looks[0].of[corners]), int(self._looks[1].of[edges])

    def at_least(self, state: Arrangement) -> int:
        """Return a lower bound of the number of twists; if the middle layer matters, it determines the parity."""
        number, corners, edges = self.numbers(state)
        base, bound = number * RANKS, self._bounds
        least = int(max(bound.corners[base + corners], bound.edges[base + edges]))
        return least if self.target.ignores_middle else least + (least + self.target.parity(state)) % 2

    def distribution(self) -> Iterator[int]:
        """Yield the number of states with each number of twists, up to turns and up to what looks alike."""
        goals = np.array([*self._images(self.target.state)])
        yield from TwistSpace(self._looks, goals).distribution().tolist()

    def paths(self, state: Arrangement, twists: int, nodes: list[int], *, with_loops: bool = False) -> Iterator[Path]:
        """Yield the paths with a number of twists, which is at least one and has the parity of the state."""
        standard = shape_of(state).standard()[1]
        goal = self.target.seen(self.target.state)
        numbers = self.numbers(state)
        for path in paths(self._moves, self._bounds, self.hashed, numbers, twists, nodes, with_loops=with_loops):
            place, amounts = turned(state, standard), self._moves.turns[path].tolist()
            way = [ClassMove((top, bottom), (first, second)) for top, bottom, first, second in amounts]
            for move in way:
                place = turned(twisted(turned(place, move.turns)), move.after)
            seen = self.target.seen(place), self.target.seen(exchanged(place))
            ends = [(turns_between(image, goal), number > 0) for number, image in enumerate(seen)]
            options = [Path(standard, way, turns, flag) for turns, flag in ends if turns]
            yield from sorted(options, key=lambda path: path.shortest()[:2]) if len(options) > 1 else options


def made_bounds() -> bytes:
    """Return the lower bounds for the solved state."""
    return TargetCoordinates(exact(square1().solved[0])).table

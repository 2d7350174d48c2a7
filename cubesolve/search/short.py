"""Short solutions of puzzles whose moves are permutations, however many states there are; they need not be optimal.

A beam search finds algs that solve many pieces (`skeletons`), and cycles of three pieces are inserted into the best of
these until all are solved (`insertions`). Solutions are then shortened: a few moves are left out, and what this leaves
unsolved is solved by other insertions.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import check
from cubesolve.kernels import kernel, read_only, types
from cubesolve.search.insertions import Work, insert
from cubesolve.search.skeletons import look_ahead
from cubesolve.search.slots import MOVES, Moves, Row
from cubesolve.search.three_cycles import LONGEST, Alg, Cycles, joined

_BEAM = 1 << 26  # places that a first beam search looks at
_WIDTH = 2_000  # the largest width of a first beam
_DEEPEST = 40  # moves of a beam
_LEVEL = 64  # algs of each length that a beam search returns
_TRIED = 12  # algs that are completed first
_PARTS = 12  # algs that are completed together,
_CHOICES = 5  # each by so many insertions
_INSERTIONS = 1 << 17  # that are compared in a step, where there are few places
_FEW_PLACES = 100
_FEW = 1 << 14  # the same for shortening
_AT_ONCE = 1 << 25  # slots of the moves of an alg that are looked at between two checks of the deadline
_LONGEST_PIECE = 30  # moves for each place, for which there is room
_LARGE = 400  # places, of which one alg is completed at first
_BALANCED = 400  # algs whose balance is looked at
_LONGEST_CUT = 16  # moves that are left out
_MOST_MOVED = 14  # places that these may move
_NUMBERS_OF_CUTS = (1, 1, 2)
_CUTS = 500  # times that moves are left out before other algs are begun with
_LEAST_WIDTH, _WIDEST = 4, 1  # of a beam; of all beams, the power of four
_WORTH_NOISE = 10


class Skeleton(NamedTuple):
    """An alg that solves some pieces.

    Attributes:
        alg: its moves.
        wrong: the weights of all places that are not solved.
    """

    alg: Alg
    wrong: int

    @property
    def value(self) -> float:
        """The expected number of moves of a solution that begins with it."""
        return len(self.alg) + self.wrong / 10


@kernel(MOVES, read_only(types.int16, 1), types.int32[::1])
def count_moved(moves: Moves, alg: NDArray[np.int16], numbers: NDArray[np.int32]) -> int:
    """Count the places that an alg moves, after each of its moves.

    Args:
        moves: the moves.
        alg: the alg.
        numbers: int32 (moves,): the numbers.

    Returns:
        0.
    """
    for end in range(len(alg)):
        for place in moves.firsts:
            slot = np.int64(place)
            for i in range(end, -1, -1):
                slot = np.int64(moves.sources[alg[i], slot])
            numbers[end] += slot != place
    return 0


def _traced(levels: Sequence[tuple[list[int], list[int]]], number: int) -> Alg:
    """Return the alg that leads to a state of a beam search, given the parents of the states and the last moves."""
    alg = []
    for parents, made in reversed(levels):
        alg.append(made[number])
        number = parents[number]
    return alg[::-1]


class ShortSearch:
    """Searches short solutions of a state."""

    def __init__(
        self,
        moves: Moves,
        cycles: Cycles,
        state: Row,
        target: Row,
        is_balanced: Callable[[Sequence[int]], bool],
        balance: Callable[[Sequence[int]], Sequence[int] | None],
        finish: Callable[[Sequence[int]], Alg | None],
        seed: int,
    ) -> None:
        """Take a state, and the looks of a solved one.

        Args:
            moves: the moves.
            cycles: the algs of cycles.
            state: the looks of the state.
            target: the looks of the solved state.
            is_balanced: returns whether insertions may be able to complete an alg.
            balance: returns moves after which they can; None if there are none.
            finish: completes an alg where no cycle solves another piece; None if it cannot.
            seed: of the random numbers.
        """
        self._moves, self._cycles, self._state, self._target = moves, cycles, state, target
        self._is_balanced, self._balance, self._finish = is_balanced, balance, finish
        self._source = random.Random(seed)
        self._most = _INSERTIONS * _FEW_PLACES // max(len(moves.firsts), _FEW_PLACES)
        self._random = np.array([self._source.getrandbits(62) | 1], np.uint64)
        room = 2 * (LONGEST + _LONGEST_PIECE * len(moves.firsts))
        tracks = np.zeros((room // 2, len(state)), np.uint16)  # most is never used, and takes no memory
        self._work = Work(np.zeros(room, np.int16), state.copy(), target, tracks, self._random)

    def solutions(self) -> Iterator[Alg]:
        """Yield shorter and shorter solutions, without end; an empty list stands for more work without one.

        Raises:
            EndedError: the current deadline has passed.
        """
        shortest: Alg | None = None
        for number in itertools.count():
            skeletons = self._skeletons(4 ** min(number, _WIDEST))
            for alg in itertools.chain(self._completed(skeletons), self._together(skeletons) if number else ()):
                if shortest is None or len(alg) < len(shortest):
                    shortest = alg
                    yield alg
            if shortest is not None:
                for other in self._shortened(shortest):
                    shortest = other
                    yield other
            yield []

    # -- Algs that solve some pieces -----------------------------------------------------------------------------------

    def _skeletons(self, width: int) -> list[Skeleton]:
        """Return algs that solve many pieces, and that insertions can complete, the best first (beam search)."""
        moves, worth = self._moves, self._cycles.worth
        number, places = len(moves.sources), len(moves.firsts)
        depth = min(_DEEPEST, places)
        width = min(width * _BEAM // (depth * number * places), width * _WIDTH)
        states, last = self._state[None], np.array([-1], np.int16)
        found, levels = [Skeleton([], self._wrong(self._state))], list[tuple[list[int], list[int]]]()
        draw = np.random.default_rng(self._source.getrandbits(32))
        for _ in range(depth if width >= _LEAST_WIDTH else 0):
            check()
            weights, keys = np.zeros((len(states), number), np.int32), np.zeros((len(states), number), np.uint64)
            look_ahead(moves, states, self._target, last, worth, weights, keys)
            values = np.where(weights < 0, np.inf, weights).ravel() + _WORTH_NOISE * draw.random(weights.size)
            best = np.argsort(values)[: 2 * width]
            _, distinct = np.unique(keys.ravel()[best], return_index=True)
            best = best[np.sort(distinct)][:width]
            best = best[np.isfinite(values[best])]
            parents, made = np.divmod(best, number)
            states = np.ascontiguousarray(np.take_along_axis(states[parents], moves.sources[made], axis=1))
            last = made.astype(np.int16)
            levels.append((parents.tolist(), made.tolist()))
            chosen = weights.ravel()[best[:_LEVEL]].tolist()
            found += [Skeleton(_traced(levels, i), weight) for i, weight in enumerate(chosen)]
        return self._balanced(sorted(found, key=lambda each: each.value))

    def _balanced(self, skeletons: Sequence[Skeleton]) -> list[Skeleton]:
        """Return the first skeletons, with the moves that the others need after them."""
        found = list[Skeleton]()
        for each in skeletons[:_BALANCED]:
            more = self._balance(each.alg)
            if more is not None:
                found.append(self._made(joined(self._moves, [*each.alg, *more])) if more else each)
        return sorted(found, key=lambda each: each.value)

    def _wrong(self, state: Row) -> int:
        wrong = self._moves.firsts[(state != self._target)[self._moves.firsts]]
        return int(self._cycles.worth[self._moves.kinds[wrong, 2]].sum())

    def _after(self, alg: Sequence[int]) -> Row:
        state = self._state
        for move in alg:
            state = state[self._moves.sources[move]]
        return state

    def _made(self, alg: Alg) -> Skeleton:
        return Skeleton(alg, self._wrong(self._after(alg)))

    # -- Insertions ----------------------------------------------------------------------------------------------------

    def _completed(self, skeletons: Sequence[Skeleton]) -> Iterator[Alg]:
        """Yield solutions that begin with some skeletons."""
        for each in skeletons[:_TRIED]:
            found = self._complete(each.alg, self._most, finishes=True)
            if found is not None:
                yield found
            if len(self._moves.firsts) > _LARGE:
                return

    def _complete(self, alg: Alg, most: int, *, finishes: bool) -> Alg | None:
        """Complete an alg by insertions; if these do not suffice, by other means or not at all."""
        made = self._made(alg)
        while made.wrong:
            check()
            steps = max(_AT_ONCE // ((len(made.alg) + 1) * len(self._state)), 1)
            before, made = made, self._inserted(made.alg, steps, most)
            if made.wrong >= before.wrong:
                return self._finish(made.alg) if finishes else None
        return made.alg

    def _together(self, skeletons: Sequence[Skeleton]) -> Iterator[Alg]:
        """Yield solutions that begin with some skeletons; the best insertions into all of them are continued."""
        parts = list(skeletons[:_PARTS])
        while parts:
            made = dict[tuple[int, ...], Skeleton]()
            for part in parts:
                check()
                for _ in range(_CHOICES):
                    other = self._inserted(part.alg, 1, self._most)
                    if other.wrong < part.wrong:
                        made[tuple(other.alg)] = other
            yield from (each.alg for each in made.values() if not each.wrong)
            parts = sorted((each for each in made.values() if each.wrong), key=lambda each: each.value)[:_PARTS]

    def _inserted(self, alg: Alg, steps: int, most: int) -> Skeleton:
        """Return an alg after some insertions."""
        if not len(self._cycles.lengths):
            return self._made(alg)
        work = self._work
        work.alg[: len(alg)] = alg
        work.state[:] = self._after(alg)
        size = insert(self._moves, self._cycles, work, len(alg), steps, most)
        return Skeleton(work.alg[: size if size >= 0 else -1 - size].tolist(), self._wrong(work.state))

    def _shortened(self, alg: Alg) -> Iterator[Alg]:
        """Yield shorter solutions that are made of one by leaving out moves; others of equal length are continued."""
        for _ in range(_CUTS):
            other = self._cut(alg)
            if other is not None and len(other) <= len(alg):
                is_shorter, alg = len(other) < len(alg), other
                if is_shorter:
                    yield alg

    def _cut(self, alg: Alg) -> Alg | None:
        """Leave some moves out of a solution, and return a solution that is made of the rest."""
        check()
        rest = alg
        for _ in range(self._source.choice(_NUMBERS_OF_CUTS)):
            begin = self._source.randrange(max(len(rest), 1))
            part = np.array(rest[begin : begin + _LONGEST_CUT], np.int16)
            moved = np.zeros(len(part), np.int32)
            count_moved(self._moves, part, moved)
            ends = [end for end, number in enumerate(moved.tolist(), begin + 1) if number <= _MOST_MOVED]
            if not ends:
                return None
            rest = rest[:begin] + rest[self._source.choice(ends) :]
        return self._complete(joined(self._moves, rest), _FEW, finishes=False) if self._is_balanced(rest) else None

"""Short solutions of puzzles whose moves are permutations, however many states there are; they need not be optimal.

Simulated annealing finds algs that solve many pieces (`annealing`), and cycles of three pieces are inserted into these
until all are solved (`insertions`). Then other algs are annealed by turns: one that begins with no moves, and the
shortest solution. After each round, windows of the shortest one are solved optimally (`shortcuts`). What an unsolved
piece costs is learned from the insertions.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from cubesolve.deadline import check
from cubesolve.search.annealing import Annealing, Totals, anneal
from cubesolve.search.cycles import Alg, Cycles, joined
from cubesolve.search.insertions import Work, insert
from cubesolve.search.shortcuts import Shortcuts
from cubesolve.search.slots import Moves, Row

_CHANGES = 1 << 18  # of the first alg that is annealed, where there are few places and moves
_MORE, _AGAIN = 8, 4  # so many times more of later ones; and again more after so many rounds
_PART = 4  # one of so many is spent on the shortest solution
_AT_ONCE = 1 << 13  # changes between two checks of the deadline, likewise
_FEW_PLACES, _FEW_MOVES = 50, 100
_HOT, _WARM, _COLD = 1_800, 900, 400  # temperatures, in thousandths of a move: for new algs, for solutions, at the end
_INSERTIONS = 1 << 17  # that are compared in a step, where there are few places
_INSERTED = 1 << 25  # slots of the moves of an alg that are looked at between two checks of the deadline
_LONGEST_PIECE = 30  # moves for each place, for which there is room
_LARGE = 400  # places, of which an alg is completed once
_TRIED = 4  # times that others are
_LEAST, _MOST = 0.5, 4.0  # the cost of unsolved pieces, as a factor of what their cycles suggest


class ShortSearch:
    """Searches short solutions of a state."""

    def __init__(
        self,
        stages: Sequence[Moves],
        cycles: Cycles,
        state: Row,
        target: Row,
        totals: Totals,
        balance: Callable[[Sequence[int]], Sequence[int] | None],
        finish: Callable[[Sequence[int]], Alg | None],
        seed: int,
    ) -> None:
        """Take a state, and the looks of a solved one.

        Args:
            stages: the moves, with the places that are solved first, then with others in addition, at last with all.
            cycles: the algs of cycles; each leaves alone all other places of the first of the stages that has its own.
            state: the looks of the state.
            target: the looks of the solved state.
            totals: what insertions do not change.
            balance: returns moves after which insertions can complete an alg; None if there are none.
            finish: completes an alg where no cycle solves another piece; None if it cannot.
            seed: of the random numbers.
        """
        self._stages, self._moves = stages, (moves := stages[-1])
        self._cycles, self._state, self._target = cycles, state, target
        self._totals, self._balance, self._finish = totals, balance, finish
        self._source = random.Random(seed)
        self._places = max(len(moves.firsts), _FEW_PLACES)
        self._longest = _LONGEST_PIECE * len(moves.firsts)
        self._work = Work.of(moves, state, target, self._longest, self._source.getrandbits(62))
        self._factor = 1.0
        self._shortcuts = Shortcuts(moves, 1 + int(max(state.max(initial=0), target.max(initial=0))))

    def solutions(self) -> Iterator[Alg]:
        """Yield shorter and shorter solutions, without end; an empty list stands for more work without one.

        Raises:
            EndedError: the current deadline has passed.
        """
        shortest: Alg | None = None
        compared: Alg | None = None  # the last one whose windows were compared with shorter ones
        for number in itertools.count():
            changes = _CHANGES * (_MORE * (1 + number // _AGAIN) if number else 1)
            for alg in self._round(changes, shortest):
                if alg is not None and (shortest is None or len(alg) < len(shortest)):
                    shortest = alg
                    yield alg
            if shortest is not None and shortest != compared:
                compared = self._shortcuts.taken(self._state, shortest)
                if len(compared) < len(shortest):
                    yield compared
                shortest = compared
            yield []

    def _round(self, changes: int, shortest: Alg | None) -> Iterator[Alg | None]:
        """Yield a solution that begins anew, and one made of the shortest if it has room; None where none is found."""
        yield self._completed(self._annealed([], changes, _HOT))
        if shortest is not None and len(shortest) <= self._longest:
            yield self._completed(self._annealed(shortest, changes // _PART, _WARM))

    def _annealed(self, begin: Alg, changes: int, hot: int) -> Alg:
        """Return an alg that solves many pieces, made of another one."""
        weights = self._cycles.worth[self._moves.kinds[self._moves.firsts, 2]] * (100 * self._factor)
        work = Annealing.of(
            self._moves, self._state, self._target, weights.astype(np.int64), self._totals, self._longest
        )
        work.begin(begin, self._source.getrandbits(62))
        labour = self._places * max(len(begin), _FEW_MOVES)
        number = max(_AT_ONCE * _FEW_PLACES * _FEW_MOVES // labour, 1)
        falling = np.geomspace(hot, _COLD, changes // _AT_ONCE + 1).astype(np.int64).tolist()
        for here, there in itertools.pairwise(falling):
            check()
            anneal(self._moves, work, number, here, there)
        return work.found

    def _completed(self, alg: Alg) -> Alg | None:
        """Return the shortest of some solutions that begin with an alg; None if there is none."""
        more = self._balance(alg)
        if more is None:
            return None
        if more:
            alg = joined(self._moves, [*alg, *more])
        times = _TRIED if len(self._moves.firsts) <= _LARGE else 1
        found = min(filter(None, (self._inserted(alg) for _ in range(times))), key=len, default=None)
        wrong = self._wrong(self._after(alg))
        if wrong and found is not None:
            factor = 10 * (len(found) - len(alg)) / wrong
            self._factor = min(max((self._factor + factor) / 2, _LEAST), _MOST)
        return found

    def _inserted(self, alg: Alg) -> Alg | None:
        """Complete an alg by insertions; if these do not suffice, by other means."""
        for moves in self._stages:
            alg = self._solving(moves, alg)
        return self._finish(alg) if self._wrong(self._after(alg)) else alg

    def _solving(self, moves: Moves, alg: Alg) -> Alg:
        """Insert cycles into an alg that solve the places of a stage, as far as these suffice."""
        work, size = self._work, len(alg)
        work.alg[:size] = alg
        work.state[:] = self._after(alg)
        wrong = self._wrong(work.state, moves)
        most = _INSERTIONS * _FEW_PLACES // self._places
        while wrong and len(self._cycles.lengths):
            check()
            steps = max(_INSERTED // ((size + 1) * len(self._state)), 1)
            size, before = insert(moves, self._cycles, work, size, steps, most), wrong
            size, wrong = max(size, -1 - size), self._wrong(work.state, moves)
            if wrong >= before:
                break
        made: Alg = work.alg[:size].tolist()
        return made

    def _wrong(self, state: Row, moves: Moves | None = None) -> int:
        """Return what the unsolved places of a stage, or all, are expected to cost, in tenths of a move."""
        firsts = (moves or self._moves).firsts
        wrong = firsts[(state != self._target)[firsts]]
        return int(self._cycles.worth[self._moves.kinds[wrong, 2]].sum())

    def _after(self, alg: Sequence[int]) -> Row:
        state = self._state
        for move in alg:
            state = state[self._moves.sources[move]]
        return state

"""Short solutions of puzzles whose moves are permutations, however many states there are; they need not be optimal.

Simulated annealing finds algs that solve many pieces (`annealing`), and cycles of three pieces are inserted into these
until all are solved (`insertions`). Then other algs are annealed by turns: one that begins with no moves, and the
shortest solution. What an unsolved piece costs is learned from the insertions.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from cubesolve.runtime.deadline import check
from cubesolve.search.annealing import Residues, Work, anneal
from cubesolve.search.cycles import Alg, Cycles, applied, joined
from cubesolve.search.insertions import insert
from cubesolve.search.slots import MoveArrays, Row

_CHANGES = 1 << 18  # of the first alg that is annealed, where there are few places and moves
_MORE, _AGAIN = 8, 4  # so many times more of later ones; and again more after so many rounds
_PART = 4  # one of so many is spent on the shortest solution
_AT_ONCE = 1 << 13  # changes between two checks of the deadline, likewise
_FEW_PLACES, _FEW_MOVES = 50, 100
_HOT, _WARM, _COLD = 1_800, 900, 400  # temperatures, in thousandths of a move: for new algs, for solutions, at the end
_INSERTIONS = 1 << 17  # that are compared in a step, where there are few places
_TOGETHER = 8  # steps between two checks of the deadline
_LONGEST_PIECE = 30  # moves for each place, for which there is room
_LARGE, _TRIED = 400, 4  # places, of which an alg is completed once; of fewer places, so often
_LEAST, _MOST = 0.5, 4.0  # the cost of unsolved pieces, as a factor of what their cycles suggest


class ShortProblem(NamedTuple):
    """A state, and the looks of a solved one."""

    # the moves, with the places that are solved first, then with others in addition, at last with all
    stages: Sequence[MoveArrays]
    cycles: Cycles  # the algs of cycles; each leaves alone all other places of the first of the stages that has its own
    state: Row  # the looks of the state
    target: Row  # the looks of the solved state
    totals: Residues  # what insertions do not change
    # returns moves after which insertions can complete an alg; None if there are none
    balance: Callable[[Sequence[int]], Sequence[int] | None]
    # completes an alg so that the pieces are solved that no cycle solves, whatever it does to the others
    begin: Callable[[Alg], Alg]
    finish: Callable[[Alg], Alg | None]  # completes an alg where no cycle solves another piece; None if it cannot

    @property
    def moves(self) -> MoveArrays:
        """The moves, with all places."""
        return self.stages[-1]

    @property
    def longest(self) -> int:
        """The number of moves of a solution for which there is room in annealing."""
        return _LONGEST_PIECE * len(self.moves.firsts)


class ShortSearch:
    """Anneals algs and completes them."""

    def __init__(self, problem: ShortProblem, seed: int) -> None:
        self._problem, self._moves = problem, problem.moves
        self._places = max(len(self._moves.firsts), _FEW_PLACES)
        self._work = Work.of(self._moves, problem.state, problem.target, problem.totals, problem.longest, seed)
        self._factor, self._times = 1.0, _TRIED if len(self._moves.firsts) <= _LARGE else 1

    def solutions(self, shortest: Alg | None = None) -> Iterator[Alg]:
        """Yield shorter and shorter solutions than a known one, without end; an empty list stands for more work."""
        for number in itertools.count(0 if shortest is None else 1):
            changes = _CHANGES * (_MORE * (1 + number // _AGAIN) if number else 1)
            begins: list[tuple[Alg, int, int]] = [([], changes, _HOT)]
            if shortest is not None and len(shortest) <= self._problem.longest:
                begins.append((shortest, changes // _PART, _WARM))
            for begin in begins:
                alg = self._annealed(*begin)
                completed = filter(None, (self._completed(alg) for _ in range(self._times)))
                solution = min(completed, key=len, default=None)
                if solution is not None and (shortest is None or len(solution) < len(shortest)):
                    shortest = solution
                    yield solution
            yield []

    def _annealed(self, begin: Alg, changes: int, hot: int) -> Alg:
        """Return an alg that solves many pieces, made of another one."""
        work, worth = self._work, self._problem.cycles.worth[self._moves.kinds[self._moves.firsts, 2]]
        work.weights[:] = worth * (100 * self._factor)
        work.begin(begin)
        labour = self._places * max(len(begin), _FEW_MOVES)
        number = max(_AT_ONCE * _FEW_PLACES * _FEW_MOVES // labour, 1)
        for warmer, colder in itertools.pairwise(
            np.geomspace(hot, _COLD, changes // _AT_ONCE + 1).astype(int).tolist()
        ):
            check()
            anneal(self._moves, work, number, warmer, colder)
        return work.found

    def _completed(self, alg: Alg) -> Alg | None:
        """Return a solution that begins with an alg; None if there is none."""
        more = self._problem.balance(alg)
        if more is None:
            return None
        if more:
            alg = joined(self._moves, [*alg, *more])
        solution = self._inserted(alg)
        wrong = self._wrong(self._after(alg))
        if wrong and solution is not None:
            factor = 10 * (len(solution) - len(alg)) / wrong
            self._factor = min(max((self._factor + factor) / 2, _LEAST), _MOST)
        return solution

    def _inserted(self, alg: Alg) -> Alg | None:
        """Complete an alg by insertions; if these do not suffice, by other means."""
        alg = self._problem.begin(alg)
        for moves in self._problem.stages:
            alg = self._solving(moves, alg)
        return self._problem.finish(alg) if self._wrong(self._after(alg)) else alg

    def _solving(self, moves: MoveArrays, alg: Alg) -> Alg:
        """Insert cycles into an alg that solve the places of a stage, as far as these suffice."""
        work, limit = self._work, _INSERTIONS * _FEW_PLACES // self._places
        if len(alg) > self._problem.longest:
            return alg
        work.begin(alg)
        while insert(moves, self._problem.cycles, work, _TOGETHER, limit) == _TOGETHER:
            check()
        return work.now

    def _wrong(self, state: Row) -> int:
        """Return what the unsolved places are expected to cost, in tenths of a move."""
        firsts = self._moves.firsts
        wrong = firsts[(state != self._problem.target)[firsts]]
        return int(self._problem.cycles.worth[self._moves.kinds[wrong, 2]].sum())

    def _after(self, alg: Sequence[int]) -> Row:
        return applied(self._moves, self._problem.state, alg)

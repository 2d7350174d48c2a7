"""Short solutions of puzzles whose moves are permutations, however many states there are; they need not be optimal.

Simulated annealing finds algs that solve many pieces (`annealing`), *skeletons*, and cycles of three pieces are
inserted into these until all are solved (`insertions`). Skeletons of nearly the same cost have solutions of very
different lengths. So many skeletons are completed while one is annealed, and the best of them is *polished*: a few
changes make another skeleton, which takes its place if its solution is not much longer.

Two threads do so with other random numbers, in rounds, by turns with new skeletons and the best one. After each round,
windows of the shortest solution are solved optimally (`shortcuts`). What an unsolved piece costs is learned from the
insertions.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from cubesolve.deadline import Deadline, EndedError, check, current, running
from cubesolve.search.annealing import Annealing, Totals, anneal
from cubesolve.search.cycles import Alg, Cycles, joined
from cubesolve.search.insertions import Work, completed
from cubesolve.search.shortcuts import Shortcuts
from cubesolve.search.slots import Moves, Row
from cubesolve.workers import run_watched

_CHANGES = 1 << 18  # of the first alg that is annealed, where there are few places
_MORE, _AGAIN = 8, 4  # so many times more of later ones; and again more after so many rounds
_LANES = 2  # of a round; their number does not follow the processors, so results repeat
_AT_ONCE = 1 << 13  # changes between two checks of the deadline, where there are few places
_FEW_PLACES = 50
_HOT, _COLD = 1_800, 400  # temperatures, in thousandths of a move
_NEAR = 6_000  # the cost, beyond the least one, of algs that are completed, too
_SAMPLED = 4  # changes for each of these, where there is one place
_KICK, _WARM = 100, 1_200  # changes that make another alg of one, where there are few places; and their temperature
_POLISH = 6  # so many times the changes of annealing, where there is one place
_RISE = 2.0  # moves by which a solution may become longer, with the probability 1 / e, at the beginning
_INSERTIONS = 1 << 17  # that are compared in a step, where there are few places
_INSERTED = 1 << 20  # slots of the moves of algs that are looked at between two checks of the deadline
_LONGEST_PIECE = 30  # moves for each place, for which there is room
_NARROW, _WIDE, _LARGE = 2, 40, 400  # the width of beams; the largest number of places for which it is more than one
_LEARNED = 8  # completions after which what an unsolved piece costs is mostly forgotten
_LEAST, _MOST = 0.5, 4.0  # the cost of unsolved pieces, as a factor of what their cycles suggest


class Problem(NamedTuple):
    """A state, and the looks of a solved one.

    Attributes:
        stages: the moves, with the places that are solved first, then with others in addition, at last with all.
        cycles: the algs of cycles; each leaves alone all other places of the first of the stages that has its own.
        state: the looks of the state.
        target: the looks of the solved state.
        totals: what insertions do not change.
        balance: returns moves after which insertions can complete an alg; None if there are none.
        finish: completes an alg where no cycle solves another piece; None if it cannot.
    """

    stages: Sequence[Moves]
    cycles: Cycles
    state: Row
    target: Row
    totals: Totals
    balance: Callable[[Sequence[int]], Sequence[int] | None]
    finish: Callable[[Sequence[int]], Alg | None]

    @property
    def moves(self) -> Moves:
        """The moves, with all places."""
        return self.stages[-1]

    @property
    def longest(self) -> int:
        """The number of moves of a solution for which there is room in annealing."""
        return _LONGEST_PIECE * len(self.moves.firsts)


class Skeleton(NamedTuple):
    """An alg that solves many pieces, and a solution that is made of it by insertions."""

    alg: Alg
    solution: Alg


class ShortSearch:
    """Searches short solutions of a state."""

    def __init__(self, problem: Problem, seed: int) -> None:
        """Take a state, and the seed of the random numbers."""
        self._problem, looks = problem, np.concatenate([problem.state, problem.target])
        self._lanes = [_Lane(problem, random.Random(seed + number)) for number in range(_LANES)]
        self._shortcuts = Shortcuts(problem.moves, 1 + int(looks.max(initial=0)))

    def solutions(self, workers: int | None = None) -> Iterator[Alg]:
        """Yield shorter and shorter solutions, without end; an empty list stands for more work without one.

        Args:
            workers: the largest number of threads.

        Raises:
            EndedError: the current deadline has passed.
        """
        shortest: Alg | None = None
        compared: Alg | None = None  # the last one whose windows were compared with shorter ones
        best: Skeleton | None = None
        for number in itertools.count():
            changes = _CHANGES * (_MORE * (1 + number // _AGAIN) if number else 1)
            lanes = self._lanes if number else self._lanes[:1]
            begin = best if number % 2 == 0 else None
            for skeleton in _round(lanes, changes, begin, workers):
                if best is None or len(skeleton.solution) < len(best.solution):
                    best = skeleton
                if shortest is None or len(skeleton.solution) < len(shortest):
                    shortest = skeleton.solution
                    yield shortest
            if shortest is not None and shortest != compared:
                compared = self._shortcuts.taken(self._problem.state, shortest)
                if len(compared) < len(shortest):
                    yield compared
                shortest = compared
            yield []


def _round(lanes: Sequence[_Lane], changes: int, begin: Skeleton | None, workers: int | None) -> Iterator[Skeleton]:
    """Yield the solutions that lanes find, of several each in a thread, at the end.

    Raises:
        EndedError: the current deadline has passed; solutions found before are yielded first.
    """
    if len(lanes) == 1:
        yield from lanes[0].solutions(changes, begin)
        return
    found = [list[Skeleton]() for _ in lanes]  # yielded in this order, whichever thread is faster
    left, limit, ended = iter([*zip(lanes, found, strict=True)]), Deadline(within=current()), None

    def work() -> None:
        with running(limit):
            for lane, skeletons in left:  # each thread takes the next one
                for skeleton in lane.solutions(changes, begin):
                    skeletons.append(skeleton)

    try:
        run_watched(work, len(lanes), workers, limit.end, current())
    except EndedError as error:
        ended = error
    yield from itertools.chain(*found)
    if ended is not None:
        raise ended


class _Lane:
    """Anneals algs and completes them, with random numbers of its own."""

    def __init__(self, problem: Problem, source: random.Random) -> None:
        self._problem, self._moves, self._source = problem, problem.moves, source
        places = len(self._moves.firsts)
        self._places, is_large = max(places, _FEW_PLACES), places > _LARGE
        self._narrow = 1 if is_large else _NARROW
        self._wide = 1 if is_large else max(_WIDE * _FEW_PLACES**3 // self._places**3, 2 * _NARROW)
        self._work = Work.of(self._moves, problem.target, problem.longest, self._wide, source.getrandbits(62))
        self._factor = 1.0

    def solutions(self, changes: int, begin: Skeleton | None) -> Iterator[Skeleton]:
        """Yield shorter and shorter solutions as they are found, of changes of an alg, or of one that is annealed.

        Raises:
            EndedError: the current deadline has passed.
        """
        skeleton = begin or self._annealed(changes)
        if skeleton is not None:
            yield skeleton
            yield from self._polished(skeleton, _POLISH * changes // self._places**2)

    def _annealing(self) -> Annealing:
        """Return room for annealing; unsolved pieces cost what was learned."""
        problem = self._problem
        weights = problem.cycles.worth[self._moves.kinds[self._moves.firsts, 2]] * (100 * self._factor)
        return Annealing.of(
            self._moves, problem.state, problem.target, weights.astype(np.int64), problem.totals, problem.longest
        )

    def _annealed(self, changes: int) -> Skeleton | None:
        """Return the alg that is completed to the shortest solution, of some that annealing finds; None without one."""
        work, found, steps = self._annealing(), dict[tuple[int, ...], Alg](), changes // _AT_ONCE
        work.begin([], self._source.getrandbits(62))
        number = max(_AT_ONCE * _FEW_PLACES // self._places, 1)
        samples = changes // (_SAMPLED * self._places**2)
        falling = np.geomspace(_HOT, _COLD, steps + 1).astype(np.int64).tolist()
        for step, (here, there) in enumerate(itertools.pairwise(falling)):
            check()
            anneal(self._moves, work, number, here, there)
            is_sampled = (step + 1) * samples // steps > step * samples // steps
            algs = [work.now] if is_sampled and work.is_near(_NEAR) else []
            if step + 1 == steps:
                algs.append(work.found)
            for alg in algs:
                solution = None if tuple(alg) in found else self._completed(alg, self._narrow)
                if solution is not None:
                    found[tuple(alg)] = solution
        if not found:
            return None
        best = min(found, key=lambda alg: len(found[alg]))
        return Skeleton([*best], found[best])

    def _polished(self, skeleton: Skeleton, tries: int) -> Iterator[Skeleton]:
        """Yield shorter solutions of algs that are made of another by few changes."""
        work, now, best = self._annealing(), skeleton, skeleton
        number = _KICK * self._places // _FEW_PLACES
        for i in range(tries):
            check()
            work.begin(now.alg, self._source.getrandbits(62))
            anneal(self._moves, work, number, _WARM, _WARM)
            alg = work.now
            most = len(now.solution) + int(_RISE * (1 - i / tries) * self._source.expovariate(1))
            solution = None if alg == now.alg else self._completed(alg, self._narrow, most)
            if solution is not None and len(solution) <= most:
                now = Skeleton(alg, solution)
                if len(solution) < len(best.solution):
                    best = now
                    yield best
        solution = self._completed(best.alg, self._wide)
        if solution is not None and len(solution) < len(best.solution):
            yield Skeleton(best.alg, solution)

    def _completed(self, alg: Alg, width: int, most: int | None = None) -> Alg | None:
        """Return a short solution made of an alg; None if there is none, or if it is expected to exceed a length."""
        more = self._problem.balance(alg)
        if more is None:
            return None
        if more:
            alg = joined(self._moves, [*alg, *more])
        found = self._inserted(alg, width, most)
        wrong = self._wrong(self._after(alg))
        if wrong and found is not None:
            factor = 10 * (len(found) - len(alg)) / wrong
            self._factor = min(max(self._factor + (factor - self._factor) / _LEARNED, _LEAST), _MOST)
        return found

    def _inserted(self, alg: Alg, width: int, most: int | None) -> Alg | None:
        """Complete an alg by insertions; if these do not suffice, by other means."""
        labour = _INSERTIONS * _FEW_PLACES // self._places
        cycles, made = self._problem.cycles, alg
        for moves in self._problem.stages:
            steps = max(_INSERTED // ((len(made) + 1) * len(self._problem.state) * width), 1)
            found = completed(moves, cycles, self._work, made, self._after(made), width, labour, steps, most)
            if found is None:
                return None
            made = found
        return self._problem.finish(made) if self._wrong(self._after(made)) else made

    def _wrong(self, state: Row) -> int:
        """Return what the unsolved places are expected to cost, in tenths of a move."""
        firsts = self._moves.firsts
        wrong = firsts[(state != self._problem.target)[firsts]]
        return int(self._problem.cycles.worth[self._moves.kinds[wrong, 2]].sum())

    def _after(self, alg: Sequence[int]) -> Row:
        state = self._problem.state
        for move in alg:
            state = state[self._moves.sources[move]]
        return state

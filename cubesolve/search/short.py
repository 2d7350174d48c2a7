"""Short solutions of puzzles whose moves are permutations, however many states there are; they need not be optimal.

Simulated annealing finds algs that solve many pieces (`annealing`), and cycles of three pieces are inserted into these
until all are solved (`insertions`). Then other algs are annealed by turns: one that begins with no moves, and the
shortest solution. Which alg leads to a short solution is seen only when it is completed, so several of each annealing
are, and the best of these once more, by a beam search over insertions. Two threads do so with other random numbers, in
rounds. After each round, windows of the shortest solution are solved optimally (`Shortcuts`). What an unsolved piece
costs is learned from the insertions.

A window has shortcuts between any two states that the solution passes. All states near each of these are computed. A
state near two of them makes a way from one to the other, which replaces the moves between them if it is shorter.
Windows of any length are compared at once, and each whose shortest way takes at most twice the radius is then solved
optimally. States are compared by their looks, so pieces that look alike may take each other's place.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.runtime.workers import run_watched
from cubesolve.search.annealing import Annealing, Residues, anneal
from cubesolve.search.cycles import Alg, Cycles, applied, inverted, joined
from cubesolve.search.insertions import MOST_WAYS, Work, list_insertions, make_insertion
from cubesolve.search.slots import MoveArrays, Row

_LABOUR = 3 << 27  # slots of all states that are computed
_SEED = 1  # of the numbers by which states are compared


class _Near(NamedTuple):
    """The states near a state, by distance."""

    keys: NDArray[np.uint64]  # (states,): a number of each, by which states are compared
    depths: NDArray[np.int64]  # (states,): their distances
    parents: NDArray[np.int64]  # (states,): the state before each
    moves: NDArray[np.int64]  # (states,): the move that leads from there

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
        is_way = (applied(self._moves, states[0], shorter) == states[-1]).all()  # keys may be equal by chance
        return shorter if len(shorter) < len(alg) and is_way else None

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


_CHANGES = 1 << 18  # of the first alg that is annealed, where there are few places and moves
_MORE, _AGAIN = 8, 4  # so many times more of later ones; and again more after so many rounds
_LANES = 2  # of a round; their number does not follow the processors, so results repeat
_PART = 4  # one of so many is spent on the shortest solution
_AT_ONCE = 1 << 13  # changes between two checks of the deadline, likewise
_FEW_PLACES, _FEW_MOVES = 50, 100
_HOT, _WARM, _COLD = 1_800, 900, 400  # temperatures, in thousandths of a move: for new algs, for solutions, at the end
_INSERTIONS = 1 << 17  # that are compared in a step, where there are few places
_LONGEST_PIECE = 30  # moves for each place, for which there is room
_LARGE, _TRIED = 400, 4  # places, of which an alg is completed once; of fewer places, so often
_SAMPLED = 60_000  # over the square of the number of places: the algs of an annealing that are completed instead, if
# these are more than `_TRIED`; at most `MOST_WAYS`
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


class _Partial(NamedTuple):
    """An alg into which cycles are inserted."""

    alg: Alg  # its moves
    state: Row  # the looks at its end, at the places of the stage
    wrong: int  # what those that are not solved are expected to cost, in tenths of a move

    @property
    def cost(self) -> int:
        """The expected length of the solution, in tenths of a move."""
        return 10 * len(self.alg) + self.wrong


class ShortSearch:
    """Searches short solutions of a state."""

    def __init__(self, problem: ShortProblem, seed: int) -> None:
        """Take a state, and the seed of the random numbers."""
        self._problem, looks = problem, np.concatenate([problem.state, problem.target])
        self._lanes = [_Lane(problem, random.Random(seed + number)) for number in range(_LANES)]
        self._shortcuts = Shortcuts(problem.moves, 1 + int(looks.max(initial=0)))

    def solutions(self, workers: int | None = None, shortest: Alg | None = None) -> Iterator[Alg]:
        """Yield shorter and shorter solutions, without end; an empty list stands for more work without one."""
        compared: Alg | None = None  # the last one whose windows were compared with shorter ones
        for number in itertools.count(0 if shortest is None else 1):
            changes = _CHANGES * (_MORE * (1 + number // _AGAIN) if number else 1)
            lanes = self._lanes if number else self._lanes[:1]
            for alg in _round(lanes, changes, shortest, workers):
                if shortest is None or len(alg) < len(shortest):
                    shortest = alg
                    yield alg
            if shortest is not None and shortest != compared:
                compared = self._shortcuts.taken(self._problem.state, shortest)
                if len(compared) < len(shortest):
                    yield compared
                shortest = compared
            yield []


def _round(lanes: Sequence[_Lane], changes: int, shortest: Alg | None, workers: int | None) -> Iterator[Alg]:
    """Yield the solutions that all lanes find, each in a thread."""
    found = [list[Alg]() for _ in lanes]  # yielded in this order, whichever thread is faster
    left, limit, ended = iter([*zip(lanes, found, strict=True)]), Deadline(within=current()), None

    def work() -> None:
        with running(limit):
            for lane, algs in left:  # each thread takes the next one
                for alg in lane.solutions(changes, shortest):
                    algs.append(alg)

    try:
        if len(lanes) == 1:
            work()
        else:
            run_watched(work, len(lanes), workers, limit.end, current())
    except EndedError as error:
        ended = error
    yield from itertools.chain(*found)
    if ended is not None:
        raise ended


class _Lane:
    """Anneals algs and completes them, with random numbers of its own."""

    def __init__(self, problem: ShortProblem, source: random.Random) -> None:
        self._problem, self._moves, self._source = problem, problem.moves, source
        self._places = max(len(self._moves.firsts), _FEW_PLACES)
        self._work = Work.of(self._moves, problem.state, problem.target, problem.longest, source.getrandbits(62))
        self._factor, self._times = 1.0, _TRIED if len(self._moves.firsts) <= _LARGE else 1

    def solutions(self, changes: int, shortest: Alg | None) -> Iterator[Alg]:
        """Yield solutions as far as they are found: if none is known, one."""
        if shortest is None:
            yield from self._shortest(self._annealed([], changes, _HOT, 1))
            return
        samples, complete = min(_SAMPLED // len(self._moves.firsts) ** 2, MOST_WAYS), self._completions
        if samples <= _TRIED:
            samples, complete = 1, self._shortest
        yield from complete(self._annealed([], changes, _HOT, samples))
        if len(shortest) <= self._problem.longest:
            yield from complete(self._annealed(shortest, changes // _PART, _WARM, samples))

    def _shortest(self, algs: Sequence[Alg]) -> Iterator[Alg]:
        """Yield the shortest of some solutions that begin with the last of some algs, if there are any."""
        found = min(filter(None, (self._completed(algs[-1], 1) for _ in range(self._times))), key=len, default=None)
        if found is not None:
            yield found

    def _completions(self, algs: Sequence[Alg]) -> Iterator[Alg]:
        """Yield solutions that begin with some algs, and then one of a beam search with the best."""
        found = list[tuple[int, Alg]]()
        for alg in algs:
            completed = self._completed(alg, 1)
            if completed is not None:
                yield completed
                found.append((len(completed), alg))
        if found:
            completed = self._completed(min(found)[1], len(algs))
            if completed is not None:
                yield completed

    def _annealed(self, begin: Alg, changes: int, hot: int, samples: int) -> list[Alg]:
        """Return algs that solve many pieces, made of another one: the best, and before it some of those on the way."""
        problem = self._problem
        weights = problem.cycles.worth[self._moves.kinds[self._moves.firsts, 2]] * (100 * self._factor)
        work = Annealing.of(
            self._moves, problem.state, problem.target, weights.astype(np.int64), problem.totals, problem.longest
        )
        work.begin(begin, self._source.getrandbits(62))
        labour = self._places * max(len(begin), _FEW_MOVES)
        number = max(_AT_ONCE * _FEW_PLACES * _FEW_MOVES // labour, 1)
        falling = np.geomspace(hot, _COLD, changes // _AT_ONCE + 1).astype(np.int64).tolist()
        step, algs = max(len(falling) // (2 * samples), 1), dict[tuple[int, ...], None]()
        for left, (here, there) in zip(range(len(falling) - 2, -1, -1), itertools.pairwise(falling), strict=True):
            check()
            anneal(self._moves, work, number, here, there)
            if left % step == 0 and 0 < left // step < samples:
                algs[tuple(work.current)] = None
        algs.pop(tuple(work.found), None)
        return [*map(list, algs), work.found]

    def _completed(self, alg: Alg, width: int) -> Alg | None:
        """Return a solution that begins with an alg; None if there is none."""
        more = self._problem.balance(alg)
        if more is None:
            return None
        if more:
            alg = joined(self._moves, [*alg, *more])
        found = self._inserted(alg, width)
        wrong = self._wrong(self._after(alg))
        if wrong and found is not None:
            factor = 10 * (len(found) - len(alg)) / wrong
            self._factor = min(max((self._factor + factor) / 2, _LEAST), _MOST)
        return found

    def _inserted(self, alg: Alg, width: int) -> Alg | None:
        """Complete an alg by insertions; if these do not suffice, by other means."""
        alg = self._problem.begin(alg)
        for moves in self._problem.stages:
            alg = self._solving(moves, alg, width)
        return self._problem.finish(alg) if self._wrong(self._after(alg)) else alg

    def _solving(self, moves: MoveArrays, alg: Alg, width: int) -> Alg:
        """Insert cycles into an alg that solve the places of a stage, as far as these suffice.

        In each step of this beam search, a cycle is inserted into some algs in all ways, and the best are kept.
        """
        state = self._after(alg)
        beam, ended = [_Partial(alg, state, self._wrong(state, moves))], list[_Partial]()
        while beam:
            ways = list[tuple[int, int, NDArray[np.int64]]]()
            for number, partial in enumerate(beam):
                found = self._ways(moves, partial, width)
                ways += [(partial.cost + int(way[0]), number, way) for way in found]
                if not len(found):
                    ended.append(partial)
            made = dict[tuple[int, ...], _Partial]()
            for _, number, way in sorted(ways, key=lambda each: each[:2]):
                partial = self._made(moves, beam[number], way)
                made.setdefault(tuple(partial.alg), partial)
                if len(made) == width:
                    break
            beam = [*made.values()]
        return min(ended, key=lambda partial: (partial.wrong, len(partial.alg))).alg

    def _ways(self, moves: MoveArrays, partial: _Partial, width: int) -> NDArray[np.int64]:
        """Return the best insertions into an alg; see `Work.best`."""
        if not partial.wrong or not len(self._problem.cycles.lengths):
            return self._work.best[:0]
        check()
        most = _INSERTIONS * _FEW_PLACES // self._places
        number = list_insertions(moves, self._problem.cycles, self._begun(partial), len(partial.alg), width, most)
        return self._work.best[:number].copy()

    def _made(self, moves: MoveArrays, partial: _Partial, way: NDArray[np.int64]) -> _Partial:
        """Make an insertion into an alg."""
        work = self._begun(partial)
        work.best[0] = way
        size = make_insertion(moves, self._problem.cycles, work, len(partial.alg))
        return _Partial(work.alg[:size].tolist(), work.state.copy(), self._wrong(work.state, moves))

    def _begun(self, partial: _Partial) -> Work:
        self._work.alg[: len(partial.alg)] = partial.alg
        self._work.state[:] = partial.state
        return self._work

    def _wrong(self, state: Row, moves: MoveArrays | None = None) -> int:
        """Return what the unsolved places of a stage, or all, are expected to cost, in tenths of a move."""
        firsts = (moves or self._moves).firsts
        wrong = firsts[(state != self._problem.target)[firsts]]
        return int(self._problem.cycles.worth[self._moves.kinds[wrong, 2]].sum())

    def _after(self, alg: Sequence[int]) -> Row:
        return applied(self._moves, self._problem.state, alg)

"""Stages that reduce a large puzzle to a smaller one, for any puzzle whose moves permute labels (numba).

A stage is a phase whose states are too many for lists (`search.phases`). It reads on which points some labels are, and
which of them are beside each other. Tables have exact distances for some of these at a time. It begins with the
solutions of the stage before, each after its moves, and ends soon after its own first solution. A beam keeps the states
with the least entries. If no moves lead to a better state, another one begins with some of the states, or is wider.
Each pass through all stages is wider than the last one. The puzzle that is left has phases of its own.

The labels may be renamed before a stage: which pieces come first does not matter, and the entries show which renaming
is nearest.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.group.canonical import Alg
from cubesolve.group.permutations import Arrangement, arrangement
from cubesolve.runtime.deadline import check
from cubesolve.runtime.instructions import count_ones
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel, part
from cubesolve.runtime.machine import worker_count
from cubesolve.search.phases import PhaseProblem, signs, unpacked

if TYPE_CHECKING:
    from cubesolve.store.tables import Body

LABELS = 256
UNREACHED = 255

_MOST = 1 << 20  # more than the moves of a solution
_WEIGHT = 4  # of the largest entry beside the sum of all: with 1, beams end more often where no move leads on
_NARROWEST = 6 << 12  # states that the beams of the first pass keep, those of all stages together
_WIDER = 4  # times as many states in each pass as in the one before
_WIDEST, _PARTS = 1 << 16, 4  # such states of a beam, and parts of the states that begin one
_MOST_NAMED = 1 << 18  # states, each renamed in all ways, from which a stage begins
_STUCK = 5  # moves after which a beam whose states are no better ends
_SLACK = 1  # moves of solutions of a stage beyond its shortest one
_RESTS = 24  # reduced states whose rest is solved in a pass
_REST_NODES, _SLICE = 1 << 22, 1 << 18  # of the search for the rest, in all and between two checks of the deadline
_FEW = 1 << 8  # states whose moves a thread tries, at least
_VISITED, _TRIES = 1 << 20, 8
_MASK, _FACTOR = (1 << 40) - 1, 0x5BD1E9  # of hashed keys


class StageProblem(NamedTuple):
    """Stages, as the kernels read them."""

    # (stages, 8): the first places and their number, the first table and their number, the first move and their number,
    # and the first renaming and their number
    stages: Read2[np.int64]
    moves: Read1[np.int64]  # the moves of all stages
    sources: Read2[np.uint8]  # (moves of the puzzle, points): the point from which each point gets its label
    solved: Read1[np.uint8]  # the labels of the solved puzzle
    # (places, 9): where their points begin, the number of points, that of labels, or 0 if it varies, the numbers of
    # sets of points, of orders of the labels on other points, or 1 if there are none, and of other points, where the
    # steps of sets and of orders begin, and whether a value is a set as bits and its rank, not a rank and an order
    places: Read2[np.int64]
    # (moves of the puzzle and none, points of all places): the point from which each gets its label
    origins: Read2[np.uint8]
    # for each move of the stage and each set of points the set after the move, and which of the actions on orders it
    # has; or for each byte of a set the bits that each of its values becomes
    base: Read1[np.int32]
    action: Read1[np.int32]
    fibre: Read1[np.uint16]  # for each action and each order, the order after it
    classes: Read2[np.int8]  # (places, labels): the class of each label, -1 if it is ignored
    # (tables, 6): where its entries begin, the largest number of its places, as numbered in the stage, and the numbers
    # of at most four places, or -1
    tables: Read2[np.int64]
    distances: Read1[np.uint8]
    renamings: Read2[np.uint8]  # (renamings, labels)
    # (16, 8192): the ranks of sets of the first 13 points, those of the others after each number of these, and numbers
    ranks: Read2[np.int32]
    # (signs, points and labels): whether each point is one of those whose classes have a sign, and the class of each
    # label
    signs: Read2[np.int16]


@part
def _rank(ranks: NDArray[np.int32], word: int) -> int:
    """Return the rank of a set among those of its size."""
    low = word & 8191
    return int(ranks[0, low] + ranks[1 + ranks[15, low], word >> 13])


@part
def _read_word(problem: StageProblem, number: int, rows: NDArray[np.uint8], row: int) -> int:
    """Return the points that have labels, as bits."""
    places, classes, origins, here = problem.places, problem.classes, problem.origins, len(problem.sources)
    word = np.int64(0)
    for i in range(places[number, 1]):
        if classes[number, rows[row, origins[here, places[number, 0] + i]]] >= 0:
            word |= 1 << i
    return int(word)


@part
def _read_order(problem: StageProblem, number: int, rows: NDArray[np.uint8], row: int) -> int:
    """Return the order of the labels on other points."""
    places, classes, origins, here = problem.places, problem.classes, problem.origins, len(problem.sources)
    begin, count = places[number, 0], places[number, 1]
    beside = order = taken = seen = np.int64(0)
    for i in range(places[number, 5]):
        own = np.int64(classes[number, rows[row, origins[here, begin + count + i]]])
        if own >= 0:
            beside |= i << 4 * own
    for i in range(places[number, 5]):
        own = np.int64(classes[number, rows[row, origins[here, begin + i]]])
        if own >= 0:
            other = beside >> 4 * own & 15
            before = np.int64(count_ones(np.uint64(seen & ((1 << other) - 1))))
            order = order * (count - taken) + other - before
            taken, seen = taken + 1, seen | 1 << other
    return int(order)


@part
def _entry(problem: StageProblem, table: int, first: int, values: NDArray[np.int32]) -> int:
    """Return the entry of some values."""
    tables, places, entry = problem.tables, problem.places, np.int64(0)
    if tables[table, 0] < 0:
        one, other = values[2 * (tables[table, 2] - first)], values[2 * (tables[table, 3] - first)]
        return int(count_ones(np.uint64(one ^ other)))
    for i in range(2, 6):
        number = tables[table, i]
        if number < 0:
            break
        if places[number, 8] == 0:
            entry = entry * places[number, 3] + values[2 * (number - first)]
        entry = entry * places[number, 4] + values[2 * (number - first) + 1]
    return int(problem.distances[tables[table, 0] + entry])


@part
def _move(problem: StageProblem, number: int, move: int, before: Any, row: int, at: int, values: Any) -> None:
    """Write the values of some places after a move."""
    places, base = problem.places, problem.base
    if places[number, 8] > 0:
        word, first = np.int64(before[row, at]), places[number, 6] + 1024 * move
        low = base[first + (word & 255)] | base[first + 256 + (word >> 8 & 255)]
        word = low | base[first + 512 + (word >> 16 & 255)] | base[first + 768 + (word >> 24)]
        values[at], values[at + 1] = word, _rank(problem.ranks, word)
    else:
        first = places[number, 6] + move * places[number, 3] + before[row, at]
        values[at] = base[first]
        order = places[number, 7] + problem.action[first] * places[number, 4] + np.int64(before[row, at + 1])
        values[at + 1] = problem.fibre[order]


@part
def _advance(
    problem: StageProblem, stage: int, before: NDArray[np.int32], row: int, move: int, values: NDArray[np.int32]
) -> tuple[int, int]:
    """Write the values of a state after a move; return the largest entry, and the sum of all."""
    stages, tables = problem.stages, problem.tables
    first, largest, total, made = stages[stage, 0], np.int64(0), np.int64(0), 0
    for table in range(stages[stage, 2], stages[stage, 2] + stages[stage, 3]):
        while made <= tables[table, 1]:
            _move(problem, first + made, move, before, row, 2 * made, values)
            made += 1
        distance = np.int64(_entry(problem, table, first, values))
        largest, total = max(largest, distance), total + distance
        if largest == UNREACHED:
            break
    return int(largest), int(total)


@kernel()
def enter_stage(
    problem: StageProblem, stage: int, rows: Read2[np.uint8], values: Array2[np.int32], entries: Array2[np.int64]
) -> int:
    """Write the values, the largest entry and the sum of all for states with their labels renamed in each way."""
    stages, renamings, places, ranks, at = problem.stages, problem.renamings, problem.places, problem.ranks, 0
    first, named = stages[stage, 0], np.empty((1, rows.shape[1]), np.uint8)
    for row in range(len(rows)):
        for renaming in range(stages[stage, 6], stages[stage, 6] + stages[stage, 7]):
            for point in range(rows.shape[1]):
                named[0, point] = renamings[renaming, rows[row, point]]
            for i in range(stages[stage, 1]):
                word = _read_word(problem, first + i, named, 0)
                rank = _rank(ranks, word) if places[first + i, 2] > 0 else word
                if places[first + i, 8] > 0:
                    values[at, 2 * i], values[at, 2 * i + 1] = word, rank
                else:
                    values[at, 2 * i], values[at, 2 * i + 1] = rank, _read_order(problem, first + i, named, 0)
            entries[at, 0] = entries[at, 1] = 0
            for table in range(stages[stage, 2], stages[stage, 2] + stages[stage, 3]):
                distance = np.int64(_entry(problem, table, first, values[at]))
                entries[at, 0], entries[at, 1] = max(entries[at, 0], distance), entries[at, 1] + distance
            at += 1
    return at


@kernel()
def find_costs(
    problem: StageProblem, stage: int, values: Read2[np.int32], first: int, last: int, costs: Array1[np.int64]
) -> int:
    """Write the costs of the states that one move leads to from some of the states; return the largest one."""
    # The cost is the sum of all entries, and a multiple of the largest; -1 if no moves lead from there to the end.
    count, highest, now = problem.stages[stage, 5], 0, np.empty(values.shape[1], np.int32)
    for a in range(first, last):
        for move in range(count):
            largest, in_all = _advance(problem, stage, values, a, move, now)
            cost = in_all + _WEIGHT * largest if largest < UNREACHED else -1
            costs[a * count + move] = cost
            highest = max(highest, cost)
    return highest


@part
def _hashed(rows: Any, row: int, key: Any) -> Any:
    """Return the key of a row."""
    for i in range(rows.shape[1]):
        key = ((key ^ key >> 17) * _FACTOR + np.int64(rows[row, i])) & _MASK
    return key


@kernel()
def expand_states(
    problem: StageProblem,
    stage: int,
    before: Read2[np.uint8],
    before_values: Read2[np.int32],
    length: int,  # the number of moves before these states
    costs: Read1[np.int64],  # see `find_costs`
    highest: int,  # the largest cost
    states: Array2[np.uint8],
    values: Array2[np.int32],
    parents: Array2[np.int64],  # for each state, the number of that before it, the move, and the cost
    visited: Array1[np.int64],  # hashed keys of states and the lengths of visits, some of which are forgotten
) -> int:
    """Write the states of least cost that one move leads to; return their number."""
    layout, moves, sources, points = problem.stages[stage], problem.moves, problem.sources, problem.sources.shape[1]
    first_move, count = layout[4], layout[5]
    total, now = len(costs), np.empty(values.shape[1], np.int32)
    # Numbers of states in the order of their costs; those that are too far come first.
    places = np.zeros(highest + 3, np.int64)
    for i in range(total):
        places[costs[i] + 2] += 1
    for cost in range(highest + 2):
        places[cost + 1] += places[cost]
    order, first, made = np.empty(total, np.int64), places[1], 0
    for i in range(total):
        order[places[costs[i] + 1]] = i
        places[costs[i] + 1] += 1
    for number in range(first, total):
        if made == len(states):
            break
        i = order[number]
        parent, move = i // count, i % count
        for place in range(layout[1]):
            _move(problem, layout[0] + place, move, before_values, parent, 2 * place, now)
        for place in range(len(now)):
            values[made, place] = now[place]
        for point in range(points):
            states[made, point] = before[parent, sources[moves[first_move + move], point]]
        key = _hashed(states, made, length) if costs[i] == 0 else _hashed(values, made, 0)
        at = free = key % len(visited)
        for tried in range(_TRIES):
            at = (key + tried) % len(visited)
            if visited[at] == 0 or visited[at] >> 8 == key:
                free = at
                break
        if visited[free] == 0 or visited[free] >> 8 != key or (visited[free] & 255) > length:
            visited[free] = key << 8 | length
            parents[made, 0], parents[made, 1], parents[made, 2] = parent, move, costs[i]
            made += 1
    return made


class Reduced(NamedTuple):
    """Stages, and the phases of the puzzle that is left."""

    stages: StageProblem
    phases: PhaseProblem

    def search(self, roots: Sequence[Arrangement], longest: int, workers: int | None = None) -> StagedSearch:
        """Return a search for solutions of at most `longest` moves of any of some states."""
        return StagedSearch(self.stages, self.phases, roots, longest, workers)


def opened_reduced(body: Body) -> Reduced:
    """Return the stages and the phases in a buffer."""
    stages, memory = unpacked(StageProblem, np.frombuffer(body, np.uint8))
    return Reduced(stages, unpacked(PhaseProblem, memory)[0])


class _Row(NamedTuple):
    """A state at the beginning of a stage."""

    root: int
    labels: NDArray[np.uint8]
    alg: Alg


class _Chunk(NamedTuple):
    """States after as many moves."""

    length: int
    states: NDArray[np.uint8]
    values: NDArray[np.int32]
    # for each, the number of the state before it, the move, and the cost; or the number of the start, and -1
    parents: NDArray[np.int64]
    before: _Chunk | None

    def part(self, some: slice) -> _Chunk:
        chosen = np.arange(len(self.states))[some]
        return self._replace(states=self.states[chosen], values=self.values[chosen], parents=self.parents[chosen])

    def path(self, number: int) -> tuple[int, list[int]]:
        """Return the start from which a state was reached, and the moves."""
        parent, move, _ = self.parents[number].tolist()
        if self.before is None or move < 0:
            return parent, []
        start, moves = self.before.path(parent)
        return start, [*moves, move]


class StagedSearch:
    """A search for shorter and shorter solutions of a state, wider in each pass."""

    def __init__(
        self,
        problem: StageProblem,
        rest: PhaseProblem,
        roots: Sequence[Arrangement],
        longest: int,
        workers: int | None = None,
    ) -> None:
        """Prepare a search from some states; a solution of any is one. By default each processor has a thread."""
        self._problem, self._rest, self._best = problem, rest, longest + 1
        # The labels of points that no move changes must be those of the solved puzzle.
        fixed = (problem.sources == np.arange(problem.sources.shape[1])).all(axis=0)
        signed = problem.solved[len(problem.solved) - 2 * len(problem.signs) :]
        labels = [np.concatenate([np.array([*root], np.uint8), signed]) for root in roots]
        rows = [_Row(number, row, ()) for number, row in enumerate(labels)]
        self._roots = [row for row in rows if (row.labels[fixed] == problem.solved[fixed]).all()]
        self.nodes, self.is_exhausted = 0, not self._roots
        self._workers = worker_count(workers)
        self._pool = ThreadPoolExecutor(self._workers)
        self._steps = self._passes()

    def _with_signs(self, rows: Sequence[_Row]) -> NDArray[np.uint8]:
        """Return the labels of states, on the two points of each sign those that it has, where there is one."""
        labels, solved = np.array([row.labels for row in rows], np.uint8), self._problem.solved
        at = len(solved) - 2 * len(self._problem.signs)
        for of_sign in self._problem.signs:
            classes, points = of_sign[len(solved) :], np.flatnonzero(of_sign[: len(solved)])
            now, home = classes[labels[:, points]], classes[solved[None, points]]
            if len(np.unique(home)) == len(points):
                known = (np.sort(now) == np.sort(home)).all(axis=1)
                odd = signs(now[known]) ^ signs(home)
                labels[known, at], labels[known, at + 1] = solved[at + odd], solved[at + 1 - odd]
            at += 2
        return labels

    @property
    def at_least(self) -> int:
        """A lower bound of the solution length: the least bound of the first stage."""
        return int(self._enter(0, self._with_signs(self._roots))[1][:, 0].min(initial=UNREACHED))

    def improve(self, most_nodes: int | None = None) -> tuple[int, Alg] | None:
        """Return the next, shorter solution and the number of its root; None if the search gave up or there is none."""
        while not self.is_exhausted and (most_nodes is None or self.nodes < most_nodes):
            check()
            answer = next(self._steps, None)
            if answer is not None:
                return answer
        return None

    def _passes(self) -> Iterator[tuple[int, Alg] | None]:
        """Yield solutions, and None after each part of the search."""
        width = _NARROWEST // len(self._problem.stages)
        while width <= _WIDEST:
            rows = self._roots
            for stage in range(len(self._problem.stages)):
                rows = yield from self._solved(stage, rows, width)
            for _, alike in itertools.groupby(rows, key=lambda row: len(row.alg)):
                yield from self._finished([*alike][:_RESTS])
            width *= _WIDER
        self.is_exhausted = True

    def _finished(self, rows: Sequence[_Row]) -> Iterator[tuple[int, Alg] | None]:
        """Solve what is left after solutions of the same length."""
        longest, points = self._best - 1 - len(rows[0].alg), self._rest.sources.shape[1]
        if longest < 0:
            return
        search = self._rest.search([arrangement(row.labels[:points].tolist()) for row in rows], longest)
        for most in range(_SLICE, _REST_NODES, _SLICE):
            while (answer := search.improve(most)) is not None:
                number, alg = answer
                self._best = len(rows[0].alg) + len(alg)
                yield rows[number].root, rows[number].alg + alg
            yield None
        self.nodes += search.nodes

    def _enter(self, stage: int, labels: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the values, the largest entry and the sum of all for each state, renamed in each way."""
        count, width = len(labels) * int(self._problem.stages[stage, 7]), 2 * int(self._problem.stages[stage, 1])
        values, entries = np.empty((count, width), np.int32), np.empty((count, 2), np.int64)
        arrays = (labels, values.reshape(len(labels), -1, width), entries.reshape(len(labels), -1, 2))
        parts = zip(*(np.array_split(array, self._workers) for array in arrays), strict=True)
        enter = functools.partial(enter_stage, self._problem, stage)
        entered = [self._pool.submit(enter, rows, to.reshape(-1, width), two.reshape(-1, 2)) for rows, to, two in parts]
        for each in entered:
            each.result()  # raises what was raised
        return values, entries

    def _solved(self, stage: int, rows: Sequence[_Row], width: int) -> Generator[None, None, list[_Row]]:
        """Return solutions of a stage, the shortest first."""
        first_renaming, ways = self._problem.stages[stage, 6:].tolist()
        rows = rows[: max(_MOST_NAMED // ways, 1)]
        if not rows:
            return []
        labels = self._with_signs(rows)
        values, entries = self._enter(stage, labels)
        yield None
        before = np.repeat([len(row.alg) for row in rows], ways)
        least = before + entries[:, 0]
        chosen = np.lexsort((entries[:, 1], least))
        chosen = chosen[entries[chosen, 0] < UNREACHED][:width]
        names = self._problem.renamings[first_renaming + chosen % ways]
        starts = np.take_along_axis(names, labels[chosen // ways].astype(np.int64), axis=1)
        before = before[chosen]
        parents = np.column_stack([chosen // ways, np.full(len(chosen), -1), entries[chosen] @ [_WEIGHT, 1]])
        chunks = [
            _Chunk(length, starts[there], values[chosen[there]], parents[there], None)
            for length in sorted(set(before.tolist()))
            for there in [np.flatnonzero(before == length)]
        ]
        reached = list[_Row]()
        for chunk, number in self._widened(stage, chunks, width):
            if chunk is None:
                yield None
            else:
                row, moves = chunk.path(number)
                reached.append(self._after(rows[row], stage, moves))
        return reached

    def _expanded(self, stage: int, chunk: _Chunk, most: int, visited: NDArray[np.int64]) -> _Chunk:
        """Return the best states that one move leads to."""
        length, (costs, highest) = chunk.length + 1, self._costs(stage, chunk)
        most = min(most, len(costs))
        states = np.empty((most, chunk.states.shape[1]), np.uint8)
        values, parents = np.empty((most, chunk.values.shape[1]), np.int32), np.empty((most, 3), np.int64)
        made = expand_states(
            self._problem, stage, chunk.states, chunk.values, length, costs, highest, states, values, parents, visited
        )
        self.nodes += len(costs)
        # Paths need no states before the last ones.
        before = chunk._replace(states=_NO_STATES, values=_NO_VALUES)
        return _Chunk(length, states[:made], values[:made], parents[:made], before)

    def _costs(self, stage: int, chunk: _Chunk) -> tuple[NDArray[np.int64], int]:
        """Return the costs of the states that one move leads to, found in several threads, and the largest one."""
        total, moves = len(chunk.states), int(self._problem.stages[stage, 5])
        costs, size = np.empty(total * moves, np.int64), max(-(-total // self._workers), _FEW)
        find = functools.partial(find_costs, self._problem, stage, chunk.values)
        others = [self._pool.submit(find, first, min(first + size, total), costs) for first in range(size, total, size)]
        highest = find(0, min(size, total), costs)
        return costs, max([highest, *(other.result() for other in others)])

    def _widened(self, stage: int, starts: Sequence[_Chunk], width: int) -> Iterator[tuple[_Chunk | None, int]]:
        """Yield solutions by a beam, or if it is stuck, by others that begin with fewer of the states, or are wider."""
        fewer = [slice(None), *(slice(first, None, _PARTS) for first in range(_PARTS))]
        while width <= _WIDEST:
            for some in fewer:
                if not (yield from self._beam(stage, [every.part(some) for every in starts], width)):
                    return
            width *= 2

    def _beam(
        self, stage: int, starts: Sequence[_Chunk], width: int
    ) -> Generator[tuple[_Chunk | None, int], None, bool]:
        """Yield solutions, the shortest first; return whether no move led to better states."""
        waiting, visited = {chunk.length: chunk for chunk in starts}, np.zeros(_VISITED, np.int64)
        length, found, chunk, last = min(waiting, default=0), 0, None, self._best - 1
        least, improved = _MOST, length
        while length <= last and found < width:
            joining = waiting.get(length)
            if chunk is None:
                chunk = joining
            elif joining is not None:
                chunk = _Chunk(
                    length,
                    np.concatenate([chunk.states, joining.states]),
                    np.concatenate([chunk.values, joining.values]),
                    np.concatenate([chunk.parents, joining.parents]),
                    chunk.before,
                )
            if chunk is None:
                break
            for number in np.flatnonzero(chunk.parents[:, 2] == 0).tolist():
                found, last = found + 1, min(last, length + _SLACK)
                yield chunk, number
            now = int(chunk.parents[:, 2].min(initial=_MOST))
            if now < least or joining is not None:
                least, improved = now, length
            elif length - improved >= _STUCK:
                return True
            chunk = self._expanded(stage, chunk, width, visited)
            yield None, 0
            length += 1
        return False

    def _after(self, row: _Row, stage: int, moves: Sequence[int]) -> _Row:
        """Return a state after moves, as numbered in a stage."""
        first, labels = int(self._problem.stages[stage, 4]), row.labels
        alg = [int(self._problem.moves[first + move]) for move in moves]
        for move in alg:
            labels = labels[self._problem.sources[move]]
        return _Row(row.root, labels, (*row.alg, *alg))


_NO_STATES, _NO_VALUES = np.empty((0, 0), np.uint8), np.empty((0, 0), np.int32)

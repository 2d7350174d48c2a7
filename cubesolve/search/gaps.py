"""IDA* with the gap heuristic, for puzzles whose moves keep most neighbouring pieces together.

Choose pairs of points. A *gap* of a state is a chosen pair whose labels lie on no chosen pair of the solved state. A
move takes most chosen pairs to chosen pairs. It closes at most as many gaps as it makes chosen pairs from other pairs.
A prefix reversal makes one, so the number of gaps is a lower bound (Helmert, "Landmark heuristics for the pancake
problem", SoCS 2010).

The pairs are derived from the moves. The number that each move makes is counted for the chosen pairs, so the bound is
admissible for any choice.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.group.canonical import Alg, beginnings
from cubesolve.group.moves import is_plain
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.deadline import Deadline, current
from cubesolve.runtime.kernels import kernel, named, part, read_only, types
from cubesolve.runtime.machine import require_workers
from cubesolve.runtime.workers import run_watched
from cubesolve.search.limits import Progress
from cubesolve.search.rounds import NOTHING_BEYOND, Watch, deepened
from cubesolve.spaces.defined import DerivedGraph

_MOST_POINTS = 255  # numbered by a byte, together with one that no move moves
_ROOM = 16  # algs that are kept before the kernel is called again with more room
_ABORTED = -1


class Gaps(NamedTuple):
    """A puzzle and its pairs as arrays for the kernel. The last point is an additional one that no move moves.

    Attributes:
        sources: uint8 (moves, points): the point that each label comes from.
        changed: uint8 (N, 4): a pair that a move takes apart, and the points from which it takes the labels of a pair
            that it makes.
        first: int64 (moves + 1,): the first row of `changed` for each move, and the number of rows.
        together: uint8 (labels, labels): 1 for two labels that lie on a pair of the solved state.
        least: int64 (pairs + 1,): the lower bound of the cost for each number of gaps.
        pairs: uint8 (pairs, 2): the pairs.
        solved: uint8 (points,): the solved state.
        following: int64 (canonical states, moves): see `group.canonical`.
        costs: int64 (moves,): the cost of each move.
    """

    sources: NDArray[np.uint8]
    changed: NDArray[np.uint8]
    first: NDArray[np.int64]
    together: NDArray[np.uint8]
    least: NDArray[np.int64]
    pairs: NDArray[np.uint8]
    solved: NDArray[np.uint8]
    following: NDArray[np.int64]
    costs: NDArray[np.int64]

    def numbers(self, labels: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the number of gaps of states: (..., points) to int64 (...)."""
        one, other = labels[..., self.pairs[:, 0]], labels[..., self.pairs[:, 1]]
        found: NDArray[np.int64] = len(self.pairs) - self.together[one, other].sum(axis=-1, dtype=np.int64)
        return found


_GAPS = named(
    Gaps,
    sources=read_only(types.uint8),
    changed=read_only(types.uint8),
    first=read_only(types.int64, 1),
    together=read_only(types.uint8),
    least=read_only(types.int64, 1),
    pairs=read_only(types.uint8),
    solved=read_only(types.uint8, 1),
    following=read_only(types.int64),
    costs=read_only(types.int64, 1),
)


def gaps_of(graph: DerivedGraph, solved: Sequence[Arrangement]) -> Gaps | None:
    """Return the pairs of a puzzle; None if the gap heuristic is not known to be better than pattern databases.

    It is if its largest bound is at least the cost at which there are as many canonical algs as states. The depth of
    about half of the states is not much smaller.

    >>> from cubesolve.catalog import rules_named
    >>> graph = rules_named("pancake-12").graph()
    >>> found = gaps_of(graph, graph.reduction.solved)
    >>> found.pairs[:3].tolist(), int(found.numbers(np.array([1, 0, *range(2, 13)], np.uint8)))
    ([[0, 1], [1, 2], [2, 3]], 1)
    """
    turns, following = graph.reduction.moves, graph.canonical.following
    points = len(solved[0]) + 1
    if points > _MOST_POINTS or len(solved) > 1 or not all(is_plain(turn.effects) for turn in turns):
        return None
    if sorted(solved[0]) != [*range(points - 1)]:  # some pieces are identical
        return None
    sources = np.array([[*turn.effects[0].sources, points - 1] for turn in turns])
    costs = np.array([move.cost for move in turns])
    pairs = _pairs(sources, costs)
    taken, made = zip(*(_changed(each, pairs, points) for each in sources), strict=True)
    numbers = np.array([len(each) for each in made])
    if not numbers.any():
        return None
    dearest = int(np.argmax(numbers / costs))
    least = -(-np.arange(len(pairs) + 1) * costs[dearest] // numbers[dearest])
    if least[-1] < costs.max() * _radius(following, graph.number_of_states or graph.most_states):
        return None
    labels = np.array([*solved[0], points - 1], np.uint8)
    together = np.zeros((points, points), np.uint8)
    for one, other in labels[pairs]:
        together[one, other] = together[other, one] = 1
    return Gaps(
        sources=sources.astype(np.uint8),
        changed=np.hstack([np.concatenate(taken), np.concatenate(made)]).astype(np.uint8),
        first=np.cumsum([0, *numbers]),
        together=together,
        least=least,
        pairs=pairs.astype(np.uint8),
        solved=labels,
        following=np.array(following, np.int64),
        costs=costs,
    )


def _radius(following: Sequence[Sequence[int]], states: int) -> int:
    """Return the number of moves at which there are as many canonical algs as states."""
    total = 1
    for moves, number in beginnings(following):
        total += number
        if total >= states or number == 0:
            return moves
    raise AssertionError  # `beginnings` does not end


def _pairs(sources: NDArray[np.int64], costs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return many pairs of which each move takes few apart: int64 (pairs, 2).

    A move connects two pairs if it leads from one to the other and moves both points or neither. Sets of connected
    pairs are joined, the best first, while this increases the ratio of all pairs to those that a move takes apart.
    """
    points = sources.shape[1]
    one, other = np.triu_indices(points, 1)
    number = np.zeros((points, points), np.int64)
    number[one, other] = number[other, one] = np.arange(len(one))
    moved = sources != np.arange(points)
    apart = moved[:, one] != moved[:, other]
    there = np.where(apart, np.arange(len(one)), number[sources[:, one], sources[:, other]])
    name, before = np.arange(len(one)), None
    while before is None or (name != before).any():
        before = name
        name = np.minimum(name, name[there].min(axis=0))
        name = name[name]
    chosen, weight = np.zeros(len(one), np.bool_), np.zeros(len(sources))
    names, number_of_set = np.unique(name, return_inverse=True)
    counts = np.stack([np.bincount(number_of_set[each], minlength=len(names)) for each in apart], axis=1)
    sets = [(number_of_set == each, counts[each] / costs) for each in np.flatnonzero(counts.any(axis=1))]
    for each, taken in sorted(sets, key=lambda found: found[1].max() / found[0].sum()):
        more, heavier = chosen | each, weight + taken
        if not chosen.any() or more.sum() * weight.max() > chosen.sum() * heavier.max():
            chosen, weight = more, heavier
    return np.stack([one[chosen], other[chosen]], axis=1)


def _changed(
    sources: NDArray[np.int64], pairs: NDArray[np.int64], points: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs that a move takes apart, and the points whose labels it brings together: each (N, 2)."""
    is_pair, comes = np.zeros((2, points, points), np.bool_)
    origins = sources[pairs]
    for found, listed in ((is_pair, pairs), (comes, origins)):
        found[listed[:, 0], listed[:, 1]] = found[listed[:, 1], listed[:, 0]] = True
    return pairs[~comes[tuple(pairs.T)]], origins[~is_pair[tuple(origins.T)]]


class _Round(NamedTuple):
    """The search for algs of one cost, as arguments and results of the kernel.

    Attributes:
        every: whether to find all algs.
        root: uint8 (points,): the state.
        gaps: its number of gaps.
        cost: the cost of the algs.
        going: int64 (1,): 0 to stop.
        algs: uint8 (room, moves): the first algs found.
        lengths: int64 (room,): the number of moves of each.
        counts: int64 (2,): the number of states visited, and the least excess of a bound or of the cost of a move over
            the remaining cost.
    """

    every: bool
    root: NDArray[np.uint8]
    gaps: int
    cost: int
    going: NDArray[np.int64]
    algs: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    counts: NDArray[np.int64]


_ROUND = named(
    _Round,
    every=types.boolean,
    root=read_only(types.uint8, 1),
    gaps=types.int64,
    cost=types.int64,
    going=read_only(types.int64, 1),
    algs=types.uint8[:, ::1],
    lengths=types.int64[::1],
    counts=types.int64[::1],
)


@part
def _are_same(labels: Any, depth: Any, solved: Any) -> Any:
    same = True
    for p in range(len(solved)):
        same &= labels[depth, p] == solved[p]
    return same


@part
def _closed(labels: Any, depth: Any, changed: Any, together: Any, i: Any) -> Any:
    """Return the number of gaps that the change of a pair closes, which may be negative."""
    before = together[labels[depth, changed[i, 0]], labels[depth, changed[i, 1]]]
    return np.int64(together[labels[depth, changed[i, 2]], labels[depth, changed[i, 3]]]) - before


@kernel(_GAPS, _ROUND, at_start=True)
def close_gaps(puzzle: Gaps, task: _Round) -> int:  # noqa: PLR0912  # one loop over states and moves
    """Find algs of exactly the given cost, in the order of the moves, depth first.

    Returns:
        The number of algs, which may exceed the room, or -1 if the search was stopped.
    """
    sources, changed, first, together = puzzle.sources, puzzle.changed, puzzle.first, puzzle.together
    least, following, costs, solved = puzzle.least, puzzle.following, puzzle.costs, puzzle.solved
    going, counts, longest = task.going, task.counts, task.algs.shape[1]
    points = len(solved)
    labels = np.empty((longest + 1, points), np.uint8)
    gaps, states, left, move = np.zeros((4, longest + 1), np.int64)
    for p in range(points):  # assigning the row would need Numba's runtime; see `linking`
        labels[0, p] = task.root[p]
    gaps[0], left[0] = task.gaps, task.cost
    number, depth = 0, 0
    while depth >= 0:
        if left[depth] == 0:
            if _are_same(labels, depth, solved):
                if number < len(task.algs):
                    task.lengths[number] = depth
                    for level in range(depth):
                        task.algs[number, level] = move[level] - 1
                number += 1
                if not task.every:
                    return number
            else:
                counts[1] = 1
            depth -= 1
            continue
        m = move[depth]
        if m == len(costs):
            depth -= 1
            continue
        if m == 0 and going[0] == 0:
            return _ABORTED
        move[depth] = m + 1
        rest = left[depth] - costs[m]
        if following[states[depth], m] < 0:
            continue
        if rest < 0:
            counts[1] = min(counts[1], -rest)
            continue
        counts[0] += 1
        after = gaps[depth]
        for i in range(first[m], first[m + 1]):
            after -= _closed(labels, depth, changed, together, i)
        if least[after] > rest:
            counts[1] = min(counts[1], least[after] - rest)
            continue
        for p in range(points):
            labels[depth + 1, p] = labels[depth, sources[m, p]]
        gaps[depth + 1], left[depth + 1] = after, rest
        states[depth + 1], move[depth + 1] = following[states[depth], m], 0
        depth += 1
    return number


class GapSolver:
    """Finds optimal algs with the gap heuristic. A single alg is the first in the order of the moves.

    Attributes:
        nodes: the number of states visited by all searches so far.
    """

    def __init__(self, puzzle: Gaps) -> None:
        """Take the pairs of a puzzle."""
        self.nodes = 0
        self._puzzle = puzzle

    def following(self, following: Sequence[Sequence[int]]) -> GapSolver:
        """Return the same search with another automaton of canonical sequences."""
        return GapSolver(self._puzzle._replace(following=np.array(following, np.int64)))

    def bounds(self, ranks: ArrayLike) -> NDArray[np.int64]:
        """Return the lower bound of states, given by their labels, as the only group."""
        return self._puzzle.least[self._puzzle.numbers(self._labels(ranks))][..., None]

    def solve(
        self,
        ranks: Sequence[int],
        *,
        every: bool = False,
        accept: Callable[[Alg], bool] | None = None,
        max_depth: int | None = None,
        ruled_out: int = -1,
        deadline: Deadline | None = None,
        workers: int | None = None,
        progress: Progress | None = None,
        about: Hashable = None,  # noqa: ARG002  # as in `ProjectedSolver.solve`
    ) -> list[Alg]:
        """Return optimal algs that solve a state, given by its labels.

        Arguments and errors are those of `ProjectedSolver.solve`. One thread searches each round in one part, so an
        interrupted round starts anew.
        """
        require_workers(workers)
        clock, before, labels = deadline or current(), self.nodes, self._labels(ranks)
        cost = max(int(self.bounds(ranks).max()), ruled_out + 1)
        counts = np.zeros(2, np.int64)

        def search(cost: int, watch: Watch) -> tuple[list[Alg], int]:
            algs = self._round(labels, cost, every, clock, counts, watch)
            accepted = [alg for alg in algs if accept is None or accept(alg)]
            return accepted, 1 if len(accepted) < len(algs) else int(counts[1])

        def nodes() -> int:
            return self.nodes - before + int(counts[0])

        return deepened(cost, search, nodes, clock, max_depth=max_depth, progress=progress)

    @staticmethod
    def _labels(ranks: ArrayLike) -> NDArray[np.uint8]:
        listed = np.asarray(ranks, np.uint8)
        beyond = np.full((*listed.shape[:-1], 1), listed.shape[-1], np.uint8)
        return np.concatenate([listed, beyond], axis=-1)

    def _round(
        self,
        labels: NDArray[np.uint8],
        cost: int,
        every: bool,
        deadline: Deadline,
        counts: NDArray[np.int64],
        watch: Watch,
    ) -> list[Alg]:
        """Return the algs of one cost.

        Args:
            every: whether to find all algs.
            counts: int64 (2,): the states visited by a running kernel, and the difference to the next cost; both are
                changed.
        """
        longest, room, going = cost // int(self._puzzle.costs.min()), _ROOM, np.ones(1, np.int64)
        results: list[int] = []

        def search(task: _Round) -> None:
            results.append(close_gaps(self._puzzle, task))

        def stop() -> None:
            going[0] = 0

        while True:
            algs, lengths = np.empty((room, longest), np.uint8), np.empty(room, np.int64)
            counts[:] = 0, NOTHING_BEYOND
            task = _Round(every, labels, int(self._puzzle.numbers(labels)), cost, going, algs, lengths, counts)
            try:
                run_watched(functools.partial(search, task), 1, 1, stop, deadline, watch)
            finally:
                self.nodes, counts[0] = self.nodes + int(counts[0]), 0
            number = results.pop()
            if number <= room:
                break
            room = number
        listed = zip(algs[:number].tolist(), lengths[:number].tolist(), strict=True)
        return [tuple(alg[:length]) for alg, length in listed]

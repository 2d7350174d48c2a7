"""IDA* with the gap heuristic, for puzzles whose moves keep most neighbouring pieces together.

Choose pairs of points. A *gap* of a state is a chosen pair whose labels lie on no chosen pair of the solved state. A
move takes most chosen pairs to chosen pairs. It closes at most as many gaps as it makes chosen pairs from other pairs.
A prefix reversal makes one, so the number of gaps is a lower bound (Helmert, "Landmark heuristics for the pancake
problem", SoCS 2010).

The pairs are derived from the moves. The number that each move makes is counted for the chosen pairs, so the bound is
admissible for any choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.group.canonical import beginnings
from cubesolve.group.moves import is_plain
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.kernel_arrays import Read1, Read2
from cubesolve.runtime.kernels import kernel, part
from cubesolve.search.ida_star import DeepeningSolver, is_solved
from cubesolve.search.rounds import ABORTED, BOUNDS, LEFT, STATE, Run, SearchOutput, Task
from cubesolve.spaces.defined_graph import DerivedGraph

_MOST_POINTS = 255  # numbered by a byte, together with one that no move moves


class Gaps(NamedTuple):
    """A puzzle and its pairs as arrays for the kernel. The last point is an additional one that no move moves."""

    sources: Read2[np.uint8]  # (moves, points): the point that each label comes from
    # (N, 4): a pair that a move takes apart, and the points from which it takes the labels of a pair that it makes
    changed: Read2[np.uint8]
    first: Read1[np.int64]  # (moves + 1,): the first row of `changed` for each move, and the number of rows
    together: Read2[np.uint8]  # (labels, labels): 1 for two labels that lie on a pair of the solved state
    least: Read1[np.int64]  # (pairs + 1,): the lower bound of the cost for each number of gaps
    pairs: Read2[np.uint8]  # (pairs, 2): the pairs
    solved: Read2[np.int64]  # (1, points - 1): the solved state, without the additional point
    following: Read2[np.int64]  # (canonical states, moves): see `group.canonical`
    costs: Read1[np.int64]  # (moves,): the cost of each move

    def numbers(self, labels: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the number of gaps of states: (..., points) to int64 (...)."""
        one, other = labels[..., self.pairs[:, 0]], labels[..., self.pairs[:, 1]]
        numbers: NDArray[np.int64] = len(self.pairs) - self.together[one, other].sum(axis=-1, dtype=np.int64)
        return numbers


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
    taken, joined = zip(*(_changed(source, pairs, points) for source in sources), strict=True)
    numbers = np.array([len(group) for group in joined])
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
        changed=np.hstack([np.concatenate(taken), np.concatenate(joined)]).astype(np.uint8),
        first=np.cumsum([0, *numbers]),
        together=together,
        least=least,
        pairs=pairs.astype(np.uint8),
        solved=np.array([[*solved[0]]], np.int64),
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
    """Return many pairs of which each move takes few apart: int64 (pairs, 2)."""
    points = sources.shape[1]
    one, other = np.triu_indices(points, 1)
    number = np.zeros((points, points), np.int64)
    number[one, other] = number[other, one] = np.arange(len(one))
    # A move connects two pairs if it leads from one to the other and moves both points or neither.
    moved = sources != np.arange(points)
    apart = moved[:, one] != moved[:, other]
    images = np.where(apart, np.arange(len(one)), number[sources[:, one], sources[:, other]])
    name, before = np.arange(len(one)), None
    while before is None or (name != before).any():
        before = name
        name = np.minimum(name, name[images].min(axis=0))
        name = name[name]
    chosen, weight = np.zeros(len(one), np.bool_), np.zeros(len(sources))
    names, number_of_set = np.unique(name, return_inverse=True)
    counts = np.stack([np.bincount(number_of_set[is_apart], minlength=len(names)) for is_apart in apart], axis=1)
    sets = [(number_of_set == index, counts[index] / costs) for index in np.flatnonzero(counts.any(axis=1))]
    # Sets are joined, the best first, while this increases the ratio of all pairs to those that a move takes apart.
    for members, taken in sorted(sets, key=lambda entry: entry[1].max() / entry[0].sum()):
        more, heavier = chosen | members, weight + taken
        if not chosen.any() or more.sum() * weight.max() > chosen.sum() * heavier.max():
            chosen, weight = more, heavier
    return np.stack([one[chosen], other[chosen]], axis=1)


def _changed(
    sources: NDArray[np.int64], pairs: NDArray[np.int64], points: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs that a move takes apart, and the points whose labels it brings together: each (N, 2)."""
    is_pair, comes = np.zeros((2, points, points), np.bool_)
    origins = sources[pairs]
    for table, listed in ((is_pair, pairs), (comes, origins)):
        table[listed[:, 0], listed[:, 1]] = table[listed[:, 1], listed[:, 0]] = True
    return pairs[~comes[tuple(pairs.T)]], origins[~is_pair[tuple(origins.T)]]


@part
def _closed(labels: Any, depth: Any, changed: Any, together: Any, i: Any) -> Any:
    """Return the number of gaps that the change of a pair closes, which may be negative."""
    before = together[labels[depth, changed[i, 0]], labels[depth, changed[i, 1]]]
    return np.int64(together[labels[depth, changed[i, 2]], labels[depth, changed[i, 3]]]) - before


@kernel(at_start=True)
def close_gaps(puzzle: Gaps, roots: Read2[np.int64], task: Task, found: SearchOutput) -> int:  # noqa: PLR0912  # one loop over states and moves
    """Find algs as `ida_star.deepen` does, but in the order of moves, and no states; ranks are labels."""
    sources, changed, first, together = puzzle.sources, puzzle.changed, puzzle.first, puzzle.together
    least, following, costs, solved, pairs = puzzle.least, puzzle.following, puzzle.costs, puzzle.solved, puzzle.pairs
    counts, longest, best = found.counts, task.longest, task.best
    points, number = sources.shape[1], 0
    labels = np.empty((longest + 1, points), np.uint8)
    gaps, states, left, move = np.zeros((4, longest + 1), np.int64)
    for root in range(len(roots)):
        for p in range(points - 1):
            labels[0, p] = roots[root, BOUNDS + 1 + p]
        labels[0, points - 1] = points - 1
        gaps[0], states[0], left[0], move[0], depth = len(pairs), roots[root, STATE], roots[root, LEFT], 0, 0
        nodes, part = 0, task.first + root
        for i in range(len(pairs)):
            gaps[0] -= together[labels[0, pairs[i, 0]], labels[0, pairs[i, 1]]]
        while depth >= 0:
            if left[depth] == 0:
                if is_solved(labels, depth, solved):
                    if number < len(found.algs):
                        for level in range(depth):
                            found.algs[number, level] = move[level] - 1
                        found.origins[number, 0], found.origins[number, 1] = root, depth
                    number += 1
                    if not task.every:
                        counts[root, 0] = nodes
                        return number
                else:
                    counts[root, 2] = 1
                depth -= 1
                continue
            m = move[depth]
            if m == len(costs):
                depth -= 1
                continue
            if m == 0 and best[0] < part:
                counts[root, 0] = nodes
                return ABORTED
            move[depth] = m + 1
            rest = left[depth] - costs[m]
            if following[states[depth], m] < 0:
                continue
            if rest < 0:
                counts[root, 2] = min(counts[root, 2], -rest)
                continue
            nodes += 1
            after = gaps[depth]
            for i in range(first[m], first[m + 1]):
                after -= _closed(labels, depth, changed, together, i)
            if least[after] > rest:
                counts[root, 2] = min(counts[root, 2], least[after] - rest)
                continue
            for p in range(points):
                labels[depth + 1, p] = labels[depth, sources[m, p]]
            gaps[depth + 1], left[depth + 1] = after, rest
            states[depth + 1], move[depth + 1] = following[states[depth], m], 0
            depth += 1
        counts[root, 0] = nodes
    return number


class GapSolver(DeepeningSolver):
    """Finds optimal algs with the gap heuristic. A single alg is the first in the order of the moves."""

    problem: Gaps

    def __init__(self, puzzle: Gaps) -> None:
        super().__init__(close_gaps, puzzle)

    def bounds(self, ranks: ArrayLike) -> NDArray[np.int64]:
        """Return the lower bound of states, given by their labels, as the only group."""
        listed = np.asarray(ranks, np.uint8)
        beyond = np.full((*listed.shape[:-1], 1), listed.shape[-1], np.uint8)
        return self.problem.least[self.problem.numbers(np.concatenate([listed, beyond], axis=-1))][..., None]

    def _split(self, run: Run, length: int) -> None:
        """Return that one part is enough: one thread searches each round, and an interrupted one starts anew."""

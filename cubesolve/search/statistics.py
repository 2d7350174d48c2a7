"""Statistics of heuristics and searches: branching factors, and the prediction of nodes (pure Python)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from cubesolve.definition.sliding import Sliding

_STEPS = 60  # of a bisection


class Iteration(NamedTuple):
    """One iteration of a search.

    Attributes:
        cost: the cost of the solutions searched for.
        nodes: the states generated.
        seconds: the time.
    """

    cost: int
    nodes: int
    seconds: float


def effective_branching(nodes: int, depth: int) -> float:
    """Return the branching factor b of a uniform tree with this many nodes: ``b + b**2 + ... + b**depth == nodes``.

    Russell and Norvig, "Artificial Intelligence: A Modern Approach", compare heuristics by it.

    >>> round(effective_branching(2 + 4 + 8, 3), 6), effective_branching(0, 0)
    (2.0, 0.0)
    """
    if not nodes or not depth:
        return 0.0
    low, high = 0.0, float(nodes)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        total = 0.0
        for _ in range(depth):
            total = min((total + 1) * middle, float(nodes) + 1)
        low, high = (middle, high) if total < nodes else (low, middle)
    return high


def parities(puzzle: Sliding | None) -> list[int]:
    """Return the parity of the depth of the states with the gap on each point.

    Returns:
        0 or 1 for each point of a sliding puzzle; 0 for all if these do not determine the parity, and [0] without one.

    >>> parities(None), parities(Sliding(bytes(3), 0, ((1, 2, -1), (-1, 0, 1))))
    ([0], [0, 1, 0])
    """
    if puzzle is None:
        return [0]
    home = puzzle.solved.index(puzzle.gap)
    parity_of = {home: 0}
    for point in (reached := [home]):
        for sources in puzzle.sources:
            near = sources[point]
            if near >= 0 and parity_of.setdefault(near, 1 - parity_of[point]) == parity_of[point]:
                return [0] * len(puzzle.solved)
            if near >= 0 and near not in reached:
                reached.append(near)
    return [parity_of.get(point, 0) for point in range(len(puzzle.solved))]


def sequences(following: Sequence[Sequence[int]], puzzle: Sliding | None, longest: int) -> list[float]:
    """Return the number of canonical sequences of each length from 0 on.

    Args:
        puzzle: a sliding puzzle, where the point of the gap decides which moves are possible; the numbers are then
            means over the beginnings whose parity is that of `longest`. None if all moves are always possible.

    >>> sequences([[1, 2], [-1, 2], [1, -1]], None, 3)  # two moves that alternate
    [1.0, 2.0, 2.0, 2.0]
    """
    classes = parities(puzzle)
    starts = [gap for gap, parity in enumerate(classes) if parity == longest % (1 + max(classes))]
    sources = puzzle.sources if puzzle else [[0]] * len(following[0])
    ways: Counter[tuple[int, int]] = Counter({(0, gap): 1 for gap in starts})
    counts = [1.0]
    for _ in range(longest):
        further: Counter[tuple[int, int]] = Counter()
        for (state, gap), number in ways.items():
            for move, target in enumerate(following[state]):
                if target >= 0 and sources[move][gap] >= 0:
                    further[target, sources[move][gap]] += number
        ways = further
        counts.append(ways.total() / len(starts))
    return counts


def predicted_nodes(values: Sequence[Sequence[int]], counts: Sequence[float], cost: int) -> float:
    """Return the nodes of an iteration of IDA*, predicted from the distribution of a consistent heuristic.

    A state i moves from the start is expanded if its value is at most the rest, ``cost - i``. With N(i) sequences of i
    moves and a fraction P(v) of the states with values of at most v, the sum of ``N(i + 1) * P(cost - i)`` states are
    generated (Korf, Reid and Edelkamp, "Time complexity of iterative-deepening-A*", Artificial Intelligence 129, 2001).

    Args:
        values: the number of states with each value, of a sample or of all states; of the states of even and of odd
            depth, if each move changes the parity, or of all.

    >>> predicted_nodes([[1, 1]], [1, 2, 4], 2)  # half of the states have value 0
    6.0
    """
    nodes = 0.0
    for moves in range(cost):
        distribution = values[(cost - moves) % len(values)]
        nodes += counts[moves + 1] * sum(distribution[: cost - moves + 1]) / max(1, sum(distribution))
    return nodes

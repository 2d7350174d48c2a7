"""Sliding puzzles: additive lower bounds of disjoint sets of pieces (pure Python).

Let every move exchange a gap with one piece, and cost one. If only the moves of some pieces are counted, their least
number in any solution is a lower bound. Such bounds of disjoint sets of pieces may be added, since no move is counted
twice.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from cubesolve.definition.reach import undone
from cubesolve.group.moves import Move
from cubesolve.group.permutations import Arrangement, followed, support

_MOST_MOVES = 5  # points, all permutations of which are tried


class SlidingSymmetry(NamedTuple):
    """A symmetry of a puzzle that leaves its solved state as it is."""

    points: tuple[int, ...]  # the image of each point
    moves: tuple[int, ...]  # the image of each move, by number


class Sliding(NamedTuple):
    """A puzzle in which every move exchanges the gap with one piece."""

    solved: Arrangement  # the solved state; all labels differ
    gap: int  # the label of the gap
    # for each move and each point where the gap can be, the point whose label comes there; -1 where the move is not
    # possible
    sources: tuple[tuple[int, ...], ...]

    @property
    def distances(self) -> list[list[int]]:
        """The least number of moves of a piece between any two points, if the gap were always beside it.

        >>> Sliding(b"\\0\\1\\2", 2, ((1, 2, -1), (-1, 0, 1))).distances
        [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
        """
        points = range(len(self.solved))
        near = [{sources[point] for sources in self.sources} - {-1} for point in points]
        rows = []
        for start in points:
            distances = {start: 0}
            for point in (reached := [start]):
                for neighbour in near[point] - distances.keys():
                    distances[neighbour] = distances[point] + 1
                    reached.append(neighbour)
            rows.append([distances.get(point, len(points)) for point in points])
        return rows


def sliding(solved: Sequence[Arrangement], moves: Sequence[Move]) -> Sliding | None:
    """Return a puzzle as a sliding puzzle; None if it is not one."""
    gaps = {label for move in moves for effect in move.effects for _, label in effect.needs}
    points = len(solved[0])
    if len(solved) > 1 or len(gaps) != 1 or len(set(solved[0])) < points or not undone(moves):
        return None
    sources = [[-1] * points for _ in moves]
    for row, move in zip(sources, moves, strict=True):
        for effect in move.effects:
            changed = support(effect.sources)
            if len(effect.needs) != 1 or len(changed) != 2 or effect.needs[0][0] not in changed:
                return None  # labels beside the gap and one piece move, too
            row[effect.needs[0][0]] = effect.sources[effect.needs[0][0]]
    return Sliding(solved[0], gaps.pop(), tuple(map(tuple, sources)))


def symmetries(puzzle: Sliding) -> list[SlidingSymmetry]:
    """Return the symmetries of a puzzle, the identity first."""
    numbers = range(len(puzzle.sources))
    orders = itertools.permutations(numbers) if len(numbers) <= _MOST_MOVES else iter([tuple(numbers)])
    candidates = (SlidingSymmetry(points, order) for order in orders if (points := _points(puzzle, order)) is not None)
    return list({symmetry.points: symmetry for symmetry in reversed(list(candidates))}.values())[::-1]


def _points(puzzle: Sliding, moves: Sequence[int]) -> tuple[int, ...] | None:
    """Return the image of each point if moves have the given images; None if there is no such symmetry."""
    home, rows = puzzle.solved.index(puzzle.gap), [(*row, -1) for row in puzzle.sources]  # -1 is its own image
    becomes = followed(home, home, [(row, rows[renamed]) for row, renamed in zip(rows, moves, strict=True)])
    if not becomes or becomes.keys() != set(becomes.values()):
        return None
    return tuple(becomes.get(point, point) for point in range(len(puzzle.solved)))  # the gap may not reach all points

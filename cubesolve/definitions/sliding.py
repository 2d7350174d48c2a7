"""Sliding puzzles: what makes bounds of disjoint sets of their pieces add up (pure Python).

Where every move exchanges a gap with one piece, and counts one, a way to the solved state moves each piece so many
times. If only moves of some pieces are counted, the least that a way can count is a bound, and such bounds of sets of
pieces that have none in common add up, since no move is counted twice.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from cubesolve.definitions.definition import Case, Move
from cubesolve.definitions.reach import undone
from cubesolve.permutations import Arrangement

_MOST_MOVES = 5  # whose permutations are tried


class SlidingSymmetry(NamedTuple):
    """A way to look at a puzzle that leaves its solved state as it is.

    Attributes:
        points: what each point becomes.
        moves: what each move becomes, by number.
    """

    points: tuple[int, ...]
    moves: tuple[int, ...]


class Sliding(NamedTuple):
    """A puzzle in which every move exchanges the gap with one piece.

    Attributes:
        solved: the solved state; no two labels are alike.
        gap: the label of the gap.
        sources: for each move and each point where the gap can be, the point whose label comes there; -1 where the move
            is not possible.
    """

    solved: Arrangement
    gap: int
    sources: tuple[tuple[int, ...], ...]

    def reflected(self, state: Arrangement, symmetry: SlidingSymmetry) -> Arrangement:
        """What a state looks like."""
        label = {here: self.solved[symmetry.points[point]] for point, here in enumerate(self.solved)}
        there = dict(zip(symmetry.points, state, strict=True))
        return type(state)(label[there[point]] for point in range(len(state)))

    def relabelled(self, state: Arrangement, target: Arrangement) -> tuple[Arrangement, Arrangement]:
        """Two states with other labels, the same in both, so that the pieces of the second come in the usual order.

        >>> Sliding(b"\\0\\1\\2", 2, ()).relabelled(b"\\0\\2\\1", b"\\2\\1\\0")
        (b'\\x01\\x02\\x00', b'\\x02\\x00\\x01')
        """
        usual = (label for label in self.solved if label != self.gap)
        names = {label: self.gap if label == self.gap else next(usual) for label in target}
        begin, end = (type(self.solved)(map(names.__getitem__, each)) for each in (state, target))
        return begin, end


def sliding(solved: Sequence[Arrangement], moves: Sequence[Move]) -> Sliding | None:
    """A puzzle as one in which a gap moves; None if it is none.

    >>> from cubesolve.catalog import rules_named
    >>> tiles = rules_named("tiles-2x2").graph().reduction
    >>> sliding(tiles.solved, tiles.moves).sources
    ((2, 3, -1, -1), (-1, -1, 0, 1), (1, -1, 3, -1), (-1, 0, -1, 2))
    """
    gaps = {label for move in moves for case in move.cases for _, label in case.needs}
    points = len(solved[0])
    if len(solved) > 1 or len(gaps) != 1 or len(set(solved[0])) < points or not undone(moves):
        return None
    sources = [[-1] * points for _ in moves]
    for found, move in zip(sources, moves, strict=True):
        for case in move.cases:
            moved = _moved(case)
            if moved is None:
                return None
            found[case.needs[0][0]] = moved
    return Sliding(solved[0], gaps.pop(), tuple(map(tuple, sources)))


def _moved(case: Case) -> int | None:
    """The point whose label comes to that of the gap, if nothing else happens."""
    changed = [point for point, source in enumerate(case.sources) if point != source]
    if len(case.needs) != 1 or len(changed) != 2 or case.needs[0][0] not in changed:
        return None
    return case.sources[case.needs[0][0]]


def symmetries(puzzle: Sliding) -> list[SlidingSymmetry]:
    """The ways to look at a puzzle, that which changes nothing first.

    >>> from cubesolve.catalog import rules_named
    >>> tiles = rules_named("tiles-2x2").graph().reduction
    >>> [symmetry.points for symmetry in symmetries(sliding(tiles.solved, tiles.moves))]
    [(0, 1, 2, 3), (0, 2, 1, 3)]
    """
    numbers = range(len(puzzle.sources))
    orders = itertools.permutations(numbers) if len(numbers) <= _MOST_MOVES else iter([tuple(numbers)])
    found = (SlidingSymmetry(points, order) for order in orders if (points := _points(puzzle, order)) is not None)
    return list({symmetry.points: symmetry for symmetry in reversed(list(found))}.values())[::-1]


def _points(puzzle: Sliding, moves: Sequence[int]) -> tuple[int, ...] | None:
    """What the points become if so the moves do; None if they cannot."""
    home = puzzle.solved.index(puzzle.gap)
    becomes = {home: home}
    for point in (reached := [home]):
        for sources, renamed in zip(puzzle.sources, moves, strict=True):
            near, there = sources[point], puzzle.sources[renamed][becomes[point]]
            if (near < 0) != (there < 0) or (near >= 0 and becomes.setdefault(near, there) != there):
                return None
            if near >= 0 and near not in reached:
                reached.append(near)
    if sorted(becomes.values()) != list(range(len(puzzle.solved))):
        return None
    return tuple(becomes[point] for point in range(len(puzzle.solved)))

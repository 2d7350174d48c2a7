"""Projections: puzzles with the same moves, in which some labels are alike (pure Python).

A projection maps every solution of a puzzle to a solution of the projection. So its distances are lower bounds of those
of the puzzle, and its table is a pattern database.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from cubesolve.definition.definition import Definition, precondition_labels
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.rotations import RotationReduction
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, arrangement
from cubesolve.group.pieces import kinds_of
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.defined_graph import DerivedGraph

Distinguished = frozenset[frozenset[int]]
"""The distinguished labels: sets of labels that look alike. All others look alike, too."""


class ProjectedGraph(DerivedGraph):
    """The states of a projection; its moves have the same numbers."""

    most_numbers = 1 << 23  # a search has several fibres in memory

    def __init__(self, rules: DerivedRules, whole: RotationReduction, metric: str) -> None:
        self.rules, self.labelling, self.metric, self.definition_moves = rules, rules.labelling, metric, whole.moves
        self._links = tuple(link._replace(effects=(Effect(link.effects[0].sources),)) for link in whole.links)
        self._scheme = whole.scheme
        self.pinned, self._coordinates = None, None
        # If the places of all ignored labels determine those of the rest, only the arrangement of the rest is needed.
        counts = Counter(rules.definition.solved[0])
        self.first_labels = tuple(label for label, number in counts.most_common(1) if number > 1)

    @functools.cached_property
    def reduction(self) -> RotationReduction:
        """The reduction without rotations: the puzzle itself is rotated home before, if that is possible."""
        return RotationReduction(
            self.rules.definition.solved, self.definition_moves, links=self._links, scheme=self._scheme
        )


class Projection(DerivedRules):
    """A puzzle in which only some labels are distinguished."""

    _graph: ProjectedGraph

    @classmethod
    def of(cls, graph: DerivedGraph, distinguished: Distinguished, solved: Sequence[Arrangement] = ()) -> Projection:
        """Project a puzzle to distinguished labels, and those that decide which moves are possible."""
        whole, illegal = graph.reduction, graph.rules.definition.illegal
        start = whole.solved[0]
        looks = _looks(start, whole.moves, illegal, distinguished)
        definition = Definition(
            graph.rules.name,
            (),
            tuple(dict.fromkeys(arrangement(map(looks.__getitem__, state)) for state in solved or whole.solved)),
            {move.name: move.effects for move in whole.moves},
            illegal=illegal,
        )
        rules = cls(PieceView(definition, f"{graph.rules.title}, in part", spoken=graph.rules.spoken))
        rules._graph = ProjectedGraph(rules, whole, graph.metric)
        rules._looks = looks
        return rules

    _looks: dict[int, int]

    def graph(self, **_question: object) -> ProjectedGraph:
        """Return the only graph."""
        return self._graph

    def image(self, state: Arrangement) -> Arrangement:
        """Return the projection of a state of the puzzle at home."""
        return arrangement(map(self._looks.__getitem__, state))


def _looks(
    start: Arrangement, moves: Iterable[Move], illegal: Collection[tuple[int, int]], distinguished: Distinguished
) -> dict[int, int]:
    effects = (effect for move in moves for effect in move.effects)
    looks = {label: label for label in precondition_labels(effects, illegal)}
    for labels in distinguished:
        rest = labels - looks.keys()
        looks |= dict.fromkeys(rest, min(rest, default=0))
    others = set(start) - looks.keys()
    return looks | dict.fromkeys(others, min(others, default=0))


# -- Selection of labels -----------------------------------------------------------------------------------------------


class PieceType(NamedTuple):
    """Pieces that can take each other's place."""

    # for each of them, a label that shows its place and orientation; identical pieces share labels
    labels: tuple[int, ...]
    orientations: int  # the number of orientations of a piece
    numbers: tuple[int, ...]  # the number of pieces with each label
    turns: tuple[int, ...]  # the number of distinguishable orientations of the pieces with each label


def kinds(start: Arrangement, moves: Sequence[Move]) -> list[PieceType]:
    """Return the types of the pieces that moves move, those with the most states first."""
    changes = [effect.sources for move in moves for effect in move.effects]
    counts, types = Counter(start), list[PieceType]()
    for kind in kinds_of(len(start), changes):
        pieces = [[start[point] for point in piece] for piece in kind.pieces()]
        least = [min(piece, key=lambda label: (counts[label], label)) for piece in pieces]
        numbers, turns_of = Counter(least), dict(zip(least, map(len, map(set, pieces)), strict=True))
        types.append(
            PieceType(
                tuple(numbers), len(pieces[0]), tuple(numbers.values()), tuple(turns_of[label] for label in numbers)
            )
        )
    return sorted(types, key=lambda kind: -_states(kind, 0, len(kind.labels)))


def _states(kind: PieceType, first: int, number: int) -> int:
    """Return an upper bound of the states of the pieces with a number of labels."""
    chosen, free, states = slice(first, first + number), sum(kind.numbers), 1
    for pieces, turns in zip(kind.numbers[chosen], kind.turns[chosen], strict=True):
        states *= math.comb(free, pieces) * turns**pieces
        free -= pieces
    return states


def _most_states(kind: PieceType, number: int) -> int:
    """Return the largest such bound of labels next to each other."""
    return max(_states(kind, first, number) for first in range(len(kind.labels) - number + 1))


def _turned(kind: PieceType, first: int = 0, number: int = 0) -> int:
    """Return the number of states of the orientations of all pieces, and of the places of those with some labels."""
    every = math.prod(int(turns**pieces) for pieces, turns in zip(kind.numbers, kind.turns, strict=True))
    states, free = max(every // kind.orientations, 1), sum(kind.numbers)
    for pieces in kind.numbers[first : first + number]:
        states *= math.comb(free, pieces)
        free -= pieces
    return states


def covering(found: Sequence[PieceType], most: int) -> list[Distinguished]:
    """Return projections that together distinguish every piece, each with at most about a number of states.

    A projection has as many pieces of a type as fit, next to each other. Small ones are joined, of several types.
    """
    parts = list[tuple[int, tuple[int, ...]]]()
    for kind in found:
        number = next((n for n in range(len(kind.labels), 1, -1) if _most_states(kind, n) <= most), 1)
        if number == len(kind.labels) - 1:
            number += 1  # the last piece has the remaining place
        for first in range(0, len(kind.labels), number):
            first = min(first, len(kind.labels) - number)  # noqa: PLW2901  # as many as there can be
            parts.append((_states(kind, first, number), kind.labels[first : first + number]))
    joined = list[tuple[int, tuple[int, ...]]]()
    for size, labels in sorted(parts, key=lambda part: -part[0]):
        place = next((i for i, (other, _) in enumerate(joined) if size * other <= most), None)
        if place is None:
            joined.append((size, labels))
        else:
            joined[place] = size * joined[place][0], joined[place][1] + labels
    return [_one_by_one(labels) for _, labels in joined]


def mixtures(found: Sequence[PieceType], most: int) -> list[Distinguished]:
    """Return projections with the orientations of all pieces of a type and some places; or the orientations of two.

    Those with the most states come first, up to a limit. Types with pieces whose orientation is invisible are left out:
    the projection would have the places of these, which takes many states and is worth little.
    """
    turning = [kind for kind in found if min(kind.turns) > 1]
    sizes = [pair for kind in turning for pair in _with_places(kind, most)]
    for one, other in itertools.combinations(turning, 2):
        sizes.append((_turned(one) * _turned(other), frozenset({frozenset(one.labels), frozenset(other.labels)})))
    return [distinguished for size, distinguished in sorted(sizes, key=lambda pair: -pair[0]) if size <= most]


def _with_places(kind: PieceType, most: int) -> Iterator[tuple[int, Distinguished]]:
    """Yield projections with the orientations of all pieces of a type, and as many places as fit."""
    number, every = 0, len(kind.labels)
    while number < every and max(_turned(kind, first, number + 1) for first in range(every - number)) <= most:
        number += 1
    for first in {0, (every - number) // 2, every - number}:
        placed = kind.labels[first : first + number]
        rest = frozenset(kind.labels) - frozenset(placed)
        yield _turned(kind, first, number), _one_by_one(placed) | frozenset(filter(None, [rest]))


def _one_by_one(labels: Iterable[int]) -> Distinguished:
    return frozenset(frozenset({label}) for label in labels)

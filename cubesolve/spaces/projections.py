"""Puzzles of which only a part is told: the same moves, with some labels alike (pure Python).

Making labels alike takes every way to the solved state to a way to what is left of it; so the distances in such a
*projection* (a pattern database) are never more than those in the puzzle.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from cubesolve.definitions.definition import Case, Definition, Turn, decisive
from cubesolve.definitions.piece_view import PieceView
from cubesolve.definitions.pieces import kinds_of
from cubesolve.definitions.rotations import Holdings
from cubesolve.permutations import Arrangement, arrangement
from cubesolve.spaces.defined import DerivedGraph, DerivedRules
from cubesolve.spaces.tables import TableEntry

Told = frozenset[frozenset[int]]
"""The labels that are told from others: sets of labels that look alike. All others look alike, too."""


class ProjectedGraph(DerivedGraph):
    """What is left of the states of a puzzle; its moves have the same numbers."""

    def __init__(self, rules: DerivedRules, whole: Holdings, metric: str) -> None:
        """Take what is left, and the states and moves of the puzzle."""
        self.rules, self.labelling, self.metric, self.turns = rules, rules.labelling, metric, whole.turns
        self._links = tuple(link._replace(cases=(Case(link.cases[0].sources),)) for link in whole.links)
        self._scheme = whole.scheme
        self.pinned, self._coordinates = None, None
        # Where all that is not told lies says where the rest is, and then only how that is arranged must be known.
        counts = Counter(rules.definition.solved[0])
        self.first_labels = tuple(label for label, number in counts.most_common(1) if number > 1)

    @functools.cached_property
    def holdings(self) -> Holdings:
        """Nothing is held in another way: the puzzle itself was taken home before, if that can be."""
        return Holdings(self.rules.definition.solved, self.turns, links=self._links, scheme=self._scheme)


class Projection(DerivedRules):
    """What is left of a puzzle of which only some labels are told.

    >>> from cubesolve.catalog import rules_named
    >>> graph = rules_named("pancake-4").graph()
    >>> Projection.of(graph, frozenset({frozenset({3})})).definition.solved
    (b'\\x00\\x00\\x00\\x03',)
    """

    _graph: ProjectedGraph

    @classmethod
    def of(cls, graph: DerivedGraph, told: Told, solved: Sequence[Arrangement] = ()) -> Projection:
        """Take the states of a puzzle.

        Args:
            graph: the states.
            told: the labels that are told from others; those that decide which moves are possible always are.
            solved: those that count as solved; by default all that do.
        """
        whole, illegal = graph.holdings, graph.rules.definition.illegal
        start = whole.solved[0]
        looks = _looks(start, whole.turns, illegal, told)
        definition = Definition(
            graph.rules.name,
            (),
            tuple(dict.fromkeys(arrangement(map(looks.__getitem__, state)) for state in solved or whole.solved)),
            {turn.name: turn.cases for turn in whole.turns},
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

    def graph_of(self, entry: TableEntry) -> ProjectedGraph:  # noqa: ARG002
        """Return the only graph."""
        return self._graph

    def seen(self, state: Arrangement) -> Arrangement:
        """What is told of a state of the puzzle that is held at home."""
        return arrangement(map(self._looks.__getitem__, state))


def _looks(
    start: Arrangement, turns: Iterable[Turn], illegal: Collection[tuple[int, int]], told: Told
) -> dict[int, int]:
    """What each label becomes."""
    cases = (case for turn in turns for case in turn.cases)
    looks = {label: label for label in decisive(cases, illegal)}
    for labels in told:
        rest = labels - looks.keys()
        looks |= dict.fromkeys(rest, min(rest, default=0))
    others = set(start) - looks.keys()
    return looks | dict.fromkeys(others, min(others, default=0))


# -- What can be told --------------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """Pieces that can take each other's place.

    Attributes:
        labels: for each of them, a label that tells where it is, and how it is turned there; those that look alike have
            one.
        orientations: in how many ways it can be turned.
        numbers: how many of them have each label.
        turns: in how many ways those can be turned that have a label, as far as that can be seen.
    """

    labels: tuple[int, ...]
    orientations: int
    numbers: tuple[int, ...]
    turns: tuple[int, ...]


def kinds(start: Arrangement, turns: Sequence[Turn]) -> list[Kind]:
    """The kinds of pieces that moves of a puzzle move, those with the most states first.

    >>> from cubesolve.catalog import rules_named
    >>> from cubesolve.spaces.variants import restricted
    >>> graph = restricted(rules_named("rubik"), "R U").graph()
    >>> [(len(kind.labels), kind.orientations) for kind in kinds(graph.holdings.solved[0], graph.turns)]
    [(6, 3), (7, 1)]
    """
    changes = [case.sources for turn in turns for case in turn.cases]
    counts, found = Counter(start), list[Kind]()
    for kind in kinds_of(len(start), changes, lambda _labels: None):
        pieces = [[start[point] for point in piece] for piece in kind.pieces()]
        least = [min(piece, key=lambda label: (counts[label], label)) for piece in pieces]
        numbers, turns_of = Counter(least), dict(zip(least, map(len, map(set, pieces)), strict=True))
        found.append(
            Kind(tuple(numbers), len(pieces[0]), tuple(numbers.values()), tuple(turns_of[label] for label in numbers))
        )
    return sorted(found, key=lambda kind: -_states(kind, 0, len(kind.labels)))


def _states(kind: Kind, first: int, number: int) -> int:
    """At most how many states there are of the pieces with so many of its labels."""
    chosen, free, states = slice(first, first + number), sum(kind.numbers), 1
    for pieces, turns in zip(kind.numbers[chosen], kind.turns[chosen], strict=True):
        states *= math.comb(free, pieces) * turns**pieces
        free -= pieces
    return states


def _most_states(kind: Kind, number: int) -> int:
    """The same for those labels, next to each other, of which there are the most."""
    return max(_states(kind, first, number) for first in range(len(kind.labels) - number + 1))


def _turned(kind: Kind, first: int = 0, number: int = 0) -> int:
    """How many states there are of how all of its pieces are turned, and where those with some labels are."""
    every = math.prod(int(turns**pieces) for pieces, turns in zip(kind.numbers, kind.turns, strict=True))
    states, free = max(every // kind.orientations, 1), sum(kind.numbers)
    for pieces in kind.numbers[first : first + number]:
        states *= math.comb(free, pieces)
        free -= pieces
    return states


def covering(found: Sequence[Kind], most: int) -> list[Told]:
    """Projections that together tell everything of each piece, with at most so many states each, or a few more.

    A projection tells as many pieces of a kind as it can, those next to each other. What has room is of several kinds.
    """
    parts = list[tuple[int, tuple[int, ...]]]()
    for kind in found:
        number = next((n for n in range(len(kind.labels), 1, -1) if _most_states(kind, n) <= most), 1)
        if number == len(kind.labels) - 1:
            number += 1  # the last has the place that is left
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


def mixtures(found: Sequence[Kind], most: int) -> list[Told]:
    """Projections that tell how all pieces of a kind are turned, and where some of them are; or so of two kinds.

    Those come first that tell the most, with at most so many states. Kinds of which some are not seen to be turned are
    left out: where these are would be told by it, which is much, and worth little.
    """
    turning = [kind for kind in found if min(kind.turns) > 1]
    sizes = [pair for kind in turning for pair in _with_places(kind, most)]
    for one, other in itertools.combinations(turning, 2):
        sizes.append((_turned(one) * _turned(other), frozenset({frozenset(one.labels), frozenset(other.labels)})))
    return [told for size, told in sorted(sizes, key=lambda pair: -pair[0]) if size <= most]


def _with_places(kind: Kind, most: int) -> Iterator[tuple[int, Told]]:
    """How all pieces of a kind are turned, and where as many of them are as there can be."""
    number, every = 0, len(kind.labels)
    while number < every and max(_turned(kind, first, number + 1) for first in range(every - number)) <= most:
        number += 1
    for first in {0, (every - number) // 2, every - number}:
        placed = kind.labels[first : first + number]
        rest = frozenset(kind.labels) - frozenset(placed)
        yield _turned(kind, first, number), _one_by_one(placed) | frozenset(filter(None, [rest]))


def _one_by_one(labels: Iterable[int]) -> Told:
    return frozenset(frozenset({label}) for label in labels)

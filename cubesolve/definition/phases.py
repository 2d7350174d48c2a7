"""Phases of a search through a chain of subgroups (pure Python); see `search.phases` and `search.stages`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from cubesolve.definition.definition import Definition, Power
from cubesolve.group.permutations import Permutation


class Coordinate(NamedTuple):
    """The places of some labels."""

    classes: frozenset[frozenset[int]]  # the labels; those of a class look alike, and all others are ignored
    # permutations of the points of the solved puzzle that take labels of the classes to such labels. States of which
    # one is the other with its labels exchanged in this way have the same value.
    exchanged: tuple[Permutation, ...] = ()
    # the value: where the labels of each class are; which points have labels of one class, whichever it is (a partition
    # of the points); or the sign of the permutation of the classes. The latter requires one label of each class; other
    # states have no value.
    reads: Literal["places", "partition", "sign"] = "places"
    # the points that are read; by default all that the labels can be on. Moves must not exchange them with others.
    points: frozenset[int] | None = None

    @classmethod
    def of(cls, labels: Iterable[int], exchanged: Iterable[Permutation] = ()) -> Coordinate:
        """Return the coordinate of labels none of which look alike."""
        return cls(frozenset(frozenset({label}) for label in labels), tuple(exchanged))

    @classmethod
    def alike(cls, labels: Iterable[int]) -> Coordinate:
        """Return the coordinate of labels that look alike."""
        return cls(frozenset({frozenset(labels)}))


class Phase(NamedTuple):
    """A phase of a search."""

    moves: tuple[int, ...]  # its moves, by number
    coordinates: tuple[Coordinate, ...]
    # the coordinates of each table, one or two, by number; every coordinate has a table. Those of the first table are
    # the first coordinates, and so on.
    tables: tuple[tuple[int, ...], ...]
    longest: int = 30  # the largest number of its moves
    nodes: int = 1 << 20  # the number of nodes after which to go on with the next solution of the phase before
    # a factor and an addend, or None. A state with that many moves left is searched from only if the entries of all
    # tables add up to at most the factor times the moves, plus the addend: others seldom have a solution of so few
    # moves, though no entry is larger. Some solutions are not found.
    likely: tuple[int, int] | None = None

    @classmethod
    def of(
        cls,
        definition: Definition,
        moves: str,
        coordinates: Sequence[Coordinate],
        tables: Sequence[Sequence[int]],
        nodes: int = 1 << 20,
        likely: tuple[int, int] | None = None,
    ) -> Phase:
        """Return a phase; a generator in its moves also stands for its powers, and a power for its inverse."""
        given = definition.parse(moves)

        def is_chosen(step: Power) -> bool:
            order = definition.order(step.name)
            powers = [turn.amount for turn in given if turn.name == step.name]
            return any(amount in {1, order - 1, step.amount, order - step.amount} for amount in powers)

        steps = (definition.parse(move.name)[0] for move in definition.moves())
        numbers = tuple(number for number, step in enumerate(steps) if is_chosen(step))
        return cls(numbers, tuple(coordinates), tuple(map(tuple, tables)), nodes=nodes, likely=likely)


class Places(NamedTuple):
    """The places of some labels, as a stage reads them."""

    points: tuple[int, ...]  # where they can be
    # the labels; those of a class look alike. The value is on which points labels of any class are.
    classes: tuple[frozenset[int], ...]
    # as many other points, where each class also has a label, or none: then the value is also which of these points has
    # the label of the same class, for each of the points with one
    others: tuple[int, ...] = ()


class Stage(NamedTuple):
    """A phase whose states are too many for lists; see `search.stages`."""

    moves: tuple[int, ...]  # its moves, by number
    places: tuple[Places, ...]
    # the places of each table, by number; a set that is too large for a list has one alone, and only the last may have
    # other points
    tables: tuple[tuple[int, ...], ...]
    # pairs of places, sets too large for lists, which shall be the same: the entry is how many points only one of them
    # has
    beside: tuple[tuple[int, int], ...] = ()
    renamings: tuple[bytes, ...] = ()  # permutations of the labels, any of which may come before the stage


class Reduction(NamedTuple):
    """The stages that reduce a puzzle to a smaller one, which phases solve."""

    stages: tuple[Stage, ...]
    # Places whose classes have a sign as a permutation, where each is on one point: it is at two more points, which are
    # exchanged if it is odd. Moves that permute these points by an odd permutation exchange them, too.
    signs: tuple[Places, ...] = ()

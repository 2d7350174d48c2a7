"""Spaces of puzzles that are only defined, and arrays of their states (numpy)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.definitions.definition import Move
from cubesolve.definitions.rotations import RotationReduction
from cubesolve.errors import CubesolveError, InvalidStateError, TooLargeError
from cubesolve.immutable import Immutable
from cubesolve.jobs import kept
from cubesolve.notices import notifying
from cubesolve.permutations import Permutation
from cubesolve.spaces.batches import ArrayForm, Batch, RankBatch, as_array
from cubesolve.spaces.defined import AT_ONCE, MOST_STATES, DerivedGraph
from cubesolve.spaces.derive import (
    DerivedSpace,
    derive,
    largest_base,
    most_derivable,
    packed,
    unpacked,
)
from cubesolve.spaces.rows import Rows

_KEPT = 4
_MOST_SHOWN = 24  # numbers in a message


def derived_space(graph: DerivedGraph) -> DerivedSpace:
    """The space of a graph: that of its coordinates, or, where these have not been loaded, derived.

    Raises:
        TooLargeError: there are more states than can be numbered.
    """
    if not graph.is_ready:
        make_ready(graph)
    return _derived_space(graph)


@kept(_KEPT)
def _derived_space(graph: DerivedGraph) -> DerivedSpace:
    return unpacked(graph.coordinates, graph.reduction.moves, graph.reduction.changes)


def make_ready(graph: DerivedGraph, most: int = MOST_STATES) -> bytes:
    """Derive the space of a graph from its moves, and have the graph use it.

    Args:
        graph: the graph.
        most: the largest number of states.

    Returns:
        What `spaces.coordinates` reads.

    Raises:
        TooLargeError: there are more states than can be numbered.
    """
    reduction = graph.reduction
    illegal = graph.rules.definition.illegal
    with notifying(f"deriving the states of the {graph.rules.title}"):
        require_derivable(graph)
        links, rotations = _beside_moves(reduction)
        space = derive(graph.origin, reduction.moves, illegal, most, graph.first_labels, links, rotations)
    body = packed(space, reduction.solved)
    graph.use(body)
    return body


def require_derivable(graph: DerivedGraph) -> None:
    """Refuse a graph that has too many states, before its space is derived.

    Where the number of states is not known, a graph that is not refused here may still be refused when it is derived.

    Raises:
        TooLargeError: it has more than a table can have, or than a space with as many in a row.
    """
    number, reduction = graph.number_of_states, graph.reduction
    links, rotations = _beside_moves(reduction)
    if number is not None and number <= largest_base(graph.origin, (*reduction.moves, *links), len(rotations)):
        return
    least, most, advice = graph.least_states if number is None else number, graph.most_in_table, ""
    illegal = graph.rules.definition.illegal
    found = most_derivable(
        graph.origin, graph.reach, reduction.moves, illegal, graph.first_labels, links, len(rotations)
    )
    if found < most:
        most, advice = found, "ask about single states, or choose fewer moves"
    if least > most:
        raise TooLargeError(least, most, number is not None, advice)


def _beside_moves(reduction: RotationReduction) -> tuple[Sequence[Move], Sequence[Permutation]]:
    """The links and the rotations that a space is derived with."""
    return ((), reduction.rotated.rotations) if reduction.rotated else (reduction.links, ())


def is_derivable(graph: DerivedGraph) -> bool:
    """Whether `require_derivable` does not refuse a graph."""
    try:
        require_derivable(graph)
    except TooLargeError:
        return False
    return True


def is_small(graph: DerivedGraph, most: int) -> bool:
    """Whether a graph has so few states; if so, it is made ready."""
    return refused(graph, most) is None


def refused(graph: DerivedGraph, most: int = AT_ONCE) -> TooLargeError | None:
    """Make a graph ready, if it has so few states that there can be a table at once.

    Returns:
        The error if it has not; its limit is less than `most` where the graph cannot be made ready with more either.
    """
    try:
        make_ready(graph, most)
    except TooLargeError as error:
        return error
    return None


class _Relabelling:
    """What labels are called in arrays; see `Labelling.numbers`.

    Attributes:
        numbers: the number of each label.
        solved: the solved state in these numbers.
    """

    def __init__(self, graph: DerivedGraph) -> None:
        solved, known = graph.reduction.solved[0], graph.rules.labelling.numbers
        dtype = np.uint8 if isinstance(solved, bytes) else np.uint16
        self.numbers = np.zeros(max(known) + 1, dtype)
        self._labels = np.zeros(max(known.values()) + 1, dtype)
        for label, number in known.items():
            self.numbers[label], self._labels[number] = number, label
        self.solved = self.numbers[list(solved)]

    def labels(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """The labels that numbers stand for, all of which do."""
        labels: NDArray[Any] = self._labels[numbers]
        return labels


class _ArrangementBatch(Batch):
    """States as the numbers of the labels on their points."""

    def __init__(self, given: NDArray[Any], graph: DerivedGraph, relabelling: _Relabelling) -> None:
        super().__init__(given, 1)
        self._graph, self._relabelling = graph, relabelling

    def ranks(self, part: slice) -> NDArray[np.int64]:
        """Return the ranks of some rows, -1 for invalid ones."""
        space, given, solved = derived_space(self._graph), self._given[part], self._relabelling.solved
        # What has other labels than the solved state has no place in an index.
        sound = (np.sort(given, axis=1) == np.sort(solved)).all(axis=1)
        labels = self._relabelling.labels(np.where(sound[:, None], given, solved).astype(solved.dtype))
        ranks = space.ranks(labels := self._at_home(labels))
        for other in self._others():
            missing = np.flatnonzero(ranks < 0)
            if not len(missing):
                break
            ranks[missing] = space.ranks(other(labels[missing]))
        return np.where(sound, ranks, -1)

    def _at_home(self, labels: Rows) -> Rows:
        reference = self._graph.reduction.reference
        if reference is None:
            return labels
        places = np.stack([(labels == label).argmax(axis=1) for label in reference.labels], axis=1)
        number = np.array([reference.homing.get(tuple(row), 0) for row in places.tolist()])
        turns = np.array([list(rotation) for rotation in reference.rotations])
        return np.take_along_axis(labels, turns[number], axis=1)

    def _others(self) -> Iterator[Callable[[Rows], Rows]]:
        """What makes the other arrangements that states can be taken for; see `DerivedGraph.rank_of`."""
        reduction = self._graph.reduction
        for rotation in reduction.rotated.rotations[1:] if reduction.rotated else ():
            yield functools.partial(np.take, indices=list(rotation), axis=1)
        for naming in reduction.namings[1:]:
            yield np.array(list(naming), self._given.dtype).__getitem__

    def fault(self, row: int) -> str:
        """Return the error of an invalid row."""
        given, solved = self._given[row].tolist(), self._relabelling.solved.tolist()
        if sorted(given) != sorted(solved):
            shown = " ".join(map(str, solved[:_MOST_SHOWN])) + " ..." * (len(solved) > _MOST_SHOWN)
            return f"its numbers are not those of the solved state, {shown}"
        return "no moves lead to it from the solved state"


class _GivenBatch(Batch):
    """States in any form, one by one."""

    def __init__(self, given: Sequence[Any], graph: DerivedGraph) -> None:
        super().__init__(np.empty(len(given), np.int8), 0)
        self._states, self._graph = given, graph

    def ranks(self, part: slice) -> NDArray[np.int64]:
        """Return the ranks of some rows, -1 for invalid ones."""
        states = self._states[part]
        return np.fromiter((self._rank(state) for state in states), np.int64, len(states))

    def _rank(self, state: Any) -> int:
        try:
            return self._graph.rank(state)
        except (CubesolveError, ValueError):
            return -1

    def fault(self, row: int) -> str:
        """Return the error of an invalid row."""
        try:
            self._graph.rank(self._states[row])
        except CubesolveError as error:
            return str(error)
        return "it was changed while it was read"


class DerivedForm(ArrayForm):
    """States as the numbers of the labels on their points, or as text."""

    column = "state"

    def __init__(self, graph: DerivedGraph) -> None:
        """Take the states of a graph."""
        self._graph, self._relabelling = graph, _Relabelling(graph)
        self.numbering = graph.rules.labelling.numbering
        solved = self._relabelling.solved
        self.dtype = np.dtype((solved.dtype, (len(solved),)))
        self.numbers = np.unique(solved).tolist()

    def batch(self, given: Any, *, at_home: bool = False) -> Batch:  # noqa: ARG002  # ranks are those at home
        """Ranks (N,), numbers (N, points), or a list of states in any form.

        Raises:
            InvalidStateError: an array of another shape or type.
        """
        if isinstance(given, (str, bytes)):
            given = [given]
        if isinstance(given, (list, tuple)) and any(isinstance(each, (str, Mapping, Immutable)) for each in given):
            return _GivenBatch(given, self._graph)
        array = as_array(given)
        points, is_one = self.dtype.shape[0], array.dtype == self.dtype.base and array.shape == self.dtype.shape
        if array.dtype.kind in "iu" and array.ndim <= 1 and not is_one:
            return RankBatch(array, self._graph.states)
        if array.dtype.kind in "iu" and array.ndim == 2 and array.shape[1] == points:
            return _ArrangementBatch(array, self._graph, self._relabelling)
        if array.dtype.kind in "US":
            return _GivenBatch(
                [str(each, "utf-8") if isinstance(each, bytes) else str(each) for each in array.ravel()], self._graph
            )
        message = f"states are ranks (N,), or numbers (N, {points}), all integers, not {array.dtype} {array.shape}"
        raise InvalidStateError(message + f": one state is reshape(1, {points})" * is_one, "type")

    def written(self, ranks: NDArray[np.int64]) -> NDArray[Any]:
        """Return the numbers of the labels on the points, for some ranks."""
        return self._relabelling.numbers[derived_space(self._graph).states(ranks)]

    def texts(self, written: NDArray[Any]) -> Sequence[str]:
        """Return the states with some ranks as text."""
        rules, kind = self._graph.rules, type(self._graph.reduction.solved[0])
        return [str(rules.labelling.state(kind(row))) for row in self._relabelling.labels(written).tolist()]

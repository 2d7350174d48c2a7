"""Spaces of puzzles that are given by a definition, and arrays of their states (numpy)."""

from __future__ import annotations

import functools
import math
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.rotations import Reference, RotationReduction, conjugated
from cubesolve.errors import CubesolveError, InvalidStateError, TooLargeError
from cubesolve.group.moves import Move
from cubesolve.group.permutations import Arrangement, Permutation, identity
from cubesolve.picture.immutable import Immutable
from cubesolve.runtime.kernel_arrays import Array1, Read1, Read2
from cubesolve.runtime.kernels import kernel
from cubesolve.runtime.notices import notifying
from cubesolve.runtime.prepared import cached
from cubesolve.spaces.batches import SMALL, ArrayForm, Batch, as_array, of_ranks, one_by_one
from cubesolve.spaces.coordinates import MOST_STATES
from cubesolve.spaces.derive import DerivedSpace, derive, largest_base, most_in_row, packed, unpacked, unpacked_moves
from cubesolve.spaces.placements import LabelMoves
from cubesolve.spaces.rows import RowIndex, Rows, distinguishing_columns
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.vectors import LabelEncoding

if TYPE_CHECKING:
    from cubesolve.spaces.defined_graph import DerivedGraph


_KEPT = 4
_MOST_SHOWN = 24  # numbers shown in a message
_NO_MOVE = 255


@cached(_KEPT)
def derived_space(graph: DerivedGraph) -> DerivedSpace:
    """Return the space of a graph: from its coordinates if they are loaded, or else derived from its moves."""
    moves = moves_of(graph)
    return unpacked(graph.known.body, graph.reduction.changes, moves)


_moves_in_use: weakref.WeakValueDictionary[DerivedGraph, StateSpace] = weakref.WeakValueDictionary()


def moves_of(graph: DerivedGraph) -> StateSpace:
    """Return the moves of the space of a graph; an enumeration needs no other arrays of it."""
    if not graph.is_ready:
        make_ready(graph)
    moves = _moves_in_use.get(graph)
    if moves is None:
        moves = unpacked_moves(graph.known.body, graph.reduction.moves, graph.reduction.changes)
        _moves_in_use[graph] = moves
    return moves


def make_ready(graph: DerivedGraph, most: int = MOST_STATES, memory: float = math.inf) -> bytes:
    """Derive the space of a graph from its moves with a memory for placements, and give it to the graph."""
    reduction = graph.reduction
    illegal = graph.rules.definition.illegal
    with notifying(f"deriving the states of the {graph.rules.title}"):
        require_derivable(graph)
        links, rotations = _beside_moves(reduction)
        space = derive(
            graph.origin, reduction.moves, illegal, most, graph.first_labels, links, rotations, memory,
            graph.most_numbers,
        )  # fmt: skip
    body = packed(space, reduction.solved)
    del space
    graph.use(body)
    return body


def require_derivable(graph: DerivedGraph) -> None:
    """Reject a graph with too many states before its space is derived; if their number is unknown, that may fail."""
    number, reduction = graph.number_of_states, graph.reduction
    links, rotations = _beside_moves(reduction)
    rows = largest_base(graph.origin, (*reduction.moves, *links), len(rotations))
    if number is not None and number <= rows:
        return
    least, limit, advice = graph.least_states if number is None else number, graph.most_in_table, ""
    moves = LabelMoves(graph.origin, reduction.moves, graph.rules.definition.illegal, links, ())
    derivable = rows * most_in_row(moves, graph.reach, graph.first_labels)
    if derivable < limit:
        limit, advice = derivable, "ask about single states, or choose fewer moves"
    if least > limit:
        raise TooLargeError(least, limit, number is not None, advice)


def _beside_moves(reduction: RotationReduction) -> tuple[Sequence[Move], Sequence[Permutation]]:
    return ((), reduction.rotated.rotations) if reduction.rotated else (reduction.links, ())


def refused(make: Callable[..., object], *arguments: object) -> TooLargeError | None:
    """Return the error of `make_ready` or `require_derivable`; a limit in it below the given one cannot be raised."""
    try:
        make(*arguments)
    except TooLargeError as error:
        return error
    return None


def homing_rotations(reference: Reference, rows: Rows) -> NDArray[np.intp]:
    """Return for each state the number of the rotation that brings the reference pieces home; -1 if none does."""
    places = np.stack([(rows == label).argmax(axis=1) for label in reference.labels], axis=1)
    return np.array([reference.homing.get(tuple(row), -1) for row in places.tolist()], np.intp)


class HeldMoves:
    """Translates moves of listed states into moves of the same states as they are held.

    Where states that differ by a rotation are one, a table lists one of them, and its moves are those of the listed
    state. A state that is held otherwise takes other moves for the same effect. Both are numbers of the graph's moves.
    They may lead to states that differ by a rotation.
    """

    def __init__(self, graph: DerivedGraph) -> None:
        """Take a graph whose states are one up to rotation."""
        self._reference, self._graph = graph.reduction.reference, graph
        rotations, changes = graph.reduction.merged, [move.effects[0].sources for move in graph.unrotated_moves]
        held = [[graph.numbers_of_moves[conjugated(change, rotation)] for change in changes] for rotation in rotations]
        self._held = np.array(held, np.uint8)
        self._rotations = np.array([list(rotation) for rotation in rotations])
        self._changes = np.array([list(change) for change in changes])

    def moves(self, rows: Rows, moves: NDArray[np.uint8]) -> None:
        """Translate algs of listed states, uint8 (N, longest), in place; 255 is after the last move."""
        for step in moves.T:
            going = np.flatnonzero(step != _NO_MOVE)
            if not len(going):
                return
            step[going] = self._held[self._rotations_of(rows[going]), step[going]]
            rows[going] = np.take_along_axis(rows[going], self._changes[step[going]], axis=1)

    def leads(self, rows: Rows, leads: NDArray[np.bool_]) -> None:
        """Translate sets of moves in place, bool (N, moves); see `moves`."""
        leading = np.flatnonzero(leads.any(axis=1))
        held, listed = self._held[self._rotations_of(rows[leading])], leads[leading]
        np.put_along_axis(listed, held.astype(np.intp), leads[leading], axis=1)
        leads[leading] = listed

    def _rotations_of(self, rows: Rows) -> NDArray[np.intp]:
        """Return the number of the rotation that leads from each state to the listed one."""
        if self._reference is not None:
            return homing_rotations(self._reference, rows)
        numbers, ranks = np.zeros(len(rows), np.intp), derived_space(self._graph).ranks
        missing = np.flatnonzero(ranks(rows) < 0)
        for number, rotation in enumerate(self._rotations[1:], 1):
            is_listed = ranks(rows[missing][:, rotation]) >= 0
            numbers[missing[is_listed]] = number
            missing = missing[~is_listed]
        return numbers


def at_home(graph: DerivedGraph, labels: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """Return the labels of states after the rotations that bring reference pieces home, and whether there is one."""
    reference = graph.reduction.reference
    if reference is None:
        return labels, np.ones(len(labels), np.bool_)
    turns, rotations = homing_rotations(reference, labels), np.array([list(turn) for turn in reference.rotations])
    return np.take_along_axis(labels, rotations[turns], axis=1), turns >= 0


@cached(_KEPT)
def _ranking(graph: DerivedGraph) -> Ranking | None:
    return Ranking.of(derived_space(graph), graph.rules.labelling.labels, graph.reduction.reference)


_held_moves = cached(_KEPT)(HeldMoves)


class DerivedForm(ArrayForm):
    """States as the numbers of the labels on their points, or as text."""

    column = "state"
    solved: NDArray[np.integer]  # the numbers of the solved state

    def __init__(self, graph: DerivedGraph) -> None:
        self._graph, self.numbering = graph, graph.rules.labelling.numbering
        start, labelling = graph.reduction.solved[0], graph.rules.labelling
        self.dtype = np.dtype((np.uint8 if isinstance(start, bytes) else np.uint16, (len(start),)))
        self.encoding = LabelEncoding(len(start), len(labelling.numbers))
        looks = LabelEncoding(len(start), len({*labelling.looks.values()}))
        self.looks = looks if looks.labels < self.encoding.labels else None
        self._labels = np.array([labelling.labels[number] for number in range(self.encoding.labels)], self.dtype.base)
        self._numbers = np.zeros(max(start) + 1, self.dtype.base)
        self._numbers[self._labels] = range(self.encoding.labels)
        self.solved = self._numbers[list(start)]

    def batch(self, given: Any, *, at_home: bool = False) -> Batch:  # noqa: ARG002  # ranks are those at home
        """Read ranks (N,), numbers (N, points), or a list of states in any form."""
        if isinstance(given, (str, bytes)):
            given = [given]
        if isinstance(given, (list, tuple)) and any(isinstance(state, (str, Mapping, Immutable)) for state in given):
            return self._each(given)
        array = as_array(given)
        points, is_one = self.dtype.shape[0], array.dtype == self.dtype.base and array.shape == self.dtype.shape
        if array.dtype.kind in "iu" and array.ndim <= 1 and not is_one:
            return of_ranks(array, self._graph.states)
        if array.dtype.kind in "iu" and array.ndim == 2 and array.shape[1] == points:
            looks = self.looks  # rows of numbers have more
            if looks is None or not array.size or array.min() < 0 or array.max() >= looks.labels:
                ranks = self._ranks_of_many if len(array) > SMALL else self._ranks
                return Batch(array, ranks, self._fault, array.shape[:1], self._held(lambda rows: self.read(rows)[0]))
            return self._each(array.tolist(), self._graph.rules.labelling.looking)
        if array.dtype.kind in "US":
            return self._each([str(text, "utf-8") if isinstance(text, bytes) else str(text) for text in array.ravel()])
        message = f"states are ranks (N,), or numbers (N, {points}), all integers, not {array.dtype} {array.shape}"
        raise InvalidStateError(message + f": one state is reshape(1, {points})" * is_one, "type")

    def _each(self, given: Sequence[Any], read: Callable[[Any], Any] = lambda state: state) -> Batch:
        """Return states that are read one by one, after a function has read each."""
        graph = self._graph

        def place(state: object) -> Arrangement:  # the solved one for what is no state
            try:
                return graph.labelling.arrangement(graph.given_state(read(state)))
            except (CubesolveError, ValueError):
                return graph.reduction.solved[0]

        def labels(states: Sequence[Any]) -> Rows:
            return np.array([list(place(state)) for state in states], self.dtype.base)

        return one_by_one(given, lambda state: graph.rank(read(state)), hold=self._held(labels))

    def _held(self, labels: Callable[[Any], Rows]) -> Callable[[Any, NDArray[Any]], object] | None:
        """Return a function that translates moves of states, given one that returns their labels; see `Batch.hold`."""
        if not self._graph.merges_rotations:
            return None

        def hold(states: Any, moves: NDArray[Any]) -> None:
            held = _held_moves(self._graph)
            (held.leads if moves.dtype == np.bool_ else held.moves)(labels(states), moves)

        return hold

    def _ranks_of_many(self, numbers: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the ranks of rows of numbers, -1 for invalid ones, by a kernel if there is room for its tables."""
        ranking = _ranking(self._graph)
        if ranking is None:
            return self._ranks(numbers)
        ranks = find_ranks(ranking, numbers)
        if next(self._others(), None) is not None and len(missing := np.flatnonzero(ranks < 0)):
            ranks[missing] = self._ranks(numbers[missing])
        return ranks

    def _ranks(self, numbers: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the ranks of rows of numbers, without a kernel to load."""
        space, (labels, sound) = derived_space(self._graph), self.read(numbers)
        ranks = space.ranks(labels := at_home(self._graph, labels)[0])
        for other in self._others():
            missing = np.flatnonzero(ranks < 0)
            if not len(missing):
                break
            ranks[missing] = space.ranks(other(labels[missing]))
        return np.where(sound, ranks, -1)

    def _others(self) -> Iterator[Callable[[Rows], Rows]]:
        """Yield maps to the other arrangements that represent states; see `DerivedGraph.rank_of`."""
        reduction = self._graph.reduction
        for rotation in reduction.rotated.rotations[1:] if reduction.rotated else ():
            yield functools.partial(np.take, indices=list(rotation), axis=1)
        for naming in reduction.namings[1:]:
            yield np.array(list(naming), self.dtype.base).__getitem__

    def _fault(self, row: NDArray[np.integer]) -> str:
        given, solved = row.tolist(), self.solved.tolist()
        if sorted(given) != sorted(solved):
            shown = " ".join(map(str, solved[:_MOST_SHOWN])) + " ..." * (len(solved) > _MOST_SHOWN)
            return f"its numbers are not those of the solved state, {shown}"
        return "no moves lead to it from the solved state"

    def read(self, numbers: NDArray[Any]) -> tuple[Rows, NDArray[np.bool_]]:
        """Return the labels with some numbers, and which rows have those of the solved state; others become it."""
        sound: NDArray[np.bool_] = (np.sort(numbers, axis=1) == np.sort(self.solved)).all(axis=1)
        return self._labels[np.where(sound[:, None], numbers, self.solved)], sound

    def written(self, ranks: NDArray[np.int64]) -> NDArray[np.generic]:
        """Return the numbers of the labels on the points, for some ranks."""
        return self._numbers[derived_space(self._graph).states(ranks)]

    def texts(self, written: NDArray[np.generic]) -> Sequence[str]:
        """Return the states with some ranks as text."""
        rules, kind = self._graph.rules, type(self._graph.reduction.solved[0])
        return [str(rules.labelling.state(kind(row))) for row in self.read(written)[0].tolist()]


_LABELS = 256  # that fit into a byte
_MOST_HOMES = 1 << 20  # entries


class Ranking(NamedTuple):
    """A derived space as a kernel reads it, with tables in place of searches in rows."""

    labels: Read1[np.int16]  # (256,): the label with each number, -1 for others
    counts: Read1[np.int32]  # (256,): how often each label occurs in a state
    references: Read1[np.uint8]  # (r,): the labels of the reference pieces that are at home in listed states
    homing: Read1[np.int32]  # (points ** r,): for their points, the rotation that brings them home
    rotations: Read2[np.uint8]  # (R, points): the sources of the rotations
    columns: Read1[np.int32]  # (256,): the first column of each chosen label in a placement; -1 for other labels
    parts: Read2[np.int64]  # (columns, points): what each point adds to the index of a placement; below 0 without one
    placements: Read1[np.int32]  # (indices,): the number of the placement with each index; -1 if there is none
    undone: Read2[np.uint8]  # (A, points): for each placement, the inverse of the permutation that leads to it
    keys: Read1[np.int64]  # (k,): points whose labels determine an arrangement
    key_parts: Read2[np.int64]  # (k, labels): what each label adds to the index of an arrangement
    numbers: Read1[np.int32]  # (indices,): the number of the arrangement with each index
    arrangements: Read2[np.uint8]  # (B, points): all arrangements

    @classmethod
    def of(cls, space: DerivedSpace, labels: Mapping[int, int], reference: Reference | None) -> Ranking | None:
        """Return a space for the kernel; None if its labels do not fit into bytes, or a table would be too large."""
        start, points = space.arrangements[0], space.arrangements.shape[1]
        references = reference.labels if reference else ()
        if start.dtype != np.uint8 or points ** len(references) > _MOST_HOMES:
            return None
        keys = distinguishing_columns(space.arrangements)
        placed, arranged = space.placements.tables, RowIndex(space.arrangements[:, keys]).tables
        if placed is None or arranged is None:
            return None
        label_of, columns, first = np.full(_LABELS, -1, np.int16), np.full(_LABELS, -1, np.int32), 0
        label_of[list(labels)] = list(labels.values())
        for label in space.labels:
            columns[label], first = first, first + int((start == label).sum())
        rotations = reference.rotations if reference else (identity(points),)
        homing = np.zeros(points ** len(references), np.int32)
        for places, number in reference.homing.items() if reference else ():
            homing[int(np.ravel_multi_index(places, (points,) * len(places)))] = number
        return cls(
            labels=label_of,
            counts=np.bincount(start, minlength=_LABELS).astype(np.int32),
            references=np.array(references, np.uint8),
            homing=homing,
            rotations=np.array([list(rotation) for rotation in rotations], np.uint8),
            columns=columns,
            parts=_widened(placed[0], points),
            placements=placed[1],
            undone=np.argsort(space.ways, axis=1).astype(np.uint8),
            keys=np.array(keys, np.int64),
            key_parts=_widened(arranged[0], _LABELS),
            numbers=arranged[1],
            arrangements=space.arrangements,
        )


def _widened(parts: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Return what numbers add to an index for all below a width; the last column is for unknown ones."""
    return np.ascontiguousarray(parts[:, np.minimum(np.arange(width), parts.shape[1] - 1)])


@kernel(at_start=True)
def _find_ranks(by: Ranking, given: Read2[np.uint8], ranks: Array1[np.int64]) -> int:  # noqa: PLR0912  # in stages
    points, arrangements = given.shape[1], by.arrangements
    labels, state = np.empty(points, np.uint8), np.empty(points, np.uint8)
    seen = np.zeros(_LABELS, np.int32)  # zero again after each state
    for i in range(len(given)):
        ranks[i] = -1
        sound = True
        for point in range(points):
            label = by.labels[given[i, point]]
            sound &= label >= 0
            labels[point] = label
            seen[labels[point]] += 1
        for point in range(points):
            sound &= seen[labels[point]] == by.counts[labels[point]]
        for point in range(points):
            seen[labels[point]] = 0
        if not sound:
            continue
        at = 0
        for k in range(len(by.references)):
            point = 0
            while labels[point] != by.references[k]:
                point += 1
            at = at * points + point
        rotation = by.homing[at]
        for point in range(points):
            state[point] = labels[by.rotations[rotation, point]]
        index = np.int64(0)
        for point in range(points):
            label = state[point]
            column = by.columns[label]
            if column >= 0:
                index += by.parts[column + seen[label], point]
                seen[label] += 1
        for point in range(points):
            seen[state[point]] = 0
        placement = np.int64(by.placements[index]) if index >= 0 else np.int64(-1)
        if placement < 0:
            continue
        index = np.int64(0)
        for k in range(len(by.keys)):
            index += by.key_parts[k, state[by.undone[placement, by.keys[k]]]]
        number = np.int64(by.numbers[index]) if index >= 0 else np.int64(-1)
        if number < 0:
            continue
        same = True
        for point in range(points):
            same &= state[by.undone[placement, point]] == arrangements[number, point]
        if same:
            ranks[i] = placement * len(arrangements) + number
    return 0


def find_ranks(by: Ranking, given: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the ranks, int64 (N,), of states as numbers of labels (N, points); -1 for invalid or unlisted ones."""
    ranks = np.empty(len(given), np.int64)
    numbers = np.ascontiguousarray(given, np.uint8)
    _find_ranks(by, numbers, ranks)
    if given.dtype != np.uint8:
        ranks[(numbers != given).any(axis=1)] = -1
    return ranks

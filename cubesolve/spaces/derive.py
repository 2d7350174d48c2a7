"""State spaces derived from moves alone (numpy).

Some labels are chosen. Where they can lie, found breadth-first with a way `rep(a)` to each such *placement*, is the
base. A move `m` from the placement `a` to `b` gives a Schreier generator ``rep(a) m rep(b)^-1``, which leaves the
chosen labels where they are; the arrangements that all of these make of the solved one are the fibre. So every state is
a placement and an arrangement, every pair of these is a state, and whatever restricts the moves (parities, sums of
twists) need not be known.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import check
from cubesolve.definitions.definition import Move, precondition_labels
from cubesolve.definitions.group import Group, TooLargeGroupError
from cubesolve.definitions.reach import ReachableStates
from cubesolve.errors import TooLargeError
from cubesolve.kernels import kernel, named, read_only, types
from cubesolve.permutations import Arrangement, Permutation, arrangement, identity, orbits
from cubesolve.spaces.coordinates import Sizes, damaged, layout, read_sizes, write_sizes
from cubesolve.spaces.defined import MOST_STATES
from cubesolve.spaces.rows import RowIndex, Rows, RowSet, distinguishing_columns, hashed
from cubesolve.spaces.space import StateSpace
from cubesolve.workers import Workers

WIDEST = 2048
"""The largest number of arrangements in a row, for rows to stay in the innermost cache."""

MOST_ACTIONS = 1 << 16
"""The largest number of different things that moves do to the arrangements in a row."""

MOST_ROWS = 1 << 22
"""The largest number of placements."""

MOST_EDGES = 1 << 26
"""The largest number of placements times that of moves."""

MOST_PLACED = 1 << 28
"""The largest number of placements times that of points."""

MOST_LABOUR = 1 << 32
"""The largest number of placements times that of moves and that of points."""

FEW_NUMBERS = 1 << 23
"""The number of placements times that of moves and that of points below which numpy needs no kernel."""

_AT_ONCE = 1 << 22  # numbers that are worked on at a time
_FEW = 1000  # placements of which all generators are looked at before anything is enumerated
_MOST_ACTED = 1 << 26  # numbers in a fibre, before those that are alike are one
_SAMPLE = 12  # generators that are tried before all are


@dataclass(frozen=True, slots=True, eq=False)
class DerivedSpace:
    """A state space, and how a state becomes a rank: ``arrangements * placement + arrangement``.

    Attributes:
        labels: the labels that were chosen.
        places: (A, t): for each placement the points where these lie, in ascending order for labels that are alike.
        parents: int32 (A,): the placement from which each was found; the first is that of the start.
        steps: uint16 (A,): the number of the case, of all cases of all moves, that led to it.
        ways: (A, points): for each placement, the permutation that leads to it.
        arrangements: (B, points): with the chosen labels where they are in the start, which comes first.
        arrays: the moves.
    """

    labels: tuple[int, ...]
    places: Rows
    parents: NDArray[np.int32]
    steps: NDArray[np.uint16]
    ways: Rows
    arrangements: Rows
    arrays: StateSpace
    _placements: RowIndex
    _arranged: RowIndex

    def ranks(self, states: Rows) -> NDArray[np.int64]:
        """The ranks of states, -1 for what no moves lead to.

        Args:
            states: (N, points): the label on each point.

        Returns:
            int64 (N,).
        """
        placement = self._placements.find(places_of(states, self.labels, self.arrangements[0]))
        home = np.take_along_axis(states, np.argsort(self.ways[placement], axis=1), axis=1)
        arrangement = self._arranged.find(home)
        valid = (placement >= 0) & (arrangement >= 0)
        return np.where(valid, placement * len(self.arrangements) + arrangement, -1)

    def states(self, ranks: NDArray[np.int64]) -> Rows:
        """The states with these ranks: (N, points)."""
        placement, arrangement = np.divmod(ranks, len(self.arrangements))
        return np.take_along_axis(self.arrangements[arrangement], self.ways[placement].astype(np.int64), axis=1)


def places_of(states: Rows, labels: Sequence[int], start: Rows) -> Rows:
    """Where some labels lie in states that have the same labels as the start.

    Args:
        states: (N, points).
        labels: the labels.
        start: (points,).

    Returns:
        (N, t).

    >>> places_of(np.array([[7, 8, 7]], np.uint8), [8, 7], np.array([7, 7, 8], np.uint8)).tolist()
    [[1, 0, 2]]
    """
    in_order = np.sort(start)
    columns = np.concatenate([np.flatnonzero(in_order == label) for label in labels]) if labels else np.empty(0, int)
    return np.argsort(states, axis=1, kind="stable")[:, columns].astype(start.dtype)


def derive(
    start: Arrangement,
    turns: Sequence[Move],
    illegal: frozenset[tuple[int, int]] = frozenset(),
    most: int = MOST_STATES,
    first: Sequence[int] = (),
    links: Sequence[Move] = (),
    rotations: Sequence[Permutation] = (),
) -> DerivedSpace:
    """The space of all states that moves lead to.

    Args:
        start: the state with rank 0.
        turns: the moves.
        illegal: points and labels that no state may have there.
        most: the largest number of states.
        first: labels to be chosen before others.
        links: what leads to other states and is no move.
        rotations: what makes no other state of any; the identity comes first.

    Raises:
        TooLargeError: there are more states than that.

    >>> from cubesolve.definitions.definition import Case
    >>> ring = derive(b"\\0\\1\\2", [Move("T", (Case(b"\\2\\0\\1"),))])
    >>> ring.arrays.states, ring.ranks(np.array([[1, 2, 0]], np.uint8)).tolist()
    (3, [2])
    """
    moves = _Moves(start, turns, illegal, links, rotations)
    labels = moves.needed()
    most_rows = largest_base(start, (*turns, *links), len(rotations))
    candidates = iter(moves.in_order(first))
    basis = _basis(moves, labels, most, most_rows)
    while True:
        candidate = next(candidates, None)
        if basis.determines_rotation or candidate is None:
            try:
                space = _space(moves, basis)
            except _TooWideError as error:
                if labels == moves.needed():
                    _require_few(_number_of_states(moves, basis), most, exact=True)
                _require_few(len(basis.places) * error.least, most)
            else:
                _require_few(space.arrays.states, most)
                return space
        while candidate is not None:
            more = _basis(moves, [*labels, candidate], most, most_rows)
            if more.placements > basis.placements:
                labels, basis = [*labels, candidate], more
                break
            candidate = next(candidates, None)  # where it lies is known from the others


def largest_base(start: Arrangement, turns: Sequence[Move], rotations: int = 1) -> int:
    """The largest number of placements for some moves, each followed by any of some rotations."""
    turn, way = len(turns), len(start)
    cases = sum(len(each.cases) for each in turns) * max(rotations, 1)
    return min(MOST_ROWS, MOST_EDGES // turn, MOST_PLACED // way, MOST_LABOUR // (cases * way))


def most_derivable(
    start: Arrangement,
    reached: ReachableStates | None,
    turns: Sequence[Move],
    illegal: frozenset[tuple[int, int]] = frozenset(),
    first: Sequence[int] = (),
    links: Sequence[Move] = (),
    rotations: int = 1,
) -> int:
    """Compute how many states a space could have at most, before it is derived.

    A base has a largest number of rows. How many states are in a row depends on the puzzle.

    Args:
        start: as for `derive`.
        reached: which states there are; None if that is not known.
        turns: as for `derive`.
        illegal: likewise.
        first: likewise.
        links: likewise.
        rotations: how many rotations there are, of which none but the identity leaves a state as it is.
    """
    base = largest_base(start, (*turns, *links), rotations)
    if reached is None or reached.number is None:
        return base * WIDEST
    moves = _Moves(start, turns, illegal, links, ())
    needed, labels = moves.needed(), moves.in_order(first)
    try:
        # With more labels chosen, rows are less wide.
        chosen = bisect.bisect_left(
            range(len(labels)), True, key=lambda last: _width(reached, [*needed, *labels[:last]]) <= WIDEST
        )
        return base * _width(reached, [*needed, *labels[:chosen]])
    except _UnknownError:
        return base * WIDEST


def _width(reached: ReachableStates, labels: Sequence[int]) -> int:
    """Count the states of a row over the placements of some labels.

    Raises:
        _UnknownError: that is not known.
    """
    number, placements = reached.number, reached.placements(labels)
    if number is None or placements is None:
        raise _UnknownError
    return number // placements


class _UnknownError(Exception):
    """A number is not known because of pieces that look alike."""


class _TooWideError(Exception):
    """There are more arrangements in a row than there may be.

    Attributes:
        least: at least so many.
    """

    def __init__(self, least: int) -> None:
        super().__init__(least)
        self.least = least


class _Moves:
    """The cases of all moves in one list, as arrays."""

    def __init__(
        self,
        start: Arrangement,
        turns: Sequence[Move],
        illegal: frozenset[tuple[int, int]],
        links: Sequence[Move],
        rotations: Sequence[Permutation],
    ) -> None:
        dtype = np.dtype(np.uint8 if isinstance(start, bytes) else np.uint16)
        self.start: Rows = np.array(list(start), dtype)
        self.cases = [case for turn in (*turns, *links) for case in turn.cases]
        self.turn_of_case = [number for number, turn in enumerate((*turns, *links)) for _ in turn.cases]
        self.costs, self.number = [move.cost for move in turns], len(turns) + len(links)
        sources: Rows = np.array([list(case.sources) for case in self.cases], dtype)
        self._forwards: Rows = np.argsort(sources, axis=1).astype(dtype)
        self._rotations: Rows = np.array([list(each) for each in rotations or [identity(len(start))]], dtype)
        self._turned: Rows = np.argsort(self._rotations, axis=1).astype(dtype)
        # The changes that steps are made of: each case, followed by each rotation.
        self.sources: Rows = np.ascontiguousarray(sources[:, self._rotations].reshape(-1, len(start)))
        self.illegal = illegal

    def needed(self) -> list[int]:
        """The labels that decide which moves are possible."""
        return precondition_labels(self.cases, self.illegal)

    def candidates(self) -> list[int]:
        """All other labels, those that can come to the most points first."""
        groups = sorted(orbits(len(self.start), [case.sources for case in self.cases]), key=len, reverse=True)
        labels = dict.fromkeys(int(self.start[point]) for group in groups for point in group)
        needed = set(self.needed())
        return [label for label in labels if label not in needed]

    def in_order(self, first: Sequence[int]) -> list[int]:
        """Likewise, in the order in which they are chosen, some before others."""
        needed = self.needed()
        return list(dict.fromkeys([*(label for label in first if label not in needed), *self.candidates()]))

    def listed(self, places: Rows, columns: dict[int, slice]) -> tuple[Rows, NDArray[np.int64], NDArray[np.int64]]:
        """Of the placements that rotations make of each the one that is listed: that of the start, or else the least.

        Args:
            places: (..., t).
            columns: the columns in which each label lies.

        Returns:
            The placements; the number of the first rotation that makes each, and how many make it: int64 (...).
        """
        least, number = places, np.zeros(places.shape[:-1], np.int64)
        ways = np.ones_like(number)
        start = places_of(self.start[None], list(columns), self.start)[0]
        for rotation in range(1, len(self._turned)):
            image = _in_order(self._turned[rotation][places], columns)
            differs = image != least
            first = differs & (differs.cumsum(axis=-1) == 1)
            is_same, is_less = ~differs.any(axis=-1), (first & (image < least)).any(axis=-1)
            is_less &= (least != start).any(axis=-1)
            is_less |= ~is_same & (image == start).all(axis=-1)
            least = np.where(is_less[..., None], image, least)
            number = np.where(is_less, rotation, number)
            ways = np.where(is_less, 1, ways + is_same)
        return least, number, ways

    def in_all_rotations(self, places: Rows, columns: dict[int, slice]) -> tuple[int, bool]:
        """How many placements rotations make of some, and whether they make another of each but by the identity."""
        _, _, ways = self.listed(places, columns)
        return int((len(self._rotations) // ways).sum()), bool((ways == 1).all())

    def step(self, places: Rows, columns: dict[int, slice]) -> tuple[Rows, NDArray[np.bool_], NDArray[np.int64]]:
        """Where each case takes placements: (cases, N, t), whether it can be made there, and by which of `sources`.

        The latter two are (cases, N).
        """
        after = _in_order(self._forwards[:, places], columns)
        possible = np.ones(after.shape[:2], np.bool_)
        for number, case in enumerate(self.cases):
            for point, label in case.needs:
                possible[number] &= (places[:, columns[label]] == point).any(axis=-1)
        for point, label in self.illegal:
            possible &= ~(after[..., columns[label]] == point).any(axis=-1)
        after, turned, _ = self.listed(after, columns)
        return after, possible, len(self._rotations) * np.arange(len(self.cases))[:, None] + turned


def _in_order(places: Rows, columns: dict[int, slice]) -> Rows:
    """Placements, with the points in order where labels that are alike lie; the array itself is changed."""
    for column in columns.values():
        if column.stop - column.start > 1:
            # numpy sorts numbers of 16 bits ten times as fast as those of 8, where there are instructions for that.
            places[..., column] = np.sort(places[..., column].astype(np.uint16), axis=-1)
    return places


class _Basis(NamedTuple):
    """The placements of some labels, as in `DerivedSpace`.

    Attributes:
        columns: the columns in which each label lies.
        placements: how many there would be if rotations made others of them.
        determines_rotation: whether no rotation but the identity leaves one as it is.
    """

    labels: tuple[int, ...]
    places: Rows
    parents: NDArray[np.int32]
    steps: NDArray[np.uint16]
    columns: dict[int, slice]
    placements: int
    determines_rotation: bool


def _columns(start: Rows, labels: Sequence[int]) -> dict[int, slice]:
    columns, first = {}, 0
    for label in labels:
        number = int(np.count_nonzero(start == label))
        columns[label] = slice(first, first + number)
        first += number
    return columns


def _basis(moves: _Moves, labels: Sequence[int], most: int, most_rows: int) -> _Basis:
    """Where labels can lie.

    Raises:
        TooLargeError: there are more placements than `most`, and thus more states; or more than `most_rows`.
    """
    columns = _columns(moves.start, labels)
    newest = places_of(moves.start[None], labels, moves.start)
    places, parents, steps = [newest], [np.zeros(1, np.int32)], [np.zeros(1, np.uint16)]
    seen, first = RowSet(newest), 0
    while len(newest):
        level = len(places)
        for part in _pieces(len(newest), len(moves.cases) * newest.shape[1]):
            after, possible, made = moves.step(newest[part], columns)
            found = np.ascontiguousarray(after.transpose(1, 0, 2))[possible.T]  # in the order of states, then of moves
            parent, _ = possible.T.nonzero()
            new = seen.add(found)
            _require_few(len(seen), most)
            if len(seen) > most_rows:
                raise TooLargeError(len(seen), most_rows, what="placements of some pieces")
            places.append(found[new])
            parents.append((first + part.start + parent[new]).astype(np.int32))
            steps.append(made.T[possible.T][new].astype(np.uint16))
        first, newest = first + len(newest), np.concatenate(places[level:])
    found = np.concatenate(places)
    number, determines_rotation = moves.in_all_rotations(found, columns)
    return _Basis(
        tuple(labels), found, np.concatenate(parents), np.concatenate(steps), columns, number, determines_rotation
    )


def _require_few(states: int, most: int, *, exact: bool = False) -> None:
    if states > most:
        raise TooLargeError(states, most, exact)


def _number_of_states(moves: _Moves, basis: _Basis) -> int:
    """How many states there are; 0 if it would take too long to find out."""
    if len(basis.places) > _FEW:
        return 0
    edges = _Edges(moves, basis, _ways(moves.sources, basis.parents, basis.steps), RowIndex(basis.places))
    turns, places = np.nonzero(edges.target >= 0)
    first, _ = _distinct(edges.names()[turns, places])
    generators = edges.generators(turns[first], places[first])
    try:
        group = Group(len(moves.start), map(arrangement, generators.tolist()))
    except TooLargeGroupError:
        return 0
    return (group.arrangements(arrangement(moves.start.tolist())) or 0) * len(basis.places)


def _ways(sources: Rows, parents: NDArray[np.int32], steps: NDArray[np.uint16]) -> Rows:
    """For each placement the permutation that leads to it; `sources` are those of all cases of all moves."""
    points = sources.shape[1]
    ways = np.empty((len(parents), points), sources.dtype)
    ways[0] = range(points)
    done = 1
    while done < len(ways):  # parents come before, so at least those of what is done are
        check()
        last = int(np.searchsorted(parents, done))  # parents are in ascending order
        ways[done:last] = np.take_along_axis(
            ways[parents[done:last]], sources[steps[done:last]].astype(np.int64), axis=1
        )
        done = last
    return ways


def _pieces(rows: int, width: int) -> Iterator[slice]:
    """Rows of so many numbers in pieces that can be worked on at a time.

    Raises:
        EndedError: the current deadline came.
    """
    step = max(1, _AT_ONCE // max(width, 1))
    for first in range(0, rows, step):
        check()
        yield slice(first, min(first + step, rows))


_KEYS = np.random.default_rng(20260602)


class _EdgeArrays(NamedTuple):
    """The moves between placements, as the kernel reads them.

    Attributes:
        ways: uint16 (A, points): for each placement the word that leads there, as sources of points.
        back: uint16 (A, points): their inverses.
        sources: uint16 (cases, points): the sources of points in each case of a move.
        target: int32 (moves, A): the placement that each move leads to, or -1.
        made: uint16 (moves, A): the case of the move there.
    """

    ways: NDArray[np.uint16]
    back: NDArray[np.uint16]
    sources: NDArray[np.uint16]
    target: NDArray[np.int32]
    made: NDArray[np.uint16]


@kernel(
    named(
        _EdgeArrays,
        ways=read_only(types.uint16),
        back=read_only(types.uint16),
        sources=read_only(types.uint16),
        target=read_only(types.int32),
        made=read_only(types.uint16),
    ),
    read_only(types.int64, 1),
    read_only(types.uint64),
    types.uint64[:, ::1],
    types.int64,
    types.int64,
)
def _name(
    edges: _EdgeArrays,
    points: NDArray[np.int64],
    keys: NDArray[np.uint64],
    names: NDArray[np.uint64],
    first: int,
    last: int,
) -> int:
    """Name the Schreier generators of the moves from placements `first` to `last`: the same ones have the same name.

    A name is a sum of keys, one for each of some points and the point that it gets its label from.
    """
    ways, back, sources, target, made = edges
    for turn in range(len(target)):
        for a in range(first, last):
            b = target[turn, a]
            if b >= 0:
                change, total = sources[made[turn, a]], np.uint64(0)
                for point in points:
                    total += keys[point, ways[a, change[back[b, point]]]]
                names[turn, a] = total
    return 0


class _Edges:
    """The moves between placements, each with its Schreier generator.

    Attributes:
        target: int32 (moves, A): the placement that each move leads to, -1 where it is not possible.
    """

    def __init__(self, moves: _Moves, basis: _Basis, ways: Rows, placements: RowIndex) -> None:
        self._moves, self._ways = moves, ways
        # What happens to chosen labels that are alike makes no difference, as long as they stay together.
        self._points = np.flatnonzero(~np.isin(moves.start, basis.labels))
        self._back: Rows = np.argsort(ways, axis=1).astype(ways.dtype)
        shape = (moves.number, len(ways))
        self.target, self._case = np.full(shape, -1, np.int32), np.zeros(shape, np.uint16)
        for part in _pieces(len(ways), len(moves.cases) * basis.places.shape[1]):
            after, possible, made = moves.step(basis.places[part], basis.columns)
            reached = placements.find(after)
            for case, turn in enumerate(moves.turn_of_case):
                here = np.flatnonzero(possible[case])
                self.target[turn, part][here], self._case[turn, part][here] = reached[case, here], made[case, here]

    def names(self) -> NDArray[np.uint64]:
        """A number for each, the same for those that do the same to labels that were not chosen: uint64 (moves, A)."""
        points = self._ways.shape[1]
        if self.target.size * points < FEW_NUMBERS:
            names = np.zeros(self.target.shape, np.uint64)
            possible = self.target >= 0
            names[possible] = hashed(self.generators(*np.nonzero(possible))[:, self._points])
            return names
        keys = _KEYS.integers(1 << 63, 1 << 64, (points, points), dtype=np.uint64)
        names = np.zeros(self.target.shape, np.uint64)
        ways, back, sources = (each.astype(np.uint16) for each in (self._ways, self._back, self._moves.sources))
        arguments = (_EdgeArrays(ways, back, sources, self.target, self._case), self._points, keys, names)
        with Workers(len(self._ways)) as pool:
            pool.run(lambda first, last: _name(*arguments, first, last))
        return names

    def generators(self, turns: NDArray[np.int64], places: NDArray[np.int64]) -> Rows:
        """What moves do, seen from where they are made: what leads there taken back, and what leads away."""
        sources = self._moves.sources[self._case[turns, places]]
        change = np.take_along_axis(sources, self._back[self.target[turns, places]].astype(np.int64), axis=1)
        generators: Rows = np.take_along_axis(self._ways[places], change.astype(np.int64), axis=1)
        return generators


def _space(moves: _Moves, basis: _Basis) -> DerivedSpace:
    """The space over a base.

    Raises:
        _TooWideError: its rows are too wide.
    """
    ways, placements = _ways(moves.sources, basis.parents, basis.steps), RowIndex(basis.places)
    edges = _Edges(moves, basis, ways, placements)
    turns, places = np.nonzero(edges.target >= 0)
    some = np.linspace(0, len(turns) - 1, min(len(turns), _SAMPLE)).astype(np.int64)
    few = edges.generators(turns[some], places[some])
    made = _orbit(moves.start, few)  # more often than not, it is these that make too many
    first, numbers = _distinct(edges.names()[turns, places])
    if len(first) * len(made) > _MOST_ACTED:
        raise _TooWideError(len(made))
    turn, place = turns[first], places[first]
    generators = _Generators(len(first), lambda part: edges.generators(turn[part], place[part]))
    arrangements, fibre, which = _close(moves.start, generators, few)
    action = np.zeros(edges.target.shape, np.int32)
    action[turns, places] = which[numbers]
    turned = slice(len(moves.costs))  # what else leads to other placements is no move
    target, action = edges.target[turned], action[turned]
    base = np.where(target >= 0, target.astype(np.int64) * len(arrangements), -1)
    is_mutual = _is_mutual(target, action, fibre, moves.costs)
    arrays = StateSpace(base, action, fibre, is_mutual, _if_not_all_1(moves.costs))
    return DerivedSpace(
        basis.labels, basis.places, basis.parents, basis.steps, ways, arrangements, arrays,
        placements, RowIndex(arrangements),
    )  # fmt: skip


def _distinct(values: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each value comes first, in order; and for each value, the number of its like in that order."""
    _, first, which = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[which]


class _Generators(NamedTuple):
    """So many generators, which are too many, perhaps, to have all of them at once."""

    number: int
    some: Callable[[slice], Rows]


class _Acts(NamedTuple):
    """What generators make of arrangements.

    Attributes:
        fibre: uint32 (actions, arrangements): what any of them makes of each.
        which: int64 (generators,): which of these each does.
    """

    fibre: NDArray[np.uint32]
    which: NDArray[np.int64]


def _close(start: Rows, generators: _Generators, few: Rows) -> tuple[Rows, NDArray[np.uint32], NDArray[np.int64]]:
    """All arrangements that generators make of one, and what they make of each, as in `_Acts`.

    A few make them all, more often than not; so these are tried first, and all are looked at afterwards.

    Raises:
        _TooWideError: there are too many.
    """
    while True:
        arrangements = _orbit(start, few)
        acts = _act(arrangements, generators)
        if isinstance(acts, _Acts):
            return arrangements, *acts
        few = np.concatenate([few, acts[None]])


def _act(arrangements: Rows, generators: _Generators) -> _Acts | Rows:
    """What generators make of arrangements; or one, if there is one, that makes something else of any.

    Where all labels differ, the arrangements are a group, and a generator that makes one of them of the first makes one
    of each. A few columns are enough then to tell which. Elsewhere, those are enough that are not always the same, if a
    generator leaves the others so.

    Raises:
        _TooWideError: they do too many different things.
    """
    start, whole = arrangements[0], RowIndex(arrangements)
    are_group = len(np.unique(start)) == len(start)
    same = (arrangements == start).all(axis=0)
    columns = np.array(distinguishing_columns(arrangements), np.int64) if are_group else np.flatnonzero(~same)
    index = RowIndex(np.ascontiguousarray(arrangements[:, columns]))
    numbers: dict[int, int] = {}
    fibre: list[Rows] = []
    which = np.empty(generators.number, np.int64)
    for part in _pieces(generators.number, len(arrangements) * max(len(columns), 1)):
        some = generators.some(part)
        found = index.find(arrangements[:, some[:, columns]])  # (arrangements, generators)
        if are_group:
            missing = whole.find(start[some]) < 0
        else:
            kept = some[:, same]
            missing = (found < 0).any(axis=0) | ((start[kept] != start[same]) | ~same[kept]).any(axis=1)
        if missing.any():
            one: Rows = some[missing.argmax()]
            return one
        first, place = _distinct(names := hashed(found.T.astype(np.uint16)))
        known = len(numbers)
        told = np.array([numbers.setdefault(name, len(numbers)) for name in names[first].tolist()])
        fibre.append(found.T[first[told >= known]].astype(np.uint32))
        which[part] = told[place]
        if len(numbers) > MOST_ACTIONS:
            raise _TooWideError(len(arrangements))
    none = np.arange(len(arrangements), dtype=np.uint32)[None]  # what does nothing, where no move is ever possible
    return _Acts(np.concatenate(fibre or [none]), which)


def _orbit(start: Rows, generators: Rows) -> Rows:
    """All arrangements that generators make of one.

    Raises:
        _TooWideError: there are too many.
    """
    newest = start[None]
    parts, seen = [newest], RowSet(newest)
    while len(newest):
        check()
        found = newest[:, generators].reshape(-1, len(start))
        newest = found[seen.add(found)]
        parts.append(newest)
        if len(seen) > WIDEST:
            raise _TooWideError(len(seen))
    return np.concatenate(parts)


def _if_not_all_1(costs: Sequence[int]) -> tuple[int, ...]:
    """What moves count, as `StateSpace` has it."""
    return tuple(costs) if set(costs) - {1} else ()


def _is_mutual(
    target: NDArray[np.int32], action: NDArray[np.int32], fibre: NDArray[np.uint32], costs: Sequence[int]
) -> bool:
    """Whether every move is undone by one that counts the same."""
    index = RowIndex(fibre.astype(np.uint16))
    undone = index.find(np.argsort(fibre, axis=1).astype(np.uint16))
    if (undone < 0).any():
        return False
    turns, rows = np.nonzero(target >= 0)
    there, number = target[turns, rows], action[turns, rows]
    cost = np.array(costs)[turns]
    made = np.stack([rows, there, number, cost], axis=1).astype(np.uint32)
    unmade = np.stack([there, rows, undone[number], cost], axis=1).astype(np.uint32)
    return not len(RowSet(made.view(np.uint16)).add(unmade.view(np.uint16)))


# -- Files -------------------------------------------------------------------------------------------------------------


def packed(space: DerivedSpace, solved: Sequence[Arrangement]) -> bytes:
    """What `spaces.coordinates` reads.

    Args:
        space: the space.
        solved: the states that count as solved; those that no moves lead to are left out.
    """
    starts = space.ranks(np.array([list(state) for state in solved], space.arrangements.dtype))
    starts = starts[starts >= 0]
    arrays = space.arrays
    sizes = Sizes(
        points=space.ways.shape[1],
        item=space.places.dtype.itemsize,
        labels=len(space.labels),
        columns=space.places.shape[1],
        placements=arrays.rows,
        arrangements=arrays.width,
        moves=len(arrays.base),
        actions=len(arrays.fibre),
        mutual=int(arrays.mutual),
        starts=len(starts),
    )
    parts = {
        "labels": np.array(space.labels),
        "starts": starts,
        "places": space.places,
        "place_order": _ascending(space.places),
        "parents": space.parents,
        "steps": space.steps,
        "arrangements": space.arrangements,
        "arrangement_order": _ascending(space.arrangements),
        "targets": np.where(arrays.base < 0, -1, arrays.base // arrays.width),
        "action": arrays.action,
        "fibre": arrays.fibre,
    }
    places = layout(sizes)
    body = bytearray(places["end"][0])
    body[: len(write_sizes(sizes))] = write_sizes(sizes)
    for name, numbers in parts.items():
        start, number, kind = places[name]
        np.frombuffer(body, np.dtype(kind).newbyteorder("<"), number, start)[:] = numbers.reshape(-1)
    return bytes(body)


def unpacked(body: bytes, turns: Sequence[Move], changes: Sequence[Permutation] = ()) -> DerivedSpace:
    """The space again that was packed.

    Args:
        body: what `packed` made of it.
        turns: its moves.
        changes: what leads from placement to placement, by number; by default all cases of all moves.

    Raises:
        CorruptTableError: a number in it leads outside.
    """
    made = changes or [case.sources for turn in turns for case in turn.cases]
    sizes = read_sizes(body)
    parts = {
        name: np.frombuffer(body, np.dtype(kind).newbyteorder("<"), number, start)
        for name, (start, number, kind) in layout(sizes).items()
    }
    _require_inside(sizes, parts, len(made))
    targets = parts["targets"].reshape(sizes.moves, sizes.placements).astype(np.int64)
    arrays = StateSpace(
        np.where(targets < 0, -1, targets * sizes.arrangements),
        parts["action"].reshape(sizes.moves, sizes.placements).astype(np.int32),
        parts["fibre"].reshape(sizes.actions, -1).astype(np.uint32),
        bool(sizes.mutual),
        _if_not_all_1([move.cost for move in turns]),
    )
    places = parts["places"].reshape(sizes.placements, sizes.columns)
    arrangements = parts["arrangements"].reshape(sizes.arrangements, sizes.points)
    parents, steps = parts["parents"].astype(np.int32), parts["steps"]
    sources = np.array(list(map(list, made)), places.dtype)
    labels = tuple(parts["labels"].tolist())
    ways = _ways(sources, parents, steps)
    return DerivedSpace(
        labels, places, parents, steps, ways, arrangements, arrays, RowIndex(places), RowIndex(arrangements)
    )


def _require_inside(sizes: Sizes, parts: dict[str, NDArray[Any]], cases: int) -> None:
    """See that no number leads outside; kernels do not look again."""
    limits = {
        "starts": sizes.placements * sizes.arrangements,
        "places": sizes.points,
        "steps": cases,
        "targets": sizes.placements,
        "action": sizes.actions,
        "fibre": sizes.arrangements,
    }
    rows = np.arange(sizes.placements)
    if (
        any(parts[name].max(initial=0) >= limit for name, limit in limits.items())
        or (parts["parents"][1:] >= rows[1:]).any()
    ):
        raise damaged()


def _ascending(rows: Rows) -> NDArray[np.int64]:
    """The order in which rows ascend."""
    return np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))

"""State spaces derived from moves alone (numpy).

Some labels are chosen. Where they can lie, found breadth-first with a way `rep(a)` to each such *placement*, is the
base. A move `m` from the placement `a` to `b` gives a Schreier generator ``rep(a) m rep(b)^-1``, which leaves the
chosen labels where they are; the arrangements that all of these make of the solved one are the fibre. So every state is
a placement and an arrangement, every pair of these is a state, and whatever restricts the moves (parities, sums of
twists) need not be known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from cubesolve.errors import TooLargeError
from cubesolve.kernels import kernel, read_only
from cubesolve.permutations import Arrangement, orbits
from cubesolve.rules.coordinates import Sizes, layout, read_sizes, write_sizes
from cubesolve.rules.definition import Turn
from cubesolve.spaces.rows import RowIndex, Rows, RowSet, hashed, telling_columns
from cubesolve.spaces.space import LARGEST_SPACE, StateSpace
from cubesolve.workers import Workers

WIDEST = 2048
"""The largest number of arrangements in a row, for rows to stay in the innermost cache."""

MOST_ROWS = 1 << 22
"""The largest number of placements."""

_AT_ONCE = 1 << 22  # numbers that are worked on at a time
_MOST_ACTIONS = 1 << 16  # rows of a fibre; what is written has two bytes for the number of one
_MOST_ACTED = 1 << 26  # numbers in a fibre
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
    turns: Sequence[Turn],
    illegal: frozenset[tuple[int, int]] = frozenset(),
    most: int = LARGEST_SPACE,
    first: Sequence[int] = (),
) -> DerivedSpace:
    """The space of all states that moves lead to.

    Args:
        start: the state with rank 0.
        turns: the moves.
        illegal: points and labels that no state may have there.
        most: the largest number of states.
        first: labels to be chosen before others.

    Raises:
        TooLargeError: there are more states than that.

    >>> from cubesolve.rules.definition import Case
    >>> ring = derive(b"\\0\\1\\2", [Turn("T", (Case(b"\\2\\0\\1"),))])
    >>> ring.arrays.states, ring.ranks(np.array([[1, 2, 0]], np.uint8)).tolist()
    (3, [2])
    """
    moves = _Moves(start, turns, illegal)
    labels, rows = moves.needed(), 0
    candidates = iter(dict.fromkeys([*(label for label in first if label not in labels), *moves.candidates()]))
    while True:
        basis = _basis(moves, labels, min(most, MOST_ROWS))
        if len(basis.places) > rows:
            rows = len(basis.places)
            space = _space(moves, basis)
            if space is not None:
                _require_few(space.arrays.states, most)
                return space
        else:
            labels.pop()  # where it lies is known from the others
        labels.append(next(candidates))


class _Moves:
    """The cases of all moves in one list, as arrays."""

    def __init__(self, start: Arrangement, turns: Sequence[Turn], illegal: frozenset[tuple[int, int]]) -> None:
        dtype = np.dtype(np.uint8 if isinstance(start, bytes) else np.uint16)
        self.start: Rows = np.array(list(start), dtype)
        self.cases = [case for turn in turns for case in turn.cases]
        self.turn_of_case = [number for number, turn in enumerate(turns) for _ in turn.cases]
        self.costs = [turn.cost for turn in turns]
        self.sources: Rows = np.array([list(case.sources) for case in self.cases], dtype)
        self.forwards: Rows = np.argsort(self.sources, axis=1).astype(dtype)
        self.illegal = illegal

    def needed(self) -> list[int]:
        """The labels that decide which moves are possible."""
        return sorted({label for case in self.cases for _, label in case.needs} | {label for _, label in self.illegal})

    def candidates(self) -> list[int]:
        """All other labels, those that can come to the most points first."""
        groups = sorted(orbits(len(self.start), [case.sources for case in self.cases]), key=len, reverse=True)
        labels = dict.fromkeys(int(self.start[point]) for group in groups for point in group)
        needed = set(self.needed())
        return [label for label in labels if label not in needed]

    def step(self, places: Rows, columns: dict[int, slice]) -> tuple[Rows, NDArray[np.bool_]]:
        """Where each case takes placements: (cases, N, t), and whether it can be made there: bool (cases, N)."""
        after: Rows = self.forwards[:, places]
        for column in columns.values():
            if column.stop - column.start > 1:
                after[..., column].sort(axis=-1)
        possible = np.ones(after.shape[:2], np.bool_)
        for number, case in enumerate(self.cases):
            for point, label in case.needs:
                possible[number] &= (places[:, columns[label]] == point).any(axis=-1)
        for point, label in self.illegal:
            possible &= ~(after[..., columns[label]] == point).any(axis=-1)
        return after, possible


class _Basis(NamedTuple):
    """The placements of some labels, as in `DerivedSpace`, and the columns in which each label lies."""

    labels: tuple[int, ...]
    places: Rows
    parents: NDArray[np.int32]
    steps: NDArray[np.uint16]
    columns: dict[int, slice]


def _columns(start: Rows, labels: Sequence[int]) -> dict[int, slice]:
    columns, first = {}, 0
    for label in labels:
        number = int(np.count_nonzero(start == label))
        columns[label] = slice(first, first + number)
        first += number
    return columns


def _basis(moves: _Moves, labels: Sequence[int], most: int) -> _Basis:
    """Where labels can lie.

    Raises:
        TooLargeError: there are more placements than `most`.
    """
    columns = _columns(moves.start, labels)
    newest = places_of(moves.start[None], labels, moves.start)
    places, parents, steps = [newest], [np.zeros(1, np.int32)], [np.zeros(1, np.uint16)]
    seen, first = RowSet(newest), 0
    while len(newest):
        after, possible = moves.step(newest, columns)
        found = np.ascontiguousarray(after.transpose(1, 0, 2))[possible.T]  # in the order of states, then of moves
        parent, case = possible.T.nonzero()
        new = seen.add(found)
        _require_few(len(seen), most)
        places.append(found[new])
        parents.append((first + parent[new]).astype(np.int32))
        steps.append(case[new].astype(np.uint16))
        first, newest = first + len(newest), places[-1]
    return _Basis(tuple(labels), np.concatenate(places), np.concatenate(parents), np.concatenate(steps), columns)


def _require_few(states: int, most: int) -> None:
    if states > most:
        raise TooLargeError(states, most)


def _ways(sources: Rows, parents: NDArray[np.int32], steps: NDArray[np.uint16]) -> Rows:
    """For each placement the permutation that leads to it; `sources` are those of all cases of all moves."""
    points = sources.shape[1]
    ways = np.empty((len(parents), points), sources.dtype)
    ways[0] = range(points)
    done = 1
    while done < len(ways):  # parents come before, so at least those of what is done are
        last = int(np.searchsorted(parents, done))  # parents are in ascending order
        ways[done:last] = np.take_along_axis(
            ways[parents[done:last]], sources[steps[done:last]].astype(np.int64), axis=1
        )
        done = last
    return ways


def _pieces(rows: int, width: int) -> Iterator[slice]:
    """Rows of so many numbers in pieces that can be worked on at a time."""
    step = max(1, _AT_ONCE // max(width, 1))
    return (slice(first, min(first + step, rows)) for first in range(0, rows, step))


_KEYS = np.random.default_rng(20260602)


@kernel(
    read_only(types.uint16),
    read_only(types.uint16),
    read_only(types.uint16),
    read_only(types.int32),
    read_only(types.uint16),
    read_only(types.uint64),
    types.uint64[:, ::1],
    types.int64,
    types.int64,
)
def _name(
    ways: NDArray[np.uint16],
    back: NDArray[np.uint16],
    sources: NDArray[np.uint16],
    target: NDArray[np.int32],
    made: NDArray[np.uint16],
    keys: NDArray[np.uint64],
    names: NDArray[np.uint64],
    first: int,
    last: int,
) -> int:
    """Name the Schreier generators of the moves from placements `first` to `last`: the same ones have the same name.

    A name is a sum of keys, one for each point and the point that it gets its label from.
    """
    for turn in range(len(target)):
        for a in range(first, last):
            b = target[turn, a]
            if b >= 0:
                change, total = sources[made[turn, a]], np.uint64(0)
                for point in range(ways.shape[1]):
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
        self._back: Rows = np.argsort(ways, axis=1).astype(ways.dtype)
        shape = (len(moves.costs), len(ways))
        self.target, self._case = np.full(shape, -1, np.int32), np.zeros(shape, np.uint16)
        for part in _pieces(len(ways), len(moves.cases) * basis.places.shape[1]):
            after, possible = moves.step(basis.places[part], basis.columns)
            reached = placements.find(after)
            for case, turn in enumerate(moves.turn_of_case):
                here = np.flatnonzero(possible[case])
                self.target[turn, part][here], self._case[turn, part][here] = reached[case, here], case

    def names(self) -> NDArray[np.uint64]:
        """A number for each, the same for those with the same generator: uint64 (moves, A)."""
        points = self._ways.shape[1]
        keys = _KEYS.integers(1 << 63, 1 << 64, (points, points), dtype=np.uint64)
        names = np.zeros(self.target.shape, np.uint64)
        arrays = (each.astype(np.uint16) for each in (self._ways, self._back, self._moves.sources))
        arguments = (*arrays, self.target, self._case, keys, names)
        with Workers(len(self._ways)) as pool:
            pool.run(lambda first, last: _name(*arguments, first, last))
        return names

    def generators(self, turns: NDArray[np.int64], places: NDArray[np.int64]) -> Rows:
        """What moves do, seen from where they are made: what leads there taken back, and what leads away."""
        sources = self._moves.sources[self._case[turns, places]]
        change = np.take_along_axis(sources, self._back[self.target[turns, places]].astype(np.int64), axis=1)
        generators: Rows = np.take_along_axis(self._ways[places], change.astype(np.int64), axis=1)
        return generators


def _space(moves: _Moves, basis: _Basis) -> DerivedSpace | None:
    """The space over a base; None if its rows are too wide, or too much would be done to them."""
    ways, placements = _ways(moves.sources, basis.parents, basis.steps), RowIndex(basis.places)
    edges = _Edges(moves, basis, ways, placements)
    turns, places = np.nonzero(edges.target >= 0)
    some = np.linspace(0, len(turns) - 1, min(len(turns), _SAMPLE)).astype(np.int64)
    few = edges.generators(turns[some], places[some])
    if _orbit(moves.start, few) is None:
        return None
    first, numbers = _told_apart(edges.names()[turns, places])
    closed = _close(moves.start, edges.generators(turns[first], places[first]), few)
    if closed is None:
        return None
    arrangements, fibre, rows = closed
    kept, which = _told_apart(hashed(fibre.view(np.uint16)))
    if len(kept) > _MOST_ACTIONS:
        return None
    fibre = fibre[kept]
    action = np.zeros(edges.target.shape, np.int32)
    action[turns, places] = which[rows[numbers]]
    base = np.where(edges.target >= 0, edges.target.astype(np.int64) * len(arrangements), -1)
    costs = tuple(moves.costs) if set(moves.costs) > {1} or min(moves.costs) > 1 else ()
    arrays = StateSpace(base, action, fibre, _is_mutual(edges.target, action, fibre, moves.costs), costs)
    return DerivedSpace(
        basis.labels, basis.places, basis.parents, basis.steps, ways, arrangements, arrays,
        placements, RowIndex(arrangements),
    )  # fmt: skip


def _told_apart(values: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each value comes first, in order; and for each value, the number of its like in that order."""
    _, first, which = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[which]


def _close(start: Rows, generators: Rows, few: Rows) -> tuple[Rows, NDArray[np.uint32], NDArray[np.int64]] | None:
    """All arrangements that generators make of one, and what each makes of each; None if there are too many.

    A few make them all, more often than not; so these are tried first, and all are looked at afterwards.
    """
    while True:
        arrangements = _orbit(start, few)
        if arrangements is None:
            return None
        acts = _act(arrangements, generators)
        if acts is None:
            return None
        missing, fibre, rows = acts
        if missing is None:
            return arrangements, fibre, rows
        few = np.concatenate([few, generators[missing][None]])


def _act(arrangements: Rows, generators: Rows) -> tuple[int | None, NDArray[np.uint32], NDArray[np.int64]] | None:
    """What generators make of arrangements.

    That is the first of them, if there is one, that makes something else of any; rows of what becomes of each
    arrangement; and for each generator the number of its row.

    Where all labels differ, the arrangements are a group, and a generator that makes one of them of the first makes one
    of each. A few columns are enough then to tell which. Elsewhere, those are enough that are not always the same, if a
    generator leaves the others so; and generators that do the same to these do the same.

    Returns:
        None if that were too many numbers.
    """
    start = arrangements[0]
    wrong, first = np.empty(0, np.int64), np.arange(len(generators))
    rows = first
    if len(np.unique(start)) == len(start):
        wrong = np.flatnonzero(RowIndex(arrangements).find(start[generators]) < 0)
        columns = np.array(telling_columns(arrangements), np.int64)
    else:
        same = (arrangements == start).all(axis=0)
        sources, columns = generators[:, same], np.flatnonzero(~same)
        wrong = np.flatnonzero(((start[sources] != start[same]) | ~same[sources]).any(axis=1))
        first, rows = _told_apart(hashed(generators[:, columns]))
    if len(first) * len(arrangements) > _MOST_ACTED:
        return None
    fibre = np.empty((len(first), len(arrangements)), np.uint32)
    index = RowIndex(np.ascontiguousarray(arrangements[:, columns]))
    for part in _pieces(len(first), len(arrangements) * len(columns)):
        if len(wrong) and wrong[0] <= first[part.start]:
            break
        found = index.find(arrangements[:, generators[first[part]][:, columns]])  # (arrangements, generators)
        missing = np.flatnonzero((found < 0).any(axis=0))
        if len(missing):
            wrong = np.union1d(wrong, first[part][missing[:1]])
        fibre[part] = found.T
    return (int(wrong[0]) if len(wrong) else None), fibre, rows


def _orbit(start: Rows, generators: Rows) -> Rows | None:
    newest = start[None]
    parts, seen = [newest], RowSet(newest)
    while len(newest):
        found = newest[:, generators].reshape(-1, len(start))
        newest = found[seen.add(found)]
        parts.append(newest)
        if len(seen) > WIDEST:
            return None
    return np.concatenate(parts)


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
    """What `rules.coordinates` reads.

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


def unpacked(body: bytes, turns: Sequence[Turn]) -> DerivedSpace:
    """The space again that was packed.

    Args:
        body: what `packed` made of it.
        turns: its moves.
    """
    sizes = read_sizes(body)
    parts = {
        name: np.frombuffer(body, np.dtype(kind).newbyteorder("<"), number, start)
        for name, (start, number, kind) in layout(sizes).items()
    }
    targets = parts["targets"].reshape(sizes.moves, -1).astype(np.int64)
    costs = tuple(turn.cost for turn in turns)
    arrays = StateSpace(
        np.where(targets < 0, -1, targets * sizes.arrangements),
        parts["action"].reshape(sizes.moves, -1).astype(np.int32),
        parts["fibre"].reshape(sizes.actions, -1).astype(np.uint32),
        bool(sizes.mutual),
        costs if set(costs) > {1} or min(costs) > 1 else (),
    )
    places = parts["places"].reshape(sizes.placements, sizes.columns)
    arrangements = parts["arrangements"].reshape(sizes.arrangements, sizes.points)
    parents, steps = parts["parents"].astype(np.int32), parts["steps"]
    sources = np.array([list(case.sources) for turn in turns for case in turn.cases], places.dtype)
    labels = tuple(parts["labels"].tolist())
    ways = _ways(sources, parents, steps)
    return DerivedSpace(
        labels, places, parents, steps, ways, arrangements, arrays, RowIndex(places), RowIndex(arrangements)
    )


def _ascending(rows: Rows) -> NDArray[np.int64]:
    """The order in which rows ascend."""
    return np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))

"""State spaces derived from moves alone (numpy).

Some labels are chosen as a base. Their *placements*, each with a word `rep(a)` (a transversal, see `placements`), are
the base of the space. A move `m` from the placement `a` to `b` gives a Schreier generator ``rep(a) m rep(b)^-1``,
which fixes the chosen labels; the orbit of the solved arrangement under all of these is the fibre. So every state is a
pair of a placement and an arrangement, every such pair is a state, and constraints (parities, sums of twists) need not
be known.
"""

from __future__ import annotations

import bisect
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.reach import ReachableStates
from cubesolve.group.group import Group, TooLargeGroupError
from cubesolve.group.moves import Move
from cubesolve.group.permutations import Arrangement, Permutation, arrangement
from cubesolve.runtime.kernel_arrays import Array1, Read1, Read2
from cubesolve.runtime.kernels import kernel
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.coordinates import HEADER, MOST_NUMBERS, MOST_STATES, Sizes, damaged, layout, read_sizes
from cubesolve.spaces.placements import Basis, LabelMoves, basis_of, places_of, require_few, ways_to
from cubesolve.spaces.rows import (
    AT_ONCE,
    Numbering,
    RowIndex,
    Rows,
    ascending,
    distinguishing_columns,
    hashed,
    orbit_of,
    slices,
)
from cubesolve.spaces.space import StateSpace

WIDEST = 2048
"""The maximum number of arrangements in a row, so that rows stay in the innermost cache."""

MOST_ACTIONS = 1 << 16
"""The maximum number of different actions of moves on the arrangements in a row."""

MOST_ROWS = 1 << 22
"""The maximum number of placements."""

MOST_EDGES = 1 << 26
"""The maximum number of placements times moves."""

MOST_PLACED = 1 << 28
"""The maximum number of placements times points."""

MOST_LABOUR = 1 << 32
"""The maximum number of placements times moves times points."""

FEW_NUMBERS = 1 << 23
"""The number of placements times moves times points below which numpy is used instead of a kernel."""

_EACH_SORTED = 8  # numbers for each of some that are sorted, with their order and duplicates
_EDGE_BYTES, _POINT_BYTES = 96, 8  # memory for each placement and move, and for each placement and point
_FEW = 1000  # placements whose generators are all looked at before anything is enumerated
_SAMPLE = 12  # generators that are tried first


@dataclass(frozen=True, slots=True, eq=False)
class DerivedSpace:
    """A state space with the map from states to ranks: ``arrangements * placement + arrangement``."""

    labels: tuple[int, ...]  # the chosen labels
    places: Rows  # (A, t): for each placement the points of these; in ascending order for equal labels
    # (A,): the placement before each in the breadth-first search; the first is that of the start
    parents: NDArray[np.int32]
    # (A,): the number of the effect, of all effects of all moves, that leads to it from there
    steps: NDArray[np.uint16]
    ways: Rows  # (A, points): for each placement, the permutation that leads to it
    arrangements: Rows  # (B, points): with the chosen labels where they are in the start, which comes first
    arrays: StateSpace  # the moves
    placements: RowIndex  # the index of the placements
    _arranged: RowIndex

    def ranks(self, states: Rows) -> NDArray[np.int64]:
        """Return the ranks of states (N, points), -1 for unreachable ones: int64 (N,)."""
        placement = self.placements.find(places_of(states, self.labels, self.arrangements[0])).astype(np.int64)
        home = np.empty_like(states)
        np.put_along_axis(home, self.ways[placement].astype(np.int64), states, axis=1)  # undoes the way
        arrangement = self._arranged.find(home)
        valid = (placement >= 0) & (arrangement >= 0)
        return np.where(valid, placement * len(self.arrangements) + arrangement, -1)

    def states(self, ranks: NDArray[np.int64]) -> Rows:
        """Return the states with some ranks: (N, points)."""
        placement, arrangement = np.divmod(ranks, len(self.arrangements))
        return np.take_along_axis(self.arrangements[arrangement], self.ways[placement].astype(np.int64), axis=1)


def derive(
    start: Arrangement,
    turns: Sequence[Move],
    illegal: frozenset[tuple[int, int]] = frozenset(),
    most: int = MOST_STATES,
    first: Sequence[int] = (),
    links: Sequence[Move] = (),
    rotations: Sequence[Permutation] = (),
    memory: float = math.inf,
    most_numbers: int = MOST_NUMBERS,
) -> DerivedSpace:
    """Return the space of all states that moves lead to.

    Args:
        rotations: whole-puzzle rotations up to which states are the same; the identity comes first.
        memory: bytes that deriving the base may take.
        most_numbers: the maximum number of numbers in the fibre, before equal rows are merged; with more labels in the
            base there are fewer.

    >>> from cubesolve.group.moves import Effect
    >>> ring = derive(b"\\0\\1\\2", [Move("T", (Effect(b"\\2\\0\\1"),))])
    >>> ring.arrays.states, ring.ranks(np.array([[1, 2, 0]], np.uint8)).tolist()
    (3, [2])
    """
    moves = LabelMoves(start, turns, illegal, links, rotations)
    labels = moves.needed()
    row_bytes = _EDGE_BYTES * len(moves.effects) + _POINT_BYTES * len(start)
    most_rows = int(min(largest_base(start, (*turns, *links), len(rotations)), memory // row_bytes))
    candidates = iter(moves.candidates(first))
    basis = basis_of(moves, labels, most, most_rows)
    while True:
        candidate = next(candidates, None)
        if basis.determines_rotation or candidate is None:
            try:
                space = _space(moves, basis, most_numbers)
            except TooLargeGroupError as error:
                if labels == moves.needed():
                    require_few(_number_of_states(moves, basis), most, exact=True)
                require_few(len(basis.places) * error.least, most)
            else:
                require_few(space.arrays.states, most)
                return space
        while candidate is not None:
            more = basis_of(moves, [*labels, candidate], most, most_rows)
            if more.placements > basis.placements:
                labels, basis = [*labels, candidate], more
                break
            candidate = next(candidates, None)  # its place follows from the others


def largest_base(start: Arrangement, turns: Sequence[Move], rotations: int = 1) -> int:
    """Return the maximum number of placements for some moves, each followed by any of some rotations."""
    turn, way = len(turns), len(start)
    effects = sum(len(move.effects) for move in turns) * max(rotations, 1)
    return min(MOST_ROWS, MOST_EDGES // turn, MOST_PLACED // way, MOST_LABOUR // (effects * way))


def most_in_row(moves: LabelMoves, reached: ReachableStates | None, first: Sequence[int]) -> int:
    """Return an upper bound of the states of a row before it is derived, given those that are reachable, if known."""
    if reached is None or reached.number is None:
        return WIDEST
    number, needed, labels = reached.number, moves.needed(), moves.candidates(first)

    def width(last: int) -> int:
        """Return the number of states of a row over the placements of some labels; 0 if it is unknown."""
        placements = reached.placements([*needed, *labels[:last]])
        return number // placements if placements else 0

    # With more chosen labels, rows are narrower.
    chosen = bisect.bisect_left(range(len(labels)), True, key=lambda last: width(last) <= WIDEST)
    return width(chosen) or WIDEST


def _number_of_states(moves: LabelMoves, basis: Basis) -> int:
    """Return the number of states; 0 if it would take too long to compute."""
    if len(basis.places) > _FEW:
        return 0
    edges = _Edges(moves, basis, ways_to(moves.sources, basis.parents, basis.steps), RowIndex(basis.places))
    first, _ = _numbered(edges)
    try:
        group = Group(len(moves.start), map(arrangement, edges.at(first).tolist()))
    except TooLargeGroupError:
        return 0
    return (group.arrangements(arrangement(moves.start.tolist())) or 0) * len(basis.places)


@kernel(at_start=True)
def _name(
    ways: Read2[np.uint16],  # (N, points): the permutations that lead to some placements, as sources of points
    back: Read2[np.uint16],  # (A, some points): for every placement, their sources in the inverse permutation
    sources: Read2[np.uint16],
    target: Read1[np.int32],  # (N,): the placement that the move leads to, or -1
    made: Read1[np.uint16],  # (N,): the effect of the move, a row of `sources`
    points: Read1[np.int64],
    keys: Read2[np.uint64],  # (points, points)
    names: Array1[np.uint64],  # (N,): the output
) -> int:
    """Name Schreier generators of a move by sums of keys: one for each of some points and the source of its label."""
    for a in range(len(ways)):
        b = target[a]
        if b >= 0:
            change, total = sources[made[a]], np.uint64(0)
            for i in range(len(points)):
                total += keys[points[i], ways[a, change[back[b, i]]]]
            names[a] = total
    return 0


class _Edges:
    """The moves between placements, each with its Schreier generator."""

    def __init__(self, moves: LabelMoves, basis: Basis, ways: Rows, placements: RowIndex) -> None:
        self._moves, self._ways = moves, ways
        # Exchanges of equal chosen labels have no effect, and none where all labels are equal.
        self._points = np.flatnonzero(~np.isin(moves.start, basis.labels) & moves.differ)
        shape = (moves.number, len(ways))
        # The placement that each move leads to, -1 where it is not possible.
        self.target, self._effect = np.full(shape, -1, np.int32), np.zeros(shape, np.uint16)
        for part in slices(len(ways), len(moves.effects) * basis.places.shape[1]):
            after, possible, step = moves.step(basis.places[part], basis.columns)
            reached = placements.find(after)
            for effect, turn in enumerate(moves.move_of_effect):
                here = np.flatnonzero(possible[effect])
                self.target[turn, part][here] = reached[effect, here]
                self._effect[turn, part][here] = step[effect, here]

    def some(self) -> Rows:
        """Return a few generators."""
        possible = np.flatnonzero(self.target >= 0)
        chosen = np.linspace(0, len(possible) - 1, min(len(possible), _SAMPLE)).astype(np.int64)
        return self.at(possible[chosen])

    def at(self, places: NDArray[np.int64]) -> Rows:
        """Return the generators of some moves, given their places in `target`."""
        return self.generators(*np.divmod(places, self.target.shape[1]))

    def names(self) -> Iterator[NDArray[np.uint64]]:
        """Yield names of the generators of each move, equal for the same action on labels not chosen: uint64 (A,)."""
        placements, points = self._ways.shape
        if self.target.size * points < FEW_NUMBERS:
            for turn, targets in enumerate(self.target):
                names, possible = np.zeros(placements, np.uint64), np.flatnonzero(targets >= 0)
                for part in slices(len(possible), points):
                    places = possible[part]
                    generators = self.generators(np.full(len(places), turn), places)
                    names[places] = hashed(generators[:, self._points])
                yield names
            return
        keys = np.random.default_rng(20260602).integers(1 << 63, 1 << 64, (points, points), dtype=np.uint64)
        back, sources = np.empty((placements, len(self._points)), np.uint16), self._moves.sources.astype(np.uint16)
        for part in slices(placements, points):
            back[part] = np.argsort(self._ways[part], axis=1)[:, self._points]
        with Workers(placements, at_most=max(1, AT_ONCE // points)) as pool:
            for targets, effects in zip(self.target, self._effect, strict=True):
                names = np.zeros(placements, np.uint64)

                def name(first: int, last: int) -> int:
                    some = slice(first, last)
                    made, named, to = effects[some], names[some], targets[some]  # noqa: B023  # they run at once
                    return _name(self._ways[some].astype(np.uint16), back, sources, to, made, self._points, keys, named)

                pool.run(name)
                yield names

    def generators(self, turns: NDArray[np.int64], places: NDArray[np.int64]) -> Rows:
        """Return Schreier generators: the word to the placement, the move, and the inverse of the word to the next."""
        sources = self._moves.sources[self._effect[turns, places]]
        back = np.argsort(self._ways[self.target[turns, places]], axis=1)
        change = np.take_along_axis(sources, back, axis=1)
        generators: Rows = np.take_along_axis(self._ways[places], change.astype(np.int64), axis=1)
        return generators


def _space(moves: LabelMoves, basis: Basis, most_numbers: int) -> DerivedSpace:
    """Return the space over a base; raise `TooLargeGroupError` if rows or the fibre have too many numbers."""
    ways, placements = ways_to(moves.sources, basis.parents, basis.steps), RowIndex(basis.places)
    edges = _Edges(moves, basis, ways, placements)
    orbit = _orbit(moves.start, few := edges.some())  # if the rows are too wide, these mostly show it
    first, numbers = _numbered(edges)
    if len(first) * len(orbit) > most_numbers:
        raise TooLargeGroupError(len(orbit))
    arrangements, fibre, which = _close(moves.start, edges, first, few)
    base = edges.target[: len(moves.costs)]  # links are no moves
    del edges
    action = np.zeros(base.shape, np.uint16)
    for move, targets in enumerate(base):
        possible = targets >= 0
        action[move, possible] = which[numbers[move, possible]]
    del numbers
    is_mutual = moves.are_undone or _is_mutual(base, action, fibre, moves.costs)
    arrays = _state_space(base, action, fibre, is_mutual, moves.costs)
    return DerivedSpace(
        basis.labels, basis.places, basis.parents, basis.steps, ways, arrangements, arrays,
        placements, RowIndex(arrangements),
    )  # fmt: skip


def _state_space(
    base: NDArray[np.integer], action: NDArray[np.integer], fibre: Rows, is_mutual: bool, costs: Sequence[int]
) -> StateSpace:
    """Return a space; up to rotations, a move can lead from two rows to one, and then has no inverse there."""
    is_undone = is_mutual or all(np.bincount(targets[targets >= 0], minlength=1).max() <= 1 for targets in base)
    symmetric = 0 if is_undone else base.shape[1]
    return StateSpace(base, action, fibre, is_mutual, tuple(costs), symmetric=symmetric)


def _numbered(edges: _Edges) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return where each distinct name of a possible move first is: int64; and the numbers of all: int32 (moves, A)."""
    numbering, first = Numbering(), [np.empty(0, np.int64)]
    numbers = np.zeros(edges.target.shape, np.int32)
    for turn, names in enumerate(edges.names()):
        for part in slices(len(names), _EACH_SORTED):
            places = part.start + np.flatnonzero(edges.target[turn, part] >= 0)
            new, numbers[turn, places] = numbering.add(names[places])
            first.append(turn * len(names) + places[new])
    return np.concatenate(first), numbers


def _close(
    start: Rows, edges: _Edges, places: NDArray[np.int64], few: Rows
) -> tuple[Rows, NDArray[np.uint32], NDArray[np.int32]]:
    """Return the orbit of an arrangement under the generators of some moves, and their action as `_act` does."""
    # A few generators mostly make the whole orbit, so these are tried first.
    while True:
        arrangements = _orbit(start, few)
        acts = _act(arrangements, edges, places)
        if isinstance(acts, tuple):
            return arrangements, *acts
        few = np.concatenate([few, acts[None]])


def _act(
    arrangements: Rows, edges: _Edges, places: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int32]] | Rows:
    """Return the distinct actions of the generators of some moves, and the number of each; or one that leads out."""
    # If all labels differ, the arrangements are a group, and an action is determined by the image of the first
    # arrangement, of which a few columns suffice. Otherwise, the columns suffice that are not always the same, if a
    # generator leaves the others as they are.
    start, whole = arrangements[0], RowIndex(arrangements)
    are_group = len(np.unique(start)) == len(start)
    same = (arrangements == start).all(axis=0)
    columns = np.array(distinguishing_columns(arrangements), np.int64) if are_group else np.flatnonzero(~same)
    index = RowIndex(np.ascontiguousarray(arrangements[:, columns]))
    numbering, fibre, which = Numbering(), list[Rows](), np.empty(len(places), np.int32)
    for part in slices(len(places), len(arrangements) * max(len(columns), 1)):  # all would take too much memory
        some = edges.at(places[part])
        images = index.find(arrangements[:, some[:, columns]])  # (arrangements, generators)
        if are_group:
            missing = whole.find(start[some]) < 0
        else:
            kept = some[:, same]
            missing = (images < 0).any(axis=0) | ((start[kept] != start[same]) | ~same[kept]).any(axis=1)
        if missing.any():
            one: Rows = some[missing.argmax()]
            return one
        new, which[part] = numbering.add(hashed(images.T.astype(np.uint16)))
        fibre.append(images.T[new].astype(np.uint32))
        if len(numbering) > MOST_ACTIONS:
            raise TooLargeGroupError(len(arrangements))
    none = np.arange(len(arrangements), dtype=np.uint32)[None]  # the identity, where no move is ever possible
    return np.concatenate(fibre or [none]), which


def _orbit(start: Rows, generators: Rows) -> Rows:
    """Return the orbit of an arrangement under generators; raise `TooLargeGroupError` if it is too large."""
    rows = orbit_of(start, lambda newest: [newest[:, generators].reshape(-1, len(start))], WIDEST)
    if len(rows) > WIDEST:
        raise TooLargeGroupError(len(rows))
    return rows


def _is_mutual(
    target: NDArray[np.integer], action: NDArray[np.integer], fibre: NDArray[np.uint32], costs: Sequence[int]
) -> bool:
    """Return whether every move has an inverse of the same cost."""
    index = RowIndex(fibre.astype(np.uint16))
    undone = index.find(np.argsort(fibre, axis=1).astype(np.uint16))
    if (undone < 0).any():
        return False
    undone_by, dear = undone.astype(np.int32), np.array(costs)
    for part in slices(target.shape[1], len(target)):
        for turn in range(len(target)):
            rows = part.start + np.flatnonzero(target[turn, part] >= 0)
            reached, wanted = target[turn, rows], undone_by[action[turn, rows]]
            for other in np.flatnonzero(dear == dear[turn]):  # mostly one move undoes another in all rows
                left = (target[other, reached] != rows) | (action[other, reached] != wanted)
                rows, reached, wanted = rows[left], reached[left], wanted[left]
                if not len(rows):
                    break
            else:
                return False
    return True


# -- Files -------------------------------------------------------------------------------------------------------------


def packed(space: DerivedSpace, solved: Sequence[Arrangement]) -> bytes:
    """Return a space as bytes, which `spaces.coordinates` reads, with the ranks of reachable solved states."""
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
        "place_order": ascending(space.places),
        "parents": space.parents,
        "steps": space.steps,
        "arrangements": space.arrangements,
        "arrangement_order": ascending(space.arrangements),
        "targets": arrays.base,
        "action": arrays.action,
        "fibre": arrays.fibre,
    }
    file, places = io.BytesIO(), layout(sizes)
    file.write(HEADER.pack(*sizes))
    for name, numbers in parts.items():
        start, _, kind = places[name]
        file.write(bytes(start - file.tell()))
        flat = numbers.reshape(-1)
        for part in slices(len(flat), 1):
            file.write(np.ascontiguousarray(flat[part], np.dtype(kind).newbyteorder("<")).data)
    file.write(bytes(places["end"][0] - file.tell()))
    return file.getvalue()  # without a copy


def _arrays_in(body: bytes, sizes: Sizes) -> dict[str, NDArray[Any]]:
    """Return the arrays in bytes that `packed` returned; they are not copied."""
    return {
        name: np.frombuffer(body, np.dtype(kind).newbyteorder("<"), number, start)
        for name, (start, number, kind) in layout(sizes).items()
    }


def unpacked_moves(body: bytes, turns: Sequence[Move], changes: Sequence[Permutation]) -> StateSpace:
    """Return the moves of a space from bytes of `packed`, which are not copied but for the fibre; see `Coordinates`."""
    sizes = read_sizes(body)
    parts = _arrays_in(body, sizes)
    _require_inside(sizes, parts, len(changes))
    return _state_space(
        parts["targets"].reshape(sizes.moves, sizes.placements),
        parts["action"].reshape(sizes.moves, sizes.placements),
        parts["fibre"].reshape(sizes.actions, -1).astype(np.uint32),
        bool(sizes.mutual),
        [move.cost for move in turns],
    )


def unpacked(body: bytes, changes: Sequence[Permutation], arrays: StateSpace) -> DerivedSpace:
    """Return a space from bytes of `packed`; `arrays` are those of `unpacked_moves`."""
    sizes = read_sizes(body)
    parts = _arrays_in(body, sizes)
    places = parts["places"].reshape(sizes.placements, sizes.columns)
    arrangements = parts["arrangements"].reshape(sizes.arrangements, sizes.points)
    parents, steps = parts["parents"].astype(np.int32), parts["steps"]
    sources = np.array(list(map(list, changes)), places.dtype)
    labels = tuple(parts["labels"].tolist())
    ways = ways_to(sources, parents, steps)
    return DerivedSpace(
        labels, places, parents, steps, ways, arrangements, arrays, RowIndex(places), RowIndex(arrangements)
    )


def _require_inside(sizes: Sizes, parts: dict[str, NDArray[Any]], effects: int) -> None:
    """Require that all numbers are in range; kernels do not check again."""
    limits = {
        "starts": sizes.placements * sizes.arrangements,
        "places": sizes.points,
        "steps": effects,
        "targets": sizes.placements,
        "action": sizes.actions,
        "fibre": sizes.arrangements,
    }
    are_below = all(parts[name].max(initial=0) < limit for name, limit in limits.items())
    if not are_below or (parts["parents"][1:] >= np.arange(1, sizes.placements)).any():
        raise damaged()

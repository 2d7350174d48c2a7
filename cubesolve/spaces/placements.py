"""Placements of labels: the bases of derived spaces (numpy).

Placements are found breadth-first, each with the effect that leads to it from the one before; of placements that differ
by a whole-puzzle rotation, one is listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.definition import precondition_labels
from cubesolve.definition.reach import undone
from cubesolve.errors import TooLargeError
from cubesolve.group.moves import Move
from cubesolve.group.permutations import Arrangement, Permutation, identity, orbits
from cubesolve.runtime.deadline import check
from cubesolve.spaces.rows import Rows, RowSet, slices


class LabelMoves:
    """The effects of all moves in one list, as arrays."""

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
        self.effects = [effect for turn in (*turns, *links) for effect in turn.effects]
        self.move_of_effect = [number for number, turn in enumerate((*turns, *links)) for _ in turn.effects]
        self.costs, self.number = [move.cost for move in turns], len(turns) + len(links)
        # Points that moves and rotations carry to a point with another label.
        self.differ = np.zeros(len(start), np.bool_)
        for area in orbits(len(start), [*(effect.sources for effect in self.effects), *rotations]):
            self.differ[[*area]] = len({start[point] for point in area}) > 1
        sources: Rows = np.array([list(effect.sources) for effect in self.effects], dtype)
        self._forwards: Rows = np.argsort(sources, axis=1).astype(dtype)
        self._rotations: Rows = np.array([list(rotation) for rotation in rotations or [identity(len(start))]], dtype)
        self._turned: Rows = np.argsort(self._rotations, axis=1).astype(dtype)
        # Steps apply each effect, followed by each rotation.
        self.sources: Rows = np.ascontiguousarray(sources[:, self._rotations].reshape(-1, len(start)))
        self.illegal = illegal
        # Up to rotations, the inverse of a move need not be one.
        self.are_undone = len(self._rotations) == 1 and undone(turns)

    def needed(self) -> list[int]:
        """Return the labels that decide which moves are possible."""
        return precondition_labels(self.effects, self.illegal)

    def candidates(self, first: Sequence[int] = ()) -> list[int]:
        """Return all other labels in the order in which they are chosen: some first, then those of large orbits."""
        groups = sorted(orbits(len(self.start), [effect.sources for effect in self.effects]), key=len, reverse=True)
        labels = dict.fromkeys([*first, *(int(self.start[point]) for group in groups for point in group)])
        needed = {*self.needed()}
        return [label for label in labels if label not in needed]

    def listed(self, places: Rows, columns: dict[int, slice]) -> tuple[Rows, NDArray[np.int64], NDArray[np.int64]]:
        """Return the representatives of placements (..., t) up to rotations: that of the start, or else the least.

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

    def step(self, places: Rows, columns: dict[int, slice]) -> tuple[Rows, NDArray[np.bool_], NDArray[np.int64]]:
        """Return the placements after each effect: (effects, N, t), if it is possible, and its row of `sources`."""
        after = _in_order(self._forwards[:, places], columns)
        possible = np.ones(after.shape[:2], np.bool_)
        for number, effect in enumerate(self.effects):
            for point, label in effect.needs:
                possible[number] &= (places[:, columns[label]] == point).any(axis=-1)
        for point, label in self.illegal:
            possible &= ~(after[..., columns[label]] == point).any(axis=-1)
        after, turned, _ = self.listed(after, columns)
        return after, possible, len(self._rotations) * np.arange(len(self.effects))[:, None] + turned


def _in_order(places: Rows, columns: dict[int, slice]) -> Rows:
    """Sort the points of equal labels of placements; the array is changed in place."""
    for column in columns.values():
        if column.stop - column.start > 1:
            # numpy sorts 16-bit numbers ten times as fast as 8-bit numbers, if the processor has instructions for that.
            places[..., column] = np.sort(places[..., column].astype(np.uint16), axis=-1)
    return places


class Basis(NamedTuple):
    """The placements of some labels, as in `DerivedSpace`."""

    labels: tuple[int, ...]
    places: Rows
    parents: NDArray[np.int32]
    steps: NDArray[np.uint16]
    columns: dict[int, slice]  # the columns in which each label lies
    placements: int  # the number of placements if rotations made others of them
    determines_rotation: bool  # whether no rotation but the identity leaves one as it is


def _columns(start: Rows, labels: Sequence[int]) -> dict[int, slice]:
    columns, first = {}, 0
    for label in labels:
        number = int(np.count_nonzero(start == label))
        columns[label] = slice(first, first + number)
        first += number
    return columns


def basis_of(moves: LabelMoves, labels: Sequence[int], most: int, most_rows: int) -> Basis:
    """Return the placements of labels."""
    columns = _columns(moves.start, labels)
    newest = places_of(moves.start[None], labels, moves.start)
    places, parents, steps = [newest], [np.zeros(1, np.int32)], [np.zeros(1, np.uint16)]
    seen, first = RowSet(newest), 0
    while len(newest):
        level = len(places)
        for part in slices(len(newest), len(moves.effects) * newest.shape[1]):
            after, possible, step = moves.step(newest[part], columns)
            images = np.ascontiguousarray(after.transpose(1, 0, 2))[possible.T]  # in the order of states, then of moves
            parent, _ = possible.T.nonzero()
            new = seen.add(images)
            require_few(len(seen), most)
            if len(seen) > most_rows:
                raise TooLargeError(len(seen), most_rows, what="placements of some pieces")
            places.append(images[new])
            parents.append((first + part.start + parent[new]).astype(np.int32))
            steps.append(step.T[possible.T][new].astype(np.uint16))
        first, newest = first + len(newest), np.concatenate(places[level:])
    placed = np.concatenate(places)
    _, _, ways = moves.listed(placed, columns)
    rotated, is_unique = int((len(moves._rotations) // ways).sum()), bool((ways == 1).all())
    return Basis(tuple(labels), placed, np.concatenate(parents), np.concatenate(steps), columns, rotated, is_unique)


def ways_to(sources: Rows, parents: NDArray[np.int32], steps: NDArray[np.uint16]) -> Rows:
    """Return the permutation that leads to each placement; `sources` are those of all effects of all moves."""
    points = sources.shape[1]
    ways = np.empty((len(parents), points), sources.dtype)
    ways[0] = range(points)
    done = 1
    while done < len(ways):  # parents come first, so at least these are complete
        check()
        last = int(np.searchsorted(parents, done))  # parents are in ascending order
        ways[done:last] = np.take_along_axis(
            ways[parents[done:last]], sources[steps[done:last]].astype(np.int64), axis=1
        )
        done = last
    return ways


def require_few(states: int, most: int, *, exact: bool = False) -> None:
    """Reject more states than a limit."""
    if states > most:
        raise TooLargeError(states, most, exact)


def places_of(states: Rows, labels: Sequence[int], start: Rows) -> Rows:
    """Return the points of some labels in states with the labels of the start: (N, points) to (N, t).

    >>> places_of(np.array([[7, 8, 7]], np.uint8), [8, 7], np.array([7, 7, 8], np.uint8)).tolist()
    [[1, 0, 2]]
    """
    in_order = np.sort(start)
    columns = np.concatenate([np.flatnonzero(in_order == label) for label in labels]) if labels else np.empty(0, int)
    return np.argsort(states, axis=1, kind="stable")[:, columns].astype(start.dtype)

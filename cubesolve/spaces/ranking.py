"""Ranks of arrays of states of derived spaces (numba)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.rotations import Reference
from cubesolve.group.permutations import identity
from cubesolve.runtime.kernels import kernel, named, read_only, types
from cubesolve.spaces.derive import DerivedSpace
from cubesolve.spaces.rows import RowIndex, distinguishing_columns

_LABELS = 256  # that fit into a byte
_MOST_HOMES = 1 << 20  # entries


class Ranking(NamedTuple):
    """A derived space as a kernel reads it, with tables in place of searches in rows.

    Attributes:
        labels: int16 (256,): the label with each number, -1 for others.
        counts: int32 (256,): how often each label occurs in a state.
        references: uint8 (r,): the labels of the reference pieces that are at home in listed states.
        homing: int32 (points ** r,): for their points, the rotation that brings them home.
        rotations: uint8 (R, points): the sources of the rotations.
        columns: int32 (256,): the first column of each chosen label in a placement; -1 for other labels.
        parts: int64 (columns, points): what each point adds to the index of a placement; below 0 without one.
        placements: int32 (indices,): the number of the placement with each index; -1 if there is none.
        undone: uint8 (A, points): for each placement, the inverse of the permutation that leads to it.
        keys: int64 (k,): points whose labels determine an arrangement.
        key_parts: int64 (k, labels): what each label adds to the index of an arrangement.
        numbers: int32 (indices,): the number of the arrangement with each index.
        arrangements: uint8 (B, points): all arrangements.
    """

    labels: NDArray[np.int16]
    counts: NDArray[np.int32]
    references: NDArray[np.uint8]
    homing: NDArray[np.int32]
    rotations: NDArray[np.uint8]
    columns: NDArray[np.int32]
    parts: NDArray[np.int64]
    placements: NDArray[np.int32]
    undone: NDArray[np.uint8]
    keys: NDArray[np.int64]
    key_parts: NDArray[np.int64]
    numbers: NDArray[np.int32]
    arrangements: NDArray[np.uint8]

    @classmethod
    def of(cls, space: DerivedSpace, labels: Mapping[int, int], reference: Reference | None) -> Ranking | None:
        """Return a space for the kernel; None if its labels do not fit into bytes, or a table would be too large.

        Args:
            reference: the reference pieces of the puzzle; None if there are none.
        """
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
            rotations=np.array([list(each) for each in rotations], np.uint8),
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


_RANKING = named(
    Ranking,
    labels=read_only(types.int16, 1),
    counts=read_only(types.int32, 1),
    references=read_only(types.uint8, 1),
    homing=read_only(types.int32, 1),
    rotations=read_only(types.uint8),
    columns=read_only(types.int32, 1),
    parts=read_only(types.int64),
    placements=read_only(types.int32, 1),
    undone=read_only(types.uint8),
    keys=read_only(types.int64, 1),
    key_parts=read_only(types.int64),
    numbers=read_only(types.int32, 1),
    arrangements=read_only(types.uint8),
)


@kernel(_RANKING, read_only(types.uint8), types.int64[::1], at_start=True)
def _find_ranks(by: Ranking, given: NDArray[np.uint8], ranks: NDArray[np.int64]) -> int:  # noqa: PLR0912  # in stages
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
    """Return the ranks of states, -1 for those that are invalid, unreachable, or listed in another naming.

    Args:
        given: integers (N, points): the numbers of the labels.

    Returns:
        int64 (N,).
    """
    ranks = np.empty(len(given), np.int64)
    numbers = np.ascontiguousarray(given, np.uint8)
    _find_ranks(by, numbers, ranks)
    if given.dtype != np.uint8:
        ranks[(numbers != given).any(axis=1)] = -1
    return ranks

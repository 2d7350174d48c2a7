"""The number of states of the Square-1 that need each number of twists, level by level (numpy).

States that turns of the layers connect are one. A twist turns the middle layer, so a state and the same one with
its middle layer turned are at depths of different parity, and a neighbour of a level is in the one before or after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.square1.coordinates import all_moves
from cubesolve.catalog.square1.definition import square1
from cubesolve.catalog.square1.shapes import classes, shape_of
from cubesolve.catalog.square1.tables import RANKS, STEPS, Moves
from cubesolve.deadline import check

MOST_LEVELS = 6
"""The maximum number of twists; 38,893,230 states have six, and ten times as many seven."""

_SLICE = 1 << 14  # states whose neighbours are listed together


def counted(most: int) -> Iterator[int]:
    """Yield the number of states with no twists, with one, and so on.

    Args:
        most: the number of twists at which to end.

    Raises:
        ValueError: there are too many states to list.

    >>> list(counted(2))
    [1, 64, 1153]
    """
    if most > MOST_LEVELS:
        raise ValueError(f"levels must be at most {MOST_LEVELS}: there are too many states with more twists")
    moves = all_moves()
    solved = classes()[shape_of(square1("square1").solved[0]).standard()[0]]
    before, level = np.empty(0, np.int64), np.array([solved * RANKS**2])  # its pieces are numbered in their order
    for depth in range(most + 1):
        yield len(level)
        if depth < most:
            before, level = level, _following(moves, before, level)


def _following(moves: Moves, before: NDArray[np.int64], level: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the states after a twist of those of a level that are not in the level before it, in order."""
    found = list[list[NDArray[np.int64]]]()
    ends = np.arange(1, len(classes())) * RANKS**2
    for begin in range(0, len(level), _SLICE):
        check()
        neighbours = np.unique(_neighbours(moves, level[begin : begin + _SLICE]))
        new = np.setdiff1d(neighbours, before, assume_unique=True)
        found.append(np.split(new, np.searchsorted(new, ends)))
    merged = list[NDArray[np.int64]]()
    for parts in zip(*found, strict=True):  # a class after the other, so that none takes long
        check()
        merged.append(np.unique(np.concatenate(parts)))
    return np.concatenate(merged)


def _neighbours(moves: Moves, states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the states after a twist of some, which are in order, with repetitions."""
    of, rest = np.divmod(states, RANKS**2)
    corners, edges = np.divmod(rest, RANKS)
    found = list[NDArray[np.int64]]()
    for number in np.unique(of):
        here = slice(*np.searchsorted(of, [number, number + 1]))
        for move in range(moves.first[number], moves.first[number + 1]):
            changed = [corners[here], edges[here]]
            for step, row in enumerate(moves.changes[move]):
                changed[step // STEPS] = moves.after[row, changed[step // STEPS]]
            found.append(_least(moves, int(moves.there[move]), *changed))
    return np.concatenate(found)


def _least(moves: Moves, number: int, corners: NDArray[Any], edges: NDArray[Any]) -> NDArray[np.int64]:
    """Return the least numbers of the states that turns of a standard shape lead to."""
    found = np.full(len(corners), np.iinfo(np.int64).max)
    for _, corner_change, edge_change in moves.symmetries[moves.symmetries[:, 0] == number]:
        ranks = moves.after[corner_change, corners].astype(np.int64) * RANKS + moves.after[edge_change, edges]
        np.minimum(found, number * RANKS**2 + ranks, out=found)
    return found

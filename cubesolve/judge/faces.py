"""The largest number of one-coloured faces of a pocket cube within a few turns, for hdu-4801."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

from cubesolve.catalog.pocket.cube import CORNER_FACELETS, CORNERS, TWISTS, neighbours, twists_of

MOST_TURNS = 7
"""The largest number of quarter turns in hdu-4801."""

_RARE_FACES = (6, 3, 2)  # numbers that occur in few states, which allows a search backwards; 4 and 5 do not occur
_LOOK_AHEAD = 3


def most_complete_faces(rank: int, turns: int) -> int:
    """Return the largest number of one-coloured faces within a number of quarter turns.

    >>> most_complete_faces(0, 0)
    6
    """
    complete = complete_faces()
    best, seen, reached = 0, {rank}, {rank}
    for left in range(turns, -1, -1):
        for state in reached:
            best = max(best, complete.get(state, 0))
            for faces in _RARE_FACES:
                if best < faces and _turns_to(faces).get(state, MOST_TURNS + 1) <= left:
                    best = faces
        if best and left <= _LOOK_AHEAD:
            break
        reached = {neighbour for state in reached for neighbour in neighbours(state, "qtm")} - seen
        seen |= reached
    return best


@functools.cache
def _turns_to(faces: int) -> dict[int, int]:
    """Return the number of turns that complete some faces, for the states in which `_LOOK_AHEAD` turns suffice."""
    reached = {rank for rank, count in complete_faces().items() if count >= faces}
    turns = dict.fromkeys(reached, 0)
    for distance in range(1, _LOOK_AHEAD + 1):
        reached = {neighbour for state in reached for neighbour in neighbours(state, "qtm")} - turns.keys()
        turns |= dict.fromkeys(reached, distance)
    return turns


@functools.cache
def complete_faces() -> dict[int, int]:
    """Return the number of one-coloured faces of each state that has any, by rank.

    >>> complete_faces()[0]
    6
    """
    counts: dict[int, int] = {}
    faces = [[place for place in _places() if place[2] // 4 == face] for face in range(6)]
    for permutation, pieces in enumerate(itertools.permutations(range(7))):
        names = [CORNERS[piece] for piece in (*pieces, 7)]
        for face in faces:
            for colour in set.intersection(*(set(names[position]) for position, _, _ in face)):
                twists = {position: (place - names[position].index(colour)) % 3 for position, place, _ in face}
                if twists.pop(7, 0) == 0:
                    for twist in _ranks_with(tuple(sorted(twists.items()))):
                        rank = permutation * TWISTS + twist
                        counts[rank] = counts.get(rank, 0) + 1
    return counts


def _places() -> Iterator[tuple[int, int, int]]:
    """Yield the corner position, the place there, and the number of each facelet."""
    for position, corner in enumerate(CORNER_FACELETS):
        for place, facelet in enumerate(corner):
            yield position, place, facelet


@functools.cache
def _ranks_with(twists: tuple[tuple[int, int], ...]) -> list[int]:
    """Return the twist ranks in which some corner positions have given twists."""
    return [rank for rank in range(TWISTS) if all(twists_of(rank)[i] == twist for i, twist in twists)]

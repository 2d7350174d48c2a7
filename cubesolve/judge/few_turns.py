"""The first optimal solution of a 3x3x3 that needs few turns, for rubik-5."""

from __future__ import annotations

import functools

from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.definition.facelets import turn
from cubesolve.definition.notation import FaceTurn, metric_moves

MOST_RUBIK_TURNS = 5
"""The largest number of quarter turns that rubik-5 answers."""

RUBIK_FACES = "LFRBUD"
"""The faces in the problem's numbering."""

_TURNS = metric_moves("qtm", RUBIK_FACES)
_NEAR = 3  # turns; solutions of up to so many are cached, for 1,195 positions


def first_solution(facelets: str) -> list[FaceTurn] | None:
    """Return the first optimal solution of a cube in face letters; None if it needs too many turns.

    >>> [str(move) for move in first_solution(RubikCube.from_alg("F R'").facelets)]
    ['R', "F'"]
    """
    near = _near_solutions()
    reached: list[tuple[tuple[int, ...], str]] = [((), facelets)]
    for turns in range(MOST_RUBIK_TURNS - _NEAR + 1):
        if turns:
            reached = [
                ((*numbers, number), turn(3, state, [move]))
                for numbers, state in reached
                for number, move in enumerate(_TURNS)
            ]
        for numbers, state in reached:
            if state in near:
                return [_TURNS[number] for number in numbers + near[state]]
    return None


@functools.cache
def _near_solutions() -> dict[str, tuple[int, ...]]:
    """Return the first optimal solution, as numbers of turns, of each cube that needs few."""
    level: dict[str, tuple[int, ...]] = {RubikCube.solved().facelets: ()}
    found = dict(level)
    for _ in range(_NEAR):
        further: dict[str, tuple[int, ...]] = {}
        for facelets, solution in level.items():
            for number, move in enumerate(_TURNS):
                before = turn(3, facelets, [move.inverse()])
                if before not in found:
                    longer = (number, *solution)
                    further[before] = min(further.get(before, longer), longer)
        found |= further
        level = further
    return found

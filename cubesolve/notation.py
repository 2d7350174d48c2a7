"""Moves, algs and metrics in the notation of the World Cube Association.

A *move* is a letter and an amount: ``U`` is a quarter turn clockwise as one looks at the face, ``U'`` the same
anticlockwise, ``U2`` a half turn. ``Uw`` turns the face and the layer behind it, ``M E S`` turn the layer between two
faces as ``L D F`` would, ``x y z`` the whole cube as ``R U F`` would. An *alg* is a sequence of moves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from cubesolve.errors import InvalidMoveError

FACES = "URFDLB"
"""The six faces, in the order in which facelets are listed."""

ROTATIONS = "xyz"
"""The letters of whole-cube rotations."""

SLICES = "MES"
"""The letters of turns of the layer between L and R, D and U, F and B."""

LETTERS = (*(face + "w" for face in FACES), *FACES, *SLICES, *ROTATIONS)
"""Every letter with which a move of a 3x3x3 cube can begin."""

METRICS = {"htm": (1, 2, 3), "qtm": (1, 3)}
"""The amounts, in quarter turns clockwise, that count as one move: half-turn and quarter-turn metric."""

_SUFFIXES = {1: "", 2: "2", 3: "'"}
_AMOUNTS = {"": 1, "2": 2, "'": 3, "2'": 2}
_SUFFIX = r"(2?['\u2019]?)\s*"


class Move(NamedTuple):
    """A letter and how many quarter turns clockwise (1 to 3).

    >>> Move("R", 3), str(Move("R", 3)), str(Move("R", 3).inverse())
    (Move(letter='R', turns=3), "R'", 'R')
    """

    letter: str
    turns: int

    def __str__(self) -> str:
        return self.letter + _SUFFIXES[self.turns]

    def inverse(self) -> Move:
        """The move that undoes this one."""
        return Move(self.letter, 4 - self.turns)


def parse_alg(alg: str, letters: Sequence[str] = FACES + ROTATIONS) -> list[Move]:
    """Read an alg; white space between moves is optional.

    Args:
        alg: moves in WCA notation; a typographic apostrophe is read as ``'``, and ``U2'`` as ``U2``.
        letters: the letters allowed; one that begins like another comes before it.

    Raises:
        InvalidMoveError: a token is not a move with one of these letters.

    >>> [str(move) for move in parse_alg("R U2 R'x")]
    ['R', 'U2', "R'", 'x']
    >>> [str(move) for move in parse_alg("Rw2 M'", LETTERS)]
    ['Rw2', "M'"]
    """
    token = re.compile(f"({'|'.join(letters)}){_SUFFIX}")  # here, not above: many a start gets by without algs
    moves = []
    position = len(alg) - len(alg.lstrip())
    while position < len(alg):
        match = token.match(alg, position)
        if match is None:
            raise InvalidMoveError(alg[position:].split(maxsplit=1)[0], position)
        moves.append(Move(match[1], _AMOUNTS[match[2].replace("\u2019", "'")]))
        position = match.end()
    return moves


def moves_of(alg: str | Move, letters: Sequence[str] = FACES + ROTATIONS) -> list[Move]:
    """The moves of an alg, or a single move that is given as such.

    Raises:
        InvalidMoveError: a token is not a move with one of these letters, or a `Move` has no such letter or amount.

    >>> moves_of("R U2") == [*moves_of(Move("R", 1)), *moves_of(Move("U", 2))]
    True
    """
    if isinstance(alg, str):
        return parse_alg(alg, letters)
    if alg.letter not in [*letters] or alg.turns not in _SUFFIXES:
        raise InvalidMoveError(f"{alg.letter} {alg.turns}", 0)
    return [alg]


def format_alg(moves: list[Move]) -> str:
    """Write moves as an alg, one blank between them.

    >>> format_alg([Move("R", 1), Move("U", 2)])
    'R U2'
    """
    return " ".join(map(str, moves))


def invert_alg(alg: str) -> str:
    """The alg that undoes `alg`, which can have any of the `LETTERS`.

    Raises:
        InvalidMoveError: `alg` is not an alg.

    >>> invert_alg("R U2 F'")
    "F U2 R'"
    """
    return format_alg([move.inverse() for move in reversed(parse_alg(alg, LETTERS))])


def require_metric(metric: str) -> None:
    """Refuse what is no metric.

    Raises:
        ValueError: there is no such metric.

    >>> require_metric("qtm")
    """
    if metric not in METRICS:
        raise ValueError(f"unknown metric {metric!r}: expected {' or '.join(METRICS)}")


def metric_moves(metric: str, letters: str) -> list[Move]:
    """The moves that count as one in a metric, in the order in which ties are broken.

    Raises:
        ValueError: there is no such metric.

    >>> format_alg(metric_moves("htm", "UR")), format_alg(metric_moves("qtm", "UR"))
    ("U U2 U' R R2 R'", "U U' R R'")
    """
    require_metric(metric)
    return [Move(letter, turns) for letter in letters for turns in METRICS[metric]]

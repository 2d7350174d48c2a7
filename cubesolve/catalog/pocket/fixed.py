"""Pocket cubes in a fixed orientation: the corners of a 3x3x3 whose centres are at home."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

from cubesolve.catalog.pocket import cube
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.rubik.cube import CORNERS, turn_cubies
from cubesolve.definition.facelet_view import cube_of
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.errors import InvalidStateError
from cubesolve.spaces.rules import Graph, InArrays
from cubesolve.spaces.tables import TableEntry

_TWISTS = 3**7


class _Corners(NamedTuple):
    """The piece at each position of a 3x3x3, and the position of its U or D colour."""

    pieces: list[int]
    twists: list[int]


class FixedGraph(Graph[PocketCube]):
    """Pocket cubes with turns of all six faces, which end with each colour on its home face."""

    moves = tuple(str(move) for move in metric_moves("htm", FACES))

    def __init__(self, entry: TableEntry) -> None:
        """Take the table of all corners."""
        self.entry = entry
        self.states = entry.header.entries

    def rank(self, given: Any) -> int:
        """Return the rank of a cube in its orientation."""
        if isinstance(given, str):
            given = cube_of(PocketCube, given)
        state = given if isinstance(given, PocketCube) else PocketCube(given)
        if state.colours != FACES:
            reason = "a fixed orientation needs face letters: PocketCube.from_facelets(..., colours=...) says which are"
            raise InvalidStateError(f"{reason} at home", "colours")
        pieces, twists = [], []
        for name in CORNERS:
            looks = "".join(state.facelets[i] for i in cube.CORNER_FACELETS[cube.CORNERS.index(name)])
            twist = next(k for k, colour in enumerate(looks) if colour in "UD")
            pieces.append(CORNERS.index(looks[twist:] + looks[:twist]))
            twists.append(twist)
        return _rank(pieces, twists)

    def in_arrays(self) -> InArrays:
        """Return how the graph is given as arrays, which needs numpy."""
        from cubesolve.catalog.pocket.spaces import corner_space  # noqa: PLC0415  # needs numpy

        return InArrays(lambda: corner_space(metric_moves(self.entry.header.metric, FACES)), self._form)

    def _form(self) -> NoReturn:
        raise ValueError("a fixed orientation is not supported for arrays")

    def unrank(self, rank: int) -> PocketCube:
        """Return the cube with a rank."""
        facelets = [""] * len(cube.FACELET_NAMES)
        for name, piece, twist in zip(CORNERS, *_unrank(rank), strict=True):
            places = cube.CORNER_FACELETS[cube.CORNERS.index(name)]
            for k, colour in enumerate(CORNERS[piece]):
                facelets[places[(k + twist) % 3]] = colour
        return PocketCube("".join(facelets))

    def neighbours(self, rank: int) -> Sequence[int]:
        """Return the ranks after turns of the six faces."""
        pieces, twists = _unrank(rank)
        return [
            _rank([pieces[i] for i in origin], [(twists[i] + by) % 3 for i, by in zip(origin, change, strict=True)])
            for origin, change in _turns()
        ]


@functools.cache
def _turns() -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [turn_cubies(move)[:2] for move in metric_moves("htm", FACES)]


def _rank(pieces: Sequence[int], twists: Sequence[int]) -> int:
    rank, left = 0, list(range(len(CORNERS)))
    for piece in pieces:
        rank = rank * len(left) + left.index(piece)
        left.remove(piece)
    return _TWISTS * rank + functools.reduce(lambda total, twist: 3 * total + twist, twists[:-1])


def _unrank(rank: int) -> _Corners:
    permutation, number = divmod(rank, _TWISTS)
    twists = [number // 3**i % 3 for i in reversed(range(len(CORNERS) - 1))]
    digits = []
    for radix in range(1, len(CORNERS) + 1):
        permutation, digit = divmod(permutation, radix)
        digits.append(digit)
    left = list(range(len(CORNERS)))
    return _Corners([left.pop(digit) for digit in reversed(digits)], [*twists, -sum(twists) % 3])

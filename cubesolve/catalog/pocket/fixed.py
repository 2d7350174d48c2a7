"""Pocket cubes in a fixed orientation: the corners of a 3x3x3 whose centres are at home."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from cubesolve.catalog.pocket import cube
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.rubik.cube import CORNER_LOOKS, CORNERS, turn_cubies
from cubesolve.definition.facelet_view import cube_of
from cubesolve.definition.facelets import piece_facelets, piece_writer
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.errors import InvalidStateError
from cubesolve.spaces.rules import Graph, InArrays
from cubesolve.spaces.tables import TableEntry

_TWISTS = 3**7
_PLACES = tuple(piece_facelets(2, name) for name in CORNERS)
_WRITE = piece_writer(_PLACES)


class FixedGraph(Graph[PocketCube]):
    """Pocket cubes with turns of all six faces, which end with each colour on its home face."""

    moves = tuple(str(move) for move in metric_moves("htm", FACES))

    def __init__(self, entry: TableEntry) -> None:
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
        looks = ("".join(state.facelets[i] for i in places) for places in _PLACES)
        pieces, twists = zip(*map(CORNER_LOOKS.__getitem__, looks), strict=True)
        return _rank(pieces, twists)

    def in_arrays(self) -> InArrays:
        """Return how the graph is given as arrays, which needs numpy."""
        from cubesolve.catalog.pocket.spaces import corner_space  # noqa: PLC0415  # needs numpy

        return InArrays(lambda: corner_space(metric_moves(self.entry.header.metric, FACES)), self._form)

    def _form(self) -> NoReturn:
        raise ValueError("a fixed orientation is not supported for arrays")

    def unrank(self, rank: int) -> PocketCube:
        """Return the cube with a rank."""
        pieces, twists = _unrank(rank)
        return PocketCube(_WRITE(map(CORNERS.__getitem__, pieces), twists))

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


@functools.cache
def _orders() -> dict[tuple[int, ...], int]:
    """Return the ranks of all orders of the pieces, by rank."""
    return {pieces: rank for rank, pieces in enumerate(itertools.permutations(range(8)))}


@functools.cache
def _listed_orders() -> list[tuple[int, ...]]:
    return list(_orders())


def _rank(pieces: Iterable[int], twists: Sequence[int]) -> int:
    return _TWISTS * _orders()[tuple(pieces)] + cube.twist_rank(twists[:-1])


def _unrank(rank: int) -> tuple[tuple[int, ...], list[int]]:
    """Return the piece at each position of a 3x3x3, and the position of its U or D colour."""
    order, twist = divmod(rank, _TWISTS)
    return _listed_orders()[order], cube.twists_of(twist, corners=8)

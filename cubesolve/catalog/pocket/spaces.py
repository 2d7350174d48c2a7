"""Pocket cubes, and the corners of the 3x3x3, as arrays (numpy).

``catalog.pocket`` defines the ranks of single cubes; this module has the same for arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.pocket import cube as pocket
from cubesolve.catalog.rubik.projections import CORNERS, orientations, outer_orders
from cubesolve.definition.notation import FACES, FaceTurn
from cubesolve.errors import InvalidStateError
from cubesolve.spaces.batches import CHANGED, COLOURS, SMALL, ArrayForm, Batch, as_array, as_bytes, of_ranks, one_by_one
from cubesolve.spaces.rows import all_orders, order_ranks
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.vectors import LabelEncoding

_MOVING = 7  # corners of the pocket cube beside DBL


def pocket_space(moves: Sequence[FaceTurn]) -> StateSpace:
    """Return the space of the pocket cube with some turns of U, R and F; ranks are those of `PocketCube`."""
    tables = [pocket.turn_tables(move) for move in moves]
    base, fibre = (np.array(coordinate) for coordinate in zip(*tables, strict=True))
    return StateSpace.of_pair(base, fibre, mutual=all(move.inverse() in moves for move in moves))


def corner_space(moves: Sequence[FaceTurn]) -> StateSpace:
    """Return the space of the corners of the 3x3x3: permutations are the base, twists the fibre."""
    base, fibre = outer_orders(CORNERS).after(moves), orientations(CORNERS).after(moves)
    return StateSpace.of_pair(base, fibre, mutual=all(move.inverse() in moves for move in moves))


# -- Arrays of pocket cubes --------------------------------------------------------------------------------------------


@functools.cache
def _corner_parts() -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return three times the pieces of each permutation, the twists of each rank, the faces of each twisted piece."""
    pieces = np.insert(all_orders(_MOVING), _MOVING, _MOVING, axis=1)
    twists = [(*pocket.twists_of(rank), 0) for rank in range(pocket.TWISTS)]
    looks = [
        [FACES.index(corner[(k - twist) % 3]) for k in range(3)] for corner in pocket.CORNERS for twist in range(3)
    ]
    return 3 * pieces.astype(np.uint8), np.array(twists, np.uint8), np.array(looks, np.uint8)


def pocket_facelets(ranks: NDArray[np.int64], colours: Sequence[int]) -> NDArray[np.uint8]:
    """Return uint8 (N, 24): the facelets of pocket cubes with some ranks, the corner DBL at home."""
    pieces, twists, looks = _corner_parts()
    facelets = np.empty((len(ranks), 24), np.uint8)
    corners = np.array(list(colours), np.uint8)[looks][pieces[ranks // pocket.TWISTS] + twists[ranks % pocket.TWISTS]]
    facelets[:, np.ravel(pocket.CORNER_FACELETS)] = corners.reshape(-1, 24)
    return facelets


def pocket_inverses() -> NDArray[np.int32]:
    """Return the rank of the inverse of each pocket cube."""
    pieces = all_orders(_MOVING)
    permutations = order_ranks(np.argsort(pieces, axis=1))  # the position of each piece
    # The piece at a position contributes its inverse twist to its home; that of the last home follows from the others.
    weights = np.append(3 ** np.arange(_MOVING - 1)[::-1], 0)[pieces]
    twists = _corner_parts()[1][:, :_MOVING].astype(np.int64)
    inverses = pocket.TWISTS * permutations[:, None] + weights @ (-twists % 3).T
    return np.asarray(inverses, np.int32).reshape(-1)


_FACELETS = len(pocket.FACELET_NAMES)
_SHAPES = {(_FACELETS,), (6, 4), (6, 2, 2)}
_STAND_IN = 0x4E00  # characters that occur in no message; they stand for bytes, in the same order
_FACE_LETTERS = frozenset(b"URFDLB")


def _of_facelets(rows: NDArray[Any], shape: tuple[int, ...], at_home: bool) -> Batch:
    """Return a batch of pocket cubes: integers (N, 24), or text (N,) of the dtype S24."""
    is_text, many = rows.dtype.kind == "S", len(rows) > SMALL

    def in_bytes(part: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return the bytes of some rows, and whether each row consists of bytes."""
        if not is_text:
            return as_bytes(part)
        facelets = np.ascontiguousarray(part).view(np.uint8).reshape(-1, _FACELETS)
        return facelets, facelets[:, -1] != 0  # padding of rows that are too short

    def ranks(part: NDArray[Any]) -> NDArray[np.int64]:
        facelets, sound = in_bytes(part)
        if many:
            from cubesolve.catalog.pocket.facelets import read_facelets  # noqa: PLC0415  # needs numba

            found = read_facelets(facelets, at_home).astype(np.int64)
        else:
            found = np.fromiter((_rank(row.tobytes(), at_home) for row in facelets), np.int64, len(facelets))
        return np.where(sound, found, -1)

    def fault(row: Any) -> str:
        if is_text:
            return _fault(bytes(row))
        for name, value in zip(pocket.FACELET_NAMES, row.tolist(), strict=True):
            if not 0 <= value < 256:
                return f"{value} at {name} is not a colour: 0 to 255"
        return _fault(bytes(row.tolist()))

    return Batch(rows, ranks, fault, shape)


def _fault(facelets: bytes) -> str:
    """Return the error of a pocket cube."""
    try:
        pocket.PocketCube(_readable(facelets))
    except InvalidStateError as error:
        return "".join(str(ord(s) - _STAND_IN) if 0 <= ord(s) - _STAND_IN < 256 else s for s in str(error))
    return CHANGED


def _readable(facelets: bytes) -> str:
    """Return facelets as text for a message; characters that cannot be shown are replaced."""
    printable = all(33 <= value < 127 for value in facelets)
    return "".join(
        chr(value) if printable or (33 <= value < 127 and not 48 <= value < 58) else chr(_STAND_IN + value)
        for value in facelets
    )


def _rank(facelets: bytes, at_home: bool) -> int:
    """Return the rank of a pocket cube, -1 if it is invalid; white space is a colour like any other byte."""
    letters = frozenset(facelets) == _FACE_LETTERS
    text = "".join(chr(value if letters else _STAND_IN + value) for value in facelets)
    try:
        return pocket.PocketCube(text).rank if at_home else pocket.reference_rank(text)
    except InvalidStateError:
        return -1


class FaceletForm(ArrayForm):
    """Pocket cubes as their facelets."""

    column = "facelets"
    dtype = np.dtype(f"S{_FACELETS}")
    numbering = COLOURS
    encoding = LabelEncoding(_FACELETS, len(FACES))

    def __init__(self, read: Callable[[object], pocket.PocketCube]) -> None:
        """Take a function that reads a cube given as one, as its facelets, as an alg or as its rank."""
        self._read = read

    def batch(self, given: Any, *, at_home: bool = False) -> Batch:
        """Read ranks (N,); facelets as integers (N, 24), (N, 6, 4) or (N, 6, 2, 2); text; or a list of cubes."""
        if isinstance(given, (list, tuple)) and any(isinstance(cube, (str, pocket.PocketCube)) for cube in given):
            return self._each(given, at_home)
        if isinstance(given, (str, pocket.PocketCube)):
            return self._each([given], at_home, ())
        array = as_array(given)
        if array.dtype == self.dtype and array.ndim <= 1:
            return _of_facelets(array.reshape(-1), array.shape, at_home)
        if array.dtype.kind in "USO" and array.ndim <= 1:
            return self._each(array.ravel().tolist(), at_home, array.shape)
        if array.dtype.kind in "iu" and array.ndim <= 1 and not _maybe_facelets(array):
            return of_ranks(array, pocket.STATES)
        if array.dtype.kind in "iu" and array.shape[1:] in _SHAPES:
            return _of_facelets(array.reshape(len(array), _FACELETS), array.shape[:1], at_home)
        expected = (
            "pocket cubes are ranks (N,), facelets (N, 24), (N, 6, 4) or (N, 6, 2, 2), all integers, or text (N,)"
        )
        hint = ": one cube is reshape(1, 24)" if _maybe_facelets(array) else ""
        raise InvalidStateError(f"{expected}, not {array.dtype} {array.shape}{hint}")

    def _each(self, given: Sequence[Any], at_home: bool, shape: tuple[int, ...] | None = None) -> Batch:
        """Return cubes that are read one by one."""

        def rank(each: object) -> int:
            cube = self._read(each)
            return cube.rank if at_home else cube.reference_rank

        return one_by_one(given, rank, shape)

    def written(self, ranks: NDArray[np.int64]) -> NDArray[np.generic]:
        """Return the states with some ranks, of the type `dtype`."""
        return pocket_facelets(ranks, FACES.encode()).view(self.dtype)[:, 0]

    def labels(self, ranks: NDArray[np.int64]) -> NDArray[np.integer]:
        """Return the states with some ranks as labels, (N, points)."""
        return pocket_facelets(ranks, range(len(FACES)))

    def of_labels(self, labels: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the numbers of states that are given as labels, (N, points)."""
        letters: NDArray[np.integer] = np.array([*FACES.encode()], np.uint8)[labels]
        return letters

    def texts(self, written: NDArray[np.generic]) -> list[str]:
        """Return the states with some ranks as text."""
        return [facelets.decode() for facelets in written.tolist()]


def _maybe_facelets(array: NDArray[Any]) -> bool:
    """Return whether 24 values that could be ranks are much more likely the facelets of one cube."""
    return array.dtype == np.uint8 and array.shape == (_FACELETS,)

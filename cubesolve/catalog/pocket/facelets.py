"""A reader of arrays of pocket cubes; `catalog.pocket.cube` reads single ones.

Faces are numbered in the order URFDLB, and three of them make a number of three octal digits; the digit _OTHER is a
colour that is not known to be on a face.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.pocket import cube as pocket
from cubesolve.definition.facelets import cube_rotations
from cubesolve.definition.notation import FACES
from cubesolve.runtime.kernel_arrays import Array1, Read1, Read2
from cubesolve.runtime.kernels import kernel, part

INVALID = -1  # rank of an invalid row

_OTHER = 7
_UP, _RIGHT, _FRONT, _DOWN, _LEFT, _BACK = range(6)
_D3, _B4, _L3 = pocket.CORNER_FACELETS[-1]
_EACH_ONCE = pocket.EACH_PIECE_ONCE


class _Readings(NamedTuple):
    """The lookup tables of the kernel that reads facelets."""

    corners: Read2[np.int64]  # (8, 3): the facelets of each corner position, clockwise
    # (512,): for corners with two known colours of D, B and L, the third face (0 up, 1 right, 2 front) times four, plus
    # its place; 12 (down, which is known) for all others
    third: Read1[np.uint8]
    codes: Read2[np.int64]  # (7, 512): see `pocket.CORNER_CODES`; 0 for invalid corners
    heads: Read1[np.int32]  # (4096,): see `pocket.permutation_parts`
    tails: Read1[np.int32]  # (512,): likewise
    letters: Read1[np.uint8]  # (256,): the face of a letter, or _OTHER
    # (6, 6): the face that is next to two others as F is next to U and R; _OTHER if these are equal or opposite
    sides: Read2[np.uint8]
    homing: Read2[np.int64]  # (24, 24): for each facelet that can be brought to D3, the sources of the colours then


@functools.cache
def _readings() -> _Readings:
    third = np.full(512, 12, np.uint8)
    for which, pair in enumerate(((_LEFT, _BACK), (_BACK, _DOWN), (_DOWN, _LEFT))):
        for place in range(3):
            digits = np.roll([*pair, _OTHER], place - 2)
            third[_octal(*digits)] = 4 * which + place
    codes = np.zeros((7, 512), np.int64)
    for position, by_looks in enumerate(pocket.CORNER_CODES):
        for looks, code in by_looks.items():
            codes[position, _octal(*map(FACES.index, looks))] = code
    head_parts, tail_parts = pocket.permutation_parts()
    heads, tails = np.zeros(8**4, np.int32), np.zeros(8**3, np.int32)
    heads[list(head_parts)] = list(head_parts.values())
    tails[list(tail_parts)] = list(tail_parts.values())
    letters, sides = np.full(256, _OTHER, np.uint8), np.full((6, 6), _OTHER, np.uint8)
    letters[np.frombuffer(FACES.encode(), np.uint8)] = range(6)
    for scheme in cube_rotations():
        up, right, front = map(FACES.index, scheme[:3])
        sides[up, right] = front
    homing = np.array([list(pocket.turns_to_d3()[facelet][1](range(24))) for facelet in range(24)], np.int64)
    corners = np.array(pocket.CORNER_FACELETS, np.int64)
    return _Readings(corners, third, codes, heads, tails, letters, sides, homing)


def _octal(first: int, second: int, third: int) -> int:
    return first << 6 | second << 3 | third


@part
def _looks(first: int, second: int, third: int) -> np.uint64:  # unsigned, so an index needs no check of its sign
    return np.uint64(first) << np.uint64(6) | np.uint64(second) << np.uint64(3) | np.uint64(third)


@part
def _reference_rank(
    row: NDArray[np.uint8],
    corners: NDArray[np.int64],
    third: NDArray[np.uint8],
    codes: NDArray[np.int64],
    heads: NDArray[np.int32],
    tails: NDArray[np.int32],
    faces: NDArray[np.uint8],
    colours: NDArray[np.uint8],
) -> int:
    """Return the reference rank of one cube, or INVALID; `faces` must be _OTHER for every colour, and is restored.

    The colours of U R F D L B, when the corner at DBL is at home, are written to `colours`.
    """
    down, back, left = row[_D3], row[_B4], row[_L3]
    faces[down], faces[left], faces[back] = _DOWN, _LEFT, _BACK
    # The colour of a face that no corner determines is one that occurs twice.
    colours[_UP], colours[_RIGHT], colours[_FRONT] = down, down, down
    for i in range(7):
        which = third[_looks(faces[row[corners[i, 0]]], faces[row[corners[i, 1]]], faces[row[corners[i, 2]]])]
        colours[which >> 2] = row[corners[i, which & 3]]
    up, right, front = colours[_UP], colours[_RIGHT], colours[_FRONT]
    colours[_DOWN], colours[_LEFT], colours[_BACK] = down, left, back
    faces[up], faces[right], faces[front] = _UP, _RIGHT, _FRONT
    distinct = (faces[up] == _UP) & (faces[right] == _RIGHT) & (faces[front] == _FRONT)
    distinct &= (faces[down] == _DOWN) & (faces[left] == _LEFT) & (faces[back] == _BACK)
    code = 0
    for i in range(7):
        code += codes[i, _looks(faces[row[corners[i, 0]]], faces[row[corners[i, 1]]], faces[row[corners[i, 2]]])]
    faces[up], faces[right], faces[front] = _OTHER, _OTHER, _OTHER
    faces[down], faces[left], faces[back] = _OTHER, _OTHER, _OTHER
    if distinct and code >> 37 == _EACH_ONCE and (code >> 10 & 63) % 3 == 0:
        return int(heads[code >> 25 & 0o7777] + tails[code >> 16 & 0o777] + (code & 1023))
    return INVALID


@part
def _is_named(colours: NDArray[np.uint8], letters: NDArray[np.uint8]) -> bool:
    """Return whether six colours are face letters, those of opposite faces on opposite faces."""
    named = True
    for face in range(3):
        named &= letters[colours[face]] != _OTHER
        named &= letters[colours[face + 3]] == (letters[colours[face]] + 3) % 6
    return named


@part
def _home(keys: NDArray[np.uint8], sides: NDArray[np.uint8]) -> tuple[int, int, int]:
    """Return the faces of the colours of D, B and L at home: there, U has the least key, and R the least beside it."""
    up = int(np.argmin(keys))
    right = (up + 1) % 3
    for face in range(6):
        right = face if sides[up, face] != _OTHER and keys[face] < keys[right] else right
    return (up + 3) % 6, int((sides[up, right] + 3) % 6), (right + 3) % 6


@kernel()
def _read(rows: Read2[np.uint8], readings: _Readings, at_home: bool, ranks: Array1[np.int32]) -> int:
    """Write the ranks of cubes, of the reference corner or at home."""
    corners, third, codes, heads, tails, letters, sides, homing = readings
    faces, colours, keys = np.empty(256, np.uint8), np.empty(6, np.uint8), np.empty(6, np.uint8)
    row, turned = np.empty(24, np.uint8), np.empty(24, np.uint8)
    for colour in range(256):
        faces[colour] = _OTHER
    for n in range(len(rows)):
        for j in range(24):
            row[j] = rows[n, j]
        rank = _reference_rank(row, corners, third, codes, heads, tails, faces, colours)
        named = _is_named(colours, letters)
        if named and sides[letters[colours[_UP]], letters[colours[_RIGHT]]] != letters[colours[_FRONT]]:
            rank = INVALID  # a mirror scheme
        if at_home and rank != INVALID:
            for face in range(6):
                keys[face] = letters[colours[face]] if named else colours[face]
            down, back, left = _home(keys, sides)
            if down != _DOWN or back != _BACK:
                facelet = 0  # the one that shows the colour of D on the corner with these three colours
                while (
                    row[homing[facelet, _D3]] != colours[down]
                    or row[homing[facelet, _B4]] != colours[back]
                    or row[homing[facelet, _L3]] != colours[left]
                ):
                    facelet += 1
                for j in range(24):
                    turned[j] = row[homing[facelet, j]]
                rank = _reference_rank(turned, corners, third, codes, heads, tails, faces, colours)
        ranks[n] = rank
    return 0


def read_facelets(facelets: NDArray[np.uint8], at_home: bool = False) -> NDArray[np.int32]:
    """Return int32 (N,): the ranks of pocket cubes, uint8 (N, 24), in any orientation; INVALID for invalid rows."""
    ranks = np.empty(len(facelets), np.int32)
    _read(facelets, _readings(), at_home, ranks)
    return ranks

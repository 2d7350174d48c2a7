"""Notations of pocket cubes other than the 24 facelets of this project.

A *layout* is the order in which a format lists the facelets. All formats but ``cubies`` and ``alg`` differ only in the
layout and in the symbols of the colours.
"""

from __future__ import annotations

from collections.abc import Sequence

from cubesolve.catalog.pocket.cube import CORNER_FACELETS, CORNERS, FACELET_NAMES, PocketCube, write_corners
from cubesolve.definition.view import Form
from cubesolve.errors import InvalidStateError, quoted


def _layout(names: str) -> tuple[int, ...]:
    """Return the numbers of facelets by name; the letter of a face means its four facelets row by row."""
    expanded = [f"{name}1 {name}2 {name}3 {name}4" if len(name) == 1 else name for name in names.split()]
    return tuple(map(FACELET_NAMES.index, " ".join(expanded).split()))


LAYOUTS = {
    "urfdlb": _layout("U R F D L B"),
    "uva": _layout("U F R D B L"),
    "corners": _layout("U3 F1 L2 R1 F2 U4 L4 F3 D1 D2 F4 R3 L1 B2 U1 U2 B1 R2 D3 L3 B4 R4 B3 D4"),
    "hdu-2953": _layout("U F1 F2 R1 R2 B1 B2 L1 L2 F3 F4 R3 R4 B3 B4 L3 L4 D"),
    "hdu-2691": _layout("U L1 L2 F1 F2 R1 R2 B1 B2 L3 L4 F3 F4 R3 R4 B3 B4 D"),
    "hdu-4801": _layout("U L1 L2 F1 F2 R1 R2 L3 L4 F3 F4 R3 R4 D B4 B3 B2 B1"),
    "mipt-041": _layout("U F D B4 B3 B2 B1 L R"),
    "cf-887c": _layout("U F D L R B"),
}
"""The facelets in the order of each format."""

UVA_COLOURS = "WYRBGO"  # colours of U R F D L B on the cube of UVa 11007: clockwise round a corner W, Y, R


def arrange(symbols: Sequence[str], layout: str) -> str:
    """Return symbols in the order of a layout, reordered to URFDLB."""
    if len(symbols) != 24:
        raise InvalidStateError(f"a pocket cube has 24 facelets, not {len(symbols)}")
    long = next((symbol for symbol in symbols if len(symbol) != 1), None)
    if long is not None:
        raise InvalidStateError(f"{quoted(long)} is not one symbol")
    facelets = [""] * 24
    for facelet, symbol in zip(LAYOUTS[layout], symbols, strict=True):
        facelets[facelet] = symbol
    return "".join(facelets)


def _of_layout(layout: str, group: int, description: str, colours: str | None = None) -> Form[PocketCube]:
    """Return the form of 24 letters in the order of a layout, in groups of so many, and in given colours or any."""

    def read(text: str) -> PocketCube:
        return PocketCube.from_facelets(arrange("".join(text.split()), layout), colours)

    def write(cube: PocketCube) -> str:
        facelets = cube.facelets.translate(str.maketrans(cube.colours, colours)) if colours else cube.facelets
        written = "".join(facelets[i] for i in LAYOUTS[layout])
        return " ".join(written[i : i + group] for i in range(0, 24, group))

    return Form(read, write, description)


# cubies-14 numbers positions and pieces in this order; the last one is at home and is not written.
_CUBIES = tuple(map(CORNERS.index, ("UFL", "URF", "UBR", "ULB", "DLF", "DFR", "DRB", "DBL")))
_AXES = ("UD", "FB", "LR")


def parse_cubies(text: str) -> PocketCube:
    """Read fourteen numbers: the piece at each of seven positions, and the position of its U or D facelet."""
    tokens = text.split()
    if len(tokens) != 14:
        raise InvalidStateError(f"a cube is 14 numbers in this format, not {len(tokens)}")
    pieces = [_number(token, "0123456", "the piece", i) for i, token in enumerate(tokens[:7])]
    axes = [_number(token, "012", "the direction", i) for i, token in enumerate(tokens[7:])]
    for i, piece in enumerate(pieces):
        if piece in pieces[:i]:
            raise InvalidStateError(
                f"piece {piece} is both at {_cubie_name(pieces.index(piece))} and at {_cubie_name(i)}"
            )
    cubies, twists = [""] * 8, [0] * 8
    for position, piece, axis in zip(_CUBIES, [*pieces, 7], [*axes, 0], strict=True):
        twists[position] = next(k for k, face in enumerate(CORNERS[position]) if face in _AXES[axis])
        cubies[position] = CORNERS[_CUBIES[piece]]
    return PocketCube(write_corners(cubies, twists))


def format_cubies(cube: PocketCube) -> str:
    """Write a cube, rotated home, as fourteen numbers."""
    facelets = cube.normalized().facelets
    pieces, axes = [], []
    for position in _CUBIES[:7]:
        looks = [facelets[i] for i in CORNER_FACELETS[position]]
        pieces.append(next(i for i, piece in enumerate(_CUBIES) if set(CORNERS[piece]) == set(looks)))
        points_to = next(face for face, colour in zip(CORNERS[position], looks, strict=True) if colour in "UD")
        axes.append(next(i for i, axis in enumerate(_AXES) if points_to in axis))
    return " ".join(map(str, pieces + axes))


FORMS = {
    "uva": _of_layout("uva", 4, "24 letters W R Y B O G, Top Front Right Bottom Back Left", UVA_COLOURS),
    "corners": _of_layout("corners", 3, "24 letters, three per corner"),
    "cubies": Form(parse_cubies, format_cubies, "14 numbers: the pieces, then the directions of their U or D facelets"),
    "alg": Form(PocketCube.from_alg, None, "moves from the solved cube", empty=True),
}


def _cubie_name(number: int) -> str:
    return CORNERS[_CUBIES[number]]


def _number(token: str, digits: str, what: str, place: int) -> int:
    if len(token) != 1 or token not in digits:
        raise InvalidStateError(
            f"{what} at {_cubie_name(place)} is {quoted(token)}, not a number from 0 to {digits[-1]}"
        )
    return int(token)

"""Pictures of puzzles: as text, in the terminal's colours, and as SVG."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isqrt
from xml.sax.saxutils import escape

import click

from cubesolve.notation import FACES
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.rolling import VACANCY, Shape
from cubesolve.catalog.rubik.cube import RubikCube

_FACE_COLOURS = dict(
    zip(
        FACES,
        ((255, 255, 255), (200, 30, 45), (0, 155, 75), (255, 213, 0), (255, 120, 0), (0, 90, 200)),
        strict=True,
    )
)
_LETTER_COLOURS = dict(zip("WRGYOB", _FACE_COLOURS.values(), strict=True))

# The cross net: where each face stands, in faces from the top left.
_NET = {"U": (1, 0), "L": (0, 1), "F": (1, 1), "R": (2, 1), "B": (3, 1), "D": (1, 2)}

Cube = PocketCube | RubikCube
Colour = tuple[int, int, int]


def _colours(cube: Cube) -> dict[str, Colour]:
    """What each symbol looks like: letters that name usual colours say so themselves, others go by their faces."""
    if set(cube.colours) == set(_LETTER_COLOURS):
        return _LETTER_COLOURS
    return dict(zip(cube.colours, _FACE_COLOURS.values(), strict=True))


def _size(cube: Cube) -> int:
    """How many facelets a face has in a row."""
    return isqrt(len(cube.facelets) // 6)


def _facelets_in_net(cube: Cube) -> dict[tuple[int, int], str]:
    """The symbols by column and row of the net."""
    places, size = {}, _size(cube)
    for index, symbol in enumerate(cube.facelets):
        column, row = _NET[FACES[index // size**2]]
        down, along = divmod(index % size**2, size)
        places[size * column + along, size * row + down] = symbol
    return places


def _hex(colour: Colour) -> str:
    return "#" + bytes(colour).hex()


def net_text(cube: Cube, colour: bool = False) -> str:
    """The net of a cube as lines of text, a row of facelets a line.

    Args:
        cube: the cube.
        colour: paint the facelets with the terminal's escape sequences.

    >>> print(net_text(PocketCube.from_alg("R")))
        U F
        U F
    L L F D R R U B
    L L F D R R U B
        D B
        D B
    """
    places, colours, size = _facelets_in_net(cube), _colours(cube), _size(cube)

    def cell(column: int, row: int) -> str:
        symbol = places.get((column, row))
        if symbol is None:
            return "  "
        return click.style(f"{symbol} ", fg="black", bg=colours[symbol]) if colour else f"{symbol} "

    rows = ("".join(cell(column, row) for column in range(4 * size)) for row in range(3 * size))
    return "\n".join(row.rstrip() for row in rows)


def net_svg(cube: Cube) -> str:
    """The net of a cube as an SVG document.

    >>> net_svg(PocketCube.solved()).count("<rect"), net_svg(RubikCube.solved()).count("<rect")
    (24, 54)
    """
    colours, size = _colours(cube), _size(cube)
    squares = [
        _square(column * _SIZE + column // size * _GAP, row * _SIZE + row // size * _GAP, colours[symbol], symbol)
        for (column, row), symbol in _facelets_in_net(cube).items()
    ]
    return _document(4 * size * _SIZE + 3 * _GAP, 3 * size * _SIZE + 2 * _GAP, cube.facelets, squares)


_SIZE, _GAP = 40, 12
_PAINTS = {"W": (255, 255, 255), "B": (0, 90, 200), "R": (200, 30, 45)}
_PLAIN, _MARK, _EMPTY = (235, 225, 205), (255, 213, 0), (90, 90, 90)
_ARROWS = {"N": "\u2191", "S": "\u2193", "W": "\u2190", "E": "\u2192", "U": "\u25cf", "D": "\u25cb"}


def _cell_colour(shape: Shape, cell: str) -> Colour:
    if cell == VACANCY:
        return _EMPTY
    if shape.model_name == "axis":
        return _PAINTS.get(cell[0], _PLAIN)
    if shape.model_name == "face":
        return _MARK if cell == "U" else _PLAIN
    return _FACE_COLOURS.get(cell[0], _PLAIN)


def tray_text(shape: Shape, cells: Sequence[str], colour: bool = False) -> str:
    """A tray as lines of text, a row a line.

    Args:
        shape: the tray's size and model.
        cells: what is written in each cell, as `rolling.parse_cells` gives it.
        colour: paint the cubes with the terminal's escape sequences.

    >>> from cubesolve.rolling import parse_cells
    >>> print(tray_text(*parse_cells("RBW/RWW/EWW", goal=True)))
    R B W
    R W W
    . W W
    """
    width = max(map(len, cells))
    padded = [cell.ljust(width) for cell in cells]
    if colour:
        painted = [_cell_colour(shape, cell) for cell in cells]
        padded = [click.style(f" {text} ", fg="black", bg=paint) for text, paint in zip(padded, painted, strict=True)]
    between = "" if colour else " "
    rows = (padded[i : i + shape.cols] for i in range(0, len(padded), shape.cols))
    return "\n".join(between.join(row).rstrip() for row in rows)


def trays_svg(trays: Sequence[tuple[str, Shape, Sequence[str]]]) -> str:
    """Trays side by side, each with a caption, as an SVG document: one, or the steps of a solution.

    Args:
        trays: caption, shape and cells of each; the shapes are all the same.

    >>> from cubesolve.rolling import parse_cells
    >>> trays_svg([("start", *parse_cells("RBW/RWW/EWW", goal=True))]).count("<rect")
    9
    """
    shape = trays[0][1]
    across = min(len(trays), _TRAYS_ACROSS)
    wide, high = shape.cols * _SIZE + 2 * _GAP, shape.rows * _SIZE + 3 * _GAP
    marks = []
    for number, (caption, _, cells) in enumerate(trays):
        left, top = number % across * wide, number // across * high
        marks.append(
            f'<text x="{left + shape.cols * _SIZE // 2 + _GAP}" y="{top + _GAP + 4}" text-anchor="middle" '
            f'font-family="sans-serif" font-size="14">{_xml(caption)}</text>'
        )
        for i, cell in enumerate(cells):
            x, y = left + i % shape.cols * _SIZE, top + i // shape.cols * _SIZE + _GAP
            marks.append(_square(x, y, _cell_colour(shape, cell), cell))
            if cell in _ARROWS and shape.model_name == "face":
                marks.append(
                    f'<text x="{x + _GAP + _SIZE // 2}" y="{y + _GAP + _SIZE // 2 + 6}" text-anchor="middle" '
                    f'font-size="18">{_ARROWS[cell]}</text>'
                )
    title = ", ".join(caption for caption, _, _ in trays)
    return _document(across * wide - 2 * _GAP, -(-len(trays) // across) * high - 2 * _GAP, title, marks)


_TRAYS_ACROSS = 8


def _xml(text: str) -> str:
    """Text that may stand in XML, which has no place for control characters and lone surrogates."""
    return escape(re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))


def _square(x: int, y: int, colour: Colour, title: str) -> str:
    return (
        f'<rect x="{x + _GAP}" y="{y + _GAP}" width="{_SIZE - 2}" height="{_SIZE - 2}" rx="5" fill="{_hex(colour)}" '
        f'stroke="#333"><title>{_xml(title)}</title></rect>'
    )


def _document(width: int, height: int, title: str, marks: Sequence[str]) -> str:
    width, height = width + 2 * _GAP, height + 2 * _GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img"><title>{_xml(title)}</title>'
    )
    return "\n".join([head, *marks, "</svg>", ""])

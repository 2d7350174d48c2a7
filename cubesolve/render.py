"""Pictures of puzzles: as text, in the terminal's colours, and as SVG."""

from __future__ import annotations

from xml.sax.saxutils import escape

import click

from cubesolve.notation import FACES
from cubesolve.pocket import PocketCube

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

Colour = tuple[int, int, int]


def _colours(cube: PocketCube) -> dict[str, Colour]:
    """What each symbol looks like: letters that name usual colours say so themselves, others go by their faces."""
    if set(cube.colours) == set(_LETTER_COLOURS):
        return _LETTER_COLOURS
    return dict(zip(cube.colours, _FACE_COLOURS.values(), strict=True))


def _facelets_in_net(cube: PocketCube) -> dict[tuple[int, int], str]:
    """The symbols by column and row of the net."""
    places = {}
    for index, symbol in enumerate(cube.facelets):
        column, row = _NET[FACES[index // 4]]
        places[2 * column + index % 2, 2 * row + index % 4 // 2] = symbol
    return places


def _hex(colour: Colour) -> str:
    return "#" + bytes(colour).hex()


def net_text(cube: PocketCube, colour: bool = False) -> str:
    """The net of a pocket cube, six lines of text.

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
    places, colours = _facelets_in_net(cube), _colours(cube)

    def cell(column: int, row: int) -> str:
        symbol = places.get((column, row))
        if symbol is None:
            return "  "
        return click.style(f"{symbol} ", fg="black", bg=colours[symbol]) if colour else f"{symbol} "

    rows = ("".join(cell(column, row) for column in range(8)) for row in range(6))
    return "\n".join(row.rstrip() for row in rows)


def net_svg(cube: PocketCube) -> str:
    """The net of a pocket cube as an SVG document.

    >>> net_svg(PocketCube.solved()).count("<rect")
    24
    """
    size, gap = 40, 12
    colours = _colours(cube)
    squares = []
    for (column, row), symbol in _facelets_in_net(cube).items():
        x, y = column * size + column // 2 * gap + gap, row * size + row // 2 * gap + gap
        squares.append(
            f'<rect x="{x}" y="{y}" width="{size - 2}" height="{size - 2}" rx="5" fill="{_hex(colours[symbol])}" '
            f'stroke="#333"><title>{escape(symbol)}</title></rect>'
        )
    width, height = 8 * size + 5 * gap, 6 * size + 4 * gap
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img"><title>{escape(cube.facelets)}</title>',
            *squares,
            "</svg>",
            "",
        ]
    )

"""Pictures of puzzles as SVG documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape

from cubesolve.pictures import Cell, Colour, Picture

_SIZE, _GAP, _CAPTION = 40, 12, 24
_ACROSS = 8
_FONT = 'font-family="sans-serif" text-anchor="middle"'


def picture_svg(picture: Picture) -> str:
    """A picture as an SVG document.

    >>> from cubesolve import PocketCube, RubikCube, puzzle
    >>> picture_svg(puzzle("pocket").rules.picture(PocketCube.solved())).count("<rect")
    24
    """
    return pictures_svg([("", picture)])


def pictures_svg(steps: Sequence[tuple[str, Picture]]) -> str:
    """Pictures side by side, each with a caption, as an SVG document: one state, or the steps of a solution.

    Args:
        steps: caption and picture of each; the pictures are all of one size.

    >>> from cubesolve import puzzle
    >>> rolling = puzzle("rolling").rules
    >>> pictures_svg([("start", rolling.picture("RBW/RWW/EWW"))]).count("<rect")
    9
    """
    first = steps[0][1]
    above = _CAPTION if any(caption for caption, _ in steps) else 0
    wide, high = _reach(first, across=True) + 2 * _GAP, _reach(first, across=False) + 2 * _GAP + above
    across = min(len(steps), _ACROSS)
    marks = []
    for number, (caption, picture) in enumerate(steps):
        left, top = number % across * wide, number // across * high
        if caption:
            marks.append(_words(left + wide // 2, top + _CAPTION - 4, caption, 14))
        for cell in picture.cells:
            x, y = (_place(at, picture.group) for at in (cell.column, cell.row))
            marks += _square(left + _GAP + x, top + above + _GAP + y, cell)
    title = ", ".join(caption for caption, _ in steps if caption) or first.title
    return _document(across * wide, -(-len(steps) // across) * high, title, marks)


def _place(index: int, group: int) -> int:
    """Where a column or row begins; those of one group stand together."""
    return index * _SIZE + (index // group * _GAP if group else 0)


def _reach(picture: Picture, *, across: bool) -> int:
    """How wide or how high a picture is."""
    last = max(cell.column if across else cell.row for cell in picture.cells)
    return _place(last, picture.group) + _SIZE


def _square(x: int, y: int, cell: Cell) -> list[str]:
    size = _SIZE - 2
    drawn = [
        f'<rect x="{x}" y="{y}" width="{size}" height="{size}" rx="5" fill="{_hex(cell.colour)}" stroke="#333">'
        f"<title>{_xml(cell.text)}</title></rect>"
    ]
    if cell.mark:
        ink = "#000" if _is_bright(cell.colour) else "#fff"
        letters = 18 if len(cell.mark) == 1 else 14
        drawn.append(_words(x + size // 2, y + size // 2 + letters // 3, cell.mark, letters, ink))
    return drawn


def _words(x: int, y: int, text: str, size: int, ink: str | None = None) -> str:
    """Words in a colour, or in one that can be read on white and on black."""
    colour = f'fill="{ink}"' if ink else 'class="ink"'
    return f'<text x="{x}" y="{y}" {_FONT} font-size="{size}" {colour}>{_xml(text)}</text>'


def _hex(colour: Colour) -> str:
    return "#" + bytes(colour).hex()


def _is_bright(colour: Colour) -> bool:
    red, green, blue = colour
    return 299 * red + 587 * green + 114 * blue > 128_000


def _xml(text: str) -> str:
    """Text that may stand in XML, which has no place for control characters and lone surrogates."""
    return escape(re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))


_STYLE = "<style>.ink{fill:#222}@media(prefers-color-scheme:dark){.ink{fill:#ddd}}</style>"


def _document(width: int, height: int, title: str, marks: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img"><title>{_xml(title)}</title>{_STYLE}'
    )
    return "\n".join([head, *marks, "</svg>", ""])

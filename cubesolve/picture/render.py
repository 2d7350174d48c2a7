"""SVG documents of states, steps of solutions, and distributions; pages of them for printing (pure Python).

Captions and lines have colours that are legible on white and on black, because a page may be dark even if the browser
does not report a dark theme.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from cubesolve.errors import printable
from cubesolve.picture.pictures import Cell, Colour, Picture, Point

_UNIT, _GAP, _CAPTION = 40, 12, 24  # pixels: side of a square, margin of a picture, height of a caption
_WIDEST_STEP, _WIDEST = 240, 1200  # pixels: the largest width of one picture of several, and of a row of them
_INK = "#767676"  # the same contrast on white and on black
_BAR_COLOUR = "#4a90d9"
_BAR_HEIGHT, _BAR_LENGTH, _DIGIT = 20, 400, 7.5


def picture_svg(picture: Picture | None) -> str | None:
    """Return a picture as an SVG document; None if there is no picture."""
    return pictures_svg([("", picture)])


def pictures_svg(steps: Sequence[tuple[str, Picture | None]]) -> str | None:
    """Return pictures side by side, each with a caption, as an SVG document."""
    drawable = [(caption, picture) for caption, picture in steps if picture is not None]
    if len(drawable) < len(steps):
        return None
    first = drawable[0][1]
    x, y = (max(corner[axis] for cell in first.cells for corner in cell.outline) for axis in (0, 1))
    unit = _UNIT if len(steps) == 1 else min(_UNIT, _WIDEST_STEP / x)
    above = _CAPTION if any(caption for caption, _ in steps) else 0
    wide, high = round(x * unit) + 2 * _GAP, round(y * unit) + 2 * _GAP + above
    across = min(len(steps), max(1, _WIDEST // wide))
    captions, drawn = [], []
    for number, (caption, picture) in enumerate(drawable):
        left, top = number % across * wide, number // across * high
        if caption:
            captions.append(_words(left + wide / 2, top + _CAPTION - 4, caption))
        drawn += _cells(picture.cells, (left + _GAP, top + above + _GAP), unit)
    title = ", ".join(caption for caption, _ in steps if caption) or first.title
    return _document(across * wide, -(-len(steps) // across) * high, title, [*_printed(captions, 14), *drawn])


def distribution_svg(counts: Sequence[int], *, last_is_more: bool = False) -> str:
    """Return a bar chart of the number of states at each depth, of which the last may include all larger ones."""
    largest, total = max(counts, default=0) or 1, sum(counts) or 1
    labels = [str(depth) for depth in range(len(counts))]
    if last_is_more:
        labels[-1] += "+"
    numbers = [f"{states:,}" for states in counts]
    begin = round(max(map(len, ["depth", *labels])) * _DIGIT) + _GAP
    end = begin + round(max(map(len, ["states", *numbers])) * _DIGIT) + _GAP
    words, bars = [_words(begin, 16, "depth"), _words(end, 16, "states")], []
    for row, (label, number, states) in enumerate(zip(labels, numbers, counts, strict=True), start=1):
        words += [_words(begin, row * _BAR_HEIGHT + 16, label), _words(end, row * _BAR_HEIGHT + 16, number)]
        length = max(1, round(_BAR_LENGTH * states / largest)) if states else 0
        place = f'x="{end + _GAP}" y="{row * _BAR_HEIGHT + 4}" width="{length}" height="{_BAR_HEIGHT - 4}"'
        bars.append(f"<rect {place}><title>{states / total:.2%}</title></rect>")
    marks = [*_printed(words, 12, "end"), f'<g fill="{_BAR_COLOUR}">', *bars, "</g>"]
    title = f"{sum(counts):,} states by their depth"
    return _document(end + 2 * _GAP + _BAR_LENGTH, (len(counts) + 1) * _BAR_HEIGHT + _GAP, title, marks)


# -- Cells -------------------------------------------------------------------------------------------------------------


def _cells(cells: Iterable[Cell], at: Point, unit: float) -> list[str]:
    """Return one path per colour with the outlines of its cells, and the marks on them."""
    by_colour: dict[Colour, list[str]] = {}
    by_ink: dict[str, list[str]] = {"#000": [], "#fff": []}
    size = round(unit * 0.4)
    for cell in cells:
        corners = [(at[0] + x * unit, at[1] + y * unit) for x, y in cell.outline]
        by_colour.setdefault(cell.colour, []).append(_outline(corners))
        if cell.mark:
            x, y = (sum(place) / len(corners) for place in zip(*corners, strict=True))
            by_ink["#000" if is_bright(cell.colour) else "#fff"].append(_words(x, y + size / 3, cell.mark))
    paths = (f'<path fill="#{bytes(colour).hex()}" d="{"".join(outlines)}"/>' for colour, outlines in by_colour.items())
    printed = (line for ink, words in by_ink.items() for line in _printed(words, size, ink=ink))
    return ['<g stroke="#222" stroke-width="2" stroke-linejoin="round">', *paths, "</g>", *printed]


def _outline(corners: Sequence[Point]) -> str:
    places = [(_number(x), _number(y)) for x, y in corners]
    words = [f"M{places[0][0]} {places[0][1]}"]
    for (x, y), (to_x, to_y) in pairwise(places):
        words.append(f"V{to_y}" if x == to_x else f"H{to_x}" if y == to_y else f"L{to_x} {to_y}")
    return "".join([*words, "z"])


def _number(pixels: float) -> str:
    return f"{round(pixels, 1):g}"


def is_bright(colour: Colour) -> bool:
    """Return whether black letters are legible on a colour."""
    red, green, blue = colour
    return 299 * red + 587 * green + 114 * blue > 128_000


# -- Documents ---------------------------------------------------------------------------------------------------------


def _words(x: float, y: float, text: str) -> str:
    return f'<text x="{_number(x)}" y="{_number(y)}">{_xml(text)}</text>'


def _printed(words: Sequence[str], size: int, anchor: str = "middle", ink: str = _INK) -> list[str]:
    return [f'<g font-size="{size}" text-anchor="{anchor}" fill="{ink}">', *words, "</g>"] if words else []


def _xml(text: str) -> str:
    """Escape a text for XML, and replace control characters and lone surrogates, which XML does not allow."""
    return escape(re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text), quote=False)


def _document(width: int, height: int, title: str, marks: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" role="img"><title>{_xml(title)}</title>'
    )
    return "\n".join([head, *marks, "</svg>", ""])


# -- Sheets: pages for printing, and those of cases, with a picture of each --------------------------------------------


@functools.cache
def style() -> str:
    """Return the style of all sheets."""
    from importlib.resources import files  # noqa: PLC0415  # delays the start

    return "\n" + files(__package__).joinpath("sheet.css").read_text("utf-8")


class Card(NamedTuple):
    """An entry of a sheet."""

    title: str  # its heading
    about: str  # a remark beside the heading
    picture: Picture | None  # its picture, if there is one
    lines: Sequence[tuple[str, str]] = ()  # the lines below the heading, each with a remark, which may be empty
    player: str = ""  # a page that plays its alg; empty if there is none


def sheet(title: str, cards: Iterable[Card]) -> str:
    """Return a page with cards."""
    return framed(title, f"<ul>\n{''.join(map(_item, cards))}</ul>")


def framed(title: str, body: str) -> str:
    """Return a page."""
    shown = escape(printable(title))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{shown}</title>\n<style>{style()}</style>\n'
        f"</head>\n<body>\n<h1>{shown}</h1>\n{body}\n</body>\n</html>\n"
    )


def _item(card: Card) -> str:
    lines = "".join(
        f"<p>{escape(printable(line))}{f' <small>{escape(printable(remark))}</small>' if remark else ''}</p>"
        for line, remark in card.lines
    )
    head = f"<h2>{escape(printable(card.title))} <small>{escape(printable(card.about))}</small></h2>"
    return f"<li>{picture_svg(card.picture) or ''}<div>{head}{lines}{_play(card)}</div></li>\n"


def _play(card: Card) -> str:
    if not card.player:
        return ""
    return f'<details><summary>play</summary><iframe loading="lazy" srcdoc="{escape(card.player)}"></iframe></details>'

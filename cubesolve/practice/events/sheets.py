"""Sheets of scrambles: pages for printing, with a picture of each state."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from cubesolve.picture.render import picture_svg
from cubesolve.picture.sheets import framed

if TYPE_CHECKING:
    from cubesolve.practice.events import Scramble

_MANY = 40  # moves of a scramble in smaller letters


def sheet_of(scrambles: Sequence[tuple[str, Scramble]]) -> str:
    """Return a page for printing.

    >>> from cubesolve.practice.events import scrambles
    >>> sheet_of([("1", scramble) for scramble in scrambles("222", 1, rng=7)]).count("<svg")
    1
    """
    event = scrambles[0][1].event
    kind = "long" if len(scrambles[0][1].alg.split()) >= _MANY else "short"
    rows = "\n".join(_row(caption, scramble) for caption, scramble in scrambles)
    note = f'<p class="note">{escape(f"Scrambles: {event.method}.")}</p>'
    return framed(event.title, f'{note}\n<table class="{kind}">\n{rows}\n</table>')


def _row(caption: str, scramble: Scramble) -> str:
    lines = (" ".join(f"<span>{escape(move)}</span>" for move in line.split()) for line in scramble.alg.split("\n"))
    alg = "\n".join(lines)
    picture = picture_svg(scramble.picture) or ""
    return (
        f'<tr><th scope="row">{escape(caption)}</th><td class="alg">{alg}</td><td class="picture">{picture}</td></tr>'
    )

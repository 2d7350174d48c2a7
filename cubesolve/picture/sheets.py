"""Sheets: pages for printing, and those of cases, with a picture of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.errors import printable
from cubesolve.picture.render import picture_svg

if TYPE_CHECKING:
    from cubesolve.picture.pictures import Picture

STYLE = """
:root { color-scheme: light dark; --page: #fff; --ink: #1c1c1e; --faint: #6b6b70; --line: #d0d0d5; }
@media (prefers-color-scheme: dark) { :root { --page: #1c1c1e; --ink: #f2f2f4; --faint: #a0a0a6; --line: #48484c; } }
body { background: var(--page); color: var(--ink); font: 1rem/1.45 system-ui, sans-serif; margin: 0 auto; }
body { max-width: 75rem; padding: 1.5rem; }
h1 { font-size: 1.4rem; margin: 0; }
p { margin: 0; overflow-wrap: anywhere; }
.note, small, th { color: var(--faint); font-weight: normal; }
.note { margin: 0.2rem 0 1rem; }
li, tr { break-inside: avoid; list-style: none; }
svg { display: block; height: auto; }
ul { display: grid; gap: 0.8rem; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); padding: 0; }
li { border: 1px solid var(--line); border-radius: 0.5rem; display: flex; gap: 0.8rem; padding: 0.6rem; }
li svg { flex: none; max-height: 6.5rem; width: 6.5rem; }
p small { margin-left: 0.4em; }
h2 { font-size: 1rem; margin: 0 0 0.2rem; }
iframe { border: 0; height: 24rem; width: 18rem; }
table { border-collapse: collapse; max-width: 60rem; width: 100%; }
tr { border-top: 1px solid var(--line); }
th { padding: 0.6rem 1rem 0.6rem 0; text-align: left; vertical-align: top; white-space: nowrap; }
td { padding: 0.6rem 0; vertical-align: top; }
.alg { font: 1.15rem/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; }
.alg span { display: inline-block; white-space: pre; }
.picture { padding-left: 1.5rem; width: 11rem; }
.picture svg { width: 100%; }
.long .alg { font-size: 0.95rem; }
.long .picture { width: 15rem; }
@media print {
  :root { color-scheme: light; --page: #fff; --ink: #000; --faint: #444; --line: #999; font-size: 12px; }
  @page { margin: 12mm; }
  body { max-width: none; padding: 0; }
  details { display: none; }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
"""The style of all sheets."""


class Card(NamedTuple):
    """An entry of a sheet.

    Attributes:
        title: its heading.
        about: a remark beside the heading.
        picture: its picture, if there is one.
        lines: the lines below the heading, each with a remark, which may be empty.
        player: a page that plays its alg; empty if there is none.
    """

    title: str
    about: str
    picture: Picture | None
    lines: Sequence[tuple[str, str]] = ()
    player: str = ""


def sheet(title: str, cards: Iterable[Card]) -> str:
    """Return a page with cards.

    >>> document = sheet("PLL", [Card("T", "1/18", None, [("R U R' U' R' F R2 U' R' U' R U R' F'", "14")])])
    >>> document.count("<li>"), "R&#x27; F R2" in document
    (1, True)
    """
    return framed(title, f"<ul>\n{''.join(map(_item, cards))}</ul>")


def framed(title: str, body: str) -> str:
    """Return a page."""
    shown = escape(printable(title))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{shown}</title>\n<style>{STYLE}</style>\n'
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
    """Return the player of a card, which begins when it is opened."""
    if not card.player:
        return ""
    return f'<details><summary>play</summary><iframe loading="lazy" srcdoc="{escape(card.player)}"></iframe></details>'

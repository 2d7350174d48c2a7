"""Sheets of cases: a page with a picture of each, which can be printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.errors import printable
from cubesolve.render import picture_svg

if TYPE_CHECKING:
    from cubesolve.pictures import Picture

_LENGTH = 21  # moves, which a two-phase search finds at once

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }
body { margin: 1.5rem; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .8rem; margin: 0; padding: 0; }
li { display: flex; gap: .8rem; list-style: none; padding: .6rem; border: 1px solid #8886; border-radius: .5rem;
  break-inside: avoid; }
svg { flex: none; width: 6.5rem; height: auto; max-height: 6.5rem; }
h2 { font-size: 1rem; margin: 0 0 .2rem; }
small { font-weight: normal; opacity: .75; }
p { margin: 0; overflow-wrap: anywhere; }
iframe { width: 18rem; height: 24rem; border: 0; }
@media print { details { display: none; } body { margin: 0; font-size: 11px; } }
"""


class Card(NamedTuple):
    """An entry of a sheet.

    Attributes:
        title: its heading.
        about: a remark beside the heading.
        picture: its picture, if there is one.
        lines: the lines below the heading.
        player: a page that plays its alg; empty if there is none.
    """

    title: str
    about: str
    picture: Picture | None
    lines: Sequence[str] = ()
    player: str = ""


def sheet(title: str, cards: Iterable[Card]) -> str:
    """Return a page with cards.

    >>> document = sheet("PLL", [Card("T", "1/18", None, ["R U R' U' R' F R2 U' R' U' R U R' F'"])])
    >>> document.count("<li>"), "R&#x27; F R2" in document
    (1, True)
    """
    shown = escape(printable(title))
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{shown}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{_STYLE}</style>\n'
        f"<h1>{shown}</h1>\n<ul>\n{''.join(map(_item, cards))}</ul>\n</html>\n"
    )


def _item(card: Card) -> str:
    lines = "".join(f"<p>{escape(printable(line))}</p>" for line in card.lines)
    head = f"<h2>{escape(printable(card.title))} <small>{escape(printable(card.about))}</small></h2>"
    return f"<li>{picture_svg(card.picture) or ''}<div>{head}{lines}{_play(card)}</div></li>\n"


def _play(card: Card) -> str:
    """Return the player of a card, which begins when it is opened."""
    if not card.player:
        return ""
    return f'<details><summary>play</summary><iframe loading="lazy" srcdoc="{escape(card.player)}"></iframe></details>'

"""Sheets of scrambles: pages for printing, with a picture of each state."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from cubesolve.render import picture_svg

if TYPE_CHECKING:
    from cubesolve.events import Scramble

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --page: #fff; --ink: #1c1c1e; --faint: #6b6b70; --line: #d0d0d5; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --page: #1c1c1e; --ink: #f2f2f4; --faint: #a0a0a6; --line: #48484c; }}
}}
body {{ background: var(--page); color: var(--ink); font: 1rem/1.45 system-ui, sans-serif; margin: 0 auto; }}
body {{ max-width: 60rem; padding: 1.5rem; }}
h1 {{ font-size: 1.4rem; margin: 0; }}
p {{ color: var(--faint); margin: 0.2rem 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
tr {{ break-inside: avoid; border-top: 1px solid var(--line); }}
th {{ color: var(--faint); font-weight: normal; padding: 0.6rem 1rem 0.6rem 0; text-align: left; white-space: nowrap; }}
th {{ vertical-align: top; }}
td {{ padding: 0.6rem 0; vertical-align: top; }}
.alg {{ font: {size}/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; }}
.alg span {{ display: inline-block; white-space: pre; }}
.picture {{ padding-left: 1.5rem; width: {width}; }}
.picture svg {{ display: block; height: auto; width: 100%; }}
@media print {{
  :root {{ color-scheme: light; --page: #fff; --ink: #000; --faint: #444; --line: #999; font-size: 12px; }}
  @page {{ margin: 12mm; }}
  body {{ max-width: none; padding: 0; }}
  svg {{ print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
}}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{method}</p>
<table>
{rows}
</table>
</body>
</html>
"""
_MANY = 40  # moves of a scramble in smaller letters


def sheet_of(scrambles: Sequence[tuple[str, Scramble]]) -> str:
    """Return a page for printing.

    Args:
        scrambles: scrambles of one event, at least one, with their captions.

    >>> from cubesolve.events import scrambles
    >>> sheet_of([("1", scramble) for scramble in scrambles("222", 1, rng=7)]).count("<svg")
    1
    """
    event = scrambles[0][1].event
    is_long = len(scrambles[0][1].alg.split()) >= _MANY
    return _PAGE.format(
        title=escape(event.title),
        method=escape(f"Scrambles: {event.method}."),
        rows="\n".join(_row(caption, scramble) for caption, scramble in scrambles),
        size="0.95rem" if is_long else "1.15rem",
        width="15rem" if is_long else "11rem",
    )


def _row(caption: str, scramble: Scramble) -> str:
    lines = (" ".join(f"<span>{escape(move)}</span>" for move in line.split()) for line in scramble.alg.split("\n"))
    alg = "\n".join(lines)
    picture = picture_svg(scramble.picture) or ""
    return (
        f'<tr><th scope="row">{escape(caption)}</th><td class="alg">{alg}</td><td class="picture">{picture}</td></tr>'
    )

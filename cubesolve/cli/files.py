"""States as commands show them: in colours on a terminal, or drawn into files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from cubesolve.errors import CubesolveError

if TYPE_CHECKING:
    from cubesolve.pictures import Picture
    from cubesolve.spaces.rules import Rules

STANDARD_OUTPUT = "-"
"""What stands for it, in place of a file's name."""


def svg_option(text: str, name: str = "--svg") -> Callable[[click.decorators.FC], click.decorators.FC]:
    """An option that names a picture."""
    return click.option(name, metavar="FILE", callback=_require_suffix, help=text)


def html_option(text: str, *, required: bool = False) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option that names a page."""
    return click.option("--html", metavar="FILE", callback=_require_suffix, required=required, help=text)


def _require_suffix(_ctx: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    suffix = ".html" if parameter.name == "html" else ".svg"
    if path is None or path == STANDARD_OUTPUT or (path.endswith(suffix) and "\0" not in path):
        return path
    raise click.BadParameter(f"{path!r} is not the name of an {suffix} file, nor {STANDARD_OUTPUT}")


def require_one_output(as_json: bool, svg: str | None, html: str | None = None) -> None:
    """Refuse to put two things on standard output."""
    there = ["--json"] if as_json else []
    there += [f"{option} -" for option, path in (("--svg", svg), ("--html", html)) if path == STANDARD_OUTPUT]
    if len(there) > 1:
        raise click.UsageError(f"{' and '.join(there)} cannot both be on standard output")


def draw(path: str, steps: Iterable[tuple[str, Picture | None]]) -> str | None:
    """Draw states, each with a caption.

    Args:
        path: the file.
        steps: the captions and pictures.

    Returns:
        The document, if it is for standard output; otherwise it is in the file now.
    """
    from cubesolve.render import pictures_svg  # noqa: PLC0415  # only where it is asked for

    document = pictures_svg(list(steps))
    if document is None:
        raise click.UsageError("--svg: no picture can be drawn of this")
    return save(path, document)


def write_page(path: str, rules: Rules, start: Any, alg: str, left: Iterable[int]) -> str | None:
    """Write a page that plays an alg; see `player.page`.

    Args:
        path: the file.
        rules: the puzzle.
        start: the state with which the alg begins.
        alg: the alg.
        left: the distances left.

    Returns:
        See `draw`.
    """
    from cubesolve.player import page  # noqa: PLC0415  # only where it is asked for

    try:
        return save(path, page(rules, start, alg, left=left))
    except CubesolveError:
        raise
    except ValueError as error:
        raise click.UsageError(f"--html: {error}") from None


def save(path: str, document: str) -> str | None:
    """Write a document into a file, or give it back if it is for standard output; see `draw`."""
    from cubesolve.atomic import write_atomically  # noqa: PLC0415  # only where it is asked for

    if path == STANDARD_OUTPUT:
        return document.rstrip("\n")
    write_atomically(path, document.encode("utf-8", "backslashreplace"))
    return None


def in_words(rules: Rules, state: Any, **how: Any) -> str:
    """A state as lines of text, in colours on a terminal; the pieces, if there is no picture of it."""
    picture = rules.view.picture(state, **how)
    if picture is None:
        return str(state)
    if not _has_colours():
        return picture.text()
    click.get_current_context().color = True  # else click takes them away where there is no terminal
    return picture.text(_paint)


def _has_colours() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") != "0":
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _paint(text: str, colour: tuple[int, int, int]) -> str:
    return click.style(text, fg="black", bg=colour)

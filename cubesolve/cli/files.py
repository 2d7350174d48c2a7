"""Files that commands write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from cubesolve.errors import CubesolveError

if TYPE_CHECKING:
    from cubesolve.pictures import Picture
    from cubesolve.rules.rules import Rules

STANDARD_OUTPUT = "-"
"""What stands for it, in place of a file's name."""


def svg_option(text: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option that names a picture."""
    return click.option("--svg", metavar="FILE", callback=_require_suffix, help=text)


def html_option(text: str, *, required: bool = False) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option that names a page."""
    return click.option("--html", metavar="FILE", callback=_require_suffix, required=required, help=text)


def _require_suffix(_ctx: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    suffix = f".{parameter.name}"
    if path is None or path == STANDARD_OUTPUT or (path.endswith(suffix) and "\0" not in path):
        return path
    raise click.BadParameter(f"{path!r} is not the name of an {suffix} file, nor {STANDARD_OUTPUT}")


def draw(path: str, steps: Sequence[tuple[str, Picture | None]]) -> str | None:
    """Draw states, each with a caption.

    Args:
        path: the file.
        steps: the captions and pictures.

    Returns:
        The document, if it is for standard output; otherwise it is in the file now.
    """
    from cubesolve.render import pictures_svg  # noqa: PLC0415  # only where it is asked for

    pictures = [(caption, picture) for caption, picture in steps if picture is not None]
    if not pictures:
        raise click.UsageError("--svg: there are no pictures of this puzzle")
    return _written(path, pictures_svg(pictures))


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
        return _written(path, page(rules, start, alg, left=left))
    except CubesolveError:
        raise
    except ValueError as error:
        raise click.UsageError(f"--html: {error}") from None


def _written(path: str, document: str) -> str | None:
    from cubesolve.atomic import write_atomically  # noqa: PLC0415  # only where it is asked for

    if path == STANDARD_OUTPUT:
        return document.rstrip("\n")
    write_atomically(path, document.encode("utf-8", "backslashreplace"))
    return None

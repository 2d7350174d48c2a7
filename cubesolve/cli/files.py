"""Files that commands write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from cubesolve.pictures import Picture

STANDARD_OUTPUT = "-"
"""What stands for it, in place of a file's name."""

_SUFFIX = ".svg"


def svg_option(text: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option that names a picture."""
    return click.option("--svg", metavar="FILE", callback=_require_svg, help=text)


def _require_svg(_ctx: click.Context, _parameter: click.Parameter, path: str | None) -> str | None:
    if path is None or path == STANDARD_OUTPUT or (path.endswith(_SUFFIX) and "\0" not in path):
        return path
    raise click.BadParameter(f"{path!r} is not the name of an {_SUFFIX} file, nor {STANDARD_OUTPUT}")


def draw(path: str, steps: Sequence[tuple[str, Picture | None]]) -> str | None:
    """Draw states, each with a caption.

    Args:
        path: the file.
        steps: the captions and pictures.

    Returns:
        The document, if it is for standard output; otherwise it is in the file now.
    """
    from cubesolve.atomic import write_atomically  # noqa: PLC0415  # only where it is asked for
    from cubesolve.render import pictures_svg  # noqa: PLC0415

    pictures = [(caption, picture) for caption, picture in steps if picture is not None]
    if not pictures:
        raise click.UsageError("--svg: there are no pictures of this puzzle")
    document = pictures_svg(pictures)
    if path == STANDARD_OUTPUT:
        return document.rstrip("\n")
    write_atomically(path, document.encode("utf-8", "backslashreplace"))
    return None

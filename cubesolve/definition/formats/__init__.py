"""Formats of definition files: tws, KPuzzle, permutations in cycles, and graphs of CayleyPy (pure Python).

All formats have the same meaning; ``docs/definitions.md`` lists what each reader supports. The piece in place `i` of
its orbit has the points ``i * orientations`` and those that follow. With orientation `r`, its first label is on the
point number `r` of these.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import NamedTuple

from cubesolve.definition.definition import Definition
from cubesolve.definition.formats.cycles import parse_cycles
from cubesolve.definition.formats.graphs import format_graph, parse_graph
from cubesolve.definition.formats.kpuzzle import (
    format_kpuzzle,
    format_kpuzzle_pattern,
    format_kpuzzle_transformation,
    parse_kpuzzle,
    parse_kpuzzle_pattern,
    parse_kpuzzle_transformation,
)
from cubesolve.definition.formats.tws import parse_tws
from cubesolve.errors import InvalidDefinitionError
from cubesolve.group.moves import Move
from cubesolve.runtime.files import open_regular

__all__ = [
    "FORMATS",
    "MOST_BYTES",
    "DefinitionFormat",
    "format_graph",
    "format_kpuzzle",
    "format_kpuzzle_pattern",
    "format_kpuzzle_transformation",
    "parse_cycles",
    "parse_definition",
    "parse_graph",
    "parse_kpuzzle",
    "parse_kpuzzle_pattern",
    "parse_kpuzzle_transformation",
    "parse_tws",
    "read_definition",
    "read_text",
]

MOST_BYTES = 1 << 22
"""The maximum size of a file."""


def read_definition(path: str | os.PathLike[str]) -> Definition:
    """Read a file that defines a puzzle. Its suffix determines the format, or else its content.

    Raises:
        InvalidDefinitionError: it defines no puzzle, or cannot be read.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".gap") as file:
    ...     print("T := (1,2,3);", file=file, flush=True)
    ...     list(read_definition(file.name).generators)
    ['T']
    """
    shown = os.fspath(path)
    return parse_definition(read_text(shown), shown)


def parse_definition(text: str, name: str) -> Definition:
    """Parse the text of a definition file of some name."""
    path = PurePath(name)
    form = _format_of(text, path.suffix.lower())
    if form is None:
        titles = ", ".join(form.title for form in FORMATS.values())
        raise InvalidDefinitionError(name, "", f"is not a definition: expected {titles}")
    try:
        return form.parse(text, path.stem)
    except InvalidDefinitionError as error:
        raise InvalidDefinitionError(name, error.where, error.reason) from None


def read_text(path: str) -> str:
    """Return the text of a definition file, of at most `MOST_BYTES`."""
    try:
        with open_regular(path) as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidDefinitionError(path, "", f"cannot be read: {error.strerror}") from error
    except ValueError as error:  # not a valid path
        raise InvalidDefinitionError(path, "", f"cannot be read: {error}") from error
    if len(content) > MOST_BYTES:
        raise InvalidDefinitionError(path, "", f"is too large: at most {MOST_BYTES:,} bytes")
    if b"\0" in content:
        raise InvalidDefinitionError(path, "", "is not UTF-8 text")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidDefinitionError(path, f"line {line}", "is not UTF-8 text") from None


# -- Formats -----------------------------------------------------------------------------------------------------------


class DefinitionFormat(NamedTuple):
    """A format of definition files."""

    title: str  # its name in messages
    suffixes: Sequence[str]
    content: str  # a regular expression that its text matches, without comments at the beginning
    parse: Callable[[str, str], Definition]  # from a text and a name
    # from a definition, the same by pieces if that is another, moves in a metric, and the label on each point of the
    # solved state, numbers from 0 on; None if the format is only read
    write: Callable[[Definition, Definition, Sequence[Move], Sequence[int]], str] | None = None


FORMATS = {
    "cayleypy": DefinitionFormat(
        "CayleyPy",
        (".json",),
        r'(?s)\{.*"(central_state|generators)"\s*:',
        parse_graph,
        lambda definition, _pieces, moves, labels: format_graph(definition, moves, labels),
    ),
    "kpuzzle": DefinitionFormat(
        "KPuzzle", (".json",), r"\{", parse_kpuzzle, lambda _definition, pieces, *_: format_kpuzzle(pieces)
    ),
    "cycles": DefinitionFormat("permutations in cycles", (".gap", ".g"), r"\w+\s*:=|[(\[]|Group", parse_cycles),
    "tws": DefinitionFormat("tws", (".tws", ".ksolve"), r"(Name|Set)\s", parse_tws),
}
"""The formats by name; of several with a suffix, the first that fits the content is read, or else the last."""


def _format_of(text: str, suffix: str) -> DefinitionFormat | None:
    """Return the format of a text, by the suffix of its file, or else by the first characters after comments."""
    lines = text.splitlines(keepends=True)
    start = next((n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), len(lines))
    content = "".join(lines[start:]).lstrip()
    of_suffix = [form for form in FORMATS.values() if suffix in form.suffixes]
    fitting = (form for form in of_suffix or FORMATS.values() if re.match(form.content, content))
    return next(fitting, of_suffix[-1] if of_suffix else None)

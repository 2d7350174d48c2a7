"""What can be said beside a state on the command line (pure Python)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from cubesolve.errors import quoted

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_DIGITS = 9


class Option(NamedTuple):
    """Something that can be said beside the state, in questions about some puzzles.

    Attributes:
        name: as a keyword; on the command line with ``--``.
        help: what it says.
        questions: in which questions it means something.
        default: what is taken where it is not said.
        choices: what can be said, if there are only a few such things.
        metavar: what help calls its value.
        read: reads the value; it raises `ValueError` where there is none.
        required: whether a question means nothing without it.
    """

    name: str
    help: str
    questions: frozenset[str]
    default: Any = None
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    read: Callable[[str], Any] = str
    required: bool = False


def read_number(text: str) -> int:
    """A number that is not negative.

    Raises:
        ValueError: it is none.

    >>> read_number("12")
    12
    """
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise ValueError(f"{quoted(text)} is not a number from 0 on")
    return int(text)


def read_seconds(text: str) -> float:
    """A time in seconds.

    Raises:
        ValueError: it is none, or negative.

    >>> read_seconds("1.5")
    1.5
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise ValueError(f"{quoted(text)} is not a number of seconds")
    return seconds


def read_workers(text: str) -> int:
    """A number of threads.

    Raises:
        ValueError: it is none, or too large.

    >>> read_workers("2")
    2
    """
    from cubesolve.workers import require_workers  # noqa: PLC0415  # few questions say it

    workers = read_number(text)
    require_workers(workers)
    return workers


def read_bytes(text: str) -> int:
    """A number of bytes, also with a unit.

    Raises:
        ValueError: it is none.

    >>> read_bytes("1.5GB"), read_bytes("500 MB")
    (1500000000, 500000000)
    """
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)\s*([A-Za-z]*)", text.strip())
    if match is None or match[2].upper() not in _UNITS:
        raise ValueError(f"{quoted(text)} is not a number of bytes, as in 500MB or 2GB")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def read_colours(text: str) -> str:
    """Six colours.

    Raises:
        ValueError: these are not six different symbols.

    >>> read_colours("WRGYOB")
    'WRGYOB'
    """
    if len(text) != 6 or len(set(text)) != 6:
        raise ValueError(f"{quoted(text)} is not six different symbols")
    return text


_SEARCHED = frozenset({"depth", "solve", "scramble"})

LIMITS = (
    Option("max_depth", "The most moves to try.", frozenset({"depth", "solve"}), metavar="N", read=read_number),
    Option(
        "timeout",
        "When to give up on an answer.",
        _SEARCHED | {"distribution", "convert"},
        metavar="SECONDS",
        read=read_seconds,
    ),
    Option("workers", "How many threads search, 1 to 1024.", _SEARCHED, metavar="N", read=read_workers),
    Option("memory", "What a search may use, as in 500MB or 2GB.", _SEARCHED, metavar="BYTES", read=read_bytes),
)
"""Limits of an answer, and of the search for it. Every puzzle has them; a table keeps all but `max_depth` by itself."""

WITHIN = Option(
    "within",
    "Be content with a solution up to N moves longer than what is proved to be needed: one is there at once.",
    frozenset({"solve"}),
    metavar="N",
    read=read_number,
)
"""How far from the shortest a solution may be."""

TARGET = Option(
    "target", "Turn the puzzle into this state instead of solving it.", frozenset({"depth", "solve"}), metavar="STATE"
)
"""Where to, instead of the solved state."""

METRIC = Option(
    "metric",
    "Count every turn of a face (htm) or quarter turns (qtm).",
    frozenset({"depth", "solve", "scramble", "random", "distribution"}),
    "htm",
    ("htm", "qtm"),
)
"""The metric of cubes."""

COLOURS = Option(
    "colours",
    "The colours of U R F D L B on the solved cube, where these are not face letters: WRGYOB.",
    frozenset({"depth", "solve", "convert", "show"}),
    metavar="SIX",
    read=read_colours,
)
"""Fixed colours of home."""

"""Options of questions, on the command line and as keywords (pure Python)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from cubesolve.definition.notation import FACES
from cubesolve.errors import quoted
from cubesolve.runtime.machine import require_workers

_UNITS = {"": 1, "B": 1} | {
    unit + end: 10**zeros for unit, zeros in (("K", 3), ("M", 6), ("G", 9), ("T", 12)) for end in ("", "B")
}
_DIGITS = 9


class Option(NamedTuple):
    """An option of questions about some puzzles."""

    name: str  # the keyword; on the command line with ``--``
    help: str  # the help text
    questions: frozenset[str]  # the questions that support it
    default: Any = None  # the value if it is not given
    choices: tuple[str, ...] = ()  # the possible values, if there are only a few
    metavar: str | None = None  # the name of its value in help texts
    read: Callable[[str], Any] = str  # reads the value; raises `ValueError` if it is invalid
    required: bool = False  # whether a question needs it
    alias: str | None = None  # another name that the command line takes, such as that in twsearch


def metric_option(rules: Mapping[str, str]) -> Option:
    """Return the option of the metric of a puzzle, given the rules of its metrics by name, the default first."""
    questions = frozenset({"depth", "solve", "scramble", "random", "distribution"})
    text = f"Metric: {', or '.join(f'{rule} ({name})' for name, rule in rules.items())}."
    return Option("metric", text, questions, next(iter(rules)), tuple(rules))


def read_number(text: str) -> int:
    """Read a non-negative number."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{quoted(text)} is not a whole number of at least 0")
    if len(text) > _DIGITS:
        raise ValueError(f"{quoted(text)} is too large: at most {10**_DIGITS - 1:,}")
    return int(text)


def read_seconds(text: str) -> float:
    """Read a time in seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise ValueError(f"{quoted(text)} is not a number of seconds")
    return seconds


def read_workers(text: str) -> int:
    """Read a number of threads."""
    workers = read_number(text)
    require_workers(workers)
    return workers


def read_bytes(text: str) -> int:
    """Read a number of bytes, also with a unit.

    >>> read_bytes("1.5GB"), read_bytes("500 MB"), read_bytes("1G")
    (1500000000, 500000000, 1000000000)
    """
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)\s*([A-Za-z]*)", text.strip())
    if match is None or match[2].upper() not in _UNITS:
        raise ValueError(f"{quoted(text)} is not a number of bytes, such as 500MB or 2GB")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def read_colours(text: str) -> str:
    """Read six colours."""
    if len(text) != 6 or len(set(text)) != 6:
        raise ValueError(f"{quoted(text)} is not six different symbols")
    return text


_SEARCHED = frozenset({"depth", "solve", "scramble"})

LIMITS = (
    Option("max_depth", "Limit of the number of moves.", frozenset({"depth", "solve"}), metavar="N", read=read_number),
    Option(
        "timeout",
        "Time limit for each answer.",
        _SEARCHED | {"distribution", "convert"},
        metavar="SECONDS",
        read=read_seconds,
    ),
    Option(
        "workers", "Number of search threads, 1 to 1024.", _SEARCHED, metavar="N", read=read_workers, alias="threads"
    ),
    Option("memory", "Memory limit of a search, such as 500MB or 2GB.", _SEARCHED, metavar="BYTES", read=read_bytes),
)
"""Limits of an answer and its search, for every puzzle; if a table has the answer, only `max_depth` has an effect."""

WITHIN = Option(
    "within",
    "Accept a solution up to N moves longer than the proved lower bound; a short one is found at once.",
    frozenset({"solve", "scramble"}),
    metavar="N",
    read=read_number,
)
"""The accepted distance from the lower bound."""

MAX_LENGTH = Option(
    "max_length",
    "Accept any solution of at most N moves; one of 21 is found at once.",
    frozenset({"solve", "scramble"}),
    metavar="N",
    read=read_number,
)
"""The accepted length of a solution."""

ACCEPTED = (
    WITHIN._replace(
        help="Accept a solution up to N moves longer than the proved lower bound; or, if the time ends, any found."
    ),
    MAX_LENGTH._replace(help="Accept any solution of at most N moves."),
)
"""The same for puzzles of which short solutions take seconds."""

SOLVED_WITHIN = tuple(option._replace(questions=frozenset({"solve"})) for option in ACCEPTED)
"""The same for puzzles whose scrambles are optimal."""

TARGET = Option("target", "State to reach instead of the solved one.", frozenset({"depth", "solve"}), metavar="STATE")
"""The state to reach instead of the solved one."""

LEVELS = Option(
    "levels",
    "Count only the states of at most N moves; the puzzle may be of any size.",
    frozenset({"distribution"}),
    metavar="N",
    read=read_number,
)
"""The depth at which counting ends."""

FROM_GOAL = Option(
    "from_goal",
    "Count only the states that fulfil this goal, such as the step before.",
    frozenset({"distribution"}),
    metavar="GOAL",
    alias="from",
)
"""The goal that the counted states fulfil."""


def read_faces(text: str) -> str:
    """Read an order of the faces."""
    if sorted(text) != sorted(FACES):
        raise ValueError(f"{quoted(text)} is not the faces {' '.join(FACES)} in some order")
    return text


OF_FACELETS = (
    Option(
        "faces",
        "Order of the faces in facelets, if it is another one: ULFRBD.",
        frozenset({"depth", "solve", "convert", "show"}),
        metavar="SIX",
        read=read_faces,
    ),
    Option(
        "colours",
        "Colours of U R F D L B on the solved cube, if they are not face letters: WRGYOB.",
        frozenset({"depth", "solve", "convert", "show"}),
        metavar="SIX",
        read=read_colours,
    ),
)
"""How facelets are written: the order of the faces, and the colours of the solved cube."""

"""Validation of arguments: integers, times, words from a list."""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping
from typing import Any

from cubesolve.errors import counted, quoted

Keywords = Mapping[str, Any]
"""The keywords of a question, by name. `Puzzle` declares their types; functions within the package hand them on."""


def integer(what: str, given: Any, least: int | None = None, most: int | None = None) -> int:
    """Return an argument as an integer.

    >>> integer("max_depth", -1, least=0)
    Traceback (most recent call last):
        ...
    ValueError: max_depth must be at least 0, not -1
    """
    try:
        number = operator.index(given)
    except TypeError:
        raise ValueError(f"{what} must be an integer, not of the type {type(given).__name__}") from None
    if least is not None and number < least:
        raise ValueError(f"{what} must be at least {least}, not {counted(number)}")
    if most is not None and number > most:
        raise ValueError(f"{what} must be at most {counted(most)}, not {counted(number)}")
    return number


def seconds(what: str, given: Any) -> float:
    """Return an argument as a number of seconds.

    >>> seconds("timeout", 2)
    2.0
    """
    if not hasattr(given, "__float__") and not hasattr(given, "__index__"):
        raise ValueError(f"{what} must be a number of seconds, not of the type {type(given).__name__}")
    try:
        time = float(given)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} must be a number of seconds") from None
    if not time >= 0:
        raise ValueError(f"{what} must be at least 0 seconds, not {time:g}")
    return time


def plain(name: str) -> str:
    """Return a name without what does not matter in it: case, spaces, hyphens and underscores.

    >>> plain("Skewb Diamond")
    'skewbdiamond'
    """
    return "".join(name.split()).replace("-", "").replace("_", "").casefold()


def meant(given: str, known: Collection[str]) -> str | None:
    """Return the one of some names that a text means; None if it means none, or several.

    >>> meant("Skewb Diamond", ["skewb", "skewb-diamond"]), meant("JA", ["Ja", "ja"])
    ('skewb-diamond', None)
    """
    if given in known:
        return given
    names = {name for name in known if plain(name) == plain(given)}
    return names.pop() if len(names) == 1 else None


def one_of(what: str, given: object, known: Collection[str]) -> str:
    """Return the one of some words that an argument means; see `meant`.

    >>> one_of("metric", "HTM", ("htm", "qtm"))
    'htm'
    >>> one_of("metric", "btm", ("htm", "qtm"))
    Traceback (most recent call last):
        ...
    ValueError: unknown metric 'btm': expected htm or qtm
    """
    if isinstance(given, str):
        word = given if given in known else meant(given, known)  # one call less for nearly all
        if word is not None:
            return str(word)
    shown = quoted(given) if isinstance(given, str) else f"of the type {type(given).__name__}"
    raise ValueError(f"unknown {what} {shown}: expected {' or '.join(known)}")

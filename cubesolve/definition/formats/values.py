"""Values of JSON files, each with the keys that lead to it, for messages (pure Python)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from cubesolve.definition.formats.parts import LONGEST_NAME, ParseError
from cubesolve.errors import quoted

_TWICE = object()
"""The value of a duplicate key."""

_NONE: Mapping[str, str] = {}

_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}


class Value(NamedTuple):
    """A value, and the keys that lead to it."""

    where: str
    value: Any

    def of(self, kind: type) -> Any:
        """Return the value, which must have a type."""
        if self.value is _TWICE:
            raise ParseError(self.where, "occurs twice")
        if not isinstance(self.value, kind) or isinstance(self.value, bool):
            raise ParseError(self.where, f"is {_shown(self.value)}, not {_KINDS[kind]}")
        return self.value

    def fields(
        self, needed: Collection[str], optional: Iterable[str] = (), older: Mapping[str, str] = _NONE
    ) -> dict[str, Value]:
        """Return the values of some keys of an object; some keys have older names."""
        found = self.entries()
        for key, before in older.items():
            if before in found:
                if key in found:
                    raise ParseError(found[before].where, f"duplicates {key}")
                found[key] = found.pop(before)
        known = [*needed, *optional]
        for key, value in found.items():
            if key not in known:
                raise ParseError(value.where, f"is not understood: expected {', '.join(known)}")
        for key in needed:
            if key not in found:
                raise ParseError(self._under(key), "is missing")
        return found

    def entries(self) -> dict[str, Value]:
        """Return the values of an object by its keys."""
        entries = self.of(dict)
        if not all(isinstance(key, str) for key in entries):
            raise ParseError(self.where, "has a key that is not text")
        return {key: Value(self._under(key), value) for key, value in entries.items()}

    def _under(self, key: str) -> str:
        shown = key if len(key) <= LONGEST_NAME else quoted(key)
        return f"{self.where}.{shown}" if self.where else shown

    def elements(self) -> list[Value]:
        """Return the items of a list."""
        return [Value(f"{self.where}[{i}]", value) for i, value in enumerate(self.of(list))]

    def number(self, first: int, last: int) -> int:
        """Return an integer in a range."""
        found: int = self.of(int)
        if not first <= found <= last:
            raise ParseError(self.where, f"is {_shown(found)}: expected a number from {first} to {last}")
        return found

    def numbers(self, length: int, different: int, first: int = 0) -> list[int]:
        """Return a list of integers from `first` to below `different`, of a given length."""
        values: list[int] = self.of(list)
        if len(values) != length:
            raise ParseError(self.where, f"has {len(values)} numbers, and there are {length} pieces")
        for i, value in enumerate(values):
            if type(value) is not int or not first <= value < different:
                Value(f"{self.where}[{i}]", value).number(first, different - 1)
        return values


def _shown(value: object) -> str:
    """Return a value as text for a message."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int) and abs(value) >= 10**9:
        return "a number of many digits"
    if value is None or isinstance(value, (int, float)):
        return str(value)
    return _KINDS.get(type(value), f"of the type {type(value).__name__}")


def load(text: str) -> Value:
    """Parse JSON.

    Raises:
        ParseError: it is invalid.

    >>> load('{"name": "ring"}').entries()["name"].of(str)
    'ring'
    """
    try:
        return Value("", json.loads(text, object_pairs_hook=_object))
    except json.JSONDecodeError as error:
        raise ParseError(f"line {error.lineno}", f"is not JSON at character {error.colno}: {error.msg}") from None
    except RecursionError:
        raise ParseError("", "is nested too deeply") from None
    except ValueError:
        raise ParseError("", "has a number of too many digits") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        found[key] = _TWICE if key in found else value
    return found

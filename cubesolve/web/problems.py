"""Errors as they are answered: a status and a JSON object, in the words of this interface."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from cubesolve.errors import (
    CubesolveError,
    InvalidDefinitionError,
    InvalidStateError,
    MissingTableError,
    SearchLimitError,
    TableError,
    UnknownPuzzleError,
    building,
    printable,
)

EXPECTED = (CubesolveError, ValueError, MemoryError, RecursionError)
"""Errors that are the request's fault, or that the user can mend; any other one is a defect."""

_LONGEST_MESSAGE = 1_000  # characters
_MOST_FAULTS = 5
_OPTION = re.compile(r"(?:\w+, or )?--(\w+) (?!says\b)(\w+)")  # "from_alg, or --format alg": the first is for Python
_NAMED_OPTION = re.compile(r"--(\w+)")
_FAULTS = {
    "missing": "{field} is missing",
    "extra_forbidden": "{field} is not known here",
    "string_type": "{field} must be text",
    "string_too_long": "{field} is too long: at most {max_length:,} characters",
    "int_type": "{field} must be a whole number",
    "int_from_float": "{field} must be a whole number",
    "int_parsing": "{field} must be a whole number",
    "int_parsing_size": "{field} is too large",
    "float_type": "{field} must be a number",
    "float_parsing": "{field} must be a number",
    "finite_number": "{field} must be a finite number",
    "bool_type": "{field} must be true or false",
    "bool_parsing": "{field} must be true or false",
    "greater_than_equal": "{field} must be at least {ge:,}",
    "less_than_equal": "{field} must be at most {le:,}",
    "literal_error": "{field} must be {expected}",
    "model_attributes_type": "{field} must be a JSON object, sent as application/json",
    "model_type": "{field} must be a JSON object, sent as application/json",
    "dict_type": "{field} must be a JSON object, sent as application/json",
}


def problem(error: Exception, max_depth: int | None = None) -> tuple[int, dict[str, Any]]:
    """The status and the content of the answer to a question that ended with an error.

    No answer has a path of this machine.

    Args:
        error: one of `EXPECTED`.
        max_depth: the largest number of moves that the question allowed.
    """
    if isinstance(error, ValidationError):
        return invalid(error.errors(include_url=False, include_context=True))
    said: dict[str, Any] = {"error": words(error)}
    if isinstance(error, InvalidStateError):
        said |= {"fault": error.fault, "facelets": list(error.facelets), "cells": list(error.cells)}
    if isinstance(error, SearchLimitError):
        said |= {"at_least": error.at_least}
    if isinstance(error, InvalidDefinitionError):
        said |= {"file": error.path}
    return _status(error, max_depth), said


def words(error: Exception) -> str:
    """What is wrong.

    >>> words(ValueError("moves are from_alg, or --format alg"))
    'moves are "format": "alg"'
    """
    if isinstance(error, MissingTableError):
        effort = f" ({error.effort})" if error.effort else ""
        return f"table {error.name} not found; build it with: {building(error.built_by)}{effort}"
    if isinstance(error, TableError):
        return f"{os.path.basename(error.path)}: {error.reason}"
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, RecursionError):
        return "this is nested too deeply"
    return _NAMED_OPTION.sub(r'"\1"', _OPTION.sub(r'"\1": "\2"', shortened(str(error))))


def shortened(text: str) -> str:
    """A message, cut where it quotes something long, with nothing in it that a terminal would obey."""
    shown = text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}..."
    return "\n".join(map(printable, shown.split("\n")))


def invalid(faults: Sequence[Mapping[str, Any]]) -> tuple[int, dict[str, Any]]:
    """The answer to a request that is no question; nothing in it is repeated that could be large."""
    if any(fault["type"] == "json_invalid" for fault in faults):
        return 400, {"error": "this is not JSON"}
    described = dict.fromkeys(map(_described, faults[:_MOST_FAULTS]))
    return 422, {"error": shortened("; ".join(described))}


def _described(fault: Mapping[str, Any]) -> str:
    where = [str(part) for part in fault["loc"] if part != "body"]
    field = where[0] if where else "the question"
    said = _FAULTS.get(fault["type"])
    return said.format(field=field, **fault.get("ctx", {})) if said else f"{field}: {fault['msg']}"


def _status(error: Exception, max_depth: int | None) -> int:
    if isinstance(error, UnknownPuzzleError):
        return 404
    if isinstance(error, (TableError, MemoryError)):
        return 503
    if isinstance(error, SearchLimitError):
        return 504 if max_depth is None or error.at_least <= max_depth else 422
    return 422

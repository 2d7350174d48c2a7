"""The status and the JSON object of an error, in the terms of the JSON interface."""

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
    did_you_mean,
    shortened,
)

# Errors that a request or the server's user can cause; any other error is a defect.
EXPECTED = (CubesolveError, ValueError, MemoryError, RecursionError)

_LONGEST_MESSAGE = 1_000  # characters
_MOST_FAULTS = 5
_OPTION = re.compile(r"(?:\w+, or )?--(\w+) (?!says\b)(\w+)")  # "from_alg, or --format alg": drops the term for Python
_NAMED_OPTION = re.compile(r"--(\w+)")
_NO_OBJECT = "{field} must be a JSON object, sent as application/json"
_FAULTS = {
    "missing": "{field} is missing",
    "extra_forbidden": "{field} is not supported",
    "string_type": "{field} must be text",
    "string_too_long": "{field} is too long: at most {max_length:,} characters",
    **dict.fromkeys(("int_type", "int_from_float", "int_parsing"), "{field} must be a whole number"),
    "int_parsing_size": "{field} is too large",
    **dict.fromkeys(("float_type", "float_parsing"), "{field} must be a number"),
    "finite_number": "{field} must be a finite number",
    **dict.fromkeys(("bool_type", "bool_parsing"), "{field} must be true or false"),
    "greater_than_equal": "{field} must be at least {ge:,}",
    "less_than_equal": "{field} must be at most {le:,}",
    "literal_error": "{field} must be {expected}",
    **dict.fromkeys(("model_attributes_type", "model_type", "dict_type"), _NO_OBJECT),
}


def longest(fields: Mapping[str, object]) -> int | None:
    """Return the largest number of moves that a request accepts; None for any."""
    limits = [fields.get(name) for name in ("max_depth", "max_length")]
    return min((limit for limit in limits if isinstance(limit, int)), default=None)


def problem(error: Exception, most: int | None = None) -> tuple[int, dict[str, object]]:
    """Return the status and the content of the answer for an error, without any path of this machine."""
    if isinstance(error, ValidationError):
        return invalid(error.errors(include_url=False, include_context=True))
    content: dict[str, Any] = {"error": message(error)}
    if isinstance(error, InvalidStateError):
        content |= {"fault": error.fault, "facelets": list(error.facelets), "cells": list(error.cells)}
    if isinstance(error, SearchLimitError):
        content |= {"at_least": error.at_least} | ({} if error.solution is None else {"solution": error.solution})
    if isinstance(error, InvalidDefinitionError):
        content |= {"file": error.path}
    return _status(error, most), content


def message(error: Exception) -> str:
    """Return the message of an error, with fields in place of command-line options.

    >>> message(ValueError("moves are from_alg, or --format alg"))
    'moves are "format": "alg"'
    """
    if isinstance(error, MissingTableError):
        return f"this server does not have the table {error.name}"
    if isinstance(error, SearchLimitError) and error.solution is not None:
        return "not proved optimal in time"
    if isinstance(error, TableError):
        return f"{os.path.basename(error.path)}: {error.reason}"
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, RecursionError):
        return "the request is nested too deeply"
    return _NAMED_OPTION.sub(r'"\1"', _OPTION.sub(r'"\1": "\2"', shortened(str(error), _LONGEST_MESSAGE)))


def invalid(faults: Sequence[Mapping[str, object]], known: Sequence[str] = ()) -> tuple[int, dict[str, object]]:
    """Return the status and the content of the answer to an invalid request, without quoting long values.

    If a field is not supported, one of the known fields is suggested.
    """
    if any(fault["type"] == "json_invalid" for fault in faults):
        return 400, {"error": "the request is not JSON"}
    described = dict.fromkeys(_described(fault, known) for fault in faults[:_MOST_FAULTS])
    return 422, {"error": shortened("; ".join(described), _LONGEST_MESSAGE)}


def _described(fault: Mapping[str, Any], known: Sequence[str]) -> str:
    where = [str(part) for part in fault["loc"] if part not in {"body", "path", "query"}]
    field = where[0] if where else "the request"
    template = _FAULTS.get(fault["type"])
    if fault["type"] == "extra_forbidden" and (hint := did_you_mean(field, known)):
        return f"{field} is not supported: {hint}"
    return template.format(field=field, **fault.get("ctx", {})) if template else f"{field}: {fault['msg']}"


def _status(error: Exception, most: int | None) -> int:
    if isinstance(error, UnknownPuzzleError):
        return 404
    if isinstance(error, (TableError, MemoryError)):
        return 503
    if isinstance(error, SearchLimitError):
        return 504 if most is None or error.at_least <= most else 422
    return 422

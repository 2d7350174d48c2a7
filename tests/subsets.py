"""Parametrized cases of which `make test` runs a few, and `make test-all` all."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def only(usual: Container[Any], cases: Iterable[Any]) -> list[Any]:
    """Return all cases, tuples for several values; all but the usual ones are exhaustive."""
    return [case if case in usual else later(*(case if isinstance(case, tuple) else (case,))) for case in cases]


def later(*values: Any) -> Any:
    """An exhaustive case with these values."""
    return pytest.param(*values, marks=pytest.mark.exhaustive)

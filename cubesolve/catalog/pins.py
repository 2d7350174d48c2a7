"""The pinned tables: a line of ``pins.tsv`` for each; ``scripts/pins.py`` prints those of distances."""

from __future__ import annotations

import functools
import os
from typing import Any

from cubesolve.definition.metrics import METRICS
from cubesolve.spaces.tables import BYTE_DEPTHS, Pinned, TableEntry, TableHeader


@functools.cache
def _lines() -> dict[str, list[str]]:
    path = os.path.join(os.path.dirname(__file__), "pins.tsv")
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return {name: columns for name, *columns in lines}


def pinned_table(name: str) -> Pinned:
    """Return what is pinned of a table."""
    sha256, coordinates, size, default, effort, source, counts = _lines()[name]
    pinned = Pinned(counts, sha256, coordinates, int(size or 0), by_default=bool(default), effort=effort)
    return pinned._replace(source=source) if source else pinned


def pinned_tables(name: str) -> dict[str, Pinned]:
    """Return the pinned tables of a puzzle whose space is derived, by metric."""
    return {metric: pinned_table(f"{name}-{metric}") for metric in METRICS if f"{name}-{metric}" in _lines()}


def pinned_phases(puzzle: str) -> tuple[int, str, str]:
    """Return the size in bytes of the table of the phases of a puzzle, its digest, and the effort to make it."""
    pinned = pinned_table(f"{puzzle}-phases")
    return pinned.size, pinned.sha256, pinned.effort


def pinned_entry(
    name: str,
    puzzle: str,
    scheme: str,
    encoding: int = BYTE_DEPTHS,
    *,
    metric: str | None = None,
    entries: int | None = None,
    **facts: Any,
) -> TableEntry:
    """Return a table with ranks of its own; see `TableEntry` for further facts."""
    pinned = pinned_table(name)
    counts, counted_in = pinned.distribution, metric or name.split("-")[1]
    header = TableHeader(name, puzzle, counted_in, scheme, entries or sum(counts), counts, pinned.sha256, encoding)
    of_pins = {"source": pinned.source, "by_default": pinned.by_default, "effort": pinned.effort}
    return TableEntry(header, **{**of_pins, **facts})

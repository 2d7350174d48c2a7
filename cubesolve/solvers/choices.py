"""Files that keep the pattern selection of a search."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from cubesolve.errors import CorruptTableError
from cubesolve.spaces.tables import ARRAYS, TableEntry, TableHeader

if TYPE_CHECKING:
    from cubesolve.spaces.defined import DerivedGraph
    from cubesolve.store.tables import Body


def choice_entry(graph: DerivedGraph, kind: str, memory: int) -> TableEntry:
    """Return the entry of the file of the projections, or sets of pieces, that are selected for a memory in bytes."""
    return search_entry(graph, f"{kind}-{memory}", f"{kind} {graph.digest} {memory}", ARRAYS)


def search_entry(graph: DerivedGraph, name: str, scheme: str, encoding: int, entries: int = 0) -> TableEntry:
    """Return the entry of a file of the search for a puzzle; its name begins with the digest of the puzzle."""
    name = f"custom-{graph.digest[:16]}-{name}"
    header = TableHeader(name, "custom", graph.metric, scheme, entries, (), "", encoding)
    return TableEntry(header, (), by_default=False, built_by=graph.built_by)


def read_sets(entry: TableEntry, body: Body, depth: int) -> list[Any]:
    """Return the selection: integers in lists nested to a depth; a file with other content is corrupt."""
    try:
        choice: list[Any] = json.loads(bytes(body))
    except (ValueError, RecursionError):
        raise wrong_choice(entry) from None
    if not _is_nested(choice, depth):
        raise wrong_choice(entry)
    return choice


def _is_nested(given: object, depth: int) -> bool:
    if depth == 0:
        return type(given) is int
    return isinstance(given, list) and all(_is_nested(each, depth - 1) for each in given)


def are_others(sets: Sequence[Sequence[int]], labels: Collection[int]) -> bool:
    """Return whether sets are not disjoint nonempty sets of the labels, or there is no set."""
    listed = [label for some in sets for label in some]
    return not listed or not all(sets) or len(set(listed)) < len(listed) or not set(listed) <= set(labels)


def wrong_choice(entry: TableEntry) -> CorruptTableError:
    """Return the error about a file whose selection does not match its puzzle."""
    return CorruptTableError(entry.name, "the choice does not match its puzzle")

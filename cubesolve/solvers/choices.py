"""What was chosen for a search: the names of its files, and their contents."""

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
    """The file that says which projections were chosen for a puzzle, or which sets of pieces.

    Args:
        graph: the states of the puzzle.
        kind: "projections" or "parts".
        memory: bytes of their tables.
    """
    return search_entry(graph, f"{kind}-{memory}", f"{kind} {graph.digest} {memory}", ARRAYS)


def search_entry(graph: DerivedGraph, name: str, scheme: str, encoding: int, entries: int = 0) -> TableEntry:
    """A file of the search for a puzzle; the name begins with what identifies the puzzle."""
    name = f"custom-{graph.digest[:16]}-{name}"
    header = TableHeader(name, "custom", graph.metric, scheme, entries, (), "", encoding)
    return TableEntry(header, (), by_default=False, built_by=graph.built_by)


def read_sets(entry: TableEntry, body: Body, depth: int) -> list[Any]:
    """What was chosen: sets of labels, in so many lists within one another.

    Raises:
        CorruptTableError: it is something else.
    """
    try:
        choice: list[Any] = json.loads(bytes(body))
    except (ValueError, RecursionError):
        raise wrong_choice(entry) from None
    if not _is_nested(choice, depth):
        raise wrong_choice(entry)
    return choice


def _is_nested(given: Any, depth: int) -> bool:
    if depth == 0:
        return type(given) is int
    return isinstance(given, list) and all(_is_nested(each, depth - 1) for each in given)


def are_others(sets: Sequence[Sequence[int]], labels: Collection[int]) -> bool:
    """Whether a label is none of these, or in two sets, or a set is empty, or there is none."""
    listed = [label for some in sets for label in some]
    return not listed or not all(sets) or len(set(listed)) < len(listed) or not set(listed) <= set(labels)


def wrong_choice(entry: TableEntry) -> CorruptTableError:
    """The error about a file whose choice is that of another puzzle, or none."""
    return CorruptTableError(entry.name, "the choice does not match its puzzle")

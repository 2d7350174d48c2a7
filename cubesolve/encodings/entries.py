"""Entries of tables: their sizes, and what is said about wrong ones (pure Python)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cubesolve.errors import CorruptTableError
from cubesolve.spaces.tables import TableHeader

LINE_ENTRIES = 243
"""The number of entries of a line of a packed table."""

LINE_BYTES = 64
"""The number of bytes of a line: the entries, two bits each, and in the last byte the least depth among them."""

WORD_ENTRIES = 32
"""The number of entries of a word of a mod-3 table."""

WORD_BYTES = 8
"""The number of bytes of a word."""

UNREACHED = 3
"""The entry in a mod-3 table of a state from which no start can be reached."""


class Fault(NamedTuple):
    """A state whose entry is wrong."""

    rank: int  # the state
    depth: int  # its depth in the table
    expected: int  # the depth that follows from its neighbours
    conflicts: int  # the number of states that disagree with their neighbours


def require_no_fault(fault: Fault | None, path: str, describe: Callable[[int], str] = "entry {}".format) -> None:
    """Raise an error for a fault, if there is one."""
    if fault:
        raise CorruptTableError(
            path,
            f"{describe(fault.rank)} has depth {fault.depth}, "
            f"but its neighbours require {fault.expected} (states in conflict: {fault.conflicts})",
        )


def require_counts(counts: tuple[int, ...], claimed: TableHeader, path: str) -> None:
    """Reject a header with another distribution than the one that a proof found."""
    if counts != claimed.distribution:
        raise CorruptTableError(path, "the distribution in the header is not that of the entries")

"""Faults that a proof finds in a table (pure Python)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cubesolve.errors import CorruptTableError
from cubesolve.spaces.tables import TableHeader


class Fault(NamedTuple):
    """A state whose entry is wrong.

    Attributes:
        rank: the state.
        depth: its depth in the table.
        expected: the depth that follows from its neighbours.
        conflicts: the number of states that disagree with their neighbours.
    """

    rank: int
    depth: int
    expected: int
    conflicts: int


def require_no_fault(fault: Fault | None, path: str, describe: Callable[[int], str] = "entry {}".format) -> None:
    """Raise an error for a fault, if there is one.

    Raises:
        CorruptTableError: there is a fault.
    """
    if fault:
        raise CorruptTableError(
            path,
            f"{describe(fault.rank)} has depth {fault.depth}, "
            f"but its neighbours require {fault.expected} (states in conflict: {fault.conflicts})",
        )


def require_counts(counts: tuple[int, ...], claimed: TableHeader, path: str) -> None:
    """Reject a header with another distribution than the one that a proof found.

    Raises:
        CorruptTableError: they differ.
    """
    if counts != claimed.distribution:
        raise CorruptTableError(path, "the distribution in the header is not that of the entries")

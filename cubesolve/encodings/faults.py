"""What a proof finds wrong with a table (pure Python)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cubesolve.errors import CorruptTableError
from cubesolve.spaces.tables import TableHeader


class Fault(NamedTuple):
    """A state whose entry is wrong.

    Attributes:
        rank: the state.
        depth: the depth it has.
        expected: the depth that its neighbours say it should have.
        conflicts: how many states disagree with their neighbours in all.
    """

    rank: int
    depth: int
    expected: int
    conflicts: int


def require_no_fault(fault: Fault | None, path: str, describe: Callable[[int], str] = "entry {}".format) -> None:
    """Raise an error for the fault that a proof found, if it found one.

    Args:
        fault: the fault.
        path: names the table in the message.
        describe: what to call the state with a rank.

    Raises:
        CorruptTableError: there is a fault.
    """
    if fault:
        raise CorruptTableError(
            path,
            f"{describe(fault.rank)} has depth {fault.depth}, "
            f"but its neighbours say {fault.expected} (states in conflict: {fault.conflicts})",
        )


def require_counts(counts: tuple[int, ...], claimed: TableHeader, path: str) -> None:
    """Reject a header with another distribution than the one that a proof found.

    Raises:
        CorruptTableError: they differ.
    """
    if counts != claimed.distribution:
        raise CorruptTableError(path, "the distribution in the header is not that of the entries")

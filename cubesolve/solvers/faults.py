"""Errors of batches with invalid rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeVar, overload

from cubesolve.errors import InvalidMoveError, InvalidStateError, quoted

NAMED = 3
"""The maximum number of invalid rows in a message."""

InvalidState = InvalidStateError | InvalidMoveError
"""An error in the place of an invalid state."""

GivenT = TypeVar("GivenT")
ReadT = TypeVar("ReadT")


def is_masking(invalid: str) -> bool:
    """Return whether invalid rows are masked instead of raising an error; reject other values."""
    if not isinstance(invalid, str) or invalid not in {"raise", "mask"}:
        raise ValueError(f"invalid must be 'raise' or 'mask', not {quoted(str(invalid))}")
    return invalid == "mask"


def invalid_rows(first: Sequence[tuple[int, object]], wrong: int, rows: int) -> InvalidStateError:
    """Return the error of a batch with invalid rows."""
    named = "; ".join(f"row {row}: {fault}" for row, fault in first)
    more = f"; and {wrong - len(first):,} more of {rows:,} rows" if wrong > len(first) else ""
    fault = first[0][1] if first else None
    return InvalidStateError(
        named + more, fault.fault if isinstance(fault, InvalidStateError) else "other", rows=[row for row, _ in first]
    )


@overload
def read_each(
    batch: Iterable[GivenT], read: Callable[[GivenT], ReadT], invalid: Literal["raise"] = ...
) -> list[ReadT]: ...
@overload
def read_each(batch: Iterable[GivenT], read: Callable[[GivenT], ReadT], invalid: str) -> list[ReadT | InvalidState]: ...
def read_each(
    batch: Iterable[GivenT], read: Callable[[GivenT], ReadT], invalid: str = "raise"
) -> list[ReadT] | list[ReadT | InvalidState]:
    """Read the states of a batch one by one."""
    masking, states, faults = is_masking(invalid), list[Any](), list[tuple[int, Exception]]()
    for row, given in enumerate(batch):
        try:
            states.append(read(given))
        except (InvalidStateError, InvalidMoveError) as error:
            states.append(error)
            faults.append((row, error))
    if faults and not masking:
        raise invalid_rows(faults[:NAMED], len(faults), len(states))
    return states

"""What to do about rows of a batch that are no states."""

from __future__ import annotations

from collections.abc import Sequence

from cubesolve.errors import InvalidStateError, quoted

NAMED = 3
"""How many of them a message names."""


def is_masking(invalid: str) -> bool:
    """Whether such rows are to be masked instead of being an error.

    Raises:
        ValueError: neither was asked for.

    >>> is_masking("mask"), is_masking("raise")
    (True, False)
    """
    if not isinstance(invalid, str) or invalid not in {"raise", "mask"}:
        raise ValueError(f"invalid must be 'raise' or 'mask', not {quoted(str(invalid))}")
    return invalid == "mask"


def invalid_rows(first: Sequence[tuple[int, object]], wrong: int, rows: int) -> InvalidStateError:
    """The error that names the first rows that are no states.

    Args:
        first: their numbers, and what is wrong with each.
        wrong: how many there are in all.
        rows: how many rows the batch has.

    >>> error = invalid_rows([(3, "no cube")], 5, 1000)
    >>> print(error, error.rows)
    row 3: no cube; and 4 more of 1,000 rows (3,)
    """
    named = "; ".join(f"row {row}: {fault}" for row, fault in first)
    more = f"; and {wrong - len(first):,} more of {rows:,} rows" if wrong > len(first) else ""
    fault = first[0][1] if first else None
    return InvalidStateError(
        named + more, fault.fault if isinstance(fault, InvalidStateError) else "other", rows=[row for row, _ in first]
    )

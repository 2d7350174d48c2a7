"""The tables of a puzzle, as data only: looking one up loads nothing that building needs."""

from __future__ import annotations

from typing import NamedTuple

BYTE_DEPTHS = 1
"""The encoding with one byte per entry: its depth, or 255 if no start can be reached."""

PACKED = 2
"""The encoding with two bits per entry in lines of 64 bytes; see ``docs/format.md``."""

MOD3 = 3
"""The encoding with two bits per entry, its depth modulo 3; see ``docs/format.md``."""

ARRAYS = 4
"""The encoding of the coordinates of a derived space, whose entries are bytes; see ``docs/format.md``."""

CHECKPOINT = 5
"""The encoding of the entries of an unfinished table, as bytes; see ``docs/format.md``."""

ONE_BIT = 6
"""The encoding with one bit per entry, which is no longer read; see ``docs/format.md``."""

UP_TO_SYMMETRY = "up to symmetry"
"""The end of the index scheme of tables that earlier versions wrote, with an entry for each symmetry class."""

AT_ONCE = 1 << 24
"""The number of states up to which a missing table is built when it is first needed."""

UNREACHABLE = 255
"""The depth of an entry from which no start can be reached."""


class TableHeader(NamedTuple):
    """The header of a table file.

    The header of a table that is not built may be known in part: with an empty digest, or no distribution.
    """

    name: str  # the table's name, ``pocket-htm``
    puzzle: str  # ``pocket``
    metric: str  # ``htm`` or ``qtm``
    scheme: str  # the index scheme, which defines the meaning of entry number i
    entries: int  # number of entries of the body
    distribution: tuple[int, ...]  # reachable entries per depth, from 0
    sha256: str  # digest of the body, in hexadecimal
    encoding: int = BYTE_DEPTHS  # how the body stores depths

    @property
    def reachable(self) -> int:
        """The number of entries from which a start can be reached."""
        return sum(self.distribution)


class Fold(NamedTuple):
    """A map from a table to the table of the least depths of sets of its states.

    Entry number ``a * width + c`` is the least of the entries ``(a * height + b) * width + c`` of the other table.
    """

    table: str  # the name of the other table
    height: int  # the number of states in each set
    width: int  # the number of entries side by side


class TableEntry(NamedTuple):
    """One table."""

    header: TableHeader  # the expected header of its file
    starts: tuple[int, ...] = (0,)  # the entries at depth 0
    source: str = "found here; the proof needs no other source"  # where the distribution was published
    by_default: bool = True  # whether it is built by default
    fold: Fold | None = None  # for a table of least depths, the map from the other table
    # for a pattern database of the 3x3x3, what a row tells beside its class; see `projections.label_named`
    label: str | None = None
    effort: str = ""  # the time and memory that it takes, if it is worth mentioning
    built_by: str = ""  # the argument of ``cubesolve tables build``, if it is not the name of the table

    @property
    def name(self) -> str:
        """The table's name."""
        return self.header.name


class Pinned(NamedTuple):
    """What is pinned of a table of distances of the catalog, and of the coordinates of its space if that is derived."""

    counts: str  # the number of states at each depth, in text
    sha256: str  # the digest of the table of distances
    coordinates: str  # the digest of the coordinates
    size: int  # the number of bytes of the coordinates
    source: str = "found here; the proof needs no other source"  # where the distribution was published
    by_default: bool = False  # whether the two are built by default
    effort: str = ""  # the time and memory that it takes, if it is worth mentioning

    @property
    def distribution(self) -> tuple[int, ...]:
        """The number of states at each depth."""
        return tuple(map(int, self.counts.split()))

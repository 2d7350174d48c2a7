"""What a puzzle says of its tables: data only, so that looking one up loads nothing that building one needs."""

from __future__ import annotations

from typing import NamedTuple

BYTE_DEPTHS = 1
"""The encoding of one byte an entry: its depth, or 255 where the start cannot be reached."""

PACKED = 2
"""The encoding of two bits an entry in lines of 64 bytes; see ``docs/format.md``."""

MOD3 = 3
"""The encoding of two bits an entry, its depth modulo 3; see ``docs/format.md``."""

ARRAYS = 4
"""The encoding of the coordinates of a derived space, whose entries are bytes; see ``docs/format.md``."""

CHECKPOINT = 5
"""The encoding of the entries of a table that is not finished, as bytes; see ``docs/format.md``."""

ONE_BIT = 6
"""The encoding of one bit an entry, where every move changes a parity; see ``docs/format.md``."""

UNREACHABLE = 255
"""The depth of an entry that no sequence of moves connects with the start."""


class TableHeader(NamedTuple):
    """What a table file says about itself.

    Attributes:
        name: the table's name, ``pocket-htm``.
        puzzle: ``pocket``.
        metric: ``htm`` or ``qtm``.
        scheme: the index scheme, which says what entry number i is about.
        entries: number of entries of the body.
        distribution: reachable entries per depth, from 0.
        sha256: digest of the body, in hexadecimal.
        encoding: how the body stores depths.

    What a table must be can be known only in part: the digest is empty then, and so may be the distribution.
    """

    name: str
    puzzle: str
    metric: str
    scheme: str
    entries: int
    distribution: tuple[int, ...]
    sha256: str
    encoding: int = BYTE_DEPTHS

    @property
    def reachable(self) -> int:
        """The number of entries from which the start can be reached."""
        return sum(self.distribution)


class Fold(NamedTuple):
    """How a table says the least depth of each of several sets of states of another one.

    Entry number ``a * width + c`` is the least of those numbered ``(a * height + b) * width + c`` there.

    Attributes:
        table: the name of the other table.
        height: how many states there are for each entry.
        width: how many entries are side by side.
    """

    table: str
    height: int
    width: int


class TableEntry(NamedTuple):
    """One table.

    Attributes:
        header: what the header of its file says, to the letter.
        starts: the entries at depth 0.
        source: where the distribution was published.
        by_default: whether it is built when nothing else is asked for.
        fold: for a table of least depths, how these follow from another table.
        label: for a pattern database of the 3x3x3, what a row tells beside its class; see `cosets.label_named`.
        effort: what it takes to build it, where that is worth knowing before.
        built_by: what ``cubesolve tables build`` must be given, if it is not the table's name.
    """

    header: TableHeader
    starts: tuple[int, ...] = (0,)
    source: str = "found here; the proof needs no other source"
    by_default: bool = True
    fold: Fold | None = None
    label: str | None = None
    effort: str = ""
    built_by: str = ""

    @property
    def name(self) -> str:
        """The table's name."""
        return self.header.name

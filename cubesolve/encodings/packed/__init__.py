"""The encoding of packed pattern databases: two bits per entry in lines of 64 bytes with a floor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.encoding import Encoding
from cubesolve.spaces.tables import PACKED

if TYPE_CHECKING:
    from cubesolve.encodings.methods import Methods
    from cubesolve.spaces.tables import TableHeader

LINE_ENTRIES = 243
"""The number of entries of a line."""

LINE_BYTES = 64
"""The number of bytes of a line: the entries, two bits each, and in the last byte the least depth among them."""


def base_of(header: TableHeader) -> int:
    """Return the depth up to which entries are 0; the last level is that depth + 3 or more.

    >>> from cubesolve.catalog import entry_named
    >>> header = entry_named("rubik-htm-small")[1].header
    >>> base_of(header) == len(header.distribution) - 4
    True
    """
    return len(header.distribution) - 4


class PackedEncoding(Encoding):
    """The depth above a base, 0 to 3, of each entry; and for each line the least depth in it."""

    number = PACKED
    level = 1  # level 3 is no smaller
    is_read_whole = False  # searches need it aligned, and shared among processes
    last_is_more = True

    def body_bytes(self, entries: int) -> int:
        """Return the number of bytes of a body with a number of entries."""
        return entries // LINE_ENTRIES * LINE_BYTES

    def is_consistent(self, header: TableHeader) -> bool:
        """Return whether the numbers in a header agree."""
        return super().is_consistent(header) and not header.entries % LINE_ENTRIES and base_of(header) >= 0

    def methods(self) -> Methods:
        """Return the methods that make and prove tables; they need numpy."""
        from cubesolve.encodings.packed.methods import METHODS  # noqa: PLC0415  # needs numpy

        return METHODS

"""Encodings: how the bodies of tables store their entries. All share an interface.

Only encodings know how entries are stored: `encoding_of` returns the `Encoding` of a header, whose methods do
everything that depends on it. Importing this package loads declarations only, neither numpy nor numba. Its
modules, in reading order:

- `encoding`: the interface; `methods`: building, proving, and answers about arrays.
- `space_arrays`: state spaces as kernels read them.
- `byte`, `mod3`: the encodings of tables with all distances, by a byte or two bits each.
- `packed`: pattern databases of two bits.
- `counting`: counts of states without a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cubesolve.encodings.byte import ByteEncoding
from cubesolve.encodings.encoding import Encoding, ExactEncoding
from cubesolve.encodings.mod3 import Mod3Encoding
from cubesolve.spaces.tables import ARRAYS, CHECKPOINT, PACKED, TableEntry, TableHeader

if TYPE_CHECKING:
    from cubesolve.encodings.methods import Methods

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
        from cubesolve.encodings.packed import PackedMethods  # noqa: PLC0415  # needs numpy

        return PackedMethods()


class CoordinatesEncoding(Encoding):
    """Arrays that a puzzle computes, as bytes; see `Rules.arrays`."""

    number = ARRAYS
    level = 3  # the file is within 10 % of that of level 9, in a sixth of the time
    has_depths = False
    unit = "bytes"

    def body_bytes(self, entries: int) -> int:
        """Return the number of bytes of a body with a number of entries."""
        return entries

    def has_levels(self, entry: TableEntry) -> bool:  # noqa: ARG002
        """Return whether a table is enumerated level by level, so that there can be checkpoints.

        Coordinates are derived at once.
        """
        return False

    def methods(self) -> Methods:
        """Return the methods that make and prove tables; they need numpy."""
        from cubesolve.encodings.methods import CoordinatesMethods  # noqa: PLC0415  # needs numpy

        return CoordinatesMethods()


class CheckpointEncoding(Encoding):
    """The state of an enumeration; the content has another encoding, which alone can read it."""

    number = CHECKPOINT
    level = 1  # as fast as uncompressed bytes, and at most two thirds of their size
    has_depths = False
    unit = "bytes"

    def body_bytes(self, entries: int) -> int:
        """Return the number of bytes of a body with a number of entries."""
        return entries

    def is_consistent(self, header: TableHeader) -> bool:  # noqa: ARG002
        """Return whether the numbers in a header agree. A byte has several entries."""
        return True

    def methods(self) -> Methods:
        """Return the methods that make and prove tables; they need numpy.

        Raises:
            ValueError: always; the encoding of the content has them.
        """
        raise ValueError("a checkpoint is not a table that can be built or proved")


_EXACT: tuple[ExactEncoding, ...] = (ByteEncoding(), Mod3Encoding())

ENCODINGS: Mapping[int, Encoding] = {
    each.number: each for each in (*_EXACT, PackedEncoding(), CoordinatesEncoding(), CheckpointEncoding())
}
"""All encodings, by their numbers in files."""

BY_BITS: Mapping[int, ExactEncoding] = {each.bits: each for each in _EXACT}
"""The encodings of tables with all distances, by the bits of an entry."""


def body_bytes(header: TableHeader) -> int:
    """Return the number of bytes of the body of a table.

    >>> from cubesolve.catalog import entry_named
    >>> body_bytes(entry_named("pocket-htm")[1].header)
    3674160
    """
    return encoding_of(header).body_bytes(header.entries)


def encoding_of(header: TableHeader) -> Encoding:
    """Return the encoding of a table.

    >>> from cubesolve.catalog import entry_named
    >>> encoding_of(entry_named("pocket-htm")[1].header).bits
    8
    """
    return ENCODINGS[header.encoding]

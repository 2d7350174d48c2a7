"""Encodings: how the bodies of tables store their entries. Each has a subpackage; all share an interface.

Only encodings know how entries are stored: `encoding_of` returns the `Encoding` of a header, whose methods do
everything that depends on it. Importing this package loads declarations only, neither numpy nor numba.
"""

from __future__ import annotations

from collections.abc import Mapping

from cubesolve.encodings.byte import ByteEncoding
from cubesolve.encodings.checkpoint import CheckpointEncoding
from cubesolve.encodings.coordinates import CoordinatesEncoding
from cubesolve.encodings.encoding import Encoding, ExactEncoding
from cubesolve.encodings.mod3 import Mod3Encoding
from cubesolve.encodings.packed import PackedEncoding
from cubesolve.spaces.tables import TableHeader

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

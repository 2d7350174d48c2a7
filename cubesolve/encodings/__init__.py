"""Encodings: how the bodies of tables store their entries.

Only encodings know how entries are stored: `encoding_of` returns the `Encoding` of a header, whose methods do
everything that depends on it. Importing this package loads declarations only, neither numpy nor numba. Its
modules, in reading order:

- `entries`: sizes and faults; `encoding`: what an encoding can do; `zstd`: compression; `making`: building and proving
  tables.
- `space_arrays`: state spaces as kernels read them.
- `kernels`, `enumeration`: breadth-first search with a byte or two bits per entry.
- `proof`, `mod3_proof`: proofs that share no code with it.
- `distances`, `descent`, `batch`: answers about one state, a few and many; `probe` chooses among these.
- `packed`: pattern databases of two bits.
- `counting`: counts of states without a table; `shards`: parts of one, on several machines.
"""

from __future__ import annotations

from collections.abc import Mapping

from cubesolve.encodings.encoding import Encoding
from cubesolve.encodings.entries import LINE_BYTES, LINE_ENTRIES, WORD_BYTES, WORD_ENTRIES
from cubesolve.spaces.tables import ARRAYS, BYTE_DEPTHS, CHECKPOINT, MOD3, PACKED, TableHeader

ENCODINGS: Mapping[int, Encoding] = {
    # Compressed at level 9, files are within 2 % of those of level 12, in less than half the time. A table can also
    # have the least depths of sets of states, as a `Fold` of another table.
    BYTE_DEPTHS: Encoding(BYTE_DEPTHS, 9, bits=8),
    # The depth above a base, 0 to 3, of each entry; and for each line the least depth in it. Level 3 is no smaller.
    # Searches need bodies aligned, and shared among processes.
    PACKED: Encoding(PACKED, 1, block=(LINE_ENTRIES, LINE_BYTES), is_read_whole=False, last_is_more=True),
    MOD3: Encoding(
        MOD3, 1, bits=2, block=(WORD_ENTRIES, WORD_BYTES), proof_bits=1, counts_entries=False,
        unit="entries of two bits", suits="if every move can be undone and costs 1",
    ),
    # Arrays that a puzzle computes; see `Rules.arrays`. Level 3: within 10 % of the size of level 9, in a sixth
    # of the time.
    ARRAYS: Encoding(ARRAYS, 3, has_depths=False, unit="bytes"),
    # The content has another encoding, which alone can read it. Level 1 is as fast as uncompressed bytes, and at most
    # two thirds of their size.
    CHECKPOINT: Encoding(CHECKPOINT, 1, has_depths=False, counts_entries=False, unit="bytes"),
}  # fmt: skip
"""All encodings, by their numbers in files."""

BY_BITS: Mapping[int, Encoding] = {encoding.bits: encoding for encoding in ENCODINGS.values() if encoding.bits}
"""The encodings of tables with all distances, by the bits of an entry."""


def base_of(header: TableHeader) -> int:
    """Return the depth up to which entries of a packed table are 0; the last level is that depth + 3 or more."""
    return len(header.distribution) - 4


def body_bytes(header: TableHeader) -> int:
    """Return the number of bytes of the body of a table."""
    return encoding_of(header).body_bytes(header.entries)


def encoding_of(header: TableHeader) -> Encoding:
    """Return the encoding of a table."""
    return ENCODINGS[header.encoding]

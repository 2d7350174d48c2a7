"""The words of a Bloom filter (Bloom 1970), for kernels and for single keys (numpy).

A key sets four bits of one 64-bit word, so looking it up costs one access to memory. It was not entered if some of them
are missing. Keys are not stored, so a filter may have any size.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernels import part

_HALF = np.uint64(32)  # the upper half of a key determines a word,
_ONE, _IN_WORD, _BITS = np.uint64(1), np.uint64(63), np.uint64(6)  # the lower half four bits in it

Key = TypeVar("Key", np.uint64, NDArray[np.uint64])


@part
def word_of(key: Key, words: np.uint64) -> Key:
    """Return the number of the word of a key, among less than 2^32 words: uint64, of uint64.

    >>> int(word_of(np.uint64(3 << 62), np.uint64(100)))
    75
    """
    return ((key >> _HALF) * words) >> _HALF


@part
def bits_of(key: Key) -> Key:
    """Return the bits of a key: uint64, of uint64.

    >>> bin(bits_of(np.uint64(0b000011_000010_000001_000000)))
    '0b1111'
    """
    bits: Key = (
        (_ONE << (key & _IN_WORD))
        | (_ONE << ((key >> _BITS) & _IN_WORD))
        | (_ONE << ((key >> (_BITS + _BITS)) & _IN_WORD))
        | (_ONE << ((key >> (_BITS + _BITS + _BITS)) & _IN_WORD))
    )
    return bits

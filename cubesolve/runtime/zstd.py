"""Frames of zstd: by Python's own module where it has one (3.14 and later), otherwise by the package zstandard."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

try:
    from compression import zstd as _own  # type: ignore[import-not-found,unused-ignore]
except ModuleNotFoundError:
    _own = None

_Own: Any = _own  # which functions it has depends on the version of Python
if _Own is None:
    import zstandard

    ZstdError: type[Exception] = zstandard.ZstdError
else:
    ZstdError = _Own.ZstdError

_MAGIC = (0xFD2FB528).to_bytes(4, "little")
_LENGTHS_OF_IDENTIFIERS = (0, 1, 2, 4)  # bytes


class FrameHeader(NamedTuple):
    """The beginning of a frame.

    Attributes:
        length: its bytes.
        content_size: the bytes of the content.
        has_checksum: whether a checksum of 4 bytes ends the frame.
    """

    length: int
    content_size: int
    has_checksum: bool


def frame_header(data: bytes | memoryview) -> FrameHeader:
    """Return the header of a frame (RFC 8878, section 3.1.1.1).

    Args:
        data: the frame, or its first 18 bytes.

    Raises:
        ZstdError: it is not the beginning of a frame that declares the size of its content.

    >>> frame_header(compress(b"abc"))
    FrameHeader(length=6, content_size=3, has_checksum=False)
    """
    if bytes(data[:4]) != _MAGIC or len(data) < 5:
        raise ZstdError("the magic number is wrong")
    descriptor = data[4]
    single_segment = descriptor >> 5 & 1  # instead of the size of a window
    start = 5 + (1 - single_segment) + _LENGTHS_OF_IDENTIFIERS[descriptor & 3]
    size = (single_segment, 2, 4, 8)[descriptor >> 6]
    if not size or len(data) < start + size:
        raise ZstdError("the size of the content is missing")
    content = int.from_bytes(data[start : start + size], "little") + 256 * (size == 2)
    return FrameHeader(start + size, content, descriptor >> 2 & 1 == 1)


def compress(data: bytes | memoryview, level: int = 3) -> bytes:
    """Return a frame.

    >>> decompress(compress(b"abc"))
    b'abc'
    """
    return bytes(_Own.compress(data, level) if _Own else zstandard.compress(data, level))


def decompress(frame: bytes | memoryview) -> bytes:
    """Return the content of a frame.

    Raises:
        MemoryError: the content is too large.
        ZstdError: it is not exactly one frame with the size of its content.
    """
    if not _Own:
        return zstandard.ZstdDecompressor().decompress(frame, allow_extra_data=False)
    stream = _Own.ZstdDecompressor()
    content: bytes = stream.decompress(frame, min(frame_header(frame).content_size + 1, sys.maxsize))
    if not stream.eof or stream.unused_data:
        raise ZstdError("it is cut short, or followed by other bytes")
    return content


def compressor(size: int, level: int) -> Any:
    """Return an object that makes one frame with a checksum: `compress` takes a piece of the content, `flush` ends it.

    Args:
        size: the bytes of the content.
    """
    if not _Own:
        return zstandard.ZstdCompressor(level=level, write_checksum=True).compressobj(size=size)
    parameters = _Own.CompressionParameter
    made = _Own.ZstdCompressor(options={parameters.compression_level: level, parameters.checksum_flag: 1})
    made.set_pledged_input_size(size)
    return made


def decompressor() -> Any:
    """Return an object that reads one frame: `decompress` takes it in pieces, and `eof` is whether it has ended."""
    return _Own.ZstdDecompressor() if _Own else zstandard.ZstdDecompressor().decompressobj()

"""Table files: a header in a zstd skippable frame, then the body in one zstd frame (``docs/format.md``).

Reading rejects every file that is not exactly as written; writing leaves either the whole table or nothing. Large
bodies are read and written piece by piece.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from cubesolve.encodings import ENCODINGS, body_bytes, encoding_of
from cubesolve.encodings.zstd import zstd
from cubesolve.errors import CorruptTableError, OutdatedTableError, TableError, UnsupportedTableError, building
from cubesolve.runtime.files import open_atomically, open_regular, require_regular
from cubesolve.runtime.notices import following
from cubesolve.spaces.tables import ONE_BIT, UP_TO_SYMMETRY, TableHeader

VERSION = 1
"""The version of the format that this module writes, and the newest that it reads."""

_MAGIC = b"cubesolv"
_SKIPPABLE = 0x184D2A50
_FRAME = struct.Struct("<II")  # magic number and size of a skippable frame
_FIXED = struct.Struct("<8sHBBQQ32sQI")
_CRC = struct.Struct("<I")
_LARGEST_HEADER = 1 << 16
_PIECE = 1 << 16  # bytes of a body, or of its frame, at a time: the C library takes new pages for larger ones
_SMALL_FRAME = 1 << 10  # bytes that a frame may have beyond twice those of its body
# Distances repeat nearby: larger windows make no smaller files, and a reader needs memory of this size.
_WINDOW = 18  # the logarithm of its bytes

Body = bytes | memoryview
"""A table's body in memory."""


def digest(body: Body) -> str:
    """Return the digest of a body: its SHA-256, in hexadecimal."""
    return hashlib.sha256(body).hexdigest()


def _encode_to(file: BinaryIO, header: TableHeader, body: Body, level: int | None = None) -> None:
    """Write a table file; the header, which has the size and checksum of the frame, comes last."""
    start = len(_encode_header(header, 0, 0))
    file.seek(start)
    level = encoding_of(header).level if level is None else level
    parameters = zstd.CompressionParameter
    options: dict[int, int] = {
        parameters.compression_level: level, parameters.checksum_flag: 1, parameters.window_log: _WINDOW
    }  # fmt: skip
    stream = zstd.ZstdCompressor(options=options)
    stream.set_pledged_input_size(len(body))
    length = crc = 0
    with following("writing", len(body)) as advance:
        for first in range(0, len(body) + 1, _PIECE):  # an empty last piece ends the frame
            piece = stream.compress(body[first : first + _PIECE])
            if first + _PIECE > len(body):
                piece += stream.flush()
            length, crc = length + len(piece), zlib.crc32(piece, crc)
            file.write(piece)
            advance(_PIECE)
    file.seek(0)
    file.write(_encode_header(header, length, crc))


def _encode_header(header: TableHeader, length: int, crc: int) -> bytes:
    """Return the frame of the header, given the length and CRC-32 of the frame of the body."""
    sha256 = bytes.fromhex(header.sha256)
    fixed = _FIXED.pack(_MAGIC, VERSION, header.encoding, 0, header.entries, header.reachable, sha256, length, crc)
    texts = b"".join(
        bytes([len(text)]) + text.encode("ascii") for text in (header.name, header.puzzle, header.metric, header.scheme)
    )
    counts = struct.pack(f"<B{len(header.distribution)}Q", len(header.distribution), *header.distribution)
    content = fixed + texts + counts
    content += _CRC.pack(zlib.crc32(content))
    return _FRAME.pack(_SKIPPABLE, len(content)) + content


def read(path: str, expected: TableHeader | None = None) -> tuple[TableHeader, bytes]:
    """Return the header and body of a table file.

    Raises:
        TableError: it cannot be read, or there is not enough memory.
        UnsupportedTableError: the version is newer, or the encoding unknown.
        CorruptTableError: it is not the expected table, or not as it was written.
    """
    content = io.BytesIO()  # which gives its memory away without a copy
    try:
        return unpack(path, expected, content.write), content.getvalue()
    except MemoryError:
        raise TableError(path, "cannot be read: not enough memory") from None


def unpack(path: str, expected: TableHeader | None, write: Callable[[bytes], object]) -> TableHeader:
    """Read and check a table file piece by piece, and return its header; see `read`.

    Args:
        write: called with each piece of the body in turn, never with more bytes than the header says in all; the pieces
            are right only if no error follows.
    """
    with _reading(path), open_regular(path) as file:
        header, length, expected_crc = _read_header(file, path, expected)
    crc = 0
    for piece in _pieces(path, length):
        crc = zlib.crc32(piece, crc)
    if crc != expected_crc:
        raise CorruptTableError(path, "the body does not match its checksum")
    size = left = body_bytes(header)
    sha256, stream = hashlib.sha256(), zstd.ZstdDecompressor()
    try:
        with following("reading", size) as advance:
            for number, piece in enumerate(_pieces(path, length)):
                if number == 0 and (declared := zstd.get_frame_info(piece).decompressed_size) != size:
                    raise CorruptTableError(path, f"the body has {declared} bytes for {header.entries} entries")
                for content in _contents(stream, piece):
                    left -= len(content)
                    if left < 0:
                        raise CorruptTableError(path, f"the body has more than {size} bytes")
                    sha256.update(content)
                    write(content)
                    advance(len(content))
        if left or not stream.eof:
            raise CorruptTableError(path, "the body is not one zstd frame")
    except zstd.ZstdError as error:
        raise CorruptTableError(path, f"the body is not a zstd frame: {error}") from None
    if sha256.hexdigest() != header.sha256:
        raise CorruptTableError(path, "the body does not match its SHA-256 digest")
    return header


def unpack_into(path: str, expected: TableHeader, into: memoryview) -> None:
    """Read and check a table file into memory of exactly the size of its body; see `unpack`."""
    filled = 0

    def append(piece: bytes) -> None:
        nonlocal filled
        into[filled : filled + len(piece)] = piece
        filled += len(piece)

    unpack(path, expected, append)


def _pieces(path: str, length: int) -> Iterator[bytes]:
    """Yield the last bytes of a file, piece by piece."""
    with _reading(path), open_regular(path) as file:
        file.seek(-length, os.SEEK_END)
        for first in range(0, length, _PIECE):
            yield file.read(min(_PIECE, length - first))


def _contents(stream: zstd.ZstdDecompressor, piece: bytes) -> Iterator[bytes]:
    """Yield the content of a piece of a frame, little at a time: a few bytes can expand to gigabytes."""
    if stream.eof:
        raise zstd.ZstdError("it is followed by other bytes")
    yield stream.decompress(piece, _PIECE)
    while not (stream.needs_input or stream.eof):
        yield stream.decompress(b"", _PIECE)
    if stream.unused_data:
        raise zstd.ZstdError("it is followed by other bytes")


def read_header(path: str, built_by: str = "NAME", folder: str | None = None) -> tuple[TableHeader, int]:
    """Read a table file's header and the size of the file, but not the body.

    Args:
        built_by: the arguments of ``cubesolve tables build``, for the message about a removed encoding.
        folder: the folder to build in, likewise; by default that of new tables.
    """
    with _reading(path), open_regular(path) as file:
        header, _, _ = _read_header(file, path, rebuilt=building(f"{built_by} --bits 2", folder))
        return header, file.seek(0, os.SEEK_END)


def write(path: str, header: TableHeader, body: Body, level: int | None = None) -> None:
    """Write a whole, checked table file, or nothing.

    Raises:
        TableError: it cannot be written; an earlier file stays as it was.
    """
    view = memoryview(body)
    checked = 0

    def compare(piece: bytes) -> None:
        nonlocal checked
        if view[checked : checked + len(piece)] != piece:
            raise CorruptTableError(path, "the body is not what was written")
        checked += len(piece)

    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        if os.path.exists(path):
            require_regular(os.stat(path), path)
        with open_atomically(path) as file:
            _encode_to(file, header, view, level)
            file.flush()
            try:
                unpack(file.name, header, compare)
            except CorruptTableError:
                raise TableError(path, "cannot be written: the disk returned other bytes than it was given") from None
    except OSError as error:
        raise TableError(path, f"cannot be written: {error.strerror or error}") from error


def require_same(header: TableHeader, expected: TableHeader, path: str) -> None:
    """Reject a valid table that is not the expected one.

    Args:
        expected: the expected header; without a digest, tables of all distances can have any encoding.
    """
    if header.name != expected.name:
        raise CorruptTableError(path, f"this is the table {header.name}, not {expected.name}")
    unknown = set() if expected.sha256 else {"entries", "distribution", "sha256"}  # fields that are not known
    if not expected.sha256 and encoding_of(header).bits and encoding_of(expected).bits:
        header = header._replace(encoding=expected.encoding)
    different = [f for f in header._fields if getattr(header, f) != getattr(expected, f)]
    fields = [f for f in different if getattr(expected, f) or f not in unknown]
    if fields:
        reason = f"not the {expected.name} of this version of cubesolve: another {', '.join(fields)}"
        raise OutdatedTableError(path, reason)


@contextlib.contextmanager
def _reading(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TableError(path, f"cannot be read: {error.strerror or error}") from error


def _read_header(
    file: BinaryIO, path: str, expected: TableHeader | None = None, rebuilt: str = ""
) -> tuple[TableHeader, int, int]:
    """Return the header of a file, and the length and CRC-32 of the frame of the body."""
    data, file_size = file.read(_FRAME.size + _LARGEST_HEADER), os.fstat(file.fileno()).st_size
    magic, size = _FRAME.unpack_from(data) if len(data) >= _FRAME.size else (0, 0)
    content = data[_FRAME.size : _FRAME.size + size]
    if magic != _SKIPPABLE or not content.startswith(_MAGIC):
        raise CorruptTableError(path, "not a cubesolve table")
    if not _FIXED.size + _CRC.size <= size <= _LARGEST_HEADER or len(content) < size:
        raise CorruptTableError(path, "the header is cut short")
    content, crc = content[: -_CRC.size], content[-_CRC.size :]
    if _CRC.pack(zlib.crc32(content)) != crc:
        raise CorruptTableError(path, "the header does not match its checksum")
    version = int.from_bytes(content[len(_MAGIC) : len(_MAGIC) + 2], "little")
    if version != VERSION:
        raise UnsupportedTableError(path, f"format version {version}; this cubesolve reads version {VERSION}")
    try:
        header, reachable, reserved, length, frame_crc = _unpack_header(content)
    except (struct.error, IndexError, UnicodeDecodeError):
        raise CorruptTableError(path, "the header is malformed") from None
    if header.encoding == ONE_BIT:
        reason = f"encoding {ONE_BIT}, one bit per entry, was removed; build the table with two bits per entry"
        raise UnsupportedTableError(path, f"{reason}: {rebuilt or building('NAME --bits 2')}")
    if header.encoding not in ENCODINGS:
        encodings = f"{min(ENCODINGS)} to {max(ENCODINGS)}"
        raise UnsupportedTableError(path, f"encoding {header.encoding}; this cubesolve reads encodings {encodings}")
    if header.scheme.endswith(UP_TO_SYMMETRY):
        reason = "a table up to symmetry; this cubesolve reads tables of all states, which are built with"
        raise UnsupportedTableError(path, f"{reason}: {building('NAME')}")
    too_long = length > 2 * body_bytes(header) + _SMALL_FRAME
    if reserved or header.reachable != reachable or not encoding_of(header).is_consistent(header) or too_long:
        raise CorruptTableError(path, "the header contradicts itself")
    if file_size != _FRAME.size + size + length:
        raise CorruptTableError(path, f"the file has {file_size} bytes, not {_FRAME.size + size + length}")
    if expected is not None:
        require_same(header, expected, path)
    return header, length, frame_crc


def _unpack_header(content: bytes) -> tuple[TableHeader, int, int, int, int]:
    _, _, encoding, reserved, entries, reachable, sha256, length, frame_crc = _FIXED.unpack_from(content)
    offset = _FIXED.size
    texts = []
    for _ in range(4):
        end = offset + 1 + content[offset]
        texts.append(content[offset + 1 : end].decode("ascii"))
        offset = end
    distribution = struct.unpack(f"<{content[offset]}Q", content[offset + 1 :])
    name, puzzle, metric, scheme = texts
    header = TableHeader(name, puzzle, metric, scheme, entries, distribution, sha256.hex(), encoding)
    return header, reachable, reserved, length, frame_crc

"""Table files by the module that Python has from 3.14 on: by its backport in earlier versions."""

from __future__ import annotations

import importlib.util
import sys
import types
import zlib
from pathlib import Path

import pytest

from cubesolve.errors import CorruptTableError, TableError
from cubesolve.runtime import zstd
from cubesolve.store import tablefile
from tests.test_tablefile import BODY, HEADER


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """`cubesolve.runtime.zstd` as Python 3.14 loads it."""
    backport = pytest.importorskip("backports.zstd", reason="Python has its own module")
    package = types.ModuleType("compression")
    package.zstd = backport  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "compression", package)
    monkeypatch.setitem(sys.modules, "compression.zstd", backport)
    spec = importlib.util.find_spec("cubesolve.runtime.zstd")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.ZstdError is backport.ZstdError is not zstd.ZstdError
    return module


@pytest.mark.parametrize("size", [1, 255, 256, 65_791, 65_792, 1 << 20])
def test_each_reads_what_the_other_writes(own: types.ModuleType, size: int) -> None:
    content = bytes(range(256)) * (size // 256) + bytes(size % 256)
    for writer, reader in ((own, zstd), (zstd, own)):
        assert reader.decompress(writer.compress(content, level=1)) == content
        stream = writer.compressor(size, 3)
        frame = stream.compress(content) + stream.flush()
        header = reader.frame_header(frame[:18])
        assert (header.content_size, header.has_checksum) == (size, True)
        again = reader.decompressor()
        assert again.decompress(frame[: header.length]) + again.decompress(frame[header.length :]) == content
        assert again.eof
        for wrong in (frame[:-1], frame + b"\0", frame + frame, frame[:4], b"", b"\0" * 20):
            with pytest.raises(reader.ZstdError):
                reader.decompress(wrong)


def test_table_files(own: types.ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = tablefile.encode(HEADER, BODY)
    monkeypatch.setattr(tablefile, "zstd", own)
    path = tmp_path / "t.zst"
    path.write_bytes(before)
    assert tablefile.read(str(path), HEADER) == (HEADER, BODY)
    tablefile.write(str(path), HEADER, BODY)  # reads what it wrote piece by piece
    data = path.read_bytes()
    frame = data[data.index(own._MAGIC) :]
    for position in range(len(frame)):
        damaged = frame[:position] + bytes([frame[position] ^ 64]) + frame[position + 1 :]
        with pytest.raises(TableError):
            tablefile._decode_body(damaged, HEADER, zlib.crc32(damaged), "t")
    with pytest.raises(CorruptTableError, match="not a zstd frame"):
        tablefile._decode_body(frame[:-5], HEADER, zlib.crc32(frame[:-5]), "t")

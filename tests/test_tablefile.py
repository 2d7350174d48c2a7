from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubesolve import catalog, lookup
from cubesolve.encodings.zstd import zstd
from cubesolve.errors import CorruptTableError, MissingTableError, TableError, UnsupportedTableError
from cubesolve.spaces.tables import TableHeader
from cubesolve.store import tablefile
from cubesolve.store.folders import find_table, table_folders
from tests.forged import encode
from tests.processes import run_python
from tests.subsets import later

BODY = bytes(range(5)) * 40
HEADER = TableHeader("t", "p", "htm", "s", 200, (40,) * 5, hashlib.sha256(BODY).hexdigest())
DATA = encode(HEADER, BODY)


def test_round_trip(tmp_path: Path) -> None:
    """Also zstd alone gives the body."""
    path = str(tmp_path / "t.zst")
    tablefile.write(path, HEADER, BODY)
    assert tablefile.read(path) == (HEADER, BODY)
    assert tablefile.read(path, HEADER) == (HEADER, BODY)
    assert tablefile.read_header(path) == (HEADER, len(DATA))
    assert Path(path).read_bytes() == DATA == encode(HEADER, BODY)
    assert os.listdir(tmp_path) == ["t.zst"]
    assert zstd.decompress(DATA) == BODY
    if shutil.which("zstd"):
        assert subprocess.run(["zstd", "-dc"], input=DATA, capture_output=True, check=True).stdout == BODY


def decode(data: bytes, expected: TableHeader | None = None) -> None:
    """Read a file with some content."""
    with tempfile.NamedTemporaryFile(suffix=".zst") as file:
        file.write(data)
        file.flush()
        tablefile.read(file.name, expected)


def with_flips(data: bytes, bits: Iterable[int]) -> Iterator[bytes]:
    """Yield the data with each of some bits of each byte flipped."""
    for place, bit in itertools.product(range(len(data)), bits):
        yield data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


def test_every_flipped_bit_is_an_error() -> None:
    for damaged in with_flips(DATA, range(8)):
        with pytest.raises(TableError):
            decode(damaged, HEADER)


def test_every_cut_and_every_damage_that_its_checksum_hides_is_an_error() -> None:
    frame = DATA[len(tablefile._encode_header(HEADER, 0, 0)) :]
    assert zstd.get_frame_info(frame).decompressed_size == len(BODY)
    bodies = (*with_flips(frame, [6]), frame[:-1], frame[:-5], frame[:4], b"", frame + b"\0", frame + frame)
    hidden = (tablefile._encode_header(HEADER, len(body), zlib.crc32(body)) + body for body in bodies)
    for damaged in (*hidden, *(DATA[:length] for length in range(len(DATA))), DATA + DATA):
        with pytest.raises(CorruptTableError):
            decode(damaged)


@given(st.binary(min_size=1, max_size=300))
def test_whatever_is_added_and_other_files_are_errors(extra: bytes) -> None:
    for data in (DATA + extra, extra + DATA, extra):
        with pytest.raises(CorruptTableError):
            decode(data)


def changed_header(offset: int, value: bytes) -> bytes:
    """Return a file with changed bytes in the header and a correct checksum."""
    size = int.from_bytes(DATA[4:8], "little")
    content = bytearray(DATA[8 : 8 + size - 4])
    content[offset : offset + len(value)] = value
    return DATA[:8] + bytes(content) + zlib.crc32(content).to_bytes(4, "little") + DATA[8 + size :]


@pytest.mark.parametrize(
    ("offset", "value", "error", "message"),
    [
        (8, b"\2\0", UnsupportedTableError, "format version 2; this cubesolve reads version 1"),
        (8, b"\0\0", UnsupportedTableError, "format version 0"),
        (10, b"\7", UnsupportedTableError, "encoding 7; this cubesolve reads encodings 1 to 5"),
        (11, b"\1", CorruptTableError, "contradicts itself"),
        (12, b"\1", CorruptTableError, "contradicts itself"),
        (12, bytes([201, 0]), CorruptTableError, "200 bytes for 201 entries"),
        (20, b"\1", CorruptTableError, "contradicts itself"),
        (28, b"\0\0\0", CorruptTableError, "SHA-256"),
        (60, b"\0", CorruptTableError, "bytes, not"),
        (68, b"\0\0", CorruptTableError, "checksum"),
        (72, b"\xff", CorruptTableError, "malformed"),
        (73, b"\xff", CorruptTableError, "malformed"),
        (80, b"\xff", CorruptTableError, "malformed"),
    ],
)
def test_headers_that_lie(offset: int, value: bytes, error: type[TableError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        decode(changed_header(offset, value))
    assert type(caught.value) is error
    assert caught.value.path.endswith(".zst")


def test_tables_up_to_symmetry_are_unsupported() -> None:
    """An entry of them may stand for several states."""
    header = TableHeader("t", "custom", "htm", "states 1f up to symmetry", 2, (1, 6), tablefile.digest(bytes([0, 1])))
    with pytest.raises(UnsupportedTableError, match=r"up to symmetry; .* built with: cubesolve tables build NAME"):
        decode(encode(header, bytes([0, 1])))


def test_a_newer_version_is_known_by_its_fixed_parts(tmp_path: Path) -> None:
    # A file of a version to come: only the magic, the version and the checksum are where they are today.
    content = b"cubesolv" + (9).to_bytes(2, "little") + os.urandom(90)
    content += zlib.crc32(content).to_bytes(4, "little")
    path = tmp_path / "pocket-htm.zst"
    path.write_bytes(b"\x50\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content + b"whatever follows")
    with pytest.raises(UnsupportedTableError, match="format version 9"):
        lookup.open_tablebase(str(tmp_path)).depth("U" * 4 + "R" * 4 + "F" * 4 + "D" * 4 + "L" * 4 + "B" * 4)


def test_identity_comes_from_the_header(tmp_path: Path) -> None:
    shutil.copy(find_table("pocket-qtm"), tmp_path / "pocket-htm.zst")
    with pytest.raises(CorruptTableError, match="this is the table pocket-qtm, not pocket-htm"):
        lookup.open_tablebase(str(tmp_path)).depth("WWWW BBRR RRGG YYYY GGOO OOBB")
    body = bytes(200)
    forged = catalog.tables()["pocket-htm"].header._replace(
        entries=200, distribution=(200,), sha256=hashlib.sha256(body).hexdigest()
    )
    tablefile.write(str(tmp_path / "pocket-htm.zst"), forged, body)
    with pytest.raises(CorruptTableError, match="another entries, distribution, sha256"):
        tablefile.read(str(tmp_path / "pocket-htm.zst"), catalog.tables()["pocket-htm"].header)
    assert lookup.open_tablebase(str(tmp_path)).depth("WWWW BBRR RRGG YYYY GGOO OOBB") == 1  # it is built again


def test_missing_tables_say_where_and_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (str(tmp_path), tmp_path):
        with pytest.raises(MissingTableError) as caught:
            lookup.open_tablebase(folder).depth("WWWW BBRR RRGG YYYY GGOO OOBB", orientation="fixed")
        assert caught.value.name == "corners-htm"
        assert caught.value.searched == [str(tmp_path)]
        assert f"in {tmp_path}; build it with: CUBESOLVE_TABLES={tmp_path} cubesolve tables build corners-htm" in str(
            caught.value
        )
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    folders = list(table_folders())
    assert folders[0] == str(tmp_path)
    assert [Path(folder).name for folder in folders[1:]] == ["tables", "tables"]
    assert find_table("pocket-htm").startswith(folders[1])
    (tmp_path / "pocket-htm.zst").symlink_to("nowhere")
    with pytest.raises(TableError, match="cannot be read: No such file or directory"):
        lookup.open_tablebase(str(tmp_path)).depth("WWWW BBRR RRGG YYYY GGOO OOBB")


def test_what_cannot_be_read_or_written(tmp_path: Path) -> None:
    (tmp_path / "t.zst").mkdir()
    (tmp_path / "file").write_text("")
    for name, reason in (("t", "Is a directory"), ("u", "No such file or directory")):
        with pytest.raises(TableError, match=f"cannot be read: {reason}"):
            tablefile.read(str(tmp_path / f"{name}.zst"))
    for name, reason in (("t", "Is a directory"), ("file/t", "(Not a directory|File exists)")):
        with pytest.raises(TableError, match=rf"{name}\.zst: cannot be written: {reason}"):
            tablefile.write(str(tmp_path / f"{name}.zst"), HEADER, BODY)
    assert sorted(os.listdir(tmp_path)) == ["file", "t.zst"]


def write_and_be_killed(path: str, header: TableHeader, body: bytes, lines: int) -> NoReturn:
    """Write a table, and kill the process after a number of executed lines of the writer."""

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if frame.f_globals["__name__"] not in {"cubesolve.store.tablefile", "cubesolve.runtime.files"}:
            return None
        if event == "line":
            lines -= 1
            if lines < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    tablefile.write(path, header, body)
    os._exit(0)


def what_kills_leave(path: str, header: TableHeader, body: bytes, step: int) -> Iterator[str]:
    """Return the names of the table in a file after a writer of "new" was killed at each of some lines."""
    tablefile.write(path, header._replace(name="old"), body)
    status = -1
    for lines in itertools.count(step=step):
        if status == 0:
            break
        child = os.fork()
        if not child:
            write_and_be_killed(path, header._replace(name="new"), body, lines)
        status = os.waitpid(child, 0)[1]
        yield tablefile.read(path)[0].name
        for left in Path(path).parent.glob(".*.tmp"):
            left.unlink()


@pytest.mark.parametrize(
    ("module", "step"), [("test_unpacked", 16), *(later(each, 1) for each in ("test_unpacked", "test_tablefile"))]
)
def test_writers_that_are_killed_leave_the_old_table_or_the_new(module: str, step: int, tmp_path: Path) -> None:
    result = run_python(
        "from tests.test_tablefile import what_kills_leave\n"
        f"from tests.{module} import HEADER, BODY\n"
        f"print(*what_kills_leave({str(tmp_path / 't.zst')!r}, HEADER, BODY, {step}))\n"
    )
    assert (result.returncode, result.stderr) == (0, "")
    names = result.stdout.split()
    old, new = names.count("old"), names.count("new")
    assert names == ["old"] * old + ["new"] * new
    assert old * step > 50
    assert new > (step == 1)  # one that was killed, and the last
    assert os.listdir(tmp_path) == ["t.zst"]


def test_writers_at_once(tmp_path: Path) -> None:
    path, headers = str(tmp_path / "t.zst"), [HEADER._replace(name=name) for name in "abcd"]
    tablefile.write(path, HEADER, BODY)
    with ThreadPoolExecutor(len(headers)) as pool:
        writes = [pool.submit(tablefile.write, path, header, BODY) for header in headers * 20]
        while not all(write.done() for write in writes):
            assert tablefile.read(path)[0] in [HEADER, *headers]
    assert [write.result() for write in writes] == [None] * 80
    assert tablefile.read(path)[0] in headers
    assert os.listdir(tmp_path) == ["t.zst"]

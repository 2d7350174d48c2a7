"""Table files, unpacked copies of those that are mapped, and files of an earlier version."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import itertools
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import tracemalloc
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubesolve import catalog, lookup
from cubesolve.ask import Puzzle
from cubesolve.catalog.rubik.optimal import OptimalSolver
from cubesolve.catalog.rubik.projections import projection
from cubesolve.encodings import base_of, body_bytes, encoding_of
from cubesolve.encodings.packed import find_packed_fault
from cubesolve.encodings.zstd import zstd
from cubesolve.errors import CorruptTableError, CubesolveWarning, MissingTableError, TableError, UnsupportedTableError
from cubesolve.lookup import Tablebase
from cubesolve.solvers import derived
from cubesolve.spaces.tables import PACKED, TableHeader
from cubesolve.store import tablefile, unpacked
from cubesolve.store.build import verify
from cubesolve.store.checkpoint import Checkpoint
from cubesolve.store.folders import find_table, table_folders
from cubesolve.store.unpacked import map_body
from tests import facts
from tests.commands import invoke, printed
from tests.forged import encode
from tests.processes import ROOT, killed, run, run_python, signalled
from tests.subsets import later, only
from tests.test_checkpoint import SLICES, entry_of, enumerated

BODY = bytes(range(5)) * 40
HEADER = TableHeader("t", "p", "htm", "s", 200, (40,) * 5, hashlib.sha256(BODY).hexdigest())
DATA = encode(HEADER, BODY)
SYMMETRIC = TableHeader("t", "custom", "htm", "states 1f up to symmetry", 2, (1, 6), tablefile.digest(b"\0\1"))

LARGE_BODY = bytes(random.Random(5).choices(range(256), k=64 * 500))


def lines_of(entries: int, body: bytes) -> TableHeader:
    """Return the header of a packed table of another size."""
    return LARGE._replace(entries=entries, distribution=(0, 0, 0, 0, entries), sha256=hashlib.sha256(body).hexdigest())


LARGE = TableHeader("t", "rubik", "htm", "s", 121_500, (1, 2, 3, 4, 121_490), tablefile.digest(LARGE_BODY), PACKED)
LARGE_DATA = encode(LARGE, LARGE_BODY)


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
    ("data", "error", "message"),
    [
        (changed_header(8, b"\2\0"), UnsupportedTableError, "format version 2; this cubesolve reads version 1"),
        (changed_header(8, b"\0\0"), UnsupportedTableError, "format version 0"),
        (changed_header(10, b"\7"), UnsupportedTableError, "encoding 7; this cubesolve reads encodings 1 to 5"),
        (changed_header(11, b"\1"), CorruptTableError, "contradicts itself"),
        (changed_header(12, b"\1"), CorruptTableError, "contradicts itself"),
        (changed_header(12, bytes([201, 0])), CorruptTableError, "200 bytes for 201 entries"),
        (changed_header(20, b"\1"), CorruptTableError, "contradicts itself"),
        (changed_header(28, b"\0\0\0"), CorruptTableError, "SHA-256"),
        (changed_header(60, b"\0"), CorruptTableError, "bytes, not"),
        (changed_header(68, b"\0\0"), CorruptTableError, "checksum"),
        (changed_header(72, b"\xff"), CorruptTableError, "malformed"),
        (changed_header(73, b"\xff"), CorruptTableError, "malformed"),
        (changed_header(80, b"\xff"), CorruptTableError, "malformed"),
        (encode(LARGE._replace(entries=121_501), LARGE_BODY), CorruptTableError, "contradicts itself"),
        (
            encode(LARGE._replace(entries=121_500 + 243), LARGE_BODY),
            CorruptTableError,
            "32000 bytes for 121743 entries",
        ),
        (encode(LARGE._replace(distribution=(1, 2, 3)), LARGE_BODY), CorruptTableError, "contradicts itself"),
        # An entry of a table up to symmetry may stand for several states.
        (encode(SYMMETRIC, b"\0\1"), UnsupportedTableError, r"up to symmetry; .* with: cubesolve tables build NAME"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_headers_that_lie(data: bytes, error: type[TableError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        decode(data)
    assert type(caught.value) is error
    assert caught.value.path.endswith(".zst")


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


def what_kills_leave(path: str, header: TableHeader, body: bytes, step: int) -> Iterator[str]:
    """Return the names of the table in a file after a writer of "new" was killed at each of some of its lines."""
    left = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        if frame.f_globals["__name__"] not in {"cubesolve.store.tablefile", "cubesolve.runtime.files"}:
            return None
        left -= event == "line"
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    def write() -> None:
        sys.settrace(trace)
        tablefile.write(path, header._replace(name="new"), body)

    tablefile.write(path, header._replace(name="old"), body)
    for lines in itertools.count(step=step):
        left = lines
        was_killed = killed(write)
        yield tablefile.read(path)[0].name
        for half in Path(path).parent.glob(".*.tmp"):
            half.unlink()
        if not was_killed:
            break


@pytest.mark.parametrize(
    ("table", "step"), [("LARGE, LARGE_BODY", 16), later("LARGE, LARGE_BODY", 1), later("HEADER, BODY", 1)]
)
def test_writers_that_are_killed_leave_the_old_table_or_the_new(table: str, step: int, tmp_path: Path) -> None:
    path = str(tmp_path / "t.zst")
    result = run_python(f"from tests.test_tablefile import *\nprint(*what_kills_leave({path!r}, {table}, {step}))\n")
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


# -- Unpacked copies ---------------------------------------------------------------------------------------------------

FAR = "F2 R2 B2 R2 F U' B2 L2 U2 D F'"  # too far to be found without a table


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUBESOLVE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write(folder: Path, data: bytes = LARGE_DATA) -> str:
    path = folder / "t.zst"
    path.write_bytes(data)
    return str(path)


@pytest.fixture
def large(tmp_path: Path) -> str:
    return write(tmp_path)


def test_bodies_of_many_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tablefile, "_PIECE", 1000)
    for length in (64 * 125, 64 * 126, 0, len(LARGE_BODY)):
        body, entries = LARGE_BODY[:length], length // 64 * 243
        header = lines_of(entries, body)
        tablefile.write(str(tmp_path / "t.zst"), header, body)
        assert tablefile.read(str(tmp_path / "t.zst")) == (header, body)
        assert (body_bytes(header), base_of(LARGE)) == (length, 1)


COPY = f"t-{LARGE.sha256[:16]}"
OTHER = bytes(random.Random(6).choices(range(256), k=len(LARGE_BODY)))


def content(path: str) -> bytes:
    return map_body(path, LARGE)[:]


def warned(path: str, message: str) -> None:
    """Read the content, with a warning."""
    with pytest.warns(CubesolveWarning, match=message) as caught:
        assert content(path) == LARGE_BODY
    assert len(caught) == 1


def test_a_copy_is_made_once_and_checked_when_it_changes(large: str, cache: Path) -> None:
    assert content(large) == LARGE_BODY
    copy, stamp = cache / COPY, cache / f"{COPY}.stamp"
    assert sorted(each.name for each in cache.iterdir()) == ["lock", copy.name, stamp.name]
    assert [stat.S_IMODE(each.stat().st_mode) for each in (cache, copy, stamp)] == [0o700, 0o444, 0o444]
    made = copy.stat()
    assert content(large) == LARGE_BODY
    os.utime(copy, (1, 1))  # looks changed, and is not
    assert content(large) == LARGE_BODY
    assert copy.stat().st_ino == made.st_ino
    stamp.unlink()
    assert content(large) == LARGE_BODY
    assert copy.stat().st_ino == made.st_ino
    for damage in (LARGE_BODY[:-1], b"", bytes(len(LARGE_BODY)), OTHER, LARGE_BODY + b"0"):
        overwrite(copy, damage)
        assert content(large) == LARGE_BODY
        assert copy.read_bytes() == LARGE_BODY
    copy.unlink()
    assert content(large) == LARGE_BODY


def overwrite(path: Path, data: bytes) -> None:
    """Change a file's content and restore its modification time, as an attacker would."""
    before = path.stat()
    path.chmod(0o600)
    with path.open("r+b") as file:
        file.truncate(len(data))
        file.write(data)
    path.chmod(0o444)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_sound_copy_is_not_read_again(large: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content(large)
    monkeypatch.setattr(hashlib, "file_digest", None)
    monkeypatch.setattr(tablefile, "unpack", None)
    assert content(large) == LARGE_BODY
    (cache.parent / "moved").mkdir()
    cache.rename(cache.parent / "moved" / "cache")
    monkeypatch.setenv("CUBESOLVE_CACHE", str(cache.parent / "moved" / "cache"))
    assert content(large) == LARGE_BODY


def plant(cache: Path, data: bytes = OTHER) -> None:
    """Write a copy, and record that it is sound, as a user with write access to the folder can."""
    cache.mkdir(0o700)
    (copy := cache / COPY).write_bytes(data)
    copy.chmod(0o444)  # before its times are noted
    time.sleep(0.02)
    (stamp := cache / f"{COPY}.stamp").write_bytes(unpacked._stamp(copy.stat()))
    stamp.chmod(0o444)


@pytest.mark.parametrize("others", [0o777, 0o775, 0o1777])
def test_a_copy_that_others_could_write_is_not_used(tmp_path: Path, cache: Path, others: int) -> None:
    plant(cache)
    cache.chmod(others)
    warned(write(tmp_path), "can be written by others")
    assert (cache / f"cubesolve-{os.geteuid()}" / COPY).read_bytes() == LARGE_BODY
    assert (cache / COPY).read_bytes() == OTHER


@pytest.mark.parametrize(
    ("writable", "size"), [(COPY, 0), (f"{COPY}.stamp", 0), *(("", size) for size in (0, 4096, 64 * 499, 64 * 501))]
)
def test_a_copy_that_others_can_write_or_of_another_size_does_not_count(
    tmp_path: Path, cache: Path, writable: str, size: int
) -> None:
    plant(cache, OTHER if writable else bytes(size))
    if writable:
        (cache / writable).chmod(0o666)
    assert content(write(tmp_path)) == LARGE_BODY


@pytest.mark.parametrize("kind", ["link", "pipe"])
@pytest.mark.parametrize("name", [COPY, f"{COPY}.stamp", "lock"])
def test_links_and_pipes_in_the_cache(large: str, tmp_path: Path, cache: Path, name: str, kind: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    cache.mkdir(0o700)
    if kind == "link":
        (cache / name).symlink_to(victim)
    else:
        os.mkfifo(cache / name)
    for _ in range(2):
        assert content(large) == LARGE_BODY
    assert victim.read_text() == "precious"
    assert (cache / COPY).read_bytes() == LARGE_BODY


def test_a_folder_in_place_of_the_copy(large: str, cache: Path) -> None:
    (cache / COPY).mkdir(0o700, parents=True)
    cache.chmod(0o700)
    warned(large, "no copy of it can be kept in .*: Is a directory")


def test_a_damaged_table_leaves_no_copy(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path, LARGE_DATA[:-20] + bytes([LARGE_DATA[-20] ^ 1]) + LARGE_DATA[-19:])
    with pytest.raises(CorruptTableError, match="does not match its checksum"):
        map_body(path, LARGE)
    with pytest.raises(CorruptTableError, match="not the t of this version of cubesolve: another metric"):
        map_body(write(tmp_path), LARGE._replace(metric="qtm"))
    assert os.listdir(cache) == ["lock"]


def test_a_folder_that_cannot_be_written(large: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content(large)
    (cache.parent / "empty").mkdir(0o700)
    opens = os.open

    def read_only(name: str, flags: int, *arguments: int, dir_fd: int | None = None) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), name)
        return opens(name, flags, *arguments, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", read_only)
    assert content(large) == LARGE_BODY
    shutil.copy2(cache / COPY, cache.parent / "again")  # as from the image of a container, with another inode and times
    os.replace(cache.parent / "again", cache / COPY)
    assert content(large) == LARGE_BODY
    assert content(large) == LARGE_BODY
    monkeypatch.setenv("CUBESOLVE_CACHE", str(cache.parent / "empty"))
    warned(large, "into memory each time, as no copy .*: Read-only file system")


@pytest.mark.parametrize(("chosen", "is_shared"), [(None, True), ("0", True), ("1", False)])
def test_memory_of_its_own(chosen: str | None, is_shared: bool, cache: Path, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if chosen is not None:
            patch.setenv("CUBESOLVE_HUGE_PAGES", chosen)
        with map_body(write(tmp_path), LARGE) as body:
            assert body[:] == LARGE_BODY
            assert (str(cache / "t-") in Path("/proc/self/maps").read_text()) == is_shared


def test_caches_that_cannot_be_used(large: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for folder, reason in (
        (tmp_path / "file" / "cache", "Not a directory"),
        (tmp_path / "file", "Not a directory"),
        (tmp_path / ("x" * 300), "File name too long"),
        ("cache", "no cache folder"),
    ):
        monkeypatch.setenv("CUBESOLVE_CACHE", str(folder))
        warned(large, f"t.zst is unpacked into memory each time, as .*{reason}")
    code = (
        "import hashlib, resource, signal\n"
        "from cubesolve.store import tablefile, unpacked\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"header, _ = tablefile.read_header({large!r})\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        f"print(hashlib.sha256(unpacked.map_body({large!r}, header)).hexdigest())\n"
    )
    result = run_python(code, {"CUBESOLVE_CACHE": str(tmp_path / "full")}, fresh=True)
    assert result.stdout == f"{LARGE.sha256}\n"
    assert "File too large" in result.stderr
    assert os.listdir(tmp_path / "full") == ["lock"]


def test_too_little_room(large: str, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**6, 10**6, 10**3))
    warned(large, "32,000 bytes are needed, 1,000 are free")
    assert os.listdir(cache) == ["lock"]
    header = lines_of(243 * 2**50, LARGE_BODY)
    with (
        pytest.warns(CubesolveWarning, match="bytes are needed"),
        pytest.raises(TableError, match="cannot be unpacked: not enough memory for 72,057,594,037,927,936 bytes"),
    ):
        map_body(write(tmp_path, encode(header, LARGE_BODY)), header)


def test_a_lock_that_somebody_keeps(large: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.mkdir(0o700)
    monkeypatch.setattr("cubesolve.runtime.locks._PATIENCE", 0.1)
    temporary = cache / f".{COPY}.4711-0123abcd.tmp"
    temporary.write_bytes(b"half")  # may be what the other is writing
    with (cache / "lock").open("wb") as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
        assert content(large) == LARGE_BODY
    assert temporary.exists()


def test_what_was_left_behind_is_removed_by_whoever_unpacks(large: str, cache: Path) -> None:
    cache.mkdir(0o700)
    abandoned = [".rubik-htm-huge-02b0583f2e0046c5.4711-0123abcd.tmp", f".{COPY}.stamp.4711-0123abcd.tmp"]
    others = [".notes.4711-0123abcd.tmp", ".rubik-htm-huge-02b0583f2e0046c5.tmp", "4711-0123abcd.tmp"]
    for name in abandoned + others:
        (cache / name).write_bytes(b"half")
    assert content(large) == LARGE_BODY
    assert set(os.listdir(cache)) == {*others, "lock", COPY, f"{COPY}.stamp"}


@pytest.mark.parametrize("number", only({signal.SIGTERM}, [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]))
@pytest.mark.parametrize("command", only({"depth"}, ["depth", "solve"]))
def test_a_signal_leaves_no_temporary_file(
    command: str, number: signal.Signals, rubik_tables: str, tmp_path: Path
) -> None:
    code = (
        "import os, time\n"
        "from cubesolve import cli\n"
        "from cubesolve.spaces.tables import PACKED\n"
        "from cubesolve.store import tablefile\n"
        "unpack = tablefile.unpack\n"
        "def pause():\n"
        "    print(any(name.endswith('.tmp') for name in os.listdir(os.environ['CUBESOLVE_CACHE'])), flush=True)\n"
        "    time.sleep(600)\n"
        "def unpack_slowly(path, header, write):\n"
        "    return unpack(path, header, lambda piece: (write(piece), header.encoding == PACKED and pause()))\n"
        "tablefile.unpack = unpack_slowly\n"
        f"cli.main([{command!r}, '--puzzle', 'rubik', '--format', 'alg', {FAR!r}])\n"
    )
    env = {"CUBESOLVE_TABLES": rubik_tables, "CUBESOLVE_CACHE": str(tmp_path / "cache")}
    result = signalled(code, number, env)
    assert (result.returncode, result.stdout) == (128 + number, "True\n")
    assert os.listdir(tmp_path / "cache") == ["lock"]


def test_threads_want_one_copy(tmp_path: Path, cache: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(content, [write(tmp_path)] * 8)] == [LARGE_BODY] * 8
    assert len(list(cache.iterdir())) == 3


def test_no_kernel_gets_a_table_that_is_too_small() -> None:
    with pytest.raises(ValueError, match=r"the table must have 37111680 bytes, not 4096"):
        OptimalSolver("htm", projection("none"), np.zeros(4096, np.uint8), 8)


# -- Bombs: a few bytes that stand for gigabytes ----------------------------------------------------------------------

BLOCK = 1 << 17  # bytes of a body, of four bytes in a frame


def frame(blocks: int, declared: int, rest: bytes = b"") -> bytes:
    """Return a zstd frame of blocks of one repeated byte."""
    head = b"\x28\xb5\x2f\xfd" + bytes([0b11000000, 7 << 3]) + declared.to_bytes(8, "little")
    block, last = ((BLOCK << 3 | 1 << 1 | is_last).to_bytes(3, "little") + b"\0" for is_last in (0, 1))
    return head + block * (blocks - 1) + last + rest


def forged(header: TableHeader, body: bytes) -> bytes:
    """Return a file with correct checksums."""
    return tablefile._encode_header(header, len(body), zlib.crc32(body)) + body


ZEROS = 64 * 2048 * 3
SMALL = lines_of(243 * 2048 * 3, bytes(ZEROS))


BOMBS = {
    "2 GB": frame(16_000, ZEROS),
    "a block more": frame(4, ZEROS),
    "a block less": frame(2, ZEROS),
    "bytes at the end": frame(3, ZEROS, rest=b"more"),
    "a second frame": frame(3, ZEROS, rest=frame(3, ZEROS)),
    "a frame to be skipped": frame(3, ZEROS, rest=b"\x50\x2a\x4d\x18\0\0\0\0"),
    "cut in the last block": frame(3, ZEROS)[:-1],
    "cut before the last block": frame(3, ZEROS)[:-4],
    "cut in the first block": frame(3, ZEROS)[:15],
    "cut in the header": frame(3, ZEROS)[:10],
    "a block of an unknown type": frame(3, ZEROS)[:14] + b"\x07\0\0" + bytes(8),
    "declares more": frame(3, 1 << 40),
    "only a frame to be skipped": b"\x50\x2a\x4d\x18" + ZEROS.to_bytes(4, "little") + bytes(ZEROS),
}


@pytest.mark.parametrize("body", BOMBS.values(), ids=BOMBS)
def test_no_byte_more_than_the_header_says(tmp_path: Path, body: bytes, cache: Path) -> None:
    assert tablefile.read(write(tmp_path, forged(SMALL, frame(3, ZEROS))), SMALL)[1] == bytes(ZEROS)  # what is right
    path = write(tmp_path, forged(SMALL, body))
    pieces: list[int] = []
    with pytest.raises(CorruptTableError):
        tablefile.unpack(path, SMALL, lambda piece: pieces.append(len(piece)))
    assert sum(pieces) <= ZEROS
    with pytest.raises(CorruptTableError):
        map_body(path, SMALL)
    assert [each.name for each in cache.glob("*")] in ([], ["lock"])


@pytest.mark.parametrize("size", [1 << 30, 1 << 40])
def test_a_large_file_is_not_read_to_see_that_it_is_none(tmp_path: Path, size: int) -> None:
    path = str(tmp_path / "t.zst")
    start = len(tablefile._encode_header(LARGE, 0, 0))
    for beginning in (b"", tablefile._encode_header(LARGE, size - start, 0)):
        Path(path).write_bytes(beginning)
        os.truncate(path, size)
        tracemalloc.start()
        for read in (tablefile.read, tablefile.read_header, lambda path: map_body(path, LARGE)):
            with pytest.raises(CorruptTableError, match=r"not a cubesolve table|contradicts itself"):
                read(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1 << 20


def test_copies_that_nothing_uses_are_removed(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tables))
    assert unpacked.remove_copies() == []  # no folder, and none is made
    assert not cache.exists()
    kept, gone = write(tables), write(tmp_path)
    other = LARGE._replace(name="gone")
    Path(gone).write_bytes(encode(other, LARGE_BODY))
    mapped = [map_body(kept, LARGE), map_body(gone, other)]
    (cache / "notes").write_text("the user's own")
    (cache / "link-0123456789abcdef").symlink_to(cache / "notes")
    removed = unpacked.remove_copies()
    name = f"gone-{LARGE.sha256[:16]}"
    assert [each for each, _ in removed] == [name, f"{name}.stamp"]
    assert removed[0][1] == len(LARGE_BODY)
    assert mapped[1][:] == LARGE_BODY  # who has it mapped keeps it
    assert {"notes", "link-0123456789abcdef", f"t-{LARGE.sha256[:16]}"} <= set(os.listdir(cache))
    result = run("tables", "clean", "--all")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(f"t-{LARGE.sha256[:16]}  {len(LARGE_BODY):,} bytes\n")
    assert {"notes", "link-0123456789abcdef"} <= set(os.listdir(cache))
    assert not any(each.startswith("t-") for each in os.listdir(cache))
    assert run("tables", "clean").stdout == "0 bytes freed\n"


# -- Files of an earlier version are read, proved and resumed, or reported; see tests/data/tables/README.md ------------

TABLES = facts.DATA / "tables"
RINGS = str(ROOT / "docs" / "rings.tws")


def _puzzle(folder: str, name: str, cost: str | None = None) -> Puzzle:
    puzzle = Tablebase(TABLES / folder).puzzle(name)
    return puzzle.restrict("L R", cost) if cost else puzzle


def _bits(puzzle: Puzzle) -> list[int]:
    """Prove all tables, and return the bits per entry of each."""
    paths = [verify(puzzle.rules, entry, puzzle.solver._tables.directory) for entry in puzzle.usual_tables()]
    return [encoding_of(tablefile.read_header(path)[0]).bits for path in paths]


@pytest.mark.parametrize(("name", "cost"), [(RINGS, None), (RINGS, "L=2"), ("floppy", None)])
def test_bytes_and_coordinates(name: str, cost: str | None) -> None:
    puzzle = _puzzle("byte", name, cost)
    assert _bits(puzzle) == [0, 8]
    assert puzzle.distribution() == puzzle.distribution(count=True)
    depths = puzzle.depths(np.arange(puzzle.states))
    assert depths.tolist() == [puzzle.depth(rank) for rank in range(puzzle.states)]


def test_a_table_up_to_symmetry_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, with the command that builds the table of all states; the name is that of an earlier version."""
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    (tmp_path / "custom-8a7f33f46f161926.zst").touch()
    puzzle = Tablebase(tmp_path).puzzle("docs/rings.tws")
    with pytest.warns(CubesolveWarning, match=r"not supported; build .* tables build docs/rings.tws"):
        assert puzzle.depth("L R") == 1
    assert puzzle.depth("L R L2 R2") == 3


def test_depths_modulo_3() -> None:
    puzzle, by_bytes = _puzzle("mod3", RINGS), _puzzle("byte", RINGS)
    assert _bits(puzzle) == [0, 2]
    assert puzzle.distribution() == by_bytes.distribution()
    ranks = np.arange(puzzle.states)
    assert np.array_equal(puzzle.depths(ranks), by_bytes.depths(ranks))
    assert [puzzle.solve(rank) for rank in ranks.tolist()] == [by_bytes.solve(rank) for rank in ranks.tolist()]


def test_packed_tables() -> None:
    header, body = tablefile.read(str(TABLES / "packed" / "lines.zst"), entry_of("lines").header)
    assert find_packed_fault(SLICES, np.frombuffer(bytearray(body), np.uint8), base_of(header)) is None


@pytest.mark.parametrize(("name", "folder", "levels"), [("modulo", "mod3", 9), ("lines", "packed", 4)])
def test_checkpoints(name: str, folder: str, levels: int) -> None:
    entry = entry_of(name)
    checkpoint = Checkpoint(entry, TABLES / folder, resume=True)
    assert checkpoint.counts() == entry.header.distribution[:levels]
    table, counts = enumerated(name, None, checkpoint)
    assert (counts, tablefile.digest(table.data)) == (entry.header.distribution, entry.header.sha256)


def test_a_removed_encoding_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says how to build the table again."""
    one_bit, about = Path(shutil.copytree(TABLES / "one_bit", tmp_path / "one_bit")), ("rubik", "--moves", "U2 R2")
    monkeypatch.setenv("CUBESOLVE_TABLES", str(one_bit))
    (table,) = one_bit.glob("*.zst")
    command = "cubesolve tables build rubik --moves 'U2 R2' --bits 2"
    reason = f"{table}: encoding 6, one bit per entry, was removed; build the table with two bits per entry: "
    for asked in (("depth", "U2", "--puzzle", *about), ("tables", "info", *about), ("tables", "verify", *about)):
        result = invoke(*asked)
        assert (result.exit_code, result.stderr.splitlines()[-1]) == (3, f"cubesolve: {reason}{command}")
    puzzle = Tablebase(one_bit).puzzle("rubik").restrict("U2 R2")
    with pytest.raises(UnsupportedTableError) as caught:
        puzzle.depth("U2")
    assert str(caught.value) == f"{reason}CUBESOLVE_TABLES={one_bit} {command}"
    with pytest.raises(UnsupportedTableError, match="cubesolve tables build NAME --bits 2"):
        tablefile.read(str(table))
    printed("tables", "build", *about, "--bits", "2")
    assert printed("depth", "U2 R2", "--puzzle", *about) == "2\n"
    printed("tables", "verify", *about)

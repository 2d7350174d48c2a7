from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import random
import shutil
import signal
import stat
import time
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cubesolve.catalog.rubik.optimal import OptimalSolver
from cubesolve.catalog.rubik.projections import projection
from cubesolve.encodings import base_of, body_bytes
from cubesolve.errors import CorruptTableError, CubesolveWarning, TableError
from cubesolve.spaces.tables import PACKED, TableHeader
from cubesolve.store import tablefile, unpacked
from cubesolve.store.unpacked import map_body
from tests.forged import encode
from tests.processes import run, run_python, signalled
from tests.subsets import later

BODY = bytes(random.Random(5).choices(range(256), k=64 * 500))


def lines_of(entries: int, body: bytes) -> TableHeader:
    """Return the header of a packed table of another size."""
    return HEADER._replace(entries=entries, distribution=(0, 0, 0, 0, entries), sha256=hashlib.sha256(body).hexdigest())


HEADER = TableHeader(
    "t", "rubik", "htm", "s", 243 * 500, (1, 2, 3, 4, 243 * 500 - 10), hashlib.sha256(BODY).hexdigest(), PACKED
)
DATA = encode(HEADER, BODY)
FAR = "F2 R2 B2 R2 F U' B2 L2 U2 D F'"  # too far to be found without a table


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUBESOLVE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write(folder: Path, data: bytes = DATA) -> str:
    path = folder / "t.zst"
    path.write_bytes(data)
    return str(path)


def test_bodies_of_many_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tablefile, "_PIECE", 1000)
    for length in (64 * 125, 64 * 126, 0, len(BODY)):
        body, entries = BODY[:length], length // 64 * 243
        header = lines_of(entries, body)
        tablefile.write(str(tmp_path / "t.zst"), header, body)
        assert tablefile.read(str(tmp_path / "t.zst")) == (header, body)
        assert (body_bytes(header), base_of(HEADER)) == (length, 1)


@pytest.mark.parametrize("other", [{"entries": 243 * 500 + 1}, {"distribution": (1, 2, 3)}, {"entries": 243 * 501}])
def test_headers_of_lines_that_lie(tmp_path: Path, other: dict[str, Any]) -> None:
    with pytest.raises(CorruptTableError):
        tablefile.read(write(tmp_path, encode(HEADER._replace(**other), BODY)))


COPY = f"t-{HEADER.sha256[:16]}"
OTHER = bytes(random.Random(6).choices(range(256), k=len(BODY)))


def content(path: str) -> bytes:
    return map_body(path, HEADER)[:]


def test_a_copy_is_made_once_and_checked_when_it_changes(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path)
    assert content(path) == BODY
    copy, stamp = cache / COPY, cache / f"{COPY}.stamp"
    assert sorted(each.name for each in cache.iterdir()) == ["lock", copy.name, stamp.name]
    assert [stat.S_IMODE(each.stat().st_mode) for each in (cache, copy, stamp)] == [0o700, 0o444, 0o444]
    made = copy.stat()
    assert content(path) == BODY
    os.utime(copy, (1, 1))  # looks changed, and is not
    assert content(path) == BODY
    assert copy.stat().st_ino == made.st_ino
    stamp.unlink()
    assert content(path) == BODY
    assert copy.stat().st_ino == made.st_ino
    for damage in (BODY[:-1], b"", bytes(len(BODY)), OTHER, BODY + b"0"):
        overwrite(copy, damage)
        assert content(path) == BODY
        assert copy.read_bytes() == BODY
    copy.unlink()
    assert content(path) == BODY


def overwrite(path: Path, data: bytes) -> None:
    """Change a file's content and restore its modification time, as an attacker would."""
    before = path.stat()
    path.chmod(0o600)
    with path.open("r+b") as file:
        file.truncate(len(data))
        file.write(data)
    path.chmod(0o444)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_sound_copy_is_not_read_again(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path)
    content(path)
    monkeypatch.setattr(hashlib, "file_digest", None)
    monkeypatch.setattr(tablefile, "unpack", None)
    assert content(path) == BODY
    (tmp_path / "moved").mkdir()
    cache.rename(tmp_path / "moved" / "cache")
    monkeypatch.setenv("CUBESOLVE_CACHE", str(tmp_path / "moved" / "cache"))
    assert content(path) == BODY


def plant(cache: Path, data: bytes = OTHER) -> None:
    """Write a copy, and record that it is sound, as a user with write access to the folder can."""
    cache.mkdir(0o700)
    (copy := cache / COPY).write_bytes(data)
    copy.chmod(0o444)  # before its times are noted
    time.sleep(0.02)
    (stamp := cache / f"{COPY}.stamp").write_bytes(unpacked._stamp(copy.stat()))
    stamp.chmod(0o444)


@pytest.mark.parametrize("size", [0, 4096, 64 * 499, 64 * 501])
def test_a_copy_of_another_size_is_not_mapped(tmp_path: Path, cache: Path, size: int) -> None:
    plant(cache, bytes(size))
    assert content(write(tmp_path)) == BODY


@pytest.mark.parametrize("others", [0o777, 0o775, 0o1777])
def test_a_copy_that_others_could_write_is_not_used(tmp_path: Path, cache: Path, others: int) -> None:
    plant(cache)
    cache.chmod(others)
    with pytest.warns(CubesolveWarning, match="can be written by others"):
        assert content(write(tmp_path)) == BODY
    assert (cache / f"cubesolve-{os.geteuid()}" / COPY).read_bytes() == BODY
    assert (cache / COPY).read_bytes() == OTHER


@pytest.mark.parametrize("name", [COPY, f"{COPY}.stamp"])
def test_a_file_that_others_can_write_does_not_count(tmp_path: Path, cache: Path, name: str) -> None:
    plant(cache)
    (cache / name).chmod(0o666)
    assert content(write(tmp_path)) == BODY


@pytest.mark.parametrize("kind", ["link", "pipe"])
@pytest.mark.parametrize("name", [COPY, f"{COPY}.stamp", "lock"])
def test_links_and_pipes_in_the_cache(tmp_path: Path, cache: Path, name: str, kind: str) -> None:
    path = write(tmp_path)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    cache.mkdir(0o700)
    if kind == "link":
        (cache / name).symlink_to(victim)
    else:
        os.mkfifo(cache / name)
    for _ in range(2):
        assert content(path) == BODY
    assert victim.read_text() == "precious"
    assert (cache / COPY).read_bytes() == BODY


def test_a_folder_in_place_of_the_copy(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path)
    (cache / COPY).mkdir(0o700, parents=True)
    cache.chmod(0o700)
    with pytest.warns(CubesolveWarning, match="no copy of it can be kept in .*: Is a directory"):
        assert content(path) == BODY


def test_a_damaged_table_leaves_no_copy(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path, DATA[:-20] + bytes([DATA[-20] ^ 1]) + DATA[-19:])
    with pytest.raises(CorruptTableError, match="does not match its checksum"):
        map_body(path, HEADER)
    with pytest.raises(CorruptTableError, match="not the t of this version of cubesolve: another metric"):
        map_body(write(tmp_path), HEADER._replace(metric="qtm"))
    assert os.listdir(cache) == ["lock"]


def test_a_folder_that_cannot_be_written(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path)
    content(path)
    (tmp_path / "empty").mkdir(0o700)
    opens = os.open

    def read_only(name: str, flags: int, *arguments: int, dir_fd: int | None = None) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), name)
        return opens(name, flags, *arguments, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", read_only)
    assert content(path) == BODY
    shutil.copy2(cache / COPY, tmp_path / "again")  # as from the image of a container, with another inode and times
    os.replace(tmp_path / "again", cache / COPY)
    assert content(path) == BODY
    assert content(path) == BODY
    monkeypatch.setenv("CUBESOLVE_CACHE", str(tmp_path / "empty"))
    with pytest.warns(CubesolveWarning, match="into memory each time, as no copy .*: Read-only file system") as caught:
        assert content(path) == BODY
    assert len(caught) == 1


@pytest.mark.parametrize(("chosen", "is_shared"), [(None, True), ("0", True), ("1", False)])
def test_memory_of_its_own(chosen: str | None, is_shared: bool, cache: Path, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if chosen is not None:
            patch.setenv("CUBESOLVE_HUGE_PAGES", chosen)
        with map_body(write(tmp_path), HEADER) as body:
            assert body[:] == BODY
            assert (str(cache / "t-") in Path("/proc/self/maps").read_text()) == is_shared


def test_caches_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path)
    (tmp_path / "file").write_text("")
    for folder, reason in (
        (tmp_path / "file" / "cache", "Not a directory"),
        (tmp_path / "file", "Not a directory"),
        (tmp_path / ("x" * 300), "File name too long"),
        ("cache", "no cache folder"),
    ):
        monkeypatch.setenv("CUBESOLVE_CACHE", str(folder))
        with pytest.warns(CubesolveWarning, match=f"t.zst is unpacked into memory each time, as .*{reason}"):
            assert content(path) == BODY
    code = (
        "import hashlib, resource, signal\n"
        "from cubesolve.store import tablefile, unpacked\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"header, _ = tablefile.read_header({path!r})\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        f"print(hashlib.sha256(unpacked.map_body({path!r}, header)).hexdigest())\n"
    )
    result = run_python(code, {"CUBESOLVE_CACHE": str(tmp_path / "full")}, fresh=True)
    assert result.stdout == f"{HEADER.sha256}\n"
    assert "File too large" in result.stderr
    assert os.listdir(tmp_path / "full") == ["lock"]


def test_too_little_room(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**6, 10**6, 10**3))
    with pytest.warns(CubesolveWarning, match="32,000 bytes are needed, 1,000 are free"):
        assert content(path) == BODY
    assert os.listdir(cache) == ["lock"]
    header = lines_of(243 * 2**50, BODY)
    with (
        pytest.warns(CubesolveWarning, match="bytes are needed"),
        pytest.raises(TableError, match="cannot be unpacked: not enough memory for 72,057,594,037,927,936 bytes"),
    ):
        map_body(write(tmp_path, encode(header, BODY)), header)


def test_a_lock_that_somebody_keeps(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path)
    cache.mkdir(0o700)
    monkeypatch.setattr("cubesolve.runtime.locks._PATIENCE", 0.1)
    temporary = cache / f".{COPY}.4711-0123abcd.tmp"
    temporary.write_bytes(b"half")  # may be what the other is writing
    with (cache / "lock").open("wb") as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
        assert content(path) == BODY
    assert temporary.exists()


def test_what_was_left_behind_is_removed_by_whoever_unpacks(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path)
    cache.mkdir(0o700)
    abandoned = [".rubik-htm-huge-02b0583f2e0046c5.4711-0123abcd.tmp", f".{COPY}.stamp.4711-0123abcd.tmp"]
    others = [".notes.4711-0123abcd.tmp", ".rubik-htm-huge-02b0583f2e0046c5.tmp", "4711-0123abcd.tmp"]
    for name in abandoned + others:
        (cache / name).write_bytes(b"half")
    assert content(path) == BODY
    assert set(os.listdir(cache)) == {*others, "lock", COPY, f"{COPY}.stamp"}


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("depth", signal.SIGTERM),
        *(
            later(command, number)
            for command in ("depth", "solve")
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
            if (command, number) != ("depth", signal.SIGTERM)
        ),
    ],
)
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
        assert [*pool.map(content, [write(tmp_path)] * 8)] == [BODY] * 8
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


def test_forged_files_that_say_the_truth(tmp_path: Path) -> None:
    path = write(tmp_path, forged(SMALL, frame(3, ZEROS)))
    assert tablefile.read(path, SMALL)[1] == bytes(ZEROS)


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
    start = len(tablefile._encode_header(HEADER, 0, 0))
    for beginning in (b"", tablefile._encode_header(HEADER, size - start, 0)):
        Path(path).write_bytes(beginning)
        os.truncate(path, size)
        tracemalloc.start()
        for read in (tablefile.read, tablefile.read_header, lambda path: map_body(path, HEADER)):
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
    other = HEADER._replace(name="gone")
    Path(gone).write_bytes(encode(other, BODY))
    mapped = [map_body(kept, HEADER), map_body(gone, other)]
    (cache / "notes").write_text("the user's own")
    (cache / "link-0123456789abcdef").symlink_to(cache / "notes")
    removed = unpacked.remove_copies()
    name = f"gone-{HEADER.sha256[:16]}"
    assert [each for each, _ in removed] == [name, f"{name}.stamp"]
    assert removed[0][1] == len(BODY)
    assert mapped[1][:] == BODY  # who has it mapped keeps it
    assert {"notes", "link-0123456789abcdef", f"t-{HEADER.sha256[:16]}"} <= set(os.listdir(cache))
    result = run("tables", "clean", "--all")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(f"t-{HEADER.sha256[:16]}  {len(BODY):,} bytes\n")
    assert {"notes", "link-0123456789abcdef"} <= set(os.listdir(cache))
    assert not any(each.startswith("t-") for each in os.listdir(cache))
    assert run("tables", "clean").stdout == "0 bytes freed\n"

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cubesolve import tablefile
from cubesolve.catalog import CATALOG
from cubesolve.errors import CorruptTableError, TableError, UnsupportedTableError
from cubesolve.lookup import open_tablebase
from cubesolve.rubik import RubikCube
from cubesolve.tablefile import LINES, TableHeader, decode, encode
from cubesolve.unpacked import cache_folder, map_body
from tests.processes import run_python

BODY = bytes(random.Random(5).choices(range(256), k=64 * 500))
HEADER = TableHeader(
    "t", "rubik", "htm", "s", 243 * 500, (1, 2, 3, 4, 243 * 500 - 10), hashlib.sha256(BODY).hexdigest(), LINES
)
DATA = encode(HEADER, BODY)
CUBE = RubikCube.from_alg("R U F D L B R")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUBESOLVE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write(folder: Path, data: bytes = DATA) -> str:
    path = folder / "t.zst"
    path.write_bytes(data)
    return str(path)


def unpacked(path: str) -> bytes:
    pieces: list[bytes] = []
    tablefile.unpack(path, HEADER, pieces.append)
    return b"".join(pieces)


def test_lines_in_files(tmp_path: Path) -> None:
    assert decode(DATA, "t.zst") == (HEADER, BODY)
    assert HEADER.body_bytes == len(BODY)
    assert HEADER.base == 1
    tablefile.write(str(tmp_path / "t.zst"), HEADER, BODY)
    assert Path(tmp_path / "t.zst").read_bytes() == DATA
    assert unpacked(str(tmp_path / "t.zst")) == BODY


def test_bodies_of_many_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tablefile, "_PIECE", 1000)
    for length in (64 * 125, 64 * 126, 0):
        body = BODY[:length]
        digest = hashlib.sha256(body).hexdigest()
        header = HEADER._replace(
            entries=length // 64 * 243, distribution=(0, 0, 0, 0, length // 64 * 243), sha256=digest
        )
        tablefile.write(str(tmp_path / "t.zst"), header, body)
        assert tablefile.read(str(tmp_path / "t.zst")) == (header, body)
        pieces: list[bytes] = []
        tablefile.unpack(str(tmp_path / "t.zst"), header, pieces.append)
        assert b"".join(pieces) == body


def test_every_flipped_byte_is_an_error(tmp_path: Path) -> None:
    rng = random.Random(6)
    start = 8 + int.from_bytes(DATA[4:8], "little")
    for place in [
        *range(start + 40),
        *(rng.randrange(start, len(DATA)) for _ in range(200)),
        *range(len(DATA) - 8, len(DATA)),
    ]:
        damaged = bytearray(DATA)
        damaged[place] ^= 1 << rng.randrange(8)
        with pytest.raises(TableError):
            unpacked(write(tmp_path, bytes(damaged)))
        with pytest.raises(TableError):
            decode(bytes(damaged), "t.zst")
    for changed in (b"", DATA[:-1], DATA[:start], DATA[: start + 3], DATA + b"\0", DATA + DATA):
        with pytest.raises(CorruptTableError):
            unpacked(write(tmp_path, changed))


def test_headers_of_lines_that_lie(tmp_path: Path) -> None:
    for header in (
        HEADER._replace(entries=HEADER.entries + 1),
        HEADER._replace(distribution=(1, 2, 3)),
        HEADER._replace(entries=HEADER.entries + 243),
    ):
        with pytest.raises(CorruptTableError):
            decode(encode(header, BODY), "t.zst")
    with pytest.raises(UnsupportedTableError, match="encoding 3; this cubesolve reads encodings 1 and 2"):
        tablefile.read_header(write(tmp_path, tablefile._encode_header(HEADER._replace(encoding=3), 0, 0)))


def test_a_copy_is_made_once_and_checked_when_it_changes(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path)
    assert map_body(path, HEADER)[:] == BODY
    copy = cache / f"t-{HEADER.sha256[:16]}"
    assert sorted(each.name for each in cache.iterdir()) == [copy.name, f"{copy.name}.lock", f"{copy.name}.stamp"]
    made = copy.stat()
    assert map_body(path, HEADER)[:] == BODY
    os.utime(copy, (1, 1))  # looks changed, and is not
    assert map_body(path, HEADER)[:] == BODY
    assert copy.stat().st_ino == made.st_ino
    (cache / f"{copy.name}.stamp").unlink()
    assert map_body(path, HEADER)[:] == BODY
    assert copy.stat().st_ino == made.st_ino
    for damage in (BODY[:-1], b"", bytes(len(BODY))):
        copy.write_bytes(damage)
        assert map_body(path, HEADER)[:] == BODY
        assert copy.read_bytes() == BODY
    copy.unlink()
    assert map_body(path, HEADER)[:] == BODY


def test_a_damaged_table_leaves_no_copy(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path, DATA[:-20] + bytes([DATA[-20] ^ 1]) + DATA[-19:])
    with pytest.raises(CorruptTableError, match="does not match its checksum"):
        map_body(path, HEADER)
    with pytest.raises(CorruptTableError, match="not the t of this version of cubesolve: another metric"):
        map_body(write(tmp_path), HEADER._replace(metric="qtm"))
    assert not [each.name for each in cache.iterdir() if not each.name.endswith(".lock")]


def test_caches_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUBESOLVE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(TableError, match=r"t\.zst: cannot be unpacked into .*cache: Not a directory"):
        map_body(path, HEADER)
    code = (
        "import resource, signal\n"
        "from tests.test_unpacked import *\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        f"map_body({path!r}, HEADER)\n"
    )
    result = run_python(code, {"CUBESOLVE_CACHE": str(tmp_path / "full")})
    assert "TableError" in result.stderr
    assert "cannot be unpacked into" in result.stderr
    assert "File too large" in result.stderr
    assert not [name for name in os.listdir(tmp_path / "full") if not name.endswith(".lock")]


def test_too_little_room(tmp_path: Path, cache: Path) -> None:
    header = HEADER._replace(entries=243 * 2**50, distribution=(0, 0, 0, 0, 243 * 2**50))
    with pytest.raises(TableError, match=r"bytes are needed, .* are free"):
        map_body(write(tmp_path, encode(header, BODY)), header)
    assert cache.is_dir()


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBESOLVE_CACHE", "/a")
    assert cache_folder() == "/a"
    monkeypatch.delenv("CUBESOLVE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert cache_folder() == "/b/cubesolve"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/c")
    assert cache_folder() == "/c/.cache/cubesolve"


def test_two_processes_want_one_copy(rubik_tables: str, cache: Path) -> None:
    header = CATALOG["rubik-htm-small"].header
    code = (
        "import hashlib\n"
        "from cubesolve.catalog import CATALOG\n"
        "from cubesolve.unpacked import map_body\n"
        f"body = map_body('{rubik_tables}/rubik-htm-small.zst', CATALOG['rubik-htm-small'].header)\n"
        "print(hashlib.sha256(body).hexdigest())\n"
    )
    env = {**os.environ, "CUBESOLVE_CACHE": str(cache)}
    processes = [
        subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    assert [process.communicate()[0] for process in processes] == [f"{header.sha256}\n"] * 3
    assert len([name for name in os.listdir(cache) if name.startswith("rubik-htm-small")]) == 3


def test_threads_want_one_copy(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path)
    bodies: list[bytes] = []
    threads = [threading.Thread(target=lambda: bodies.append(map_body(path, HEADER)[:])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bodies == [BODY] * 8
    assert len(list(cache.iterdir())) == 3


def test_an_unpacking_that_is_killed_is_done_again(rubik_tables: str, cache: Path) -> None:
    cache.mkdir()
    name = f"rubik-htm-small-{tablefile.read_header(f'{rubik_tables}/rubik-htm-small.zst')[0].sha256[:16]}"
    (cache / name).write_bytes(b"half")
    (cache / f".{name}.1-a.tmp").write_bytes(b"half")
    with open_tablebase(rubik_tables) as tables:
        assert tables.depth(CUBE) == 7

"""Files and folders: what is opened, replaced and made, and what others could do to them."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cubesolve import lookup
from cubesolve.errors import CubesolveWarning, TableError
from cubesolve.runtime.files import (
    cache_folder,
    data_folder,
    is_private,
    open_atomically,
    open_private,
    open_regular,
    write_atomically,
)
from cubesolve.runtime.stored_code import folder
from cubesolve.spaces.tables import TableHeader
from cubesolve.store import tablefile
from tests.commands import invoke
from tests.processes import COMMAND, run, run_python
from tests.subsets import later

SOLVED = "UUUURRRRFFFFDDDDLLLLBBBB"


def strange_files(folder: Path) -> list[str]:
    """A pipe without a writer, an endless device, a folder, and a socket."""
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
    (folder / "device").symlink_to("/dev/zero")
    return [str(folder / name) for name in ("pipe", "folder", "socket", "device")]


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    for path in strange_files(tmp_path):
        with pytest.raises(OSError, match=r"Not a regular file|Is a directory|No such device") as caught:
            open_regular(path)
        assert caught.value.filename == path
        with pytest.raises(TableError, match="cannot be read: "):
            tablefile.read(path)
        with pytest.raises(TableError, match="cannot be read: "):
            tablefile.read_header(path)
        with pytest.raises(TableError, match="cannot be written: "):
            tablefile.write(path, TableHeader("t", "p", "htm", "s", 0, (0,), ""), b"")


@pytest.mark.parametrize("command", ["depth", "verify", "info"])
def test_a_pipe_in_place_of_a_table(tmp_path: Path, command: str) -> None:
    os.mkfifo(tmp_path / "pocket-htm.zst")
    arguments = ["depth", "UUUUBBRRRRFFDDDDFFLLLLBB"] if command == "depth" else ["tables", command, "pocket-htm"]
    result = run(*arguments, env={"CUBESOLVE_TABLES": str(tmp_path)})
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr == f"cubesolve: {tmp_path}/pocket-htm.zst: cannot be read: Not a regular file\n"


def test_links_in_folders_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with open_regular("file", folder) as file:
            assert file.read() == b"content"
        with pytest.raises(OSError, match="symbolic links"):
            open_regular("link", folder)
    finally:
        os.close(folder)
    with open_regular(str(tmp_path / "link")) as file:
        assert file.read() == b"content"


@pytest.mark.parametrize(
    ("user", "mode", "expected"),
    [(7, 0o700, True), (7, 0o755, True), (0, 0o555, True), (8, 0o755, False), (7, 0o775, False), (0, 0o1777, False)],
)
def test_whom_files_belong_to(user: int, mode: int, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 7)
    status = os.stat_result((stat.S_IFDIR | mode, 1, 1, 1, user, 1, 1, 1, 1, 1))
    assert is_private(status) is expected


# -- Files are replaced as a whole -------------------------------------------------------------------------------------


def test_names_of_any_length(tmp_path: Path) -> None:
    for name in ("a", "x" * 255, "\u00e9" * 127, "\U0001f9ca" * 63, "\udcff" * 255):
        write_atomically(str(tmp_path / name), b"content")
        assert os.listdir(tmp_path) == [name]
        (tmp_path / name).unlink()


@pytest.mark.parametrize(
    "name", [*map(later, ["x" * 300 + ".svg", "missing/cube.svg", "file/cube.svg"]), "\u00e9" * 128 + ".svg"]
)
def test_what_cannot_be_written_is_named_as_it_was_given(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    path = str(tmp_path / name)
    with pytest.raises(OSError, match=r"File name too long|No such file|Not a directory") as caught:
        write_atomically(path, b"content")
    assert caught.value.filename == path
    assert os.listdir(tmp_path) == ["file"]
    result = run("show", SOLVED, "--svg", path)
    assert result.returncode == 1
    assert ".tmp" not in result.stderr


def test_only_what_was_left_behind_by_oneself_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    abandoned, young = ".a.svg.4711-0123abcd.tmp", ".a.svg.4711-0123abce.tmp"
    others = [
        ".a.svg.my notes.tmp", ".a.svg.tmp", ".a.svg.4711-0123abcd.tmp.txt", ".a.svg.4711-0123ABCD.tmp",
        ".a.svg.4711-0123abcde.tmp", ".b.svg.4711-0123abcd.tmp", "a.svg.4711-0123abcd.tmp", ".aXsvg.1-0123abcd.tmp",
    ]  # fmt: skip
    for name in [abandoned, young, *others]:
        (tmp_path / name).write_text("half")
    (tmp_path / ".a.svg.1-00000000.tmp").mkdir()
    (tmp_path / ".a.svg.2-00000000.tmp").symlink_to(others[0])
    before = {*os.listdir(tmp_path)}
    for name in before - {young}:
        os.utime(tmp_path / name, (time.time() - 4000,) * 2)
    with monkeypatch.context() as patch:
        patch.setattr("os.geteuid", lambda: 4711)
        write_atomically(str(tmp_path / "a.svg"), b"content")
    assert before ^ {*os.listdir(tmp_path)} == {"a.svg"}
    write_atomically(str(tmp_path / "a.svg"), b"content")
    assert before ^ {*os.listdir(tmp_path)} == {abandoned, "a.svg"}


def test_links_are_written_through_and_permissions_stay(tmp_path: Path) -> None:
    link, file = tmp_path / "link", tmp_path / "folder" / "file"
    file.parent.mkdir()
    link.symlink_to("folder/file")
    write_atomically(str(link), b"one")
    assert file.read_bytes() == b"one"
    file.chmod(0o640)
    write_atomically(str(link), b"two")
    assert (file.read_bytes(), mode(file), link.is_symlink()) == (b"two", 0o640, True)


def test_nothing_is_left_by_an_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before")
    with contextlib.suppress(KeyboardInterrupt), open_atomically(str(path)) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["file"]


# -- Folders -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def opened(path: Path) -> int:
    """The inode of the folder that is opened."""
    with open_private(str(path)) as (private, folder):
        assert folder is not None
        assert os.stat(private).st_ino == os.fstat(folder).st_ino
        return os.fstat(folder).st_ino


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBESOLVE_CACHE", "/a")
    assert cache_folder() == "/a"
    monkeypatch.delenv("CUBESOLVE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    monkeypatch.setenv("XDG_DATA_HOME", "/d")
    assert (cache_folder(), data_folder()) == ("/b/cubesolve", "/d/cubesolve")
    for variable in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", "/c")
    assert (cache_folder(), data_folder()) == ("/c/.cache/cubesolve", "/c/.local/share/cubesolve")


@pytest.mark.parametrize("path", ["cache", "./cache", "~/cache", "~"])
def test_no_folder_is_relative(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBESOLVE_CACHE", path)
    assert cache_folder() is None
    monkeypatch.delenv("CUBESOLVE_CACHE")
    monkeypatch.setenv("HOME", "/c")
    monkeypatch.setenv("XDG_CACHE_HOME", path)
    assert cache_folder() in {None, "/c/.cache/cubesolve"}  # versions of platformdirs differ


NO_HOME = """
import os, pwd
os.environ.pop('HOME')
def unknown(uid): raise KeyError(uid)
pwd.getpwuid = unknown
"""


def test_a_user_without_home() -> None:
    code = "from cubesolve.runtime.files import cache_folder, data_folder\nprint(cache_folder(), data_folder())"
    env = {"CUBESOLVE_CACHE": "", "XDG_CACHE_HOME": "", "XDG_DATA_HOME": ""}
    assert run_python(NO_HOME + code, env).stdout == "None None\n"


@pytest.mark.parametrize("cache", ["cache", later(""), later("~/cache")])
def test_nothing_appears_in_the_working_folder(cache: str, rubik_tables: str, tmp_path: Path) -> None:
    kernels = folder()
    assert kernels
    code = (
        f"os.environ['NUMBA_CACHE_DIR'] = {os.path.dirname(kernels)!r}\n"  # they need not be compiled again
        "from cubesolve.catalog.rubik import solver\n"
        "from cubesolve.cli import main\n"
        "solver._NEAR = solver._NEARLY = 1000\n"  # tables are looked for sooner
        f"os.chdir({str(tmp_path)!r})\n"
        "main(['depth', '--puzzle', 'rubik', '--format', 'alg', \"F2 R2 B2 R2 F U' B2 L2 U2 D F'\"])\n"
    )
    env = {"CUBESOLVE_TABLES": rubik_tables, "CUBESOLVE_CACHE": cache, "XDG_CACHE_HOME": ""}
    result = run_python(NO_HOME + code, env)
    assert (result.returncode, result.stdout) == (0, "11\n")
    assert result.stderr.endswith("as no copy of it can be kept: no cache folder; CUBESOLVE_CACHE can name one\n")
    assert os.listdir(tmp_path) == []


@pytest.mark.usefixtures("no_umask")
def test_folders_are_made_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c"
    opened(path)
    assert [mode(each) for each in (path, path.parent, path.parent.parent)] == [0o700] * 3
    assert opened(path) == path.stat().st_ino


def test_in_a_folder_that_others_can_write_one_of_its_own_is_used(tmp_path: Path) -> None:
    for others in (0o777, 0o1777, 0o775):
        shared = tmp_path / f"{others:o}"
        shared.mkdir()
        shared.chmod(others)
        own = shared / f"cubesolve-{os.geteuid()}"
        for _ in range(2):
            with pytest.warns(CubesolveWarning, match=f"{shared} can be written by others: {own.name} in it is used"):
                inode = opened(shared)
            assert (inode, mode(own)) == (own.stat().st_ino, 0o700)
        own.chmod(0o777)
        with pytest.warns(CubesolveWarning), pytest.raises(OSError, match="It can be written by others"):
            opened(shared)
        own.rmdir()
        own.symlink_to(tmp_path)
        with pytest.warns(CubesolveWarning), pytest.raises(OSError, match="Not a directory"):
            opened(shared)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "cache"):
        with pytest.raises(OSError, match="Not a directory"):
            opened(path)


# -- On a full disk, an error names the file, and the status is 1 ------------------------------------------------------

FULL = "/dev/full"


@pytest.mark.parametrize(
    "line",
    [
        f"depth {SOLVED}",
        "",  # what a shell completes
        *map(later, ("puzzles", "--help", "completion zsh", "--version", "depth --help", "tables build -h")),
    ],
)
def test_standard_output_is_full(line: str) -> None:
    completing = {"_CUBESOLVE_COMPLETE": "bash_complete", "COMP_WORDS": "cubesolve ", "COMP_CWORD": "1"}
    env = {**os.environ, **({} if line else completing)}
    command = [*COMMAND, *line.split()]
    with open(FULL, "w") as nowhere:
        result = subprocess.run(command, stdout=nowhere, stderr=subprocess.PIPE, text=True, env=env, check=False)
    assert (result.returncode, result.stderr) == (1, "cubesolve: output: No space left on device\n")


WRITING = {
    "a.svg": ["show", SOLVED, "--svg", "{path}"],
    "b.svg": ["solve", SOLVED, "--svg", "{path}"],
    "c.svg": ["tables", "info", "pocket-htm", "--plot", "{path}"],
    "a.html": ["solve", SOLVED, "--html", "{path}"],
    "b.html": ["play", "R U", "--html", "{path}"],
    "a.csv": ["export", "tiles-2x3", "--out", "{path}"],
    "a.npz": ["export", "tiles-2x3", "--out", "{path}"],
    "data": ["dataset", "tiles-2x3", "--size", "10", "--format", "npz", "--out", "{path}"],
    "judged": ["judge", "poj-3131", "--generate", "3", "--seed", "1", "--out", "{path}"],
}


@pytest.mark.parametrize("name", WRITING)
def test_a_file_that_has_no_room_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    lookup.puzzle("tiles-2x3").depth(0)  # which writes the tables that there are not yet
    path = str(tmp_path / name)
    monkeypatch.setattr(os, "fsync", full)
    result = invoke(*[word.format(path=path) for word in WRITING[name]])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"cubesolve: {path}")
    assert result.stderr.endswith(": No space left on device\n")
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


def test_a_device_is_named_too(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.symlink_to(FULL)
    result = invoke("show", SOLVED, "--svg", str(path))
    assert (result.exit_code, result.stderr) == (1, f"cubesolve: {path}: No space left on device\n")

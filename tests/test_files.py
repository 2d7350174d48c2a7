from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from cubesolve.errors import TableError
from cubesolve.runtime.files import is_private, open_regular
from cubesolve.spaces.tables import TableHeader
from cubesolve.store import tablefile
from tests.processes import run


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

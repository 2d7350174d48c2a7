from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from cubesolve.runtime.files import open_atomically, write_atomically
from tests.processes import run
from tests.subsets import later

SOLVED = "UUUURRRRFFFFDDDDLLLLBBBB"


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


def test_only_what_was_left_behind_is_removed(tmp_path: Path) -> None:
    abandoned = tmp_path / ".a.svg.4711-0123abcd.tmp"
    young = tmp_path / ".a.svg.4711-0123abce.tmp"
    others = [
        ".a.svg.my notes.tmp", ".a.svg.tmp", ".a.svg.4711-0123abcd.tmp.txt", ".a.svg.4711-0123ABCD.tmp",
        ".a.svg.4711-0123abcde.tmp", ".b.svg.4711-0123abcd.tmp", "a.svg.4711-0123abcd.tmp", ".aXsvg.1-0123abcd.tmp",
    ]  # fmt: skip
    for name in [abandoned.name, young.name, *others]:
        (tmp_path / name).write_text("half")
    (tmp_path / ".a.svg.1-00000000.tmp").mkdir()
    (tmp_path / ".a.svg.2-00000000.tmp").symlink_to(others[0])
    for each in os.listdir(tmp_path):
        if each != young.name:
            os.utime(tmp_path / each, (time.time() - 4000,) * 2)
    before = set(os.listdir(tmp_path))
    write_atomically(str(tmp_path / "a.svg"), b"content")
    assert before ^ set(os.listdir(tmp_path)) == {abandoned.name, "a.svg"}


def test_what_belongs_to_somebody_else_is_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / ".a.svg.4711-0123abcd.tmp"
    path.write_text("half")
    os.utime(path, (time.time() - 4000,) * 2)
    monkeypatch.setattr("os.geteuid", lambda: 4711)
    write_atomically(str(tmp_path / "a.svg"), b"content")
    assert path.exists()


def test_links_are_written_through(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/file")
    for content in (b"one", b"two"):
        write_atomically(str(tmp_path / "link"), content)
        assert (tmp_path / "folder" / "file").read_bytes() == content
    assert (tmp_path / "link").is_symlink()


def test_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    path.chmod(0o640)
    write_atomically(str(path), b"content")
    assert path.stat().st_mode & 0o777 == 0o640


def test_nothing_is_left_by_an_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before")

    def write() -> None:
        with open_atomically(str(path)) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["file"]

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cubesolve.runtime import filelocks
from cubesolve.runtime.filelocks import file_lock


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def test_one_at_a_time(tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filelocks, "_PATIENCE", 0.1)
    with file_lock("lock", folder) as alone, file_lock("lock", folder) as other:
        assert (alone, other) == (True, False)
    with file_lock("lock", folder) as alone:
        assert alone
    assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o600


def test_a_lock_ends_with_its_process(tmp_path: Path, folder: int) -> None:
    code = (
        "import os, time\n"
        "from cubesolve.runtime.filelocks import file_lock\n"
        f"with file_lock('lock', os.open({str(tmp_path)!r}, os.O_RDONLY)) as alone:\n"
        "    print(alone, flush=True)\n"
        "    time.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    process.kill()
    process.communicate()
    with file_lock("lock", folder) as alone:
        assert alone


def test_a_lock_is_not_left_to_children(folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filelocks, "_PATIENCE", 0.1)
    with file_lock("lock", folder):
        (inherited,) = filelocks._held
        kept = os.dup(inherited)  # as a child that is forked by other means has it
    with file_lock("lock", folder) as alone:
        assert alone
    os.close(kept)


def test_lock_files_that_cannot_be_opened(tmp_path: Path, folder: int) -> None:
    (tmp_path / "victim").write_text("content")
    (tmp_path / "link").symlink_to("victim")
    (tmp_path / "nowhere").symlink_to("missing")
    (tmp_path / "folder").mkdir()
    for name in ("link", "nowhere", "folder"):
        with file_lock(name, folder) as alone:
            assert not alone
    assert (tmp_path / "victim").read_text() == "content"
    assert not (tmp_path / "missing").exists()

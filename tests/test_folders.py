from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from cubesolve.errors import CubesolveWarning
from cubesolve.runtime.files import cache_folder, data_folder, open_private
from cubesolve.runtime.stored_code import folder
from tests.processes import run_python
from tests.subsets import later


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


def test_a_user_without_home() -> None:
    code = (
        "import os, pwd\n"
        "os.environ.pop('HOME')\n"
        "def unknown(uid): raise KeyError(uid)\n"
        "pwd.getpwuid = unknown\n"
        "from cubesolve.runtime.files import cache_folder, data_folder\n"
        "print(cache_folder(), data_folder())\n"
    )
    env = {"CUBESOLVE_CACHE": "", "XDG_CACHE_HOME": "", "XDG_DATA_HOME": ""}
    assert run_python(code, env).stdout == "None None\n"


@pytest.mark.parametrize("cache", ["cache", later(""), later("~/cache")])
def test_nothing_appears_in_the_working_folder(cache: str, rubik_tables: str, tmp_path: Path) -> None:
    kernels = folder()
    assert kernels
    code = (
        "import os, pwd\n"
        f"os.environ['NUMBA_CACHE_DIR'] = {os.path.dirname(kernels)!r}\n"  # they need not be compiled again
        "os.environ.pop('HOME')\n"
        "def unknown(uid): raise KeyError(uid)\n"
        "pwd.getpwuid = unknown\n"
        "from cubesolve.catalog.rubik import solver\n"
        "from cubesolve.cli import main\n"
        "solver._NEAR = solver._NEARLY = 1000\n"  # tables are looked for sooner
        f"os.chdir({str(tmp_path)!r})\n"
        "main(['depth', '--puzzle', 'rubik', '--format', 'alg', \"F2 R2 B2 R2 F U' B2 L2 U2 D F'\"])\n"
    )
    env = {"CUBESOLVE_TABLES": rubik_tables, "CUBESOLVE_CACHE": cache, "XDG_CACHE_HOME": ""}
    result = run_python(code, env)
    assert (result.returncode, result.stdout) == (0, "11\n")
    assert result.stderr.endswith("as no copy of it can be kept: no cache folder; CUBESOLVE_CACHE can name one\n")
    assert os.listdir(tmp_path) == []


@pytest.mark.usefixtures("no_umask")
def test_folders_are_made_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c"
    opened(path)
    assert [mode(each) for each in (path, path.parent, path.parent.parent)] == [0o700] * 3
    assert opened(path) == path.stat().st_ino


def test_a_folder_that_others_can_write(tmp_path: Path) -> None:
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
        with (
            pytest.warns(CubesolveWarning, match="can be written by others"),
            pytest.raises(OSError, match="It can be written by others"),
        ):
            opened(shared)
        own.rmdir()
        own.symlink_to(tmp_path)
        with (
            pytest.warns(CubesolveWarning, match="can be written by others"),
            pytest.raises(OSError, match="Not a directory"),
        ):
            opened(shared)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "cache"):
        with pytest.raises(OSError, match="Not a directory"):
            opened(path)

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from cubesolve.runtime import locks
from cubesolve.runtime.deadline import Deadline, EndedError, running
from cubesolve.runtime.locks import file_lock
from tests.patience import PATIENCE
from tests.processes import run, run_python, signalled

# Each begins with threads that are in the middle of something, forks, and lets the child ask; "14" is the alarm.
FORK = """
import os, signal, threading, time
from cubesolve.runtime import kernels
from cubesolve import lookup
from cubesolve.catalog.rubik import solver as rubiks
from cubesolve.store import tablefile, unpacked
from cubesolve import PocketCube
from cubesolve import RubikCube

started, forked = threading.Event(), threading.Event()

def interrupted(function):
    def slow(*arguments, **options):
        if not started.is_set():
            started.set()
            assert forked.wait(600)
        return function(*arguments, **options)
    return slow

def fork(busy, ask):
    thread = threading.Thread(target=busy)
    thread.start()
    assert started.wait(600)
    child = os.fork()
    if child == 0:
        signal.alarm(600)
        ask()
        os._exit(0)
    forked.set()
    thread.join()
    print(os.waitpid(child, 0)[1])
"""


READ = """
tablefile.read = interrupted(tablefile.read)
cube = PocketCube.from_alg("R U F")
fork(lambda: lookup.depth(cube), lambda: lookup.depth(cube, metric={!r}))
"""
MAPPED = """
tablefile.unpack = interrupted(tablefile.unpack)
rubiks._NEAR = rubiks._NEARLY = 1000  # tables are looked for sooner
tables = lookup.open_tablebase(os.environ["TABLES"])
far, other = RubikCube.from_alg("R U F D L B R U F D"), RubikCube.from_alg("R U F D L B R")
fork(lambda: tables.depth(far), lambda: tables.depth(other, metric="qtm"))
"""
COMPILED = """
from cubesolve.runtime import stored_code
stored_code.key_of = lambda *_: "key"
stored_code.stored = lambda *_, **__: (started.set(), time.sleep(0.3), b"")[2]
stored_code.loaded = lambda *_: lambda: 1
first, second = (kernels.kernel()(lambda: 1) for _ in range(2))
fork(first, second)
"""
BUSY = {
    "a table is read": READ.format("htm"),
    "a table is read, and another one": READ.format("qtm"),
    "a table is mapped": MAPPED,
    "kernels are compiled": COMPILED,
}


@pytest.mark.parametrize("name", BUSY)
def test_a_fork_while(name: str, rubik_tables: str, tmp_path: Path) -> None:
    """The child answers, and so does the parent."""
    result = run_python(FORK + BUSY[name], {"CUBESOLVE_CACHE": str(tmp_path / "cache"), "TABLES": rubik_tables})
    assert result.stdout == "0\n", result.stderr


# -- Locks between processes -------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "lock")


def test_one_at_a_time(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_PATIENCE", 0.1)
    with file_lock(path) as alone, file_lock(path) as other:
        assert (alone, other) == (True, False)
    with file_lock(path) as alone:
        assert alone
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_a_wait_for_a_lock_ends_at_the_deadline(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_PATIENCE", PATIENCE)
    with file_lock(path), running(Deadline(timeout=0.1)), pytest.raises(EndedError), file_lock(path):
        raise AssertionError


HOLD = """
import time
from cubesolve.runtime.locks import file_lock
with file_lock({path!r}) as alone:
    print(alone, flush=True)
    time.sleep(600)
"""


def test_a_lock_ends_with_its_process(path: str) -> None:
    assert signalled(HOLD.format(path=path), signal.SIGKILL).stdout == "True\n"
    with file_lock(path) as alone:
        assert alone


FORKED = """
import os, signal
from cubesolve.runtime.locks import file_lock
with file_lock({path!r}) as alone:
    child = os.fork()
    if not child:
        signal.pause()
with file_lock({path!r}) as again:
    print(alone, again)
os.kill(child, signal.SIGKILL)
"""


def test_a_lock_is_not_left_to_children(path: str) -> None:
    result = run_python(FORKED.format(path=path), fresh=True)
    assert result.stdout == "True True\n", result.stderr


def test_lock_files_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("content")
    (tmp_path / "link").symlink_to("victim")
    (tmp_path / "nowhere").symlink_to("missing")
    (tmp_path / "folder").mkdir()
    for name in ("link", "nowhere", "folder", "victim/lock"):
        with file_lock(str(tmp_path / name)) as alone:
            assert not alone
    assert (tmp_path / "victim").read_text() == "content"
    assert not (tmp_path / "missing").exists()


def test_a_file_system_without_locks(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", refuse)
    with file_lock(path) as alone:
        assert not alone


# -- Ctrl-C while the command line is being loaded ---------------------------------------------------------------------


_INTERRUPTS = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(600)\n"


_ZSTD = "compression" if sys.version_info >= (3, 14) else "backports"


@pytest.mark.parametrize("module", ["click", _ZSTD])
def test_ctrl_c_while_it_is_loaded(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text(_INTERRUPTS)
    result = run("depth", "UUUUBBRRRRFFDDDDFFLLLLBB", env={"PYTHONPATH": str(tmp_path)}, fresh=True)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def test_ctrl_c_that_the_caller_ignores(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text(_INTERRUPTS.replace("time.sleep(600)", "raise SystemExit(7)"))
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'cubesolve'])\n"
    )
    assert run_python(code, {"PYTHONPATH": str(tmp_path)}, fresh=True).returncode == 7

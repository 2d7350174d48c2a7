"""Processes that fork, are interrupted and lock files; systems without POSIX, with any folders, or without numpy."""

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from cubesolve import catalog
from cubesolve.runtime import locks
from cubesolve.runtime.deadline import Deadline, EndedError, running
from cubesolve.runtime.locks import file_lock
from tests.patience import PATIENCE
from tests.processes import ROOT, run, run_python, signalled
from tests.without_numpy import answers

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
BUSY = {
    "a table is read": READ.format("htm"),
    "a table is read, and another one": READ.format("qtm"),
    "a table is mapped": """
tablefile.unpack = interrupted(tablefile.unpack)
rubiks._NEAR = rubiks._NEARLY = 1000  # tables are looked for sooner
tables = lookup.open_tablebase(os.environ["TABLES"])
far, other = RubikCube.from_alg("R U F D L B R U F D"), RubikCube.from_alg("R U F D L B R")
fork(lambda: tables.depth(far), lambda: tables.depth(other, metric="qtm"))
""",
    "kernels are compiled": """
from cubesolve.runtime import stored_code
stored_code.key_of = lambda *_: "key"
stored_code.stored = lambda *_, **__: (started.set(), time.sleep(0.3), b"")[2]
stored_code.loaded = lambda *_: lambda: 1
first, second = (kernels.kernel()(lambda: 1) for _ in range(2))
fork(first, second)
""",
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


def test_files_that_cannot_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    (tmp_path / "victim").write_text("content")
    (tmp_path / "link").symlink_to("victim")
    (tmp_path / "nowhere").symlink_to("missing")
    (tmp_path / "folder").mkdir()
    for name in ("link", "nowhere", "folder", "victim/lock"):
        with file_lock(str(tmp_path / name)) as alone:
            assert not alone
    assert (tmp_path / "victim").read_text() == "content"
    assert not (tmp_path / "missing").exists()
    monkeypatch.setattr("fcntl.flock", refuse)  # as by file systems without locks
    with file_lock(str(tmp_path / "lock")) as alone:
        assert not alone


# -- Ctrl-C while the command line is being loaded ---------------------------------------------------------------------


_INTERRUPTS = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(600)\n"


@pytest.mark.parametrize("module", ["click", "compression" if sys.version_info >= (3, 14) else "backports"])
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


# -- Systems without POSIX, folders with any name, and file systems that ignore case -----------------------------------

FAR = "F2 R2 B2 R2 F U' B2 L2 U2 D"  # too far to be found without a table
ASK = """
from tests.without_posix import hide
hide()
from click.testing import CliRunner
from cubesolve.cli import main
for line in lines:
    result = CliRunner().invoke(main, line.split("|"))
    print(result.exit_code, result.stdout.strip(), result.stderr.strip())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with blanks and umlauts in its name."""
    path = tmp_path / "Größere Würfel" / "my tables"
    path.mkdir(parents=True)
    return path


def ask(folder: Path, *lines: str, **env: str) -> list[str]:
    """Return the output of command lines on a system without POSIX."""
    env |= {"CUBESOLVE_CACHE": str(folder / "Zwischenablage"), "XDG_DATA_HOME": str(folder / "Daten")}
    code = f"import os\nos.chdir({str(folder)!r})\nlines = {lines}\n{ASK}"
    result = run_python(code, {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **env}, fresh=True)
    assert result.stderr == ""
    return result.stdout.splitlines()


def test_tables_and_data_sets_without_posix(folder: Path) -> None:
    (folder / "Ringe groß.tws").write_text((ROOT / "docs" / "rings.tws").read_text())
    data_set = "dataset|Ringe groß.tws|--size|20|--split|0.5/0.5|--format|npz|--out|Würfe"
    answers = ask(
        folder,
        "tables|build|floppy-htm",
        "tables|verify|floppy-htm",
        "solve|-p|222|--format|alg|R U2 F'",
        "depth|--puzzle|Ringe groß.tws|L R L' R'",
        *["show|--format|alg|R U|--svg|Würfel.svg"] * 2,
        *[data_set] * 2,
        "tables|clean|--all",
        CUBESOLVE_TABLES=str(folder),
    )
    assert answers == [
        f"0 floppy-htm built: {folder}/floppy-htm.zst ",
        f"0 floppy-htm proved right: {folder}/floppy-htm.zst ",
        "0 F U2 R' ",
        "0 2 ",
        *["0  "] * 4,
        "0 0 bytes freed ",
    ]
    assert len(list(folder.glob("custom-*.zst"))) == 2
    assert (folder / "Würfel.svg").read_text().startswith("<svg")
    data = [f"data/{split}-00000-of-00001.npz" for split in ("test", "train")]
    assert sorted(str(path.relative_to(folder / "Würfe")) for path in (folder / "Würfe").rglob("*.*")) == sorted(
        ["README.md", *data, "dataset.json"]
    )


@pytest.mark.exhaustive
def test_large_tables_are_unpacked_into_memory_without_posix(folder: Path, rubik_tables: str) -> None:
    (folder / "Zwischenablage").mkdir(mode=0o777)
    question = f"depth|--puzzle|rubik|--format|alg|{FAR}"
    assert ask(folder, question, question, CUBESOLVE_TABLES=rubik_tables) == ["0 10 "] * 2
    assert os.listdir(folder / "Zwischenablage") == []


@pytest.mark.exhaustive
def test_kernels_are_kept_without_posix(folder: Path) -> None:
    code = (
        "from tests.without_posix import hide\n"
        "hide()\n"
        "from cubesolve.runtime.kernels import kernel\nfrom cubesolve.runtime.stored_code import folder\n"
        "def five(): return 5\n"
        "print(kernel()(five)(), folder())\n"
    )
    (folder / "five.py").write_text(code)
    env = {"NUMBA_CACHE_DIR": "", "CUBESOLVE_CACHE": str(folder), "PYTHONPATH": str(ROOT)}
    result = run_python(f"import sys; sys.path.append({str(folder)!r}); import five", env, fresh=True)
    assert (result.stdout, result.stderr) == (f"5 {folder}/kernels\n", "")
    assert len(list(folder.glob("kernels/five.five-*.o"))) == 1


def test_no_two_names_differ_by_case_alone() -> None:
    for names in (list(catalog.tables()), [str(path.relative_to(ROOT)) for path in (ROOT / "cubesolve").rglob("*.py")]):
        assert len({name.casefold() for name in names}) == len(names)
    assert all(name == name.lower() for name in catalog.tables())


# -- Installations without numpy and numba -----------------------------------------------------------------------------


PUZZLES = ["pocket", "rolling", "pyraminx", "skewb"]  # those whose tables ship
NEEDED = "is not installed; searches, arrays of states and building tables need it: pip install numba"
COMMANDS = {
    "depth|-p|222|--format|alg|R U2 F'": [0, "3\n", ""],
    "solve|--puzzle|skewb|R U' L": [0, "L' U R'\n", ""],
    "solve|--puzzle|rolling|--start|2,1|RBW/RWW/EWW": [0, "RUU\n", ""],
    "depth|--puzzle|rubik|--format|alg|R U F D L B R U F D|R U": [1, "2\n", f"cubesolve: argument 1: numpy {NEEDED}\n"],
    "tables|build|ivy": [1, "", f"cubesolve: numpy {NEEDED}\n"],
}
WITHOUT_NUMPY = f"""
from tests.without_numpy import answers, hide
hide()
import json, sys
from cubesolve import MissingPackageError, lookup, puzzle
found = {{name: answers(name) for name in {PUZZLES}}}
assert "click" not in sys.modules
needs = [
    lambda: lookup.depths([0]),
    lambda: puzzle("rubik").solve("R U2 F D L B R U F D L B"),
    lambda: list(puzzle("dino").solutions(puzzle("dino").random_state(1))),
    lambda: puzzle("skewb").distribution(count=True),
    lambda: puzzle("pancake-11").usual_tables(),
]
for ask in needs:
    try:
        raise AssertionError(f"{{ask()}}")
    except MissingPackageError as error:
        assert isinstance(error, ImportError) and str(error) == "numpy {NEEDED}"
try:
    import cubesolve.lookup.building
    raise AssertionError
except MissingPackageError as error:
    assert error.name == "numpy"
from click.testing import CliRunner
from cubesolve.cli import main
for line in {list(COMMANDS)}:
    result = CliRunner().invoke(main, line.split("|"))
    found[line] = [result.exit_code, result.stdout, result.stderr]
print(json.dumps(found))
"""


def test_questions_about_one_state_need_neither_numpy_nor_numba() -> None:
    result = run_python(WITHOUT_NUMPY, fresh=True)
    assert result.stderr == ""
    assert json.loads(result.stdout) == {name: answers(name) for name in PUZZLES} | COMMANDS

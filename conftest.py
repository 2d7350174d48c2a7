"""Every test, and every example in the documentation, finds the default tables built and right.

Work that takes long is done once for all workers of a run: by the first one, while the others wait.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import linecache
import os
import shutil
import signal
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from cubesolve.catalog import entry_named, tables_named
from cubesolve.errors import TableError
from cubesolve.lookup import building
from cubesolve.runtime.files import CACHE_VARIABLE, cache_folder
from cubesolve.search import limits
from cubesolve.store import tablefile
from cubesolve.store.folders import find_table
from tests.once import copy_two_phase, once
from tests.patience import PATIENCE

collect_ignore = ["tests/preloaded.py"]  # what forked processes import has no examples

# Collection makes many objects and drops few; looking through them again and again takes as long as making them.
gc.disable()

# How long an example takes says nothing about it on a machine that does other things as well.
_slow = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("all", _slow)
settings.register_profile("short", _slow, max_examples=10, derandomize=True)

ROOT = Path(__file__).parent
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0")

# Kernels are kept between runs. Numba reads the variable when it is imported, which few tests need.
if (_folder := cache_folder()) is not None:
    os.environ.setdefault("NUMBA_CACHE_DIR", _folder)


def pytest_configure(config: pytest.Config) -> None:
    """Hypothesis draws the same examples in each run of `make test`, and new ones in each of `make test-all`."""
    settings.load_profile("short" if config.option.markexpr else "all")
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as in background jobs; commands that tests start inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than processors, since browsers and started processes are waited for; each may need 2 GB."""
    return min(4, 1 + (os.cpu_count() or 1))


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """In a fresh clone, every second worker has the assertions of the last test modules rewritten, not of the first.

    Rewriting takes half of the time of a collection, and each worker reads what the others have written.
    """
    if int(_WORKER[2:]) % 2 and not session.config.option.file_or_dir:
        names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in (ROOT / "tests").rglob("test_*.py")]
        pytest.register_assert_rewrite(*names)
        for name in sorted(names, reverse=True):
            with contextlib.suppress(Exception):  # pytest will report it
                importlib.import_module(name)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Look for examples only in modules that have some: doctest would look at every name of every module."""
    found: list[pytest.Collector] = yield  # type: ignore[assignment]
    has_examples = file_path.suffix != ".py" or b">>> " in file_path.read_bytes()
    return [each for each in found if has_examples or not isinstance(each, DoctestModule)]  # type: ignore[return-value]


_SHOWN_ELSEWHERE = {"solution_counts", "symmetry_classes", "transition_table"}
"""Functions whose examples are over whole tables and take seconds; docs/researchers.md shows the same."""


_LONG_PAGES = {"learning.md", "researchers.md"}
"""Pages whose examples take seconds; tests of data sets, arrays and whole spaces ask the same."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """An example that is found by two names, as that of a method and of a function, is run by one of them."""
    for item in items:
        name = item.name if isinstance(item, pytest.DoctestItem) else ""
        if name in _LONG_PAGES or name.rpartition(".")[2] in _SHOWN_ELSEWHERE:
            item.add_marker(pytest.mark.exhaustive)
    tests = {each: getattr(each, "dtest", None) for each in items}
    kept = {(test.filename, test.lineno) if test else each: each for each, test in tests.items()}.values()
    config.hook.pytest_deselected(items=list(tests.keys() - set(kept)))
    items[:] = sorted(kept, key=_comes_later)


def _comes_later(item: pytest.Item) -> tuple[bool, bool, bool]:
    """Pages come first, and so one after the other in the first worker: no other one starts a browser.

    Other tests of servers follow, so that few workers start any, and then the documentation: all examples of a page are
    one test, and if it was the last one, the other workers would wait for it.
    """
    needed = getattr(item, "fixturenames", ())
    return "browser" not in needed, item.path.parent != ROOT / "tests" / "web", item.path.suffix != ".md"


def pytest_collection_finish() -> None:
    """The garbage collector leaves out what is there for the whole run, and looks as rarely as in a command.

    Each doctest looks whether files have changed of which lines are kept, and collection keeps those of all modules.
    """
    linecache.clearcache()
    gc.freeze()
    gc.set_threshold(100_000, 10, 100)
    gc.enable()


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all workers of this run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """What a command does when it is told to end is not what the tests do after it, nor the processes they start."""
    numbers = [number for number in signal.Signals if number.name in {"SIGTERM", "SIGHUP"}]  # Windows has one
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _patience() -> None:
    """No answer depends on how fast the machine is.

    A question whose time has ended reports what it has proved, however long it takes until it notices; and a search
    reports its progress once for each depth, however long that takes.
    """
    limits._PATIENCE = limits._EVERY = PATIENCE


@pytest.fixture(scope="session", autouse=True)
def _cache(shared: Path) -> None:
    """Copies of tables, and tables of puzzles that do not ship, are of this run alone."""
    os.environ[CACHE_VARIABLE] = str(shared / "cache")
    os.environ["XDG_DATA_HOME"] = str(shared / "data")


@pytest.fixture(scope="session", autouse=True)
def _tables(shared: Path, _cache: None) -> None:
    """Each worker begins with another table, so that they share the work."""
    names = deque(tables_named())
    names.rotate(len(names) * int(_WORKER[2:]) // 2)
    for name in names:
        once(shared / f"{name}.done", functools.partial(_check_or_build, name))


def _check_or_build(name: str) -> None:
    """Compare a table with its pinned digest; building one proves it."""
    try:
        tablefile.read(find_table(name), entry_named(name)[1].header)
    except TableError:
        building.build_table(name)


@pytest.fixture(scope="session")
def rubik_tables(shared: Path) -> str:
    """A folder with the smallest pattern databases of the 3x3x3."""
    folder = _with_tables(shared / "rubik", "rubik-htm-small", "rubik-qtm-small")
    once(shared / "two-phase.done", functools.partial(copy_two_phase, folder))
    return str(folder)


@pytest.fixture(scope="session")
def corners_table(shared: Path) -> str:
    """A folder with the table of pocket cubes in a fixed orientation."""
    return str(_with_tables(shared / "corners", "corners-htm"))


_KEPT = ROOT / ".cache" / "tables"
"""Tables that are kept between runs, as the default ones are, but where no command finds them."""


def _with_tables(folder: Path, *names: str) -> Path:
    """Return a folder with tables that are kept between runs."""
    folder.mkdir(exist_ok=True)
    for name in names:
        once(folder / f"{name}.done", functools.partial(_copy_or_build, name, folder))
    return folder


def _copy_or_build(name: str, folder: Path) -> None:
    """Copy a table that an earlier run has built, if its digest is the pinned one."""
    _KEPT.mkdir(parents=True, exist_ok=True)
    kept = _KEPT / f"{name}.zst"
    try:
        tablefile.read(str(kept), entry_named(name)[1].header)
    except TableError:
        building.build_table(name, _KEPT)
    shutil.copy(kept, folder)

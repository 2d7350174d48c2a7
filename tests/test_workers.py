from __future__ import annotations

import threading
import time

import pytest

from cubesolve import lookup
from cubesolve.runtime import machine
from cubesolve.runtime.deadline import Deadline, EndedError
from cubesolve.runtime.machine import MOST_WORKERS, require_workers
from cubesolve.runtime.workers import Workers, run_watched
from tests.patience import PATIENCE
from tests.processes import run
from tests.subsets import later
from tests.test_deadline import cancelled_after

FAR = "F2 R2 B2 R2 F U' B2 L2 U2 D F' U2 R' F' B2 R' D"


def nothing() -> None:
    pass


@pytest.mark.parametrize("workers", [MOST_WORKERS + 1, 10**6, 10**400])
def test_too_many_workers(workers: int) -> None:
    message = "workers must be at most 1,024, not 1"
    with pytest.raises(ValueError, match=message):
        require_workers(workers)
    with pytest.raises(ValueError, match=message):
        Workers(10, workers)
    with pytest.raises(ValueError, match=message):
        run_watched(nothing, 10, workers, nothing, Deadline())
    with pytest.raises(ValueError, match=message):
        lookup.depth(lookup.random_state(1, puzzle="rubik"), workers=workers, max_depth=3)


def test_no_more_threads_than_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    started = count_threads(monkeypatch)
    parts = iter(range(5))
    gate = threading.Barrier(5)

    def work() -> None:
        gate.wait(PATIENCE)
        next(parts)

    run_watched(work, 5, MOST_WORKERS, nothing, Deadline())
    assert len(started) == 5
    assert list(parts) == []


def count_threads(monkeypatch: pytest.MonkeyPatch, most: int = 10**6) -> list[threading.Thread]:
    """Record started threads, and fail to start more than some."""
    started: list[threading.Thread] = []
    start = threading.Thread.start

    def counted(thread: threading.Thread) -> None:
        if len(started) == most:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", counted)
    return started


def test_a_single_thread_for_few_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "processors", lambda: 2)
    started = count_threads(monkeypatch)
    for entries, chosen, threads in ((1000, None, 0), (1000, 2, 2), (10**6, None, 2), (None, None, 2)):
        started.clear()
        meeting = threading.Barrier(max(1, threads))

        def task(first: int, last: int, meeting: threading.Barrier = meeting) -> int:
            meeting.wait(PATIENCE)
            return last - first

        with Workers(1000, chosen, entries=entries) as pool:
            assert sum(pool.run(task)) == 1000
        assert len(started) == threads


def test_the_time_is_looked_at_before_and_while_threads_start(monkeypatch: pytest.MonkeyPatch) -> None:
    started = count_threads(monkeypatch)
    stopped = threading.Event()
    with pytest.raises(EndedError):
        run_watched(nothing, 10**6, MOST_WORKERS, stopped.set, Deadline(0))
    assert started == []
    assert stopped.is_set()
    stopped.clear()
    with pytest.raises(EndedError):
        run_watched(stopped.wait, 10**6, MOST_WORKERS, stopped.set, cancelled_after(3))  # type: ignore[arg-type]
    assert len(started) == 3


def test_a_system_without_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    started = count_threads(monkeypatch, most=3)
    stopped = threading.Event()
    run_watched(lambda: time.sleep(0.1), 100, 100, stopped.set, Deadline())
    assert len(started) == 3
    assert not stopped.is_set()
    with pytest.raises(RuntimeError, match="can't start new thread"):
        run_watched(nothing, 100, 100, stopped.set, Deadline())


@pytest.mark.parametrize(("workers", "status"), [later("1000000", 2), ("1025", 2), later("0", 2), ("1024", 1)])
def test_workers_at_the_command_line(workers: str, status: int, rubik_tables: str) -> None:
    arguments = ["depth", "--puzzle", "rubik", "--format", "alg", "--max-depth", "10", "--workers", workers, FAR]
    result = run(*arguments, env={"CUBESOLVE_TABLES": rubik_tables})
    assert (result.returncode, result.stdout) == (status, "")
    if status == 2:
        limit = "at least 1, not 0" if workers == "0" else f"at most 1,024, not {int(workers):,}"
        assert result.stderr.endswith(f"Error: Invalid value for '--workers' / '--threads': workers must be {limit}\n")
    else:
        assert "not solved in 10 moves: at least 11 moves are needed" in result.stderr

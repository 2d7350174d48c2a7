"""Deadlines, the threads that work until then, and work that goes on in the next question."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from unittest.mock import Mock

import pytest

from cubesolve.errors import SearchLimitError
from cubesolve.runtime import machine
from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.runtime.machine import MOST_WORKERS
from cubesolve.runtime.prepared import Prepared, cached
from cubesolve.runtime.workers import Workers
from cubesolve.search import limits
from cubesolve.search.limits import answer, proving, within_limits
from cubesolve.search.rounds import run_watched
from tests.patience import PATIENCE
from tests.processes import run_python


class CancelledAfter:
    """An event that is set after a number of checks."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def cancelled_after(looks: int) -> Deadline:
    return Deadline(cancel=CancelledAfter(looks))  # type: ignore[arg-type]


def test_a_deadline_within_another_ends_with_it_but_does_not_end_it() -> None:
    event = threading.Event()
    outer = Deadline(cancel=event)
    inner = Deadline(timeout=600, within=outer)
    assert 0 < inner.left() <= 600
    assert Deadline(within=outer).is_limited
    with pytest.raises(EndedError, match="after 0 s"):
        Deadline(timeout=0, within=outer).left()
    assert outer.left() > 0
    event.set()
    with pytest.raises(EndedError, match="before it was cancelled"):
        inner.left()


def test_the_current_deadline_is_that_of_the_innermost_block_of_a_thread() -> None:
    found: list[Deadline] = []
    with running(Deadline(timeout=600)) as outer:
        with running(Deadline(timeout=0)), pytest.raises(EndedError):
            check()
        assert current() is outer
        check()
        in_thread(lambda: found.append(current())).join(PATIENCE)
        outer.end()
        with pytest.raises(EndedError, match="stopped waiting"):
            check()
    assert [each.is_limited for each in (current(), *found)] == [False, False]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("limit", [0, 1, 7, 5000])
@pytest.mark.parametrize("at_most", [None, 3])
def test_workers_do_the_same_under_a_deadline(workers: int, limit: int, at_most: int | None) -> None:
    ranges: list[tuple[int, int]] = []

    def task(first: int, last: int) -> int:
        ranges.append((first, last))
        return sum(range(first, last))

    with running(Deadline(timeout=600)), Workers(limit, workers, at_most) as pool:
        assert sum(pool.run(task)) == sum(range(limit))
    ends = [0, *(last for _, last in sorted(ranges))]
    assert [first for first, _ in sorted(ranges)] == ends[:-1]
    assert ends[-1] == limit
    assert at_most is None or all(last - first <= at_most for first, last in ranges)


@pytest.mark.parametrize("workers", [1, 3])
def test_workers_end_between_two_parts_and_raise_what_a_part_raises(workers: int) -> None:
    done: list[int] = []

    def task(first: int, last: int) -> int:
        done.append(last - first)
        return 1 // (first < 1000)

    with running(cancelled_after(5)), Workers(1 << 20, workers, 16) as pool, pytest.raises(EndedError):
        pool.run(task)
    assert 1 <= len(done) <= 6 * (workers + 1)  # that many are under way between two looks
    with running(Deadline(timeout=600)), Workers(2000, workers, 16) as pool, pytest.raises(ZeroDivisionError):
        pool.run(task)


# -- Questions ---------------------------------------------------------------------------------------------------------


def test_a_question_comes_back_while_its_work_looks_at_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_PATIENCE", 0.01)
    going_on, ended = threading.Event(), threading.Event()

    def work() -> None:
        with proving(7):
            going_on.wait(PATIENCE)
        try:
            check()
        except EndedError:
            ended.set()
            raise

    with pytest.raises(SearchLimitError, match=r"after 0\.05 s: at least 7 moves are needed"):
        within_limits(work, timeout=0.05)
    assert not ended.is_set()
    going_on.set()
    assert ended.wait(PATIENCE)


def test_a_question_says_what_it_found_out_by_its_deadline() -> None:
    def work() -> None:
        try:
            while True:
                check()
        except EndedError:
            raise ValueError("at least 7") from None

    with pytest.raises(ValueError, match="at least 7"):
        answer(work, Deadline(timeout=0.01))


def test_without_threads_the_caller_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_HAS_THREADS", False)
    assert answer(threading.current_thread, Deadline(timeout=PATIENCE)) is threading.current_thread()
    with pytest.raises(EndedError):
        answer(check, Deadline(timeout=0))


ENDING = """
import itertools, threading, time
from cubesolve.runtime import deadline
from cubesolve.search import limits

begun = threading.Event()

def work():
    begun.set()
    try:
        for _ in itertools.count():
            deadline.check()
            time.sleep(0.01)
    finally:
        time.sleep(0.1)
        print("mended", flush=True)

asking = threading.Thread(target=lambda: limits.answer(work, deadline.Deadline(timeout=600)), daemon=True)
asking.start()
begun.wait()
print("ended", flush=True)
"""


def test_a_question_mends_what_it_did_when_the_process_ends() -> None:
    result = run_python(ENDING, fresh=True)
    assert (result.returncode, result.stdout) == (0, "ended\nmended\n")


# -- Threads -----------------------------------------------------------------------------------------------------------


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


def test_a_search_has_a_thread_a_part_if_it_has_time_and_the_system_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is looked at before and while threads start."""
    stopped, parts, gate = threading.Event(), iter(range(5)), threading.Barrier(5)

    def work() -> None:
        gate.wait(PATIENCE)
        next(parts)

    with monkeypatch.context() as patch:
        started = count_threads(patch)
        run_watched(work, 5, MOST_WORKERS, Mock(), Deadline())
        assert (len(started), list(parts)) == (5, [])
        started.clear()
        with pytest.raises(EndedError):
            run_watched(Mock(), 10**6, MOST_WORKERS, stopped.set, Deadline(0))
        assert (len(started), stopped.is_set()) == (0, True)
        stopped.clear()
        with pytest.raises(EndedError):
            run_watched(stopped.wait, 10**6, MOST_WORKERS, stopped.set, cancelled_after(3))  # type: ignore[arg-type]
        assert len(started) == 3
        stopped.clear()
    started = count_threads(monkeypatch, most=3)
    run_watched(lambda: time.sleep(0.1), 100, 100, stopped.set, Deadline())
    assert (len(started), stopped.is_set()) == (3, False)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        run_watched(Mock(), 100, 100, stopped.set, Deadline())


# -- Work that several questions share ---------------------------------------------------------------------------------


class Steps:
    """Work in steps, each of which begins when a test allows it."""

    def __init__(self, number: int, allowed: int = 0) -> None:
        self.number, self.done, self.begun = number, 0, 0
        self.has_begun, self.allowed = threading.Event(), threading.Semaphore(allowed)

    def __call__(self) -> int:
        self.begun += 1
        self.has_begun.set()
        for _ in range(self.number):
            self.allowed.acquire()
            check()
            self.done += 1
        return self.done


def in_thread(function: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=function)
    thread.start()
    return thread


def test_work_is_done_once_for_all_who_wait() -> None:
    steps, found = Steps(2), list[int]()
    prepared = Prepared(steps)
    threads = [in_thread(lambda: found.append(prepared.result())) for _ in range(3)]
    steps.allowed.release(2)
    for thread in threads:
        thread.join(PATIENCE)
    assert (found, steps.begun) == ([2, 2, 2], 1)


def test_work_ends_with_its_question_or_fails_and_starts_again() -> None:
    steps = Steps(3, allowed=6)
    prepared = Prepared(steps)
    with running(cancelled_after(3)), pytest.raises(EndedError):
        prepared.result()
    assert (steps.done, prepared.is_made) == (2, False)
    with running(Deadline(timeout=600)):
        assert prepared.result() == 5
    assert prepared.is_made
    with running(Deadline(timeout=0)):
        assert prepared.result() == 5
    prepared = Prepared(Mock(side_effect=[SearchLimitError(9, "in 8 moves"), 7]))
    with pytest.raises(SearchLimitError, match="in 8 moves"):  # a limit of the work itself
        prepared.result()
    assert prepared.result() == 7


def test_who_waits_leaves_at_its_own_deadline_and_takes_over() -> None:
    steps, cancel, found = Steps(1), threading.Event(), list[object]()
    prepared = Prepared(steps)

    def ask() -> None:
        try:
            with running(Deadline(cancel=cancel)):
                found.append(prepared.result())
        except EndedError as end:
            found.append(end.limit)

    first = in_thread(ask)
    assert steps.has_begun.wait(PATIENCE)
    with pytest.raises(EndedError, match=r"after 0\.01 s"), running(Deadline(timeout=0.01)):
        prepared.result()
    second = in_thread(lambda: found.append(prepared.result()))
    cancel.set()
    steps.allowed.release(2)
    first.join(PATIENCE)
    second.join(PATIENCE)
    assert (found, steps.begun) == (["before it was cancelled", 1], 2)


def test_what_is_proved_during_preparation_is_not_about_the_question() -> None:
    over = threading.Event()

    def work() -> None:
        current().known.solution = "R U"
        with proving(9):
            over.set()
            check()

    def ask() -> None:
        with proving(3):
            Prepared(work).result()

    with pytest.raises(SearchLimitError) as caught:
        within_limits(ask, cancel=over)
    assert (caught.value.at_least, caught.value.solution) == (3, None)


def test_results_are_kept_and_the_oldest_is_forgotten() -> None:
    made: list[int] = []

    @cached(2)
    def square(number: int) -> int:
        made.append(number)
        return number * number

    assert [square(1), square(2), square(1), square(3), square(2)] == [1, 4, 1, 9, 4]
    assert made == [1, 2, 3, 2]
    assert square.has(3)
    assert not square.has(1)
    square.cache_clear()
    assert not square.has(3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_is_forked_begins_anew() -> None:
    steps = Steps(1)
    prepared = Prepared(steps)
    thread = in_thread(prepared.result)
    assert steps.has_begun.wait(PATIENCE)
    child = os.fork()
    if not child:
        steps.allowed.release()
        os._exit(prepared.result())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    steps.allowed.release()
    thread.join(PATIENCE)

from __future__ import annotations

import threading

import pytest

from cubesolve.runtime import deadline as deadlines
from cubesolve.runtime.deadline import Deadline, EndedError, answer, check, current, running
from cubesolve.runtime.workers import Workers
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


def test_a_deadline_within_another_ends_with_it() -> None:
    event = threading.Event()
    outer = Deadline(cancel=event)
    inner = Deadline(timeout=600, within=outer)
    assert 0 < inner.left() <= 600
    assert inner.is_limited
    event.set()
    with pytest.raises(EndedError, match="before it was cancelled"):
        inner.left()


def test_a_deadline_within_another_does_not_end_it() -> None:
    outer = Deadline(timeout=600)
    with pytest.raises(EndedError, match="after 0 s"):
        Deadline(timeout=0, within=outer).left()
    assert outer.left() > 0


def test_a_deadline_that_is_over() -> None:
    deadline = Deadline(timeout=600)
    deadline.end()
    with pytest.raises(EndedError):
        deadline.left()


def test_the_current_deadline_is_that_of_the_innermost_block() -> None:
    assert not current().is_limited
    with running(Deadline(timeout=600)) as outer:
        with running(Deadline(timeout=0)), pytest.raises(EndedError):
            check()
        assert current() is outer
        check()
    assert not current().is_limited


def test_each_thread_has_its_own_deadline() -> None:
    found: list[Deadline] = []
    with running(Deadline(timeout=0)):
        thread = threading.Thread(target=lambda: found.append(current()))
        thread.start()
        thread.join()
    assert not found[0].is_limited


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
def test_workers_end_between_two_parts(workers: int) -> None:
    done: list[int] = []

    def task(first: int, last: int) -> int:
        done.append(last - first)
        return 0

    with running(cancelled_after(5)), Workers(1 << 20, workers, 16) as pool, pytest.raises(EndedError):
        pool.run(task)
    assert 1 <= len(done) <= 6 * (workers + 1)  # that many are under way between two looks


def test_what_a_worker_raises_under_a_deadline() -> None:
    def task(first: int, _: int) -> int:
        if first:
            raise KeyError(first)
        return 0

    with running(Deadline(timeout=600)), Workers(100, 2) as pool, pytest.raises(KeyError):
        pool.run(task)


# -- Questions ---------------------------------------------------------------------------------------------------------


def test_a_question_comes_back_while_its_work_looks_at_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "_PATIENCE", 0.01)
    going_on, ended = threading.Event(), threading.Event()

    def work() -> None:
        going_on.wait(PATIENCE)
        try:
            check()
        except EndedError:
            ended.set()
            raise

    with pytest.raises(EndedError, match=r"after 0\.01 s"):
        answer(work, Deadline(timeout=0.01))
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


def test_a_question_is_answered_by_a_thread() -> None:
    thread = answer(threading.current_thread, Deadline(timeout=PATIENCE))
    assert thread is not threading.current_thread()


def test_without_threads_the_caller_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "_HAS_THREADS", False)
    assert answer(threading.current_thread, Deadline(timeout=PATIENCE)) is threading.current_thread()
    with pytest.raises(EndedError):
        answer(check, Deadline(timeout=0))


ENDING = """
import itertools, threading, time
from cubesolve.runtime import deadline

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

asking = threading.Thread(target=lambda: deadline.answer(work, deadline.Deadline(timeout=600)), daemon=True)
asking.start()
begun.wait()
print("ended", flush=True)
"""


def test_a_question_mends_what_it_did_when_the_process_ends() -> None:
    result = run_python(ENDING, fresh=True)
    assert (result.returncode, result.stdout) == (0, "ended\nmended\n")

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable

import pytest

from cubesolve.errors import SearchLimitError
from cubesolve.runtime import deadline
from cubesolve.runtime.deadline import Deadline, EndedError, answer, check, current, running
from cubesolve.runtime.prepared import Prepared, cached
from cubesolve.search.limits import proving, within_limits
from tests.patience import PATIENCE
from tests.test_deadline import cancelled_after


class Steps:
    """Work in steps, each of which begins when a test allows it."""

    def __init__(self, number: int) -> None:
        self.number, self.done, self.begun = number, 0, 0
        self.has_begun, self.allowed = threading.Event(), threading.Semaphore(0)

    def __call__(self) -> int:
        self.begun += 1
        self.has_begun.set()
        for _ in range(self.number):
            self.allowed.acquire()
            check()
            self.done += 1
        return self.done

    def allow(self, steps: int) -> None:
        for _ in range(steps):
            self.allowed.release()


def in_thread(function: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=function)
    thread.start()
    return thread


def test_work_is_done_once_for_all_who_wait() -> None:
    steps = Steps(2)
    prepared = Prepared(steps)
    found: list[int] = []
    threads = [in_thread(lambda: found.append(prepared.result())) for _ in range(3)]
    steps.allow(2)
    for thread in threads:
        thread.join(PATIENCE)
    assert found == [2, 2, 2]
    assert steps.begun == 1


def test_work_ends_with_its_question_and_starts_again() -> None:
    steps = Steps(3)
    prepared = Prepared(steps)
    steps.allow(6)
    with running(cancelled_after(3)), pytest.raises(EndedError):
        prepared.result()
    assert (steps.done, prepared.is_made) == (2, False)
    steps.done = 0
    assert prepared.result() == 3
    assert prepared.is_made
    with running(Deadline(timeout=0)):
        assert prepared.result() == 3


def test_who_waits_leaves_at_its_own_deadline_and_takes_over() -> None:
    steps = Steps(1)
    prepared = Prepared(steps)
    cancel, found = threading.Event(), list[object]()

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
    steps.allow(2)
    first.join(PATIENCE)
    second.join(PATIENCE)
    assert (found, steps.begun) == (["before it was cancelled", 1], 2)


def test_work_goes_on_in_the_thread_of_a_question_until_it_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a question has prepared by then is not lost."""
    monkeypatch.setattr(deadline, "_PATIENCE", 0.01)
    allowed = threading.Event()
    prepared = Prepared(lambda: allowed.wait(PATIENCE))
    with pytest.raises(EndedError):
        answer(prepared.result, Deadline(timeout=0.01))
    allowed.set()
    assert prepared.result()


def test_what_failed_begins_anew() -> None:
    attempts = itertools.count()

    def work() -> int:
        if next(attempts) == 0:
            raise ValueError("no")
        return 7

    prepared = Prepared(work)
    with pytest.raises(ValueError, match="no"):
        prepared.result()
    assert prepared.result() == 7


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


def test_a_limit_of_the_work_itself_is_reported() -> None:
    def work() -> None:
        raise SearchLimitError(9, "in 8 moves")

    with pytest.raises(SearchLimitError, match="in 8 moves"), running(Deadline(timeout=PATIENCE)):
        Prepared(work).result()


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
        steps.allow(1)
        os._exit(prepared.result())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    steps.allow(1)
    thread.join(PATIENCE)


def test_the_thread_that_asks_does_the_work() -> None:
    assert Prepared(threading.current_thread).result() is threading.current_thread()
    with running(Deadline(timeout=PATIENCE)):
        assert Prepared(threading.current_thread).result() is threading.current_thread()

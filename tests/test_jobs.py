from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator

import pytest

from cubesolve.runtime import jobs
from cubesolve.runtime.deadline import Deadline, EndedError, check, running
from cubesolve.runtime.jobs import MOST_PAUSED, Job, answer, kept
from tests.patience import PATIENCE
from tests.processes import run_python
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


@pytest.fixture
def paused() -> Iterator[Callable[[Job[int]], None]]:
    """Wait until a job has stopped."""

    def wait(job: Job[int]) -> None:
        for _ in range(PATIENCE * 100):
            if job in jobs._paused:
                return
            threading.Event().wait(0.01)
        raise AssertionError("it goes on")

    yield wait
    for job in list(jobs._paused):
        job.give_up()


def ask(job: Job[int], looks: int = 0) -> None:
    with running(cancelled_after(looks)), pytest.raises(EndedError):
        job.result()


def test_work_pauses_and_the_next_question_goes_on_with_it(paused: Callable[[Job[int]], None]) -> None:
    steps = Steps(5)
    job = Job(steps)
    ask(job, 1)
    steps.allow(1)
    paused(job)
    assert steps.done == 0
    ask(job, 1)
    steps.allow(4)
    assert job.result() == 5
    assert steps.begun == 1
    assert job.is_done
    assert job not in jobs._paused


def test_work_is_done_once_for_all_who_wait() -> None:
    steps = Steps(2)
    job = Job(steps)
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(job.result())) for _ in range(3)]
    for thread in threads:
        thread.start()
    steps.allow(2)
    for thread in threads:
        thread.join(PATIENCE)
    assert found == [2, 2, 2]
    assert steps.begun == 1


def test_the_oldest_of_too_many_that_stand_still_is_given_up(paused: Callable[[Job[int]], None]) -> None:
    works = [Steps(1) for _ in range(MOST_PAUSED + 1)]
    made = [Job(work) for work in works]
    for job, work in zip(made, works, strict=True):
        ask(job, 1)
        work.allow(1)
        paused(job)
    assert sum(job in jobs._paused for job in made) <= MOST_PAUSED + 1
    works[0].allow(1)
    assert made[0].result() == 1
    assert works[0].begun == 2
    assert [job.result() for job in made[1:]] == [1] * MOST_PAUSED
    assert [work.begun for work in works[1:]] == [1] * MOST_PAUSED


def test_what_failed_begins_anew() -> None:
    attempts = itertools.count()

    def work() -> int:
        if next(attempts) == 0:
            raise ValueError("no")
        return 7

    job = Job(work)
    with pytest.raises(ValueError, match="no"):
        job.result()
    assert job.result() == 7


def test_jobs_within_jobs_stand_still_together(paused: Callable[[Job[int]], None]) -> None:
    steps = Steps(3)
    inner = Job(steps)
    outer = Job(lambda: inner.result() + 1)
    with running(Deadline(cancel=steps.has_begun)), pytest.raises(EndedError):
        outer.result()
    paused(outer)
    steps.allow(1)
    paused(inner)
    steps.allow(2)
    assert outer.result() == 4


def test_a_question_comes_back_while_its_work_looks_at_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_PATIENCE", 0.01)
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


def test_results_are_kept_and_the_oldest_is_forgotten() -> None:
    made: list[int] = []

    @kept(2)
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
def test_a_child_that_is_forked_begins_anew(paused: Callable[[Job[int]], None]) -> None:
    steps = Steps(1)
    job = Job(steps)
    ask(job, 1)
    steps.allow(1)
    paused(job)
    child = os.fork()
    if not child:
        steps.allow(2)
        os._exit(job.result())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_without_a_deadline_the_thread_that_asks_does_the_work() -> None:
    assert Job(threading.current_thread).result() is threading.current_thread()
    with running(Deadline(timeout=PATIENCE)):
        assert Job(threading.current_thread).result() is not threading.current_thread()


ENDING = """
import itertools, time
from cubesolve.runtime.deadline import Deadline, EndedError, check, running
from cubesolve.runtime.jobs import Job

def work():
    try:
        for _ in itertools.count():
            check()
            time.sleep(0.01)
    finally:
        print("mended", flush=True)

job = Job(work)
try:
    with running(Deadline(timeout=0.05)):
        job.result()
except EndedError:
    print("ended", flush=True)
"""


def test_work_that_is_under_way_mends_what_it_did_when_the_process_ends() -> None:
    result = run_python(ENDING, fresh=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "ended\nmended\n", "")


def test_without_threads_the_caller_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_HAS_THREADS", False)
    here = threading.current_thread()
    shared = Job(threading.current_thread)
    assert answer(lambda: (threading.current_thread(), shared.result()), Deadline(timeout=PATIENCE)) == (here, here)
    with pytest.raises(EndedError):
        answer(check, Deadline(timeout=0))

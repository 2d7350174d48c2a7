from __future__ import annotations

import threading

import pytest

from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.runtime.workers import Workers


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

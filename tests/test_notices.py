"""Progress of long work is counted to its end."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cubesolve.encodings.mod3_proof import find_mod3_fault
from cubesolve.judge.generating import generate
from cubesolve.lookup.building import build_table, verify_table
from cubesolve.runtime import notices
from cubesolve.solvers import expected
from cubesolve.spaces.space import StateSpace


class CountingBar:
    """A bar that counts."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, int]] = []
        self.steps: list[int] = []
        self.ended = 0

    @contextlib.contextmanager
    def __call__(self, what: str, steps: int) -> Iterator[CountingBar]:
        self.begun.append((what, steps))
        self.steps.append(0)
        try:
            yield self
        finally:
            self.ended += 1

    def update(self, steps: int, /) -> None:
        self.steps[-1] += steps


@pytest.fixture
def bar(monkeypatch: pytest.MonkeyPatch) -> CountingBar:
    made = CountingBar()
    monkeypatch.setattr(notices, "_BARS", [made])
    monkeypatch.setattr(notices, "_DELAY", -1)
    return made


def test_threads_that_advance_together_are_counted(bar: CountingBar) -> None:
    with notices.following("proving", 4000) as advance:
        threads = [threading.Thread(target=lambda: [advance(1) for _ in range(1000)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (bar.begun, bar.steps, bar.ended) == ([("proving", 4000)], [4000], 1)


def test_a_bar_is_ended_by_an_error_and_is_not_begun_for_what_takes_no_time(
    bar: CountingBar, monkeypatch: pytest.MonkeyPatch
) -> None:
    for delay in (-1, 1000):
        monkeypatch.setattr(notices, "_DELAY", delay)
        with contextlib.suppress(KeyboardInterrupt), notices.following("writing", 2) as advance:
            advance(1)
            raise KeyboardInterrupt
        assert (bar.begun, bar.steps, bar.ended) == ([("writing", 2)], [1], 1)


@pytest.mark.parametrize("name", ["ivy-htm", "rolling-edge-patterns"])
def test_tables_are_followed_to_the_end(bar: CountingBar, tmp_path: Path, name: str) -> None:
    build_table(name, tmp_path)
    verify_table(name, tmp_path)
    assert {what for what, _ in bar.begun} == {"proving", "writing", "reading"}
    for (what, steps), done in zip(bar.begun, bar.steps, strict=True):
        assert done >= steps
        assert what == "writing" or done == steps


def test_proofs_of_two_bits_an_entry_are_followed_to_the_end(bar: CountingBar) -> None:
    ring = StateSpace(
        np.array([[1, 2, 3, 0], [3, 0, 1, 2]]), np.zeros((2, 4), np.int32), np.array([[0]], np.uint32), mutual=True
    )
    assert find_mod3_fault(ring, np.array([0b01_10_01_00, *[255] * 7], np.uint8))[0] is None
    assert (bar.begun, bar.steps) == ([("proving", 4)], [4])


def test_test_data_are_followed_to_the_end(bar: CountingBar) -> None:
    data = generate("uva-11007", 20, seed=1)
    cases = sum(part.cases for part in data.parts)
    assert (bar.begun[-1], bar.steps[-1]) == (("answering", cases), cases)  # the table may be read before


def test_estimates_leave_out_the_time_in_which_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    said, times = list[str](), iter([0, 0, 60, 70, 90, 120])
    monkeypatch.setattr("cubesolve.solvers.expected.time.monotonic", lambda: next(times))
    monkeypatch.setattr(expected, "announce", said.append)
    estimate = expected.Estimate(1000)
    for total in (1, 100, 200, 400, 1000):
        estimate(0, 0, total)
    assert said == ["40% of 1,000 states are counted; the others take 1.0 minutes at this pace"]

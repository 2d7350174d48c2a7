"""What takes a while is answered by other threads: a bounded number at once, and a bounded number waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from cubesolve.lookup.limits import SearchOptions
from cubesolve.web.searches import BusyError, GoneError, LateError, Searches


@pytest.fixture
def searches() -> Iterator[Searches]:
    made = Searches(at_once=1, waiting=1)
    yield made
    made.close()


class Work:
    """What goes on until it is told to end."""

    def __init__(self) -> None:
        self.begun, self.end = threading.Event(), threading.Event()
        self.limits = SearchOptions()

    def __call__(self, limits: SearchOptions) -> str:
        self.limits = limits
        self.begun.set()
        assert self.end.wait(60)
        return "done"


async def never() -> None:
    await asyncio.Event().wait()


async def begun(work: Work) -> None:
    while not work.begun.is_set():
        await asyncio.sleep(0.001)


def test_one_is_answered_while_another_waits_and_more_are_refused(searches: Searches) -> None:
    async def ask() -> None:
        first, second = Work(), Work()
        answers = [asyncio.ensure_future(searches.run(work, 60, never)) for work in (first, second)]
        await begun(first)
        assert (searches.open, second.begun.is_set()) == (2, False)
        with pytest.raises(BusyError, match="busy: 2 searches are under way or wait") as busy:
            await searches.run(Work(), 60, never)
        assert busy.value.after == 30
        first.end.set()
        second.end.set()
        assert await asyncio.gather(*answers) == ["done", "done"]
        assert first.limits["workers"] == 1
        assert 50 < (first.limits["timeout"] or 0) <= 60
        while searches.open:
            await asyncio.sleep(0.001)

    asyncio.run(ask())


def test_who_goes_away_ends_the_search(searches: Searches) -> None:
    async def ask() -> None:
        work, left = Work(), asyncio.Event()

        async def gone() -> None:
            await left.wait()

        answer = asyncio.ensure_future(searches.run(work, 60, gone))
        await begun(work)
        left.set()
        with pytest.raises(GoneError):
            await answer
        cancel = work.limits["cancel"]
        assert cancel is not None
        assert cancel.is_set()
        assert searches.open == 1  # its thread has not noticed
        work.end.set()
        while searches.open:
            await asyncio.sleep(0.001)

    asyncio.run(ask())


def test_what_is_not_answered_in_time(searches: Searches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubesolve.web.searches._GRACE", 0)

    async def ask() -> None:
        work, other = Work(), Work()
        late = asyncio.ensure_future(searches.run(work, 0.2, never))
        await begun(work)
        with pytest.raises(BusyError, match=r"not begun with within 0.01 s"):
            await searches.run(other, 0.01, never)
        with pytest.raises(LateError, match=r"not answered within 0.2 s"):
            await late
        work.end.set()
        assert not other.begun.is_set()

    asyncio.run(ask())


def test_errors_come_back(searches: Searches) -> None:
    def wrong(_limits: SearchOptions) -> Any:
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        asyncio.run(searches.run(wrong, 60, never))

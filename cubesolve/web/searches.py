"""Questions that take a while: processes answer a bounded number at once, and a bounded number waits.

A process can be ended whatever it does. So it is when its time is over, when the client that asked has gone, and when
the server ends; another one takes its place.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NamedTuple, TypeVar

Found = TypeVar("Found")
Gone = Callable[[], Coroutine[Any, Any, None]]
"""Returns as soon as the client has gone."""

_GRACE = 0.5  # seconds that a search has to notice that its time is over
_AGAIN = 1.0  # seconds until a process that could not begin is started once more
_LONGEST_ANSWER = 1 << 26  # bytes
_COMMAND = (sys.executable, "-P", "-m", "cubesolve.web.worker")


class Answered(NamedTuple):
    """An answer.

    Attributes:
        status: the HTTP status.
        at_once: whether the same question about another state would be answered at once.
        content: JSON.
    """

    status: int
    at_once: bool
    content: bytes


class UnansweredError(Exception):
    """A question has no answer.

    Attributes:
        status: the HTTP status.
        after: the seconds after which to ask again, where that may help.
    """

    status = 504

    def __init__(self, message: str = "", after: int | None = None) -> None:
        super().__init__(message)
        self.after = after


class BusyError(UnansweredError):
    """The question was not started: too many wait, it waited too long, or the server ends."""

    status = 503


class LateError(UnansweredError):
    """The question was started, and not answered in time."""


class GoneError(UnansweredError):
    """The client does not wait for the answer."""


class DiedError(UnansweredError):
    """The process that was to answer has ended."""

    status = 503


class Searches:
    """Processes that answer questions.

    Each has one thread for a search: several searches share the processors, and none takes all of them.

    Attributes:
        open: how many questions are being answered, or wait.
        running: how many are being answered.
    """

    def __init__(self, at_once: int, waiting: int, begin: Mapping[str, Any]) -> None:
        """Take the limits.

        Args:
            at_once: how many questions are answered at once, each by a process of its own.
            waiting: how many more wait.
            begin: what each process is told first; see `worker`.
        """
        self.at_once, self.most = at_once, at_once + waiting
        self.open = self.running = 0
        self._begin = json.dumps(begin).encode() + b"\n"
        self._idle = asyncio.Queue[Process]()
        self._ended = asyncio.Event()
        self._kept: list[asyncio.Task[None]] = []

    @property
    def waiting(self) -> int:
        """How many questions wait."""
        return self.open - self.running

    def start(self) -> None:
        """Start the processes."""
        self._kept = [asyncio.ensure_future(self._keep()) for _ in range(self.at_once)]

    async def close(self) -> None:
        """End the processes; what is asked has no answer any more."""
        self._ended.set()
        for task in self._kept:
            task.cancel()
        await asyncio.gather(*self._kept, return_exceptions=True)

    async def _keep(self) -> None:
        """Start a process, and another one whenever it has ended."""
        while True:
            try:
                process = await _started()
            except OSError:  # there is no room for it now
                await asyncio.sleep(_AGAIN)
                continue
            try:
                if await _exchanged(process, self._begin):
                    self._idle.put_nowait(process)
                    await process.wait()
                else:
                    await asyncio.sleep(_AGAIN)
            finally:
                kill(process)
                await asyncio.shield(process.wait())

    async def ask(self, question: Mapping[str, Any], seconds: float, gone: Gone, most: float = math.inf) -> Answered:
        """Answer a question.

        Args:
            question: see `worker`; the seconds that are left for it are added.
            seconds: the time that waiting and answering may take together.
            gone: returns as soon as the client has gone.
            most: the seconds after which to give up waiting, and to end the process, although the question may take
                longer.

        Raises:
            UnansweredError: there is no answer.
        """
        if self.open >= self.most or self._ended.is_set():
            raise self._busy(f"busy: {self.open} searches are under way or wait", seconds)
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        self.open += 1
        ends = [asyncio.ensure_future(gone()), asyncio.ensure_future(self._ended.wait())]
        try:
            process = await self._first(self._idle_process(), ends, min(seconds, most))
            if process is None:
                raise self._busy(f"busy: not started within {seconds:g} s", seconds)
            left = max(0.0, until - loop.time())
            answered = await self._answered(process, {**question, "seconds": left}, ends, min(left + _GRACE, most))
            if answered is None:
                raise LateError(f"not answered within {seconds:g} s")
            return answered
        finally:
            self.open -= 1
            for task in ends:
                task.cancel()

    async def _answered(
        self, process: Process, question: Mapping[str, Any], ends: list[asyncio.Task[Any]], seconds: float
    ) -> Answered | None:
        self.running += 1
        line = None
        try:
            asked = json.dumps(question).encode() + b"\n"
            line = await self._first(_exchanged(process, asked), ends, seconds)
            if line is None:
                return None
            if not line.endswith(b"\n"):
                raise DiedError("the process that was to answer has ended; ask again", after=1)
            status, at_once, content = line.rstrip(b"\n").split(b" ", 2)
            return Answered(int(status), at_once == b"1", content)
        finally:
            self.running -= 1
            if line and line.endswith(b"\n"):
                self._idle.put_nowait(process)
            else:
                kill(process)

    async def _idle_process(self) -> Process:
        while True:
            process = await self._idle.get()
            if process.returncode is None:
                return process

    async def _first(
        self, work: Coroutine[Any, Any, Found], ends: list[asyncio.Task[Any]], seconds: float
    ) -> Found | None:
        """What is awaited; None if that takes too long.

        Raises:
            UnansweredError: the client has gone, or the server ends.
        """
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task, *ends}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            if self._ended.is_set():
                raise BusyError("the server is ending")
            if ends[0].done():
                raise GoneError
            return None
        finally:
            task.cancel()

    def _busy(self, words: str, seconds: float) -> BusyError:
        if self._ended.is_set():
            return BusyError("the server is ending")
        return BusyError(words, after=max(1, round(seconds / 2)))


async def _started() -> Process:
    return await asyncio.create_subprocess_exec(
        *_COMMAND,
        stdin=PIPE,
        stdout=PIPE,
        limit=_LONGEST_ANSWER,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=True,  # Ctrl-C at a terminal is not for it
    )


async def _exchanged(process: Process, line: bytes) -> bytes:
    """What a process answers to a line; nothing if it has ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):  # it has ended, or the answer is too long
        process.stdin.write(line)
        await process.stdin.drain()
        return await process.stdout.readline()
    return b""


def kill(process: Process) -> None:
    """End a process."""
    with contextlib.suppress(ProcessLookupError):
        process.kill()

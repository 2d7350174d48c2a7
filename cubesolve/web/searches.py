"""Worker processes for long questions: a limited number runs at once, and a limited number waits.

A question ends at its time limit, and when its client disconnects. A process that does not drop it then is killed, as
all are when the server shuts down. Another one replaces it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NamedTuple

from cubesolve.runtime.deadline import written_seconds

Gone = Callable[[], Coroutine[Any, Any, None]]  # returns when the client disconnects

_GRACE = 0.5  # seconds after its time limit in which a search can still answer
_AGAIN = 1.0  # seconds before a second attempt to start a process
_LONGEST_ANSWER = 1 << 26  # bytes
_COMMAND = (sys.executable, "-P", "-m", "cubesolve.web.worker")
MORE = 102  # the status of an answer that is not the last one

_SHUTTING_DOWN = "the server is shutting down"


class Answered(NamedTuple):
    """An answer."""

    status: int  # the HTTP status
    at_once: bool  # whether the same question about another state will be answered at once
    content: bytes  # JSON


class UnansweredError(Exception):
    """A question has no answer."""

    status = 504  # of HTTP

    def __init__(self, message: str = "", after: int | None = None) -> None:
        super().__init__(message)
        self.after = after  # the seconds after which a retry may succeed; None if it will not


class BusyError(UnansweredError):
    """The question was not started: too many are waiting, it waited too long, or the server is shutting down."""

    status = 503


class LateError(UnansweredError):
    """The question was started, and not answered in time."""


class GoneError(UnansweredError):
    """The client has disconnected."""


class DiedError(UnansweredError):
    """The worker process has died."""

    status = 503


class Searches:
    """Worker processes that answer questions."""

    def __init__(self, at_once: int, waiting: int, begin: Mapping[str, object]) -> None:
        self.at_once, self.most = at_once, at_once + waiting
        self.running = 0  # the number of questions that have a process
        self._begin = json.dumps(begin).encode() + b"\n"
        self._ready, self._idle = set[Process](), deque[Process]()
        self._number_idle = asyncio.Semaphore(0)  # including those that have died since
        self._is_ready, self._is_over = asyncio.Event(), False
        self._kept: list[asyncio.Task[None]] = []
        self._asked, self._dropped = set[asyncio.Task[Answered]](), set[asyncio.Task[None]]()

    @property
    def open(self) -> int:
        """The number of questions that are running or waiting."""
        return len(self._asked)

    @property
    def waiting(self) -> int:
        return self.open - self.running

    @property
    def idle(self) -> int:
        return sum(process.returncode is None for process in self._idle)

    @property
    def busy(self) -> int:
        """The number of processes that answer a question, or drop one."""
        return self.running + len(self._dropped)

    @property
    def lost(self) -> int:
        """The number of processes that wait, but get no questions; 0 unless there is a defect."""
        return sum(process.returncode is None for process in self._ready) - self.idle - self.busy

    def start(self) -> None:
        self._kept = [asyncio.ensure_future(self._keep()) for _ in range(self.at_once)]

    async def ready(self, seconds: float) -> None:
        """Wait until the first process can answer, for at most a number of seconds."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._is_ready.wait(), seconds)

    async def close(self) -> None:
        """Kill the processes; questions without an answer raise `BusyError`."""
        self._is_over = True
        for task in (*self._asked, *self._kept):
            task.cancel()
        await asyncio.gather(*self._kept, return_exceptions=True)

    async def _keep(self) -> None:
        while True:
            try:
                process = await _started()
            except OSError:  # a limit of the system is reached
                await asyncio.sleep(_AGAIN)
                continue
            try:
                if await _exchanged(process, self._begin):
                    self._is_ready.set()
                    self._ready.add(process)
                    self._put_back(process)
                    await process.wait()
                else:
                    await asyncio.sleep(_AGAIN)
            finally:
                self._kill(process)
                await asyncio.shield(process.wait())

    async def ask(
        self,
        question: Mapping[str, Any],  # see `worker`; the time left is added
        seconds: float,  # the time limit, including the wait
        gone: Gone,
        most: float = math.inf,  # the time after which to kill the process, if less than the limit of the question
        heard: Callable[[Answered], object] = bool,  # called with each answer before the last one
    ) -> Answered:
        if self.open >= self.most or self._is_over:
            raise self._busy(f"busy: {self.open} searches are running or waiting", seconds)
        left, asked = asyncio.ensure_future(gone()), asyncio.ensure_future(self._ask(question, seconds, most, heard))
        self._asked.add(asked)
        asked.add_done_callback(self._asked.discard)
        try:
            await asyncio.wait({asked, left}, return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                raise GoneError
            if asked.cancelled():
                raise BusyError(_SHUTTING_DOWN)
            return asked.result()
        finally:
            left.cancel()
            asked.cancel()
            await asyncio.wait({asked})  # until it has released its process

    async def _ask(
        self, question: Mapping[str, Any], seconds: float, most: float, heard: Callable[[Answered], object]
    ) -> Answered:
        until = time.monotonic() + seconds
        try:
            async with asyncio.timeout(min(seconds, most)):
                process = await self._taken()
        except TimeoutError:
            raise self._busy(f"busy: not started within {written_seconds(seconds)}", seconds) from None
        left, answered = max(0.0, until - time.monotonic()), None
        try:
            async with asyncio.timeout(min(left + _GRACE, most)):
                answered = await _answered(process, {**question, "seconds": left}, heard)
                return answered
        except TimeoutError:
            raise LateError(f"not answered within {written_seconds(seconds)}") from None
        except DiedError:
            self._kill(process)
            raise
        finally:
            self.running -= 1
            if answered:
                self._put_back(process)
            elif process in self._ready and not self._is_over:
                task = asyncio.ensure_future(self._reclaim(process))
                self._dropped.add(task)
                task.add_done_callback(self._dropped.discard)

    async def _taken(self) -> Process:
        """Take an idle process, as soon as there is one."""
        while True:
            await self._number_idle.acquire()
            process = self._idle.popleft()
            if process.returncode is None:
                self.running += 1
                return process

    async def _reclaim(self, process: Process) -> None:
        """Make a process drop its question and keep its open tables; kill it if that takes too long."""
        with contextlib.suppress(TimeoutError, DiedError):
            async with asyncio.timeout(_GRACE):
                await _answered(process, None, bool)
            self._put_back(process)
            return
        self._kill(process)

    def _kill(self, process: Process) -> None:
        self._ready.discard(process)
        with contextlib.suppress(ProcessLookupError):
            process.kill()

    def _put_back(self, process: Process) -> None:
        self._idle.append(process)
        self._number_idle.release()

    def _busy(self, words: str, seconds: float) -> BusyError:
        if self._is_over:
            return BusyError(_SHUTTING_DOWN)
        return BusyError(words, after=max(1, round(seconds / 2)))


async def _started() -> Process:
    return await asyncio.create_subprocess_exec(
        *_COMMAND,
        stdin=PIPE,
        stdout=PIPE,
        limit=_LONGEST_ANSWER,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        process_group=0,  # Ctrl-C must not reach it; between sessions, Linux would ignore its priority (autogroup)
    )


async def _answered(
    process: Process, question: Mapping[str, Any] | None, heard: Callable[[Answered], object]
) -> Answered:
    """Send a question to a process, or None to drop the last one, and return its last answer."""
    request = json.dumps(question).encode() + b"\n"
    while True:
        line = await _exchanged(process, request)
        if not line.endswith(b"\n"):
            raise DiedError("the worker process has died; try again", after=1)
        status, at_once, content = line.rstrip(b"\n").split(b" ", 2)
        answered = Answered(int(status), at_once == b"1", content)
        if answered.status != MORE:
            return answered
        heard(answered)
        request = b""


async def _exchanged(process: Process, line: bytes) -> bytes:
    """Send a line to a process, and return its answer; empty if it has died."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):  # the process has died, or its answer is too long
        process.stdin.write(line)
        await process.stdin.drain()
        return await process.stdout.readline()
    return b""

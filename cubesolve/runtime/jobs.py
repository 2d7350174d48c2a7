"""Jobs: work that a caller waits for no longer than its deadline, even between two checks of that deadline.

Under a deadline, a `Job` runs in a thread of its own. A question is such a job (`answer`): the calling thread returns
in time, and the job ends at its next `deadline.check`. Work that questions share is a job, too, but pauses instead:
while no question waits for it, it stops at its next check, keeps its results and uses no processor, and the next
question continues it. Without a deadline, the calling thread does the work itself.
"""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import functools
import math
import os
import sys
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, TypeVar, cast

from cubesolve.runtime.deadline import Deadline, EndedError, current, running
from cubesolve.runtime.locks import forks_need_not_wait

Made = TypeVar("Made")

MOST_PAUSED = 4
"""The largest number of paused jobs; beyond it the oldest is dropped, and starts anew when it is needed again."""

_PATIENCE = 0.2  # seconds after its deadline in which a question can still report a lower bound
_LOOK_EVERY = 0.1  # seconds between two checks of the deadline by a waiting caller
_GRACE = 0.05  # seconds without a waiting caller after which work pauses
_HAS_THREADS = sys.platform != "emscripten"  # in a browser, the caller does the work
_LEAVING = 0.5  # seconds that work has to end when the process exits


class Job(Generic[Made]):
    """Work that is done once.

    >>> job = Job(lambda: 6 * 7)
    >>> job.result(), job.result()
    (42, 42)
    """

    def __init__(self, work: Callable[[], Made], deadline: Deadline | None = None) -> None:
        """Take a function; it is called when its result is first needed.

        Args:
            deadline: ends the work; without one the work is shared, and pauses while no caller waits.
        """
        self._work = work
        self._name = "cubesolve job" if deadline is None else "cubesolve question"
        self._deadline, self._is_shared = deadline or _WhileWaitedFor(self), deadline is None
        self.renew()
        _jobs.add(self)

    def renew(self) -> None:
        """Return to the initial state, and drop all results."""
        self._changed = threading.Condition()
        self._waiting = 0
        self._is_limited = False
        self._reset()

    def _reset(self) -> None:
        self._thread: threading.Thread | None = None
        self._is_done = self._is_given_up = False
        self._made: Made | None = None
        self._error: BaseException | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is a result."""
        return self._is_done and self._error is None

    def result(self) -> Made:
        """Return the result of the work; wait for it as long as the current deadline allows.

        Raises:
            Exception: raised by the work; shared work starts anew at the next call.
        """
        if self.is_done:
            return cast(Made, self._made)
        deadline = current()
        if not (deadline.is_limited and _HAS_THREADS):
            self._do_here()
        while True:
            with self._changed:
                is_done, made, error = self._is_done, self._made, self._error
                if error is not None and self._is_shared:
                    self._reset()
            if error is not None:
                raise error
            if is_done:
                return cast(Made, made)
            self._wait(min(deadline.left(), _LOOK_EVERY), deadline.is_limited)

    def _do_here(self) -> None:
        """Do the work in this thread, where signals reach it, unless another thread has begun."""
        with self._changed:
            if self._thread is not None or self._is_done:
                return
            self._thread, self._is_limited = threading.current_thread(), False
            self._waiting += 1
        try:
            self._run()
        finally:
            with self._changed:
                self._waiting -= 1

    def has_ended_within(self, seconds: float) -> bool:
        """Wait for some seconds, and return whether the work has ended."""
        self._wait(seconds, self._is_limited)
        return self._is_done

    def _wait(self, seconds: float, is_limited: bool) -> None:
        with self._changed:
            self._waiting += 1
            self._is_limited = is_limited
            if self._thread is None:
                context = contextvars.copy_context()
                self._thread = threading.Thread(target=context.run, args=(self._run,), name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify_all()
            try:
                self._changed.wait_for(lambda: self._is_done or self._thread is None, seconds)
            finally:
                self._waiting -= 1

    def _run(self) -> None:
        made: Made | None = None
        error: BaseException | None = None
        try:
            with running(self._deadline):
                made = self._work()
        except BaseException as caught:  # noqa: BLE001  # raised again in the thread of the caller
            error = caught
        with self._changed:
            if self._is_given_up:
                self._reset()
            else:
                self._made, self._error, self._is_done = made, error, True
            self._changed.notify_all()

    def give_up(self) -> None:
        """Drop the work if it is paused; the next call of `result` starts anew."""
        with self._changed:
            if self._thread is not None and not self._waiting and not self._is_done:
                self._is_given_up = True
                self._changed.notify_all()

    def end(self) -> bool:
        """End the work at its next check; return whether it is running in a thread of its own."""
        with self._changed:
            is_under_way = self._thread is not None and self._thread.daemon and not self._is_done
            self._is_given_up |= is_under_way
            self._changed.notify_all()
        return is_under_way

    def join(self, seconds: float) -> None:
        """Wait for up to some seconds until no thread does the work."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_done or self._thread is None, max(0.0, seconds))

    def pause_if_alone(self) -> None:
        """Pause while no caller waits; called by the work itself."""
        with self._changed:
            if self._waiting or self._changed.wait_for(lambda: self._waiting or self._is_given_up, _GRACE):
                self._require_wanted()
                return
        with _standing_still(self), forks_need_not_wait(), self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_given_up)
            self._require_wanted()

    def _require_wanted(self) -> None:
        if self._is_given_up:
            raise EndedError("before it was needed again")

    @property
    def is_limited(self) -> bool:
        """Whether the waiting caller, or the last one, has a deadline."""
        return self._is_limited


class _WhileWaitedFor(Deadline):
    """The deadline of shared work, which pauses while no caller waits."""

    def __init__(self, job: Job[Any]) -> None:
        super().__init__()
        self._job = weakref.ref(job)  # a cycle would keep the result, which may be large, until garbage is collected

    @property
    def is_limited(self) -> bool:
        job = self._job()
        return job is not None and job.is_limited

    def left(self) -> float:
        if job := self._job():
            job.pause_if_alone()
        return math.inf


def answer(ask: Callable[[], Made], deadline: Deadline) -> Made:
    """Return the answer of a question, within a deadline.

    >>> answer(lambda: "R U", Deadline(timeout=60))
    'R U'
    """
    job = Job(ask, deadline)
    try:
        with running(deadline):
            return job.result()
    except BaseException as error:  # also Ctrl-C, which only the main thread receives
        if isinstance(error, EndedError) and job.has_ended_within(_PATIENCE):
            return job.result()
        deadline.end()
        raise


_jobs = weakref.WeakSet[Job[Any]]()
_paused = list[Job[Any]]()
_pausing = threading.Lock()


@contextlib.contextmanager
def _standing_still(job: Job[Any]) -> Iterator[None]:
    with _pausing:
        _paused.append(job)
        oldest = _paused[0] if len(_paused) > MOST_PAUSED else None
    if oldest is not None:
        oldest.give_up()
    try:
        yield
    finally:
        with _pausing:
            _paused.remove(job)


@atexit.register
def _end_all() -> None:
    """End all work when the process exits, so that no file is left half written."""
    under_way = [job for job in list(_jobs) if job.end()]
    until = time.monotonic() + _LEAVING
    for job in under_way:
        job.join(until - time.monotonic())


def _begin_anew() -> None:
    """Reset all jobs in a forked child, which has one thread only."""
    global _pausing  # noqa: PLW0603
    _pausing = threading.Lock()
    _paused.clear()
    for job in _jobs:
        if not job.is_done:
            job.renew()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_begin_anew)


class Kept(Generic[Made]):
    """A cache of the last results of a function, like `functools.lru_cache`, each made by a job."""

    def __init__(self, make: Callable[..., Made], most: int) -> None:
        """Cache a number of results of a function."""
        functools.update_wrapper(self, make)
        self._make, self._most = make, most
        self._jobs: OrderedDict[tuple[Hashable, ...], Job[Made]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, *arguments: Hashable) -> Made:
        """Return the result for some arguments."""
        with self._lock:
            job = self._jobs.get(arguments)
            if job is None:
                job = self._jobs[arguments] = Job(functools.partial(self._make, *arguments))
                if len(self._jobs) > self._most:
                    self._jobs.popitem(last=False)
            self._jobs.move_to_end(arguments)
        return job.result()

    def has(self, *arguments: Hashable) -> bool:
        """Return whether the result for some arguments is cached."""
        job = self._jobs.get(arguments)
        return job is not None and job.is_done

    def cache_clear(self) -> None:
        """Drop all results."""
        with self._lock:
            for job in self._jobs.values():
                job.give_up()
            self._jobs.clear()


def kept(most: int) -> Callable[[Callable[..., Made]], Kept[Made]]:
    """Cache the last results of a function; a call that its deadline interrupts is continued by the next one.

    >>> @kept(2)
    ... def square(number):
    ...     print("once")
    ...     return number * number
    >>> square(3), square(3)
    once
    (9, 9)
    """
    return lambda make: Kept(make, most)

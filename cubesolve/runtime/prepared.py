"""Results that questions share: each is made once, under a lock, by the first question that needs it.

Another question waits for it as long as its own deadline allows. Work that ends early, at the deadline of its question
or with an error, leaves no result; the next question starts it again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar, cast

from cubesolve.errors import SearchLimitError
from cubesolve.runtime.deadline import Deadline, check, current, running
from cubesolve.runtime.locks import thread_lock

Made = TypeVar("Made")

_LOOK_EVERY = 0.1  # seconds between two checks of the deadline by a waiting thread


class Prepared(Generic[Made]):
    """A result that is made when it is first needed."""

    def __init__(self, make: Callable[[], Made]) -> None:
        """Take the function that returns the result."""
        self._make = make
        self._lock = thread_lock()
        self._result: Made | None = None
        self.is_made = False

    def result(self) -> Made:
        """Return the result, after making it or waiting for the thread that does."""
        if not self.is_made:
            lock, deadline = self._lock, current()
            while not lock.acquire(timeout=min(deadline.left(), _LOOK_EVERY)):
                pass
            try:
                if not self.is_made:
                    self._result = _apart(self._make)
                    self.is_made = True
            finally:
                lock.release()
        return cast(Made, self._result)


def _apart(make: Callable[[], Made]) -> Made:
    """Call a function within the current deadline, to which it reports neither bounds nor solutions."""
    try:
        with running(Deadline(within=current())):
            return make()
    except SearchLimitError:
        check()  # the bound in the error is not about the state of the question
        raise


class Cached(Generic[Made]):
    """A cache of the last results of a function, like `functools.lru_cache`, each `Prepared`."""

    def __init__(self, make: Callable[..., Made], most: int) -> None:
        """Cache a number of results of a function."""
        functools.update_wrapper(self, make)
        self._make, self._most = make, most
        self._results: dict[tuple[Hashable, ...], Prepared[Made]] = {}
        self._lock = thread_lock()

    def __call__(self, *arguments: Hashable) -> Made:
        """Return the result for some arguments."""
        with self._lock:
            prepared = self._results.pop(arguments, None) or Prepared(functools.partial(self._make, *arguments))
            self._results[arguments] = prepared  # the last one
            if len(self._results) > self._most:
                del self._results[next(iter(self._results))]
        return prepared.result()

    def has(self, *arguments: Hashable) -> bool:
        """Return whether the result for some arguments is cached."""
        prepared = self._results.get(arguments)
        return prepared is not None and prepared.is_made

    def cache_clear(self) -> None:
        """Drop all results."""
        with self._lock:
            self._results.clear()


def cached(most: int) -> Callable[[Callable[..., Made]], Cached[Made]]:
    """Cache the last results of a function, which one thread at a time makes."""
    return lambda make: Cached(make, most)

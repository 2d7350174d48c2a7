"""Limits of questions: how far and how long to search."""

from __future__ import annotations

import atexit
import contextlib
import functools
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from typing import Any, ParamSpec, TypedDict, TypeVar, cast

from cubesolve.errors import SearchLimitError, TooLargeError, did_you_mean, in_moves, lacking
from cubesolve.runtime.arguments import Keywords, integer, seconds
from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.runtime.machine import half_of_memory, require_workers

Answer = TypeVar("Answer")
Given = ParamSpec("Given")

Progress = Callable[[int, int, float], None]
"""Called after each depth, and in a long search within it, with the depth, and the nodes and seconds until then."""

MEMORY = 1 << 27
"""The default limit of the tables of a search, in bytes; such tables are made within seconds."""

_EVERY = 2.0  # seconds between two reports within a depth
_PATIENCE = 0.2  # seconds after its deadline in which a question can still report a lower bound
_LOOK_EVERY = 0.1  # seconds between two checks of the deadline by a waiting caller
_HAS_THREADS = sys.platform != "emscripten"  # in a browser, the caller does the work
_LEAVING = 0.5  # seconds that questions have to end when the process exits

WITHIN_SECONDS = "within seconds (a time limit allows longer searches)"
"""The limit, in words, of a search that ends early because there is no time limit."""

LONGEST_SCRAMBLE = 500
"""The maximum number of moves of a scramble of an exact length."""


class Limits(TypedDict, total=False):
    """The limits that end a question; see `SearchOptions`."""

    timeout: float | None
    cancel: threading.Event | None


class SearchOptions(Limits, total=False):
    """Options of the search for an answer; a question that ends at a limit raises `SearchLimitError`.

    `timeout` and `cancel` end all work for a question, preparation included, within half a second; see
    `docs/search.md`. All questions that can take long have them. Answers from a table come at once.

    Attributes:
        max_depth: the largest number of moves to try.
        timeout: seconds after which to give up, counted from the question.
        workers: the number of threads.
        progress: called after each depth, and within a depth every two seconds of a search with tables, with the depth,
            and the nodes and seconds until then.
        cancel: an event that ends the question when another thread sets it.
        memory: the bytes that a search may use.
    """

    max_depth: int | None
    workers: int | None
    progress: Progress | None
    memory: int | None


NAMES = frozenset(SearchOptions.__annotations__)
"""The names of the options."""


def split(named: Keywords) -> tuple[dict[str, Any], SearchOptions]:
    """Split keywords into those of the question and those of the search.

    >>> split({"metric": "qtm", "max_depth": 3})
    ({'metric': 'qtm'}, {'max_depth': 3})
    """
    search = SearchOptions(**{name: value for name, value in named.items() if name in NAMES and value is not None})  # type: ignore[typeddict-item]
    for name, value in search.items():
        _REQUIRE[name](value)
    return {name: value for name, value in named.items() if name not in NAMES}, search


def _require_progress(given: object) -> None:
    if not callable(given):
        raise ValueError(f"progress must be a function, not of the type {type(given).__name__}")


def _require_cancel(given: object) -> None:
    if isinstance(given, type) or not callable(getattr(given, "is_set", None)):
        raise ValueError("cancel must be an event, as of threading")


_REQUIRE: Mapping[str, Callable[[Any], object]] = {
    "max_depth": functools.partial(integer, "max_depth", least=0),
    "timeout": functools.partial(seconds, "timeout"),
    "workers": require_workers,
    "progress": _require_progress,
    "cancel": _require_cancel,
    "memory": functools.partial(integer, "memory", least=0),
}


def require_room(states: int, memory: int | None = None) -> None:
    """Reject a number of states that take too much memory, with a byte each."""
    limit = half_of_memory() if memory is None else memory
    if states > limit:
        raise TooLargeError(states, limit, exact=True)


def longer_lengths(depth: int, slack: int, most: int | None) -> range:
    """Return the lengths of solutions that are up to `slack` moves longer than optimal, and at most `most`.

    >>> longer_lengths(5, 3, None), longer_lengths(5, 3, 6)
    (range(6, 9), range(6, 7))
    """
    return range(depth + 1, (depth + slack if most is None else min(depth + slack, most)) + 1)


def require_within(depth: int, search: SearchOptions) -> None:
    """Reject an answer beyond a limit."""
    limit = search.get("max_depth")
    if limit is not None and depth > limit:
        raise SearchLimitError(depth, f"in {in_moves(limit)}")


@contextlib.contextmanager
def apart(where: str = "") -> Iterator[None]:
    """Keep what is proved about other states, and solutions of these, out of the error of a limit."""
    try:
        with running(Deadline(within=current())):
            yield
    except (EndedError, SearchLimitError) as end:
        raise SearchLimitError(0, f"{end.limit}{where}") from None


def limited(ask: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Add the keywords `timeout` and `cancel` to a question; see `within_limits`.

    Other keywords are rejected where the question has `_limits`, which shows these two in its signature.

    >>> @limited
    ... def depth(state):
    ...     check()
    >>> depth("R U", timeout=0)
    Traceback (most recent call last):
        ...
    cubesolve.errors.SearchLimitError: not answered after 0 s
    """
    code = ask.__code__
    allowed = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *Limits.__annotations__}
    is_checked = "_limits" in code.co_varnames  # other questions have other keywords, or Python itself rejects these

    @functools.wraps(ask)
    def ask_within_limits(*given: Given.args, **question: Given.kwargs) -> Answer:
        if is_checked and not allowed.issuperset(question):
            unknown = next(name for name in question if name not in allowed)
            hint = did_you_mean(unknown, allowed)
            raise TypeError(
                f"{ask.__qualname__}() got an unexpected keyword argument {unknown!r}{hint and f': {hint}'}"
            )
        return within_limits(ask, *given, **question)

    return ask_within_limits


def within_limits(ask: Callable[..., Answer], *given: Any, **question: Any) -> Answer:
    """Answer a question within its `timeout` and `cancel`.

    These become the current deadline (see `cubesolve.runtime.deadline`); the question itself does not get them. The
    items of an iterator are limited as well.

    Raises:
        MissingPackageError: the question needs a package that is not installed.
        SearchLimitError: the question ended at a limit.
        ValueError: a limit is invalid.
    """
    try:
        result = _within_limits(ask, given, question)
    except ModuleNotFoundError as error:
        raise lacking(error) from None
    return cast("Answer", _explained(result)) if isinstance(result, types.GeneratorType) else result


def _explained(answers: Iterator[Any]) -> Iterator[Any]:
    try:
        yield from answers
    except ModuleNotFoundError as error:
        raise lacking(error) from None


def _within_limits(ask: Callable[..., Answer], given: Sequence[Any], question: dict[str, Any]) -> Answer:
    if "timeout" not in question and "cancel" not in question:
        return ask(*given, **question)
    limits = {name: question.pop(name) for name in ("timeout", "cancel") if name in question}
    limits = {name: value for name, value in limits.items() if value is not None}
    for name, value in limits.items():
        _REQUIRE[name](value)
    if not limits:
        return ask(*given, **question)
    deadline = Deadline(**limits, within=current())
    with _reporting(deadline):
        result = answer(functools.partial(ask, *given, **question), deadline)
    return cast("Answer", iterated(result, Deadline(within=deadline))) if isinstance(result, Iterator) else result


_questions = dict[threading.Thread, Deadline]()


def answer(ask: Callable[[], Answer], deadline: Deadline) -> Answer:
    """Return the answer of a question within a deadline, even between two checks of that deadline.

    The question has a thread of its own. At its deadline the caller returns, and the thread ends at its next check.
    """

    def ask_within() -> Answer:
        with running(deadline):
            return ask()

    if not _HAS_THREADS:
        return ask_within()
    answers, errors, context = list[Answer](), list[BaseException](), copy_context()

    def work() -> None:
        _questions[question] = deadline
        try:
            answers.append(context.run(ask_within))
        except BaseException as error:  # noqa: BLE001  # raised again in the thread of the caller
            errors.append(error)
        finally:
            del _questions[question]

    question = threading.Thread(target=work, name="cubesolve question", daemon=True)
    question.start()
    try:
        while question.is_alive():
            question.join(min(deadline.left(), _LOOK_EVERY))
    except BaseException as error:  # also Ctrl-C, which only the main thread receives
        if isinstance(error, EndedError):
            question.join(_PATIENCE)
        if question.is_alive() or not isinstance(error, EndedError):
            deadline.end()
            raise
    if errors:
        raise errors[0]
    return answers[0]


@atexit.register
def _end_questions() -> None:
    """End all questions when the process exits, so that no file is left half written."""
    until = time.monotonic() + _LEAVING
    questions = _questions.copy()
    for deadline in questions.values():
        deadline.end()
    for thread in questions.keys() - {threading.current_thread()}:
        thread.join(max(0.0, until - time.monotonic()))


def iterated(answers: Iterator[Answer], deadline: Deadline) -> Iterator[Answer]:
    """Yield the answers, with a deadline as the current one while each is looked for."""
    while True:
        with _reporting(deadline), running(deadline):
            try:
                result = next(answers)
            except StopIteration:
                return
        yield result


@contextlib.contextmanager
def _reporting(deadline: Deadline) -> Iterator[None]:
    """Turn the end of a deadline into an error with what was proved and found until then."""
    try:
        yield
    except EndedError as end:
        raise SearchLimitError(deadline.at_least, end.limit, deadline.solution) from None
    except KeyboardInterrupt:
        current().known = deadline.known  # for the caller, who can report it
        raise


@contextlib.contextmanager
def proving(at_least: int) -> Iterator[None]:
    """Turn the end of a deadline into an error with the proved lower bound."""
    current().prove(at_least)
    try:
        yield
    except EndedError as end:
        raise SearchLimitError(at_least, end.limit) from None


def watching(
    progress: Progress | None, depth: int, nodes: Callable[[], int], deadline: Deadline
) -> Callable[[], None] | None:
    """Return a function that reports the progress within a depth, if enough time has passed since it did so."""
    if progress is None:
        return None
    last = deadline.elapsed

    def watch() -> None:
        nonlocal last
        if deadline.elapsed - last >= _EVERY:
            last = deadline.elapsed
            progress(depth, nodes(), last)

    return watch


def require_going_on(ruled_out: int, search: SearchOptions) -> None:
    """Reject a search for longer answers if a limit is reached."""
    with proving(ruled_out + 1):
        check()
    require_within(ruled_out + 1, search)

"""How far and how long a question may be pursued."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from cubesolve.errors import SearchLimitError

if TYPE_CHECKING:
    import threading


class SearchOptions(TypedDict, total=False):
    """How far and how to search for an answer; a search that ends at a limit raises `SearchLimitError`.

    What a table answers is answered at once; of these, only `max_depth` can then make a difference.

    Attributes:
        max_depth: the largest number of moves to try.
        timeout: seconds after which to give up.
        workers: the number of threads.
        progress: called after each depth with the depth, and the nodes and seconds until then.
        cancel: an event that ends the search when another thread sets it.
        memory: the bytes that a search may use.
    """

    max_depth: int | None
    timeout: float | None
    workers: int | None
    progress: Callable[[int, int, float], None] | None
    cancel: threading.Event | None
    memory: int | None


NAMES = frozenset(SearchOptions.__annotations__)
"""The names of the options."""


def split(named: Mapping[str, Any]) -> tuple[dict[str, Any], SearchOptions]:
    """What was said beside a state, and how to search.

    Raises:
        ValueError: there is no such number of threads.

    >>> split({"metric": "qtm", "max_depth": 3})
    ({'metric': 'qtm'}, {'max_depth': 3})
    """
    search = SearchOptions(**{name: value for name, value in named.items() if name in NAMES})  # type: ignore[typeddict-item]
    if search.get("workers") is not None:
        from cubesolve.workers import require_workers  # noqa: PLC0415  # few questions say it

        require_workers(search["workers"])
    return {name: value for name, value in named.items() if name not in NAMES}, search


def require_within(depth: int, search: SearchOptions) -> None:
    """Refuse an answer that is beyond a limit.

    Raises:
        SearchLimitError: it has more moves than are to be tried.
        ValueError: the limit is negative.

    >>> require_within(9, {"max_depth": 2})
    Traceback (most recent call last):
        ...
    cubesolve.errors.SearchLimitError: not solved in 2 moves: at least 9 moves are needed
    """
    most = search.get("max_depth")
    if most is not None and most < 0:
        raise ValueError(f"max_depth must be at least 0, not {most}")
    if most is not None and depth > most:
        raise SearchLimitError(depth, f"in {most} moves")

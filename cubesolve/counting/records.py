"""Records: counts of all states of a puzzle with what others need to check them."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict, Unpack

from cubesolve import __version__
from cubesolve.ask import Puzzle
from cubesolve.errors import CubesolveError
from cubesolve.runtime.arguments import Keywords
from cubesolve.search.limits import NAMES, within_limits
from cubesolve.solvers.answers import COUNTING, chosen

if TYPE_CHECKING:
    from cubesolve.solvers.counting import Count
    from cubesolve.solvers.keywords import StatesQuestion


class FarthestState(TypedDict):
    """A state of a symmetry class at the largest depth.

    Attributes:
        state: its text.
        states: the size of the class.
        solution: a shortest solution, if there was time for one.
    """

    state: str
    states: int
    solution: NotRequired[str]


class Record(TypedDict):
    """A count, with what others need to check it; `record` describes the entries."""

    puzzle: str
    question: Mapping[str, object]
    version: str
    states: int
    distribution: Sequence[int]
    symmetries: int
    entries: int
    bits: int
    sha256: str | None
    farthest: list[FarthestState] | None
    is_complete: bool | None
    is_confirmed: bool | None


def record(puzzle: Puzzle, *, seconds: float = 60, **question: Unpack[StatesQuestion]) -> Record:
    """Count the states of a puzzle at each depth, and return the result as JSON has it.

    Args:
        puzzle: the puzzle.
        seconds: the time limit of the solutions of farthest states together.
        **question: as for `Puzzle.distribution` with ``count=True``, or with `levels`.

    Returns:
        ``puzzle`` and ``question``, ``version``, ``states`` and ``distribution``; ``symmetries``, ``entries`` and
        ``bits``, of which the enumeration consisted, and ``sha256``, a digest of its arrays; ``farthest``, a state of
        each symmetry class at the largest depth with ``states``, the size of the class, and if there was time a
        shortest ``solution``, from the entries of the count, a search or a table. If there are very many states, or
        `levels` are counted, ``farthest`` is null. ``sha256`` is null with `levels`, or if states are counted one by
        one.
        ``is_complete`` says whether the counts add up to the number of states that the moves generate, if that is known
        without counting; ``is_confirmed``, whether each of the solutions has the largest depth, null if there are none.

    Raises:
        TooLargeError, TableError, ValueError: as for `Puzzle.distribution`.

    >>> from cubesolve import puzzle
    >>> found = record(puzzle("ivy"))
    >>> found["distribution"][-1], sum(each["states"] for each in found["farthest"]), found["is_confirmed"]
    (110, 110, True)
    """
    named = chosen(question)
    return report(puzzle, within_limits(puzzle.solver.count, **named), named, seconds)


def report(puzzle: Puzzle, found: Count, question: Keywords, seconds: float) -> Record:
    """Return the record of a count, with solutions of the farthest states, if there is time."""
    depth, states = len(found.distribution) - 1, sum(found.distribution)
    metric = {name: value for name, value in question.items() if name == "metric"}
    farthest: list[FarthestState] | None = None
    depths = set[int]()
    if found.farthest is not None:
        farthest = [{"state": str(state), "states": number} for state, number in found.farthest]
        end = time.monotonic() + seconds
        algs = found.solutions() if found.solutions else itertools.repeat("")
        for about, (state, _) in zip(farthest, found.farthest, strict=True):
            left = max(end - time.monotonic(), 0)
            if alg := next(algs) if left else "":
                about["solution"] = alg
                depths.add(depth)
            if alg or not left:
                continue
            with contextlib.suppress(CubesolveError):
                solution = puzzle.solve(state, found.goal, timeout=left, **metric)
                about["solution"] = str(solution)
                depths.add(solution.at_least)
    return {
        "puzzle": puzzle.rules.spoken,
        "question": {name: value for name, value in question.items() if name not in COUNTING | NAMES},
        "version": __version__,
        "states": states,
        "distribution": found.distribution,
        "symmetries": found.symmetries,
        "entries": found.entries,
        "bits": found.bits,
        "sha256": found.digest,
        "farthest": farthest,
        "is_complete": None if found.known is None else states == found.known,
        "is_confirmed": depths == {depth} if depths else None,
    }

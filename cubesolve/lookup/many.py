"""Many 3x3x3 cubes, solved by whatever processes there are."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from typing import TYPE_CHECKING, Any

from cubesolve.errors import CubesolveError, InvalidStateError, SearchLimitError
from cubesolve.lookup.faults import NAMED, invalid_rows, is_masking
from cubesolve.puzzles.rubik.cube import RubikCube

if TYPE_CHECKING:
    from cubesolve.lookup import Tablebase

Answer = str | CubesolveError
"""An alg, or why there is none."""

_ATTEMPTS = 3
_POCKET_FACELETS = 24


def read_cubes(cubes: Sequence[RubikCube | str], invalid: str) -> list[RubikCube | InvalidStateError]:
    """The cubes of a batch, with what is wrong in the place of those that are none.

    Args:
        cubes: cubes, or their 54 facelets.
        invalid: ``raise`` or ``mask``.

    Raises:
        InvalidStateError: some are none, and these are not to be masked.

    >>> read_cubes(["UUU"], "mask")
    [InvalidStateError('a 3x3x3 cube has 54 facelets, not 3')]
    """
    masking = is_masking(invalid)
    read: list[RubikCube | InvalidStateError] = []
    for cube in cubes:
        try:
            read.append(cube if isinstance(cube, RubikCube) else RubikCube(_facelets(cube)))
        except InvalidStateError as error:
            read.append(error)
    faults = [(row, error) for row, error in enumerate(read) if isinstance(error, InvalidStateError)]
    if faults and not masking:
        raise invalid_rows(faults[:NAMED], len(faults), len(read))
    return read


def _facelets(given: object) -> str:
    if not isinstance(given, str):
        raise InvalidStateError(f"expected a cube or its facelets, not {type(given).__name__}")
    if len("".join(given.split())) == _POCKET_FACELETS:
        raise InvalidStateError(
            "a 3x3x3 cube has 54 facelets, not 24; pocket cubes are given as an array of the dtype S24"
        )
    return given


def solve_here(tables: Tablebase, facelets: str, metric: str, search: Mapping[str, Any]) -> Answer:
    """A shortest alg for one cube; the error that says what is known, where the search ended at its limit."""
    try:
        return tables.solve(facelets, metric, **search)
    except SearchLimitError as error:
        return error


def solve_elsewhere(
    tables: Tablebase,
    directory: str | None,
    cubes: Iterable[str],
    metric: str,
    executor: Executor,
    search: Mapping[str, Any],
) -> list[Answer]:
    """Shortest algs for many cubes, each found by a worker of an executor.

    A cube whose worker failed, in whatever way, is given to another one; what no worker solves is solved here.

    Args:
        tables: what answers here.
        directory: the folder of the tables that answer elsewhere; by default the usual ones there.
        cubes: the facelets of each.
        metric: the metric.
        executor: whose workers solve them.
        search: see `lookup.SearchOptions`; without `workers`, each cube is searched for by one thread.

    Returns:
        For each cube an alg, or the error that says what is known about it.

    Raises:
        TableError: neither the workers nor this process have a table that is large enough.
    """
    asked = dict(enumerate(cubes))
    task = functools.partial(_solve_there, directory, metric, {"workers": 1, **search})
    answers: dict[int, Answer] = {}
    for _ in range(_ATTEMPTS):
        futures: dict[int, Future[Answer]] = {}
        try:
            takes_work = _submit(executor, task, {row: asked[row] for row in asked if row not in answers}, futures)
            answers |= _gather(futures)
        finally:
            for future in futures.values():
                future.cancel()
        if not takes_work or len(answers) == len(asked):
            break
    return [answers[row] if row in answers else solve_here(tables, asked[row], metric, search) for row in asked]


def _submit(
    executor: Executor, task: Callable[[str], Answer], cubes: Mapping[int, str], futures: dict[int, Future[Answer]]
) -> bool:
    """Hand cubes out; whether the executor took all of them."""
    try:
        for row, facelets in cubes.items():
            futures[row] = executor.submit(task, facelets)
    except Exception:  # noqa: BLE001  # executors that take no more work say so in many ways
        return False
    return True


def _gather(futures: Mapping[int, Future[Answer]]) -> dict[int, Answer]:
    """The answers of those workers that did not fail."""
    answers = {}
    for row, future in futures.items():
        try:
            failed = future.exception() is not None
        except CancelledError:
            failed = True
        if not failed:
            answers[row] = future.result()
    return answers


def _solve_there(directory: str | None, metric: str, search: Mapping[str, Any], facelets: str) -> Answer:
    return solve_here(_tablebase(directory), facelets, metric, search)


@functools.cache
def _tablebase(directory: str | None) -> Tablebase:
    """One for each process, so that a table is opened once."""
    from cubesolve.lookup import open_tablebase  # noqa: PLC0415  # which imports this module when it needs it

    return open_tablebase(directory)

"""Answers about 3x3x3 cubes that need few moves, by trying all algs: stands in for the search with tables."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

from cubesolve.errors import SearchLimitError
from cubesolve.lookup.tables import Tables
from cubesolve.notation import FACES, Move, format_alg, metric_moves
from cubesolve.rubik import Cubies, RubikCube, turn_cubies

_NEAR = 3


class RubikAnswers:
    """Answers about 3x3x3 cubes."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def depth(
        self,
        cube: RubikCube | str,
        metric: str = "htm",
        *,
        max_depth: int | None = None,
        timeout: float | None = None,
        workers: int | None = None,
        progress: Callable[[int, int, float], None] | None = None,
    ) -> int:
        """See `Tablebase.depth`."""
        alg = self.solve(cube, metric, max_depth=max_depth, timeout=timeout, workers=workers, progress=progress)
        return len(alg.split())

    def solve(
        self,
        cube: RubikCube | str,
        metric: str = "htm",
        *,
        max_depth: int | None = None,
        timeout: float | None = None,
        workers: int | None = None,
        progress: Callable[[int, int, float], None] | None = None,
    ) -> str:
        """See `Tablebase.solve`."""
        return self.solutions(cube, metric, max_depth=max_depth, timeout=timeout, workers=workers, progress=progress)[0]

    def solutions(
        self,
        cube: RubikCube | str,
        metric: str = "htm",
        *,
        max_depth: int | None = None,
        timeout: float | None = None,
        workers: int | None = None,  # noqa: ARG002  # the interface of the search with tables
        progress: Callable[[int, int, float], None] | None = None,
    ) -> list[str]:
        """See `Tablebase.solutions`."""
        cubies = (RubikCube(cube) if isinstance(cube, str) else cube).cubies
        started = time.monotonic()
        for depth in itertools.count():
            if max_depth is not None and depth > max_depth:
                raise SearchLimitError(depth, f"in {max_depth} moves")
            if timeout is not None and time.monotonic() - started >= timeout:
                raise SearchLimitError(depth, f"after {timeout:g} s")
            algs = [format_alg(alg) for alg in _algs(cubies, depth, metric)]
            if progress:
                progress(depth, len(algs), time.monotonic() - started)
            if algs:
                return algs
        raise AssertionError

    def count_solutions(self, cube: RubikCube | str, metric: str = "htm", **search: Any) -> int:
        """See `Tablebase.count_solutions`."""
        return len(self.solutions(cube, metric, **search))


def _algs(cubies: Cubies, left: int, metric: str) -> Iterator[list[Move]]:
    if left <= _NEAR and _near(metric).get(cubies) != left:
        return
    if left == 0:
        yield []
        return
    for move in metric_moves(metric, FACES):
        for rest in _algs(cubies.then(turn_cubies(move)), left - 1, metric):
            yield [move, *rest]


@functools.cache
def _near(metric: str) -> dict[Cubies, int]:
    """The depths of all cubes that need few moves."""
    changes = [turn_cubies(move) for move in metric_moves(metric, FACES)]
    depths = {RubikCube.solved().cubies: 0}
    for depth in range(1, _NEAR + 1):
        reached = {cubies.then(change) for cubies in depths for change in changes} - depths.keys()
        depths.update(dict.fromkeys(reached, depth))
    return depths

"""Answers about 3x3x3 cubes, by searching with the largest pattern database there is."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Unpack

from cubesolve.catalog import CATALOG
from cubesolve.errors import SearchLimitError
from cubesolve.lookup.tables import Tables
from cubesolve.notation import FACES, Move, format_alg, metric_moves, require_metric
from cubesolve.puzzles.rubik.cube import RubikCube

if TYPE_CHECKING:
    import mmap

    from cubesolve.lookup import SearchOptions
    from cubesolve.engine.search.optimal import OptimalSolver

_TABLES = {
    "htm": ("rubik-htm-large", "rubik-htm-medium", "rubik-htm-small"),
    "qtm": ("rubik-qtm-small",),
}
_REACH = {"htm": 10, "qtm": 13}  # moves up to which the table that is made in memory answers within a second or two


class RubikAnswers:
    """Answers about 3x3x3 cubes from the tables of one tablebase."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def depth(self, cube: RubikCube | str, metric: str = "htm", **search: Unpack[SearchOptions]) -> int:
        """See `Tablebase.depth`."""
        return len(self._search(cube, metric, every=False, **search)[0])

    def solve(self, cube: RubikCube | str, metric: str = "htm", **search: Unpack[SearchOptions]) -> str:
        """See `Tablebase.solve`."""
        return format_alg(self._search(cube, metric, every=False, **search)[0])

    def solutions(self, cube: RubikCube | str, metric: str = "htm", **search: Unpack[SearchOptions]) -> list[str]:
        """See `Tablebase.solutions`."""
        from cubesolve.engine.search.pairs import spellings  # noqa: PLC0415  # needs numpy

        algs = self._search(cube, metric, every=True, **search)
        order = {move: number for number, move in enumerate(metric_moves(metric, FACES))}
        spelled = [list(each) for alg in algs for each in spellings(alg, metric)]
        return [format_alg(alg) for alg in sorted(spelled, key=lambda alg: [order[move] for move in alg])]

    def count_solutions(self, cube: RubikCube | str, metric: str = "htm", **search: Unpack[SearchOptions]) -> int:
        """See `Tablebase.count_solutions`."""
        return len(self.solutions(cube, metric, **search))

    def _search(
        self, cube: RubikCube | str, metric: str, *, every: bool, max_depth: int | None = None, **limits: Any
    ) -> list[list[Move]]:
        require_metric(metric)
        cubies = (RubikCube(cube) if isinstance(cube, str) else cube).cubies
        name = next((name for name in _TABLES[metric] if self._tables.has(name)), None)
        if name is not None:
            solver = self._tables.with_mapped(name, functools.partial(open_solver, name))
            return solver.solve(cubies, every=every, max_depth=max_depth, **limits)
        reach = _REACH[metric]
        limited = max_depth is not None and max_depth <= reach
        try:
            return _near_solver(metric).solve(cubies, every=every, max_depth=max_depth if limited else reach, **limits)
        except SearchLimitError as error:
            if limited or error.at_least <= reach:
                raise
        self._tables.path(_TABLES[metric][-1])  # says that it is missing, if it has not just been built
        return self._search(cube, metric, every=every, max_depth=max_depth, **limits)


def open_solver(name: str, body: mmap.mmap) -> OptimalSolver:
    """A solver that uses a pattern database, given its name in the catalog and its body."""
    import numpy as np  # noqa: PLC0415  # a question about another puzzle does not wait for these

    from cubesolve.spaces.cosets import projection  # noqa: PLC0415
    from cubesolve.engine.search.optimal import OptimalSolver  # noqa: PLC0415

    entry = CATALOG[name]
    assert entry.label is not None  # as it is a pattern database
    table = np.frombuffer(body, np.uint8)
    return OptimalSolver(entry.header.metric, projection(entry.label), table, entry.header.base)


@functools.cache
def _near_solver(metric: str) -> OptimalSolver:
    """A solver for cubes that need few moves; its table is made in no time."""
    from cubesolve.spaces.cosets import projection  # noqa: PLC0415
    from cubesolve.engine.lines import enumerate_lines  # noqa: PLC0415
    from cubesolve.engine.search.optimal import OptimalSolver  # noqa: PLC0415

    base = 5
    slices = projection("none", with_flips=False)
    table, _ = enumerate_lines(slices.space(metric_moves(metric, FACES)), base)
    return OptimalSolver(metric, slices, table, base)

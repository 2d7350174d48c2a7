"""Searches for rolls with arrays, by levels and by marks, and counts (needs numba)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rolling.goal import Goal, Mark
from cubesolve.catalog.rolling.model import DIRECTIONS, fixing
from cubesolve.catalog.rolling.spaces import TrayRanks, goal_ranks, matching, rolling_space
from cubesolve.catalog.rolling.tray import Tray, invert_rolls
from cubesolve.encodings.enumeration import Depths, enumerate_depths
from cubesolve.runtime.machine import memory_limit
from cubesolve.runtime.notices import notify, notifying
from cubesolve.search.bidirectional import between_rows
from cubesolve.search.ida_star import Projected, ProjectedSolver
from cubesolve.solvers.counting import Counted, SymmetryClass
from cubesolve.spaces.levels import needs_memory
from cubesolve.spaces.rows import Rows
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import BYTE_DEPTHS, TableEntry, TableHeader
from cubesolve.store import build

if TYPE_CHECKING:
    from cubesolve.catalog.rolling.solver import Levels, Route
    from cubesolve.store.tables import Tables

_STATES_A_SECOND = 9e7  # counted by one thread of an idle machine
_LEAST_KEPT, _MOST_KEPT = 1 << 22, 1 << 26  # states of tables of marks that are written to files
_MOST_LISTED = 1 << 16  # goals from which a search goes backwards
_LONG = 5  # seconds after which progress is reported


def to_count(begin: Tray, memory: int | None = None) -> Counted:
    """Return the space of a tray up to symmetry, for counting with two bits per state in some memory."""
    shape, plus, cell = begin.shape, begin.plus, begin.shape.vacancy_cell(begin.vacancy)
    symmetric = fixing(shape, cell)
    states, limit = shape.states(plus), 4 * memory_limit(memory)
    if states > limit * len(symmetric):
        raise needs_memory(states, -(-states // (4 * len(symmetric))), memory)
    space = rolling_space(shape, plus, limit, cell)
    if space.states > _LONG * _STATES_A_SECOND:
        notify(
            f"this tray has {space.counted:,} states: counting them takes about {space.states / _STATES_A_SECOND:.0f} s"
        )
    trays = TrayRanks(shape, plus, cell)

    def farthest(ranks: NDArray[np.int64]) -> list[SymmetryClass]:
        classes = dict[Tray, SymmetryClass]()
        for rank in ranks.tolist():
            images = {trays.unrank(rank).image_under(symmetry) for symmetry in symmetric}
            least = min(images, key=str)
            classes.setdefault(least, SymmetryClass(least, len(images), rank))
        return [*classes.values()]

    return Counted(space, [trays.rank(begin)], farthest, len(symmetric), goal=begin)


def meet_by_levels(route: Route, most: int, after_level: Callable[[int, int], object]) -> Levels | int:
    """Search bidirectionally; return a number of rolls that is ruled out if this takes more than `most` states."""
    begin, goal = route
    trays = TrayRanks(begin.shape, begin.plus)

    def neighbours(rows: Rows) -> Rows:
        return np.concatenate([trays.rolled(rows, direction)[1] for direction in DIRECTIONS])

    start = trays.cells(np.array([begin.rank])).astype(np.uint8)
    is_listed = goal.number <= min(most // 4, _MOST_LISTED)  # many goals are soon met from the start alone
    goals = trays.cells(goal_ranks(goal, begin.plus)).astype(np.uint8) if is_listed else matching(goal)
    levels = between_rows(start, goals, neighbours, most=most, after_level=after_level)
    if levels is None:
        raise route.unreachable()
    return levels if isinstance(levels, int) else [set(map(trays.tray, rows)) for rows in levels]


# -- Search with tables of marks ---------------------------------------------------------------------------------------


def make_mark_solver(goal: Goal, plus: int, marks: tuple[Mark, ...], tables: Tables) -> ProjectedSolver:
    """Return the search for a goal; see `solver.mark_solver`."""
    groups = []
    with notifying("computing the distances of marked faces, once"):
        for seen, of_class, entry in _followed(goal, plus, marks):
            space, ranks = rolling_space(seen.shape, of_class), goal_ranks(seen, of_class)
            depths = _kept_distances(entry, space, ranks, tables) if entry else enumerate_depths(space, ranks)
            groups.append([Projected(space, depths)])
    # No roll follows its inverse.
    undoing = [invert_rolls(last) for last in DIRECTIONS]
    after = [[-1 if d == last else 1 + number for number, d in enumerate(DIRECTIONS)] for last in ("", *undoing)]
    return ProjectedSolver(groups, [], after, [1] * len(DIRECTIONS))


def are_kept(goal: Goal, plus: int, marks: tuple[Mark, ...], tables: Tables) -> bool:
    """Return whether files have the tables of `make_mark_solver`."""
    entries = [entry for _, _, entry in _followed(goal, plus, marks)]
    return all(entry is not None and tables.has(entry) for entry in entries)


def _followed(goal: Goal, plus: int, marks: tuple[Mark, ...]) -> Iterator[tuple[Goal, int, TableEntry | None]]:
    """Yield the goal for each mark, the number of cubes of the class "+" if its model has signs, and its table.

    The table is None unless the goal is a uniform tray, or if its file would be tiny or huge.
    """
    for seen in (mark.of_goal(goal) for mark in marks):
        shape, of_class = seen.shape, plus if seen.shape.model.has_signs else 0
        states, entry = shape.states(of_class), None
        if goal.tray and goal.tray.is_uniform and _LEAST_KEPT <= states <= _MOST_KEPT:
            what = f"{shape.model_name} {shape.rows}x{shape.cols} with {of_class} from {next(seen.ranks(of_class))}"
            name = f"rolling-marks-{what.replace(' ', '-')}"
            header = TableHeader(name, "rolling-marks", "rolls", f"marks {what}", states, (), "", BYTE_DEPTHS)
            entry = TableEntry(header, (), by_default=False, built_by="rolling")
        yield seen, of_class, entry


def _kept_distances(entry: TableEntry, space: StateSpace, starts: NDArray[np.int64], tables: Tables) -> Depths:
    """Return the distances of a table from its file; a missing one is made and written."""

    def make() -> tuple[TableHeader, memoryview]:
        return build.make_distances(entry, space, int(starts[0]))

    tables.offer(entry, lambda: build.build_once(entry, tables.directory, make))
    depths: Depths = np.frombuffer(tables.body(entry), np.uint8)
    tables.drop(entry)
    return depths

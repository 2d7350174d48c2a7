"""Searches for rolls with arrays, bidirectional and by marks, counts, and answers about arrays (needs numba)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rolling import TrayGraph
from cubesolve.catalog.rolling.classes import classes_of
from cubesolve.catalog.rolling.goal import Goal, Mark, follow_goal
from cubesolve.catalog.rolling.model import DIRECTIONS, Shape, TraySymmetry, fixing, symmetries
from cubesolve.catalog.rolling.spaces import TrayRanks, goal_ranks, rolling_space
from cubesolve.catalog.rolling.tray import Tray, invert_rolls
from cubesolve.encodings.byte.enumeration import Depths, enumerate_depths
from cubesolve.runtime.machine import memory_limit, needs_memory
from cubesolve.runtime.notices import notify, notifying
from cubesolve.runtime.prepared import cached
from cubesolve.search.bidirectional import between_rows, meet
from cubesolve.search.ida_star import Projected, ProjectedSolver
from cubesolve.search.near import ShortestPaths, descending_levels
from cubesolve.solvers.arrays import GraphArrays
from cubesolve.solvers.counting import Counted, SymmetryClass
from cubesolve.spaces.rows import Rows
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import BYTE_DEPTHS, TableEntry, TableHeader
from cubesolve.store import build

if TYPE_CHECKING:
    from cubesolve.catalog.rolling.solver import TrayQuestion
    from cubesolve.store.tables import Body, Tables

_STATES_A_SECOND = 9e7  # counted by one thread of an idle machine
_LEAST_KEPT, _MOST_KEPT = 1 << 22, 1 << 26  # states of tables of marks that are written to files
_LONG = 5  # seconds after which progress is reported


def to_count(begin: Tray, memory: int | None = None) -> Counted:
    """Return the space of a tray up to symmetry, for counting with two bits per state in some memory."""
    shape, plus, cell = begin.shape, begin.plus, begin.shape.vacancy_cell(begin.vacancy)
    symmetric = fixing(shape, cell)
    states, most = shape.states(plus), 4 * memory_limit(memory)
    if states > most * len(symmetric):
        raise needs_memory(states, -(-states // (4 * len(symmetric))), memory)
    space = rolling_space(shape, plus, most, cell)
    if space.states > _LONG * _STATES_A_SECOND:
        notify(
            f"this tray has {space.counted:,} states: counting them takes about {space.states / _STATES_A_SECOND:.0f} s"
        )
    classes = classes_of(shape, plus, cell)

    def farthest(ranks: NDArray[np.int64]) -> list[SymmetryClass]:
        found = dict[Tray, SymmetryClass]()
        for rank in ranks.tolist():
            images = {classes.unrank(rank).image_under(each) for each in symmetric}
            least = min(images, key=str)
            found.setdefault(least, SymmetryClass(least, len(images), rank))
        return [*found.values()]

    return Counted(space, [classes.rank(begin)], farthest, len(symmetric), goal=begin)


def make_mark_solver(goal: Goal, plus: int, marks: tuple[Mark, ...], tables: Tables) -> ProjectedSolver:
    """Return the search for a goal; see `solver.mark_solver`."""
    groups = []
    with notifying("computing the distances of marked faces, once"):
        for seen, of_class in _followed(goal, plus, marks):
            space, ranks = _space(seen.shape, of_class), goal_ranks(seen, of_class)
            entry = _kept_entry(seen, of_class) if _is_from_uniform(goal) else None
            depths = enumerate_depths(space, ranks) if entry is None else _kept_distances(entry, space, ranks, tables)
            groups.append([Projected(space, depths)])
    # No roll follows its inverse.
    undoing = [invert_rolls(last) for last in DIRECTIONS]
    after = [[-1 if d == last else 1 + there for there, d in enumerate(DIRECTIONS)] for last in ("", *undoing)]
    return ProjectedSolver(groups, [], after, [1] * len(DIRECTIONS))


def are_kept(goal: Goal, plus: int, marks: tuple[Mark, ...], tables: Tables) -> bool:
    """Return whether files have the tables of `make_mark_solver`."""
    entries = (_kept_entry(seen, of_class) for seen, of_class in _followed(goal, plus, marks))
    return _is_from_uniform(goal) and all(entry is not None and tables.has(entry) for entry in entries)


def _followed(goal: Goal, plus: int, marks: tuple[Mark, ...]) -> Iterator[tuple[Goal, int]]:
    """Yield the goal for each mark, and the number of cubes of the class "+", if its model has signs."""
    for mark in marks:
        seen = follow_goal(goal, mark)
        yield seen, plus if seen.shape.model.has_signs else 0


def _is_from_uniform(goal: Goal) -> bool:
    return goal.tray is not None and goal.tray.is_uniform


def _kept_entry(seen: Goal, plus: int) -> TableEntry | None:
    """Return the table of the distances from a tray of marks; None if its file would be tiny or huge."""
    shape, starts = seen.shape, goal_ranks(seen, plus)
    states = shape.states(plus)
    if len(starts) != 1 or not _LEAST_KEPT <= states <= _MOST_KEPT:
        return None
    what = f"{shape.model_name} {shape.rows}x{shape.cols} with {plus} from {starts[0]}"
    name = f"rolling-marks-{what.replace(' ', '-')}"
    header = TableHeader(name, "rolling-marks", "rolls", f"marks {what}", states, (), "", BYTE_DEPTHS)
    return TableEntry(header, (), by_default=False, built_by="rolling")


def _kept_distances(entry: TableEntry, space: StateSpace, starts: NDArray[np.int64], tables: Tables) -> Depths:
    """Return the distances of a table from its file; a missing one is made and written."""

    def make() -> tuple[TableHeader, memoryview]:
        return build.make_distances(entry, space, int(starts[0]))

    tables.offer(entry, lambda: build.build_once(entry, tables.directory, make))
    depths: Depths = np.frombuffer(tables.body(entry), np.uint8)
    tables.drop(entry)
    return depths


def meet_whole(asked: TrayQuestion) -> ShortestPaths[Tray]:
    """Search the whole space bidirectionally."""
    begin, plus = asked.begin, asked.begin.plus
    space = _space(begin.shape, plus)
    workers = asked.search.get("workers")
    meeting = meet(space, begin.rank, goal_ranks(asked.goal, plus), workers, after_level=asked.after_level)
    if meeting is None:
        raise asked.unreachable()
    middle = [Tray.unrank(rank, plus, begin.shape) for rank in meeting.middle]

    def from_middle(depths: Depths) -> list[set[Tray]]:
        return descending_levels(
            middle, int(depths[middle[0].rank]), lambda tray, depth: bool(depths[tray.rank] == depth), Tray.rolls
        )

    before, after = from_middle(meeting.from_start), from_middle(meeting.from_goals)
    return ShortestPaths(before[::-1] + after[1:], Tray.rolls)


def meet_by_levels(asked: TrayQuestion, most: int) -> ShortestPaths[Tray] | int:
    """Search a space too large for memory; return a number of rolls that is ruled out if `most` is too small."""
    begin, plus = asked.begin, asked.begin.plus
    trays = TrayRanks(begin.shape, plus)

    def neighbours(rows: Rows) -> Rows:
        ranks = trays.neighbours(rows[:, 0])
        return ranks[ranks >= 0][:, None]

    is_goal, start = trays.matching(asked.goal), np.array([[begin.rank]])
    goals = (
        goal_ranks(asked.goal, plus)[:, None] if asked.goal.number <= most // 4 else lambda rows: is_goal(rows[:, 0])
    )
    levels = between_rows(start, goals, neighbours, most=most, after_level=asked.after_level)
    if levels is None:
        raise asked.unreachable()
    if isinstance(levels, int):
        return levels
    return ShortestPaths(
        [{Tray.unrank(int(rank), plus, begin.shape) for (rank,) in rows} for rows in levels], Tray.rolls
    )


@cached(4)
def _space(shape: Shape, plus: int) -> StateSpace:
    """Return the space of a shape of tray, which is kept."""
    return rolling_space(shape, plus)


class TrayArrays(GraphArrays):
    """Trays for the distances to a uniform one, also by the table of a symmetric start."""

    def __init__(self, graph: TrayGraph, tables: Tables, symmetry: TraySymmetry) -> None:
        """Take the trays of the question, and the symmetry that takes their start to that of the table."""
        super().__init__(graph, tables)
        self._trays, self._symmetry = TrayRanks(graph.shape, graph.plus), symmetry

    def _given(self) -> Body:
        """Return the table for the ranks of the trays of the question; see `GraphArrays`."""
        table = super()._given()  # even if it is not used: the tables may be closed
        if self._symmetry == symmetries(self._trays.shape)[0]:
            return table
        if self._table_from_start is None:
            self._table_from_start = self._trays.table_under(np.frombuffer(table, np.uint8), self._symmetry).tobytes()
        return self._table_from_start

    _table_from_start: bytes | None = None

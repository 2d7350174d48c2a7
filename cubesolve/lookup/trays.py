"""Answers about rolling cubes: from tables where the start is uniform, by searching from both ends elsewhere."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.catalog import CATALOG, CatalogEntry
from cubesolve.errors import InvalidStateError, UnsolvableStateError
from cubesolve.lookup.tables import Tables
from cubesolve.rolling import DIRECTIONS, Goal, Shape, Symmetry, Tray, symmetries, unrank_pattern

if TYPE_CHECKING:
    from cubesolve.spaces.space import StateSpace

Start = Tray | tuple[int, int]
"""A state, or the column and row of the vacancy of a uniform start."""

_CLASSES = {0: "corner", 1: "edge", 4: "centre"}  # the cells of the vacancy in the tables' starts
_TABLES = {"axis": "rolling-", "face": "rolling-face-"}
_TABLE_SHAPE = (3, 3)


class Ways(NamedTuple):
    """The shortest ways from a start to a goal.

    Attributes:
        start: the start.
        middle: states through exactly one of which every shortest way leads.
        to_start: the distance between a state and the start.
        to_goal: the distance between a state and the goal.
        directions: the rolls as they were asked about, and what they are here.
    """

    start: Tray
    middle: list[Tray]
    to_start: Callable[[Tray], int]
    to_goal: Callable[[Tray], int]
    directions: dict[str, str]

    @property
    def depth(self) -> int:
        """The least number of rolls."""
        return self.to_start(self.middle[0]) + self.to_goal(self.middle[0])

    def solutions(self) -> Iterator[str]:
        """Every shortest way, in the order of the rolls U D L R."""
        levels = self._levels()

        def ways(tray: Tray, level: int) -> Iterator[str]:
            if level == len(levels):
                yield ""
                return
            rolls = dict(tray.rolls())
            for asked, here in self.directions.items():
                if here in rolls and rolls[here] in levels[level]:
                    for rest in ways(rolls[here], level + 1):
                        yield asked + rest

        return ways(self.start, 1)

    def number(self) -> int:
        """How many shortest ways there are."""
        ways = {self.start: 1}
        for level in self._levels()[1:]:
            further: Counter[Tray] = Counter()
            for tray, count in ways.items():
                for _, neighbour in tray.rolls():
                    if neighbour in level:
                        further[neighbour] += count
            ways = further
        return sum(ways.values())

    def _levels(self) -> list[set[Tray]]:
        """The states on shortest ways, by their distance from the start."""
        before, after = [set(self.middle)], [set(self.middle)]
        for _ in range(self.to_start(self.middle[0])):
            before.append(_nearer(before[-1], self.to_start))
        for _ in range(self.to_goal(self.middle[0])):
            after.append(_nearer(after[-1], self.to_goal))
        return before[::-1] + after[1:]


def _nearer(trays: set[Tray], distance: Callable[[Tray], int]) -> set[Tray]:
    """The neighbours that are one roll nearer, of states that are all equally far."""
    wanted = distance(next(iter(trays))) - 1
    return {neighbour for tray in trays for _, neighbour in tray.rolls() if distance(neighbour) == wanted}


_AS_ASKED = {direction: direction for direction in DIRECTIONS}


def uniform_table(begin: Tray) -> tuple[CatalogEntry, Symmetry] | None:
    """The table from a uniform start, and the symmetry that takes the start to the table's; None for other starts."""
    shape = begin.shape
    uniform = all(orientation <= 0 for orientation in begin.orientations)
    if not uniform or (shape.rows, shape.cols) != _TABLE_SHAPE or shape.model_name not in _TABLES:
        return None
    symmetry, name = next(
        (symmetry, _CLASSES[cell])
        for symmetry in symmetries(shape)
        if (cell := symmetry.cells[shape.vacancy_cell(begin.vacancy)]) in _CLASSES
    )
    return CATALOG[_TABLES[shape.model_name] + name], symmetry


class TrayAnswers:
    """Answers about rolling cubes from the tables of one tablebase."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def depth(self, start: Start, goal: str | Tray, model: str = "axis") -> int:
        """See `Tablebase.depth`."""
        begin, wanted = _read(start, goal, model)
        canonical = self._canonical(begin)
        if canonical and wanted.by_tops:
            entry, symmetry = canonical
            body = self._tables.body(f"{entry.name}-patterns")
            return min(body[rank] for rank in wanted.seen_by(symmetry).pattern_ranks())
        return self._ways(begin, wanted).depth

    def solve(self, start: Start, goal: str | Tray, model: str = "axis") -> str:
        """See `Tablebase.solve`."""
        return next(self.solutions(start, goal, model))

    def solutions(self, start: Start, goal: str | Tray, model: str = "axis") -> Iterator[str]:
        """See `Tablebase.solutions`."""
        return self._ways(*_read(start, goal, model)).solutions()

    def count_solutions(self, start: Start, goal: str | Tray, model: str = "axis") -> int:
        """See `Tablebase.count_solutions`."""
        return self._ways(*_read(start, goal, model)).number()

    def _ways(self, begin: Tray, goal: Goal) -> Ways:
        if goal.matches(begin):
            return Ways(begin, [begin], _zero, _zero, _AS_ASKED)
        canonical = self._canonical(begin)
        if canonical:
            return self._look_up(*canonical, goal, begin)
        return _search(begin, goal)

    def _canonical(self, begin: Tray) -> tuple[CatalogEntry, Symmetry] | None:
        """The table that has the answer, if there is one, and the symmetry that takes the start to the table's."""
        canonical = uniform_table(begin)
        return canonical if canonical and (canonical[0].by_default or self._tables.has(canonical[0].name)) else None

    def _look_up(self, entry: CatalogEntry, symmetry: Symmetry, goal: Goal, begin: Tray) -> Ways:
        body = self._tables.body(entry.name)
        shape, plus = begin.shape, begin.plus
        seen = goal.seen_by(symmetry)
        if seen.by_tops:
            patterns = _nearest(self._tables.body(f"{entry.name}-patterns"), seen.pattern_ranks())
            fitting: Iterator[int] = (rank for pattern in patterns for rank in shape.ranks_with_pattern(pattern, plus))
        else:
            fitting = seen.ranks(plus)
        middle = [Tray.unrank(rank, plus, shape) for rank in sorted(_nearest(body, fitting))]
        if not middle:
            raise _unreachable(begin, goal)
        start = Tray.unrank(entry.start, plus, shape)
        return Ways(start, middle, lambda tray: body[tray.rank], _zero, symmetry.directions)

    def hardest(self, start: tuple[int, int]) -> list[str]:
        """See `Tablebase.hardest`."""
        entry, symmetry = self._default_table(start)
        body = self._tables.body(f"{entry.name}-patterns")
        deepest = max(body)
        shape = Shape(*_TABLE_SHAPE)
        back = next(s for s in symmetries(shape) if _undoes(s, symmetry))
        goals = (Goal.parse(unrank_pattern(rank, shape)) for rank, depth in enumerate(body) if depth == deepest)
        patterns = (next(goal.seen_by(back).pattern_ranks()) for goal in goals)
        return [unrank_pattern(rank, shape) for rank in sorted(patterns)]

    def distribution(self, start: tuple[int, int], patterns: bool) -> tuple[int, ...]:
        """See `Tablebase.distribution`."""
        entry, _ = self._default_table(start)
        return CATALOG[f"{entry.name}-patterns" if patterns else entry.name].header.distribution

    def _default_table(self, start: tuple[int, int]) -> tuple[CatalogEntry, Symmetry]:
        begin = Tray.start(start)
        canonical = self._canonical(begin)
        assert canonical is not None  # every uniform start of the axis model has one
        return canonical


def _nearest(body: bytes, ranks: Iterable[int]) -> list[int]:
    """Those of the ranks that have the least depth."""
    best, nearest = 256, list[int]()
    for rank in ranks:
        if body[rank] < best:
            best, nearest = body[rank], []
        if body[rank] == best:
            nearest.append(rank)
    return nearest


def _undoes(symmetry: Symmetry, other: Symmetry) -> bool:
    return all(symmetry.cells[there] == here for here, there in enumerate(other.cells))


def _zero(_: Tray) -> int:
    return 0


def _read(start: Start, goal: str | Tray, model: str) -> tuple[Tray, Goal]:
    if isinstance(start, Tray):
        model = start.shape.model_name
    wanted = Goal.only(goal) if isinstance(goal, Tray) else Goal.parse(goal, model)
    shape = wanted.shape
    begin = start if isinstance(start, Tray) else Tray.start(start, shape.rows, shape.cols, shape.model_name)
    if begin.shape != shape:
        message = f"start and goal differ: {_described(begin.shape)}, and {_described(shape)}"
        raise InvalidStateError(message, "size")
    return begin, wanted


def _described(shape: Shape) -> str:
    return f"{shape.rows}x{shape.cols} cells of the model {shape.model_name}"


def _unreachable(begin: Tray, goal: Goal) -> UnsolvableStateError:
    reason = ""
    if begin.shape.model.has_signs and next(goal.ranks(begin.plus), None) is None:
        reason = f": rolling never changes how many cubes have the class '+', which are {begin.plus}"
    return UnsolvableStateError(f"no rolls lead there from {begin}{reason}", "unreachable")


def _search(begin: Tray, goal: Goal) -> Ways:
    from cubesolve.engine.search import meet  # noqa: PLC0415  # needs numba, which looking a table up does not load
    from cubesolve.spaces.space import goal_ranks  # noqa: PLC0415

    space, plus = tray_space(begin.shape, begin.plus), begin.plus
    goals = goal_ranks(goal, plus)
    meeting = meet(space, begin.rank, goals) if len(goals) else None
    if meeting is None:
        raise _unreachable(begin, goal)
    return Ways(
        begin,
        [Tray.unrank(rank, plus, begin.shape) for rank in meeting.middle],
        lambda tray: int(meeting.from_start[tray.rank]),
        lambda tray: int(meeting.from_goals[tray.rank]),
        _AS_ASKED,
    )


@functools.lru_cache(maxsize=4)
def tray_space(shape: Shape, plus: int) -> StateSpace:
    """The space of a shape of tray, kept for the next question."""
    from cubesolve.spaces.space import rolling_space  # noqa: PLC0415  # needs numpy

    return rolling_space(shape, plus)

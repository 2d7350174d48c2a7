"""Rolling cubes: cubes in a tray with one vacancy, into which a neighbour rolls."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cubesolve.catalog.pins import pinned_entry
from cubesolve.catalog.rolling.goal import Goal, unrank_pattern
from cubesolve.catalog.rolling.model import DIRECTIONS, MODELS, Shape, TraySymmetry, symmetries
from cubesolve.catalog.rolling.tray import Tray, invert_rolls, parse_cells
from cubesolve.definition.options import LIMITS, SOLVED_WITHIN, Option
from cubesolve.definition.view import Form, View
from cubesolve.errors import InvalidStateError, quoted
from cubesolve.runtime.arguments import Keywords
from cubesolve.spaces.rules import Graph, InArrays, Query, Rules
from cubesolve.spaces.tables import MOD3, Fold, TableEntry

if TYPE_CHECKING:
    import mmap

    from cubesolve.catalog.rolling.spaces import TrayRanks
    from cubesolve.picture.pictures import Picture
    from cubesolve.picture.scenes import Motion, Scene

NAMES = ("rolling",)


def rules(name: str) -> RollingRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    return RollingRules() if name in NAMES else None


Start = Tray | tuple[int, int]  # a state, or the column and row of the vacancy of a uniform start

_SHAPE = (3, 3)
_PLACES = {"corner": (1, 1), "edge": (2, 1), "centre": (2, 2)}
_PREFIXES = {"axis": "rolling-", "face": "rolling-face-", "full": "rolling-full-3x3-"}


# -- Tables ----------------------------------------------------------------------------------------------------------


_OF_CLASSES = "row class x orientations"  # scheme of tables whose entries are symmetry classes of trays

_ALL, _TOPS, _MARKED = "vacancy x plus slots x tops", "vacancy x tops", "vacancy x orientations"
_ROW = 12**8  # trays of the model full with one vacancy and one set of cubes of the class "+"


def _table(name: str, model: str, scheme: str, start: int, **facts: Any) -> TableEntry:
    return pinned_entry(name, f"rolling-{model}", scheme, metric="rolls", starts=(start,), **facts)


_TABLES = (  # for each top pattern, the sets of "+" slots are folded
    _table("rolling-corner", "axis", _ALL, 131220),
    _table("rolling-corner-patterns", "axis", _TOPS, 0, fold=Fold("rolling-corner", 70, 6561)),
    _table("rolling-edge", "axis", _ALL, 413343),
    _table("rolling-edge-patterns", "axis", _TOPS, 6561, fold=Fold("rolling-edge", 56, 6561)),
    _table("rolling-centre", "axis", _ALL, 1968300),
    _table("rolling-centre-patterns", "axis", _TOPS, 26244, fold=Fold("rolling-centre", 70, 6561)),
    _table("rolling-face-corner", "face", _MARKED, 0),
    _table("rolling-face-edge", "face", _MARKED, 1679616),
    _table("rolling-face-centre", "face", _MARKED, 6718464),
    _table("rolling-full-3x3-corner", "full", _OF_CLASSES, 17 * _ROW, entries=324 * _ROW, encoding=MOD3),
    _table("rolling-full-3x3-edge", "full", _OF_CLASSES, 63 * _ROW, entries=261 * _ROW, encoding=MOD3),
    _table("rolling-full-3x3-centre", "full", _OF_CLASSES, 87 * _ROW, entries=89 * _ROW, encoding=MOD3),
)
_BY_NAME = {entry.name: entry for entry in _TABLES}


class TrayGraph(Graph[Tray]):
    """Trays that can be rolled into a uniform start, with the table of the distances from it or a symmetric one."""

    moves = tuple(DIRECTIONS)

    def __init__(self, start: Tray, entry: TableEntry) -> None:
        self.shape, self.plus, self.entry, self.states = start.shape, start.plus, entry, entry.header.entries
        self.patterns = _BY_NAME.get(f"{entry.name}-patterns")  # the table of the top patterns, if there is one
        cell, tabulated = self.shape.vacancy_cell(start.vacancy), self.shape.vacancy_cell(_vacancy(entry))
        # Takes the start to that of the table, whose ranks are those of images.
        self.symmetry = next(symmetry for symmetry in symmetries(self.shape) if symmetry.cells[cell] == tabulated)
        self._fixed = cell if entry.header.scheme == _OF_CLASSES else None

    @property
    def back(self) -> TraySymmetry:
        """The inverse of the symmetry."""
        cells = tuple(map(self.symmetry.cells.index, range(self.shape.cells)))
        return next(symmetry for symmetry in symmetries(self.shape) if symmetry.cells == cells)

    def rank(self, given: object) -> int:
        """Return the rank of a tray."""
        if not isinstance(given, Tray):
            return self.checked(given)
        return given.rank if self._fixed is None else self.ranks.rank(given)

    def unrank(self, rank: int) -> Tray:
        """Return the tray with a rank."""
        return Tray.unrank(rank, self.plus, self.shape) if self._fixed is None else self.ranks.unrank(rank)

    def neighbours(self, rank: int) -> list[int]:
        """Return the ranks after the rolls U D L R."""
        rolled = dict(self.unrank(rank).rolls())
        return [self.rank(rolled[direction]) if direction in rolled else -1 for direction in self.moves]

    def rolls(self, image: Tray) -> list[tuple[str, Tray]]:
        """Return the rolls of a tray and the images of the trays after them, given its image under the symmetry."""
        possible = dict(image.rolls())
        return [
            (roll, possible[direction]) for roll, direction in self.symmetry.directions.items() if direction in possible
        ]

    @functools.cached_property
    def ranks(self) -> TrayRanks:
        """The ranks of many trays, which need numpy."""
        from cubesolve.catalog.rolling.spaces import TrayRanks  # noqa: PLC0415  # needs numpy

        return TrayRanks(self.shape, self.plus, self._fixed)

    def in_arrays(self) -> InArrays:
        """Return how the graph is given as arrays, which needs numpy."""
        from cubesolve.catalog.rolling.spaces import CellForm, rolling_space  # noqa: PLC0415  # needs numpy

        limit = max(self.states, 1 << 30)
        return InArrays(lambda: rolling_space(self.shape, self.plus, limit, self._fixed), lambda: CellForm(self.ranks))

    def by_rank(self, table: bytes | mmap.mmap) -> bytes | mmap.mmap:
        """Return the entries of these trays, given the table of the trays that the symmetry takes them to."""
        is_same = self.symmetry == symmetries(self.shape)[0]
        return table if is_same else self.ranks.table_under(table, self.symmetry)

    def spelled(self, moves: Sequence[int]) -> str:
        """Return rolls, given by number, as letters."""
        return "".join([self.moves[move] for move in moves])


def graph_from(start: Tray) -> TrayGraph | None:
    """Return the trays with their distances from a start; None if the start is not uniform, or has no table."""
    shape = start.shape
    if not start.is_uniform or (shape.rows, shape.cols) != _SHAPE or shape.model_name not in _PREFIXES:
        return None
    odd = sum(coordinate != 2 for coordinate in start.vacancy)  # coordinates that are not in the middle
    return _graph(start, _BY_NAME[_PREFIXES[shape.model_name] + ("centre", "edge", "corner")[odd]])


_graph = functools.cache(TrayGraph)


def _vacancy(entry: TableEntry) -> tuple[int, int]:
    """Return the vacancy of the start of a table."""
    return next(vacancy for place, vacancy in _PLACES.items() if place in entry.name)


# -- The puzzle ------------------------------------------------------------------------------------------------------


def read_vacancy(text: str) -> tuple[int, int]:
    """Return the column and row of a vacancy, or reject the text by a `ValueError`."""
    return _two_numbers(text, r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*", "column,row, such as 2,1")


def read_size(text: str) -> tuple[int, int]:
    """Return the rows and columns of a tray, or reject the text by a `ValueError`."""
    return _two_numbers(text, r"(\d{1,4})x(\d{1,4})", "rows x columns, such as 2x3")


def _two_numbers(text: str, pattern: str, expected: str) -> tuple[int, int]:
    match = re.fullmatch(pattern, text)
    if match is None:
        raise ValueError(f"{quoted(text)} is not {expected}")
    return int(match[1]), int(match[2])


def _given_start(text: str) -> tuple[int, int] | str:
    """Return the start on the command line: a vacancy, or the text of a tray, which is read when its model is known."""
    return read_vacancy(text) if "," in text else text


_ASKED, _COUNTED, _DRAWN = frozenset({"depth", "solve"}), frozenset({"distribution"}), frozenset({"scramble"})
_OPTIONS = (
    Option(
        "start",
        "Start: column and row of the vacancy of a uniform tray, or a tray.",
        _ASKED | {"play"},
        metavar="X,Y|TRAY",
        read=_given_start,
        required=True,
    ),
    Option(
        "start",
        "Column and row of the vacancy at the start.",
        _COUNTED | _DRAWN,
        "1,1",
        metavar="X,Y",
        read=read_vacancy,
    ),
    Option("tray", "Rows and columns of the tray.", _COUNTED, "3x3", metavar="RxC", read=read_size),
    Option(
        "model",
        "What is visible of a cube: axis (opposite faces alike), face (one marked face), full (all 24 orientations).",
        _ASKED | _COUNTED | _DRAWN | {"show", "play"},
        "axis",
        MODELS,
    ),
)


class RollingView(View[Tray]):
    """The notation and pictures of trays of rolling cubes."""

    name = "rolling"
    title = "rolling cubes in a tray"
    forms: Mapping[str, Form] = {
        "tray": Form(str, str, "rows separated by /: a colour on top or an orientation for each cell, * for any")
    }

    def read(self, given: Any) -> Tray:
        """Return a tray that is given as one, or as text."""
        return given if isinstance(given, Tray) else Tray(given)

    def claims(self, given: object) -> bool:
        """Return whether a value is a tray, or the column and row of a vacancy."""
        return isinstance(given, Tray) or (isinstance(given, tuple) and len(given) == len(_SHAPE))

    def claims_batch(self, given: object, **question: object) -> bool:
        """Return whether a batch is a list of trays, or a goal is named."""
        return "goal" in question or (isinstance(given, (list, tuple)) and any(isinstance(t, Tray) for t in given))

    def solved(self, like: Tray | None) -> Tray:
        """Return the uniform tray with the vacancy in the first cell, of the shape of a tray."""
        shape = like.shape if isinstance(like, Tray) else Shape(*_SHAPE)
        return Tray.start((1, 1), shape.rows, shape.cols, shape.model_name)

    def invert(self, alg: str) -> str:
        """Return the inverse of a sequence of rolls."""
        return invert_rolls(alg)

    def split(self, alg: str) -> list[str]:
        """Return the rolls of a sequence, a letter each."""
        return list("".join(alg.split()))

    def draw(self, state: Tray | str, model: str = "axis") -> Picture:
        """Return the cells of a tray."""
        from cubesolve.catalog.rolling.picture import of_cells  # noqa: PLC0415  # needed for pictures only

        model = state.shape.model_name if isinstance(state, Tray) else model
        return of_cells(*parse_cells(str(state), model=model, goal=True), str(state))

    def build(self, state: Tray | str) -> Scene:
        """Return a tray in space."""
        from cubesolve.catalog.rolling.picture import of_tray  # noqa: PLC0415  # needed for pictures only

        return of_tray(self.read(state))

    def motion(self, state: Tray | str, move: str) -> Motion:
        """Return the motion of a roll in the scene of a tray."""
        from cubesolve.catalog.rolling.picture import of_roll  # noqa: PLC0415  # needed for pictures only

        return of_roll(self.read(state), move)


class RollingRules(Rules[Tray]):
    """Rolling cubes; a state is the goal of a roll sequence, from a start."""

    metrics = ("rolls",)
    options = (*_OPTIONS, *LIMITS, *SOLVED_WITHIN)
    needs_goal = True
    unit = "rolls"
    uncounted: Mapping[str, str] = {
        "levels": "the states of a tray are counted at all depths (--count)",
        "from": "only all states are counted, from a start (--start)",
    }
    groups: Mapping[str, tuple[str, ...]] = {
        "rolling-face": tuple(name for name in _BY_NAME if name.startswith("rolling-face-"))
    }
    trained: Mapping[str, Mapping[str, object]] = {"rolling-3x3": {"goal": _PLACES["corner"]}}
    # For the worst start of a 3x3 tray, the middle of a side.
    gods_number = max(len(entry.header.distribution) for entry in _TABLES if entry.by_default) - 1

    def __init__(self) -> None:
        super().__init__(RollingView())

    def query(self, text: str, read: Callable[[str], Any], options: Keywords) -> Query:
        """Return the question that a text represents on the command line: the text is the goal."""
        start, model = options["start"], options.get("model") or "axis"
        goal = Goal.parse(read(text), model)
        begin, goal = read_question(_read_start(start, goal.shape, model), goal, model)
        named = {name: value for name, value in options.items() if name != "start"}
        shown = ",".join(map(str, start)) if isinstance(start, tuple) else str(begin)
        return Query(begin, {**named, "goal": goal, "model": model}, {"start": shown, "model": model})

    def at_first(self, options: Keywords) -> Tray:
        """Return the state at which an alg begins; a vacancy alone is in a 3x3 tray."""
        model = options["model"]
        return _read_start(options["start"], Shape(*_SHAPE, model), model)

    def tables(self) -> Sequence[TableEntry]:
        """Return the tables from uniform starts in a 3x3 tray."""
        return _TABLES

    def graph_of(self, entry: TableEntry) -> TrayGraph:
        """Return the trays of a table of distances."""
        if entry.fold:
            raise ValueError(f"{entry.name} is not a table of states")
        return _graph(Tray.start(_vacancy(entry), model=entry.header.puzzle.removeprefix("rolling-")), entry)

    def pattern(self, entry: TableEntry, number: int) -> str:  # noqa: ARG002  # all are of one shape
        """Return the top pattern of an entry of a table of least depths."""
        return unrank_pattern(number, Shape(*_SHAPE))


def _read_start(start: tuple[int, int] | str, shape: Shape, model: str) -> Tray:
    try:
        return Tray(start, model) if isinstance(start, str) else Tray.start(start, shape.rows, shape.cols, model)
    except InvalidStateError as error:
        raise InvalidStateError(f"start: {error}", error.fault) from None


def read_question(start: Start, goal: str | Tray | Goal, model: str) -> tuple[Tray, Goal]:
    """Return the start and the goal of a question; the model matters if neither of the two is a tray."""
    if isinstance(start, Tray):
        model = start.shape.model_name
    if isinstance(goal, Tray):
        goal = Goal.only(goal)
    wanted = goal if isinstance(goal, Goal) else Goal.parse(goal, model)
    shape = wanted.shape
    begin = start if isinstance(start, Tray) else Tray.start(start, shape.rows, shape.cols, shape.model_name)
    if begin.shape != shape:
        message = f"start and goal differ: {_described(begin.shape)}, and {_described(shape)}"
        raise InvalidStateError(message, "size")
    return begin, wanted


def _described(shape: Shape) -> str:
    return f"{shape.rows}x{shape.cols} cells of the model {shape.model_name}"

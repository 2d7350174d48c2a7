"""Rolling cubes: cubes in a tray with one vacancy, into which a neighbour rolls."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cubesolve.catalog.rolling.goal import Goal, unrank_pattern
from cubesolve.catalog.rolling.model import DIRECTIONS, MODELS, Shape, TraySymmetry, symmetries
from cubesolve.catalog.rolling.tray import Tray, drawn, invert_rolls
from cubesolve.definition.options import LIMITS, SOLVED_WITHIN, Option
from cubesolve.definition.view import Form, View
from cubesolve.errors import InvalidStateError, quoted
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.locks import load_numpy
from cubesolve.spaces.rules import Graph, InArrays, Query, Rules
from cubesolve.spaces.tables import MOD3, Fold, TableEntry, TableHeader

if TYPE_CHECKING:
    from cubesolve.catalog.rolling.spaces import TrayRanks
    from cubesolve.picture.pictures import Picture
    from cubesolve.picture.scenes import Motion, Scene

NAMES = ("rolling",)
"""The puzzles of this module."""


def rules(name: str) -> RollingRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    return RollingRules() if name in NAMES else None


Start = Tray | tuple[int, int]
"""A state, or the column and row of the vacancy of a uniform start."""

_SHAPE = (3, 3)
_PLACES = {"corner": (1, 1), "edge": (2, 1), "centre": (2, 2)}
_PREFIXES = {"axis": "rolling-", "face": "rolling-face-", "full": "rolling-full-3x3-"}


# -- Tables ----------------------------------------------------------------------------------------------------------


_OF_CLASSES = "row class x orientations"
"""The scheme of tables whose entries are symmetry classes of trays."""


def _rolling(name: str, start: int, counts: str, sha256: str) -> TableEntry:
    distribution = tuple(map(int, counts.split()))  # every state, and every pattern, is reachable
    folded, puzzle = name.removesuffix("-patterns"), "rolling-face" if "-face-" in name else "rolling-axis"
    subsets = "" if folded != name or puzzle == "rolling-face" else "plus slots x "
    scheme = f"vacancy x {subsets}{'tops' if puzzle == 'rolling-axis' else 'orientations'}"
    width, sets = sum(distribution) // (_SHAPE[0] * _SHAPE[1]), 56 if folded == "rolling-edge" else 70
    return TableEntry(
        TableHeader(name, puzzle, "rolls", scheme, sum(distribution), distribution, sha256),
        (start,),
        source="found here; the proof needs no other source, and an independent C++ search gives the same",
        by_default=puzzle == "rolling-axis",
        fold=Fold(folded, sets, width) if folded != name else None,  # for each top pattern, the sets of "+" slots
    )


def _full(name: str, start: int, counts: str, sha256: str, classes: int, effort: str) -> TableEntry:
    row = 12 ** (_SHAPE[0] * _SHAPE[1] - 1)
    distribution = tuple(map(int, counts.split()))
    header = TableHeader(name, "rolling-full", "rolls", _OF_CLASSES, classes * row, distribution, sha256, MOD3)
    return TableEntry(header, (start * row,), by_default=False, effort=effort)


_TABLES = (
    _rolling(
        "rolling-corner",
        131220,
        """
        1 2 4 8 16 20 40 68 134 180 348 524 1034 1474 2860 4154 8063 11406 21646 29862 55599 73770
        131016 159948 262322 282642 414783 380290 493832 385120 443034 289594 290863 156246 132567
        52310 33819 8850 4210 610 159 2
        """,
        "ce272b22308f0fd9fa9f6f5befdcc002ec9d0462de381386e638285e5abc79fe",
    ),
    _rolling(
        "rolling-corner-patterns",
        0,
        """
        1 2 4 8 16 20 40 68 134 178 338 488 929 1224 2187 2792 4529 4812 6832 6246 7430 5278 5419
        3068 3066 1420 1355 506 426 106 89 28 10
        """,
        "2679d2af0a7790ef74bc1a4f6d068d9d998edfaab51452bd82841eea912165b8",
    ),
    _rolling(
        "rolling-edge",
        413343,
        """
        1 3 5 10 14 28 44 88 124 240 352 690 994 1930 2783 5389 7592 14317 19389 35611 46351 80937
        96674 157321 169299 251613 240776 328979 280262 350281 263557 297937 192377 192873 103451
        88922 37653 26345 7480 3460 484 106 2
        """,
        "5d7c5d0cda83541d0cb78557d86579728947635a54953ba9f5a37bd9414e7b61",
    ),
    _rolling(
        "rolling-edge-patterns",
        6561,
        """
        1 3 5 10 14 28 44 88 123 234 320 616 811 1446 1833 3040 3406 4948 4822 6189 4921 5817 4109
        4527 2861 3123 1826 1755 791 703 282 220 67 52 7 5 1 1
        """,
        "35d114ea1f8f81d6096c4043ae9da149eeee9b903ef321554fa80f16070539f0",
    ),
    _rolling(
        "rolling-centre",
        1968300,
        """
        1 4 8 8 16 32 64 80 152 240 480 668 1272 1844 3584 5028 9448 12744 23340 30284 52780 63072
        104790 119644 188982 198048 292850 281116 387675 337528 428112 324476 373579 254516 261638
        140744 124006 57164 40122 9512 3394 328 57
        """,
        "3b971ebbfd9876ef70be8b765d2f818a0bfc97b4cb8bbd0cf1c079911775f263",
    ),
    _rolling(
        "rolling-centre-patterns",
        26244,
        """
        1 4 8 8 16 32 64 80 148 216 412 512 942 1228 2100 2344 3544 3856 5413 4664 5954 4404 5430
        4024 4245 2612 2628 1404 1206 596 508 224 154 32 30 4 2
        """,
        "46d83cc4bb2f6cb19c93f45f94a9953d7b2d9981e6781f0c21e4bbeae041bf2c",
    ),
    _rolling(
        "rolling-face-corner",
        0,
        """
        1 2 4 8 16 20 40 68 134 180 346 516 1017 1454 2816 4074 7906 11186 21216 29286 54722 73374
        132614 168326 289445 341566 552553 595292 893904 872732 1215810 1068258 1379822 1102470
        1324453 955226 1066901 704122 736316 435172 418384 223982 199308 92820 73780 29768 21455
        7204 4436 1210 613 134 64 14 4
        """,
        "544128b62d46d785901d1245f4f9ca572aab2ba5e9dd15e0b84eed500408641b",
    ),
    _rolling(
        "rolling-face-edge",
        1679616,
        """
        1 3 5 10 14 28 44 88 123 236 343 674 976 1904 2744 5349 7637 14644 20443 38601 52633 97034
        127358 226156 278966 468406 532765 834203 857380 1235419 1129228 1490081 1210036 1459568
        1049526 1159608 741298 749065 419249 384848 191420 161283 70067 53222 20625 14340 4646 2799
        811 453 118 58 8
        """,
        "c6b3493dfe953b0c36b86d70181026a05e2beda7740d099e0b647c5c2760de26",
    ),
    _rolling(
        "rolling-face-centre",
        6718464,
        """
        1 4 8 8 16 32 64 80 148 224 448 632 1216 1768 3464 4960 9482 13296 25484 35744 67096 90584
        166558 217612 383604 466092 767211 838724 1260208 1208772 1631240 1342312 1618467 1145324
        1237172 756312 734955 386164 333095 150940 118538 46444 32322 10656 6381 1564 858 204 44 12
        """,
        "778c447569a16089d0849bc85be8b5f264e32ee0010a9f7f9042de364448ffc0",
    ),
    _full(
        "rolling-full-3x3-corner",
        17,
        """
        1 2 4 8 16 20 40 68 134 180 348 524 1034 1476 2872 4188 8188 11784 22817 32668 63366 90704 175320 249540
        481464 684548 1317540 1864030 3577811 5046776 9658308 13553068 25830798 36054420 68375802 94684638
        178298213 244355304 455666148 614838434 1129878474 1490123846 2679065569 3411122316 5930759751
        7158694718 11836419426 13193788504 20294334282 20250559840 28324004284 24560692344 30679341453
        22649774940 25003292717 15495669718 14995414750 7703212890 6477218225 2709125518 1952539502 650005746
        394251142 100878772 49923486 9311336 3556411 434718 112878 7278 1026 16
        """,
        "",
        324,
        "55 GB of memory",
    ),
    _full(
        "rolling-full-3x3-edge",
        63,
        """
        1 3 5 10 14 28 44 88 124 240 352 692 1000 1952 2832 5546 7994 15532 22250 43182 61771 119572 170494
        329411 468440 903071 1279972 2461221 3477144 6666502 9379074 17918654 25084153 47709339 66345975
        125430919 172865935 324054250 440716444 815766089 1087385261 1973981457 2549827176 4489406531 5518691218
        9264529919 10547423297 16485042069 16776753269 23743153569 20788964793 25965156329 18940973587
        20501141598 12177486687 11280589548 5351141069 4187415457 1547013569 1003597069 278972863 146560064
        29589810 12308195 1740299 554346 52198 12303 786 125 4
        """,
        "",
        261,
        "45 GB of memory",
    ),
    _full(
        "rolling-full-3x3-centre",
        87,
        """
        1 4 8 8 16 32 64 80 152 240 480 672 1296 1904 3756 5432 10484 14992 29204 42056 81240 115456 223420
        319196 615433 871728 1677160 2376320 4561736 6425672 12294880 17268260 32925834 45954744 87196946
        120920028 227988528 312939020 584534210 790938540 1456785231 1926790556 3471422822 4429735152
        7704551045 9279807612 15268275008 16815902068 25459903914 24599813544 33195875414 26931598400
        31450653729 20600201748 20344548688 10449503720 8586479580 3356337940 2242917013 640170100 335063976
        63997876 24268472 2778972 697276 42656 6584 152
        """,
        "55897708f8e74feb27d8f2fb10ffc694b8de943037892b5b40ca4f6facbc9400",
        89,
        "15 GB of memory",
    ),
)
_BY_NAME = {entry.name: entry for entry in _TABLES}


class TrayGraph(Graph[Tray]):
    """Trays that can be rolled into a uniform start, with the table of the distances from it or from a symmetric start.

    Attributes:
        shape: the shape of the trays.
        plus: the number of cubes of the class "+".
        entry: the table; its ranks are those of these trays, or of the trays that the symmetry takes them to.
        patterns: the table of the top patterns, if there is one.
        symmetry: the symmetry that takes the start to that of the table.
    """

    moves = tuple(DIRECTIONS)

    def __init__(self, start: Tray, entry: TableEntry) -> None:
        """Take the start and the table."""
        self.shape, self.plus, self.entry, self.states = start.shape, start.plus, entry, entry.header.entries
        self.patterns = _BY_NAME.get(f"{entry.name}-patterns")
        cell, tabulated = self.shape.vacancy_cell(start.vacancy), self.shape.vacancy_cell(_vacancy(entry))
        self.symmetry = next(each for each in symmetries(self.shape) if each.cells[cell] == tabulated)
        self._fixed = cell if entry.header.scheme == _OF_CLASSES else None

    @property
    def back(self) -> TraySymmetry:
        """The inverse of the symmetry."""
        cells, every = self.symmetry.cells, tuple(range(self.shape.cells))
        return next(each for each in symmetries(self.shape) if tuple(each.cells[cell] for cell in cells) == every)

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

    @functools.cached_property
    def ranks(self) -> TrayRanks:
        """The ranks of many trays, which need numpy."""
        load_numpy()
        from cubesolve.catalog.rolling.spaces import TrayRanks  # noqa: PLC0415  # needs numpy

        return TrayRanks(self.shape, self.plus, self._fixed)

    def in_arrays(self) -> InArrays:
        """Return how the graph is given as arrays, which needs numpy."""
        load_numpy()
        from cubesolve.catalog.rolling.spaces import CellForm, rolling_space  # noqa: PLC0415  # needs numpy

        most = max(self.states, 1 << 30)
        return InArrays(
            lambda: rolling_space(self.shape, self.plus, most, self._fixed),
            lambda: CellForm(self.ranks),
        )

    def spelled(self, moves: Sequence[int]) -> str:
        """Return rolls, given by number, as letters."""
        return "".join([self.moves[move] for move in moves])


def graph_from(start: Tray) -> TrayGraph | None:
    """Return the trays with the distances from a start; None if it is not uniform, or has no table.

    >>> graph_from(Tray.start((3, 2))).entry.name
    'rolling-edge'
    """
    shape = start.shape
    if not start.is_uniform or (shape.rows, shape.cols) != _SHAPE or shape.model_name not in _PREFIXES:
        return None
    odd = sum(each != 2 for each in start.vacancy)  # coordinates that are not in the middle
    return _graph(start, _BY_NAME[_PREFIXES[shape.model_name] + ("centre", "edge", "corner")[odd]])


@functools.cache
def _graph(start: Tray, entry: TableEntry) -> TrayGraph:
    return TrayGraph(start, entry)


def _vacancy(entry: TableEntry) -> tuple[int, int]:
    """Return the vacancy of the start of a table."""
    return next(vacancy for place, vacancy in _PLACES.items() if place in entry.name)


# -- The puzzle ------------------------------------------------------------------------------------------------------


def read_vacancy(text: str) -> tuple[int, int]:
    """Return the column and row of a vacancy, or reject the text by a `ValueError`.

    >>> read_vacancy("2,1")
    (2, 1)
    """
    return _two_numbers(text, r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*", "column,row, such as 2,1")


def read_size(text: str) -> tuple[int, int]:
    """Return the rows and columns of a tray, or reject the text by a `ValueError`.

    >>> read_size("2x3")
    (2, 3)
    """
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

    @property
    def forms(self) -> Mapping[str, Form]:
        """The notation of trays: rows of cells."""
        return {
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
        return drawn(state, model)

    def build(self, state: Tray | str) -> Scene:
        """Return a tray in space."""
        from cubesolve.catalog.rolling.scene import of_tray  # noqa: PLC0415  # heavy: geometry

        return of_tray(self.read(state))

    def motion(self, state: Tray | str, move: str) -> Motion:
        """Return the motion of a roll in the scene of a tray."""
        from cubesolve.catalog.rolling.scene import of_roll  # noqa: PLC0415  # heavy: geometry

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
    groups = {"rolling-face": tuple(name for name in _BY_NAME if name.startswith("rolling-face-"))}  # noqa: RUF012

    def __init__(self) -> None:
        """Take the view of trays."""
        super().__init__(RollingView())

    @property
    def trained(self) -> Mapping[str, Mapping[str, object]]:
        """The environments for learning: a tray, whose solved state has the vacancy at a corner."""
        rows, cols = _SHAPE
        return {f"{self.name}-{rows}x{cols}": {"goal": _PLACES["corner"]}}

    @property
    def gods_number(self) -> int:
        """The largest depth for the worst start of a 3x3 tray, the middle of a side."""
        return max(len(entry.header.distribution) for entry in _TABLES if entry.by_default) - 1

    def query(self, text: str, read: Callable[[str], Any], options: Keywords) -> Query:
        """Return the question that a text represents on the command line: the text is the goal."""
        start, model = options["start"], options.get("model") or "axis"
        goal = Goal.parse(read(text), model)
        begin = _read_start(start, goal.shape, model)
        named = {name: value for name, value in options.items() if name != "start"}
        shown = ",".join(map(str, start)) if isinstance(start, tuple) else str(begin)
        return Query(begin, {**named, "goal": goal, "model": model}, {"start": shown, "model": model})

    def begin(self, query: Query) -> Tray:
        """Return the state at which a question begins."""
        return read_question(query.state, query.named["goal"], query.named["model"])[0]

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
    """Return the start and the goal of a question.

    Args:
        goal: a goal, a tray, or text; see `Goal.parse`.
        model: the model, if neither of the two is a tray.
    """
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

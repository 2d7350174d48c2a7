"""Exact answers from tables: depth, shortest solutions, scrambles.

The functions of this module ask a tablebase that is opened on first use and shared by all threads; `open_tablebase`
opens another one.

**Pocket cubes.** A cube is a `pocket.PocketCube` or its 24 facelets; answers are about the cube as it is held, and
depths are up to whole-cube rotation. Metrics are ``htm``, which counts every turn of a face as one move, and ``qtm``,
which counts quarter turns. Where several moves are equally good, the first in the order ``U U2 U' R R2 R' F F2 F'``
(``U U' R R' F F'``) is taken, so that the same question always has the same answer.

>>> cube = PocketCube.from_alg("R U F2")
>>> depth(cube), solve(cube)
(3, "F2 U' R'")

**Rolling cubes.** A question has a start and a goal. A start is a `rolling.Tray`, or the column and row of the vacancy
of a uniform one. A goal is a `rolling.Tray`, or text: a letter is the colour on top, two letters an orientation, ``*``
anything, and the nearest state that fits is taken. From a uniform start in a 3x3 tray the answer comes from a table,
and otherwise from a search from both ends. Rolls ``U D L R`` are named by the direction in which the cube moves; where
several are equally good, the first in this order is taken.

>>> depth((2, 1), "RBW/RWW/EWW"), solve((2, 1), "RBW/RWW/EWW")
(3, 'RUU')
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

from cubesolve.catalog import Folder
from cubesolve.lookup.cubes import SCRAMBLE_DEPTH, SCRAMBLE_LENGTH, Cube, CubeAnswers
from cubesolve.lookup.tables import Tables
from cubesolve.pocket import PocketCube

if TYPE_CHECKING:
    from cubesolve.lookup.trays import Start, TrayAnswers
    from cubesolve.rolling import Tray

__all__ = [
    "SCRAMBLE_DEPTH",
    "SCRAMBLE_LENGTH",
    "Tablebase",
    "antipodes",
    "count_solutions",
    "depth",
    "distribution",
    "hardest",
    "open_tablebase",
    "optimal_moves",
    "path",
    "random_state",
    "scramble",
    "solutions",
    "solve",
]


class Tablebase:
    """The tables of one folder, or of the usual ones; each is read on first use and never changes.

    Any number of threads may query one at once. As a context manager it gives the memory back on leaving.

    >>> with open_tablebase() as tables:
    ...     tables.depth("UUUU RRRR FFFF DDDD LLLL BBBB")
    0
    """

    def __init__(self, directory: Folder | None = None) -> None:
        """See `open_tablebase`."""
        self._tables = Tables(directory)
        self._cubes = CubeAnswers(self._tables)
        self.optimal_moves = self._cubes.optimal_moves
        self.path = self._cubes.path
        self.scramble = self._cubes.scramble
        self.random_state = self._cubes.random_state
        self.antipodes = self._cubes.antipodes

    @overload
    def depth(self, state: Cube, metric: str = "htm") -> int: ...
    @overload
    def depth(self, state: Start, goal: str | Tray, model: str = "axis") -> int: ...
    def depth(self, state: Cube | Start, *question: Any, **named: Any) -> int:
        """The least number of moves that solve a cube, or of rolls from a start to a goal.

        Args:
            state: a cube, or its 24 facelets; or a tray, or the vacancy of a uniform start.
            *question: for a cube the metric, ``htm`` by default; for rolling cubes the goal, and the model where
                neither start nor goal is a `Tray`, ``axis`` by default. Either can be named.
            **named: `metric`; `goal`, `model`.

        Raises:
            InvalidStateError: what is given is no cube, no tray, no goal, or start and goal differ in shape.
            UnsolvableStateError: no rolls lead to the goal.
            TableError: the table is missing or damaged.

        >>> depth("WWWW BBRR RRGG YYYY GGOO OOBB"), depth(PocketCube.from_alg("R2 U"), metric="qtm")
        (1, 3)
        >>> depth((2, 2), "DDD/D.D/DDD", model="face")
        36
        """
        if isinstance(state, (PocketCube, str)):
            return self._cubes.depth(state, *question, **named)
        return self._trays.depth(state, *question, **named)

    @overload
    def solve(self, state: Cube, metric: str = "htm") -> str: ...
    @overload
    def solve(self, state: Start, goal: str | Tray, model: str = "axis") -> str: ...
    def solve(self, state: Cube | Start, *question: Any, **named: Any) -> str:
        """A shortest alg that solves a cube as it is held, or shortest rolls from a start to a goal.

        It is empty if nothing is to be done. The arguments and errors are those of `depth`.

        >>> solve(PocketCube.from_alg("R U2 x"))
        "F2 R'"
        >>> solve((1, 1), "**E/***/***")
        'LL'
        """
        if isinstance(state, (PocketCube, str)):
            return self._cubes.solve(state, *question, **named)
        return self._trays.solve(state, *question, **named)

    @overload
    def solutions(self, state: Cube, metric: str = "htm") -> Iterator[str]: ...
    @overload
    def solutions(self, state: Start, goal: str | Tray, model: str = "axis") -> Iterator[str]: ...
    def solutions(self, state: Cube | Start, *question: Any, **named: Any) -> Iterator[str]:
        """Every shortest answer to the question that `solve` answers, that one first.

        They come in the order of the moves. For a cube these are algs of turns of U, R and F. In the quarter-turn
        metric a half turn is written as its two quarter turns, which have two orders of signs. The arguments and errors
        are those of `depth`.

        >>> list(solutions(PocketCube.from_alg("R2"), metric="qtm"))
        ['R R', "R' R'"]
        """
        if isinstance(state, (PocketCube, str)):
            return self._cubes.solutions(state, *question, **named)
        return self._trays.solutions(state, *question, **named)

    @overload
    def count_solutions(self, state: Cube, metric: str = "htm") -> int: ...
    @overload
    def count_solutions(self, state: Start, goal: str | Tray, model: str = "axis") -> int: ...
    def count_solutions(self, state: Cube | Start, *question: Any, **named: Any) -> int:
        """How many answers `solutions` lists, without listing them.

        >>> count_solutions(PocketCube.from_alg("U2 R2 F U R2 U R2 F2 U F2 U"))
        68
        """
        if isinstance(state, (PocketCube, str)):
            return self._cubes.count_solutions(state, *question, **named)
        return self._trays.count_solutions(state, *question, **named)

    @overload
    def distribution(self, of: str = "htm") -> tuple[int, ...]: ...
    @overload
    def distribution(self, of: tuple[int, int], patterns: bool = False) -> tuple[int, ...]: ...
    def distribution(self, of: str | tuple[int, int] = "htm", patterns: bool = False) -> tuple[int, ...]:
        """The number of states at each depth, from 0.

        Args:
            of: a metric of the pocket cube; or the vacancy of a uniform start in a 3x3 tray of the model ``axis``.
            patterns: count the top patterns by their depths instead of the states.

        Raises:
            ValueError: there is no such metric, or a metric has no patterns.
            InvalidStateError: the tray has no such cell.

        >>> distribution()[-1], sum(distribution())
        (2644, 3674160)
        >>> len(distribution((2, 1))) - 1, len(distribution((2, 1), patterns=True)) - 1
        (42, 37)
        """
        if not isinstance(of, str):
            return self._trays.distribution(of, patterns)
        if patterns:
            raise ValueError("pocket cubes have no top patterns")
        return self._cubes.distribution(of)

    def hardest(self, start: tuple[int, int]) -> list[str]:
        """The top patterns that need the most rolls from a uniform start in a 3x3 tray, in the order of their ranks.

        Args:
            start: the vacancy's column and row.

        Raises:
            InvalidStateError: the tray has no such cell.
            TableError: the table is missing or damaged.

        >>> hardest((2, 1))
        ['BRB/BEB/BRB']
        """
        return self._trays.hardest(start)

    @functools.cached_property
    def _trays(self) -> TrayAnswers:
        from cubesolve.lookup.trays import TrayAnswers  # noqa: PLC0415  # questions about cubes do not wait for this

        return TrayAnswers(self._tables)

    def close(self) -> None:
        """Give the memory back; further queries raise `ValueError`."""
        self._tables.close()

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_tablebase(directory: Folder | None = None) -> Tablebase:
    """Open the tables of a folder.

    Args:
        directory: the only folder to look in. Without it: the one that the environment variable ``CUBESOLVE_TABLES``
            names, the checkout's ``tables``, the copy inside an installed wheel; the first that has a table wins.

    Returns:
        A tablebase. Nothing is read yet: a missing or damaged table shows at the first query that needs it.
    """
    return Tablebase(directory)


_default = Tablebase()
antipodes = _default.antipodes
count_solutions = _default.count_solutions
depth = _default.depth
distribution = _default.distribution
hardest = _default.hardest
optimal_moves = _default.optimal_moves
path = _default.path
random_state = _default.random_state
scramble = _default.scramble
solutions = _default.solutions
solve = _default.solve

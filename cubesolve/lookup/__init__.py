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

**Arrays.** `depths`, `solve_batch`, `optimal_moves_batch` and `count_solutions_batch` answer for many states at once.
A batch of pocket cubes is an array of ranks, integers (N,); of facelets, uint8 (N, 24) with any six values as colours;
or of text, (N,) of the dtype ``S24``. With `goal`, the column and row of a vacancy, it is about rolling cubes in a 3x3
tray that are to be rolled into the uniform tray with that vacancy: ranks, or the cells as integers (N, 9) or (N, 3, 3),
each an index of `rolling.Model.names`, and 255 or -1 in the vacancy. Moves are numbered in the order in which ties are
broken. A row that is no state never gets a number: by default it is an error that names the first such rows, and with
``invalid="mask"`` the answer there is 255, no move, or 0 solutions. Large batches are shared by threads, as many as
there are processors unless `workers` says otherwise. A single rank, or a single text, has answers without the first
dimension.

>>> depths([0, 1574640, 1088535]).tolist()
[0, 1, 2]
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from cubesolve.catalog import Folder
from cubesolve.lookup.cubes import SCRAMBLE_DEPTH, SCRAMBLE_LENGTH, Cube, CubeAnswers
from cubesolve.lookup.tables import Table, Tables
from cubesolve.pocket import PocketCube

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from cubesolve.lookup.arrays import ArrayAnswers, Random, Solutions, Vacancy
    from cubesolve.lookup.trays import Start, TrayAnswers
    from cubesolve.rolling import Tray
    from cubesolve.symmetry import SymmetryClasses

__all__ = [
    "SCRAMBLE_DEPTH",
    "SCRAMBLE_LENGTH",
    "Table",
    "Tablebase",
    "antipodes",
    "cells",
    "count_solutions",
    "count_solutions_batch",
    "depth",
    "depths",
    "distribution",
    "facelets",
    "hardest",
    "neighbors",
    "open_tablebase",
    "optimal_moves",
    "optimal_moves_batch",
    "path",
    "random_state",
    "ranks",
    "sample",
    "scramble",
    "solution_counts",
    "solutions",
    "solve",
    "solve_batch",
    "symmetry_classes",
    "table",
    "transition_table",
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

    def depths(
        self,
        batch: ArrayLike,
        metric: str = "htm",
        *,
        goal: Vacancy | None = None,
        model: str | None = None,
        invalid: str = "raise",
        workers: int | None = None,
    ) -> NDArray[np.uint8]:
        """The depth of every state of a batch.

        Args:
            batch: pocket cubes as ranks, facelets or text; or, with a goal, trays as ranks or cells. See above.
            metric: the metric of pocket cubes.
            goal: for rolling cubes, the column and row of the vacancy in the uniform 3x3 tray to be rolled to.
            model: the rolling cubes' model, ``axis`` by default, or ``face``.
            invalid: ``raise``, or ``mask`` to go on.
            workers: number of threads; by default one for each processor. The result does not depend on it.

        Returns:
            uint8 (N,): 255 for what is no state.

        Raises:
            InvalidStateError: an array of another shape or type, or rows that are no states: the first of them are
                named. Refused as well are uint8 (24,) and (9,): rather one cube or tray than ranks.
            ValueError: there is no such metric, no table of the model, or no such `invalid`; `workers` is not positive;
                or a metric comes with a goal, or a model without one.
            TableError: the table is missing or damaged.

        >>> depths([b"UUUUBBRRRRFFDDDDFFLLLLBB", b"UUUUBBRRRRFFDDDDFFLLLLBU"], invalid="mask").tolist()
        [1, 255]
        >>> depths([[0, 0, 0, 0, 255, 0, 0, 0, 0]], goal=(2, 1)).tolist()
        Traceback (most recent call last):
            ...
        cubesolve.errors.InvalidStateError: row 0: rolling never makes it a tray with 5 cubes of the class '+'
        """
        return self._arrays.depths(batch, self._arrays.states(metric, goal, model), invalid, workers)

    def solve_batch(
        self,
        batch: ArrayLike,
        metric: str = "htm",
        *,
        goal: Vacancy | None = None,
        model: str | None = None,
        invalid: str = "raise",
        workers: int | None = None,
    ) -> Solutions:
        """A shortest solution of every state of a batch: that which `solve` gives.

        The arguments and errors are those of `depths`.

        Returns:
            `moves`, uint8 (N, longest): the numbers of the moves, 255 after the last; `longest` is the largest depth of
            all states. And `lengths`, uint8 (N,). Both are 255 for what is no state.

        >>> moves, lengths = solve_batch([2208639, 0])
        >>> moves[0].tolist(), lengths.tolist()
        ([5, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255], [1, 0])
        """
        return self._arrays.solve(batch, self._arrays.states(metric, goal, model), invalid, workers)

    def optimal_moves_batch(
        self,
        batch: ArrayLike,
        metric: str = "htm",
        *,
        goal: Vacancy | None = None,
        model: str | None = None,
        invalid: str = "raise",
        workers: int | None = None,
    ) -> NDArray[np.bool_]:
        """The moves with which a shortest solution of every state of a batch can begin.

        The arguments and errors are those of `depths`.

        Returns:
            bool (N, moves): none for a solved state, and for what is no state.

        >>> optimal_moves_batch([PocketCube.from_alg("R2").rank], "qtm").nonzero()[1].tolist()
        [2, 3]
        """
        return self._arrays.optimal_moves(batch, self._arrays.states(metric, goal, model), invalid, workers)

    def count_solutions_batch(
        self,
        batch: ArrayLike,
        metric: str = "htm",
        *,
        goal: Vacancy | None = None,
        model: str | None = None,
        invalid: str = "raise",
        workers: int | None = None,
    ) -> NDArray[np.int64]:
        """How many shortest solutions every state of a batch has.

        The arguments and errors are those of `depths`.

        Returns:
            int64 (N,): 1 for a solved state, 0 for what is no state.

        >>> count_solutions_batch([0, PocketCube.from_alg("U2 R2 F U R2 U R2 F2 U F2 U").rank]).tolist()
        [1, 68]
        """
        return self._arrays.count_solutions(batch, self._arrays.states(metric, goal, model), invalid, workers)

    def neighbors(
        self,
        ranks: ArrayLike,
        metric: str = "htm",
        *,
        goal: Vacancy | None = None,
        model: str | None = None,
        invalid: str = "raise",
        workers: int | None = None,
    ) -> NDArray[np.int32]:
        """The ranks that the moves lead to from every rank.

        Args:
            ranks: integers (N,).
            metric: as for `depths`, and so are the others.
            goal: the trays are those that can be rolled to it.
            model: the rolling cubes' model.
            invalid: ``raise``, or ``mask`` to go on.
            workers: number of threads.

        Returns:
            int32 (N, moves): -1 where a roll is not possible, and for what is no state.

        Raises:
            InvalidStateError, ValueError: as for `depths`. No table is needed.

        >>> neighbors([0])[0, 3:6].tolist() == [PocketCube.from_alg(move).rank for move in ("R", "R2", "R'")]
        True
        """
        return self._arrays.neighbors(ranks, self._arrays.states(metric, goal, model), invalid, workers)

    def ranks(
        self,
        batch: ArrayLike,
        *,
        goal: Vacancy | None = None,
        model: str | None = None,
        invalid: str = "raise",
        workers: int | None = None,
    ) -> NDArray[np.int32]:
        """The rank of every state of a batch; that of a pocket cube is the same in every holding.

        The arguments and errors are those of `depths`. No table is needed.

        Returns:
            int32 (N,): -1 for what is no state.

        >>> ranks([PocketCube.from_alg("R U2 y x").facelets.encode()]).tolist()
        [1088535]
        """
        return self._arrays.ranks(batch, self._arrays.states("htm", goal, model), invalid, workers)

    def facelets(
        self, ranks: ArrayLike, colours: str | Sequence[int] = "URFDLB", *, workers: int | None = None
    ) -> NDArray[np.uint8]:
        """The facelets of pocket cubes with these ranks, the corner DBL at home: as `PocketCube.unrank` has them.

        Args:
            ranks: integers (N,).
            colours: what the faces U R F D L B of a solved cube show: six characters, or six numbers up to 255.
            workers: number of threads.

        Returns:
            uint8 (N, 24). With letters as colours, ``.view("S24")`` makes text of it.

        Raises:
            InvalidStateError: what is given are no ranks.
            ValueError: the colours are not six different bytes.

        >>> facelets([1574640], colours=range(6))[0].tolist()
        [0, 0, 0, 0, 5, 5, 1, 1, 1, 1, 2, 2, 3, 3, 3, 3, 2, 2, 4, 4, 4, 4, 5, 5]
        >>> facelets([1574640]).view("S24").tolist()
        [[b'UUUUBBRRRRFFDDDDFFLLLLBB']]
        """
        return self._arrays.facelets(ranks, colours, workers)

    def cells(
        self, ranks: ArrayLike, *, goal: Vacancy, model: str | None = None, workers: int | None = None
    ) -> NDArray[np.uint8]:
        """The cells of trays with these ranks.

        Args:
            ranks: integers (N,).
            goal: the trays are those that can be rolled to it.
            model: the rolling cubes' model.
            workers: number of threads.

        Returns:
            uint8 (N, 9): indices of `rolling.Model.names`, row by row, 255 in the vacancy.

        Raises:
            InvalidStateError: what is given are no ranks.

        >>> cells([413343], goal=(2, 1))[0].tolist()
        [0, 255, 0, 0, 0, 0, 0, 0, 0]
        """
        return self._arrays.cells(ranks, goal, model, workers)

    def sample(
        self,
        number: int,
        depth: ArrayLike | None = None,
        rng: Random = None,
        *,
        metric: str = "htm",
        goal: Vacancy | None = None,
        model: str | None = None,
    ) -> NDArray[np.int32]:
        """Uniformly random states: of all, or each of those at a depth.

        Args:
            number: how many; the same state can come more than once.
            depth: the depth of all of them, or `number` integers, one each.
            rng: a `numpy.random.Generator`, or a seed for one; by default one that nobody can repeat.
            metric: as for `depths`, and so are the others.
            goal: the trays are those that can be rolled to it.
            model: the rolling cubes' model.

        Returns:
            int32 (N,): ranks.

        Raises:
            ValueError: no state has such a depth, or as for `depths`.
            InvalidStateError: the goal is outside the tray.
            TableError: as for `depths`; a table is needed only where depths are given.

        >>> depths(sample(3, depth=[0, 11, 7], rng=1)).tolist()
        [0, 11, 7]
        """
        return self._arrays.sample(number, depth, rng, self._arrays.states(metric, goal, model))

    def table(self, name: str) -> Table:
        """A whole table.

        Args:
            name: its name, or ``pocket`` for ``pocket-htm``.

        Raises:
            ValueError: there is no such table.
            TableError: it is missing or damaged.

        >>> int(table("pocket-qtm").as_array().argmax())  # the first antipode
        19366
        """
        return self._tables.table(name)

    def transition_table(self, name: str, *, workers: int | None = None) -> NDArray[np.int32]:
        """Where every move leads from every state.

        Args:
            name: a table of states, or ``pocket`` for ``pocket-htm``.
            workers: number of threads; by default one for each processor.

        Returns:
            int32 (states, moves): ranks; -1 where a roll is not possible.

        Raises:
            ValueError: there is no such table, or it is one of top patterns.

        >>> transition_table("pocket").shape
        (3674160, 9)
        """
        return self._arrays.transition_table(name, workers)

    def solution_counts(self, name: str, *, workers: int | None = None) -> NDArray[np.int64]:
        """How many shortest solutions every state has.

        Args:
            name: a table of states, or ``pocket`` for ``pocket-htm``.
            workers: number of threads; by default one for each processor.

        Returns:
            int64 (states,): read-only.

        Raises:
            ValueError: there is no such table, or it is one of top patterns.
            TableError: it is missing or damaged.

        >>> counts = solution_counts("pocket-htm")
        >>> int(counts[0]), int(counts.max())
        (1, 196)
        """
        return self._arrays.states_of(name).ways(workers)

    def symmetry_classes(
        self, name: str = "pocket", *, inversion: bool = False, workers: int | None = None
    ) -> SymmetryClasses:
        """The classes of states that are the same up to the 48 symmetries of a cube.

        These are the turns and mirror images of the whole cube, its colours renamed so that they stand as before.

        Args:
            name: a table of the pocket cube, whose depths are given; ``pocket`` for ``pocket-htm``.
            inversion: whether a state and its inverse are of one class, too.
            workers: number of threads; by default one for each processor.

        Returns:
            `representative`, int32 (classes,): the smallest rank of each class; `size` and `depth`, uint8 (classes,);
            and `class_of`, int32 (states,): the number of each state's class.

        Raises:
            ValueError: there is no such table of the pocket cube.
            TableError: it is missing or damaged.

        >>> classes = symmetry_classes("pocket")
        >>> len(classes.representative), int(classes.size.max())
        (77802, 48)
        """
        return self._arrays.symmetry_classes(name, inversion, workers)

    @functools.cached_property
    def _arrays(self) -> ArrayAnswers:
        from cubesolve.lookup.arrays import ArrayAnswers  # noqa: PLC0415  # needs numpy

        return ArrayAnswers(self._tables)

    @functools.cached_property
    def _trays(self) -> TrayAnswers:
        from cubesolve.lookup.trays import TrayAnswers  # noqa: PLC0415  # questions about cubes do not wait for this

        return TrayAnswers(self._tables)

    def close(self) -> None:
        """Give the memory back; further queries of tables raise `ValueError`."""
        self._tables.close()
        self.__dict__.pop("_arrays", None)

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
cells = _default.cells
count_solutions = _default.count_solutions
count_solutions_batch = _default.count_solutions_batch
depth = _default.depth
depths = _default.depths
distribution = _default.distribution
facelets = _default.facelets
hardest = _default.hardest
neighbors = _default.neighbors
optimal_moves = _default.optimal_moves
optimal_moves_batch = _default.optimal_moves_batch
path = _default.path
random_state = _default.random_state
ranks = _default.ranks
sample = _default.sample
scramble = _default.scramble
solution_counts = _default.solution_counts
solutions = _default.solutions
solve = _default.solve
solve_batch = _default.solve_batch
symmetry_classes = _default.symmetry_classes
table = _default.table
transition_table = _default.transition_table

"""Exact answers: depth, optimal solutions, scrambles, and the same for arrays of states.

The functions of this module determine the puzzle of a state, and call the method of the same name of its `Puzzle`;
`cubesolve.puzzle` returns a puzzle by name. They share a tablebase that is opened on first use and can be used by all
threads; `open_tablebase` opens another one.

**Pocket cubes.** A cube is a `PocketCube`, its 24 facelets, or its rank. Moves apply to the cube in the given
orientation, and depths are up to whole-cube rotations. Metrics are ``htm``, which counts every turn of a face as one
move, and ``qtm``, which counts quarter turns. Of several optimal moves, the first in the order
``U U2 U' R R2 R' F F2 F'`` (``U U' R R' F F'``) is taken, so the same question always has the same answer.

>>> cube = PocketCube.from_alg("R U F2")
>>> depth(cube), solve(cube)
(3, "F2 U' R'")

A single state may also be an alg that leads to it from the solved state, if the alg cannot be mistaken for facelets: it
has a digit or a prime, or fewer than 12 letters separated by spaces. Without the name of a puzzle it is an alg of the
pocket cube, and the first one warns of it; ``puzzle("rubik").depth("R U")`` is about the 3x3x3.

>>> depth("R U F2")
3

**3x3x3 cubes.** A cube is a `RubikCube` or its 54 facelets, and moves apply to it in the given orientation. Answers
come from a search, which can have limits: see `SearchOptions`.

>>> from cubesolve import RubikCube
>>> depth(RubikCube.from_alg("R U F2")), solve(RubikCube.from_alg("R U F2"))
(3, "F2 U' R'")

**Rolling cubes.** A question has a start and a goal. A start is a `rolling.Tray`, or the column and row of the vacancy
of a uniform one. A goal is a `rolling.Tray`, or text: a letter is the colour on top, two letters an orientation, ``*``
a don't-care; the nearest state that fits is taken. From a uniform start in a 3x3 tray the answer comes from a table,
and otherwise from a bidirectional search. Rolls ``U D L R`` are named by the direction in which the cube moves; of
several optimal rolls, the first in this order is taken.

>>> depth((2, 1), "RBW/RWW/EWW"), solve((2, 1), "RBW/RWW/EWW")
(3, 'RUU')

**Arrays.** `depths`, `solve_batch`, `optimal_moves_batch` and `count_solutions_batch` answer for many states at once.
A batch of pocket cubes is an array of ranks, integers (N,); of facelets, integers (N, 24), (N, 6, 4) or (N, 6, 2, 2)
with any six values as colours; of text, facelets or algs, (N,); or a list of cubes. With `goal`, the column and row of
a vacancy, it consists of rolling cubes in a 3x3 tray, for the uniform tray with that vacancy: ranks, or the cells as
integers (N, 9) or (N, 3, 3), each an index of `rolling.Model.names`, and 255 or -1 in the vacancy. Moves are numbered
in the order in which ties are broken. By default an invalid row is an error, whose message has the first such rows;
with ``invalid="mask"`` the answer for the row is 255, no move, or 0 solutions. Large batches are divided among
threads, by default one for each processor (`workers`). For a single rank or a single text, the answers lack the first
dimension.

>>> depths([0, 1574640, 1088535]).tolist(), depths(["R U", "R U2 F'"], puzzle="pocket").tolist()
([0, 1, 2], [2, 3])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from cubesolve import catalog
from cubesolve.ask import Puzzle
from cubesolve.catalog.pocket import SCRAMBLE_DEPTH, SCRAMBLE_LENGTH
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.lookup.finding import Puzzles
from cubesolve.search.limits import SearchOptions, limited
from cubesolve.solvers.answers import Distribution, Solution
from cubesolve.store.folders import Folder
from cubesolve.store.tables import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from cubesolve.ask.arrays import Batch, Given, Target
    from cubesolve.catalog.pocket.arrays import SymmetryClasses
    from cubesolve.catalog.rolling.model import ModelName
    from cubesolve.catalog.rolling.tray import Tray
    from cubesolve.catalog.rubik.cube import RubikCube
    from cubesolve.definition.state import State
    from cubesolve.lookup.finding import PocketName, RubikName
    from cubesolve.search.limits import Limits
    from cubesolve.solvers.keywords import (
        AntipodesQuestion,
        BatchQuestion,
        BoundsQuestion,
        DrawQuestion,
        GraphQuestion,
        HeuristicQuestion,
        Question,
        SeededQuestion,
        SolutionsQuestion,
        SolveBatchQuestion,
        SolveQuestion,
        StatesQuestion,
        Vacancy,
    )
    from cubesolve.solvers.solver import Source

    _Given = Given[PocketCube | RubikCube | Tray | State]
    _Target = Target[PocketCube | RubikCube | Tray | State]
    _Batch = Batch[PocketCube | RubikCube | Tray | State]

__all__ = [
    "Distribution",
    "RUBIK_SCRAMBLE_DEPTH",
    "SCRAMBLE_DEPTH",
    "SCRAMBLE_LENGTH",
    "SearchOptions",
    "Solution",
    "Table",
    "Tablebase",
    "antipodes",
    "bounds",
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
    "puzzle",
    "puzzles",
    "random_state",
    "ranks",
    "sample",
    "scramble",
    "search",
    "solution_counts",
    "solutions",
    "solve",
    "solve_batch",
    "symmetry_classes",
    "table",
    "transition_table",
]


RUBIK_SCRAMBLE_DEPTH = 2
"""The least depth of a scrambled 3x3x3: World Cube Association, Regulations, 4b3."""


class Tablebase(Puzzles):
    """The tables of one folder, or of the usual ones; each is opened on first use and never changes.

    Any number of threads may query a tablebase at once. As a context manager, it is closed on exit.

    >>> with open_tablebase() as tables:
    ...     tables.depth("UUUU RRRR FFFF DDDD LLLL BBBB")
    0
    """

    # -- One state -----------------------------------------------------------------------------------------------------

    def depth(
        self, state: _Given, goal: _Target = None, *, puzzle: str | None = None, **question: Unpack[Question]
    ) -> int:
        """Return the least number of moves that solve a state, or that lead from it to a goal; see `Puzzle.depth`.

        >>> depth("WWWW BBRR RRGG YYYY GGOO OOBB"), depth(PocketCube.from_alg("R2 U"), metric="qtm"), depth(1574640)
        (1, 3, 1)
        >>> depth((2, 2), "DDD/D.D/DDD", model="face")
        36
        """
        return self._about(state, puzzle).depth(state, goal, **question)

    def solve(
        self, state: _Given, goal: _Target = None, *, puzzle: str | None = None, **question: Unpack[SolveQuestion]
    ) -> Solution:
        """Return an optimal solution of a state in its orientation; see `Puzzle.solve`.

        >>> solve(PocketCube.from_alg("R U2 x"))
        "F2 R'"
        >>> solve((1, 1), "**E/***/***")
        'LL'
        """
        return self._about(state, puzzle).solve(state, goal, **question)

    def search(self, state: _Given, *, puzzle: str | None = None, **question: Unpack[HeuristicQuestion]) -> Solution:
        """Solve a state with a heuristic of your own; see `Puzzle.search`.

        >>> search(PocketCube.from_alg("R U2"), heuristic=depths, method="bwas")
        "U2 R'"
        """
        return self._about(state, puzzle).search(state, **question)

    def solutions(
        self, state: _Given, goal: _Target = None, *, puzzle: str | None = None, **question: Unpack[SolutionsQuestion]
    ) -> Iterator[str]:
        """List every optimal solution of a state; see `Puzzle.solutions`.

        >>> list(solutions(PocketCube.from_alg("R2"), metric="qtm"))
        ['R R', "R' R'"]
        """
        return self._about(state, puzzle).solutions(state, goal, **question)

    def count_solutions(
        self, state: _Given, goal: _Target = None, *, puzzle: str | None = None, **question: Unpack[Question]
    ) -> int:
        """Return the number of optimal solutions of a state; see `Puzzle.count_solutions`.

        >>> count_solutions(PocketCube.from_alg("U2 R2 F U R2 U R2 F2 U F2 U"))
        68
        """
        return self._about(state, puzzle).count_solutions(state, goal, **question)

    def optimal_moves(
        self, state: _Given, goal: _Target = None, *, puzzle: str | None = None, **question: Unpack[Question]
    ) -> list[str]:
        """List the moves with which an optimal solution can begin; see `Puzzle.optimal_moves`."""
        return self._about(state, puzzle).optimal_moves(state, goal, **question)

    def path(
        self, start: _Given, target: _Given, *, puzzle: str | None = None, **question: Unpack[SolveQuestion]
    ) -> Solution:
        """Return a shortest alg that leads from one state of a puzzle to another; see `Puzzle.path`."""
        return self._about(start, puzzle).path(start, target, **question)

    # -- All states ----------------------------------------------------------------------------------------------------

    def distribution(self, *, puzzle: str | None = None, **question: Unpack[StatesQuestion]) -> Distribution:
        """Return the number of states at each depth, from 0; see `Puzzle.distribution`.

        With `start`, `tray` or `model`, the states are those of rolling cubes; otherwise those of the pocket cube.

        >>> distribution()[-1], sum(distribution(metric="qtm"))
        (2644, 3674160)
        >>> len(distribution(start=(2, 1))) - 1, len(distribution(start=(2, 1), patterns=True)) - 1
        (42, 37)
        """
        name = "rolling" if question.keys() & {"start", "tray", "model"} else "pocket"
        return self.puzzle(puzzle or name).distribution(**question)

    @overload
    def antipodes(
        self, *, puzzle: PocketName = "pocket", **question: Unpack[AntipodesQuestion]
    ) -> list[PocketCube]: ...
    @overload
    def antipodes(self, *, puzzle: str, **question: Unpack[AntipodesQuestion]) -> list[Any]: ...
    def antipodes(self, *, puzzle: str = "pocket", **question: Unpack[AntipodesQuestion]) -> list[Any]:
        """List the states at the largest depth, in the order of their ranks; see `Puzzle.antipodes`."""
        return self.puzzle(puzzle).antipodes(**question)

    def hardest(self, start: Vacancy, **limits: Unpack[Limits]) -> list[str]:
        """List the top patterns that need the most rolls from a uniform start in a 3x3 tray; see `Puzzle.antipodes`.

        Args:
            start: the column and row of the vacancy.
            **limits: `timeout` and `cancel`, as in `SearchOptions`.

        >>> hardest((2, 1))
        ['BRB/BEB/BRB']
        """
        return self.puzzle("rolling").antipodes(start=start, patterns=True, **limits)

    @overload
    def random_state(
        self,
        rng: Source = None,
        depth: int | None = None,
        *,
        puzzle: PocketName = "pocket",
        **question: Unpack[SeededQuestion],
    ) -> PocketCube: ...
    @overload
    def random_state(
        self, rng: Source = None, depth: int | None = None, *, puzzle: RubikName, **question: Unpack[SeededQuestion]
    ) -> RubikCube: ...
    @overload
    def random_state(
        self,
        rng: Source = None,
        depth: int | None = None,
        *,
        puzzle: Literal["rolling"],
        **question: Unpack[SeededQuestion],
    ) -> Tray: ...
    @overload
    def random_state(
        self, rng: Source = None, depth: int | None = None, *, puzzle: str, **question: Unpack[SeededQuestion]
    ) -> Any: ...
    def random_state(
        self,
        rng: Source = None,
        depth: int | None = None,
        *,
        puzzle: str = "pocket",
        **question: Unpack[SeededQuestion],
    ) -> Any:
        """Draw a state of the puzzle with this name uniformly at random; see `Puzzle.random_state`.

        >>> random_state(7, puzzle="rubik") == random_state(7, puzzle="rubik")
        True
        """
        return self.puzzle(puzzle).random_state(rng, depth, **question)

    def scramble(
        self,
        rng: Source = None,
        puzzle: str = "pocket",
        *,
        seed: int | None = None,
        depth: int | None = None,
        length: int | None = None,
        **question: Unpack[DrawQuestion],
    ) -> str:
        """Return an alg that leads to a random state of the puzzle with this name; see `Puzzle.scramble`.

        >>> scramble(7) == scramble(7), len(scramble().split()), len(scramble(length=20).split())
        (True, 11, 20)
        """
        return self.puzzle(puzzle).scramble(rng, depth=depth, length=length, seed=seed, **question)

    # -- Arrays --------------------------------------------------------------------------------------------------------

    def depths(
        self, batch: _Batch, *, puzzle: str | None = None, **question: Unpack[BatchQuestion]
    ) -> NDArray[np.uint8]:
        """Return the depth of each state of a batch; see `Puzzle.depths`.

        >>> depths([b"UUUUBBRRRRFFDDDDFFLLLLBB", b"UUUUBBRRRRFFDDDDFFLLLLBU"], invalid="mask").tolist()
        [1, 255]
        >>> depths([[0, 0, 0, 0, 255, 0, 0, 0, 0]], goal=(2, 1)).tolist()
        Traceback (most recent call last):
            ...
        cubesolve.errors.InvalidStateError: row 0: no rolls lead from it to a tray with 5 cubes of the class '+'
        """
        asked, named = self._about_batch(batch, question, puzzle)
        return asked.depths(batch, **named)

    def solve_batch(self, batch: _Batch, *, puzzle: str | None = None, **question: Unpack[SolveBatchQuestion]) -> Any:
        """Return an optimal solution of each state of a batch; see `Puzzle.solve_batch`.

        For an empty list, it is an empty list.
        """
        if isinstance(batch, (list, tuple)) and not batch:
            return []
        asked, named = self._about_batch(batch, question, puzzle)
        return asked.solve_batch(batch, **named)

    def bounds(
        self, batch: _Batch, *, puzzle: str | None = None, **question: Unpack[BoundsQuestion]
    ) -> NDArray[np.uint8]:
        """Return lower bounds for each state of a batch; see `Puzzle.bounds`.

        >>> from cubesolve import RubikCube
        >>> open_tablebase("/none").bounds([RubikCube.from_alg("R U F")], memory=10**6)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        cubesolve.errors.NoMemoryError: 1,000,000 bytes are not enough for a pattern database of the 3x3x3: ...
        """
        asked, named = self._about_batch(batch, question, puzzle)
        return asked.bounds(batch, **named)

    def optimal_moves_batch(
        self, batch: _Batch, *, puzzle: str | None = None, **question: Unpack[BatchQuestion]
    ) -> NDArray[np.bool_]:
        """Return the moves with which an optimal solution of each state can begin; see `Puzzle.optimal_moves_batch`.

        >>> optimal_moves_batch([PocketCube.from_alg("R2").rank], metric="qtm").nonzero()[1].tolist()
        [2, 3]
        """
        asked, named = self._about_batch(batch, question, puzzle)
        return asked.optimal_moves_batch(batch, **named)

    def count_solutions_batch(
        self, batch: _Batch, *, puzzle: str | None = None, **question: Unpack[BatchQuestion]
    ) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state of a batch; see `Puzzle.count_solutions_batch`.

        >>> count_solutions_batch([0, PocketCube.from_alg("U2 R2 F U R2 U R2 F2 U F2 U").rank]).tolist()
        [1, 68]
        """
        asked, named = self._about_batch(batch, question, puzzle)
        return asked.count_solutions_batch(batch, **named)

    def neighbors(
        self, ranks: ArrayLike, *, puzzle: str | None = None, **question: Unpack[BatchQuestion]
    ) -> NDArray[np.integer]:
        """Return the ranks that the moves lead to from each rank; see `Puzzle.neighbors`.

        >>> neighbors([0])[0, 3:6].tolist() == [PocketCube.from_alg(move).rank for move in ("R", "R2", "R'")]
        True
        """
        asked, named = self._about_batch(ranks, question, puzzle)
        return asked.neighbors(ranks, **named)

    def ranks(
        self, batch: _Batch, *, puzzle: str | None = None, **question: Unpack[BatchQuestion]
    ) -> NDArray[np.integer]:
        """Return the rank of each state of a batch; see `Puzzle.ranks`.

        >>> ranks([PocketCube.from_alg("R U2 y x").facelets.encode()]).tolist()
        [1088535]
        """
        asked, named = self._about_batch(batch, question, puzzle)
        return asked.ranks(batch, **named)

    @limited
    def facelets(
        self,
        ranks: ArrayLike,
        colours: str | Sequence[int] = "URFDLB",
        *,
        workers: int | None = None,
        **_limits: Unpack[Limits],
    ) -> NDArray[np.uint8]:
        """Return the facelets of pocket cubes with some ranks, the corner DBL at home, as `PocketCube.unrank` does.

        Args:
            ranks: integers (N,).
            colours: the colours of the faces U R F D L B of a solved cube: six characters, or six numbers up to 255.
            workers: number of threads.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Returns:
            uint8 (N, 24). With letters as colours, ``.view("S24")`` makes text of it.

        Raises:
            InvalidStateError: the numbers are not ranks.
            ValueError: the colours are not six different bytes.

        >>> facelets([1574640], colours=range(6))[0].tolist()
        [0, 0, 0, 0, 5, 5, 1, 1, 1, 1, 2, 2, 3, 3, 3, 3, 2, 2, 4, 4, 4, 4, 5, 5]
        >>> facelets([1574640]).view("S24").tolist()
        [[b'UUUUBBRRRRFFDDDDFFLLLLBB']]
        """
        from cubesolve.catalog.pocket.arrays import facelets_of  # noqa: PLC0415  # needs numpy

        return facelets_of(self._arrays_of("pocket"), ranks, colours, workers)

    def cells(
        self,
        ranks: ArrayLike,
        *,
        goal: Vacancy,
        model: ModelName | str | None = None,
        workers: int | None = None,
        **limits: Unpack[Limits],
    ) -> NDArray[np.uint8]:
        """Return the cells of the trays with these ranks that can be rolled to a goal; see `Puzzle.written`.

        Returns:
            uint8 (N, 9): indices of `rolling.Model.names`, row by row, 255 in the vacancy.

        >>> cells([413343], goal=(2, 1))[0].tolist()
        [0, 255, 0, 0, 0, 0, 0, 0, 0]
        """
        return self.puzzle("rolling").written(ranks, goal=goal, model=model, workers=workers, **limits)

    def sample(
        self,
        number: int,
        depth: ArrayLike | None = None,
        rng: Source = None,
        *,
        seed: int | None = None,
        puzzle: str | None = None,
        **question: Unpack[GraphQuestion],
    ) -> NDArray[np.integer]:
        """Draw ranks of states uniformly at random; see `Puzzle.sample`."""
        asked, named = self._about_batch((), question, puzzle)
        return asked.sample(number, depth, rng, seed=seed, **named)

    # -- Tables --------------------------------------------------------------------------------------------------------

    @limited
    def table(self, name: str, **_limits: Unpack[Limits]) -> Table:
        """Return a whole table.

        Args:
            name: its name, or that of a puzzle for the usual one, as ``pocket`` for ``pocket-htm``.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Raises:
            ValueError: there is no such table, or it is a pattern database, which has two bits an entry.
            TableError: it is missing or damaged.

        >>> int(table("pocket-qtm").as_array().argmax())  # the first antipode
        19366
        """
        puzzle, entry = self.found(name)
        return puzzle.table(entry)

    @limited
    def transition_table(
        self, name: str, *, workers: int | None = None, **_limits: Unpack[Limits]
    ) -> NDArray[np.integer]:
        """Return the rank that each move leads to from each state of a table; see `Puzzle.transition_table`.

        >>> transition_table("pocket").shape
        (3674160, 9)
        """
        return self._arrays_of(name).transition_table(workers)

    @limited
    def solution_counts(self, name: str, *, workers: int | None = None, **_limits: Unpack[Limits]) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state of a table; see `Puzzle.solution_counts`.

        >>> counts = solution_counts("pocket-htm")
        >>> int(counts[0]), int(counts.max())
        (1, 196)
        """
        return self._arrays_of(name).solution_counts(workers)

    @limited
    def symmetry_classes(
        self, name: str = "pocket", *, inversion: bool = False, workers: int | None = None, **_limits: Unpack[Limits]
    ) -> SymmetryClasses:
        """Return the classes of pocket cubes up to the 48 symmetries of a cube: its rotations and reflections.

        Args:
            name: a table of the pocket cube, whose depths are given; ``pocket`` for ``pocket-htm``.
            inversion: whether a state and its inverse are of one class, too.
            workers: number of threads; by default one for each processor.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

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
        from cubesolve.catalog.pocket.arrays import classes_of  # noqa: PLC0415  # needs numpy

        return classes_of(self._arrays_of(name), inversion, workers)


def open_tablebase(directory: Folder | None = None) -> Tablebase:
    """Open the tables of a folder.

    Args:
        directory: the only folder to look in. Without it: the one that the environment variable ``CUBESOLVE_TABLES``
            names, the checkout's ``tables`` or those of the installed package, the user's data folder; the first that
            has a table wins.

    Returns:
        A tablebase. No file is read yet: a missing or damaged table raises an error at the first query that needs it.
    """
    return Tablebase(directory)


def puzzles() -> list[str]:
    """Return the names of the puzzles that ship.

    >>> "skewb" in puzzles()
    True
    """
    return catalog.names()


def puzzle_of(given: str | Puzzle) -> Puzzle:
    """Return a puzzle, given by its name, by the path of a file, or as it is."""
    return given if isinstance(given, Puzzle) else puzzle(given)


def __dir__() -> list[str]:
    return __all__


_default = Tablebase()
antipodes = _default.antipodes
bounds = _default.bounds
search = _default.search
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
puzzle = _default.puzzle
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

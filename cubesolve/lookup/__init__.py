"""Exact answers: depth, shortest solutions, scrambles, and the same for arrays of states.

The functions of this module find out which puzzle a state is of, and ask it; `cubesolve.puzzle` gives a puzzle by name,
which then answers for itself. They share a tablebase that is opened on first use and can be used by all threads;
`open_tablebase` opens another one.

**Pocket cubes.** A cube is a `PocketCube`, its 24 facelets, or its rank; answers are about the cube as it is held, and
depths are up to whole-cube rotation. Metrics are ``htm``, which counts every turn of a face as one move, and ``qtm``,
which counts quarter turns. Where several moves are equally good, the first in the order ``U U2 U' R R2 R' F F2 F'``
(``U U' R R' F F'``) is taken, so that the same question always has the same answer.

>>> cube = PocketCube.from_alg("R U F2")
>>> depth(cube), solve(cube)
(3, "F2 U' R'")

Where one state is asked about, it may be an alg that makes it of the solved one, if that cannot be meant as facelets:
it has a digit or a prime, or fewer than 12 letters that are written apart. Without the name of a puzzle it is one of
the pocket cube; ``puzzle("rubik").depth("R U")`` is about the 3x3x3.

>>> depth("R U F2")
3

**3x3x3 cubes.** A cube is a `RubikCube` or its 54 facelets, and answers are about the cube as it is held. They come
from a search, which can be given limits: see `SearchOptions`.

>>> from cubesolve.rubik import RubikCube
>>> depth(RubikCube.from_alg("R U F2")), solve(RubikCube.from_alg("R U F2"))
(3, "F2 U' R'")

**Rolling cubes.** A question has a start and a goal. A start is a `rolling.Tray`, or the column and row of the vacancy
of a uniform one. A goal is a `rolling.Tray`, or text: a letter is the colour on top, two letters an orientation, ``*``
anything, and the nearest state that fits is taken. From a uniform start in a 3x3 tray the answer comes from a table,
and otherwise from a search from both ends. Rolls ``U D L R`` are named by the direction in which the cube moves; where
several are equally good, the first in this order is taken.

>>> depth((2, 1), "RBW/RWW/EWW"), solve((2, 1), "RBW/RWW/EWW")
(3, 'RUU')

**Arrays.** `depths`, `solve_batch`, `optimal_moves_batch` and `count_solutions_batch` answer for many states at once.
A batch of pocket cubes is an array of ranks, integers (N,); of facelets, integers (N, 24), (N, 6, 4) or (N, 6, 2, 2)
with any six values as colours; of text, (N,); or a list of cubes. With `goal`, the column and row of a vacancy, it is
about rolling cubes in a 3x3 tray that are to be rolled into the uniform tray with that vacancy: ranks, or the cells as
integers (N, 9) or (N, 3, 3), each an index of `rolling.Model.names`, and 255 or -1 in the vacancy. Moves are numbered
in the order in which ties are broken. A row that is no state never gets a number: by default it is an error that names
the first such rows, and with ``invalid="mask"`` the answer there is 255, no move, or 0 solutions. Large batches are
shared by threads, as many as there are processors unless `workers` says otherwise. A single rank, or a single text,
has answers without the first dimension. Text in
batches is facelets and never an alg: a row that is damaged is to be found.

>>> depths([0, 1574640, 1088535]).tolist()
[0, 1, 2]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack

from cubesolve import catalog
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.pocket.rules import SCRAMBLE_DEPTH, SCRAMBLE_LENGTH
from cubesolve.lookup.distribution import Distribution
from cubesolve.lookup.finding import claiming, claiming_batch, rules_named
from cubesolve.lookup.limits import SearchOptions
from cubesolve.lookup.questions import with_tables
from cubesolve.lookup.solution import Solution
from cubesolve.lookup.tables import Table, Tables
from cubesolve.store.folders import Folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from cubesolve.catalog.rolling.model import ModelName
    from cubesolve.engine.symmetry import SymmetryClasses
    from cubesolve.lookup.arrays import GraphArrays
    from cubesolve.lookup.questions import Puzzle, Source
    from cubesolve.notation import Metric
    from cubesolve.rules.rules import Rules
    from cubesolve.rules.tables import TableEntry

    Vacancy = tuple[int, int]

    class Question(SearchOptions, total=False):
        """What can be said by name beside a state.

        Attributes:
            metric: ``htm`` or ``qtm``.
            goal: where to, instead of the solved state.
            orientation: ``free``, or ``fixed`` for pocket cubes that are not to be turned as a whole: all six faces
                turn, and each must come to show the colour that it has at home (`PocketCube.colours`).
            within: be content with a solution of a 3x3x3 that is at most so many moves longer than what is proved to be
                needed.
        """

        metric: Metric | str
        goal: Any
        orientation: Literal["free", "fixed"] | str
        within: int


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
    "solution_counts",
    "solutions",
    "solve",
    "solve_batch",
    "symmetry_classes",
    "table",
    "transition_table",
]


class Tablebase:
    """The tables of one folder, or of the usual ones; each is opened on first use and never changes.

    Any number of threads may query one at once. As a context manager it gives the memory back on leaving.

    >>> with open_tablebase() as tables:
    ...     tables.depth("UUUU RRRR FFFF DDDD LLLL BBBB")
    0
    """

    def __init__(self, directory: Folder | None = None) -> None:
        """See `open_tablebase`."""
        self._tables = Tables(directory)
        self._puzzles: dict[Rules, Puzzle] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"_tables": self._tables, "_puzzles": {}}

    def puzzle(self, name: str, *, inverses: bool = True) -> Puzzle:
        """A puzzle.

        Args:
            name: one of `puzzles`, another name of one, as ``2x2x2``, or the path of a file that describes one: tws,
                KPuzzle, or permutations in cycles.
            inverses: whether a move also stands for its inverse and its other powers; see `Puzzle.restrict`.

        Raises:
            UnknownPuzzleError: no puzzle that ships has this name, and there is no such file.
            InvalidDefinitionError: the file describes no puzzle.

        >>> puzzle("skewb").depth("R U' L")
        3
        """
        found = self._with_tables(rules_named(name))
        return found if inverses else found.restrict(inverses=False)

    # -- One state -----------------------------------------------------------------------------------------------------

    def depth(
        self,
        state: Any,
        metric_or_goal: Any = None,
        model: ModelName | str | None = None,
        **question: Unpack[Question],
    ) -> int:
        """The least number of moves that solve a cube, or of rolls from a start to a goal.

        Args:
            state: a cube, its 24 or 54 facelets, or the rank of a pocket cube; a tray, or the vacancy of a uniform
                start.
            metric_or_goal: for a cube the metric, ``htm`` by default; for rolling cubes the goal.
            model: for rolling cubes, ``axis`` by default, where neither start nor goal is a `Tray`.
            **question: `metric`, `goal`, `orientation`, and how to search.

        Raises:
            InvalidStateError: what is given is no cube, no tray, no goal, or start and goal differ in shape.
            UnsolvableStateError: no rolls lead to the goal.
            SearchLimitError: the search ended at its limit, and no solution was found by then.
            TableError: the table is missing or damaged.
            ValueError: something is said that means nothing for the puzzle.

        >>> depth("WWWW BBRR RRGG YYYY GGOO OOBB"), depth(PocketCube.from_alg("R2 U"), metric="qtm"), depth(1574640)
        (1, 3, 1)
        >>> depth((2, 2), "DDD/D.D/DDD", model="face")
        36
        """
        puzzle, named = self._about(state, metric_or_goal, model, question)
        return puzzle.depth(state, **named)

    def solve(
        self,
        state: Any,
        metric_or_goal: Any = None,
        model: ModelName | str | None = None,
        **question: Unpack[Question],
    ) -> Solution:
        """A shortest alg that solves a cube as it is held, or shortest rolls from a start to a goal.

        It is empty if nothing is to be done. The arguments and errors are those of `depth`. For a 3x3x3 it is the one
        that the search finds first, which with the same table is always the same; with `within` it may be longer, and
        says how many moves are proved to be needed. A `Solution` is text, which a notebook shows step by step.

        >>> solve(PocketCube.from_alg("R U2 x"))
        "F2 R'"
        >>> solve((1, 1), "**E/***/***")
        'LL'
        """
        puzzle, named = self._about(state, metric_or_goal, model, question)
        return puzzle.solve(state, **named)

    def solutions(
        self,
        state: Any,
        metric_or_goal: Any = None,
        model: ModelName | str | None = None,
        **question: Unpack[Question],
    ) -> Iterator[str]:
        """Every shortest answer to the question that `solve` answers.

        They come in the order of the moves, that of `solve` first; but for a 3x3x3 that can be any of them. For a
        pocket cube these are algs of turns of U, R and F. In the quarter-turn metric a half turn is written as its two
        quarter turns, which have two orders of signs. The arguments and errors are those of `depth`.

        >>> list(solutions(PocketCube.from_alg("R2"), metric="qtm"))
        ['R R', "R' R'"]
        """
        puzzle, named = self._about(state, metric_or_goal, model, question)
        return puzzle.solutions(state, **named)

    def count_solutions(
        self,
        state: Any,
        metric_or_goal: Any = None,
        model: ModelName | str | None = None,
        **question: Unpack[Question],
    ) -> int:
        """How many answers `solutions` lists.

        >>> count_solutions(PocketCube.from_alg("U2 R2 F U R2 U R2 F2 U F2 U"))
        68
        """
        puzzle, named = self._about(state, metric_or_goal, model, question)
        return puzzle.count_solutions(state, **named)

    def optimal_moves(
        self,
        state: Any,
        metric_or_goal: Any = None,
        model: ModelName | str | None = None,
        **question: Unpack[Question],
    ) -> list[str]:
        """The moves with which a shortest solution can begin; none if nothing is to be done. See `depth`.

        >>> optimal_moves(PocketCube.from_alg("R2"), metric="qtm")
        ['R', "R'"]
        """
        puzzle, named = self._about(state, metric_or_goal, model, question)
        return puzzle.optimal_moves(state, **named)

    def path(
        self, start: Any, target: Any, metric: Metric | str = "htm", **question: Unpack[SearchOptions]
    ) -> Solution:
        """A shortest alg that turns one state of a cube into another.

        Both are given in the colours of one cube. Turning the whole cube is free: where the alg must end with
        rotations to leave `target` exactly as it is held, they are written and do not count.

        Args:
            start: a cube, its facelets, or the rank of a pocket cube.
            target: another state of the same cube.
            metric: ``htm`` or ``qtm``.
            **question: how to search.

        Raises:
            InvalidStateError: one is no cube, or they are not states of the same one.
            SearchLimitError, TableError: as for `depth`.

        >>> start, target = PocketCube.from_alg("R U"), PocketCube.from_alg("F x")
        >>> path(start, target)
        "U' R' F x"
        >>> start.apply(path(start, target)) == target
        True
        """
        return self._with_tables(claiming(start)).path(start, target, metric=metric, **question)

    # -- All states ----------------------------------------------------------------------------------------------------

    def distribution(self, of: str | Vacancy = "htm", patterns: bool = False) -> Distribution:
        """The number of states at each depth, from 0: a tuple, which a notebook shows as bars.

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
            return self._with_tables(claiming(of)).distribution(start=of, patterns=patterns)
        if patterns:
            raise ValueError("pocket cubes have no top patterns")
        return self.puzzle("pocket").distribution(metric=of)

    def antipodes(self, metric: Metric | str = "htm") -> list[PocketCube]:
        """The pocket cubes at the largest depth, in the order of their ranks.

        Raises:
            TableError: as for `depth`.

        >>> len(antipodes(metric="qtm"))
        276
        """
        return self.puzzle("pocket").antipodes(metric=metric)

    def hardest(self, start: Vacancy) -> list[str]:
        """The top patterns that need the most rolls from a uniform start in a 3x3 tray, in the order of their ranks.

        Args:
            start: the vacancy's column and row.

        Raises:
            InvalidStateError: the tray has no such cell.
            TableError: the table is missing or damaged.

        >>> hardest((2, 1))
        ['BRB/BEB/BRB']
        """
        return self._with_tables(claiming(start)).antipodes(start=start, patterns=True)

    def random_state(
        self,
        rng: Source = None,
        depth: int | None = None,
        metric: Metric | str | None = None,
        *,
        puzzle: str = "pocket",
    ) -> Any:
        """A uniformly random state: of all, or of those at one depth.

        Args:
            rng: a source of random numbers, or a seed for one; by default one that nobody can repeat.
            depth: the depth that it shall have; a 3x3x3 cannot be asked for by it.
            metric: the metric of that depth.
            puzzle: the name of the puzzle.

        Raises:
            ValueError: no state has this depth, or there is no such puzzle.
            TableError: as for `depth`; a table is needed only where `depth` is given.

        >>> depth(random_state(7, depth=9))
        9
        >>> random_state(7, puzzle="rubik") == random_state(7, puzzle="rubik")
        True
        """
        question = {} if metric is None else {"metric": metric}
        return self._with_tables(rules_named(puzzle)).random_state(rng, depth, **question)

    def scramble(
        self,
        rng: Source = None,
        puzzle: str = "pocket",
        *,
        depth: int | None = None,
        length: int | None = None,
        **question: Unpack[Question],
    ) -> str:
        """An alg that leads to a random state, uniformly random over those that the WCA Regulations allow (4b3).

        For a pocket cube it has eleven moves, no face twice in a row, and the state needs at least four. For a 3x3x3,
        whose state needs at least two, it is a shortest one.

        Args:
            rng: a source of random numbers, or a seed for one; by default one that nobody can repeat.
            puzzle: the name of the puzzle.
            depth: the depth that the state shall have.
            length: the number of moves of the alg.
            **question: as for `depth`.

        Raises:
            ValueError: there is no such puzzle, state or alg.
            SearchLimitError: the search ended at its limit.
            TableError: as for `depth`.

        >>> scramble(7) == scramble(7), len(scramble().split()), len(scramble(length=20).split())
        (True, 11, 20)
        """
        return self._with_tables(rules_named(puzzle)).scramble(rng, depth=depth, length=length, **question)

    # -- Arrays --------------------------------------------------------------------------------------------------------

    def depths(
        self,
        batch: Any,
        metric: Metric | str | None = None,
        *,
        goal: Vacancy | None = None,
        model: ModelName | str | None = None,
        invalid: str = "raise",
        workers: int | None = None,
    ) -> NDArray[np.uint8]:
        """The depth of every state of a batch.

        Args:
            batch: pocket cubes as ranks, facelets, text or cubes; or, with a goal, trays as ranks or cells. See above.
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
            ValueError: there is no such metric, no table of the model, or no such `invalid`; `workers` is not in
                1..1024; or a metric comes with a goal, or a model without one.
            TableError: the table is missing or damaged.

        >>> depths([b"UUUUBBRRRRFFDDDDFFLLLLBB", b"UUUUBBRRRRFFDDDDFFLLLLBU"], invalid="mask").tolist()
        [1, 255]
        >>> depths([[0, 0, 0, 0, 255, 0, 0, 0, 0]], goal=(2, 1)).tolist()
        Traceback (most recent call last):
            ...
        cubesolve.errors.InvalidStateError: row 0: rolling never makes it a tray with 5 cubes of the class '+'
        """
        puzzle, question = self._about_batch(batch, metric=metric, goal=goal, model=model)
        return puzzle.depths(batch, invalid=invalid, workers=workers, **question)

    def solve_batch(
        self,
        batch: Any,
        metric: Metric | str | None = None,
        *,
        goal: Vacancy | None = None,
        model: ModelName | str | None = None,
        invalid: str = "raise",
        **question: Any,
    ) -> Any:
        """A shortest solution of every state of a batch: that which `solve` gives.

        Args:
            batch: as for `depths`; or 3x3x3 cubes: a list of cubes or of their 54 facelets, or an array of facelets.
            metric: as for `depths`, and so are the others.
            goal: the trays are those that can be rolled to it.
            model: the rolling cubes' model.
            invalid: ``raise``, or ``mask`` to go on.
            **question: `workers`; for 3x3x3 cubes also `within`, what `SearchOptions` has, and `executor`, whose
                workers search, each for a cube at a time. What a failed worker had is given to another one, and what no
                worker solves is solved here. Without it, one cube is solved after the other by the threads of this
                process.

        Returns:
            `moves`, uint8 (N, longest): the numbers of the moves, 255 after the last; `longest` is the largest depth of
            all states. And `lengths`, uint8 (N,). Both are 255 for what is no state. For 3x3x3 cubes a list: an alg
            for each, or the `SearchLimitError` or `InvalidStateError` that says why there is none. Of an empty list, an
            empty list.

        Raises:
            InvalidStateError, TableError: as for `depths`.

        >>> moves, lengths = solve_batch([2208639, 0])
        >>> moves[0].tolist(), lengths.tolist()
        ([5, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255], [1, 0])
        >>> from cubesolve.rubik import RubikCube
        >>> solve_batch([RubikCube.from_alg("R U"), RubikCube.from_alg("F2")])
        ["U' R'", 'F2']
        """
        if isinstance(batch, (list, tuple)) and not batch:
            return []
        puzzle, named = self._about_batch(batch, metric=metric, goal=goal, model=model)
        return puzzle.solve_batch(batch, invalid=invalid, **named, **question)

    def bounds(
        self, batch: Any, metric: Metric | str | None = None, *, invalid: str = "raise", workers: int | None = None
    ) -> NDArray[np.uint8]:
        """How many moves each 3x3x3 of a batch needs at least, as the largest pattern database that is built tells.

        It is looked up along the three axes of each cube, then of its inverse. The largest of the six is an admissible
        and consistent heuristic: ``bounds(cubes).max(axis=1)``.

        Args:
            batch: an array of facelets, (N, 54), (N, 6, 9) or (N, 6, 3, 3), any six numbers from 0 to 255 being the
                colours; or a list of cubes or of their facelets, which takes longer to read.
            metric: ``htm`` by default, or ``qtm``.
            invalid: ``raise``, or ``mask`` to go on.
            workers: number of threads; by default one for each processor. The result does not depend on it.

        Returns:
            uint8 (N, 6): 255 for what is no cube.

        Raises:
            InvalidStateError: some are no cubes, and that is not to be masked; the first of them are named.
            ValueError: there is no such metric, or no such `invalid`; `workers` is not in 1..1024; or these are states
                of another puzzle.
            TableError: there is no pattern database of the metric, or it is damaged.

        >>> from cubesolve import RubikCube
        >>> open_tablebase("/none").bounds([RubikCube.from_alg("R U F")])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        cubesolve.errors.MissingTableError: table rubik-htm-medium not found in /none; build it with: ...
        """
        puzzle, question = self._about_batch(batch, metric=metric)
        return puzzle.bounds(batch, invalid=invalid, workers=workers, **question)

    def optimal_moves_batch(
        self,
        batch: Any,
        metric: Metric | str | None = None,
        *,
        goal: Vacancy | None = None,
        model: ModelName | str | None = None,
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
        puzzle, question = self._about_batch(batch, metric=metric, goal=goal, model=model)
        return puzzle.optimal_moves_batch(batch, invalid=invalid, workers=workers, **question)

    def count_solutions_batch(
        self,
        batch: Any,
        metric: Metric | str | None = None,
        *,
        goal: Vacancy | None = None,
        model: ModelName | str | None = None,
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
        puzzle, question = self._about_batch(batch, metric=metric, goal=goal, model=model)
        return puzzle.count_solutions_batch(batch, invalid=invalid, workers=workers, **question)

    def neighbors(
        self,
        ranks: ArrayLike,
        metric: Metric | str | None = None,
        *,
        goal: Vacancy | None = None,
        model: ModelName | str | None = None,
        invalid: str = "raise",
        workers: int | None = None,
    ) -> NDArray[np.integer]:
        """The ranks that the moves lead to from every rank.

        The arguments and errors are those of `depths`. No table is needed.

        Returns:
            int32 (N, moves): -1 where a roll is not possible, and for what is no state.

        >>> neighbors([0])[0, 3:6].tolist() == [PocketCube.from_alg(move).rank for move in ("R", "R2", "R'")]
        True
        """
        puzzle, question = self._about_batch(ranks, metric=metric, goal=goal, model=model)
        return puzzle.neighbors(ranks, invalid=invalid, workers=workers, **question)

    def ranks(
        self,
        batch: Any,
        *,
        goal: Vacancy | None = None,
        model: ModelName | str | None = None,
        invalid: str = "raise",
        workers: int | None = None,
    ) -> NDArray[np.integer]:
        """The rank of every state of a batch; that of a pocket cube is the same in every holding.

        The arguments and errors are those of `depths`. No table is needed.

        Returns:
            int32 (N,): -1 for what is no state.

        >>> ranks([PocketCube.from_alg("R U2 y x").facelets.encode()]).tolist()
        [1088535]
        """
        puzzle, question = self._about_batch(batch, goal=goal, model=model)
        return puzzle.ranks(batch, invalid=invalid, workers=workers, **question)

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
        from cubesolve.lookup.pocket_arrays import facelets_of  # noqa: PLC0415  # needs numpy

        return facelets_of(self._arrays_of("pocket"), ranks, colours, workers)

    def cells(
        self, ranks: ArrayLike, *, goal: Vacancy, model: ModelName | str | None = None, workers: int | None = None
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
        puzzle, question = self._about_batch(ranks, goal=goal, model=model)
        return puzzle.written(ranks, workers=workers, **question)

    def sample(
        self,
        number: int,
        depth: ArrayLike | None = None,
        rng: Source = None,
        *,
        metric: Metric | str | None = None,
        goal: Vacancy | None = None,
        model: ModelName | str | None = None,
    ) -> NDArray[np.integer]:
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
        puzzle, question = self._about_batch((), metric=metric, goal=goal, model=model)
        return puzzle.sample(number, depth, rng, **question)

    # -- Tables --------------------------------------------------------------------------------------------------------

    def table(self, name: str) -> Table:
        """A whole table.

        Args:
            name: its name, or that of a puzzle for the usual one, as ``pocket`` for ``pocket-htm``.

        Raises:
            ValueError: there is no such table, or it is a pattern database, which has two bits an entry.
            TableError: it is missing or damaged.

        >>> int(table("pocket-qtm").as_array().argmax())  # the first antipode
        19366
        """
        puzzle, entry = self.found(name)
        return puzzle.table(entry)

    def transition_table(self, name: str, *, workers: int | None = None) -> NDArray[np.integer]:
        """Where every move leads from every state.

        Args:
            name: a table of states, as for `table`.
            workers: number of threads; by default one for each processor.

        Returns:
            int32 (states, moves): ranks; -1 where a roll is not possible.

        Raises:
            ValueError: there is no such table, or it is not about the states of a puzzle.

        >>> transition_table("pocket").shape
        (3674160, 9)
        """
        return self._arrays_of(name).transition_table(workers)

    def solution_counts(self, name: str, *, workers: int | None = None) -> NDArray[np.int64]:
        """How many shortest solutions every state has.

        Args:
            name: a table of states, as for `table`.
            workers: number of threads; by default one for each processor.

        Returns:
            int64 (states,): read-only.

        Raises:
            ValueError: there is no such table, or it is not about the states of a puzzle.
            TableError: it is missing or damaged.

        >>> counts = solution_counts("pocket-htm")
        >>> int(counts[0]), int(counts.max())
        (1, 196)
        """
        return self._arrays_of(name).ways(workers)

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
        from cubesolve.lookup.pocket_arrays import classes_of  # noqa: PLC0415  # needs numpy

        return classes_of(self._arrays_of(name), inversion, workers)

    # -- Which puzzle --------------------------------------------------------------------------------------------------

    def _with_tables(self, rules: Rules) -> Puzzle:
        puzzle = self._puzzles.get(rules)
        if puzzle is None:
            puzzle = self._puzzles[rules] = with_tables(rules, self._tables)
        return puzzle

    def _about(
        self, state: Any, metric_or_goal: Any, model: str | None, question: Question
    ) -> tuple[Puzzle, dict[str, Any]]:
        """The puzzle that a state is of, and all that was said beside it by name."""
        rules = claiming(state)
        named: dict[str, Any] = {**question}
        if metric_or_goal is not None:
            named[rules.positional] = metric_or_goal
        if model is not None:
            named["model"] = model
        return self._with_tables(rules), named

    def _about_batch(self, batch: Any, **question: Any) -> tuple[Puzzle, dict[str, Any]]:
        named = {name: value for name, value in question.items() if value is not None}
        return self._with_tables(claiming_batch(batch, named)), named

    def found(self, name: str) -> tuple[Puzzle, TableEntry]:
        """A table by name, and its puzzle; the name of a puzzle stands for its usual table.

        Raises:
            ValueError: there is no such table.
        """
        rules, entry = catalog.entry_named(name if isinstance(name, str) else str(name))
        return self._with_tables(rules), entry

    def _arrays_of(self, name: str) -> GraphArrays:
        puzzle, entry = self.found(name)
        return puzzle.arrays_of(entry)

    def close(self) -> None:
        """Give the memory back; further queries of tables raise `ValueError`."""
        self._tables.close()
        for puzzle in self._puzzles.values():
            puzzle.forget()

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_tablebase(directory: Folder | None = None) -> Tablebase:
    """Open the tables of a folder.

    Args:
        directory: the only folder to look in. Without it: the one that the environment variable ``CUBESOLVE_TABLES``
            names, the checkout's ``tables``, the user's data folder, the copy inside an installed wheel; the first that
            has a table wins.

    Returns:
        A tablebase. Nothing is read yet: a missing or damaged table shows at the first query that needs it.
    """
    return Tablebase(directory)


def puzzles() -> list[str]:
    """The names of the puzzles that ship.

    >>> "skewb" in puzzles()
    True
    """
    return catalog.names()


def __getattr__(name: str) -> Any:
    """What questions about other puzzles do not wait for."""
    if name == "RUBIK_SCRAMBLE_DEPTH":
        from cubesolve.catalog.rubik.rules import SCRAMBLE_DEPTH as RUBIK_SCRAMBLE_DEPTH  # noqa: PLC0415

        return RUBIK_SCRAMBLE_DEPTH
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


_default = Tablebase()
antipodes = _default.antipodes
bounds = _default.bounds
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

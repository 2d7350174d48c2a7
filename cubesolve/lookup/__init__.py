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

**3x3x3 cubes.** A cube is a `rubik.RubikCube` or its 54 facelets, and answers are about the cube as it is held. They
come from a search, which can be given limits: see `SearchOptions`.

>>> from cubesolve.puzzles.rubik.cube import RubikCube
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
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from cubesolve.catalog import Folder
from cubesolve.errors import InvalidStateError
from cubesolve.lookup.cubes import SCRAMBLE_DEPTH, SCRAMBLE_LENGTH, Cube, CubeAnswers, random_source
from cubesolve.lookup.tables import Table, Tables
from cubesolve.notation import invert_alg
from cubesolve.puzzles.pocket.cube import PocketCube

if TYPE_CHECKING:
    import random
    from concurrent.futures import Executor

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from cubesolve.lookup.arrays import ArrayAnswers, Random, Solutions, Vacancy
    from cubesolve.lookup.many import Answer
    from cubesolve.lookup.rubiks import RubikAnswers
    from cubesolve.lookup.trays import Start, TrayAnswers
    from cubesolve.rolling import Tray
    from cubesolve.puzzles.rubik.cube import RubikCube
    from cubesolve.engine.symmetry import SymmetryClasses

__all__ = [
    "RUBIK_SCRAMBLE_DEPTH",
    "SCRAMBLE_DEPTH",
    "SCRAMBLE_LENGTH",
    "SearchOptions",
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


RUBIK_SCRAMBLE_DEPTH = 2
"""The least number of moves that a scrambled 3x3x3 must need: World Cube Association, Regulations, 4b3."""


class SearchOptions(TypedDict, total=False):
    """How far and how to search for the solution of a 3x3x3; a search that ends at a limit raises `SearchLimitError`.

    Attributes:
        max_depth: the largest number of moves to try.
        timeout: seconds after which to give up.
        workers: the number of threads.
        progress: called after each depth with the depth, and the nodes and seconds until then.
    """

    max_depth: int | None
    timeout: float | None
    workers: int | None
    progress: Callable[[int, int, float], None] | None


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
        self.antipodes = self._cubes.antipodes

    @overload
    def depth(self, state: Cube, metric: str = "htm", *, orientation: str = "free") -> int: ...
    @overload
    def depth(self, state: RubikCube | str, metric: str = "htm", **search: Unpack[SearchOptions]) -> int: ...
    @overload
    def depth(self, state: Start, goal: str | Tray, model: str = "axis") -> int: ...
    def depth(self, state: Any, *question: Any, **named: Any) -> int:
        """The least number of moves that solve a cube, or of rolls from a start to a goal.

        Args:
            state: a cube, or its 24 or 54 facelets; or a tray, or the vacancy of a uniform start.
            *question: for a cube the metric, ``htm`` by default; for rolling cubes the goal, and the model where
                neither start nor goal is a `Tray`, ``axis`` by default. Either can be named.
            **named: `metric`, for a pocket cube also `orientation`, for a 3x3x3 also those of `SearchOptions`; `goal`,
                `model`. With the orientation ``fixed`` instead of ``free``, a pocket cube is not turned as a whole: all
                six faces turn, and each must come to show the colour that it has at home (`PocketCube.colours`).

        Raises:
            InvalidStateError: what is given is no cube, no tray, no goal, or start and goal differ in shape.
            UnsolvableStateError: no rolls lead to the goal.
            SearchLimitError: the search ended at its limit, and no solution was found by then.
            TableError: the table is missing or damaged.

        >>> depth("WWWW BBRR RRGG YYYY GGOO OOBB"), depth(PocketCube.from_alg("R2 U"), metric="qtm")
        (1, 3)
        >>> depth((2, 2), "DDD/D.D/DDD", model="face")
        36
        """
        return self._answers(state).depth(state, *question, **named)

    @overload
    def solve(self, state: Cube, metric: str = "htm") -> str: ...
    @overload
    def solve(self, state: RubikCube | str, metric: str = "htm", **search: Unpack[SearchOptions]) -> str: ...
    @overload
    def solve(self, state: Start, goal: str | Tray, model: str = "axis") -> str: ...
    def solve(self, state: Any, *question: Any, **named: Any) -> str:
        """A shortest alg that solves a cube as it is held, or shortest rolls from a start to a goal.

        It is empty if nothing is to be done. The arguments and errors are those of `depth`. For a 3x3x3 it is the one
        that the search finds first, which with the same table is always the same.

        >>> solve(PocketCube.from_alg("R U2 x"))
        "F2 R'"
        >>> solve((1, 1), "**E/***/***")
        'LL'
        """
        return self._answers(state).solve(state, *question, **named)

    @overload
    def solutions(self, state: Cube, metric: str = "htm") -> Iterator[str]: ...
    @overload
    def solutions(
        self, state: RubikCube | str, metric: str = "htm", **search: Unpack[SearchOptions]
    ) -> Iterator[str]: ...
    @overload
    def solutions(self, state: Start, goal: str | Tray, model: str = "axis") -> Iterator[str]: ...
    def solutions(self, state: Any, *question: Any, **named: Any) -> Iterator[str]:
        """Every shortest answer to the question that `solve` answers.

        They come in the order of the moves, that of `solve` first; but for a 3x3x3 that can be any of them. For a
        pocket cube these are algs of turns of U, R and F. In the quarter-turn metric a half turn is written as its two
        quarter turns, which have two orders of signs. The arguments and errors are those of `depth`.

        >>> list(solutions(PocketCube.from_alg("R2"), metric="qtm"))
        ['R R', "R' R'"]
        """
        return iter(self._answers(state).solutions(state, *question, **named))

    @overload
    def count_solutions(self, state: Cube, metric: str = "htm") -> int: ...
    @overload
    def count_solutions(self, state: RubikCube | str, metric: str = "htm", **search: Unpack[SearchOptions]) -> int: ...
    @overload
    def count_solutions(self, state: Start, goal: str | Tray, model: str = "axis") -> int: ...
    def count_solutions(self, state: Any, *question: Any, **named: Any) -> int:
        """How many answers `solutions` lists.

        >>> count_solutions(PocketCube.from_alg("U2 R2 F U R2 U R2 F2 U F2 U"))
        68
        """
        return self._answers(state).count_solutions(state, *question, **named)

    @overload
    def path(self, start: Cube, target: Cube, metric: str = "htm") -> str: ...
    @overload
    def path(
        self, start: RubikCube | str, target: RubikCube | str, metric: str = "htm", **search: Unpack[SearchOptions]
    ) -> str: ...
    def path(self, start: Any, target: Any, metric: str = "htm", **search: Any) -> str:
        """A shortest alg that turns one state of a cube into another.

        Both are given in the colours of one cube. Turning the whole cube is free: where the alg must end with
        rotations to leave `target` exactly as it is held, they are written and do not count.

        Args:
            start: a cube, or its 24 or 54 facelets.
            target: another state of the same cube.
            metric: ``htm`` or ``qtm``.
            **search: for a 3x3x3, see `SearchOptions`.

        Raises:
            InvalidStateError: one is no cube, or they are not states of the same one.
            SearchLimitError, TableError: as for `depth`.

        >>> start, target = PocketCube.from_alg("R U"), PocketCube.from_alg("F x")
        >>> path(start, target)
        "U' R' F x"
        >>> start.apply(path(start, target)) == target
        True
        """
        begin, goal = _cube(start), _cube(target)
        if type(begin) is not type(goal):
            raise InvalidStateError("not two states of one cube: one is a pocket cube, the other a 3x3x3")
        relative = begin.relative_to(goal)
        alg = self.solve(relative, metric, **search)
        return f"{alg} {relative.apply(alg).homing_rotation()}".strip()

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

    @overload
    def random_state(
        self, rng: random.Random | int | None = None, depth: int | None = None, metric: str = "htm"
    ) -> PocketCube: ...
    @overload
    def random_state(self, rng: random.Random | int | None = None, *, puzzle: Literal["rubik"]) -> RubikCube: ...
    def random_state(
        self,
        rng: random.Random | int | None = None,
        depth: int | None = None,
        metric: str = "htm",
        *,
        puzzle: str = "pocket",
    ) -> PocketCube | RubikCube:
        """A uniformly random state: of all, or, of the pocket cube's, those at one depth.

        Args:
            rng: a source of random numbers, or a seed for one; by default one that nobody can repeat.
            depth: the depth that a pocket cube shall have.
            metric: the metric of that depth.
            puzzle: ``pocket`` or ``rubik``.

        Raises:
            ValueError: no state has this depth, or a depth is asked of a 3x3x3, or there is no such puzzle.
            TableError: as for `depth`; a table is needed only where `depth` is given.

        >>> depth(random_state(7, depth=9))
        9
        >>> random_state(7, puzzle="rubik") == random_state(7, puzzle="rubik")
        True
        """
        if _is_pocket(puzzle):
            return self._cubes.random_state(rng, depth, metric)
        if depth is not None:
            raise ValueError("a random 3x3x3 cannot be asked for by its depth")
        from cubesolve.puzzles.rubik.cube import random_cube  # noqa: PLC0415  # questions about pocket cubes do not wait for this

        return random_cube(random_source(rng))

    def scramble(
        self, rng: random.Random | int | None = None, puzzle: str = "pocket", **search: Unpack[SearchOptions]
    ) -> str:
        """An alg that leads to a random state, uniformly random over those that the WCA Regulations allow (4b3).

        For a pocket cube it has eleven moves, no face twice in a row, and the state needs at least four. For a 3x3x3,
        whose state needs at least two, it is a shortest one.

        Args:
            rng: a source of random numbers, or a seed for one; by default one that nobody can repeat.
            puzzle: ``pocket`` or ``rubik``.
            **search: for the 3x3x3, as for `depth`.

        Raises:
            ValueError: there is no such puzzle.
            SearchLimitError: the search ended at its limit.
            TableError: as for `depth`.

        >>> scramble(7) == scramble(7), len(scramble().split())
        (True, 11)
        """
        if _is_pocket(puzzle):
            return self._cubes.scramble(rng)
        source, solution = random_source(rng), ""
        while len(solution.split()) < RUBIK_SCRAMBLE_DEPTH:
            solution = self.solve(self.random_state(source, puzzle="rubik"), **search)
        return invert_alg(solution)

    def _answers(self, state: object) -> CubeAnswers | RubikAnswers | TrayAnswers:
        """Who answers questions about a state: this goes by its type, or by the number of facelets."""
        if isinstance(state, PocketCube):
            return self._cubes
        if isinstance(state, str):
            return self._rubiks if _is_rubik(state) else self._cubes
        if not isinstance(state, tuple):
            from cubesolve.puzzles.rubik.cube import RubikCube  # noqa: PLC0415  # nor do those about uniform starts

            if isinstance(state, RubikCube):
                return self._rubiks
        return self._trays

    @functools.cached_property
    def _rubiks(self) -> RubikAnswers:
        from cubesolve.lookup.rubiks import RubikAnswers  # noqa: PLC0415

        return RubikAnswers(self._tables)

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
        return self._arrays.depths(batch, self._arrays.states(metric, goal, model), invalid, workers)

    @overload
    def solve_batch(
        self,
        batch: list[RubikCube] | list[str] | tuple[RubikCube | str, ...],
        metric: str = "htm",
        *,
        executor: Executor | None = None,
        invalid: str = "raise",
        **search: Unpack[SearchOptions],
    ) -> list[Answer]: ...
    @overload
    def solve_batch(
        self,
        batch: ArrayLike,
        metric: str = "htm",
        *,
        goal: Vacancy | None = None,
        model: str | None = None,
        invalid: str = "raise",
        workers: int | None = None,
    ) -> Solutions: ...
    def solve_batch(
        self,
        batch: Any,
        metric: str = "htm",
        *,
        goal: Vacancy | None = None,
        model: str | None = None,
        invalid: str = "raise",
        executor: Executor | None = None,
        **search: Any,
    ) -> Solutions | list[Answer]:
        """A shortest solution of every state of a batch: that which `solve` gives.

        Args:
            batch: as for `depths`; or a list of 3x3x3 cubes or of their 54 facelets.
            metric: as for `depths`, and so are the others.
            goal: the trays are those that can be rolled to it.
            model: the rolling cubes' model.
            invalid: ``raise``, or ``mask`` to go on.
            executor: for 3x3x3 cubes, whose workers search, each for a cube at a time. What a failed worker had is
                given to another one, and what no worker solves is solved here. Without it, one cube is solved after
                the other by the threads of this process.
            **search: `workers`; for 3x3x3 cubes also the others of `SearchOptions`.

        Returns:
            `moves`, uint8 (N, longest): the numbers of the moves, 255 after the last; `longest` is the largest depth of
            all states. And `lengths`, uint8 (N,). Both are 255 for what is no state. For 3x3x3 cubes a list: an alg
            for each, or the `SearchLimitError` or `InvalidStateError` that says why there is none.

        Raises:
            InvalidStateError, TableError: as for `depths`.

        >>> moves, lengths = solve_batch([2208639, 0])
        >>> moves[0].tolist(), lengths.tolist()
        ([5, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255], [1, 0])
        >>> from cubesolve.puzzles.rubik.cube import RubikCube
        >>> solve_batch([RubikCube.from_alg("R U"), RubikCube.from_alg("F2")])
        ["U' R'", 'F2']
        """
        if executor is None and not _are_rubiks(batch):
            limits = search.keys() - {"workers"}
            if limits:
                raise ValueError(f"{', '.join(sorted(limits))}: only for 3x3x3 cubes, given as a list")
            states = self._arrays.states(metric, goal, model)
            return self._arrays.solve(batch, states, invalid, **{"workers": None, **search})
        if goal is not None or model is not None:
            raise ValueError("a goal and a model mean nothing for 3x3x3 cubes")
        from cubesolve.lookup import many  # noqa: PLC0415  # questions about pocket cubes do not wait for this

        cubes = many.read_cubes(batch, invalid)
        valid = [cube.facelets for cube in cubes if not isinstance(cube, InvalidStateError)]
        if executor is None:
            algs = iter([many.solve_here(self, facelets, metric, search) for facelets in valid])
        else:
            algs = iter(many.solve_elsewhere(self, self._tables.directory, valid, metric, executor, search))
        return [cube if isinstance(cube, InvalidStateError) else next(algs) for cube in cubes]

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
            ValueError: there is no such table, or it is a pattern database, which has two bits an entry.
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
            ValueError: there is no such table, or it is not about the states of pocket cubes or trays.

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
            ValueError: there is no such table, or it is not about the states of pocket cubes or trays.
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


def _is_rubik(facelets: str) -> bool:
    """Whether facelets are those of a 3x3x3 and not of a pocket cube, by their number."""
    symbols = len(facelets) if len(facelets) == 24 else len("".join(facelets.split()))
    if symbols not in {24, 54}:
        raise InvalidStateError(f"a 3x3x3 cube has 54 facelets and a pocket cube 24 facelets, not {symbols}")
    return symbols == 54


def _are_rubiks(batch: Any) -> bool:
    """Whether a batch is a list of 3x3x3 cubes: whether it has one, or text, which pocket cubes are not given as."""
    rubik = sys.modules.get("cubesolve.rubik")  # who has such a cube has loaded it
    kinds = (str, rubik.RubikCube) if rubik else (str,)
    return isinstance(batch, (list, tuple)) and any(isinstance(each, kinds) for each in batch)


def _cube(state: Any) -> Any:
    """A cube as it is, or from its facelets."""
    if not isinstance(state, str):
        return state
    if _is_rubik(state):
        from cubesolve.puzzles.rubik.cube import RubikCube  # noqa: PLC0415

        return RubikCube(state)
    return PocketCube(state)


def _is_pocket(puzzle: str) -> bool:
    if puzzle not in {"pocket", "rubik"}:
        raise ValueError(f"unknown puzzle {puzzle!r}: expected pocket or rubik")
    return puzzle == "pocket"


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

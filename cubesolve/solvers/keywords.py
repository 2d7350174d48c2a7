"""The keywords of questions, for type checkers and editors; solvers reject unknown ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Literal, Required

from cubesolve.definition.metrics import Metric
from cubesolve.search.limits import Limits, Progress, SearchOptions

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Vacancy = tuple[int, int]


class Question(SearchOptions, total=False):
    """Keywords of questions about one state.

    Attributes:
        metric: ``htm``, which counts every turn as one move, or ``qtm``, which counts quarter turns; for puzzles with
            metrics of their own, one of `Puzzle.metrics`.
        orientation: ``free``, or ``fixed`` for pocket cubes that must end in the orientation in which they are given:
            all six faces turn, and each face must show the colour that it has at home (`PocketCube.colours`).
        model: the model of rolling cubes, ``axis`` by default, if neither start nor goal is a `Tray`.
    """

    metric: Metric | str | None
    orientation: Literal["free", "fixed"] | str
    model: str | None


class SolveQuestion(Question, total=False):
    """Keywords of `solve`.

    Attributes:
        within: how many moves a solution may be longer than the proved lower bound.
        max_length: accept any solution of at most this many moves, optimal or not.
    """

    within: int | None
    max_length: int | None


class SolutionsQuestion(Question, total=False):
    """Keywords of `solutions`.

    Attributes:
        slack: how much longer than optimal a solution may be.
    """

    slack: int


class HeuristicQuestion(Limits, total=False):
    """Keywords of `search`, as `Puzzle.search` describes them."""

    heuristic: Required[Callable[[NDArray[Any]], ArrayLike]]
    method: Literal["beam", "bwas", "ida"] | str
    takes: Literal["labels", "onehot"] | str
    width: int
    weight: float
    max_depth: int | None
    memory: int | None
    symmetric: bool
    progress: Progress | None
    metric: Metric | str | None


class DrawQuestion(SolveQuestion, total=False):
    """Keywords of `random_state` and `scramble`.

    Attributes:
        start: the column and row of the vacancy in the uniform tray at which a random scramble begins.
    """

    start: Vacancy


class SeededQuestion(DrawQuestion, total=False):
    """Keywords of `random_state` with a seed.

    Attributes:
        seed: the seed of the random numbers, instead of a source of them.
    """

    seed: int | None


class ScrambleQuestion(DrawQuestion, total=False):
    """Keywords of `scramble`, those that are not of `random_state` among them.

    Attributes:
        depth: the depth of the state.
        length: the number of moves.
    """

    depth: int | None
    length: int | None


class AntipodesQuestion(Limits, total=False):
    """Keywords of `antipodes`, which has `patterns` as well; `metric` and `orientation` are those of `Question`.

    Attributes:
        start: for rolling cubes, the column and row of the vacancy of a uniform start.
    """

    metric: Metric | str | None
    orientation: Literal["free", "fixed"] | str
    start: Vacancy


class CountedQuestion(AntipodesQuestion, total=False):
    """Keywords that say which states are counted.

    Attributes:
        tray: for rolling cubes, the rows and columns.
        model: the model of rolling cubes: ``axis``, ``face`` or ``full``.
        patterns: whether top patterns are counted instead of states.
        count: whether to count the states now, in memory, even if a table has the numbers.
        levels: the depth up to which states are counted; for the Square-1, a number of twists.
        from_goal: a goal that the counted states fulfil.
    """

    tray: tuple[int, int]
    model: str
    patterns: bool
    count: bool
    levels: int
    from_goal: str | Mapping[str, object] | None


class StatesQuestion(CountedQuestion, total=False):
    """Keywords of questions about all states.

    Attributes:
        resume: whether to continue a count that was interrupted.
        memory: the maximum number of bytes that a count may take; by default half of the machine's.
        progress: called after each depth, if states are counted.
    """

    resume: bool
    memory: int
    progress: Progress | None


class GraphQuestion(Limits, total=False):
    """Keywords that select the states and moves that arrays are about; three are those of `Question`.

    Attributes:
        goal: for rolling cubes, the column and row of the vacancy in the uniform 3x3 tray to reach.
    """

    metric: Metric | str | None
    orientation: Literal["free", "fixed"] | str
    goal: Vacancy | None
    model: str | None


class BatchQuestion(GraphQuestion, total=False):
    """Keywords of questions about a batch of states.

    Attributes:
        invalid: ``raise``, or ``mask`` to continue after invalid rows.
        workers: the number of threads; by default one for each processor. The result does not depend on it.
    """

    invalid: str
    workers: int | None


class BoundsQuestion(BatchQuestion, total=False):
    """Keywords of `bounds`.

    Attributes:
        memory: the bytes of the pattern databases, where a table does not have all depths.
    """

    memory: int | None


class EachQuestion(BatchQuestion, total=False):
    """Keywords of `solve_batch` that do not change what it returns.

    Attributes:
        executor: the executor whose workers search, for the 3x3x3.
    """

    executor: Executor | None
    max_depth: int | None
    progress: Progress | None
    memory: int | None


class AcceptingQuestion(EachQuestion, total=False):
    """Keywords of `solve_batch` with those of `SolveQuestion`, which change what it returns for the 3x3x3."""

    within: int
    max_length: int


class SolveBatchQuestion(EachQuestion, total=False):
    """Keywords of `solve_batch`; for the 3x3x3, the last two change what it returns."""

    within: int | None
    max_length: int | None

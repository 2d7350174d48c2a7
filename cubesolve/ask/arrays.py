"""The questions about arrays of states, and about heuristics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, Unpack, overload

from cubesolve.definition.state import StateT
from cubesolve.search.limits import limited, within_limits
from cubesolve.solvers.answers import Solution
from cubesolve.solvers.sources import seeded

if TYPE_CHECKING:
    from typing import SupportsIndex, TypeAlias

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from cubesolve.catalog.rolling.goal import Goal
    from cubesolve.catalog.rubik.cube import RubikCube
    from cubesolve.search.limits import Limits, Progress
    from cubesolve.solvers.arrays import Solutions
    from cubesolve.solvers.guided import StateHeuristic
    from cubesolve.solvers.heuristics import Heuristic, PatternHeuristic
    from cubesolve.solvers.keywords import (
        AcceptingQuestion,
        BatchQuestion,
        BoundsQuestion,
        EachQuestion,
        GraphQuestion,
        SolveBatchQuestion,
    )
    from cubesolve.solvers.many import Answer
    from cubesolve.solvers.solver import Solver, Source
    from cubesolve.solvers.state_arrays import StateArrays

    class HasArray(Protocol):
        """An array of any library that numpy can read."""

        def __array__(self) -> NDArray[Any]: ...

    _Text: TypeAlias = str | bytes | bytearray | Sequence[str]
    Given: TypeAlias = StateT | _Text | Sequence[int] | HasArray | SupportsIndex | Mapping[str, object]
    Target: TypeAlias = Given[StateT] | Goal | None

    _Row: TypeAlias = StateT | str | bytes | SupportsIndex | Sequence[object] | Mapping[str, object]
    Batch: TypeAlias = HasArray | str | bytes | SupportsIndex | Sequence[_Row[StateT]]


class ArrayQuestions(Generic[StateT]):
    """The questions of a `Puzzle` about arrays of states, and about heuristics."""

    solver: Solver[StateT]  # answers the questions

    @limited
    def depths(self, batch: Batch[StateT], **question: Unpack[BatchQuestion]) -> NDArray[np.uint8]:
        """Return the depth of each state of a batch, from a table, or by searching for each if there is none.

        Args:
            batch: an array of ranks, integers (N,); an array of states as `written` returns it; an array of text; or a
                list of states. Puzzles with too many states for a table have no ranks: states are rows of labels as
                those of `state_arrays`, or one-hot, and for the 3x3x3 facelets as for `solve_batch`.
            **question: `invalid`, ``raise`` or ``mask`` to continue after invalid rows; `workers`, the number of
                threads, by default one for each processor, on which the result does not depend; `metric`; for rolling
                cubes `goal`, the column and row of the vacancy in the uniform 3x3 tray to reach, and `model`.

        Returns:
            uint8 (N,): 255 for invalid states.

        Raises:
            InvalidStateError: the array has another shape or type, or some rows are invalid: the first of them are
                named. An array of uint8 with the shape of a single state is rejected as ambiguous.
            ValueError: the puzzle does not have this metric or option, `invalid` is neither of the two, or `workers` is
                not in 1..1024.
            TableError: the table is missing or damaged.

        >>> from cubesolve import puzzle
        >>> puzzle("pocket").depths([0, 1574640, 1088535]).tolist()
        [0, 1, 2]
        """
        invalid, workers, about = _of_batch(question)
        return self.solver.in_arrays(about, distances=True).depths(batch, invalid, workers)

    @overload
    def solve_batch(
        self: ArrayQuestions[RubikCube], batch: Batch[RubikCube], **question: Unpack[EachQuestion]
    ) -> Any: ...  # a list, or `Solutions` if a goal or other moves leave so few states that there is a table
    @overload
    def solve_batch(self, batch: Batch[StateT], **question: Unpack[AcceptingQuestion]) -> Solutions: ...
    def solve_batch(self, batch: object, **question: Unpack[SolveBatchQuestion]) -> Solutions | list[Answer]:
        """Return an optimal solution of each state of a batch: the one that `solve` returns.

        Moves have numbers in the default order (`moves`, or those of the metric). Where states that differ by a
        rotation of the puzzle are one, some moves differ from others by a rotation, and only one of these is numbered:
        the solution of a state as it is held then uses that one, and that of a rank leads from rank to rank as in
        `neighbors`.

        The arguments and errors are those of `depths`; `max_length`, `within` and the options of `SearchOptions` are as
        for `solve`, and limit the search for each state. For the 3x3x3, a batch is a list of cubes or of their
        facelets, or an array of facelets, (N, 54), (N, 6, 9) or (N, 6, 3, 3), with any six numbers as colours. It also
        takes `executor`, whose workers search, each for one cube at a time. The cubes of a failed worker are given to
        another; those that no worker solves are solved in this process. Without `executor`, the threads of this process
        solve one cube after the other; with `max_length` of at least God's number in half turns, each thread solves
        cubes of its own, thousands a second.

        Returns:
            `moves`, uint8 (N, longest): the numbers of the moves, 255 after the last; `longest` is the largest depth of
            all states, or of the longest solution without a table. `lengths`, uint8 (N,): the number of moves. Both are
            255 for invalid states. For the 3x3x3 with `max_length` or `within`, `longest` is 30, or 60 in quarter
            turns. Without them, a list: for each cube the optimal solution, or the `SearchLimitError` or
            `InvalidStateError` that was raised instead.

        Raises:
            SearchLimitError: a state has no solution of `max_length` or `within`, or none was found within the limits.
                With ``invalid="mask"``, its moves and its length are 255 instead.

        >>> from cubesolve import RubikCube, puzzle
        >>> moves, lengths = puzzle("pocket").solve_batch([2208639, 0])
        >>> moves[0].tolist(), lengths.tolist()
        ([5, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255], [1, 0])
        >>> puzzle("rubik").solve_batch([RubikCube.from_alg("R U"), RubikCube.from_alg("F2")])
        ["U' R'", 'F2']
        >>> puzzle("rubik").solve_batch([RubikCube.from_alg("R U"), RubikCube.from_alg("F2")], max_length=2).lengths
        array([2, 1], dtype=uint8)
        """
        if self.solver.limits_each:
            return self._solve_batch(batch, **question)
        return within_limits(self._solve_batch, batch, **question)

    def _solve_batch(self, batch: object, **question: Unpack[SolveBatchQuestion]) -> Solutions | list[Answer]:
        return self.solver.solve_batch(batch, *_of_batch(question))

    @limited
    def bounds(self, batch: Batch[StateT], **question: Unpack[BoundsQuestion]) -> NDArray[np.uint8]:
        """Return lower bounds for each state of a batch. The largest in a row is an admissible heuristic.

        If a table has the depths of all states, they are the only bounds; so are those of the Clock, which needs no
        table. Other puzzles have the bounds with which they are searched: see `heuristic`. The first question makes the
        pattern databases, which takes up to minutes for puzzles as large as the megaminx, and keeps them.

        For the 3x3x3 the bounds are from the largest pattern database that is built, or else from the smallest, which
        is built in seconds, along the axes U-D, F-B and R-L of
        each cube, then of its inverse. Their maximum is not consistent: small depths are stored for many entries
        together, so the bounds of neighbours can differ by more than one. In quarter turns all six have the parity of
        the distance.

        Args:
            batch: as for `depths`; without a table of all states, an array of states or a list of states. For the
                3x3x3 an array of facelets, (N, 54), (N, 6, 9) or (N, 6, 3, 3), with any six numbers from 0 to 255 as
                colours; or a list of cubes or of their facelets, which takes longer to read.
            **question: `invalid`, `workers` and `metric`, as for `depths`; `memory`, the bytes of the pattern
                databases; `timeout` and `cancel`; and as for `depths` if a table has all depths.

        Returns:
            uint8 (N, bounds), (N, 6) for the 3x3x3: 255 for invalid states.

        Raises:
            InvalidStateError: some states are invalid: the first of them are named.
            SearchLimitError: the question ended at a limit.
            ValueError: as for `depths`, or the bounds of this puzzle are not supported.
            TableError: a table is damaged.

        >>> from cubesolve import puzzle
        >>> puzzle("skewb").bounds(["R U'", "L"]).tolist(), puzzle("pancake-20").bounds(["f20 f10"]).tolist()
        ([[2], [1]], [[2]])
        """
        return self.solver.bounds(batch, *_of_batch(question))

    @limited
    def state_arrays(self, *, metric: str | None = None, **_limits: Unpack[Limits]) -> StateArrays[StateT]:
        """Return the states of this puzzle as arrays of labels, which are drawn, moved and compared without a table.

        Args:
            metric: one of `metrics`, which determines the moves.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Raises:
            ValueError: this puzzle has no definition, more than 256 labels, or not this metric.

        >>> from cubesolve import puzzle
        >>> arrays = puzzle("megaminx").state_arrays()
        >>> states = arrays.walks(4, 10, rng=1).states
        >>> arrays.neighbors(states).shape, arrays.is_solved(states).tolist()
        ((4, 48, 132), [False, False, False, False])
        """
        return self.solver.state_arrays(metric)

    # -- Heuristics ----------------------------------------------------------------------------------------------------

    @limited
    def search(
        self,
        state: Given[StateT] | NDArray[np.integer],
        *,
        heuristic: StateHeuristic,
        method: Literal["beam", "bwas", "ida"] | str = "beam",
        takes: Literal["labels", "onehot"] | str = "labels",
        width: int = 1000,
        weight: float = 1.0,
        max_depth: int | None = None,
        memory: int | None = None,
        symmetric: bool = False,
        progress: Progress | None = None,
        metric: str | None = None,
        **_limits: Unpack[Limits],
    ) -> Solution[StateT]:
        """Solve a state with a heuristic of your own, such as a trained network.

        Args:
            state: the state, in any form that the puzzle reads, or a row of labels as those of `state_arrays`.
            heuristic: takes some thousand states at a time, and returns an estimate for each of the moves left, or of
                their cost: (N,) or (N, 1), an array of numpy, or what it converts.
            method: ``beam``, beam search: of the states at each depth, the `width` with the least estimates are kept;
                ``bwas``, batched weighted A*: `width` states are expanded at once; or ``ida``, IDA*.
            takes: the form of the states: ``labels``, uint8 (N, points), those of `state_arrays`; or ``onehot``,
                float32 (N, points, labels).
            width: the number of states that are kept or expanded at once.
            weight: the factor of the estimates, except in beam search. With 1, solutions of ``bwas`` and ``ida`` are
                optimal if no estimate exceeds the moves left; larger weights find longer solutions sooner.
            max_depth: the largest number, or cost, of moves to try.
            memory: the bytes that the search may use; by default half of the machine's.
            symmetric: whether states that rotations and symmetries of the puzzle map to each other are duplicates, in
                the methods that look for duplicates. They have the same distance, so solutions stay optimal.
            progress: called with the depth, and the nodes and seconds until then.
            metric: one of `metrics`, which determines the moves.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Returns:
            The solution. Its `at_least` is proved without trusting the heuristic.

        Raises:
            InvalidStateError: the state is invalid, or no moves solve it.
            SearchLimitError: no solution was found within the limits, or no state is left in the beam.
            ValueError: the heuristic does not return one finite number for each state, or an option is invalid.

        >>> from cubesolve import puzzle
        >>> tiles = puzzle("tiles-2x3")
        >>> def misplaced(states):
        ...     return ((states != [1, 2, 3, 4, 5, 0]) & (states != 0)).sum(axis=1)
        >>> tiles.search("4 1 2 5 0 3", heuristic=misplaced, method="ida").length == tiles.depth("4 1 2 5 0 3")
        True
        """
        from cubesolve.solvers.guided import Options, guided  # noqa: PLC0415  # needs numpy

        options = Options(method, takes, width, weight, max_depth, memory, symmetric, progress)
        return guided(self.solver, state, heuristic, options, metric)

    @limited
    def pdb(
        self,
        pattern: str | Mapping[str, object],
        *,
        memory: int | None = None,
        metric: str | None = None,
        **_limits: Unpack[Limits],
    ) -> PatternHeuristic:
        """Return a pattern database: the exact distances of the puzzle if only some pieces are distinguished.

        The table is built if it is missing, and kept. It counts the moves that can change what the pattern shows. In a
        sliding puzzle, a pattern without the gap counts only the moves of its pieces, at most eight; one with the gap
        counts all moves.

        Args:
            pattern: names of pieces, ``1 2 3 4`` or ``URF UF``; or the solved state with ``*`` for pieces that are not
                distinguished, as for `towards`, a KPuzzle pattern with null, or the name of a step.
            memory: the bytes that the table may take, and deriving its states; by default half of those of the machine.
            metric: one of `metrics`.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Returns:
            The heuristic. ``one + other`` is a sum, if it is admissible, and ``one | other`` the maximum.

        Raises:
            InvalidStateError: this is no pattern of the solved state.
            TooLargeError: the table would have too many entries, or its states take too much memory to derive.
            ValueError: this puzzle has no definition, or not this metric; or `memory` is invalid.

        >>> from cubesolve import puzzle
        >>> tiles = puzzle("tiles-3x3")
        >>> halves = tiles.pdb("1 2 3 4") + tiles.pdb("5 6 7 8")
        >>> found = halves.search("8 6 7 2 5 4 3 0 1")
        >>> found.value, found.cost, [(each.cost, each.nodes) for each in found.iterations]
        (29, 31, [(29, 178), (31, 3434)])
        """
        return self.solver.workbench(metric).pdb(pattern, memory)

    @limited
    def heuristic(
        self, *, memory: int | None = None, metric: str | None = None, **_limits: Unpack[Limits]
    ) -> Heuristic:
        """Return the heuristic that a search of this puzzle uses, as if no table had all distances.

        This is the gap heuristic, a sum of additive pattern databases, or the maximum of selected ones; see
        `docs/heuristics.md`. Missing tables are built when the heuristic is first used.

        Args:
            memory: the bytes of its tables.
            metric: one of `metrics`.
            **_limits: `timeout` and `cancel`, as in `SearchOptions`.

        Raises:
            ValueError: this puzzle has no definition, or not this metric.

        >>> from cubesolve import puzzle
        >>> puzzle("pancake-20").heuristic()(["f20 f10 f15", "f7"])
        array([3, 1])
        """
        return self.solver.workbench(metric).usual(memory)

    @limited
    def optimal_moves_batch(self, batch: Batch[StateT], **question: Unpack[BatchQuestion]) -> NDArray[np.bool_]:
        """Return the moves with which an optimal solution of each state of a batch can begin; see `solve_batch`.

        The arguments and errors are those of `depths`.

        Returns:
            bool (N, moves): all False for solved and for invalid states.

        >>> from cubesolve import puzzle
        >>> puzzle("pocket").optimal_moves_batch([1574640]).nonzero()[1].tolist()
        [2]
        """
        invalid, workers, about = _of_batch(question)
        return self.solver.in_arrays(about, distances=True).optimal_moves(batch, invalid, workers)

    @limited
    def count_solutions_batch(self, batch: Batch[StateT], **question: Unpack[BatchQuestion]) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state of a batch.

        The arguments and errors are those of `depths`.

        Returns:
            int64 (N,): 1 for a solved state, 0 for an invalid one.

        >>> from cubesolve import puzzle
        >>> puzzle("pocket").count_solutions_batch([0, 1574640]).tolist()
        [1, 1]
        """
        invalid, workers, about = _of_batch(question)
        return self.solver.in_arrays(about, distances=True).count_solutions(batch, invalid, workers)

    @limited
    def neighbors(self, ranks: ArrayLike, **question: Unpack[BatchQuestion]) -> NDArray[np.integer]:
        """Return the ranks that the moves lead to from each rank. No table is needed.

        Puzzles with too many states for a table have no ranks: both are rows of labels, as those of `state_arrays`.

        The arguments and errors are those of `depths`.

        Returns:
            int32 (N, moves): -1 where a move is not possible, and for invalid ranks. Without ranks, uint8 (N, moves,
            points): the state itself where a move is not possible.

        >>> from cubesolve import puzzle
        >>> puzzle("pocket").neighbors([0]).shape
        (1, 9)
        """
        invalid, workers, about = _of_batch(question)
        return self.solver.in_arrays(about, distances=False).neighbors(ranks, invalid, workers)

    @limited
    def ranks(self, batch: Batch[StateT], **question: Unpack[BatchQuestion]) -> NDArray[np.integer]:
        """Return the rank of each state of a batch, which does not depend on how it is held. No table is needed.

        The arguments and errors are those of `depths`.

        Returns:
            int32 (N,): -1 for invalid states.

        >>> from cubesolve import puzzle
        >>> puzzle("pocket").ranks(["UUUUBBRRRRFFDDDDFFLLLLBB"]).tolist()
        [1574640]
        """
        invalid, workers, about = _of_batch(question)
        return self.solver.arrays(about).ranks(batch, invalid, workers)

    @limited
    def written(
        self, ranks: ArrayLike, *, workers: int | None = None, **question: Unpack[GraphQuestion]
    ) -> NDArray[Any]:
        """Return the states with these ranks as an array, which `depths` reads again.

        Args:
            ranks: integers (N,).
            workers: number of threads; by default one for each processor. The result does not depend on it.
            **question: as for `depths`.

        Returns:
            For pocket cubes text, and for all others integers (N, points): in sliding tiles 0 is the gap, and all else
            is counted from 0; see "Numbers in arrays" in docs/learning.md.

        >>> from cubesolve import puzzle
        >>> puzzle("tiles-2x3").written([0])
        array([[1, 2, 3, 4, 5, 0]], dtype=uint8)
        """
        return self.solver.arrays(question).written(ranks, workers)

    @limited
    def sample(
        self,
        number: int,
        depth: ArrayLike | None = None,
        rng: Source = None,
        *,
        seed: int | None = None,
        **question: Unpack[GraphQuestion],
    ) -> NDArray[np.integer]:
        """Draw states uniformly at random: from all states, or from those at given depths.

        Args:
            number: the number of states, drawn with replacement.
            depth: the depth of all of them, or `number` integers, one for each.
            rng: a source of random numbers, or a seed for one; by default the system's randomness.
            seed: the seed, as another keyword; a seed and its negative are one.
            **question: as for `depths`.

        Returns:
            int32 (N,): ranks; int64 where there are more than 2,147,483,648 states. Puzzles with too many states for a
            table have no ranks: uint8 (N, points), rows of labels as those of `state_arrays`, without a depth.

        Raises:
            ValueError: no state has such a depth, or as for `depths`.
            TableError: the table is missing or damaged; it is needed only where depths are given.

        >>> from cubesolve import puzzle
        >>> pocket = puzzle("pocket")
        >>> pocket.depths(pocket.sample(3, depth=[0, 11, 7], rng=1)).tolist()
        [0, 11, 7]
        >>> puzzle("4x4x4").sample(3, rng=1).shape
        (3, 72)
        """
        return self.solver.in_arrays(question, distances=True).sample(number, depth, seeded(rng, seed))

    @limited
    def transition_table(self, *, workers: int | None = None, **question: Unpack[GraphQuestion]) -> NDArray[np.integer]:
        """Return the rank that each move leads to from each state.

        Args:
            workers: number of threads; by default one for each processor.
            **question: as for `depths`.

        Returns:
            int32 (states, moves): ranks; -1 where a move is not possible.

        Raises:
            ValueError: the puzzle has no arrays of states, or does not have this metric or option.
        """
        return self.solver.arrays(question).transition_table(workers)

    @limited
    def solution_counts(self, *, workers: int | None = None, **question: Unpack[GraphQuestion]) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state.

        Args:
            workers: number of threads; by default one for each processor.
            **question: as for `depths`.

        Returns:
            int64 (states,): read-only.

        Raises:
            ValueError: the puzzle has no arrays of states, or does not have this metric or option.
            TableError: the table is missing or damaged.
        """
        return self.solver.arrays(question, distances=True).solution_counts(workers)


def _of_batch(question: Mapping[str, Any]) -> tuple[str, int | None, Any]:
    """Return how a batch is answered, and the keywords that say which states and moves it is about."""
    named = dict(question)
    return named.pop("invalid", "raise"), named.pop("workers", None), named

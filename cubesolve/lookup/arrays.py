"""Answers about many states at once."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.coordinates import pocket_facelets
from cubesolve.engine.descent import NO_MOVE
from cubesolve.errors import quoted
from cubesolve.lookup.faults import NAMED, invalid_rows, is_masking
from cubesolve.lookup.states import PocketStates, Rows, States, TrayStates, as_array
from cubesolve.lookup.tables import Tables, entry_named
from cubesolve.notation import FACES
from cubesolve.workers import Workers

if TYPE_CHECKING:
    from cubesolve.engine.symmetry import SymmetryClasses

Vacancy = tuple[int, int]
"""A column and a row."""

Random = np.random.Generator | int | None
"""A source of random numbers, or a seed for one; None for one that nobody can repeat."""

NO_DEPTH = 255
"""What stands in place of the depth of a row that is no state."""

_CHUNK = 1 << 16
_DEFAULT_METRIC = "htm"
_KEPT = 4  # of each puzzle, how many kinds of states are remembered with what was found out about them


class Solutions(NamedTuple):
    """One shortest solution of each state.

    Attributes:
        moves: uint8 (N, longest): the numbers of the moves, 255 after the last; `longest` is the largest depth of all
            states.
        lengths: uint8 (N,): how many moves there are.
    """

    moves: NDArray[np.uint8]
    lengths: NDArray[np.uint8]


class ArrayAnswers:
    """Answers about arrays of states from the tables of one tablebase."""

    def __init__(self, tables: Tables) -> None:
        self._cubes = functools.lru_cache(_KEPT)(functools.partial(PocketStates, tables))
        self._trays = functools.lru_cache(_KEPT)(functools.partial(TrayStates, tables))

    def states(self, metric: str, goal: Vacancy | None, model: str | None) -> States:
        """The states that a question is about: rolling cubes if there is a goal, or else pocket cubes.

        Raises:
            ValueError: something is said that means nothing for these.
        """
        if goal is None:
            if model is not None:
                raise ValueError(f"model {model!r} means nothing without a goal")
            return self._cubes(metric)
        if metric != _DEFAULT_METRIC:
            raise ValueError(f"metric {metric!r} means nothing with a goal")
        return self.trays(goal, model)

    def trays(self, goal: Vacancy, model: str | None) -> TrayStates:
        """The rolling cubes that can be rolled to a goal."""
        return self._trays(tuple(goal), "axis" if model is None else model)

    def states_of(self, name: str) -> States:
        """The states that a table is about.

        Raises:
            ValueError: there is no such table, or it is about something else.
        """
        entry = entry_named(name)
        if entry.patterns_of or entry.header.puzzle.startswith("rubik"):
            raise ValueError(f"{entry.name} is not about the states of pocket cubes or trays")
        if entry.vacancy is None:
            return self._cubes(entry.header.metric)
        return self.trays(entry.vacancy, entry.header.puzzle.removeprefix("rolling-"))

    def depths(self, batch: ArrayLike, states: States, invalid: str, workers: int | None) -> NDArray[np.uint8]:
        """See `Tablebase.depths`."""
        table = states.depths

        def answer(ranks: NDArray[np.int64], depths: NDArray[np.uint8]) -> None:
            np.take(table, ranks, out=depths, mode="clip")  # all are ranks, but the other modes are slower

        rows = states.rows(batch)
        depths = np.empty(len(rows), np.uint8)
        _answer(rows, answer, [(depths, NO_DEPTH)], invalid, workers)
        return depths.reshape(rows.shape)

    def solve(self, batch: ArrayLike, states: States, invalid: str, workers: int | None) -> Solutions:
        """See `Tablebase.solve_batch`."""
        rows = states.rows(batch)
        moves, lengths = np.empty((len(rows), states.longest), np.uint8), np.empty(len(rows), np.uint8)
        _answer(rows, states.descend(len(rows)), [(moves, NO_MOVE), (lengths, NO_DEPTH)], invalid, workers)
        return Solutions(moves.reshape(*rows.shape, states.longest), lengths.reshape(rows.shape))

    def optimal_moves(self, batch: ArrayLike, states: States, invalid: str, workers: int | None) -> NDArray[np.bool_]:
        """See `Tablebase.optimal_moves_batch`."""
        rows = states.rows(batch)
        leads = np.empty((len(rows), len(states.moves)), np.bool_)
        _answer(rows, states.lead_down(len(rows)), [(leads, False)], invalid, workers)
        return leads.reshape(*rows.shape, len(states.moves))

    def count_solutions(self, batch: ArrayLike, states: States, invalid: str, workers: int | None) -> NDArray[np.int64]:
        """See `Tablebase.count_solutions_batch`."""
        rows = states.rows(batch)
        count = states.count_ways(len(rows), workers)

        def answer(ranks: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
            counts[:] = count(ranks)

        counts = np.empty(len(rows), np.int64)
        _answer(rows, answer, [(counts, 0)], invalid, workers)
        return counts.reshape(rows.shape)

    def neighbors(self, batch: ArrayLike, states: States, invalid: str, workers: int | None) -> NDArray[np.int32]:
        """See `Tablebase.neighbors`."""
        rows = states.ranks_only(batch)

        def answer(ranks: NDArray[np.int64], neighbours: NDArray[np.int32]) -> None:
            neighbours[:] = states.space.neighbours_of(ranks)

        neighbours = np.empty((len(rows), len(states.moves)), np.int32)
        _answer(rows, answer, [(neighbours, -1)], invalid, workers)
        return neighbours.reshape(*rows.shape, len(states.moves))

    def ranks(self, batch: ArrayLike, states: States, invalid: str, workers: int | None) -> NDArray[np.int32]:
        """See `Tablebase.ranks`."""

        def answer(found: NDArray[np.int64], ranks: NDArray[np.int32]) -> None:
            ranks[:] = found

        rows = states.rows(batch, at_home=True)
        ranks = np.empty(len(rows), np.int32)
        _answer(rows, answer, [(ranks, -1)], invalid, workers)
        return ranks.reshape(rows.shape)

    def facelets(self, batch: ArrayLike, colours: str | Sequence[int], workers: int | None) -> NDArray[np.uint8]:
        """See `Tablebase.facelets`."""
        values = list(map(ord, colours) if isinstance(colours, str) else colours)
        if len(values) != len(FACES) or len({*values} & {*range(256)}) != len(FACES):
            raise ValueError(f"colours must be six different bytes, not {colours!r}")
        states = self._cubes(_DEFAULT_METRIC)
        return self._written(states, batch, lambda ranks: pocket_facelets(ranks, values), workers)

    def cells(self, batch: ArrayLike, goal: Vacancy, model: str | None, workers: int | None) -> NDArray[np.uint8]:
        """See `Tablebase.cells`."""
        states = self.trays(goal, model)
        return self._written(states, batch, states.cells, workers)

    def transition_table(self, name: str, workers: int | None) -> NDArray[np.int32]:
        """See `Tablebase.transition_table`."""
        states = self.states_of(name)
        return self.neighbors(np.arange(states.number), states, "raise", workers)

    def symmetry_classes(self, name: str, inversion: bool, workers: int | None) -> SymmetryClasses:
        """See `Tablebase.symmetry_classes`."""
        from cubesolve.engine.symmetry import pocket_classes  # noqa: PLC0415  # needs numba

        states = self.states_of(name)
        if not isinstance(states, PocketStates):
            raise ValueError(f"symmetry classes are of the pocket cube, not of {quoted(name)}")
        return pocket_classes(states.depths, inversion, workers)

    def _written(
        self,
        states: States,
        batch: ArrayLike,
        write: Callable[[NDArray[np.int64]], NDArray[np.uint8]],
        workers: int | None,
    ) -> NDArray[np.uint8]:
        def answer(ranks: NDArray[np.int64], written: NDArray[np.uint8]) -> None:
            written[:] = write(ranks)

        rows = states.ranks_only(batch)
        written = np.empty((len(rows), states.symbols), np.uint8)
        _answer(rows, answer, [(written, 0)], "raise", workers)
        return written.reshape(*rows.shape, states.symbols)

    def sample(self, number: int, depth: ArrayLike | None, rng: Random, states: States) -> NDArray[np.int32]:
        """See `Tablebase.sample`."""
        if operator.index(number) < 0:
            raise ValueError(f"{number} states cannot be drawn")
        source = np.random.default_rng(rng)
        if depth is None:
            return source.integers(states.number, size=number, dtype=np.int32)
        wanted = as_array(depth)
        if wanted.dtype.kind not in "iu" or wanted.shape not in {(), (number,)}:
            raise ValueError(f"depth must be an integer, or {number} of them, not {wanted.dtype} {wanted.shape}")
        outside = wanted[(wanted < 0) | (wanted > states.longest)]
        if outside.size:
            raise ValueError(f"no state has depth {outside.flat[0]}: depths are 0..{states.longest}")
        counts = np.array(states.entry.header.distribution)
        firsts = np.cumsum(counts) - counts
        ranks, by_depth = np.empty(number, np.int32), states.by_depth
        wanted = np.broadcast_to(wanted, number)
        for start in range(0, number, _CHUNK):
            piece = wanted[start : start + _CHUNK]
            ranks[start : start + _CHUNK] = by_depth[firsts[piece] + source.integers(counts[piece])]
        return ranks


def _answer(
    rows: Rows,
    answer: Callable[..., None],
    results: Sequence[tuple[NDArray[Any], int]],
    invalid: str,
    workers: int | None,
) -> None:
    """Answer a batch piece by piece, in several threads if it is large.

    Args:
        rows: the batch.
        answer: fills its results from ranks: called with the ranks and as many arrays as there are results.
        results: arrays as long as the batch, and what they have where a row is no state.
        invalid: ``raise`` or ``mask``.
        workers: number of threads; by default one for each processor.

    Raises:
        InvalidStateError: some rows are no states, and these are not to be masked.
    """
    masking = is_masking(invalid)
    first_wrong: list[int] = []  # of each piece, the first rows that are no states

    def answer_piece(first: int, last: int) -> int:
        part = slice(first, last)
        ranks = rows.ranks(part)
        bad = np.flatnonzero(ranks < 0)
        if len(bad):
            first_wrong.extend((first + bad[:NAMED]).tolist())
            ranks = np.maximum(ranks, 0)
        answer(ranks, *(array[part] for array, _ in results))
        for array, blank in results:
            array[part][bad] = blank
        return len(bad)

    with Workers(len(rows), workers, at_most=_CHUNK) as pool:
        wrong = sum(pool.run(answer_piece))
    if wrong and not masking:
        raise invalid_rows([(row, rows.fault(row)) for row in sorted(first_wrong)[:NAMED]], wrong, len(rows))

"""Answers about many states at once (numpy)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.encodings import encoding_of
from cubesolve.encodings.descent import NO_MOVE
from cubesolve.encodings.distances import wrong_distances
from cubesolve.errors import CubesolveError
from cubesolve.runtime.arguments import integer
from cubesolve.runtime.locks import thread_lock
from cubesolve.runtime.workers import Workers
from cubesolve.search.limits import SearchOptions, require_within
from cubesolve.solvers.faults import NAMED, invalid_rows, is_masking
from cubesolve.solvers.questions import Accepted
from cubesolve.solvers.sources import no_source
from cubesolve.spaces import form_of, space_of
from cubesolve.spaces.batches import Batch, as_array, of_ranks
from cubesolve.spaces.rules import Graph

if TYPE_CHECKING:
    from cubesolve.encodings.probe import Probe
    from cubesolve.solvers.solver import Source
    from cubesolve.store.tables import Body, Tables

NO_DEPTH = 255
"""The depth of an invalid row."""

MOST_MOVES = 255
"""The maximum number of moves of a puzzle for arrays of solutions: the number of each, and that of none, is a byte."""

_BYTE = np.dtype(np.uint8)
_CHUNK = 1 << 16
_PLACES = 64  # bytes; arrays begin at multiples of this address
_MOST_DRAWN = 1 << 40  # more states than any memory holds
_WORTH_COUNTING_ALL = 256  # counting the solutions of one state takes as long as a pass over this many


class Solutions(NamedTuple):
    """One shortest solution of each state.

    Attributes:
        moves: uint8 (N, longest): the numbers of the moves, 255 after the last; `longest` is the largest depth of all
            states, or if some moves cost 0, the most moves of any of these solutions. For a puzzle without a table and
            with more than 255 moves, uint16, and 65,535 after the last.
        lengths: uint8 (N,): the number of moves.
    """

    moves: NDArray[np.unsignedinteger]
    lengths: NDArray[np.uint8]


class GraphArrays:
    """Answers about arrays of a graph's states."""

    def __init__(self, graph: Graph, tables: Tables) -> None:
        self.graph = graph
        self._tables = tables
        self._counting = thread_lock()
        self._solution_counts: NDArray[np.int64] | None = None
        self._probe: Probe | None = None
        self._read: Body | None = None  # the table of the probe

    def __repr__(self) -> str:
        return f"<arrays of {self.graph.states:,} states, {len(self.graph.moves)} moves>"

    @property
    def longest(self) -> int:
        """The largest depth of any state; where some moves cost 0, the largest number of moves of a solution."""
        if self.graph.has_free_moves:
            return self.probe.longest
        return len(self._tables.header(self.graph.entry).distribution) - 1

    @property
    def body(self) -> NDArray[np.uint8]:
        """The bytes of the table, uint8 (bytes,), read-only."""
        return self.probe.body

    @property
    def probe(self) -> Probe:
        """The probe of the table's encoding."""
        body = self._tables.body(self.graph.entry)  # even if it is not used: the tables may be closed
        if self._probe is None or self._read is not body:
            header = self._tables.header(self.graph.entry)
            self._probe = encoding_of(header).probe(self.graph, self.graph.by_rank(body), header.distribution)
            self._read = body
        return self._probe

    # -- Batches -------------------------------------------------------------------------------------------------------

    def depths(self, given: object, invalid: str, workers: int | None) -> NDArray[np.uint8]:
        """Return the depth of each state of a batch, from a table, or by searching for each if there is none."""
        return _answered(self._batch(given), self.probe.find_depths, [(_BYTE, NO_DEPTH)], invalid, workers)[0]

    def solve(
        self, given: object, invalid: str, workers: int | None, accepts: Accepted, search: SearchOptions
    ) -> Solutions:
        """Return an optimal solution of each state of a batch: the one that `solve` returns, within its limits."""
        number = len(self.graph.moves)
        if number > MOST_MOVES:
            message = f"arrays of solutions are supported for at most {MOST_MOVES} moves, and there are {number}"
            raise CubesolveError(f"{message}: solve the states one by one, or choose fewer moves")
        batch, longest = self._batch(given), self.longest
        descend = self.probe.descend(len(batch.rows))

        def answer(ranks: NDArray[np.int64], moves: NDArray[np.uint8], lengths: NDArray[np.uint8]) -> None:
            descend(ranks, moves, lengths)
            if (lengths > longest).any():
                raise wrong_distances(self.graph)

        row = np.dtype((np.uint8, (longest,)))
        moves, lengths = _answered(batch, answer, [(row, NO_MOVE), (_BYTE, NO_DEPTH)], invalid, workers)
        for limit in (accepts.max_length, search.get("max_depth")):
            if limit is None:
                continue
            depths = self.depths(given, invalid, workers)
            is_deeper = (depths > limit) & (lengths != NO_DEPTH)
            if is_deeper.any() and not is_masking(invalid):
                require_within(int(depths[is_deeper][0]), SearchOptions(max_depth=limit))
            moves[is_deeper], lengths[is_deeper] = NO_MOVE, NO_DEPTH
        return Solutions(moves, lengths)

    def optimal_moves(self, given: object, invalid: str, workers: int | None) -> NDArray[np.bool_]:
        """Return the moves with which an optimal solution of each state of a batch can begin; see `solve_batch`."""
        batch, row = self._batch(given), np.dtype((np.bool_, (len(self.graph.moves),)))
        lead_down = self.probe.lead_down(len(batch.rows))
        return _answered(batch, lead_down, [(row, False)], invalid, workers)[0]

    def count_solutions(self, given: object, invalid: str, workers: int | None) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state of a batch."""
        batch = self._batch(given)
        count = self._count_solutions(len(batch.rows), workers)
        return _map_ranks(batch, count, np.dtype(np.int64), 0, invalid, workers)

    def neighbors(self, ranks: ArrayLike, invalid: str, workers: int | None) -> NDArray[np.integer]:
        """Return the ranks that the moves lead to from each rank. No table is needed."""
        batch, row = of_ranks(ranks, self.graph.states), np.dtype((self._rank_type, (len(self.graph.moves),)))
        return _map_ranks(batch, space_of(self.graph).neighbours_of, row, -1, invalid, workers)

    def ranks(self, given: object, invalid: str, workers: int | None) -> NDArray[np.integer]:
        """Return the rank of each state of a batch, which does not depend on how it is held. No table is needed."""
        batch = form_of(self.graph).batch(given, at_home=True)
        return _map_ranks(batch, lambda ranks: ranks, np.dtype(self._rank_type), -1, invalid, workers)

    def written(self, ranks: ArrayLike, workers: int | None) -> NDArray[np.generic]:
        """Return the states of ranks, in the form in which arrays of them are written."""
        form = form_of(self.graph)
        return self.made_of(ranks, form.written, form.dtype, workers)

    def made_of(
        self,
        ranks: ArrayLike,
        make: Callable[[NDArray[np.int64]], NDArray[Any]],
        dtype: np.dtype[Any],
        workers: int | None,
    ) -> NDArray[Any]:
        """Apply a function to ranks, piece by piece."""
        return _map_ranks(of_ranks(ranks, self.graph.states), make, dtype, 0, "raise", workers)

    def sample(self, number: int, depth: ArrayLike | None, rng: Source) -> NDArray[np.integer]:
        """Draw states uniformly at random: from all states, or from those at given depths."""
        number = integer("the number of states", number, 0, _MOST_DRAWN)
        source = numpy_source(rng)
        if depth is None:
            return source.integers(self.graph.states, size=number, dtype=self._rank_type)
        wanted = as_array(depth)
        if wanted.dtype.kind not in "iu" or wanted.shape not in {(), (number,)}:
            raise ValueError(f"depth must be an integer, or {number} of them, not {wanted.dtype} {wanted.shape}")
        counts = np.array(self._tables.header(self.graph.entry).distribution)
        outside = wanted[(wanted < 0) | (wanted >= len(counts)) | (counts[wanted % len(counts)] == 0)]
        if outside.size:
            raise ValueError(f"no state has depth {outside.flat[0]}: depths are 0..{len(counts) - 1}")
        return self.probe.at_depths(np.broadcast_to(wanted, number), source).astype(self._rank_type)

    # -- All states ----------------------------------------------------------------------------------------------------

    def transition_table(self, workers: int | None) -> NDArray[np.integer]:
        """Return the rank that each move leads to from each state."""
        return self.neighbors(np.arange(self.graph.states), "raise", workers)

    def solution_counts(self, workers: int | None) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state. The result is kept."""
        self._tables.require_open()
        with self._counting:
            if self._solution_counts is None:
                solution_counts = self.probe.count_all_solutions(workers)
                solution_counts.flags.writeable = False
                self._solution_counts = solution_counts.view()  # a view cannot be made writable
            return self._solution_counts

    # -- Helpers -------------------------------------------------------------------------------------------------------

    def _batch(self, given: object) -> Batch:
        return form_of(self.graph).batch(given)

    @property
    def _rank_type(self) -> type[np.integer]:
        return np.int32 if self.graph.states <= 1 << 31 else np.int64

    def _count_solutions(self, rows: int, workers: int | None) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
        """Return a function that counts the solutions of each of a number of states, from their ranks."""
        probe = self.probe
        is_worth_it = probe.counts_all and rows * _WORTH_COUNTING_ALL > self.graph.states
        return (
            self.solution_counts(workers).__getitem__
            if self._solution_counts is not None or is_worth_it
            else probe.count_solutions
        )


def numpy_source(rng: Any) -> np.random.Generator:
    """Return a source of random numbers for arrays; see `random_source`."""
    draw = None if isinstance(rng, type) else getattr(rng, "getrandbits", None)
    try:
        return np.random.default_rng(rng if draw is None else draw(128))
    except (TypeError, ValueError):
        raise no_source(rng) from None


def _map_ranks(
    batch: Batch,
    function: Callable[[NDArray[np.int64]], NDArray[Any]],
    dtype: np.dtype[Any],
    blank: int,
    invalid: str,
    workers: int | None,
) -> NDArray[Any]:
    """Apply a function to the ranks of a batch, piece by piece; see `_answered`."""

    def answer(ranks: NDArray[np.int64], made: NDArray[Any]) -> None:
        made[:] = function(ranks)

    return _answered(batch, answer, [(dtype, blank)], invalid, workers)[0]


def _answered(
    batch: Batch,
    answer: Callable[..., object],
    results: Sequence[tuple[np.dtype[Any], int]],
    invalid: str,
    workers: int | None,
) -> list[NDArray[Any]]:
    """Answer a batch piece by piece, in several threads if it is large. JAX can use the results without a copy.

    Args:
        answer: fills the results from ranks: called with the ranks and as many arrays as there are results.
        results: the type of the item for each state, and the item for invalid ones. Moves are the first result, and
            become those of states as they are held.
        workers: number of threads; by default one for each processor.
    """
    masking, rows = is_masking(invalid), batch.rows
    first_wrong: list[tuple[int, str]] = []  # for each piece, the first invalid rows, with their errors
    filled = [_aligned(len(rows), dtype) for dtype, _ in results]

    def answer_piece(first: int, last: int) -> int:
        part = slice(first, last)
        ranks, parts = batch.ranks(rows[part]), [array[part] for array in filled]
        bad = np.flatnonzero(ranks < 0)
        if len(bad):
            if not masking:
                first_wrong.extend((row, batch.fault(rows[row])) for row in (first + bad[:NAMED]).tolist())
            ranks = np.maximum(ranks, 0)
        answer(ranks, *parts)
        for array, (_, blank) in zip(parts, results, strict=True):
            array[bad] = blank
        if batch.hold is not None and parts[0].ndim > 1:
            batch.hold(rows[part], parts[0])
        return len(bad)

    with Workers(len(rows), workers, at_most=_CHUNK) as pool:
        wrong = sum(pool.run(answer_piece))
    if wrong and not masking:
        raise invalid_rows(sorted(first_wrong)[:NAMED], wrong, len(rows))
    return [array.reshape((*batch.shape, *array.shape[1:])) for array in filled]


def _aligned(number: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    size = number * dtype.itemsize
    memory = np.empty(size + _PLACES, np.uint8)
    first = -memory.ctypes.data % _PLACES
    return memory[first : first + size].view(dtype.base).reshape(number, *dtype.shape)

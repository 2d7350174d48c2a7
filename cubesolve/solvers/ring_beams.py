"""Short solutions of rings with sums of pattern databases: beams of states (numpy)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import check
from cubesolve.definitions.canonical import Alg
from cubesolve.errors import SearchLimitError
from cubesolve.search.ring_sums import RingSumSolver
from cubesolve.solvers.beam import BeamSearch, Successors

_WIDTHS = (64, 256, 1024, 4096)  # states of the beams; the first takes about a tenth of a second
_LONGEST = 8  # moves for each move of the lower bound
_AT_ONCE = 1 << 12  # states whose sums are added between two checks of the deadline


def beams_of(solver: object) -> RingBeams | None:
    """Return beams with the tables of a search for optimal algs; None if it is not that of a ring."""
    return RingBeams(solver) if isinstance(solver, RingSumSolver) else None


class RingBeams:
    """States of a ring, in which each piece has one place of its own, with their moves.

    Attributes:
        moves: the names of the moves.
        points: the number of pieces.
    """

    def __init__(self, solver: RingSumSolver) -> None:
        """Take the search for optimal algs, which has the moves and tables."""
        self._solver, self._goes = solver, solver.problem.forward
        self.moves, self.points = [*map(str, range(len(self._goes)))], self._goes.shape[1]

    def is_solved(self, rows: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return which states are solved: bool (N,)."""
        found: NDArray[np.bool_] = (rows == np.arange(self.points)).all(axis=1)
        return found

    def successors(self, rows: NDArray[np.uint8]) -> Successors:
        """Return the states after all moves."""
        origins, moves = np.divmod(np.arange(len(rows) * len(self._goes)), len(self._goes))
        return Successors(self._goes[moves[:, None], rows[origins]], origins, moves)

    def algs(self, ranks: Sequence[int]) -> Iterator[Alg]:
        """Yield shorter and shorter algs that solve a state, with wider and wider beams.

        Args:
            ranks: the places of its pieces; it is not solved.

        Raises:
            EndedError: the current deadline has passed.
        """
        starts, most = self._solver.turned(ranks), _LONGEST * int(self._solver.bounds(ranks)[0])
        for width in _WIDTHS if len(starts) else ():
            try:
                found = BeamSearch(self, self._values, width, most).solve(starts)
            except SearchLimitError:
                continue
            most = len(found) - 1
            yield self._solver.named(tuple(found))

    def _values(self, rows: NDArray[np.uint8]) -> NDArray[np.int64]:
        found = list[NDArray[np.int64]]()
        for first in range(0, len(rows), _AT_ONCE):
            check()
            found.append(self._solver.sums(rows[first : first + _AT_ONCE].astype(np.int64)).sum(axis=-1))
        return np.concatenate(found)

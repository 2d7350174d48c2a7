"""Shorter and shorter solutions and larger and larger lower bounds, until a solution is accepted (pure Python)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cubesolve.catalog.rubik import LONGEST_TWO_PHASE, METRICS
from cubesolve.definition.metrics import changes_parity
from cubesolve.errors import NoMemoryError, SearchLimitError, in_moves
from cubesolve.runtime.deadline import current
from cubesolve.search.limits import proving

if TYPE_CHECKING:
    from cubesolve.catalog.rubik.cube import RubikCube
    from cubesolve.catalog.rubik.optimal import Deepening
    from cubesolve.catalog.rubik.solver import RubikSolver
    from cubesolve.catalog.rubik.two_phase.search import TwoPhaseSearch
    from cubesolve.solvers.answers import Solution
    from cubesolve.solvers.questions import Asked

NODES_AT_ONCE = 1 << 22
"""The nodes of the two-phase search that are worth their time if a solution need not be optimal: 0.2 s."""

_MOST_NODES = 1 << 31  # for a question that may have no answer: two minutes
_NEAR_MOVES = {"htm": 10, "qtm": 12}  # the largest numbers of moves of a bidirectional search
_NODES_PER_BOUND = 1 / 256  # two-phase nodes for each table entry that the search of the next length would read


class Narrowing:
    """The shortest known solution of a cube, and the proved lower bound of its depth, until a solution is accepted."""

    def __init__(self, solver: RubikSolver, asked: Asked, *, is_patient: bool) -> None:
        """Take a question about a cube and a metric; a patient one goes on until the time ends without a table."""
        self._solver, self._asked, self._is_patient = solver, asked, is_patient
        self._metric: str = asked.named["metric"]
        self._alg: Sequence[str] | None = None
        self._at_least = 0
        self._has_any = every_cube_has(self._metric, asked.accepted.max_length, asked.search.get("max_depth"))
        # Whether the two-phase search, which minimizes face turns, finds an accepted solution alone.
        self.is_short = self._has_any and not changes_parity(self._metric)

    def solutions(self) -> Iterator[Solution[RubikCube]]:
        """Yield shorter and shorter solutions with larger and larger lower bounds; the last one is the answer."""
        asked, solution, before = self._asked, None, None
        known = contextlib.nullcontext(0)  # if an answer must not depend on earlier questions
        try:
            with self._solver.kept.about((asked.state, self._metric)) if asked.accepted.is_optimal else known as bound:
                self._prove(bound)
                for _ in self._deepened():
                    if self._alg is not None and before != (self._alg, self._at_least):
                        before = self._alg, self._at_least
                        solution = asked.solution(" ".join(self._alg), self._at_least)
                        current().find(solution)
                        yield solution
        except (SearchLimitError, NoMemoryError) as error:
            self._prove(error.at_least)
            if self._alg is None or asked.accepted.within is None or not self._is_allowed:
                error.at_least, error.solution = self._at_least, solution
                raise
            yield asked.solution(" ".join(self._alg), self._at_least)
            return
        if not self._is_allowed:
            raise SearchLimitError(self._at_least, f"in {in_moves(asked.most or 0)}")

    def _prove(self, at_least: int) -> None:
        self._at_least = max(self._at_least, at_least)

    @property
    def _is_enough(self) -> bool:
        """Whether the alg is an answer."""
        return self._alg is not None and self._is_allowed and self._asked.accepted.takes(len(self._alg), self._at_least)

    @property
    def _is_allowed(self) -> bool:
        """Whether the alg is within the limits of the question."""
        limit = self._asked.most
        return self._alg is not None and (limit is None or len(self._alg) <= limit)

    def _deepened(self) -> Iterator[None]:
        """Improve the bounds of a cube until they are an answer or no answer is possible; yield at each step."""
        asked, solver = self._asked, self._solver
        if not self.is_short:  # otherwise the two-phase search is sufficient
            near = solver.near_paths(asked)
            if not isinstance(near, int):
                self._alg = next(iter(near))
                self._prove(near.depth)
                yield
                return
            self._prove(near + 1)
        from cubesolve.catalog.rubik.two_phase.search import TwoPhaseSearch  # noqa: PLC0415  # needs numpy

        with proving(self._at_least):
            longest = asked.accepted.max_length if self.is_short else None
            tables, longest = solver.two_phase_tables(), LONGEST_TWO_PHASE if longest is None else longest
            phases = TwoPhaseSearch(tables, asked.state.cubies, longest)
            self._prove(phases.at_least)
            yield from self._shorten(phases, None if self.is_short else 0)
        looked_at = 0
        for length, deepening, size in () if self._is_enough else solver.rounds(asked, self._at_least):
            self._prove(length)
            yield
            nodes = self.nodes_without_table(current().is_limited) if size is None else self.nodes(length, size)
            try:
                with proving(length):
                    yield from self._shorten(phases, nodes)
            except SearchLimitError:
                if deepening is not None or not self._is_patient:
                    raise
            if self._is_enough:
                report(asked, length, looked_at)
                break
            if asked.most is not None and length > asked.most:
                break
            if deepening is None:
                continue
            algs, looked_at = searched(deepening, asked, length), deepening.nodes
            if algs:
                self._alg = algs[0]
                break
            self._prove(length + 1)
        if asked.accepted.is_optimal and self._is_enough and self._at_least <= _NEAR_MOVES[self._metric]:
            # The first optimal alg in the order of moves, as a bidirectional search would find it.
            self._alg = solver.deepening(asked, self._at_least).algs(self._at_least, current())[0]
        yield

    def _shorten(self, phases: TwoPhaseSearch, nodes: int | None) -> Iterator[None]:
        """Search for shorter algs until one is an answer, if one is known for a number of nodes; yield after each."""
        while not self._is_enough:
            turns = phases.improve(None if self._alg is None else nodes)
            if turns is None:
                return
            alg = spelled(list(map(str, turns)), self._metric)
            if self._alg is None or len(alg) < len(self._alg):
                self._alg = alg
                yield

    def nodes(self, length: int, table_bytes: int) -> int:
        """Return the nodes of the two-phase search that are worth their time before a length is searched.

        The optimal search of a length visits about as many cubes as there are algs of that length, divided by the size
        of its table. The number depends only on the arguments and the question, so answers are reproducible.
        """
        nodes = int(METRICS[self._metric].branching ** (length - 1) * _NODES_PER_BOUND / table_bytes)
        return nodes if self._asked.accepted.is_optimal else max(nodes, NODES_AT_ONCE)

    def nodes_without_table(self, is_limited: bool) -> int | None:
        """Return this number if no table can be used; None if the search ends anyway, or at its time limit."""
        accepted = self._asked.accepted
        is_patient = self._is_patient and self._asked.search.get("max_depth") is None
        if self._has_any or (is_limited and (is_patient or not accepted.is_optimal)):
            return None
        return NODES_AT_ONCE if accepted.max_length is None else _MOST_NODES


def searched(deepening: Deepening, asked: Asked, length: int) -> list[tuple[str, ...]]:
    """Return the algs of a length that solve the cube of a question, and report progress."""
    algs = deepening.algs(length, current(), asked.search.get("progress"))
    report(asked, length, deepening.nodes)
    return algs


def report(asked: Asked, length: int, nodes: int) -> None:
    """Report that a length was searched."""
    progress = asked.search.get("progress")
    if progress:
        progress(length, nodes, current().elapsed)


def every_cube_has(metric: str, max_length: int | None, max_depth: int | None) -> bool:
    """Return whether every cube has a solution that is accepted."""
    return max_length is not None and max_length >= METRICS[metric].gods_number and max_depth is None


def spelled(alg: Sequence[str], metric: str) -> Sequence[str]:
    """Return an alg of face turns in the moves of a metric: in ``qtm`` a half turn is two quarter turns."""
    if not changes_parity(metric):
        return alg
    return [move for turn in alg for move in ([turn[0]] * 2 if turn[1:] == "2" else [turn])]

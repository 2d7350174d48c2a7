"""Shorter and shorter solutions and larger and larger lower bounds, until a solution is accepted (pure Python)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.catalog.rubik import LONGEST_TWO_PHASE, METRICS
from cubesolve.definition.metrics import changes_parity
from cubesolve.solvers.questions import Accepted

if TYPE_CHECKING:
    from cubesolve.catalog.rubik.cube import RubikCube
    from cubesolve.catalog.rubik.two_phase.search import TwoPhaseSearch
    from cubesolve.search.limits import SearchOptions

NODES_AT_ONCE = 1 << 22
"""The nodes of the two-phase search that are worth their time if a solution need not be optimal: 0.2 s."""

_MOST_NODES = 1 << 31  # for a question that may have no answer: two minutes
_NODES_PER_BOUND = 1 / 256  # two-phase nodes for each table entry that the search of the next length would read


class CubeQuestion(NamedTuple):
    """A question about the depth of a cube.

    Attributes:
        cube: the cube.
        metric: the metric.
        search: the limits of the search.
        accepted: which solutions are accepted.
        is_patient: whether to improve solutions until the time ends even if no table proves a lower bound.
    """

    cube: RubikCube
    metric: str
    search: SearchOptions
    accepted: Accepted
    is_patient: bool

    @property
    def most(self) -> int | None:
        """The largest number of moves of an answer; None for any."""
        given = (self.search.get("max_depth"), self.accepted.max_length)
        return min((most for most in given if most is not None), default=None)

    @property
    def has_any(self) -> bool:
        """Whether every cube has a solution that is accepted."""
        return every_cube_has(self.metric, self.accepted.max_length, self.search.get("max_depth"))

    @property
    def is_short(self) -> bool:
        """Whether the two-phase search, which minimizes face turns, finds an accepted solution alone."""
        return self.has_any and not changes_parity(self.metric)

    @property
    def longest(self) -> int:
        """The largest number of moves of the first solution of the two-phase search."""
        most = self.accepted.max_length
        return most if self.is_short and most is not None else LONGEST_TWO_PHASE

    def nodes(self, length: int, table_bytes: int) -> int:
        """Return the nodes of the two-phase search that are worth their time before a length is searched.

        The optimal search of a length visits about as many cubes as there are algs of that length, divided by the size
        of its table. A solution of that length makes it unnecessary. The number depends only on the arguments and the
        question, so answers are reproducible.
        """
        nodes = int(METRICS[self.metric].branching ** (length - 1) * _NODES_PER_BOUND / table_bytes)
        return nodes if self.accepted.is_optimal else max(nodes, NODES_AT_ONCE)

    def nodes_without_table(self, is_limited: bool) -> int | None:
        """Return this number if no table can be used; None if the search ends anyway, or at its time limit."""
        is_patient = self.is_patient and self.search.get("max_depth") is None
        if self.has_any or (is_limited and (is_patient or not self.accepted.is_optimal)):
            return None
        return NODES_AT_ONCE if self.accepted.max_length is None else _MOST_NODES


class Bounds:
    """The shortest known solution of a cube, and the proved lower bound of its depth.

    Attributes:
        asked: the question.
        alg: the shortest known alg that solves the cube; None if there is none yet.
        at_least: the lower bound.
    """

    def __init__(self, asked: CubeQuestion) -> None:
        """Begin without an alg, and with the lower bound 0."""
        self.asked, self.at_least = asked, 0
        self.alg: Sequence[str] | None = None

    def prove(self, at_least: int) -> None:
        """Record a lower bound."""
        self.at_least = max(self.at_least, at_least)

    def changes(self, steps: Iterator[None]) -> Iterator[tuple[Sequence[str], int]]:
        """Yield the alg and the lower bound whenever a step has improved one of them, and there is an alg."""
        before = None
        for _ in steps:
            if self.alg is not None and before != (self.alg, self.at_least):
                before = self.alg, self.at_least
                yield before

    @property
    def is_enough(self) -> bool:
        """Whether the alg is an answer."""
        accepted = self.asked.accepted
        enough = self.at_least + (accepted.within or 0) if accepted.max_length is None else accepted.max_length
        return self.is_allowed and self.alg is not None and len(self.alg) <= enough

    @property
    def is_allowed(self) -> bool:
        """Whether the alg is within the limits of the question."""
        most = self.asked.most
        return self.alg is not None and (most is None or len(self.alg) <= most)

    def shorten(self, phases: TwoPhaseSearch, nodes: int | None) -> Iterator[None]:
        """Search for shorter algs until one is an answer; yield after each.

        Args:
            nodes: the number of nodes after which to give up, if there is an alg; None for no limit.
        """
        while not self.is_enough:
            found = phases.improve(None if self.alg is None else nodes)
            if found is None:
                return
            alg = spelled(list(map(str, found)), self.asked.metric)
            if self.alg is None or len(alg) < len(self.alg):
                self.alg = alg
                yield


def every_cube_has(metric: str, max_length: int | None, max_depth: int | None) -> bool:
    """Return whether every cube has a solution that is accepted.

    >>> every_cube_has("htm", 20, None), every_cube_has("htm", 19, None), every_cube_has("htm", 20, 16)
    (True, False, False)
    """
    return max_length is not None and max_length >= METRICS[metric].gods_number and max_depth is None


def spelled(alg: Sequence[str], metric: str) -> Sequence[str]:
    """Return an alg of face turns in the moves of a metric: in ``qtm`` a half turn is two quarter turns.

    >>> spelled(["U2", "R"], "qtm")
    ['U', 'U', 'R']
    """
    if not changes_parity(metric):
        return alg
    return [move for turn in alg for move in ([turn[0]] * 2 if turn[1:] == "2" else [turn])]

"""Answers: solutions, and distributions with a notebook representation (pure Python)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic

from cubesolve.definition.state import StateT
from cubesolve.errors import counted
from cubesolve.runtime.arguments import integer

if TYPE_CHECKING:
    from cubesolve.spaces.rules import Graph, Rules


class Solution(str, Generic[StateT]):
    """An alg that solves a state, or leads from it to another: text, which a notebook shows step by step.

    Attributes:
        at_least: the proved lower bound of the depth; less than the length only for a requested longer solution.
        rules: the puzzle.
        nodes: the number of states that `Puzzle.search` evaluated; None for other solutions.
        metric: the metric that was asked for; None for the usual one.

    >>> from cubesolve import PocketCube, lookup
    >>> alg = lookup.solve(PocketCube.from_alg("R U R'"))
    >>> alg, alg.split(), alg.at_least
    ("R U' R'", ['R', "U'", "R'"], 3)
    >>> alg.start == PocketCube.from_alg("R U R'"), alg.start.apply(alg).is_solved
    (True, True)
    """

    __slots__ = ("_given", "_graph", "at_least", "metric", "nodes", "rules")
    at_least: int
    rules: Rules
    nodes: int | None
    metric: str | None
    _given: Any
    _graph: Graph | None

    def __new__(
        cls,
        alg: str,
        at_least: int,
        rules: Rules,
        start: Any,
        graph: Graph | None = None,
        nodes: int | None = None,
        metric: str | None = None,
    ) -> Solution:
        """Take an alg and its start."""
        solution = super().__new__(cls, alg)
        solution.at_least, solution.rules, solution._graph, solution.nodes = at_least, rules, graph, nodes
        solution.metric = metric
        # Text and ranks, which are immutable, are parsed on first use.
        solution._given = start if isinstance(start, str) or hasattr(start, "__index__") else rules.read(start)
        return solution

    def proved(self, at_least: int) -> Solution[StateT]:
        """Return the solution with a larger lower bound."""
        about = self.rules, self._given, self._graph, self.nodes, self.metric
        return self if at_least <= self.at_least else Solution(str(self), at_least, *about)

    @property
    def start(self) -> StateT:
        """The state at which it begins."""
        if isinstance(self._given, str):
            self._given = self.rules.read(self._given)
        elif self._graph is not None and hasattr(self._given, "__index__"):
            self._given = self._graph.unrank(self._given)
        start: StateT = self._given
        return start

    @property
    def moves(self) -> list[str]:
        """Its moves."""
        return self.rules.view.split(self)

    @property
    def is_proved(self) -> bool:
        """Whether it is proved that no other is shorter, or costs less.

        >>> from cubesolve import PocketCube, lookup
        >>> lookup.solve(PocketCube.from_alg("R U R'")).is_proved
        True
        """
        # Where moves cost 0, only tables solve states.
        return self.at_least >= self.length or 0 in self.rules.costs.values()

    @property
    def length(self) -> int:
        """The number of moves, without rotations of the whole puzzle, and regardless of costs.

        This is the depth, unless moves have costs or a longer solution was requested. `len` counts characters, since a
        solution is text.

        >>> from cubesolve import PocketCube, lookup
        >>> alg = lookup.path(PocketCube.from_alg("R U"), PocketCube.from_alg("F x"))
        >>> alg, alg.length, len(alg.moves)
        ("U' R' F x", 3, 4)
        """
        return self.rules.view.count(self, self.metric)

    @property
    def states(self) -> list[StateT]:
        """The states along the solution, from its start on.

        >>> from cubesolve import PocketCube, lookup
        >>> [lookup.depth(state) for state in lookup.solve(PocketCube.from_alg("R U2")).states]
        [2, 1, 0]
        """
        return [state for _, state in self.rules.view.steps(self.start, self)]

    def to_html(self) -> str:
        """Return a page that plays it in 3D, as text: one document without external resources.

        It shows how many moves are left, if the solution is proved to be optimal.

        Raises:
            ValueError: the puzzle has no scene.

        >>> from cubesolve import PocketCube, lookup
        >>> lookup.solve(PocketCube.from_alg("R U2")).to_html().startswith("<!doctype html>")
        True
        """
        from cubesolve.picture.player import page  # noqa: PLC0415  # few solutions are played

        return page(self.rules, self.start, self, left=self.left())

    def left(self) -> list[int]:
        """Return how many moves are needed at the start and after each move; none if that is not proved.

        >>> from cubesolve import PocketCube, lookup
        >>> lookup.solve(PocketCube.from_alg("R U2")).left()
        [2, 1, 0]
        """
        left = self.rules.view.left(self, self.metric)
        return [] if self.rules.costs or left[0] > self.at_least else left

    def _repr_svg_(self) -> str | None:
        """Return the pictures of the steps for a notebook; None for text, if the puzzle has no pictures."""
        from cubesolve.picture.render import pictures_svg  # noqa: PLC0415  # few solutions are shown

        steps = self.rules.view.steps(self.start, self)
        return pictures_svg([(caption, self.rules.view.picture(state)) for caption, state in steps])

    def __reduce__(self) -> tuple[object, ...]:
        return Solution, (str(self), self.at_least, self.rules, self.start, None, self.nodes, self.metric)


COUNTING = frozenset({"count", "progress", "resume", "memory"})
"""The keywords that say how states are counted, not which."""


def require_no_count(question: Mapping[str, object]) -> None:
    """Reject the keywords of a count where the numbers are read."""
    for name in ("resume", "memory"):
        if question.get(name):
            raise ValueError(f"{name} requires count: a table is read, and nothing is counted")


OTHER_GOAL = "states of another goal"
"""What is counted from another goal, in messages."""


def chosen(question: Mapping[str, object]) -> dict[str, Any]:
    """Return the keywords of a question about all states, without those that leave a count at its default."""
    names = COUNTING | {"levels", "from_goal"}
    return {
        name: value for name, value in question.items() if name not in names or not (value is None or value is False)
    }


class Distribution(tuple[int, ...]):
    """The number of states at each depth, from 0: a tuple, which a notebook shows as bars.

    >>> from cubesolve import puzzle
    >>> puzzle("ivy").distribution()
    (1, 8, 48, 288, 1640, 7582, 15262, 4221, 110)
    """

    __slots__ = ()

    def _repr_svg_(self) -> str:
        from cubesolve.picture.render import distribution_svg  # noqa: PLC0415  # few distributions are shown

        return distribution_svg(self)


def existing_depth(depth: int, counts: Sequence[int]) -> int:
    """Return a depth that some state has; otherwise raise a `ValueError`."""
    depth = integer("depth", depth)
    if not 0 <= depth < len(counts) or not counts[depth]:
        raise ValueError(f"no state has depth {counted(depth)}: depths are 0..{len(counts) - 1}")
    return depth

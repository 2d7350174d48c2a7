"""Answers about puzzles that are solved as soon as they fulfil a goal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cubesolve.arguments import integer
from cubesolve.errors import UnsolvableStateError
from cubesolve.lookup.derived import DerivedPuzzle
from cubesolve.lookup.limits import split
from cubesolve.lookup.questions import with_tables
from cubesolve.lookup.sources import random_source
from cubesolve.rules.defined import DerivedGraph
from cubesolve.rules.towards import GoalRules

if TYPE_CHECKING:
    from cubesolve.lookup.derived import _Answer
    from cubesolve.lookup.distances import Distances
    from cubesolve.lookup.graphs import Asked
    from cubesolve.lookup.questions import Source
    from cubesolve.lookup.solution import Solution


class GoalPuzzle(DerivedPuzzle):
    """A puzzle with a goal.

    A state is any of the puzzle. Where one is made for what the goal tells of it, a shortest alg makes it of the solved
    one.
    """

    rules: GoalRules

    def graph(self, **question: Any) -> DerivedGraph:
        """See `DerivedPuzzle.graph`.

        Raises:
            UnsolvableStateError: no moves lead to the goal.
        """
        graph = super().graph(**question)
        if not graph.starts:
            raise UnsolvableStateError(f"no moves lead to this goal of the {self.rules.whole.title}")
        return graph

    def _found(self, state: Any, goal: Any, question: dict[str, Any], every: bool = True) -> _Answer | None:
        refuse_other(goal)
        if not self._is_sure:
            self.require_table(question)
        return super()._found(state, None, question, every)

    @property
    def _is_sure(self) -> bool:
        """Whether moves certainly lead to the goal, although its states have not been listed."""
        solved = self.rules.definition.solved
        return self.rules.origin is None or len(set(solved[0])) == len(solved[0])

    def _ask(self, state: Any, goal: Any, question: dict[str, Any]) -> tuple[Asked, Distances, int]:
        refuse_other(goal)
        return super()._ask(state, None, question)

    def alg(self, state: Any) -> Solution:
        """See `Puzzle.alg`."""
        return with_tables(self.rules.whole, self._tables).alg(state)

    # -- Questions about all states ------------------------------------------------------------------------------------

    def antipodes(self, **question: Any) -> list[Any]:
        """See `Puzzle.antipodes`."""
        distances = self.distances(self.graph(**question))
        ranks = distances.at(len(self.distribution(**question)) - 1)
        return [self._state(self._alg(distances, rank)) for rank in ranks]

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Any) -> Any:
        """See `Puzzle.random_state`; without a depth it is any state of the puzzle."""
        source, reach = random_source(rng), self.rules.reach
        if depth is None and reach is not None:
            self._graph_asked(question)
            return self.rules.whole.state(reach.random_state(source))
        return self._state(self.scramble(source, depth=depth, **question))

    def scramble(
        self, rng: Source = None, *, depth: int | None = None, length: int | None = None, **question: Any
    ) -> str:
        """See `Puzzle.scramble`; with a length, of all algs that lead to what the goal tells of a state."""
        if self.rules.is_directed:
            raise ValueError("scrambles away from a goal are not supported where moves have no inverses")
        named, _ = split(question)
        if self.rules.origin is None and len(self.rules.definition.solved) == 1:
            return super().scramble(rng, depth=depth, length=length, **question)
        self.require_table(named)
        if length is not None:
            raise ValueError(
                "the length of a scramble cannot be chosen where not just the solved puzzle fulfils the goal"
            )
        chosen = None if depth is None else integer("depth", depth)
        rank = self._random_rank(random_source(rng), chosen, named)
        return self._alg(self.distances(self.graph(**named)), rank)

    def _alg(self, distances: Distances, rank: int) -> str:
        """A shortest alg that makes what a goal tells of a state of the solved one."""
        graph = distances.graph
        assert isinstance(graph, DerivedGraph)  # as its rules have no others
        if list(graph.starts) != [0]:
            distances = self._towards(graph, 0)  # where the solved state is
        return self.rules.invert(graph.written(distances.solution(rank), rank))

    def _state(self, alg: str) -> Any:
        whole = self.rules.whole
        return whole.state(whole.definition.solved[0]).apply(alg)


def refuse_other(goal: object) -> None:
    """Refuse another goal beside that which a puzzle has.

    Raises:
        ValueError: there is one.

    >>> refuse_other(None)
    """
    if goal is not None:
        raise ValueError("a puzzle with a goal has no other: ask it towards that")


ANSWERS = GoalPuzzle
"""What answers questions about the puzzles that name this module."""

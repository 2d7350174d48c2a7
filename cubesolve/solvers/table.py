"""Answers about puzzles with a table of all distances."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from cubesolve.definition.state import StateT
from cubesolve.encodings import encoding_of
from cubesolve.encodings.distances import Distances
from cubesolve.errors import UnsolvableStateError, in_moves
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.search.limits import LONGEST_SCRAMBLE, require_within, split
from cubesolve.solvers.answers import Distribution, Solution, existing_depth, require_no_count
from cubesolve.solvers.questions import Answers, Asked
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.sources import random_source
from cubesolve.spaces import space_of
from cubesolve.spaces.rules import Graph, GraphRules
from cubesolve.spaces.tables import UNREACHABLE
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    import random

    from cubesolve.solvers.arrays import GraphArrays
    from cubesolve.solvers.counting import Counted
    from cubesolve.solvers.keywords import DrawQuestion, Question, SolveQuestion, StatesQuestion
    from cubesolve.solvers.solver import Source

_REDRAWN = 100  # states that are drawn to find one with walks of a length


class TableSolver(Solver[StateT]):
    """Answers about a puzzle with tables of all distances."""

    rules: GraphRules[StateT]
    lists_longer = True
    has_ranks = True
    has_usual: ClassVar[bool] = True  # one table has every state of a question without keywords

    def __init__(self, rules: GraphRules[StateT], tables: Tables) -> None:
        super().__init__(rules, tables)
        self._distances: dict[Graph, Distances] = {}
        self._usual: Distances | None = None

    @property
    def moves(self) -> Sequence[str]:
        return self.rules.graph().moves

    @property
    def states(self) -> int:
        return self.rules.graph().states

    def graph(self, question: Mapping[str, object]) -> Graph[StateT]:
        """Return the states and moves of a question."""
        self.require_known(question, self.rules.questions)
        graph = self.rules.graph(**question)
        if graph not in self._distances:
            self.offered(graph.entry)
        return graph

    def distances(self, graph: Graph) -> Distances:
        """Return the distances of a graph."""
        body = self._tables.body(graph.entry)  # even if it is not used: the tables may be closed
        distances = self._distances.get(graph)
        if distances is None:
            encoding = encoding_of(self._tables.header(graph.entry))
            distances = self._distances[graph] = encoding.distances(graph, body)
        return distances

    # A table answers in microseconds, so its usual questions leave out what others need.

    def depth(self, state: object, **question: Unpack[Question]) -> int:
        usual = self._usual
        if usual is not None and not question:
            return usual[usual.graph.rank(state)]
        return super().depth(state, **question)

    def solve(self, state: object, **question: Unpack[SolveQuestion]) -> Solution[StateT]:
        usual = self._usual
        if usual is None or question or isinstance(state, Asked):
            return super().solve(state, **question)
        answers = TableAnswers(usual, usual.graph.rank(state), state)
        return Solution(answers.first(), answers.depth, self.rules, state, usual.graph)

    def _optimal(self, asked: Asked, *, every: bool) -> Answers:  # a table has all
        distances, rank = self.locate(asked)
        return TableAnswers(distances, rank, asked.state)

    def locate(self, asked: Asked) -> tuple[Distances, int]:
        """Return the distances for a question, and the rank of its state."""
        if asked.named:
            distances = self.distances(self.graph(asked.named))
        else:
            distances = self._usual or self.distances(self.graph({}))
            self._usual = distances if self.has_usual else None
        rank = distances.graph.rank(asked.state)
        if asked.search:
            require_within(distances[rank], asked.search)
        return distances, rank

    def open(self) -> None:
        for entry in self._there():
            if encoding_of(entry.header).bits:
                self.distances(self.graph({"metric": entry.header.metric}))

    def answers_at_once(self, state: object, **question: Unpack[Question]) -> bool:
        named, _ = split(question)
        self.require_known(named, self.rules.questions)
        return self.rules.graph(**named) in self._distances

    # -- Questions about all states ------------------------------------------------------------------------------------

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        if question.get("count") or any(question.get(name) is not None for name in ("from_goal", "levels")):
            return self.count(**question).distribution
        require_no_count(question)
        return Distribution(self._tables.header(self.graph(question).entry).distribution)

    def space_to_count(self, question: Mapping[str, object], memory: int | None) -> Counted:
        from cubesolve.solvers.counting import Counted, SymmetryClass  # noqa: PLC0415  # needs numba

        graph = self.graph(question)
        return Counted(
            space_of(graph),
            list(graph.starts),
            lambda ranks: [SymmetryClass(graph.unrank(rank), 1, rank) for rank in ranks.tolist()],
            written=graph.written,
        )

    def antipodes(self, **question: Unpack[StatesQuestion]) -> list[StateT]:
        distances = self.distances(self.graph(question))
        return [distances.graph.unrank(rank) for rank in distances.at(len(self.distribution(**question)) - 1)]

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]) -> StateT:
        graph = self.graph(question)
        return graph.unrank(self._random_rank(random_source(rng), depth, question))

    def _random_rank(self, source: random.Random, depth: int | None, question: Keywords) -> int:
        graph = self.graph(question)
        if depth is None:
            return source.randrange(graph.states)
        counts = self.distribution(**question)
        return self.distances(graph).random_at(existing_depth(depth, counts), counts, source)

    def scramble(
        self, rng: Source = None, depth: int | None = None, length: int | None = None, **question: Unpack[DrawQuestion]
    ) -> str:
        named, _ = split(question)
        source, distances = random_source(rng), self.distances(self.graph(named))
        wanted = self.rules.scramble_length if length is None else integer("length", length, 0, LONGEST_SCRAMBLE)
        if self.rules.is_directed and length is not None:
            raise ValueError("length is not supported for puzzles whose moves have no inverses")
        counts = self.distribution(**named)
        for _ in range(_REDRAWN):
            drawn = self._near_depth(source, wanted, distances.graph, counts) if depth is None else depth
            rank = self._random_rank(source, drawn, named)
            if drawn is None and distances[rank] < self.rules.scramble_depth:
                continue
            moves = distances.solution(rank) if wanted is None else distances.of_length(rank, wanted, source)
            if moves is not None:
                break
        else:
            which = "no state" if depth is None else f"no state at depth {depth}"
            what = f"{in_moves(wanted or 0)}, no two of which cancel or join"
            raise ValueError(f"{which} was found that is reached by exactly {what}")
        state = distances.graph.unrank(rank)
        return self._leading_to(state, distances.graph.written(moves, state), named)

    def _leading_to(self, state: object, solution: str, question: Keywords) -> str:
        """Return an alg from the solved state to a state: the inverse of its solution, or without inverses a path."""
        if not self.rules.is_directed:
            return self.rules.made(solution, state, question.get("metric"))
        for rotations, begin in self.derived_rules.orientations():
            with contextlib.suppress(UnsolvableStateError):  # rotations before these moves may make other states
                solver, path = self.toward(begin, state, question)
                return f"{rotations} {solver.solve(path, **question)}".strip()
        raise UnsolvableStateError(f"{self.rules.title}: no moves lead from the solved state to this one")

    def _near_depth(self, source: random.Random, length: int | None, graph: Graph, counts: Sequence[int]) -> int | None:
        """Return the depth of a random state within a number of moves; None if all states are within it."""
        farthest = len(counts) - 1
        limit = farthest if length is None else min(length * max(graph.costs or (1,)), farthest)
        if limit == farthest:
            return None
        depths = range(min(self.rules.scramble_depth, limit), limit + 1)
        return source.choices(depths, counts[depths.start : depths.stop])[0]

    # -- Arrays --------------------------------------------------------------------------------------------------------

    def arrays(self, question: Mapping[str, object], *, distances: bool = False) -> GraphArrays:
        return self._arrays_about(self.graph(question))


class TableAnswers(Answers):
    """The optimal solutions of a state, from a table."""

    graph: Graph

    def __init__(self, distances: Distances, rank: int, given: Any) -> None:
        self.graph, self._distances, self._rank, self._given = distances.graph, distances, rank, given

    @functools.cached_property
    def depth(self) -> int:
        return self._distances[self._rank]

    def algs(self) -> Iterator[str]:
        """Return the optimal solutions, in the order of the moves."""
        return map(self._written, self._distances.solutions(self._rank))

    def first(self) -> str:
        moves = self._distances.solution(self._rank)
        if not self.graph.costs:
            self.depth = len(moves)  # which takes as long to find in a table of two bits
        return self._written(moves)

    def number(self) -> int:
        return self._distances.number(self._rank)

    def first_moves(self) -> list[str]:
        return [self._written([move]) for move, _ in self._distances.first_steps(self._rank)]

    def longer(self, costs: range) -> Iterator[str]:
        return map(self._written, self._distances.longer(self._rank, costs))

    def _written(self, moves: Sequence[int]) -> str:
        return self.graph.written(moves, self._given)


class RankedTarget(TableSolver):
    """Answers about the shortest paths to some states of a puzzle with a table, given by their ranks."""

    def __init__(self, solver: TableSolver, distances: Callable[[], Distances]) -> None:
        super().__init__(solver.rules, solver._tables)
        self._to_target = distances

    def locate(self, asked: Asked) -> tuple[Distances, int]:
        distances = self._to_target()
        rank = distances.graph.rank(asked.state)
        if distances[rank] == UNREACHABLE:
            raise UnsolvableStateError(f"{self.rules.title}: no moves lead from one state to the other")
        require_within(distances[rank], asked.search)
        return distances, rank

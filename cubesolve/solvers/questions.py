"""A question about one state: what is asked, which solutions are accepted, and what is kept of it (pure Python)."""

from __future__ import annotations

import contextlib
import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cubesolve.errors import CubesolveError, SearchLimitError, in_moves
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.deadline import Deadline, EndedError, Known, check, current, running
from cubesolve.search.limits import SearchOptions
from cubesolve.solvers.answers import Solution

if TYPE_CHECKING:
    from cubesolve.solvers.keywords import SolveBatchQuestion, SolveQuestion
    from cubesolve.solvers.solver import Solver
    from cubesolve.spaces.rules import Graph, Rules


_KEPT = 1 << 10  # questions, and states that were searched for


class Accepted(NamedTuple):
    """Which solutions are accepted: optimal ones, or others by one of two keywords."""

    within: int | None = None  # the largest number of moves beyond the proved lower bound
    max_length: int | None = None  # the largest number of moves

    @classmethod
    def of(cls, question: SolveQuestion | SolveBatchQuestion | dict[str, Any]) -> Accepted:
        """Take both keywords from a question, which then lacks them."""
        named = {name: question.pop(name, None) for name in cls._fields}  # type: ignore[misc]  # optional keys
        given = {name: integer(name, value, least=0) for name, value in named.items() if value is not None}
        if len(given) > 1:
            raise ValueError("within and max_length cannot be combined")
        return cls(**given)

    @property
    def is_optimal(self) -> bool:
        """Whether only optimal solutions are accepted."""
        return self == Accepted()

    def takes(self, length: int, at_least: int) -> bool:
        """Return whether a solution of a length is accepted, given a lower bound."""
        return length <= (at_least + (self.within or 0) if self.max_length is None else self.max_length)

    @property
    def named(self) -> dict[str, Any]:
        """The keyword that was given."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def accepted_at_end(error: SearchLimitError, question: Keywords) -> Solution:
    """Return the solution that was found until a search ended, if `within` was given; otherwise raise the error."""
    solution, limit = error.solution, question.get("max_depth")
    if (
        not isinstance(solution, Solution)
        or question.get("within") is None
        or (limit is not None and solution.length > limit)
    ):
        most = question.get("max_length")
        if most is not None and not error.limit.startswith("in "):
            error.limit = f"in {in_moves(most)} {error.limit}"
        raise error
    return solution


class Asked(NamedTuple):
    """A question about one state; one towards a target is about another state, and is answered in its place."""

    state: Any
    given: Any  # the state as the caller gave it
    rules: Rules  # the puzzle that the caller asked about
    named: dict[str, Any]  # the keywords that select states and moves, such as the metric
    search: SearchOptions = SearchOptions()
    accepted: Accepted = Accepted()
    finish: Callable[[str], str] = str  # extends an alg that solves the state, to end as the target is held
    target: Any = None  # the state to reach from the state, for solvers with targets; None for the usual one

    @property
    def most(self) -> int | None:
        """The largest number of moves of an answer; None for any."""
        limits = self.accepted.max_length, self.search.get("max_depth")
        return min((limit for limit in limits if limit is not None), default=None)

    @property
    def about(self) -> Hashable:
        """The question without its limits."""
        state = None if self.state is self.given else self.state
        return self.rules.read(self.given), state, self.target, *sorted(self.named.items())

    def optimal(self, most: int | None) -> Asked:
        """Return this question about optimal solutions of at most a number of moves."""
        search = self.search if most is None else SearchOptions(**{**self.search, "max_depth": most})
        return self._replace(search=search, accepted=Accepted())

    def solution(self, alg: str, at_least: int, graph: Graph | None = None) -> Solution:
        """Return an alg that solves the state as a solution."""
        metric = self.named.get("metric")
        named = metric and self.rules.require_metric(metric)
        return Solution(self.finish(alg), at_least, self.rules, self.given, graph, metric=named)


class Kept:
    """What was proved and found about questions and states before a limit ended the search, for the next time."""

    def __init__(self) -> None:
        self._known = functools.lru_cache(_KEPT)(lambda _about: Known())

    @contextlib.contextmanager
    def about(self, state: Hashable) -> Iterator[int]:
        """Yield the known lower bound of a state, and keep the bound of a search for it that ends at a limit.

        >>> kept = Kept()
        >>> for at_least in (12, 7):
        ...     with contextlib.suppress(SearchLimitError), kept.about("a state") as known:
        ...         print(known)
        ...         raise SearchLimitError(at_least, "after 60 s")
        0
        12
        """
        bound = self._known(state)
        current().prove(bound.at_least)
        try:
            yield bound.at_least
        except SearchLimitError as error:
            bound.at_least = max(bound.at_least, error.at_least)
            if error.at_least == bound.at_least:
                raise
            raise SearchLimitError(bound.at_least, error.limit) from None

    @contextlib.contextmanager
    def of(self, asked: Asked) -> Iterator[None]:
        """Begin a question with what is known of its answer, and keep what is proved and found until its end."""
        deadline = current()
        # Others must not depend on earlier questions, and none on an earlier state of a batch.
        is_kept = deadline.is_limited and asked.accepted.is_optimal and asked.most is None
        deadline.known = self._known(asked.about) if is_kept else Known()
        try:
            yield
        except SearchLimitError as error:
            if is_kept:
                deadline.prove(error.at_least)
                deadline.find(error.solution)
                error.at_least, error.solution = deadline.at_least, deadline.solution
            raise


class Answers(ABC):
    """The optimal solutions of a state."""

    graph: Graph | None = None  # the states and moves that they are from, where the state may be given by its rank

    @property
    @abstractmethod
    def depth(self) -> int:
        """The depth of the state."""

    @abstractmethod
    def algs(self) -> Iterator[str]:
        """Return the optimal solutions, the first one first."""

    def first(self) -> str:
        """Return the first solution."""
        return next(self.algs())

    def number(self) -> int:
        """Return the number of optimal solutions."""
        return sum(1 for _ in self.algs())

    def first_moves(self) -> list[str]:
        """Return the moves with which optimal solutions begin."""
        first = (alg.split(maxsplit=1)[:1] for alg in self.algs())
        return list(dict.fromkeys(move for moves in first for move in moves))

    def longer(self, costs: range) -> Iterator[str]:
        """Return the solutions of given costs, which are larger than the least, the shortest first."""
        raise NotImplementedError


_LAST_SECONDS = 10.0  # at most, for solutions that may be longer


def solved_in_time(solver: Solver, asked: Asked, *, is_shortened: bool = False) -> Solution:
    """Return an optimal solution; in the last part of a limited time, look for one that may be longer.

    The deadline gets the shortest solution. It is returned only if it is proved to be optimal, which a bound does not
    prove if moves have costs. A later search continues the work of one that a limit ended. With `is_shortened`,
    solutions that may be longer were looked for already.
    """

    def find() -> Solution:
        answers = solver._optimal(asked, every=False)
        return asked.solution(answers.first(), answers.depth, answers.graph)

    def shorten() -> None:
        with contextlib.suppress(CubesolveError):  # of some states, only optimal solutions are found
            for longer in solver._suboptimal(asked, 0):
                current().find(longer)

    if asked.search.get("max_depth") is not None:
        return find()
    deadline = current()
    left = deadline.left()
    if is_shortened or math.isinf(left):
        return _or_shortest(find, deadline)
    last = min(left / solver.last_part, _LAST_SECONDS)
    for seconds, work in ((left - last, find), (last, shorten)):
        moment = Deadline(timeout=seconds, within=deadline)
        moment.known = deadline.known
        try:
            with running(moment):
                if (solution := work()) is not None:
                    return solution
        except EndedError:
            pass
        except SearchLimitError as error:
            deadline.prove(error.at_least)
        shortest: Solution | None = deadline.solution
        if shortest is not None and shortest.length <= deadline.at_least and not solver.rules.costs:
            return shortest
        check()
    return _or_shortest(find, deadline)


def _or_shortest(find: Callable[[], Solution], deadline: Deadline) -> Solution:
    """Return an optimal solution; if there is none in time, the error has the shortest one that the deadline has."""
    try:
        return find()
    except SearchLimitError as error:
        error.solution = error.solution or deadline.solution
        raise

"""Answers about puzzles with several goals that distinguish too much for one table: the nearest goal is taken."""

from __future__ import annotations

import contextlib
import functools
import heapq
import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack

from cubesolve.encodings.byte.distances import Depths, Distances
from cubesolve.errors import CubesolveError, NoMemoryError, SearchLimitError, UnsolvableStateError
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.deadline import Deadline, check, current, running
from cubesolve.search.limits import MEMORY, proving, require_within, split
from cubesolve.solvers.accepted import solved_in_time
from cubesolve.solvers.answers import Distribution, Solution
from cubesolve.solvers.beginnings import alg_within, aside, beginnings, shortened
from cubesolve.solvers.goals import GoalSolver, refuse_other
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.variants import MOST_LISTED, NearestRules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cubesolve.definition.rotations import Image
    from cubesolve.definition.state import MaskedState
    from cubesolve.group.permutations import Arrangement
    from cubesolve.solvers.beginnings import AlgsWithin
    from cubesolve.solvers.counting import Count, Counted, CountedAmong
    from cubesolve.solvers.keywords import (
        BoundsQuestion,
        DrawQuestion,
        GraphQuestion,
        Question,
        SolveQuestion,
        StatesQuestion,
    )
    from cubesolve.solvers.solver import Source
    from cubesolve.solvers.state_arrays import StateArrays
    from cubesolve.spaces.defined import DerivedGraph
    from cubesolve.spaces.tables import TableEntry
    from cubesolve.spaces.variants import GoalPart
    from cubesolve.store.tables import Tables

_Found = TypeVar("_Found")

_ALGS_AT_ONCE = 1 << 32  # of a length, which a search tries in a moment


class NearestSolver(Solver):
    """Answers about a puzzle with several goals, any of which will do; its states at each depth are not known."""

    rules: NearestRules
    lists_longer = True

    def __init__(self, rules: NearestRules, tables: Tables, whole: Callable[[], Solver] | None = None) -> None:
        """Take the puzzle with the goals, its tables, and a function that returns the solver of the whole puzzle."""
        super().__init__(rules, tables)
        self._whole = whole
        solvers = {part.rules: GoalSolver(part.rules, tables) for part in rules.parts}
        self.parts = [_Part(solvers[part.rules], part.image) for part in rules.parts]

    @property
    def moves(self) -> Sequence[str]:
        return self.parts[0].solver.moves

    @property
    def states(self) -> int:
        number = self.rules.reach.number if self.rules.reach else None
        if number is None:
            raise self.unsupported("the number of states")
        return number

    @property
    def moves_in_seconds(self) -> int | None:
        return self.parts[0].solver.moves_in_seconds

    def depth(self, state: object, goal: object = None, **question: Unpack[Question]) -> int:
        return self._in_shares(functools.partial(self._nearest, state, goal), question).depth

    def solve(self, state: object, goal: object = None, **question: Unpack[SolveQuestion]) -> Solution:
        find = functools.partial(self._in_shares, functools.partial(self._solved, state, goal), question)
        named, search = split(question)
        if search.get("max_depth") is not None:
            return find()
        has_costs = self.parts[0].solver.graph_asked(named).costs is not None
        some = functools.partial(self._some_solutions, state, self._shared(question))
        return solved_in_time(find, some, part=GoalSolver.last_part, has_costs=has_costs)

    def _solved(self, state: object, goal: object, question: Any) -> Solution:
        found = self._nearest(state, goal, question)
        named, _ = split(question)
        if all(part.has_table(named) for part in found.parts):
            distances, ranks = _distances(found.parts, state, named)
            alg = distances.graph.written(distances.shortest(ranks), state)
        else:
            alg = found.alg or found.parts[0].solve(state, question)
        return Solution(alg, found.depth, self.rules, state)

    def _some_solutions(self, state: object, question: Keywords) -> Iterator[Solution]:
        """Yield shorter and shorter solutions until the time ends."""
        shortest = math.inf
        for alg in self._some_algs(state, question):
            if (found := Solution(alg, current().at_least, self.rules, state)).length < shortest:
                shortest = found.length
                yield found

    def _some_algs(self, state: object, question: Keywords) -> Iterator[str]:
        """Yield algs that lead to goals: to any of them, then to one after the other with steps or wider beams."""
        known = current().solution
        if self._whole is not None:
            for known in beginnings(self.rules, self._whole(), state, question):
                yield known
        if known is not None and all(part.solver.is_hashed(question) for part in self.parts):
            steps = itertools.chain.from_iterable(part.to_steps(question) for part in self.parts)
            within = functools.partial(alg_within, self, question)
            yield from aside(shortened(self.rules.view, state, known, steps, within))
            return
        most = None if known is None else len(known.split()) - 1
        waiting = [aside(part.beamed(state, question, most)) for part in self.parts]
        while waiting:
            for part in waiting.copy():
                try:
                    found = next(part)
                except (CubesolveError, StopIteration):
                    waiting.remove(part)
                    continue
                if found is not None:
                    yield found

    def solutions(
        self, state: object, goal: object = None, *, slack: int = 0, **question: Unpack[Question]
    ) -> Iterator[str]:
        more = integer("slack", slack, 0)
        least, shortest = self._shortest(state, goal, question)
        longer = self._longer(state, least, more, self._shared(question)) if least and more else ()
        return itertools.chain(shortest, longer)

    def _shortest(self, state: object, goal: object, question: Keywords) -> tuple[int, Collection[str]]:
        """Return the least depth, and all solutions of that cost."""

        def ask(question: Keywords) -> tuple[int, Collection[str]]:
            found = self._nearest(state, goal, question, every=True)
            return found.depth, dict.fromkeys(alg for part in found.parts for alg in part.solutions(state, question))

        return self._in_shares(ask, question)

    def _in_shares(self, ask: Callable[[Mapping[str, Any]], _Found], question: Keywords) -> _Found:
        """Ask with a share of the memory for each goal; with all of it for each, if tables for a goal need more."""
        shared = self._shared(question)
        try:
            return ask(shared)
        except NoMemoryError:
            if shared is question:
                raise
            return ask(question)

    def _shared(self, question: Keywords) -> Any:
        """Return a question with a share of the memory: each goal that is searched for keeps its own tables."""
        named, search = split(question)
        number = len({part.solver for part in self.parts if not part.has_table(named)})
        if number <= 1:
            return question
        return {**question, "memory": (search.get("memory") or MEMORY) // number}

    def _longer(self, state: object, least: int, slack: int, question: Keywords) -> Iterator[str]:
        """Yield the solutions of a larger cost, up to a limit."""
        named, _ = split(question)
        near = [part for part in self.parts if self._is_within(part, state, least + slack, question)]
        distances, ranks = _distances(near, state, named)
        return (distances.graph.written(way, state) for way in distances.longer(ranks, slack))

    def _is_within(self, part: _Part, state: object, most: int, question: Keywords) -> bool:
        """Return whether a goal, which must have a table, is within a cost."""
        try:
            self._depth(part, state, {**question, "max_depth": most})
        except UnsolvableStateError:
            return False
        except SearchLimitError as limit:
            if limit.at_least <= most:
                raise
            return False
        part.solver.require_table(question)
        return True

    def _depth(self, part: _Part, state: object, question: Keywords) -> int:
        """Return the depth for one goal; a bound that is proved about it is not one about the nearest goal."""
        with running(Deadline(within=current())):
            return part.solver.depth(part.seen(state), **question)

    def _solution(self, part: _Part, state: object, question: SolveQuestion) -> tuple[int, str]:
        """Return the depth for one goal, likewise, and an optimal alg."""
        with running(Deadline(within=current())):
            found = part.solver.solve(part.seen(state), **question)
        return found.at_least, part.written(found)

    def count_solutions(self, state: object, goal: object = None, **question: Unpack[Question]) -> int:
        return len(self._shortest(state, goal, question)[1])

    def optimal_moves(self, state: object, goal: object = None, **question: Unpack[Question]) -> list[str]:
        _, shortest = self._shortest(state, goal, question)
        named, _ = split(question)
        return sorted({alg.split()[0] for alg in shortest if alg}, key=self.rules.graph(**named).moves.index)

    def _nearest(self, state: object, goal: object, question: Keywords, *, every: bool = False) -> _Nearest:
        """Return the least depth, and the goals at that depth.

        Args:
            goal: must be None.
            every: whether all of these goals are needed, and not only one.
        """
        refuse_other(goal)
        named, search = split(question)
        given = search.get("max_depth")
        longest, soon = math.inf if given is None else given, self._moves_at_once(named)
        least, nearest, algs = math.inf, list[_Part](), dict[_Part, str]()
        faults = list[SearchLimitError | UnsolvableStateError]()
        waiting = [(0, number) for number in range(len(self.parts))]  # with a lower bound each, the least first
        while waiting and waiting[0][0] <= least:
            bound, number = heapq.heappop(waiting)
            require_within(bound, search)
            current().prove(bound)
            part = self.parts[number]
            most = min(max(bound, soon), least, longest)
            within: Any = {**question, "max_depth": None if most == math.inf else int(most)}
            try:
                if soon == math.inf:
                    depth = self._depth(part, state, within)
                else:
                    depth, algs[part] = self._solution(part, state, within)
                    if not every:
                        self._keep(Solution(algs[part], bound, self.rules, state))
            except (SearchLimitError, UnsolvableStateError) as error:
                with proving(bound):
                    check()
                if isinstance(error, SearchLimitError) and error.at_least > most:
                    heapq.heappush(waiting, (error.at_least, number))
                else:
                    faults.append(error)
                continue
            nearest = [*nearest, part] if depth == least else [part]
            least = depth
        limits = [fault for fault in faults if isinstance(fault, SearchLimitError)]
        lowest = min(limits, key=lambda limit: limit.at_least, default=None)
        if not nearest:
            raise lowest or faults[0]
        if lowest and lowest.at_least < least + every:  # that goal may be nearer, or equally near
            raise lowest
        nearest.sort(key=self.parts.index)
        return _Nearest(int(least), nearest, algs.get(nearest[0], ""))

    @staticmethod
    def _keep(found: Solution) -> None:
        """Keep a solution for the error of a limit, if it is the shortest."""
        shortest: Solution | None = current().solution
        if shortest is None or found.length < shortest.length:
            current().solution = found

    def _moves_at_once(self, named: Keywords) -> float:
        """Return the largest number of moves that each goal is found within at once, so that all are tried in time."""
        if all(part.has_table(named) for part in self.parts):
            return math.inf
        return self.parts[0].solver.graph_asked(named).moves_within(_ALGS_AT_ONCE)

    def bounds(
        self, batch: object, *, invalid: str = "raise", workers: int | None = None, **question: Unpack[BoundsQuestion]
    ) -> NDArray[np.uint8]:
        def ask(part: _Part, states: Sequence[object]) -> NDArray[np.uint8]:
            return part.solver.bounds([*map(part.seen, states)], invalid="mask", workers=workers, **question)

        goals = [functools.partial(ask, part) for part in self.parts]
        return self.searched_arrays({}).least_bounds(batch, invalid, goals)

    def state_arrays(self, question: GraphQuestion) -> StateArrays:  # noqa: ARG002
        raise self.unsupported("states as arrays, because its goals ignore different pieces: choose one of them")

    def count(self, **question: Unpack[StatesQuestion]) -> Count:
        if question.get("from_goal") is None:
            raise self._uncounted()
        return self._counted(question)

    def count_unlisted(self, about: Keywords, question: Keywords, number: int) -> Count | None:
        from cubesolve.solvers.counts import ShownGoal, count_together  # noqa: PLC0415  # needs numpy

        rules, mask = self.rules, self.rules.together
        places = rules.placements(question["from_goal"]) if number > MOST_LISTED else None
        if places is None:
            return None
        known: dict[MaskedState, int] = {}

        def depths(part: GoalPart, solver: GoalSolver, some: Sequence[Arrangement]) -> Sequence[int]:
            masked = [part.masked(place, mask) for place in some]
            new = [*dict.fromkeys(state for state in masked if state not in known)]
            known.update(zip(new, solver.depths_from(new, about), strict=True))
            return [*map(known.__getitem__, masked)]

        goals = [
            ShownGoal(part.looks(mask), functools.partial(depths, part, answering.solver))
            for part, answering in zip(rules.parts, self.parts, strict=True)
        ]
        return count_together(mask.masked(rules.start), places, goals, MOST_LISTED)

    def distances_digest(self, question: Keywords) -> str:
        return " ".join(f"{part.rules.graph(**question).digest} {[*part.image.turned]}" for part in self.rules.parts)

    def depth_from(self, state: Any, question: Keywords) -> int:
        """Return the least depth of the masked states of all goals."""
        depths = list[int]()
        for part, masked in zip(self.parts, state, strict=True):
            with contextlib.suppress(UnsolvableStateError):
                depths.append(part.solver.depth_from(masked, question))
        if not depths:
            raise UnsolvableStateError(f"no moves lead to these goals of the {self.rules.whole.title}")
        return min(depths)

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        if question.get("from_goal") is not None:
            return self.count(**question).distribution
        rules, metric = self.rules, question.get("metric")
        known = rules.view.named_steps.distributions.get(rules.goal)
        is_usual = rules.whole.definition == rules.view.definition and not rules.costs
        is_usual = is_usual and metric in {None, rules.metrics[0]} and not question.get("count")
        if known is None or not is_usual or question.get("levels") is not None:
            raise self._uncounted()
        return Distribution(known)

    def space_to_count(self, question: Mapping[str, object], memory: int | None) -> Counted:  # noqa: ARG002
        raise self._uncounted()

    def graph_of_levels(self, question: Keywords) -> tuple[DerivedGraph, bool]:  # noqa: ARG002
        raise self._uncounted()

    def among_to_count(self, question: Mapping[str, object], goal: object, memory: int | None) -> CountedAmong:  # noqa: ARG002
        raise self.only_listed()

    def _uncounted(self) -> ValueError:
        what = "the number of states at each depth, for several goals that ignore different pieces"
        return self.unsupported(
            f"{what}; choose one of them, or count the states that another goal leaves (from, --from)"
        )

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]) -> Any:
        if depth is not None:
            raise self.unsupported("a random state at a depth")
        return self.parts[0].solver.random_state(random_source(rng), **question)

    def scramble(
        self,
        rng: Source = None,  # noqa: ARG002
        *,
        depth: int | None = None,  # noqa: ARG002
        length: int | None = None,  # noqa: ARG002
        **question: Unpack[DrawQuestion],  # noqa: ARG002
    ) -> str:
        several = f"the {self.rules.title}, has several goals, which ignore different pieces"
        raise ValueError(f"{several}: draw all pieces (--random-rest)")

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        solvers = dict.fromkeys(part.solver for part in self.parts)
        return [entry for solver in solvers for entry in solver.usual_tables(metric)]

    def usual_table(self) -> TableEntry:
        raise self.unsupported("one table of all states, as each goal has its own")


class _Part:
    """One of several goals, which a solver answers about in an image of each state.

    Attributes:
        solver: answers about the goal of the image.
    """

    def __init__(self, solver: GoalSolver, image: Image) -> None:
        """Take the solver, and the image of states."""
        self.solver, self._image, self._written = solver, image, image.moves

    def seen(self, state: object) -> object:
        """Return the image of a state."""
        view = self.solver.rules.view
        return view.state(self._image.of(view.oriented(view.read(state))))

    def solve(self, state: object, question: SolveQuestion) -> str:
        """Return an optimal alg."""
        return self.written(self.solver.solve(self.seen(state), **question))

    def beamed(self, state: object, question: Mapping[str, object], most: int | None) -> Iterator[str | None]:
        """Yield algs that a beam search finds; see `GoalSolver.beamed`."""
        found = self.solver.beamed(self.seen(state), question, most)
        return (None if alg is None else self.written(alg) for alg in found)

    def to_steps(self, question: Mapping[str, object]) -> Iterator[AlgsWithin]:
        """Yield functions that return optimal algs to the steps that the goal includes; see `algs_within`."""
        return map(self._seen_by, self.solver.to_steps(question))

    def _seen_by(self, step: AlgsWithin) -> AlgsWithin:
        """Return a function about states for one about their images."""
        return lambda state, most: map(self.written, step(self.seen(state), most))

    def solutions(self, state: object, question: Keywords) -> Iterator[str]:
        """Return all optimal algs."""
        return map(self.written, self.solver.solutions(self.seen(state), **question))

    def written(self, seen: str) -> str:
        return " ".join(map(self._written.__getitem__, seen.split()))

    def has_table(self, named: Mapping[str, object]) -> bool:
        """Return whether the goal has a table, or one can be built at once."""
        return self.solver.has_table(self.solver.graph_asked(named))

    def distances(self, state: object, named: Mapping[str, object]) -> tuple[Distances, Sequence[int], int]:
        """Return the distances of images, the number of each move there, and the rank of the image of a state."""
        _, distances, rank = self.solver.locate(self.seen(state), None, named)
        there = {self._written[move]: number for number, move in enumerate(distances.graph.moves)}
        return distances, [there[move] for move in distances.graph.moves], rank


class _Nearest(NamedTuple):
    """The nearest goals.

    Attributes:
        depth: their depth.
        parts: the goals.
        alg: an optimal alg that leads to the first; empty if a table has it.
    """

    depth: int
    parts: Sequence[_Part]
    alg: str


def _distances(parts: Sequence[_Part], state: object, named: Keywords) -> tuple[_ToNearest, tuple[int, ...]]:
    """Return the distances to the nearest of goals that have tables, and the key of a state."""
    found = [part.distances(state, named) for part in parts]
    return _ToNearest([(distances, moves) for distances, moves, _ in found]), tuple(key for *_, key in found)


class _ToNearest(Depths[tuple[int, ...]]):
    """Distances to the nearest of several goals; the key of a state is the tuple of its ranks in all tables."""

    def __init__(self, parts: Sequence[tuple[Distances, Sequence[int]]]) -> None:
        """Take the distances to each goal, and the number that each move has there."""
        super().__init__(parts[0][0].graph)
        self._parts = parts

    def __getitem__(self, keys: tuple[int, ...]) -> int:
        return min(part[key] for (part, _), key in zip(self._parts, keys, strict=True))

    def following(self, keys: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        """Return the possible moves, by number, with the states after them.

        A move is possible for all goals, or for none.
        """
        found = list[list[object]]()
        for (part, moves), key in zip(self._parts, keys, strict=True):
            there = dict(part.following(key))
            found.append([there.get(move) for move in moves])
        return [way for way in enumerate(zip(*found, strict=True)) if None not in way[1]]

    def shortest(self, keys: tuple[int, ...]) -> list[int]:
        """Return the first optimal solution, in the order of the moves."""
        alg = list[int]()
        while left := self[keys]:
            move, keys = next(way for way in self.following(keys) if self[way[1]] == left - self._cost(way[0]))
            alg.append(move)
        return alg

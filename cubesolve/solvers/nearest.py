"""Answers about puzzles with several goals that distinguish too much for one table: the nearest goal is taken."""

from __future__ import annotations

import contextlib
import functools
import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Unpack

from cubesolve.encodings.distances import Depths, Distances
from cubesolve.errors import NoMemoryError, SearchLimitError, UnsolvableStateError
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.deadline import Deadline, check, current, running
from cubesolve.search.limits import MEMORY, SearchOptions, proving, require_within
from cubesolve.solvers.answers import Distribution, Solution
from cubesolve.solvers.goals import GoalSolver, refused, short_algs
from cubesolve.solvers.questions import Answers, Asked
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
    from cubesolve.solvers.counting import Count, Counted
    from cubesolve.solvers.keywords import BoundsQuestion, DrawQuestion, StatesQuestion
    from cubesolve.solvers.solver import Source
    from cubesolve.solvers.state_arrays import StateArrays
    from cubesolve.spaces.defined_graph import DerivedGraph
    from cubesolve.spaces.tables import TableEntry
    from cubesolve.spaces.variants import GoalPart
    from cubesolve.store.tables import Tables

_ALGS_AT_ONCE = 1 << 32  # of a length, which a search tries in a moment


class NearestSolver(Solver):
    """Answers about a puzzle with several goals, any of which will do; its states at each depth are not known."""

    rules: NearestRules
    lists_longer = True

    def __init__(self, rules: NearestRules, tables: Tables, whole: Callable[[], Solver] | None = None) -> None:
        super().__init__(rules, tables)
        self._whole = whole
        solvers = {part.rules: GoalSolver(part.rules, tables) for part in rules.parts}
        self.parts = [Part(solvers[part.rules], part.image) for part in rules.parts]

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

    def toward(self, state: object, target: object, question: Keywords) -> NoReturn:
        raise refused()

    def _optimal(self, asked: Asked, *, every: bool) -> Answers:
        shared = self._shared(asked)
        try:
            return self._nearest(shared, every=every)
        except NoMemoryError:  # tables for a goal need more
            if shared is asked:
                raise
            return self._nearest(asked, every=every)

    def _near(self, asked: Asked) -> Answers | int:
        soon = self._moves_at_once(asked.named)
        return super()._near(asked) if soon == math.inf else self._optimal_within(asked, int(soon))

    def _short(self, asked: Asked, enough: int) -> Iterator[Solution]:  # until the time ends
        algs = short_algs(self, self.parts, self._shared(asked), current().solution)
        return (asked.solution(alg, current().at_least) for alg in algs)

    def _shared(self, asked: Asked) -> Asked:
        """Return a question with a share of the memory: each goal that is searched for keeps its own tables."""
        number = len({part.solver for part in self.parts if not part.has_table(asked.named)})
        if number <= 1:
            return asked
        memory = (asked.search.get("memory") or MEMORY) // number
        return asked._replace(search=SearchOptions(**{**asked.search, "memory": memory}))

    def _nearest(self, asked: Asked, *, every: bool) -> Answers:
        """Return the optimal solutions that lead to the nearest goals: to one of these, or to every one."""
        given = asked.search.get("max_depth")
        longest, soon = math.inf if given is None else given, self._moves_at_once(asked.named)
        least, nearest = math.inf, dict[int, Answers]()
        faults = list[SearchLimitError | UnsolvableStateError]()
        waiting = [(0, number) for number in range(len(self.parts))]  # with a lower bound each, the least first
        while waiting and waiting[0][0] <= least:
            bound, number = heapq.heappop(waiting)
            # Goals whose search ended at a limit may be nearer.
            current().prove(min([bound, *(fault.at_least for fault in faults if isinstance(fault, SearchLimitError))]))
            try:
                require_within(bound, asked.search)
            except SearchLimitError as error:
                faults.append(error)
                break
            part = self.parts[number]
            allowed = min(max(bound, soon), least, longest)
            try:
                answers = part.optimal(asked.optimal(None if allowed == math.inf else int(allowed)), every=every)
            except (SearchLimitError, UnsolvableStateError) as error:
                with proving(bound):
                    check()
                if isinstance(error, SearchLimitError) and error.at_least > allowed:
                    heapq.heappush(waiting, (error.at_least, number))
                else:
                    faults.append(error)
                continue
            if soon != math.inf and not every:
                current().find(asked.solution(part.written(answers.first()), bound))
            nearest = {**nearest, number: answers} if answers.depth == least else {number: answers}
            least = answers.depth
        limits = [fault for fault in faults if isinstance(fault, SearchLimitError)]
        lowest = min(limits, key=lambda limit: limit.at_least, default=None)
        if not nearest:
            raise lowest or faults[0]
        if lowest and lowest.at_least < least + every:  # that goal may be nearer, or equally near
            raise lowest
        return _NearestAnswers(self, asked, {self.parts[number]: nearest[number] for number in sorted(nearest)})

    def _moves_at_once(self, named: Keywords) -> float:
        """Return the largest number of moves that each goal is found within at once, so that all are tried in time."""
        if all(part.has_table(named) for part in self.parts):
            return math.inf
        return self.parts[0].solver.graph_asked(named).moves_within(_ALGS_AT_ONCE)

    def parts_within(self, asked: Asked, most: int) -> Iterator[Part]:
        """Yield the goals within a cost, each of which must have a table."""
        for part in self.parts:
            try:
                part.optimal(asked.optimal(most), every=False)
            except UnsolvableStateError:
                continue
            except SearchLimitError as limit:
                if limit.at_least <= most:
                    raise
                continue
            part.solver.require_table(asked.named)
            yield part

    def bounds(self, batch: object, invalid: str, workers: int | None, question: BoundsQuestion) -> NDArray[np.uint8]:
        def ask(part: Part, states: Sequence[object]) -> list[int]:
            bounds = part.solver.bounds([*map(part.seen, states)], "mask", workers, {**question})
            return [*map(int, bounds.max(axis=1))]

        def least(states: Sequence[object]) -> list[int]:
            return [*map(min, zip(*(ask(part, states) for part in self.parts), strict=True))]

        return self.searched_arrays({}).bounds(batch, invalid, least)

    def state_arrays(self, metric: str | None) -> StateArrays:
        raise self.unsupported("states as arrays, because its goals ignore different pieces: choose one of them")

    def count(self, **question: Unpack[StatesQuestion]) -> Count:
        if question.get("from_goal") is None:
            raise self._uncounted()
        return super().count(**question)

    def count_unlisted(self, about: Keywords, question: Keywords, number: int) -> Count | None:
        from cubesolve.solvers.counts import ShownGoal, count_together  # noqa: PLC0415  # needs numpy

        rules, mask = self.rules, self.rules.together
        places = rules.placements(question["from_goal"]) if number > MOST_LISTED else None
        if places is None:
            return None
        depth_of: dict[MaskedState, int] = {}

        def depths(part: GoalPart, solver: GoalSolver, some: Sequence[Arrangement]) -> Sequence[int]:
            masked = [part.masked(place, mask) for place in some]
            new = [*dict.fromkeys(state for state in masked if state not in depth_of)]
            depth_of.update(zip(new, solver.depths_from(new, about), strict=True))
            return [*map(depth_of.__getitem__, masked)]

        goals = [
            ShownGoal(part.looks(mask), functools.partial(depths, part, answering.solver))
            for part, answering in zip(rules.parts, self.parts, strict=True)
        ]
        return count_together(mask.masked(rules.start), places, goals)

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
        counts = rules.view.named_steps.distributions.get(rules.goal)
        is_usual = rules.whole.definition == rules.view.definition and not rules.costs
        is_usual = is_usual and metric in {None, rules.metrics[0]} and not question.get("count")
        if counts is None or not is_usual or question.get("levels") is not None:
            raise self._uncounted()
        return Distribution(counts)

    def space_to_count(self, question: Mapping[str, object], memory: int | None) -> Counted:
        raise self._uncounted()

    def graph_of_levels(self, question: Keywords) -> tuple[DerivedGraph, bool]:
        raise self._uncounted()

    def among_to_count(self, question: Mapping[str, object], goal: object, memory: int | None) -> Counted:
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
        self, rng: Source = None, depth: int | None = None, length: int | None = None, **question: Unpack[DrawQuestion]
    ) -> str:
        several = f"the {self.rules.title}, has several goals, which ignore different pieces"
        raise ValueError(f"{several}: draw all pieces (--random-rest)")

    def arrays_of(self, entry: TableEntry) -> NoReturn:
        what = "a table of all states, for several goals that ignore different pieces; choose one of them"
        raise self.unsupported(what)

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        solvers = dict.fromkeys(part.solver for part in self.parts)
        return [entry for solver in solvers for entry in solver.usual_tables(metric)]


class Part:
    """One of several goals, which a solver answers about in an image of each state."""

    def __init__(self, solver: GoalSolver, image: Image) -> None:
        self.solver, self._image, self._written = solver, image, image.moves

    def seen(self, state: object) -> object:
        """Return the image of a state."""
        view = self.solver.rules.view
        return view.state(self._image.of(view.oriented(view.read(state))))

    def unseen(self, image: object) -> object:
        """Return the state that has an image."""
        view = self.solver.rules.view
        return view.state(self._image.preimage(view.oriented(view.read(image))))

    def optimal(self, asked: Asked, *, every: bool) -> Answers:
        """Return the optimal solutions of the image; a bound that is proved about it is none about the nearest goal."""
        with running(Deadline(within=current())):
            return self.solver._optimal(asked._replace(state=self.seen(asked.state)), every=every)

    def to_steps(self, question: Mapping[str, object]) -> Iterator[AlgsWithin]:
        """Yield functions that return optimal algs to the steps that the goal includes; see `algs_within`."""

        def seen_by(step: AlgsWithin) -> AlgsWithin:
            return lambda state, most: map(self.written, step(self.seen(state), most))

        return map(seen_by, self.solver.to_steps(question))

    def written(self, seen: str) -> str:
        """Return an alg of the image as one of the state."""
        return " ".join(map(self._written.__getitem__, seen.split()))

    def has_table(self, named: Mapping[str, object]) -> bool:
        """Return whether the goal has a table, or one can be built at once."""
        return self.solver.has_table(self.solver.graph_asked(named))

    def distances(self, asked: Asked) -> tuple[Distances, Sequence[int], int]:
        """Return the distances of images, the number of each move there, and the rank of the image of a state."""
        distances, rank = self.solver.locate(asked._replace(state=self.seen(asked.state), search=SearchOptions()))
        numbers = {self._written[move]: number for number, move in enumerate(distances.graph.moves)}
        return distances, [numbers[move] for move in distances.graph.moves], rank


class _NearestAnswers(Answers):
    """The optimal solutions that lead to the nearest of several goals."""

    def __init__(self, solver: NearestSolver, asked: Asked, nearest: Mapping[Part, Answers]) -> None:
        self._solver, self._asked, self._nearest = solver, asked, nearest

    @property
    def depth(self) -> int:
        return next(iter(self._nearest.values())).depth

    def algs(self) -> Iterator[str]:
        """Return the optimal solutions, goal by goal."""
        return iter(
            dict.fromkeys(part.written(alg) for part, answers in self._nearest.items() for alg in answers.algs())
        )

    def first(self) -> str:
        """Return the first solution in the order of the moves, where all goals have tables; otherwise some one."""
        if all(part.has_table(self._asked.named) for part in self._nearest):
            distances, ranks = _distances([*self._nearest], self._asked)
            return distances.graph.written(distances.shortest(ranks), self._asked.state)
        part, answers = next(iter(self._nearest.items()))
        return part.written(answers.first())

    def first_moves(self) -> list[str]:
        return sorted(super().first_moves(), key=self._solver.rules.graph(**self._asked.named).moves.index)

    def longer(self, costs: range) -> Iterator[str]:
        distances, ranks = _distances([*self._solver.parts_within(self._asked, costs.stop - 1)], self._asked)
        ways = distances.longer(ranks, costs)
        return (distances.graph.written(way, self._asked.state) for way in ways)


def _distances(parts: Sequence[Part], asked: Asked) -> tuple[_ToNearest, tuple[int, ...]]:
    """Return the distances to the nearest of goals that have tables, and the key of a state."""
    located = [part.distances(asked) for part in parts]
    return _ToNearest([(distances, moves) for distances, moves, _ in located]), tuple(key for *_, key in located)


class _ToNearest(Depths[tuple[int, ...]]):
    """Distances to the nearest of several goals; the key of a state is the tuple of its ranks in all tables."""

    def __init__(self, parts: Sequence[tuple[Distances, Sequence[int]]]) -> None:
        """Take the distances to each goal, and the number that each move has there."""
        super().__init__(parts[0][0].graph)
        self._parts = parts

    def __getitem__(self, keys: tuple[int, ...]) -> int:
        return min(part[key] for (part, _), key in zip(self._parts, keys, strict=True))

    def following(self, keys: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        ends = list[list[object]]()
        for (part, moves), key in zip(self._parts, keys, strict=True):
            reached = dict(part.following(key))
            ends.append([reached.get(move) for move in moves])
        return [way for way in enumerate(zip(*ends, strict=True)) if None not in way[1]]

    def shortest(self, keys: tuple[int, ...]) -> list[int]:
        """Return the first optimal solution, in the order of the moves."""
        alg = list[int]()
        while left := self[keys]:
            move, keys = next(way for way in self.following(keys) if self[way[1]] == left - self._cost(way[0]))
            alg.append(move)
        return alg

"""Puzzles that are solved as soon as they fulfil a goal (pure Python).

A state is what the goal tells of it, and the goal says how the puzzle is held: turning it as a whole is not free. So
states that moves lead to only from another holding of the solved puzzle are a puzzle of their own, with the same goal.
"""

from __future__ import annotations

import contextlib
import functools
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cubesolve.errors import InvalidStateError, UnsolvableStateError
from cubesolve.permutations import Arrangement, after, orbits
from cubesolve.puzzles.definition import decisive
from cubesolve.puzzles.goals import Allowed, Told, told
from cubesolve.puzzles.options import TARGET, Option
from cubesolve.puzzles.reach import Reach, UnknownReachError, reach
from cubesolve.puzzles.rotations import rotations_of
from cubesolve.puzzles.state import State
from cubesolve.spaces.defined import AT_ONCE, DefinedRules, DerivedGraph, DerivedRules
from cubesolve.spaces.rules import Form, Kind

if TYPE_CHECKING:
    from cubesolve.pictures import Picture
    from cubesolve.scenes import Motion, Scene
    from cubesolve.spaces.tables import TableEntry

OR = "|"
"""What stands between goals any of which will do."""


def towards(whole: DerivedRules, goal: Any, read: Callable[[Any], list[Allowed]]) -> GoalRules:
    """A puzzle with another goal.

    Args:
        whole: the puzzle.
        goal: the goal, as text or as a pattern.
        read: reads a goal, which may stand for several.

    Raises:
        InvalidStateError: this is no goal, or no moves lead there.
    """
    if not isinstance(goal, (str, Mapping)):
        raise InvalidStateError(f"a goal is text or a pattern, not of the type {type(goal).__name__}", "type")
    texts = [part.strip() for part in goal.split(OR)] if isinstance(goal, str) else [goal]
    goals = [each for text in texts for each in read(text)]
    named = goal if isinstance(goal, str) else "a pattern"
    if len(goals) > 1 and not _is_small(whole, goals):
        return NearestRules(whole, goals, named)
    rules = GoalRules(whole, goals, named)
    if rules.origin is not None:
        reached = rules.graph().reach
        if reached is not None and not any(map(reached.may_have, rules.definition.solved)):
            raise UnsolvableStateError(f"no moves of the {whole.title} lead to this goal")
    return rules


def _told(whole: DerivedRules, goals: Sequence[Allowed], start: Arrangement) -> Told:
    """What goals tell of the states of a puzzle that moves lead to from one."""
    definition = whole.definition
    cases = [case for turn in definition.turns() for case in turn.cases]
    alone = decisive(cases, definition.illegal)
    return told(start, [case.sources for case in cases], goals, alone)


def _is_small(whole: DerivedRules, goals: Sequence[Allowed]) -> bool:
    """Whether what several goals tell together is so little that there can be a table at once."""
    definition, start = whole.definition, whole.definition.solved[0]
    try:
        number = reach(_told(whole, goals, start).seen(start), definition.turns(), definition.illegal).number
    except UnknownReachError:
        return False
    return number is not None and number <= AT_ONCE


class GoalRules(DefinedRules):
    """A puzzle with a goal, or several of which one is to be fulfilled.

    Attributes:
        whole: the puzzle.
        told: what the goals tell of its states.
    """

    kind: Kind = "goal"

    def __init__(
        self, whole: DerivedRules, goals: Sequence[Allowed], goal: str, start: Arrangement | None = None
    ) -> None:
        """Take a puzzle, its goals, what these are called, and a state from which moves lead to those to be solved."""
        self.start = start or whole.definition.solved[0]
        self.told = _told(whole, goals, self.start)
        fulfilled = self.told.fulfilled()
        super().__init__(
            whole.definition._replace(solved=fulfilled, orbits=(), rotations={}),
            title=f"{whole.title}, towards {goal}",
            costs=whole.costs,
            spoken=f"{whole.spoken} --goal {shlex.quote(goal)}",
        )
        self._goals, self._goal = goals, goal
        self.whole = whole
        seen = self.told.seen(self.start)
        self.origin = None if seen == fulfilled[0] else seen

    @property
    def options(self) -> Sequence[Option]:  # type: ignore[override]
        """Those of the puzzle, but for the target."""
        return [option for option in self.whole.options if option is not TARGET]

    @property
    def forms(self) -> Mapping[str, Form]:
        """Those of the puzzle."""
        return self.whole.forms

    @property
    def searches(self) -> bool:  # type: ignore[override]
        """See `Rules.searches`."""
        return self.whole.searches

    @functools.cached_property
    def reach(self) -> Reach | None:
        """The states of the puzzle, held in all ways to which moves lead."""
        definition = self.whole.definition
        return reach(definition.solved[0], definition.turns(), definition.illegal)

    def held_otherwise(self, state: Any) -> Iterator[GoalRules]:
        """The same goals for states that moves lead to from another holding of the solved puzzle, as they may to one.

        Args:
            state: a state to which none lead from the usual one.
        """
        if isinstance(state, State) and state.rules == self:
            return
        definition, place = self.whole.definition, self.whole.as_held(state)
        for start in dict.fromkeys(after(definition.solved[0], rotation) for rotation in rotations_of(definition)):
            found = reach(start, definition.turns(), definition.illegal) if start != self.start else None
            if found is not None and found.may_have(place):
                with contextlib.suppress(UnsolvableStateError):
                    yield GoalRules(self.whole, self._goals, self._goal, start)

    def reader(self, form: str, **how: Any) -> Callable[[str], Any]:
        """See `Rules.reader`."""
        return self.whole.reader(form, **how)

    def read(self, given: Any) -> Any:
        """See `Rules.read`: a state of the puzzle, or what is told of one."""
        return given if isinstance(given, State) and given.rules == self else self.whole.read(given)

    def arrangements(self, state: Any) -> Iterable[Arrangement]:
        """See `DerivedRules.arrangements`."""
        if isinstance(state, State) and state.rules == self:
            return (state.arrangement,)
        place = self.whole.as_held(state)
        return (self.told.seen(place),) if self._may_come_from_start(place) else ()

    def _may_come_from_start(self, place: Arrangement) -> bool:
        """Whether the labels lie where moves take them from the start, as far as the goals may not tell."""
        return all(sorted(place[point] for point in points) == labels for points, labels in self._areas)

    @functools.cached_property
    def _areas(self) -> list[tuple[list[int], list[int]]]:
        """Points between which moves take labels, and the labels there; what lies on the most points follows."""
        changes = [case.sources for turn in self.whole.definition.turns() for case in turn.cases]
        areas = sorted(orbits(len(self.start), changes), key=len)[:-1]
        return [(points, sorted(self.start[point] for point in points)) for points in areas]

    @property
    def numbers(self) -> Mapping[int, int]:
        """See `DerivedRules.numbers`: those of the puzzle."""
        numbers = self.whole.numbers
        return {label: numbers[label] for label in self.definition.solved[0]}

    @property
    def numbering(self) -> str:
        """See `DerivedRules.numbering`."""
        return f"{self.whole.numbering}; what the goal leaves open has one number, too"

    @property
    def texts(self) -> _Texts:  # type: ignore[override]
        """How what is told of a state is written."""
        return _Texts(self)

    def picture(self, state: Any) -> Picture | None:
        """See `Rules.picture`."""
        return None if isinstance(state, State) and state.rules == self else self.whole.picture(state)

    def scene(self, state: Any) -> Scene | None:
        """See `Rules.scene`."""
        return None if isinstance(state, State) and state.rules == self else self.whole.scene(state)

    def motion(self, state: Any, move: str) -> Motion:
        """See `Rules.motion`."""
        return self.whole.motion(state, move)

    def solved(self, like: Any) -> Any:
        """See `Rules.solved`."""
        return self.whole.solved(like)

    def is_free(self, move: str) -> bool:
        """See `Rules.is_free`."""
        return self.whole.is_free(move)

    def invert(self, alg: str) -> str:
        """See `Rules.invert`."""
        return self.whole.invert(alg)

    def restricted(self, moves: str | None, costs: Mapping[str, int] | str | None, *, inverses: bool = True) -> Any:
        """See `Rules.restricted`: the moves are chosen anew."""
        whole = self.whole.restricted(moves, costs, inverses=inverses)
        assert isinstance(whole, DerivedRules)  # as a puzzle has goals only if this is one
        return type(self)(whole, self._goals, self._goal)

    def towards(self, goal: Any) -> Any:
        """See `Rules.towards`: the goal is chosen anew."""
        return self.whole.towards(goal)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GoalRules):
            return NotImplemented
        return (type(self), self.whole, self._goals) == (type(other), other.whole, other._goals)

    def __hash__(self) -> int:
        return hash((self.name, self.definition.solved))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.whole, self._goals, self._goal)


class NearestRules(GoalRules):
    """A puzzle with several goals, each of which has tables of its own."""

    kind: Kind = "goals"

    def __init__(self, whole: DerivedRules, goals: Sequence[Allowed], goal: str) -> None:
        """Take a puzzle, its goals, and what these are called."""
        self.parts = _parts(whole, goals, goal)
        super().__init__(whole, self.parts[0]._goals, goal)
        self._goals = goals

    def graph_of(self, entry: TableEntry) -> DerivedGraph:
        """See `Rules.graph_of`: that of the goal that the table belongs to."""
        graphs = (part.graph_of(entry) for part in self.parts)
        return next(graph for graph in graphs if entry.header.scheme.endswith(graph.digest))


def _parts(whole: DerivedRules, goals: Sequence[Allowed], goal: str) -> list[GoalRules]:
    """A puzzle with each of those goals to which the pieces can come.

    Raises:
        UnsolvableStateError: there is none.
    """
    found, faults = list[GoalRules](), list[UnsolvableStateError]()
    for each in goals:
        try:
            found.append(GoalRules(whole, [each], goal))
        except UnsolvableStateError as error:
            faults.append(error)
    if not found:
        raise faults[0]
    return found


class _Texts:
    """Writes what is told of states."""

    def __init__(self, rules: GoalRules) -> None:
        self._rules = rules

    def write(self, state: Arrangement) -> str:
        looks = self._rules.told.looks
        return self._rules.whole.shown([frozenset(label for label in looks if looks[label] == look) for look in state])

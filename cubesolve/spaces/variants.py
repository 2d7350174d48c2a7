"""Puzzles with other moves or another goal (pure Python).

A goal fixes the orientation of the puzzle: rotating it is not free. States that moves reach only from another
orientation of the solved puzzle are a puzzle of their own, with the same goal.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import shlex
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple

from cubesolve.definition.definition import precondition_labels
from cubesolve.definition.goal_texts import OR, goals_of
from cubesolve.definition.goals import Allowed, Mask, mask_of
from cubesolve.definition.options import TARGET, Option
from cubesolve.definition.reach import ReachableStates, most_states, reach
from cubesolve.definition.rotations import Image, images_of, rotations_of
from cubesolve.definition.selection import Costs, described, selected
from cubesolve.definition.several import class_of
from cubesolve.definition.state import Labelling, MaskedState, StateT
from cubesolve.definition.view import DefinedView
from cubesolve.errors import InvalidStateError, UnsolvableStateError, quoted
from cubesolve.group.group import TooLargeGroupError
from cubesolve.group.permutations import Arrangement, Permutation, after, arrangement, identity, orbits
from cubesolve.spaces.defined import DerivedRules, derived
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import AT_ONCE, TableEntry

MOST_LISTED = 1 << 20
"""The maximum number of states that are listed because they fulfil a goal."""


def restricted(rules: Rules, moves: str | None = None, costs: Costs = None, *, inverses: bool = True) -> DerivedRules:
    """Return a puzzle with some of its moves, or other costs; see `Puzzle.restrict`."""
    if isinstance(rules, GoalRules):
        return type(rules)(restricted(rules.whole, moves, costs, inverses=inverses), rules.goals, rules.goal)
    view = rules.view
    if not isinstance(view, DefinedView):
        raise ValueError(f"other moves and costs are not supported for the {rules.title}")
    before = rules.definition if isinstance(rules, DerivedRules) else None
    definition = selected(view, moves, costs, inverses=inverses, of=before)
    words, spoken = described(definition, view.definition)
    return DerivedRules(view, definition, title=f"{view.title}{words}", spoken=f"{view.spoken}{spoken}")


def towards(rules: Rules, goal: object) -> GoalRules:
    """Return a puzzle that is solved as soon as it fulfils a goal, which replaces one that it has."""
    if not isinstance(rules.view, DefinedView):
        raise ValueError(f"goals are not supported for the {rules.title}")
    whole = rules.whole if isinstance(rules, GoalRules) else derived(rules)
    goals = _goals_of(whole, goal)
    named = OR.join(map(whole.view.named_steps.named, goal.split(OR))) if isinstance(goal, str) else "a pattern"
    if len(goals) > 1 and not (_distinguish_the_same(whole, goals) or _is_small(whole, goals)):
        return NearestRules(whole, goals, named)
    rules = GoalRules(whole, goals, named)
    if rules.origin is not None:
        reached = rules.graph().reach
        if reached is not None and not any(map(reached.may_have, rules.definition.solved)):
            raise UnsolvableStateError(f"no moves of the {whole.title} lead to this goal")
    return rules


def _goals_of(whole: DerivedRules, goal: object) -> list[Allowed]:
    """Return the goals that a text, with alternatives or not, or a pattern represents."""
    if not isinstance(goal, (str, Mapping)):
        raise InvalidStateError(f"a goal is text or a pattern, not of the type {type(goal).__name__}", "type")
    texts = [part.strip() for part in goal.split(OR)] if isinstance(goal, str) else [goal]
    return [allowed for text in texts for allowed in goals_of(whole.view, text)]


def _mask_of(whole: DerivedRules, goals: Sequence[Allowed], start: Arrangement) -> Mask:
    """Return the mask of goals, for states that moves lead to from a start."""
    definition = whole.definition
    effects = [effect for move in definition.moves() for effect in move.effects]
    illegal = dict[int, set[int]]()
    for point, label in definition.illegal:
        illegal.setdefault(label, set()).add(point)
    always: dict[int, Hashable] = {label: frozenset(points) for label, points in illegal.items()}
    always |= {label: label for label in precondition_labels(effects, [])}
    return mask_of(start, [effect.sources for effect in effects], goals, always)


def _started(
    whole: DerivedRules, goals: Sequence[Allowed], given: Arrangement | None
) -> tuple[Arrangement, Mask, tuple[Arrangement, ...]]:
    """Return a start, by default the solved state, the mask of goals from there, and the states that fulfil them."""
    start = given or whole.definition.solved[0]
    mask = _mask_of(whole, goals, start)
    if given or not whole.definition.chosen:
        return start, mask, mask.fulfilled()
    with contextlib.suppress(UnsolvableStateError):
        if any(_may_be_reached(whole, mask)):
            return start, mask, mask.fulfilled()
    # Chosen moves lead to no goal: the start is a state that fulfils one.
    everything = DerivedRules(whole.view)
    mask = _mask_of(everything, goals, start)
    for place in _may_be_reached(everything, mask):
        return _started(whole, goals, mask.completed(place))
    raise UnsolvableStateError(f"no moves of the {everything.title} lead to this goal")


def _may_be_reached(whole: DerivedRules, mask: Mask) -> Iterator[Arrangement]:
    """Yield the arrangements that fulfil a goal and may be reachable from the start of its mask."""
    places, seen = mask.fulfilled(), mask.masked(mask.start)
    reached = None if seen == places[0] else _reached(whole, seen)
    return (place for place in places if reached is None or reached.may_have(place))


def _distinguish_the_same(whole: DerivedRules, goals: Sequence[Allowed]) -> bool:
    """Return whether each of several goals distinguishes the labels that they distinguish together."""
    start = whole.definition.solved[0]
    together = _mask_of(whole, goals, start).looks
    return all(_mask_of(whole, [goal], start).looks == together for goal in goals)


def _is_small(whole: DerivedRules, goals: Sequence[Allowed]) -> bool:
    """Return whether several goals have so few masked states that a table can be built at once."""
    start = whole.definition.solved[0]
    reached = _reached(whole, _mask_of(whole, goals, start).masked(start))
    return reached is not None and reached.number is not None and reached.number <= AT_ONCE


class GoalRules(DerivedRules, Labelling, Generic[StateT]):
    """A puzzle with a goal, or with several, any of which may be fulfilled.

    It has the view of the puzzle. Its own states are masked: labels that the goal does not distinguish are equal.
    """

    kind = "goal"
    unreached = "no moves lead from this state to the goal"
    uncounted: Mapping[str, str] = {"orientation": "a goal decides how the puzzle is held; name it (--goal)"}

    def __init__(
        self, whole: DerivedRules[StateT], goals: Sequence[Allowed], goal: str, start: Arrangement | None = None
    ) -> None:
        """Take a puzzle, its goals, their name, and a state from which moves lead to all others."""
        self.start, self.mask, fulfilled = _started(whole, goals, start)
        looks, illegal = self.mask.looks, whole.definition.illegal
        masked = frozenset((point, looks[label]) for point, label in illegal if label in looks)
        super().__init__(
            whole.view,
            whole.definition._replace(solved=fulfilled, orbits=(), rotations={}, illegal=masked),
            title=f"{whole.title}, towards {goal}",
            spoken=f"{whole.spoken} --goal {shlex.quote(goal)}",
        )
        self.goals, self.goal = goals, goal
        self.whole = whole
        seen = self.mask.masked(self.start)
        self.origin = None if seen == fulfilled[0] else seen
        # Where these are in the base, many moves act alike on the rest; otherwise hardly any do, and rows are short.
        self.first_labels = [label for label, number in Counter(seen).most_common() if number > 1]

    @property
    def options(self) -> Sequence[Option]:
        """The options of the puzzle, without the target."""
        return [option for option in self.whole.options if option.name != TARGET.name]

    def fulfilling(self, goal: object, most: int) -> Sequence[MaskedState]:
        """Return the masked states that fulfil another goal; see `fulfilling`."""
        return [MaskedState(self, place) for place in _fulfilling(self.whole, goal, self.start, self.mask.looks, most)]

    @property
    def searches(self) -> bool:
        """Whether some states of the puzzle are answered without its tables."""
        return self.whole.searches

    @functools.cached_property
    def reach(self) -> ReachableStates | None:
        """The states of the puzzle that moves reach from any orientation."""
        return _reached(self.whole)

    def restarted(self, state: object) -> Iterator[GoalRules[StateT]]:
        """Yield the same goals for the states that moves reach from other starts, by which they may reach a state.

        These are other orientations of the solved puzzle, and the state: chosen moves may lead to none of them, as may
        the moves of a metric where others are blocked.
        """
        if self._is_masked(state):
            return
        definition, place = self.whole.definition, self.view.oriented(state)
        turned = dict.fromkeys(after(definition.solved[0], rotation) for rotation in rotations_of(definition))
        reached = ((start, _reached(self.whole, start)) for start in turned if start != self.start)
        starts = (start for start, states in reached if states is not None and states.may_have(place))
        for start in itertools.chain(starts, [place] * bool(definition.chosen or definition.illegal)):
            with contextlib.suppress(UnsolvableStateError):
                yield GoalRules(self.whole, self.goals, self.goal, start)

    def _is_masked(self, state: object) -> bool:
        return isinstance(state, MaskedState) and state.labelling == self

    def read(self, given: object) -> Any:
        """Return a state of the puzzle, or a masked one."""
        return given if self._is_masked(given) else self.view.read(given)

    @property
    def labelling(self) -> Labelling:
        """The labels of masked states."""
        return self

    def arrangement(self, state: Any) -> Arrangement:
        """Return the masked arrangement of a state; an error where no moves bring ignored labels to their points."""
        if self._is_masked(state):
            place: Arrangement = state.arrangement
            return place
        place = self.view.oriented(state)
        if class_of(place, self._areas) != class_of(self.start, self._areas):
            raise UnsolvableStateError(f"{self.title}: {self.unreached}")
        return self.mask.masked(place)

    @functools.cached_property
    def _areas(self) -> list[list[int]]:
        """The orbits of points under the moves but the largest, which follows."""
        changes = [effect.sources for move in self.whole.definition.moves() for effect in move.effects]
        return sorted(orbits(len(self.start), changes), key=len)[:-1]

    def state(self, place: Arrangement) -> MaskedState:
        """Return the masked state that an arrangement represents."""
        return MaskedState(self, place)

    def write(self, place: Arrangement) -> str:
        """Return the text of a masked arrangement."""
        return self.view.write_some(self.mask.possible(place))

    @property
    def numbers(self) -> Mapping[int, int]:
        """The number of each label in arrays of states, in the order of those of the puzzle, without gaps."""
        labels = sorted(set(self.definition.solved[0]), key=self.view.numbers.__getitem__)
        return {label: number for number, label in enumerate(labels)}

    @property
    def numbering(self) -> str:
        """The meaning of the numbers in an array of states."""
        return f"{self.view.numbering}; labels that the goal ignores have one number, too"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GoalRules):
            return NotImplemented
        return (type(self), self.whole, self.goals) == (type(other), other.whole, other.goals)

    def __hash__(self) -> int:
        return hash((self.name, self.definition.solved))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.whole, self.goals, self.goal)


class GoalPart(NamedTuple):
    """One of several goals, as the goal of a puzzle that others share: those that rotations make of it."""

    rules: GoalRules  # the puzzle with the shared goal
    image: Image  # of a state: it fulfils the shared goal if the state fulfils this one

    def looks(self, mask: Mask) -> dict[int, int]:
        """Return the masked label in the image of each label that a mask of all goals has masked."""
        return {mask.looks[label]: self.rules.mask.looks[name] for label, name in self.image.names.items()}

    def masked(self, place: Arrangement, mask: Mask) -> MaskedState:
        """Return the masked state of an arrangement that a mask of all goals has masked."""
        looks = self.looks(mask)
        return MaskedState(self.rules, arrangement(looks[label] for label in after(place, self.image.turned)))


class NearestRules(GoalRules):
    """A puzzle with several goals; those that rotations make of one another share tables."""

    kind = "goals"

    def __init__(self, whole: DerivedRules, goals: Sequence[Allowed], goal: str) -> None:
        if 0 in whole.costs.values():
            raise ValueError(f"not supported for the {whole.title}: several goals, where moves cost 0: choose one")
        self.parts = _parts(whole, goals, goal)
        super().__init__(whole, self.parts[0].rules.goals, goal)
        self.goals = goals

    def alone(self) -> Iterator[GoalRules[StateT]]:
        """Yield the puzzle with each of the goals that its pieces can reach."""
        for goal in self.goals:
            with contextlib.suppress(UnsolvableStateError):
                yield GoalRules(self.whole, [goal], self.goal)

    @functools.cached_property
    def together(self) -> Mask:
        """The mask of all goals."""
        return _mask_of(self.whole, self.goals, self.start)

    @functools.cached_property
    def _reached(self) -> ReachableStates | None:
        """The reachable states of this mask."""
        return _reached(self.whole, self.together.masked(self.start))

    @functools.cached_property
    def _are_all_reached(self) -> bool:
        """Whether all arrangements that this mask distinguishes are certainly reachable."""
        limit = most_states(self.together.masked(self.start), self.whole.definition.moves())
        return self._reached is not None and self._reached.number == limit

    def fulfilling(self, goal: object, most: int) -> Sequence[tuple[MaskedState, ...]]:  # type: ignore[override]
        """Return the states that fulfil another goal, each as the masked states of all goals; see `fulfilling`."""
        places = _fulfilling(self.whole, goal, self.start, self.together.looks, most)
        if self._reached is not None and not self._are_all_reached:
            places = [place for place in places if self._reached.has(place) is not False]
        return [tuple(part.masked(place, self.together) for part in self.parts) for place in places]

    def placements(self, goal: object) -> list[list[dict[int, int]]] | None:
        """Return the ways to place the pieces of each kind, all combinations of which fulfil another goal.

        For each kind these are the labels on points, as `together` masks them; None if the goal has alternatives, or
        some of these arrangements may be unreachable.
        """
        other = _distinguished(self.whole, goal, self.start, self.together.looks)
        if len(other.goals) != 1 or not self._are_all_reached:
            return None
        return other._replace(looks=self.together.looks).placements(other.goals[0], MOST_LISTED)

    def graph_of(self, entry: TableEntry) -> DerivedGraph:
        """Return the states of a table, which is that of one of the goals."""
        graphs = (part.rules.graph(metric=entry.header.metric) for part in self.parts)
        return next(graph for graph in graphs if entry.header.scheme.endswith(graph.digest))


def fulfilling(rules: Rules, goal: object, most: int = MOST_LISTED, *, metric: str | None = None) -> Sequence[Any]:
    """Return the states of a puzzle that fulfil a goal, some of which may be unreachable.

    States that differ by a rotation are one state if they are for the puzzle. The states of a puzzle with a goal of its
    own are masked.
    """
    if isinstance(rules, GoalRules):
        return rules.fulfilling(goal, most)
    if not isinstance(rules.view, DefinedView):
        raise ValueError(f"goals are not supported for the {rules.title}")
    whole = derived(rules)
    reduction = whole.graph(metric=metric if whole is rules else None).reduction
    rotations = reduction.merged or (identity(whole.definition.points),)
    looks = {label: label for label in whole.definition.solved[0]}
    places, faults = dict[Arrangement, Arrangement](), list[UnsolvableStateError]()
    reached = _reached(whole)
    for start in _starts(whole, rotations, reached):
        try:
            arrangements = _fulfilling(whole, goal, start, looks, most, reached)
        except UnsolvableStateError as error:
            faults.append(error)
            continue
        places |= {min(after(place, rotation) for rotation in rotations): place for place in arrangements}
    if not places:
        raise faults[0]
    states = list[Any]()
    for place in places.values():
        with contextlib.suppress(UnsolvableStateError):
            states.append(whole.labelling.state(place))
    return states


def conditions(rules: DerivedRules, goal: object, *, metric: str | None = None) -> list[Allowed]:
    """Return conditions on the listed arrangements of a puzzle, any of which those that fulfil a goal fulfil."""
    if isinstance(rules, GoalRules):
        looks = rules.mask.looks
        allowed = [
            {point: frozenset(looks[label] for label in labels if label in looks) for point, labels in wanted.items()}
            for wanted in _distinguished(rules.whole, goal, rules.start, looks).goals
        ]
    else:
        rotations = rules.graph(metric=metric).reduction.merged or (identity(rules.definition.points),)
        goals = itertools.product(_goals_of(rules, goal), rotations)
        allowed = [{rotation[point]: labels for point, labels in wanted.items()} for wanted, rotation in goals]
    return [*{frozenset(wanted.items()): wanted for wanted in allowed}.values()]


def _reached(whole: DerivedRules, start: Arrangement | None = None) -> ReachableStates | None:
    """Return the states that moves lead to, by default from the first solved one; None if it takes too long to say."""
    definition = whole.definition
    with contextlib.suppress(TooLargeGroupError):
        return reach(start or definition.solved[0], definition.moves(), definition.illegal)
    return None


def _starts(
    whole: DerivedRules, rotations: Iterable[Permutation], reached: ReachableStates | None
) -> Iterator[Arrangement]:
    """Yield the solved state, and its rotations that moves may not lead to."""
    start = whole.definition.solved[0]
    for image in dict.fromkeys(after(start, rotation) for rotation in rotations):
        if image == start or reached is None or not reached.has(image):
            yield image


def _fulfilling(
    whole: DerivedRules,
    goal: object,
    start: Arrangement,
    looks: Mapping[int, int],
    most: int,
    reached: ReachableStates | None = None,
) -> Collection[Arrangement]:
    """Return the arrangements of masked labels that fulfil a goal; see `Mask.fulfilled`."""
    return _distinguished(whole, goal, start, looks)._replace(looks=looks).fulfilled(most, reached)


def _distinguished(whole: DerivedRules, goal: object, start: Arrangement, looks: Mapping[int, int]) -> Mask:
    """Return the mask of a goal."""
    other = _mask_of(whole, _goals_of(whole, goal), start)
    seen = {(look, other.looks[label]) for label, look in looks.items()}
    if len(seen) > len(dict(seen)):
        what = f"{quoted(str(goal))} distinguishes pieces that the other goal does not"
        raise InvalidStateError(f"{what}: choose one whose pieces it distinguishes, too (goal, --goal)", "other")
    return other


def _parts(whole: DerivedRules, goals: Sequence[Allowed], goal: str) -> list[GoalPart]:
    """Return those goals that the pieces of a puzzle can reach; goals that distinguish the same labels are one part."""
    images, shared = images_of(whole.definition), dict[_Goals, GoalPart]()
    parts, faults = list[GoalPart](), list[UnsolvableStateError]()
    for group in _alike(whole, goals):
        part = shared.get(_as_set(group))
        if part is None:
            try:
                rules = GoalRules(whole, group, goal)
            except UnsolvableStateError as error:
                faults.append(error)
                continue
            for image in images:
                shared.setdefault(_as_set(map(image.before, group)), GoalPart(rules, image))
            part = shared[_as_set(group)]
        parts.append(part)
    if not parts:
        raise faults[0]
    return parts


_Goals = frozenset[frozenset[tuple[int, frozenset[int]]]]


def _as_set(goals: Iterable[Allowed]) -> _Goals:
    return frozenset(frozenset(goal.items()) for goal in goals)


def _alike(whole: DerivedRules, goals: Sequence[Allowed]) -> Iterable[list[Allowed]]:
    """Return groups of goals, each of which distinguish the labels that they distinguish together."""
    start, groups = whole.definition.solved[0], dict[frozenset[tuple[int, int]], list[Allowed]]()
    for goal in goals:
        groups.setdefault(frozenset(_mask_of(whole, [goal], start).looks.items()), []).append(goal)
    for group in groups.values():
        yield from [group] if _distinguish_the_same(whole, group) else ([goal] for goal in group)

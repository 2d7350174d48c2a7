"""The cases of a named set, listed, numbered, recognized and drawn at random (pure Python).

The pieces of the pattern `given` are fixed by a subgroup, the stabilizer of their points. Its members, masked to the
pieces that the set solves, are the states of the set. An adjustment U before or after leads from a state g to U g or
g U. States that adjustments connect are one case, as are those that rotations of the puzzle connect, if the set has
any.

The members of the subgroup tell apart pieces that look alike. Those of `given` stay where they are: this excludes no
state if other pieces that look alike can be exchanged instead. Masked states have one look for pieces that look alike.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, overload

from cubesolve.definition.goals import Allowed, mask_of
from cubesolve.definition.named_steps import CaseSet
from cubesolve.definition.view import DefinedView
from cubesolve.errors import InvalidStateError, did_you_mean, quoted
from cubesolve.group.elements import Stabilizer
from cubesolve.group.moves import is_plain
from cubesolve.group.permutations import (
    Arrangement,
    Permutation,
    after,
    arrangement,
    closure,
    identity,
    inverse,
    relabelling,
    transversal,
)
from cubesolve.picture.pictures import Picture
from cubesolve.runtime.arguments import meant, plain
from cubesolve.runtime.deadline import check

MOST_STATES = 1 << 17
"""The maximum number of states of a set."""

_FEW = 3  # members, which often generate the subgroup already


class Case(NamedTuple):
    """A case of a set.

    Attributes:
        number: its number; 0 if it is solved, apart from adjusting.
        name: its name; the number if it has no other.
        states: the number of masked states that are this case.
        probability: the probability of the case in a random state of the set.
        state: one of its states.
    """

    number: int
    name: str
    states: int
    probability: Fraction
    state: Any


class Cases(Sequence[Case]):
    """The cases of a set, in the order of their numbers.

    Attributes:
        name: the name of the set.
        about: the set.

    >>> from cubesolve import puzzle
    >>> oll = puzzle("rubik").cases("oll")
    >>> len(oll), oll["45"].number, oll["45"].probability
    (58, 45, Fraction(1, 54))
    >>> oll.find("F U R U' R' F' U").name
    '45'
    """

    def __init__(self, view: DefinedView, name: str) -> None:
        """Take a view, and the name of one of its sets.

        Raises:
            ValueError: there is no such set.
        """
        name, listed = view.named_steps.named(name), view.named_steps.case_sets
        if name not in listed:
            sets = ", ".join(listed)
            hint = did_you_mean(name, listed) or (f"expected {sets}" if sets else "it has none")
            raise ValueError(f"{quoted(name)} is not a set of cases of the {view.title}: {hint}")
        self.name, self.about = name, listed[name]
        self.states = CaseStates(view, self.about)
        self._view = view

    def __repr__(self) -> str:
        return f"<cases {self.name} of the {self._view.title}: {self.about.title}>"

    @functools.cached_property
    def _classes(self) -> list[list[Arrangement]]:
        """The states of each case; that of the solved state first, then the cases with names."""
        left = dict.fromkeys(sorted(self.states.looks))
        first = [alg for alg in ("", *self.about.names.values()) if alg or not self.about.setup]
        classes = list[list[Arrangement]]()
        for seen in itertools.chain(map(self._solved_by, first), list(left)):
            if seen in left:
                classes.append(sorted(self.states.alike(seen)))
                for member in classes[-1]:
                    del left[member]
        return classes

    def _solved_by(self, alg: str) -> Arrangement:
        state = self._view.solved(None)
        return self.states.of(state.apply(self._view.invert(alg)) if alg else state)

    @functools.cached_property
    def _cases(self) -> list[Case]:
        names = list(self.about.names)
        total = sum(map(len, self.states.looks.values()))
        cases, begin = list[Case](), 1 if self.about.setup else 0
        for number, members in enumerate(self._classes, begin):
            name = names[number - 1] if 0 < number <= len(names) else str(number)
            chance = Fraction(sum(len(self.states.looks[seen]) for seen in members), total)
            cases.append(Case(number, name, len(members), chance, self._example(number, members)))
        return cases

    def _example(self, number: int, members: Sequence[Arrangement]) -> Any:
        """Return the state that the alg of a case solves; without one, the first of its states."""
        algs = list(self.about.names.values())
        if 0 < number <= len(algs):
            alg = self._view.invert(algs[number - 1])
            return self._view.state(self._view.oriented(self._view.solved(None).apply(alg)))
        return self.states.state(self.states.looks[members[0]][0])

    @functools.cached_property
    def _numbers(self) -> Mapping[Arrangement, int]:
        """The place in the list of the case of each state."""
        return {seen: place for place, members in enumerate(self._classes) for seen in members}

    def __len__(self) -> int:
        return len(self._classes)

    @overload
    def __getitem__(self, which: int | str) -> Case: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[Case]: ...
    def __getitem__(self, which: int | str | slice) -> Case | Sequence[Case]:
        """Return a case by its place in the list, or by its name or number as text.

        Raises:
            KeyError: there is no case of this name.
        """
        if not isinstance(which, str):
            return self._cases[which]
        name = meant(plain(which).removesuffix("perm"), [case.name for case in self._cases])
        for case in self._cases:
            if case.name == name or str(case.number) == which:
                return case
        expected = [case.name for case in self._cases if not case.name.isdecimal()]
        expected.append(f"{self._cases[0].number} to {self._cases[-1].number}")
        raise KeyError(f"{self.name} has no case {quoted(which)}: expected {', '.join(expected)}")

    def find(self, state: object) -> Case:
        """Return the case of a state, given in any supported way.

        Raises:
            InvalidStateError: the state is invalid, or not one of the set.
        """
        seen = self.states.of(self._view.read(state))
        if seen not in self._numbers:
            raise InvalidStateError(f"this is not a state of the set {self.name}: {self.about.title}")
        return self._cases[self._numbers[seen]]

    def random_state(
        self, rng: random.Random, which: int | str | None = None, accept: Callable[[Any], bool] | None = None
    ) -> Any:
        """Return a uniformly random state of the set, or of one of its cases.

        Pieces that the set ignores are uniformly random, too.

        Args:
            rng: the source of random numbers.
            which: the case, by its place or name.
            accept: returns whether a state may be drawn; pieces that the set ignores must not matter to it.

        Raises:
            ValueError: no state is accepted.

        >>> from cubesolve import puzzle
        >>> oll = puzzle("rubik").cases("oll")
        >>> oll.find(oll.random_state(random.Random(1), "27")).number
        27
        """
        places = self._places(which)
        for place in [rng.choice(places)] if accept is None else rng.sample(places, len(places)):
            check()
            if accept is None or accept(self.states.state(place)):
                return self.states.state(self.states.completed(place, rng))
        raise ValueError(f"no state of {self.name} is accepted")

    @property
    def aim(self) -> str | None:
        """The goal that the set solves, by name or as text; None if that is the whole puzzle.

        >>> from cubesolve import puzzle
        >>> rubik = puzzle("rubik")
        >>> rubik.cases("oll").aim, rubik.cases("coll").aim[:27]
        ('oll', 'UUUUUUUUUR*RRRRRRRF*FFFFFFF')
        """
        if not self.states.ignores_pieces:
            return None
        for name, goals in self._view.goals.items():
            if tuple(goals) == (self.about.aim,):
                return name
        allowed, points = self._view.allowed(self.about.aim), range(self._view.definition.points)
        return self._view.write_some([allowed.get(point, frozenset(points)) for point in points])

    def _places(self, which: int | str | None) -> list[Arrangement]:
        """Return the states of the set or of a case, one for each way in which the pattern `given` can hold."""
        chosen = [*self.states.looks] if which is None else self._classes[self._cases.index(self[which])]
        return [place for seen in chosen for place in self.states.looks[seen]]

    def shown(self, case: Case) -> str:
        """Return a case as text, with ``*`` for the pieces that the set ignores."""
        return self._view.write_some(self._possible(case))

    def picture(self, case: Case) -> Picture | None:
        """Return the picture of a case, with ignored pieces in grey; None if the puzzle has no pictures."""
        drawn = self._view.draw_some(self._possible(case), above=self.about.above)
        return drawn or self._view.picture(case.state)

    def _possible(self, case: Case) -> list[frozenset[int]]:
        return self.states.possible(self.states.of(case.state))


class CaseStates:
    """The states of a set, masked to the pieces that it solves."""

    def __init__(self, view: DefinedView, about: CaseSet) -> None:
        """Take a view and a set; raise `ValueError` for too many states, or an adjustment that changes its patterns."""
        self._view, definition = view, view.definition
        solved = definition.solved[0]
        is_blocked = not about.group and bool(definition.illegal)
        if is_blocked or not all(map(is_plain, definition.generators.values())):
            raise ValueError(f"cases are not supported for the {view.title}, whose moves can be blocked")
        self._homes = {label: point for point, label in reversed(list(enumerate(solved)))}
        start = identity(len(solved))
        algs = [definition.apply(identity(len(start)), definition.parse(alg)) for alg in about.group]
        changes: Sequence[Permutation] = algs or [move.effects[0].sources for move in definition.moves()]
        given, aim = (self._lifted(view.allowed(goal)) for goal in (about.given, about.aim))
        self._coarse, self._fine = mask_of(start, changes, [aim]), mask_of(start, changes, [aim, given])
        self._looks = self._coarse.masked(start)
        self._fixed = [point for point, labels in view.allowed(about.given).items() if len(labels) == 1]
        self._subgroup = Stabilizer(len(start), changes, self._fixed)
        setup = view.solved(None).apply(about.setup) if about.setup else view.solved(None)
        self.setup: Permutation = (
            self._placed(setup) if self.are_distinguished else definition.apply(start, definition.parse(about.setup))
        )
        steps = definition.parse(about.adjust)
        self.adjustments = [definition.effects(step)[0].sources for step in steps]
        self._turns = about.turns
        self._members = self._listed()
        # For each masked state its states, one for each arrangement of the pieces of `given`.
        self.looks = dict[Arrangement, list[Arrangement]]()
        for member in self._members.values():
            if all(member[point] in labels for point, labels in given.items()):
                place = after(member, self.setup)
                self.looks.setdefault(self.seen(place), []).append(place)

    @property
    def are_distinguished(self) -> bool:
        """Whether no pieces look alike."""
        return len(self._homes) == self._view.definition.points

    def _lifted(self, goal: Allowed) -> Allowed:
        """Return a goal for pieces that are distinguished."""
        solved = self._view.definition.solved[0]
        return {
            point: frozenset(source for source, label in enumerate(solved) if label in labels)
            for point, labels in goal.items()
        }

    def _placed(self, state: object) -> Arrangement:
        """Return a state, with one of the pieces that look alike instead of each of these."""
        return arrangement(map(self._homes.__getitem__, self._view.oriented(state)))

    def of(self, state: object) -> Arrangement:
        """Return a state of the puzzle, masked to the pieces that the set solves."""
        return self.seen(self._placed(state))

    def state(self, place: Arrangement) -> Any:
        """Return the state of the puzzle that an arrangement represents."""
        return self._view.state(after(self._view.definition.solved[0], place))

    def _listed(self) -> dict[Arrangement, Permutation]:
        """Return a member of the subgroup for each arrangement of the pieces that the patterns distinguish."""
        start = self._fine.masked(identity(len(self.setup)))
        expected = self._subgroup.arrangements(start) if self.are_distinguished else None
        if expected is not None and expected > MOST_STATES:
            raise ValueError(f"the set has {expected:,} states, and the limit is {MOST_STATES:,}")
        source = random.Random(0)  # only the running time depends on the random numbers
        for number in itertools.count(_FEW):
            members = [self._subgroup.random_member(source) for _ in range(number)]
            elements = transversal(start, members, MOST_STATES)
            if len(elements) > MOST_STATES:
                raise ValueError(f"the set has more than {MOST_STATES:,} states")
            if len(elements) == expected or (expected is None and number > 4 * _FEW):
                return elements
        raise AssertionError  # itertools.count has no end

    @property
    def ignores_pieces(self) -> bool:
        """Whether states can differ in pieces that neither pattern distinguishes."""
        if not self.are_distinguished:
            return len(set(self._fine.looks.values())) < len(self._homes)
        return self._subgroup.arrangements(identity(len(self.setup))) != len(self._members)

    @property
    def base(self) -> list[int]:
        """Labels that are on the points of their setup only if all pieces of the pattern `given` are."""
        alone = Counter(self.names)
        return [point for point in self._fixed if point in self._subgroup.base or alone[self.names[point]] > 1]

    @property
    def names(self) -> Arrangement:
        """A label for each label, the same for those that look alike."""
        return arrangement(map(self._homes.__getitem__, self._view.definition.solved[0]))

    def seen(self, place: Arrangement) -> Arrangement:
        """Return a state masked to the pieces that the set solves."""
        return self._coarse.masked(place)

    def possible(self, place: Arrangement) -> list[frozenset[int]]:
        """Return the labels that may be on each point of a masked state."""
        possible, solved = self._coarse.possible(place), self._view.definition.solved[0]
        return [frozenset(map(solved.__getitem__, state)) for state in possible]

    def alike(self, seen: Arrangement, *, turned: bool = True) -> list[Arrangement]:
        """Return the states that adjustments before and after lead to; of the same case, also on the other sides."""

        def images(each: Arrangement) -> Iterator[Arrangement]:
            for u in self.adjustments:
                yield from (after(each, u), self.renamed(u, each))
            if turned:
                yield from self._turned(each)

        orbit = closure([seen], images)
        if not self.looks.keys() >= {*orbit}:
            raise ValueError("an adjustment changes the pattern of a set of cases")
        return orbit

    def _turned(self, seen: Arrangement) -> Iterator[Arrangement]:
        """Yield a state on the other sides of the puzzle: rotated, with its pieces named as they are from there."""
        place = self.looks[seen][0] if seen in self.looks else seen
        return (self.seen(after(inverse(turn), after(place, turn))) for turn in self._turns)

    def renamed(self, change: Permutation, seen: Arrangement) -> Arrangement:
        """Return a masked state after an adjustment of the goal, which must not change what the set distinguishes."""
        names = relabelling(self._looks, change)
        if names is None:
            raise ValueError("a permutation of the labels makes equal ones different")
        return after(names, seen)

    def completed(self, place: Arrangement, source: random.Random) -> Arrangement:
        """Return a state of the set with all pieces that the patterns ignore at random."""
        member = self._subgroup.random_member(source)
        return after(after(member, inverse(self._members[self._fine.masked(member)])), place)

"""An independent search of any puzzle: labels on points, permutations for moves, and dictionaries.

A question is a graph: moves with costs, and the patterns that end a solution. Every option changes this graph and
nothing else, so there is one search for all of them.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tests.distances import by_cost

Labels = tuple[int, ...]
"""The label on each point."""

Pattern = Mapping[int, frozenset[int]]
"""The labels that may be on each point that matters."""

Sources = tuple[int, ...]
"""The point from which each point gets its label."""

Needs = tuple[tuple[int, int], ...]
"""Points, and the labels that must be there."""

_MANY = 1 << 30

Effect = tuple[Sources, Needs]
"""A permutation, and where it is applied."""


class Step(NamedTuple):
    """A move. It has one effect, or several, of which the one is applied whose labels are on the required points."""

    name: str
    cost: int
    effects: tuple[Effect, ...]

    @property
    def sources(self) -> Sources | None:
        """The permutation of a move that has the same effect in all states."""
        return None if len(self.effects) > 1 or self.effects[0][1] else self.effects[0][0]


def joined(first: Sources, second: Sources) -> Sources:
    """Return the permutation that is one after the other."""
    return tuple(first[point] for point in second)


def power(sources: Sources, amount: int) -> Sources:
    return functools.reduce(joined, [sources] * amount, tuple(range(len(sources))))


def order(sources: Sources) -> int:
    return next(n for n in range(1, _MANY) if power(sources, n) == tuple(range(len(sources))))


def closure(points: int, generators: Iterable[Sources]) -> list[Sources]:
    """Return the group that permutations generate."""
    found = {tuple(range(points)): None}
    for each in (newest := list(found)):
        for generator in generators:
            if (there := joined(each, generator)) not in found:
                found[there] = None
                newest.append(there)
    return newest


class Graph:
    """The moves of a puzzle, and where solutions end."""

    def __init__(
        self,
        steps: Sequence[Step],
        goals: Sequence[Pattern],
        illegal: Iterable[tuple[int, int]] = (),
        rotations: Mapping[str, Sources] | None = None,
        *,
        free: bool = False,
        axes: Mapping[str, str] | None = None,
        one_end: bool = False,
    ) -> None:
        """Take the moves and the goals.

        Args:
            illegal: the points that labels must not be on.
            rotations: the rotations of the whole puzzle and their powers, by name.
            free: whether a solution may end with rotations.
            one_end: whether solutions that differ by free moves at the end are one.
            axes: the axis of each face; three adjacent turns about one are not listed, as two do the same.
        """
        self.steps, self.illegal, self.free = list(steps), frozenset(illegal), free
        self.rotations = dict(rotations or {}) if free else {}
        self.axes, self.one_end = dict(axes or {}), one_end
        self.points = len(steps[0].effects[0][0])
        turns = closure(self.points, self.rotations.values())
        self._whole: set[Labels] = set()
        self._partial: list[list[tuple[int, frozenset[int]]]] = []
        for goal in goals:
            for turn in turns:
                allowed = {point: goal[source] for point, source in enumerate(turn) if source in goal}
                if len(allowed) == self.points and all(len(labels) == 1 for labels in allowed.values()):
                    self._whole.add(tuple(min(allowed[point]) for point in range(self.points)))
                else:
                    self._partial.append(list(allowed.items()))
        self._moves, self._backs = (
            [(step, [(operator.itemgetter(*of(each)), needs) for each, needs in step.effects]) for step in self.steps]
            for of in (tuple, inverse)
        )
        self._cheapest = min(step.cost for step in self.steps)
        self._merged = turns if all(map(self._keeps_moves, turns)) else turns[:1]

    def _keeps_moves(self, turn: Sources) -> bool:
        """Return whether the puzzle has the same moves after a rotation."""
        plain = {(step.sources, step.cost) for step in self.steps if step.sources is not None}
        back = inverse(turn)
        return all((joined(joined(turn, sources), back), cost) in plain for sources, cost in plain if sources)

    def ends(self, state: Labels) -> bool:
        """Return whether a solution may end here."""
        return state in self._whole or any(
            all(state[point] in labels for point, labels in goal) for goal in self._partial
        )

    def after(self, state: Labels) -> Iterator[tuple[Step, Labels]]:
        """Yield each possible move, and the state that it leads to."""
        for step, effects in self._moves:
            for change, needs in effects:
                if not needs or all(state[point] == label for point, label in needs):
                    there = change(state)
                    if not self.illegal or self.illegal.isdisjoint(enumerate(there)):
                        yield step, there
                    break

    def before(self, state: Labels) -> Iterator[tuple[Step, Labels]]:
        """Yield each move that may lead to a state, and the state that it leads from."""
        for step, effects in self._backs:
            for change, needs in effects:
                there = change(state)
                if all(there[point] == label for point, label in needs) and self.illegal.isdisjoint(enumerate(there)):
                    yield step, there

    def replay(self, state: Labels, words: Iterable[str]) -> tuple[Labels, int]:
        """Return the state after an alg, and the cost of its moves."""
        cost = 0
        for word in words:
            if word in self.rotations:
                state = joined(state, self.rotations[word])
                continue
            moved = {step.name: (step.cost, there) for step, there in self.after(state)}
            assert word in moved, f"{word} is not a possible move"
            cost, state = cost + moved[word][0], moved[word][1]
        return state, cost

    # -- Distances -----------------------------------------------------------------------------------------------------

    def depth(self, state: Labels, most: int) -> int | None:
        """Return the least cost of a solution; None if it is more than a limit, or there is none."""
        costs = by_cost([state], self._costs_after, most, self._cheapest)
        return next((cost for here, cost in costs if self.ends(here)), None)

    def distances(self, ends: Iterable[Labels]) -> dict[Labels, int]:
        """Return the least cost to some states from each state that leads to one."""
        return dict(by_cost(ends, lambda state: ((step.cost, there) for step, there in self.before(state))))

    def solutions(self, state: Labels, slack: int = 0, most: int = _MANY) -> list[tuple[str, ...]]:
        """Return the solutions that cost at most `slack` more than the least.

        Solutions that differ by how the puzzle is held on the way are one. Before each move that costs, and at the end,
        there are as few moves as possible that cost nothing. A solution that is longer than the least ends where a
        solution may end first, and no two adjacent moves of it do what one move or none does.
        """
        depth = self.depth(state, most)
        if depth is None:
            return []
        most = min(depth + slack, most)
        left = self._left(state, most)
        free = self._free(left)
        found: dict[object, tuple[str, ...]] = {}

        def walk(here: Labels, budget: int, alg: tuple[Step, ...]) -> None:
            if self.ends(here):
                optimal = sum(step.cost for step in alg) == depth
                if optimal or not self._is_roundabout(state, alg):
                    words = tuple(step.name for step in alg)
                    found.setdefault(self._key(alg), words)
                return
            for step, there in self.after(here):
                if left.get(there, _MANY) + step.cost <= budget and (
                    not free or (free[here] == 0 if step.cost else free.get(there) == free[here] - 1)
                ):
                    walk(there, budget - step.cost, (*alg, step))

        walk(state, most, ())
        return list(found.values())

    def _left(self, state: Labels, most: int) -> dict[Labels, int]:
        """Return the least cost from each state on solutions of at most some cost."""
        before, ends = dict[Labels, list[tuple[int, Labels]]](), list[Labels]()

        def around(here: Labels) -> Iterator[tuple[int, Labels]]:
            for more, there in () if self.ends(here) else self._costs_after(here):
                before.setdefault(there, []).append((more, here))
                yield more, there

        for here, _ in by_cost([state], around, most, self._cheapest):
            if self.ends(here):
                ends.append(here)
        return dict(by_cost(ends, lambda here: before.get(here, ())))

    def _costs_after(self, state: Labels) -> Iterable[tuple[int, Labels]]:
        return ((step.cost, there) for step, there in self.after(state))

    def _free(self, left: Mapping[Labels, int]) -> dict[Labels, int]:
        """Return the number of free moves until one that costs, or the end; empty if no moves are free."""
        if all(step.cost for step in self.steps):
            return {}
        before: dict[Labels, list[Labels]] = {}
        newest = []
        for here in left:
            level = [(step, there) for step, there in self.after(here) if left.get(there) == left[here] - step.cost]
            for step, there in level:
                if not step.cost:
                    before.setdefault(there, []).append(here)
            if self.ends(here) or any(step.cost for step, _ in level):
                newest.append(here)
        found = dict.fromkeys(newest, 0)
        for here in newest:
            for there in before.get(here, ()):
                if there not in found:
                    found[there] = found[here] + 1
                    newest.append(there)
        return found

    def _is_roundabout(self, state: Labels, alg: Sequence[Step]) -> bool:
        """Return whether one move or none could replace two adjacent ones, and costs no more."""
        axes = [self.axes.get(step.name[0]) for step in alg]
        if any(axes[number] and len({*axes[number : number + 3]}) == 1 for number in range(len(axes) - 2)):
            return True
        for first, second in itertools.pairwise(alg):
            once = [(Step("", 0, ()), state), *self.after(state)]
            [between] = [there for step, there in once if step == first]
            [there] = [there for step, there in self.after(between) if step == second]
            cost = first.cost + second.cost
            if first.sources is not None and second.sources is not None:
                if self._single.get(joined(first.sources, second.sources), _MANY) <= cost:
                    return True
            elif any(other == there and step.cost <= cost for step, other in once):
                return True
            state = between
        return False

    @functools.cached_property
    def _single(self) -> dict[Sources, int]:
        plain = [(step.sources, step.cost) for step in self.steps if step.sources is not None]
        plain.append((tuple(range(self.points)), 0))
        plain.sort(key=lambda each: -each[1])  # the least cost of equal ones is the last
        return {joined(sources, turn): cost for sources, cost in plain for turn in self._merged}

    def _key(self, alg: Sequence[Step]) -> object:
        """Return what is equal for algs that differ by how the puzzle is held on the way."""
        if self.one_end:
            alg = alg[: max((number for number, step in enumerate(alg, 1) if step.cost), default=0)]
        if len(self._merged) == 1:
            return tuple(step.name for step in alg)
        whole, key = tuple(range(self.points)), list[Sources]()
        for step in alg:
            assert step.sources is not None
            whole = joined(whole, step.sources)
            key.append(min(joined(whole, turn) for turn in self._merged))
        return tuple(key)

    def key(self, words: Iterable[str]) -> object:
        """Return the key of an alg, without the rotations at its end."""
        steps = {step.name: step for step in self.steps}
        return self._key([steps[word] for word in words if word not in self.rotations])


def inverse(sources: Sources) -> Sources:
    return tuple(sorted(range(len(sources)), key=sources.__getitem__))

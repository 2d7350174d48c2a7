"""Steps of solutions: named goals of a puzzle, each reached with the moves that keep the step before."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cubesolve.ask import Puzzle
from cubesolve.definition.goals import Allowed, NamedGoal, fulfils
from cubesolve.definition.state import StateT
from cubesolve.definition.view import DefinedView
from cubesolve.errors import CubesolveError, did_you_mean, families, quoted
from cubesolve.runtime.arguments import meant
from cubesolve.spaces.tables import AT_ONCE

SOLVED = "solved"  # name of the last step

_ANY = "-any"  # ends the name of a step that is one of several, as eo-any


class Step(NamedTuple):
    """A step."""

    name: str
    puzzle: Puzzle  # the puzzle that is solved with it
    goals: Sequence[Allowed]  # the goals, any of which will do; none if all is solved

    def holds(self, state: Any) -> bool:
        """Return whether a state has the step behind it."""
        view = self.puzzle.rules.view
        if not self.goals or not isinstance(view, DefinedView):
            return bool(state.is_solved)
        return fulfils(view.oriented(state), self.goals)

    @property
    def has_table(self) -> bool:
        """Whether the puzzle has so few states that its table is built in seconds, and kept."""
        try:
            return self.puzzle.states <= AT_ONCE
        except (CubesolveError, ValueError):  # too many states to be counted
            return False


def keeping(puzzle: Puzzle[StateT], before: str, name: str) -> Puzzle[StateT]:
    """Return a puzzle with the moves that keep a step and lead to another; the puzzle itself if none are known."""
    moves = puzzle.rules.view.named_steps.moves.get((before, name))
    return puzzle.restrict(moves) if moves else puzzle


def steps_named(view: DefinedView) -> Mapping[str, Sequence[NamedGoal]]:
    """Return the goals of each step of a puzzle but the last one, and those of sets of cases."""
    return {**{name: (about.aim,) for name, about in view.named_steps.case_sets.items()}, **view.goals}


def listed_steps(puzzle: Puzzle) -> dict[str, list[str]]:
    """Return the names of the steps of a puzzle that are no sets of cases, by the part that several have in common.

    >>> from cubesolve import puzzle
    >>> listed_steps(puzzle("pyraminx"))
    {'centres': ['centres'], 'v': ['v', 'v-any'], 'layer': ['layer']}
    """
    named, families = puzzle.rules.view.named_steps, dict[str, list[str]]()
    for name in named.goals:
        if is_step(puzzle, name):
            stems = (stem for stem in named.titles if f"{name}-".startswith(f"{stem}-"))
            families.setdefault(max(stems, key=len, default=name), []).append(name)
    return families


def is_step(puzzle: Puzzle, name: str) -> bool:
    """Return whether a puzzle has a step of this name, and no set of cases."""
    named = puzzle.rules.view.named_steps
    return name in named.goals and name not in named.case_sets


def are_steps(puzzle: Puzzle, text: str) -> bool:
    """Return whether a text lists steps: whether any of the names between commas is that of a step."""
    view = puzzle.rules.view
    names = {SOLVED, *steps_named(view)} if isinstance(view, DefinedView) else {SOLVED}
    return any(meant(name, names) for name in text.split(","))


class Steps:
    """The steps of a puzzle by their names."""

    def __init__(self, puzzle: Puzzle, names: Sequence[str]) -> None:
        """Take a puzzle, and the names of steps."""
        self._puzzle, self._view = puzzle, puzzle.rules.view
        self.names = [meant(name, [SOLVED]) or self._view.named_steps.named(name) for name in names]
        self._cached = functools.cache(self._step)
        for name in self.names:
            self._require_step(name)

    def _require_step(self, name: str) -> None:
        if not isinstance(self._view, DefinedView):
            raise ValueError(f"steps are not supported for the {self._puzzle.title}")
        goals = steps_named(self._view)
        if name != SOLVED and name not in goals:
            hint = did_you_mean(name, goals) or f"expected {', '.join(filter(None, [SOLVED, families(goals)]))}"
            raise ValueError(f"{quoted(name)} is not a step of the {self._puzzle.title}: {hint}")
        if name not in {SOLVED, *self._view.goals} and not self._is_all(name):
            expected = ", ".join(self._view.goals)
            raise ValueError(f"{quoted(name)} is a set of cases; as a step, use {SOLVED} or a goal: {expected}")

    def after(self, before: str, name: str) -> list[Step]:
        """Return the steps that a name stands for: those that the moves that keep the step before lead to."""
        kept, begun = self._view.named_steps.moves, name.removesuffix(_ANY) + "-"
        listed = {step for pair in kept for step in pair if name.endswith(_ANY) and step.startswith(begun)}
        named = sorted(listed) or [name]
        linked = [step for step in named if (before, step) in kept]
        return [self._cached(before, step) for step in linked or named]

    def are_linked(self, before: str, name: str) -> bool:
        """Return whether moves are known that keep a step and lead to another."""
        return (before, name) in self._view.named_steps.moves

    def _step(self, before: str, name: str) -> Step:
        assert isinstance(self._view, DefinedView)  # it has steps
        among = keeping(self._puzzle, before, name)
        if name == SOLVED or self._is_all(name):
            return Step(name, among, ())
        return Step(name, among.towards(name), [self._view.allowed(goal) for goal in self._view.goals[name]])

    def _is_all(self, name: str) -> bool:
        assert isinstance(self._view, DefinedView)  # it has steps
        allowed = self._view.allowed(steps_named(self._view)[name][0])
        return all(len(allowed.get(point, ())) == 1 for point in range(self._view.definition.points))

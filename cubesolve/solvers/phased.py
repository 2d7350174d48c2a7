"""Answers about puzzles with phases: a multi-phase search finds scrambles, and solutions that need not be optimal."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from cubesolve.definition.reach import reach
from cubesolve.definition.rotations import Image, conjugated, rotations_of
from cubesolve.errors import SearchLimitError
from cubesolve.group.permutations import Permutation, after, identity
from cubesolve.runtime.deadline import current
from cubesolve.search.phased import PhasedRules
from cubesolve.solvers.answers import Solution
from cubesolve.solvers.derived import DerivedSolver
from cubesolve.solvers.questions import Accepted, Answers, Asked
from cubesolve.solvers.sources import random_source

if TYPE_CHECKING:
    from cubesolve.search.phases import PhaseProblem
    from cubesolve.search.stages import Reduced
    from cubesolve.solvers.keywords import DrawQuestion, SolveQuestion
    from cubesolve.solvers.solver import Source
    from cubesolve.spaces.defined_graph import DerivedGraph

_LONGEST = 250  # moves of a solution; `search.stages` keeps lengths in a byte
_NODES_IN_SECONDS = 1 << 26
_MOST_NODES = 1 << 27  # of a question that may have no answer, before others search


class PhasedSolver(DerivedSolver):
    """Answers about a puzzle with phases."""

    rules: PhasedRules

    def in_seconds(self, state: object) -> Iterator[Solution]:
        yield from self._improving(self._asked(state, {}), is_held=True)(_NODES_IN_SECONDS)

    def improvements_as_held(self, state: object, **question: Unpack[SolveQuestion]) -> Iterator[Solution]:
        asked = self._asked(state, {"metric": question.get("metric"), "max_depth": question.get("max_length")})
        solutions = self._improving(asked, is_held=True)(None)
        yield from solutions if asked.most is None else itertools.islice(solutions, 1)

    def _near(self, asked: Asked) -> Answers | int:
        is_soon_optimal = asked.accepted.max_length is not None and self._finds_soon(asked.most)
        return self._optimal(asked.optimal(asked.most), every=False) if is_soon_optimal else super()._near(asked)

    def _short(self, asked: Asked, enough: int) -> Iterator[Solution]:  # all are sought
        nodes = None if asked.accepted.is_optimal and current().is_limited else _MOST_NODES
        return self._improving(asked, current().at_least)(nodes)

    def scramble(
        self, rng: Source = None, depth: int | None = None, length: int | None = None, **question: Unpack[DrawQuestion]
    ) -> str:
        if depth is not None or length is not None:
            return super().scramble(rng, depth=depth, length=length, **question)
        source = random_source(rng)
        named: dict[str, Any] = {name: value for name, value in question.items() if value is not None}
        while self._is_near(state := self.random_state(source)):
            pass
        if not named.keys().isdisjoint(Accepted._fields):
            return self._leading_to(state, self.solve(state, **named), {})
        improving = self._improving(self._asked(state, named))
        shortest = next(improving(None))  # every state is solved in so many moves
        for shorter in improving(self.rules.scramble_nodes):
            shortest = shorter
        return self._leading_to(state, shortest, {})

    def _is_near(self, state: object) -> bool:
        """Return whether a state has a solution of fewer moves than a scrambled state must have."""
        if not self.rules.scramble_depth:
            return False
        try:
            self.depth(state, max_depth=self.rules.scramble_depth - 1)
        except SearchLimitError:
            return False
        return True

    def _improving(
        self, asked: Asked, at_least: int = 0, *, is_held: bool = False
    ) -> Callable[[int | None], Iterator[Solution]]:
        """Return a function that goes on with shorter and shorter solutions, until a number of nodes in all."""
        graph, rules = self.graph_asked(asked.named), self.rules
        self._searching(graph).home(asked.state)  # raises an error if moves do not lead there
        images, place = self._images, rules.labelling.arrangement(rules.read(asked.state))
        if is_held:  # the others end in another orientation
            solved = rules.definition.solved[0]
            images = [image for image in images if image.of(solved) == solved]
        roots = [image.of(place) for image in images]
        longest = _LONGEST if asked.most is None else min(asked.most, _LONGEST)
        search = self._problem().search(roots, longest, asked.search.get("workers"))
        if is_held and search.is_exhausted:  # the centres are those of another orientation
            return self._improving(asked, at_least)
        at_least = max(at_least, search.at_least)
        current().prove(at_least)
        view, spelled = asked.rules.view, _spelled(graph, rules.graph())

        def improvements(nodes: int | None) -> Iterator[Solution]:
            fewest = math.inf if asked.most is None else asked.most + 1
            while (answer := search.improve(nodes)) is not None:
                root, numbers = answer
                names = [*images[root].moves.values()]
                moves = [move for number in numbers for move in spelled[names[number]]]
                alg = " ".join(moves)
                # Otherwise keys were equal by chance, or fewer turns have more moves in another metric.
                if view.after(view.read(asked.state), alg).is_solved and len(moves) < fewest:
                    fewest = len(moves)
                    yield asked.solution(alg, min(at_least, fewest))

        return improvements

    def _problem(self) -> PhaseProblem | Reduced:
        """Return the phases; a missing table of them is made and kept."""
        entry = self._offered(self.rules.phases_entry)
        if self.rules.reduction is None:
            from cubesolve.search.phases import opened  # noqa: PLC0415  # needs numpy

            return self._tables.made(entry, opened)
        from cubesolve.search.stages import opened_reduced  # noqa: PLC0415  # few puzzles have stages

        return self._tables.made(entry, opened_reduced)

    @functools.cached_property
    def _images(self) -> Sequence[Image]:
        """The ways to look at a state: rotated, and with the labels renamed by a rotation."""
        solved, moves = self.rules.definition.solved[0], self.rules.graph().definition_moves
        numbers = {move.effects[0].sources: number for number, move in enumerate(moves)}

        def turned_moves(rotation: Permutation) -> list[int]:
            return [numbers[conjugated(change, rotation)] for change in numbers]

        return [
            Image(
                turned,
                dict(zip(after(solved, named), solved, strict=True)),
                {move.name: moves[number].name for move, number in zip(moves, turned_moves(turned), strict=True)},
            )
            for turned, named in self._rotations(turned_moves)
        ]

    def _rotations(
        self, turned_moves: Callable[[Permutation], Sequence[int]]
    ) -> Sequence[tuple[Permutation, Permutation]]:
        """Return pairs of rotations: one turns the puzzle, the other one renames its labels."""
        definition, phases = self.rules.definition, self.rules.phases
        if self.rules.view.rotations:  # it stays as it is held
            return [(rotation, rotation) for rotation in self.rules.view.rotations]
        if self.rules.rotations:
            untouched = identity(definition.points)
            chosen = [definition.apply(untouched, definition.parse(alg)) for alg in self.rules.rotations]
            if self.rules.reduction is not None:  # one of all rotations brings the state to the orientation it keeps
                return [(after(one, other), other) for one in rotations_of(definition) for other in chosen]
            return [(one, other) for one in chosen for other in chosen]
        # All rotations that moves make, each followed by those that lead to other subgroups.
        rotations, solved = rotations_of(definition), definition.solved[0]
        reached = reach(solved, self.rules.graph().definition_moves, definition.illegal)
        subgroups: dict[tuple[frozenset[int], ...], Permutation] = {}
        for rotation in rotations:
            turned = turned_moves(rotation)
            subgroups.setdefault(tuple(frozenset(turned[move] for move in phase.moves) for phase in phases), rotation)
        reachable = [rotation for rotation in rotations if reached.may_have(after(solved, rotation))]
        return [(after(one, other), other) for one in reachable for other in subgroups.values()]


def _spelled(graph: DerivedGraph, whole: DerivedGraph) -> Mapping[str, Sequence[str]]:
    """Return each move of a puzzle in the moves of another metric, by which it is a power of one."""
    powers: dict[Permutation, Sequence[str]] = {}
    for move in graph.definition_moves:
        power = change = move.effects[0].sources
        for times in itertools.count(1):
            if times < len(powers.get(power, range(times + 1))):
                powers[power] = [move.name] * times
            power = after(power, change)
            if power == change:
                break
    return {move.name: powers[move.effects[0].sources] for move in whole.definition_moves}

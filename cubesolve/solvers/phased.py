"""Answers about puzzles with phases: a multi-phase search finds scrambles, and solutions that need not be optimal."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from cubesolve.arguments import integer
from cubesolve.deadline import current
from cubesolve.definitions.canonical import canonical
from cubesolve.definitions.reach import reach
from cubesolve.definitions.rotations import rotations_of
from cubesolve.errors import SearchLimitError
from cubesolve.jobs import Job
from cubesolve.notices import notifying
from cubesolve.permutations import Arrangement, Permutation, after, arrangement, identity, inverse
from cubesolve.search.limits import split
from cubesolve.solvers.derived import DerivedSolver
from cubesolve.solvers.solution import Solution
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.phased import PhasedRules
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    from cubesolve.search.phases import PhasedSearch, PhaseProblem
    from cubesolve.solvers.keywords import DrawQuestion, SolveQuestion
    from cubesolve.solvers.solver import Source

_LONGEST = 100  # moves of a solution
_MOST_NODES = 1 << 27  # of a question that may have no answer, before others search


class _Image(NamedTuple):
    """A way to look at a state: rotated as a whole, and with other names of the labels.

    Attributes:
        turned: the rotation.
        names: the new name of each label.
        moves: for each move of the image, that of the puzzle.
    """

    turned: Permutation
    names: dict[int, int]
    moves: tuple[str, ...]

    def of(self, state: Arrangement) -> Arrangement:
        """Return the image of a state."""
        return arrangement(self.names[label] for label in after(state, self.turned))


class _Improving(NamedTuple):
    """The search for solutions of a state."""

    search: PhasedSearch
    images: Sequence[_Image]
    rules: PhasedRules
    given: Any

    def improve(self, nodes: int | None) -> Solution | None:
        """Return the next solution, which is shorter; None after a number of nodes in all, or if there is none."""
        while (found := self.search.improve(nodes)) is not None:
            root, numbers = found
            alg = " ".join(self.images[root].moves[number] for number in numbers)
            if self.rules.view.after(self.rules.read(self.given), alg).is_solved:  # otherwise keys were equal by chance
                return Solution(alg, min(self.search.at_least, len(numbers)), self.rules, self.given)
        return None


class PhasedSolver(DerivedSolver):
    """Answers about a puzzle with phases."""

    rules: PhasedRules

    def __init__(self, rules: PhasedRules, tables: Tables) -> None:
        super().__init__(rules, tables)
        self._prepared = Job(self._prepare)

    def solve(self, state: Any, goal: Any = None, **question: Unpack[SolveQuestion]) -> Solution:
        most, limit = question.pop("max_length", None), question.get("max_depth")
        if most is None:
            return super().solve(state, goal, **question)
        most = integer("max_length", most, least=0)
        most = most if limit is None else min(most, limit)
        if goal is None:
            found = self._improving(state, most, question).improve(_MOST_NODES)
            if found is not None:
                return found
        question["max_depth"] = most
        return super().solve(state, goal, **question)

    def scramble(
        self,
        rng: Source = None,
        *,
        depth: int | None = None,
        length: int | None = None,
        **question: Unpack[DrawQuestion],
    ) -> str:
        if depth is not None or length is not None:
            return super().scramble(rng, depth=depth, length=length, **question)
        source, named = random_source(rng), dict[str, Any](question)
        while self._is_near(state := self.random_state(source)):
            pass
        if named.get("max_length") is not None:
            return self._leading_to(state, self.solve(state, **named), {})
        improving = self._improving(state, _LONGEST, named)
        found = improving.improve(None)
        while (shorter := improving.improve(self.rules.scramble_nodes)) is not None:
            found = shorter
        assert found is not None  # every state is solved in so many moves
        return self._leading_to(state, found, {})

    def _is_near(self, state: Any) -> bool:
        """Return whether a state has a solution of fewer moves than a scrambled state must have."""
        try:
            return self._found(state, None, {"max_depth": self.rules.scramble_depth - 1}, every=False) is not None
        except SearchLimitError:
            return False

    def _improving(self, state: Any, longest: int, question: Mapping[str, Any]) -> _Improving:
        from cubesolve.search.phases import PhasedSearch  # noqa: PLC0415  # loads numba

        graph = self._graph_asked(split(question)[0])
        self._searching(graph).home(state)  # raises an error if moves do not lead there
        images, place = self._images, next(iter(self.rules.labelling.arrangements(self.rules.read(state))))
        roots = [image.of(place) for image in images]
        search = PhasedSearch(self._prepared.result(), roots, min(longest, _LONGEST))
        current().prove(search.at_least)
        return _Improving(search, images, self.rules, state)

    def _prepare(self) -> PhaseProblem:
        from cubesolve.search.phases import prepare  # noqa: PLC0415  # loads numba

        graph = self.rules.graph()
        moves = graph.definition_moves
        with notifying(f"making the tables of the phases of the {self.rules.title}, once"):
            following = canonical(moves, self.rules.definition.solved[0]).following
            sources = [move.cases[0].sources for move in moves]
            return prepare(sources, self.rules.definition.solved[0], following, self.rules.phases)

    @functools.cached_property
    def _images(self) -> Sequence[_Image]:
        """The ways to look at a state: rotated, and with the labels renamed by a rotation."""
        solved, moves = self.rules.definition.solved[0], self.rules.graph().definition_moves
        numbers = {move.cases[0].sources: number for number, move in enumerate(moves)}

        def conjugated(rotation: Permutation) -> list[int]:
            return [numbers[after(after(rotation, change), inverse(rotation))] for change in numbers]

        return [
            _Image(
                turned,
                dict(zip(after(solved, named), solved, strict=True)),
                tuple(moves[number].name for number in conjugated(turned)),
            )
            for turned, named in self._rotations(conjugated)
        ]

    def _rotations(
        self, conjugated: Callable[[Permutation], Sequence[int]]
    ) -> Sequence[tuple[Permutation, Permutation]]:
        """Return pairs of rotations: one turns the puzzle, the other one renames its labels."""
        definition, phases = self.rules.definition, self.rules.phases
        if self.rules.rotations:
            untouched = identity(definition.points)
            chosen = [definition.apply(untouched, definition.parse(alg)) for alg in self.rules.rotations]
            return [(one, other) for one in chosen for other in chosen]
        # All rotations that moves make, each followed by those that lead to other subgroups.
        rotations, solved = rotations_of(definition), definition.solved[0]
        reached = reach(solved, self.rules.graph().definition_moves, definition.illegal)
        subgroups: dict[tuple[frozenset[int], ...], Permutation] = {}
        for rotation in rotations:
            there = conjugated(rotation)
            subgroups.setdefault(tuple(frozenset(there[move] for move in phase.moves) for phase in phases), rotation)
        made = [rotation for rotation in rotations if reached.may_have(after(solved, rotation))]
        return [(after(one, other), other) for one in made for other in subgroups.values()]

    def forget(self) -> None:
        super().forget()
        self._prepared.renew()

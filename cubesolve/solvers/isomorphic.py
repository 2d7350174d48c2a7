"""Solutions of a puzzle that is the same as a known one under other names, by the solver of that (pure Python)."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cubesolve.definition.frames import Frames
from cubesolve.definition.rotations import conjugated
from cubesolve.errors import InvalidStateError, SearchLimitError, UnsolvableStateError
from cubesolve.group.permutations import Arrangement, Permutation, after, composed, identity, inverse, orbits
from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.solvers.searched import FoundAlgs
from cubesolve.solvers.solution import Solution
from cubesolve.spaces.defined import DerivedRules, derived

if TYPE_CHECKING:
    from cubesolve.group.isomorphism import Alike, Isomorphism
    from cubesolve.group.moves import Move
    from cubesolve.search.limits import SearchOptions
    from cubesolve.solvers.solver import Solver

_BEGINNINGS = 1 << 9  # of states that are solved at once: a second


class KnownPuzzle:
    """A known puzzle, and how to look at the states of another one as those of it.

    Attributes:
        solver: the solver of the known puzzle.
        isomorphism: how to look at the states, where points of the other puzzle that always look alike are one.
    """

    def __init__(
        self, solver: Solver, isomorphism: Isomorphism, points: Alike, moves: Sequence[Move], solved: Arrangement
    ) -> None:
        """Take the known puzzle, and the other one."""
        self.solver, self.isomorphism = solver, isomorphism
        self._points, self._solved = points, solved
        self._changes = {move.name: move.effects[0].sources for move in moves}
        self._known = {
            name: composed([self._changes[each] for each in word], len(solved))
            for name, word in isomorphism.moves.items()
        }
        known = frozenset(itertools.chain(*isomorphism.orbits))
        moved = (point for orbit in orbits(len(solved), [*self._known.values()]) if len(orbit) > 1 for point in orbit)
        self._others = sorted({*range(len(solved))}.difference(moved, known))

    @property
    def has_own_search(self) -> bool:
        """Whether optimal solutions of all states are found by a search for this puzzle alone."""
        words = self.isomorphism.moves.values()
        are_all = len(self._changes) == len(words) and all(len(word) == 1 for word in words)
        return are_all and self.solver.rules.kind == "own"

    @functools.cached_property
    def _frames(self) -> Frames:
        return Frames(self._known, self._changes)

    def solutions(self, change: Permutation, goals: Iterable[Arrangement]) -> Iterator[list[str]]:
        """Yield shorter and shorter solutions of the state of the other puzzle that a change makes, in some seconds.

        They may end in another orientation of the solved puzzle.
        """
        shortest, ends = None, frozenset(map(self._points.labels, goals))
        for alg, turn in self._known_algs(self._points.change(change)):
            found = self._frames.written(alg, functools.partial(self._ends_in, ends, inverse(turn)))
            if found is not None and (shortest is None or len(found) < len(shortest)):
                shortest = found
                yield found

    def _ends_in(self, ends: Collection[Arrangement], back: Permutation, frame: Permutation) -> bool:
        """Return whether a frame counts as solved, where an alg solves the puzzle in another frame."""
        return after(after(self._solved, back), frame) in ends

    def _known_algs(self, change: Permutation) -> Iterator[tuple[list[Permutation], Permutation]]:
        """Yield algs of the known puzzle, and the turn after them that solves the state which a change makes.

        A puzzle that is solved at once is solved after each move of the other one, too.
        """
        for turn in self._frames.turns:
            turned = after(change, turn)
            shown = after(self._solved, turned)
            if any(shown[point] != self._solved[point] for point in self._others):
                continue
            with contextlib.suppress(InvalidStateError):
                yield from ((alg, turn) for alg in self._algs(turned, turn))
                break
        else:
            raise UnsolvableStateError(f"no moves of the {self.solver.rules.title} solve this state")
        if len(self._frames.turns) > 1 and self.solver.rules.kind == "own":
            for begin in itertools.islice(self._beginnings(), _BEGINNINGS):
                turned = composed([change, *begin, turn], len(change))
                yield from (([*begin, *alg], turn) for alg in self._algs(turned, turn))

    def _beginnings(self) -> Iterator[list[Permutation]]:
        """Yield the moves of the known puzzle that one move of the other puzzle makes, then two, and so on."""
        few = dict.fromkeys(moves for moves, _ in self._frames.parts.values())
        few.pop(identity(len(self._solved)), None)
        yield from map(
            list, itertools.chain.from_iterable(itertools.product(few, repeat=n) for n in itertools.count(1))
        )

    def _algs(self, change: Permutation, turn: Permutation) -> Iterator[list[Permutation]]:
        """Yield algs that solve the state which a change makes, as they apply before a turn."""
        moves = {name: conjugated(move, turn) for name, move in self._known.items()}
        try:
            for found in self.solver.in_seconds(self._state(change)):
                yield [moves[name] for name in found.split()]
        except SearchLimitError:
            check()  # the end of the time is one of the search for shorter solutions
            raise

    def optimal(
        self, change: Permutation, search: SearchOptions, rules: DerivedRules, moves: Sequence[Move]
    ) -> FoundAlgs:
        """Return an optimal solution of the state of the other puzzle that a change makes of the solved one.

        Raises:
            MissingTableError, NoMemoryError: there is no table for it.
        """
        deadline = current()
        moment = Deadline(within=deadline)
        try:
            with running(moment):
                found = self._renamed(self.solver.solve(self._state(self._points.change(change)), **search))
        except (EndedError, SearchLimitError) as end:
            deadline.prove(moment.at_least)
            if moment.solution is not None:
                alg = " ".join(self._renamed(moment.solution))
                state = rules.labelling.state(after(rules.definition.solved[0], change))
                deadline.solution = Solution(alg, moment.at_least, rules, state)
            if isinstance(end, SearchLimitError):
                end.solution = deadline.solution
            raise
        numbers = {move.name: number for number, move in enumerate(moves)}
        return FoundAlgs(len(found), [tuple(numbers[name] for name in found)])

    def _state(self, change: Permutation) -> object:
        rules = derived(self.solver.rules)
        return rules.labelling.state(after(rules.definition.solved[0], self.isomorphism.of(change)))

    def _renamed(self, alg: str) -> list[str]:
        return [move for name in alg.split() for move in self.isomorphism.moves[name]]

"""Solutions of a puzzle that is the same as a known one under other names, by the solver of that (pure Python).

The moves of the other puzzle may also turn the known one as a whole: they are moves of the known puzzle followed by a
*turn*: a permutation that takes its moves to its moves. A slice is two face turns and a turn of the cube, a rotation is
a turn alone. The product of all turns so far is the *frame*. An alg of the known puzzle is written in moves of the
other one, whose meaning depends on the frame. Of all ways to do so, the shortest that ends in a frame that counts as
solved is found, where parallel moves may be exchanged.
"""

from __future__ import annotations

import contextlib
import functools
import heapq
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cubesolve.definition.rotations import conjugated
from cubesolve.errors import InvalidStateError, SearchLimitError, UnsolvableStateError
from cubesolve.group.permutations import Arrangement, Permutation, after, closure, composed, identity, inverse, orbits
from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.solvers.answers import Solution
from cubesolve.solvers.beginnings import aside
from cubesolve.solvers.searched import FoundAlgs
from cubesolve.spaces.defined import DerivedRules, derived

if TYPE_CHECKING:
    from cubesolve.group.isomorphism import Alike, Isomorphism
    from cubesolve.group.moves import Move
    from cubesolve.search.limits import SearchOptions
    from cubesolve.solvers.solver import Solver


_MOST_TURNS = 200
_MOST_PARALLEL = 1 << 9  # products of parallel moves

_Word = tuple[str, ...]


class Frames:
    """The moves of a puzzle as moves of a known one, each followed by a turn."""

    def __init__(self, known: Mapping[str, Permutation], changes: Mapping[str, Permutation]) -> None:
        """Take the moves of the known puzzle and all moves, by name, as permutations of the same points."""
        self._untouched = identity(len(next(iter(known.values()))))
        self._known = dict.fromkeys(known.values())
        few = self._few()
        splits = {name: self._split(change, few) for name, change in changes.items()}
        self.parts = {name: part for name, part in splits.items() if part is not None}
        self.turns = self._products([turn for _, turn in self.parts.values()])  # the identity first
        if not self.turns:  # too many
            self.parts = {name: part for name, part in self.parts.items() if part[1] == self._untouched}
            self.turns = [self._untouched]
        numbers = {turn: number for number, turn in enumerate(self.turns)}
        self._backs = [*map(inverse, self.turns)]
        self._following = [[numbers[after(frame, turn)] for turn in self.turns] for frame in self.turns]
        self._words = dict[Permutation, list[tuple[int, _Word]]]()
        for parallel in self._parallel(changes):
            for (moves, turn), word in self._products_of(parallel).items():
                self._words.setdefault(moves, []).append((numbers[turn], word))

    def _few(self) -> list[Permutation]:
        """Return no move of the known puzzle, its moves, and products of two that can be exchanged."""
        pairs = itertools.combinations(self._known, 2)
        products = (after(one, other) for one, other in pairs if _commute(one, other))
        return [*dict.fromkeys([self._untouched, *self._known, *products])]

    def _split(self, change: Permutation, few: Sequence[Permutation]) -> tuple[Permutation, Permutation] | None:
        """Return the moves of the known puzzle that a move makes, and its turn; None if there are none."""
        if change in few:
            return change, self._untouched
        pairs = ((moves, after(inverse(moves), change)) for moves in few)
        for moves, turn in pairs:
            check()
            if all(conjugated(move, turn) in self._known for move in self._known):
                return moves, turn
        return None

    def _products(self, turns: Sequence[Permutation]) -> list[Permutation]:
        """Return all products of some turns; none if there are too many."""
        generators = dict.fromkeys(turns)
        products = closure(
            [self._untouched], lambda product: (after(product, turn) for turn in generators), _MOST_TURNS
        )
        return [] if len(products) > _MOST_TURNS else products

    # -- Words ---------------------------------------------------------------------------------------------------------

    def _parallel(self, changes: Mapping[str, Permutation]) -> Iterator[Sequence[str]]:
        """Yield the moves that can be exchanged with each move and with one another; all moves are among these."""
        parallel = {
            name: [other for other in self.parts if _commute(changes[name], changes[other])] for name in self.parts
        }
        groups = dict[frozenset[str], list[str]]()
        for names in parallel.values():
            if all(set(names) <= {*parallel[name]} for name in names):
                groups.setdefault(frozenset(names), names)
        yield from groups.values()
        yield from ([name] for name in self.parts if not any(name in names for names in groups))

    def _products_of(self, names: Sequence[str]) -> Mapping[tuple[Permutation, Permutation], _Word]:
        """Return the shortest word of some moves that can be exchanged for each product of them, by both its parts."""
        words = dict[tuple[Permutation, Permutation], _Word]()
        words[self._untouched, self._untouched] = ()
        for moves, turn in (reached := [*words]):
            check()
            for name in names:
                more, further = self.parts[name]
                product = after(moves, conjugated(more, turn)), after(turn, further)
                if product not in words and len(words) < _MOST_PARALLEL:
                    words[product] = (*words[moves, turn], name)
                    reached.append(product)
        del words[self._untouched, self._untouched]
        return words

    def written(self, alg: Sequence[Permutation], ends: Collection[Permutation]) -> list[str] | None:
        """Return the shortest way to write an alg of the known puzzle in moves, by Dijkstra's algorithm, if any."""
        check()
        parts = self._parts_of(alg)
        lengths, before = {(0, 0): 0}, dict[tuple[int, int], tuple[int, int, _Word]]()
        queue = [(0, 0, 0)]
        while queue:
            length, number, frame = heapq.heappop(queue)
            if length > lengths[number, frame]:
                continue
            if number == len(alg) and self.turns[frame] in ends:
                words = list[_Word]()
                while (number, frame) in before:
                    number, frame, word = before[number, frame]
                    words.append(word)
                return [name for word in reversed(words) for name in word]
            following = self._following[frame]
            for reached, moves in parts[number]:
                for turn, word in self._words.get(conjugated(moves, self._backs[frame]), ()):
                    neighbour, longer = (reached, following[turn]), length + len(word)
                    if longer < lengths.get(neighbour, longer + 1):
                        lengths[neighbour], before[neighbour] = longer, (number, frame, word)
                        heapq.heappush(queue, (longer, *neighbour))
        return None

    def _parts_of(self, alg: Sequence[Permutation]) -> list[list[tuple[int, Permutation]]]:
        """Return the ends of the parts of an alg whose moves can be exchanged, by their begin, and their products."""
        by_begin = list[list[tuple[int, Permutation]]]()
        for number in range(len(alg) + 1):
            by_begin.append(parts := [(number, self._untouched)])
            for end in range(number, len(alg)):
                if not all(_commute(alg[end], move) for move in alg[number:end]):
                    break
                parts.append((end + 1, after(parts[-1][1], alg[end])))
        return by_begin


def _commute(one: Permutation, other: Permutation) -> bool:
    return after(one, other) == after(other, one)


_BEGINNINGS = 1 << 9  # of states that are solved at once: a second


class KnownPuzzle:
    """A known puzzle, and how to look at the states of another one as those of it.

    Points of the other puzzle that always look alike are one.
    """

    def __init__(
        self, solver: Solver, isomorphism: Isomorphism, points: Alike, moves: Sequence[Move], solved: Arrangement
    ) -> None:
        self.solver, self.isomorphism = solver, isomorphism
        self._points, self._solved = points, solved
        self._changes = {move.name: move.effects[0].sources for move in moves}
        self._known = {
            name: composed([self._changes[move] for move in word], len(solved))
            for name, word in isomorphism.moves.items()
        }
        matched = frozenset(itertools.chain(*isomorphism.orbits))
        moved = (point for orbit in orbits(len(solved), [*self._known.values()]) if len(orbit) > 1 for point in orbit)
        self._others = sorted({*range(len(solved))}.difference(moved, matched))

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
            solved = after(self._solved, inverse(turn))
            names = self._frames.written(alg, [frame for frame in self._frames.turns if after(solved, frame) in ends])
            if names is not None and (shortest is None or len(names) < len(shortest)):
                shortest = names
                yield names

    def _known_algs(self, change: Permutation) -> Iterator[tuple[list[Permutation], Permutation]]:
        """Yield algs of the known puzzle, and the turn after them that solves the state which a change makes."""
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
        if len(self._frames.turns) > 1 and self.solver.rules.kind == "own":  # which solves a state at once
            for begin in itertools.islice(self._beginnings(), _BEGINNINGS):
                turned = composed([change, *begin, turn], len(change))
                yield from (([*begin, *alg], turn) for alg in self._algs(turned, turn))

    def _beginnings(self) -> Iterator[list[Permutation]]:
        """Yield the moves of the known puzzle that one move of the other puzzle makes, then two, and so on."""
        few = dict.fromkeys(moves for moves, _ in self._frames.parts.values())
        few.pop(identity(len(self._solved)), None)
        for number in itertools.count(1):
            yield from map(list, itertools.product(few, repeat=number))

    def _algs(self, change: Permutation, turn: Permutation) -> Iterator[list[Permutation]]:
        """Yield algs that solve the state which a change makes, as they apply before a turn."""
        moves = {name: conjugated(move, turn) for name, move in self._known.items()}
        try:
            for solution in aside(self.solver.in_seconds(self._state(change))):
                yield [moves[name] for name in solution.split()]
        except SearchLimitError:
            check()  # the end of the time is one of the search for shorter solutions
            raise

    def optimal(
        self, change: Permutation, search: SearchOptions, rules: DerivedRules, moves: Sequence[Move]
    ) -> FoundAlgs:
        """Return an optimal solution of the state of the other puzzle that a change makes of the solved one."""
        deadline = current()
        moment = Deadline(within=deadline)
        try:
            with running(moment):
                names = self._renamed(self.solver.solve(self._state(self._points.change(change)), **search))
        except (EndedError, SearchLimitError) as end:
            deadline.prove(moment.at_least)
            if moment.solution is not None:
                alg = " ".join(self._renamed(moment.solution))
                state = rules.labelling.state(after(rules.definition.solved[0], change))
                deadline.find(Solution(alg, moment.at_least, rules, state))
            if isinstance(end, SearchLimitError):
                end.solution = deadline.solution
            raise
        numbers = {move.name: number for number, move in enumerate(moves)}
        return FoundAlgs(len(names), [tuple(numbers[name] for name in names)])

    def _state(self, change: Permutation) -> object:
        rules = derived(self.solver.rules)
        return rules.labelling.state(after(rules.definition.solved[0], self.isomorphism.of(change)))

    def _renamed(self, alg: str) -> list[str]:
        return [move for name in alg.split() for move in self.isomorphism.moves[name]]

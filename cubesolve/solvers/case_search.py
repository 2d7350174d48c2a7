"""All short algs of every case of a set, made of given moves (numpy)."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.cases import Case, Cases
from cubesolve.definition.definition import Definition, Power
from cubesolve.definition.rotations import algs_of_rotations
from cubesolve.definition.selection import selected
from cubesolve.definition.view import DefinedView
from cubesolve.errors import SearchLimitError, UnsolvableStateError
from cubesolve.group.permutations import (
    Arrangement,
    Permutation,
    after,
    arrangement,
    closure,
    composed,
    identity,
    inverse,
    power,
)
from cubesolve.runtime.deadline import check
from cubesolve.runtime.notices import notifying
from cubesolve.search.hashed import HashedSolver
from cubesolve.search.limits import MEMORY
from cubesolve.search.packed import PackedPuzzle
from cubesolve.solvers.case_algs import CaseAlg, CaseAlgs, Cost, Wanted

MOST_MOVES = 17
"""The largest number of moves of an alg; one more takes about eight times as long."""

_MOST_COMMUTING = 3  # moves about an axis in a row
_AT_ONCE = 1 << 12  # algs that are applied together

Rows = NDArray[np.uint8]


def best_algs(view: DefinedView, cases: Cases, listed: Sequence[Case], wanted: Wanted) -> list[CaseAlgs]:
    """Return the best algs of some cases of a set; see `Puzzle.algs`."""
    if view.definition.illegal:
        raise ValueError(f"algs are not supported for the {view.title}, whose moves can be blocked")
    if wanted.most > MOST_MOVES:
        raise ValueError(f"algs of more than {MOST_MOVES} moves are not supported, and {wanted.most} were asked for")
    search = _Search(view, cases, wanted.moves, wanted.workers)
    best, algs = _Best(view, cases, search, wanted.cost or len, wanted.number), dict[int, CaseAlgs]()
    places = {case.number: place for place, case in enumerate(cases)}
    asked = {case.number: places[case.number] for case in listed}
    for by_place, changed in search.shortest({*asked.values()}, wanted.slack, wanted.most, wanted.memory):
        algs |= {
            case.number: best.of(case, by_place[asked[case.number]]) for case in listed if asked[case.number] in changed
        }
        wanted.report([algs[case.number] for case in listed if case.number in algs])
    return [algs.get(case.number, CaseAlgs(case, None, [])) for case in listed]


class _Alg(NamedTuple):
    """An alg as numbers of moves, the masked state that it solves, and the number of the rotation at its end."""

    moves: tuple[int, ...]
    seen: Arrangement
    end: int


class _Search:
    """Searches for the algs of all cases of a set at once, by length."""

    def __init__(self, view: DefinedView, cases: Cases, moves: str | None, workers: int | None) -> None:
        turned, others = _divided(view.definition, moves)
        definition = selected(view, others, None, inverses=True)
        chosen = {move.name: move.effects[0].sources for move in definition.moves()}
        self.names, self.moves = [*chosen, *turned], [*chosen.values(), *turned.values()]
        self._turned = list(turned.values())
        usual = [move.effects[0].sources for move in view.definition.moves()]
        self._centres = [p for p in range(definition.points) if all(change[p] == p for change in usual)]
        self.rotations = self._reached(view)
        self._states, self._workers = cases.states, workers
        self._classes = {
            seen: place
            for place, case in enumerate(cases)
            for seen in self._states.alike(self._states.of(case.state), turned=False)
        }
        adjusting = {power(change, times) for change in self._states.adjustments for times in range(1, 12)}
        self._adjusting = [number for number, change in enumerate(self.moves) if change in adjusting]
        self._commute = np.array([[after(a, b) == after(b, a) for b in self.moves] for a in self.moves])
        self._following = self._canonical()

    def _canonical(self) -> list[list[int]]:
        """Return the automaton of algs that begin with no adjustment, and whose moves that commute are in order."""
        trivial, moves = {*self.moves, identity(len(self.moves[0]))}, range(len(self.moves))

        def may_follow(a: int, b: int) -> bool:
            return after(self.moves[a], self.moves[b]) not in trivial and (a < b or not self._commute[a, b])

        first = [-1 if move in self._adjusting else 1 + move for move in moves]
        return [first, *([1 + b if may_follow(a, b) else -1 for b in moves] for a in moves)]

    def _reached(self, view: DefinedView) -> list[tuple[str, Permutation]]:
        """Return the rotations of the puzzle in which algs of these moves can end, with their algs."""
        every = algs_of_rotations(view.definition)
        by_centres = {tuple(change[p] for p in self._centres): change for change in reversed(list(every))}
        held = [by_centres[tuple(move[p] for p in self._centres)] for move in self.moves] if self._centres else []
        held += self._turned
        places = closure([identity(view.definition.points)], lambda place: (after(place, change) for change in held))
        return [(every[place], place) for place in places]

    def shortest(
        self, wanted: set[int], slack: int, most: int, memory: int | None
    ) -> Iterator[tuple[dict[int, list[_Alg]], set[int]]]:
        """Yield the algs of each case by its place, the shortest first, after each length, and the places with more."""
        labels, looks = {*self._states.base, *self._centres}, self._states.names

        def masked(place: Permutation) -> Arrangement:
            return arrangement(1 + looks[label] if label in labels else 0 for label in place)

        start, ends = masked(self._states.setup), [masked(change) for _, change in self.rotations]
        solver = HashedSolver(PackedPuzzle(self.moves, ends, self._following), memory or MEMORY, 1)
        by_place = {place: list[_Alg]() for place in wanted}
        for length in range(most + 1):
            if all(algs and length > len(algs[0].moves) + slack for algs in by_place.values()):
                return
            changed = set[int]()
            with notifying(f"looking for algs of {length} moves"):
                rows = self._algs(solver, start, length)
                for place, alg in self._solved(rows[self._is_proper(rows)], start, ends, wanted):
                    if not by_place[place] or length <= len(by_place[place][0].moves) + slack:
                        by_place[place].append(alg)
                        changed.add(place)
            yield by_place, changed

    def _algs(self, solver: HashedSolver, start: Arrangement, length: int) -> Rows:
        """Return the canonical algs of a length that keep the pieces in place which the set does not solve."""
        algs: Any = []
        try:
            algs = solver.solve(
                start, every=True, max_depth=length, ruled_out=length - 1, beyond=True, workers=self._workers
            )
        except SearchLimitError as error:
            if error.at_least <= length:
                raise SearchLimitError(0, error.limit) from None
        except UnsolvableStateError:
            pass  # no algs of these moves are so long
        return np.array(algs, np.uint8).reshape(len(algs), length)

    def _is_proper(self, algs: Rows) -> Any:
        """Return which algs neither begin nor end with an adjustment, nor end with a rotation.

        Moves that commute with an adjustment may be before it, or after it at the end.
        """
        proper = np.ones(len(algs), bool)
        if self._turned and algs.size:
            proper &= algs[:, -1] < len(self.moves) - len(self._turned)
        adjusting = np.isin(np.arange(len(self.moves)), self._adjusting)
        for columns in (algs.T, algs.T[::-1]):
            together = np.ones(len(algs), bool)
            for place, column in enumerate(columns[:_MOST_COMMUTING]):
                for other in columns[:place]:
                    together = together & self._commute[other, column]
                proper &= ~(together & adjusting[column])
        return proper

    def _solved(
        self, algs: Rows, start: Arrangement, ends: Sequence[Arrangement], wanted: set[int]
    ) -> Iterator[tuple[int, _Alg]]:
        """Yield the place of the case of each alg, and the alg."""
        sources, here, targets = (np.array([[*row] for row in rows]) for rows in (self.moves, [start], ends))
        turns = np.array([list(change) for _, change in self.rotations])
        placed = list[tuple[int, _Alg]]()
        for first in range(0, len(algs), _AT_ONCE):
            check()
            chunk = algs[first : first + _AT_ONCE]
            changes = np.tile(np.arange(sources.shape[1]), (len(chunk), 1))
            for column in chunk.T:
                changes = np.take_along_axis(changes, sources[column], axis=1)
            reached = (here[0][changes][:, None] == targets).all(axis=2)  # keys may be equal by chance
            turned = turns[reached.argmax(axis=1)[:, None], np.argsort(changes, axis=1)]
            for number in np.flatnonzero(reached.any(axis=1)).tolist():
                seen = self._states.seen(arrangement(turned[number].tolist()))
                place = self._classes.get(seen)
                if place in wanted:
                    placed.append((place, _Alg(tuple(chunk[number].tolist()), seen, int(reached[number].argmax()))))
        yield from sorted(placed, key=lambda pair: pair[1].end)


def _divided(definition: Definition, moves: str | None) -> tuple[dict[str, Permutation], str | None]:
    """Return the rotations among moves, with all their powers by name, and the other moves."""
    words = (moves or "").split()
    bases = dict.fromkeys(word.rstrip("2'") for word in words if word.rstrip("2'") in definition.rotations)
    others = " ".join(word for word in words if word.rstrip("2'") not in bases)
    rotations = {
        definition.written([Power(base, times)]): power(definition.rotations[base], times)
        for base in bases
        for times in range(1, definition.order(base))
    }
    return (rotations, others) if others else ({}, moves)


class _Best:
    """Chooses the best algs of cases."""

    def __init__(self, view: DefinedView, cases: Cases, search: _Search, cost: Cost, number: int) -> None:
        self._view, self._cases, self._search, self._cost, self._number = view, cases, search, cost, number

    def of(self, case: Case, found: Sequence[_Alg]) -> CaseAlgs:
        """Return the best algs of a case."""
        priced = [([self._search.names[move] for move in alg.moves], alg) for alg in found]
        priced.sort(key=lambda pair: (self._cost(pair[0]), len(pair[0])))
        algs = [self._adjusted(case, *pair) for pair in priced[: self._number]]
        return CaseAlgs(case, len(found[0].moves), algs)

    def _adjusted(self, case: Case, names: list[str], found: _Alg) -> CaseAlg:
        """Return an alg with the adjustments that the example state of its case needs."""
        word, _ = self._search.rotations[found.end]
        definition, alg = self._view.definition, " ".join(names)
        back = definition.written(definition.undo(step) for step in reversed(definition.parse(word)))
        for before, afterwards in self._adjustments:
            if self._leads(case, before, found.seen, afterwards):
                before_text, after_text = (definition.written(steps) for steps in (before, afterwards))
                adjusted = CaseAlg(alg, len(names), self._cost(names), before_text, f"{back} {after_text}".strip())
                self._require_right(case, adjusted)
                return adjusted
        raise AssertionError(f"{alg} does not solve the case {case.name}")

    @functools.cached_property
    def _adjustments(self) -> list[tuple[list[Power], list[Power]]]:
        """The adjustments before and after an alg, the shortest first."""
        definition = self._view.definition
        steps = definition.parse(self._cases.about.adjust)
        powers = [[Power(step.name, n)] for step in steps for n in range(1, definition.order(step.name))]
        pairs = [(before, afterwards) for before in ([], *powers) for afterwards in ([], *powers)]
        return sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1]))

    def _leads(self, case: Case, before: list[Power], seen: Arrangement, afterwards: list[Power]) -> bool:
        """Return whether adjusting the example state makes it the state `seen`, apart from adjusting afterwards."""
        states, points = self._cases.states, self._view.definition.points
        place = after(states.of(case.state), self._change(before, points))
        return place == states.renamed(inverse(self._change(afterwards, points)), seen)

    def _change(self, steps: list[Power], points: int) -> Permutation:
        return composed((self._view.definition.effects(step)[0].sources for step in steps), points)

    def _require_right(self, case: Case, made: CaseAlg) -> None:
        """Require that an alg, applied to the example state, solves the case."""
        state = functools.reduce(
            lambda state, alg: state.apply(alg) if alg else state, (made.before, made.alg, made.after), case.state
        )
        states = self._cases.states
        if states.of(state) != states.of(self._view.solved(None)):
            raise AssertionError(f"{made} does not solve the case {case.name}")

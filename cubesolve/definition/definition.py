"""Puzzles as data: points, the labels on them in the solved state, and permutations for the moves (pure Python).

A puzzle is a set of *points*, each with a *label*; a state is an arrangement of the labels. Pieces with orientations
are points, too: the piece in place `i` has a point for each of its orientations, ``i * orientations`` and those that
follow, and turning it in its place shifts its labels round. Labels that are alike are pieces that look alike; a piece
whose labels are all alike has no visible orientation.

A *generator* is a basic operation of the puzzle; the moves of a metric are generators and their powers. Its effect may
depend on the state (a tile slides to where the blank is). It then has several *effects*, each with the labels that it
requires on certain points, and the effect that fits the state is applied. A *rotation* turns the puzzle as a whole,
which leaves the state the same.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.definition.metrics import powers
from cubesolve.definition.notation import MOST_MOVES, PRIMES, REPEAT, AlgReader, require_rotation
from cubesolve.errors import InvalidMoveError
from cubesolve.group.moves import Effect, Move, is_plain
from cubesolve.group.permutations import (
    Arrangement,
    Permutation,
    after,
    identity,
    inverse,
    least_exponent,
    order,
    power,
)
from cubesolve.runtime.deadline import check

_CHECK_EVERY = 64  # steps between two checks of the deadline


class Orbit(NamedTuple):
    """Pieces that can take each other's place."""

    name: str  # the name of the orbit
    pieces: int  # the number of pieces, and of places
    orientations: int = 1  # the number of orientations of a piece in its place
    # the names of the places and of the pieces that are at home there; empty if they only have numbers
    names: tuple[str, ...] = ()
    first: int = 1  # the first of these numbers

    @property
    def points(self) -> int:
        """The number of points."""
        return self.pieces * self.orientations


class Power(NamedTuple):
    """A power of a generator, the element of an alg."""

    name: str  # the name of a generator or rotation
    amount: int = 1  # the exponent, modulo the order; 1 for a generator of several effects


class Definition(NamedTuple):
    """The definition of a puzzle: its points, solved states, moves and costs.

    >>> swap = Definition("swap", (Orbit("DISKS", 2),), (b"\\0\\1",), {"S": (Effect(b"\\1\\0"),)})
    >>> [move.name for move in swap.moves()], list(swap.apply(swap.solved[0], swap.parse("S S' S")))
    (['S'], [1, 0])
    """

    name: str  # the name of the puzzle
    orbits: tuple[Orbit, ...]  # its pieces; their points are numbered one orbit after the other
    solved: tuple[Arrangement, ...]  # the arrangements that count as solved; algs start from the first
    generators: Mapping[str, tuple[Effect, ...]]  # the generators by name, in the order in which ties are broken
    # the generators that undo others: of those of several effects, and of those whose file lists both
    inverses: Mapping[str, str] = {}  # shared by all definitions; never modified
    rotations: Mapping[str, Permutation] = {}  # turns of the puzzle as a whole, by name
    illegal: frozenset[tuple[int, int]] = frozenset()  # pairs of a point and a label that must not be on it
    # the generators that may be used, each with a number; only powers by multiples of the number are moves, and the
    # inverses of generators of several effects
    chosen: tuple[Power, ...] = ()
    directed: bool = False  # whether only these are moves, and neither their inverses nor other powers
    costs: Mapping[str, int] = {}  # the costs of moves by name, where they are not 1
    other_powers: bool = True  # whether a generator stands for other powers than its inverse in some metric

    @property
    def points(self) -> int:
        """The number of points."""
        return len(self.solved[0])

    @property
    def places(self) -> Iterator[tuple[Orbit, list[range]]]:
        """Each orbit, and the points of each of its places."""
        first = 0
        for orbit in self.orbits:
            starts = range(first, first + orbit.points, orbit.orientations)
            yield orbit, [range(start, start + orbit.orientations) for start in starts]
            first += orbit.points

    # -- Moves ---------------------------------------------------------------------------------------------------------

    @property
    def expected(self) -> str:
        """The generators that may be used, for messages."""
        return " ".join(dict.fromkeys(step.name for step in self.chosen) or self.generators)

    def moves(self, metric: str = "htm") -> tuple[Move, ...]:
        """Return the moves of a metric, in the order in which ties are broken; of equal ones, the first."""
        moves: dict[object, Move] = {}
        for step in self._steps(metric):
            name = self.written([step])
            effects = self.effects(step)  # in any order, as at most one fits a state
            moves.setdefault(frozenset(effects), Move(name, effects, self.costs.get(name, 1)))
        return tuple(moves.values())

    def _steps(self, metric: str) -> Sequence[Power]:
        """Return the moves as steps; directed generators, and those that are closed under powers, are all of them."""
        chosen = self.chosen or tuple(map(Power, self.generators))
        if self.directed:
            return chosen
        largest, metric = ("htm", metric) if self.other_powers else ("qtm", "qtm")
        listed = {self.effects(step) for step in chosen}
        if all(self.effects(step) in listed for start in chosen for step in self._powers(start, largest)):
            return chosen
        return [power for step in chosen for power in self._powers(step, metric)]

    def _powers(self, step: Power, metric: str) -> list[Power]:
        times = self.order(step.name)
        if times:
            return [Power(step.name, amount) for amount in powers(metric, step.amount, times)]
        return [step, self.undo(step)] if step.name in self.inverses else [step]

    def order(self, name: str) -> int:
        """Return the order of a generator or rotation; 0 if it depends on the state."""
        if name in self.rotations and name not in self.generators:
            return order(self.rotations[name])
        effects = self.generators[name]
        return order(effects[0].sources) if is_plain(effects) else 0

    def effects(self, step: Power) -> tuple[Effect, ...]:
        """Return the effects of a step."""
        effects = self.generators.get(step.name) or (Effect(self.rotations[step.name]),)
        return (Effect(power(effects[0].sources, step.amount)),) if is_plain(effects) else effects

    def undo(self, step: Power) -> Power:
        """Return the inverse of a step."""
        if step.name in self.inverses:
            return Power(self.inverses[step.name], step.amount)
        return Power(step.name, -step.amount % max(self.order(step.name), 1))

    # -- Algs ----------------------------------------------------------------------------------------------------------

    def parse(self, alg: str) -> list[Power]:
        """Read an alg: generators and rotations, each also with a number and ``'``, and groups as in `notation`."""
        return self.reader()(alg)

    def reader(self) -> Callable[[str], list[Power]]:
        """Return a reader of algs, which reads further ones faster than `parse` does."""
        return self._reader()

    def positions(self, alg: str) -> list[int]:
        """Return where in an alg each of its steps is written."""
        return self._reader().positions(alg)

    def _reader(self) -> AlgReader[Power]:
        names = sorted([*self.generators, *self.rotations], key=len, reverse=True)
        # A digit after a name that ends in one would not be a number of times, so `written` sets brackets.
        listed = "|".join(re.escape(name) + (r"(?!\d)" if name[-1].isdigit() else "") for name in names)
        numbered = "|".join(re.escape(name) for name in names if name[-1].isdigit()) or "(?!)"
        token = re.compile(rf"(?:({listed})(\d{{0,6}})([{PRIMES}]?)(\d{{0,6}})|\(({numbered})\){REPEAT})")

        def read(alg: str, position: int) -> tuple[list[Power], int]:
            match = token.match(alg, position)
            if match is None:
                word = alg[position:].split(maxsplit=1)[0]
                raise InvalidMoveError(word, position, f"is not a move: expected {self.expected}")
            name, first, backwards, second = match.groups()[:4] if match[1] else match.groups()[4:]
            amount = int(first or 1) * int(second or 1)
            if name in self.rotations:
                require_rotation(match[0], alg, position)
            times = self.order(name)
            if times:
                turned = (-amount if backwards else amount) % times
                return [Power(name, turned)] if turned else [], match.end()
            if amount > MOST_MOVES:
                raise InvalidMoveError(match[0], position, f"exceeds the limit of {MOST_MOVES:,} moves")
            step = Power(name)
            return [self.undo(step) if backwards else step] * amount, match.end()

        opening = "|".join(re.escape(name) for name in names if name[0] in "([") or "(?!)"
        return AlgReader(read, self.undo, re.compile(rf"\((?:{numbered})\)|{opening}"))

    def written(self, steps: Iterable[Power]) -> str:
        """Return steps as an alg; exponents above half of a generator's order are written as inverses.

        >>> ring = Definition("ring", (), (b"\\0\\1\\2\\3\\4",), {"g1": (Effect(b"\\4\\0\\1\\2\\3"),)})
        >>> ring.written([Power("g1", 2), Power("g1", 4)])  # g12 would be another generator
        "(g1)2 g1'"
        """
        words = []
        for name, amount in steps:
            times = self.order(name)
            backwards = 2 * amount > times > 0
            number = times - amount if backwards else amount
            if backwards and name in self.inverses:
                name, backwards = self.inverses[name], False  # noqa: PLW2901  # the name that the file has
            shown = f"({name})" if number != 1 and name[-1].isdigit() else name
            words.append(shown + (str(number) if number != 1 else "") + ("'" if backwards else ""))
        return " ".join(words)

    def apply(self, state: Arrangement, steps: Iterable[Power], alg: str = "") -> Arrangement:
        """Return the state after steps, or raise an error at the place in the alg that they were read from."""
        moves = dict[Power, Move]()
        for number, step in enumerate(steps):
            if number % _CHECK_EVERY == 0:
                check()
            if step not in moves:
                moves[step] = Move(step.name, self.effects(step))
            moved = moves[step].apply(state)
            if moved is None or (self.illegal and not self.is_legal(moved)):
                position = self.positions(alg)[number] if alg else 0
                raise InvalidMoveError(self.written([step]), position, "is not possible here")
            state = moved
        return state

    def order_of(self, steps: Sequence[Power], solved: Collection[Arrangement]) -> int:
        """Return the least number of repetitions of steps, at least 1, that lead from the solved state to one of some.

        >>> ring = Definition("ring", (), (b"\\0\\1\\2\\3",), {"T": (Effect(b"\\3\\0\\1\\2"),)})
        >>> ring.order_of(ring.parse("T T"), ring.solved)
        2
        """
        deciding = {*precondition_labels((effect for step in steps for effect in self.effects(step)), self.illegal)}

        def placed(state: Arrangement) -> list[int | None]:
            return [label if label in deciding else None for label in state]

        def repeated() -> Iterator[tuple[Arrangement, Permutation]]:
            state, change = self.solved[0], identity(self.points)
            while True:
                for step in steps:
                    moved = self.apply(state, [step])  # raises an error if the step is not possible
                    effect = next(effect for effect in self.effects(step) if effect.fits(state))
                    state, change = moved, after(change, effect.sources)
                yield state, change

        for times, (state, whole) in enumerate(repeated(), start=1):  # noqa: B007  # used below
            if state in solved:
                return times
            if placed(state) == placed(self.solved[0]):
                break
        # From here on, every so many repetitions do the same.
        exponents = (
            (number, least_exponent(whole, self.solved[0], after(target, inverse(change))))
            for number, (_, change) in zip(range(1, times + 1), repeated(), strict=False)
            for target in solved
        )
        return min(exponent * times + number for number, exponent in exponents if exponent is not None)

    def is_legal(self, state: Arrangement) -> bool:
        """Return whether no label is on a point where it is illegal."""
        return not self.illegal or self.illegal.isdisjoint(enumerate(state))

    # -- Identity ------------------------------------------------------------------------------------------------------

    def digest(self, moves: Sequence[Move]) -> str:
        """Return a digest of everything that distances by some moves depend on; names are not included."""
        about = [
            list(map(list, self.solved)),
            sorted(map(list, self.rotations.values())),
            sorted(self.illegal),
            [[move.cost, [[list(effect.sources), effect.needs] for effect in move.effects]] for move in moves],
        ]
        return hashlib.sha256(repr(about).encode()).hexdigest()


def precondition_labels(effects: Iterable[Effect], illegal: Iterable[tuple[int, int]]) -> list[int]:
    """Return the labels that decide which moves are possible, in ascending order."""
    return sorted({label for effect in effects for _, label in effect.needs} | {label for _, label in illegal})

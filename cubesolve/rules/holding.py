"""Turning a puzzle as a whole: states that differ in nothing else are one (pure Python).

Where the moves look the same however the puzzle is held, some labels, the *anchor*, tell the holding: every state is
turned so that the anchor is at home, and a move that takes it away is followed by the rotation that brings it back. So
there are as many times fewer states as there are holdings. Where the moves do not look the same (only some faces may be
turned), the holding matters, and the solved puzzle counts as solved in each.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.errors import CubesolveError
from cubesolve.permutations import Arrangement, Permutation, after, identity, inverse
from cubesolve.rules.definition import Case, Definition, Turn, is_plain

MOST_HOLDINGS = 1000
"""The number of ways in which a puzzle may be held."""

_MOST_LABOUR = 1 << 20  # places that are looked up to find labels that tell the holding


class Anchor(NamedTuple):
    """How the holding of a puzzle is told, and what follows from it.

    Attributes:
        labels: the labels that tell it.
        rotations: what leads from one holding to another, the identity first.
        homing: for each tuple of points where the labels can lie, the number of the rotation that brings them home.
        names: for each rotation that would bring a puzzle home, how each move is written as it is held.
        following: likewise, for each rotation and each move, the rotation that would bring it home after the move.
    """

    labels: tuple[int, ...]
    rotations: tuple[Permutation, ...]
    homing: Mapping[tuple[int, ...], int]
    names: tuple[tuple[str, ...], ...]
    following: tuple[tuple[int, ...], ...]


class Holdings(NamedTuple):
    """The states of a puzzle up to holding, and the moves between them.

    Attributes:
        solved: the arrangements that count as solved.
        turns: the moves.
        anchor: what tells the holding; None where it matters, or where there is only one.
    """

    solved: tuple[Arrangement, ...]
    turns: tuple[Turn, ...]
    anchor: Anchor | None = None

    def home(self, state: Arrangement) -> tuple[Arrangement, int] | None:
        """A state as it is when it is held at home, and the number of the rotation that brings it there.

        Returns:
            None if the labels that tell the holding lie as in no holding; no moves lead there.
        """
        if self.anchor is None:
            return state, 0
        number = self.anchor.homing.get(tuple(state.index(label) for label in self.anchor.labels))
        return None if number is None else (after(state, self.anchor.rotations[number]), number)

    def alg(self, moves: Sequence[int], rotation: int = 0) -> list[str]:
        """Moves of a puzzle that is held at home, by number, as they are written for one that a rotation brings there.

        Args:
            moves: the numbers of the moves in `turns`.
            rotation: the number that `home` gave.
        """
        if self.anchor is None:
            return [self.turns[move].name for move in moves]
        names = []
        for move in moves:
            names.append(self.anchor.names[rotation][move])
            rotation = self.anchor.following[rotation][move]
        return names


def hold(definition: Definition, turns: Sequence[Turn]) -> Holdings:
    """The states of a puzzle up to holding, with some moves.

    Raises:
        CubesolveError: the rotations make more than `MOST_HOLDINGS` holdings.

    >>> swap = {"T": (Case(b"\\1\\0\\2"),)}
    >>> ring = Definition("ring", (), (b"\\0\\1\\2",), swap, rotations={"x": b"\\2\\0\\1"})
    >>> len(hold(ring, ring.turns()).solved)  # after x, T does something else
    3
    """
    rotations, generators = _group(definition)
    if len(rotations) == 1:
        return Holdings(definition.solved, tuple(turns))
    anchor = _find_anchor(definition, turns, rotations, generators)
    if anchor is None:
        images = (after(state, rotation) for state in definition.solved for rotation in rotations)
        return Holdings(tuple(dict.fromkeys(images)), tuple(turns))
    return _anchored(definition, turns, rotations, anchor)


def _group(definition: Definition) -> tuple[list[Permutation], list[Permutation]]:
    """All rotations, the identity first; and some that make them all."""
    found = {identity(definition.points): None}
    generators: list[Permutation] = []
    for given in definition.rotations.values():
        if given in found:
            continue
        generators.append(given)
        for rotation in (reached := list(found)):
            products = dict.fromkeys(after(rotation, generator) for generator in generators)
            reached += [product for product in products if product not in found]
            found |= products
            if len(found) > MOST_HOLDINGS:
                raise CubesolveError(f"the rotations of {definition.name} make more than {MOST_HOLDINGS:,} holdings")
    return list(found), generators


def _find_anchor(
    definition: Definition, turns: Sequence[Turn], rotations: Sequence[Permutation], generators: Sequence[Permutation]
) -> tuple[int, ...] | None:
    """Labels that tell each holding from all others, if the moves look the same in all; none if it takes too long."""
    moves = {turn.cases for turn in turns}
    if definition.illegal or not all(map(is_plain, moves)):
        return None
    for rotation in generators:
        back = inverse(rotation)
        if any((Case(after(after(rotation, cases[0].sources), back)),) not in moves for cases in moves):
            return None
    forwards = [inverse(change) for change in (*(cases[0].sources for cases in moves), *generators)]
    backs = [inverse(rotation) for rotation in rotations]
    labour = _MOST_LABOUR
    for labels, home in _candidates(definition.solved[0], forwards[: len(moves)]):
        labour -= len(rotations)
        if len({tuple(back[point] for point in home) for back in backs}) == len(rotations):
            labour -= len(rotations) * len(forwards)
            if len(_orbit(home, forwards, len(rotations))) == len(rotations):
                return labels
        if labour < 0:
            return None
    return None


def _candidates(
    solved: Arrangement, forwards: Sequence[Permutation]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Labels that may tell the holding, and the points where they are at home, for moves to some points."""
    counts = Counter(solved)
    single = [(point, label) for point, label in enumerate(solved) if counts[label] == 1]
    # Labels that no move takes away from where they are come first: no rotation need follow a move then.
    single.sort(key=lambda home: (any(forward[home[0]] != home[0] for forward in forwards), home[1]))
    for chosen in itertools.chain(((each,) for each in single), itertools.combinations(single, 2)):
        yield tuple(label for _, label in chosen), tuple(point for point, _ in chosen)


def _orbit(home: tuple[int, ...], forwards: Sequence[Permutation], enough: int) -> set[tuple[int, ...]]:
    """Where points can come, at most a few more than enough."""
    found = {home}
    for places in (reached := [home]):
        images = {tuple(forward[point] for point in places) for forward in forwards} - found
        found |= images
        reached += images
        if len(found) > enough:
            break
    return found


def _anchored(
    definition: Definition, turns: Sequence[Turn], rotations: Sequence[Permutation], labels: tuple[int, ...]
) -> Holdings:
    solved = definition.solved[0]
    numbers = {rotation: number for number, rotation in enumerate(rotations)}

    def places(state: Arrangement) -> tuple[int, ...]:
        return tuple(state.index(label) for label in labels)

    homing = {places(after(solved, inverse(rotation))): number for number, rotation in enumerate(rotations)}
    written = {turn.cases: turn.name for turn in turns}
    # Of moves that are the same but for a rotation, one that needs none is kept, or else the first.
    kept: dict[Permutation, tuple[Turn, int]] = {}
    for turn in turns:
        moved = after(solved, turn.cases[0].sources)
        number = homing[places(moved)]
        change = after(turn.cases[0].sources, rotations[number])
        if change not in kept or (number == 0 and kept[change][1]):
            kept[change] = (turn, number)
    if len(kept) > 1:
        kept.pop(identity(definition.points), None)

    def name(rotation: Permutation, turn: Turn) -> str:
        return written[(Case(after(after(rotation, turn.cases[0].sources), inverse(rotation))),)]

    states = (after(state, rotations[homing[places(state)]]) for state in definition.solved)
    return Holdings(
        tuple(dict.fromkeys(states)),
        tuple(Turn(turn.name, (Case(change),), turn.cost) for change, (turn, _) in kept.items()),
        Anchor(
            labels,
            tuple(rotations),
            homing,
            tuple(tuple(name(rotation, turn) for turn, _ in kept.values()) for rotation in rotations),
            tuple(
                tuple(numbers[after(rotation, rotations[number])] for _, number in kept.values())
                for rotation in rotations
            ),
        ),
    )

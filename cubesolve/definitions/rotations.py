"""Whole-puzzle rotations: which states are the same but for how the puzzle is held (pure Python).

Where the rotations turn every move into a move that counts the same, states that differ by a rotation are one. Some
labels, the *reference pieces*, may tell all rotations apart: every state is turned so that these are at home, and a
move that takes them away is followed by the rotation that brings them back. Where there are none, each state is turned
in every way, and the one that is listed stands for all.

Where the moves do not look the same (only some faces may be turned), a rotation costs nothing before the first move and
after the last, and none is made in between: the solved puzzle counts as solved however it is held. If rotations only
rename the labels of the solved puzzle, every state is taken by each of these names. Elsewhere the states are those that
moves lead to from every holding of the solved puzzle.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.definitions.definition import Case, Definition, Move, is_plain
from cubesolve.errors import CubesolveError
from cubesolve.permutations import Arrangement, Permutation, after, arrangement, identity, inverse, orbits, order

MOST_ROTATIONS = 1000
"""The number of ways in which a puzzle may be held."""

MOST_ROTATED = 1 << 16
"""The number of moves times that of rotations up to which states that differ by a rotation are one."""

_MOST_LABOUR = 1 << 20  # places that are looked up to find reference pieces


class Reference(NamedTuple):
    """How reference pieces tell the rotation of a puzzle, and what follows from it.

    Attributes:
        labels: the labels of the reference pieces.
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


class Rotated(NamedTuple):
    """States that differ by a rotation and are one, although no reference pieces tell the rotation.

    Attributes:
        rotations: all rotations, the identity first.
        written: every move by what it does.
    """

    rotations: tuple[Permutation, ...]
    written: Mapping[Permutation, Move]

    def images(self, state: Arrangement) -> Iterator[Arrangement]:
        """A state after each rotation."""
        return (after(state, rotation) for rotation in self.rotations)

    def conjugated(self, move: Move, number: int) -> Move:
        """The move of a puzzle that is made by a move after a rotation, and before it is turned back."""
        rotation = self.rotations[number]
        return self.written[_rotated(move.cases[0].sources, rotation, inverse(rotation))]

    def is_free(self, state: Arrangement, moves: Sequence[Move]) -> bool:
        """Whether it is certain that no rotation but the identity leaves a state as it is.

        A rotation of prime order moves points in cycles of that length, on each of which there must be one label then.

        Args:
            state: one of the states.
            moves: what leads to all others, rotations among them.
        """
        if len(set(state)) == len(state):
            return True
        groups = orbits(len(state), [case.sources for move in moves for case in move.cases])
        return not any(_may_stay(state, rotation, groups) for rotation in self.rotations if _is_prime(order(rotation)))


class RotationReduction(NamedTuple):
    """The states of a puzzle up to whole-puzzle rotations, and the moves between them.

    Attributes:
        solved: the arrangements that count as solved.
        moves: the moves.
        reference: what tells the rotation; None where it matters, where no pieces do, or where there is only one.
        rotated: what is known where states that differ by a rotation are one, but no pieces tell the rotation.
        namings: where a state counts however its labels are named: new names for labels, the same ones first.
        links: rotations that lead from one state to all others together with moves.
        rotations: all rotations, where states that differ by one are not the same.
        scheme: what sets the order of the states apart from that of the same moves without rotations.
    """

    solved: tuple[Arrangement, ...]
    moves: tuple[Move, ...]
    reference: Reference | None = None
    rotated: Rotated | None = None
    namings: tuple[Arrangement, ...] = ()
    links: tuple[Move, ...] = ()
    rotations: tuple[Permutation, ...] = ()
    scheme: str = ""

    @property
    def generators(self) -> tuple[Move, ...]:
        """All that leads from one state to the others: the moves, and rotations where these are needed."""
        return (*self.moves, *self.links)

    def home(self, state: Arrangement) -> tuple[Arrangement, int] | None:
        """A state as it is when its reference pieces are at home, and the number of the rotation that brings it there.

        Returns:
            None if the reference pieces lie as no rotation takes them; no moves lead there.
        """
        if self.reference is None:
            return state, 0
        number = self.reference.homing.get(tuple(state.index(label) for label in self.reference.labels))
        return None if number is None else (after(state, self.reference.rotations[number]), number)

    @property
    def changes(self) -> list[Permutation]:
        """What leads from one listed placement of labels to another: moves, rotations after them, or links."""
        made = [case.sources for move in self.moves for case in move.cases]
        if self.rotated is not None:
            return [after(change, rotation) for change in made for rotation in self.rotated.rotations]
        return made + [case.sources for link in self.links for case in link.cases]

    def named(self, state: Arrangement) -> Iterator[Arrangement]:
        """The arrangements that a state at home can be taken for, itself first."""
        return (after(naming, state) for naming in self.namings) if self.namings else iter((state,))

    def alg(self, moves: Sequence[int], rotation: int = 0) -> list[str]:
        """Moves of a puzzle that is held at home, by number, as they are written for one that a rotation brings there.

        Args:
            moves: the numbers of the moves in `moves`.
            rotation: the number that `home` gave.
        """
        if self.reference is None:
            return [self.moves[move].name for move in moves]
        names = []
        for move in moves:
            names.append(self.reference.names[rotation][move])
            rotation = self.reference.following[rotation][move]
        return names


def reduce_by_rotations(definition: Definition, moves: Sequence[Move]) -> RotationReduction:
    """The states of a puzzle up to whole-puzzle rotations, with some moves.

    Raises:
        CubesolveError: the rotations make more than `MOST_ROTATIONS` holdings.

    >>> swap = {"T": (Case(b"\\1\\0\\2"),)}
    >>> ring = Definition("ring", (), (b"\\0\\1\\2",), swap, rotations={"x": b"\\2\\0\\1"})
    >>> len(reduce_by_rotations(ring, ring.moves()).solved)  # after x, T does something else
    3
    """
    rotations, generators = _group(definition)
    if len(rotations) == 1:
        return RotationReduction(definition.solved, tuple(moves))
    are_plain = not definition.illegal and all(is_plain(move.cases) for move in moves)
    look_the_same = are_plain and _look_the_same(moves, generators)
    if look_the_same and _count_the_same(moves, rotations):
        labels = _find_reference(definition, moves, rotations, generators)
        if labels is not None:
            return _referenced(definition, moves, rotations, labels)
    start, images = definition.solved[0], (after(state, each) for state in definition.solved for each in rotations)
    solved = tuple(dict.fromkeys(image for image in images if definition.is_legal(image)))
    if look_the_same and _can_be_one(moves, rotations):
        kept, written = _kept(moves, rotations), {move.cases[0].sources: move for move in moves}
        rotated, links = Rotated(tuple(rotations), written), tuple(Move("", (Case(each),), 0) for each in generators)
        return RotationReduction(solved, kept, rotated=rotated, links=links, scheme="up to rotations")
    reduction = RotationReduction(solved, tuple(moves), rotations=tuple(rotations))
    namings = _namings(start, solved, rotations) if are_plain else ()
    if namings:
        return reduction._replace(namings=namings, scheme="moves that count as held" * look_the_same)
    others = {image: each for each in rotations if (image := after(start, each)) != start and image in solved}
    if others:
        links = tuple(Move("", (Case(each, tuple(enumerate(start))),), 0) for each in others.values())
        return reduction._replace(links=links, scheme="from every holding")
    return reduction


def rotations_of(definition: Definition) -> list[Permutation]:
    """All whole-puzzle rotations, the identity first.

    Raises:
        CubesolveError: they are more than `MOST_ROTATIONS`.
    """
    return _group(definition)[0]


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
            if len(found) > MOST_ROTATIONS:
                raise CubesolveError(f"the rotations of {definition.name} make more than {MOST_ROTATIONS:,} holdings")
    return list(found), generators


# -- Moves that look the same ------------------------------------------------------------------------------------------


def _rotated(change: Permutation, rotation: Permutation, back: Permutation) -> Permutation:
    """What a change does to a puzzle that is turned by a rotation before it, and back after it."""
    return after(after(rotation, change), back)


def _look_the_same(moves: Sequence[Move], generators: Sequence[Permutation]) -> bool:
    """Whether rotations turn moves into moves, whatever these count."""
    changes = {move.cases[0].sources for move in moves}
    return all(_rotated(change, each, inverse(each)) in changes for each in generators for change in changes)


def _can_be_one(moves: Sequence[Move], rotations: Sequence[Permutation]) -> bool:
    """Whether states that differ by a rotation can be one, without reference pieces.

    A move may take two of these states to the same then, so that the states before are only found by another move.
    """
    costs = {move.cases[0].sources: move.cost for move in moves}
    are_undone = all(costs.get(inverse(change)) == cost for change, cost in costs.items())
    return are_undone and len(moves) * len(rotations) <= MOST_ROTATED and _count_the_same(moves, rotations)


def _count_the_same(moves: Sequence[Move], rotations: Sequence[Permutation]) -> bool:
    """Whether moves count the same that rotations turn into each other, before the move, after it, or both."""
    if len({move.cost for move in moves}) == 1:
        return True
    costs = {move.cases[0].sources: move.cost for move in moves}
    for rotation in rotations:
        back = inverse(rotation)
        for change, cost in costs.items():
            if costs[_rotated(change, rotation, back)] != cost or costs.get(after(change, rotation), cost) != cost:
                return False
    return True


def _kept(moves: Sequence[Move], rotations: Sequence[Permutation]) -> tuple[Move, ...]:
    """The first of those moves that are the same but for a rotation; none that is one, if there are others."""
    kept = dict[Permutation, Move]()
    for move in moves:
        kept.setdefault(min(after(move.cases[0].sources, rotation) for rotation in rotations), move)
    if len(kept) > 1:
        kept.pop(min(rotations), None)
    return tuple(kept.values())


def _find_reference(
    definition: Definition, moves: Sequence[Move], rotations: Sequence[Permutation], generators: Sequence[Permutation]
) -> tuple[int, ...] | None:
    """Labels that tell each rotation from all others; none if it takes too long."""
    forwards = [inverse(change) for change in (*(move.cases[0].sources for move in moves), *generators)]
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
    """Labels that may tell the rotation, and the points where they are at home, for moves to some points."""
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


def _referenced(
    definition: Definition, moves: Sequence[Move], rotations: Sequence[Permutation], labels: tuple[int, ...]
) -> RotationReduction:
    solved = definition.solved[0]
    numbers = {rotation: number for number, rotation in enumerate(rotations)}

    def places(state: Arrangement) -> tuple[int, ...]:
        return tuple(state.index(label) for label in labels)

    homing = {places(after(solved, inverse(rotation))): number for number, rotation in enumerate(rotations)}
    written = {move.cases: move.name for move in moves}
    # Of moves that are the same but for a rotation, one that needs none is kept, or else the first.
    kept: dict[Permutation, tuple[Move, int]] = {}
    for move in moves:
        moved = after(solved, move.cases[0].sources)
        number = homing[places(moved)]
        change = after(move.cases[0].sources, rotations[number])
        if change not in kept or (number == 0 and kept[change][1]):
            kept[change] = (move, number)
    if len(kept) > 1:
        kept.pop(identity(definition.points), None)

    def names(rotation: Permutation) -> tuple[str, ...]:
        back = inverse(rotation)
        return tuple(written[(Case(_rotated(move.cases[0].sources, rotation, back)),)] for move, _ in kept.values())

    def following(rotation: Permutation) -> tuple[int, ...]:
        both = [numbers[after(rotation, each)] for each in rotations]
        return tuple(both[number] for _, number in kept.values())

    states = (after(state, rotations[homing[places(state)]]) for state in definition.solved)
    return RotationReduction(
        tuple(dict.fromkeys(states)),
        tuple(Move(move.name, (Case(change),), move.cost) for change, (move, _) in kept.items()),
        Reference(
            labels,
            tuple(rotations),
            homing,
            tuple(names(rotation) for rotation in rotations),
            tuple(following(rotation) for rotation in rotations),
        ),
    )


# -- Rotations that leave a state as it is -----------------------------------------------------------------------------


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, number))


def _may_stay(state: Arrangement, rotation: Permutation, groups: Sequence[Sequence[int]]) -> bool:
    """Whether a rotation of prime order leaves an arrangement as it is that has the same labels on groups of points."""
    times = order(rotation)
    return all(
        sum(number % times for number in Counter(state[point] for point in group).values())
        <= sum(rotation[point] == point for point in group)
        for group in groups
    )


# -- Names of labels ---------------------------------------------------------------------------------------------------


def _namings(
    start: Arrangement, solved: Sequence[Arrangement], rotations: Sequence[Permutation]
) -> tuple[Arrangement, ...]:
    """New names for labels, which make each rotation of a solved state of it, the same ones first.

    Returns:
        Nothing if a rotation does something else to it, or to what else counts as solved.
    """
    found, known = list[Arrangement](), set(solved)
    for rotation in rotations:
        pairs = set(zip(start, after(start, rotation), strict=True))
        names = dict(pairs)
        if len(pairs) > len(names) or len(set(names.values())) < len(names):
            return ()
        naming = arrangement(names.get(label, label) for label in range(max(start) + 1))
        if any(after(naming, state) not in known for state in solved):
            return ()
        found.append(naming)
    return tuple(found)

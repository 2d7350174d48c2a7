"""Whole-puzzle rotations: which states differ only by the orientation of the puzzle (pure Python).

If the rotations take every move to a move of the same cost, states that differ by a rotation are one state. Some
*reference pieces* may determine the rotation: every state is then rotated so that these are at home, and a move that
displaces them is followed by the rotation that brings them back. Without reference pieces, a state is looked up in
every rotation, and the one that is listed represents all.

If the rotations do not preserve the moves (only some faces may be turned), rotations are free before the first move and
after the last, and none is made in between: the solved puzzle counts as solved in every orientation. If rotations only
rename the labels of the solved puzzle, every state is named in each of these ways. Otherwise the states are those that
moves lead to from every orientation of the solved puzzle.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.definition.definition import Definition, Power
from cubesolve.definition.metrics import METRICS
from cubesolve.errors import CubesolveError
from cubesolve.group.moves import Effect, Move, are_plain
from cubesolve.group.permutations import (
    Arrangement,
    Permutation,
    after,
    arrangement,
    closure,
    identity,
    inverse,
    is_prime,
    orbits,
    order,
    relabelling,
    renaming,
)

MOST_ROTATIONS = 1000
"""The maximum number of orientations of a puzzle."""

MOST_ROTATED = 1 << 16
"""The maximum number of moves times rotations for which states that differ by a rotation are one."""

_CONJUGATES = 1 << 12  # which are kept: more than the moves times the rotations of most puzzles
_MOST_LABOUR = 1 << 20  # placements that are looked up to find reference pieces


class Reference(NamedTuple):
    """The reference pieces that determine the rotation of a puzzle."""

    labels: tuple[int, ...]  # the labels of the reference pieces
    rotations: tuple[Permutation, ...]  # the rotations, the identity first
    # for each tuple of points of the labels, the number of the rotation that brings them home
    homing: Mapping[tuple[int, ...], int]
    numbers: Mapping[Permutation, int]  # the number of each rotation
    # the permutation of each move, and the number of the rotation that brings the puzzle home after it
    moves: tuple[tuple[Permutation, int], ...]
    written: Mapping[Permutation, str]  # the names of all moves of the puzzle

    def name(self, move: int, rotation: int) -> str:
        """Return the name of a move as it applies before a rotation brings the puzzle home."""
        return self.written[conjugated(self.moves[move][0], self.rotations[rotation])]

    def following(self, move: int, rotation: int) -> int:
        """Return the number of the rotation that brings the puzzle home after such a move."""
        return self.numbers[after(self.rotations[rotation], self.rotations[self.moves[move][1]])]


class Rotated(NamedTuple):
    """Rotations for puzzles whose states are one up to rotation, but without reference pieces."""

    rotations: tuple[Permutation, ...]  # all rotations, the identity first
    written: Mapping[Permutation, Move]  # every move by its permutation
    are_undone: bool  # whether moves are undone by moves

    def images(self, state: Arrangement) -> Iterator[Arrangement]:
        """Yield a state after each rotation."""
        return (after(state, rotation) for rotation in self.rotations)

    def conjugated(self, move: Move, number: int) -> Move:
        """Return the move that has the effect of a rotation, a move and the inverse rotation."""
        return self.written[conjugated(move.effects[0].sources, self.rotations[number])]


class RotationReduction(NamedTuple):
    """The states of a puzzle up to whole-puzzle rotations, and the moves between them."""

    solved: tuple[Arrangement, ...]  # the arrangements that count as solved
    moves: tuple[Move, ...]  # the moves up to rotations
    # the reference pieces; None if the rotation matters, no pieces determine it, or it is the only one
    reference: Reference | None = None
    # the rotations, if states that differ by one are the same and there are no reference pieces
    rotated: Rotated | None = None
    # permutations of names of labels that leave a state as it is, the identity first
    namings: tuple[Arrangement, ...] = ()
    links: tuple[Move, ...] = ()  # rotations that are needed beside the moves to reach all states
    rotations: tuple[Permutation, ...] = ()  # all rotations, where states that differ by one are not the same
    scheme: str = ""  # what distinguishes the order of the states from that of the same moves without rotations

    @property
    def generators(self) -> tuple[Move, ...]:
        """Generators of all states: the moves, and rotations where these are needed."""
        return (*self.moves, *self.links)

    @property
    def merged(self) -> tuple[Permutation, ...]:
        """The rotations, if states that differ by one are one state."""
        if self.reference is not None:
            return self.reference.rotations
        return self.rotated.rotations if self.rotated is not None else ()

    def home(self, state: Arrangement) -> tuple[Arrangement, int] | None:
        """Return a state with its reference pieces at home, and the rotation's number; None if none brings them."""
        if self.reference is None:
            return state, 0
        number = self.reference.homing.get(tuple(state.index(label) for label in self.reference.labels))
        return None if number is None else (after(state, self.reference.rotations[number]), number)

    @property
    def changes(self) -> list[Permutation]:
        """The permutations between listed placements of labels: moves, rotations after them, or links."""
        sources = [effect.sources for move in self.moves for effect in move.effects]
        if self.rotated is not None:
            return [after(change, rotation) for change in sources for rotation in self.rotated.rotations]
        return sources + [effect.sources for link in self.links for effect in link.effects]

    def named(self, state: Arrangement) -> Iterator[Arrangement]:
        """Yield the arrangements that represent a state at home, itself first."""
        return (after(naming, state) for naming in self.namings) if self.namings else iter((state,))

    def alg(self, moves: Sequence[int], rotation: int = 0) -> list[str]:
        """Return the names of moves of a puzzle at home, as they apply before a rotation."""
        if self.reference is None:
            return [self.moves[move].name for move in moves]
        names = []
        for move in moves:
            names.append(self.reference.name(move, rotation))
            rotation = self.reference.following(move, rotation)
        return names


class Image(NamedTuple):
    """A way to look at a state: rotated as a whole, and with other names of the labels."""

    turned: Permutation  # the rotation
    names: Mapping[int, int]  # the new name of each label
    moves: Mapping[str, str]  # for the name of each move of the image, in any metric, that of the puzzle

    def of(self, state: Arrangement) -> Arrangement:
        """Return the image of a state."""
        return arrangement(self.names[label] for label in after(state, self.turned))

    def preimage(self, state: Arrangement) -> Arrangement:
        """Return the state that has an image."""
        labels = {name: label for label, name in self.names.items()}
        return after(arrangement(map(labels.__getitem__, state)), inverse(self.turned))

    def before(self, goal: Mapping[int, frozenset[int]]) -> dict[int, frozenset[int]]:
        """Return what the states fulfil whose images fulfil a goal: the labels that are allowed on some points."""
        labels = {name: label for label, name in self.names.items()}
        return {self.turned[point]: frozenset(labels[name] for name in names) for point, names in goal.items()}


def images_of(definition: Definition) -> list[Image]:
    """Return the images in which the solved state stays as it is, and moves are moves of the same cost.

    The first one changes nothing. There are no others if some moves are not always possible.

    >>> ring = Definition("ring", (), (b"\\0\\1\\2",), {"T": (Effect(b"\\2\\0\\1"),)}, rotations={"x": b"\\1\\2\\0"})
    >>> [list(image.of(b"\\1\\0\\2")) for image in images_of(ring)]
    [[1, 0, 2], [2, 1, 0], [0, 2, 1]]
    """
    metrics, solved = [definition.moves(metric) for metric in METRICS], definition.solved[0]
    same = {move.name: move.name for moves in metrics for move in moves}
    images = [Image(identity(definition.points), {label: label for label in solved}, same)]
    if definition.illegal or not all(map(are_plain, metrics)):
        return images
    for rotation in rotations_of(definition)[1:]:
        names, named = renaming(after(solved, rotation), solved), _renamed(metrics, rotation)
        if names is not None and named is not None:
            images.append(Image(rotation, names, named))
    return images


def _renamed(metrics: Sequence[Sequence[Move]], rotation: Permutation) -> dict[str, str] | None:
    """Return the names of the conjugates of moves, by name; None if one is not a move of the same metric and cost."""
    names = dict[str, str]()
    for moves in metrics:
        written = {(move.effects[0].sources, move.cost): move.name for move in moves}
        for move in moves:
            name = written.get((conjugated(move.effects[0].sources, rotation), move.cost))
            if name is None or names.setdefault(move.name, name) != name:
                return None
    return names


def reduce_by_rotations(definition: Definition, moves: Sequence[Move]) -> RotationReduction:
    """Return the states of a puzzle up to whole-puzzle rotations, with some moves.

    >>> swap = {"T": (Effect(b"\\1\\0\\2"),)}
    >>> ring = Definition("ring", (), (b"\\0\\1\\2",), swap, rotations={"x": b"\\2\\0\\1"})
    >>> len(reduce_by_rotations(ring, ring.moves()).solved)  # after x, T does something else
    3
    """
    rotations, generators = _group(definition)
    if len(rotations) == 1:
        return RotationReduction(definition.solved, tuple(moves))
    always_possible = not definition.illegal and are_plain(moves)
    look_the_same = always_possible and _look_the_same(moves, generators)
    are_the_same = look_the_same and _count_the_same(moves, rotations)
    if are_the_same:
        labels = _find_reference(definition, moves, rotations, generators)
        if labels is not None:
            return _referenced(definition, moves, rotations, labels)
    start, images = definition.solved[0], (after(state, turn) for state in definition.solved for turn in rotations)
    solved = tuple(dict.fromkeys(image for image in images if definition.is_legal(image)))
    if are_the_same and len(moves) * len(rotations) <= MOST_ROTATED:
        # Two of these states may have the same state after a move, whose predecessors are then found by other moves.
        costs = {move.effects[0].sources: move.cost for move in moves}
        are_undone = all(costs.get(inverse(change)) == cost for change, cost in costs.items())
        rotated = Rotated(tuple(rotations), {move.effects[0].sources: move for move in moves}, are_undone)
        kept = _kept(moves, rotations) if rotated.are_undone else tuple(moves)  # the others find predecessors
        links = tuple(Move("", (Effect(generator),), 0) for generator in generators)
        scheme = "up to rotations" + _only_rotated(start, moves, generators) * " that alone move some pieces"
        return RotationReduction(solved, kept, rotated=rotated, links=links, scheme=scheme)
    reduction = RotationReduction(solved, tuple(moves), rotations=tuple(rotations))
    namings = _namings(start, solved, rotations) if always_possible else ()
    if namings:
        return reduction._replace(namings=namings, scheme="moves that count as held" * look_the_same)
    others = {image: turn for turn in rotations if (image := after(start, turn)) != start and image in solved}
    if others:
        links = tuple(Move("", (Effect(rotation, tuple(enumerate(start))),), 0) for rotation in others.values())
        return reduction._replace(links=links, scheme="from every holding")
    return reduction


def _only_rotated(start: Arrangement, moves: Sequence[Move], generators: Sequence[Permutation]) -> bool:
    """Return whether rotations, but no moves, exchange pieces that differ."""
    # Tables of such puzzles that were built before coordinates distinguished these pieces are wrong, and are not read.
    changes = [effect.sources for move in moves for effect in move.effects]
    moved = [{start[point] for point in area} for area in orbits(len(start), changes)]
    rotated = [{start[point] for point in area} for area in orbits(len(start), [*changes, *generators])]
    return any(len(one) == 1 and len(other) > 1 and one <= other for one in moved for other in rotated)


def rotations_of(definition: Definition) -> list[Permutation]:
    """Return all whole-puzzle rotations, at most `MOST_ROTATIONS`, the identity first."""
    return _group(definition)[0]


def algs_of_rotations(definition: Definition) -> dict[Permutation, str]:
    """Return an alg of the fewest rotations for each whole-puzzle rotation, the shortest first.

    >>> ring = Definition("ring", (), (b"\\0\\1\\2",), {}, rotations={"x": b"\\1\\2\\0"})
    >>> [*algs_of_rotations(ring).values()]
    ['', 'x', "x'"]
    """
    powers = [Power(name, times) for name in definition.rotations for times in range(1, definition.order(name))]
    turns = [(definition.written([power]), definition.effects(power)[0].sources) for power in powers]
    algs = {identity(definition.points): ""}
    for rotation in (reached := list(algs)):
        for name, turn in turns:
            further = after(rotation, turn)
            if further not in algs:
                algs[further] = f"{algs[rotation]} {name}".strip()
                reached.append(further)
    return algs


def _group(definition: Definition) -> tuple[list[Permutation], list[Permutation]]:
    """Return all rotations, the identity first, and some that generate them."""
    rotations, generators = [identity(definition.points)], list[Permutation]()
    for given in definition.rotations.values():
        if given in rotations:
            continue
        generators.append(given)
        rotations = closure(rotations, lambda rotation: [after(rotation, turn) for turn in generators], MOST_ROTATIONS)
        if len(rotations) > MOST_ROTATIONS:
            raise CubesolveError(f"the rotations of {definition.name} make more than {MOST_ROTATIONS:,} orientations")
    return rotations, generators


# -- Rotations that preserve the moves ---------------------------------------------------------------------------------


@functools.lru_cache(_CONJUGATES)
def conjugated(change: Permutation, rotation: Permutation) -> Permutation:
    """Return the permutation that has the effect of a rotation, a permutation and the inverse rotation."""
    return after(after(rotation, change), inverse(rotation))


def _look_the_same(moves: Sequence[Move], generators: Sequence[Permutation]) -> bool:
    """Return whether rotations take moves to moves, of any cost."""
    changes = {move.effects[0].sources for move in moves}
    pairs = [(rotation, inverse(rotation)) for rotation in generators]
    return all({after(after(rotation, change), back) for change in changes} == changes for rotation, back in pairs)


def _count_the_same(moves: Sequence[Move], rotations: Sequence[Permutation]) -> bool:
    """Return whether moves have equal costs if a rotation before one, after it, or both, makes it the other."""
    costs = {move.effects[0].sources: move.cost for move in moves}
    return len({*costs.values()}) == 1 or all(
        costs[after(after(rotation, change), inverse(rotation))] == cost == costs.get(after(change, rotation), cost)
        for rotation, (change, cost) in itertools.product(rotations, costs.items())
    )


def _kept(moves: Sequence[Move], rotations: Sequence[Permutation]) -> tuple[Move, ...]:
    """Return the first of moves that differ only by a rotation; pure rotations only if there are no others."""
    kept = dict[Permutation, Move]()
    for move in moves:
        kept.setdefault(min(after(move.effects[0].sources, rotation) for rotation in rotations), move)
    if len(kept) > 1:
        kept.pop(min(rotations), None)
    return tuple(kept.values())


def _find_reference(
    definition: Definition, moves: Sequence[Move], rotations: Sequence[Permutation], generators: Sequence[Permutation]
) -> tuple[int, ...] | None:
    """Return labels that determine the rotation; none if the search takes too long."""
    forwards = [inverse(change) for change in (*(move.effects[0].sources for move in moves), *generators)]
    backs = [inverse(rotation) for rotation in rotations]
    labour = _MOST_LABOUR
    for labels, home in _candidates(definition.solved[0], forwards[: len(moves)]):
        labour -= len(rotations)
        if len({tuple(map(back.__getitem__, home)) for back in backs}) == len(rotations):
            labour -= len(rotations) * len(forwards)
            images = closure([home], lambda points: _moved(points, forwards), len(rotations))
            if len(images) == len(rotations):
                return labels
        if labour < 0:
            return None
    return None


def _candidates(
    solved: Arrangement, forwards: Sequence[Permutation]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield labels that may determine the rotation, with their home points."""
    counts = Counter(solved)
    moved = {point for forward in forwards for point, image in enumerate(forward) if point != image}
    # Labels that no move displaces come first: then no rotation need follow a move.
    single = sorted([(point in moved, label, point) for point, label in enumerate(solved) if counts[label] == 1])
    for chosen in itertools.chain(((pair,) for pair in single), itertools.combinations(single, 2)):
        yield tuple(label for _, label, _ in chosen), tuple(point for _, _, point in chosen)


def _moved(points: tuple[int, ...], forwards: Sequence[Permutation]) -> list[tuple[int, ...]]:
    return [tuple(map(forward.__getitem__, points)) for forward in forwards]


def _referenced(
    definition: Definition, moves: Sequence[Move], rotations: Sequence[Permutation], labels: tuple[int, ...]
) -> RotationReduction:
    solved = definition.solved[0]

    def places(state: Arrangement) -> tuple[int, ...]:
        return tuple(map(state.index, labels))

    homing = {places(after(solved, inverse(rotation))): number for number, rotation in enumerate(rotations)}
    # Of moves that differ only by a rotation, one that needs none is kept, or else the first.
    kept: dict[Permutation, tuple[Move, int]] = {}
    for move in moves:
        moved = after(solved, move.effects[0].sources)
        number = homing[places(moved)]
        change = after(move.effects[0].sources, rotations[number])
        if change not in kept or (number == 0 and kept[change][1]):
            kept[change] = (move, number)
    if len(kept) > 1:
        kept.pop(identity(definition.points), None)

    states = (after(state, rotations[homing[places(state)]]) for state in definition.solved)
    return RotationReduction(
        tuple(dict.fromkeys(states)),
        tuple(Move(move.name, (Effect(change),), move.cost) for change, (move, _) in kept.items()),
        Reference(
            labels,
            tuple(rotations),
            homing,
            {rotation: number for number, rotation in enumerate(rotations)},
            tuple((move.effects[0].sources, number) for move, number in kept.values()),
            {move.effects[0].sources: move.name for move in moves},
        ),
    )


# -- States with symmetry ----------------------------------------------------------------------------------------------


def rotations_change(state: Arrangement, rotations: Iterable[Permutation], moves: Sequence[Move]) -> bool:
    """Return whether it is certain that no rotation but the identity leaves a state as it is.

    A rotation of prime order moves points in cycles of that length, each of which would have equal labels.
    """
    if len(set(state)) == len(state):
        return True
    groups = orbits(len(state), [effect.sources for move in moves for effect in move.effects])
    return not any(_may_stay(state, rotation, groups) for rotation in rotations if is_prime(order(rotation)))


def _may_stay(state: Arrangement, rotation: Permutation, groups: Sequence[Sequence[int]]) -> bool:
    """Return whether a rotation of prime order may leave an arrangement, with equal labels on some points, as it is."""
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
    """Return renamings of labels with the effect of each rotation on solved states; none if a rotation has none."""
    namings, solved_states = list[Arrangement](), set(solved)
    for rotation in rotations:
        naming = relabelling(start, rotation)
        if naming is None or any(after(naming, state) not in solved_states for state in solved):
            return ()
        namings.append(naming)
    return tuple(namings)

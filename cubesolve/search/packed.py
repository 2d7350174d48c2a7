"""A puzzle whose moves are permutations, as arrays for a search that hashes its states (numpy).

A *place* is a point, or a piece with all its orientations: the label on the first of its points then determines the
labels on the others. A packed state has a byte for each place. Its *key* is the sum of a random number for each place
and label (Zobrist 1970, who used XOR), so the key after a move follows from the labels that the move takes elsewhere.

A place and label have the same number as those that a symmetry of the puzzle makes of them, so symmetric states have
the same key. Numbers are added because XOR would cancel two equal ones. Other states can have equal keys, too: those in
which symmetries apply to some pieces and not to others. The more symmetries, the more there are: if random states show
that they are many, only a subgroup of the symmetries is used.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definitions.definition import Orbit
from cubesolve.definitions.symmetries import Symmetry
from cubesolve.errors import UnsolvableStateError
from cubesolve.kernels import named, read_only, types
from cubesolve.permutations import Arrangement, Permutation, orbits

_LABELS = 256  # the largest number on places that can exchange their labels
_TOGETHER = 4  # moves whose keys are computed together: 32 bytes, as many as a processor combines at a time
_SEED = 20_260_601  # fixed, so searches are reproducible
_SAMPLE = 1 << 7  # the number of random states is its square,
_MOST_EQUAL = 1 << 9  # of those with equal keys, as many are compared,
_MOST_CONFUSED = 8  # and so many need not be symmetric
_APART = 32  # twice as many moves lead to them
_PAIRS = 12  # of symmetries that generate a subgroup

Keys = NDArray[np.uint64]
Effect = tuple[int, ...]
"""The image of each move under a symmetry."""


class PackedMoves(NamedTuple):
    """The moves as arrays for kernels. Indices are unsigned, so numba need not check for negative ones.

    Attributes:
        firsts: uint64 (moves + 1,): the first change of each move, and the number of all changes.
        sources: uint64 (changes,): the place that a label comes from.
        changes: uint64 (changes, 2): the place that the label moves to, and the row of `labels` with its new value.
        labels: uint8 (rows, 256): the new label for each label.
        runs: uint64 (runs + 1,): the first row of each *run* in the two arrays below, and the number of all rows. A run
            consists of one to four moves, one after the other in the order of moves, that change the same places.
        first_moves: int64 (runs + 1,): the first move of each run, and the number of all moves.
        places: uint64 (rows,): the places that the moves of a run change.
        keys: uint64 (rows, width, 4): the numbers that the moves add to the key, for each label on the place.
        following: int32 (canonical states, moves): the automaton of canonical sequences: its state after a move, or -1.
        solved: uint64 (solved states,): the keys of the solved states.
    """

    firsts: NDArray[np.uint64]
    sources: NDArray[np.uint64]
    changes: NDArray[np.uint64]
    labels: NDArray[np.uint8]
    runs: NDArray[np.uint64]
    first_moves: NDArray[np.int64]
    places: NDArray[np.uint64]
    keys: Keys
    following: NDArray[np.int32]
    solved: Keys


PACKED_MOVES = named(
    PackedMoves,
    firsts=read_only(types.uint64, 1),
    sources=read_only(types.uint64, 1),
    changes=read_only(types.uint64),
    labels=read_only(types.uint8),
    runs=read_only(types.uint64, 1),
    first_moves=read_only(types.int64, 1),
    places=read_only(types.uint64, 1),
    keys=read_only(types.uint64, 3),
    following=read_only(types.int32),
    solved=read_only(types.uint64, 1),
)


class TooManyLabelsError(Exception):
    """A place has too many labels for a byte."""


class PackedPuzzle:
    """A puzzle whose states are packed.

    Attributes:
        moves: its moves.
        solved: uint8 (solved states, places): its solved states.
        symmetries: the number of states with the same key as most states.
        first_moves: a move of each class of symmetric moves, the first of each. The optimal algs that begin with these
            lead to all states up to symmetry.

    >>> swaps = [bytes([1, 0, 2]), bytes([0, 2, 1])]
    >>> puzzle = PackedPuzzle(swaps, [bytes([0, 1, 2])], [], [[0, 0]])
    >>> puzzle.pack(bytes([2, 0, 1])).tolist(), puzzle.moves.firsts.tolist()
    ([2, 0, 1], [0, 2, 4])
    """

    def __init__(
        self,
        sources: Sequence[Permutation],
        solved: Sequence[Arrangement],
        pieces: Sequence[Orbit],
        following: Sequence[Sequence[int]],
        symmetries: Sequence[Symmetry] = (),
    ) -> None:
        """Find the places, and the effect of the moves on them.

        Args:
            sources: for each move and point, the point that its label comes from.
            solved: the solved states.
            pieces: the orbits of pieces, whose points are numbered one orbit after the other; each point beyond them
                is a place of its own.
            following: see `definitions.canonical`.
            symmetries: those of the puzzle, a group; without any, only equal states have equal keys.

        Raises:
            TooManyLabelsError: more than 256 labels can lie on a place.
        """
        places = _Places(sources, solved, pieces)
        self._points, self._labels = places.points, places.numbers
        generator = np.random.default_rng(_SEED)
        numbers = generator.integers(0, 1 << 64, len(self._points) * places.width, dtype=np.uint64)
        group, keys = [tuple(range(len(sources)))], numbers
        if symmetries and len(solved) == 1:  # otherwise, a mixture of two would have the key of a solved state
            images = {each.moves: places.images(each) for each in symmetries}
            states = places.random_states(sources, solved[0], generator)
            for group in _subgroups([*images], generator):
                keys = numbers[_classes([images[each] for each in group])]
                if _confused(states, keys, numbers, [images[each] for each in group]) <= _MOST_CONFUSED:
                    break
        self._keys, self.symmetries = keys.reshape(len(self._points), places.width), len(group)
        self.first_moves = np.unique(np.min(group, axis=0)).tolist()
        self.solved = np.array([self.pack(state) for state in solved])
        self.moves = self._packed_moves(places, sources, following)

    def pack(self, state: Arrangement) -> NDArray[np.uint8]:
        """Return the label on each place: uint8 (places,).

        Raises:
            UnsolvableStateError: no moves take a label to its point.
        """
        try:
            numbers = [labels[state[point]] for point, labels in zip(self._points, self._labels, strict=True)]
        except KeyError:
            raise UnsolvableStateError("no moves lead from the solved state to this one") from None
        return np.array(numbers, np.uint8)

    def key(self, packed: NDArray[np.uint8]) -> np.uint64:
        """Return the key of a packed state."""
        return np.uint64(self._keys[np.arange(len(packed)), packed].sum(dtype=np.uint64))

    def _packed_moves(
        self, places: _Places, sources: Sequence[Permutation], following: Sequence[Sequence[int]]
    ) -> PackedMoves:
        firsts, changes = [0], list[tuple[int, int, int]]()
        effects = list[dict[int, Keys]]()  # of each move on the key, for each place and label
        rows = {bytes(range(_LABELS)): 0}
        for source in sources:
            effects.append({})
            for to, point in enumerate(self._points):
                place, shift = places.origin(source[point])
                relabelled = places.relabelled(place, shift)
                if place != to or shift:
                    changes.append((place, to, rows.setdefault(relabelled, len(rows))))
                    there = np.frombuffer(relabelled, np.uint8)[: self._keys.shape[1]]
                    effects[-1][place] = self._keys[to].take(there, mode="clip") - self._keys[place]
            firsts.append(len(changes))
        runs = _runs(effects)
        changed = [(run, place) for run in runs for place in effects[run[0]]]
        keys = np.zeros((len(changed), self._keys.shape[1], _TOGETHER), np.uint64)
        for row, (run, place) in enumerate(changed):
            for number, move in enumerate(run):
                keys[row, :, number] = effects[move][place]
        return PackedMoves(
            np.array(firsts, np.uint64),
            np.array([place for place, _, _ in changes], np.uint64),
            np.array([change[1:] for change in changes], np.uint64).reshape(-1, 2),
            np.frombuffer(b"".join(rows), np.uint8).reshape(-1, _LABELS),
            np.cumsum([0, *(len(effects[run[0]]) for run in runs)], dtype=np.uint64),
            np.array([*(run[0] for run in runs), len(sources)], np.int64),
            np.array([place for _, place in changed], np.uint64),
            keys,
            np.array(following, np.int32),
            np.array([self.key(state) for state in self.solved], np.uint64),
        )


def _classes(images: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return for each index the least that some permutations and their products make of it.

    The products of symmetries act on states as symmetries do, but may exchange points of the same piece, so their
    images of an index need not be among those of the symmetries.
    """
    least = np.arange(len(images[0]))
    while True:
        before = least
        for image in images:
            least = np.minimum(least, least[image])
        if (least == before).all():
            return least


def _confused(states: NDArray[np.int64], keys: Keys, numbers: Keys, images: Sequence[NDArray[np.int64]]) -> int:
    """Return how many of some states with equal keys are not symmetric.

    Args:
        states: int64 (N, places): the index of the label on each place.
        keys: uint64 (indices,): the numbers whose sum is the key.
        numbers: uint64 (indices,): numbers that are all different.
        images: the image of each index under each symmetry.
    """
    sums = keys[states].sum(axis=1)
    order = np.argsort(sums)
    sums, same = sums[order], np.diff(sums[order]) == 0
    equal = np.flatnonzero(np.append(same, False) | np.append(False, same))[:_MOST_EQUAL]
    least = np.min([numbers[image[states[order[equal]]]].sum(axis=1) for image in images], axis=0)
    return len(np.unique(least)) - len(np.unique(sums[equal]))


def _subgroups(group: list[Effect], generator: np.random.Generator) -> Iterator[list[Effect]]:
    """Yield a group and some of its subgroups, the largest first; at last the identity, the first of the group."""
    yield group
    pairs = generator.choice(len(group), (_PAIRS, 2)).tolist()
    found = {tuple(sorted(_generated([group[each] for each in pair]))) for pair in pairs}
    yield from map(list, sorted(found, key=len, reverse=True))
    yield group[:1]


def _generated(generators: Sequence[Effect]) -> list[Effect]:
    """Return the group that permutations generate."""
    found = dict.fromkeys(generators)
    for each in (queue := list(found)):
        for generator in generators:
            product = tuple(generator[image] for image in each)
            if product not in found:
                found[product] = None
                queue.append(product)
    return queue


def _runs(effects: Sequence[Mapping[int, object]]) -> list[list[int]]:
    """Divide moves into runs, see `PackedMoves`."""
    runs = list[list[int]]()
    for _, moves in itertools.groupby(range(len(effects)), lambda move: effects[move].keys()):
        together = list(moves)
        runs += [together[first : first + _TOGETHER] for first in range(0, len(together), _TOGETHER)]
    return runs


class _Places:
    """The places of a puzzle.

    Attributes:
        points: the first point of each place where different labels can lie.
        numbers: for each of these places, the number of each label that can lie there.
        width: the largest number of labels of a place.
    """

    def __init__(self, sources: Sequence[Permutation], solved: Sequence[Arrangement], pieces: Sequence[Orbit]) -> None:
        self._shifted: dict[int, list[dict[int, int]]] = {}
        sizes = dict[int, int]()
        for orbit in pieces:
            start, end = sum(sizes.values()), sum(sizes.values()) + orbit.points
            size = orbit.orientations if self._are_pieces(sources, solved, range(start, end), orbit.orientations) else 1
            sizes |= dict.fromkeys(range(start, end, size), size)
        sizes |= dict.fromkeys(range(sum(sizes.values()), len(solved[0])), 1)
        firsts = list(sizes)
        self._first = [first for first, size in sizes.items() for _ in range(size)]
        number = {first: place for place, first in enumerate(firsts)}
        moved = [[number[self._first[source[first]]] for first in firsts] for source in sources]
        numbers = dict[int, dict[int, int]]()
        for group in orbits(len(firsts), list(map(tuple, moved))):
            points = [firsts[place] + turn for place in group for turn in range(sizes[firsts[place]])]
            labels = sorted({state[point] for state in solved for point in points})
            if len(labels) > _LABELS:
                raise TooManyLabelsError
            if len(labels) > 1:
                numbers |= {firsts[place]: {label: i for i, label in enumerate(labels)} for place in group}
        self.points = [first for first in firsts if first in numbers]
        self.numbers = [numbers[first] for first in self.points]
        self.width = max(map(len, self.numbers), default=1)
        self._place = {first: place for place, first in enumerate(self.points)}

    def origin(self, source: int) -> tuple[int, int]:
        """Return the place of a point, and the number of the point in it."""
        first = self._first[source]
        return self._place[first], source - first

    def relabelled(self, place: int, shift: int) -> bytes:
        """Return the number of the label on a point of a place, for each number of the label on the first point."""
        if not shift:
            return bytes(range(_LABELS))
        numbers, shifted = self.numbers[place], self._shifted[self.points[place]][shift]
        found = {number: numbers[shifted[label]] for label, number in numbers.items()}
        return bytes(found.get(number, number) for number in range(_LABELS))

    @functools.cached_property
    def indices(self) -> NDArray[np.int64]:
        """For each point and label on it, ``place * width + number``; -1 where it cannot lie: (points, labels)."""
        indices = np.full((len(self._first), 1 + max(map(max, self.numbers), default=0)), -1)
        for place, (first, numbers) in enumerate(zip(self.points, self.numbers, strict=True)):
            for label, number in numbers.items():
                indices[first, label] = place * self.width + number
                for shift, labels in enumerate(self._shifted.get(first, [])):
                    indices[first + shift, labels[label]] = place * self.width + number
        return indices

    def images(self, symmetry: Symmetry) -> NDArray[np.int64]:
        """Return the image of each place and number, as ``place * width + number``: (places * width,)."""
        images = np.arange(len(self.points) * self.width)
        place, label = np.nonzero(self.indices[self.points] >= 0)
        point = np.array(self.points)[place]
        there = self.indices[np.array(list(symmetry.points))[point], np.array(list(symmetry.labels))[label]]
        here = self.indices[point, label]
        images[here] = np.where(there >= 0, there, here)
        return images

    def random_states(
        self, sources: Sequence[Permutation], solved: Arrangement, generator: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return random states: each place and the number of its label, as ``place * width + number``, (N, places)."""
        walks: NDArray[np.int64] = np.arange(len(solved))[np.newaxis]
        moves = np.array([list(each) for each in sources])
        for _ in range(_APART):
            walks = np.take_along_axis(walks, moves[generator.choice(len(moves), 2 * _SAMPLE)], axis=1)
        sources_of = walks[:_SAMPLE, walks[_SAMPLE:, self.points]].reshape(-1, len(self.points))
        states: NDArray[np.int64] = self.indices[self.points, np.array(list(solved))[sources_of]]
        return states

    def _are_pieces(
        self, sources: Sequence[Permutation], solved: Sequence[Arrangement], points: range, size: int
    ) -> bool:
        """Return whether the points of each piece move together, and the first one's label determines the others."""
        if size == 1:
            return True
        firsts = points[::size]
        for source in sources:
            for first in firsts:
                start, shift = divmod(source[first] - points.start, size)
                cycle = [points.start + start * size + (shift + turn) % size for turn in range(size)]
                if list(source[first : first + size]) != cycle:
                    return False
        shifted = [dict[int, int]() for _ in range(size)]
        for state, first, turn, shift in itertools.product(solved, firsts, range(size), range(size)):
            label, other = state[first + turn], state[first + (turn + shift) % size]
            if shifted[shift].setdefault(label, other) != other:
                return False
        self._shifted |= dict.fromkeys(firsts, shifted)
        return True

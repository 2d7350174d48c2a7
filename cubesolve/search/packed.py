"""A puzzle whose moves are permutations, as arrays for a search that hashes its states (numpy).

A *place* is that of a piece: all points that always move together. The *labels* on them, in all orientations of all
pieces that can take this place, are numbered. A packed state has a byte for each place. Its *key* is the sum of a
random number for each place and what is on it (Zobrist 1970, who used XOR), so the key after a move follows from what
the move takes elsewhere.

What lies on a place has the same number as what a symmetry of the puzzle makes of it, so symmetric states have the same
key. Numbers are added because XOR would cancel two equal ones. Other states can have equal keys, too: those in
which symmetries apply to some pieces and not to others. The more symmetries, the more there are: if random states show
that they are many, only a subgroup of the symmetries is used.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.errors import UnsolvableStateError
from cubesolve.group.permutations import Arrangement, Permutation, after, closure, orbits
from cubesolve.group.pieces import kinds_of
from cubesolve.group.symmetries import Symmetry
from cubesolve.runtime.kernel_arrays import Read1, Read2, Read3

_LABELS = 256  # the largest number on places that can exchange their labels
_SAME = bytes(range(_LABELS))  # each number
_TOGETHER = 4  # moves whose keys are computed together: 32 bytes, as many as a processor combines at a time
_SEED = 20_260_601  # fixed, so searches are reproducible
_SAMPLE = 1 << 7  # the number of random states is its square
_CONFUSED = 3e-8  # pairs of states may have equal keys: with more, a large table has the keys of many other states
_EQUALLY = 2  # times as many may as are symmetric
_APART = 32  # twice as many moves lead to them
_PAIRS = 12  # of symmetries that generate a subgroup

Keys = NDArray[np.uint64]
Effect = tuple[int, ...]
"""The image of each move under a symmetry."""

_Labels = tuple[int, ...]


class PackedMoves(NamedTuple):
    """The moves as arrays for kernels. Indices are unsigned, so numba need not check for negative ones."""

    firsts: Read1[np.uint64]  # (moves + 1,): the first change of each move, and the number of all changes
    sources: Read1[np.uint64]  # (changes,): the place that a label comes from
    # (changes, 2): the place that the label moves to, and the row of `labels` with its new value
    changes: Read2[np.uint64]
    labels: Read2[np.uint8]  # (rows, 256): the new label for each label
    # (runs + 1,): the first row of each *run* in the two arrays below, and the number of all rows. A run consists of
    # one to four moves, one after the other in the order of moves, that change the same places.
    runs: Read1[np.uint64]
    first_moves: Read1[np.int64]  # (runs + 1,): the first move of each run, and the number of all moves
    places: Read1[np.uint64]  # (rows,): the places that the moves of a run change
    keys: Read3[np.uint64]  # (rows, width, 4): the numbers that the moves add to the key, for each label on the place
    # (canonical states, moves): the automaton of canonical sequences: its state after a move, or -1
    following: Read2[np.int32]
    solved: Read1[np.uint64]  # (solved states,): the keys of the solved states


class TooManyLabelsError(Exception):
    """A place has too many labels for a byte."""


class PackedPuzzle:
    """A puzzle whose states are packed.

    Attributes:
        moves: its moves.
        rotated: a function that returns the moves in the order in which a rotation of the puzzle makes them of these.
        solved: uint8 (solved states, places): its solved states.
        symmetries: the number of states with the same key as most states.
        least: `following` with more rows, the first of which is for no move: an alg is continued only by the first of
            the moves that symmetries make of each other while they keep the moves before. No alg begins with a move
            that keeps all solved states. The optimal algs among these lead to all states up to symmetry: the first of
            all optimal algs of states that are symmetric to each other is one of them.

    >>> swaps = [bytes([1, 0, 2]), bytes([0, 2, 1])]
    >>> puzzle = PackedPuzzle(swaps, [bytes([0, 1, 2])], [[0, 0]])
    >>> puzzle.pack(bytes([2, 0, 1])).tolist(), puzzle.moves.firsts.tolist()
    ([2, 0, 1], [0, 2, 4])
    """

    def __init__(
        self,
        sources: Sequence[Permutation],
        solved: Sequence[Arrangement],
        following: Sequence[Sequence[int]],
        symmetries: Sequence[Symmetry] = (),
    ) -> None:
        """Find the places, and the effect of moves on them; without symmetries, only equal states have equal keys."""
        self._places = places = _Places(sources, solved)
        generator = np.random.default_rng(_SEED)
        numbers = generator.integers(0, 1 << 64, len(places.numbers) * places.width, dtype=np.uint64)
        group, keys = [tuple(range(len(sources)))], numbers
        if symmetries and len(solved) == 1:  # otherwise, a mixture of two would have the key of a solved state
            by_effect = {symmetry.moves: symmetry for symmetry in symmetries}
            states = places.random_states(sources, solved[0], generator)
            for group, generators in _subgroups([*by_effect], generator):
                keys = numbers[_classes(len(numbers), [places.images(by_effect[effect]) for effect in generators])]
                kinds = places.kinds([symmetry for symmetry in symmetries if symmetry.moves in group])
                equal = _equal(states, keys, kinds)
                if equal <= _CONFUSED or equal <= _EQUALLY * len(group) * _equal(states, numbers, kinds):
                    break
        self._keys, self.symmetries = keys.reshape(len(places.numbers), places.width), len(group)
        firsts = [any(after(state, source) != state for state in solved) for source in sources]
        self.least = _up_to_symmetry(following, group, firsts)
        self.solved = np.array([self.pack(state) for state in solved])
        self._following, self.rotated = following, functools.cache(self._packed_moves)
        self.moves = self.rotated(tuple(sources))

    def pack(self, state: Arrangement) -> NDArray[np.uint8]:
        """Return the number of what lies on each place: uint8 (places,)."""
        return np.array(self._places.packed(state), np.uint8)

    def pack_all(self, states: Sequence[Arrangement]) -> list[NDArray[np.uint8]]:
        """Return the packed states, without those that no moves take anywhere near the solved state."""
        packed = list[NDArray[np.uint8]]()
        for state in states:
            with contextlib.suppress(KeyError):
                packed.append(self.pack(state))
        if not packed:
            raise UnsolvableStateError("no moves lead from the solved state to this one")
        return packed

    def key(self, packed: NDArray[np.uint8]) -> np.uint64:
        """Return the key of a packed state."""
        return np.uint64(self._keys[np.arange(len(packed)), packed].sum(dtype=np.uint64))

    def _packed_moves(self, sources: tuple[Permutation, ...]) -> PackedMoves:
        firsts, changes = [0], list[tuple[int, int, int]]()
        effects = list[dict[int, Keys]]()  # of each move on the key, for each place and label
        rows = {_SAME: 0}
        for source in sources:
            effects.append({})
            for place, to, relabelled in self._places.moved(source):
                changes.append((place, to, rows.setdefault(relabelled, len(rows))))
                images = np.frombuffer(relabelled, np.uint8)[: self._keys.shape[1]]
                effects[-1][place] = self._keys[to].take(images, mode="clip") - self._keys[place]
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
            np.array(self._following, np.int32),
            np.array([self.key(state) for state in self.solved], np.uint64),
        )


def _up_to_symmetry(
    following: Sequence[Sequence[int]], group: Sequence[Effect], firsts: Sequence[bool]
) -> Sequence[Sequence[int]]:
    """Return the automaton of the algs that come first among their images; see `PackedPuzzle.least`."""
    rows, numbers = [*following], dict[tuple[int, frozenset[Effect]], int]()
    for here, keeping in (queue := [(0, frozenset(group))]):
        row, is_first = [-1] * len(firsts), len(rows) == len(following)
        for move, target in enumerate(following[here]):
            if target >= 0 and min(image[move] for image in keeping) == move and (firsts[move] or not is_first):
                row[move], kept = target, frozenset(image for image in keeping if image[move] == move)
                if len(kept) > 1:
                    if (target, kept) not in numbers:
                        queue.append((target, kept))
                        numbers[target, kept] = len(following) + len(numbers) + 1
                    row[move] = numbers[target, kept]
        rows.append(row)
    return rows


def _classes(size: int, images: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return for each index the least that some permutations and their products make of it."""
    least = np.arange(size)
    while True:
        before = least
        for image in images:
            least = np.minimum(least, least[image])
        if (least == before).all():
            return least


def _equal(states: NDArray[np.int64], keys: Keys, kinds: Iterable[Sequence[int]]) -> float:
    """Return about which part of the pairs of states have equal keys; kinds of places do not depend on each other."""
    pairs = 1.0
    for places in kinds:
        _, counts = np.unique(keys[states[:, places]].sum(axis=1), return_counts=True)
        pairs *= int((counts * (counts - 1)).sum()) / (len(states) * (len(states) - 1))
    return pairs


def _subgroups(group: list[Effect], generator: np.random.Generator) -> Iterator[tuple[list[Effect], list[Effect]]]:
    """Yield a group and some of its subgroups, the largest first, with generators; at last that of the identity."""
    generators = list[Effect]()
    while len(generated := _generated([group[0], *generators])) < len(group):
        members = {*generated}
        generators.append(next(effect for effect in group if effect not in members))
    yield group, generators
    pairs = [[group[number] for number in pair] for pair in generator.choice(len(group), (_PAIRS, 2)).tolist()]
    subgroups = {tuple(sorted(_generated(pair))): pair for pair in pairs}
    for subgroup in sorted(subgroups, key=len, reverse=True):
        yield list(subgroup), subgroups[subgroup]
    yield group[:1], []


def _generated(generators: Sequence[Effect]) -> list[Effect]:
    """Return the group that permutations generate."""
    return closure(generators, lambda member: [tuple(generator[image] for image in member) for generator in generators])


def _runs(effects: Sequence[Mapping[int, object]]) -> list[list[int]]:
    """Divide moves into runs, see `PackedMoves`."""
    runs = list[list[int]]()
    for _, moves in itertools.groupby(range(len(effects)), lambda move: effects[move].keys()):
        together = list(moves)
        runs += [together[first : first + _TOGETHER] for first in range(0, len(together), _TOGETHER)]
    return runs


class _Places:
    """The places of a puzzle where different labels can lie."""

    def __init__(self, sources: Sequence[Permutation], solved: Sequence[Arrangement]) -> None:
        self.numbers = list[Mapping[_Labels, int]]()  # for each place, of all labels that can lie on its points
        self._along, self._place = dict[int, Sequence[int]](), dict[int, int]()
        self._firsts, self._kinds, self._kind_of = list[int](), list[range](), list[int]()
        for kind in kinds_of(len(solved[0]), sources):
            all_labels = sorted({_on(state, along) for state in solved for along in kind.along.values()})
            if len(all_labels) > _LABELS:
                raise TooManyLabelsError
            if len(all_labels) == 1:
                continue
            for piece in kind.pieces():
                self._place |= dict.fromkeys(kind.along[piece[0]], len(self._firsts))
                self._firsts.append(piece[0])
                self.numbers.append({labels: number for number, labels in enumerate(all_labels)})
            self._along |= kind.along
            self._kinds.append(range(len(self._kind_of), len(self._firsts)))
            self._kind_of += [len(self._kinds) - 1] * len(self._kinds[-1])
        self._turned = functools.cache(self._newly_turned)
        self.width = max(map(len, self.numbers), default=1)

    def packed(self, state: Arrangement) -> list[int]:
        """Return the number of the labels on each place."""
        return [numbers[_on(state, self._along[first])] for first, numbers in self._pairs]

    @property
    def _pairs(self) -> Iterator[tuple[int, Mapping[_Labels, int]]]:
        return zip(self._firsts, self.numbers, strict=True)

    def moved(self, source: Permutation) -> Iterator[tuple[int, int, bytes]]:
        """Yield the places that a move takes labels from and to, and the number there for each number."""
        for to, first in enumerate(self._firsts):
            place, order = self._order(source[first], self._along[source[first]])
            turned = self._turned(self._kind_of[place], order)
            if place != to or turned != _SAME:
                yield place, to, turned

    def _order(self, point: int, along: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """Return the place of a point, and which of the points of this place others are."""
        place = self._place[point]
        return place, tuple(map(self._along[self._firsts[place]].index, along))

    def _newly_turned(self, kind: int, order: tuple[int, ...]) -> bytes:
        """Return the number of labels in another order, for each number."""
        renumbered, numbers = bytearray(_SAME), self.numbers[self._kinds[kind][0]]
        for labels, number in numbers.items():
            renumbered[number] = numbers[tuple(labels[index] for index in order)]
        return bytes(renumbered)

    def images(self, symmetry: Symmetry) -> NDArray[np.int64]:
        """Return the image of each place and number, as ``place * width + number``: (places * width,)."""
        images = np.arange(len(self._firsts) * self.width)
        tables = dict[tuple[int, int, tuple[int, ...]], NDArray[np.int64]]()
        for place, (first, numbers) in enumerate(self._pairs):
            points = [symmetry.points[point] for point in self._along[first]]
            target = self._place[points[0]]
            order = tuple(map(points.index, self._along[self._firsts[target]]))
            key = (self._kind_of[place], self._kind_of[target], order)
            if key not in tables:
                renamed = (tuple(symmetry.labels[labels[index]] for index in order) for labels in numbers)
                tables[key] = np.array([self.numbers[target].get(labels, -1) for labels in renamed])
            row = images[place * self.width :][: len(numbers)]
            row[:] = np.where(tables[key] >= 0, target * self.width + tables[key], row)
        return images

    def kinds(self, symmetries: Iterable[Symmetry]) -> list[list[int]]:
        """Return the places that moves and symmetries exchange."""
        firsts = [self._firsts[kind[0]] for kind in self._kinds]
        images = [
            tuple(self._kind_of[self._place[symmetry.points[first]]] for first in firsts) for symmetry in symmetries
        ]
        return [[place for kind in together for place in self._kinds[kind]] for together in orbits(len(firsts), images)]

    def random_states(
        self, sources: Sequence[Permutation], solved: Arrangement, generator: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return random states: each place and the number of its labels, as ``place * width + number``, (N, places)."""
        walks: NDArray[np.int64] = np.arange(len(solved))[np.newaxis]
        moves = np.array([list(source) for source in sources])
        for _ in range(_APART):
            walks = np.take_along_axis(walks, moves[generator.choice(len(moves), 2 * _SAMPLE)], axis=1)
        sources_of = walks[:_SAMPLE, walks[_SAMPLE:, self._firsts]].reshape(-1, len(self._firsts))
        numbers = np.zeros(len(solved), np.int64)
        for point, along in self._along.items():
            numbers[point] = self.numbers[self._place[point]][_on(solved, along)]
        return np.arange(len(self._firsts)) * self.width + numbers[sources_of]


def _on(state: Arrangement, points: Iterable[int]) -> _Labels:
    """Return the labels on some points."""
    return tuple(state[point] for point in points)

"""Entries of a table up to symmetry, from the coordinates written when its space was derived (pure Python).

A state becomes the least image of its pattern under the symmetries (see `spaces.symmetric`), which is that of a row.
The entry is ``states * row + state``: a state of the fibre, of which the way of the row makes that image.
``docs/format.md`` describes the bytes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.definitions.definition import Effect, Move
from cubesolve.definitions.rotations import RotationReduction
from cubesolve.permutations import Arrangement, Permutation, after, arrangement, identity, inverse
from cubesolve.spaces.coordinates import HEADER, StoredRows, arrays_in, damaged, header_of, placed

_ALL_BYTES = bytes(range(256))
_KEPT = 1 << 12  # states that are looked up; a question does so several times


_Map = tuple[int, Permutation, bytes]
"""The number of a map, the points from which it takes labels, and the image of each class, for `bytes.translate`."""


class SymmetricSizes(NamedTuple):
    """The sizes of the arrays.

    Attributes:
        points: points of the puzzle.
        item: bytes for a point or a label, 1 or 2.
        labels: one more than the largest label.
        symmetries: symmetries.
        homing: 1 if a rotation follows each symmetry, which brings reference pieces home, else 0.
        rows: rows of the space.
        states: states of a row.
        moves: moves.
        actions: rows of the fibre.
        mutual: 1 if every move has an inverse of the same cost, else 0.
    """

    points: int
    item: int
    labels: int
    symmetries: int
    homing: int
    rows: int
    states: int
    moves: int
    actions: int
    mutual: int


def layout(sizes: SymmetricSizes) -> dict[str, tuple[int, int, str]]:
    """Return where each array begins, how many numbers it has, and their type as a format of `memoryview`."""
    item = {1: "B", 2: "H"}[sizes.item]
    arrays = {
        "classes": (sizes.labels, "B"),
        "points_after": (sizes.symmetries * sizes.points, item),
        "labels_after": (sizes.symmetries * sizes.labels, item),
        "patterns": (sizes.rows * sizes.points, "B"),
        "pattern_order": (sizes.rows, "I"),
        "ways": (sizes.rows * sizes.points, item),
        "ties": (sizes.rows, "H"),
        "states": (sizes.states * sizes.points, item),
        "state_order": (sizes.states, "I"),
        "targets": (sizes.moves * sizes.rows, "i"),
        "action": (sizes.moves * sizes.rows, "I"),
        "numbers": (sizes.moves * sizes.rows, "B"),
        "fibre": (sizes.actions * sizes.states, "I"),
        "images": (sizes.symmetries * sizes.states, "I"),
    }
    return placed(arrays, HEADER.size)


def read_sizes(body: bytes) -> SymmetricSizes:
    """Return the sizes at the beginning of the bytes.

    Raises:
        CorruptTableError: the length of the bytes does not match.
    """
    positive = (name for name in SymmetricSizes._fields if name not in {"homing", "mutual"})
    return header_of(body, SymmetricSizes, layout, positive)


class SymmetricCoordinates:
    """The coordinates of a space up to symmetry.

    A *map* is a symmetry, followed by a rotation that brings reference pieces home; its number is ``rotations *
    symmetry + rotation``.

    Attributes:
        body: the bytes.
        entries: the number of entries.
        symmetries: the number of symmetries.
        find: returns the entry that stands for a state with its reference pieces at home, and the number of the map to
            the state of the entry; -1 and -1 if no moves lead to the state.
    """

    def __init__(self, body: bytes, reduction: RotationReduction) -> None:
        """Read the coordinates of a puzzle.

        Args:
            body: the bytes.
            reduction: its states and moves.

        Raises:
            CorruptTableError: the bytes are invalid.
        """
        self.body, self._moves = body, reduction.moves
        self._sizes = sizes = read_sizes(body)
        start, reference = reduction.solved[0], reduction.reference
        if (sizes.points, sizes.moves, sizes.labels) != (len(start), len(self._moves), max(start) + 1):
            raise damaged()
        if sizes.homing and reference is None:
            raise damaged()
        arrays = arrays_in(body, layout(sizes))
        self._rotations = reference.rotations if sizes.homing and reference else (identity(sizes.points),)
        self._classes = arrays["classes"].tobytes()
        points, labels = (
            [arrangement(arrays[name][each * size : (each + 1) * size]) for each in range(sizes.symmetries)]
            for name, size in (("points_after", sizes.points), ("labels_after", sizes.labels))
        )
        if any(sorted(each) != [*range(len(each))] for each in (*points, *labels)):
            raise damaged()
        self._labels = labels
        self._sources = [after(inverse(each), rotation) for each in points for rotation in self._rotations]
        renamed = [self._classes_after(each, start) for each in labels]
        self._maps, self._home = list[_Map](), None
        if sizes.homing and reference:
            home = [(start.index(label), self._classes[label]) for label in reference.labels]
            self._home = _Home(home, renamed, self._sources)
        else:
            self._maps = [*zip(range(sizes.symmetries), self._sources, renamed, strict=True)]
        self._patterns = StoredRows(arrays["patterns"], sizes.points, arrays["pattern_order"])
        self._states = StoredRows(arrays["states"], sizes.points, arrays["state_order"])
        self._ways, self._ties = arrays["ways"], arrays["ties"]
        self._targets, self._action = arrays["targets"], arrays["action"]
        self._numbers, self._fibre, self._images = arrays["numbers"], arrays["fibre"], arrays["images"]
        self._moves_after = MovesAfter(self._moves, self._rotations)
        self.find = functools.lru_cache(_KEPT)(self._find)
        self.entries, self.symmetries = sizes.rows * sizes.states, sizes.symmetries

    def _classes_after(self, labels: Arrangement, start: Arrangement) -> bytes:
        """Return the image of each class under a symmetry, for `bytes.translate`."""
        found = bytearray(_ALL_BYTES)
        for label in start:
            found[self._classes[label]] = self._classes[labels[label]]
        return bytes(found)

    def _find(self, state: Arrangement) -> tuple[int, int]:
        pattern = bytes(after(self._classes, state))
        least, number = b"", -1
        for each, sources, renamed in self._maps_of(pattern):
            image = bytes(after(pattern, sources)).translate(renamed)
            if number < 0 or image < least:
                least, number = image, each
        row = self._patterns.find(least) if number >= 0 else -1
        if row < 0:
            return -1, -1
        member = [0] * self._sizes.points
        try:
            for way, label in zip(self._way(row), self._image(state, number), strict=True):
                member[way] = label
        except IndexError:
            raise damaged() from None
        place = self._states.find(member)
        return (row * self._sizes.states + place, number) if place >= 0 else (-1, -1)

    def _maps_of(self, pattern: bytes) -> Iterable[_Map]:
        """Return the maps of a pattern that leave reference pieces at home: one of each symmetry."""
        return self._maps if self._home is None else self._home.maps(pattern)

    def _image(self, state: Arrangement, number: int) -> Arrangement:
        return after(self._labels[number // len(self._rotations)], after(state, self._sources[number]))

    def _way(self, row: int) -> memoryview[int]:
        """Return the points of the fibre from which a row takes its labels."""
        return self._ways[row * self._sizes.points : (row + 1) * self._sizes.points]

    def state(self, entry: int) -> Arrangement:
        """Return the state of an entry."""
        row, place = divmod(entry, self._sizes.states)
        return arrangement(map(self._states[place].__getitem__, self._way(row)))

    def weight(self, entry: int) -> int:
        """Return the number of states for which an entry stands, divided by that of the entries that do."""
        return self.symmetries // self._ties[entry // self._sizes.states]

    def images(self, entry: int) -> list[Arrangement]:
        """Return the images of the state of an entry, one for each symmetry."""
        state = self.state(entry)
        return [self._image(state, number) for number, *_ in self._maps_of(bytes(after(self._classes, state)))]

    def neighbours(self, entry: int) -> list[int]:
        """Return entries that stand for the states after the moves, -1 if a move is not possible."""
        sizes = self._sizes
        row, place = divmod(entry, sizes.states)
        found = []
        try:
            for at in range(row, len(self._targets), sizes.rows):
                target = self._targets[at]
                image = self._images[self._numbers[at] * sizes.states + place]
                place_after = self._fibre[self._action[at] * sizes.states + image]
                found.append(target * sizes.states + place_after if target >= 0 else -1)
        except IndexError:
            raise damaged() from None
        if max(found) >= self.entries:
            raise damaged()
        return found

    def moves_after(self, number: int) -> tuple[int, ...]:
        """Return the number of the move that each move becomes under a map.

        Raises:
            CorruptTableError: the map does not take moves to moves.
        """
        try:
            return self._moves_after(number, self._sources[number], self._labels[number // len(self._rotations)])
        except KeyError:
            raise damaged() from None


class MovesAfter:
    """The moves that moves become under maps."""

    def __init__(self, moves: Sequence[Move], rotations: Sequence[Permutation]) -> None:
        """Take the moves, and the rotations that may follow a symmetry."""
        self._moves, self._known = moves, dict[int, tuple[int, ...]]()
        self._by_effects = {
            _written([Effect(after(sources, rotation), needs) for sources, needs in move.effects]): number
            for number, move in enumerate(moves)
            for rotation in rotations
        }

    def __call__(self, number: int, sources: Permutation, labels: Arrangement) -> tuple[int, ...]:
        """Return the number of the move that each move becomes under a map.

        Args:
            number: the number of the map.
            sources: the points from which the map takes labels.
            labels: the image of each label.

        Raises:
            KeyError: the map does not take moves to moves.
        """
        if number not in self._known:
            back = inverse(sources)
            self._known[number] = tuple(
                self._by_effects[_written([_image(effect, sources, back, labels) for effect in move.effects])]
                for move in self._moves
            )
        return self._known[number]


class _Home:
    """The maps that leave reference pieces at home: one of each symmetry, for a pattern."""

    def __init__(
        self, home: Sequence[tuple[int, int]], renamed: Sequence[bytes], sources: Sequence[Permutation]
    ) -> None:
        """Take the points of the reference labels with their classes, and the maps of each symmetry side by side."""
        rotations, (point, name) = len(sources) // len(renamed), home[0]
        self._home, self._by_place = home, list[tuple[int, Mapping[int, Sequence[_Map]]]]()
        for symmetry, each in enumerate(renamed):
            found = dict[int, list[_Map]]()
            for number in range(rotations * symmetry, rotations * (symmetry + 1)):
                found.setdefault(sources[number][point], []).append((number, sources[number], each))
            self._by_place.append((each.index(name), found))

    def maps(self, pattern: bytes) -> Iterator[_Map]:
        """Yield the maps after which the reference pieces of a pattern are at home."""
        for name, by_place in self._by_place:
            for number, sources, renamed in by_place.get(pattern.find(name), ()):
                if all(renamed[pattern[sources[point]]] == label for point, label in self._home):
                    yield number, sources, renamed


def _image(effect: Effect, sources: Permutation, back: Permutation, labels: Arrangement) -> Effect:
    """Return an effect of a move under a map."""
    change = arrangement(back[effect.sources[source]] for source in sources)
    return Effect(change, tuple((back[point], labels[label]) for point, label in effect.needs))


def _written(effects: Sequence[Effect]) -> frozenset[tuple[Permutation, frozenset[tuple[int, int]]]]:
    """Return the effects of a move, whose order does not matter."""
    return frozenset((sources, frozenset(needs)) for sources, needs in effects)

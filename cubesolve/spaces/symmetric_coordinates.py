"""Entries of a table up to symmetry, from the coordinates written when its space was derived (pure Python).

A state becomes the least image of its pattern under the symmetries (see `spaces.symmetric`), which is that of a row.
The entry is ``states * row + state``: a state of the fibre, of which the way of the row makes that image.
``docs/format.md`` describes the bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cubesolve.definitions.definition import Case
from cubesolve.definitions.rotations import RotationReduction
from cubesolve.permutations import Arrangement, Permutation, after, arrangement, identity, inverse
from cubesolve.spaces.coordinates import StoredRows, arrays_in, damaged, placed

_SIZES = struct.Struct("<10I")
_ALL_BYTES = bytes(range(256))


class Sizes(NamedTuple):
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


def layout(sizes: Sizes) -> dict[str, tuple[int, int, str]]:
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
    return placed(arrays, _SIZES.size)


def read_sizes(body: bytes) -> Sizes:
    """Return the sizes at the beginning of the bytes.

    Raises:
        CorruptTableError: the length of the bytes does not match.
    """
    if len(body) >= _SIZES.size:
        sizes = Sizes(*_SIZES.unpack_from(body))
        if sizes.item in {1, 2} and all(sizes[:4] + sizes[5:9]) and len(body) == layout(sizes)["end"][0]:
            return sizes
    raise damaged()


def write_sizes(sizes: Sizes) -> bytes:
    """Return the bytes of sizes."""
    return _SIZES.pack(*sizes)


class SymmetricCoordinates:
    """The coordinates of a space up to symmetry.

    A *map* is a symmetry, followed by a rotation that brings reference pieces home; its number is ``rotations *
    symmetry + rotation``.

    Attributes:
        body: the bytes.
        entries: the number of entries.
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
        self._backwards, self._labels = [*map(inverse, points)], labels
        self._renamed = [self._classes_after(each, start) for each in labels]
        self._home = [(start.index(label), self._classes[label]) for label in reference.labels] if reference else []
        self._tried = [self._by_place(symmetry) for symmetry in range(sizes.symmetries)]
        self._patterns = StoredRows(arrays["patterns"], sizes.points, arrays["pattern_order"])
        self._states = StoredRows(arrays["states"], sizes.points, arrays["state_order"])
        self._ways, self._targets, self._action = arrays["ways"], arrays["targets"], arrays["action"]
        self._numbers, self._fibre, self._images = arrays["numbers"], arrays["fibre"], arrays["images"]
        self._moves_by_cases = {
            _written([Case(after(sources, rotation), needs) for sources, needs in move.cases]): number
            for number, move in enumerate(self._moves)
            for rotation in self._rotations
        }
        self._moves_after = dict[int, tuple[int, ...]]()
        self.entries = sizes.rows * sizes.states

    def _classes_after(self, labels: Arrangement, start: Arrangement) -> bytes:
        """Return the image of each class under a symmetry, for `bytes.translate`."""
        found = bytearray(_ALL_BYTES)
        for label in start:
            found[self._classes[label]] = self._classes[labels[label]]
        return bytes(found)

    def _by_place(self, symmetry: int) -> tuple[int, Mapping[int, Sequence[int]]]:
        """Return a class and the maps of a symmetry that bring it home, by the point on which it is.

        Without reference pieces, all maps, for any point.
        """
        first = symmetry * len(self._rotations)
        if not self._sizes.homing:
            return -1, {-1: (first,)}
        point, name = self._home[0]
        found = dict[int, list[int]]()
        for number, rotation in enumerate(self._rotations, first):
            found.setdefault(self._backwards[symmetry][rotation[point]], []).append(number)
        return self._renamed[symmetry].index(name), found

    def find(self, state: Arrangement) -> tuple[int, int]:
        """Return the entry that stands for a state, and the number of the map to the state of the entry.

        Args:
            state: the state, its reference pieces at home.

        Returns:
            -1 and -1 if no moves lead to it.
        """
        pattern = bytes(after(self._classes, state))
        least, number = b"", -1
        for symmetry, (name, maps) in enumerate(self._tried):
            image = pattern.translate(self._renamed[symmetry])
            for each in maps.get(pattern.find(name) if name >= 0 else -1, ()):
                seen = bytes(after(image, self._sources(each)))
                if (number < 0 or seen < least) and (name < 0 or self._is_at_home(seen)):
                    least, number = seen, each
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

    def _is_at_home(self, pattern: bytes) -> bool:
        return all(pattern[point] == name for point, name in self._home)

    def _sources(self, number: int) -> Permutation:
        """Return the points from which a map takes the label of each point."""
        symmetry, rotation = divmod(number, len(self._rotations))
        return after(self._backwards[symmetry], self._rotations[rotation])

    def _image(self, state: Arrangement, number: int) -> Arrangement:
        return after(self._labels[number // len(self._rotations)], after(state, self._sources(number)))

    def _way(self, row: int) -> memoryview[int]:
        """Return the points of the fibre from which a row takes its labels."""
        return self._ways[row * self._sizes.points : (row + 1) * self._sizes.points]

    def state(self, entry: int) -> Arrangement:
        """Return the state of an entry."""
        row, place = divmod(entry, self._sizes.states)
        return arrangement(map(self._states[place].__getitem__, self._way(row)))

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
        if number not in self._moves_after:
            sources, labels = self._sources(number), self._labels[number // len(self._rotations)]
            back = inverse(sources)
            try:
                self._moves_after[number] = tuple(
                    self._moves_by_cases[_written([_image(case, sources, back, labels) for case in move.cases])]
                    for move in self._moves
                )
            except KeyError:
                raise damaged() from None
        return self._moves_after[number]


def _image(case: Case, sources: Permutation, back: Permutation, labels: Arrangement) -> Case:
    """Return a case of a move under a map."""
    change = arrangement(back[case.sources[source]] for source in sources)
    return Case(change, tuple((back[point], labels[label]) for point, label in case.needs))


def _written(cases: Sequence[Case]) -> frozenset[tuple[Permutation, frozenset[tuple[int, int]]]]:
    """Return the cases of a move, whose order does not matter."""
    return frozenset((sources, frozenset(needs)) for sources, needs in cases)

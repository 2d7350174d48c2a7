"""Texts of states of puzzles that are given by a definition: the names of the pieces in their places (pure Python)."""

from __future__ import annotations

import itertools
import json
import operator
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.errors import InvalidStateError, quoted
from cubesolve.group.permutations import Arrangement, after, arrangement, from_cycles

ORBITS_END = ";"
"""The separator of two orbits."""

_ROWS_END = "/"  # separators that are allowed between any two pieces
_CYCLES = re.compile(r"(?:\((?:\d{1,9}(?:,\d{1,9})*)?\))+")
_LIST = str.maketrans(dict.fromkeys("[],", " "))  # of numbers
_MOST_SHOWN = 12
_MOST_JSON = 1 << 16  # characters


def read_json(text: str) -> Any:
    """Parse a KPuzzle pattern as JSON."""
    if len(text) > _MOST_JSON:
        raise InvalidStateError(f"a pattern has at most {_MOST_JSON:,} characters, not {len(text):,}", "length")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidStateError(f"{quoted(text)} is not JSON: {error}", "symbol") from None


class Vocabulary(NamedTuple):
    """The texts of pieces that can take each other's place."""

    name: str  # what they are
    homes: tuple[str, ...]  # the names of their places
    places: tuple[tuple[int, ...], ...]  # the points of each place
    words: Mapping[str, tuple[int, ...]]  # for each text of a piece, the labels on the points of its place


class PieceTexts:
    """Reads and writes the states of a puzzle.

    The text of a piece is its name. A twisted piece is its name with the letters rotated, if it has a letter for each
    orientation, or else followed by ``+`` and the twist. Without names, pieces have numbers, which may be a list with
    commas, or the cycles of a permutation; identical pieces have the same. Pieces come in the order of their places,
    and orbits are separated by ``;``.

    >>> swap = Definition("swap", (Orbit("C", 2, 3, ("UR", "DL")),), (bytes(range(6)),), {})
    >>> texts = PieceTexts(swap)
    >>> texts.write(bytes([5, 3, 4, 0, 1, 2])), texts.read("DL+1 UR") == bytes([5, 3, 4, 0, 1, 2])
    ('DL+1 UR', True)
    """

    def __init__(self, definition: Definition) -> None:
        self._orbits = [_OrbitTexts(orbit, places, definition.solved[0]) for orbit, places in definition.places]
        self.pieces = sum(orbit.pieces for orbit in definition.orbits)
        self._are_numbers = not any(orbit.names for orbit in definition.orbits)
        self._solved, self._first = definition.solved[0], definition.orbits[0].first if definition.orbits else 1

    @property
    def vocabularies(self) -> list[Vocabulary]:
        """The texts of all pieces, for each orbit; of several texts of identical pieces, the first is written."""
        return [orbit.vocabulary for orbit in self._orbits]

    def write(self, state: Arrangement) -> str:
        """Return the text of a state."""
        return f" {ORBITS_END} ".join(" ".join(orbit.write(state)) for orbit in self._orbits)

    def write_some(self, labels: Sequence[frozenset[int]]) -> str:
        """Return the text of a state of which the possible labels on each point are known; unknown pieces are ``*``."""
        return f" {ORBITS_END} ".join(" ".join(orbit.write_some(labels)) for orbit in self._orbits)

    def read(self, text: str) -> Arrangement:
        """Return the state that a text describes."""
        if self._are_cycles(text):
            return self._permuted([[int(point) for point in re.findall(r"\d+", cycle)] for cycle in text.split(")")])
        return arrangement(label for orbit, words in self._divided(text) for label in orbit.read(words))

    def has_all(self, text: str) -> bool:
        """Return whether a text has a word for each piece, or is a permutation in cycles."""
        return len(self._words(text)) == self.pieces or (self._are_numbers and self._are_cycles(text))

    def _are_cycles(self, text: str) -> bool:
        return self._are_numbers and _CYCLES.fullmatch("".join(text.split())) is not None

    def _permuted(self, cycles: Sequence[Sequence[int]]) -> Arrangement:
        """Return the solved state after a permutation: the label on each point of a cycle goes to the next one."""
        first, last, seen = self._first, self._first + len(self._solved) - 1, set[int]()
        for point in itertools.chain.from_iterable(cycles):
            if not first <= point <= last:
                raise InvalidStateError(f"{point} is not a point: expected {first} to {last}", "symbol")
            if point in seen:
                raise InvalidStateError(f"point {point} is in the permutation twice", "repeated")
            seen.add(point)
        change = from_cycles([[point - first for point in cycle] for cycle in cycles], len(self._solved))
        return after(self._solved, change)

    def choices(self, text: str, anything: Collection[str]) -> Iterator[list[tuple[int, ...]]]:
        """Yield, for each place, the labels of pieces that a text with words for anything allows; also after ``+``."""
        for orbit, words in self._divided(text):
            for word, home in zip(words, orbit.homes, strict=True):
                yield orbit.choices(word, home, anything)

    def looks_like_one(self, text: str, *, begins_with_move: bool) -> bool:
        """Return whether an invalid text is probably a state: the number of words fits, or most words are names."""
        if self._are_cycles(text):
            return True
        words = self._words(text.replace(ORBITS_END, " "))
        recognized = sum(word in orbit for word in words for orbit in self._orbits)
        return ORBITS_END in text or len(words) == self.pieces or (not begins_with_move and recognized * 2 > len(words))

    def _words(self, text: str) -> list[str]:
        text = text.replace(_ROWS_END, " ")
        return (text.translate(_LIST) if self._are_numbers else text).split()

    def _divided(self, text: str) -> Iterator[tuple[_OrbitTexts, list[str]]]:
        parts = [self._words(part) for part in text.split(ORBITS_END)]
        numbers = [orbit.pieces for orbit in self._orbits]
        if len(parts) == 1:  # with one replacement for all
            left = iter(parts[0])
            parts = [[*itertools.islice(left, number)] for number in numbers]
            parts[-1] += left
        if len(parts) != len(numbers):
            names = f" {ORBITS_END} ".join(orbit.name for orbit in self._orbits)
            raise InvalidStateError(f"expected {names}, not {len(parts)} parts", "length")
        for orbit, words in zip(self._orbits, parts, strict=True):
            if len(words) != orbit.pieces:
                message = f"{orbit.name} are {orbit.pieces} pieces, not {len(words)}"
                raise InvalidStateError(message, "length")
            yield orbit, words


class _OrbitTexts:
    """Reads and writes the pieces of an orbit."""

    def __init__(self, orbit: Orbit, places: Sequence[range], solved: Arrangement) -> None:
        self.name, self.pieces, self._ranges = orbit.name, orbit.pieces, places
        self.homes = orbit.names or tuple(str(place + orbit.first) for place in range(orbit.pieces))
        self._places = [slice(place.start, place.stop) for place in places]
        homes = [tuple(solved[place]) for place in self._places]
        self._solved, first, width = sorted(itertools.chain(*homes)), places[0].start, orbit.orientations

        def numbered(labels: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
            """Return the number of a piece without a name, and its labels when it is not twisted."""
            turned = labels.index(min(labels))
            return str((labels[turned] - first) // width + orbit.first), labels[turned:] + labels[:turned]

        named = zip(orbit.names, homes, strict=True) if orbit.names else map(numbered, homes)
        words = [word for name, labels in named for word in _words(name, labels)]
        self._labels = dict(words)
        self._texts = {labels: text for text, labels in reversed(words)}  # of identical pieces, the first

    def __contains__(self, word: str) -> bool:
        return word in self._labels

    @property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.name, tuple(self.homes), tuple(map(tuple, self._ranges)), self._labels)

    def write(self, state: Arrangement) -> list[str]:
        return [self._texts[tuple(state[place])] for place in self._places]

    def write_some(self, labels: Sequence[frozenset[int]]) -> Iterator[str]:
        for place in self._places:
            here = labels[place]
            fitting = (text for piece, text in self._texts.items() if all(map(operator.contains, here, piece)))
            first, *others = itertools.islice(fitting, 2)
            yield "*" if others else first

    def read(self, words: Sequence[str]) -> list[int]:
        try:
            labels = [*itertools.chain.from_iterable(map(self._labels.__getitem__, words))]
        except KeyError:
            labels = [label for word, home in zip(words, self.homes, strict=True) for label in self._of(word, home)]
        if sorted(labels) != self._solved:
            self._refuse(words)
        return labels

    def _of(self, word: str, home: str) -> tuple[int, ...]:
        """Return the labels of a piece."""
        if word not in self._labels:
            expected = " ".join(list(self._labels)[:_MOST_SHOWN]) + (" ..." * (len(self._labels) > _MOST_SHOWN))
            message = f"{quoted(word)} at {home} is not one of the {self.name}: expected {expected}"
            raise InvalidStateError(message, "symbol", facelets=[home])
        return self._labels[word]

    def choices(self, word: str, home: str, anything: Collection[str]) -> list[tuple[int, ...]]:
        if word in anything:
            return list(self._labels.values())
        name, plus, turned = word.rpartition("+")
        if not (plus and turned in anything):
            return [self._of(word, home)]
        labels = self._of(name, home)
        return [labels[by:] + labels[:by] for by in range(len(labels))]

    def _refuse(self, words: Sequence[str]) -> None:
        pieces = Counter(min(self._labels[word]) for word in words)
        for word, home in zip(words, self.homes, strict=True):
            piece = min(self._labels[word])
            given, wanted = pieces[piece], self._solved.count(piece) // max(1, self._labels[word].count(piece))
            if given > wanted:
                message = (
                    f"{quoted(word)} at {home}: {given} such pieces of the {self.name}, where there should be {wanted}"
                )
                raise InvalidStateError(message, "repeated", facelets=[home])


def _words(name: str, labels: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the text of a piece in each of its distinct orientations, and its labels."""
    distinct = len(set(labels))
    for turned in range(distinct):
        shifted = labels[-turned:] + labels[:-turned] if turned else labels
        if distinct == len(name) == len(labels) and name.isalpha():  # 12 turned would be 21
            yield name[-turned:] + name[:-turned] if turned else name, shifted
        else:
            yield f"{name}+{turned}" if turned else name, shifted

"""A reader of definitions in the format of twsearch and ksolve (pure Python)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from cubesolve.definition.definition import Definition, Orbit, Power
from cubesolve.definition.formats.parts import (
    MOST_POINTS,
    ParseError,
    Parts,
    Pieces,
    alg_reader,
    number,
    parser,
    repeated,
    require_name,
    unlike,
)
from cubesolve.errors import quoted
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import Permutation, arrangement, closure, inverse
from cubesolve.runtime.deadline import check

MOST_ILLEGAL = 4096
"""The maximum number of illegal places of pieces."""

_END = "End"


class _Line(NamedTuple):
    where: str  # its name in messages
    words: list[str]  # the words on it

    def require(self, words: int, form: str, or_more: bool = False) -> None:
        """Reject a line with another number of words."""
        if len(self.words) != words and not (or_more and len(self.words) > words):
            raise ParseError(self.where, f"expected {self.words[0]} {form}")


_Block = dict[str, list[_Line]]
"""For each set, a line about the pieces in their places, and perhaps one about their orientations."""


@parser
def parse_tws(text: str, name: str) -> Definition:
    """Parse a definition in the format of twsearch and ksolve; `name` is that of the puzzle if it has none.

    >>> disks = parse_tws("Set DISKS 3 1\\nSolved\\nEnd\\nMove CYCLE\\nDISKS\\n3 1 2\\nEnd", "disks")
    >>> [move.name for move in disks.moves()]
    ['CYCLE', "CYCLE'"]
    """
    return _Reader(text).read(name)


def _lines(text: str) -> Iterator[_Line]:
    for i, content in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
        words = content.split()
        if words and not words[0].startswith("#"):
            yield _Line(f"line {i + 1}", words)


class _Reader:
    """The parser of a file, and what it has read."""

    def __init__(self, text: str) -> None:
        self._lines: Iterator[_Line] = _lines(text)
        self._parts = Parts()
        self._name = ""
        self._solved: dict[str, Pieces] = {}
        self._illegal: dict[tuple[str, int, int], str] = {}
        self._blocks: list[tuple[str, list[tuple[str, int]]]] = []
        self._sequences: list[_Line] = []

    def read(self, name: str) -> Definition:
        for line in self._lines:
            command = _COMMANDS.get(line.words[0])
            if command is None:
                raise ParseError(
                    line.where, f"{quoted(line.words[0])} is not understood: expected {', '.join(_COMMANDS)}"
                )
            command(self, line)
        if not self._solved:
            raise ParseError("", "there is no Solved" if self._parts.orbits else "there is no Set")
        self._finish_sequences()
        illegal = [pair for entry, where in self._illegal.items() for pair in self._pairs(*entry, where)]
        definition = self._parts.definition(self._name or name, self._parts.state(self._solved), illegal)
        for count, (where, pieces) in enumerate(self._blocks, start=1):
            points = [self._home(*piece, where) for piece in pieces]
            try:
                definition = glued(definition, points, f"BLOCK {count}", MOST_POINTS - definition.points)
            except ValueError as error:
                raise ParseError(where, f"invalid block: {error}") from None
        return definition

    def _read_name(self, line: _Line) -> None:
        line.require(2, "and the puzzle's name", or_more=True)
        if self._name:
            raise ParseError(line.where, "there is a second Name")
        self._name = " ".join(line.words[1:])
        require_name(self._name, "a puzzle", line.where)

    def _read_set(self, line: _Line) -> None:
        line.require(4, "and its name, how many pieces, and how many orientations")
        _, name, *sizes = line.words
        if self._solved or self._parts.changes or self._illegal:
            raise ParseError(line.where, "Set must precede the lines about sets")
        if name in _COMMANDS or name == _END or _is_number(name):
            raise ParseError(
                line.where, f"{quoted(name)} is not a valid name of a set: expected neither a keyword nor a number"
            )
        pieces, orientations = (number(word, 1, MOST_POINTS, line.where, "a count") for word in sizes)
        self._parts.add_orbit(Orbit(name, pieces, orientations), line.where)

    def _read_solved(self, line: _Line) -> None:
        line.require(1, "alone")
        if self._solved:
            raise ParseError(line.where, f"there is a second {line.words[0]}")
        block = self._read_block(line)
        first = 1 if line.words[0] == "Solved" else 0
        self._solved = {name: _state(orbit, block.get(name, []), first) for name, orbit in self._parts.orbits.items()}

    def _read_move(self, line: _Line) -> None:
        line.require(2, "and its name")
        block = self._read_block(line)
        by_piece = line.words[0] == "Move"
        moved = {name: _change(self._parts.orbits[name], rows, by_piece) for name, rows in block.items()}
        self._parts.add_move(line.words[1], self._parts.sources(moved), line.where)

    def _read_block(self, opening: _Line) -> _Block:
        if not self._parts.orbits:
            raise ParseError(opening.where, f"there is no Set before {opening.words[0]}")
        block: _Block = {}
        rows: list[_Line] | None = None
        for line in self._lines:
            if rows == [] and not _is_number(line.words[0]):
                raise ParseError(line.where, f"expected the numbers of {next(reversed(block))}")
            if line.words == [_END]:
                return block
            if not _is_number(line.words[0]):
                rows = block[self._set_of(line, block, opening)] = []
            elif rows is None or len(rows) == 2:
                raise ParseError(line.where, f"expected the name of a set, or {_END}")
            else:
                rows.append(line)
        raise ParseError(opening.where, f"has no {_END}")

    def _set_of(self, line: _Line, block: _Block, opening: _Line) -> str:
        """Return the set that a line names; it must be new in its block."""
        name = line.words[0]
        if name in _COMMANDS:
            raise ParseError(line.where, f"expected {_END} before it, for {opening.words[0]} in {opening.where}")
        if name not in self._parts.orbits:
            raise ParseError(line.where, f"there is no set {quoted(name)}")
        if name in block:
            raise ParseError(line.where, f"{name} occurs twice")
        line.require(1, "alone")
        return name

    def _read_illegal(self, line: _Line) -> None:
        line.require(4, "and a set, a place, and pieces", or_more=True)
        _, name, place, *pieces = line.words
        if name not in self._parts.orbits:
            raise ParseError(line.where, f"there is no set {quoted(name)}")
        last = self._parts.orbits[name].pieces
        at = number(place, 1, last, line.where, "a place")
        for word in pieces:
            self._illegal[name, at, number(word, 1, last, line.where, "a piece")] = line.where
        if len(self._illegal) > MOST_ILLEGAL:
            raise ParseError(line.where, f"too many illegal pieces in their places: at most {MOST_ILLEGAL:,}")

    def _read_block_of_pieces(self, line: _Line) -> None:
        line.require(1, "alone")
        pieces = [
            (name, number(word, 1, self._parts.orbits[name].pieces, row.where, "a piece"))
            for name, rows in self._read_block(line).items()
            for row in rows
            for word in row.words
        ]
        if len(set(pieces)) < 2:  # a piece alone is no block
            raise ParseError(line.where, "expected sets, each with the numbers of its pieces: at least two in all")
        self._blocks.append((line.where, pieces))

    def _home(self, name: str, piece: int, where: str) -> int:
        """Return the first point of the only piece with a number, counted from 1, when it is solved."""
        places = [place for place, label in enumerate(self._solved[name].pieces) if label == piece - 1]
        if len(places) != 1:
            raise ParseError(where, f"there are {len(places)} pieces {piece} in {name} when it is solved")
        return self._parts.labels(name, places[0])[0]

    def _pairs(self, name: str, place: int, piece: int, where: str) -> Iterator[tuple[int, int]]:
        """Yield the points and labels that make a piece in a place illegal, both counted from 1."""
        state = self._solved[name]
        if piece - 1 not in state.pieces:
            raise ParseError(where, f"there is no piece {piece} in {name} when it is solved")
        if state.pieces[place - 1] == piece - 1:
            raise ParseError(where, f"piece {piece} is in place {place} of {name} when it is solved")
        labels = self._parts.labels(name, piece - 1, state.moduli[state.pieces.index(piece - 1)])
        point = self._parts.labels(name, place - 1)[0]
        return ((point, label) for label in set(labels))

    def _read_sequence(self, line: _Line) -> None:
        self._sequences.append(line)

    def _finish_sequences(self) -> None:
        """Add sequences with a name as moves, and check those without."""
        algs: dict[str, tuple[str, str]] = {}
        given, read = [], alg_reader(self._parts.changes)
        for line in self._sequences:
            alias = line.words[0] == "MoveAlias"
            line.require(3 if alias else 2, "and a name, and a move" if alias else "and an alg", or_more=not alias)
            _, name, *rest = line.words
            if not alias and _begins_an_alg(name, read):
                given.append(line)
                continue
            line.require(3, "and an alg, or a name and an alg: this is no move", or_more=True)
            if name in algs:
                raise ParseError(line.where, f"{name} is defined twice: first in {algs[name][1]}")
            algs[name] = " ".join(rest), line.where
        self._parts.add_algs(algs)
        read = alg_reader(self._parts.changes)
        for line in given:
            read(" ".join(line.words[1:]), line.where)


_COMMANDS: dict[str, Callable[[_Reader, _Line], None]] = {
    "Name": _Reader._read_name,
    "Set": _Reader._read_set,
    "Solved": _Reader._read_solved,
    "StartState": _Reader._read_solved,
    "Move": _Reader._read_move,
    "MoveTransformation": _Reader._read_move,
    "MoveAlias": _Reader._read_sequence,
    "MoveSequence": _Reader._read_sequence,
    "Illegal": _Reader._read_illegal,
    "Block": _Reader._read_block_of_pieces,
}


def _state(orbit: Orbit, rows: list[_Line], first: int) -> Pieces:
    """Return the pieces in the places of a set, counted from a number."""
    nothing = [0] * orbit.pieces
    if not rows:
        return Pieces([*range(orbit.pieces)], nothing, nothing)
    pieces = _numbers(rows[0], orbit, first, orbit.pieces, "a piece")
    if len(rows) == 1:
        return Pieces(pieces, nothing, nothing)
    where, words = rows[1]
    moduli = [int(word == "?" and orbit.orientations > 1) for word in words]
    digits = _Line(where, ["0" if word == "?" else word for word in words])
    turned = _numbers(digits, orbit, 0, orbit.orientations, "an orientation")
    odd = unlike(pieces, moduli)
    if odd is not None:
        raise ParseError(
            where, f"the orientation of piece {pieces[odd] + first} matters in one place and not in another"
        )
    return Pieces(pieces, turned, moduli)


def _change(orbit: Orbit, rows: list[_Line], by_piece: bool) -> tuple[list[int], list[int]]:
    """Return the sources of the pieces of a set in a move, and their twists."""
    first = int(by_piece)  # places are counted from 1 then, and twists listed by the places that pieces come from
    origins = _numbers(rows[0], orbit, first, orbit.pieces, "a place")
    twice = repeated(origins)
    if twice is not None:
        raise ParseError(rows[0].where, f"place {origins[twice] + first} occurs twice")
    if len(rows) == 1:
        return origins, [0] * orbit.pieces
    turned = _numbers(rows[1], orbit, 0, orbit.orientations, "an orientation")
    return origins, [turned[origin] for origin in origins] if by_piece else turned


def _numbers(row: _Line, orbit: Orbit, first: int, different: int, what: str) -> list[int]:
    """Return the numbers on a line, one for each piece, counted from 0; in the file they are counted from `first`."""
    if len(row.words) != orbit.pieces:
        raise ParseError(
            row.where, f"{orbit.name} has {orbit.pieces} pieces, and the line has {len(row.words)} numbers"
        )
    return [number(word, first, first + different - 1, row.where, what) - first for word in row.words]


def _is_number(word: str) -> bool:
    """Return whether a word begins a line of numbers."""
    return word[0] in "0123456789?"


def _begins_an_alg(word: str, read: Callable[[str, str], list[Power]]) -> bool:
    """Return whether the first word of a sequence is part of it, and not its name."""
    try:
        return word[0] in "([" or len(read(word, "")) == 1
    except ParseError:
        return False


_Position = tuple[int, ...]


def glued(definition: Definition, block: Sequence[int], name: str, most: int) -> Definition:
    """Return a definition in which some pieces stay together: a move turns all of them, or none.

    It has one more orbit, with a piece for the block. The places are the positions of the block, and those where it
    would be torn, where the piece is illegal.

    Raises:
        ValueError: there are too many, or a move can tear the block and lead to one of its positions.

    >>> ring = Definition("ring", (Orbit("BEADS", 4),), (bytes(range(4)),), {"A": (Effect(b"\\1\\0\\2\\3"),)})
    >>> torn = glued(ring, [1, 2], "BLOCK", 9)
    >>> [(orbit.name, orbit.points) for orbit in torn.orbits], sorted(torn.illegal)
    ([('BEADS', 4), ('BLOCK', 2)], [(5, 4)])
    """
    moves = [inverse(effects[0].sources) for effects in definition.generators.values()]
    rotations = [inverse(change) for change in definition.rotations.values()]

    def moved(position: _Position) -> list[_Position]:
        check()
        changes = itertools.chain((move for move in moves if _is_whole(position, move)), rotations)
        return [_after(position, change) for change in changes]

    def torn(position: _Position) -> list[_Position]:
        check()
        if position not in whole:
            return [_after(position, turn) for turn in rotations]
        partial = [each for move in moves if not _is_whole(position, move) for each in _cycle(position, move)[1:]]
        if not whole.keys().isdisjoint(partial):
            raise ValueError("a turn of a part of it can lead where a turn of all of it leads")
        return partial

    whole = dict.fromkeys(closure([tuple(block)], moved, most))
    positions = closure(whole, torn, most)
    if len(positions) > most:
        raise ValueError(f"it has more than {most:,} positions")
    numbers = {position: number for number, position in enumerate(positions)}
    points, first = len(numbers), definition.points

    def extended(change: Permutation) -> Permutation:
        forward = inverse(change)
        kept = [numbers.keys() >= {*_cycle(position, forward)} for position in numbers]  # others do not matter
        sources = [
            numbers[_after(position, forward)] if is_kept else numbers[position]
            for position, is_kept in zip(numbers, kept, strict=True)
        ]
        return arrangement([*change, *(first + source for source in inverse(arrangement(sources)))])

    others = [first + 1] * (points - 1)
    return definition._replace(
        orbits=(*definition.orbits, Orbit(name, points)),
        solved=tuple(arrangement([*state, first, *others]) for state in definition.solved),
        generators={name: (Effect(extended(effects[0].sources)),) for name, effects in definition.generators.items()},
        rotations={name: extended(change) for name, change in definition.rotations.items()},
        illegal=definition.illegal | {(first + numbers[position], first) for position in numbers.keys() - whole},
    )


def _after(position: _Position, forward: Permutation) -> _Position:
    return tuple(forward[point] for point in position)


def _is_whole(position: _Position, forward: Permutation) -> bool:
    """Return whether a move turns all pieces of a position, or none."""
    return len({forward[point] == point for point in position}) == 1


def _cycle(position: _Position, forward: Permutation) -> list[_Position]:
    """Return a position, and those after a move and its powers."""
    positions = itertools.accumulate(itertools.repeat(forward), _after, initial=position)
    return [next(positions), *itertools.takewhile(lambda each: each != position, positions)]

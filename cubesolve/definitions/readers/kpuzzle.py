"""Definitions and patterns as KPuzzle has them, the JSON of cubing.js, cubing.rs and twips (pure Python)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from cubesolve.definitions.definition import Definition, Orbit
from cubesolve.definitions.readers.parts import (
    LONGEST_NAME,
    MOST_POINTS,
    ParseError,
    Parts,
    faults_of,
    repeated,
    require_name,
    unlike,
)
from cubesolve.errors import CubesolveError, InvalidStateError, quoted
from cubesolve.permutations import Arrangement, arrangement

_OLDER = {"defaultPattern": "startStateData", "derivedMoves": "experimentalDerivedMoves"}
_OLDER_CHANGE = {"orientationDelta": "orientation"}
_NONE: Mapping[str, str] = {}

_NOT_USED = ("$schema", "experimentalPuzzleDescription")
"""What says nothing about states and moves."""

_DEFINED_ABOVE = "_"
"""The alg, among those of derived moves, of a move that is no derived one."""

_TWICE = object()
"""The value of a key that occurs twice."""

_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}


class _Value(NamedTuple):
    """A value, and the keys that lead to it."""

    where: str
    value: Any

    def of(self, kind: type) -> Any:
        """The value, which must be of a kind."""
        if self.value is _TWICE:
            raise ParseError(self.where, "occurs twice")
        if not isinstance(self.value, kind) or isinstance(self.value, bool):
            raise ParseError(self.where, f"is {_shown(self.value)}, not {_KINDS[kind]}")
        return self.value

    def fields(
        self, needed: Collection[str], optional: Iterable[str] = (), older: Mapping[str, str] = _NONE
    ) -> dict[str, _Value]:
        """What an object has under some keys, of which some had older names."""
        found = self.entries()
        for key, before in older.items():
            if before in found:
                if key in found:
                    raise ParseError(found[before].where, f"duplicates {key}")
                found[key] = found.pop(before)
        known = [*needed, *optional]
        for key, value in found.items():
            if key not in known:
                raise ParseError(value.where, f"is not understood: expected {', '.join(known)}")
        for key in needed:
            if key not in found:
                raise ParseError(self._under(key), "is missing")
        return found

    def entries(self) -> dict[str, _Value]:
        """What an object has under its keys."""
        entries = self.of(dict)
        if not all(isinstance(key, str) for key in entries):
            raise ParseError(self.where, "has a key that is not text")
        return {key: _Value(self._under(key), value) for key, value in entries.items()}

    def _under(self, key: str) -> str:
        shown = key if len(key) <= LONGEST_NAME else quoted(key)
        return f"{self.where}.{shown}" if self.where else shown

    def elements(self) -> list[_Value]:
        """What is in a list."""
        return [_Value(f"{self.where}[{i}]", value) for i, value in enumerate(self.of(list))]

    def number(self, first: int, last: int) -> int:
        """A whole number in a range."""
        found: int = self.of(int)
        if not first <= found <= last:
            raise ParseError(self.where, f"is {_shown(found)}: expected a number from {first} to {last}")
        return found

    def numbers(self, length: int, different: int) -> list[int]:
        """A list of so many numbers, from 0 on."""
        values: list[int] = self.of(list)
        if len(values) != length:
            raise ParseError(self.where, f"has {len(values)} numbers, and there are {length} pieces")
        for i, value in enumerate(values):
            if type(value) is not int or not 0 <= value < different:
                _Value(f"{self.where}[{i}]", value).number(0, different - 1)
        return values


def _shown(value: object) -> str:
    """A value as a message has it."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int) and abs(value) >= 10**9:
        return "a number of many digits"
    if value is None or isinstance(value, (int, float)):
        return str(value)
    return _KINDS.get(type(value), f"of the type {type(value).__name__}")


class _Pattern(NamedTuple):
    """What lies in the places of an orbit: pieces, their orientations, and modulo what these are told (0: in full)."""

    pieces: list[int]
    turned: list[int]
    moduli: list[int]


# -- Definitions -------------------------------------------------------------------------------------------------------


def parse(text: str, name: str) -> Definition:
    """Read a definition; one without a name gets this one.

    Raises:
        InvalidDefinitionError: it is none.
    """
    with faults_of(name):
        return _read(_Value("", _load(text)), name)


def _load(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ParseError(f"line {error.lineno}", f"is not JSON at character {error.colno}: {error.msg}") from None
    except RecursionError:
        raise ParseError("", "is nested too deeply") from None
    except ValueError:
        raise ParseError("", "has a number of too many digits") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        found[key] = _TWICE if key in found else value
    return found


def _read(data: _Value, name: str) -> Definition:
    known = ["name", "derivedMoves", "orbitOrdering", *_NOT_USED]
    top = data.fields(["orbits", "defaultPattern", "moves"], known, _OLDER)
    if "name" in top:
        name = top["name"].of(str)
        require_name(name, "a puzzle", top["name"].where)
    parts = Parts()
    for orbit, where in _orbits(top):
        parts.add_orbit(orbit, where)
    if not parts.orbits:
        raise ParseError(top["orbits"].where, "is empty")
    pattern = _patterns(top["defaultPattern"], parts.orbits)
    moves = top["moves"].entries()
    derived = top["derivedMoves"].entries() if "derivedMoves" in top else {}
    for move, change in moves.items():
        parts.add_move(move, _sources(change, parts), change.where)
    algs = {move: (alg.of(str), alg.where) for move, alg in derived.items()}
    parts.add_algs({move: alg for move, alg in algs.items() if not (move in moves and alg[0] == _DEFINED_ABOVE)})
    return parts.definition(name, _labels(parts, pattern))


def _orbits(top: Mapping[str, _Value]) -> Iterable[tuple[Orbit, str]]:
    """The orbits, each with where it is: in a list, or, in older files, by name and in an order of their own."""
    sizes = ["numPieces", "numOrientations"]
    found: dict[str, tuple[Orbit, str]] = {}
    if type(top["orbits"].value) is dict:
        named = [(name, orbit, orbit.fields(sizes)) for name, orbit in top["orbits"].entries().items()]
    else:
        listed = [(orbit, orbit.fields(["orbitName", *sizes])) for orbit in top["orbits"].elements()]
        named = [(fields["orbitName"].of(str), orbit, fields) for orbit, fields in listed]
    for name, orbit, fields in named:
        if name in found:
            raise ParseError(orbit.where, f"{name} is defined twice")
        pieces, orientations = (fields[size].number(1, MOST_POINTS) for size in sizes)
        found[name] = Orbit(name, pieces, orientations), orbit.where
    if "orbitOrdering" not in top:
        return found.values()
    order = [each.of(str) for each in top["orbitOrdering"].elements()]
    if sorted(order) != sorted(found):
        raise ParseError(top["orbitOrdering"].where, "has other names than orbits")
    return [found[name] for name in order]


def _sources(move: _Value, parts: Parts) -> list[int]:
    """Where the points get their labels from in a move; orbits that are not there stay."""
    changes = move.fields([], parts.orbits)
    sources = []
    for name, orbit in parts.orbits.items():
        origins, turned = list(range(orbit.pieces)), [0] * orbit.pieces
        if name in changes:
            fields = changes[name].fields(["permutation", "orientationDelta"], older=_OLDER_CHANGE)
            origins = fields["permutation"].numbers(orbit.pieces, orbit.pieces)
            turned = fields["orientationDelta"].numbers(orbit.pieces, orbit.orientations)
            twice = repeated(origins)
            if twice is not None:
                raise ParseError(f"{fields['permutation'].where}[{twice}]", f"place {origins[twice]} occurs twice")
        sources += parts.sources(name, origins, turned)
    return sources


def _patterns(
    data: _Value, orbits: Mapping[str, Orbit], moduli: Mapping[str, Mapping[int, int]] | None = None
) -> dict[str, _Pattern]:
    """What lies where.

    Args:
        data: the pattern.
        orbits: the pieces.
        moduli: by orbit and piece, modulo what orientations are told where the pattern does not say; else in full.
    """
    return {
        name: _pattern(value, orbits[name], (moduli or {}).get(name, {})) for name, value in data.fields(orbits).items()
    }


def _pattern(data: _Value, orbit: Orbit, known: Mapping[int, int]) -> _Pattern:
    fields = data.fields(["pieces", "orientation"], ["orientationMod"])
    pieces = fields["pieces"].numbers(orbit.pieces, orbit.pieces)
    turned = fields["orientation"].numbers(orbit.pieces, orbit.orientations)
    if "orientationMod" not in fields:
        return _Pattern(pieces, turned, [known.get(piece, 0) for piece in pieces])
    where = fields["orientationMod"].where
    moduli = fields["orientationMod"].numbers(orbit.pieces, orbit.orientations + 1)
    for i, modulus in enumerate(moduli):
        if modulus and orbit.orientations % modulus:
            raise ParseError(f"{where}[{i}]", f"{modulus} does not divide the {orbit.orientations} orientations")
    moduli = [modulus % orbit.orientations for modulus in moduli]
    odd = unlike(pieces, moduli)
    if odd is not None:
        raise ParseError(f"{where}[{odd}]", f"another piece {pieces[odd]} has another orientationMod")
    return _Pattern(pieces, turned, moduli)


def _labels(parts: Parts, patterns: Mapping[str, _Pattern]) -> list[int]:
    return [label for name in parts.orbits for label in parts.arranged(name, *patterns[name])]


# -- Patterns ----------------------------------------------------------------------------------------------------------


def format_pattern(definition: Definition, state: Arrangement) -> dict[str, dict[str, list[int]]]:
    """A state or a target pattern as KPuzzle has it.

    Raises:
        InvalidStateError: it is no arrangement of pieces, each with an orientation.
        CubesolveError: the puzzle has no such pieces.
    """
    parts = _parts(definition)
    try:
        patterns = _described(parts, state)
    except ParseError as fault:
        raise InvalidStateError(f"{fault.where} {fault.reason}", "piece") from None
    return {
        name: {"pieces": pieces, "orientation": turned} | ({"orientationMod": moduli} if any(moduli) else {})
        for name, (pieces, turned, moduli) in patterns.items()
    }


def parse_pattern(definition: Definition, data: object, target: bool = False) -> Arrangement:
    """The state or target pattern that a pattern describes.

    Raises:
        InvalidStateError: it describes none.
        CubesolveError: the puzzle has no pieces with orientations.
    """
    parts = _parts(definition)
    solved = _described(parts, definition.solved[0])
    moduli = {name: dict(zip(each.pieces, each.moduli, strict=True)) for name, each in solved.items()}
    try:
        patterns = _patterns(_Value("", data), parts.orbits, None if target else moduli)
        if not target:
            _require_same(patterns, solved)
    except ParseError as fault:
        raise InvalidStateError(": ".join(filter(None, (fault.where, fault.reason)))) from None
    return arrangement(_labels(parts, patterns))


def _parts(definition: Definition) -> Parts:
    """The pieces of a puzzle whose orientations are shifts of their labels."""
    parts = Parts()
    try:
        for orbit in definition.orbits:
            parts.add_orbit(orbit, "")
        _described(parts, definition.solved[0])
    except ParseError:
        raise CubesolveError(f"{definition.name} has no pieces that a pattern could describe") from None
    return parts


def _described(parts: Parts, labels: Arrangement) -> dict[str, _Pattern]:
    """The pieces that labels belong to, and their orientations."""
    if len(labels) != parts.points:
        raise ParseError("the state", f"has {len(labels)} labels, not {parts.points}")
    found, first = {}, 0
    for name, orbit in parts.orbits.items():
        starts = range(first, first + orbit.points, orbit.orientations)
        places = (_piece(parts, name, [*labels[start : start + orbit.orientations]]) for start in starts)
        found[name] = _Pattern(*map(list, zip(*places, strict=True)))
        first += orbit.points
    return found


def _piece(parts: Parts, name: str, labels: list[int]) -> tuple[int, int, int]:
    """The piece that has these labels on the points of its place, its orientation, and modulo what this is told."""
    orientations = len(labels)
    piece = (min(labels) - parts.labels(name, 0)[0]) // orientations
    modulus, turned = len(set(labels)) % orientations, labels.index(min(labels))
    if piece in range(parts.orbits[name].pieces) and parts.arranged(name, [piece], [turned], [modulus]) == labels:
        return piece, turned, modulus
    raise ParseError(name, f"has no piece with the labels {labels[:9]}")


def _require_same(patterns: Mapping[str, _Pattern], solved: Mapping[str, _Pattern]) -> None:
    """Refuse pieces that cannot have come from where they are when the puzzle is solved."""
    for name, (pieces, _, moduli) in patterns.items():
        there = Counter(solved[name].pieces)
        for piece, number in Counter(pieces).items():
            if number != there[piece]:
                raise ParseError(f"{name}.pieces", f"piece {piece} occurs {number} times, not {there[piece]}")
        known = dict(zip(solved[name].pieces, solved[name].moduli, strict=True))
        for i, (piece, modulus) in enumerate(zip(pieces, moduli, strict=True)):
            if modulus != known[piece]:
                raise ParseError(f"{name}.orientationMod[{i}]", f"is not {known[piece]}, as for piece {piece} solved")

"""A reader and writer of KPuzzle, the JSON format of cubing.js, cubing.rs and twips (pure Python)."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.formats.parts import (
    MOST_POINTS,
    ParseError,
    Parts,
    Pieces,
    Value,
    is_rotation,
    load,
    parser,
    plain_generators,
    require_name,
    unlike,
)
from cubesolve.errors import CubesolveError, CubesolveWarning, InvalidStateError, quoted
from cubesolve.group.permutations import Arrangement, Permutation, arrangement

_OLDER = {"defaultPattern": "startStateData", "derivedMoves": "experimentalDerivedMoves"}
_OLDER_CHANGE = {"orientationDelta": "orientation"}

_NOT_USED = ("$schema", "experimentalPuzzleDescription")
"""Keys without a meaning for states and moves."""

_DEFINED_ABOVE = "_"
"""The alg of a move that is not derived, among those of derived moves."""


# -- Definitions -------------------------------------------------------------------------------------------------------


@parser
def parse_kpuzzle(text: str, name: str) -> Definition:
    """Parse a definition in the JSON format of KPuzzle; `name` is that of the puzzle if it has none."""
    optional = ["name", "derivedMoves", "orbitOrdering", *_NOT_USED]
    top = load(text).fields(["orbits", "defaultPattern", "moves"], optional, _OLDER)
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
    strange = {key for change in moves.values() for key in change.entries()} - parts.orbits.keys()
    if strange:
        names = ", ".join(map(quoted, sorted(strange)))
        warnings.warn(CubesolveWarning(f"{name}: no orbit is called {names}: ignored in moves"), stacklevel=2)
    derived = top["derivedMoves"].entries() if "derivedMoves" in top else {}
    for move, change in moves.items():
        parts.add_move(move, _sources(change, parts), change.where)
    algs = {move: (alg.of(str), alg.where) for move, alg in derived.items()}
    parts.add_algs({move: alg for move, alg in algs.items() if not (move in moves and alg[0] == _DEFINED_ABOVE)})
    return parts.definition(name, parts.state(pattern))


def _orbits(top: Mapping[str, Value]) -> Iterable[tuple[Orbit, str]]:
    """Yield the orbits with their keys: a list, or in older files an object with an order of its own."""
    sizes = ["numPieces", "numOrientations"]
    if type(top["orbits"].value) is dict:
        named = [(name, orbit, orbit.fields(sizes)) for name, orbit in top["orbits"].entries().items()]
    else:
        listed = [(orbit, orbit.fields(["orbitName", *sizes])) for orbit in top["orbits"].elements()]
        named = [(fields["orbitName"].of(str), orbit, fields) for orbit, fields in listed]
    orbits = []
    for name, orbit, fields in named:
        pieces, orientations = (fields[size].number(1, MOST_POINTS) for size in sizes)
        orbits.append((Orbit(name, pieces, orientations), orbit.where))
    if "orbitOrdering" not in top:
        return orbits
    order = {element.of(str): place for place, element in enumerate(top["orbitOrdering"].elements())}
    if order.keys() != {orbit.name for orbit, _ in orbits} or len(order) != len(top["orbitOrdering"].value):
        raise ParseError(top["orbitOrdering"].where, "has other names than orbits")
    return sorted(orbits, key=lambda named: order[named[0].name])


def _sources(move: Value, parts: Parts) -> list[int]:
    """Return the sources of the points in a move; missing orbits do not move."""
    moved = dict[str, tuple[list[int], list[int]]]()
    for name, change in move.entries().items():
        if name in parts.orbits:
            orbit, fields = parts.orbits[name], change.fields(["permutation", "orientationDelta"], older=_OLDER_CHANGE)
            origins = fields["permutation"].numbers(orbit.pieces, orbit.pieces, once="place")
            deltas = fields["orientationDelta"].numbers(orbit.pieces, orbit.orientations, 1 - orbit.orientations)
            moved[name] = origins, [delta % orbit.orientations for delta in deltas]
    return parts.sources(moved)


def _patterns(
    data: Value, orbits: Mapping[str, Orbit], moduli: Mapping[str, Mapping[int, int]] | None = None
) -> dict[str, Pieces]:
    """Return the patterns of all orbits; `moduli` has those of each orbit and piece if the pattern has none."""
    return {
        name: _pattern(value, orbits[name], (moduli or {}).get(name, {})) for name, value in data.fields(orbits).items()
    }


def _pattern(data: Value, orbit: Orbit, known: Mapping[int, int]) -> Pieces:
    fields = data.fields(["pieces", "orientation"], ["orientationMod"])
    pieces = fields["pieces"].numbers(orbit.pieces, orbit.pieces)
    turned = fields["orientation"].numbers(orbit.pieces, orbit.orientations)
    if "orientationMod" not in fields:
        return Pieces(pieces, turned, [known.get(piece, 0) for piece in pieces])
    where = fields["orientationMod"].where
    moduli = fields["orientationMod"].numbers(orbit.pieces, orbit.orientations + 1)
    for i, modulus in enumerate(moduli):
        if modulus and orbit.orientations % modulus:
            raise ParseError(f"{where}[{i}]", f"{modulus} does not divide the {orbit.orientations} orientations")
    moduli = [modulus % orbit.orientations for modulus in moduli]
    odd = unlike(pieces, moduli)
    if odd is not None:
        raise ParseError(f"{where}[{odd}]", f"another piece {pieces[odd]} has another orientationMod")
    return Pieces(pieces, turned, moduli)


def format_kpuzzle(definition: Definition) -> str:
    """Return a definition in the JSON format of KPuzzle, which `parse_kpuzzle` reads.

    Raises:
        CubesolveError: the definition has something that the format lacks, such as moves that are not always possible.

    >>> from cubesolve.definition.formats import parse_cycles
    >>> ring = parse_cycles("U := (1,2,3);", "ring")
    >>> parse_kpuzzle(format_kpuzzle(ring), "ring") == ring
    True
    """
    parts = _parts(definition)
    rotations = {  # by names that show what they are
        name if is_rotation(name) else f"{name.upper()}v": change for name, change in definition.rotations.items()
    }
    changes = {**plain_generators(definition), **rotations}
    orbits = [
        {"orbitName": name, "numPieces": orbit.pieces, "numOrientations": orbit.orientations}
        for name, orbit in parts.orbits.items()
    ]
    data = {
        "name": definition.name,
        "orbits": orbits,
        "defaultPattern": format_kpuzzle_pattern(definition, definition.solved[0]),
        "moves": {name: format_kpuzzle_transformation(definition, change) for name, change in changes.items()},
    }
    return json.dumps(data)


# -- Transformations ---------------------------------------------------------------------------------------------------


def format_kpuzzle_transformation(definition: Definition, change: Permutation) -> dict[str, dict[str, list[int]]]:
    """Return the effect of moves, the point that each point's label comes from, as a KPuzzle transformation.

    Raises:
        CubesolveError: the puzzle has no pieces whose orientations are shifts of their labels, or they come apart.

    >>> from cubesolve.definition.formats import parse_cycles
    >>> ring = parse_cycles("U := (1,2,3);", "ring")
    >>> found = format_kpuzzle_transformation(ring, ring.generators["U"][0].sources)
    >>> found, list(parse_kpuzzle_transformation(ring, found))
    ({'POINTS': {'permutation': [2, 0, 1], 'orientationDelta': [0, 0, 0]}}, [2, 0, 1])
    """
    parts = _parts(definition)
    try:
        origins = _described(parts, change)
    except ParseError:
        raise CubesolveError(f"{definition.name} has moves that tear pieces apart") from None
    return {name: {"permutation": pieces, "orientationDelta": turned} for name, (pieces, turned, _) in origins.items()}


def parse_kpuzzle_transformation(definition: Definition, data: object) -> Permutation:
    """Return the permutation of a KPuzzle transformation: the point that each point's label comes from."""
    parts = _parts(definition)
    try:
        change = Value("", data)
        change.fields([], parts.orbits)
        return arrangement(_sources(change, parts))
    except ParseError as fault:
        raise InvalidStateError(": ".join(filter(None, (fault.where, fault.reason)))) from None


# -- Patterns ----------------------------------------------------------------------------------------------------------


def format_kpuzzle_pattern(definition: Definition, state: Arrangement) -> dict[str, dict[str, list[int]]]:
    """Return a state as a KPuzzle pattern; or as a target pattern, in which some pieces look alike."""
    parts = _parts(definition)
    try:
        patterns = _described(parts, state)
    except ParseError as fault:
        raise InvalidStateError(f"{fault.where} {fault.reason}", "piece") from None
    return {
        name: {"pieces": pieces, "orientation": turned} | ({"orientationMod": moduli} if any(moduli) else {})
        for name, (pieces, turned, moduli) in patterns.items()
    }


def parse_kpuzzle_pattern(definition: Definition, data: object, target: bool = False) -> Arrangement:
    """Return the state that a KPuzzle pattern describes.

    Args:
        target: whether it is a target pattern: its pieces may look alike where those of the puzzle do not.
    """
    parts = _parts(definition)
    if not target:
        _require_known(data)
    solved = _described(parts, definition.solved[0])
    moduli = {name: dict(zip(pieces.pieces, pieces.moduli, strict=True)) for name, pieces in solved.items()}
    try:
        patterns = _patterns(Value("", data), parts.orbits, None if target else moduli)
        if not target:
            _require_same(patterns, solved)
    except ParseError as fault:
        raise InvalidStateError(": ".join(filter(None, (fault.where, fault.reason)))) from None
    return arrangement(parts.state(patterns))


def _require_known(data: object) -> None:
    """Reject a pattern with nulls, which stands for many states."""
    for name, orbit in data.items() if isinstance(data, Mapping) else ():
        for key, numbers in orbit.items() if isinstance(orbit, Mapping) else ():
            if isinstance(numbers, list) and None in numbers:
                raise InvalidStateError(
                    f"{name}.{key}[{numbers.index(None)}]: is null, and a state has no unknown pieces: as a goal "
                    "(--goal, towards) the pattern stands for all states that fit, and the least of their depths is "
                    "that of the solved state towards it"
                )


def _parts(definition: Definition) -> Parts:
    """Return the pieces of a puzzle whose orientations are shifts of their labels."""
    parts = Parts()
    try:
        for orbit in definition.orbits:
            parts.add_orbit(orbit, "")
        _described(parts, definition.solved[0])
    except ParseError:
        raise CubesolveError(f"{definition.name} has no pieces that a pattern could describe") from None
    return parts


def _described(parts: Parts, labels: Arrangement) -> dict[str, Pieces]:
    """Return the pieces of some labels, and their orientations."""
    if len(labels) != parts.points:
        raise ParseError("the state", f"has {len(labels)} labels, not {parts.points}")
    described, first = {}, 0
    for name, orbit in parts.orbits.items():
        starts = range(first, first + orbit.points, orbit.orientations)
        places = (_piece(parts, name, [*labels[start : start + orbit.orientations]]) for start in starts)
        described[name] = Pieces(*map(list, zip(*places, strict=True)))
        first += orbit.points
    return described


def _piece(parts: Parts, name: str, labels: list[int]) -> tuple[int, int, int]:
    """Return the piece with some labels on its points, its orientation, and its modulus."""
    orientations = len(labels)
    piece = (min(labels) - parts.labels(name, 0)[0]) // orientations
    modulus, turned = len(set(labels)) % orientations, labels.index(min(labels))
    if piece in range(parts.orbits[name].pieces) and parts.arranged(name, [piece], [turned], [modulus]) == labels:
        return piece, turned, modulus
    raise ParseError(name, f"has no piece with the labels {labels[:9]}")


def _require_same(patterns: Mapping[str, Pieces], solved: Mapping[str, Pieces]) -> None:
    """Reject patterns with other pieces than the solved state."""
    for name, (pieces, _, moduli) in patterns.items():
        totals = Counter(solved[name].pieces)
        for piece, number in Counter(pieces).items():
            if number != totals[piece]:
                raise ParseError(f"{name}.pieces", f"piece {piece} occurs {number} times, not {totals[piece]}")
        modulus_of = dict(zip(solved[name].pieces, solved[name].moduli, strict=True))
        for i, (piece, modulus) in enumerate(zip(pieces, moduli, strict=True)):
            if modulus != modulus_of[piece]:
                raise ParseError(
                    f"{name}.orientationMod[{i}]", f"is not {modulus_of[piece]}, as for piece {piece} solved"
                )

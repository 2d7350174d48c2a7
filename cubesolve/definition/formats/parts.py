"""Shared parts of the readers: pieces become points, moves and algs permutations, and limits are enforced."""

from __future__ import annotations

import functools
import graphlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from cubesolve.definition.definition import Definition, Orbit, Power
from cubesolve.definition.notation import MOST_MOVES as LONGEST_EXPANDED
from cubesolve.definition.notation import PRIMES, expand_alg
from cubesolve.errors import CubesolveError, InvalidDefinitionError, InvalidMoveError, quoted
from cubesolve.group.moves import Effect, is_plain
from cubesolve.group.permutations import Permutation, arrangement, composed, identity, order, power

MOST_POINTS = 1 << 14
"""The maximum number of points of a puzzle."""

MOST_MOVES = 512
"""The maximum number of moves in a file, and of algs."""

MOST_ROTATIONS = 128
"""The maximum number of rotations in a file."""

MOST_TURNS = 4096
"""The maximum number of moves with their powers."""

MOST_WORK = 1 << 22
"""The maximum number of points times moves with their powers, or times the moves in algs."""

LONGEST_ALG = 10_000
"""The maximum number of characters of an alg."""

LONGEST_NAME = 200
"""The maximum number of characters of a name."""

_ROTATION = re.compile(r"[A-Z_]+v|[xyz][2']?")
_MOVE = re.compile(rf"(?!//|/\*|\.$)[^\s()\[\],:{PRIMES}][^\s()\[\],:]*")
_DIGITS = 9
_TOO_MANY = f"there are too many moves: at most {{}}, and {MOST_ROTATIONS} rotations"


class ParseError(Exception):  # it becomes an error when it is known in which file
    """Something is invalid in a file of unknown name, on a line or at a key."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(where, reason)
        self.where = where
        self.reason = reason


def parser(read: Callable[[str, str], Definition]) -> Callable[[str, str], Definition]:
    """Return a reader of a text and a name whose parse errors become errors about a file."""

    @functools.wraps(read)
    def parse(text: str, name: str) -> Definition:
        try:
            return read(text, name)
        except ParseError as fault:
            raise InvalidDefinitionError(name, fault.where, fault.reason) from None

    return parse


def number(word: str, first: int, last: int, where: str, what: str) -> int:
    """Return the number that a word represents."""
    if word.isascii() and word.isdigit() and len(word) <= _DIGITS and first <= int(word) <= last:
        return int(word)
    raise ParseError(where, f"{quoted(word)} is not {what}: expected a number from {first} to {last}")


def repeated(values: Sequence[object]) -> int | None:
    """Return the index of the first duplicate."""
    seen = set[object]()
    for i, value in enumerate(values):
        if value in seen:
            return i
        seen.add(value)
    return None


def unlike(pieces: Sequence[int], moduli: Sequence[int]) -> int | None:
    """Return the index of the first piece that looks like an earlier one but has another modulus."""
    modulus_of: dict[int, int] = {}
    return next(
        (i for i, (p, k) in enumerate(zip(pieces, moduli, strict=True)) if modulus_of.setdefault(p, k) != k), None
    )


def require_name(name: str, what: str, where: str) -> None:
    """Reject a name that cannot be shown."""
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        raise ParseError(
            where, f"{quoted(name)} is not a valid name of {what}: expected 1 to {LONGEST_NAME} printable characters"
        )


class Pieces(NamedTuple):
    """The pieces in the places of an orbit, their orientations, and the moduli of these (0: distinguished in full)."""

    pieces: list[int]
    turned: list[int]
    moduli: list[int]


class Parts:
    """A puzzle while it is read: its orbits, and the permutations of its moves and rotations, by name."""

    def __init__(self, valid: re.Pattern[str] = _MOVE, most: int = MOST_MOVES, *, has_rotations: bool = True) -> None:
        """Take what names of moves match, their maximum number, and whether ``Uv`` and ``x`` name rotations."""
        self._valid, self._most, self._has_rotations = valid, most, has_rotations
        self.orbits: dict[str, Orbit] = {}
        self.points = 0
        self.changes: dict[str, Permutation] = {}
        self._first: dict[str, int] = {}
        self._where: dict[str, str] = {}

    def add_orbit(self, orbit: Orbit, where: str) -> None:
        """Add an orbit with a new name."""
        require_name(orbit.name, "pieces", where)
        if orbit.name in self.orbits:
            raise ParseError(where, f"{orbit.name} is defined twice")
        self._first[orbit.name] = self.points
        self.orbits[orbit.name] = orbit
        self.points += orbit.points
        if self.points > MOST_POINTS:
            raise ParseError(
                where, f"there are too many pieces: at most {MOST_POINTS:,}, each counted for each orientation"
            )

    def labels(self, name: str, piece: int, modulus: int = 0) -> list[int]:
        """Return the labels of a piece of an orbit."""
        orientations = self.orbits[name].orientations
        start = self._first[name] + piece * orientations
        return [start + sticker % (modulus or orientations) for sticker in range(orientations)]

    def arranged(self, name: str, pieces: Sequence[int], turned: Sequence[int], moduli: Sequence[int]) -> list[int]:
        """Return the labels on the points of an orbit; the modulus 0 is for distinguished orientations."""
        arranged = []
        for piece, turns, modulus in zip(pieces, turned, moduli, strict=True):
            labels = self.labels(name, piece, modulus)
            arranged += labels[-turns % len(labels) :] + labels[: -turns % len(labels)]
        return arranged

    def state(self, patterns: Mapping[str, Pieces]) -> list[int]:
        """Return the labels on all points."""
        return [label for name in self.orbits for label in self.arranged(name, *patterns[name])]

    def sources(self, moved: Mapping[str, tuple[Sequence[int], Sequence[int]]]) -> list[int]:
        """Return the sources of all points, given those of the pieces of some orbits, and their twists."""
        sources = list[int]()
        for name, orbit in self.orbits.items():
            nothing = [0] * orbit.pieces
            origins, turned = moved.get(name, (range(orbit.pieces), nothing))
            sources += self.arranged(name, origins, turned, nothing)
        return sources

    def add_move(self, name: str, sources: Iterable[int], where: str) -> None:
        """Add a move, or a rotation, which its name shows."""
        self._require_new(name, where)
        change = arrangement(sources)
        if change == identity(self.points):
            raise ParseError(where, f"{name} does nothing")
        self.changes[name] = change
        self._where[name] = where
        if len(self._moves()) > self._most or len(self._rotations()) > MOST_ROTATIONS:
            raise ParseError(where, _TOO_MANY.format(self._most))

    def _require_new(self, name: str, where: str) -> None:
        """Reject a name that algs cannot contain, or that is taken."""
        require_name(name, "a move", where)
        if not self._valid.fullmatch(name):
            rule = "no white space, brackets, commas, colons; no ' first"
            raise ParseError(where, f"{quoted(name)} is not a valid name of a move: {rule}")
        if name in self.changes:
            raise ParseError(where, f"{name} is defined twice: first in {self._where[name]}")

    def _moves(self) -> list[str]:
        return [name for name in self.changes if not (self._has_rotations and is_rotation(name))]

    def _rotations(self) -> list[str]:
        return [name for name in self.changes if self._has_rotations and is_rotation(name)]

    def add_algs(self, algs: Mapping[str, tuple[str, str]]) -> None:
        """Add moves that are algs over others, and over each other."""
        if not algs:
            return
        for name, (_, where) in algs.items():
            self._require_new(name, where)
        if len(self.changes) + len(algs) > MOST_MOVES + MOST_ROTATIONS:
            raise ParseError("", _TOO_MANY.format(self._most))
        read = alg_reader([*self.changes, *algs])
        steps, length, limit = {}, 0, min(LONGEST_EXPANDED, MOST_WORK // self.points)
        for name, (alg, where) in algs.items():
            steps[name] = read(alg, where)
            length += len(steps[name])
            if length > limit:
                raise ParseError(where, f"with it, algs exceed the limit of moves: {limit:,}")
        changes = dict(self.changes)
        for name in _in_order(algs, steps):
            parts = (power(changes[step.name], step.amount) for step in steps[name])
            changes[name] = composed(parts, self.points)
        for name, (_, where) in algs.items():
            self.add_move(name, changes[name], where)

    def definition(
        self, name: str, solved: Sequence[int], illegal: Iterable[tuple[int, int]] = (), *, has_powers: bool = True
    ) -> Definition:
        """Return the definition, in which powers of moves are moves, too, or only their inverses."""
        moves, rotations = self._moves(), self._rotations()
        if not moves:
            hint = f", and {rotations[0]} is a rotation, as the name says" if rotations else ""
            raise ParseError("", f"there is no move{hint}")
        turns, limit = 0, min(MOST_TURNS, MOST_WORK // self.points)
        for move in moves:
            turns += order(self.changes[move]) - 1 if has_powers else 1
            if turns > limit:
                raise ParseError(
                    self._where[move], f"with the powers of {move} there are too many moves: at most {limit:,}"
                )
        self._require_own_names()
        return Definition(
            name,
            tuple(self.orbits.values()),
            (arrangement(solved),),
            {move: (Effect(self.changes[move]),) for move in moves},
            rotations={rotation: self.changes[rotation] for rotation in rotations},
            illegal=frozenset(illegal),
        )

    def _require_own_names(self) -> None:
        """Reject a move whose name is that of a power of another, unless it is this power."""
        names = sorted(self.changes)
        for i, name in enumerate(names):
            for longer in names[i + 1 :]:
                if not longer.startswith(name):
                    break
                times = _times(name, longer)
                if times is not None and self.changes[longer] != power(self.changes[name], times):
                    raise ParseError(self._where[longer], f"{longer} is not the power of {name} that its name says")


def _times(name: str, longer: str) -> int | None:
    """Return the exponent in a name, if it is the name of a power."""
    match = re.fullmatch(rf"(\d{{0,6}})([{PRIMES}]?)(\d{{0,6}})", longer[len(name) :])
    if match is None or (name[-1].isdigit() and match[1]):  # the square of g1 is written (g1)2
        return None
    return int(match[1] or 1) * int(match[3] or 1) * (-1 if match[2] else 1)


def is_rotation(name: str) -> bool:
    """Return whether a name is that of a whole-puzzle rotation: ``Uv``, ``FRBv``, ``x``, ``y2``."""
    return _ROTATION.fullmatch(name) is not None


def plain_generators(definition: Definition) -> dict[str, Permutation]:
    """Return the generators that a definition selects, as permutations by name, if it has no more than these."""
    steps = definition.chosen or tuple(map(Power, definition.generators))
    if definition.directed:
        raise CubesolveError(f"{definition.name} has moves without inverses, which this format cannot express")
    require_plain(definition)
    names = without_brackets([definition.written([step]) for step in steps])
    return {name: definition.effects(step)[0].sources for name, step in zip(names, steps, strict=True)}


def without_brackets(names: Sequence[str]) -> list[str]:
    """Return names of moves without brackets, which readers reject; they remain different.

    >>> without_brackets(["g1", "(g1)2", "(g1)2'"])
    ['g1', 'g1_2', "g1_2'"]
    """
    for separator in ("_", "__", "___"):
        plain = [re.sub(r"[()\[\],:]", separator, name.removeprefix("(")) for name in names]
        if len(set(plain)) == len(set(names)):
            return plain
    return [f"{name}_{i}" for i, name in enumerate(plain)]


def require_plain(definition: Definition) -> None:
    """Reject a definition that permutations and a solved state do not define."""
    reasons = {
        "several solved states": len(definition.solved) > 1,
        "moves that are not always possible": bool(definition.illegal)
        or not all(map(is_plain, definition.generators.values())),
        "costs of moves": bool(definition.costs),
    }
    for what, applies in reasons.items():
        if applies:
            raise CubesolveError(f"{definition.name} has {what}, which this format cannot express")


def alg_reader(names: Iterable[str]) -> Callable[[str, str], list[Power]]:
    """Return a reader of algs, given with their lines, over moves with some names."""
    listed = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    token = re.compile(rf"({listed or '(?!)'})(\d{{0,6}})([{PRIMES}]?)(\d{{0,6}})")

    def read_move(alg: str, position: int) -> tuple[list[Power], int]:
        match = token.match(alg, position)
        if match is None:
            raise InvalidMoveError(alg[position:].split(maxsplit=1)[0], position)
        amount = int(match[2] or 1) * int(match[4] or 1)
        return [Power(match[1], -amount if match[3] else amount)], match.end()

    def read(alg: str, where: str) -> list[Power]:
        if len(alg) > LONGEST_ALG:
            raise ParseError(where, f"the alg is too long: at most {LONGEST_ALG:,} characters")
        try:
            return expand_alg(alg, read_move, lambda step: Power(step.name, -step.amount))
        except InvalidMoveError as error:
            raise ParseError(where, str(error)) from None

    return read


def _in_order(algs: Mapping[str, tuple[str, str]], steps: Mapping[str, Sequence[Power]]) -> list[str]:
    """Return the names of algs in an order in which each follows those it refers to."""
    needs = {name: [alg for alg in dict.fromkeys(step.name for step in steps[name]) if alg in algs] for name in algs}
    try:
        return list(graphlib.TopologicalSorter(needs).static_order())
    except graphlib.CycleError as error:
        circle = error.args[1][::-1]
        raise ParseError(algs[circle[0]][1], f"is defined by itself: {' needs '.join(circle)}") from None


_TWICE = object()
"""The value of a duplicate key."""

_NONE: Mapping[str, str] = {}

_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}


class Value(NamedTuple):
    """A value, and the keys that lead to it."""

    where: str
    value: Any

    def of(self, kind: type) -> Any:
        """Return the value, which must have a type."""
        if self.value is _TWICE:
            raise ParseError(self.where, "occurs twice")
        if not isinstance(self.value, kind) or isinstance(self.value, bool):
            raise ParseError(self.where, f"is {_shown(self.value)}, not {_KINDS[kind]}")
        return self.value

    def fields(
        self, needed: Collection[str], optional: Iterable[str] = (), older: Mapping[str, str] = _NONE
    ) -> dict[str, Value]:
        """Return the values of some keys of an object; some keys have older names."""
        entries = self.entries()
        for key, before in older.items():
            if before in entries:
                if key in entries:
                    raise ParseError(entries[before].where, f"duplicates {key}")
                entries[key] = entries.pop(before)
        keys = [*needed, *optional]
        for key, value in entries.items():
            if key not in keys:
                raise ParseError(value.where, f"is not understood: expected {', '.join(keys)}")
        for key in needed:
            if key not in entries:
                raise ParseError(self._under(key), "is missing")
        return entries

    def entries(self) -> dict[str, Value]:
        """Return the values of an object by its keys."""
        entries = self.of(dict)
        if not all(isinstance(key, str) for key in entries):
            raise ParseError(self.where, "has a key that is not text")
        return {key: Value(self._under(key), value) for key, value in entries.items()}

    def _under(self, key: str) -> str:
        shown = key if len(key) <= LONGEST_NAME else quoted(key)
        return f"{self.where}.{shown}" if self.where else shown

    def elements(self) -> list[Value]:
        """Return the items of a list."""
        return [Value(f"{self.where}[{i}]", value) for i, value in enumerate(self.of(list))]

    def number(self, first: int, last: int) -> int:
        """Return an integer in a range."""
        value: int = self.of(int)
        if not first <= value <= last:
            raise ParseError(self.where, f"is {_shown(value)}: expected a number from {first} to {last}")
        return value

    def numbers(self, length: int, different: int, first: int = 0, *, once: str = "") -> list[int]:
        """Return integers from `first` to below `different`, of a given number; `once` names them if all differ."""
        values: list[int] = self.of(list)
        if len(values) != length:
            raise ParseError(self.where, f"has {len(values)} numbers, and there are {length} pieces")
        for i, value in enumerate(values):
            if type(value) is not int or not first <= value < different:
                Value(f"{self.where}[{i}]", value).number(first, different - 1)
        twice = repeated(values) if once else None
        if twice is not None:
            raise ParseError(f"{self.where}[{twice}]", f"{once} {values[twice]} occurs twice")
        return values


def _shown(value: object) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int) and abs(value) >= 10**9:
        return "a number of many digits"
    if value is None or isinstance(value, (int, float)):
        return str(value)
    return _KINDS.get(type(value), f"of the type {type(value).__name__}")


def load(text: str) -> Value:
    """Parse JSON."""
    try:
        return Value("", json.loads(text, object_pairs_hook=_object))
    except json.JSONDecodeError as error:
        raise ParseError(f"line {error.lineno}", f"is not JSON at character {error.colno}: {error.msg}") from None
    except RecursionError:
        raise ParseError("", "is nested too deeply") from None
    except ValueError:
        raise ParseError("", "has a number of too many digits") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for key, value in pairs:
        members[key] = _TWICE if key in members else value
    return members

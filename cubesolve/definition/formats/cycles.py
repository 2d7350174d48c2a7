"""A reader of permutations in cycles, as GAP and most algebra systems write them (pure Python).

``(1,3,8)`` moves the label on point 1 to point 3, that on 3 to 8, and that on 8 to 1. Permutations act on the right:
the first factor of a product is applied first, like the first move of an alg.

PuzzleGeometry writes such files, with the generators in a list ``Gen``, ``M_`` before their names, and a list ``ip`` of
sets of stickers; the pieces with stickers in one set look alike.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from string import ascii_uppercase
from typing import NamedTuple, TypeVar

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.formats.parts import MOST_POINTS, MOST_WORK, ParseError, Parts, number, parser
from cubesolve.errors import quoted
from cubesolve.group.permutations import Permutation, after, arrangement, from_cycles, power
from cubesolve.group.pieces import kinds_of

MOST_TOKENS = 500_000
"""The maximum number of numbers, names and symbols."""

_TOKEN = re.compile(
    r"(?P<space>\s+|#[^\n]*)|(?P<assigned>[A-Za-z_]\w*)\s*:=|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<number>\d+)|(?P<symbol>[][(),;*^-])",
    re.ASCII,
)
_GROUPS = ("Group", "GroupWithGenerators", "GroupByGenerators")
_MONOIDS = ("Monoid", "Semigroup")  # generators without inverses
_ALIKE = "ip"
_PREFIX = "M_"
_LARGEST_EXPONENT = 10**9 - 1

Item = TypeVar("Item")


class _Token(NamedTuple):
    kind: str
    text: str
    where: str


class _Member(NamedTuple):
    """A permutation in a list."""

    name: str  # its name, if it has one
    change: Permutation  # the point from which each point gets its label; points beyond stay
    where: str  # the line


@parser
def parse_cycles(text: str, name: str) -> Definition:
    """Parse a definition as permutations in cycles, as GAP writes them.

    >>> list(parse_cycles("U := (1,2,3); # 1 goes to 2", "ring").generators["U"][0].sources)
    [2, 0, 1]
    """
    return _Reader(text).read(name)


def _tokens(text: str) -> Iterator[_Token]:
    position, line, read = 0, 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ParseError(f"line {line}", f"{quoted(text[position])} is not understood")
        kind = str(match.lastgroup)
        if kind != "space":
            yield _Token(kind, match[kind], f"line {line}")
            read += 1
            if read > MOST_TOKENS:
                raise ParseError(
                    f"line {line}", f"the file is too long: at most {MOST_TOKENS:,} numbers, names and symbols"
                )
        line += match[0].count("\n")
        position = match.end()
    yield _Token("end", "", f"line {line}")


class _Reader:
    """The parser of a file, and what it has read; a list is the content of brackets, or of a group."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._next = next(self._tokens)
        self._points = 0
        self._work = 0
        self._named: dict[str, _Member] = {}
        self._lists: dict[str, list[_Member]] = {}
        self._listed: list[tuple[str, list[_Member]]] = []
        self._groups: list[tuple[str, list[_Member]]] = []
        self._single: list[_Member] = []
        self._alike: list[list[int]] = []
        self._directed = False

    def read(self, name: str) -> Definition:
        while self._next.kind != "end":
            if not self._take(";"):
                self._read_statement()
                if self._next.kind != "end":
                    self._expect(";")
        parts = Parts()
        moves = self._moves()
        if not moves:
            raise ParseError("", "there is no permutation")
        parts.add_orbit(Orbit("POINTS", self._points), moves[0].where)
        changes = [_padded(move.change, self._points) for move in moves]
        for move, change in zip(_without_prefix(moves), changes, strict=True):
            parts.add_move(move.name, change, move.where)
        return parts.definition(name, self._labels(changes))._replace(directed=self._directed)

    def _moves(self) -> list[_Member]:
        """Return the moves, with names: the generators of the group, or else of the list, or else all permutations."""
        for lists, what in ((self._groups, "Group"), (self._listed, "list")):
            for where, _ in lists[1:]:
                raise ParseError(where, f"there is a second {what}: which are the moves?")
            if lists:
                if self._single:
                    raise ParseError(self._single[0].where, f"a permutation without a name is not in the {what}")
                return self._all_named(lists[0][1])
        return self._all_named([*self._named.values(), *self._single])

    def _all_named(self, members: list[_Member]) -> list[_Member]:
        """Return permutations with A, B, C ... in place of missing names."""
        letters = (itertools.product(ascii_uppercase, repeat=length) for length in itertools.count(1))
        names = map("".join, itertools.chain.from_iterable(letters))
        free = (name for name in names if name not in self._named)
        return [member if member.name else member._replace(name=next(free)) for member in members]

    # -- Statements ----------------------------------------------------------------------------------------------------

    def _read_statement(self) -> None:
        name, where = "", self._next.where
        if self._next.kind == "assigned":
            name = self._step().text
            if name in self._named or name in self._lists or (name == _ALIKE and self._alike):
                raise ParseError(where, f"{quoted(name)} is defined twice")
        if name == _ALIKE:
            self._read_alike()
        elif self._take("["):
            self._lists[name or where] = members = self._items("]", self._product)
            self._listed.append((where, members))
        elif self._next.text in (*_GROUPS, *_MONOIDS):
            self._directed = self._step().text in _MONOIDS
            self._expect("(")
            self._groups.append((where, self._group()))
        elif name:
            self._named[name] = self._product()._replace(name=name, where=where)
        else:
            self._single.append(self._product())
            while self._take(","):
                self._single.append(self._product())

    def _read_alike(self) -> None:
        """Parse disjoint sets of points."""
        seen = set[int]()

        def points() -> list[int]:
            self._expect("[")
            return self._items("]", lambda: self._point(seen, _ALIKE))

        self._expect("[")
        self._alike = self._items("]", points)
        self._points = max(self._points, *(point + 1 for point in seen))

    def _labels(self, changes: list[Permutation]) -> list[int]:
        """Return the label of each point: the first of the points that look like it."""
        leader = list(range(self._points))

        def find(point: int) -> int:
            while leader[point] != point:
                point = leader[point]
            return point

        # Pieces are needed where points look alike: those that always move together look alike together.
        are_needed = any(len(points) > 1 for points in self._alike)
        along = [kind.along for kind in (kinds_of(self._points, changes) if are_needed else ())]
        for points in self._alike:
            for a, b in itertools.pairwise(points):
                # Two points of one piece may look alike while its others do not.
                maps = (mapping for mapping in along if a in mapping and b in mapping and b not in mapping[a])
                pairs = itertools.chain.from_iterable(zip(mapping[a], mapping[b], strict=True) for mapping in maps)
                for first, second in ((a, b), *pairs):
                    low, high = sorted((find(first), find(second)))
                    leader[high] = low
        return [find(point) for point in range(self._points)]

    def _group(self) -> list[_Member]:
        """Parse the generators of a group after its bracket: permutations, or one list."""
        if self._take("["):
            members = self._items("]", self._product)
        elif self._next.text in self._lists:
            members = self._lists[self._step().text]
        else:
            return self._items(")", self._product)
        self._expect(")")
        return members

    # -- Permutations --------------------------------------------------------------------------------------------------

    def _product(self) -> _Member:
        """Parse a permutation, a product or a power; it has a name if it is only that name."""
        member = self._power()
        while self._take("*"):
            change = self._power().change
            points = max(len(member.change), len(change))
            product = after(_padded(member.change, points), _padded(change, points))
            member = self._counted(_Member("", product, member.where))
        return member

    def _power(self) -> _Member:
        member = self._atom()
        if self._take("^"):
            sign = -1 if self._take("-") else 1
            exponent = sign * self._number(0, _LARGEST_EXPONENT, "an exponent")
            member = self._counted(_Member("", power(member.change, exponent), member.where))
        return member

    def _atom(self) -> _Member:
        where = self._next.where
        if self._next.text == "(":
            return self._counted(_Member("", self._cycles(), where))
        if self._next.kind != "name":
            raise ParseError(where, f"expected a permutation, not {self._shown()}")
        name = self._step().text
        if name not in self._named:
            raise ParseError(where, f"there is no permutation {quoted(name)} before this")
        return self._named[name]._replace(where=where)

    def _cycles(self) -> Permutation:
        """Parse the product of some cycles."""
        cycles, seen = list[list[int]](), set[int]()
        while self._take("("):
            cycles.append(self._items(")", lambda: self._point(seen, "the permutation"), least=0))
        points = max(seen, default=-1) + 1
        self._points = max(self._points, points)
        return from_cycles(cycles, points)

    def _counted(self, member: _Member) -> _Member:
        """Count a permutation, and reject too many."""
        self._work += len(member.change) + 1
        if self._work > MOST_WORK:
            raise ParseError(member.where, "there are too many permutations")
        return member

    # -- Tokens --------------------------------------------------------------------------------------------------------

    def _step(self) -> _Token:
        token, self._next = self._next, next(self._tokens, self._next)
        return token

    def _take(self, symbol: str) -> bool:
        """Move on past a symbol, and return whether it was there."""
        if self._next.kind != "symbol" or self._next.text != symbol:
            return False
        self._step()
        return True

    def _expect(self, symbol: str) -> None:
        if not self._take(symbol):
            raise ParseError(self._next.where, f"expected {symbol} before {self._shown()}")

    def _items(self, closing: str, item: Callable[[], Item], least: int = 1) -> list[Item]:
        """Parse items separated by commas, up to a symbol."""
        items = list[Item]()
        while len(items) < least or not self._take(closing):
            if items:
                self._expect(",")
            items.append(item())
        return items

    def _point(self, seen: set[int], what: str) -> int:
        """Parse a point, counted from 1, that is new."""
        where, point = self._next.where, self._number(1, MOST_POINTS, "a point") - 1
        if point in seen:
            raise ParseError(where, f"point {point + 1} is in {what} twice")
        seen.add(point)
        return point

    def _number(self, first: int, last: int, what: str) -> int:
        if self._next.kind != "number":
            raise ParseError(self._next.where, f"expected {what}, not {self._shown()}")
        token = self._step()
        return number(token.text, first, last, token.where, what)

    def _shown(self) -> str:
        return quoted(self._next.text) if self._next.text else "the end"


def _without_prefix(moves: list[_Member]) -> list[_Member]:
    """Return moves without the common prefix of names that PuzzleGeometry writes."""
    while all(move.name.startswith(_PREFIX) and len(move.name) > len(_PREFIX) for move in moves):
        moves = [move._replace(name=move.name.removeprefix(_PREFIX)) for move in moves]
    return moves


def _padded(change: Permutation, points: int) -> Permutation:
    """Extend a permutation to a number of points; it fixes the new ones."""
    return arrangement([*change, *range(len(change), points)])

"""The facelets of a cube of any number of layers: positions, turns, and faults.

Facelets are in Kociemba's order: faces ``U R F D L B``, each row by row as seen from outside in the cross net (U
above F, D below it, L F R B side by side). *Size* is the number of layers. Pieces are named by the faces of their
home, clockwise: a corner has three letters, an edge two, a centre one.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from cubesolve.definition.notation import FACES, PRIMES, ROTATIONS, SLICES, FaceTurn, metric_moves
from cubesolve.errors import InvalidStateError, printable, quoted
from cubesolve.picture.vectors import NORMALS, Matrix, Vector, cube_symmetries, dot, image, rotation

Item = TypeVar("Item")
Cyclic = TypeVar("Cyclic", str, tuple[int, ...], tuple[str, ...])


class HasFacelets(Protocol):
    """A cube."""

    @property
    def facelets(self) -> str:
        """The facelets, in the colours of the input."""


Facelets = str | bytes | bytearray | Sequence[str] | HasFacelets
"""The accepted forms of facelets: text, in which white space is ignored, a list of symbols, or a cube."""


SINGMASTER = (
    *("UF", "UR", "UB", "UL", "DF", "DR", "DB", "DL", "FR", "FL", "BR", "BL"),
    *("UFR", "URB", "UBL", "ULF", "DRF", "DFL", "DLB", "DBR"),
)
"""The places of a 3x3x3 in the order of Singmaster's notation, which names the piece in each; a letter is a facelet."""

_SINGMASTER_LENGTHS = [*map(len, SINGMASTER)]


class Rearrange(Protocol):
    """Reorders the items of all facelets."""

    def __call__(self, items: Sequence[Item], /) -> tuple[Item, ...]:
        """Return the items in their new order."""


# -- Reading -----------------------------------------------------------------------------------------------------------


def facelet_text(given: object, size: int) -> str:
    """Return the symbols of facelets, given in order, as the rows of the net of a cube, or as pieces (`SINGMASTER`).

    >>> facelet_text("UR FD LB", 1), facelet_text(list("URFDLB"), 1), facelet_text(" U \\n L F R B \\n D ", 1)
    ('URFDLB', 'URFDLB', 'URFDLB')
    """
    if not isinstance(given, str):
        given = _as_text(given, size)
    words = given.split()
    if size == 3 and [*map(len, words)] == _SINGMASTER_LENGTHS and all(map(str.isalpha, words)):
        return _of_singmaster(words)
    symbols = "".join(words)
    if "\n" in given:
        rows = ["".join(row.split()) for row in given.split("\n") if row and not row.isspace()]
        if [len(row) for row in rows] == [size] * size + [4 * size] * size + [size] * size:
            return "".join(symbols[i] for i in net_order(size))
    return symbols


def _of_singmaster(words: Sequence[str]) -> str:
    """Return the facelets of a 3x3x3 with some pieces in the places `SINGMASTER`, and its centres at home."""
    facelets = [name[0] for name in facelet_names(3)]
    for place, piece in zip(SINGMASTER, words, strict=True):
        for facelet, symbol in zip(piece_facelets(3, place), piece, strict=True):
            facelets[facelet] = symbol
    return "".join(facelets)


def singmaster(facelets: str) -> str:
    """Return the pieces in the places `SINGMASTER` of a 3x3x3 in face letters.

    >>> singmaster("".join(face * 9 for face in FACES)).split() == list(SINGMASTER)
    True
    """
    return " ".join("".join(facelets[i] for i in piece_facelets(3, place)) for place in SINGMASTER)


def _as_text(given: object, size: int) -> str:
    if isinstance(given, (list, tuple)) and all(isinstance(row, str) for row in given):
        return "".join(given)
    if isinstance(given, (bytes, bytearray)):
        return given.decode("latin-1")
    if isinstance(symbols := getattr(given, "facelets", None), str):
        return symbols
    reason = f"a cube is {6 * size * size} facelets as text, not of the type {type(given).__name__}"
    raise InvalidStateError(reason, "type")


_SIZES = {24: "a pocket cube", 54: "a 3x3x3"}
_FEWEST = 12  # a text of this many letters is read as facelets, even if some are missing
_SHORT = 20  # fewer face letters are probably moves
_ROWS = {2, 3, 8, 12}  # facelets in a row of a net
_MOVE_WITH_DIGITS = re.compile("[0-9]?[A-Za-z]w?[0-9]?")
_PRIMES = frozenset(PRIMES)
_ALG_SYMBOLS = frozenset("URFDLBMESurfdlbxyzwi23'\u2019()[],:")


def is_no_facelets(text: str) -> bool:
    """Whether text can only be meant as an alg: it has a digit, a prime, or a few letters that stand apart.

    >>> [is_no_facelets(text) for text in ("R U // cross", "RU2", "RU", "UUUU RRRR FFFF DDDD LLLL BBB")]
    [True, True, False, False]
    """
    text = text.partition(" //")[0]  # without a comment
    symbols = "".join(text.split())
    letters, is_primed = sum(map(str.isalpha, symbols)), not _PRIMES.isdisjoint(symbols)
    has_digit = any(map(str.isdigit, symbols))
    if len(symbols) in _SIZES:  # facelets can be any symbols; primes that are a colour are as many as the others
        if has_digit and all(map(_MOVE_WITH_DIGITS.fullmatch, text.split())):  # facelets do not alternate like moves
            return True
        return is_primed and letters > 0 and set(Counter(symbols).values()) != {len(symbols) // len(FACES)}
    if is_primed or has_digit:
        return letters > 0
    return 0 < letters < _FEWEST and re.search("[A-Za-z][A-Za-hj-vx-z]", text) is None


def length_hint(symbols: str) -> str:
    """Suggest the meaning of symbols whose number is not that of the facelets.

    >>> length_hint("RUF"), length_hint("what")
    (': separate moves by blanks, or use the format alg; use the format net for the rows of a net', '')
    """
    if len(symbols) in _SIZES:
        return f": this is the length of {_SIZES[len(symbols)]}"
    if len(symbols) in _ROWS and set(symbols) <= set(FACES):
        return ": separate moves by blanks, or use the format alg; use the format net for the rows of a net"
    likely = 0 < len(symbols) < _SHORT or not set(symbols) <= set(FACES)
    return ": use the format alg for moves" if likely and set(symbols) <= _ALG_SYMBOLS else ""


@functools.cache
def net_order(size: int) -> tuple[int, ...]:
    """Return the place of each facelet in the net read row by row: U, rows of L F R B side by side, D.

    >>> net_order(1)
    (0, 3, 2, 5, 1, 4)
    """
    number = size * size
    first = {"U": 0, "D": 5 * number} | {face: number + i * size for i, face in enumerate("LFRB")}
    width = {face: size if face in "UD" else 4 * size for face in FACES}
    return tuple(first[face] + row * width[face] + col for face in FACES for row in range(size) for col in range(size))


# -- Turns, from the geometry of the cube ----------------------------------------------------------------------------
# x points right, y up, z to the viewer. A facelet is the place of its piece and the direction it faces. Neighbouring
# pieces are two units apart, so that the middle of a cube of any size is at 0.

_AROUND = {"x": "R", "y": "U", "z": "F", "M": "L", "E": "D", "S": "F"}
"""The face that turns in the direction of a rotation or a slice."""

_ROW_TOWARDS = {"U": "R", "R": "B", "F": "R", "D": "R", "L": "F", "B": "L"}
_COLUMN_TOWARDS = {"U": "F", "R": "D", "F": "D", "D": "B", "L": "D", "B": "D"}


@functools.cache
def facelet_names(size: int) -> tuple[str, ...]:
    """Return the names of the facelets, in order."""
    return tuple(f"{face}{number}" for face in FACES for number in range(1, size * size + 1))


@functools.cache
def facelets_by_place(size: int) -> dict[tuple[Vector, Vector], int]:
    """Return the numbers of facelets by the place of their piece and the direction they face."""
    outermost = size - 1
    numbers: dict[tuple[Vector, Vector], int] = {}
    for face, row, column in itertools.product(FACES, range(size), range(size)):
        along, down = 2 * column - outermost, 2 * row - outermost
        steps = zip(NORMALS[face], NORMALS[_ROW_TOWARDS[face]], NORMALS[_COLUMN_TOWARDS[face]], strict=True)
        x, y, z = [outermost * n + along * r + down * c for n, r, c in steps]
        numbers[(x, y, z), NORMALS[face]] = len(numbers)
    return numbers


def layers_of(size: int, letter: str) -> tuple[Vector, float, float]:
    """Return the axis of a turn, and the heights along it between which pieces are turned.

    >>> layers_of(3, "M")
    ((-1, 0, 0), -1, 1)
    """
    normal = NORMALS[_AROUND.get(letter, letter[0])]
    if letter in ROTATIONS:
        return normal, -math.inf, math.inf
    if letter in SLICES:
        return normal, 2 - size, size - 2
    return normal, size - (4 if letter.endswith("w") else 2), math.inf


def _sources(size: int, matrix: Matrix, moves: Callable[[Vector], bool]) -> tuple[int, ...]:
    """Return the source of each facelet's colour when a matrix is applied to the pieces in some places."""
    facelets = facelets_by_place(size)
    source = list(facelets.values())
    for (place, facing), i in facelets.items():
        if moves(place):
            source[facelets[image(matrix, place), image(matrix, facing)]] = i
    return tuple(source)


@functools.cache
def _quarter_turn(size: int, letter: str) -> tuple[int, ...]:
    """Return the source of each facelet's colour when the layers of a letter turn clockwise."""
    normal, beyond, below = layers_of(size, letter)
    return _sources(size, rotation(normal, -90), lambda place: beyond < dot(place, normal) < below)


@functools.cache
def turning(size: int, move: FaceTurn) -> Rearrange:
    """Return the effect of a move on the facelets of a cube.

    >>> "".join(turning(2, FaceTurn("U", 1))("UUUURRRRFFFFDDDDLLLLBBBB"))
    'UUUUBBRRRRFFDDDDFFLLLLBB'
    """
    quarter = operator.itemgetter(*_quarter_turn(size, move.letter))
    source: Sequence[int] = range(6 * size * size)
    for _ in range(move.turns):
        source = quarter(source)
    return operator.itemgetter(*source)


def turn(size: int, facelets: str, moves: Iterable[FaceTurn]) -> str:
    """Return the facelets after moves."""
    symbols: Sequence[str] = facelets
    for move in moves:
        symbols = turning(size, move)(symbols)
    return "".join(symbols)


@functools.cache
def symmetries(size: int) -> tuple[tuple[Rearrange, str], ...]:
    """Return the 24 rotations of the whole cube and the 24 with a reflection; the identity comes first."""
    face_of = {normal: face for face, normal in NORMALS.items()}
    rearrangements = []
    for matrix in cube_symmetries():
        faces = "".join(face_of[image(matrix, NORMALS[face])] for face in FACES)
        rearrangements.append((operator.itemgetter(*_sources(size, matrix, lambda _place: True)), faces))
    return tuple(rearrangements)


# -- Orientations and colour schemes ----------------------------------------------------------------------------------
# A scheme is the colours of the faces U R F D L B on a solved cube.


@functools.cache
def cube_rotations() -> dict[str, str]:
    """Return the schemes of face letters in the 24 orientations, and a shortest sequence of rotations to each.

    >>> len(cube_rotations()), cube_rotations()["UBRDFL"]
    (24, 'y')
    """
    turned = {"": FACES} | {str(move): turn(1, FACES, [move]) for move in metric_moves("htm", ROTATIONS)}
    schemes = dict[str, str]()
    for first, scheme in turned.items():
        for second, faces in turned.items():
            schemes.setdefault("".join(map(scheme.__getitem__, map(FACES.index, faces))), f"{first} {second}".strip())
    return schemes


@functools.lru_cache  # most questions are about one scheme
def require_no_mirror(scheme: str) -> None:
    """Raise an error for face letters that are arranged as in a mirror image."""
    if scheme.translate(str.maketrans("LR", "RL")) in cube_rotations():
        raise InvalidStateError(
            "mirror scheme: the colours are arranged as in a mirror image of the cube, which no move reaches", "mirror"
        )


def require_colours(facelets: str, size: int, colours: str) -> None:
    """Raise an error for symbols other than the given colours."""
    if not isinstance(colours, str) or len(colours) != 6 or len(set(colours)) != 6:
        raise ValueError(f"colours must be six different symbols, not {quoted(str(colours))}")
    for name, symbol in zip(facelet_names(size), facelets, strict=False):
        if symbol not in colours:
            message = f"unknown symbol {symbol!r} at {name}: the colours are {shown(colours)}"
            raise InvalidStateError(message, "symbol", facelets=[name])


# -- Pieces ----------------------------------------------------------------------------------------------------------

_KINDS = ("centre", "edge", "corner")


@functools.cache
def piece_facelets(size: int, name: str) -> tuple[int, ...]:
    """Return the facelets of a piece's home, in the order of the letters of its name.

    >>> piece_facelets(2, "URF"), piece_facelets(3, "UR"), piece_facelets(3, "F")
    ((3, 4, 9), (5, 10), (22,))
    """
    facelets = facelets_by_place(size)
    normals = [NORMALS[face] for face in name]
    x, y, z = [(size - 1) * sum(steps) for steps in zip(*normals, strict=True)]
    return tuple(map(facelets.__getitem__, [((x, y, z), normal) for normal in normals]))


def piece_writer(places: Sequence[Sequence[int]]) -> Callable[[Iterable[str], Iterable[int]], str]:
    """Return a function that writes the facelets of a cube, given the piece at each place and how far it is turned."""
    listed = [facelet for place in places for facelet in place]
    in_order = operator.itemgetter(*map(listed.index, range(len(listed))))

    def write(pieces: Iterable[str], turns: Iterable[int]) -> str:
        looks = [piece[-turned:] + piece[:-turned] for piece, turned in zip(pieces, turns, strict=True)]
        return "".join(in_order("".join(looks)))

    return write


def position_name(size: int, name: str) -> str:
    """Return the name of a position, for messages."""
    return f"{_KINDS[len(name) - 1]} {name} (facelets {' '.join(_piece_facelet_names(size, name))})"


def _piece_facelet_names(size: int, name: str) -> list[str]:
    return [facelet_names(size)[i] for i in piece_facelets(size, name)]


def turned(clockwise: Cyclic) -> list[Cyclic]:
    """Return what is read clockwise from each of some facelets on."""
    return [clockwise[begin:] + clockwise[:begin] for begin in range(len(clockwise))]


@functools.lru_cache(maxsize=64)
def places_by_looks(size: int, names: Sequence[str], facelets: str) -> dict[tuple[str, ...], tuple[int, ...]]:
    """Return the facelets of the pieces of a cube by their colours, both clockwise from any of these facelets.

    >>> places_by_looks(3, ("UR",), solved_facelets(3, "WRGYOB"))
    {('W', 'R'): (5, 10), ('R', 'W'): (10, 5)}
    """
    places: dict[tuple[str, ...], tuple[int, ...]] = {}
    for name in names:
        for here in turned(piece_facelets(size, name)):
            looks = tuple([facelets[i] for i in here])
            if looks in places:
                message = f"the target has more than one {_KINDS[len(name) - 1]} {shown(looks)}"
                raise InvalidStateError(message, "repeated")
            places[looks] = here
    return places


def solved_facelets(size: int, scheme: str) -> str:
    """Return the facelets of the solved cube in some colours."""
    return "".join([colour * size**2 for colour in scheme])


def piece_fault(size: int, names: Sequence[str], facelets: str, scheme: str) -> InvalidStateError | None:
    """Return the error for the first position whose colours no piece of the cube has; None if all are valid.

    >>> print(piece_fault(3, ["UF", "UR"], "U" * 54, "URFDLB"))
    edge UF (facelets U8 F2) shows U U: one colour more than once
    """
    pieces = places_by_looks(size, tuple(names), solved_facelets(size, scheme))
    seen_at: dict[int, str] = {}
    for name in names:
        looks = tuple(facelets[i] for i in piece_facelets(size, name))
        where = f"{position_name(size, name)} shows {shown(looks)}"
        kind = _KINDS[len(name) - 1]
        piece = min(pieces.get(looks, ()), default=None)
        here = _piece_facelet_names(size, name)
        if len(set(looks)) < len(looks):
            return InvalidStateError(f"{where}: one colour more than once", "piece", facelets=here)
        if piece is None and looks[::-1] in pieces:
            seen = f"{where}, which is the mirror image of a {kind} of this cube"
            return InvalidStateError(seen, "piece", facelets=here)
        if piece is None:
            message = f"{where}, and no {kind} of this cube has these colours"
            return InvalidStateError(message, "piece", facelets=here)
        if piece in seen_at:
            both = f"{position_name(size, seen_at[piece])} and {position_name(size, name)}"
            other = _piece_facelet_names(size, seen_at[piece])
            return InvalidStateError(f"{both} are the same piece, {shown(looks)}", "repeated", facelets=other + here)
        seen_at[piece] = name
    return None


def count_fault(facelets: str, colours: Iterable[str]) -> InvalidStateError | None:
    """Return the error for colours that occur too often or not often enough; None if all numbers are right.

    >>> print(count_fault("UUFDLB", "URFDLB"))
    each of six colours occurs 1 times on a cube, but 'U' 2 times and 'R' 0 times
    """
    number = len(facelets) // 6
    wrong = [f"{symbol!r} {facelets.count(symbol)} times" for symbol in colours if facelets.count(symbol) != number]
    if wrong:
        names = facelet_names(math.isqrt(number))
        too_many = [name for name, symbol in zip(names, facelets, strict=False) if facelets.count(symbol) > number]
        message = f"each of six colours occurs {number} times on a cube, but {listed(wrong)}"
        return InvalidStateError(message, "count", facelets=too_many)
    return None


def twist_fault(total: int) -> str:
    """Return the message for corners whose twists add up to a number that is not a multiple of 3."""
    way = "clockwise" if total % 3 == 1 else "anticlockwise"
    return f"the corners' twists do not cancel: one corner is twisted {way} in its place"


def relative(size: int, names: Sequence[str], start: str, target: str) -> str:
    """Return the facelets, in face letters, of the cube that is solved by exactly the algs from `start` to `target`.

    >>> relative(1, "URFDLB", "WRGYOB", "WBRYGO")
    'UFLDBR'
    """
    homes = places_by_looks(size, tuple(names), target).copy()
    named = [""] * len(start)
    for name in names:
        here = piece_facelets(size, name)
        looks = tuple([start[i] for i in here])
        if looks not in homes:
            where = f"{position_name(size, name)} shows {shown(looks)}"
            message = f"not two states of one cube: {where}, and the target has no such {_KINDS[len(name) - 1]}"
            raise InvalidStateError(message, "piece", facelets=_piece_facelet_names(size, name))
        for facelet, home in zip(here, homes[looks], strict=True):
            named[facelet] = facelet_names(size)[home][0]
        for others in turned(looks):
            del homes[others]
    return "".join(named)


# -- Words for messages ----------------------------------------------------------------------------------------------


def shown(colours: Iterable[str]) -> str:
    """Return colours separated by blanks, for messages."""
    return printable(" ".join(colours))


def listed(items: Sequence[str]) -> str:
    """Return items as a list in a sentence."""
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]

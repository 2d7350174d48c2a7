"""The 2x2x2 pocket cube: states, facelets, moves, rank and unrank (pure Python).

A state is written as 24 symbols, ``U1 U2 U3 U4 R1 ... B4``. Any six symbols can be the colours.
``docs/coordinates.md`` has the net of the facelets, and defines the rank, with a worked example.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections import Counter
from collections.abc import Iterable, Sequence

from cubesolve.definition.facelet_cube import FaceletCube
from cubesolve.definition.facelets import (
    Facelets,
    Rearrange,
    count_fault,
    cube_rotations,
    facelet_names,
    facelet_text,
    length_hint,
    listed,
    piece_facelets,
    piece_fault,
    piece_writer,
    places_by_looks,
    require_no_mirror,
    solved_facelets,
    turning,
    twist_fault,
)
from cubesolve.definition.notation import FACES, ROTATIONS, FaceTurn, metric_moves, parse_alg
from cubesolve.definition.state import rank_below
from cubesolve.errors import InvalidStateError, UnsolvableStateError

TWISTS = 729  # number of twists of the seven corners that move: 3**6
PERMUTATIONS = 5040  # number of permutations of the seven corners that move: 7!
STATES = PERMUTATIONS * TWISTS  # number of states up to whole-cube rotation: 3,674,160
FACELET_NAMES = facelet_names(2)  # names of the 24 facelets, in order

CORNERS = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DRB", "DBL")
"""The corner positions, each clockwise from its U or D facelet; the last one is the reference corner."""

TURNING_FACES = "URF"  # faces whose turns fix the corner DBL; they reach every state

CORNER_FACELETS = tuple(piece_facelets(2, name) for name in CORNERS)
"""The facelets of each corner position, clockwise from its U or D facelet."""

write_corners = piece_writer(CORNER_FACELETS)
"""Writes the facelets, given the piece at each position, and the place of its U or D colour."""

_CORNER_AT = {facelet: (i, k) for i, corner in enumerate(CORNER_FACELETS) for k, facelet in enumerate(corner)}


# -- Reading facelets ------------------------------------------------------------------------------------------------
# Renaming the colours so that the corner at DBL is solved accounts for the orientation and for the scheme at once.

# Each corner's colours twice over, so that three neighbours read clockwise from any of them; facelet 24 is a blank.
_CLOCKWISE = operator.itemgetter(*(i for a, b, c in CORNER_FACELETS for i in (a, b, c, a, b, 24)))
_SPAN = 6
_DBL = 7 * _SPAN


def _corner_codes(position: int) -> dict[str, int]:
    """Return the summands of a corner at one of seven positions in the code of a state, by its colours as face letters.

    A code has, from the low bits: the twist rank, the sum of the twists, the pieces as octal digits, and three bits for
    the number of occurrences of each piece.
    """
    codes = {}
    for piece, colours in enumerate(CORNERS[:7]):
        for twist in range(3):
            looks = colours[3 - twist :] + colours[: 3 - twist]
            weight = 3 ** (5 - position) if position < 6 else 0
            digit = piece << 3 * (6 - position)
            codes[looks] = (1 << 37 + 3 * piece) + (digit << 16) + (twist << 10) + twist * weight
    return codes


CORNER_CODES = tuple(map(_corner_codes, range(7)))
EACH_PIECE_ONCE = 0o1111111


@functools.cache
def permutation_parts() -> tuple[dict[int, int], dict[int, int]]:
    """Return the summands of the first four and the last three octal digits of a permutation in 729 * its rank."""
    heads = map("".join, itertools.permutations("0123456", 4))
    tails = (itertools.permutations(digits) for digits in itertools.combinations("0123456", 3))
    return (
        {int(head, 8): 6 * TWISTS * i for i, head in enumerate(heads)},
        {int("".join(tail), 8): TWISTS * i for group in tails for i, tail in enumerate(group)},
    )


def _read(facelets: str) -> tuple[int, str]:
    """Return the reference rank of a cube, and its colours in the order URFDLB when the corner at DBL is at home."""
    if len(facelets) != 24:
        message = f"a pocket cube has 24 facelets, not {len(facelets)}{length_hint(facelets)}"
        raise InvalidStateError(message, "length")
    clockwise = "".join(_CLOCKWISE(facelets + " "))
    # Corner DBL and its three neighbours below and behind give all six colours: DRB follows "BD" with R, and so on.
    down, back, left = clockwise[_DBL], clockwise[_DBL + 1], clockwise[_DBL + 2]
    up = clockwise[clockwise.find(left + back) + 2]
    right = clockwise[clockwise.find(back + down) + 2]
    front = clockwise[clockwise.find(down + left) + 2]
    colours = up + right + front + down + left + back
    if len(set(facelets)) == 6 == len(set(colours)):
        named = clockwise.translate(str.maketrans(colours, FACES))
        c0, c1, c2, c3, c4, c5, c6 = CORNER_CODES
        try:
            code = (
                c0[named[0:3]]
                + c1[named[6:9]]
                + c2[named[12:15]]
                + c3[named[18:21]]
                + c4[named[24:27]]
                + c5[named[30:33]]
                + c6[named[36:39]]
            )
        except KeyError:
            code = 0
        if code >> 37 == EACH_PIECE_ONCE and (code >> 10 & 63) % 3 == 0:
            heads, tails = permutation_parts()
            return heads[code >> 25 & 0o7777] + tails[code >> 16 & 0o777] + (code & 1023), colours
    raise _fault(facelets)


def reference_rank(facelets: str, *, letters_name_faces: bool = True) -> int:
    """Return the rank of a cube, 24 symbols and white space, with the corner at DBL as the reference piece."""
    rank, colours = _read(facelet_text(facelets, 2))
    if letters_name_faces:
        require_no_mirror(colours)
    return rank


@functools.lru_cache
def _home_colours(colours: str) -> str:
    """Return a colour scheme in the home orientation of the cube."""
    schemes = [scheme.translate(str.maketrans(FACES, colours)) for scheme in cube_rotations()]
    return FACES if FACES in schemes else min(schemes)


def _homing(facelets: str, colours: str) -> tuple[str, Rearrange]:
    """Return the rotation that brings the corner with these colours of D, B and L home, as an alg and as sources."""
    clockwise = "".join(_CLOCKWISE(facelets + " "))
    corner, place = divmod(clockwise.index(colours[3] + colours[5] + colours[4]), _SPAN)
    return turns_to_d3()[CORNER_FACELETS[corner][place]]


@functools.cache
def turns_to_d3() -> dict[int, tuple[str, Rearrange]]:
    """Return, for each facelet, the one rotation that brings it to D3."""
    d3 = CORNER_FACELETS[-1][0]
    turns: dict[int, tuple[str, Rearrange]] = {}
    for alg in cube_rotations().values():
        source: Sequence[int] = range(24)
        for move in parse_alg(alg):
            source = turning(2, move)(source)
        turns[source[d3]] = alg, operator.itemgetter(*source)
    return turns


# -- Errors of invalid facelets --------------------------------------------------------------------------------------


def _fault(facelets: str) -> InvalidStateError:
    """Return the most basic error of 24 facelets that are not a pocket cube."""
    colour_fault = _colour_fault(facelets)
    if colour_fault:
        return colour_fault
    colours = FACES if set(facelets) == set(FACES) else "".join(sorted(set(facelets)))
    corners = [tuple(facelets[i] for i in corner) for corner in CORNER_FACELETS]
    scheme, best = "", -1
    for rest in itertools.permutations(colours[1:]):
        other = colours[0] + "".join(rest)
        matching = _matching_pieces(other, corners)
        if matching > best:
            scheme, best = other, matching
        if best == len(corners):
            break
    fault = piece_fault(2, CORNERS, facelets, scheme)
    if fault:
        return fault
    twists = sum(corner.index(scheme[0] if scheme[0] in corner else scheme[3]) for corner in corners)
    return UnsolvableStateError(twist_fault(twists), "twist")


def _colour_fault(facelets: str) -> InvalidStateError | None:
    counts = Counter(FACES if set(FACES) <= set(facelets) else "")  # the others are then the wrong ones
    counts.update(facelets)
    unknown = [symbol for symbol, _ in counts.most_common()[6:]]
    if len(unknown) > 6:
        return InvalidStateError(f"{len(counts)} different symbols, where a cube has six colours", "symbol")
    if unknown:
        places = {FACELET_NAMES[i]: symbol for i, symbol in enumerate(facelets) if symbol in unknown}
        where = listed([f"{symbol!r} at {name}" for name, symbol in places.items()])
        return InvalidStateError(f"unknown symbol {where}: a cube has six colours", "symbol", facelets=list(places))
    expected = FACES if set(facelets) <= set(FACES) else "".join(sorted(set(facelets)))
    return count_fault(facelets, expected)


def _matching_pieces(scheme: str, corners: list[tuple[str, ...]]) -> int:
    """Return the number of corners that are pieces of a cube with this scheme."""
    pieces, face_of = places_by_looks(2, CORNERS, solved_facelets(2, FACES)), dict(zip(scheme, FACES, strict=True))
    looks = [tuple(face_of[colour] for colour in corner) for corner in corners]
    return len({min(pieces[faces]) for faces in looks if faces in pieces})


# -- Turns of U, R and F as tables over ranks --------------------------------------------------------------------------


@functools.cache
def _permutations() -> list[tuple[int, ...]]:
    return list(itertools.permutations(range(7)))


@functools.cache
def turn_tables(move: FaceTurn) -> tuple[list[int], list[int]]:
    """Return the effect of a turn of U, R or F on the two coordinates of a rank."""
    if move.turns > 1:
        quarter, rest = turn_tables(FaceTurn(move.letter, 1)), turn_tables(FaceTurn(move.letter, move.turns - 1))
        return [rest[0][p] for p in quarter[0]], [rest[1][t] for t in quarter[1]]
    sources = turning(2, move)(range(24))
    # The corner that moves to each position, and the place there of its U or D facelet.
    origin = [_CORNER_AT[sources[corner[0]]] for corner in CORNER_FACELETS[:7]]
    moved = operator.itemgetter(*(corner for corner, _ in origin))
    ranks = {pieces: rank for rank, pieces in enumerate(_permutations())}
    twists = []
    for rank in range(TWISTS):
        old = twists_of(rank)
        twists.append(twist_rank((old[corner] - place) % 3 for corner, place in origin[:6]))
    return [ranks[moved(pieces)] for pieces in _permutations()], twists


def twists_of(rank: int, corners: int = 7) -> list[int]:
    """Return the twists of some corners, the last of which follows from the others."""
    twists = [rank // 3**i % 3 for i in reversed(range(corners - 1))]
    return [*twists, -sum(twists) % 3]


def twist_rank(twists: Iterable[int]) -> int:
    """Return the rank of the twists of all corners but the last."""
    return functools.reduce(lambda total, twist: 3 * total + twist, twists)


@functools.cache
def neighbour_rows(metric: str) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return 729 times the permutation after each move of a metric, and the twist, a row for each one before."""
    tables = [turn_tables(move) for move in metric_moves(metric, TURNING_FACES)]
    permutations = zip(*([TWISTS * p for p in permutation] for permutation, _ in tables), strict=True)
    return list(permutations), list(zip(*(twist for _, twist in tables), strict=True))


# -- States ----------------------------------------------------------------------------------------------------------


class PocketCube(FaceletCube):
    """A 2x2x2 cube in an orientation: immutable, hashable, compared facelet by facelet.

    `rank` does not depend on the orientation: two cubes have the same rank exactly if one is the other, recoloured and
    rotated.

    >>> cube = PocketCube.from_alg("R U R' U'")
    >>> cube
    PocketCube('ULUFRUURFDFFDRDDBLLLBRBB')
    >>> cube.apply("U R U' R'").is_solved
    True
    >>> cube == cube.apply("y"), cube.rank == cube.apply("y").rank
    (False, True)
    """

    __slots__ = ("_reference_rank",)
    _reference_rank: int
    size, pieces, letters, _called = 2, CORNERS, FACES + ROTATIONS, "pocket cube"

    def __init__(self, facelets: Facelets) -> None:
        """Read 24 facelets; see `from_facelets`."""
        text = facelet_text(facelets, 2)
        object.__setattr__(self, "_facelets", text)
        rank, colours = _read(text)
        require_no_mirror(colours)
        object.__setattr__(self, "_reference_rank", rank)

    @staticmethod
    def _check(facelets: str) -> object:
        return _read(facelets)

    @classmethod
    def unrank(cls, rank: int) -> PocketCube:
        """Return the state with a rank, in face letters and with the corner DBL at home.

        Raises:
            ValueError: the rank is not in 0..3674159.

        >>> PocketCube.unrank(0) == PocketCube.solved()
        True
        >>> PocketCube.unrank(2745).rank
        2745
        """
        permutation, twist = divmod(rank_below(STATES, rank), TWISTS)
        pieces = map(CORNERS.__getitem__, (*_permutations()[permutation], 7))
        return cls(write_corners(pieces, [*twists_of(twist), 0]))

    @property
    def colours(self) -> str:
        """The six colours of U R F D L B on the solved cube at home.

        Face letters name their faces. Other symbols do not determine home; it is then the orientation in which this
        string comes first in the alphabet.

        >>> PocketCube("UUUUBBBBRRRRDDDDFFFFLLLL").colours, PocketCube("WWWWRRRRGGGGYYYYOOOOBBBB").colours
        ('URFDLB', 'BOYGRW')
        """
        return _home_colours(_read(self._facelets)[1])

    @property
    def rank(self) -> int:
        """The index of the state in 0..3674159, 0 for a solved cube: the same in every orientation.

        >>> PocketCube.from_alg("U").rank == PocketCube.from_alg("U x y2").rank
        True
        """
        _, turned = _homing(self._facelets, self.colours)
        return _read("".join(turned(self._facelets)))[0]

    @property
    def reference_rank(self) -> int:
        """The rank with the corner at DBL as the reference piece; see `reference_rank`."""
        return self._reference_rank

    @property
    def is_solved(self) -> bool:
        """Whether every face shows one colour."""
        return self._reference_rank == 0

    def normalized(self) -> PocketCube:
        """Return the cube in face letters, rotated so that the corner DBL is at home.

        >>> PocketCube.from_alg("x y2").normalized() == PocketCube.solved()
        True
        """
        return PocketCube.unrank(self.rank)

    def homing_rotation(self) -> str:
        """Return at most two rotations that bring the cube home: its corner with the colours of D, B and L to DBL.

        >>> PocketCube.from_alg("R U2 y").homing_rotation()
        "y'"
        """
        return _homing(self._facelets, self.colours)[0]

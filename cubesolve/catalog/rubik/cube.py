"""The 3x3x3 Rubik's cube: states, facelets, moves, cubies and symmetries (pure Python).

A state is written as 54 symbols, ``U1 U2 ... U9 R1 ... B9``. Any six symbols can be the colours: those of the centres.
``docs/coordinates.md`` has the net of the facelets.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

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
    require_no_mirror,
    shown,
    symmetries,
    twist_fault,
)
from cubesolve.definition.notation import FACES, LETTERS, FaceTurn, invert_alg, moves_of
from cubesolve.errors import InvalidStateError, StateFault, UnsolvableStateError
from cubesolve.group.permutations import is_odd

if TYPE_CHECKING:
    import random

CORNERS = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DBL", "DRB")
"""The corner positions and the pieces at home there, each clockwise from its U or D facelet."""

EDGES = ("UR", "UF", "UL", "UB", "DR", "DF", "DL", "DB", "FR", "FL", "BL", "BR")
"""The edge positions and the pieces at home there, each from its U or D facelet, or else its F or B facelet."""

FACELET_NAMES = facelet_names(3)  # names of the 54 facelets, in order

CORNER_FACELETS = tuple(piece_facelets(3, name) for name in CORNERS)
"""The facelets of each corner position, in the order of its name."""

EDGE_FACELETS = tuple(piece_facelets(3, name) for name in EDGES)
"""The facelets of each edge position, in the order of its name."""

_CENTRES = slice(4, 54, 9)
_WRITE = piece_writer([*zip(range(4, 54, 9)), *CORNER_FACELETS, *EDGE_FACELETS])


# -- Cubies ----------------------------------------------------------------------------------------------------------


class Cubies(NamedTuple):
    """The positions of the twenty pieces, in Kociemba's convention, relative to the centres.

    Attributes:
        corners: the corner piece at each position, in the order of `CORNERS`.
        twists: the position of its U or D colour: 0 on the position's U or D facelet, then clockwise 1 and 2.
        edges: the edge piece at each position, in the order of `EDGES`.
        flips: 0 if the first colour of its name is on the first facelet of the position, 1 otherwise.

    >>> turn_cubies(FaceTurn("U", 1)).corners
    (3, 0, 1, 2, 4, 5, 6, 7)
    """

    corners: tuple[int, ...]
    twists: tuple[int, ...]
    edges: tuple[int, ...]
    flips: tuple[int, ...]

    def then(self, change: Cubies) -> Cubies:
        """Return these cubies after the moves that lead from the solved cube to `change`.

        >>> r, u = turn_cubies(FaceTurn("R", 1)), turn_cubies(FaceTurn("U", 1))
        >>> r.then(u) == RubikCube.from_alg("R U").cubies
        True
        """
        return Cubies(
            tuple(self.corners[i] for i in change.corners),
            tuple((self.twists[i] + twist) % 3 for i, twist in zip(change.corners, change.twists, strict=True)),
            tuple(self.edges[i] for i in change.edges),
            tuple((self.flips[i] + flip) % 2 for i, flip in zip(change.edges, change.flips, strict=True)),
        )


_HOME = Cubies(tuple(range(8)), (0,) * 8, tuple(range(12)), (0,) * 12)
_SHAPE = Cubies((8, 8), (8, 3), (12, 12), (12, 2))  # the number of numbers, and of different ones


@functools.cache
def turn_cubies(move: FaceTurn) -> Cubies:
    """Return the solved cube after a turn of a face."""
    moves_of(move, FACES)
    return RubikCube.solved().apply(move).cubies


def _flaws(cubies: Cubies) -> dict[StateFault, str]:
    """Return the reasons why no moves lead to these cubies, by kind."""
    flaws: dict[StateFault, str] = {}
    if sum(cubies.twists) % 3:
        flaws["twist"] = twist_fault(sum(cubies.twists))
    if sum(cubies.flips) % 2:
        flaws["flip"] = "the edges' flips do not cancel: one edge is flipped in its place"
    if is_odd(cubies.corners) != is_odd(cubies.edges):
        flaws["parity"] = "the exchanges of pieces do not cancel: two corners or two edges are exchanged"
    return flaws


def _require_cubies(cubies: Cubies) -> None:
    """Reject numbers that are not one piece and one orientation for each position."""
    if not isinstance(cubies, Cubies) or not all(isinstance(values, Sequence) for values in cubies):
        raise InvalidStateError(f"expected Cubies, which has four tuples, not {type(cubies).__name__}", "type")
    for field, (length, different), values in zip(Cubies._fields, _SHAPE, cubies, strict=True):
        if len(values) != length:
            raise InvalidStateError(f"{field} has {len(values)} numbers, not {length}")
        for i, value in enumerate(values):
            if value not in range(different):
                raise InvalidStateError(f"{field}[{i}] is {value!r}, not a number from 0 to {different - 1}")
            if different == length and value in values[:i]:
                raise InvalidStateError(f"{field} has {value} both at {values.index(value)} and at {i}")


# -- Reading facelets ------------------------------------------------------------------------------------------------

_PIECE_BY_PIECE = operator.itemgetter(*itertools.chain(*CORNER_FACELETS, *EDGE_FACELETS))
CORNER_LOOKS = {name[-k:] + name[:-k]: (i, k) for i, name in enumerate(CORNERS) for k in range(3)}
"""The corner with given colours, from the first facelet of its position on, and its twist there."""

EDGE_LOOKS = {name[-k:] + name[:-k]: (i, k) for i, name in enumerate(EDGES) for k in range(2)}
"""The edge with given colours, and its flip."""

_CORNER_SPANS = [slice(i, i + 3) for i in range(0, 24, 3)]
_EDGE_SPANS = [slice(i, i + 2) for i in range(24, 48, 2)]


def named_by_centres(facelets: str) -> str:
    """Return facelets in face letters, each colour named by the face whose centre has it."""
    return facelets.translate(str.maketrans(facelets[_CENTRES], FACES))


def read_cubies(facelets: str) -> Cubies:
    """Return the cubies of a cube in any six colours; face letters have no special meaning."""
    centres = facelets[_CENTRES]
    if len(facelets) == 54 and len(set(facelets)) == 6 == len(set(centres)):
        looks = "".join(_PIECE_BY_PIECE(facelets)).translate(str.maketrans(centres, FACES))
        try:
            corners, twists = zip(*[CORNER_LOOKS[looks[span]] for span in _CORNER_SPANS], strict=True)
            edges, flips = zip(*[EDGE_LOOKS[looks[span]] for span in _EDGE_SPANS], strict=True)
        except KeyError:
            raise _fault(facelets) from None
        if len(set(corners)) == 8 and len(set(edges)) == 12:
            cubies = Cubies(corners, twists, edges, flips)
            flaws = _flaws(cubies)
            if flaws:
                raise UnsolvableStateError("; ".join(flaws.values()), next(iter(flaws)))
            return cubies
    raise _fault(facelets)


# -- Errors of invalid facelets --------------------------------------------------------------------------------------


def _fault(facelets: str) -> InvalidStateError:
    """Return the most basic error of facelets that are not the pieces of a cube."""
    return next(fault for fault in _faults(facelets) if fault)


def _faults(facelets: str) -> Iterator[InvalidStateError | None]:
    if len(facelets) != 54:
        message = f"a 3x3x3 cube has 54 facelets, not {len(facelets)}{length_hint(facelets)}"
        yield InvalidStateError(message, "length")
    centres = facelets[_CENTRES]
    for centre in centres:
        alike = [f"{face}5" for face, other in zip(FACES, centres, strict=True) if other == centre]
        if len(alike) > 1:
            message = f"the six centres of a cube differ, but {listed(alike)} show {centre!r}"
            yield InvalidStateError(message, "colours", facelets=alike)
    places = {name: s for name, s in zip(FACELET_NAMES, facelets, strict=True) if s not in centres}
    unknown = [f"{symbol!r} at {name}" for name, symbol in places.items()]
    if len(unknown) > 6:
        unknown[5:] = [f"{len(unknown) - 5} more"]
    if unknown:
        message = f"unknown symbol {listed(unknown)}: the centres show {shown(centres)}"
        yield InvalidStateError(message, "symbol", facelets=list(places))
    yield count_fault(facelets, centres)
    yield piece_fault(3, CORNERS, facelets, centres)
    yield piece_fault(3, EDGES, facelets, centres)


# -- States ----------------------------------------------------------------------------------------------------------


class RubikCube(FaceletCube):
    """A 3x3x3 cube in an orientation: immutable, hashable, compared facelet by facelet.

    >>> cube = RubikCube.from_alg("R U R' U'")
    >>> cube
    RubikCube('UULUUFUUFRRUBRRURRFFDFFUFFFDDRDDDDDDBLLLLLLLLBRRBBBBBB')
    >>> cube.apply("U R U' R'").is_solved
    True
    """

    __slots__ = ("_cubies",)
    _cubies: Cubies
    size, pieces, letters, _called = 3, (*CORNERS, *EDGES, *FACES), LETTERS, "3x3x3 cube"

    def __init__(self, facelets: Facelets) -> None:
        """Read 54 facelets; see `from_facelets`."""
        text = facelet_text(facelets, 3)
        object.__setattr__(self, "_facelets", text)
        object.__setattr__(self, "_cubies", read_cubies(text))
        require_no_mirror(self.centres)

    @staticmethod
    def _check(facelets: str) -> object:
        return read_cubies(facelets)

    @classmethod
    def from_cubies(cls, cubies: Cubies) -> RubikCube:
        """Return the cube with some cubies, in face letters and at home.

        Raises:
            InvalidStateError: they are not every piece once, or a number is out of range.
            UnsolvableStateError: one corner is twisted or one edge flipped in its place, or two pieces are exchanged.

        >>> cube = RubikCube.from_alg("R U F2")
        >>> RubikCube.from_cubies(cube.cubies) == cube
        True
        """
        _require_cubies(cubies)
        corners, edges = map(CORNERS.__getitem__, cubies.corners), map(EDGES.__getitem__, cubies.edges)
        return cls(_WRITE((*FACES, *corners, *edges), (*(0,) * 6, *cubies.twists, *cubies.flips)))

    @property
    def centres(self) -> str:
        """The colours of the centres of U R F D L B, in the orientation of the cube."""
        return self._facelets[_CENTRES]

    @property
    def colours(self) -> str:
        """The six colours of U R F D L B on the solved cube at home.

        Face letters name their faces. Other symbols do not determine home; it is then the orientation of the cube.

        >>> RubikCube.from_alg("y").colours, RubikCube.from_alg("y").centres
        ('URFDLB', 'UBRDFL')
        """
        centres = self.centres
        return FACES if centres in cube_rotations() else centres

    @property
    def cubies(self) -> Cubies:
        """The positions of the pieces, relative to the centres in this orientation."""
        return self._cubies

    @property
    def is_solved(self) -> bool:
        """Whether every face shows one colour."""
        return self._cubies == _HOME

    def homing_rotation(self) -> str:
        """Return the rotations, at most two, that bring the centres home.

        >>> RubikCube.from_alg("R U2 y").homing_rotation()
        "y'"
        """
        return invert_alg(cube_rotations()[self.centres.translate(str.maketrans(self.colours, FACES))])

    def symmetric_facelets(self) -> list[str]:
        """Return the facelets of the images of the cube under the 48 symmetries of a cube, in face letters and at home.

        The image of an alg that leads to the cube leads to its image, so all images have the same depth. Each image
        occurs as often as the cube has symmetries itself. That of the identity is the first.

        >>> images = RubikCube.from_alg("U").symmetric_facelets()
        >>> len(set(images)), images.count(images[0])
        (12, 4)
        """
        named = named_by_centres(self._facelets)
        return ["".join(arrange(named)).translate(faces) for arrange, faces in _named_symmetries()]


@functools.cache
def _named_symmetries() -> list[tuple[Rearrange, dict[int, int]]]:
    return [(arrange, str.maketrans(FACES, faces)) for arrange, faces in symmetries(3)]


def random_cube(source: random.Random) -> RubikCube:
    """Return a uniformly random cube, in face letters and at home."""
    corners, edges = source.sample(range(8), 8), source.sample(range(12), 12)
    if is_odd(corners) != is_odd(edges):
        edges[:2] = edges[1], edges[0]
    twists, flips = source.choices(range(3), k=7), source.choices(range(2), k=11)
    twists.append(-sum(twists) % 3)
    flips.append(sum(flips) % 2)
    return RubikCube.from_cubies(Cubies(tuple(corners), tuple(twists), tuple(edges), tuple(flips)))

"""Cubes that are described by their facelets: what cubes of all sizes have in common (pure Python)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from cubesolve.definition.facelets import (
    Facelets,
    facelet_text,
    relative,
    require_colours,
    shown,
    solved_facelets,
    turn,
)
from cubesolve.definition.notation import FACES, FaceTurn, moves_of
from cubesolve.errors import InvalidStateError
from cubesolve.picture.immutable import Drawn

if TYPE_CHECKING:
    from cubesolve.picture.pictures import Picture


class FaceletCube(Drawn, ABC):
    """A cube described by its facelets: immutable, hashable, compared facelet by facelet.

    Attributes:
        size: the number of layers.
        pieces: the names of all pieces.
        letters: the letters with which a move can begin.
    """

    __slots__ = ("_facelets",)
    _facelets: str
    size: ClassVar[int]
    pieces: ClassVar[Sequence[str]]
    letters: ClassVar[Sequence[str]]
    _called: ClassVar[str]

    @abstractmethod
    def __init__(self, facelets: Facelets, /) -> None:
        """Take and check the facelets."""

    @staticmethod
    @abstractmethod
    def _check(facelets: str) -> object:
        """Reject facelets that are not a cube, in any colours."""

    @classmethod
    def solved(cls) -> Self:
        """Return the solved cube in face letters.

        >>> from cubesolve import PocketCube, RubikCube
        >>> print(PocketCube.solved())
        UUUURRRRFFFFDDDDLLLLBBBB
        >>> print(RubikCube.solved())
        UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB
        """
        return cls._in_order(FACES)

    @classmethod
    def _in_order(cls, scheme: str) -> Self:
        return cls(solved_facelets(cls.size, scheme))

    @classmethod
    def from_facelets(cls, facelets: Facelets, colours: str | None = None) -> Self:
        """Read a cube from its facelets, in any of the 24 orientations.

        Args:
            facelets: the symbols of the faces U R F D L B, each row by row; white space is ignored. Or the rows of a
                net, as `cubesolve show` prints them; also ASCII bytes, or a list of symbols.
            colours: the six symbols that the solved cube shows on U R F D L B. The cube is then renamed to face
                letters. Without it, any six symbols in any arrangement are taken as they are.

        Raises:
            InvalidStateError: wrong length, equal centres, unknown symbol, wrong counts, an impossible corner or edge,
                a piece that occurs twice, a mirror scheme; the message says which and where.
            UnsolvableStateError: one corner is twisted or one edge flipped in its place, or two pieces are exchanged.

        >>> from cubesolve import PocketCube, RubikCube
        >>> PocketCube.from_facelets("WWWW BBRR RRGG YYYY GGOO OOBB").apply("U'").is_solved
        True
        >>> PocketCube.from_facelets("WWWWRRRRGGGGYYYYOOOOBBBB", colours="WRGYOB") == PocketCube.solved()
        True
        >>> RubikCube.from_facelets("WWWWWWWWW BBBRRRRRR RRRGGGGGG YYYYYYYYY GGGOOOOOO OOOBBBBBB").apply("U'").is_solved
        True
        """
        if colours is None:
            return cls(facelets)
        text = facelet_text(facelets, cls.size)
        require_colours(text, cls.size, colours)
        cls._check(text)  # errors name the given colours
        cube = cls(text.translate(str.maketrans(colours, FACES)))
        if cube.colours != FACES:
            what = f"the colours are not arranged as on a cube with {shown(colours)} on U R F D L B"
            raise InvalidStateError(what, "colours")
        return cube

    @classmethod
    def from_alg(cls, alg: str | Iterable[str | FaceTurn]) -> Self:
        """Return the cube after an alg from the solved one.

        Raises:
            InvalidMoveError: a token is not a move.

        >>> from cubesolve import PocketCube, RubikCube
        >>> PocketCube.from_alg("R L' x'").rank  # turns the layers against each other and the cube back
        0
        >>> RubikCube.from_alg("R M' L' x'").is_solved  # turns the three layers one by one, and the cube back
        True
        """
        return cls.solved().apply(alg)

    @property
    def facelets(self) -> str:
        """The facelets, in the colours of the input."""
        return self._facelets

    @property
    @abstractmethod
    def colours(self) -> str:
        """The six colours of U R F D L B on the solved cube at home."""

    @abstractmethod
    def homing_rotation(self) -> str:
        """Return the rotations that bring the cube to its home orientation."""

    def apply(self, alg: str | FaceTurn | Iterable[str | FaceTurn]) -> Self:
        """Return the cube after a move, an alg, or a list of these.

        Args:
            alg: turns of faces ``U R F D L B``, and rotations ``x y z``. Moves of a 3x3x3 are also turns of two layers
                ``Uw ... Bw``, and of the layers between two faces ``M E S`` (turned as L, D and F).

        Raises:
            InvalidMoveError: a token is not a move, or a `FaceTurn` has no such letter or amount.

        >>> from cubesolve import PocketCube, RubikCube
        >>> print(PocketCube.solved().apply("y"))
        UUUUBBBBRRRRDDDDFFFFLLLL
        >>> RubikCube.solved().apply("Rw M") == RubikCube.solved().apply("R")
        True
        """
        return type(self)(turn(self.size, self._facelets, moves_of(alg, self.letters)))

    def inverse(self) -> Self:
        """Return the inverse: the cube after the inverse of any alg that leads to this one.

        >>> from cubesolve import RubikCube
        >>> RubikCube.from_alg("R U2 y").inverse() == RubikCube.from_alg("y' U2 R'")
        True
        """
        named = self._in_order(self.colours).relative_to(self).facelets
        return type(self)(named.translate(str.maketrans(FACES, self.colours)))

    def relative_to(self, target: Self) -> Self:
        """Return the cube, in face letters, that is solved by exactly the algs that lead from this cube to `target`.

        Raises:
            InvalidStateError: the two are not states of one cube: their pieces have different colours.

        >>> from cubesolve import RubikCube
        >>> start, target = RubikCube.from_alg("R"), RubikCube.from_alg("R U")
        >>> start.relative_to(target).apply("U") == RubikCube.solved()
        True
        """
        if not isinstance(target, type(self)):
            raise InvalidStateError(f"expected another {self._called}, not {type(target).__name__}", "type")
        return type(self)(relative(self.size, self.pieces, self._facelets, target._facelets))

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self._facelets,)

    def __eq__(self, other: object) -> bool:
        return self._facelets == other._facelets if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._facelets)

    def __str__(self) -> str:
        return self._facelets

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._facelets!r})"

    def _drawn(self) -> Picture:
        return drawn(self._facelets, self.colours)


def drawn(facelets: str, colours: str, *, above: bool = False) -> Picture:
    """Return the net of a cube, or its picture from above."""
    from cubesolve.picture.pictures import from_above, net  # noqa: PLC0415  # needed for pictures only

    return (from_above if above else net)(facelets, colours)


Cube = TypeVar("Cube", bound=FaceletCube)

"""What cubes that are given by their facelets have in common (pure Python)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from cubesolve.errors import InvalidMoveError, InvalidStateError
from cubesolve.facelets import FaceletCube, is_no_facelets, relative_cube
from cubesolve.notation import FACES, LETTERS, ROTATIONS, invert_alg, parse_alg
from cubesolve.spaces.rules import Form, Rules

if TYPE_CHECKING:
    from cubesolve.pictures import Picture
    from cubesolve.puzzles.goals import NamedGoal
    from cubesolve.scenes import Motion, Scene


Cube = TypeVar("Cube", bound=FaceletCube)


def cube_of(kind: type[Cube], text: str) -> Cube:
    """A cube from its facelets, or from an alg that cannot be meant as these.

    Args:
        kind: its type.
        text: the facelets, or the alg.

    Raises:
        InvalidStateError: it is neither.
        InvalidMoveError: it begins like an alg, and something in it is not a move.

    >>> from cubesolve import PocketCube
    >>> cube_of(PocketCube, "R U2") == PocketCube.from_alg("R U2")
    True
    """
    try:
        return kind(text)
    except InvalidStateError as fault:
        if not is_no_facelets(text):
            raise
        try:
            return kind.from_alg(text)
        except InvalidMoveError as error:
            if text[: error.position].strip():
                raise
        raise fault from None


class FaceletRules(Rules):
    """A cube that is its facelets.

    Attributes:
        cube_type: that of its states.
        size: how many cubies it has along an edge.
        pieces: the names of all pieces.
        letters: the letters of moves that can be chosen.
        goals: what is worth reaching on the way, by name; where there are several, any of them.
    """

    cube_type: type[Any]
    size: int
    pieces: Sequence[str]
    letters: Sequence[str]
    goals: Mapping[str, tuple[NamedGoal, ...]] = {}  # nobody changes it

    @property
    def order(self) -> int | None:
        """See `Rules.order`: no two states differ by a rotation alone."""
        return self.number_of_states

    def facelet_forms(self) -> Mapping[str, Form]:
        """Facelets, and the net."""
        number = 6 * self.size**2
        return {
            "urfdlb": Form(
                functools.partial(cube_of, self.cube_type),
                str,
                f"{number} facelets, U R F D L B, each row by row; or an alg",
            ),
            "net": Form(self.cube_type, self.net, "the net, as show prints it", lines=3 * self.size),
        }

    def reader(self, form: str, *, colours: str | None = None, **_how: Any) -> Callable[[str], Any]:
        """What reads cubes in a form."""
        if form == "urfdlb" and colours is None:
            return functools.partial(cube_of, self.cube_type)  # other forms need not be loaded
        if form not in {"urfdlb", "net"} or colours is None:
            return self.forms[form].read
        return functools.partial(self.cube_type.from_facelets, colours=colours)

    def relative(self, start: Any, target: Any) -> tuple[Any, Callable[[str], str]]:
        """See `FaceletCube.relative_to`; rotations that do not count make the cube end as the target is held."""
        if isinstance(target, str) and target in self.metrics:
            raise ValueError(f"{target} is a metric, not a goal: write metric={target!r}")
        return relative_cube(self.read(start), self.read(target))

    def invert(self, alg: str) -> str:
        """See `notation.invert_alg`."""
        return invert_alg(alg)

    def restricted(self, moves: str | None, costs: Mapping[str, int] | str | None, *, inverses: bool = True) -> Rules:
        """See `Rules.restricted`."""
        from cubesolve.spaces.restricted import restrict  # noqa: PLC0415  # few questions are about chosen moves

        return restrict(self, moves, costs, inverses)

    def towards(self, goal: Any) -> Rules:
        """See `Rules.towards`."""
        return self.restricted(None, None).towards(goal)

    def solved(self, like: FaceletCube | None) -> Any:
        """See `Rules.solved`."""
        scheme = FACES if like is None else self.scheme(like)
        return self.cube_type("".join(colour * self.size**2 for colour in scheme))

    def scheme(self, state: Any) -> str:
        """The colours of U R F D L B at home."""
        return str(state.colours)

    def is_free(self, move: str) -> bool:
        """See `Rules.is_free`."""
        return move[0] in ROTATIONS

    def picture(self, state: FaceletCube) -> Picture:
        """The net."""
        from cubesolve.pictures import net  # noqa: PLC0415  # few cubes are shown

        return net(state.facelets, self.scheme(state))

    def scene(self, state: FaceletCube) -> Scene:
        """See `Rules.scene`."""
        from cubesolve.pictures import paints_of  # noqa: PLC0415  # few cubes are shown
        from cubesolve.puzzles.shapes import cube_scene  # noqa: PLC0415

        paints = paints_of(self.scheme(state))
        return cube_scene(self.size, [paints[symbol] for symbol in state.facelets])

    def motion(self, state: FaceletCube, move: str) -> Motion:  # noqa: ARG002
        """See `Rules.motion`."""
        from cubesolve.puzzles.shapes import cube_motion  # noqa: PLC0415

        (made,) = parse_alg(move, LETTERS)
        return cube_motion(self.size, made)

    def split(self, alg: str) -> list[str]:
        """See `Rules.split`."""
        return list(map(str, parse_alg(alg, (*self.letters, *ROTATIONS))))

    def net(self, state: FaceletCube) -> str:
        """The net as lines of text."""
        return self.picture(state).text()

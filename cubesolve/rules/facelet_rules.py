"""What cubes that are given by their facelets have in common (pure Python)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cubesolve.facelets import FaceletCube
from cubesolve.notation import ROTATIONS
from cubesolve.rules.rules import Rules

if TYPE_CHECKING:
    from cubesolve.pictures import Picture
    from cubesolve.rules.goals import NamedGoal


class FaceletRules(Rules):
    """A cube that is its facelets.

    Attributes:
        size: how many cubies it has along an edge.
        pieces: the names of all pieces.
        letters: the letters of moves that can be chosen.
        goals: what is worth reaching on the way, by name; where there are several, any of them.
    """

    size: int
    pieces: Sequence[str]
    letters: Sequence[str]
    goals: Mapping[str, tuple[NamedGoal, ...]] = {}  # nobody changes it

    @property
    def order(self) -> int | None:
        """See `Rules.order`: no two states differ by a rotation alone."""
        return self.number_of_states

    def cube(self, facelets: str) -> Any:
        """The cube with these facelets in face letters."""
        raise NotImplementedError

    def restricted(self, moves: str | None, costs: Mapping[str, int] | str | None) -> Rules:
        """See `Rules.restricted`."""
        from cubesolve.rules.restricted import restrict  # noqa: PLC0415  # few questions are about chosen moves

        return restrict(self, moves, costs)

    def towards(self, goal: Any) -> Rules:
        """See `Rules.towards`."""
        return self.restricted(None, None).towards(goal)

    def solved(self, like: FaceletCube) -> Any:
        """See `Rules.solved`."""
        return self.cube("".join(colour * self.size**2 for colour in self.scheme(like)))

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

    def net(self, state: FaceletCube) -> str:
        """The net as lines of text."""
        return self.picture(state).text()

"""Cubes with tables or searches of their own, given by their facelets (pure Python)."""

from __future__ import annotations

from collections.abc import Callable

from cubesolve.definition.facelet_cube import Cube
from cubesolve.definition.facelet_view import FaceletView
from cubesolve.spaces.rules import Rules


class FaceletRules(Rules[Cube]):
    """A cube that is given by its facelets."""

    view: FaceletView[Cube]

    @property
    def order(self) -> int | None:
        """The number of states; states that differ by a rotation count once."""
        return self.number_of_states

    def relative(self, start: object, target: object) -> tuple[Cube, Callable[[str], str]]:
        """Return the state whose solutions lead from one state to another, and how to complete such an alg.

        Rotations of the whole cube are free; those are appended that leave the cube in the target's orientation.
        """
        if isinstance(target, str) and target in self.metrics:
            raise ValueError(f"{target} is a metric, not a goal: write metric={target!r}")
        state = self.read(start).relative_to(self.read(target))
        return state, lambda alg: f"{alg} {state.apply(alg).homing_rotation()}".strip()

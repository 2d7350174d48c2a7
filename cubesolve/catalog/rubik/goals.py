"""Steps of solving a 3x3x3, by their usual names."""

from __future__ import annotations

from collections.abc import Mapping

from cubesolve.catalog.rubik.cube import CORNERS, EDGES
from cubesolve.definitions.facelet_goals import on_every_face
from cubesolve.definitions.goals import NamedGoal

_CROSS = "DR DF DL DB"
_LAYER = "DFR DLF DBL DRB"
_SLOTS = ("DFR FR", "DLF FL", "DBL BL", "DRB BR")

GOALS: Mapping[str, tuple[NamedGoal, ...]] = {
    **on_every_face(
        {
            "cross": NamedGoal(_CROSS),
            "first-layer": NamedGoal(f"{_CROSS} {_LAYER}"),
            "f2l": NamedGoal(f"{_CROSS} {' '.join(_SLOTS)}"),
        }
    ),
    "x-cross": tuple(NamedGoal(f"{_CROSS} {slot}") for slot in _SLOTS),
    "eo": (NamedGoal(alike=("U2 U4 U6 U8 D2 D4 D6 D8 F4 F6 B4 B6",)),),
    "dr": (NamedGoal(alike=("U2 U4 U6 U8 D2 D4 D6 D8", "F4 F6 B4 B6", "U1 U3 U7 U9 D1 D3 D7 D9")),),
    "edges": (NamedGoal(" ".join(EDGES)),),
    "corners": (NamedGoal(" ".join(CORNERS)),),
}
"""The steps: ``eo`` is edge orientation as seen from F and B, ``dr`` the subgroup <U, D, R2, F2, L2, B2>."""

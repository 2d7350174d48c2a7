"""Steps of solving a 3x3x3, by their usual names."""

from __future__ import annotations

from collections.abc import Mapping

from cubesolve.catalog.rubik.cube import CORNERS, EDGES, RubikCube, turn_cubies
from cubesolve.definitions.facelet_goals import on_every_face
from cubesolve.definitions.goals import NamedGoal
from cubesolve.notation import FaceTurn

CROSS = "DR DF DL DB"
"""The edges of the cross on D."""

_LAYER = "DFR DLF DBL DRB"
_SLOTS = {"FR": "DFR FR", "FL": "DLF FL", "BL": "DBL BL", "BR": "DRB BR"}

F2L = f"{CROSS} {' '.join(_SLOTS.values())}"
"""The pieces of the first two layers, those of D and above it."""

UPPER_CORNERS, UPPER_EDGES = "URF UFL ULB UBR", "UR UF UL UB"
"""The corners and the edges of the layer U."""

UPPER_FACE = "U1 U2 U3 U4 U6 U7 U8 U9"
"""The facelets of the face U that turns move."""

_LEFT, _RIGHT = "DL FL BL DLF DBL", "DR FR BR DFR DRB"

ROUX_BLOCKS = f"{_LEFT} {_RIGHT}"
"""The pieces of the two blocks of 1x2x3 on the left and on the right."""

_HALF_TURNS = ("U2", "D2", "R2", "L2", "F2", "B2")
_SLICES = ("U2 U8 D2 D8", "F2 F8 B2 B8", "U4 U6 D4 D6", "R2 R8 L2 L8", "F4 F6 B4 B6", "R4 R6 L4 L6")


def _half_turned() -> list[str]:
    """Return an alg of half turns for each of the 96 arrangements of the corners that these make."""
    algs = {(home := RubikCube.solved().cubies).corners: ""}
    turns = [(name, turn_cubies(FaceTurn(name[0], 2))) for name in _HALF_TURNS]
    for cubies in (reached := [home]):
        for name, turn in turns:
            there = cubies.then(turn)
            if there.corners not in algs:
                algs[there.corners] = f"{algs[cubies.corners]} {name}".strip()
                reached.append(there)
    return list(algs.values())


STEP_MOVES = {
    ("eo", "dr"): "U D R L F2 B2",
    ("dr", "htr"): "U D R2 L2 F2 B2",
    ("htr", "solved"): " ".join(_HALF_TURNS),
}
"""The moves that keep a step, with which the next one is made."""

METHODS = {
    "CFOP": ("cross", "f2l", "oll", "pll"),
    "Roux": ("roux-block", "roux-blocks", "cmll", "solved"),
    "fewest moves": ("eo", "dr", "htr", "solved"),
}
"""The steps of usual methods."""

GOALS: Mapping[str, tuple[NamedGoal, ...]] = {
    **on_every_face(
        {
            "cross": NamedGoal(CROSS),
            "first-layer": NamedGoal(f"{CROSS} {_LAYER}"),
            "f2l": NamedGoal(F2L),
        }
    ),
    "x-cross": tuple(NamedGoal(f"{CROSS} {slot}") for slot in _SLOTS.values()),
    **{f"x-cross-{name}": (NamedGoal(f"{CROSS} {slot}"),) for name, slot in _SLOTS.items()},
    "oll": (NamedGoal(F2L, (UPPER_FACE,)),),
    "eo": (NamedGoal(alike=("U2 U4 U6 U8 D2 D4 D6 D8 F4 F6 B4 B6",)),),
    "dr": (NamedGoal(alike=("U2 U4 U6 U8 D2 D4 D6 D8", "F4 F6 B4 B6", "U1 U3 U7 U9 D1 D3 D7 D9")),),
    "htr": tuple(NamedGoal(" ".join(CORNERS), _SLICES, alg) for alg in _half_turned()),
    "roux-block": (NamedGoal(_LEFT),),
    "roux-blocks": (NamedGoal(ROUX_BLOCKS),),
    "cmll": (NamedGoal(f"{ROUX_BLOCKS} {UPPER_CORNERS}"),),
    "edges": (NamedGoal(" ".join(EDGES)),),
    "corners": (NamedGoal(" ".join(CORNERS)),),
}
"""The steps.

``eo`` is edge orientation as seen from F and B, ``dr`` the subgroup <U, D, R2, F2, L2, B2>, ``htr`` that of half turns.
"""

"""Steps of solving a pocket cube, and sets of cases."""

from __future__ import annotations

from collections.abc import Mapping

from cubesolve.catalog.pocket.cube import CORNERS
from cubesolve.definition.goal_texts import on_every_face
from cubesolve.definition.goals import NamedGoal
from cubesolve.definition.named_steps import CaseSet, NamedSteps

_LAYER = NamedGoal("DFR DLF DBL DRB")
_SOLVED = NamedGoal(" ".join(CORNERS))


def _set(title: str, setup: str = "") -> CaseSet:
    return CaseSet(title, _LAYER, _SOLVED, "U", setup, moves="R U F", above=True)


CASE_SETS: Mapping[str, CaseSet] = {
    "cll": _set("the last layer, the first layer being solved"),
    "eg-1": _set(
        "all corners, two adjacent ones of the first layer being exchanged, those on the right",
        "R D R' D' R' B R2 D' R' D' R D R' B'",
    ),
    "eg-2": _set(
        "all corners, two opposite ones of the first layer being exchanged",
        "B R D' R' D' R D R' B' R D R' D' R' B R B'",
    ),
    "tcll-plus": _set("all corners, DFR of the first layer being twisted clockwise", "(R U R' U')2"),
    "tcll-minus": _set("all corners, DFR of the first layer being twisted anticlockwise", "(R U R' U')4"),
}

NAMED_STEPS = NamedSteps(
    goals=on_every_face({"first-layer": (_LAYER,)}),
    titles={"first-layer": "the layer D"},
    case_sets=CASE_SETS,
    methods={"layers": ("first-layer", "solved")},
)

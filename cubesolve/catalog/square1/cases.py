"""The named steps of the Square-1, and its sets of cases (pure Python)."""

from __future__ import annotations

from collections.abc import Mapping

from cubesolve.catalog.square1.definition import PIECES
from cubesolve.definition.goals import NamedGoal
from cubesolve.definition.named_steps import CaseSet, NamedSteps

_CORNERS, _EDGES = (
    tuple(" ".join(piece for piece in layer if len(piece) == letters) for layer in (PIECES[:8], PIECES[8:]))
    for letters in (3, 2)
)
"""The names of the corners and of the edges of each layer."""

_SHAPE, _CO, _EO, _CP, _EP = (
    NamedGoal(alike=(" ".join(_CORNERS), " ".join(_EDGES))),
    NamedGoal(alike=(*_CORNERS, " ".join(_EDGES))),
    NamedGoal(alike=(*_CORNERS, *_EDGES)),
    NamedGoal(" ".join(_CORNERS), _EDGES),
    NamedGoal(" ".join(PIECES)),
)

GOALS: Mapping[str, tuple[NamedGoal, ...]] = {"cubeshape": (_SHAPE,), "co": (_CO,), "eo": (_EO,), "cp": (_CP,)}
"""The steps of the method of Lars Vandenbergh before the last one: the cube shape, the corners in their layers, the
edges in theirs, and the corners in their places. The middle layer is ignored."""

STEP_TITLES = {"cubeshape": "both layers square"}
"""The titles of the steps that are not sets of cases."""

_TURNS = ("(3,0)", "(0,3)")
_HALVES = ("(1,0) / (-1,0)", "(0,-1) / (0,1)")  # exchange halves of the layers, in the cube shape
_CORNER_SWAPS = (
    "(0,3) / (3,3) / (-1,-4) / (1,-5) / (-1,1) / (4,-2) / (-4,2) / (-2,2) / (0,3) / (3,3) / (0,3)",
    "(0,3) / (3,3) / (-1,-4) / (2,-4) / (0,-2) / (2,-4) / (-2,4) / (0,-4) / (-4,-1) / (3,3) / (0,-3)",
)
_EDGE_SWAPS = (
    "(0,2) / (0,1) / (-3,0) / (-2,-1) / (4,-3) / (3,-2) / (0,2) / (-3,4) / (0,4) / (0,2) / (3,-2) / (-3,0) / (0,-3)",
    "(0,2) / (0,1) / (3,0) / (3,-4) / (-2,0) / (0,-4) / (2,-3) / (-2,0) / (-4,3) / (2,-3) / (2,1) / (3,0) / (0,-3)",
)
"""Algs that exchange two neighbours in the upper layer, or in the lower one."""

CASE_SETS: Mapping[str, CaseSet] = {
    "co": CaseSet("corner orientation, in the cube shape", _SHAPE, _CO, "(3,3)", group=(*_TURNS, *_HALVES)),
    "eo": CaseSet("edge orientation, the corners being in their layers", _CO, _EO, "(3,3)", group=(*_TURNS, *_HALVES)),
    "cp": CaseSet(
        "corner permutation, all pieces being in their layers", _EO, _CP, "(3,3)", group=(*_TURNS, *_CORNER_SWAPS)
    ),
    "ep": CaseSet(
        "edge permutation, with parity; the corners are solved", _EO, _EP, "(3,3)", group=(*_TURNS, *_EDGE_SWAPS)
    ),
}

NAMED_STEPS = NamedSteps(GOALS, STEP_TITLES, CASE_SETS)

"""Steps of solving a 3x3x3, and sets of cases, by their usual names."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping

from cubesolve.catalog.rubik.cube import CORNERS, EDGES, RubikCube, turn_cubies
from cubesolve.definition.facelets import cube_rotations
from cubesolve.definition.goal_texts import on_every_face
from cubesolve.definition.goals import NamedGoal
from cubesolve.definition.named_steps import CaseSet, NamedSteps
from cubesolve.definition.notation import FACES, FaceTurn

CROSS = "DR DF DL DB"  # edges of the cross on D

_LAYER = "DFR DLF DBL DRB"
SLOTS = {"FR": "DFR FR", "FL": "DLF FL", "BL": "DBL BL", "BR": "DRB BR"}  # pair of each slot
F2L = f"{CROSS} {' '.join(SLOTS.values())}"  # pieces of the first two layers, those of D and above it

_TWO_SLOTS = tuple(itertools.combinations(SLOTS, 2))


def all_but(slot: str) -> str:
    """Return the cross and the pairs of the other slots."""
    return " ".join([CROSS, *(pair for name, pair in SLOTS.items() if name != slot)])


UPPER_CORNERS, UPPER_EDGES = "URF UFL ULB UBR", "UR UF UL UB"  # corners and edges of the layer U
UPPER_FACE = "U1 U2 U3 U4 U6 U7 U8 U9"  # facelets of the face U that turns move

_LEFT, _RIGHT = "DL FL BL DLF DBL", "DR FR BR DFR DRB"

ROUX_BLOCKS = f"{_LEFT} {_RIGHT}"  # pieces of the two blocks of 1x2x3 on the left and on the right

_HALF_TURNS = ("U2", "D2", "R2", "L2", "F2", "B2")
_SLICES = ("U2 U8 D2 D8", "F2 F8 B2 B8", "U4 U6 D4 D6", "R2 R8 L2 L8", "F4 F6 B4 B6", "R4 R6 L4 L6")


def _half_turned() -> list[str]:
    """Return an alg of half turns for each of the 96 arrangements of the corners that these make."""
    algs = {(home := RubikCube.solved().cubies).corners: ""}
    turns = [(name, turn_cubies(FaceTurn(name[0], 2))) for name in _HALF_TURNS]
    for cubies in (reached := [home]):
        for name, turn in turns:
            neighbour = cubies.then(turn)
            if neighbour.corners not in algs:
                algs[neighbour.corners] = f"{algs[cubies.corners]} {name}".strip()
                reached.append(neighbour)
    return list(algs.values())


_AXES = ("UD", "RL", "FB")

_ORIENTED = {
    "FB": "U2 U4 U6 U8 D2 D4 D6 D8 F4 F6 B4 B6",
    "RL": "U2 U4 U6 U8 D2 D4 D6 D8 R4 R6 L4 L6",
    "UD": "F2 F4 F6 F8 B2 B4 B6 B8 U4 U6 D4 D6",
}
"""For each axis, the facelets of edges on which those of oriented edges are: quarter turns about it change them."""

REDUCED = {
    "UD": ("U2 U4 U6 U8 D2 D4 D6 D8", "F4 F6 B4 B6", "U1 U3 U7 U9 D1 D3 D7 D9"),
    "RL": ("R2 R4 R6 R8 L2 L4 L6 L8", "F2 F8 B2 B8", "R1 R3 R7 R9 L1 L3 L7 L9"),
    "FB": ("F2 F4 F6 F8 B2 B4 B6 B8", "U4 U6 D4 D6", "F1 F3 F7 F9 B1 B3 B7 B9"),
}
"""For each axis, the facelets that its quarter turns and half turns of the other faces exchange."""

_USUAL = {"eo": "FB", "dr": "UD"}  # axis of a step without one in its name


STEP_TITLES = {
    "cross": "the edges of D",
    "x-cross": "the cross and one of its four slots",
    "xx-cross": "the cross and two of its slots",
    "first-layer": "the layer D",
    "f2l": "the first two layers, held with this face down",
    "last-slot": "the first two layers without this slot",
    "eo": "edge orientation: solvable without quarter turns of F and B",
    "dr": "solvable with U, D, R2, L2, F2 and B2",
    "htr": "solvable with half turns",
    "roux-block": "the block of 1x2x3 at the bottom of the side L",
    "roux-blocks": "the blocks of 1x2x3 at the bottom of the sides L and R",
    "edges": "all edges",
    "corners": "all corners",
}


def _of_axes(step: str, goals: Mapping[str, NamedGoal]) -> dict[str, tuple[NamedGoal, ...]]:
    """Return the goals of a step about each axis, about the usual one, and about any."""
    by_axis = {f"{step}-{axis}": (goals[axis],) for axis in _AXES}
    return {step: (goals[_USUAL[step]],), **by_axis, f"{step}-any": tuple(goals[axis] for axis in _AXES)}


def _moves(quarter: str) -> str:
    """Return moves: quarter turns of some faces, and half turns of all others."""
    return " ".join(face if face in quarter else f"{face}2" for face in "UDRLFB")


def _named(step: str, axis: str) -> list[str]:
    return [f"{step}-{axis}", *([step] if _USUAL[step] == axis else [])]


def _step_moves() -> dict[tuple[str, str], str]:
    moves = {("htr", "solved"): " ".join(_HALF_TURNS)}
    for first, second in itertools.permutations(_AXES, 2):
        kept = _moves("".join(axis for axis in _AXES if axis != first))
        moves |= dict.fromkeys(itertools.product(_named("eo", first), _named("dr", second)), kept)
    return moves | {(name, "htr"): _moves(axis) for axis in _AXES for name in _named("dr", axis)}


DISTRIBUTIONS = {
    "cross-any": (
        30_942_374, 462_820_266, 4_839_379_314, 41_131_207_644, 239_671_237_081, 543_580_917_185, 151_019_930_400,
        258_842_496, 40,
    )
}  # fmt: skip
"""The arrangements of all edges by the face turns to the nearest cross, as `scripts/crosses.py` counts them."""

STEP_MOVES = _step_moves()  # moves that keep a step, with which the next one is made

METHODS = {
    "CFOP": ("cross", "f2l", "oll", "pll"),
    "Roux": ("roux-block", "roux-blocks", "cmll", "solved"),
    "fewest moves": ("eo", "dr", "htr", "solved"),
}

_ORIENTATIONS = [
    str.maketrans(FACES, scheme)
    for scheme in sorted(cube_rotations(), key=lambda scheme: (scheme[FACES.index("D")] != "D", scheme))
]
"""The faces in each orientation of the cube, those with D at its place first."""

_EDGES_BY_FACES = {frozenset(name): name for name in EDGES}
_FIRST_SIDES = "LFU"  # of two opposite sides, that which is in the name of both blocks


def _in_every_slot(step: str, pieces: str) -> dict[str, tuple[NamedGoal, ...]]:
    """Return the goals of a step with the slot FR, for every slot beside the cross of every face, that of D first."""
    goals = dict[str, tuple[NamedGoal, ...]]()
    for orientation in _ORIENTATIONS:
        face, slot = "D".translate(orientation), _EDGES_BY_FACES[frozenset("FR".translate(orientation))]
        goals[f"{step}-{slot}" if face == "D" else f"{step}-{face}-{slot}"] = (
            NamedGoal(pieces.translate(orientation)),
        )
    return goals


def _blocks() -> dict[str, tuple[NamedGoal, ...]]:
    """Return the goals of the blocks of Roux, with the face at the bottom and the side in their names."""
    one, both = dict[str, tuple[NamedGoal, ...]](), dict[str, tuple[NamedGoal, ...]]()
    for orientation in _ORIENTATIONS:
        sides = "DL".translate(orientation)
        one[f"roux-block-{sides}"] = (NamedGoal(_LEFT.translate(orientation)),)
        if sides[1] in _FIRST_SIDES:
            both[f"roux-blocks-{sides}"] = (NamedGoal(ROUX_BLOCKS.translate(orientation)),)
    return {
        "roux-block": one["roux-block-DL"],
        **one,
        "roux-block-any": tuple(goal for goals in one.values() for goal in goals),
        "roux-blocks": both["roux-blocks-DL"],
        **both,
    }


GOALS: Mapping[str, tuple[NamedGoal, ...]] = {
    **on_every_face(
        {
            "cross": (NamedGoal(CROSS),),
            "x-cross": tuple(NamedGoal(f"{CROSS} {slot}") for slot in SLOTS.values()),
            "xx-cross": tuple(NamedGoal(f"{CROSS} {SLOTS[one]} {SLOTS[other]}") for one, other in _TWO_SLOTS),
            "first-layer": (NamedGoal(f"{CROSS} {_LAYER}"),),
            "f2l": (NamedGoal(F2L),),
        }
    ),
    **_in_every_slot("x-cross", f"{CROSS} {SLOTS['FR']}"),
    **{f"xx-cross-{a}-{b}": (NamedGoal(f"{CROSS} {SLOTS[a]} {SLOTS[b]}"),) for a, b in _TWO_SLOTS},
    **_in_every_slot("last-slot", all_but("FR")),
    "oll": (NamedGoal(F2L, (UPPER_FACE,)),),
    **_of_axes("eo", {axis: NamedGoal(alike=(facelets,)) for axis, facelets in _ORIENTED.items()}),
    **_of_axes("dr", {axis: NamedGoal(alike=facelets) for axis, facelets in REDUCED.items()}),
    "htr": tuple(NamedGoal(" ".join(CORNERS), _SLICES, alg) for alg in _half_turned()),
    **_blocks(),
    "cmll": (NamedGoal(f"{ROUX_BLOCKS} {UPPER_CORNERS}"),),
    "edges": (NamedGoal(" ".join(EDGES)),),
    "corners": (NamedGoal(" ".join(CORNERS)),),
}
"""The steps, see `STEP_TITLES`; those with a face or a slot in their names are about these.

``x-cross-FR`` is the cross on D with the slot FR, ``x-cross-U-FR`` the cross on U with it; ``last-slot-FR`` the cross
with the three other slots. ``roux-block-DL`` is the block on the side L, if D is the bottom.
"""


# -- Sets of cases -----------------------------------------------------------------------------------------------------

_EDGES_UP = "U2 U4 U6 U8"
_F2L = NamedGoal(F2L)
_SOLVED = NamedGoal(f"{F2L} {UPPER_CORNERS} {UPPER_EDGES}")


def _names(case_set: str) -> dict[str, str]:
    """Return the usual names and algs of the 57 cases of OLL or of the 21 cases of PLL, in the usual order."""
    path = os.path.join(os.path.dirname(__file__), "cases.tsv")
    with open(path, encoding="ascii") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return {name: alg for of, name, alg in lines if of == case_set}


def _last_layer(title: str, given: NamedGoal, aim: NamedGoal, names: Mapping[str, str] = {}) -> CaseSet:
    return CaseSet(title, given, aim, "U", names=names, moves="R U F D", above=True)


def _pair(slot: str) -> CaseSet:
    return CaseSet(
        f"a pair of the first two layers: the slot {slot}, with the cross and the other slots solved",
        NamedGoal(all_but(slot)),
        NamedGoal(F2L),
        "U",
        moves=f"{slot[1]} U {slot[0]} D",
    )


CASE_SETS: Mapping[str, CaseSet] = {
    "f2l": _pair("FR"),
    "oll": _last_layer("orientation of the last layer", _F2L, NamedGoal(F2L, (UPPER_FACE,)), _names("oll")),
    "pll": _last_layer("permutation of the last layer", NamedGoal(F2L, (UPPER_FACE,)), _SOLVED, _names("pll")),
    "coll": _last_layer(
        "corners of the last layer, its edges being oriented",
        NamedGoal(F2L, (_EDGES_UP,)),
        NamedGoal(f"{F2L} {UPPER_CORNERS}", (_EDGES_UP,)),
    ),
    "zbll": _last_layer("the last layer, its edges being oriented", NamedGoal(F2L, (_EDGES_UP,)), _SOLVED),
    "ll": _last_layer("the last layer", _F2L, _SOLVED),
    "cmll": _last_layer(
        "corners of the last layer, the edges and centres between two blocks being ignored",
        NamedGoal(ROUX_BLOCKS),
        NamedGoal(f"{ROUX_BLOCKS} {UPPER_CORNERS}"),
    ),
    **{f"f2l-{slot}": _pair(slot) for slot in SLOTS if slot != "FR"},
}

NAMED_STEPS = NamedSteps(GOALS, STEP_TITLES, CASE_SETS, METHODS, STEP_MOVES, DISTRIBUTIONS)

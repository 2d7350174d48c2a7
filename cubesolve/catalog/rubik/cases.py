"""Sets of cases of the 3x3x3, with the usual names of their cases."""

from __future__ import annotations

from collections.abc import Mapping

from cubesolve.catalog.rubik import goals
from cubesolve.catalog.rubik.goals import F2L, ROUX_BLOCKS, SLOTS, UPPER_CORNERS, UPPER_EDGES, UPPER_FACE, all_but
from cubesolve.definition.goals import NamedGoal
from cubesolve.definition.named_steps import CaseSet, NamedSteps

_MOVES = "R U F D"
_EDGES_UP = "U2 U4 U6 U8"
_SOLVED = NamedGoal(f"{F2L} {UPPER_CORNERS} {UPPER_EDGES}")

_OLL = (
    "R U2 R2 F R F' U2 R' F R F'",
    "F R U R' U' F' f R U R' U' f'",
    "f R U R' U' f' U' F R U R' U' F'",
    "f R U R' U' f' U F R U R' U' F'",
    "r' U2 R U R' U r",
    "r U2 R' U' R U' r'",
    "r U R' U R U2 r'",
    "r' U' R U' R' U2 r",
    "R U R' U' R' F R2 U R' U' F'",
    "R U R' U R' F R F' R U2 R'",
    "r U R' U R' F R F' R U2 r'",
    "M' R' U' R U' R' U2 R U' R r'",
    "F U R U' R2 F' R U R U' R'",
    "R' F R U R' F' R F U' F'",
    "r' U' r R' U' R U r' U r",
    "r U r' R U R' U' r U' r'",
    "F R' F' R2 r' U R U' R' U' M'",
    "r U R' U R U2 r2 U' R U' R' U2 r",
    "r' R U R U R' U' M' R' F R F'",
    "r U R' U' M2 U R U' R' U' M'",
    "R U2 R' U' R U R' U' R U' R'",
    "R U2 R2 U' R2 U' R2 U2 R",
    "R2 D' R U2 R' D R U2 R",
    "r U R' U' r' F R F'",
    "F' r U R' U' r' F R",
    "R U2 R' U' R U' R'",
    "R U R' U R U2 R'",
    "r U R' U' r' R U R U' R'",
    "R U R' U' R U' R' F' U' F R U R'",
    "F R' F R2 U' R' U' R U R' F2",
    "R' U' F U R U' R' F' R",
    "L U F' U' L' U L F L'",
    "R U R' U' R' F R F'",
    "R U R2 U' R' F R U R U' F'",
    "R U2 R2 F R F' R U2 R'",
    "L' U' L U' L' U L U L F' L' F",
    "F R' F' R U R U' R'",
    "R U R' U R U' R' U' R' F R F'",
    "L F' L' U' L U F U' L'",
    "R' F R U R' U' F' U R",
    "R U R' U R U2 R' F R U R' U' F'",
    "R' U' R U' R' U2 R F R U R' U' F'",
    "F' U' L' U L F",
    "F U R U' R' F'",
    "F R U R' U' F'",
    "R' U' R' F R F' U R",
    "R' U' R' F R F' R' F R F' U R",
    "F R U R' U' R U R' U' F'",
    "r U' r2 U r2 U r2 U' r",
    "r' U r2 U' r2 U' r2 U r'",
    "F U R U' R' U R U' R' F'",
    "R' F' U' F U' R U R' U R",
    "l' U2 L U L' U' L U L' U l",
    "r U2 R' U' R U R' U' R U' r'",
    "R' F R U R U' R2 F' R2 U' R' U R U R'",
    "r' U' r U' R' U R U' R' U R r' U r",
    "R U R' U' M' U R U' r'",
)
"""Algs of the 57 cases, in the usual order: from "OLL 1" on."""

_PLL = {
    "Aa": "x R' U R' D2 R U' R' D2 R2 x'",
    "Ab": "x R2 D2 R U R' D2 R U' R x'",
    "E": "x' R U' R' D R U R' D' R U R' D R U' R' D' x",
    "F": "R' U' F' R U R' U' R' F R2 U' R' U' R U R' U R",
    "Ga": "R2 u R' U R' U' R u' R2 F' U F",
    "Gb": "F' U' F R2 u R' U R U' R u' R2",
    "Gc": "R2 u' R U' R U R' u R2 f R' f'",
    "Gd": "f R f' R2 u' R U' R' U R' u R2",
    "H": "M2 U M2 U2 M2 U M2",
    "Ja": "R' U L' U2 R U' R' U2 R L",
    "Jb": "R U R' F' R U R' U' R' F R2 U' R'",
    "Na": "R U R' U R U R' F' R U R' U' R' F R2 U' R' U2 R U' R'",
    "Nb": "R' U L' U2 R U' L R' U L' U2 R U' L",
    "Ra": "R U' R' U' R U R D R' U' R D' R' U2 R'",
    "Rb": "R2 F R U R U' R' F' R U2 R' U2 R",
    "T": "R U R' U' R' F R2 U' R' U' R U R' F'",
    "Ua": "M2 U M U2 M' U M2",
    "Ub": "M2 U' M U2 M' U' M2",
    "V": "R' U R' d' R' F' R2 U' R' U R' F R F",
    "Y": "F R U' R' U' R U R' F' R U R' U' R' F R F'",
    "Z": "M' U M2 U M2 U M' U2 M2",
}
"""Algs of the 21 cases by their usual names."""


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
    "oll": CaseSet(
        "orientation of the last layer",
        NamedGoal(F2L),
        NamedGoal(F2L, (UPPER_FACE,)),
        "U",
        names={str(number): alg for number, alg in enumerate(_OLL, 1)},
        moves=_MOVES,
        above=True,
    ),
    "pll": CaseSet(
        "permutation of the last layer",
        NamedGoal(F2L, (UPPER_FACE,)),
        _SOLVED,
        "U",
        names=_PLL,
        moves=_MOVES,
        above=True,
    ),
    "coll": CaseSet(
        "corners of the last layer, its edges being oriented",
        NamedGoal(F2L, (_EDGES_UP,)),
        NamedGoal(f"{F2L} {UPPER_CORNERS}", (_EDGES_UP,)),
        "U",
        moves=_MOVES,
        above=True,
    ),
    "zbll": CaseSet(
        "the last layer, its edges being oriented", NamedGoal(F2L, (_EDGES_UP,)), _SOLVED, "U", moves=_MOVES, above=True
    ),
    "ll": CaseSet("the last layer", NamedGoal(F2L), _SOLVED, "U", moves=_MOVES, above=True),
    "cmll": CaseSet(
        "corners of the last layer, the edges and centres between two blocks being ignored",
        NamedGoal(ROUX_BLOCKS),
        NamedGoal(f"{ROUX_BLOCKS} {UPPER_CORNERS}"),
        "U",
        moves=_MOVES,
        above=True,
    ),
    **{f"f2l-{slot}": _pair(slot) for slot in SLOTS if slot != "FR"},
}

NAMED_STEPS = NamedSteps(
    goals.GOALS, goals.STEP_TITLES, CASE_SETS, goals.METHODS, goals.STEP_MOVES, goals.DISTRIBUTIONS
)

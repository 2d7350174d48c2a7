"""The Ivy cube: four corners of a cube turn in their places, each with the three leaves next to it."""

from __future__ import annotations

from cubesolve.rules.defined import DefinedRules, Pinned
from cubesolve.rules.definition import Definition
from cubesolve.rules.geometry import NORMALS, Cut, along, cubies, solid

NAMES = ("ivy",)
"""The puzzles of this room."""

_TURNING = {"R": "URF", "L": "ULB", "D": "DLF", "B": "DRB"}


def rules(name: str) -> DefinedRules | None:
    """What a puzzle of this room is, given its name; None if it is of another room."""
    return DefinedRules(_ivy(name), title="Ivy cube", pinned=_PINNED.get(name)) if name in NAMES else None


def _ivy(name: str) -> Definition:
    cuts = {letter: Cut(along(corner), 0, 3) for letter, corner in _TURNING.items()}
    return solid(name, {"CORNERS": cubies(_TURNING.values()), "LEAVES": cubies(NORMALS)}, cuts).definition


_PINNED: dict[str, dict[str, Pinned]] = {
    "ivy": {
        "htm": Pinned(
            "1 8 48 288 1640 7582 15262 4221 110",
            "7a51394c010a93a22017c5d3a315e6eac14baa88521570ade8e6d3e591bbe5ee",
            "648c89347392e998688e090f3d8683948c69e7f3e0f0132782559053637595ec",
            258_472,
        ),
    },
}

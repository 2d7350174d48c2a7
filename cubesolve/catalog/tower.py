"""The 2x2x3 tower: three layers of four cubies."""

from __future__ import annotations

from cubesolve.rules.defined import DefinedRules, Pinned
from cubesolve.rules.definition import Definition
from cubesolve.rules.geometry import CORNERS, box_cuts, cubies, solid, whole_turns

NAMES = ("tower",)
"""The puzzles of this room."""


def rules(name: str) -> DefinedRules | None:
    """What a puzzle of this room is, given its name; None if it is of another room."""
    if name not in NAMES:
        return None
    return DefinedRules(_tower(name), title="2x2x3 tower", pinned=_PINNED.get(name))


def _tower(name: str) -> Definition:
    """Eight corners, and the four cubies of the middle layer; all of them only change places."""
    kinds = {
        "CORNERS": cubies(CORNERS, oriented=False),
        "MIDDLES": cubies(("FR", "FL", "BL", "BR"), oriented=False),
    }
    return solid(name, kinds, box_cuts(), whole_turns({"y": 4, "x2": 2})).definition


_PINNED: dict[str, dict[str, Pinned]] = {
    "tower": {
        "htm": Pinned(
            "1 8 35 157 678 2375 5774 12112 19180 23200 25704 22096 8824 816",
            "954dbc21b46773369a2f8b1c0c838d7d5c4e132f21536e954650c0f0c0a58bd8",
            "3826c30adc7b0978d8bcea395ce13a8f8c39707173bc48478fb60634e0580762",
            293_960,
        ),
        "qtm": Pinned(
            "1 6 24 93 341 1110 3160 7341 14108 21212 24108 24600 17992 6136 728",
            "2fae331177af4dbc483480414dcea8e601fc3789824fdd699abd4224213f79e9",
            "ea378c9010a006e658a4008efcb6a95ca7258244f88f5ce6af817edafe5a4095",
            260_336,
        ),
    },
}

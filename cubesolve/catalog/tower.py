"""The 2x2x3 tower: three layers of four cubies."""

from __future__ import annotations

from cubesolve.definition.geometry import CORNERS, Solid, body_rotations, box, box_cuts, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.spaces.defined import DerivedRules, Pinned

NAMES = ("tower",)
"""The puzzles of this module."""

ALIASES = {"2x2x3": "tower", "3x2x2": "tower"}
"""Other names of these puzzles."""


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    if name not in NAMES:
        return None
    tower = _tower(name)
    return DerivedRules(PieceView(tower.definition, "2x2x3 tower", solid=tower), pinned=_PINNED.get(name))


def _tower(name: str) -> Solid:
    """Return the definition: eight corners, which only change places, and the four cubies of the middle layer.

    Moves never flip these either, but a quarter turn of the tower does: its front then shows what its side showed.
    """
    kinds = {
        "CORNERS": cubies(CORNERS, oriented=False),
        "MIDDLES": cubies(("FR", "FL", "BL", "BR")),
    }
    return solid(name, kinds, box_cuts(0.5, 0), body_rotations({"y": 4, "x2": 2}), box(1, 1.5, 1))


_PINNED: dict[str, dict[str, Pinned]] = {
    "tower": {
        "htm": Pinned(
            "1 8 35 157 678 2527 7442 17088 31568 44704 47216 49792 29024 11104 576",
            "7cab3746c7dc22aa2dd94cd0867375a90e66229cd30d0060f98dbd5a0be9fdfd",
            "08812f9c4deb1dc63a1d03b956442c3e61de3351790c639da05c02d5c353bf3e",
            429_848,
            source="states and God's number as grubiks.com has them, 'Tower Cube 2x2x3'; the rest was found here",
        ),
        "qtm": Pinned(
            "1 6 24 93 341 1130 3336 8749 18822 32562 44832 49276 44228 28352 9376 792",
            "853af319bdaa2a52fcd9d2577e886ce9b15e48ece16758af3c3d10832512a351",
            "fa58c4ee62a199f3a594273cc551fd7cfd1bfb9037dd2487876c00404b9af063",
            376_856,
        ),
    },
}

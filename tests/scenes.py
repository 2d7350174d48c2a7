"""The stickers of scenes, to be compared."""

from __future__ import annotations

from collections import Counter

from cubesolve.picture.pictures import Colour
from cubesolve.picture.scenes import Point, Scene, Side


def corners(side: Side) -> frozenset[Point]:
    """Return the corners of a side, rounded: those of parts that meet may differ by 1e-13."""
    return frozenset((round(x, 6), round(y, 6), round(z, 6)) for x, y, z in side.corners)


def stickers(scene: Scene | None) -> Counter[tuple[frozenset[Point], Colour]]:
    """Return the number of stickers with each corners and colour."""
    assert scene is not None
    return Counter((corners(side), side.colour) for part in scene.parts for side in part if side.colour)

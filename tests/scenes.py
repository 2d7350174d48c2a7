"""The stickers of scenes, to be compared, and scenes after a motion."""

from __future__ import annotations

from collections import Counter

from cubesolve.picture.pictures import Colour
from cubesolve.picture.scenes import Motion, Point, Scene, Side, middle


def corners(side: Side) -> frozenset[Point]:
    """Return the corners of a side, rounded: those of parts that meet may differ by 1e-13."""
    return frozenset((round(x, 6), round(y, 6), round(z, 6)) for x, y, z in side.corners)


def stickers(scene: Scene | None) -> Counter[tuple[frozenset[Point], Colour]]:
    """Return the number of stickers with each corners and colour."""
    assert scene is not None
    return Counter((corners(side), side.colour) for part in scene.parts for side in part if side.colour)


def scene_after(scene: Scene, motion: Motion) -> Scene:
    """Return a scene after a motion."""
    parts = []
    for part in scene.parts:
        turning = next((each for each in (motion, *motion.also) if each.takes(middle(part))), None)
        turned = turning and tuple(side._replace(corners=tuple(map(turning.moved, side.corners))) for side in part)
        parts.append(turned or part)
    return scene._replace(parts=tuple(parts))

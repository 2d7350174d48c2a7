"""Scenes: the parts of a puzzle in space, and their rotation by moves (pure Python).

A part is a convex body, given by its sides. Any two parts are separated by a plane of their scene, or stand side by
side on a floor; this decides which of them is in front. Heights above planes are
rounded, so that corners on a plane are on neither side of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from cubesolve.picture.pictures import Colour
from cubesolve.picture.vectors import Matrix, Vector, image, rotation

Point = Vector

_DIGITS = 9  # of heights and middles; coordinates are less than 1e-11 off


class Side(NamedTuple):
    """A side of a part."""

    corners: tuple[Point, ...]  # its corners, anticlockwise as seen from outside
    colour: Colour | None  # the colour of its sticker; None for an inner side, or one without a sticker


Part = tuple[Side, ...]  # sides of a part


class Plane(NamedTuple):
    """A plane: the points whose inner product with a vector is a given number."""

    normal: Point  # the vector
    distance: float  # the number; points with a larger product lie beyond the plane

    def height(self, point: Point) -> float:
        """Return the distance of a point beyond the plane, in lengths of the normal."""
        x, y, z = self.normal
        return round(x * point[0] + y * point[1] + z * point[2] - self.distance, _DIGITS)


class Motion(NamedTuple):
    """The motion of a move: a rotation of some parts about an axis."""

    axis: Point  # the direction of the axis
    through: Point  # a point on the axis
    degrees: int  # the angle, anticlockwise as seen from the tip of the axis
    beyond: tuple[Plane, ...]  # the planes; a part turns if its middle lies beyond all of them
    also: tuple[Motion, ...] = ()  # motions of other parts at the same time, about axes of the same direction
    out: Point = (0, 0, 0)  # how far these parts also come out while the motion lasts; they go back before its end

    def takes(self, point: Point) -> bool:
        """Return whether a part with a given middle turns."""
        return all(plane.height(point) > 0 for plane in self.beyond)

    def moved(self, point: Point) -> Point:
        """Return the image of a point."""
        a, b, c = self.through
        x, y, z = image(rotation(self.axis, self.degrees), (point[0] - a, point[1] - b, point[2] - c))
        return (x + a, y + b, z + c)


class Scene(NamedTuple):
    """A state in space."""

    parts: tuple[Part, ...]
    planes: tuple[Plane, ...] = ()  # the planes between its parts; none if they stand on a floor
    up: Point = (0, 1, 0)  # the direction that is up for a viewer
    front: Point = (0, 0, 1)  # the direction of the usual viewer, who stands somewhat above and to the right of it
    floor: Part = ()  # the body on which the parts stand


def turned_part(part: Part, matrix: Matrix) -> Part:
    """Return a part after a rotation about the origin."""
    return tuple(Side(tuple(image(matrix, corner) for corner in side.corners), side.colour) for side in part)


def shifted_part(part: Part, way: Point) -> Part:
    """Return a part after a shift."""
    x, y, z = way
    return tuple(Side(tuple((a + x, b + y, c + z) for a, b, c in side.corners), side.colour) for side in part)


def middle(part: Part) -> Point:
    """Return the mean of the corners of a part."""
    corners = {corner for side in part for corner in side.corners}
    x, y, z = (round(math.fsum(values) / len(corners), _DIGITS) for values in zip(*corners, strict=True))
    return (x, y, z)


# -- Cutting -----------------------------------------------------------------------------------------------------------


def brick(low: Point, high: Point, colours: Sequence[Colour | None] = (None,) * 6) -> Part:
    """Return a cuboid with edges along the axes."""
    (a, b, c), (x, y, z) = low, high
    sides: list[tuple[Point, ...]] = [
        ((x, b, c), (x, y, c), (x, y, z), (x, b, z)),
        ((a, y, c), (a, y, z), (x, y, z), (x, y, c)),
        ((a, b, z), (x, b, z), (x, y, z), (a, y, z)),
        ((a, b, c), (a, b, z), (a, y, z), (a, y, c)),
        ((a, b, c), (x, b, c), (x, b, z), (a, b, z)),
        ((a, b, c), (a, y, c), (x, y, c), (x, b, c)),
    ]
    return tuple(map(Side, sides, colours))


def prism(
    outline: Sequence[tuple[float, float]],
    low: float,
    high: float,
    rim: Sequence[Colour | None] = (),
    top: Colour | None = None,
) -> Part:
    """Return an upright prism; the first colour of the rim is that of the side after the first corner."""
    around = [
        Side(((c, low, d), (a, low, b), (a, high, b), (c, high, d)), colour)
        for ((a, b), (c, d)), colour in zip(
            pairwise([*outline, outline[0]]), rim or (None,) * len(outline), strict=True
        )
    ]
    bottom = Side(tuple((x, low, z) for x, z in outline), None)
    return (*around, bottom, Side(tuple((x, high, z) for x, z in reversed(outline)), top))


def trimmed(part: Part, plane: Plane, colour: Colour | None = None) -> Part:
    """Return the part of a convex body on the near side of a plane; empty if all of it lies beyond."""
    heights = {corner: plane.height(corner) for side in part for corner in side.corners}
    if max(heights.values()) <= 0:
        return part
    if min(heights.values()) >= 0:
        return ()
    kept = [Side(_trimmed_side(side.corners, plane), side.colour) for side in part]
    kept = [side for side in kept if len(side.corners) > 2]
    follows = {}
    for side in kept:
        for first, second in zip(side.corners, side.corners[1:] + side.corners[:1], strict=True):
            if plane.height(first) == 0 == plane.height(second):
                follows[second] = first
    around = [next(iter(follows))]
    while (corner := follows[around[-1]]) != around[0]:
        around.append(corner)
    return (*kept, Side(tuple(around), colour))


def _trimmed_side(corners: tuple[Point, ...], plane: Plane) -> tuple[Point, ...]:
    outline = []
    for first, second in zip(corners, corners[1:] + corners[:1], strict=True):
        here, beyond = plane.height(first), plane.height(second)
        if here <= 0:
            outline.append(first)
        if here * beyond < 0:
            # Both sides of an edge compute the same numbers.
            (one, above), (other, below) = sorted([(first, here), (second, beyond)])
            share = above / (above - below)
            x, y, z = (a + (b - a) * share for a, b in zip(one, other, strict=True))
            outline.append((x, y, z))
    return tuple(outline)


def divided(part: Part, planes: Sequence[Plane]) -> list[Part]:
    """Return the parts into which planes divide a convex body."""
    parts = [part]
    for normal, distance in planes:
        x, y, z = normal
        sides = (Plane(normal, distance), Plane((-x, -y, -z), -distance))
        parts = [cut for part in parts for side in sides if (cut := trimmed(part, side))]
    return parts

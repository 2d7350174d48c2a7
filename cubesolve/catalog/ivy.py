"""The Ivy cube: four corners of a cube turn in their places, each with the three leaves next to it."""

from __future__ import annotations

import functools
import math

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import Cut, along, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import State
from cubesolve.picture.nets import net_of
from cubesolve.picture.pictures import USUAL, Picture
from cubesolve.picture.scenes import Point, Scene, Side
from cubesolve.picture.vectors import NORMALS, Vector, cross, dot
from cubesolve.spaces.defined import DerivedRules

NAMES = ("ivy",)

_TURNING = {"R": "URF", "L": "ULB", "D": "DLF", "B": "DRB"}


def rules(name: str) -> DerivedRules:
    """Return the rules of the puzzle."""
    cuts = {letter: Cut(along(corner), 0, 3) for letter, corner in _TURNING.items()}
    ivy = solid(name, {"CORNERS": cubies(_TURNING.values()), "LEAVES": cubies(NORMALS)}, cuts)
    return DerivedRules(IvyView(ivy.definition, "Ivy cube", solid=ivy), pinned=pinned_tables(name))


class IvyView(PieceView):
    """The Ivy cube, whose cuts are round."""

    def draw(self, state: State) -> Picture | None:
        """Return the picture of a state.

        >>> ivy = rules("ivy").view
        >>> print(ivy.picture(ivy.read("R")).text())
              W
                G
                  G
        O         R W         B
          O     R     W     B
            O G         R B
              Y
                Y
                  Y
        """
        assert self.solid is not None  # the only puzzle here
        points, colours = self.solid.points, {normal: USUAL[name] for name, normal in NORMALS.items()}
        stickers = [
            (Side(_outline(place, facing), colours[points[label][1]]),)
            for (place, facing), label in zip(points, state.arrangement, strict=True)
        ]
        return net_of(Scene(tuple(stickers)), str(state))


@functools.cache  # of 18 stickers
def _outline(place: Vector, facing: Vector) -> tuple[Point, ...]:
    """Return a sticker on a face: a leaf, between arcs about the two corners that turn; or the rest of a corner."""
    first, second = (corner for corner in map(along, _TURNING.values()) if dot(corner, facing) > 0)
    if place == facing:
        return (*_arc(first, facing)[1:], *_arc(second, facing)[1:])
    return (place, *reversed(_arc(second if place == first else first, facing)))


def _arc(corner: Vector, facing: Vector) -> list[Point]:
    """Return points of a face about a corner of it, anticlockwise, from one neighbour of it to the other."""
    inwards = (facing[0] - corner[0], facing[1] - corner[1], facing[2] - corner[2])
    around, points = cross(facing, inwards), list[Point]()
    for step in range(_STEPS + 1):
        turn = math.pi / 2 * step / _STEPS - math.pi / 4
        reach = (math.cos(turn) * i + math.sin(turn) * a for i, a in zip(inwards, around, strict=True))
        x, y, z = (c + math.sqrt(2) * by for c, by in zip(corner, reach, strict=True))
        points.append((x, y, z))
    return points


_STEPS = 8  # of an arc

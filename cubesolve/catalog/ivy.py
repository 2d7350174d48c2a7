"""The Ivy cube: four corners of a cube turn in their places, each with the three leaves next to it."""

from __future__ import annotations

import functools
import math

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import Cut, along, box, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.picture.scenes import Point
from cubesolve.picture.vectors import NORMALS, Vector, cross, dot, minus
from cubesolve.spaces.defined import DerivedRules

NAMES = ("ivy",)

_TURNING = {"R": "URF", "L": "ULB", "D": "DLF", "B": "DRB"}


def rules(name: str) -> DerivedRules:
    """Return the rules of the puzzle."""
    cuts = {letter: Cut(along(corner), 0, 3) for letter, corner in _TURNING.items()}
    kinds = {"CORNERS": cubies(_TURNING.values()), "LEAVES": cubies(NORMALS)}
    ivy = solid(name, kinds, cuts, body=box(1, 1, 1)._replace(outline=_outline))
    return DerivedRules(PieceView(ivy.definition, "Ivy cube", solid=ivy), pinned=pinned_tables(name))


@functools.cache  # of 18 stickers
def _outline(place: Vector, facing: Vector) -> tuple[Point, ...]:
    """Return a sticker on a face: a leaf, between arcs about the two corners that turn; or the rest of a corner."""
    first, second = (corner for corner in map(along, _TURNING.values()) if dot(corner, facing) > 0)
    if place == facing:
        return (*_arc(first, facing)[1:], *_arc(second, facing)[1:])
    return (place, *reversed(_arc(second if place == first else first, facing)))


def _arc(corner: Vector, facing: Vector) -> list[Point]:
    """Return points of a face about a corner of it, anticlockwise, from one neighbour of it to the other."""
    inwards = minus(facing, corner)
    around, points = cross(facing, inwards), list[Point]()
    for step in range(_STEPS + 1):
        turn = math.pi / 2 * step / _STEPS - math.pi / 4
        reach = (math.cos(turn) * i + math.sin(turn) * a for i, a in zip(inwards, around, strict=True))
        x, y, z = (c + math.sqrt(2) * by for c, by in zip(corner, reach, strict=True))
        points.append((x, y, z))
    return points


_STEPS = 8  # of an arc

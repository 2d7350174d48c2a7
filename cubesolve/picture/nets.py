"""The nets of puzzles in space: their faces, laid flat side by side (pure Python).

A net is computed from the stickers of a scene alone. In the plane, places are complex numbers; the imaginary part is
the distance down.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import NamedTuple

from cubesolve.picture.pictures import APART, LETTERS, Cell, Colour, Picture
from cubesolve.picture.scenes import Scene
from cubesolve.picture.vectors import Vector, cross, dot, minus

_DIGITS = 9  # decimals to which equal corners agree; equal planes agree to half of them
_TOGETHER = (0.4, 0.3, 0.2, 0.1)  # of the smallest sticker; stickers closer than this share a line of text


class _Face(NamedTuple):
    normal: Vector  # the direction that it faces
    distance: float  # the inner product of the normal with all its points
    stickers: list[tuple[list[Vector], Colour]]  # the corners and the colour of each sticker

    @property
    def corners(self) -> set[Vector]:
        return {corner for corners, _ in self.stickers for corner in corners}

    @property
    def middle(self) -> Vector:
        x, y, z = (math.fsum(values) / len(values) for values in zip(*self.corners, strict=True))
        return (x, y, z)


class _Laid(NamedTuple):
    face: _Face
    origin: Vector  # a point of the face
    along: Vector  # a direction in the face
    place: complex  # the image of the point
    turned: complex  # the image of the direction

    def at(self, point: Vector) -> complex:
        left = _unit(cross(self.face.normal, self.along))
        from_here = minus(point, self.origin)
        return self.place + complex(dot(from_here, self.along), -dot(from_here, left)) * self.turned

    @property
    def middle(self) -> complex:
        return self.at(self.face.middle)


def net_of(scene: Scene, title: str) -> Picture | None:
    """Return the net of a puzzle; None if a turn has changed its shape so that it has none.

    The front face stands upright in the middle, and each of the others beside a face that it shares an edge with. The
    mean size of stickers is that of squares.

    >>> from cubesolve.catalog import rules_named
    >>> skewb = rules_named("skewb").view
    >>> print(net_of(skewb.scene(skewb.read("R")), "").text())
          W   G
            W
          W   W
    O   O G   G R   Y R   B
      O     G     Y     R
    W   O G   O Y   Y R   R
          Y   B
            B
          B   B
    """
    faces = _faces(scene)
    if not _is_convex(faces):
        return None
    laid = _unfolded(faces, _vector(scene.up))
    outlines = [[placed.at(corner) for corner in corners] for placed in laid for corners, _ in placed.face.stickers]
    least = min(abs(placed.middle) for placed in laid[1:])
    apart = [placed.middle / least for placed in laid for _ in placed.face.stickers]
    return flattened(outlines, [colour for placed in laid for _, colour in placed.face.stickers], title, apart)


def flattened(
    outlines: Sequence[Sequence[complex]], colours: Sequence[Colour], title: str, apart: Sequence[complex] = ()
) -> Picture:
    """Return the picture of stickers that are laid flat, each drawn so many gaps between faces apart from there."""
    unit = math.sqrt(sum(map(_area, outlines)) / len(outlines))  # the side of a square of their mean size
    moved = zip(outlines, apart or [0] * len(outlines), strict=True)
    drawn = [[corner + APART * unit * by for corner in outline] for outline, by in moved]
    left, top = (min(values) for values in zip(*((c.real, c.imag) for outline in drawn for c in outline), strict=True))
    cells = [
        Cell(*place, LETTERS[colour], colour, [((c.real - left) / unit, (c.imag - top) / unit) for c in outline])
        for place, colour, outline in zip(_text_places(outlines), colours, drawn, strict=True)
    ]
    return Picture(cells, title)


def _faces(scene: Scene) -> list[_Face]:
    """Return the stickers by the planes that contain them, the front face first; of several, the upper one."""
    faces_at: dict[tuple[float, ...], _Face] = {}
    for part in scene.parts:
        for side in part:
            if side.colour is not None:
                corners = [_vector(corner) for corner in side.corners]
                normal = _vector(_unit(cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]))))
                distance = round(dot(normal, corners[0]), _DIGITS)
                plane = tuple(round(value, _DIGITS // 2) for value in (*normal, distance))
                faces_at.setdefault(plane, _Face(normal, distance, [])).stickers.append((corners, side.colour))
    front, up = _vector(scene.front), _vector(scene.up)
    return sorted(faces_at.values(), key=lambda face: (-dot(face.normal, front), -dot(face.normal, up)))


def _is_convex(faces: Sequence[_Face]) -> bool:
    corners = {corner for face in faces for corner in face.corners}
    return all(dot(face.normal, corner) < face.distance + 1e-6 for face in faces for corner in corners)


def _unfolded(faces: Sequence[_Face], up: Vector) -> list[_Laid]:
    """Yield the faces, the first one upright; the neighbours of a face come anticlockwise, beginning on the right."""
    first = faces[0]
    laid = [_Laid(first, first.middle, _unit(cross(up, first.normal)), 0, 1)]
    left = list(faces[1:])
    for placed in laid:
        beside = [(face, sorted(placed.face.corners & face.corners)) for face in left]
        neighbours = [_beside(placed, face, edge[0], edge[-1]) for face, edge in beside if len(edge) > 1]
        laid += sorted(neighbours, key=lambda each: _anticlockwise(each.middle - placed.middle))
        left = [face for face in left if all(neighbour.face is not face for neighbour in neighbours)]
    return laid


def _beside(known: _Laid, face: _Face, begin: Vector, end: Vector) -> _Laid:
    place, to = known.at(begin), known.at(end)
    return _Laid(face, begin, _unit(minus(end, begin)), place, (to - place) / abs(to - place))


def _anticlockwise(way: complex) -> float:
    """Return the direction of a vector in the plane, from 0 for right."""
    return round(-cmath.phase(way), _DIGITS) % round(math.tau, _DIGITS)


def _text_places(outlines: Sequence[Sequence[complex]]) -> list[tuple[int, int]]:
    """Return the column and the row of text of each sticker: as few as keep all stickers apart."""
    across = [[corner.real for corner in outline] for outline in outlines]
    down = [[corner.imag for corner in outline] for outline in outlines]
    layouts = (list(zip(_lines(across, share), _lines(down, share), strict=True)) for share in _TOGETHER)
    return next(places for places in layouts if len(set(places)) == len(places))


def _lines(extents: Sequence[Sequence[float]], share: float) -> list[int]:
    """Return the line of each sticker, given its coordinates in a direction: close ones share a line."""
    together = share * min(max(values) - min(values) for values in extents)
    middles = [sum(values) / len(values) for values in extents]
    lines, line, last = dict[float, int](), 0, min(middles)
    for middle in sorted(middles):
        line += middle - last > together
        lines[middle], last = line, middle
    return [lines[middle] for middle in middles]


def _area(outline: Sequence[complex]) -> float:
    pairs = zip(outline, [*outline[1:], outline[0]], strict=True)
    return abs(sum((one.conjugate() * other).imag for one, other in pairs)) / 2


# -- Vectors -----------------------------------------------------------------------------------------------------------


def _vector(values: Sequence[object]) -> Vector:
    x, y, z = (round(float(value), _DIGITS) for value in values)  # type: ignore[arg-type]
    return (x, y, z)


def _unit(v: Vector) -> Vector:
    length = math.hypot(*v)
    return (v[0] / length, v[1] / length, v[2] / length)

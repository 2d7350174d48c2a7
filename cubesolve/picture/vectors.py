"""Vectors and rotations of space (pure Python).

Puzzles with the symmetry of the cube have integer coordinates; all others are rounded where they are compared.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

NORMALS: Mapping[str, Vector] = {
    "U": (0, 1, 0), "R": (1, 0, 0), "F": (0, 0, 1), "D": (0, -1, 0), "L": (-1, 0, 0), "B": (0, 0, -1),
}  # fmt: skip
"""The directions of the faces of a cube."""

_FINE = 14  # digits of matrices, whose integers become exact


def minus(u: Vector, v: Vector) -> Vector:
    """Return the difference."""
    return (u[0] - v[0], u[1] - v[1], u[2] - v[2])


def opposite(v: Vector) -> Vector:
    """Return the opposite direction."""
    return (-v[0], -v[1], -v[2])


def dot(u: Vector, v: Vector) -> float:
    """Return the inner product."""
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def cross(u: Vector, v: Vector) -> Vector:
    """Return the cross product."""
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])


def image(matrix: Matrix, v: Vector) -> Vector:
    """Return the image of a vector under a matrix."""
    ((a, b, c), (d, e, f), (g, h, i)), (x, y, z) = matrix, v
    return (a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z)


@functools.cache
def rotation(axis: Vector, degrees: float) -> Matrix:
    """Return the rotation about an axis, anticlockwise as seen from its tip, by the formula of Rodrigues.

    >>> image(rotation((0, 1, 0), -90), (0, 0, 1))  # U takes front to left
    (-1.0, 0.0, 0.0)
    """
    squared, angle = dot(axis, axis), math.radians(degrees)
    cosine, sine = math.cos(angle), math.sin(angle) / math.sqrt(squared)
    share, (x, y, z) = (1 - cosine) / squared, axis
    return (
        _fine(cosine + share * x * x, share * x * y - sine * z, share * x * z + sine * y),
        _fine(share * x * y + sine * z, cosine + share * y * y, share * y * z - sine * x),
        _fine(share * x * z - sine * y, share * y * z + sine * x, cosine + share * z * z),
    )


def _fine(x: float, y: float, z: float) -> Vector:
    return (round(x, _FINE), round(y, _FINE), round(z, _FINE))


@functools.cache
def cube_symmetries() -> tuple[Matrix, ...]:
    """Return the 48 matrices that map a cube to itself, the identity first."""
    matrices = []
    for axes, signs in itertools.product(itertools.permutations(range(3)), itertools.product((1, -1), repeat=3)):
        rows = [[0, 0, 0] for _ in range(3)]
        for row, axis, sign in zip(rows, axes, signs, strict=True):
            row[axis] = sign
        matrices.append(tuple(tuple(row) for row in rows))
    return tuple(matrices)  # type: ignore[arg-type]

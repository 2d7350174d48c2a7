"""Steps on the way to a solved pocket cube."""

from __future__ import annotations

from cubesolve.puzzles.facelet_goals import on_every_face
from cubesolve.puzzles.goals import NamedGoal

GOALS = on_every_face({"first-layer": NamedGoal("DFR DLF DBL DRB")})
"""A layer, all of its sides right among each other: that of D, or of another face."""

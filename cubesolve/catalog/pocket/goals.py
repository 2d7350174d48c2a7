"""Steps of solving a pocket cube."""

from __future__ import annotations

from cubesolve.definition.facelet_goals import on_every_face
from cubesolve.definition.goals import NamedGoal

GOALS = on_every_face({"first-layer": (NamedGoal("DFR DLF DBL DRB"),)})
"""A layer whose sides match: that of D, or of another face."""

STEP_TITLES = {"first-layer": "the layer D"}
"""The titles of the steps."""

METHODS = {"layers": ("first-layer", "solved")}
"""The steps of the usual method."""

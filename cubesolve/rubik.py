"""The 3x3x3 Rubik's cube: its states. `cubesolve.lookup` answers questions about them."""

from cubesolve.catalog.rubik.cube import RubikCube

__all__ = ["RubikCube"]

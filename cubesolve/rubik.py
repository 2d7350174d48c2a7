"""States of the 3x3x3 Rubik's cube. `cubesolve.lookup` answers questions about them."""

from cubesolve.catalog.rubik.cube import RubikCube

__all__ = ["RubikCube"]

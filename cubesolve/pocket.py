"""States of the 2x2x2 pocket cube. `cubesolve.lookup` answers questions about them."""

from cubesolve.catalog.pocket.cube import PocketCube

__all__ = ["PocketCube"]

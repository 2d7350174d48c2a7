"""The 2x2x2 pocket cube: its states. `cubesolve.lookup` answers questions about them."""

from cubesolve.catalog.pocket.cube import PocketCube

__all__ = ["PocketCube"]

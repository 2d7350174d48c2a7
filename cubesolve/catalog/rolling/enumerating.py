"""Rolling cubes: cubes in a tray with one vacancy, into which a neighbour rolls. `cubesolve.lookup` answers questions.

The letter of a roll is the direction in which the *cube* moves: ``U D L R``, where U is towards the first row.
Columns and rows are counted from 1; row 1 is written first.

The three models differ in what is visible of a cube's orientation:

- ``axis`` (POJ 3131): opposite faces have the same colour, W, B or R. A cube is written as the colour on top and the
  colour on its left and right: ``WB``. At the start every cube is ``WB``.
- ``face`` (Harris): one face is marked. A cube is written as the direction of the mark: ``U`` up, ``D`` down,
  ``N E S W``, where N is towards the first row. At the start every cube is ``U``.
- ``full``: all 24 orientations. A cube is written as the faces, of ``U R F D L B``, that are on top and on the right.
  At the start every cube is ``UR``.

``docs/coordinates.md`` defines the ranks, and proves the invariants of rolling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.catalog.rolling.goal import Goal
from cubesolve.catalog.rolling.model import DIRECTIONS, MODELS, Model, ModelName, Shape, model_named
from cubesolve.catalog.rolling.tray import Tray, invert_rolls
from cubesolve.errors import UnsolvableStateError
from cubesolve.spaces.tables import UNREACHABLE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "DIRECTIONS",
    "MODELS",
    "Enumeration",
    "Goal",
    "Model",
    "ModelName",
    "Shape",
    "Tray",
    "enumerate",
    "invert_rolls",
    "model_named",
]


class Enumeration(NamedTuple):
    """The distances of all states from a start.

    Attributes:
        start: the start.
        depths: uint8 (states,): depths by rank, 255 for states that the start cannot reach.
    """

    start: Tray
    depths: NDArray[np.uint8]

    @property
    def distribution(self) -> tuple[int, ...]:
        """The number of states at each depth, from 0."""
        from cubesolve.encodings.enumeration import distribution  # noqa: PLC0415  # needs numpy

        return distribution(self.depths)

    def depth(self, tray: Tray) -> int:
        """Return the least number of rolls between the start and a state.

        Raises:
            UnsolvableStateError: no rolls connect the two.
        """
        if tray.shape != self.start.shape or tray.plus != self.start.plus or self.depths[tray.rank] == UNREACHABLE:
            raise UnsolvableStateError(f"no rolls lead from {self.start} to {tray}")
        return int(self.depths[tray.rank])

    def hardest(self) -> list[Tray]:
        """Return the states at the largest depth, in the order of their ranks."""
        deepest = len(self.distribution) - 1
        ranks = (self.depths == deepest).nonzero()[0].tolist()
        return [Tray.unrank(rank, self.start.plus, self.start.shape) for rank in ranks]


def enumerate(  # noqa: A001  # called as rolling.enumerate
    start: Tray, progress: Callable[[int, int, int], None] | None = None, workers: int | None = None
) -> Enumeration:
    """Enumerate all states that are reachable from a start, for any tray that fits in memory.

    Args:
        start: the state at depth 0.
        progress: called once per depth with the depth, the number of states there, and the number so far.
        workers: number of threads; by default one per processor.

    Raises:
        InvalidStateError: there are more than 2**30 states.

    >>> found = enumerate(Tray.start((1, 1), 2, 2))
    >>> len(found.distribution) - 1, sum(found.distribution)
    (18, 36)
    """
    from cubesolve.catalog.rolling.spaces import rolling_space  # noqa: PLC0415  # needs numpy
    from cubesolve.encodings.enumeration import enumerate_depths  # noqa: PLC0415  # likewise

    space = rolling_space(start.shape, start.plus)
    return Enumeration(start, enumerate_depths(space, [start.rank], progress, workers))

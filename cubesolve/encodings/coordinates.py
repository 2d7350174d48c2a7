"""Arrays of bytes that are no depths: the coordinates of a derived space, and choices of projections (pure Python)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.encoding import Encoding
from cubesolve.errors import CorruptTableError
from cubesolve.spaces.tables import ARRAYS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cubesolve.spaces.defined import DerivedGraph
    from cubesolve.spaces.rules import Rules
    from cubesolve.spaces.space import Keeper, Levels, Progress
    from cubesolve.spaces.tables import TableEntry, TableHeader


class CoordinatesEncoding(Encoding):
    """What ranks stand for, as `spaces.coordinates` reads it."""

    number = ARRAYS
    level = 3  # within 10 % of the size that level 9 gives, in a sixth of its time
    has_depths = False
    unit = "bytes"

    def body_bytes(self, entries: int) -> int:
        """See `Encoding.body_bytes`."""
        return entries

    def has_levels(self, entry: TableEntry) -> bool:  # noqa: ARG002
        """See `Encoding.has_levels`: coordinates are derived at once."""
        return False

    def make(
        self,
        rules: Rules,
        entry: TableEntry,
        progress: Progress | None = None,  # noqa: ARG002  # there are no levels
        workers: int | None = None,  # noqa: ARG002
        keeper: Keeper | None = None,  # noqa: ARG002
    ) -> Levels:
        """See `Encoding.make`."""
        import numpy as np  # noqa: PLC0415  # coordinates are read without it

        from cubesolve.spaces.derived import make_ready  # noqa: PLC0415  # needs numpy

        derived = _derived(rules, entry)
        return np.frombuffer(derived.coordinates if derived.is_ready else make_ready(derived), np.uint8), ()

    def verify(
        self,
        rules: Rules,
        entry: TableEntry,
        claimed: TableHeader,  # noqa: ARG002  # there is no distribution
        body: NDArray[np.uint8],
        path: str,
        workers: int | None = None,  # noqa: ARG002
    ) -> None:
        """See `Encoding.verify`: they are derived again."""
        from cubesolve.spaces.derived import make_ready  # noqa: PLC0415  # needs numpy

        if make_ready(_derived(rules, entry)) != body.tobytes():
            raise CorruptTableError(path, "the coordinates do not match the moves of the puzzle")


def _derived(rules: Rules, entry: TableEntry) -> DerivedGraph:
    from cubesolve.spaces.defined import DerivedGraph  # noqa: PLC0415  # other puzzles do not load it

    graph = rules.graph_of(entry)
    assert isinstance(graph, DerivedGraph)  # as only these have coordinates
    return graph

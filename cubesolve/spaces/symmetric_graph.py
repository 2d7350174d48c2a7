"""The states of a puzzle up to symmetry, as a table has them (pure Python)."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cubesolve.definitions.state import StateT
from cubesolve.errors import UnsolvableStateError
from cubesolve.permutations import Arrangement
from cubesolve.spaces.coordinates import CoordinateGraph
from cubesolve.spaces.rules import InArrays
from cubesolve.spaces.symmetric_coordinates import SymmetricCoordinates
from cubesolve.spaces.tables import ARRAYS, BYTE_DEPTHS, MOD3, UP_TO_SYMMETRY, TableEntry, TableHeader

if TYPE_CHECKING:
    from cubesolve.spaces.defined import DerivedGraph

_DIGITS = 16  # characters of a digest in the name of a table
_MOST_BYTES = 1 << 30  # entries of a byte; of more, each has two bits
_MOVES_A_SECOND = 1e8  # enumerated and proved; a rough estimate for messages


class SymmetricGraph(CoordinateGraph[SymmetricCoordinates, StateT]):
    """The states of a puzzle, of which symmetric ones are one, and the moves between them.

    Ranks are those of entries, each of which stands for the state that `unrank` returns and for all its images. Some
    symmetric states have several entries; `rank` returns one of these.

    Attributes:
        whole: the graph of all states.
    """

    def __init__(self, whole: DerivedGraph[StateT]) -> None:
        """Take the graph of all states."""
        self.whole = whole

    # -- Its tables ----------------------------------------------------------------------------------------------------

    @functools.cached_property
    def name(self) -> str:
        """The name of the table."""
        digest = hashlib.sha256(f"{self.whole.digest} {UP_TO_SYMMETRY}".encode()).hexdigest()
        return f"custom-{digest[:_DIGITS]}"

    def _header(self, name: str, scheme: str, entries: int, encoding: int) -> TableHeader:
        return TableHeader(name, "custom", self.whole.metric, f"{scheme} {UP_TO_SYMMETRY}", entries, (), "", encoding)

    @property
    def _built_by(self) -> str:
        return f"{self.whole.built_by} --symmetric"

    @functools.cached_property
    def coordinates_entry(self) -> TableEntry:
        """The table of its coordinates."""
        header = self._header(f"{self.name}-coordinates", f"coordinates {self.whole.digest}", 0, ARRAYS)
        return TableEntry(header, by_default=False, built_by=self._built_by)

    @functools.cached_property
    def entry(self) -> TableEntry:
        """The table of distances.

        The scheme has the digest of the coordinates, so a table is not read with the coordinates of another version.
        """
        digest, states = hashlib.sha256(self.coordinates).hexdigest(), self.states
        encoding = BYTE_DEPTHS if states <= _MOST_BYTES else MOD3
        seconds = max(1, states * len(self.moves) / _MOVES_A_SECOND)
        effort = f"{states:,} entries, about {seconds:,.0f} s"
        header = self._header(self.name, f"states {digest}", states, encoding)
        return TableEntry(header, by_default=False, effort=effort, built_by=self._built_by)

    def read_coordinates(self, body: bytes) -> SymmetricCoordinates:
        """Return coordinates, given their bytes; see `spaces.symmetric_coordinates`."""
        return SymmetricCoordinates(body, self.whole.reduction)

    # -- States and ranks ----------------------------------------------------------------------------------------------

    @functools.cached_property
    def moves(self) -> Sequence[str]:
        """The names of the moves, in the order in which ties are broken."""
        return self.whole.moves

    @functools.cached_property
    def costs(self) -> Sequence[int] | None:
        """The cost of each move; None if all costs are 1."""
        return self.whole.costs

    @functools.cached_property
    def states(self) -> int:
        """The number of entries."""
        return self.known.entries

    @functools.cached_property
    def starts(self) -> Sequence[int]:
        """The ranks of the solved states."""
        solved = self.whole.reduction.solved
        found = {self.known.find(each)[0] for each in solved if sorted(each) == sorted(solved[0])}
        return sorted(found - {-1})

    def place(self, given: object) -> Arrangement:
        """Return the arrangement of a state, its reference pieces at home.

        Args:
            given: the state, given in any supported way; also by its rank among all states, if their graph is ready.

        Raises:
            InvalidStateError: it is invalid, or not reachable.
        """
        for place in self.whole.labelling.arrangements(self.whole.given_state(given)):
            home = self.whole.reduction.home(place)
            if home is not None and self.known.find(home[0])[0] >= 0:
                return home[0]
        raise UnsolvableStateError(f"{self.whole.rules.title}: no moves lead from the solved state to this one")

    def rank(self, given: object) -> int:
        """Return the rank of a state that is given in any supported way."""
        return self.checked(given) if hasattr(given, "__index__") else self.entry_of(given)

    def entry_of(self, given: object) -> int:
        """Return the rank of the entry that stands for a state, given as for `place`."""
        return self.known.find(self.place(given))[0]

    def unrank(self, rank: int) -> StateT:
        """Return the state with a rank."""
        return self.whole.labelling.state(self.known.state(rank))

    def neighbours(self, rank: int) -> Sequence[int]:
        """Return the rank after each move, -1 if the move is not possible."""
        return self.known.neighbours(rank)

    def in_arrays(self) -> InArrays:
        """Return how the graph is given as arrays, which needs numpy."""
        from cubesolve.spaces.symmetric_tables import SymmetricForm, entries_of  # noqa: PLC0415  # needs numpy

        return InArrays(lambda: entries_of(self).space, lambda: SymmetricForm(self))

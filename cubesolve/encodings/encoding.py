"""Encodings as data: how the bodies of tables store their entries (pure Python)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cubesolve.spaces.tables import TableEntry, TableHeader

if TYPE_CHECKING:
    import mmap

    from cubesolve.encodings.distances import Distances
    from cubesolve.encodings.probe import Probe
    from cubesolve.spaces.rules import Graph
    from cubesolve.spaces.space import StateSpace


class Encoding(NamedTuple):
    """How the body of a table stores its entries.

    The methods from `distances` on are for the encodings of all distances of a graph, which have `bits`. A table of a
    graph can have any of these that suits the space.
    """

    number: int  # its number in the header of a file
    level: int  # the level at which zstd compresses bodies
    bits: int = 0  # the bits of an entry, if entries give the distances of all states of a graph; 0 for other contents
    block: tuple[int, int] = (1, 1)  # the number of entries of a block, which are stored together, and of its bytes
    proof_bits: int = 0  # the bits per entry that a proof takes, besides the body
    has_depths: bool = True  # whether entries are depths, exact or not, and the header has their distribution
    # whether the distribution in a header counts entries; an entry can stand for several states
    counts_entries: bool = True
    is_read_whole: bool = True  # whether a small body is read into the memory of the process; others are memory-mapped
    unit: str = "entries"  # the name of what entries count
    last_is_more: bool = False  # whether the last level of the distribution counts all entries at that depth or deeper
    suits: str = ""  # which spaces it suits, as "if every move can be undone"; "" if it suits all

    @property
    def has_bytes(self) -> bool:
        """Whether the body is an array of depths by rank, one byte each."""
        return self.bits == 8

    def body_bytes(self, entries: int) -> int:
        """Return the number of bytes of a body with a number of entries."""
        return -(-entries // self.block[0]) * self.block[1]

    def building_bytes(self, entries: int) -> int:
        """Return the number of bytes of memory for a build: the body, and working memory."""
        return self.body_bytes(entries) + -(-entries * self.proof_bits // 8)

    def is_consistent(self, header: TableHeader) -> bool:
        """Return whether the numbers in a header agree."""
        are_whole = not header.entries % self.block[0] and len(header.distribution) > 3  # blocks, and levels beyond 3
        is_counted = header.reachable <= header.entries or not self.counts_entries
        return is_counted and (are_whole or not self.last_is_more)

    def has_levels(self, entry: TableEntry) -> bool:
        """Return whether a table is enumerated level by level, so that there can be checkpoints."""
        return self.has_depths and entry.fold is None

    def distances(self, graph: Graph, body: bytes | mmap.mmap) -> Distances:
        """Return the distances of single states, without numpy."""
        self._require_exact(graph)
        from cubesolve.encodings import distances  # noqa: PLC0415  # delays the start of other searches

        if self.bits == 2:
            return distances.Mod3Distances(graph, body)
        return (distances.FreeDistances if graph.has_free_moves else distances.Distances)(graph, body)

    def probe(self, graph: Graph, body: bytes | mmap.mmap, counts: tuple[int, ...]) -> Probe:
        """Return the distances of arrays of states."""
        self._require_exact(graph)
        from cubesolve.encodings import probe  # noqa: PLC0415  # needs numpy

        return (probe.Mod3Probe if self.bits == 2 else probe.Probe)(graph, body, counts)

    def _require_exact(self, graph: Graph) -> None:
        if not self.bits:
            raise ValueError(f"{graph.entry.name} does not have the distances of all states")

    def require_suited(self, space: StateSpace) -> None:
        """Reject a space of which this encoding cannot give the distances."""
        from cubesolve.encodings.enumeration import require_recoverable  # noqa: PLC0415  # needs numpy

        if self.bits == 2:
            require_recoverable(space)

"""Going down to a start from one state, by a table of depths modulo 3 (pure Python)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from mmap import mmap

from cubesolve.spaces.tables import UNREACHABLE, UNREACHED

Neighbours = Callable[[int], Sequence[int]]
"""The ranks that the moves lead to from a rank, in the order in which ties are broken; -1 where one is not possible."""


class ModuloDepths:
    """The depths that a table of depths modulo 3 tells; see `encodings.mod3.enumeration`.

    A neighbour is nearer if its entry is one less. A start has no nearer neighbour, and everything else has one.

    >>> ring = ModuloDepths(bytes([0b01_10_01_00, *[255] * 7]), 4)
    >>> ring.depth(2, lambda rank: ((rank + 1) % 4, (rank - 1) % 4))
    2
    """

    __slots__ = ("_body", "_states")

    def __init__(self, body: bytes | memoryview | mmap, states: int) -> None:
        """Take a table's body.

        Args:
            body: the bytes.
            states: how many states there are.
        """
        self._body, self._states = body, states

    def _entry(self, rank: int) -> int:
        if not 0 <= rank < self._states:
            raise ValueError(f"rank {rank} is not in 0..{self._states - 1}")
        return self._body[rank >> 2] >> 2 * (rank & 3) & 3

    def depth(self, rank: int, neighbours: Neighbours) -> int:
        """The depth of a state, 255 where no start can be reached.

        Raises:
            ValueError: there is no such rank.
        """
        entry, body, at = self._entry(rank), self._body, rank
        if entry == UNREACHED:
            return UNREACHABLE
        for depth in range(UNREACHABLE):
            entry = (entry + 2) % 3
            for target in neighbours(at):
                if target >= 0 and body[target >> 2] >> 2 * (target & 3) & 3 == entry:
                    at = target
                    break
            else:
                return depth
        return UNREACHABLE

    def is_at(self, rank: int, depth: int) -> bool:
        """Whether a state is at a depth, if it is known to be there, or one or two deeper.

        Raises:
            ValueError: there is no such rank.
        """
        return self._entry(rank) == depth % 3

    def nearer(self, rank: int, neighbours: Neighbours) -> list[tuple[int, int]]:
        """The moves with which a shortest way to a start begins: their numbers, and the ranks that they lead to.

        Raises:
            ValueError: there is no such rank.

        >>> ring = ModuloDepths(bytes([0b01_10_01_00, *[255] * 7]), 4)
        >>> ring.nearer(2, lambda rank: ((rank + 1) % 4, (rank - 1) % 4))
        [(0, 3), (1, 1)]
        """
        wanted = (self._entry(rank) + 2) % 3  # what cannot reach a start has neighbours 3 only
        return [
            (move, target)
            for move, target in enumerate(neighbours(rank))
            if target >= 0 and self._entry(target) == wanted
        ]

    def descents(self, rank: int, neighbours: Neighbours) -> Iterator[tuple[int, ...]]:
        """All shortest ways to a start, as the numbers of their moves, in order; none where there is no way.

        Raises:
            ValueError: there is no such rank.

        >>> ring = ModuloDepths(bytes([0b01_10_01_00, *[255] * 7]), 4)
        >>> list(ring.descents(2, lambda rank: ((rank + 1) % 4, (rank - 1) % 4)))
        [(0, 0), (1, 1)]
        """
        reachable = self._entry(rank) != UNREACHED
        return self._descents(rank, neighbours) if reachable else iter(())

    def _descents(self, rank: int, neighbours: Neighbours) -> Iterator[tuple[int, ...]]:
        nearer = self.nearer(rank, neighbours)
        if not nearer:
            yield ()
        for move, target in nearer:
            for rest in self._descents(target, neighbours):
                yield (move, *rest)

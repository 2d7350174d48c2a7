"""Ranks of the states of a derived space, from the coordinates written when it was derived (pure Python).

The rank is ``arrangements * placement + arrangement``: a placement is the points of some chosen labels, an arrangement
the state after the inverse of the permutation that leads to the placement (see `spaces.derive`). ``docs/format.md``
describes the bytes.
"""

from __future__ import annotations

import struct
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from cubesolve.definitions.definition import Move
from cubesolve.definitions.state import StateT
from cubesolve.errors import CorruptTableError, CubesolveError
from cubesolve.permutations import Arrangement, Permutation, after, inverse
from cubesolve.spaces.rules import Graph

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from cubesolve.spaces.tables import TableEntry


class _Body(Protocol):
    """Coordinates that keep the bytes from which they were read."""

    body: bytes


Known = TypeVar("Known", bound=_Body)
"""Coordinates of a kind."""

AnySizes = TypeVar("AnySizes", bound=NamedTuple)
"""The sizes of the arrays of a kind of coordinates."""

HEADER = struct.Struct("<10I")
"""The sizes at the beginning of the bytes."""

Places = Mapping[str, tuple[int, int, str]]
"""Where each array begins, how many numbers it has, and their type; see `layout`."""


class Sizes(NamedTuple):
    """The sizes of the arrays.

    Attributes:
        points: points of the puzzle.
        item: bytes for a point or a label, 1 or 2.
        labels: chosen labels.
        columns: places of a placement.
        placements: rows of the space.
        arrangements: states of a row.
        moves: moves.
        actions: rows of the fibre.
        mutual: 1 if every move has an inverse of the same cost.
        starts: solved states.
    """

    points: int
    item: int
    labels: int
    columns: int
    placements: int
    arrangements: int
    moves: int
    actions: int
    mutual: int
    starts: int


def layout(sizes: Sizes) -> dict[str, tuple[int, int, str]]:
    """Return where each array begins, how many numbers it has, and their type as a format of `memoryview`.

    >>> layout(Sizes(3, 1, 1, 1, 3, 1, 1, 1, 0, 1))["labels"]
    (40, 1, 'H')
    """
    item = {1: "B", 2: "H"}[sizes.item]
    arrays = {
        "labels": (sizes.labels, "H"),
        "starts": (sizes.starts, "Q"),
        "places": (sizes.placements * sizes.columns, item),
        "place_order": (sizes.placements, "I"),
        "parents": (sizes.placements, "I"),
        "steps": (sizes.placements, "H"),
        "arrangements": (sizes.arrangements * sizes.points, item),
        "arrangement_order": (sizes.arrangements, "I"),
        "targets": (sizes.moves * sizes.placements, "i"),
        "action": (sizes.moves * sizes.placements, "H"),
        "fibre": (sizes.actions * sizes.arrangements, "H"),
    }
    return placed(arrays, HEADER.size)


def placed(arrays: Mapping[str, tuple[int, str]], begin: int) -> dict[str, tuple[int, int, str]]:
    """Return where arrays begin that follow one another, each from a multiple of 8 bytes; `end` is after the last.

    >>> placed({"one": (3, "B"), "two": (2, "H")}, 4)
    {'one': (8, 3, 'B'), 'two': (16, 2, 'H'), 'end': (20, 0, 'B')}
    """
    found, offset = {}, begin
    for name, (number, kind) in arrays.items():
        offset = -(-offset // 8) * 8
        found[name] = offset, number, kind
        offset += number * struct.calcsize(kind)
    found["end"] = offset, 0, "B"
    return found


def read_sizes(body: bytes) -> Sizes:
    """Return the sizes at the beginning of the bytes.

    Raises:
        CorruptTableError: the length of the bytes does not match.
    """
    return header_of(body, Sizes, layout, ("placements", "arrangements"))


def header_of(
    body: bytes, kind: Callable[..., AnySizes], layout: Callable[[AnySizes], Places], positive: Iterable[str]
) -> AnySizes:
    """Return the sizes at the beginning of the bytes of coordinates of a kind.

    Args:
        body: the bytes.
        kind: returns the sizes, given the numbers.
        layout: returns where each array begins, if `item` is 1 or 2.
        positive: the names of sizes that are not 0.

    Raises:
        CorruptTableError: the length of the bytes does not match, or a size is invalid.
    """
    if len(body) >= HEADER.size:
        sizes = kind(*HEADER.unpack_from(body))
        named = sizes._asdict()
        if named["item"] in {1, 2} and all(map(named.get, positive)) and len(body) == layout(sizes)["end"][0]:
            return sizes
    raise damaged()


def damaged() -> CorruptTableError:
    """Return the error of coordinates that do not belong to their puzzle."""
    return CorruptTableError("coordinates", "these are none, or of another puzzle")


def write_sizes(sizes: Sequence[int]) -> bytes:
    """Return the bytes of sizes."""
    return HEADER.pack(*sizes)


class CoordinateGraph(Graph[StateT], Generic[Known, StateT]):
    """A graph whose states have ranks by coordinates, which a table has."""

    _coordinates: Known | None = None

    @property
    @abstractmethod
    def coordinates_entry(self) -> TableEntry:
        """The table of its coordinates."""

    @abstractmethod
    def read_coordinates(self, body: bytes) -> Known:
        """Return coordinates, given their bytes."""

    @property
    def is_ready(self) -> bool:
        """Whether the coordinates are known."""
        return self._coordinates is not None

    def use(self, body: Buffer) -> None:
        """Use coordinates, given their bytes."""
        self._coordinates = self.read_coordinates(bytes(body))

    def forget(self) -> None:
        """Release the memory of the coordinates."""
        self._coordinates = None

    @property
    def coordinates(self) -> bytes:
        """The bytes of the coordinates."""
        return self.known.body

    @property
    def known(self) -> Known:
        """The coordinates."""
        if self._coordinates is None:
            raise CubesolveError(f"{self.coordinates_entry.name} has not been loaded")
        return self._coordinates


class Coordinates:
    """The coordinates of a derived space.

    Attributes:
        body: the bytes.
        states: the number of states.
        starts: the ranks of the solved states.
    """

    def __init__(self, body: bytes, moves: Sequence[Move], changes: Sequence[Permutation] = ()) -> None:
        """Read the coordinates of a puzzle with these moves.

        Args:
            body: the bytes.
            moves: the moves.
            changes: the permutations between placements, by number; by default all effects of all moves.

        Raises:
            CorruptTableError: the bytes are invalid.
        """
        self.body = body
        self._sizes = read_sizes(body)
        if (self._sizes.points, self._sizes.moves) != (len(moves[0].effects[0].sources), len(moves)):
            raise damaged()
        arrays = arrays_in(body, layout(self._sizes))
        self._labels = arrays["labels"].tolist()
        if max(self._labels, default=0) >= 256**self._sizes.item:
            raise damaged()
        self._parents, self._steps = arrays["parents"], arrays["steps"]
        self._places = StoredRows(arrays["places"], self._sizes.columns, arrays["place_order"])
        self._arrangements = StoredRows(arrays["arrangements"], self._sizes.points, arrays["arrangement_order"])
        self._targets, self._action, self._fibre = arrays["targets"], arrays["action"], arrays["fibre"]
        self._forwards = changes or [effect.sources for move in moves for effect in move.effects]
        self._backwards = [inverse(sources) for sources in self._forwards]
        self.states = self._sizes.placements * self._sizes.arrangements
        self.starts = arrays["starts"].tolist()

    def rank(self, state: Arrangement) -> int:
        """Return the rank of a state, -1 if no moves lead to it."""
        places = [i for label in self._labels for i in _points_of(state, label)]
        placement = self._places.find(places) if len(places) == self._sizes.columns else -1
        if placement < 0:
            return -1
        for step in self._way(placement):
            state = after(state, self._backwards[step])
        found = self._arrangements.find(state)
        return placement * self._sizes.arrangements + found if found >= 0 else -1

    def unrank(self, rank: int) -> Arrangement:
        """Return the state with a rank."""
        row, number = divmod(rank, self._sizes.arrangements)
        state = self._arrangements[number]
        for step in reversed(list(self._way(row))):
            state = after(state, self._forwards[step])
        return state

    def _way(self, row: int) -> Iterator[int]:
        """Yield the effects, by number, that lead from the first placement to one, the last effect first."""
        while row:
            step, parent = self._steps[row], self._parents[row]
            if parent >= row or step >= len(self._forwards):
                raise damaged()
            yield step
            row = parent

    def neighbours(self, rank: int) -> list[int]:
        """Return the ranks after the moves, -1 if a move is not possible."""
        row, number = divmod(rank, self._sizes.arrangements)
        width, targets, action, fibre = self._sizes.arrangements, self._targets, self._action, self._fibre
        found = []
        try:
            for at in range(row, len(targets), self._sizes.placements):
                target = targets[at]
                found.append(target * width + fibre[action[at] * width + number] if target >= 0 else -1)
        except IndexError:
            raise damaged() from None
        if max(found) >= self.states:
            raise damaged()
        return found


def arrays_in(body: bytes, places: Places) -> dict[str, memoryview[int]]:
    """Return the arrays in bytes, given where each begins; see `layout`."""
    view = memoryview(body)
    return {
        name: view[start : start + number * struct.calcsize(kind)].cast(kind)  # type: ignore[call-overload]
        for name, (start, number, kind) in places.items()
    }


def _points_of(state: Arrangement, label: int) -> list[int]:
    if state.count(label) == 1:
        return [state.index(label)]
    return [point for point, here in enumerate(state) if here == label]


class StoredRows:
    """Rows of numbers, and an order in which they ascend."""

    def __init__(self, numbers: memoryview[int], width: int, order: memoryview[int]) -> None:
        """Take the numbers, row after row."""
        self._form: Callable[[Iterable[int]], Arrangement] = bytes if numbers.itemsize == 1 else tuple
        self._numbers = self._form(numbers)
        self._width, self._order = width, order

    def __getitem__(self, row: int) -> Arrangement:
        """Return a row."""
        return self._numbers[row * self._width : (row + 1) * self._width]

    def find(self, row: Iterable[int]) -> int:
        """Return the number of a row, -1 if there is none."""
        wanted = self._form(row)
        place = bisect_left(self._order, wanted, key=self.__getitem__)
        found = self._order[place] if place < len(self._order) else -1
        return found if 0 <= found < len(self._order) and self[found] == wanted else -1

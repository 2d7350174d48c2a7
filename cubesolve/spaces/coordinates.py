"""Ranks of the states of a derived space, from the coordinates written when it was derived (pure Python).

The rank is ``arrangements * placement + arrangement``: a placement is the points of some chosen labels, an arrangement
the state after the inverse of the permutation that leads to the placement (see `spaces.derive`). ``docs/format.md``
describes the bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from cubesolve.errors import CorruptTableError
from cubesolve.group.moves import Move
from cubesolve.group.permutations import Arrangement, Permutation, after, inverse

MOST_STATES = 1 << 33
"""The maximum number of states with ranks."""

MOST_NUMBERS = 1 << 26
"""The maximum number of numbers in the fibre of a space, before equal rows are merged."""

HEADER = struct.Struct("<10I")
"""The sizes, at the beginning of the bytes."""


class Sizes(NamedTuple):
    """The sizes of the arrays."""

    points: int  # points of the puzzle
    item: int  # bytes for a point or a label, 1 or 2
    labels: int  # chosen labels
    columns: int  # places of a placement
    placements: int  # rows of the space
    arrangements: int  # states of a row
    moves: int
    actions: int  # rows of the fibre
    mutual: int  # 1 if every move has an inverse of the same cost
    starts: int  # solved states


def layout(sizes: Sizes) -> dict[str, tuple[int, int, str]]:
    """Return where each array begins, how many numbers it has, and their type as a format of `memoryview`.

    Each begins at a multiple of 8 bytes; `end` is after the last.

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
    entries, offset = dict[str, tuple[int, int, str]](), HEADER.size
    for name, (number, kind) in arrays.items():
        offset = -(-offset // 8) * 8
        entries[name] = offset, number, kind
        offset += number * struct.calcsize(kind)
    entries["end"] = offset, 0, "B"
    return entries


def read_sizes(body: bytes) -> Sizes:
    """Return the sizes at the beginning of the bytes, if they are valid and match the length."""
    if len(body) >= HEADER.size:
        sizes = Sizes(*HEADER.unpack_from(body))
        is_positive = sizes.placements > 0 and sizes.arrangements > 0
        if sizes.item in {1, 2} and is_positive and len(body) == layout(sizes)["end"][0]:
            return sizes
    raise damaged()


def damaged() -> CorruptTableError:
    """Return the error of coordinates that do not belong to their puzzle."""
    return CorruptTableError("coordinates", "these are none, or of another puzzle")


class Coordinates:
    """The coordinates of a derived space."""

    def __init__(self, body: bytes, moves: Sequence[Move], changes: Sequence[Permutation]) -> None:
        """Read the coordinates of a puzzle with some moves, and some changes between placements."""
        self.body = body
        self._sizes = read_sizes(body)
        if (self._sizes.points, self._sizes.moves) != (len(moves[0].effects[0].sources), len(moves)):
            raise damaged()
        view = memoryview(body)
        arrays: dict[str, memoryview[int]] = {
            name: view[start : start + number * struct.calcsize(kind)].cast(kind)  # type: ignore[call-overload]
            for name, (start, number, kind) in layout(self._sizes).items()
        }
        self._labels = arrays["labels"].tolist()
        if max(self._labels, default=0) >= 256**self._sizes.item:
            raise damaged()
        self._parents, self._steps = arrays["parents"], arrays["steps"]
        self._places = _StoredRows(arrays["places"], self._sizes.columns, arrays["place_order"])
        self._arrangements = _StoredRows(arrays["arrangements"], self._sizes.points, arrays["arrangement_order"])
        self._targets, self._action, self._fibre = arrays["targets"], arrays["action"], arrays["fibre"]
        self._forwards, self._backwards = changes, [*map(inverse, changes)]
        self.states = self._sizes.placements * self._sizes.arrangements
        self.starts = arrays["starts"].tolist()  # the ranks of the solved states

    def rank(self, state: Arrangement) -> int:
        """Return the rank of a state, -1 if no moves lead to it."""
        places = list[int]()
        for label in self._labels:
            if state.count(label) == 1:
                places.append(state.index(label))
            else:
                places += [point for point, here in enumerate(state) if here == label]
        placement = self._places.find(places) if len(places) == self._sizes.columns else -1
        if placement < 0:
            return -1
        for step in self._way(placement):
            state = after(state, self._backwards[step])
        number = self._arrangements.find(state)
        return placement * self._sizes.arrangements + number if number >= 0 else -1

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
        ranks = []
        try:
            for at in range(row, len(targets), self._sizes.placements):
                target = targets[at]
                ranks.append(target * width + fibre[action[at] * width + number] if target >= 0 else -1)
        except IndexError:
            raise damaged() from None
        if max(ranks) >= self.states:
            raise damaged()
        return ranks


class _StoredRows:
    """Rows of numbers, and an order in which they ascend."""

    def __init__(self, numbers: memoryview[int], width: int, order: memoryview[int]) -> None:
        self._form: Callable[[Iterable[int]], Arrangement] = bytes if numbers.itemsize == 1 else tuple
        self._numbers = self._form(numbers)
        self._width, self._order = width, order

    def __getitem__(self, row: int) -> Arrangement:
        return self._numbers[row * self._width : (row + 1) * self._width]

    def find(self, row: Iterable[int]) -> int:
        """Return the number of a row, -1 if there is none."""
        wanted: Any = self._form(row)  # of the type of the numbers
        numbers, width, order = self._numbers, self._width, self._order
        low, high = 0, len(order)
        while low < high:
            middle = (low + high) // 2
            first = order[middle] * width
            if numbers[first : first + width] < wanted:
                low = middle + 1
            else:
                high = middle
        number = order[low] if low < len(order) else -1
        return number if 0 <= number < len(order) and self[number] == wanted else -1

"""The states that a batch is about: how they are given, the moves between them, and their depths."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve import descent, pocket
from cubesolve.catalog import CATALOG, CatalogEntry
from cubesolve.coordinates import VACANCY, TrayRanks
from cubesolve.errors import InvalidStateError
from cubesolve.locks import ThreadLock
from cubesolve.lookup.tables import Tables
from cubesolve.lookup.trays import tray_space, uniform_table
from cubesolve.notation import metric_moves, require_metric
from cubesolve.rolling import DIRECTIONS, Tray, symmetries
from cubesolve.spaces.space import StateSpace, pocket_space

if TYPE_CHECKING:
    from cubesolve.engine.batch import Steps

SMALL = 1000
"""The number of rows up to which nothing waits for Numba."""

_CELLS = 9
_WORTH_COUNTING_ALL = 256  # counting the ways from one state takes as long as a pass over so many


class Rows(ABC):
    """A batch of states as they were given.

    Attributes:
        shape: the shape of an answer of one number a state: (N,), or () for a single rank.
    """

    shape: tuple[int, ...]

    def __init__(self, given: NDArray[Any], dimensions: int) -> None:
        self.shape = given.shape[: given.ndim - dimensions]
        self._given = given.reshape(-1, *given.shape[given.ndim - dimensions :])

    def __len__(self) -> int:
        return len(self._given)

    @abstractmethod
    def ranks(self, part: slice) -> NDArray[np.int64]:
        """The ranks of some rows, -1 for what is no state."""

    @abstractmethod
    def fault(self, row: int) -> str:
        """What is wrong with a row that is no state."""


class _Ranks(Rows):
    """Ranks of any integer type."""

    def __init__(self, given: NDArray[Any], states: int) -> None:
        super().__init__(given, 0)
        self._states = states

    def ranks(self, part: slice) -> NDArray[np.int64]:
        # A copy, so that what is checked is what is used; numbers that are too large become negative.
        ranks = np.array(self._given[part], np.int64)
        outside = ranks.view(np.uint64) >= self._states
        return np.where(outside, -1, ranks) if outside.any() else ranks

    def fault(self, row: int) -> str:
        return f"rank {self._given[row]} is not in 0..{self._states - 1}"


class _Facelets(Rows):
    """Pocket cubes, 24 bytes each."""

    def __init__(self, given: NDArray[Any], at_home: bool) -> None:
        super().__init__(given, 1 if given.dtype == np.uint8 else 0)
        self._at_home = at_home
        self._is_text = given.dtype != np.uint8

    def _bytes(self, part: slice) -> NDArray[np.uint8]:
        return np.ascontiguousarray(self._given[part]).view(np.uint8).reshape(-1, len(pocket.FACELET_NAMES))

    def ranks(self, part: slice) -> NDArray[np.int64]:
        facelets = self._bytes(part)
        if len(self) > SMALL:
            from cubesolve.engine.batch import read_facelets  # noqa: PLC0415  # needs numba

            ranks = read_facelets(facelets, self._at_home).astype(np.int64)
        else:
            ranks = np.fromiter((_rank(row.tobytes(), self._at_home) for row in facelets), np.int64, len(facelets))
        if self._is_text:
            ranks[facelets[:, -1] == 0] = -1  # these bytes fill up what is too short
        return ranks

    def fault(self, row: int) -> str:
        facelets = self._bytes(slice(row, row + 1)).tobytes()
        text = facelets.rstrip(b"\0") if self._is_text else facelets
        try:
            pocket.PocketCube(_readable(text))
        except InvalidStateError as error:
            return "".join(str(ord(s) - _STAND_IN) if 0 <= ord(s) - _STAND_IN < 256 else s for s in str(error))
        raise AssertionError(f"{facelets!r} is a pocket cube")


_STAND_IN = 0x4E00  # characters that no message has; they stand for bytes, in the same order
_FACE_LETTERS = frozenset(b"URFDLB")


def _readable(facelets: bytes) -> str:
    """Facelets as text for a message; what cannot be printed, or would be mistaken for such, has stand-ins."""
    printable = all(33 <= value < 127 for value in facelets)
    return "".join(
        chr(value) if printable or (33 <= value < 127 and not 48 <= value < 58) else chr(_STAND_IN + value)
        for value in facelets
    )


def _rank(facelets: bytes, at_home: bool) -> int:
    """The rank of a pocket cube, -1 if it is none; bytes that are white space are colours like any others."""
    letters = frozenset(facelets) == _FACE_LETTERS
    text = "".join(chr(value if letters else _STAND_IN + value) for value in facelets)
    try:
        return pocket.PocketCube(text).rank if at_home else pocket.anchored_rank(text)
    except InvalidStateError:
        return -1


class _Cells(Rows):
    """Trays, the orientations in their cells."""

    def __init__(self, given: NDArray[Any], trays: TrayRanks) -> None:
        super().__init__(given, given.ndim - 1)
        self._trays = trays

    def _cells(self, part: slice) -> NDArray[np.int64]:
        cells = self._given[part].reshape(-1, _CELLS)
        return np.where(cells == -1, VACANCY, cells.astype(np.int64))

    def ranks(self, part: slice) -> NDArray[np.int64]:
        return self._trays.of(self._cells(part))

    def fault(self, row: int) -> str:
        return self._trays.fault(self._cells(slice(row, row + 1))[0])


def as_array(batch: ArrayLike) -> NDArray[Any]:
    """What the user gave, as an array; what is empty can be of any type.

    Raises:
        InvalidStateError: a masked array.
    """
    if isinstance(batch, np.ma.MaskedArray):
        raise InvalidStateError("masked arrays are not understood: fill them with what is no state, or compress them")
    given = np.asarray(batch)
    return given if given.shape != (0,) else np.empty(0, np.int64)


# -- Puzzles ---------------------------------------------------------------------------------------------------------


class States(ABC):
    """All states of a puzzle, and how far each is from the start of a table.

    Attributes:
        entry: the catalog entry of the table.
        moves: the names of the moves, in the order in which ties are broken.
        symbols: how many bytes a state is written with.
    """

    entry: CatalogEntry
    moves: tuple[str, ...]
    symbols: int

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._counting = ThreadLock()
        self._ways: NDArray[np.int64] | None = None

    @property
    def number(self) -> int:
        """How many there are."""
        return self.entry.header.entries

    @property
    def longest(self) -> int:
        """The largest depth."""
        return len(self.entry.header.distribution) - 1

    @property
    def depths(self) -> NDArray[np.uint8]:
        """uint8 (states,): depths by rank, not to be written to.

        Raises:
            TableError: the table is missing or damaged.
        """
        return np.frombuffer(self._tables.body(self.entry.name), np.uint8)

    @property
    @abstractmethod
    def space(self) -> StateSpace:
        """The moves between them."""

    @property
    def steps(self) -> Steps:
        """The same for kernels."""
        return _steps(self.space)

    def descend(self, rows: int) -> Callable[..., None]:
        """What finds a solution of each of so many states: from their ranks, into moves and lengths."""
        if rows > SMALL:
            from cubesolve.engine.batch import descend  # noqa: PLC0415  # needs numba

            return functools.partial(descend, self.steps, self.depths)
        return functools.partial(descent.descend, self.space, self.depths)

    def lead_down(self, rows: int) -> Callable[..., None]:
        """What finds the optimal moves of each of so many states: from their ranks, into an array of bool."""
        if rows > SMALL:
            from cubesolve.engine.batch import lead_down  # noqa: PLC0415  # needs numba

            return functools.partial(lead_down, self.steps, self.depths)
        return functools.partial(descent.lead_down, self.space, self.depths)

    def count_ways(self, rows: int, workers: int | None) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
        """What counts the solutions of each of so many states, from their ranks."""
        if self._ways is not None or rows * _WORTH_COUNTING_ALL > self.number:
            return self.ways(workers).__getitem__
        space, depths = self.space, self.depths
        return lambda ranks: np.concatenate(
            [
                descent.count_ways(space, depths, ranks[start : start + SMALL])
                for start in range(0, max(len(ranks), 1), SMALL)
            ]
        )

    def ways(self, workers: int | None) -> NDArray[np.int64]:
        """int64 (states,): the number of shortest ways to the start, counted once."""
        from cubesolve.engine.batch import count_ways  # noqa: PLC0415  # needs numba

        depths = self.depths  # also where it is not used: the tables may be closed
        with self._counting.held():
            if self._ways is None:
                ways = count_ways(self.steps, depths, workers)
                ways.flags.writeable = False
                self._ways = ways.view()  # of which not even its owner can make the numbers writable
            return self._ways

    @functools.cached_property
    def by_depth(self) -> NDArray[np.int32]:
        """int32 (states,): the ranks, those of the smallest depth first."""
        return np.argsort(self.depths, kind="stable").astype(np.int32)

    def ranks_only(self, batch: ArrayLike) -> Rows:
        """A batch that must be ranks.

        Raises:
            InvalidStateError: something else.
        """
        given = as_array(batch)
        if given.dtype.kind not in "iu" or given.ndim > 1:
            raise InvalidStateError(f"ranks are integers (N,), not {given.dtype} {given.shape}")
        return _Ranks(given, self.number)

    @abstractmethod
    def rows(self, batch: ArrayLike, at_home: bool = False) -> Rows:
        """A batch of them.

        Args:
            batch: what the user gave.
            at_home: for pocket cubes, whether the rank shall be the same in every holding.

        Raises:
            InvalidStateError: an array of another shape or type.
        """


@functools.lru_cache(maxsize=4)
def _steps(space: StateSpace) -> Steps:
    from cubesolve.engine.batch import Steps  # noqa: PLC0415  # needs numba

    return Steps.of(space)


@functools.cache
def _pocket_space(metric: str) -> StateSpace:
    return pocket_space(metric_moves(metric, pocket.TURNING_FACES))


class PocketStates(States):
    """Pocket cubes up to turning the whole cube."""

    symbols = len(pocket.FACELET_NAMES)

    def __init__(self, tables: Tables, metric: str) -> None:
        require_metric(metric)
        super().__init__(tables)
        self.entry = CATALOG[f"pocket-{metric}"]
        self.moves = tuple(map(str, metric_moves(metric, pocket.TURNING_FACES)))

    @property
    def space(self) -> StateSpace:
        """The turns of U, R and F."""
        return _pocket_space(self.entry.header.metric)

    def rows(self, batch: ArrayLike, at_home: bool = False) -> Rows:
        """Ranks, or facelets as uint8 (N, 24) or S24."""
        given = as_array(batch)
        expected = "pocket cubes are ranks (N,), facelets uint8 (N, 24), or text of the dtype S24"
        if given.dtype == "S24" and given.ndim <= 1:
            return _Facelets(given, at_home)
        if given.dtype.kind in "iu" and given.ndim <= 1 and not _maybe_facelets(given):
            return self.ranks_only(given)
        if given.dtype == np.uint8 and given.ndim == 2 and given.shape[1] == self.symbols:
            return _Facelets(given, at_home)
        hint = ": one cube is reshape(1, 24)" if _maybe_facelets(given) else ""
        raise InvalidStateError(f"{expected}, not {given.dtype} {given.shape}{hint}")


def _maybe_facelets(given: NDArray[Any]) -> bool:
    """Whether what looks like 24 ranks is much more likely the facelets of one cube."""
    return given.dtype == np.uint8 and given.shape == (len(pocket.FACELET_NAMES),)


class TrayStates(States):
    """Rolling cubes in a 3x3 tray, all that can be rolled into the uniform tray with a vacancy."""

    moves = tuple(DIRECTIONS)
    symbols = _CELLS

    def __init__(self, tables: Tables, vacancy: tuple[int, int], model: str) -> None:
        super().__init__(tables)
        goal = Tray.start(vacancy, model=model)
        canonical = uniform_table(goal)
        if canonical is None:
            raise ValueError(f"there are no tables of the model {model}")
        self.entry, self._symmetry = canonical
        self._trays = TrayRanks(goal.shape, goal.plus)

    @property
    def depths(self) -> NDArray[np.uint8]:
        """As of `States`, with the ranks of the trays as they are asked about."""
        table = super().depths  # also where it is not used: the tables may be closed
        identity = symmetries(self._trays.shape)[0]
        return table if self._symmetry == identity else self._seen_from_here

    @functools.cached_property
    def _seen_from_here(self) -> NDArray[np.uint8]:
        depths = self._trays.seen_from(super().depths, self._symmetry)
        depths.flags.writeable = False
        return depths

    @property
    def space(self) -> StateSpace:
        """The rolls."""
        return tray_space(*self._trays)

    def cells(self, ranks: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The orientations in the cells of trays with these ranks."""
        return self._trays.cells(ranks).astype(np.uint8)

    def rows(self, batch: ArrayLike, at_home: bool = False) -> Rows:  # noqa: ARG002  # a tray has no holding
        """Ranks, or cells as integers (N, 9) or (N, 3, 3)."""
        given = as_array(batch)
        one_tray = given.shape == (3, 3) or (given.dtype == np.uint8 and given.shape == (_CELLS,))
        if given.dtype.kind in "iu" and given.ndim <= 1 and not one_tray:
            return self.ranks_only(given)
        if given.dtype.kind in "iu" and given.shape[1:] in {(_CELLS,), (3, 3)}:
            return _Cells(given, self._trays)
        hint = ": one tray is reshape(1, 9)" if one_tray else ""
        raise InvalidStateError(
            f"trays are ranks (N,), or cells (N, 9) or (N, 3, 3), all integers, not {given.dtype} {given.shape}{hint}"
        )

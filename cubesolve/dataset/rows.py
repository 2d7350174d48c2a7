"""The rows of a data set: their states and labels."""

from __future__ import annotations

import functools
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import cubesolve
from cubesolve import catalog
from cubesolve.ask import Puzzle
from cubesolve.dataset.chance import fractions, key, permuted
from cubesolve.dataset.copies import Likeness, numbers_of
from cubesolve.errors import CubesolveError
from cubesolve.export import Column, columns_of, found
from cubesolve.notices import telling
from cubesolve.solvers.arrays import GraphArrays
from cubesolve.spaces import form_of, space_of
from cubesolve.spaces.batches import COLOURS
from cubesolve.spaces.defined import derived

_AT_ONCE, _AT_ONCE_SEARCHED = 1 << 18, 100  # rows of a part
_REDRAWN = 100_000  # states that are drawn for one that falls to a split
_SOLVED = 100  # of these, for one of the depth that is wanted
_COPIES = "turning it, mirroring it or naming its moves otherwise makes of it"
_LONGEST_WALK = 30  # moves, where it is not known how many any state needs


class About(NamedTuple):
    """What a card says about the states.

    Attributes:
        title: the puzzle in words.
        spoken: what names it on the command line.
        state: what the column with the states has, by its name.
        moves: the names of the moves.
        symmetry: which states are kept with a state on one side of a split.
        origin: where the labels come from.
        distinct: whether no state comes twice.
    """

    title: str
    spoken: str
    state: Mapping[str, str]
    moves: Sequence[str]
    symmetry: str
    origin: str
    distinct: bool


class Rows(ABC):
    """The rows of a data set.

    Attributes:
        name: what they are about.
        digest: of the table that they come from, if they come from one.
        columns: the names of their columns.
        at_once: how many there are in a part.
    """

    name: str
    digest: str
    columns: Sequence[str]
    at_once: int

    @property
    @abstractmethod
    def about(self) -> About:
        """What is said about them."""

    @abstractmethod
    def require(self, which: int, rows: int, split: str) -> None:
        """Refuse more rows than there are states."""

    @abstractmethod
    def read(self, which: int, rows: int, first: int, last: int, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Some columns of some rows of a split that has so many."""


def rows_of(
    name: str | Puzzle, by_depth: str, depths: tuple[int, int] | None, seed: int, shares: Sequence[float]
) -> Rows:
    """The rows of a data set; see `Dataset`.

    Args:
        name: what they are about.
        by_depth: how depths are chosen.
        depths: the least and the largest; None for all.
        seed: whence chance comes.
        shares: what falls to each split.

    Raises:
        ValueError: there is no such table, or there are no such states.
        TableError: the table is missing or damaged.
    """
    try:
        puzzle, entry = found(name)
        arrays = puzzle.arrays_of(entry)
        form_of(arrays.graph)  # refuses states of which there are no arrays
    except ValueError:
        searched = _searched(name)
        if searched is None:
            raise
        return _SearchedRows(searched, by_depth, depths, seed, shares)
    return _TableRows(puzzle, arrays, by_depth, depths, seed, shares)


def _searched(name: str | Puzzle) -> Puzzle | None:
    """A puzzle whose states are searched for; None if that is not its name."""
    try:
        puzzle = name if isinstance(name, Puzzle) else cubesolve.puzzle(name)
    except ValueError:
        return None
    return puzzle if puzzle.rules.searches else None


class _TableRows(Rows):
    """States that a table has: each comes once at most."""

    at_once = _AT_ONCE

    def __init__(
        self,
        puzzle: Puzzle,
        arrays: GraphArrays,
        by_depth: str,
        depths: tuple[int, int] | None,
        seed: int,
        shares: Sequence[float],
    ) -> None:
        self.name, self._title = arrays.graph.entry.name, puzzle.title
        self._by_depth, self._seed = by_depth, seed
        self.digest = puzzle.header(arrays.graph.entry).sha256
        self._columns = columns_of(puzzle, arrays.graph.entry)
        self._columns["solution"] = self._columns.pop("moves")
        self._columns["optimal_moves"] = _optimal_moves(arrays)
        self.columns = list(self._columns)
        self._arrays, self._shares = arrays, shares
        self._low, self._high = (0, arrays.longest) if depths is None else depths
        if not 0 <= self._low <= self._high <= arrays.longest:
            raise ValueError(f"depths {self._low}-{self._high} are not in 0..{arrays.longest}")

    @property
    def about(self) -> About:
        """See `Rows`."""
        origin = f"looked up in the table {self.name}, which has the exact distance of every state"
        spoken = self.name if _ships(self.name) else "FILE"
        form = form_of(self._arrays.graph)
        state, moves = {form.column: form.numbering}, self._arrays.graph.moves
        return About(self._title, spoken, state, moves, self._sorted[1], origin, True)

    @functools.cached_property
    def _sorted(self) -> tuple[list[list[NDArray[np.int64]]], str]:
        """For each split, pools of states of which rows are drawn; and which states are kept on one side."""
        known = self._arrays.depths(np.arange(self._arrays.graph.states), "raise", None)
        side, symmetry = np.zeros(len(known), np.int64), ""
        if len(self._shares) > 1:
            with telling("looking for states that are the same up to symmetry, once"):
                numbers, symmetry = _numbers(self._arrays, known)
            side = _sides(numbers, self._seed, self._shares)
        depths = range(self._low, self._high + 1)
        wanted = [known == depth for depth in depths]
        if self._by_depth != "uniform":
            wanted = [np.isin(known, depths)]
        return [[np.flatnonzero(each & (side == n)) for each in wanted] for n in range(len(self._shares))], symmetry

    def require(self, which: int, rows: int, split: str) -> None:
        """See `Rows.require`."""
        number = sum(map(len, self._sorted[0][which]))
        if rows > number:
            raise ValueError(f"{rows:,} rows are wanted for {split}, and only {number:,} states fall to it")

    def read(self, which: int, rows: int, first: int, last: int, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """See `Rows.read`."""
        ranks = self._ranks(which, rows, first, last)
        written = {}
        for name in names:
            column = self._columns[name]
            values = column.values(ranks)
            if name == "solution":
                values = np.array([text.encode() for text in column.texts(values)], "S")
            written[name] = np.asarray(values, column.dtype.base if name != "solution" else None)
        return written

    def _ranks(self, which: int, rows: int, first: int, last: int) -> NDArray[np.int64]:
        pools = self._sorted[0][which]
        taken = _levelled([len(pool) for pool in pools], rows)
        ends = np.cumsum(taken)
        places = permuted(np.arange(first, last), rows, key(self._seed, which, "rows"))
        strata, ranks = np.searchsorted(ends, places, side="right"), np.empty(last - first, np.int64)
        for number, pool in enumerate(pools):
            here = strata == number
            if here.any():
                within = places[here] - (ends[number] - taken[number])
                ranks[here] = pool[permuted(within, len(pool), key(self._seed, which, number))]
        return ranks


def _ships(name: str) -> bool:
    try:
        catalog.entry_named(name)
    except ValueError:
        return False
    return True


def _optimal_moves(arrays: GraphArrays) -> Column:
    moves = arrays.graph.moves

    def values(ranks: NDArray[np.int64]) -> NDArray[np.bool_]:
        return arrays.optimal_moves(ranks, "raise", None)

    def texts(rows: NDArray[np.bool_]) -> list[str]:
        return [" ".join(move for move, best in zip(moves, row, strict=True) if best) for row in rows.tolist()]

    return Column(np.dtype(("?", (len(moves),))), values, texts)


def _levelled(sizes: Sequence[int], total: int) -> list[int]:
    """As many of each as of any other, as far as there are so many.

    >>> _levelled([1, 9, 54, 321], 100)
    [1, 9, 45, 45]
    """
    taken, left = [0] * len(sizes), total
    for place, number in enumerate(order := sorted(range(len(sizes)), key=lambda n: sizes[n])):
        taken[number] = min(sizes[number], left // (len(order) - place))
        left -= taken[number]
    return taken


def _numbers(arrays: GraphArrays, depths: NDArray[np.uint8]) -> tuple[NDArray[np.integer], str]:
    """For each state a number that its symmetric copies have, too; and what has it."""
    from cubesolve.catalog.pocket.arrays import classes_of  # noqa: PLC0415  # which has its symmetries

    try:
        return classes_of(arrays, True, None).class_of, f"{_COPIES} or of its inverse"
    except ValueError:
        return numbers_of(space_of(arrays.graph), depths), _COPIES


def _sides(numbers: NDArray[np.integer], seed: int, shares: Sequence[float]) -> NDArray[np.int64]:
    """The split that states with these numbers fall to."""
    chance = fractions(numbers.astype(np.uint64) ^ key(seed, "split"))
    return np.searchsorted(np.cumsum(shares[:-1]), chance, side="right")


class _SearchedRows(Rows):
    """States of a puzzle that takes a search."""

    at_once = _AT_ONCE_SEARCHED
    digest = ""

    def __init__(
        self, puzzle: Puzzle, by_depth: str, depths: tuple[int, int] | None, seed: int, shares: Sequence[float]
    ) -> None:
        if by_depth == "uniform" and depths is None:
            raise ValueError(f"states of the {puzzle.title} are found by walks: say how long, as depths 8 to 12")
        if by_depth == "natural" and depths is not None:
            raise ValueError(f"random states of the {puzzle.title} have the depths that they have: leave them out")
        if depths is not None and derived(puzzle.rules).graph().costs:
            raise ValueError(f"moves of the {puzzle.title} count differently: it has random states alone")
        most = puzzle.rules.gods_number or _LONGEST_WALK
        if depths is not None and not 0 <= depths[0] <= depths[1] <= most:
            raise ValueError(f"depths {depths[0]}-{depths[1]} are not in 0..{most}")
        self.name, self._puzzle, self._depths, self._seed = puzzle.name, puzzle, depths, seed
        self._shares = shares
        self._state = "facelets" if hasattr(puzzle.rules.view.solved(None), "facelets") else "state"
        self.columns = [self._state, "depth", "solution", "optimal_moves"]
        self._rules = derived(puzzle.rules)
        self._turns = self._rules.graph().turns
        self._moves = [turn.name for turn in self._turns]

    @property
    def about(self) -> About:
        """See `Rows`."""
        walks = "random walks, of which those are kept that nothing shorter solves"
        origin = f"found by searching, {walks if self._depths else 'for uniformly random states'}; all are optimal"
        copies = f"{_COPIES} or of its inverse" if self._rules.is_relabelled else _COPIES
        state = {self._state: COLOURS if self._state == "facelets" else self._rules.labelling.numbering}
        return About(self._puzzle.title, self.name, state, self._moves, copies, origin, False)

    def require(self, which: int, rows: int, split: str) -> None:
        """See `Rows.require`: there are enough, or it is said when none is found."""

    def read(self, which: int, rows: int, first: int, last: int, names: Sequence[str]) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """See `Rows.read`."""
        found = [self._row(which, row, names) for row in range(first, last)]
        columns = {name: np.array([each[name] for each in found]) for name in names}
        return {name: values.astype("u1") if name == "depth" else values for name, values in columns.items()}

    def _row(self, which: int, row: int, names: Sequence[str]) -> dict[str, Any]:
        state, algs = self._drawn(which, row, every=not {"solution", "optimal_moves"}.isdisjoint(names))
        found: dict[str, Any] = {self._state: self._written(state), "depth": self._cost(algs[0])}
        found["solution"] = " ".join(self._moves[move] for move in algs[0]).encode()
        found["optimal_moves"] = np.isin(range(len(self._moves)), [alg[0] for alg in algs if alg])
        return found

    def _drawn(self, which: int, row: int, *, every: bool) -> tuple[Any, list[list[int]]]:
        """A state of a split, and what solves it: all shortest algs, in the order of the moves, or any one."""
        puzzle, depths = self._puzzle, self._depths
        wanted = None if depths is None else depths[0] + row % (depths[1] - depths[0] + 1)
        source = random.Random(f"{self._seed}/{which}/{row}/{wanted}")
        solved = 0
        for _ in range(_REDRAWN):
            state = puzzle.random_state(source) if wanted is None else self._walked(wanted, source)
            if state is not None and self._side(state) == which:
                algs = sorted(map(self._numbered, puzzle.solutions(state) if every else [puzzle.solve(state)]))
                if wanted is None or self._cost(algs[0]) == wanted:
                    return state, algs
                solved += 1
            if solved == _SOLVED:
                break
        raise CubesolveError(f"no state at depth {wanted} was found that falls to split {which + 1}")

    def _written(self, state: Any) -> Any:
        """A state as a table would have it: facelets as text, others as the numbers of arrays."""
        if self._state == "facelets":
            return str(state).encode()
        place, numbers = next(iter(self._rules.labelling.arrangements(state))), self._rules.labelling.numbers
        return np.array([numbers[label] for label in place], "u1" if isinstance(place, bytes) else "u2")

    def _numbered(self, alg: str) -> list[int]:
        return [self._moves.index(move) for move in self._puzzle.rules.view.split(alg)]

    def _cost(self, alg: Sequence[int]) -> int:
        return sum(self._turns[move].cost for move in alg)

    def _walked(self, moves: int, source: random.Random) -> Any:
        place = self._rules.graph().walked(moves, source)
        return None if place is None else self._rules.labelling.state(place)

    def _side(self, state: Any) -> int:
        """The split that a state falls to, and all that symmetries make of it."""
        if len(self._shares) == 1:
            return 0
        number = self._likeness.number(next(iter(self._rules.labelling.arrangements(state))))
        return int(_sides(np.array([number], np.uint64), self._seed, self._shares)[0])

    @functools.cached_property
    def _likeness(self) -> Likeness:
        return Likeness(self._rules.graph())

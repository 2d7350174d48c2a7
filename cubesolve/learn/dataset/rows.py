"""The rows of a data set: their states and labels."""

from __future__ import annotations

import contextlib
import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve import catalog
from cubesolve.ask import Puzzle
from cubesolve.catalog.pocket.arrays import classes_of
from cubesolve.definition.notation import FACES
from cubesolve.learn.dataset.splits import fractions, key, permuted, symmetry_numbers
from cubesolve.learn.export import Column, columns_of, puzzle_and_table
from cubesolve.learn.labels import Oracle
from cubesolve.lookup import puzzle_of
from cubesolve.runtime.notices import notifying
from cubesolve.solvers.arrays import GraphArrays
from cubesolve.solvers.state_arrays import MOST_LENGTH, Walks
from cubesolve.spaces import form_of, space_of
from cubesolve.spaces.batches import COLOURS

_COPIES = "rotations, reflections and renamings of the moves"
_EXACT = ("states with exact distances", "exact distance from solved")  # contents and label


class Description(NamedTuple):
    """The description of the states for the card."""

    title: str  # the title of the puzzle
    spoken: str  # its name on the command line
    state: Mapping[str, str]  # the contents of the column of states, by its name
    moves: Sequence[str]  # the names of the moves
    contents: str  # the kind of the states, for the heading
    label: str  # the label that each has
    symmetry: str  # the symmetries under which a state and its copies are in the same split; empty if there are none
    origin: str  # the origin of the labels
    distinct: bool  # whether no state occurs twice


class Choice(NamedTuple):
    """Which states a data set has; see `Dataset`."""

    by_depth: str = "natural"
    depths: tuple[int, int] | None = None  # the least and the largest
    walk: tuple[int, int] | None = None  # the least and the largest length
    metric: str | None = None
    seed: int = 0
    ratios: Sequence[float] = (1,)  # the fraction of rows in each split

    @property
    def question(self) -> dict[str, Any]:
        """The keywords of questions."""
        return {} if self.metric is None else {"metric": self.metric}


def rows_of(name: str | Puzzle, choice: Choice) -> TableRows | WalkedRows:
    """Return the rows of a data set."""
    if choice.walk is not None:
        if choice.depths is not None or choice.by_depth != "natural":
            raise ValueError("walk excludes depths and by_depth")
        return WalkedRows(puzzle_of(name), choice)
    try:
        puzzle, entry = puzzle_and_table(name, choice.metric)
        arrays = puzzle.arrays_of(entry)
        form_of(arrays.graph)  # raises an error for states without a form as arrays
    except ValueError:
        searched = None
        with contextlib.suppress(ValueError):  # the name may be that of a table
            searched = puzzle_of(name)
        if searched is None or not searched.rules.searches:
            raise
        title = searched.title
        raise ValueError(f"data sets of the {title} are the ends of random walks: give walk, such as 1-9") from None
    return TableRows(puzzle, arrays, choice)


class _Rows(ABC):
    name: str  # of the table or puzzle
    digest = ""  # of the table, if there is one
    columns: Mapping[str, Callable[[Any], NDArray[Any]]]  # by name, functions of what is drawn
    at_once = 1 << 18  # rows of a shard

    def __init__(self, puzzle: Puzzle, choice: Choice) -> None:
        self._puzzle, self._choice, self._seed = puzzle, choice, choice.seed
        self.name = _named(puzzle, choice.metric)
        # The path of a puzzle that does not ship says nothing to others.
        self._spoken = _named(puzzle, choice.metric, None if _has(catalog.rules_named, puzzle.name) else "FILE")

    def read(self, which: int, rows: int, first: int, last: int, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Return some columns of some rows of a split, given the number of its rows."""
        drawn = self._draw(which, rows, range(first, last))
        return {name: self.columns[name](drawn) for name in names}

    @abstractmethod
    def _draw(self, which: int, rows: int, part: range) -> Any:
        """Draw some rows of a split."""


def _typed(column: Column, ranks: NDArray[np.int64]) -> NDArray[Any]:
    return np.asarray(column.values(ranks), column.dtype.base)


class TableRows(_Rows):
    """The states of a table; each occurs at most once."""

    def __init__(self, puzzle: Puzzle, arrays: GraphArrays, choice: Choice) -> None:
        super().__init__(puzzle, choice)
        self.name = arrays.graph.entry.name
        self.digest = puzzle.header(arrays.graph.entry).sha256
        exported = columns_of(puzzle, arrays.graph.entry)
        moves = exported.pop("moves")
        self.columns = {name: functools.partial(_typed, column) for name, column in exported.items()} | {
            # An export reads a whole table of bytes; the depths of some rows can be read from any encoding.
            "depth": lambda ranks: arrays.depths(ranks, "raise", None),
            "solution": lambda ranks: np.array([alg.encode() for alg in moves.texts(moves.values(ranks))], "S"),
            "optimal_moves": lambda ranks: arrays.optimal_moves(ranks, "raise", None),
        }
        self._arrays, self._ratios = arrays, choice.ratios
        deepest = len(puzzle.header(arrays.graph.entry).distribution) - 1
        self._low, self._high = (0, deepest) if choice.depths is None else choice.depths
        if not 0 <= self._low <= self._high <= deepest:
            raise ValueError(f"depths {self._low}-{self._high} are not in 0..{deepest}")

    @property
    def about(self) -> Description:
        """The description for the card."""
        origin = f"from the table {self.name}, which has the exact distance of every state"
        spoken = self.name if _has(catalog.entry_named, self.name) else self._spoken
        form = form_of(self._arrays.graph)
        state, moves = {form.column: form.numbering}, self._arrays.graph.moves
        return Description(self._puzzle.title, spoken, state, moves, *_EXACT, self._sorted[1], origin, True)

    @functools.cached_property
    def _sorted(self) -> tuple[list[list[NDArray[np.int64]]], str]:
        """The pools of states for each split, and the symmetries that the splits respect."""
        distances = self._arrays.depths(np.arange(self._arrays.graph.states), "raise", None)
        side, symmetry = np.zeros(len(distances), np.int64), ""
        if len(self._ratios) > 1:
            with notifying("finding symmetric states, once"):
                numbers, symmetry = _numbers(self._arrays, distances)
            side = _sides(numbers, self._seed, self._ratios)
        depths = range(self._low, self._high + 1)
        wanted = [distances == depth for depth in depths]
        if self._choice.by_depth != "uniform":
            wanted = [np.isin(distances, depths)]
        return [[np.flatnonzero(mask & (side == n)) for mask in wanted] for n in range(len(self._ratios))], symmetry

    def require(self, which: int, rows: int, split: str) -> None:
        """Raise an error if a split has fewer states than rows."""
        number = sum(map(len, self._sorted[0][which]))
        if rows > number:
            raise ValueError(f"{split} needs {rows:,} rows, but has only {number:,} states")

    def _draw(self, which: int, rows: int, part: range) -> NDArray[np.int64]:
        pools = self._sorted[0][which]
        taken = _levelled([len(pool) for pool in pools], rows)
        ends = np.cumsum(taken)
        places = permuted(np.arange(part.start, part.stop), rows, key(self._seed, which, "rows"))
        strata, ranks = np.searchsorted(ends, places, side="right"), np.empty(len(part), np.int64)
        for number, pool in enumerate(pools):
            here = strata == number
            if here.any():
                within = places[here] - (ends[number] - taken[number])
                ranks[here] = pool[permuted(within, len(pool), key(self._seed, which, number))]
        return ranks


def _levelled(sizes: Sequence[int], total: int) -> list[int]:
    """Divide a total evenly among classes of limited sizes.

    >>> _levelled([1, 9, 54, 321], 100)
    [1, 9, 45, 45]
    """
    taken, left = [0] * len(sizes), total
    for place, number in enumerate(order := sorted(range(len(sizes)), key=lambda n: sizes[n])):
        taken[number] = min(sizes[number], left // (len(order) - place))
        left -= taken[number]
    return taken


def _numbers(arrays: GraphArrays, depths: NDArray[np.uint8]) -> tuple[NDArray[np.integer], str]:
    """Return a number for each state that its symmetric copies share, and the symmetries, in words."""
    try:
        return classes_of(arrays, True, None).class_of, f"{_COPIES}, and of its inverse,"
    except ValueError:
        return symmetry_numbers(space_of(arrays.graph), depths), _COPIES


def _sides(numbers: NDArray[np.integer], seed: int, ratios: Sequence[float]) -> NDArray[np.int64]:
    drawn = fractions(numbers.astype(np.uint64) ^ key(seed, "split"))
    return np.searchsorted(np.cumsum(ratios[:-1]), drawn, side="right")


class WalkedRows(_Rows):
    """The ends of random walks from the solved state, labelled with the number of moves."""

    def __init__(self, puzzle: Puzzle, choice: Choice) -> None:
        super().__init__(puzzle, choice)
        assert choice.walk is not None  # see `rows_of`
        self._question, self._walk, walk = choice.question, choice.walk, choice.walk
        self._arrays, self._oracle = puzzle.state_arrays(**self._question), Oracle(puzzle, **self._question)
        if not 0 <= walk[0] <= walk[1] <= MOST_LENGTH:
            raise ValueError(f"walk {walk[0]}-{walk[1]} is not a range in 0..{MOST_LENGTH}")
        is_coloured = self._arrays.labels == len(FACES)  # towards a goal, labels are no colours
        self._state = _state_column(puzzle) if is_coloured else "state"
        self.columns = {
            self._state: lambda walks: self._written(walks.states),
            "walk": lambda walks: self._walked(walks).astype(np.uint32),
            "walk_moves": lambda walks: self._as_wide(walks.moves),
            "bound": lambda walks: self._oracle.bounds(walks.states),
            "depth": lambda walks: self._oracle.distances(walks.states),
            "solution": lambda walks: np.array([alg.encode() for alg in self._solved(walks.states)]),
            "optimal_moves": lambda walks: self._oracle.optimal_moves(walks.states),
        }

    @property
    def about(self) -> Description:
        """The description for the card."""
        state = {self._state: COLOURS if self._state == "facelets" else self._arrays.numbering}
        contents, label = "ends of random walks", "number of random moves from solved"
        origin = "from the walks, and upper bounds of the distance"
        if self._undoing is None:
            state["walk"], origin = "the number of moves of the walk", "from the walks"
        elif (self._undoing != 1).any():
            state["walk"] = "the cost of undoing the moves of the walk, an upper bound of the depth"
            label = "cost of undoing the random moves that lead there from solved"
        title = self._puzzle.title
        return Description(title, self._spoken, state, self._arrays.moves, contents, label, "", origin, False)

    def _draw(self, which: int, rows: int, part: range) -> Walks:  # noqa: ARG002
        least, greatest = self._walk
        drawn = fractions(np.arange(part.start, part.stop, dtype=np.uint64) ^ key(self._seed, which, "lengths"))
        lengths = least + (drawn * (greatest - least + 1)).astype(np.int64)
        return self._arrays.walks(len(part), lengths, int(key(self._seed, which, part.start, "walks")))

    @functools.cached_property
    def _undoing(self) -> NDArray[np.int64] | None:
        return self._arrays.undoing_costs

    def _walked(self, walks: Walks) -> NDArray[np.int64]:
        """Return the cost of undoing each walk; the number of its moves if they have no inverses."""
        if self._undoing is None:
            return walks.lengths
        costs = np.zeros(1 + np.iinfo(walks.moves.dtype).max, np.int64)
        costs[: len(self._undoing)] = self._undoing
        walked: NDArray[np.int64] = costs[walks.moves].sum(axis=1)
        return walked

    def _solved(self, states: NDArray[np.uint8]) -> Iterator[str]:
        return (self._puzzle.solve(state, **self._question) for state in self._arrays.states(states))

    def _written(self, states: NDArray[np.uint8]) -> NDArray[Any]:
        if self._state == "facelets":
            return np.frombuffer(FACES.encode(), np.uint8)[states].view(f"S{states.shape[1]}")[:, 0]
        return states

    def _as_wide(self, moves: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
        """Return moves with a column for each move of the longest walk that may occur."""
        wide = np.full((len(moves), self._walk[1]), np.iinfo(moves.dtype).max, moves.dtype)
        wide[:, : moves.shape[1]] = moves
        return wide


def _state_column(puzzle: Puzzle) -> str:
    """Return the name of the column of states: facelets for cubes, as text."""
    return "facelets" if hasattr(puzzle.rules.view.solved(None), "facelets") else "state"


def _named(puzzle: Puzzle, metric: str | None, name: str | None = None) -> str:
    """Return a puzzle and a metric as options of the command line, after the name of the puzzle or another one."""
    options = puzzle.rules.spoken.removeprefix(puzzle.rules.view.spoken)
    return (name or puzzle.name) + options + ("" if metric is None else f" --metric {metric}")


def _has(find: Callable[[str], object], name: str) -> bool:
    try:
        find(name)
    except ValueError:
        return False
    return True

"""The rows of a data set: their states and labels."""

from __future__ import annotations

import contextlib
import functools
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve import catalog
from cubesolve.ask import Puzzle
from cubesolve.catalog.pocket.arrays import classes_of
from cubesolve.definition.notation import FACES
from cubesolve.definition.view import DefinedView
from cubesolve.errors import CubesolveError, TooLargeError
from cubesolve.learn.dataset.splits import PairInvariant, fractions, key, permuted, symmetry_numbers
from cubesolve.learn.export import Column, columns_of, puzzle_and_table
from cubesolve.learn.labels import Oracle
from cubesolve.learn.states import puzzle_of
from cubesolve.runtime.notices import notifying
from cubesolve.solvers.arrays import GraphArrays
from cubesolve.solvers.state_arrays import MOST_LENGTH, Walks
from cubesolve.spaces import form_of, space_of
from cubesolve.spaces.batches import COLOURS
from cubesolve.spaces.defined import derived

_REDRAWN = 100_000  # states drawn to find one in a split
_MOST_SOLVED = 10**20  # states of a puzzle whose random ones are solved; the 3x3x3 has 4.3e19
_SOLVED = 100  # of these, solved to find one at a depth
_COPIES = "rotations, reflections and renamings of the moves"
_EXACT = ("states with exact distances", "exact distance from solved")  # contents and label
_LONGEST_WALK = 30  # moves, for puzzles with an unknown God's number


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


def rows_of(name: str | Puzzle, choice: Choice) -> TableRows | SearchedRows | WalkedRows:
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
        return SearchedRows(searched, choice)
    return TableRows(puzzle, arrays, choice)


def _is_solved_anywhere(puzzle: Puzzle) -> bool:
    """Return whether a search solves random states in a time that users wait for."""
    try:
        return puzzle.states <= _MOST_SOLVED
    except TooLargeError:
        return False


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
        drawn = self._draw(which, rows, range(first, last), names)
        return {name: self.columns[name](drawn) for name in names}

    @abstractmethod
    def _draw(self, which: int, rows: int, part: range, names: Sequence[str]) -> Any:
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

    def _draw(self, which: int, rows: int, part: range, names: Sequence[str]) -> NDArray[np.int64]:  # noqa: ARG002
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


class SearchedRows(_Rows):
    """States of a puzzle that is solved by search."""

    at_once = 100

    def __init__(self, puzzle: Puzzle, choice: Choice) -> None:
        super().__init__(puzzle, choice)
        by_depth, depths = choice.by_depth, choice.depths
        if not isinstance(puzzle.rules.view, DefinedView):
            raise ValueError(f"data sets of the {puzzle.title} are the ends of random walks: give walk, such as 1-9")
        if by_depth == "uniform" and depths is None:
            raise ValueError(f"by_depth uniform requires depths for the {puzzle.title}, such as 8-12")
        if by_depth == "natural" and depths is not None:
            raise ValueError(f"depths require by_depth uniform for the {puzzle.title}, which is solved by search")
        if depths is None and not _is_solved_anywhere(puzzle):
            raise ValueError(
                f"random states of the {puzzle.title} cannot be solved optimally: choose near ones with by_depth "
                "uniform and depths (--by-depth uniform --depths 3-7), or the ends of random walks (--walk 1-30)"
            )
        self._rules, self._question = derived(puzzle.rules), choice.question
        self._graph = self._rules.graph(**self._question)
        if depths is not None and self._graph.costs:
            raise ValueError(f"depths are not supported for the {puzzle.title}, whose moves have different costs")
        limit = (puzzle.rules.gods_number if choice.metric is None else None) or _LONGEST_WALK
        if depths is not None and not 0 <= depths[0] <= depths[1] <= limit:
            raise ValueError(f"depths {depths[0]}-{depths[1]} are not in 0..{limit}")
        self._depths, self._ratios, self._state = depths, choice.ratios, _state_column(puzzle)
        self._definition_moves = self._graph.definition_moves
        self._moves = moves = [move.name for move in self._definition_moves]
        self.columns = {
            self._state: lambda drawn: np.array([self._written(state) for state, _ in drawn]),
            "depth": lambda drawn: np.array([self._cost(algs[0]) for _, algs in drawn], np.uint8),
            "solution": lambda drawn: np.array([" ".join(moves[m] for m in algs[0]).encode() for _, algs in drawn]),
            "optimal_moves": lambda drawn: np.array(
                [np.isin(range(len(moves)), [alg[0] for alg in algs if alg]) for _, algs in drawn]
            ),
        }

    @property
    def about(self) -> Description:
        """The description for the card."""
        drawn = "ends of random walks that have no shorter solution" if self._depths else "uniformly random states"
        origin = f"from optimal searches for {drawn}"
        copies = f"{_COPIES}, and of its inverse," if self._rules.is_relabelled else _COPIES
        state = {self._state: COLOURS if self._state == "facelets" else self._rules.labelling.numbering}
        return Description(self._puzzle.title, self._spoken, state, self._moves, *_EXACT, copies, origin, False)

    def _draw(self, which: int, rows: int, part: range, names: Sequence[str]) -> list[tuple[Any, list[list[int]]]]:  # noqa: ARG002
        every = not {"solution", "optimal_moves"}.isdisjoint(names)
        return [self._drawn(which, row, every=every) for row in part]

    def _drawn(self, which: int, row: int, *, every: bool) -> tuple[Any, list[list[int]]]:
        """Return a state of a split, and all optimal solutions in the order of the moves, or any one."""
        puzzle, depths = self._puzzle, self._depths
        wanted = None if depths is None else depths[0] + row % (depths[1] - depths[0] + 1)
        source = random.Random(f"{self._seed}/{which}/{row}/{wanted}")
        solved = 0
        for _ in range(_REDRAWN):
            state = puzzle.random_state(source) if wanted is None else self._walked(wanted, source)
            if state is not None and self._side(state) == which:
                algs = sorted(map(self._numbered, self._algs(state, every)))
                if wanted is None or self._cost(algs[0]) == wanted:
                    return state, algs
                solved += 1
            if solved == _SOLVED:
                break
        raise CubesolveError(f"no state at depth {wanted} was found for split {which + 1}")

    def _algs(self, state: object, every: bool) -> Iterable[str]:
        if every:
            return self._puzzle.solutions(state, **self._question)
        return [self._puzzle.solve(state, **self._question)]

    def _written(self, state: object) -> Any:
        """Return a state in the form of a table: facelets as text, others as numbers of labels."""
        if self._state == "facelets":
            return str(state).encode()
        place, numbers = next(iter(self._rules.labelling.arrangements(state))), self._rules.labelling.numbers
        return np.array([numbers[label] for label in place], "u1" if isinstance(place, bytes) else "u2")

    def _numbered(self, alg: str) -> list[int]:
        return [self._moves.index(move) for move in self._puzzle.rules.view.split(alg)]

    def _cost(self, alg: Sequence[int]) -> int:
        return sum(self._definition_moves[move].cost for move in alg)

    def _walked(self, moves: int, source: random.Random) -> Any:
        place = self._graph.walked(moves, source)
        return None if place is None else self._rules.labelling.state(place)

    def _side(self, state: object) -> int:
        if len(self._ratios) == 1:
            return 0
        number = self._invariant.number(next(iter(self._rules.labelling.arrangements(state))))
        return int(_sides(np.array([number], np.uint64), self._seed, self._ratios)[0])

    @functools.cached_property
    def _invariant(self) -> PairInvariant:
        return PairInvariant(self._graph)


class WalkedRows(_Rows):
    """The ends of random walks from the solved state, labelled with the number of moves."""

    def __init__(self, puzzle: Puzzle, choice: Choice) -> None:
        super().__init__(puzzle, choice)
        assert choice.walk is not None  # see `rows_of`
        self._question, self._walk, walk = choice.question, choice.walk, choice.walk
        self._arrays, self._oracle = puzzle.state_arrays(**self._question), Oracle(puzzle, **self._question)
        self._encoding = self._arrays.encoding
        if not 0 <= walk[0] <= walk[1] <= MOST_LENGTH:
            raise ValueError(f"walk {walk[0]}-{walk[1]} is not a range in 0..{MOST_LENGTH}")
        is_coloured = self._encoding.labels == len(FACES)  # towards a goal, labels are no colours
        self._state = _state_column(puzzle) if is_coloured else "state"
        self.columns = {
            self._state: lambda walks: self._written(walks.states),
            "walk": lambda walks: self._walked(walks).astype(np.uint32),
            "walk_moves": lambda walks: self._as_wide(walks.moves),
            "bound": lambda walks: self._oracle.bounds(walks.states),
            "depth": lambda walks: self._oracle.distances(walks.states),
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

    def _draw(self, which: int, rows: int, part: range, names: Sequence[str]) -> Walks:  # noqa: ARG002
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

    def _written(self, states: NDArray[np.uint8]) -> NDArray[Any]:
        if self._state == "facelets":
            return np.frombuffer(FACES.encode(), np.uint8)[states].view(f"S{states.shape[1]}")[:, 0]
        return self._encoding.written(states)

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

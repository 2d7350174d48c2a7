"""The workbench for heuristics: makes them for a puzzle, and reads its states (needs numba)."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.goal_texts import pattern_of
from cubesolve.definition.goals import Allowed, mask_of
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.sliding import Sliding, symmetries
from cubesolve.errors import InvalidStateError, TooLargeError
from cubesolve.group.permutations import Arrangement, orbits, support
from cubesolve.runtime.machine import memory_limit
from cubesolve.search.additive import MOST_PIECES, known_pieces, table_rows
from cubesolve.search.ida_star import Projected
from cubesolve.search.limits import MEMORY, require_room
from cubesolve.search.statistics import parities
from cubesolve.solvers.defined_arrays import may_have
from cubesolve.solvers.faults import is_masking, read_each
from cubesolve.solvers.heuristics import Heuristic, PatternDatabase, PatternHeuristic
from cubesolve.solvers.opening import RowRanks
from cubesolve.solvers.searched import Searched
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.defined_graph import MOST_BYTES, DerivedGraph
from cubesolve.spaces.derived import DerivedForm, at_home, derived_space, make_ready
from cubesolve.spaces.projections import Distinguished, Projection

if TYPE_CHECKING:
    from cubesolve.solvers.solver import Solver, Source
    from cubesolve.spaces.rows import Rows
    from cubesolve.store.tables import Tables

_BESIDES = 1 << 25  # bytes that deriving the states of a database may take, besides its memory


class Workbench:
    """Makes the heuristics of a puzzle, and reads its states."""

    def __init__(self, solver: Solver, graph: DerivedGraph, tables: Tables) -> None:
        """Take the solver, whose arrays have the meaning of ranks, and the states and moves."""
        self.graph, self.solver, self.searched = graph, solver, Searched(graph, tables, solver.require_table)
        reduction, self._tables = graph.reduction, tables
        self.solved: Sequence[Arrangement] = reduction.solved
        self.sliding, self._opening = self.searched.sliding, self.searched.opening
        self._usual: tuple[int, Heuristic] | None = None  # opening its tables again takes a moment
        self.dtype = np.dtype(np.uint8 if isinstance(self.solved[0], bytes) else np.uint16)

    # -- Heuristics ----------------------------------------------------------------------------------------------------

    def pdb(self, pattern: str | Mapping[str, object], memory: int | None = None) -> PatternHeuristic:
        """Return a pattern database: the exact distances of the puzzle if only some pieces are distinguished."""
        limit = memory_limit(memory)
        distinguished = distinguished_by(self.graph.rules, pattern)
        labels = frozenset().union(*distinguished)
        if not labels:
            raise InvalidStateError("a pattern must distinguish some pieces", "symbol")
        name = pattern if isinstance(pattern, str) else "a pattern"
        if self.sliding and self.sliding.gap not in labels and len(labels) == len(distinguished):
            return PatternHeuristic(self, [[self._pieces(self.sliding, name, tuple(sorted(labels)), limit)]])
        return PatternHeuristic(self, [[self._projection(name, distinguished, limit)]])

    def usual(self, memory: int | None) -> Heuristic:
        """Return the heuristic that a search of this puzzle uses, as if no table had all distances."""
        size = MEMORY if memory is None else memory
        if self._usual is None or self._usual[0] != size:
            self._usual = size, Heuristic(self, functools.partial(self._opening.open, size))
        return self._usual[1]

    def _pieces(self, puzzle: Sliding, name: str, labels: tuple[int, ...], most: int) -> PatternDatabase:
        """Return the table of the moves of some pieces of a sliding puzzle."""
        if len(labels) > MOST_PIECES:
            raise ValueError(
                f"a database that counts the moves of its pieces has at most {MOST_PIECES}, not {len(labels)}"
            )
        points = len(puzzle.solved)
        require_room(math.perm(points, len(labels)), most)
        entry = self._opening.part_entry(puzzle, labels)
        pieces, table = known_pieces(puzzle, len(labels)), np.frombuffer(self._tables.body(entry), np.uint8)
        view = symmetries(puzzle)[0]
        return PatternDatabase(
            name,
            frozenset(labels),
            frozenset(labels),
            Projected(pieces, table, view.moves, table_rows(pieces)),
            functools.partial(pieces.ranks, labels=labels, gap=puzzle.gap),
        )

    def _projection(self, name: str, distinguished: Distinguished, most: int) -> PatternDatabase:
        """Return the table of a projection."""
        projection = Projection.of(self.graph, distinguished, self.solved)
        graph = projection.graph()
        if graph.number_of_states is not None:
            _require_bytes(graph.number_of_states, most)
        if not self._tables.has(graph.coordinates_entry):
            make_ready(graph, min(most, MOST_BYTES), most + _BESIDES)
        self._opening.ready(projection)
        _require_bytes(graph.states, most)
        table, ranks = np.frombuffer(self._tables.body(graph.entry), np.uint8), RowRanks(projection, self.solved)
        ready = Projected(derived_space(graph).arrays, table)
        return PatternDatabase(name, distinguished, self._counted(ranks.images), ready, ranks)

    def _counted(self, image: Mapping[int, int]) -> frozenset[int]:
        """Return the moves that can change the projection of a state; in a sliding puzzle, the labels of all pieces."""
        if self.sliding:  # the gap is distinguished
            return frozenset(self.sliding.solved) - {self.sliding.gap}
        moves, solved = self.graph.reduction.moves, self.solved[0]
        areas = orbits(len(solved), [effect.sources for move in moves for effect in move.effects])
        differ = {point for area in areas if len({image[solved[place]] for place in area}) > 1 for point in area}
        changed = (frozenset[int]().union(*(support(effect.sources) for effect in move.effects)) for move in moves)
        return frozenset(number for number, points in enumerate(changed) if points & differ)

    # -- States --------------------------------------------------------------------------------------------------------

    def state(self, given: Any) -> tuple[Any, Arrangement]:
        """Return a state that is given in any supported way, or as a rank; and its arrangement at home."""
        (read,) = self._read([given], "raise")
        return read, self.searched.home(read)

    def rows(self, batch: object, invalid: str = "raise") -> tuple[Rows, NDArray[np.bool_]]:
        """Return the labels of states at home, (N, points), and whether each is valid."""
        masking = is_masking(invalid)
        is_own = self.graph.rules is self.solver.rules  # otherwise ranks are those of other arrays
        if is_own and (whole := self.solver.whole(metric=self.graph.metric)) is not None:
            ranks = whole.ranks(batch, invalid, None).astype(np.int64).reshape(-1)
            return derived_space(self.graph).states(np.maximum(ranks, 0)), ranks >= 0
        if (numbers := self._as_numbers(batch)) is not None:
            rows, valid = self._rows_of(numbers)
            if valid.all() or masking:
                return rows, valid
        states = read_each(self._read(batch, invalid), self._home, invalid)
        valid = np.array([not isinstance(state, Exception) for state in states], np.bool_)
        homes = (self.solved[0] if isinstance(state, Exception) else state for state in states)
        return np.array([list(home) for home in homes], self.dtype).reshape(-1, len(self.solved[0])), valid

    def _as_numbers(self, batch: object) -> NDArray[np.integer] | None:
        """Return a batch that is an array of numbers of labels, if each arrangement of these is one state."""
        if not (isinstance(batch, np.ndarray) and batch.dtype.kind in "iu" and batch.ndim == 2):
            return None
        labelling = self.graph.rules.labelling
        are_states = isinstance(labelling, PieceView) and labelling.looks == labelling.numbers
        is_one = are_states and not self.graph.reduction.namings and batch.shape[1] == len(self.solved[0])
        return batch if is_one else None

    def _rows_of(self, numbers: NDArray[np.integer]) -> tuple[Rows, NDArray[np.bool_]]:
        """Return the labels of states at home, and whether each is valid, for numbers of labels; see `rows`."""
        form = DerivedForm(self.graph)
        labels, valid = form.read(numbers)
        rows, is_home = at_home(self.graph, labels)
        valid &= is_home
        if self.searched.reach is not None:
            valid &= may_have(self.searched.reach, rows)
        rows[~valid] = list(self.solved[0])
        return rows, valid

    def _read(self, batch: Any, invalid: str) -> list[Any]:
        """Return the states of a batch one by one, which may be given by ranks; those of invalid rows are errors."""
        given = batch.tolist() if isinstance(batch, np.ndarray) and batch.ndim == 1 else batch
        first = given[0] if isinstance(given, (list, tuple)) and given else None
        if isinstance(first, (int, np.integer)) and not isinstance(first, bool):
            arrays = self.solver.arrays({})
            given = [*map(arrays.graph.unrank, arrays.ranks(given, "raise", None).tolist())]
        return self.solver.read_batch(given, invalid)

    def _home(self, state: Any) -> Arrangement:
        if isinstance(state, Exception):
            raise state
        return self.searched.home(state)

    def parities(self, rows: Rows) -> NDArray[np.int64]:
        """Return the parity of the depth of each state, or 0 for all if it is not known: int64 (N,)."""
        if self.sliding is None:
            return np.zeros(len(rows), np.int64)
        classes: NDArray[np.int64] = np.array(parities(self.sliding))[(rows == self.sliding.gap).argmax(axis=1)]
        return classes

    def random_rows(self, number: int, rng: Source) -> Rows:
        """Return random states at home: (N, points)."""
        source = random_source(rng)
        return self.rows([self.solver.random_state(source) for _ in range(number)])[0]


def _require_bytes(states: int, most: int) -> None:
    """Reject a database that cannot have a byte for each state in memory."""
    if states > MOST_BYTES:
        raise TooLargeError(states, MOST_BYTES, exact=True)
    require_room(states, most)


def distinguished_by(rules: DerivedRules, pattern: str | Mapping[str, object]) -> Distinguished:
    """Return the sets of labels that look alike in a pattern; labels that it leaves open are in none."""
    definition, goal = rules.definition, _goal_of(rules, pattern)
    solved = definition.solved[0]
    if any(solved[point] not in allowed for point, allowed in goal.items()):
        raise InvalidStateError("the solved state does not fulfil this pattern: its pieces must be at home")
    changes = [effect.sources for move in definition.moves() for effect in move.effects]
    alike: dict[int, set[int]] = {}
    for label, look in mask_of(solved, changes, [goal]).looks.items():
        alike.setdefault(look, set()).add(label)
    shown = {label for allowed in goal.values() for label in allowed}
    return frozenset(frozenset(labels) for labels in alike.values() if labels & shown)


def _goal_of(rules: DerivedRules, pattern: str | Mapping[str, object]) -> Allowed:
    if not isinstance(pattern, (str, Mapping)):
        raise InvalidStateError(
            f"a pattern is text or a KPuzzle pattern, not of the type {type(pattern).__name__}", "type"
        )
    return pattern_of(rules.view, pattern)

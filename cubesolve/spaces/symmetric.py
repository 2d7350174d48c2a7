"""State spaces up to symmetry, derived from the moves (numpy).

Symmetries map labels to labels. A partition of the labels that all of them preserve gives a *pattern* for every state:
the class of the label on each point. The states with one pattern are a row, and symmetries map rows to rows, so one
pattern of each symmetry class is listed. The fibre consists of the states with the pattern of the start; `way` leads
from these to the states of a row. After a move and the symmetry that brings the pattern to a listed one, the state
``h`` of the fibre is the state ``labels[h[points]]``. Symmetries map the fibre to itself, since they leave the start as
it is. So this is the image of ``h`` under the symmetry, followed by a permutation of points, the action. Each of the
two has a table: one for all their products would be as many times larger as there are symmetries.

States that free moves connect may be one state: then patterns are listed up to free permutations, too, and one may come
before every move.

If a symmetry maps a row to itself, all states of the row are listed. A state of such a row may be reached by a move
and a symmetry other than the one that was chosen, so enumerations look from these rows for neighbours (`StateSpace`).
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.definition import precondition_labels
from cubesolve.definition.reach import undoing_costs, undone
from cubesolve.group.moves import Move, are_plain
from cubesolve.group.permutations import Arrangement, after, arrangement, orbits
from cubesolve.group.symmetries import Symmetry
from cubesolve.runtime.machine import memory_limit
from cubesolve.spaces.levels import needs_memory
from cubesolve.spaces.members import StatesOfEntries
from cubesolve.spaces.representatives import MOST_CLASSES, PatternMoves, Representatives, SymmetryGroup, groups_of
from cubesolve.spaces.rows import Numbering, RowIndex, Rows, RowSet, distinguishing_columns, hashed, orbit_of, slices
from cubesolve.spaces.space import FibreSymmetries, StateSpace
from cubesolve.spaces.symmetric_patterns import Pattern, PatternChoice, are_mixed, blocks, number_up_to_free

if TYPE_CHECKING:
    from cubesolve.spaces.defined_graph import DerivedGraph

_AT_ONCE = 1 << 17  # numbers that are processed at a time; of many,
_PARTS = 2  # such parts, of at most
_MOST_AT_ONCE = 1 << 20  # numbers
_FEW = 64  # actions that are tried first
_MOST_SOLVED = 1000  # solved states, each of which is compared with those that symmetries make of the others
_SAMPLE = 50  # ways that are tried first
_FEWEST_SYMMETRIES = 3  # with which counting takes less time where moves have no inverses of the same cost
_LARGE = 1 << 23  # bytes; for more, fewer symmetries are tried, too, and used if they take
_SMALLER = 2  # times less memory
_MOST_BLOCKS = 4  # of a partition: as many times more states are listed
_ROW_BYTES = 3  # of a point of the pattern of a row, and of the way to it
_ARRAY_BYTES = 200  # for each of many small arrays, beside its content


class Plan(NamedTuple):
    """The expected sizes of a space up to symmetry, known before it is derived."""

    states: int  # the number of states
    entries: int  # the expected number of entries that stand for them
    edges: int  # the expected number of moves of rows
    moves: int  # the number of moves
    size: int  # the expected bytes of memory of a count, with two bits for an entry, or a byte


def space_up_to_symmetry(
    graph: DerivedGraph,
    memory: int | None = None,
    what: str = "states",
    *,
    up_to_free: bool = False,
    planned: Callable[[Plan], object] | None = None,
) -> SymmetricSpace | None:
    """Return the space of a graph up to symmetry.

    Args:
        memory: the maximum number of bytes; by default half of the machine's.
        up_to_free: whether states that free moves connect are one state; then all other moves must cost 1.
        planned: called before the space is derived, which may take minutes.

    Returns:
        None if the puzzle has few symmetries, very many solved states, or several up to free moves, rotations
        without reference pieces, or moves without inverses that are not always possible; if its states cannot be
        counted without a list; or if they are counted faster one by one.
    """
    chosen = _choose(graph, memory_limit(memory), up_to_free=up_to_free)
    if chosen is None:
        return None
    pattern = chosen.pattern

    def require_memory(size: int) -> None:
        if size > memory_limit(memory):
            number = graph.reach.number if graph.reach else None
            assert number is not None  # otherwise no pattern is chosen
            raise needs_memory(number, size, memory, what=what)

    require_memory(pattern.size)
    if planned:
        planned(_plan(graph, chosen))
    return SymmetricSpace(graph, chosen, require_memory)


def _plan(graph: DerivedGraph, chosen: _Choice) -> Plan:
    """Return what a space will take with some symmetries and a pattern."""
    (group, pattern, _, images), reach = chosen, graph.reach
    assert reach is not None  # otherwise no pattern is chosen
    assert reach.number is not None  # likewise
    turning = _turning(graph.reduction.moves, up_to_free=group.is_free)
    states, moves = number_up_to_free(reach.number, images), len(turning) * max(images)
    entries = states // len(group.symmetries)
    rows = max(entries // pattern.width, 1)
    return Plan(states, entries, rows * moves, moves, pattern.size + _ROW_BYTES * len(reach.start) * rows)


def _free_images(graph: DerivedGraph, group: SymmetryGroup) -> Counter[int]:
    """Return how many placements of labels that may be illegal have each number of legal images up to free moves."""
    if not group.is_free or graph.reach is None:
        return Counter([1])
    start, every = graph.reach.start, np.arange(1 + max(graph.reach.start), dtype=np.uint8)
    free = PatternMoves((), graph.rules.definition.illegal, every, group.rotations)
    return Counter(free.legal_images(np.array([list(after(start, way)) for way in graph.reach.ways.values()])).tolist())


def _is_suited(graph: DerivedGraph, turning: Sequence[Move], *, up_to_free: bool) -> bool:
    """Return whether states may have a space up to symmetry, given the moves to other ones."""
    reduction, illegal = graph.reduction, graph.rules.definition.illegal
    is_blocked = bool(illegal) or not are_plain(turning)
    is_undone = undone(turning) if up_to_free else not is_blocked or undoing_costs(turning) is not None
    has_few_solved = len(reduction.solved) <= (1 if up_to_free else _MOST_SOLVED)
    is_held = not (reduction.rotated or reduction.rotations or graph.rules.origin)
    return has_few_solved and is_held and is_undone and graph.reach is not None and graph.reach.number is not None


def _turning(moves: Sequence[Move], *, up_to_free: bool) -> list[Move]:
    """Return the moves that lead to other states, but for the free ones if states that these connect are one."""
    return [move for move in moves if move.cost or not up_to_free]


class _Choice(NamedTuple):
    group: SymmetryGroup  # the symmetries of which each entry stands for a class
    pattern: Pattern
    whole: SymmetryGroup  # all symmetries, of which these may be a part
    images: Counter[int]  # as `_free_images` returns them


def _choose(graph: DerivedGraph, memory: int, *, up_to_free: bool) -> _Choice | None:
    """Return the symmetries and the pattern with which counting takes the least memory."""
    # Where moves have no inverses of the same cost and all states fit in the memory, a few symmetries save no time.
    # Fewer symmetries preserve more partitions of the labels. So a count may take less memory with a part of them:
    # more states, but far fewer rows.
    reduction, illegal, reach = graph.reduction, graph.rules.definition.illegal, graph.reach
    turning = _turning(reduction.moves, up_to_free=up_to_free)
    if not _is_suited(graph, turning, up_to_free=up_to_free) or len(set(reduction.solved[0])) > MOST_CLASSES:
        return None
    assert reach is not None  # otherwise it is unsuited
    fixed = precondition_labels([effect for move in turning for effect in move.effects], illegal)
    number, choices = reach.number, list[_Choice]()
    is_small = number is not None and number <= min(memory, graph.most_in_table)
    fewest = _FEWEST_SYMMETRIES if is_small and not undone(turning) else 1

    def look(
        whole: SymmetryGroup, images: Counter[int], symmetric: Sequence[Symmetry], *, is_part: bool = False
    ) -> None:
        if len(symmetric) >= fewest:
            group = whole._replace(symmetries=symmetric)
            labels = {*fixed, *group.reference}
            choice = PatternChoice(reduction.solved[0], group, labels, reach, reduction.moves, turning, images)
            pattern = choice.best(of_part=is_part)
            if pattern is not None:
                choices.append(_Choice(group, pattern, whole, images))

    for group in groups_of(reduction, graph.definition_moves, illegal, up_to_free=up_to_free):
        look(group, _free_images(graph, group), group.symmetries)
    least = min(choices, key=lambda each: each.pattern.size, default=None)
    if least is not None and least.pattern.size > _LARGE:
        for symmetric in _keeping_blocks(least.group.symmetries, reduction.solved[0]):
            look(least.whole, least.images, symmetric, is_part=True)
        fewer = min(choices, key=lambda each: each.pattern.size)
        least = fewer if _SMALLER * fewer.pattern.size <= least.pattern.size else least
    return least


def _keeping_blocks(group: Sequence[Symmetry], start: Arrangement) -> list[list[Symmetry]]:
    """Return, for each partition of labels that symmetries preserve, those that map one of its classes to itself."""
    subgroups = dict[tuple[int, ...], None]()
    for orbit in orbits(max(start) + 1, [symmetry.labels for symmetry in group]):
        for block, *_ in [*blocks(orbit, group), [frozenset(orbit[:1])]]:
            kept = (
                number for number, symmetry in enumerate(group) if {symmetry.labels[label] for label in block} == block
            )
            subgroups[tuple(kept)] = None
    fewest = len(group) / _MOST_BLOCKS
    return [[group[number] for number in numbers] for numbers in subgroups if fewest <= len(numbers) < len(group)]


# -- Rows --------------------------------------------------------------------------------------------------------------


class SymmetricSpace:
    """A space up to symmetry: rows breadth-first, with their patterns and the ways to them from the fibre.

    Attributes:
        space: the space, the start first.
        starts: the ranks of the solved states.
        symmetries: the number of symmetries that were used.
        states: the states for which the entries stand.
    """

    starts: list[int]
    states: StatesOfEntries

    def __init__(self, graph: DerivedGraph, chosen: _Choice, require_memory: Callable[[int], None]) -> None:
        """Derive the space; `require_memory` is called as soon as the number of actions is known."""
        group, pattern, self._whole, _ = chosen
        start, illegal = graph.reduction.solved[0], graph.rules.definition.illegal
        moves = _turning(graph.reduction.moves, up_to_free=group.is_free)
        self._reached, self._pattern, self._width = graph.reach, pattern, pattern.width
        self._start: Rows = np.array(list(start), np.uint16)
        self._solved = [list(state) for state in graph.reduction.solved]
        self._represented = Representatives(start, group, pattern.classes)
        self.symmetries = len(group.symmetries)
        self._free = group.rotations if group.is_free else ()
        self._moves = PatternMoves(moves, illegal, pattern.classes, self._free)
        self._turning, self._illegal = moves, illegal
        self._costs = [move.cost for move in moves]
        self._is_mutual = undoing_costs(moves) == self._costs
        self.space = self._derived(require_memory)

    def _derived(self, require_memory: Callable[[int], None]) -> StateSpace:
        patterns, ways, ties = self._rows()
        first = np.argsort(ties == 1, kind="stable")  # rows that symmetries map to themselves
        patterns, ways, ties = patterns[first], ways[first], ties[first]
        if self._pattern.is_whole or self._are_reached_in_order(patterns):
            in_order = self._ways_in_order(patterns)
            in_order[0] = ways[0]
            with contextlib.suppress(_OtherStatesError):
                return self._space(patterns, in_order, ties, require_memory)
        return self._space(patterns, ways, ties, require_memory)

    def _space(
        self, patterns: Rows, ways: Rows, ties: NDArray[np.int32], require_memory: Callable[[int], None]
    ) -> StateSpace:
        """Return the space with some ways; raise `_OtherStatesError` if some lead to states that are not reachable."""
        rows = RowIndex(patterns)
        base, action, numbers, actions = self._edges(patterns, ways, rows)
        arrays = (patterns, ways, base, action, numbers)
        require_memory(
            sum(array.nbytes for array in arrays) + actions.size(self._width) + len(patterns) * self._width // 8
        )
        states, fibre, images = actions.fibre(self._width)
        self._fibre = RowIndex(states)
        self.states = StatesOfEntries(states, ways, self._represented.points, self._represented.labels, ties)
        # Symmetries map the solved states that moves lead to to one another.
        solved = np.array(self._solved, np.uint16)
        entries = self._entries_of(solved[(np.sort(solved, axis=1) == np.sort(self._start)).all(axis=1)], rows)
        self.starts = sorted({*entries[entries >= 0].tolist()})  # np.unique would import numpy.ma
        counts = (len(self._represented.points) // ties).astype(np.uint8)
        symmetric = int(np.count_nonzero(ties > 1))
        acting = FibreSymmetries(numbers, images) if len(images) > 1 else None
        return StateSpace(base, action, fibre, self._is_mutual, tuple(self._costs), counts, symmetric, acting)

    def walk(self, entries: NDArray[np.int64]) -> Walk:
        """Begin at the states of entries, int64 (N,); not up to free moves."""
        labels = np.arange(1 + int(self._start.max()), dtype=np.uint16)
        rows = RowIndex(self._pattern.classes[self._start][self.states.ways])
        moves = PatternMoves(self._turning, self._illegal, labels)
        return Walk(self._states_of(entries), lambda states: self._entries_of(states, rows), moves)

    def _entries_of(self, states: Rows, rows: RowIndex) -> NDArray[np.int64]:
        """Return the entries that stand for states, -1 for none; `rows` has the patterns of the rows."""
        represented, (patterns, (maps, _)) = self._represented, self._represented.listed(self._pattern.classes[states])
        numbers, ways = np.where(maps < 0, -1, rows.find(patterns).astype(np.int64)), self.states.ways
        moved = np.take_along_axis(states, represented.sources(maps).astype(np.intp), axis=1)
        images = np.take_along_axis(represented.labels[represented.symmetry(maps)], moved.astype(np.intp), axis=1)
        members = np.empty(images.shape, ways.dtype)
        np.put_along_axis(members, ways[numbers].astype(np.intp), images.astype(members.dtype), axis=1)
        places = self._fibre.find(members).astype(np.int64)
        return np.where((numbers >= 0) & (places >= 0), numbers * self._width + places, -1)

    def _states_of(self, entries: NDArray[np.int64]) -> Rows:
        rows, places = np.divmod(entries, self._width)
        states: Rows = np.take_along_axis(self.states.fibre[places], self.states.ways[rows].astype(np.int64), axis=1)
        return states

    def classes(self, ranks: NDArray[np.int64]) -> list[tuple[Arrangement, int, int]]:
        """Return a state of each symmetry class among some ranks, how many states the class has, and the rank.

        Classes are those under all symmetries.
        """
        labels = np.array(sorted({*self._start.tolist()}))
        names = np.zeros(int(labels[-1]) + 1, np.uint8)
        names[labels] = np.arange(len(labels))
        states = self._states_of(ranks)
        start = arrangement(self._start.tolist())
        listed, maps = Representatives(start, self._whole, names).listed(names[states])
        _, first = np.unique(hashed(listed), return_index=True)
        numbers = len(self._whole.symmetries) // maps[1, first]
        chosen = self._moves.legal(states[first])
        return [
            (arrangement(state), number, rank)
            for state, number, rank in zip(chosen.tolist(), numbers.tolist(), ranks[first].tolist(), strict=True)
        ]

    def _after(
        self, patterns: Rows, ways: Rows, effect: int
    ) -> tuple[NDArray[np.int64], Rows, Rows, NDArray[np.int32]]:
        """Return the rows where an effect is possible, and after it their listed patterns, permutations and maps."""
        here, moved = self._moves.after(patterns, effect)
        listed, maps = self._represented.listed(moved)
        return here, listed, ways[here][:, list(self._moves.effects[effect][1].sources)], maps

    def _rows(self) -> tuple[Rows, Rows, NDArray[np.int32]]:
        """Return the listed patterns, the permutation that leads to each, and how many symmetries fix each."""
        newest, maps = self._represented.listed(self._pattern.classes[self._start][None])
        ways = self._mapped(np.arange(len(self._start), dtype=np.uint16)[None], maps[0])
        parts, seen = [(newest, ways, maps[1])], RowSet(newest)
        while len(newest):
            level = len(parts)
            for part in _slices(len(newest), newest.shape[1]):
                for effect in range(len(self._moves.effects)):
                    _, listed, moved, maps = self._after(newest[part], ways[part], effect)
                    new = seen.add(listed)
                    parts.append((listed[new], self._mapped(moved[new], maps[0, new]), maps[1, new]))
            newest, ways = (np.concatenate([part[index] for part in parts[level:]]) for index in range(2))
        patterns, ways, ties = (np.concatenate([part[index] for part in parts]) for index in range(3))
        return patterns, ways, ties

    def _ways_in_order(self, patterns: Rows) -> Rows:
        """Return permutations that keep the labels of a class in their order, from the fibre to some patterns."""
        ways = np.empty(patterns.shape, np.uint16)
        here = np.argsort(self._pattern.classes[self._start], kind="stable").astype(np.uint16)
        for part in _slices(*patterns.shape):
            np.put_along_axis(ways[part], np.argsort(patterns[part], axis=1, kind="stable"), here[None], axis=1)
        return ways

    def _are_reached_in_order(self, patterns: Rows) -> bool:
        """Return whether the ways of `_ways_in_order` lead to reachable states for a sample of some patterns."""
        some = patterns[random.Random(len(patterns)).choices(range(len(patterns)), k=_SAMPLE)]
        states = map(arrangement, self._start[self._ways_in_order(some)].tolist())
        return self._reached is not None and all(map(self._reached.has, states))

    def _mapped(self, ways: Rows, maps: NDArray[np.int32]) -> Rows:
        """Return the permutations that lead from the fibre to the images of states, of which others lead to these."""
        represented = self._represented
        sources = np.take_along_axis(ways, represented.sources(maps).astype(np.int64), axis=1)
        points = represented.points[represented.symmetry(maps)]
        mapped: Rows = np.take_along_axis(points, sources.astype(np.int64), axis=1)
        return mapped

    def _edges(
        self, patterns: Rows, ways: Rows, index: RowIndex
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8], _Actions]:
        """Return the row after each move, or -1; the numbers of its action and its symmetry; and the actions."""
        back = np.empty_like(ways)
        for part in _slices(*ways.shape):
            back[part] = np.argsort(ways[part], axis=1)
        used, columns = np.zeros(len(patterns), np.int64), self._columns(patterns)
        target = np.full((columns, len(patterns)), -1, np.int32)
        action, symmetry = np.zeros(target.shape, np.int32), np.zeros(target.shape, np.uint8)
        actions = _Actions(self._start, self._pattern.classes, self._represented)
        for part in _slices(len(patterns), patterns.shape[1]):
            for effect, (move, _) in enumerate(self._moves.effects):
                here, listed, moved, maps = self._after(patterns[part], ways[part], effect)
                rows = part.start + here
                reached = index.find(listed)
                place = (used[rows] if self._free else move, rows)
                target[place] = reached
                mapped = self._mapped(moved, maps[0])
                action[place] = actions.numbers(np.take_along_axis(mapped, back[reached].astype(np.int64), axis=1))
                symmetry[place] = self._represented.symmetry(maps[0])
                used[rows] += 1
        return target, action, symmetry, actions

    def _columns(self, patterns: Rows) -> int:
        """Return the number of moves, or if there are free ones, of the moves that are possible at most in a row."""
        effects = self._moves.effects
        if not self._free:
            return 1 + max(move for move, _ in effects)
        possible = np.zeros(len(patterns), np.int64)
        for effect in range(len(effects)):
            possible += self._moves.are_possible(patterns, effect)
        return int(possible.max())


class Walk:
    """States on their way by moves, for which entries of a space up to symmetry stand."""

    def __init__(self, states: Rows, entries: Callable[[Rows], NDArray[np.int64]], moves: PatternMoves) -> None:
        self._states, self._entries, self._moves = states, entries, moves
        self._after = np.empty(0, states.dtype)

    def neighbours(self) -> NDArray[np.int64]:
        """Return the entries that stand for the states after each move, -1 if it is impossible: int64 (N, moves)."""
        effects = self._moves.effects
        entries = np.full((len(self._states), 1 + max(move for move, _ in effects)), -1)
        self._after = np.empty((*entries.shape, self._states.shape[1]), self._states.dtype)
        for effect, (move, _) in enumerate(effects):
            here, after = self._moves.after(self._states, effect)
            entries[here, move], self._after[here, move] = self._entries(after), after
        return entries

    def go(self, some: NDArray[np.intp], moves: NDArray[np.intp]) -> None:
        """Continue with some states, given by number, after a possible move from each."""
        self._states = self._after[some, moves]


class _Actions:
    """The distinct actions on the fibre: permutations of points."""

    def __init__(self, start: Rows, classes: NDArray[np.uint8], represented: Representatives) -> None:
        self._start, self._labels = start, represented.labels
        self._sources = np.argsort(represented.points, axis=1)
        mixed = are_mixed(start.tolist(), classes)
        self._free = np.flatnonzero(mixed[classes[start]])  # points where the states of the fibre may differ
        self._numbering, self._points = Numbering(), list[Rows]()

    def numbers(self, points: Rows) -> NDArray[np.int32]:
        """Return the numbers of actions; equal ones have equal numbers."""
        names, first, which = np.unique(hashed(points[:, self._free]), return_index=True, return_inverse=True)
        new, numbers = self._numbering.add(names)
        self._points += [*points[first[new]]]
        return numbers[which]

    def size(self, width: int) -> int:
        """Return the bytes of the actions, and of their effects on a number of states."""
        acting = len(self._points) + (len(self._labels) if len(self._labels) > 1 else 0)
        return len(self._points) * (_ARRAY_BYTES + self._start.nbytes) + 4 * acting * width

    def fibre(self, width: int) -> tuple[Rows, NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the states of the fibre, of a known number, and their images under each action and each symmetry."""
        points = np.array(self._points)
        states, few = self._start[None], _FEW
        while len(states) < width:
            if few >= 2 * max(len(points), _FEW):
                raise AssertionError(f"{len(states)} states in a row instead of {width}")
            some = np.linspace(0, len(points) - 1, min(few, len(points))).astype(np.int64)
            states, few = self._orbit(points[some], width), 2 * few
        columns = distinguishing_columns(states)
        index = RowIndex(np.ascontiguousarray(states[:, columns]))
        fibre = np.empty((len(points), len(states)), np.uint32)
        for part in _slices(len(points), states.size):
            fibre[part] = _known(index.find(states[:, points[part][:, columns]]).T)
        images = [_known(index.find(image[:, columns])) for image in self._images(states)]
        return states, fibre, np.array(images, np.uint32)

    def _orbit(self, points: Rows, most: int) -> Rows:
        """Return all states that symmetries and some actions lead to from the start, or raise `_OtherStatesError`."""

        def images(newest: Rows) -> Iterator[Rows]:
            return itertools.chain(self._after(newest, points), self._images(newest))

        rows = orbit_of(self._start, images, most)
        if len(rows) > most:
            raise _OtherStatesError
        return rows

    def _after(self, states: Rows, points: Rows) -> Iterator[Rows]:
        """Yield the states after each of some actions, some at a time."""
        for part in _slices(len(states), points.size):
            yield states[part][:, points].reshape(-1, len(self._start))

    def _images(self, states: Rows) -> Iterator[Rows]:
        """Yield the images of states under each symmetry."""
        for labels, sources in zip(self._labels, self._sources, strict=True):
            yield labels[states[:, sources]]


def _known(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return numbers of states; raise `_OtherStatesError` if some are unknown."""
    if (numbers < 0).any():
        raise _OtherStatesError
    return numbers


class _OtherStatesError(Exception):
    """Actions lead to other states than those of the fibre."""


def _slices(rows: int, width: int) -> Iterator[slice]:
    """Yield slices of rows of a width, each small enough to be processed at once."""
    return slices(rows, width, max(_AT_ONCE, min(rows * width // _PARTS, _MOST_AT_ONCE)))

"""Multi-phase search, for any puzzle whose moves permute labels (numba).

A chain of subgroups leads to the solved state. A phase may use the moves of its group, and ends in the group of the
next; the last one ends in the solved state. Its states are described by *coordinates*: the places of some pieces, of
which some are not distinguished. Pairs of coordinates have tables with exact distances, and the largest entry is the
lower bound of a state.

Solutions of a phase are tried in the order of their lengths. The next phase is searched from each at once, up to a
number of nodes, so a short phase is followed by a short one before any longer one. Each solution must be shorter than
the last. The result depends on the number of nodes only.

That a state is in the group of a phase is known from its coordinates: only those of states in the group are listed. If
other states have the same, a phase begins in vain, and another follows. Every solution is checked by its moves.

Source: Morwen B. Thistlethwaite's descent through subgroups, and Herbert Kociemba's way to improve it, "The Two-Phase
Algorithm", kociemba.org/cube.htm.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.phases import Coordinate, Phase
from cubesolve.encodings.enumeration import enumerate_depths
from cubesolve.errors import TooLargeError
from cubesolve.group.canonical import Alg
from cubesolve.group.permutations import Arrangement, Permutation, inverse
from cubesolve.runtime.deadline import check
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2, Type, annotated
from cubesolve.runtime.kernels import kernel, part
from cubesolve.spaces.space import StateSpace

if TYPE_CHECKING:
    from cubesolve.store.tables import Body

MOST_VALUES = 1 << 18
"""The maximum number of values of a coordinate."""

MOST_ENTRIES = 1 << 26
"""The maximum number of entries of a table, of a byte each."""

_MOST_RENAMINGS = 1 << 10  # of the labels of a coordinate: each takes time whenever a phase begins
_SEED = 20261123
_BITS = 62  # of a random number
_LEVELS = 128  # moves of a solution
_SLICE = 1 << 18  # nodes between two checks of the deadline: some milliseconds
_NONE = np.iinfo(np.int64).max

_PHASE, _LEVEL, _MODE, _ROOT, _LENGTH, _BEST, _NODES, _STATUS = range(8)  # places of `PhaseSearch.numbers`
_BEGIN, _EXPAND, _LEAF, _RETREAT, _NEXT, _ENTER = range(6)  # modes
_SHORTER, _EXHAUSTED = 1, 2
_PLACES, _PARTITION, _SIGN = range(3)
_READS = {"places": _PLACES, "partition": _PARTITION, "sign": _SIGN}


class PhaseProblem(NamedTuple):
    """A chain of phases, as the kernel reads it."""

    # (phases, 10): the first coordinate, their number, the first table, their number, the first move in `moves`, their
    # number, the largest number of moves, the number of nodes, and the factor and the addend of `Phase.likely`
    phases: Read2[np.int64]
    moves: Read1[np.int64]  # the moves of all phases
    sources: Read2[np.int32]  # (moves of the puzzle, points): the point from which each point gets its label
    following: Read2[np.int64]  # (canonical states, moves of the puzzle): see `group.canonical`
    # (coordinates, 10): where its points, its weights, its keys, its steps and its classes begin, and the numbers of
    # its points, of its renamings, of its values, and of labels; and what it reads
    coordinates: Read2[np.int64]
    points: Read1[np.int64]  # the points that a coordinate reads
    # a random number for each renaming, each point and each label, or each point for a partition
    weights: Read1[np.int64]
    classes: Read1[np.int32]  # the class of each label, -1 if it is ignored
    keys: Read1[np.int64]  # the keys of the values of a coordinate, in order
    values: Read1[np.int32]  # the value of each key
    steps: Read1[np.int32]  # the value after each move of the phase, for each value
    # (tables, 5): the first coordinate, the second one or -1, where the entries begin, the number of values of the
    # second, and how many coordinates this and all tables before it need
    tables: Read2[np.int64]
    distances: Read1[np.uint8]  # the entries

    def search(self, roots: Sequence[Arrangement], longest: int, _workers: int | None = None) -> PhasedSearch:
        """Return a search for solutions of at most `longest` moves of any of some states, in one thread."""
        return PhasedSearch(self, roots, longest)


class PhaseState(NamedTuple):
    """A search, which can be continued. A *row* is the number of moves made plus the number of the phase."""

    # the phase, the number of moves made, what to do next, the root, the length of first phases, the length of the
    # shortest solution, the number of nodes, and the status; (8,)
    numbers: Array1[np.int64]
    roots: Read2[np.int32]  # the labels of each state to search from, (roots, points)
    bounds: Array1[np.int64]  # the lower bound of the first phase of each, -1 if it is not in the group; (roots,)
    first: Array2[np.int64]  # the values of the coordinates of the first phase, (roots, coordinates)
    labels: Array2[np.int32]  # the labels at the beginning of each phase, (phases, points)
    values: Array2[np.int64]  # the values of the coordinates in each row, (rows, coordinates)
    chosen: Array2[np.int64]  # the move in each row, as numbered in the phase, and the canonical state; (rows, 2)
    # for each phase, the number of moves before it, its length, and its nodes; (phases, 3)
    spans: Array2[np.int64]
    path: Array1[np.int64]  # the moves made, (levels,)
    solution: Array1[np.int64]  # those of the shortest solution, (levels,)


@part
def _placed(problem: PhaseProblem, layout: NDArray[np.int64], labels: NDArray[np.int32]) -> int:
    """Return the key of the places of labels: the least one of all renamings."""
    points, weights, width = problem.points, problem.weights, layout[5]
    key = np.int64(_NONE)
    for renaming in range(layout[6]):
        combined = np.int64(0)
        at = layout[1] + renaming * width * layout[8]
        for i in range(width):
            combined ^= weights[at + i * layout[8] + labels[points[layout[0] + i]]]
        key = min(key, combined)
    return int(key)


@part
def _partitioned(problem: PhaseProblem, layout: NDArray[np.int64], labels: NDArray[np.int32]) -> int:
    """Return the key of a partition: each point combines with the first one of its part."""
    points, classes, key = problem.points, problem.classes, np.int64(0)
    for i in range(layout[5]):
        own, first = classes[layout[4] + labels[points[layout[0] + i]]], 0
        while classes[layout[4] + labels[points[layout[0] + first]]] != own:
            first += 1
        key ^= problem.weights[layout[1] + i * layout[8] + first]
    return int(key)


@part
def _signed(problem: PhaseProblem, layout: NDArray[np.int64], labels: NDArray[np.int32]) -> int:
    """Return 1 for an odd permutation of classes, 0 for an even one, -1 if a class is there twice."""
    points, classes, odd = problem.points, problem.classes, np.int64(0)
    for i in range(layout[5]):
        own = classes[layout[4] + labels[points[layout[0] + i]]]
        for j in range(i):
            other = classes[layout[4] + labels[points[layout[0] + j]]]
            if own == other:
                return -1
            odd ^= own < other
    return int(odd)


@part
def _value(problem: PhaseProblem, coordinate: int, labels: NDArray[np.int32]) -> int:
    """Return the value of a coordinate of a state, -1 if it is not listed."""
    layout, keys = problem.coordinates[coordinate], problem.keys
    if layout[9] == _PLACES:
        key = _placed(problem, layout, labels)
    elif layout[9] == _PARTITION:
        key = _partitioned(problem, layout, labels)
    else:
        key = _signed(problem, layout, labels)
    low, end = layout[2], layout[2] + layout[7]
    high = end
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low == end or keys[low] != key:
        return -1
    return int(problem.values[low])


@part
def _enter(problem: PhaseProblem, phase: int, labels: NDArray[np.int32], values: NDArray[np.int64]) -> int:
    """Write the values of a state at the beginning of a phase; return its lower bound, -1 if it is not in the group."""
    layout, tables = problem.phases[phase], problem.tables
    for c in range(layout[1]):
        values[c] = _value(problem, layout[0] + c, labels)
        if values[c] < 0:
            return -1
    bound = 0
    for t in range(layout[2], layout[2] + layout[3]):
        entry = tables[t, 2] + values[tables[t, 0]] * tables[t, 3]
        if tables[t, 1] >= 0:
            entry += values[tables[t, 1]]
        bound = max(bound, int(problem.distances[entry]))
    return bound


@part
def _advance(problem: PhaseProblem, state: PhaseState, phase: int, level: int) -> int:
    """Make the next move that the tables do not rule out; return the number of nodes, negative if there is none."""
    phases, coordinates, tables = problem.phases, problem.coordinates, problem.tables
    steps, distances, moves, following = problem.steps, problem.distances, problem.moves, problem.following
    values, chosen = state.values, state.chosen
    first, first_table, first_move = phases[phase, 0], phases[phase, 2], phases[phase, 4]
    end, count = first_table + phases[phase, 3], phases[phase, 5]
    row, left = level + phase, state.spans[phase, 0] + state.spans[phase, 1] - level - 1
    nodes, most_in_all = 0, phases[phase, 8] * left + phases[phase, 9]
    for m in range(chosen[row, 0] + 1, count):
        next_state = following[chosen[row, 1], moves[first_move + m]]
        if next_state < 0:
            continue
        nodes += 1
        c, t, in_all = 0, first_table, 0
        while t < end:
            while c < tables[t, 4]:
                values[row + 1, c] = steps[coordinates[first + c, 3] + values[row, c] * count + m]
                c += 1
            entry = tables[t, 2] + values[row + 1, tables[t, 0]] * tables[t, 3]
            if tables[t, 1] >= 0:
                entry += values[row + 1, tables[t, 1]]
            in_all += distances[entry]
            if distances[entry] > left or in_all > most_in_all:
                break
            t += 1
        if t == end:
            chosen[row, 0], state.path[level] = m, moves[first_move + m]
            chosen[row + 1, 0], chosen[row + 1, 1] = -1, next_state
            return nodes
    return -nodes - 1


@part
def _descend(problem: PhaseProblem, state: PhaseState, phase: int, level: int) -> bool:
    """Begin the next phase, or record a solution; return whether a phase has begun."""
    numbers, spans = state.numbers, state.spans
    labels, after_moves = state.labels[phase], state.labels[phase + 1]
    points = len(labels)
    for point in range(points):
        after_moves[point] = point
    # Sources are followed backwards, so that no further array is needed.
    for at in range(level - 1, spans[phase, 0] - 1, -1):
        for point in range(points):
            after_moves[point] = problem.sources[state.path[at], after_moves[point]]
    for point in range(points):
        after_moves[point] = labels[after_moves[point]]
    bound = _enter(problem, phase + 1, after_moves, state.values[level + phase + 1])
    if bound < 0 or bound > problem.phases[phase + 1, 6] or level + bound >= numbers[_BEST]:
        return False
    spans[phase + 1, 0], spans[phase + 1, 1], spans[phase + 1, 2] = level, bound, 0
    state.chosen[level + phase + 1, 1] = state.chosen[level + phase, 1]
    return True


@part
def _is_over(problem: PhaseProblem, state: PhaseState, phase: int) -> bool:
    """Return whether a phase is given up: it is too long for a shorter solution, or took too many nodes."""
    layout, spans = problem.phases[phase], state.spans[phase]
    too_long = spans[1] > layout[6] or spans[0] + spans[1] >= state.numbers[_BEST]
    return too_long or (phase > 0 and spans[2] > layout[7])


@kernel(at_start=True)
def search_phases(  # noqa: PLR0912, PLR0915  # one loop, with a branch for each thing to do next
    problem: PhaseProblem, state: PhaseState, most: int
) -> int:
    """Enter the roots; then search until the next solution, until there are no more, or until a number of nodes."""
    numbers, spans = state.numbers, state.spans
    phase, level, mode = numbers[_PHASE], numbers[_LEVEL], numbers[_MODE]
    numbers[_STATUS] = 0
    if mode == _ENTER:
        for root in range(len(state.roots)):
            for point in range(state.roots.shape[1]):
                state.labels[0, point] = state.roots[root, point]
            state.bounds[root] = _enter(problem, 0, state.labels[0], state.first[root])
        mode = _NEXT
    while numbers[_NODES] < most and numbers[_STATUS] == 0:
        if mode == _BEGIN:
            state.chosen[level + phase, 0] = -1
            mode = _EXPAND if spans[phase, 1] > 0 else _LEAF
        elif mode == _EXPAND:
            nodes = _advance(problem, state, phase, level)
            expanded = nodes if nodes >= 0 else -nodes - 1
            numbers[_NODES] += expanded
            spans[phase, 2] += expanded
            if nodes < 0:
                mode = _RETREAT
            else:
                level += 1
                mode = _LEAF if level == spans[phase, 0] + spans[phase, 1] else _EXPAND
        elif mode == _LEAF:
            mode = _RETREAT
            if phase + 1 == len(problem.phases):
                numbers[_BEST], numbers[_STATUS] = level, _SHORTER
                for at in range(level):
                    state.solution[at] = state.path[at]
            elif _descend(problem, state, phase, level):
                phase += 1
                mode = _BEGIN
        elif mode == _RETREAT:
            mode = _EXPAND
            if level == spans[phase, 0] or _is_over(problem, state, phase):
                mode = _NEXT
            else:
                level -= 1
        elif phase > 0:
            level = spans[phase, 0]
            spans[phase, 1] += 1
            mode = _BEGIN
            if _is_over(problem, state, phase):
                phase -= 1
                mode = _RETREAT
        else:
            numbers[_ROOT] += 1
            if numbers[_ROOT] == len(state.roots):
                numbers[_ROOT] = 0
                numbers[_LENGTH] += 1
            root, level = numbers[_ROOT], 0
            spans[0, 0], spans[0, 1] = 0, numbers[_LENGTH]
            if _is_over(problem, state, 0):
                numbers[_STATUS] = _EXHAUSTED
            elif 0 <= state.bounds[root] <= numbers[_LENGTH]:
                mode = _BEGIN
                state.chosen[0, 1] = 0
                for c in range(state.first.shape[1]):
                    state.values[0, c] = state.first[root, c]
                for point in range(state.roots.shape[1]):
                    state.labels[0, point] = state.roots[root, point]
    numbers[_PHASE], numbers[_LEVEL], numbers[_MODE] = phase, level, mode
    return int(numbers[_STATUS])


class PhasedSearch:
    """A search for shorter and shorter solutions of a state."""

    def __init__(self, problem: PhaseProblem, roots: Sequence[Arrangement], longest: int) -> None:
        """Prepare a search from some states; a solution of any is one, and they are tried in turn."""
        points, phases = problem.sources.shape[1], len(problem.phases)
        rows, width = _LEVELS + phases, int(problem.phases[:, 1].max())
        self._problem = problem
        self._state = PhaseState(
            np.zeros(8, np.int64),
            np.array([list(root) for root in roots], np.int32).reshape(-1, points),
            np.empty(len(roots), np.int64),
            np.empty((len(roots), width), np.int64),
            np.empty((phases, points), np.int32),
            np.empty((rows, width), np.int64),
            np.empty((rows, 2), np.int64),
            np.zeros((phases, 3), np.int64),
            np.empty(_LEVELS, np.int64),
            np.empty(_LEVELS, np.int64),
        )
        numbers = self._state.numbers
        numbers[_MODE], numbers[_ROOT], numbers[_BEST] = _ENTER, -1, min(longest, _LEVELS - 1) + 1
        search_phases(problem, self._state, 0)
        self.is_exhausted = not (self._state.bounds >= 0).any()

    @property
    def at_least(self) -> int:
        """A lower bound of the solution length: the least bound of the first phase."""
        bounds = self._state.bounds
        return int(bounds[bounds >= 0].min(initial=_LEVELS))

    @property
    def nodes(self) -> int:
        """The number of states visited."""
        return int(self._state.numbers[_NODES])

    def improve(self, most_nodes: int | None = None) -> tuple[int, Alg] | None:
        """Return the next, shorter solution and the number of its root; None if the search gave up or there is none."""
        numbers = self._state.numbers
        while not self.is_exhausted:
            check()
            limit = self.nodes + _SLICE if most_nodes is None else min(self.nodes + _SLICE, most_nodes)
            if limit <= self.nodes:
                break
            status = search_phases(self._problem, self._state, limit)
            self.is_exhausted = status == _EXHAUSTED
            if status == _SHORTER:
                return int(numbers[_ROOT]), tuple(self._state.solution[: numbers[_BEST]].tolist())
        return None


# -- Files -------------------------------------------------------------------------------------------------------------

_WIDE = np.dtype("<i8")
ProblemT = TypeVar("ProblemT", bound=tuple[NDArray[Any], ...])


def _fields(kind: Any) -> list[tuple[np.dtype[Any], int]]:
    """Return the dtype and the number of dimensions of each field of a named tuple of arrays."""
    declared = (field for field in annotated(kind) if isinstance(field, Type))
    return [(field.dtype.newbyteorder("<"), field.dimensions) for field in declared]


def packed(problem: tuple[NDArray[Any], ...]) -> bytes:
    """Return a named tuple of arrays as bytes: rows and columns, and each array, from a multiple of 8 bytes on."""
    shapes = [(*array.shape, 1)[:2] for array in problem]
    parts = [np.array(shapes, _WIDE).tobytes()]
    for array, (kind, _) in zip(problem, _fields(type(problem)), strict=True):
        body = np.ascontiguousarray(array, kind).tobytes()
        parts.append(body + bytes(-len(body) % _WIDE.itemsize))
    return b"".join(parts)


def opened(body: Body) -> PhaseProblem:
    """Return the phases in a buffer.

    >>> phase = Phase((0,), (Coordinate.of({0}),), ((0,),))
    >>> problem = prepare([bytes([1, 0])], bytes(range(2)), [[0]], [phase])
    >>> packed(opened(packed(problem))) == packed(problem)
    True
    """
    return unpacked(PhaseProblem, np.frombuffer(body, np.uint8))[0]


def unpacked(kind: type[ProblemT], memory: NDArray[np.uint8]) -> tuple[ProblemT, NDArray[np.uint8]]:
    """Return a packed named tuple of arrays, and the bytes after it."""
    fields = _fields(kind)
    start, arrays = 2 * len(fields) * _WIDE.itemsize, list[NDArray[Any]]()
    shapes = memory[:start].view(_WIDE).reshape(-1, 2).tolist()
    for (number, dimensions), shape in zip(fields, shapes, strict=True):
        size = shape[0] * shape[1] * number.itemsize
        array = memory[start : start + size].view(number)
        arrays.append(array.reshape(shape) if dimensions == 2 else array)
        start += size + -size % _WIDE.itemsize
    return kind(*arrays), memory[start:]


# -- Preparation -------------------------------------------------------------------------------------------------------


def prepare(
    moves: Sequence[Permutation], solved: Arrangement, following: Sequence[Sequence[int]], phases: Sequence[Phase]
) -> PhaseProblem:
    """List the values of all coordinates, and make the tables.

    >>> swaps = [bytes([1, 0, 2, 3]), bytes([0, 2, 1, 3]), bytes([0, 1, 3, 2])]
    >>> places = Phase((0, 1, 2), (Coordinate.of({3}),), ((0,),))
    >>> rest = Phase((0, 1), (Coordinate.of({0, 1, 2}),), ((0,),))
    >>> problem = prepare(swaps, bytes(range(4)), [[0, 1, 2]] * 3, [places, rest])
    >>> search = PhasedSearch(problem, [bytes([3, 1, 2, 0])], 20)
    >>> search.improve()
    (0, (0, 1, 2, 1, 0))
    """
    sources = np.array([list(move) for move in moves], np.int32)
    coordinates, tables, layout = list[_Values](), list[NDArray[np.uint8]](), list[list[int]]()
    pairs = list[list[int]]()
    for number, phase in enumerate(phases):
        listed = [_listed(sources[list(phase.moves)], solved, coordinate) for coordinate in phase.coordinates]
        first_move = sum(row[5] for row in layout)
        row = [len(coordinates), len(listed), len(pairs), len(phase.tables), first_move, len(phase.moves)]
        layout.append([*row, phase.longest, phase.nodes, *(phase.likely or (0, _NONE))])
        is_mutual = {inverse(moves[move]) for move in phase.moves} <= {moves[move] for move in phase.moves}
        following_moves = phases[number + 1].moves if number + 1 < len(phases) else ()
        later = [phase.moves.index(move) for move in following_moves if move in phase.moves]
        needed = 0
        for one, *others in phase.tables:
            needed = max(needed, one + 1, *(other + 1 for other in others))
            second = listed[others[0]].steps if others else np.zeros((1, len(phase.moves)), np.int32)
            pairs.append([one, others[0] if others else -1, sum(map(len, tables)), len(second), needed])
            if len(listed[one].steps) * len(second) > MOST_ENTRIES:
                raise TooLargeError(len(listed[one].steps) * len(second), MOST_ENTRIES)
            space = StateSpace.of_pair(listed[one].steps.T, second.T, mutual=is_mutual)
            tables.append(distances_beyond(space, later, 0))
        coordinates += listed
    fields = ("points", "weights", "keys", "steps", "classes")
    parts = {name: [getattr(coordinate, name).reshape(-1) for coordinate in coordinates] for name in fields}
    begins = [np.cumsum([0, *map(len, arrays[:-1])]) for arrays in parts.values()]
    sizes = [
        [len(each.points), len(each.weights), len(each.keys), each.weights.shape[2], each.reads] for each in coordinates
    ]
    return PhaseProblem(
        phases=np.array(layout, np.int64),
        moves=np.concatenate([np.array(phase.moves, np.int64) for phase in phases]),
        sources=sources,
        following=np.array(following, np.int64),
        coordinates=np.column_stack([*begins, sizes]).astype(np.int64),
        values=np.concatenate([coordinate.values for coordinate in coordinates]),
        tables=np.array(pairs, np.int64),
        distances=np.concatenate(tables),
        **{name: np.concatenate(arrays) for name, arrays in parts.items()},
    )


class _Values(NamedTuple):
    """The values of a coordinate; that of the solved puzzle is 0. See `PhaseProblem`."""

    points: NDArray[np.int64]
    weights: NDArray[np.int64]
    classes: NDArray[np.int32]
    keys: NDArray[np.int64]
    values: NDArray[np.int32]
    steps: NDArray[np.int32]
    reads: int


def _listed(sources: NDArray[np.int32], solved: Arrangement, coordinate: Coordinate) -> _Values:
    """List the values that moves lead to from the solved puzzle, level by level."""
    looks = {label: min(alike) for alike in coordinate.classes for label in alike}
    points = _points(sources, solved, coordinate, looks)
    weights, reads = _weights(solved, coordinate, looks, len(points)), _READS[coordinate.reads]
    classes = np.array([looks.get(label, -1) for label in range(max(solved) + 1)], np.int32)

    def keys_of(states: NDArray[np.uint16]) -> NDArray[np.int64]:
        if reads == _PLACES:
            return _keys_of_places(states, weights)
        return _keys_of_partitions(classes[states], weights) if reads == _PARTITION else signs(classes[states])

    changes = np.searchsorted(points, sources[:, points])
    level = np.array([[solved[point] for point in points]], np.uint16)
    states, state_keys = level, keys_of(level)
    while len(level):
        check()
        reached = np.concatenate([level[:, change] for change in changes])
        keys, first = np.unique(keys_of(reached), return_index=True)
        new = ~np.isin(keys, state_keys)
        level = reached[first[new]]
        states, state_keys = np.concatenate([states, level]), np.concatenate([state_keys, keys[new]])
        if len(states) > MOST_VALUES:
            raise TooLargeError(len(states), MOST_VALUES)
    order = np.argsort(state_keys)
    keys = state_keys[order]
    steps = np.stack([order[np.searchsorted(keys, keys_of(states[:, change]))] for change in changes], axis=1)
    values = order.astype(np.int32)
    return _Values(np.array(points), weights, classes, keys, values, steps.astype(np.int32), reads)


def _keys_of_places(states: NDArray[np.uint16], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    least = np.full(len(states), _NONE, np.int64)
    for renamed in weights:
        combined = np.zeros(len(states), np.int64)
        for place, weight in enumerate(renamed):
            combined ^= weight[states[:, place]]
        np.minimum(least, combined, out=least)
    return least


def _keys_of_partitions(classes: NDArray[np.int32], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    combined = np.zeros(len(classes), np.int64)
    for place, weight in enumerate(weights[0]):
        first = (classes[:, : place + 1] == classes[:, place, None]).argmax(axis=1)
        combined ^= weight[first]
    return combined


def signs(classes: NDArray[np.signedinteger]) -> NDArray[np.int64]:
    """Return the signs of permutations, (permutations, points): 1 for odd ones."""
    odd = np.zeros(len(classes), np.int64)
    for place in range(classes.shape[1]):
        odd ^= (classes[:, :place] > classes[:, place, None]).sum(axis=1) & 1
    return odd


def _points(
    sources: NDArray[np.int32], solved: Arrangement, coordinate: Coordinate, looks: Mapping[int, int]
) -> list[int]:
    """Return the points that a coordinate reads, in order."""
    given = coordinate.points
    points = set(given or (point for point, label in enumerate(solved) if label in looks))
    while True:
        reached = {point for source in sources for point in np.flatnonzero(np.isin(source, list(points))).tolist()}
        if reached <= points:
            return sorted(points)
        if given:
            raise ValueError("moves must not exchange the points that a coordinate reads with others")
        points |= reached


def _weights(solved: Arrangement, coordinate: Coordinate, looks: Mapping[int, int], points: int) -> NDArray[np.int64]:
    """Return a random number for each renaming of the labels, each point and each label; 0 for ignored labels."""
    changes = []
    for change in coordinate.exchanged:
        exchanged = {
            (looks[label], looks.get(solved[change[i]], -1)) for i, label in enumerate(solved) if label in looks
        }
        if len({look for look, _ in exchanged}) < len(exchanged) or -1 in {other for _, other in exchanged}:
            raise ValueError("the labels of a coordinate must be exchanged with one another")
        changes.append(dict(exchanged))
    renamings = [{look: look for look in looks.values()}]
    for renaming in renamings:
        for names in changes:
            following = {look: names[name] for look, name in renaming.items()}
            if following not in renamings:
                renamings.append(following)
        if len(renamings) > _MOST_RENAMINGS:
            raise TooLargeError(len(renamings), _MOST_RENAMINGS)
    columns = max(points, max(solved) + 1)
    source = random.Random(_SEED)  # whose numbers do not depend on the version
    drawn = np.array([[source.getrandbits(_BITS) for _ in range(columns)] for _ in range(points)], np.int64)
    if coordinate.reads == "partition":
        return drawn[None]
    weights = np.zeros((len(renamings), *drawn.shape), np.int64)
    for number, renaming in enumerate(renamings):
        for label, look in looks.items():
            weights[number, :, label] = drawn[:, renaming[look]]
    return weights


def distances_beyond(space: StateSpace, later: Sequence[int], solved: int) -> NDArray[np.uint8]:
    """Return the distances of all states from those that the moves of the next phase make of the solved one."""
    level = starts = np.array([solved], np.int64)
    while len(level):
        check()
        level = np.setdiff1d(space.neighbours_of(level)[:, later], starts)
        starts = np.concatenate([starts, level])
    return enumerate_depths(space, starts)

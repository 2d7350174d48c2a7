"""State spaces up to symmetry, derived from the moves (numpy).

Symmetries map labels to labels. A partition of the labels that all of them preserve gives a *pattern* for every state:
the class of the label on each point. The states with one pattern are a row, and symmetries map rows to rows, so one
pattern of each symmetry class is listed. The fibre consists of the states with the pattern of the start; `way` leads
from these to the states of a row. After a move and the symmetry that brings the pattern to a listed one, the state
``h`` of the fibre is the state ``labels[h[points]]``. Symmetries map the fibre to itself, since they leave the start as
it is. So this is the image of ``h`` under the symmetry, followed by a permutation of points, the action. Each of the
two has a table: one for all their products would be as many times larger as there are symmetries.

If whole-puzzle rotations determine the places of reference pieces, each symmetry is followed by the rotation that
brings these home. Their labels are classes of their own, so the pattern determines the rotation.

If a symmetry maps a row to itself, all states of the row are listed. A state of such a row may be reached by a move
and a symmetry other than the one that was chosen, so enumerations look from these rows for neighbours (`StateSpace`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import check
from cubesolve.definitions.definition import Move, precondition_labels
from cubesolve.definitions.reach import ReachableStates, undone
from cubesolve.definitions.rotations import RotationReduction
from cubesolve.definitions.symmetries import Symmetry, symmetries
from cubesolve.kernels import kernel, named, read_only, types
from cubesolve.permutations import Arrangement, Permutation, arrangement, identity, inverse, orbits
from cubesolve.spaces.rows import RowIndex, Rows, RowSet, distinguishing_columns, hashed
from cubesolve.spaces.space import FibreSymmetries, StateSpace
from cubesolve.workers import Workers

if TYPE_CHECKING:
    from cubesolve.spaces.defined import DerivedGraph

_WIDEST = 8192  # states in a row: 32 kB of an action
_MOST_BYTES = 1 << 32  # of the arrays of a space
_MOST_CLASSES = 255
_AT_ONCE = 1 << 22  # numbers that are processed at a time
_FEW = 64  # actions that are tried first


def space_up_to_symmetry(graph: DerivedGraph) -> tuple[StateSpace, list[int]] | None:
    """Return the space of a graph up to symmetry, and the ranks of the solved states in it.

    Returns:
        None if the puzzle has moves without inverses or with costs, several solved states, or rotations without
        reference pieces; if its states cannot be counted without a list; or if the space would be too large.

    >>> from cubesolve.catalog import rules_named
    >>> space, starts = space_up_to_symmetry(rules_named("ivy").graph())
    >>> space.counted, space.states, starts
    (29160, 1368, [0])
    """
    reduction = graph.reduction
    is_plain = not (reduction.rotated or reduction.rotations or graph.rules.origin) and len(reduction.solved) == 1
    if not is_plain or graph.reach is None or not undone(reduction.moves):
        return None
    start, illegal = reduction.solved[0], graph.rules.definition.illegal
    fixed = precondition_labels([case for move in reduction.moves for case in move.cases], illegal)
    best, found = _MOST_BYTES, None
    for group in _groups(reduction, graph.definition_moves, illegal):
        labels = {*fixed, *group.reference}
        pattern = _choose_pattern(start, group.symmetries, labels, graph.reach, len(reduction.moves))
        if pattern is not None and pattern.size < best:
            best, found = pattern.size, _Deriving(start, reduction.moves, illegal, group, pattern)
    return None if found is None else (found.space(), [0])


class _SymmetryGroup(NamedTuple):
    """Symmetries of the states up to rotation.

    Attributes:
        symmetries: the symmetries.
        rotations: each symmetry is followed by one of these, which brings reference pieces home.
        reference: the labels of reference pieces; none if the symmetries leave them where they are.
    """

    symmetries: Sequence[Symmetry]
    rotations: Sequence[Permutation]
    reference: Sequence[int] = ()


def _groups(
    reduction: RotationReduction, moves: Sequence[Move], illegal: frozenset[tuple[int, int]]
) -> Iterator[_SymmetryGroup]:
    """Yield groups of symmetries.

    The smaller group is that of the moves up to rotation, which leave reference pieces at home. The larger one needs
    more rows, because the labels of these pieces and their images must be classes of their own.
    """
    solved = reduction.solved
    yield _SymmetryGroup(symmetries(solved, reduction.moves, illegal), [identity(len(solved[0]))])
    if reduction.reference is not None:
        labels, rotations, *_ = reduction.reference
        whole = symmetries(solved, moves, illegal)
        if all(_is_symmetric(each, rotations) for each in whole):
            yield _SymmetryGroup(whole, rotations, labels)


def _is_symmetric(symmetry: Symmetry, rotations: Sequence[Permutation]) -> bool:
    """Return whether a symmetry takes rotations to rotations."""
    points, back = symmetry.points, inverse(symmetry.points)
    known = set(rotations)
    return all(arrangement(points[rotation[back[i]]] for i in range(len(points))) in known for rotation in rotations)


# -- Patterns ----------------------------------------------------------------------------------------------------------

_Partition = tuple[frozenset[int], ...]
"""Some labels, divided into classes; all others are one class."""


class _Pattern(NamedTuple):
    """A partition of labels.

    Attributes:
        classes: uint8: the class of each label.
        width: the number of states in a row.
        size: the expected size of the arrays of the space, in bytes.
    """

    classes: NDArray[np.uint8]
    width: int
    size: int


def _choose_pattern(
    start: Arrangement, group: Sequence[Symmetry], fixed: set[int], reached: ReachableStates, moves: int
) -> _Pattern | None:
    """Return a partition of the labels for which the arrays of the space are small; None if all are too large.

    The first partition has as few classes as possible. Step by step, the finer one with the longest rows follows.

    Args:
        start: the solved state.
        group: the symmetries.
        fixed: labels that must be classes of their own.
        reached: the reachable states.
        moves: the number of moves.
    """
    number, labels = reached.number, set(start)
    if number is None or len(labels) > _MOST_CLASSES:
        return None

    def classes(parts: Iterable[_Partition]) -> NDArray[np.uint8]:
        found = np.zeros(max(start) + 1, np.uint8)
        for name, each in enumerate(itertools.chain.from_iterable(parts), 1):
            found[list(each)] = name
        return found

    def width(parts: Iterable[_Partition]) -> int:
        """Return the number of states in a row; 0 if it is not known."""
        placed = reached.loops.arrangements(arrangement(classes(parts)[list(start)].tolist()))
        return number // (placed * len(reached.ways)) if placed else 0

    def size(width: int) -> int:
        """Return the bytes of the arrays with so many states in a row, and of two bits for each state."""
        edges = max(number // width // len(group), 1) * moves
        return 13 * edges + 4 * width * min(edges, width) + number // len(group) // 4

    chosen, options = [], []
    for orbit in orbits(max(start) + 1, [each.labels for each in group]):
        if not labels.isdisjoint(orbit):
            single = tuple(frozenset([label]) for label in orbit)
            chosen.append(single if fixed.intersection(orbit) else ())
            options.append([*_blocks(orbit, group), single])
    best, current = _MOST_BYTES, width(chosen)
    found: _Pattern | None = None
    while True:
        if 0 < current <= _WIDEST and size(current) < best:
            found = _Pattern(classes(chosen), current, best := size(current))
        finer = [
            [*chosen[:number], option, *chosen[number + 1 :]]
            for number, parts in enumerate(options)
            for option in parts
            if _is_finer(option, chosen[number])
        ]
        wide, chosen = max(((width(each), each) for each in finer), default=(0, chosen), key=lambda each: each[0])
        if wide <= 1:
            return found
        current = wide


def _is_finer(partition: _Partition, other: _Partition) -> bool:
    """Return whether a partition divides the classes of another."""
    return partition != other and all(any(each <= whole for whole in other) for each in partition if other)


def _blocks(orbit: Sequence[int], group: Sequence[Symmetry]) -> list[_Partition]:
    """Return the partitions of an orbit of labels into more than one label each that symmetries preserve."""
    first, *others = orbit
    least = dict.fromkeys(_joined([frozenset([first, other])], group) for other in others)
    found = dict(least)
    for each in (reached := [*found]):
        for other in least:
            joined = _joined([*each, *other], group)
            if joined not in found:
                found[joined] = None
                reached.append(joined)
    return [*found]


def _joined(blocks: Sequence[frozenset[int]], group: Sequence[Symmetry]) -> _Partition:
    """Return the finest partition that symmetries preserve in which the labels of each block are together."""
    parts, left = list[frozenset[int]](), [*blocks]
    while left:
        block = left.pop()
        if any(block <= part for part in parts):
            continue
        block = block.union(*(part for part in parts if not part.isdisjoint(block)))
        parts = [*(part for part in parts if part.isdisjoint(block)), block]
        left += {frozenset(each.labels[label] for label in block) for each in group}
    return tuple(sorted(parts, key=min))


# -- Rows --------------------------------------------------------------------------------------------------------------


class _Maps(NamedTuple):
    """The symmetries, each followed by each rotation, as a kernel reads them.

    Attributes:
        sources: uint16 (maps, points): the point from which each point gets its label.
        classes: uint8 (symmetries, classes): the image of each class.
        home: int64 (labels,): the points of reference labels that must be at home.
        labels: uint8 (labels,): their classes.
        found: uint8 (symmetries,): the class whose image is that of the first reference label; any without references.
        first: int64 (symmetries, points + 1): the number of the first map of a symmetry with a rotation that brings
            this class home from a point; the others follow. Without reference pieces, the point does not matter.
    """

    sources: NDArray[np.uint16]
    classes: NDArray[np.uint8]
    home: NDArray[np.int64]
    labels: NDArray[np.uint8]
    found: NDArray[np.uint8]
    first: NDArray[np.int64]


@kernel(
    named(
        _Maps,
        sources=read_only(types.uint16),
        classes=read_only(types.uint8),
        home=read_only(types.int64, 1),
        labels=read_only(types.uint8, 1),
        found=read_only(types.uint8, 1),
        first=read_only(types.int64),
    ),
    types.uint8[:, ::1],
    types.int32[:, ::1],
    types.int64,
    types.int64,
)
def _list(maps: _Maps, patterns: NDArray[np.uint8], listed: NDArray[np.int32], first: int, last: int) -> int:
    """Replace patterns `first` to `last` by their least images; write the first map to each, and how many maps are."""
    sources, classes, home, labels, found, firsts = maps
    width = patterns.shape[1]
    least, image, place = np.empty(width, np.uint8), np.empty(width, np.uint8), np.zeros(256, np.int64)
    for row in range(first, last):
        pattern = patterns[row]
        if len(home):
            for point in range(width):
                place[pattern[point]] = point
        number, ties = -1, 0
        for symmetry in range(len(found)):
            renamed, there = classes[symmetry], place[found[symmetry]]
            for each in range(firsts[symmetry, there], firsts[symmetry, there + 1]):
                source = sources[each]
                order = -1 if number < 0 else 0
                for i in range(1, len(home)):
                    if renamed[pattern[source[home[i]]]] != labels[i]:
                        order = 1
                for point in range(width):
                    if order > 0:
                        break
                    label = renamed[pattern[source[point]]]
                    if order == 0 and label != least[point]:
                        order = 1 if label > least[point] else -1
                    image[point] = label
                if order < 0:
                    least[:] = image
                    number, ties = each, 0
                ties += order <= 0
        pattern[:] = least
        listed[0, row], listed[1, row] = number, ties
    return 0


class _Deriving:
    """Derives a space, row by row and then the fibre.

    Rows are found breadth-first. Each keeps its pattern, and the permutation that leads to it from the fibre.
    """

    def __init__(
        self,
        start: Arrangement,
        moves: Sequence[Move],
        illegal: frozenset[tuple[int, int]],
        group: _SymmetryGroup,
        pattern: _Pattern,
    ) -> None:
        """Take what `space_up_to_symmetry` has chosen."""
        classes, self._width = pattern.classes, pattern.width
        home = [start.index(label) for label in group.reference]
        self._start: Rows = np.array(list(start), np.uint16)
        self._classes, self._illegal = classes, illegal
        self._cases = [(number, case) for number, move in enumerate(moves) for case in move.cases]
        self._moves, self._rotations = len(moves), len(group.rotations)
        self._points: Rows = np.array([list(each.points) for each in group.symmetries], np.uint16)
        self._labels: Rows = np.array([list(each.labels) for each in group.symmetries], np.uint16)
        renamed = np.zeros((len(group.symmetries), int(classes.max()) + 1), np.uint8)
        renamed[:, classes[self._start]] = classes[self._labels[:, self._start]]
        sources = np.argsort(self._points, axis=1)[:, np.array([list(each) for each in group.rotations])]
        places = sources[:, :, home[0]] if home else np.zeros(sources.shape[:2], np.int64)
        order = np.argsort(places, axis=1, kind="stable")
        places = np.take_along_axis(places, order, axis=1)
        firsts = [np.searchsorted(each, np.arange(len(start) + 1)) for each in places]
        at_home = classes[self._start[list(home)]]
        self._maps = _Maps(
            np.take_along_axis(sources, order[:, :, None], axis=1).reshape(-1, len(start)).astype(np.uint16),
            renamed,
            np.array(home, np.int64),
            at_home,
            (renamed == at_home[0]).argmax(axis=1).astype(np.uint8)
            if home
            else np.zeros(len(group.symmetries), np.uint8),
            np.array(firsts) + len(group.rotations) * np.arange(len(group.symmetries))[:, None],
        )

    def space(self) -> StateSpace:
        """Return the space, the start first."""
        patterns, ways, ties = self._rows()
        first = np.argsort(ties == 1, kind="stable")  # rows that symmetries map to themselves
        patterns, ways, ties = patterns[first], ways[first], ties[first]
        base, action, numbers, actions = self._edges(patterns, ways)
        fibre, images = actions.fibre(self._width)
        base[base >= 0] *= fibre.shape[1]
        counts = (len(self._points) // ties).astype(np.uint8)
        symmetric, symmetries = int(np.count_nonzero(ties > 1)), FibreSymmetries(numbers, images)
        return StateSpace(base, action, fibre, True, counts=counts, symmetric=symmetric, symmetries=symmetries)

    def _after(self, patterns: Rows, ways: Rows, case: int) -> tuple[NDArray[np.int64], Rows, Rows, NDArray[np.int32]]:
        """Return the rows where a case is possible, and after it their listed patterns, permutations and maps."""
        _, (sources, needs) = self._cases[case]
        moved: Rows = np.ascontiguousarray(patterns[:, list(sources)])
        possible = np.ones(len(patterns), np.bool_)
        for point, label in needs:
            possible &= patterns[:, point] == self._classes[label]
        for point, label in self._illegal:
            possible &= moved[:, point] != self._classes[label]
        here = np.flatnonzero(possible)
        listed, found = self._listed(moved[here])
        return here, listed, ways[here][:, list(sources)], found

    def _listed(self, patterns: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Return the listed images of patterns; int32 (2, N): the map to each, and how many there are."""
        images, found = np.ascontiguousarray(patterns), np.zeros((2, len(patterns)), np.int32)
        with Workers(len(images)) as pool:
            pool.run(lambda first, last: _list(self._maps, images, found, first, last))
        return images, found

    def _rows(self) -> tuple[Rows, Rows, NDArray[np.int32]]:
        """Return the listed patterns, the permutation that leads to each, and how many symmetries fix each."""
        newest, found = self._listed(self._classes[self._start][None])
        ways: Rows = np.arange(len(self._start), dtype=np.uint16)[None]
        parts, seen = [(newest, ways, found[1])], RowSet(newest)
        while len(newest):
            level = len(parts)
            for part in _pieces(len(newest), newest.shape[1]):
                for case in range(len(self._cases)):
                    _, listed, moved, maps = self._after(newest[part], ways[part], case)
                    new = seen.add(listed)
                    parts.append((listed[new], self._mapped(moved[new], maps[0, new]), maps[1, new]))
            newest, ways = (np.concatenate([part[each] for part in parts[level:]]) for each in range(2))
        patterns, ways, ties = (np.concatenate([part[each] for part in parts]) for each in range(3))
        return patterns, ways, ties

    def _mapped(self, ways: Rows, maps: NDArray[np.int32]) -> Rows:
        """Return the permutations that lead from the fibre to the images of states, of which others lead to these."""
        there = np.take_along_axis(ways, self._maps.sources[maps].astype(np.int64), axis=1)
        mapped: Rows = np.take_along_axis(self._points[maps // self._rotations], there.astype(np.int64), axis=1)
        return mapped

    def _edges(
        self, patterns: Rows, ways: Rows
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8], _Actions]:
        """Return the row after each move, or -1; the numbers of its action and its symmetry; and the actions."""
        index, back = RowIndex(patterns), np.argsort(ways, axis=1).astype(np.uint16)
        target = np.full((self._moves, len(patterns)), -1, np.int64)
        action, symmetry = np.zeros(target.shape, np.int32), np.zeros(target.shape, np.uint8)
        actions = _Actions(self._start, self._classes, self._labels, self._points)
        for part in _pieces(len(patterns), patterns.shape[1]):
            for case, (move, _) in enumerate(self._cases):
                here, listed, moved, maps = self._after(patterns[part], ways[part], case)
                rows = part.start + here
                there = index.find(listed)
                target[move, rows] = there
                mapped = self._mapped(moved, maps[0])
                action[move, rows] = actions.numbers(np.take_along_axis(mapped, back[there].astype(np.int64), axis=1))
                symmetry[move, rows] = maps[0] // self._rotations
        return target, action, symmetry, actions


class _Actions:
    """The distinct actions on the fibre: permutations of points."""

    def __init__(self, start: Rows, classes: NDArray[np.uint8], labels: Rows, points: Rows) -> None:
        """Take the start, the class of each label, and the images of labels and of points under each symmetry."""
        self._start, self._labels = start, labels
        self._sources = np.argsort(points, axis=1)
        single = np.bincount(classes[start])[classes] == 1
        self._free = np.flatnonzero(~single[start])  # points where the states of the fibre may differ
        self._names = np.empty(0, np.uint64)
        self._numbers = np.empty(0, np.int32)
        self._points = list[Rows]()

    def numbers(self, points: Rows) -> NDArray[np.int32]:
        """Return the numbers of actions; equal ones have equal numbers."""
        names, first, which = np.unique(hashed(points[:, self._free]), return_index=True, return_inverse=True)
        places = np.searchsorted(self._names, names)
        new = ~np.isin(names, self._names)
        self._points += [*points[first[new]]]
        number = len(self._numbers) + np.arange(np.count_nonzero(new), dtype=np.int32)
        self._names = np.insert(self._names, places[new], names[new])
        self._numbers = np.insert(self._numbers, places[new], number)
        found: NDArray[np.int32] = self._numbers[np.searchsorted(self._names, names)[which]]
        return found

    def fibre(self, width: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the image of each state of the fibre under each action, and under each symmetry.

        Args:
            width: the number of states; a few actions mostly lead to all of them.

        Returns:
            uint32 (actions, states) and (symmetries, states).
        """
        points = np.array(self._points)
        states, few = self._start[None], _FEW
        while len(states) < width:
            if few >= 2 * max(len(points), _FEW):
                raise AssertionError(f"{len(states)} states in a row instead of {width}")
            some = np.linspace(0, len(points) - 1, min(few, len(points))).astype(np.int64)
            states, few = self._orbit(points[some]), 2 * few
        columns = distinguishing_columns(states)
        index = RowIndex(np.ascontiguousarray(states[:, columns]))
        fibre = np.empty((len(points), len(states)), np.uint32)
        for part in _pieces(len(points), states.size):
            fibre[part] = index.find(states[:, points[part][:, columns]]).T
        images = [index.find(image[:, columns]) for image in self._images(states)]
        return fibre, np.array(images, np.uint32)

    def _orbit(self, points: Rows) -> Rows:
        """Return all states that symmetries and some actions lead to from the start."""
        newest = self._start[None]
        parts, seen = [newest], RowSet(newest)
        while len(newest):
            check()
            found = np.concatenate([newest[:, points].reshape(-1, len(self._start)), *self._images(newest)])
            newest = found[seen.add(found)]
            parts.append(newest)
        return np.concatenate(parts)

    def _images(self, states: Rows) -> Iterator[Rows]:
        """Yield the images of states under each symmetry."""
        for labels, sources in zip(self._labels, self._sources, strict=True):
            yield labels[states[:, sources]]


def _pieces(rows: int, width: int) -> Iterator[slice]:
    """Yield slices of rows of a width, each small enough to be processed at once."""
    step = max(1, _AT_ONCE // max(width, 1))
    for first in range(0, rows, step):
        check()
        yield slice(first, min(first + step, rows))

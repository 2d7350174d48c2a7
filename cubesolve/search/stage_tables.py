"""The tables of stages (numpy); see `search.stages`."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.phases import Places, Reduction
from cubesolve.group.permutations import Arrangement, Permutation, closure, is_odd
from cubesolve.search.phases import distances_beyond
from cubesolve.search.stages import LABELS, UNREACHED, StageProblem
from cubesolve.spaces.rows import set_numbers, slices
from cubesolve.spaces.space import StateSpace

_MOST_POINTS = 26  # of places
_MOST_TOGETHER = 4  # places of a table
_MOST_LISTED = 1 << 16  # sets whose steps are listed
_EXPANDED = 1 << 14  # sets that are expanded at once
_BYTE = 8
_HALF = _MOST_POINTS // 2  # bits of a set
_LOW = (1 << _HALF) - 1  # the lower ones
_BINOMIALS = np.array([[math.comb(n, k) for k in range(_MOST_POINTS + 1)] for n in range(_MOST_POINTS)], np.int64)


def _ranks_in_parts() -> NDArray[np.int32]:
    """Return the ranks of sets, in parts: see `StageProblem`."""
    ranks = np.zeros((_HALF + 3, 1 << _HALF), np.int32)
    there = (np.arange(1 << _HALF)[:, None] >> np.arange(_HALF) & 1).astype(bool)
    taken = there.cumsum(axis=1)
    ranks[0], ranks[-1] = (_BINOMIALS[np.arange(_HALF), taken] * there).sum(axis=1), taken[:, -1]
    for before in range(_HALF + 1):
        ranks[1 + before] = (_BINOMIALS[_HALF + np.arange(_HALF), before + taken] * there).sum(axis=1)
    return ranks


class _Listed(NamedTuple):
    """The values of some places, as the product of a base and a fibre, and that of the solved puzzle."""

    base: NDArray[np.int64]  # (moves, sets): the set after each move
    action: NDArray[np.int64]  # (moves, sets): the row of the fibre that applies
    fibre: NDArray[np.int64]  # (actions, orders): the order after each action
    solved: int


@dataclasses.dataclass
class _Read:
    """What a stage reads on some points, while its tables are made."""

    places: Places
    # for each move, the place from which each place gets its label, (moves, places); those of places that moves
    # exchange with the places read are the last
    steps: NDArray[np.int64]
    other_steps: NDArray[np.int64]  # the same of the other points
    # the class on each of these places and then on each of the other points in the solved puzzle, -1 if it is ignored
    solved: NDArray[np.int8]
    labels: int  # the number of labels, 0 if it varies

    @property
    def key(self) -> tuple[bytes, ...]:
        """The arrays that determine the distances of the values."""
        return self.steps.tobytes(), self.other_steps.tobytes(), self.solved.tobytes()

    @property
    def orders(self) -> int:
        """The number of orders on the other points, 0 if there are none."""
        return math.perm(len(self.places.points), self.labels) if self.places.others else 0

    @property
    def sets(self) -> int:
        """The number of sets of places with labels."""
        count = len(self.places.points)
        return math.comb(count, self.labels) if self.labels else 1 << count

    @property
    def layout(self) -> list[int]:
        """The numbers of points, labels, sets, orders, and other points."""
        orders = self.sets if self.is_word else max(self.orders, 1)
        return [len(self.places.points), self.labels, self.sets, orders, len(self.places.others)]

    @property
    def is_word(self) -> bool:
        """Whether the sets are too many for a list."""
        return self.sets > _MOST_LISTED

    def word_steps(self, bits: int) -> NDArray[np.int64]:
        """For each move, the bits that the values of each part of a set, of some bits, become."""
        values, parts = np.arange(1 << bits), 32 // bits
        steps = np.zeros((len(self.steps), parts, len(values)), np.int64)
        for move, step in enumerate(self.steps.tolist()):
            for place, origin in enumerate(step):
                steps[move, origin // bits] |= (values >> origin % bits & 1) << place
        return steps

    @functools.cached_property
    def listed(self) -> _Listed:
        """Return all values and the steps between them."""
        count, labels = len(self.places.points), self.labels
        if labels:
            rows = np.zeros((self.sets, count), bool)
            np.put_along_axis(rows, np.array(list(itertools.combinations(range(count), labels))), True, axis=1)
            rows = rows[np.argsort(self.ranks(rows))]
            base = np.stack([self.ranks(rows[:, step]) for step in self.steps])
        else:  # only some sets are possible
            seen, steps = tuple((self.solved >= 0).tolist()), self.steps.tolist()
            rows = np.array(closure([seen], lambda row: (tuple(row[place] for place in step) for step in steps)))
            base = np.tile(np.arange(self.sets), (len(self.steps), 1))
            base[:, self.ranks(rows)] = [self.ranks(rows[:, step]) for step in self.steps]
        start = int(self.ranks(self.solved[None, : self.steps.shape[1]] >= 0)[0])
        if not self.orders:
            return _Listed(base, np.zeros_like(base), np.zeros((1, 1), np.int64), start)
        chosen = np.nonzero(rows)[1].reshape(len(rows), labels)  # the places of each set, in order
        orders = np.array(list(itertools.permutations(range(count), labels)))
        powers = count ** np.arange(labels)[::-1]
        keys = orders @ powers
        actions = dict[tuple[int, bytes], int]()
        fibre, action = list[NDArray[np.int64]](), np.empty_like(base)
        for move, (step, other_step) in enumerate(zip(self.steps, self.other_steps, strict=True)):
            sorted_places = np.argsort(np.argsort(step)[chosen], axis=1)
            moved = np.argsort(other_step)[orders]
            for number, each in enumerate(sorted_places):
                key = (move, each.tobytes())
                if key not in actions:
                    actions[key] = len(fibre)
                    fibre.append(np.searchsorted(keys, moved[:, each] @ powers))
                action[move, number] = actions[key]
        solved = self.solved.tolist()
        there = [solved.index(own, count) - count for own in solved[:count] if own >= 0]
        order = int(np.searchsorted(keys, np.array(there) @ powers))
        return _Listed(base, action, np.stack(fibre), start * len(orders) + order)

    def ranks(self, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the numbers of sets."""
        count = len(self.places.points)
        rows = rows[:, :count]
        if self.labels:
            return set_numbers(np.nonzero(rows)[1].reshape(len(rows), self.labels), count)
        return np.array(rows @ (1 << np.arange(count)), np.int64)


def prepare_stages(
    moves: Sequence[Permutation], solved: Arrangement, reduction: Reduction, later: Sequence[int]
) -> StageProblem:
    """Make the tables of stages; `later` are the moves of the puzzle that is left."""
    stages, signs = reduction
    points = len(solved)
    extended = np.array([*solved, *range(points, points + 2 * len(signs))], np.uint8)
    sources = np.tile(np.arange(len(extended), dtype=np.uint8), (len(moves) + 1, 1))
    for number, move in enumerate(moves):
        sources[number, :points] = list(move)
        for sign, (chosen, *_) in enumerate(signs):
            steps = [chosen.index(move[point]) for point in chosen if move[point] in chosen]
            if len(steps) == len(chosen) and is_odd(steps):
                sources[number, points + 2 * sign :][:2] = points + 2 * sign + 1, points + 2 * sign
    layout, renamings, classes = list[list[int]](), [bytes(range(LABELS))], list[NDArray[np.int8]]()
    numbered, read, tables = list[int](), list[_Read](), list[list[int]]()
    made = dict[Any, tuple[int, NDArray[np.uint8]]]()  # where each table begins, and its distances; equal ones are one
    for number, stage in enumerate(stages):
        first_renaming = len(renamings) if stage.renamings else 0
        entries = len(stage.tables) + len(stage.beside)
        row = [len(read), len(stage.places), len(tables), entries, len(numbered), len(stage.moves)]
        layout.append([*row, first_renaming, len(stage.renamings) or 1])
        renamings += stage.renamings
        numbered += stage.moves
        following = stages[number + 1].moves if number + 1 < len(stages) else later
        free = [stage.moves.index(move) for move in following if move in stage.moves]
        of_stage = [_read(places, sources[list(stage.moves)], extended) for places in stage.places]
        for table in stage.tables:
            together = [of_stage[one] for one in table]
            key = (tuple(free), *(each.key for each in together))
            if key not in made:
                made[key] = sum(len(distances) for _, distances in made.values()), _distances(together, free)
            listed = [*(len(read) + one for one in table), *[-1] * (_MOST_TOGETHER - len(table))]
            tables.append([made[key][0], max(table), *listed])
        tables += [[-1, max(pair), *(len(read) + one for one in pair), -1, -1] for pair in stage.beside]
        classes += [_classes(places) for places in stage.places]
        read += of_stage
    base = [each.word_steps(_BYTE) if each.is_word else each.listed.base for each in read]
    action = [
        np.zeros_like(steps) if each.is_word else each.listed.action for each, steps in zip(read, base, strict=True)
    ]
    fibre = [np.zeros((0, 0)) if each.is_word else each.listed.fibre for each in read]
    first = [np.cumsum([0, *(array.size for array in arrays)])[:-1] for arrays in (base, fibre)]
    every_point = np.arange(len(extended))
    every = [point for each in read for point in (*each.places.points, *each.places.others)]
    begins = np.cumsum([0, *(len(each.places.points) + len(each.places.others) for each in read)])[:-1]
    return StageProblem(
        stages=np.array(layout, np.int64),
        moves=np.array(numbered, np.int64),
        sources=sources[:-1],
        solved=extended,
        places=np.column_stack(
            [begins, [each.layout for each in read], *first, [each.is_word for each in read]]
        ).astype(np.int64),
        origins=np.ascontiguousarray(sources[:, every]),
        base=np.concatenate([array.reshape(-1) for array in base]).astype(np.int32),
        action=np.concatenate([array.reshape(-1) for array in action]).astype(np.int32),
        fibre=np.concatenate([array.reshape(-1) for array in fibre]).astype(np.uint16),
        classes=np.array(classes),
        tables=np.array(tables, np.int64),
        distances=np.concatenate([distances for _, distances in made.values()]),
        renamings=np.array([list(each) for each in renamings], np.uint8),
        ranks=_ranks_in_parts(),
        signs=np.array([[*np.isin(every_point, sign.points), *_classes(sign)] for sign in signs], np.int16).reshape(
            len(signs), len(extended) + LABELS
        ),
    )


def _classes(places: Places) -> NDArray[np.int8]:
    classes = np.full(LABELS, -1, np.int8)
    for own, alike in enumerate(places.classes):
        classes[sorted(alike)] = own
    return classes


def _read(places: Places, sources: NDArray[np.uint8], solved: NDArray[np.uint8]) -> _Read:
    """Return what moves do to some places."""
    moves = [bytes(source) for source in sources]

    def closed(points: Sequence[int]) -> list[int]:
        return closure(points, lambda point: (move[point] for move in moves))

    def steps(points: Sequence[int]) -> NDArray[np.int64]:
        return np.array([[points.index(move[point]) for point in points] for move in moves], np.int64)

    points, classes = closed(places.points), _classes(places)
    labels = int((classes[solved[points]] >= 0).sum()) if len(points) == len(places.points) else 0
    seen = classes[solved[[*points, *places.others]]]
    return _Read(places, steps(points), steps(places.others), seen, labels)


def _distances(read: Sequence[_Read], free: Sequence[int]) -> NDArray[np.uint8]:
    """Return the distances of all values of some places from those that the free moves make of the solved puzzle."""
    if read[0].is_word:
        return _set_distances(read[0], free)
    *_, last = listed = [each.listed for each in read]
    base, solved = np.zeros((len(last.base), 1), np.int64), 0
    for each in listed:
        sets = each.base.shape[1]
        base = (base[:, :, None] * sets + each.base[:, None]).reshape(len(base), -1)
        solved = solved * sets * each.fibre.shape[1] + each.solved
    space = StateSpace(
        np.ascontiguousarray(base, np.int32),
        np.tile(last.action, base.shape[1] // last.action.shape[1]).astype(np.uint16),
        np.ascontiguousarray(last.fibre, np.uint32),
        mutual=True,
    )
    return distances_beyond(space, free, solved)


def _set_distances(read: _Read, free: Sequence[int]) -> NDArray[np.uint8]:
    """Return the distances of all sets of places."""
    every, distances = 1 << len(read.places.points), np.full(read.sets, UNREACHED, np.uint8)
    chunks = (np.arange(first, min(first + _EXPANDED, every)) for first in range(0, every, _EXPANDED))
    words = np.concatenate([chunk[np.bitwise_count(chunk) == read.labels] for chunk in chunks])  # in the order of ranks
    distances[read.ranks(read.solved[None] >= 0)] = 0
    ranks, steps = _ranks_in_parts().astype(np.int64), read.word_steps(_HALF)
    begins = ranks[-1] + 1 << _HALF  # of the ranks of the upper bits, for each value of the lower ones
    for moves in (free, range(len(steps))):
        distance, here = 0, np.flatnonzero(distances == 0)
        while len(here):
            distance += 1
            for some in slices(len(here), 1, _EXPANDED):
                sets = words[here[some]]
                low, high = sets & _LOW, sets >> _HALF
                for move in moves:
                    lows, highs = steps[move]
                    after = lows.take(low, mode="clip") | highs.take(high, mode="clip")  # other modes are slower
                    reached = begins.take(after & _LOW, mode="clip") + (after >> _HALF)
                    reached = ranks[0].take(after & _LOW, mode="clip") + ranks.take(reached, mode="clip")
                    distances[reached[distances.take(reached, mode="clip") == UNREACHED]] = distance
            here = np.flatnonzero(distances == distance)
        if moves is free:
            distances[distances != UNREACHED] = 0
    return distances

"""Moves of arrays of labels: what each takes from where, and the kernels that apply them (numba).

A state is a row of labels, one for each point. A move takes the label of each point from another; only the points that
change are listed. Where a move has several effects, the first that fits the state is applied.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.group.moves import Move
from cubesolve.runtime.kernel_arrays import Array1, Array2, Array3, Read1, Read2
from cubesolve.runtime.kernels import kernel, part

_LABELS = 256  # that fit into a byte
_HALF = 16  # bits for a point
_POINT = (1 << _HALF) - 1

NO_MOVE = (1 << 16) - 1
"""The number that pads walks after their last move."""


class Gathers(NamedTuple):
    """The moves of arrays of labels."""

    effects: Read1[np.int32]  # (moves + 1,): where the effects of each move begin
    changes: Read1[np.int32]  # (effects + 1,): where the changes of each effect begin
    # (changes,): the point that changes, and in the upper half the point from which it gets its label
    pairs: Read1[np.uint32]
    conditions: Read1[np.int32]  # (effects + 1,): where the conditions of each effect begin
    places: Read1[np.uint16]  # (conditions,): the points of the conditions
    labels: Read1[np.uint8]  # (conditions,): the labels that must be on them
    illegal: Read2[np.bool_]  # (points, 256): the labels that must not be on a point; (0, 0) if all may be

    @classmethod
    def of(
        cls, points: int, moves: Sequence[Move], illegal: Collection[tuple[int, int]], numbers: NDArray[np.uint8]
    ) -> Gathers:
        """Return the gathers of some moves.

        Args:
            numbers: the number in arrays of each label.

        >>> from cubesolve.group.moves import Effect
        >>> gathers = Gathers.of(3, [Move("S", (Effect(bytes([1, 0, 2])),))], [], np.arange(3, dtype=np.uint8))
        >>> [hex(pair) for pair in gathers.pairs]
        ['0x10000', '0x1']
        """
        effects = [effect for move in moves for effect in move.effects]
        changed = [[(point, i) for point, i in enumerate(effect.sources) if point != i] for effect in effects]
        needs = [(point, numbers[needed]) for effect in effects for point, needed in effect.needs]
        blocked = np.zeros((points, _LABELS) if illegal else (0, 0), np.bool_)
        for point, wrong in illegal:
            blocked[point, numbers[wrong]] = True
        return cls(
            _firsts([len(move.effects) for move in moves]),
            _firsts([len(pairs) for pairs in changed]),
            np.array([point | source << _HALF for pairs in changed for point, source in pairs], np.uint32),
            _firsts([len(effect.needs) for effect in effects]),
            np.array([point for point, _ in needs], np.uint16),
            np.array([needed for _, needed in needs], np.uint8),
            blocked,
        )

    @property
    def always_possible(self) -> bool:
        """Whether each move is possible in every state."""
        return not len(self.places) and not len(self.illegal)


def _firsts(lengths: Sequence[int]) -> NDArray[np.int32]:
    return np.array([0, *itertools.accumulate(lengths)], np.int32)


@part
def _is_free(gathers: Gathers) -> bool:
    """Return whether each move is possible in every state; each then has one effect."""
    return len(gathers.places) == 0 and len(gathers.illegal) == 0


@part
def _fitting(gathers: Gathers, states: NDArray[np.uint8], i: int, move: int) -> int:
    """Return the effect of a move that fits a state; -1 if the move is not possible."""
    for effect in range(gathers.effects[move], gathers.effects[move + 1]):
        fits = True
        for k in range(gathers.conditions[effect], gathers.conditions[effect + 1]):
            fits &= states[i, gathers.places[k]] == gathers.labels[k]
        if fits:
            if len(gathers.illegal):
                for k in range(gathers.changes[effect], gathers.changes[effect + 1]):
                    pair = gathers.pairs[k]
                    if gathers.illegal[pair & np.uint32(_POINT), states[i, pair >> np.uint32(_HALF)]]:
                        return -1
            return effect
    return -1


@kernel()
def apply(gathers: Gathers, states: Read2[np.uint8], moves: Read1[np.int64], after: Array2[np.uint8]) -> int:
    """Apply a move, int64 (N,), to each state, uint8 (N, points); `after` is a copy, which impossible moves leave."""
    changes, pairs, free = gathers.changes, gathers.pairs, _is_free(gathers)
    for i in range(len(states)):
        effect = moves[i] if free else _fitting(gathers, states, i, moves[i])
        if effect >= 0:
            for k in range(changes[effect], changes[effect + 1]):
                after[i, pairs[k] & np.uint32(_POINT)] = states[i, pairs[k] >> np.uint32(_HALF)]
    return 0


@kernel(at_start=True)
def apply_all(gathers: Gathers, states: Read2[np.uint8], after: Array3[np.uint8], possible: Array2[np.bool_]) -> int:
    """Apply every move to each state: uint8 (N, points) to (N, moves, points), or only find which are `possible`."""
    changes, pairs, free, points = gathers.changes, gathers.pairs, _is_free(gathers), after.shape[2]
    for i in range(len(states)):
        for move in range(after.shape[1]):
            for point in range(points):
                after[i, move, point] = states[i, point]
            effect = move if free else _fitting(gathers, states, i, move)
            possible[i, move] = effect >= 0
            if points and effect >= 0:
                for k in range(changes[effect], changes[effect + 1]):
                    after[i, move, pairs[k] & np.uint32(_POINT)] = states[i, pairs[k] >> np.uint32(_HALF)]
    return 0


@kernel()
def find_least(
    sources: Read2[np.uint16],  # (R, P): the sources of points in each image
    labels: Read2[np.uint8],  # (R, L): the label in each image instead of each label
    states: Read2[np.uint8],  # (N, points)
    least: Array2[np.uint8],  # (N, P): the output
) -> int:
    """Find the first image of each state in the order of its labels."""
    for i in range(len(states)):
        best = 0
        for image in range(1, len(sources)):
            for point in range(sources.shape[1]):
                label = labels[image, states[i, sources[image, point]]]
                other = labels[best, states[i, sources[best, point]]]
                if label != other:
                    best = image if label < other else best
                    break
        for point in range(sources.shape[1]):
            least[i, point] = labels[best, states[i, sources[best, point]]]
    return 0


@kernel()
def walk(
    gathers: Gathers,
    following: Read2[np.int32],  # (A, moves): an automaton of moves that may follow each other, -1 for others
    seeds: Read1[np.uint64],  # (N,): the random seed of each walk
    lengths: Array1[np.int64],  # (N,): the numbers of moves; shortened where no move is possible
    states: Array2[np.uint8],  # (N, points): where each walk begins, and where it ends
    moves: Array2[np.uint16],  # (N, longest): the output; what follows a walk stays as it was
) -> int:
    """Make random moves, each drawn from those that are possible and accepted."""
    changes, pairs, free = gathers.changes, gathers.pairs, _is_free(gathers)
    ways, taken = np.empty(following.shape[1] + 1, np.int64), np.empty(states.shape[1], np.uint8)
    for i in range(len(states)):
        here, seed = 0, seeds[i]
        for step in range(lengths[i]):
            count = 0
            for move in range(following.shape[1]):
                # without branches, where all are possible: their outcomes cannot be predicted
                ways[count] = move
                count += following[here, move] >= 0 and (free or _fitting(gathers, states, i, move) >= 0)
            if not count:
                lengths[i] = step
                break
            seed += np.uint64(0x9E3779B97F4A7C15)  # SplitMix64
            bits = (seed ^ (seed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            bits = (bits ^ (bits >> np.uint64(31))) >> np.uint64(32)
            move = ways[np.int64((bits * np.uint64(count)) >> np.uint64(32))]
            effect = move if free else _fitting(gathers, states, i, move)
            for k in range(changes[effect], changes[effect + 1]):
                taken[pairs[k] & np.uint32(_POINT)] = states[i, pairs[k] >> np.uint32(_HALF)]
            for k in range(changes[effect], changes[effect + 1]):
                states[i, pairs[k] & np.uint32(_POINT)] = taken[pairs[k] & np.uint32(_POINT)]
            here = following[here, move]
            moves[i, step] = move
    return 0

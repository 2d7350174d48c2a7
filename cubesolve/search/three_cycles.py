"""Short algs that move three pieces in a cycle, or twist two, and nothing else.

Some kinds have none, or only very long ones. Algs that may change the pieces of all other kinds are searched for these
kinds, which are then solved first.

They are found as commutators and powers of short algs (`commutators`), and conjugated by setup moves until every cycle
of three pieces of a kind has an alg, the shortest first (Dijkstra). All are kept in one table per puzzle.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernel_arrays import Array1, Read2
from cubesolve.runtime.kernels import kernel
from cubesolve.search.commutators import find_algs
from cubesolve.search.cycles import LONGEST, NONE, Alg, Cycles, alg_by_number, cycle_number, joined, of_three
from cubesolve.search.slots import MoveArrays, Slots


@kernel(at_start=True)
def conjugate(moves: MoveArrays, cycles: Cycles, kind: int, given: Read2[np.int64], reached: Array1[np.int32]) -> int:
    """Fill the table of a kind: each cycle gets its shortest alg, of those that are given and their conjugates."""
    # `given` has for each alg, the shortest first, its cycle, its row in `Cycles.algs`, and its length. The cycles that
    # have algs are written to `reached`, in the order in which they are reached.
    starts, lengths, sources = cycles.starts, cycles.lengths, moves.sources
    taken, number, added, first = 0, 0, 0, np.int64(0)
    while moves.kinds[first, 2] != kind:
        first += 1
    start, turns, slots = starts[kind, 0], starts[kind, 2], starts[kind, 1] * starts[kind, 2]
    while taken < number or added < len(given):
        if added < len(given) and (taken == number or given[added, 2] <= lengths[reached[taken]]):
            cycle, length = given[added, 0], given[added, 2]
            if lengths[cycle] > length:
                if lengths[cycle] == NONE:
                    reached[number] = cycle
                    number += 1
                lengths[cycle], cycles.parents[cycle], cycles.setups[cycle] = length, given[added, 1], -1
            added += 1
            continue
        cycle, length = reached[taken], lengths[reached[taken]] + 2
        taken += 1
        if length > LONGEST:
            continue
        rest = cycle - start
        a, b, c = first + rest // slots // slots * turns, first + rest // slots % slots, first + rest % slots
        for move in range(len(sources)):
            x, y, z = np.int64(sources[move, a]), np.int64(sources[move, b]), np.int64(sources[move, c])
            image = cycle_number(moves, starts, x, y, z)
            if lengths[image] > length:
                if lengths[image] == NONE:
                    reached[number] = image
                    number += 1
                lengths[image], cycles.parents[image], cycles.setups[image] = length, cycle, move
    return number


# -- The table ---------------------------------------------------------------------------------------------------------

_MOST_CYCLES = 1 << 25
_LONG = 40  # moves of the shortest cycle of a kind that is solved before the others
_WORTH = 27  # ten times the moves of a piece whose cycles are not known


def find_cycles(slots: Slots, seed: int) -> tuple[Cycles, list[list[int]]]:
    """Return short algs for the cycles and twists of a puzzle, as far as they are found.

    Returns:
        The algs, none if the table would be too large. And lists of kinds, by number, each of which has those of the
        list before: the cycles of a kind leave alone all pieces of the shortest list that has it. The kinds of a list
        have no short cycles that leave alone the pieces of the next one; or, if no kind has any, no cycles at all.
    """
    kinds = slots.kinds
    ends = [*itertools.accumulate((kind.pieces * kind.slots**2 for kind in kinds), initial=0)]
    if ends[-1] > _MOST_CYCLES or not all(kind.is_cyclic for kind in kinds):
        return _no_cycles(len(kinds)), [[*range(len(kinds))]]
    starts = np.array([[start, kind.pieces, kind.turns] for start, kind in zip(ends, kinds, strict=False)], np.int64)
    starts = starts.reshape(-1, 3)
    algs, stages = dict[int, Alg](), list[list[int]]()
    missing = [*range(len(kinds))]
    while missing and missing not in stages:
        stages.insert(0, missing)
        new_algs = find_algs(slots, missing, starts, ends, np.array([seed], np.uint64))
        algs |= new_algs
        lengths = np.full(ends[-1], NONE, np.uint8)
        lengths[[*new_algs]] = [*map(len, new_algs.values())]
        shortest = {kind: of_three(lengths, *starts[kind]).min(initial=NONE) for kind in missing}
        few, none = ([kind for kind in missing if shortest[kind] > limit] for limit in (_LONG, LONGEST))
        missing = none if few in stages else few
    cycles = _closed(slots, starts, ends, algs)
    twists = [*_twists(slots, cycles)]
    if twists:
        cycles = _closed(slots, starts, ends, algs | dict(twists))
    for number in range(len(kinds)):
        cycle_lengths = of_three(cycles.lengths, *starts[number])
        cycle_lengths = cycle_lengths[cycle_lengths != NONE]
        worth = 10 * (cycle_lengths.mean() - 1) / 3 if len(cycle_lengths) else _WORTH
        cycles.worth[number] = max(worth, 1)  # a single move may be a cycle, but only solved pieces cost nothing
    return cycles, stages


def _no_cycles(kinds: int) -> Cycles:
    starts, algs, worth = np.zeros((kinds, 3), np.int64), np.zeros((1, LONGEST), np.int16), np.full(kinds, _WORTH)
    return Cycles(starts, np.zeros(0, np.uint8), np.zeros(0, np.int32), np.zeros(0, np.int16), algs, worth)


def _closed(slots: Slots, starts: NDArray[np.int64], ends: list[int], algs: Mapping[int, Alg]) -> Cycles:
    """Return the table of all conjugates of some cycles."""
    order = sorted(algs, key=lambda cycle: (len(algs[cycle]), cycle))
    rows = np.full((len(order) + 1, LONGEST), -1, np.int16)
    for row, cycle in zip(rows, order, strict=False):
        row[: len(algs[cycle])] = algs[cycle]
    lengths, worth = np.full(ends[-1], NONE, np.uint8), np.zeros(len(starts), np.int64)
    cycles = Cycles(starts, lengths, np.zeros(ends[-1], np.int32), np.zeros(ends[-1], np.int16), rows, worth)
    given = np.array([[cycle, row, len(algs[cycle])] for row, cycle in enumerate(order)], np.int64).reshape(-1, 3)
    for kind, (start, end) in enumerate(itertools.pairwise(ends)):
        is_here = (start <= given[:, 0]) & (given[:, 0] < end)
        conjugate(slots.moves, cycles, kind, given[is_here], np.zeros(end - start, np.int32))
    return cycles


def _twists(slots: Slots, cycles: Cycles) -> Iterator[tuple[int, Alg]]:
    """Yield, for each kind and turn, the shortest product of two cycles that twists the first two pieces."""
    moves, starts, lengths = slots.moves, cycles.starts, cycles.lengths
    for kind in slots.kinds:
        a, b, end = kind.first, kind.first + kind.turns, kind.first + kind.slots
        for turn in range(1, kind.turns):
            pairs = []
            for at, c in itertools.product(range(kind.turns), range(b + kind.turns, end)):
                place = c - (c - a) % kind.turns
                one = cycle_number(moves, starts, a, b + at, c)
                two = cycle_number(moves, starts, b + at, a + turn, place + (c - place + turn) % kind.turns)
                pairs.append((int(lengths[one]) + int(lengths[two]), int(one), int(two)))
            length, one, two = min(pairs, default=(2 * NONE, 0, 0))
            alg = (
                joined(moves, alg_by_number(moves, cycles, one) + alg_by_number(moves, cycles, two))
                if length < NONE
                else []
            )
            if 0 < len(alg) <= LONGEST:
                yield int(cycle_number(moves, starts, a, a + turn, b)), alg

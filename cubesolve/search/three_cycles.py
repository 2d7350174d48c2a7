"""Short algs that move three pieces in a cycle, or twist two, and nothing else.

Some kinds have none, or only very long ones. Algs that may change the pieces of all other kinds are searched for these
kinds, which are then solved first.

They are found as commutators and powers of short algs (`commutators`), and conjugated by setup moves until every cycle
of three pieces of a kind has an alg, the shortest first (Dijkstra). All are kept in one table per puzzle.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernel_arrays import Array1, Read2
from cubesolve.runtime.kernels import kernel
from cubesolve.search.commutators import find_algs
from cubesolve.search.cycles import LONGEST, NONE, Alg, Cycles, alg_by_number, cycle_number, joined, twist_number
from cubesolve.search.slots import MoveArrays, Slots


class Queue(NamedTuple):
    """The algs from which the table is filled, and the cycles that were reached."""

    # (algs, 3): for each alg, the shortest first, its cycle, the number of its kind, and its length
    given: Read2[np.int64]
    cycles: Array1[np.int32]  # (cycles,): the cycles that were reached, in this order
    kinds: Array1[np.int32]  # (cycles,): their kinds


@kernel(at_start=True)
def conjugate(moves: MoveArrays, cycles: Cycles, queue: Queue) -> int:
    """Fill the table: each cycle gets its shortest alg, of those that are given and their conjugates."""
    starts, lengths, sources = cycles.starts, cycles.lengths, moves.sources
    taken, reached, given = 0, 0, 0
    bases = np.zeros(len(starts), np.int64)
    for slot in range(len(moves.kinds)):
        bases[moves.kinds[slot, 2]] = moves.kinds[slot, 0]
    while taken < reached or given < len(queue.given):
        if given < len(queue.given) and (taken == reached or queue.given[given, 2] <= lengths[queue.cycles[taken]]):
            number, length = queue.given[given, 0], queue.given[given, 2]
            if lengths[number] > length:
                is_new = lengths[number] == NONE
                lengths[number], cycles.parents[number], cycles.setups[number] = length, given, -1
                if is_new:
                    queue.cycles[reached], queue.kinds[reached] = number, queue.given[given, 1]
                    reached += 1
            given += 1
            continue
        number, kind = queue.cycles[taken], queue.kinds[taken]
        taken += 1
        length = lengths[number] + 2
        if length > LONGEST:
            continue
        first, places, turns = bases[kind], starts[kind, 2], starts[kind, 3]
        slots = places * turns
        is_twist = number >= starts[kind, 1]
        rest = number - (starts[kind, 1] if is_twist else starts[kind, 0])
        if is_twist:
            turn = rest % turns
            a, b = first + rest // turns // places * turns, first + rest // turns % places * turns
            c = b
        else:
            turn = 0
            a, b, c = first + rest // slots // slots * turns, first + rest // slots % slots, first + rest % slots
        for move in range(len(sources)):
            x, y, z = np.int64(sources[move, a]), np.int64(sources[move, b]), np.int64(sources[move, c])
            if x == a and y == b and z == c:
                continue
            there = twist_number(moves, starts, x, y, turn) if is_twist else cycle_number(moves, starts, x, y, z)
            if lengths[there] > length:
                is_new = lengths[there] == NONE
                lengths[there], cycles.parents[there], cycles.setups[there] = length, number, move
                if is_new:
                    queue.cycles[reached], queue.kinds[reached] = there, kind
                    reached += 1
    return reached


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
    sizes = [(kind.pieces * kind.slots**2, kind.pieces**2 * kind.turns) for kind in kinds]
    ends = [*itertools.accumulate(itertools.chain(*sizes), initial=0)]
    if ends[-1] > _MOST_CYCLES or not all(kind.is_cyclic for kind in kinds):
        return _no_cycles(len(kinds)), [[*range(len(kinds))]]
    starts = np.array([[ends[2 * i], ends[2 * i + 1], kind.pieces, kind.turns] for i, kind in enumerate(kinds)])
    starts = starts.reshape(-1, 4).astype(np.int64)
    algs, stages = dict[int, Alg](), list[list[int]]()
    missing = [*range(len(kinds))]
    while missing and missing not in stages:
        stages.insert(0, missing)
        found = find_algs(slots, missing, starts, ends, np.array([seed], np.uint64))
        algs |= found
        shortest = dict.fromkeys(missing, LONGEST + 1)
        for number, alg in found.items():
            kind, is_twist = divmod(bisect.bisect(ends, number) - 1, 2)
            if not is_twist:
                shortest[kind] = min(shortest[kind], len(alg))
        few, none = ([kind for kind in missing if shortest[kind] > limit] for limit in (_LONG, LONGEST))
        missing = none if few in stages else few
    cycles = _closed(slots, starts, ends, algs)
    twists = [*_twists(slots, cycles)]
    if twists:
        cycles = _closed(slots, starts, ends, algs | dict(twists))
    for number in range(len(kinds)):
        known = cycles.lengths[starts[number, 0] : starts[number, 1]]
        known = known[known != NONE]
        worth = 10 * (known.mean() - 1) / 3 if len(known) else _WORTH
        cycles.worth[number] = max(worth, 1)  # a single move may be a cycle, but only solved pieces cost nothing
    return cycles, stages


def _no_cycles(kinds: int) -> Cycles:
    starts, algs, worth = np.zeros((kinds, 4), np.int64), np.zeros((1, LONGEST), np.int16), np.full(kinds, _WORTH)
    return Cycles(starts, np.zeros(0, np.uint8), np.zeros(0, np.int32), np.zeros(0, np.int16), algs, worth)


def _closed(slots: Slots, starts: NDArray[np.int64], ends: list[int], algs: Mapping[int, Alg]) -> Cycles:
    """Return the table of all conjugates of some cycles."""
    order = sorted(algs, key=lambda cycle: (len(algs[cycle]), cycle))
    rows = np.full((len(order) + 1, LONGEST), -1, np.int16)
    for row, cycle in zip(rows, order, strict=False):
        row[: len(algs[cycle])] = algs[cycle]
    size = ends[-1]
    lengths, parents, setups = np.full(size, NONE, np.uint8), np.zeros(size, np.int32), np.zeros(size, np.int16)
    cycles = Cycles(starts, lengths, parents, setups, rows, np.zeros(len(starts), np.int64))
    kinds = np.searchsorted(ends[::2], order, side="right") - 1
    given = np.array([[cycle, kind, len(algs[cycle])] for cycle, kind in zip(order, kinds, strict=True)], np.int64)
    queue = Queue(given.reshape(-1, 3), np.zeros(size, np.int32), np.zeros(size, np.int32))
    conjugate(slots.moves, cycles, queue)
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
                yield int(twist_number(moves, starts, a, b, turn)), alg

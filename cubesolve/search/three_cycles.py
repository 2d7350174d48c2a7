"""Short algs that move three pieces in a cycle, or twist two, and nothing else.

They are found as commutators of short algs, and conjugated by setup moves until every cycle of three pieces of a kind
has an alg, the shortest first (Dijkstra). All are kept in one table per puzzle.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import check
from cubesolve.kernels import kernel, named, part, read_only, types
from cubesolve.search.slots import MOVES, Moves, Slots

Alg = list[int]
"""Moves by number."""

LONGEST = 48
"""Moves of an alg of the table."""

NONE = 255
"""The length where there is no alg."""

_LONGEST_DRAWN = 5  # moves of a random word
_COMMUTING = 3  # one of so many neighbours that commute is accepted


class Cycles(NamedTuple):
    """The algs of all cycles.

    A cycle a -> b -> c of slots has the number ``start + (place of a * slots + b) * slots + c``, where slots count from
    the first of the kind, a is the first slot of its place, and this place is the first of the three. A twist of two
    pieces, of the place of a by t and of that of b by -t, has the number ``twists + (place of a * places + place of b)
    * turns + t``.

    Attributes:
        starts: int64 (kinds, 4): the numbers `start` and `twists`, the number of places and of orientations.
        lengths: uint8 (cycles,): the number of moves of the alg; `NONE` if there is none.
        parents: int32 (cycles,): the cycle of which this is a conjugate; or the number of its alg in `algs`.
        setups: int16 (cycles,): the first move of the alg, whose inverse is the last; -1 for the algs in `algs`.
        algs: int16 (algs, LONGEST): the algs of some cycles.
        worth: int64 (kinds,): for each kind, ten times the moves that solving a piece by insertions mostly costs.
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.uint8]
    parents: NDArray[np.int32]
    setups: NDArray[np.int16]
    algs: NDArray[np.int16]
    worth: NDArray[np.int64]


CYCLES = named(
    Cycles,
    starts=read_only(types.int64),
    lengths=types.uint8[::1],
    parents=types.int32[::1],
    setups=types.int16[::1],
    algs=read_only(types.int16),
    worth=types.int64[::1],
)


@part
def cycle_number(moves: Moves, starts: NDArray[np.int64], a: int, b: int, c: int) -> int:
    """Return the number of a cycle of three slots."""
    first, turns, kind = moves.kinds[a, 0], moves.kinds[a, 1], moves.kinds[a, 2]
    a, b, c = a - first, b - first, c - first
    if b // turns < a // turns and b // turns < c // turns:
        a, b, c = b, c, a
    elif c // turns < a // turns and c // turns < b // turns:
        a, b, c = c, a, b
    turn = a % turns
    b = b - b % turns + (b % turns - turn) % turns
    c = c - c % turns + (c % turns - turn) % turns
    slots = starts[kind, 2] * turns
    return int(starts[kind, 0] + (a // turns * slots + b) * slots + c)


@part
def twist_number(moves: Moves, starts: NDArray[np.int64], a: int, b: int, turn: int) -> int:
    """Return the number of a twist: of the place of slot a by some turns, and of that of b backwards."""
    first, turns, kind = moves.kinds[a, 0], moves.kinds[a, 1], moves.kinds[a, 2]
    a, b = (a - first) // turns, (b - first) // turns
    if b < a:
        a, b, turn = b, a, -turn
    return int(starts[kind, 1] + (a * starts[kind, 2] + b) * turns + turn % turns)


class Drawn(NamedTuple):
    """Random short algs.

    Attributes:
        algs: int16 (algs, moves): the moves of each.
        sizes: int64 (algs,): their number.
        effects: uint16 (2 * algs, slots): the effect of each alg, and of its inverse.
    """

    algs: NDArray[np.int16]
    sizes: NDArray[np.int64]
    effects: NDArray[np.uint16]

    @classmethod
    def room(cls, number: int, slots: int) -> Drawn:
        """Return the arrays for a number of algs."""
        shape = number, 3 * _LONGEST_DRAWN
        return cls(np.zeros(shape, np.int16), np.zeros(number, np.int64), np.zeros((2 * number, slots), np.uint16))


DRAWN = named(Drawn, algs=types.int16[:, ::1], sizes=types.int64[::1], effects=types.uint16[:, ::1])


@part
def drawn(random: NDArray[np.uint64], number: int) -> int:
    """Return a random number below a number (xorshift)."""
    x = random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    random[0] = x
    return int((x >> np.uint64(33)) % np.uint64(number))


@kernel(MOVES, DRAWN, types.int64, types.uint64[::1])
def draw(moves: Moves, made: Drawn, longest: int, random: NDArray[np.uint64]) -> int:
    """Draw random algs: words of moves of which neighbours seldom commute, conjugates and commutators of such.

    Args:
        moves: the moves.
        made: the algs.
        longest: the largest number of moves of a word.
        random: the state of the random numbers.

    Returns:
        0.
    """
    slots = moves.sources.shape[1]
    for number in range(len(made.algs)):
        alg, form = made.algs[number], drawn(random, 5)
        before = 0 if form < 2 else 1 + drawn(random, 2) if form < 4 else 1
        size = before + 1 + drawn(random, longest if form < 2 else max(longest - 2, 1) if form < 4 else 2)
        for i in range(size):
            alg[i] = drawn(random, len(moves.sources))
            for _ in range(8):
                if i == 0 or not moves.commute[alg[i - 1], alg[i]]:
                    break
                if moves.products[alg[i - 1], alg[i]] == -1 and drawn(random, _COMMUTING) == 0:
                    break  # as a face and a wide turn, which make a slice turn together
                alg[i] = drawn(random, len(moves.sources))
        middle = size
        for i in range(before):
            alg[size] = moves.inverses[alg[before - 1 - i]]
            size += 1
        if form == 4:
            for i in range(middle - before):
                alg[size] = moves.inverses[alg[middle - 1 - i]]
                size += 1
        made.sizes[number] = size
        for slot in range(slots):
            source = slot
            for i in range(size - 1, -1, -1):
                source = int(moves.sources[alg[i], source])
            made.effects[2 * number, slot], made.effects[2 * number + 1, source] = source, slot
    return 0


@part
def _moved(first: Drawn, second: Drawn, i: int, j: int, slot: int) -> int:
    """Return the slot from which a commutator takes the look of a slot."""
    back = first.effects[2 * i + 1, second.effects[2 * j + 1, slot]]
    return int(first.effects[2 * i, second.effects[2 * j, back]])


@kernel(MOVES, DRAWN, DRAWN, read_only(types.int64), types.int32[:, ::1])
def commutators(moves: Moves, first: Drawn, second: Drawn, starts: NDArray[np.int64], found: NDArray[np.int32]) -> int:  # noqa: PLR0912
    """Find commutators that move three pieces of a kind, or twist two.

    Args:
        moves: the moves.
        first: algs.
        second: the others.
        starts: see `Cycles`.
        found: int32 (cycles, 3): the length of the shortest commutator, and the numbers of its two algs; it is updated.

    Returns:
        The number of commutators that were shorter than those before.
    """
    number, firsts = 0, moves.firsts
    supports, places = np.zeros(len(firsts), np.int64), np.zeros(3, np.int64)
    for j in range(len(second.sizes)):
        size = 0
        for place in firsts:
            if second.effects[2 * j, place] != place:
                supports[size] = place
                size += 1
        for i in range(len(first.sizes)):
            length, moved = 2 * (first.sizes[i] + second.sizes[j]), 0
            if length > LONGEST:
                continue
            for k in range(size):  # few of the others are moved by a commutator
                if _moved(first, second, i, j, supports[k]) != supports[k]:
                    moved += 1
                    if moved > 3:
                        break
            if moved == 0 or moved > 3:
                continue
            moved = 0
            for place in firsts:
                if _moved(first, second, i, j, place) != place:
                    if moved < 3:
                        places[moved] = place
                    moved += 1
                    if moved > 3:
                        break
            if moved < 2 or moved > 3:
                continue
            a, b, c = places[0], places[1], places[moved - 1]
            turns, kind = moves.kinds[a, 1], moves.kinds[a, 2]
            if moves.kinds[b, 2] != kind or moves.kinds[c, 2] != kind:
                continue
            source = _moved(first, second, i, j, a)
            if moved == 2:
                turn = source - a
                if not 0 < turn < turns or (_moved(first, second, i, j, b) - b + turn) % turns:
                    continue
                cycle = twist_number(moves, starts, a, b, turns - turn)
            else:
                c, b = source, _moved(first, second, i, j, source)
                if _moved(first, second, i, j, b) != a or 0 <= c - a < turns:
                    continue
                cycle = cycle_number(moves, starts, a, b, c)
            if found[cycle, 0] > length:
                found[cycle, 0], found[cycle, 1], found[cycle, 2] = length, i, j
                number += 1
    return number


class Queue(NamedTuple):
    """The algs from which the table is filled, and the cycles that were reached.

    Attributes:
        given: int64 (algs, 3): for each alg, the shortest first, its cycle, the number of its kind, and its length.
        cycles: int32 (cycles,): the cycles that were reached, in this order.
        kinds: int32 (cycles,): their kinds.
    """

    given: NDArray[np.int64]
    cycles: NDArray[np.int32]
    kinds: NDArray[np.int32]


QUEUE = named(Queue, given=read_only(types.int64), cycles=types.int32[::1], kinds=types.int32[::1])


@kernel(MOVES, CYCLES, QUEUE)
def conjugate(moves: Moves, cycles: Cycles, queue: Queue) -> int:
    """Fill the table: each cycle gets its shortest alg, of those that are given and their conjugates.

    Returns:
        The number of cycles that have one.
    """
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


@part
def alg_of(moves: Moves, cycles: Cycles, number: int, alg: NDArray[np.int16]) -> int:
    """Write the alg of a cycle, and return its length."""
    size = 0
    while cycles.setups[number] >= 0:
        alg[size] = cycles.setups[number]
        size += 1
        number = cycles.parents[number]
    setups = size
    for move in cycles.algs[cycles.parents[number]]:
        if move < 0:
            break
        alg[size] = move
        size += 1
    for i in range(setups - 1, -1, -1):
        alg[size] = moves.inverses[alg[i]]
        size += 1
    return size


@part
def push(moves: Moves, alg: NDArray[np.int16], size: int, move: int) -> int:
    """Append a move to an alg, join it with an earlier one if possible, and return the new length."""
    i = size - 1
    while i >= 0:
        joined = moves.products[alg[i], move]
        if joined >= 0:
            alg[i] = joined
            return size
        if joined == -2:
            for j in range(i, size - 1):
                alg[j] = alg[j + 1]
            return size - 1
        if not moves.commute[alg[i], move]:
            break
        i -= 1
    alg[size] = move
    return size + 1


# -- The table ---------------------------------------------------------------------------------------------------------

_MOST_CYCLES = 1 << 25
_FIRST, _SECOND = 1_500, 500  # algs whose commutators are looked at together
_LOOKED_AT = 1 << 32  # slots of these, in all
_FEWEST = 5  # pieces of a kind whose cycles are waited for; of fewer, there may be none
_ROUNDS = 6  # at least
_SHORT, _MORE_ROUNDS = 10, 40  # moves of an alg of each kind, and rounds in which one is searched
_EACH = 5  # rounds before longer algs are drawn
_KEPT = 400  # commutators of a kind in a round
_WORTH = 27  # ten times the moves of a piece whose cycles are not known


def find_cycles(slots: Slots, seed: int) -> Cycles:
    """Return short algs for the cycles and twists of a puzzle, as far as they are found.

    Args:
        slots: the puzzle.
        seed: of the random numbers.

    Returns:
        A table of none if it would be too large.

    Raises:
        EndedError: the current deadline has passed.
    """
    kinds = slots.kinds
    sizes = [(kind.pieces * kind.slots**2, kind.pieces**2 * kind.turns) for kind in kinds]
    ends = [*itertools.accumulate(itertools.chain(*sizes), initial=0)]
    if ends[-1] > _MOST_CYCLES or not all(kind.is_cyclic for kind in kinds):
        return _no_cycles(len(kinds))
    starts = np.array([[ends[2 * i], ends[2 * i + 1], kind.pieces, kind.turns] for i, kind in enumerate(kinds)])
    starts = starts.reshape(-1, 4).astype(np.int64)
    algs = _commutators(slots, starts, ends, np.array([seed], np.uint64))
    cycles = _closed(slots, starts, ends, algs)
    twists = [*_twists(slots, cycles)]
    if twists:
        cycles = _closed(slots, starts, ends, algs | dict(twists))
    for number in range(len(kinds)):
        known = cycles.lengths[starts[number, 0] : starts[number, 1]]
        known = known[known != NONE]
        cycles.worth[number] = 10 * (known.mean() - 1) / 3 if len(known) else _WORTH
    return cycles


def _commutators(
    slots: Slots, starts: NDArray[np.int64], ends: list[int], random: NDArray[np.uint64]
) -> dict[int, Alg]:
    """Return commutators of random algs by the number of their cycle; the search ends when every kind has some."""
    moves, width = slots.moves, slots.moves.sources.shape[1]
    first, second = Drawn.room(_FIRST, width), Drawn.room(_SECOND, width)
    found = np.full((ends[-1], 3), NONE, np.int32)
    algs = dict[int, Alg]()
    wanted = [(ends[2 * i], ends[2 * i + 1]) for i, kind in enumerate(slots.kinds) if kind.pieces >= _FEWEST]
    most = max(_LOOKED_AT // (_FIRST * _SECOND * max(len(moves.firsts), 50)), _ROUNDS)
    for number in range(most):
        check()
        longest = min(2 + number // _EACH, _LONGEST_DRAWN)
        draw(moves, first, longest, random)
        draw(moves, second, longest, random)
        before = found[:, 0].copy()
        commutators(moves, first, second, starts, found)
        for cycle in _shortest(found[:, 0], before, ends):
            a, b = (
                made.algs[which, : made.sizes[which]].tolist()
                for made, which in zip((first, second), found[cycle, 1:], strict=True)
            )
            algs[cycle] = joined(moves, [*a, *b, *inverted(moves, a), *inverted(moves, b)])
        longest_found = max((found[begin:end, 0].min() for begin, end in wanted), default=0)
        if longest_found < NONE and (longest_found <= _SHORT or number >= _MORE_ROUNDS) and number + 1 >= _ROUNDS:
            break
    return algs


def _shortest(now: NDArray[np.int32], before: NDArray[np.int32], ends: list[int]) -> Iterator[int]:
    """Yield the cycles that have a shorter alg than before; of each kind only some with the shortest."""
    for begin, end in itertools.pairwise(ends):
        shorter = (now[begin:end] < before[begin:end]).nonzero()[0] + begin
        yield from shorter[np.argsort(now[shorter], kind="stable")][:_KEPT].tolist()


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


def alg_by_number(moves: Moves, cycles: Cycles, number: int) -> Alg:
    """Return the alg of a cycle."""
    alg = np.zeros(LONGEST, np.int16)
    return list(map(int, alg[: alg_of(moves, cycles, number, alg)]))


def joined(moves: Moves, alg: Sequence[int]) -> Alg:
    """Return an alg in which moves are joined where possible."""
    made, size = np.zeros(len(alg) + 1, np.int16), 0
    for move in alg:
        size = push(moves, made, size, move)
    return list(map(int, made[:size]))


def inverted(moves: Moves, alg: Sequence[int]) -> Alg:
    """Return the inverse of an alg."""
    return [int(moves.inverses[move]) for move in reversed(alg)]

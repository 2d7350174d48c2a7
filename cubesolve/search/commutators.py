"""Short algs that move three pieces in a cycle, or twist two: commutators, and powers, of random algs.

A commutator of two algs that move one piece in common moves three. Where all moves exchange pieces of several kinds,
a power of an alg may leave all kinds alone but one.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.deadline import check
from cubesolve.runtime.instructions import trailing_zeros
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel, part
from cubesolve.search.cycles import LONGEST, NONE, Alg, applied, cycle_number, drawn, inverted, joined, of_three
from cubesolve.search.slots import MoveArrays, Row, Slots

_LONGEST_DRAWN = 5  # moves of a random word
_FEW = 3  # places of a cycle
_BITS = 64  # of a word
_COMMUTING = 3  # one of so many neighbours that commute is accepted
_MOST_POWERED = 60  # moves of a power


class RandomAlgs(NamedTuple):
    """Random short algs."""

    algs: Array2[np.int16]  # (algs, moves): the moves of each
    sizes: Array1[np.int64]  # (algs,): their number
    effects: Array2[np.uint16]  # (2 * algs, slots): the effect of each alg, and of its inverse

    @classmethod
    def room(cls, number: int, slots: int, longest: int = 3 * _LONGEST_DRAWN) -> RandomAlgs:
        """Return the arrays for a number of algs."""
        shape = number, longest
        return cls(np.zeros(shape, np.int16), np.zeros(number, np.int64), np.zeros((2 * number, slots), np.uint16))

    def alg(self, number: int) -> Alg:
        """Return an alg."""
        return list(map(int, self.algs[number, : self.sizes[number]]))


@kernel(at_start=True)
def draw(moves: MoveArrays, made: RandomAlgs, chosen: Read1[np.int64], longest: int, random: Array1[np.uint64]) -> int:
    """Draw random algs: words of moves of which neighbours seldom commute, conjugates and commutators of such."""
    slots = moves.sources.shape[1]
    for number in range(len(made.algs)):
        alg, form = made.algs[number], drawn(random, 5)
        before = 0 if form < 2 else 1 + drawn(random, 2) if form < 4 else 1
        size = before + 1 + drawn(random, longest if form < 2 else max(longest - 2, 1) if form < 4 else 2)
        for i in range(size):
            alg[i] = chosen[drawn(random, len(chosen))]
            for _ in range(8):
                if i == 0 or not moves.commute[alg[i - 1], alg[i]]:
                    break
                if moves.products[alg[i - 1], alg[i]] == -1 and drawn(random, _COMMUTING) == 0:
                    break  # as a face and a wide turn, which make a slice turn together
                alg[i] = chosen[drawn(random, len(chosen))]
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
def _moved(first: RandomAlgs, second: RandomAlgs, i: int, j: int, slot: int) -> int:
    """Return the slot from which a commutator takes the look of a slot."""
    back = first.effects[2 * i + 1, second.effects[2 * j + 1, slot]]
    return int(first.effects[2 * i, second.effects[2 * j, back]])


@part
def _find_supports(made: RandomAlgs, firsts: Row, supports: NDArray[np.uint64]) -> None:
    """Write the places that each alg moves, by number, as bits."""
    for i in range(len(supports)):
        for at in range(len(firsts)):
            if made.effects[2 * i, firsts[at]] != firsts[at]:
                supports[i, at // _BITS] |= np.uint64(1) << np.uint64(at % _BITS)


@part
def _few_moved(
    moves: MoveArrays,
    first: RandomAlgs,
    second: RandomAlgs,
    i: int,
    j: int,
    ones: NDArray[np.uint64],
    twos: NDArray[np.uint64],
    places: NDArray[np.int64],  # (_FEW + 4,): the output
) -> int:
    """List the places that a commutator moves, in order, and return their number; 0 if there are more than a few."""
    # A place that both algs move is moved if they do not commute there. One that only one of them moves is moved if it
    # exchanges it with a place that both move.
    moved, a, b = 0, first.effects, second.effects
    for word in range(ones.shape[1]):
        bits = ones[i, word] & twos[j, word]
        while bits:
            place = moves.firsts[np.uint64(_BITS * word) + trailing_zeros(bits)]
            bits &= bits - np.uint64(1)
            places[moved] = place
            moved += a[2 * i + 1, b[2 * j + 1, place]] != b[2 * j + 1, a[2 * i + 1, place]]
            places[moved] = a[2 * i, place]
            moved += b[2 * j + 1, places[moved]] == places[moved]
            places[moved] = b[2 * j, place]
            moved += a[2 * i + 1, places[moved]] == places[moved]
            if moved > _FEW:
                return 0
    for k in range(moved):
        slot = places[k]
        slot -= (slot - moves.kinds[slot, 0]) % moves.kinds[slot, 1]
        at = k
        while at and places[at - 1] > slot:
            places[at] = places[at - 1]
            at -= 1
        places[at] = slot
    return moved


@part
def _recognized(moves: MoveArrays, starts: NDArray[np.int64], places: NDArray[np.int64], effect: Row) -> int:
    """Return the number of the cycle, or the twist, that moves some places; -1 if it is another alg."""
    if len(places) < 2:
        return -1
    b, c = places[len(places) - 2], places[len(places) - 1]
    turns, kind = moves.kinds[c, 1], moves.kinds[c, 2]
    source, number = np.int64(effect[c]), -1
    if len(places) == 2 and moves.kinds[b, 2] == kind:
        turn = source - c
        if 0 < turn < turns and (np.int64(effect[b]) - b + turn) % turns == 0:
            number = cycle_number(moves, starts, c, c + turns - turn, b)
    elif len(places) == 3 and moves.kinds[places[0], 2] == kind and moves.kinds[b, 2] == kind:
        middle = np.int64(effect[source])
        if effect[middle] == c and not 0 <= source - c < turns:
            number = cycle_number(moves, starts, c, middle, source)
    return int(number)


@kernel(at_start=True)
def commutators(
    moves: MoveArrays, first: RandomAlgs, second: RandomAlgs, starts: Read2[np.int64], found: Array2[np.int32]
) -> int:
    """Find commutators that move three pieces of a kind, or twist two."""
    # `found`, (cycles, 3), is updated: the length of the shortest alg, and the numbers of the two algs of which it is
    # the commutator, or that of one and minus the exponent of its power.
    number, firsts, slots = 0, moves.firsts, moves.sources.shape[1]
    effect, words = np.zeros(slots, np.uint16), (len(firsts) + _BITS - 1) // _BITS
    ones, twos = np.zeros((len(first.sizes), words), np.uint64), np.zeros((len(second.sizes), words), np.uint64)
    places = np.zeros(_FEW + 4, np.int64)
    _find_supports(first, firsts, ones)
    _find_supports(second, firsts, twos)
    for j in range(len(second.sizes)):
        for i in range(len(first.sizes)):
            length = 2 * (first.sizes[i] + second.sizes[j])
            moved = _few_moved(moves, first, second, i, j, ones, twos, places) if length <= LONGEST else 0
            if moved == 0:
                continue
            for place in places[:moved]:
                for slot in range(place, place + moves.kinds[place, 1]):
                    effect[slot] = _moved(first, second, i, j, slot)
            cycle = _recognized(moves, starts, places[:moved], effect)
            if cycle >= 0 and found[cycle, 0] > length:
                found[cycle, 0], found[cycle, 1], found[cycle, 2] = length, i, j
                number += 1
    return number


@kernel(at_start=True)
def powers(
    moves: MoveArrays, made: RandomAlgs, starts: Read2[np.int64], found: Array2[np.int32], few: Array2[np.int64]
) -> int:
    """Find powers of algs that move three pieces of a kind, or twist two, and those that move few pieces."""
    # `few`, (algs, 3), is written: for each alg the least power that moves the fewest pieces: their number, their kinds
    # as bits, 0 if there is none, and its exponent.
    number, slots, firsts = 0, moves.sources.shape[1], moves.firsts
    effect, places = np.zeros(slots, np.uint16), np.zeros(_FEW, np.int64)
    for i in range(len(made.sizes)):
        few[i, 0], few[i, 1] = len(firsts) + 1, 0
        for slot in range(slots):
            effect[slot] = slot
        for exponent in range(1, _MOST_POWERED // made.sizes[i] + 1):
            for slot in range(slots):
                effect[slot] = made.effects[2 * i, effect[slot]]
            moved, kinds = 0, np.int64(0)
            for place in firsts:
                if effect[place] != place:
                    kinds |= np.int64(1) << moves.kinds[place, 2]
                    if moved < _FEW:
                        places[moved] = place
                    moved += 1
                    if moved > max(_FEW, few[i, 0]):
                        break
            if moved == 0:
                break
            if moved < few[i, 0]:
                few[i, 0], few[i, 1], few[i, 2] = moved, kinds, exponent
            cycle = _recognized(moves, starts, places[:moved], effect) if moved <= _FEW else -1
            length = exponent * made.sizes[i]
            if cycle >= 0 and found[cycle, 0] > length:
                found[cycle, 0], found[cycle, 1], found[cycle, 2] = length, i, -exponent
                number += 1
    return number


# -- Searching ---------------------------------------------------------------------------------------------------------

_FIRST, _SECOND = 1_500, 500  # algs whose commutators are looked at together
_LOOKED_AT = 1 << 31  # slots of these, in all
_FEWEST = 5  # pieces of a kind whose cycles are waited for; of fewer, there may be none
_ROUNDS, _EACH_KIND = 6, 1  # at least: for all kinds together, and for each kind
_SHORT, _MORE_ROUNDS = 10, 40  # moves of an alg of each kind, and rounds in which one is searched
_KEPT = 400  # algs of a kind in a round
_MOST_CONJUGATED, _FEW_ALGS = 40, 12  # moves of an alg whose conjugates are combined, and such algs
_WORDS, _LONGEST_WORD = 1 << 17, 16  # whose powers are combined, and their moves
_MOST_KINDS = 60


def find_algs(
    slots: Slots,
    kinds: Sequence[int],
    starts: NDArray[np.int64],
    ends: list[int],  # where the numbers of the cycles of each kind begin, and how many there are
    random: NDArray[np.uint64],
) -> dict[int, Alg]:
    """Return algs of cycles of some kinds, whatever they do to others; the search ends when each of these has some."""
    moves, width = slots.of(kinds), slots.moves.sources.shape[1]
    first, second = RandomAlgs.room(_FIRST, width), RandomAlgs.room(_SECOND, width)
    table, algs = np.full((ends[-1], 3), NONE, np.int32), dict[int, Alg]()
    few = np.zeros((_FIRST, 3), np.int64)
    wanted = [number for number in kinds if slots.kinds[number].pieces >= _FEWEST]
    has_all = len(kinds) == len(slots.kinds)
    if all(slots.kinds[number].pieces == 1 for number in kinds):
        return algs
    rounds = max(_LOOKED_AT // (_FIRST * _SECOND * max(len(moves.firsts), 50)), _ROUNDS + _EACH_KIND * len(wanted))
    for number in range(rounds):
        check()
        shortest = {kind: int(of_three(table[:, 0], *starts[kind]).min()) for kind in wanted}
        poor = [kind for kind in wanted if shortest[kind] > (_SHORT if number < _MORE_ROUNDS else NONE - 1)]
        if number >= _ROUNDS and not poor:
            break
        # Few random algs of a puzzle of many moves have only such moves as a kind needs.
        chosen = _moving(slots, poor[number % len(poor)] if poor and number % 2 else None)
        longest = 2 + number // 2 % (_LONGEST_DRAWN - 1)
        draw(moves, first, chosen, longest, random)
        draw(moves, second, chosen, longest, random)
        before = table[:, 0].copy()
        commutators(moves, first, second, starts, table)
        if has_all:  # what a power does to other pieces may have totals, which cycles do not mend
            powers(moves, first, starts, table, few)
        for cycle in _shortest(table[:, 0], before, ends):
            algs[cycle] = joined(moves, _made(moves, first, second, *table[cycle, 1:].tolist()))
    for kind in _without(wanted, algs, ends) if has_all else ():
        algs |= of_conjugates(slots, kind, starts, ends, random)
    if has_all and len(wanted) > 1 and (poor := _without(wanted, algs, ends)):
        algs |= of_powers(slots, poor, starts, ends, random)
    return algs


def _without(kinds: Sequence[int], algs: Iterable[int], ends: Sequence[int]) -> list[int]:
    """Return the kinds none of whose cycles have an alg."""
    have = {bisect.bisect(ends, cycle) - 1 for cycle in algs}
    return [kind for kind in kinds if kind not in have]


def of_conjugates(
    slots: Slots, kind: int, starts: NDArray[np.int64], ends: list[int], random: NDArray[np.uint64]
) -> dict[int, Alg]:
    """Return commutators of algs that are cycles of a kind, change few other pieces, and are conjugated at random."""
    moves, own, width = slots.moves, slots.of([kind]), slots.moves.sources.shape[1]
    first, second = RandomAlgs.room(_FIRST, width), RandomAlgs.room(_SECOND, width)
    few, solved, least = list[tuple[int, Alg]](), np.arange(width, dtype=np.uint16), np.zeros((_FIRST, 3), np.int64)
    for number in range(_ROUNDS):
        check()
        table = np.full((ends[-1], 3), NONE, np.int32)
        for drawn_algs in (first, second):
            draw(moves, drawn_algs, _moving(slots, kind), 2 + number % (_LONGEST_DRAWN - 1), random)
        commutators(own, first, second, starts, table)
        powers(own, first, starts, table, least)
        for cycle in np.flatnonzero(table[:, 0] <= _MOST_CONJUGATED)[:_KEPT]:
            alg = _made(moves, first, second, *table[cycle, 1:].tolist())
            few.append((int(np.count_nonzero(applied(moves, solved, alg) != solved)), alg))
    return _of_pairs(slots, [alg for _, alg in sorted(few)[:_FEW_ALGS]], starts, ends, random)


def of_powers(
    slots: Slots, kinds: Sequence[int], starts: NDArray[np.int64], ends: list[int], random: NDArray[np.uint64]
) -> dict[int, Alg]:
    """Return commutators of powers of words, conjugated at random.

    The orders of what a word does to the pieces of each kind have different divisors, so a power of it may leave alone
    most pieces. A commutator of two powers moves only the kinds that both move. Words are longer where there are few
    moves.
    """
    moves, width = slots.moves, slots.moves.sources.shape[1]
    if len(slots.kinds) > _MOST_KINDS:
        return {}
    following = max((1 - moves.commute).sum(axis=1).mean(), 2)  # moves that may follow one
    longest = min(max(round(np.log(_WORDS) / np.log(following)), _LONGEST_DRAWN), _LONGEST_WORD)
    words, best = RandomAlgs.room(_FIRST, width, 3 * longest), dict[int, tuple[int, int, Alg]]()
    table, few = np.full((ends[-1], 3), NONE, np.int32), np.zeros((_FIRST, 3), np.int64)
    for _ in range(_WORDS // _FIRST):
        check()
        draw(moves, words, np.arange(len(moves.sources)), longest, random)
        powers(moves, words, starts, table, few)
        for number, (moved, bits, exponent) in enumerate(few.tolist()):
            size = exponent * int(words.sizes[number])
            if bits and (bits not in best or (moved, size) < best[bits][:2]):
                best[bits] = moved, size, words.alg(number) * exponent
    few_moved, algs = sorted(best.items(), key=lambda entry: entry[1]), dict[int, Alg]()
    for kind in kinds:
        combined = [alg for bits, (*_, alg) in few_moved if bits >> kind & 1][:_FEW_ALGS]
        algs |= _of_pairs(slots, combined, starts, ends, random)
    return algs


def _of_pairs(
    slots: Slots, few: Sequence[Alg], starts: NDArray[np.int64], ends: list[int], random: NDArray[np.uint64]
) -> dict[int, Alg]:
    """Return the shortest cycles that are commutators of two of a few algs, which are conjugated at random."""
    if not few:
        return {}
    moves, table, algs = slots.moves, np.full((ends[-1], 3), NONE, np.int32), dict[int, Alg]()
    check()
    first, second = (_conjugated(moves, few, size, random) for size in (_FIRST, _SECOND))
    commutators(moves, first, second, starts, table)
    for cycle in _shortest(table[:, 0], np.full(ends[-1], NONE, np.int32), ends):
        algs[cycle] = joined(moves, _made(moves, first, second, *table[cycle, 1:].tolist()))
    return algs


def _conjugated(moves: MoveArrays, algs: Sequence[Alg], number: int, random: NDArray[np.uint64]) -> RandomAlgs:
    """Return conjugates of some algs by random short words."""
    width, longest = moves.sources.shape[1], 2 * 3 * _LONGEST_DRAWN + max(map(len, algs))
    setups, conjugates = RandomAlgs.room(number, width), RandomAlgs.room(number, width, longest)
    draw(moves, setups, np.arange(len(moves.sources)), _FEW, random)
    effects = [applied(moves, np.arange(width, dtype=np.uint16), alg) for alg in algs]
    for i in range(number):
        setup, (forth, back) = setups.alg(i), setups.effects[2 * i : 2 * i + 2]
        alg = [*setup, *algs[i % len(algs)], *inverted(moves, setup)]
        conjugates.algs[i, : len(alg)], conjugates.sizes[i] = alg, len(alg)
        conjugates.effects[2 * i] = forth[effects[i % len(algs)][back]]
        conjugates.effects[2 * i + 1] = np.argsort(conjugates.effects[2 * i])
    return conjugates


def _moving(slots: Slots, kind: int | None) -> NDArray[np.int64]:
    """Return the moves that move pieces of a kind, by number; all moves if no kind is given."""
    if kind is None:
        return np.arange(len(slots.moves.sources))
    here = range(slots.kinds[kind].first, slots.kinds[kind].first + slots.kinds[kind].slots)
    return np.flatnonzero((slots.moves.sources[:, here] != here).any(axis=1))


def _made(moves: MoveArrays, first: RandomAlgs, second: RandomAlgs, i: int, j: int) -> Alg:
    """Return the commutator of two algs; or a power of one, if the second number is minus the exponent."""
    a = first.alg(i)
    if j < 0:
        return a * -j
    b = second.alg(j)
    return [*a, *b, *inverted(moves, a), *inverted(moves, b)]


def _shortest(now: NDArray[np.int32], before: NDArray[np.int32], ends: list[int]) -> Iterator[int]:
    """Yield the cycles that have a shorter alg than before; of each kind only some with the shortest."""
    for begin, end in itertools.pairwise(ends):
        shorter = (now[begin:end] < before[begin:end]).nonzero()[0] + begin
        yield from shorter[np.argsort(now[shorter], kind="stable")][:_KEPT].tolist()

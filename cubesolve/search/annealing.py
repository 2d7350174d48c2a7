"""Algs that solve many pieces, though not all, by simulated annealing in the space of algs.

An alg is changed at random: moves are replaced, added, left out or exchanged, and conjugates and commutators are made.
Its *cost* is its number of moves plus the weights of all pieces that it leaves unsolved. A change that makes the cost
larger by x is kept with the probability exp(-x / temperature), and the temperature falls.

Source: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, *Optimization by Simulated Annealing*, Science 220 (1983).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel, part
from cubesolve.search.cycles import LONGEST, Alg, drawn, push
from cubesolve.search.slots import MoveArrays, Row

LONGEST_WINDOW = 10
"""Moves that are replaced at once."""

_AROUND = 12  # moves before and after a window that may cancel with it
_UNIT = 1000  # the cost of a move
_UNBALANCED = 6 * _UNIT  # the cost of a parity or twist that is not right
_CHANGE, _OMIT, _ADD, _CONJUGATE, _INNER, _COMMUTATOR, _ROTATE, _OMIT_SOME = range(8)
_RATES = (20, 38, 52, 62, 68, 78, 90, 100)  # how often each of these changes is tried, added up
_CHANCES = 1 << 30
LENGTH, _COST, _BEST_LENGTH, _BEST_COST = range(4)
"""Places of `Work.numbers`."""

_NONE = np.iinfo(np.int64).max


class Residues(NamedTuple):
    """Parities and twists; those of a solution are zero."""

    start: NDArray[np.int64]  # (totals,): those of the state
    moves: NDArray[np.int64]  # (moves, totals): what each move adds
    moduli: NDArray[np.int64]  # (totals,): their moduli


class Work(NamedTuple):
    """An alg that is being changed: windows of it are replaced."""

    target: Read1[np.uint16]  # (slots,): the looks of the solved state
    weights: Array1[np.int64]  # (places,): the cost of each place while it is unsolved
    added: Read2[np.int64]  # (moves, totals): see `Residues.moves`
    moduli: Read1[np.int64]  # (totals,): see `Residues`
    totals: Array2[np.int64]  # (3, totals): those of the alg, of it with a window replaced, and of no moves
    alg: Array1[np.int16]  # (room,): the moves of the alg
    best: Array1[np.int16]  # (room,): those of the alg of the least cost
    before: Array2[np.uint16]  # (room, slots): the looks before each move, and at the end
    # (room, slots): for each slot at the end, the slot where its piece is before the last moves, by the number of these
    after: Array2[np.uint16]
    made: Array2[np.int16]  # (2, room): what replaces a window, and room for algs
    window: Array1[np.int64]  # (3,): where the moves that are replaced begin and end, and by how many they are replaced
    numbers: Array1[np.int64]  # (4,): the number of moves and the cost of `alg`, and those of `best`
    wrong: Array1[np.int64]  # (slots,): the slots of the places that are not solved
    spans: Array2[np.int64]  # (kinds, 2): where those of each kind begin and end
    insertion: Array1[np.int64]  # (3,): the best insertion: its value, its place, and the number of the cycle
    random: Array1[np.uint64]  # (1,): the state of the random numbers

    @classmethod
    def of(cls, moves: MoveArrays, state: Row, target: Row, totals: Residues, longest: int, seed: int) -> Work:
        """Return room for algs of up to a number of moves, which begin at a state; `begin` is called next."""
        room, slots, kinds = longest + LONGEST, len(state), 1 + int(moves.kinds[:, 2].max(initial=0))
        before, after = np.zeros((room, slots), np.uint16), np.zeros((room, slots), np.uint16)
        before[0], after[0] = state, np.arange(slots)  # most of the rows are never used, and take no memory
        return cls(
            target,
            np.zeros(len(moves.firsts), np.int64),
            totals.moves,
            totals.moduli,
            np.array([totals.start] * 3),
            np.zeros(room, np.int16),
            np.zeros(room, np.int16),
            before,
            after,
            np.zeros((2, room + LONGEST + 2 * _AROUND), np.int16),
            np.zeros(3, np.int64),
            np.zeros(4, np.int64),
            np.zeros(slots, np.int64),
            np.zeros((kinds, 2), np.int64),
            np.zeros(3, np.int64),
            np.array([seed | 1], np.uint64),
        )

    def begin(self, alg: Alg) -> None:
        """Begin with an alg."""
        self.alg[: len(alg)] = alg
        self.totals[0] = (self.totals[2] + self.added[alg].sum(axis=0)) % self.moduli
        self.numbers[:] = len(alg), 0, 0, _NONE

    @property
    def now(self) -> Alg:
        """The alg."""
        return list(map(int, self.alg[: self.numbers[LENGTH]]))

    @property
    def found(self) -> Alg:
        """The alg of the least cost."""
        return list(map(int, self.best[: self.numbers[_BEST_LENGTH]]))


@part
def follow(moves: MoveArrays, work: Work, slots: NDArray[np.uint16], begin: int, end: int) -> None:
    """Compute the looks after a place in the alg, and from where the pieces of some slots come before another."""
    size, before, after, sources = work.numbers[LENGTH], work.before, work.after, moves.sources
    for i in range(begin, size):
        move = work.alg[i]
        for slot in range(before.shape[1]):
            before[i + 1, slot] = before[i, sources[move, slot]]
    for i in range(end - 1, -1, -1):
        move = work.alg[i]
        for slot in slots:
            after[size - i, slot] = sources[move, after[size - i - 1, slot]]


@part
def _propose(moves: MoveArrays, work: Work) -> None:
    """Choose a window, and write what replaces it into the room."""
    random, alg, patch, window, size = work.random, work.alg, work.made[0], work.window, work.numbers[LENGTH]
    some, form = drawn(random, _RATES[-1]), 0
    while some >= _RATES[form]:
        form += 1
    begin, move, other = drawn(random, size + 1), drawn(random, len(moves.sources)), drawn(random, len(moves.sources))
    length = (
        0 if form in (_ADD, _COMMUTATOR) else 1 if form in (_CHANGE, _OMIT) else 2 + drawn(random, LONGEST_WINDOW - 1)
    )
    length = min(length, size - begin)
    window[0], window[1], window[2] = begin, begin + length, 0
    if form in (_CHANGE, _ADD):
        patch[0], window[2] = move, 1
    elif form == _CONJUGATE:
        patch[0], patch[1 + length], window[2] = move, moves.inverses[move], length + 2
        for i in range(length):
            patch[1 + i] = alg[begin + i]
    elif form == _INNER:
        window[2] = max(length - 2, 0)
        for i in range(length - 2):
            patch[i] = alg[begin + 1 + i]
    elif form == _COMMUTATOR:
        patch[0], patch[1], patch[2], patch[3] = move, other, moves.inverses[move], moves.inverses[other]
        window[2] = 4
    elif form == _ROTATE and length:
        turned, window[2] = 1 if drawn(random, 2) else length - 1, length
        for i in range(length):
            patch[i] = alg[begin + (i + turned) % length]


@part
def length_of(moves: MoveArrays, work: Work) -> int:
    """Return the number of moves of the alg with the window replaced, joined with a few around it."""
    alg, patch, room, window, size = work.alg, work.made[0], work.made[1], work.window, work.numbers[LENGTH]
    begin, end = max(window[0] - _AROUND, 0), min(window[1] + _AROUND, size)
    joined = window[0] - begin
    for i in range(joined):
        room[i] = alg[begin + i]
    for i in range(window[2]):
        joined = push(moves, room, joined, patch[i])
    for i in range(window[1], end):
        joined = push(moves, room, joined, alg[i])
    return int(size - (end - begin) + joined)


@part
def unbalanced(work: Work) -> int:
    """Compute the totals of the alg with the window replaced; return the cost of those that are not zero."""
    cost, totals, window = 0, work.totals, work.window
    for column in range(len(work.moduli)):
        total = totals[0, column]
        for i in range(window[2]):
            total += work.added[work.made[0, i], column]
        for i in range(window[0], window[1]):
            total -= work.added[work.alg[i], column]
        totals[1, column] = total % work.moduli[column]
        if totals[1, column]:
            cost += _UNBALANCED
    return cost


@part
def _unsolved(moves: MoveArrays, work: Work, most: int) -> int:
    """Return the cost of the pieces that the alg with the window replaced leaves unsolved, or more than some cost."""
    window, patch = work.window, work.made[0]
    cost, before, after = np.int64(0), work.before[window[0]], work.after[work.numbers[LENGTH] - window[1]]
    for place in range(len(moves.firsts)):
        slot = np.int64(after[moves.firsts[place]])
        for i in range(window[2] - 1, -1, -1):
            slot = np.int64(moves.sources[patch[i], slot])
        if before[slot] != work.target[moves.firsts[place]]:
            cost += work.weights[place]
            if cost > most:
                break
    return int(cost)


@part
def replace(moves: MoveArrays, work: Work, slots: NDArray[np.uint16]) -> None:
    """Replace the window, and follow some slots through what changes; `unbalanced` was called for it."""
    alg, patch, room, window, old = work.alg, work.made[0], work.made[1], work.window, work.numbers[LENGTH]
    begin, size = 0, window[0]
    for i in range(size):  # any number of these may cancel with moves after the window
        room[i] = alg[i]
    for i in range(window[2]):
        size = push(moves, room, size, patch[i])
    for i in range(window[1], old):
        size = push(moves, room, size, alg[i])
    while begin < min(size, old) and room[begin] == alg[begin]:
        begin += 1
    kept = 0
    while kept < min(size, old) - begin and room[size - 1 - kept] == alg[old - 1 - kept]:
        kept += 1
    for i in range(begin, size):
        alg[i] = room[i]
    work.numbers[LENGTH] = size
    for i in range(work.totals.shape[1]):  # copying a row would compile what reports other lengths
        work.totals[0, i] = work.totals[1, i]
    if begin < max(size, old):
        follow(moves, work, slots, begin, size - kept)


@kernel(at_start=True)
def anneal(moves: MoveArrays, work: Work, number: int, hot: int, cold: int) -> int:
    """Change an alg many times, between two temperatures in thousandths of a move."""
    numbers, window, accepted = work.numbers, work.window, 0
    follow(moves, work, moves.firsts, 0, numbers[LENGTH])
    window[0], window[1], window[2] = 0, 0, 0
    numbers[_COST] = _UNIT * numbers[LENGTH] + unbalanced(work) + _unsolved(moves, work, _NONE)
    for i in range(number):
        _propose(moves, work)
        length = length_of(moves, work)
        chance = (1 + drawn(work.random, _CHANCES)) / _CHANCES
        limit = numbers[_COST] - _UNIT * length - np.int64(hot * (cold / hot) ** (i / number) * np.log(chance))
        cost = unbalanced(work)
        if cost <= limit:
            cost += _unsolved(moves, work, limit - cost)
        if cost > limit or length > len(work.alg) - LONGEST:
            continue
        replace(moves, work, moves.firsts)
        accepted += 1
        numbers[_COST] = _UNIT * numbers[LENGTH] + cost
        if numbers[_COST] < numbers[_BEST_COST]:
            numbers[_BEST_LENGTH], numbers[_BEST_COST] = numbers[LENGTH], numbers[_COST]
            for place in range(numbers[LENGTH]):  # assigning a slice would need Numba's runtime; see `compiler`
                work.best[place] = work.alg[place]
    return accepted

"""The kernels that solve whole cosets of the 3x3x3."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.instructions import count_ones, fetch_or, prefetch, trailing_zeros
from cubesolve.runtime.kernels import kernel, named, read_only, types

# Compiled kernels are cached until this file changes, so it has the constants that they use.

WORD_BITS = 12
"""The bits of a word: the orders of four edges with one parity."""

ORDERS = 24
"""The number of orders of four edges."""

# The columns of a node; see `search_coset`.
SLICE, FLIP, TWIST, CORNER, FIRST, SECOND, INNER, STATE = range(8)
COLUMNS = 8

_WORD_NUMBER_BITS = 16  # of an entry that has the number of a word and another above it
_WORD_NUMBERS = (1 << _WORD_NUMBER_BITS) - 1
_FULL_WORD = (1 << WORD_BITS) - 1
_WAITING = 32  # bits that are set some time after their words were prefetched


class CosetMoves(NamedTuple):
    """The moves, and the coordinates that lead to the bit of a cube.

    Attributes:
        slices: uint16 (slices, moves): the slice after a move.
        flips: uint16 (flips, moves): likewise.
        twists: uint16 (twists, moves): likewise.
        corners: uint16 (permutations, moves): likewise.
        first: uint16 (arrangements, moves): likewise, of the first outer edges.
        second: uint16 (arrangements, moves): likewise, of the other outer edges.
        inner: uint16 (arrangements, moves): likewise, of the inner edges.
        allowed: int64 (states,): the moves, as bits, after each state of the automaton of canonical algs.
        states: uint8 (moves,): its state after each move.
        first_numbers: int32 (arrangements,): the number of the first word for an arrangement of the first outer edges.
        second_numbers: uint8 (arrangements,): the difference to it for the other outer edges.
        orders: uint8 (arrangements,): the order of the inner edges.
        words: uint32 (words,): the place in a page of the word with each number, and above 16 bits a row of `labels`.
        labels: uint8 (rows * orders,): the number of the bit of each order, times two.
    """

    slices: NDArray[np.uint16]
    flips: NDArray[np.uint16]
    twists: NDArray[np.uint16]
    corners: NDArray[np.uint16]
    first: NDArray[np.uint16]
    second: NDArray[np.uint16]
    inner: NDArray[np.uint16]
    allowed: NDArray[np.int64]
    states: NDArray[np.uint8]
    first_numbers: NDArray[np.int32]
    second_numbers: NDArray[np.uint8]
    orders: NDArray[np.uint8]
    words: NDArray[np.uint32]
    labels: NDArray[np.uint8]


class CosetDistances(NamedTuple):
    """The distances to the subgroup, in one of two forms; the arrays of the other are empty.

    Attributes:
        classes: int32 (slices * flips,): 16 times the row of `table`, plus the number of a symmetry.
        images: uint16 (symmetries, twists): the column of `table`.
        least: uint8 (slices * flips,): the least distance over all twists.
        table: uint8 (rows, columns): the distances.
        useful: uint32 (slices * flips * twists,): the moves, as bits, that decrease the distance; then those that do
            not increase it; then the distance.
    """

    classes: NDArray[np.int32]
    images: NDArray[np.uint16]
    least: NDArray[np.uint8]
    table: NDArray[np.uint8]
    useful: NDArray[np.uint32]


class PassTables(NamedTuple):
    """The moves of the subgroup, on the bits of a coset.

    Attributes:
        pages: uint16 (moves, pages): the page from which each move leads to a page.
        odd: uint8 (pages,): the parity of the corners of a page.
        sources: uint32 (moves, words): for each word, the word from which a move leads to it, and above 16 bits the
            row of `shuffled`, if the corners there are even; otherwise it is this row with the last bit changed.
        targets: uint32 (moves, words): for each word, the word to which a move leads, likewise.
        shuffled: uint16 (rows * 4096,): a word after the order of the inner edges is changed.
        whole: int64 (moves,): the number of groups of four words, the first, that a move keeps together.
        groups: uint16 (moves, groups): for each group, the group from which a move leads to it, if it keeps them.
        rotations: int64 (moves,): the number of bits by which a move then rotates the 64 bits of a group.
    """

    pages: NDArray[np.uint16]
    odd: NDArray[np.uint8]
    sources: NDArray[np.uint32]
    targets: NDArray[np.uint32]
    shuffled: NDArray[np.uint16]
    whole: NDArray[np.int64]
    groups: NDArray[np.uint16]
    rotations: NDArray[np.int64]


_MOVES = named(
    CosetMoves,
    slices=read_only(types.uint16),
    flips=read_only(types.uint16),
    twists=read_only(types.uint16),
    corners=read_only(types.uint16),
    first=read_only(types.uint16),
    second=read_only(types.uint16),
    inner=read_only(types.uint16),
    allowed=read_only(types.int64, 1),
    states=read_only(types.uint8, 1),
    first_numbers=read_only(types.int32, 1),
    second_numbers=read_only(types.uint8, 1),
    orders=read_only(types.uint8, 1),
    words=read_only(types.uint32, 1),
    labels=read_only(types.uint8, 1),
)
_DISTANCES = named(
    CosetDistances,
    classes=read_only(types.int32, 1),
    images=read_only(types.uint16),
    least=read_only(types.uint8, 1),
    table=read_only(types.uint8),
    useful=read_only(types.uint32, 1),
)
_PASS = named(
    PassTables,
    pages=read_only(types.uint16),
    odd=read_only(types.uint8, 1),
    sources=read_only(types.uint32),
    targets=read_only(types.uint32),
    shuffled=read_only(types.uint16, 1),
    whole=read_only(types.int64, 1),
    groups=read_only(types.uint16),
    rotations=read_only(types.int64, 1),
)


# -- Passes over the bits of a coset ---------------------------------------------------------------------------------


@numba.njit()
def _fill(tables: Any, old: Any, page: Any, to: Any) -> None:
    """Add the bits to the words of a page that are not full."""
    for w in range(len(to)):
        word = to[w]
        if word == _FULL_WORD:
            continue
        for m in range(len(tables.pages)):
            there, entry = tables.pages[m, page], tables.sources[m, w]
            row = entry >> np.uint32(_WORD_NUMBER_BITS) ^ np.uint32(tables.odd[there])
            word |= tables.shuffled[row << np.uint32(WORD_BITS) | old[there, entry & np.uint32(_WORD_NUMBERS)]]
        to[w] = word


@numba.njit()
def _push(tables: Any, m: Any, odd: Any, origin: Any, to: Any) -> None:
    """Add the bits to which a move leads from the words of a page that are not empty."""
    targets, shuffled = tables.targets[m], tables.shuffled
    fours = origin.view(np.uint64)
    for i in range(len(fours)):
        if fours[i]:
            for w in range(4 * i, 4 * i + 4):
                entry = targets[w]
                row = entry >> np.uint32(_WORD_NUMBER_BITS) ^ odd
                to[entry & np.uint32(_WORD_NUMBERS)] |= shuffled[row << np.uint32(WORD_BITS) | origin[w]]


@numba.njit()
def _pull(tables: Any, m: Any, odd: Any, origin: Any, to: Any) -> None:
    """Add the bits to which a move leads from a page, to all words of another."""
    whole, groups = tables.whole[m], tables.groups[m]
    if whole:
        fours, to_fours = origin.view(np.uint64), to.view(np.uint64)
        left = np.uint64(tables.rotations[m])
        right = np.uint64(64) - left & np.uint64(63)
        for i in range(whole):
            four = fours[groups[i]]
            to_fours[i] |= four << left | four >> right
    sources, shuffled = tables.sources[m], tables.shuffled
    for w in range(4 * whole, len(to)):
        entry = sources[w]
        row = entry >> np.uint32(_WORD_NUMBER_BITS) ^ odd
        to[w] |= shuffled[row << np.uint32(WORD_BITS) | origin[entry & np.uint32(_WORD_NUMBERS)]]


@kernel(_PASS, read_only(types.uint16), types.uint16[:, ::1], read_only(types.uint32, 1), types.int64, types.int64)
def pass_moves(
    tables: PassTables,
    old: NDArray[np.uint16],
    new: NDArray[np.uint16],
    counts: NDArray[np.uint32],
    first: int,
    last: int,
) -> int:
    """Write the pages `first` to `last` of `new`: the bits of `old`, and all that moves of the subgroup lead to.

    Args:
        tables: the moves.
        old: uint16 (pages, words).
        new: uint16 (pages, words).
        counts: uint32 (pages,): the number of bits set in each page of `old`.
        first: the first page.
        last: the end of the pages.
    """
    words = old.shape[1]
    full, few = WORD_BITS * words, words // 8
    for page in range(first, last):
        to = new[page]
        for w in range(words):  # assigning the row would take seconds to compile
            to[w] = old[page, w]
        if counts[page] == full:
            continue
        if counts[page] > full - full // 64:
            _fill(tables, old, page, to)
            continue
        for m in range(len(tables.pages)):
            there = tables.pages[m, page]
            odd, origin = np.uint32(tables.odd[there]), old[there]
            if counts[there] >= few:
                _pull(tables, m, odd, origin, to)
            elif counts[there]:
                _push(tables, m, odd, origin, to)
    return 0


@kernel(types.uint16[:, ::1], types.uint32[::1], types.int64, types.int64)
def count_pages(bits: NDArray[np.uint16], counts: NDArray[np.uint32], first: int, last: int) -> int:
    """Write the number of bits set in each of the pages `first` to `last`, and return their sum."""
    total: Any = 0
    for page in range(first, last):
        in_page = np.uint64(0)
        for word in bits[page].view(np.uint64):
            in_page += count_ones(word)
        counts[page] = in_page
        total += np.int64(in_page)
    return int(total)


# -- The search ------------------------------------------------------------------------------------------------------


@numba.njit(inline="always")
def _useful(node: Any, at: Any, left: Any, moves: Any, distances: Any) -> Any:
    """Return the canonical moves, as bits, from which `left` - 1 further moves can lead into the subgroup."""
    allowed = moves.allowed[node[at + STATE]]
    flips, twists, count = len(moves.flips), len(moves.twists), len(moves.states)
    pair = np.int64(node[at + SLICE]) * flips + np.int64(node[at + FLIP])
    if len(distances.useful):
        entry = np.int64(distances.useful[pair * twists + np.int64(node[at + TWIST])])
        distance = entry >> 2 * count
        if distance > left:
            return np.int64(0)
        if distance == left:
            return allowed & entry
        if distance == left - 1:
            return allowed & entry >> count
        return allowed
    found = np.int64(0)
    for m in range(count):
        if not allowed >> m & 1:
            continue
        pair = np.int64(moves.slices[node[at + SLICE], m]) * flips + np.int64(moves.flips[node[at + FLIP], m])
        if distances.least[pair] < left:
            number = distances.classes[pair]
            twist = moves.twists[node[at + TWIST], m]
            if distances.table[number >> 4, distances.images[number & 15, twist]] < left:
                found |= np.int64(1) << m
    return found


@kernel(_MOVES, _DISTANCES, types.uint16[:, ::1], types.int64, types.int64, types.uint64[::1], types.int64, types.int64)
def search_coset(
    moves: CosetMoves,
    distances: CosetDistances,
    roots: NDArray[np.uint16],
    length: int,
    last_moves: int,
    bits: NDArray[np.uint64],
    first: int,
    last: int,
) -> int:
    """Set the bits of all cubes of the subgroup to which canonical algs lead from some roots.

    Args:
        moves: the moves.
        distances: the distances to the subgroup.
        roots: uint16 (roots, 8): the coordinates of cubes, and the state of the automaton of canonical algs.
        length: the number of moves of the algs, at least 1.
        last_moves: the moves, as bits, that may be the last one.
        bits: the words of all pages, four in each element.
        first: the first root to search from.
        last: the end of the roots.

    Returns:
        The number of algs.
    """
    words = 4 * len(bits) // len(moves.corners)
    node = np.zeros((length + 1) * COLUMNS, np.uint16)
    todo = np.zeros(length, np.int64)
    places = np.zeros(_WAITING, np.int64)
    waiting = np.zeros(_WAITING, np.uint64)
    found = 0
    for root in range(first, last):
        for column in range(COLUMNS):
            node[column] = roots[root, column]
        level = 0
        todo[0] = _useful(node, 0, length, moves, distances)
        if length == 1:
            todo[0] &= last_moves
        while level >= 0:
            rest = todo[level]
            if not rest:
                level -= 1
                continue
            todo[level] = rest & rest - 1
            m = trailing_zeros(np.uint64(rest))
            at = level * COLUMNS
            corners = moves.corners[node[at + CORNER], m]
            one = moves.first[node[at + FIRST], m]
            two = moves.second[node[at + SECOND], m]
            inner = moves.inner[node[at + INNER], m]
            if level < length - 1:
                level += 1
                to = at + COLUMNS
                node[to + SLICE] = moves.slices[node[at + SLICE], m]
                node[to + FLIP] = moves.flips[node[at + FLIP], m]
                node[to + TWIST] = moves.twists[node[at + TWIST], m]
                node[to + CORNER] = corners
                node[to + FIRST] = one
                node[to + SECOND] = two
                node[to + INNER] = inner
                node[to + STATE] = moves.states[m]
                useful = _useful(node, to, length - level, moves, distances)
                todo[level] = useful & last_moves if level == length - 1 else useful
                continue
            # Setting a bit would wait for memory: its word is prefetched now, and the bit is set 32 cubes later.
            slot = found % _WAITING
            if waiting[slot] & ~bits[places[slot]]:
                fetch_or(bits, places[slot], waiting[slot])
            entry = np.int64(moves.words[np.int64(moves.first_numbers[one]) + np.int64(moves.second_numbers[two])])
            word = np.int64(corners) * words + (entry & _WORD_NUMBERS)
            label = np.int64(moves.labels[ORDERS * (entry >> _WORD_NUMBER_BITS) + np.int64(moves.orders[inner])])
            places[slot] = word >> 2
            waiting[slot] = np.uint64(1) << np.uint64((word & 3) << 4 | label >> 1)
            prefetch(bits, places[slot])
            found += 1
    for slot in range(_WAITING):
        if waiting[slot]:
            fetch_or(bits, places[slot], waiting[slot])
    return found

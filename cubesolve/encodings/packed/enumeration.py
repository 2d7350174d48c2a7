"""Tables with two bits an entry: enumerating them, and proving them right.

The fibre of a row is cut into *lines* of 64 bytes, so that looking an entry up touches one cache line: 243 entries of
two bits, and in the last byte the smallest depth in the line. With a depth *base* of the whole table, an entry 1, 2 or
3 is the depth base + 1, base + 2, or at least base + 3; an entry 0 is a depth of at most base, and at least the line's
smallest.

While a table is being enumerated, its entries are *unseen* (3), *newest* (1), *found* a moment ago (2) or *settled*
(0), so that nothing but the table itself needs memory; when the newest entries have the depth base, the codes are what
they shall be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.faults import Fault
from cubesolve.encodings.packed import LINE_BYTES, LINE_ENTRIES
from cubesolve.instructions import count_ones, trailing_zeros
from cubesolve.kernels import kernel, named, read_only, types
from cubesolve.notices import following
from cubesolve.spaces.space import Checkpointer, Levels, Progress, RefinedSpace
from cubesolve.workers import Workers

UNSEEN = 255
"""What stands for the smallest depth of a line of which no entry has been seen."""

_WORDS = LINE_BYTES // 8  # words of 64 bits a line
_SLOTS = 4 * LINE_BYTES  # entries a line would have room for
_LOW = np.uint64(0x5555555555555555)  # the lower bit of every entry of a word
_LAST_LOW = np.uint64(0x5555555555555555 & (1 << 2 * LINE_ENTRIES % 64) - 1)  # likewise, of the last word of a line
_ONE = np.uint64(1)


class _Steps(NamedTuple):
    """The moves of a `RefinedSpace`, whose arrays these are but for the last.

    Attributes:
        base: int32 (moves, classes)
        relabel: int32 (moves, classes)
        labels: uint8 (relabellings, labels)
        action: uint16 (moves, classes)
        slots: uint16 (actions, ...): for each action the slot that it takes each entry to, or the slot from which it
            leads to each slot.
    """

    base: NDArray[np.int32]
    relabel: NDArray[np.int32]
    labels: NDArray[np.uint8]
    action: NDArray[np.uint16]
    slots: NDArray[np.uint16]

    @classmethod
    def of(cls, space: RefinedSpace, slots: NDArray[np.uint16]) -> _Steps:
        """The moves of a space, with the slots they lead to or from."""
        return cls(space.base, space.relabel, space.labels, space.action, slots)


_STEPS = named(
    _Steps,
    base=read_only(types.int32),
    relabel=read_only(types.int32),
    labels=read_only(types.uint8),
    action=read_only(types.uint16),
    slots=read_only(types.uint16),
)


@kernel(_STEPS, types.uint64[::1], read_only(types.uint8, 1), types.int64, types.int64)
def _find(
    steps: _Steps,
    words: NDArray[np.uint64],
    has_newest: NDArray[np.uint8],
    first: int,
    last: int,
) -> int:
    """Find, in rows `first` to `last`, the unseen entries that have a newest neighbour.

    For each row that a move leads to, the newest entries there are gone through, and where they come from is marked:
    the slots of `steps` are those from which an action leads to each slot. Threads may work on different rows at
    once: each writes to its own rows only, and what it changes there, unseen to found, no other thread looks for.
    """
    base, relabel, labels, action, origin = steps
    slots = origin.shape[1]
    size = slots // 32
    count = labels.shape[1]
    marks = np.zeros(slots, np.uint8)
    for a in range(first, last):
        own = words[a * size : (a + 1) * size]
        unseen = np.uint64(0)
        for w in range(size):
            unseen |= own[w] & own[w] >> _ONE & (_LAST_LOW if w % _WORDS == _WORDS - 1 else _LOW)
        if not unseen:
            continue
        group, label = divmod(a, count)
        any_mark = False
        for m in range(base.shape[0]):
            b = base[m, group] * count + labels[relabel[m, group], label]
            if not has_newest[b]:
                continue
            any_mark = True
            there = words[b * size : (b + 1) * size]
            back = origin[action[m, group]]
            for w in range(size):
                newest = there[w] & ~(there[w] >> _ONE) & (_LAST_LOW if w % _WORDS == _WORDS - 1 else _LOW)
                while newest:
                    marks[back[32 * w + (trailing_zeros(newest) >> _ONE)]] = 1
                    newest &= newest - _ONE
        if not any_mark:
            continue
        for w in range(size):
            marked = np.uint64(0)
            for i in range(32):
                marked |= np.uint64(marks[32 * w + i]) << np.uint64(2 * i)
                marks[32 * w + i] = 0
            own[w] ^= marked & own[w] & own[w] >> _ONE  # 3 becomes 2 where both bits are set and the mark is
    return 0


@kernel(types.uint64[::1], types.uint8[::1], types.int64, types.int64, types.boolean, types.int64, types.int64)
def _settle(
    words: NDArray[np.uint64],
    has_newest: NDArray[np.uint8],
    row_words: int,
    depth: int,
    final: bool,
    first: int,
    last: int,
) -> int:
    """Make what was found in rows `first` to `last` the newest, and count it.

    Lines of which nothing had been seen get `depth` as their smallest; with `final`, that is all that happens.
    """
    total: Any = 0
    for a in range(first, last):
        in_row = np.uint64(0)
        for line in range(a * row_words, (a + 1) * row_words, _WORDS):
            in_line = np.uint64(0)
            for w in range(line, line + _WORDS):
                low = _LAST_LOW if w == line + _WORDS - 1 else _LOW
                word = words[w]
                high = word >> _ONE & low
                in_line += count_ones(high & ~word)
                if not final:
                    # 3 stays, 2 becomes 1, and 1 and 0 become 0; the byte of the smallest depth stays as it is.
                    words[w] = word & ~(low | low << _ONE) | (high & word) << _ONE | high
            top = words[line + _WORDS - 1]
            if in_line and top >> np.uint64(56) == UNSEEN:
                words[line + _WORDS - 1] = top & np.uint64(0x00FFFFFFFFFFFFFF) | np.uint64(depth) << np.uint64(56)
            in_row += in_line
        has_newest[a] = in_row != 0
        total += np.int64(in_row)
    return int(total)


def slots(width: int) -> NDArray[np.int64]:
    """The slot of each entry of a row of so many: its number, as lines have room for more entries than they have."""
    entries = np.arange(width)
    return entries + entries // LINE_ENTRIES * (_SLOTS - LINE_ENTRIES)


def row_bytes(space: RefinedSpace) -> int:
    """The number of bytes of a row.

    Raises:
        ValueError: rows cannot be cut into lines.
    """
    lines, rest = divmod(space.fibre.shape[1], LINE_ENTRIES)
    if rest:
        raise ValueError(f"rows of {space.fibre.shape[1]} entries cannot be cut into lines of {LINE_ENTRIES}")
    return int(lines * LINE_BYTES)


def enumerate_packed(
    space: RefinedSpace,
    base: int,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
) -> Levels:
    """The depths of all entries, as far as two bits can tell them: the least number of moves to entry 0.

    Args:
        space: the space; every move must have its inverse among the moves, up to symmetry.
        base: the depth up to which entries are 0.
        progress: called once a depth, from this thread.
        workers: number of threads; by default one for each processor. The result does not depend on it.
        checkpointer: keeps it between two levels. The result does not depend on that, either.

    Returns:
        uint8 (rows * bytes a row,): the table; and how many entries there are at each depth from 0 to base + 2, and at
        base + 3 or more.

    Raises:
        ValueError: rows cannot be cut into lines, or `workers` is not in 1..1024.
    """
    size = row_bytes(space)
    begun = checkpointer.begun() if checkpointer else None
    table, so_far = begun or (_unseen_table(space.rows * size), ())
    words = table.view(np.uint64)
    has_newest = np.ones(space.rows, np.uint8)  # as far as is known, before the first level
    entries = space.rows * space.fibre.shape[1]
    counts = list(so_far)
    with Workers(space.rows, workers) as pool:
        steps = _Steps.of(space, _origins(space))
        for depth in range(len(counts), base + 3):
            if depth:
                pool.run(lambda first, last: _find(steps, words, has_newest, first, last))
            final = depth > base + 1
            found = pool.run(
                lambda first, last: _settle(words, has_newest, size // 8, depth, final, first, last)  # noqa: B023
            )
            counts.append(sum(found))
            if progress:
                progress(depth, counts[-1], sum(counts))
            if checkpointer:
                checkpointer.keep(table, tuple(counts))
    smallest = table[LINE_BYTES - 1 :: LINE_BYTES]
    np.minimum(smallest, base + 3, out=smallest)
    return table, (*counts, entries - sum(counts))


def _unseen_table(size: int) -> NDArray[np.uint8]:
    """A table of so many bytes before the first level: entry 0 is found."""
    table = np.full(size, 0xFF, np.uint8)
    # Nothing is beyond the last entry of a line.
    table.view(np.uint64)[_WORDS - 1 :: _WORDS] = UNSEEN << 56 | (1 << 2 * LINE_ENTRIES % 64) - 1
    table[0] -= 1
    return table


def _origins(space: RefinedSpace) -> NDArray[np.uint16]:
    """For each action, the slot from which it leads to each slot."""
    slot = slots(space.fibre.shape[1])
    origins = np.zeros((len(space.fibre), row_bytes(space) * 4), np.uint16)
    np.put_along_axis(origins, slot[space.fibre], slot[None, :].astype(np.uint16), axis=1)
    return origins


# -- Proving, by code of its own -------------------------------------------------------------------------------------

_WAITING, _AT_EVEN_DEPTH, _AT_ODD_DEPTH, _OUTSIDE = 0, 1, 2, 3


@numba.njit()
def _add_fault(fault: NDArray[np.int64], faulty: int, rank: int, depth: int, expected: int) -> int:
    """Count another fault, and keep the first one."""
    if faulty == 0:
        fault[0], fault[1], fault[2] = rank, depth, expected
    return faulty + 1


@kernel(_STEPS, read_only(types.uint8, 2), types.int64, types.int64, types.int64, types.int64[::1])
def _check_lines(
    steps: _Steps,
    table: NDArray[np.uint8],
    base_depth: int,
    first: int,
    last: int,
    fault: NDArray[np.int64],
) -> int:
    """Count what neighbours contradict in rows `first` to `last`; rank, depth and right depth of the first to `fault`.

    The slots of `steps` are those that an action takes each entry to. An entry must be one more than the least of its
    neighbours, 3 at most; beside a 0 it may also be 0, and entry 0 must be. What lies beyond a line's entries must be
    0, and without an entry 0 its smallest depth must be that of its lowest one.
    """
    base, relabel, labels, action, target = steps
    width = target.shape[1]
    count = labels.shape[1]
    least = np.empty(width, np.int8)
    faulty = 0
    for a in range(first, last):
        least[:] = 3
        for m in range(base.shape[0]):
            b = base[m, a // count] * count + labels[relabel[m, a // count], a % count]
            there, act = table[b], target[action[m, a // count]]
            for i in range(width):
                least[i] = min(least[i], (there[act[i] >> 2] >> 2 * (act[i] & 3)) & 3)
        if a == 0:
            least[0] = -1
        for line in range(table.shape[1] // LINE_BYTES):
            lowest = 3
            here = table[a, LINE_BYTES * line : LINE_BYTES * (line + 1)]
            for entry in range(LINE_ENTRIES):
                i = LINE_ENTRIES * line + entry
                code = (here[entry >> 2] >> 2 * (entry & 3)) & 3
                right = 0 if code == 0 and least[i] == 0 else min(least[i] + 1, 3)
                lowest = min(lowest, right)
                if code != right:
                    faulty = _add_fault(fault, faulty, a * width + i, base_depth + code, base_depth + right)
            smallest = here[LINE_BYTES - 1] if lowest == 0 else base_depth + lowest
            beyond = here[LINE_ENTRIES >> 2] >> 2 * (LINE_ENTRIES & 3)
            for byte in here[(LINE_ENTRIES >> 2) + 1 : LINE_BYTES - 1]:
                beyond |= byte
            if here[LINE_BYTES - 1] != smallest or beyond:
                faulty = _add_fault(fault, faulty, a * width + LINE_ENTRIES * line, here[LINE_BYTES - 1], smallest)
    return faulty


@kernel(types.uint8[:, ::1], types.int64, types.int64)
def _forget(table: NDArray[np.uint8], first: int, last: int) -> int:
    """Make the entries 1 to 3 in rows `first` to `last` alike, `_OUTSIDE`."""
    for a in range(first, last):
        for line in range(0, table.shape[1], LINE_BYTES):
            for byte in range(line, line + LINE_BYTES - 1):
                low = (table[a, byte] | table[a, byte] >> 1) & 0x55
                table[a, byte] = low | low << 1
    return 0


@kernel(
    _STEPS,
    types.uint8[:, ::1],
    types.int64,
    types.uint8[:, ::1],
    types.int64,
    types.int64,
    types.int64,
    types.int64[::1],
)
def _reach(
    steps: _Steps,
    table: NDArray[np.uint8],
    base_depth: int,
    reached: NDArray[np.uint8],
    depth: int,
    first: int,
    last: int,
    fault: NDArray[np.int64],
) -> int:
    """In rows `first` to `last`, reach what is at `depth`; count what is wrong there, the first goes to `fault`.

    Those are entry 0 at the depth 0, and then whatever has not been reached and has a neighbour at the depth before:
    every entry looks at its neighbours. It must have been waiting, and if it is the first of its line, the line must
    say this depth. At the last depth, `base_depth`, nothing may wait any longer. `reached` has, for even depths and
    for odd ones, the depth at which something was last reached in each row.

    Threads may work on different rows at once: what they reach has another code than what they look for.
    """
    base, relabel, labels, action, target = steps
    width = target.shape[1]
    count = labels.shape[1]
    before, now = (_AT_ODD_DEPTH, _AT_EVEN_DEPTH) if depth % 2 == 0 else (_AT_EVEN_DEPTH, _AT_ODD_DEPTH)
    near = np.empty(width, np.uint8)
    faulty = 0
    for a in range(first, last):
        near[:] = 0
        looked = a == 0 and depth == 0
        near[0] = looked
        for m in range(base.shape[0]):
            b = base[m, a // count] * count + labels[relabel[m, a // count], a % count]
            if reached[(depth - 1) % 2, b] == depth - 1:
                looked = True
                there, act = table[b], target[action[m, a // count]]
                for i in range(width):
                    near[i] |= np.uint8((there[act[i] >> 2] >> 2 * (act[i] & 3)) & 3 == before)
        if not looked and depth < base_depth:
            continue
        for line in range(table.shape[1] // LINE_BYTES):
            here = table[a, LINE_BYTES * line : LINE_BYTES * (line + 1)]
            is_new, is_known = False, False
            for entry in range(LINE_ENTRIES):
                i = LINE_ENTRIES * line + entry
                state = (here[entry >> 2] >> 2 * (entry & 3)) & 3
                is_known |= _WAITING < state < _OUTSIDE
                if near[i] and state == _WAITING:
                    here[entry >> 2] |= now << 2 * (entry & 3)
                    is_new = True
                elif (near[i] and state == _OUTSIDE) or (state == _WAITING and depth == base_depth):
                    right = depth if near[i] else base_depth + 1
                    faulty = _add_fault(fault, faulty, a * width + i, base_depth + (state == _OUTSIDE), right)
            if is_new:
                reached[depth % 2, a] = depth
                if here[LINE_BYTES - 1] != depth and not is_known:
                    faulty = _add_fault(fault, faulty, a * width + LINE_ENTRIES * line, here[LINE_BYTES - 1], depth)
    return faulty


def find_packed_fault(
    space: RefinedSpace, table: NDArray[np.uint8], base: int, workers: int | None = None
) -> Fault | None:
    """Prove that a table says of every entry what it should, or name one of which it does not.

    This takes hardly any memory but the table's, of which nothing is left afterwards. What an entry 1, 2 or 3 says is
    proved by its neighbours: it must be one more than the least of them, 3 at most. If exactly the entries up to the
    depth `base` are 0, it follows by induction that 1 and 2 are the very depths base + 1 and base + 2, and that 3 is
    base + 3 or more. Likewise a line's smallest depth, if none of its entries is 0.

    Now 1 to 3 say nothing more, and are all *outside*. The codes that this leaves tell the entries that are 0 apart:
    all are *waiting*, and are then reached from entry 0, level by level up to `base`, at an even or an odd depth. Every
    entry looks at its neighbours, with code that shares nothing but the space with what made the table. Let exactly
    those up to depth d have been reached: what has not been, and has a neighbour that was reached at depth d, is at
    depth d + 1. A neighbour reached earlier, at a depth of the same parity, misleads nobody: whatever it is a neighbour
    of has been reached as well. If what is reached is outside, its entry is wrong: it was 1, as a neighbour was 0, and
    it should be 0. What still waits at the end is deeper than `base`, and wrong, too. If there is neither, exactly the
    entries up to `base` were 0. The smallest depth of a line with any of them must be that at which the first was
    reached.

    So each entry, and each line's smallest depth, is exactly what it should be: no bound that a search takes from the
    table is above the depth.

    Args:
        space: the space.
        table: uint8 (rows * bytes a row,): the table, which is overwritten.
        base: the depth up to which entries are 0.
        workers: number of threads; by default one for each processor.

    Returns:
        None if all is right; otherwise the first fault, with the depths that the table says and should say: the first
        that neighbours contradict, or else the first at the least depth at which any is reached.

    Raises:
        ValueError: the table has another size, or cannot be written.
    """
    size, width = row_bytes(space), space.fibre.shape[1]
    if table.shape != (space.rows * size,):
        raise ValueError(f"the table must have {space.rows * size} bytes, not {table.shape}")
    if not table.flags.writeable:
        raise ValueError("the table must be one that can be overwritten")
    rows = table.reshape(space.rows, size)
    target = slots(width).astype(np.uint16)[space.fibre]
    arguments = (_Steps.of(space, target), rows, base)
    reached = np.full((2, space.rows), UNSEEN, np.uint8)
    with following("proving", base + 2) as advance, Workers(space.rows, workers) as pool:
        fault = _first_fault(pool, _check_lines, *arguments)
        if fault is None:
            pool.run(lambda first, last: _forget(rows, first, last))
        advance(1)
        for depth in range(base + 1):
            fault = fault or _first_fault(pool, _reach, *arguments, reached, depth)
            advance(1)
    return fault


def _first_fault(pool: Workers, look: Callable[..., int], *arguments: object) -> Fault | None:
    """The first fault that a kernel finds, and how many it finds."""
    found: list[tuple[int, int, int]] = []

    def task(first: int, last: int) -> int:
        fault = np.empty(3, np.int64)
        count = look(*arguments, first, last, fault)
        if count:
            found.append((int(fault[0]), int(fault[1]), int(fault[2])))
        return count

    count = sum(pool.run(task))
    return Fault(*min(found), conflicts=count) if found else None

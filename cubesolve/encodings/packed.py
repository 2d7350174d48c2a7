"""Enumeration and proofs of packed pattern databases, with two bits per entry.

The fibre of a row is cut into *lines* of 64 bytes, so that a lookup touches one cache line: 243 entries of two bits,
and in the last byte the least depth in the line. With a depth *base* of the whole table, an entry 1, 2 or 3 is the
depth base + 1, base + 2, or at least base + 3; an entry 0 is a depth of at most base, and at least the least depth of
the line.

During an enumeration, entries are *unseen* (3), *newest* (1), *found* in this level (2) or *settled* (0), so that no
memory is needed besides the table; when the newest entries have the depth base, the codes are the final entries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.entries import LINE_BYTES, LINE_ENTRIES, Fault
from cubesolve.runtime.instructions import count_ones, trailing_zeros
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel, part
from cubesolve.runtime.notices import following
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.rows import slices
from cubesolve.spaces.space import Checkpointer, Levels, Progress, RefinedSpace

UNSEEN = 255
"""The least depth of a line without a seen entry."""

_WORDS = LINE_BYTES // 8  # words of 64 bits in a line
_SLOTS = 4 * LINE_BYTES  # entries for which a line would have room
_AT_ONCE = 1 << 14  # bytes
_LOW = np.uint64(0x5555555555555555)  # the lower bit of every entry of a word
_LAST_LOW = np.uint64(0x5555555555555555 & (1 << 2 * LINE_ENTRIES % 64) - 1)  # likewise, of the last word of a line
_ONE = np.uint64(1)


class _Steps(NamedTuple):
    """The moves of a `RefinedSpace`: its arrays, and slots."""

    base: Read2[np.int32]  # (moves, classes)
    relabel: Read2[np.int32]  # (moves, classes)
    labels: Read2[np.uint8]  # (relabellings, labels)
    action: Read2[np.uint16]  # (moves, classes)
    # (actions, ...): for each action the slot that it takes each entry to, or the slot that it takes to each slot
    slots: Read2[np.uint16]

    @classmethod
    def of(cls, space: RefinedSpace, slots: NDArray[np.uint16]) -> _Steps:
        """Return the moves of a space, with the slots after or before them."""
        return cls(space.base, space.relabel, space.labels, space.action, slots)


@kernel(at_start=True)
def _find(steps: _Steps, words: Array1[np.uint64], has_newest: Read1[np.uint8], first: int, last: int) -> int:
    """Find, in rows `first` to `last`, the unseen entries with a newest neighbour."""
    # The slots of `steps` are those that an action takes to each slot. Each thread writes only to its own rows, and no
    # other looks for the entries changed there, from unseen to found.
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
            other = words[b * size : (b + 1) * size]
            back = origin[action[m, group]]
            for w in range(size):
                newest = other[w] & ~(other[w] >> _ONE) & (_LAST_LOW if w % _WORDS == _WORDS - 1 else _LOW)
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
            own[w] ^= marked & own[w] & own[w] >> _ONE  # 3 becomes 2 if both bits and the mark are set
    return 0


@kernel(at_start=True)
def _settle(
    words: Array1[np.uint64],
    has_newest: Array1[np.uint8],
    row_words: int,
    depth: int,
    final: bool,
    first: int,
    last: int,
) -> int:
    """Make the found entries in rows `first` to `last` the newest ones, unless `final`, and count them."""
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
                    # 3 stays, 2 becomes 1, and 1 and 0 become 0; the byte of the least depth stays as it is.
                    words[w] = word & ~(low | low << _ONE) | (high & word) << _ONE | high
            top = words[line + _WORDS - 1]
            if in_line and top >> np.uint64(56) == UNSEEN:  # the first entry that is seen has the least depth
                words[line + _WORDS - 1] = top & np.uint64(0x00FFFFFFFFFFFFFF) | np.uint64(depth) << np.uint64(56)
            in_row += in_line
        has_newest[a] = in_row != 0
        total += np.int64(in_row)
    return int(total)


def slots(width: int) -> NDArray[np.int64]:
    """Return the slot of each entry of a row of a width: its number if lines were full."""
    entries = np.arange(width)
    return entries + entries // LINE_ENTRIES * (_SLOTS - LINE_ENTRIES)


def row_bytes(space: RefinedSpace) -> int:
    """The number of bytes of a row."""
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
    """Return the depths of all entries, the least numbers of moves to entry 0, as far as two bits store them.

    Returns:
        uint8 (rows * bytes per row,): the table; and the number of entries at each depth from 0 to base + 2, and at
        base + 3 or more.
    """
    size = row_bytes(space)
    begun = checkpointer.begun() if checkpointer else None
    table, so_far = begun or (_unseen_table(space.rows * size), ())
    words = table.view(np.uint64)
    has_newest = np.ones(space.rows, np.uint8)  # known before the first level
    entries = space.rows * space.fibre.shape[1]
    counts = list(so_far)
    with Workers(space.rows, workers, entries=entries) as pool:
        steps = _Steps.of(space, _origins(space))
        for depth in range(len(counts), base + 3):
            if depth:
                pool.run(lambda first, last: _find(steps, words, has_newest, first, last))
            final = depth > base + 1
            numbers = pool.run(
                lambda first, last: _settle(words, has_newest, size // 8, depth, final, first, last)  # noqa: B023
            )
            counts.append(sum(numbers))
            if progress:
                progress(depth, counts[-1], sum(counts))
            if checkpointer:
                checkpointer.keep(table, tuple(counts))
    smallest = table[LINE_BYTES - 1 :: LINE_BYTES]
    np.minimum(smallest, base + 3, out=smallest)
    return table, (*counts, entries - sum(counts))


def _unseen_table(size: int) -> NDArray[np.uint8]:
    """Return a table of a number of bytes before the first level: entry 0 is found."""
    table = np.full(size, 0xFF, np.uint8)
    # The slots beyond the last entry of a line are 0.
    table.view(np.uint64)[_WORDS - 1 :: _WORDS] = UNSEEN << 56 | (1 << 2 * LINE_ENTRIES % 64) - 1
    table[0] -= 1
    return table


def _origins(space: RefinedSpace) -> NDArray[np.uint16]:
    """Return, for each action, the slot that it takes to each slot."""
    slot = slots(space.fibre.shape[1])
    origins = np.zeros((len(space.fibre), row_bytes(space) * 4), np.uint16)
    np.put_along_axis(origins, slot[space.fibre], slot[None, :].astype(np.uint16), axis=1)
    return origins


# -- Proofs, with separate code --------------------------------------------------------------------------------------

_WAITING, _AT_EVEN_DEPTH, _AT_ODD_DEPTH, _OUTSIDE = 0, 1, 2, 3


@part
def _add_fault(fault: NDArray[np.int64], faulty: int, rank: int, depth: int, expected: int) -> int:
    """Count another fault, and keep the first one."""
    if faulty == 0:
        fault[0], fault[1], fault[2] = rank, depth, expected
    return faulty + 1


@kernel()
def _check_lines(
    steps: _Steps, table: Read2[np.uint8], base_depth: int, first: int, last: int, fault: Array1[np.int64]
) -> int:
    """Count contradictions in rows `first` to `last`; write the rank, depth and right depth of one to `fault`."""
    # The slots of `steps` are those that an action takes each entry to. Beside a 0, an entry may also be 0.
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


@kernel()
def _reach(
    steps: _Steps,
    table: Array2[np.uint8],
    base_depth: int,
    reached: Array2[np.uint8],  # for even and for odd depths, the depth at which an entry was last reached in each row
    depth: int,
    first: int,
    last: int,
    fault: Array1[np.int64],
) -> int:
    """Reach the entries at `depth` in rows `first` to `last`; count the wrong ones, and write the first to `fault`."""
    # An entry that is reached must have been waiting, and if it is the first of its line, the line must have this
    # depth. At the last depth, `base_depth`, no entry may remain waiting. Other threads do not look for the code of
    # entries that are reached meanwhile.
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
    """Prove that a packed table is right, or return a wrong entry.

    This takes hardly any memory but the table's, which is overwritten. The entries 1, 2 and 3 are proved by their
    neighbours: each must be one more than the least of them, at most 3. If exactly the entries up to the depth `base`
    are 0, it follows by induction that 1 and 2 are the depths base + 1 and base + 2, and that 3 is base + 3 or more.
    The same holds for the least depth of a line without an entry 0.

    Then 1 to 3 are no longer needed, and become *outside*. The entries that are 0 become *waiting*, and are reached
    from entry 0, level by level up to `base`, at an even or an odd depth. Every entry looks at its neighbours, with
    code that shares only the space with the enumeration. Assume that exactly those up to depth d have been reached: an
    entry that has not been reached, and has a neighbour reached at depth d, is at depth d + 1. A neighbour reached
    earlier, at a depth of the same parity, cannot interfere: all of its neighbours have been reached as well. If a
    reached entry is outside, it is wrong: it was 1, as a neighbour was 0, and should be 0. An entry that is waiting in
    the end is deeper than `base`, and wrong, too. If there is neither, exactly the entries up to `base` were 0. The
    least depth of a line with any of them must be that at which the first was reached.

    So each entry, and the least depth of each line, is right, and no lower bound from the table exceeds the depth.

    Returns:
        None if the table is right; otherwise the first fault, with the depth in the table and the right one: the first
        contradiction between neighbours, or else the first fault at the least depth with any.
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
    with following("proving", base + 2) as advance, Workers(space.rows, workers, entries=table.size) as pool:
        fault = _first_fault(pool, _check_lines, *arguments)
        for part in slices(space.rows, size, _AT_ONCE) if fault is None else ():  # entries 1 to 3 become `_OUTSIDE`
            entries = rows[part].reshape(-1, LINE_BYTES)[:, :-1]
            low = (entries | entries >> 1) & 0x55
            entries[:] = low | low << 1
        advance(1)
        for depth in range(base + 1):
            fault = fault or _first_fault(pool, _reach, *arguments, reached, depth)
            advance(1)
    return fault


def _first_fault(pool: Workers, look: Callable[..., int], *arguments: object) -> Fault | None:
    """Return the first fault that a kernel finds, with the number of all."""
    faults: list[tuple[int, int, int]] = []

    def task(first: int, last: int) -> int:
        fault = np.empty(3, np.int64)
        count = look(*arguments, first, last, fault)
        if count:
            faults.append((int(fault[0]), int(fault[1]), int(fault[2])))
        return count

    count = sum(pool.run(task))
    return Fault(*min(faults), conflicts=count) if faults else None

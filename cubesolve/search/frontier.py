"""The states that a kernel of IDA* has reached and not yet expanded, and what kernels take and return.

There is a list of states for each number of moves made. A kernel takes a whole batch from the deepest list that has
one, or else all states of the shallowest nonempty list, and appends their neighbours to the next list. Each kernel
has arrays of its own for the rest of a state, with the same places.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernels import Fields, Given, kernel, named, part, read_only, types
from cubesolve.search.rounds import NOTHING_BEYOND, TASK

BATCH = 64  # states whose neighbours are looked up together, so the processor waits for many cache lines at once
ABORTED = -1

_WORD = 64  # bits
_ONE = np.uint64(1)


class Roots(NamedTuple):
    """States to search from, one after the other.

    Attributes:
        ranks: int64 (roots, projections): their ranks.
        bounds: int16 (roots, groups): their bounds.
        states: int64 (roots,): the canonical states of the moves that led to them.
        left: int64 (roots,): the remaining budget.
    """

    ranks: NDArray[np.int64]
    bounds: NDArray[np.int16]
    states: NDArray[np.int64]
    left: NDArray[np.int64]


class SearchOutput(NamedTuple):
    """The output of the kernel, up to its room.

    Attributes:
        algs: uint8 (room, moves): the moves, by number.
        ranks: int64 (room, projections): the ranks of the states that they lead to.
        bounds: int16 (room, groups): the bounds of these.
        facts: int64 (room, 3): the canonical state, the remaining budget, and the number of moves.
        numbers: int64 (room,): the numbers of the roots that they were found from.
        counts: int64 (roots, 3): the numbers of states visited and of entries read, and the least number by which a
            bound, or the cost of a move, exceeded the remaining budget.
    """

    algs: NDArray[np.uint8]
    ranks: NDArray[np.int64]
    bounds: NDArray[np.int16]
    facts: NDArray[np.int64]
    numbers: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of_size(cls, room: int, longest: int, roots: Roots) -> SearchOutput:
        """Allocate room for a number of states, found from some roots."""
        return cls(
            np.empty((room, longest), np.uint8),
            np.empty((room, roots.ranks.shape[1]), np.int64),
            np.empty((room, roots.bounds.shape[1]), np.int16),
            np.empty((room, 3), np.int64),
            np.empty(room, np.int64),
            np.full((len(roots.left), 3), (0, 0, NOTHING_BEYOND), np.int64),
        )


_ROOTS = named(
    Roots,
    ranks=read_only(types.int64),
    bounds=read_only(types.int16),
    states=read_only(types.int64, 1),
    left=read_only(types.int64, 1),
)
_FOUND = named(
    SearchOutput,
    algs=types.uint8[:, ::1],
    ranks=types.int64[:, ::1],
    bounds=types.int16[:, ::1],
    facts=types.int64[:, ::1],
    numbers=types.int64[::1],
    counts=types.int64[:, ::1],
)


def deepening_kernel(problem: Fields) -> Callable[[Callable[[*Given], int]], Callable[[*Given], int]]:
    """Compile a function of a problem of this type, `Roots`, a `Task` and a `SearchOutput`; see `kernels.kernel`."""
    return kernel(problem, _ROOTS, TASK, _FOUND, at_start=True)


class Frontier(NamedTuple):
    """The lists of states, one for each number of moves made.

    Attributes:
        states: int16 (depths, places): the canonical state of the moves made.
        left: int64 (depths, places): the remaining budget.
        made: uint64 (depths, places, words): the moves made, as numbers of `bits` bits.
        waiting: int64 (depths,): the number of states in each list.
        bits: see `made`.
    """

    states: NDArray[np.int16]
    left: NDArray[np.int64]
    made: NDArray[np.uint64]
    waiting: NDArray[np.int64]
    bits: int


@part
def empty_frontier(longest: int, moves: int) -> Frontier:
    """Return empty lists for up to a number of moves made.

    A list has at most a batch of states when a batch of the list before is expanded.
    """
    bits = 1
    while moves > 1 << bits:
        bits += 1
    words, room = -(-longest // (_WORD // bits)), BATCH * (moves + 1)
    return Frontier(
        np.empty((longest + 1, room), np.int16),
        np.empty((longest + 1, room), np.int64),
        np.empty((longest + 1, room, words), np.uint64),
        np.zeros(longest + 1, np.int64),
        bits,
    )


@part
def begin(frontier: Frontier, roots: Roots, root: int) -> None:
    """Let a root wait, as the only state, at the first place."""
    frontier.states[0, 0], frontier.left[0, 0] = roots.states[root], roots.left[root]
    frontier.waiting[0] = 1


@part
def take_batch(frontier: Frontier) -> tuple[int, int, int]:
    """Take the states that are expanded next out of their list: the deepest whole batch, or else the shallowest ones.

    Returns:
        The number of moves made, the first place, and the number of states; 0 if there are none.
    """
    waiting, depth = frontier.waiting, 0
    for level in range(len(waiting) - 1, -1, -1):
        if waiting[level]:
            depth = level
            if waiting[level] >= BATCH:
                break
    taken = min(waiting[depth], BATCH)
    waiting[depth] -= taken
    return depth, waiting[depth], taken


@part
def append(
    frontier: Frontier, depth: int, at: int | np.int64, move: int | np.int64, state: np.int64, left: np.int64
) -> np.int64:
    """Append the state after a move to the next list."""
    made = frontier.made
    in_word = _WORD // frontier.bits
    to: np.int64 = frontier.waiting[depth + 1]
    frontier.waiting[depth + 1] += 1
    last = depth // in_word
    for word in range(last):
        made[depth + 1, to, word] = made[depth, at, word]
    shift = np.uint64(depth % in_word * frontier.bits)
    before = made[depth, at, last] & ((_ONE << shift) - _ONE)
    made[depth + 1, to, last] = before | np.uint64(move) << shift
    frontier.states[depth + 1, to], frontier.left[depth + 1, to] = state, left
    return to


@part
def write_result(
    frontier: Frontier, depth: int, at: int | np.int64, root: int, found: SearchOutput, number: int
) -> None:
    """Write the moves that led to a state, its facts, and its root; the ranks and bounds are left to the kernel."""
    in_word, bits = _WORD // frontier.bits, np.uint64(frontier.bits)
    for level in range(depth):
        word = frontier.made[depth, at, level // in_word] >> np.uint64(level % in_word) * bits
        found.algs[number, level] = word & ((_ONE << bits) - _ONE)
    found.facts[number, 0] = frontier.states[depth, at]
    found.facts[number, 1] = frontier.left[depth, at]
    found.facts[number, 2] = depth
    found.numbers[number] = root

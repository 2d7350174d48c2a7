"""Count the edges of the 3x3x3 by the moves to the nearest of several crosses, as colour-neutral solvers take it.

All 12! * 2^11 arrangements of the edges are counted, without the library: the depths of each cross are found by a
breadth-first search, and the orientations of the edges of a permutation are tried 64 at a time. Symmetries of the cube
that keep the edge UF save three quarters of the permutations.

    python scripts/crosses.py
    python scripts/crosses.py --faces UD
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeAlias

import numba
import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

AROUND = {"U": "FLBR", "D": "FRBL", "F": "URDL", "B": "ULDR", "R": "UBDF", "L": "UFDB"}
"""The faces around each face, clockwise."""

EDGES = ("UF", "DB", "DF", "FR", "FL", "BL", "BR", "UL", "DL", "UR", "DR", "UB")
"""The edges, with the sticker of U or D first, otherwise that of F or B. It is at home or on such a facelet, or the
edge is flipped; every move flips an even number of edges."""

ORDER = "FLRBUD"
"""The order of the faces in arrays."""

NEVER = 15
"""Larger than every depth."""

FIRST = tuple(EDGES.index(each) for each in ("UF", "DF", "FR", "FL", "BL", "BR"))
"""The edges whose orientations are the bits of a word."""

LAST = tuple(EDGES.index(each) for each in ("UL", "DL", "UR", "DR", "UB", "DB"))
"""The edges whose orientations are the number of a word."""


def places() -> dict[str, int]:
    """Return the number of each placed edge, by the facelets on which its two stickers are: 2 * place + flipped."""
    return {name[:: 1 - 2 * flipped]: 2 * number + flipped for number, name in enumerate(EDGES) for flipped in (0, 1)}


def turns() -> list[list[int]]:
    """Return where the moves bring each placed edge."""
    numbers, found = places(), list[list[int]]()
    for face, around in AROUND.items():
        following = dict(zip(around, around[1:] + around[:1], strict=True))
        once = list(range(24))
        for other in around:
            there = following[other]
            once[numbers[face + other]], once[numbers[other + face]] = numbers[face + there], numbers[there + face]
        for times in (1, 2, 3):
            found.append([_repeated(once, place, times) for place in range(24)])
    return found


def _repeated(once: list[int], place: int, times: int) -> int:
    for _ in range(times):
        place = once[place]
    return place


def depths(face: str) -> NDArray[np.uint8]:
    """Return the depth of each arrangement of the edges of a face, uint8 (24, 24, 24, 24), as those of `edges_of`."""
    start = tuple(2 * edge for edge in edges_of(face))
    found = np.full((24,) * 4, NEVER, np.uint8)
    found[start], depth, moves = 0, 0, [np.array(turn) for turn in turns()]
    here = np.array([start])
    while len(here):
        depth += 1
        there = np.concatenate([move[here] for move in moves]).T
        numbers = np.unique(np.ravel_multi_index(tuple(there), found.shape))
        numbers = numbers[found.reshape(-1)[numbers] == NEVER]
        found.reshape(-1)[numbers] = depth
        here = np.stack(np.unravel_index(numbers, found.shape), axis=-1)
    return found


def edges_of(face: str) -> list[int]:
    """Return the edges of a face, those of a word's bits first."""
    return [edge for edge in (*FIRST, *LAST) if face in EDGES[edge]]


def patterns(face: str, most: int) -> NDArray[np.uint16]:
    """Return which orientations of the edges of a face need at least a number of moves.

    Returns:
        uint16 (most + 1, 12, 12, 12, 12): a bit for each orientation, by the number of moves and the places.
    """
    by_flips = depths(face).reshape((12, 2) * 4).transpose(0, 2, 4, 6, 7, 5, 3, 1).reshape((12,) * 4 + (16,))
    weights = (1 << np.arange(16)).astype(np.uint16)
    return np.stack([((by_flips >= least) * weights).sum(axis=-1).astype(np.uint16) for least in range(most + 1)])


def words(face: str) -> NDArray[np.uint64]:
    """Return the bits of a word for each pattern of those edges of a face whose orientations are its bits."""
    inside = [FIRST.index(edge) for edge in edges_of(face) if edge in FIRST]
    bits, number = np.arange(64), np.arange(1 << (1 << len(inside)), dtype=np.uint64)
    low = sum((((bits >> edge) & 1) << at for at, edge in enumerate(inside)), np.zeros(64, np.int64))
    parts = (((number >> np.uint64(low[bit])) & np.uint64(1)) << np.uint64(bit) for bit in range(64))
    found: NDArray[np.uint64] = np.bitwise_or.reduce(list(parts))
    return found


@numba.njit(cache=True)
def _ones(word: Any) -> Any:
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@numba.njit(cache=True)
def _has_next(order: Array) -> bool:
    """Change a permutation to the next one; return False if it is the last."""
    at, other = len(order) - 2, len(order) - 1
    while at >= 0 and order[at] > order[at + 1]:
        at -= 1
    if at < 0:
        return False
    while order[other] < order[at]:
        other -= 1
    order[at], order[other] = order[other], order[at]
    one, last = at + 1, len(order) - 1
    while one < last:
        order[one], order[last] = order[last], order[one]
        one, last = one + 1, last - 1
    return True


@numba.njit(cache=True)
def _expanded(here: Array, found: Array, front: Array, side: Array, upper: Array) -> None:
    """Fill in the words of each face from its pattern; see `_counted`."""
    found[0, 0] = front[here[0]]
    for face in range(1, 4):
        for choice in range(4):
            found[face, choice] = side[face - 1, (here[face] >> (4 * choice)) & 15]
    for face in range(4, 6):
        for choice in range(8):
            found[face, choice] = upper[face - 4, (here[face] >> (2 * choice)) & 3]


@numba.njit(cache=True)
def _together(found: Array, parity: Array) -> int:
    """Return the number of orientations that all faces leave; the edges of L, R and B number the words."""
    total = 0
    for left in range(4):
        some = found[0, 0] & found[1, left]
        for right in range(4):
            more = some & found[2, right]
            odd = (left ^ right ^ ((left ^ right) >> 1)) & 1
            up, down = (left & 1) | (right & 1) << 1, left >> 1 | (right >> 1) << 1
            for back in range(4):
                bits = more & found[3, back] & found[4, up | (back & 1) << 2] & found[5, down | (back >> 1) << 2]
                total += _ones(bits & parity[(odd ^ back ^ (back >> 1)) & 1])
    return total


@numba.njit(cache=True, nogil=True)
def _counted(
    begun: Array,
    left: Array,
    edges: Array,
    wanted: Array,
    patterns: Array,
    front: Array,
    side: Array,
    upper: Array,
    parity: Array,
    counts: Array,
) -> None:
    """Add the orientations of all permutations with some edges placed to the numbers with at least so many moves.

    The faces are in the order F L R B U D. The bits of a word are the orientations of the edges of F and the middle
    layer. So F has one word, L, R and B have four each, by the orientations of their other edges, and U and D eight.
    """
    place, order, row = np.empty(12, np.int64), np.arange(len(left)), np.empty(6, np.int64)
    here, found = np.full(6, 65535, np.int64), np.empty((6, 8), np.uint64)
    place[: len(begun)] = begun
    is_next = True
    while is_next:
        for number in range(len(left)):
            place[len(begun) + number] = left[order[number]]
        for face in wanted:
            a, b, c, d = edges[face]
            row[face] = ((place[a] * 12 + place[b]) * 12 + place[c]) * 12 + place[d]
        for least in range(1, patterns.shape[1]):
            smallest = 65535
            for face in wanted:
                here[face] = patterns[face, least, row[face]]
                smallest = min(smallest, here[face])
            if smallest == 0:
                break
            if smallest == 65535:
                counts[least] += 2048
                continue
            _expanded(here, found, front, side, upper)
            counts[least] += _together(found, parity)
        is_next = _has_next(order)


def beginnings(faces: str) -> Counter[tuple[int, int]]:
    """Return places of the edges UF and DB, one for all that symmetries of the cube connect, and how many these are."""
    symmetries = (dict(zip("UDFBRL", to, strict=True)) for to in ("UDFBRL", "UDFBLR", "FBUDRL", "FBUDLR"))
    maps = [each for each in symmetries if {each[face] for face in faces} == set(faces)]
    found = Counter[tuple[int, int]]()
    for pair in itertools.permutations(range(12), 2):
        found[min((_mapped(pair[0], each), _mapped(pair[1], each)) for each in maps)] += 1
    return found


def _mapped(place: int, letters: Mapping[str, str]) -> int:
    name = {letters[letter] for letter in EDGES[place]}
    return next(number for number, each in enumerate(EDGES) if set(each) == name)


def distribution(faces: str, most: int = 8) -> list[int]:
    """Return the number of arrangements of all edges by the number of moves to the nearest cross of some faces."""
    edges = np.array([edges_of(face) for face in ORDER])
    tables = np.stack([patterns(face, most).reshape(most + 1, -1) for face in ORDER])
    front, *others = map(words, ORDER)
    even = np.uint64(sum(1 << bit for bit in range(64) if bit.bit_count() % 2 == 0))
    total = np.zeros(most + 2, np.int64)
    for (first, second), number in beginnings(faces).items():
        counts = np.zeros(most + 2, np.int64)
        _counted(
            np.array([first, second]),
            np.array([place for place in range(12) if place not in (first, second)]),
            edges,
            np.array([number for number, face in enumerate(ORDER) if face in faces]),
            tables,
            front,
            np.stack(others[:3]),
            np.stack(others[3:]),
            np.array([even, ~even]),
            counts,
        )
        total += number * counts
    total[0] = 479_001_600 * 2048
    return [int(here - deeper) for here, deeper in itertools.pairwise(total)]


def main() -> int:
    """Print the distribution."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faces", default="URFDLB", help="the faces whose crosses are wanted")
    options = parser.parse_args()
    begun = time.process_time()
    found = distribution(options.faces)
    for depth, number in enumerate(found):
        print(f"{depth} {number:>15,} {number / sum(found):9.4%}")
    mean = sum(depth * number for depth, number in enumerate(found)) / sum(found)
    print(f"{mean:.4f} moves on average; {time.process_time() - begun:.0f} s of processor time")
    return 0


if __name__ == "__main__":
    sys.exit(main())

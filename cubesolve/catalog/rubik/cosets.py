"""Whole cosets of the 3x3x3: the cubes of a coset that some alg of at most so many moves solves, for each number.

Let H be a subgroup of the cubes, and g a cube. The cubes ``h^-1 g`` with h in H are a coset of H. An alg solves one of
them if and only if it leads from g to h, into the subgroup: so a search from g for all algs into H solves all cubes of
the coset, and a bit for each h remembers which. If the last move of the alg is in H, the cube before it is in H, too,
and a pass over all bits takes the place of the search (T. Rokicki, Twenty-five moves suffice for Rubik's cube, 2008).

The subgroups consist of the cubes whose corners and edges are oriented; where the slice edges can leave their slice,
they are in it, or not distinguished. The bits are in pages, one for each permutation of the corners. A page has a word
for each arrangement of the *outer* edges; four *inner* edges have 24 orders there, and the parity of the other pieces
selects the 12 that are the bits of the word.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.coset_coordinates import (
    ORDERS_OF_FOUR,
    SUBGROUPS,
    GroupCoordinates,
    composed_orders,
    distances_of_orientations,
    distances_of_slices,
)
from cubesolve.catalog.rubik.coset_kernels import (
    CORNER,
    FIRST,
    FLIP,
    INNER,
    ORDERS,
    SECOND,
    SLICE,
    TWIST,
    WORD_BITS,
    count_pages,
    pass_moves,
    search_coset,
)
from cubesolve.catalog.rubik.cube import Cubies, RubikCube
from cubesolve.catalog.rubik.projections import CORNERS, EDGES
from cubesolve.errors import InvalidStateError
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.orders import odd_orders

_PASS_FROM = 1_000  # a pass is faster than a search for all algs if more than this fraction of the cubes is reached
_SPLIT_AT = 2  # moves; each beginning of an alg is a part of the search
_PAGES_AT_ONCE = 64
_TRIED, _SPREAD = 16, 1_000_003  # cosets of which one is chosen, and a prime that spreads them


class CosetLevel(NamedTuple):
    """A number of moves, and the cubes of a coset for which an alg of at most so many moves has been found.

    Attributes:
        depth: the number of moves.
        reached: the number of cubes.
        searched: whether all algs up to this length have been tried; then these are all cubes of at most this depth.
    """

    depth: int
    reached: int
    searched: bool


class CosetSolver:
    """Solves cosets of a subgroup, one after the other.

    Attributes:
        cubes: the number of cubes of a coset.
        cosets: the number of cosets.
    """

    def __init__(self, name: str, workers: int | None = None) -> None:
        """Make the tables, and allocate two bits for each cube of a coset, a third more than that with padding.

        Args:
            name: of the subgroup, see `SUBGROUPS`.
            workers: number of threads; by default one for each processor. The result does not depend on it.

        Raises:
            ValueError: the name is unknown, or `workers` is not in 1..1024.
        """
        if name not in SUBGROUPS:
            raise ValueError(f"no such subgroup: {name}")
        subgroup = SUBGROUPS[name]
        self._workers = workers
        self._coordinates = GroupCoordinates(subgroup)
        flips, twists = self._coordinates.flips, self._coordinates.twists
        if subgroup.with_slice:
            self._distances = distances_of_slices(subgroup.moves)
        else:
            self._distances = distances_of_orientations(flips, twists)
        shape = len(self._coordinates.corners.places), len(self._coordinates.words.places)
        self.cubes = WORD_BITS * shape[0] * shape[1]
        self.cosets = len(self._coordinates.moves.slices) * len(flips.steps) * len(twists.steps)
        self._bits, self._before = np.zeros(shape, np.uint16), np.zeros(shape, np.uint16)
        self._counts = np.zeros(shape[0], np.uint32)
        self._cube = RubikCube.solved().cubies

    def levels(self, cubies: Cubies, search_to: int) -> Iterator[CosetLevel]:
        """Yield the cubes of the coset of a cube that are solved in 0, 1, 2, ... moves, until all are.

        Args:
            cubies: the cube.
            search_to: the number of moves up to which all algs are tried. Beyond it, algs are tried that end with a
                move of the subgroup; and if none of them solves another cube, all algs again.

        Raises:
            InvalidStateError: the moves of the group do not solve the cube.
        """
        root = self._coordinates.root(cubies)
        self._cube = cubies
        self._bits[:] = 0
        moves = len(self._coordinates.moves.states)
        every = (1 << moves) - 1
        outside = every & ~sum(1 << m for m in self._coordinates.inside)
        reached = 0
        for depth in itertools.count():
            searched, before = depth <= search_to, reached
            passes = not searched or _PASS_FROM * reached >= self.cubes
            if passes:
                reached = self._pass()
            if searched or reached == before:
                reached = self._search(root, depth, outside if passes else every)
            yield CosetLevel(depth, reached, searched)
            if reached == self.cubes:
                return

    def _pass(self) -> int:
        """Set the bits of all cubes to which a move of the subgroup leads, and return the number of all set."""
        self._bits, self._before = self._before, self._bits
        tables, before, bits, counts = self._coordinates.pass_tables, self._before, self._bits, self._counts
        with Workers(len(counts), self._workers, _PAGES_AT_ONCE) as threads:
            threads.run(lambda first, last: pass_moves(tables, before, bits, counts, first, last))
        return self._count()

    def _count(self) -> int:
        bits, counts = self._bits, self._counts
        with Workers(len(counts), self._workers) as threads:
            return sum(threads.run(lambda first, last: count_pages(bits, counts, first, last)))

    def _search(self, root: NDArray[np.uint16], length: int, last_moves: int) -> int:
        """Set the bits to which algs of a length lead, and return the number of all set."""
        moves, distances, bits = self._coordinates.moves, self._distances, self._bits.reshape(-1).view(np.uint64)
        if length == 0:
            if not root[[SLICE, FLIP, TWIST]].any():
                page, word, bit = self._place(root)
                self._bits[page, word] |= 1 << bit
            return self._count()
        roots = root[None]
        for _ in range(min(_SPLIT_AT, length - 1)):
            roots = self._coordinates.after(roots)
            length -= 1
        with Workers(len(roots), self._workers, 1) as threads:
            threads.run(lambda i, j: search_coset(moves, distances, roots, length, last_moves, bits, i, j))
        return self._count()

    def _place(self, node: NDArray[np.uint16]) -> tuple[int, int, int]:
        """Return the page, the word and the bit of a cube of the subgroup."""
        moves = self._coordinates.moves
        entry = int(moves.words[moves.first_numbers[node[FIRST]] + moves.second_numbers[node[SECOND]]])
        label = moves.labels[ORDERS * (entry >> 16) + int(moves.orders[node[INNER]])]
        return int(node[CORNER]), entry & 0xFFFF, int(label) >> 1

    def _cubies_at(self, page: int, word: int, bit: int) -> Cubies:
        """Return the cube of the subgroup with a bit."""
        coordinates = self._coordinates
        subgroup, words = coordinates.subgroup, coordinates.words
        corners, edges = np.arange(CORNERS.pieces), np.arange(EDGES.pieces)
        corners[coordinates.corners.places[page]] = coordinates.corner_pieces
        edges[words.places[word]] = [*subgroup.first, *subgroup.second]
        odd = int(coordinates.pass_tables.odd[page]) ^ int(words.odd[word])
        label = next(each for each in (2 * bit, 2 * bit + 1) if odd_orders(np.array([ORDERS_OF_FOUR[each]]))[0] == odd)
        order = ORDERS_OF_FOUR[composed_orders()[words.relabel[word]].tolist().index(label)]
        edges[words.inner[word, list(order)]] = subgroup.inner
        return Cubies(tuple(corners.tolist()), (0,) * 8, tuple(edges.tolist()), (0,) * 12)

    def is_reached(self, cubies: Cubies) -> bool:
        """Return whether a cube of the coset is among those of the last level.

        Raises:
            InvalidStateError: the cube is in another coset.
        """
        node = self._coordinates.root(self._cube.then(cubies.inverse()))
        if node[[SLICE, FLIP, TWIST]].any():
            raise InvalidStateError("the cube is in another coset", "unreachable")
        page, word, bit = self._place(node)
        return bool(self._bits[page, word] >> bit & 1)

    def left(self, limit: int) -> list[Cubies]:
        """Return cubes of the coset that are not among those of the last level, at most so many."""
        found = list[Cubies]()
        for page in np.flatnonzero(self._counts < WORD_BITS * self._bits.shape[1]):
            for word in np.flatnonzero(self._bits[page] != (1 << WORD_BITS) - 1):
                bits = [bit for bit in range(WORD_BITS) if not self._bits[page, word] >> bit & 1]
                found += [self._cubies_at(int(page), int(word), bit).inverse().then(self._cube) for bit in bits]
                if len(found) >= limit:
                    return found[:limit]
        return found

    def number(self, cubies: Cubies) -> int:
        """Return the number of the coset of a cube, from 0.

        Raises:
            InvalidStateError: the moves of the group do not solve the cube.
        """
        root, moves = self._coordinates.root(cubies), self._coordinates.moves
        pair = int(root[SLICE]) * len(moves.flips) + int(root[FLIP])
        return pair * len(moves.twists) + int(root[TWIST])

    def representative(self, number: int) -> Cubies:
        """Return a cube of the coset of ``urf`` with a number: all pieces are at home."""
        flip, twist = divmod(number, len(self._coordinates.moves.twists))
        corners, edges = self._coordinates.twists.states, self._coordinates.flips.states
        return Cubies(
            tuple(corners.at[twist].tolist()),
            tuple(corners.how[twist].tolist()),
            tuple(edges.at[flip].tolist()),
            tuple(edges.how[flip].tolist()),
        )

    def covering(self, moves: int) -> list[int]:
        """Return numbers of cosets of ``urf`` such that every coset is at most some moves from one of them, in order.

        If all cubes of these cosets are solved in d moves, all cubes are solved in d moves and these.
        """
        flips, twists = (each.astype(np.int64) for each in self._coordinates.moves[FLIP : TWIST + 1])
        after = (flips[:, None] * len(twists) + twists).reshape(self.cosets, -1)
        uncovered, chosen = np.ones(self.cosets, bool), list[int]()
        while uncovered.any():
            left = np.flatnonzero(uncovered)
            # Of some that are far from one another, the one that covers most; not random, to be the same everywhere.
            tried = left[(_SPREAD * np.arange(_TRIED) + len(chosen)) % len(left)].tolist()
            near = [_within(after, each, moves) for each in tried]
            best = max(range(_TRIED), key=lambda i: np.count_nonzero(uncovered[near[i]]))
            uncovered[near[best]] = False
            chosen.append(tried[best])
        return sorted(chosen)


def _within(after: NDArray[np.int64], number: int, moves: int) -> NDArray[np.int64]:
    """Return the numbers that at most some moves lead to, given those after each move, int64 (numbers, moves)."""
    found = np.array([number])
    for _ in range(moves):
        found = np.unique(np.append(found, after[found]))
    return found

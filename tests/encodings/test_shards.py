"""Shards of a space, all in this process, find what `enumerate_mod3` finds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cubesolve.catalog.rolling.model import Shape
from cubesolve.catalog.rolling.spaces import rolling_space
from cubesolve.encodings.mod3 import UNREACHED
from cubesolve.encodings.mod3.enumeration import enumerate_mod3, number_alike, start_ranks
from cubesolve.encodings.mod3.shards import Shard, bounds_of, pack, part_of, unpack, windows_of
from cubesolve.spaces.space import Levels, StateSpace
from tests.encodings.rings import ring
from tests.encodings.test_mod3 import spaces, tiles, woven
from tests.strategies import examples
from tests.subsets import later


class Sharded:
    """A space in shards that send each other packets."""

    def __init__(self, space: StateSpace, starts: NDArray[np.int64], shards: int, entries: int) -> None:
        self._space = space
        bounds = bounds_of(space, shards)
        self._windows = windows_of(space, bounds, entries)
        self._shards = [
            Shard(part_of(space, first, last), first * space.width, self._windows, starts, None)
            for first, last in itertools.pairwise(bounds)
        ]
        self._starts = starts

    def exchange(self, entry: int, among_asked: bool, take: str, *depth: int) -> int:
        leads = [shard.look_from(entry, among_asked) for shard in self._shards]
        found = 0
        for number, window in enumerate(self._windows):
            others = [shard for shard, numbers in enumerate(leads) if number in numbers and shard != window.shard]
            packets = [self._shards[shard].send(number) for shard in others]
            found += getattr(self._shards[window.shard], take)(number, packets, *depth)
        return found

    def enumerated(self, asking: int) -> Levels:
        """Return the table and the counts; the search turns backward below a ratio of unseen to new states."""
        counts, found = [], len(self._starts)
        while found:
            counts.append(found)
            depth = len(counts) - 1
            late = self._space.counted - sum(counts) < asking * number_alike(counts)
            if late:
                self.exchange(UNREACHED, False, "ask")
            found = self.exchange(depth % 3, late, "see", depth + 1)
        return np.concatenate([shard.table for shard in self._shards]), tuple(counts)


@given(spaces, st.data())
@examples(60)
def test_any_space(space: StateSpace, data: st.DataObject) -> None:
    starts = start_ranks(space, data.draw(st.lists(st.integers(0, space.states - 1), max_size=4)))
    shared = Sharded(space, starts, data.draw(st.integers(1, 4)), data.draw(st.sampled_from([1, 64, 200, 10_000])))
    table, counts = shared.enumerated(data.draw(st.sampled_from([0, 1, 1000])))
    expected, of_all = enumerate_mod3(space, starts)
    assert counts == of_all
    assert np.array_equal(table, expected)


@pytest.mark.parametrize("shards", [1, 3, later(8)])
@pytest.mark.parametrize(
    "space",
    [
        rolling_space(Shape(3, 3, "axis"), 2),
        rolling_space(Shape(3, 3, "axis"), 4, fixed=4),  # one entry stands for several states
        tiles(4),
        woven(3, 200, 50, 3),
        ring(200),
    ],
)
def test_shares_find_what_is_found_alone(space: StateSpace, shards: int) -> None:
    table, counts = Sharded(space, np.zeros(1, np.int64), shards, 100_000).enumerated(1)
    expected, of_all = enumerate_mod3(space)
    assert counts == of_all
    assert np.array_equal(table, expected)


@pytest.mark.parametrize("width", [1, 27, 64, 96])
@pytest.mark.parametrize("shards", [1, 2, 5, 1000])
def test_all_rows_are_in_shares_and_all_entries_in_windows(width: int, shards: int) -> None:
    moves = np.zeros((1, 150), np.int64)
    space = StateSpace(moves, moves.astype(np.int32), np.zeros((1, width), np.uint32))
    bounds = bounds_of(space, shards)
    assert (bounds[0], bounds[-1]) == (0, 150)
    assert bounds == sorted({*bounds})
    assert len(bounds) - 1 <= shards
    assert all(bound * width % 64 == 0 for bound in bounds[:-1])
    for entries in (1, 64, 1000, 10**9):
        windows = windows_of(space, bounds, entries)
        assert [window.first for window in windows] == [0, *(window.last for window in windows[:-1])]
        assert windows[-1].last == space.states
        for shard, first, last in windows:
            assert bounds[shard] * width <= first < last <= bounds[shard + 1] * width
            assert last - first <= max(entries, 64)


@pytest.mark.parametrize("chance", [0, 1e-4, 0.01, 1 / 32, 0.1, 0.5, 1])
def test_packets(chance: float) -> None:
    rng = np.random.default_rng(1)
    is_set = rng.random(64 * 1000) < chance
    is_set[[0, -1]] |= chance > 0
    bits = np.packbits(is_set, bitorder="little").view(np.uint64)
    before = rng.integers(0, 1 << 63, 1000, np.uint64)
    after = before.copy()
    packet = pack(bits, int(is_set.sum()))
    unpack(packet, after)
    assert np.array_equal(after, before | bits)
    assert len(packet) <= 1 + 8000
    assert len(packet) <= 4 * is_set.sum() + 30

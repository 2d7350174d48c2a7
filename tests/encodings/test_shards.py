"""Shards of a space, all in this process, find what enumerations find."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cubesolve.catalog import rules_named
from cubesolve.encodings.enumeration import Search, each_level, enumerate_levels, start_ranks
from cubesolve.encodings.shards import Shard, bounds_of, pack, part_of, unpack, windows_of
from cubesolve.spaces.space import Levels, StateSpace
from cubesolve.spaces.symmetric import space_up_to_symmetry
from cubesolve.spaces.variants import restricted
from tests.encodings.test_mod3 import spaces, with_costs
from tests.strategies import examples
from tests.subsets import later


class Sharded(Search):
    """A space in shards that send each other packets."""

    def __init__(self, space: StateSpace, starts: NDArray[np.int64], shards: int, entries: int) -> None:
        super().__init__(space, can_push=space.mutual)
        bounds = bounds_of(space, shards)
        self._windows = windows_of(space, bounds, entries)
        self._shards = [
            Shard(part_of(space, first, last), first * space.width, self._windows, starts)
            for first, last in itertools.pairwise(bounds)
        ]
        self._starts = starts

    def _with_sources(self, depth: int, cost: int, seen: bool, everywhere: bool) -> list[Shard]:
        return [shard for shard in self._shards if shard.look_from(depth, cost, seen, everywhere)]

    def push(self, depth: int, cost: int) -> int:
        total, senders = 0, self._with_sources(depth - cost, cost, True, True)
        for number, window in enumerate(self._windows):
            own = self._shards[window.shard]
            total += own.see(number, [shard.send(number) for shard in senders if shard is not own], depth)[0]
        return total

    def pull(self, depth: int, cost: int, *, everywhere: bool) -> int:
        total, asking, near = 0, self._with_sources(depth, cost, False, everywhere), depth - cost
        for (number, window), shard in itertools.product(enumerate(self._windows), asking):
            own = self._shards[window.shard]
            if shard is own:
                total += shard.see_own_sources(number, near, depth)[0]
            else:
                total += shard.see_sources(number, own.answer(number, shard.send(number), near), depth)[0]
        return total

    def enumerated(self) -> Levels:
        """Return the table and the counts."""
        self.table = np.empty(0, np.uint8)
        self.begin(self._space.number_of(self._starts))
        _, counts = each_level(self)
        return np.concatenate([shard.table for shard in self._shards]), counts


class Pulling(Sharded):
    """Shards of which unseen states always ask."""

    def __init__(self, space: StateSpace, *arguments: Any) -> None:
        super().__init__(dataclasses.replace(space, mutual=False), *arguments)


@given(spaces | with_costs(), st.data())
@examples(60)
def test_any_space(space: StateSpace, data: st.DataObject) -> None:
    starts = start_ranks(space, data.draw(st.lists(st.integers(0, space.states - 1), max_size=4)))
    kind = data.draw(st.sampled_from([Sharded, Pulling]))
    shared = kind(space, starts, data.draw(st.integers(1, 4)), data.draw(st.sampled_from([1, 64, 200, 10_000])))
    table, counts = shared.enumerated()
    expected, of_all = enumerate_levels(space, starts, bits=2)
    assert counts == of_all
    assert np.array_equal(table, expected)


@pytest.mark.parametrize("kind", [Sharded, Pulling])
@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("ivy", {}),  # symmetries that act on the fibre
        ("floppy", {}),
        later("tiles-3x3", {}),  # moves that are not always possible
        ("ivy", {"cost": "R=2"}),
        ("ivy", {"cost": "R=0"}),
        ("ivy", {"moves": "R L D B", "inverses": False}),
    ],
)
def test_up_to_symmetry(name: str, changed: dict[str, Any], kind: type[Sharded]) -> None:
    rules = restricted(rules_named(name), changed.get("moves"), changed.get("cost"), inverses="inverses" not in changed)
    found = space_up_to_symmetry(rules.graph())
    assert found is not None
    assert found.space.symmetric > 0
    table, counts = kind(found.space, np.array(found.starts), 3, 1000).enumerated()
    expected, of_all = enumerate_levels(found.space, found.starts, bits=2)
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
        by_shard = windows_of(space, bounds, entries)
        assert [window.shard for window in by_shard[: len(bounds) - 1]] == [*range(len(bounds) - 1)]
        windows = sorted(by_shard)
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
    assert len(packet) <= 8000 + 20
    assert len(packet) <= 4 * is_set.sum() + 30

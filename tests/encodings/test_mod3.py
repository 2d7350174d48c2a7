"""Tables with two bits a state: enumerations, proofs, counts, and shards of a space, which find what these find."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cubesolve.catalog import rules_named
from cubesolve.catalog.rolling.model import Shape
from cubesolve.catalog.rolling.spaces import rolling_space
from cubesolve.encodings import enumeration
from cubesolve.encodings.counting import bits_to_count
from cubesolve.encodings.entries import Fault
from cubesolve.encodings.enumeration import distribution, enumerate_depths, enumerate_levels
from cubesolve.encodings.making import made_of
from cubesolve.encodings.mod3_proof import find_mod3_fault
from cubesolve.encodings.shards import Shard, bounds_of, pack, part_of, unpack, windows_of
from cubesolve.group.moves import Effect, Move
from cubesolve.spaces.derive import derive
from cubesolve.spaces.space import Levels, StateSpace
from cubesolve.spaces.symmetric import space_up_to_symmetry
from cubesolve.spaces.variants import restricted
from tests.encodings.rings import ring
from tests.strategies import examples
from tests.subsets import later


def entries_of(table: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return all entries of a table, also those without a state."""
    return np.asarray(table[:, None] >> np.array([0, 2, 4, 6], np.uint8) & 3, np.uint8).reshape(-1)


def table_of(entries: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Return a table with these entries."""
    padded = np.concatenate([entries, np.full(-len(entries) % 32, 3)]).astype(np.uint8)
    table: NDArray[np.uint8] = (padded.reshape(-1, 4) << np.array([0, 2, 4, 6], np.uint8)).sum(axis=1, dtype=np.uint8)
    return table


def entries_by_depths(depths: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.where(depths == 255, 3, depths % 3).astype(np.uint8)


@functools.cache
def tiles(columns: int) -> StateSpace:
    """Two rows of sliding tiles, solved with the blank in a corner."""
    cells = list(itertools.product(range(2), range(columns)))
    turns = []
    for name, (down, right) in {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}.items():
        effects = []
        for blank, (row, column) in enumerate(cells):
            if (row + down, column + right) in cells:
                tile = cells.index((row + down, column + right))
                sources = list(range(len(cells)))
                sources[blank], sources[tile] = tile, blank
                effects.append(Effect(bytes(sources), ((blank, 0),)))
        turns.append(Move(name, tuple(effects)))
    return derive(bytes(range(len(cells))), turns).arrays


def scattered(seed: int, rows: int, width: int, cycles: int) -> StateSpace:
    """Moves are cycles of some states, and their inverses; rows are separated."""
    rng = np.random.default_rng(seed)
    states = rows * width
    moves = np.tile(np.arange(states, dtype=np.uint32), (4, 1))
    for move, _ in itertools.product((0, 2), range(cycles)):
        members = rng.choice(states, min(states, int(rng.integers(1, 5))), replace=False)
        moves[move, members] = moves[move, np.roll(members, 1)]
    moves[1::2] = np.argsort(moves[::2], axis=1)
    action = np.arange(4 * rows, dtype=np.int32).reshape(4, rows)
    return StateSpace(np.zeros((4, rows), np.int64), action, moves.reshape(-1, width), mutual=True)


def woven(seed: int, rows: int, width: int, moves: int) -> StateSpace:
    """Moves of whole rows, and their inverses."""
    rng = np.random.default_rng(seed)
    base = np.full((2 * moves, rows), -1, np.int64)
    action = np.zeros((2 * moves, rows), np.int32)
    fibre = [np.arange(width)]
    for move in range(0, 2 * moves, 2):
        some = rng.choice(rows, int(rng.integers(1, rows + 1)), replace=False)
        for here, there in zip(some, rng.permutation(some), strict=True):
            change = rng.permutation(width)
            base[move, here], action[move, here] = there, len(fibre)
            base[move + 1, there], action[move + 1, there] = here, len(fibre) + 1
            fibre += [change, np.argsort(change)]
    return StateSpace(base, action, np.array(fibre, np.uint32), mutual=True)


spaces = st.builds(
    lambda build, *sizes: build(*sizes),
    st.sampled_from([scattered, woven]),
    st.integers(0, 2**32),
    st.integers(1, 7),
    st.integers(1, 70),
    st.integers(1, 12),
)


# -- Enumerating -------------------------------------------------------------------------------------------------------


@given(spaces, st.data())
@examples(60)
def test_any_space(space: StateSpace, data: st.DataObject) -> None:
    starts = data.draw(st.lists(st.integers(0, space.states - 1), max_size=4))
    workers = data.draw(st.integers(1, 3))
    table, counts = enumerate_levels(space, starts, workers=workers, bits=2)
    depths = enumerate_depths(space, starts)
    assert np.array_equal(table, table_of(entries_by_depths(depths)))
    assert counts == distribution(depths)
    assert find_mod3_fault(space, table, starts, workers=workers) == (None, counts)
    rank = data.draw(st.integers(0, 4 * len(table) - 1))
    entries = entries_of(table)
    right = int(entries[rank])
    entries[rank] = wrong = (right + data.draw(st.integers(1, 3))) % 4
    fault, _ = find_mod3_fault(space, table_of(entries), starts, workers=workers)
    assert fault == Fault(rank, wrong, right, 1)


def test_depths_that_a_header_cannot_hold() -> None:
    table, counts = enumerate_levels(ring(509), bits=2)
    assert counts == (1, *[2] * 254)
    assert find_mod3_fault(ring(509), table) == (None, counts)
    with pytest.raises(ValueError, match="deeper than 254"):
        enumerate_levels(ring(510), bits=2)


@st.composite
def with_costs(draw: st.DrawFn) -> StateSpace:
    """Some moves of whole rows, with costs; not all of them have inverses. No depth is over 254."""
    space = woven(*(draw(st.integers(1, most)) for most in (2**32, 4, 30, 6)))
    some = draw(st.lists(st.sampled_from(range(len(space.base))), min_size=1, unique=True))
    costs = tuple(draw(st.sampled_from([0, 1, 2])) for _ in some)
    return dataclasses.replace(space, base=space.base[some], action=space.action[some], mutual=False, costs=costs)


@given(with_costs(), st.data())
@examples(60)
def test_costs_and_moves_without_inverses(space: StateSpace, data: st.DataObject) -> None:
    starts = data.draw(st.lists(st.integers(0, space.states - 1), max_size=4))
    levels: list[tuple[int, int, int]] = []
    depths = enumerate_depths(space, starts)
    table, counts = enumerate_levels(
        space, starts, lambda *level: levels.append(level), data.draw(st.integers(1, 3)), bits=2
    )
    assert counts == distribution(depths)
    assert [level[:2] for level in levels] == [(depth, found) for depth, found in enumerate(counts) if found]
    assert np.array_equal(entries_of(table)[: space.states], entries_by_depths(depths))


def test_what_modulo_cannot_tell_is_refused() -> None:
    one_way = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.zeros((1, 1), np.uint32))
    dear = dataclasses.replace(ring(5), costs=(1, 2))
    with pytest.raises(ValueError, match="where moves cost at most 2"):
        enumerate_levels(dataclasses.replace(ring(5), costs=(1, 3)), bits=2)
    for space in (one_way, dear):
        with pytest.raises(ValueError, match="require moves with inverses and cost 1"):
            made_of(space, [0], "name", 2)
        with pytest.raises(ValueError, match="require moves with inverses and cost 1"):
            find_mod3_fault(space, np.zeros(8, np.uint8))


def test_arguments_are_checked() -> None:
    table, _ = enumerate_levels(ring(40), bits=2)
    for starts in (40, [0, 40], [-1]):
        with pytest.raises(ValueError, match=r"start -?\d+ is not in 0\.\.39"):
            enumerate_levels(ring(40), starts, bits=2)
        with pytest.raises(ValueError, match=r"start -?\d+ is not in 0\.\.39"):
            find_mod3_fault(ring(40), table, starts)
    with pytest.raises(ValueError, match="workers"):
        enumerate_levels(ring(40), workers=0, bits=2)
    with pytest.raises(ValueError, match="workers"):
        find_mod3_fault(ring(40), table, workers=0)
    wrongs: list[Any] = [table[:10], table.view(np.uint64), np.zeros(24, np.uint8)]
    for wrong in wrongs:
        with pytest.raises(ValueError, match=r"the table must be uint8 \(16,\), not uint"):
            find_mod3_fault(ring(40), wrong)


# -- Proving -----------------------------------------------------------------------------------------------------------


def test_entries_that_agree_with_their_neighbours_prove_nothing() -> None:
    circle = np.arange(9) % 3  # every state but the start has a nearer neighbour, the way round
    assert find_mod3_fault(ring(9), table_of(circle), workers=1) == (Fault(8, 2, 1, 1), (1,))
    apart = np.array([0, 3, 3, 3, 0, 1, 2, 1, 1])  # nothing at all leads to where a depth is said to be
    space = woven(1, 9, 1, 1)
    space = dataclasses.replace(space, base=np.full_like(space.base, -1))
    assert find_mod3_fault(space, table_of(apart), workers=1) == (Fault(4, 0, 3, 5), (1,))


def test_tables_of_something_else_are_not_proved() -> None:
    space = rolling_space(Shape(2, 3, "axis"), 2)
    table, _ = enumerate_levels(space, bits=2)
    entries = entries_of(table)[: space.states]
    for shift in (1, 2):
        fault, _ = find_mod3_fault(space, table_of((entries + shift) % 3))
        assert fault == Fault(0, shift, 0, 1)
    other, _ = enumerate_levels(space, 1, bits=2)
    assert find_mod3_fault(space, other)[0] is not None
    assert find_mod3_fault(space, other, 1)[0] is None
    assert find_mod3_fault(space, table, [0, 1])[0] is not None
    assert find_mod3_fault(space, np.full_like(table, 255)) == (Fault(0, 3, 0, 1), ())


def test_tables_that_are_not_aligned_or_cannot_be_written_to() -> None:
    table, counts = enumerate_levels(tiles(3), bits=2)
    unaligned = np.empty(len(table) + 1, np.uint8)[1:]
    unaligned[:] = table
    scattered_bytes = np.repeat(table, 2)[::2]
    for same in (unaligned, scattered_bytes, np.frombuffer(table.tobytes(), np.uint8)):
        assert find_mod3_fault(tiles(3), same) == (None, counts)


# -- Counts with two bits or a byte a state ----------------------------------------------------------------------------


def test_moves_that_cost_more_than_2_are_counted_with_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubesolve.spaces.space.SMALL_SPACE", 0)  # which numpy counts
    costly = dataclasses.replace(tiles(4), costs=(3, 3, 1, 1))
    assert bits_to_count(costly) == 8
    assert bits_to_count(dataclasses.replace(costly, costs=(2, 2, 1, 1))) == 2
    assert enumerate_levels(costly, bits=bits_to_count(costly))[1] == distribution(enumerate_depths(costly))


@pytest.mark.parametrize("moves", [0, 2])
@pytest.mark.parametrize("width", [1, 3])
def test_no_actions(moves: int, width: int) -> None:
    """No move is possible, so none has an action."""
    base = np.full((moves, 2), -1, np.int64)
    space = StateSpace(base, np.zeros(base.shape, np.int32), np.zeros((0, width), np.uint32), mutual=True)
    assert enumerate_levels(space, bits=2)[1] == enumerate_levels(space, bits=bits_to_count(space))[1] == (1,)
    backward = dataclasses.replace(space, mutual=False).reversed()
    assert enumerate_levels(backward, [0, 1], bits=bits_to_count(backward))[1] == (2,)
    assert [*enumerate_depths(space)] == [0, *[255] * (2 * width - 1)]
    possible = dataclasses.replace(space, base=np.zeros((1, 2), np.int64), fibre=space.fibre[:0])
    with pytest.raises(IndexError):  # a move that is possible needs its action
        enumerate_levels(possible, bits=bits_to_count(possible))


def test_rows_of_more_states_than_16_bits_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubesolve.spaces.space.SMALL_SPACE", 0)  # which numpy counts
    rng = np.random.default_rng(1)
    moves = [each for turn in (rng.permutation(70_000), rng.permutation(70_000)) for each in (turn, np.argsort(turn))]
    space = StateSpace(np.zeros((4, 1), np.int64), np.arange(4)[:, None], np.array(moves, np.uint32), mutual=True)
    assert enumerate_levels(space)[1] == enumerate_levels(space, bits=2)[1]


# -- Shards, all in this process ---------------------------------------------------------------------------------------


class Sharded(enumeration.Search):
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
        _, counts = enumeration.each_level(self)
        return np.concatenate([shard.table for shard in self._shards]), counts


class Pulling(Sharded):
    """Shards of which unseen states always ask."""

    def __init__(self, space: StateSpace, *arguments: Any) -> None:
        super().__init__(dataclasses.replace(space, mutual=False), *arguments)


@given(spaces | with_costs(), st.data())
@examples(60)
def test_any_space_in_shards(space: StateSpace, data: st.DataObject) -> None:
    starts = enumeration.start_ranks(space, data.draw(st.lists(st.integers(0, space.states - 1), max_size=4)))
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

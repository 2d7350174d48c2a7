from __future__ import annotations

import functools
import itertools
import tracemalloc
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cubesolve import catalog
from cubesolve.catalog.rubik.cube import turn_cubies
from cubesolve.catalog.rubik.projections import CORNERS, Pieces, axis_symmetries, label_named, projection
from cubesolve.definition.notation import FACES, FaceTurn, metric_moves
from cubesolve.encodings.entries import Fault
from cubesolve.encodings.packed import enumerate_packed, find_packed_fault
from cubesolve.spaces.space import RefinedSpace, StateSpace
from tests.distances import distances
from tests.facts import RUBIK
from tests.strategies import examples
from tests.subsets import later

HTM = metric_moves("htm", FACES)


def slices(metric: str = "htm") -> RefinedSpace:
    """A space with few rows: slices by their classes, and twists."""
    return projection("none", with_flips=False).space(metric_moves(metric, FACES))


LINE, WIDTH = 243, 486


@functools.cache
def random_space(seed: int, classes: int = 2, labels: int = 2) -> RefinedSpace:
    """Two random moves; most states are not neighbours of their neighbours."""
    rng = np.random.default_rng(seed)
    return RefinedSpace(
        np.array([rng.permutation(classes) for _ in range(2)], np.int32),
        rng.integers(0, 3, (2, classes)).astype(np.uint16),
        rng.integers(0, 2, (2, classes)).astype(np.int32),
        np.array([rng.permutation(labels) for _ in range(2)], np.uint8),
        np.array([rng.permutation(WIDTH) for _ in range(3)], np.uint16),
    )


@functools.cache
def lookers_in(space: RefinedSpace) -> list[list[int]]:
    """Return the predecessors of each state, from the space as one base and one fibre.

    A state that a symmetry maps to another of its row occurs twice there, but moves may lead to only one of the two.
    So neighbours are not mutual: depths are found by looking from each state to its neighbours, never the other way.
    """
    count = space.labels.shape[1]
    rows = space.base[:, :, None] * np.int32(count) + space.labels[space.relabel]
    action = np.repeat(space.action, count, axis=1)
    whole = StateSpace(rows.reshape(len(rows), -1), action, space.fibre.astype(np.uint32))
    lookers: list[list[int]] = [[] for _ in range(whole.states)]
    for rank, neighbours in enumerate(whole.neighbours_of(np.arange(whole.states)).tolist()):
        for neighbour in neighbours:
            lookers[neighbour].append(rank)
    return lookers


def depths_from(space: RefinedSpace, starts: Iterable[int]) -> list[int]:
    """Return the least number of moves from each state to some states, 99 if there is no path."""
    lookers = lookers_in(space)
    depths = distances(starts, lookers.__getitem__)
    return [depths.get(rank, 99) for rank in range(len(lookers))]


def table_of(depths: list[int], base: int, zeros: int = 0) -> np.ndarray:
    """Return the body that docs/format.md describes; with `zeros`, entries are 0 up to another depth."""
    table = bytearray()
    for first in range(0, len(depths), LINE):
        line = depths[first : first + LINE]
        codes = [min(max(depth - base - zeros, 0), 3) for depth in line]
        entries = sum(code << 2 * i for i, code in enumerate(codes))
        table += entries.to_bytes(63, "little")
        table.append(min(codes) + base if min(codes) else min(line))
    return np.frombuffer(table, np.uint8)


def fault_in(space: RefinedSpace, table: np.ndarray, base: int, workers: int = 1) -> Fault | None:
    return find_packed_fault(space, table.copy(), base, workers)


# -- Enumerations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [1, 4, 6, 9])
@pytest.mark.parametrize("space", [random_space(5, 3, 4), later(slices()), later(slices("qtm"))])
def test_every_entry_says_its_depth(space: RefinedSpace, base: int) -> None:
    levels: list[tuple[int, int, int]] = []
    table, counts = enumerate_packed(space, base, lambda *level: levels.append(level))
    depths = depths_from(space, {0})
    assert np.array_equal(table, table_of(depths, base))
    assert counts == tuple(np.bincount(np.minimum(depths, base + 3), minlength=base + 4).tolist())
    assert levels == [(d, n, sum(counts[: d + 1])) for d, n in enumerate(counts[:-1])]
    for workers in (1, 3):
        assert np.array_equal(enumerate_packed(space, base, workers=workers)[0], table)
    assert find_packed_fault(space, table, base) is None


# -- Proofs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [1, *(later(base) for base in (0, 4))])
def test_every_single_wrong_entry_is_found(base: int) -> None:
    space = random_space(9)
    depths, lookers = depths_from(space, {0}), lookers_in(space)
    assert not any(rank in near for rank, near in enumerate(lookers))
    right = table_of(depths, base)
    assert fault_in(space, right, base) is None
    for rank, depth in enumerate(depths):
        code = min(max(depth - base, 0), 3)
        for wrong in {0, 1, 2, 3} - {code}:
            table = right.copy()
            table[rank // LINE * 64 + rank % LINE // 4] ^= (code ^ wrong) << 2 * (rank % LINE % 4)
            fault = fault_in(space, table, base)
            assert fault is not None
            # It is named, or what looks at it, or the line that has no entry 0 without it.
            assert fault.rank in {rank, *lookers[rank], rank // LINE * LINE}
            if fault.rank == rank and rank % LINE:
                # By a wrong 2 or 3 its neighbours say no more than that it is at most base + 1, if one of them is 0.
                says = base + code if code else depth if wrong == 1 or rank == 0 else base + 1
                assert fault[1:3] == (base + wrong, says)


@pytest.mark.parametrize("base", [0, 4])
def test_every_wrong_smallest_depth_and_every_bit_beyond_the_entries_is_found(base: int) -> None:
    space = random_space(9)
    right = table_of(depths_from(space, {0}), base)
    for line, smallest in enumerate(right[63::64].tolist()):
        beyond = ((bit // 8, 1 << bit % 8) for bit in range(2 * LINE, 8 * 63))
        for place, flipped in (*((63, flipped) for flipped in range(1, 256)), *beyond):
            table = right.copy()
            table[64 * line + place] ^= flipped
            assert fault_in(space, table, base) == (LINE * line, table[64 * line + 63], smallest, 1)


@given(
    st.integers(0, 9),
    st.integers(0, 9),
    st.sampled_from([(), (0,), (0,), (0,)]),
    st.sets(st.integers(0, 4 * WIDTH - 1), max_size=2),
    st.integers(-2, 2),
    st.dictionaries(st.integers(0, 4 * 128 - 1), st.integers(0, 255), max_size=3),
)
@example(3, 4, (), set(), 0, {})  # nothing is near: neighbours agree
@example(3, 4, (), {7}, 0, {})  # the depths from another state
@example(3, 4, (0,), {7}, 0, {})  # from two
@example(3, 4, (0,), set(), 1, {})  # too many entries are 0
@example(3, 4, (0,), set(), -1, {})  # too few
@examples(80)
def test_only_the_right_table_is_proved(
    seed: int, base: int, start: tuple[int, ...], others: set[int], zeros: int, damage: dict[int, int]
) -> None:
    space = random_space(seed)
    right = table_of(depths_from(space, {0}), base)
    table = table_of(depths_from(space, {*start, *others}), base, zeros)
    for place, byte in damage.items():
        table[place] = byte
    fault = fault_in(space, table, base)
    assert (fault is None) == bool((table == right).all())
    assert fault_in(space, table, base, workers=3) == fault


def test_a_proof_needs_no_second_table() -> None:
    space = random_space(2, classes=20, labels=200)
    table, _ = enumerate_packed(space, 8)
    assert fault_in(space, table, 8) is None  # its kernels are compiled
    tracemalloc.start()
    try:
        assert find_packed_fault(space, table, 8) is None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(table) / 5


def test_arguments_are_checked() -> None:
    space = slices()
    narrow = RefinedSpace(space.base, space.action, space.relabel, space.labels, space.fibre[:, :100])
    wrong: dict[str, Callable[[], object]] = {
        "workers must be at least 1": lambda: enumerate_packed(space, 4, workers=0),
        "must have 25920 bytes": lambda: find_packed_fault(space, np.zeros(64, np.uint8), 4),
        "can be overwritten": lambda: find_packed_fault(space, np.frombuffer(bytes(25920), np.uint8), 4),
        "rows of 100 entries cannot be cut into lines of 243": lambda: enumerate_packed(narrow, 4),
        "no such label": lambda: label_named("colour"),
        "not a packed": lambda: catalog.rules_named("rubik").refined_space(catalog.tables()["pocket-htm"]),
    }
    for message, ask in wrong.items():
        with pytest.raises(ValueError, match=message):
            ask()


@pytest.mark.parametrize(
    ("label", "number"), [("order", 6), later("sets", 35), later("parity", 70), later("tetrads", 210)]
)
def test_classes_and_labels(label: str, number: int) -> None:
    assert len({symmetry.faces for symmetry in axis_symmetries()}) == 16
    assert sum(symmetry.reflection for symmetry in axis_symmetries()) == 8
    assert [projection("none").rows, projection(label).rows] == [64430, 64430 * number]
    space = projection(label).space(HTM)
    # Moves permute the labels, and from where one leads to, some move leads back to the class.
    assert (np.sort(space.labels, axis=1) == np.arange(space.labels.shape[1])).all()
    for m in range(len(HTM)):
        assert (space.base[:, space.base[m]] == np.arange(len(space.base[m]))).any(axis=0).all()


def test_tetrads_tell_what_half_turns_leave() -> None:
    at = np.array(list(itertools.permutations(range(8))))
    part = label_named("tetrads").corners
    labels = part.raw(Pieces(CORNERS, at, np.zeros_like(at)))
    assert np.bincount(labels).tolist() == [192] * 210  # as many as half turns and a quarter of the whole cube make
    assert labels[0] == 0
    assert part.raw(part.states).tolist() == list(range(210))
    quarter = (3, 0, 1, 2, 7, 4, 5, 6)
    for renamed in (*(turn_cubies(FaceTurn(face, 2)).corners for face in FACES), quarter):
        assert np.array_equal(part.raw(Pieces(CORNERS, np.array(renamed)[at], np.zeros_like(at))), labels)
    for name, number in (("sets", 35), ("parity", 70)):  # each tells a part of that
        less = label_named(name).corners.raw(Pieces(CORNERS, at, np.zeros_like(at)))
        assert np.bincount(less).tolist() == [40_320 // number] * number
        assert len(np.unique(np.stack([less, labels]), axis=1).T) == 210


@pytest.mark.parametrize("name", ["rubik-htm-small", "rubik-htm-medium", "corners-htm"])
def test_catalog_has_the_levels_of_another_program(name: str) -> None:
    header = catalog.tables()[name].header
    levels = tuple(RUBIK["levels"][name])
    assert header.distribution[: len(levels)] == levels
    assert header.reachable == header.entries
    assert not catalog.tables()[name].by_default

"""One bit per state gives the counts of two bits and the depths of bytes."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import tracemalloc
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cubesolve.catalog import rules_named
from cubesolve.catalog.rolling.model import Shape, fixing
from cubesolve.catalog.rolling.spaces import rolling_space
from cubesolve.encodings.byte import descent
from cubesolve.encodings.byte.distances import Distances
from cubesolve.encodings.byte.enumeration import distribution, enumerate_depths
from cubesolve.encodings.counting import bits_to_count, bytes_to_count, count_states, has_one_bit, takes_file
from cubesolve.encodings.faults import Fault
from cubesolve.encodings.mod3.enumeration import enumerate_mod3
from cubesolve.encodings.parity.colouring import colouring_of, has_parity
from cubesolve.encodings.parity.distances import ParityDistances
from cubesolve.encodings.parity.enumeration import count_by_parity, enumerate_bits
from cubesolve.encodings.parity.file import count_with_file
from cubesolve.encodings.parity.probe import ParityProbe
from cubesolve.encodings.parity.proof import find_bit_fault
from cubesolve.errors import CorruptTableError, TableError, TooLargeError
from cubesolve.spaces import space_of
from cubesolve.spaces.defined import DerivedGraph, derived
from cubesolve.spaces.derived import make_ready
from cubesolve.spaces.rules import GraphRules
from cubesolve.spaces.space import FibreSymmetries, Levels, StateSpace
from cubesolve.spaces.symmetric import space_up_to_symmetry
from cubesolve.spaces.variants import restricted
from tests.encodings.graphs import SpaceGraph
from tests.encodings.rings import of_both_parities, ring
from tests.encodings.test_mod3 import spaces, tiles, with_costs
from tests.facts import POCKET, PUZZLES
from tests.processes import run_python
from tests.strategies import examples
from tests.subsets import later, only

_USUAL = {("full", 2, 2), ("face", 2, 3), ("axis", 1, 5)}
SHAPES = [("full", 2, 2), ("face", 2, 3), ("axis", 2, 4), ("axis", 3, 3), ("axis", 1, 5), ("full", 2, 1)]
TRAYS = [
    pytest.param(
        *(shape, plus, fixed),
        id=f"{shape.model.name} {shape.rows}x{shape.cols} +{plus} {fixed}",
        marks=[pytest.mark.exhaustive] * (named not in _USUAL),
    )
    for named in SHAPES
    for shape in [Shape(*named[1:], named[0])]
    for plus in {shape.slots // 2, shape.slots if shape.model.has_signs else 0}
    for fixed in {None, 0, shape.cells // 2}
]


def unreached(table: NDArray[Any], states: int) -> NDArray[np.bool_]:
    return np.unpackbits(table, bitorder="little")[:states].astype(bool)


@pytest.mark.parametrize(("shape", "plus", "fixed"), TRAYS)
def test_trays(shape: Shape, plus: int, fixed: int | None) -> None:
    """Every roll changes the parity, so one bit per state is enough for counting."""
    space = rolling_space(shape, plus, fixed=fixed)
    assert space.parity is not None
    ranks = np.random.default_rng(1).integers(0, space.states, 10_000)
    for there in space.neighbours_of(ranks).T:
        led = there >= 0
        assert np.all(space.parity[there[led] // space.width] != space.parity[ranks[led] // space.width])
    start = space.states - 1
    levels: list[tuple[int, int, int]] = []
    table, counts = count_by_parity(space, start, lambda *level: levels.append(level), 1)
    of_table, expected = enumerate_mod3(space, start)
    assert counts == expected
    for workers in (2, 3):
        assert count_by_parity(space, start, workers=workers)[1] == counts
    assert levels == [(depth, found, sum(counts[: depth + 1])) for depth, found in enumerate(counts)]
    assert np.array_equal(
        unreached(table, space.states), unreached(of_table & of_table >> 1, 8 * len(of_table))[::2][: space.states]
    )
    assert len(fixing(shape, 0)) > 1 or fixed is None or space.counted == space.states


@given(spaces, st.data())
@examples(60)
def test_any_space(single: StateSpace, data: st.DataObject) -> None:
    space = of_both_parities(single)
    side = data.draw(st.integers(0, 1)) * single.states
    starts = data.draw(st.lists(st.integers(side, side + single.states - 1), max_size=4))
    depths = enumerate_depths(space, starts)
    table, counts = count_by_parity(space, starts, workers=data.draw(st.integers(1, 3)))
    assert counts == distribution(depths)
    assert np.array_equal(unreached(table, space.states), depths == 255)


@given(with_costs(), st.data())
@examples(40)
def test_moves_without_inverses(single: StateSpace, data: st.DataObject) -> None:
    space = dataclasses.replace(of_both_parities(single), costs=())
    starts = data.draw(st.lists(st.integers(0, single.states - 1), max_size=4))
    depths = enumerate_depths(space, starts)
    table, counts = count_by_parity(space, starts, workers=data.draw(st.integers(1, 3)))
    assert counts == distribution(depths)
    assert np.array_equal(unreached(table, space.states), depths == 255)


@given(spaces | with_costs(), st.data())
@examples(40)
def test_another_bit_in_a_file(single: StateSpace, data: st.DataObject) -> None:
    space = dataclasses.replace(single, costs=())
    starts = data.draw(st.lists(st.integers(0, single.states - 1), max_size=4))
    depths = enumerate_depths(space, starts)
    with mock.patch("cubesolve.encodings.parity.file._AT_ONCE", data.draw(st.sampled_from([1, 1 << 26]))):
        table, counts = count_with_file(space, starts, workers=data.draw(st.integers(1, 3)))
    assert counts == distribution(depths)
    assert np.array_equal(unreached(table, space.states), depths == 255)


def _reduced(name: str) -> StateSpace:
    found = space_up_to_symmetry(derived(rules_named(name)).graph())
    assert found is not None
    return found.space


@pytest.mark.parametrize("name", ["ivy", "topspin-8-4"])
def test_a_file_is_taken_where_the_memory_is_too_small(name: str, tmp_path: Path) -> None:
    space = _reduced(name)
    least = bytes_to_count(space, 1)
    assert [bits_to_count(space, 0, memory) for memory in (least, bytes_to_count(space, 2))] == [1, 2]
    assert takes_file(space, 1)
    assert count_states(space, memory=least, folder=str(tmp_path / "new")) == enumerate_mod3(space)[1]
    assert not [*(tmp_path / "new").iterdir()]
    with pytest.raises(TooLargeError):
        count_states(space, memory=least - 1)
    with pytest.raises(TableError, match="cannot be used: "):
        count_states(space, memory=least, folder="/dev/null")
    with pytest.raises(ValueError, match="where moves cost 1"):
        count_with_file(dataclasses.replace(space, costs=(2,) * len(space.base)))


class _StoppedError(Exception):
    """The exception by which a test interrupts a count."""


class _Stopping:
    """A checkpointer that has the levels of each interruption."""

    kept: Levels | None = None

    def begun(self) -> Levels | None:
        return None if self.kept is None else (self.kept[0].copy(), self.kept[1])

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        if self.kept is None or len(counts) > len(self.kept[1]):
            self.kept = table.copy(), counts
            raise _StoppedError


def test_a_count_with_a_file_continues_from_each_level() -> None:
    space, stopping, levels = _reduced("ivy"), _Stopping(), 0
    expected = enumerate_mod3(space)[1]
    while levels < len(expected):
        with pytest.raises(_StoppedError):
            count_with_file(space, checkpointer=stopping)
        levels += 1
    assert count_with_file(space, checkpointer=stopping)[1] == expected


def test_smallest_spaces() -> None:
    two = of_both_parities(ring(1))
    assert [count_by_parity(two, start)[1] for start in (0, 1)] == [(1, 1)] * 2
    assert count_by_parity(two, [])[1] == ()


@pytest.mark.parametrize("moves", [0, 2])
@pytest.mark.parametrize("width", [1, 3])
def test_no_actions(moves: int, width: int) -> None:
    """No move is possible, so that none has an action."""
    base = np.full((moves, 2), -1, np.int64)
    space = StateSpace(base, np.zeros(base.shape, np.int32), np.zeros((0, width), np.uint32), mutual=True)
    assert has_one_bit(space, 0)
    assert count_by_parity(space)[1] == enumerate_mod3(space)[1] == count_states(space) == (1,)
    assert count_states(dataclasses.replace(space, mutual=False).reversed(), [0, 1]) == (2,)
    assert [*enumerate_depths(space)] == [0, *[255] * (2 * width - 1)]
    with pytest.raises(IndexError):  # a move that is possible needs its action
        count_states(dataclasses.replace(space, base=np.zeros((1, 2), np.int64), fibre=space.fibre[:0]))


REFUSED: list[tuple[StateSpace, Any, str]] = [
    (ring(5), 0, "where every move changes its parity"),
    (of_both_parities(ring(4)), [0, 4], "all starts have the same"),
    (ring(4), [0, 1], "all starts have the same"),
    (of_both_parities(ring(4)), 8, "not in 0"),
    (dataclasses.replace(of_both_parities(ring(5)), costs=(1, 2)), 0, "where moves cost 1, and have inverses"),
    (dataclasses.replace(of_both_parities(ring(4)), mutual=False, symmetric=1), 0, "have inverses up to symmetry"),
    (of_both_parities(ring(255)), 0, "deeper than 254"),
]


@pytest.mark.parametrize(("space", "starts", "message"), REFUSED)
def test_what_is_refused(space: StateSpace, starts: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        count_by_parity(space, starts)
    assert len(count_by_parity(of_both_parities(ring(253)))[1]) == 254


# -- Finding a parity --------------------------------------------------------------------------------------------------


def _space(name: str, metric: str = "htm", moves: str | None = None) -> tuple[StateSpace, list[int]]:
    rules = rules_named(name) if moves is None else restricted(rules_named(name), moves)
    assert isinstance(rules, GraphRules)
    graph = rules.graph(metric=metric)
    if isinstance(graph, DerivedGraph):
        make_ready(graph)
    return space_of(graph), [*graph.starts]


def _has_sides(space: StateSpace) -> bool:
    """Whether the graph is bipartite, by following the moves from state 0."""
    sides = np.full(space.states, 2, np.int8)
    sides[0], newest, side = 0, np.array([0]), 0
    while len(newest):
        led = np.zeros(space.states + 1, np.bool_)
        led[space.neighbours_of(newest)] = True  # the last, for moves that are not possible
        if np.any(led[:-1] & (sides == side)):
            return False
        newest, side = np.flatnonzero(led[:-1] & (sides == 2)), 1 - side
        sides[newest] = side
    return True


DERIVED = [
    ("floppy", "htm", None),
    later("pyramorphix", "htm", None),
    later("pyramorphix", "qtm", None),
    later("tower", "htm", None),
    ("tower", "qtm", None),
    ("tiles-2x4", "htm", None),
    ("pyraminx-duo", "htm", None),
    ("pancake-7", "htm", None),
    ("pancake-7", "htm", "f2 f3 f6 f7"),
    ("pancake-8", "htm", "f2 f3 f6 f7"),
    ("topspin-8-4", "htm", None),
    ("rubik", "htm", "U2 R2 F2"),
    ("rubik", "htm", "U2 R2"),
    later("pocket", "htm", None),
    later("pocket", "qtm", None),
]


@pytest.mark.parametrize(("name", "metric", "moves"), DERIVED)
def test_a_parity_is_found_just_where_there_is_one(name: str, metric: str, moves: str | None) -> None:
    space, starts = _space(name, metric, moves)
    colouring = colouring_of(space)
    assert (colouring is not None) == has_parity(space, starts) == _has_sides(space)
    if colouring:
        ranks = np.arange(min(space.states, 100_000))
        there = space.neighbours_of(ranks)
        sides = colouring.parities(np.maximum(there, 0).reshape(-1)).reshape(there.shape)
        assert np.all((sides != colouring.parities(ranks)[:, None]) | (there < 0))


@given(spaces, st.sampled_from([1, 1 << 22]))
@examples(200)
def test_a_parity_that_is_found_is_one(space: StateSpace, at_once: int) -> None:
    with mock.patch("cubesolve.encodings.parity.colouring._AT_ONCE", at_once):
        colouring = colouring_of(space)
    if colouring:
        ranks = np.arange(space.states)
        for there in space.neighbours_of(ranks).T:
            led = there >= 0
            assert np.all(colouring.parities(there[led]) != colouring.parities(ranks[led]))


def test_a_parity_of_symmetries() -> None:
    """A symmetry that acts on the fibre before a move may change the parity of the fibre, and the move that of rows."""
    rotate = np.roll(np.arange(4, dtype=np.uint32), -1)
    actions = np.tile(np.arange(4, dtype=np.uint32), (300, 1))  # more than the numbers of symmetries can name
    base = np.array([[0], [0]])
    images = np.stack([np.arange(4, dtype=np.uint32), rotate, np.argsort(rotate).astype(np.uint32)])
    acting = FibreSymmetries(np.array([[1], [2]], np.uint8), images)
    space = StateSpace(base, np.array([[299], [0]], np.int32), actions, True, symmetries=acting)
    found = colouring_of(space)
    assert found is not None
    assert found.fibre.tolist() == [0, 1, 0, 1]
    assert [list(space.neighbours(rank)) for rank in range(4)] == [[1, 3], [2, 0], [3, 1], [0, 2]]
    assert count_by_parity(space)[1] == enumerate_mod3(space)[1] == (1, 2, 1)
    assert enumerate_depths(space).tolist() == [0, 1, 2, 1]
    table, counts = enumerate_bits(space)
    assert find_bit_fault(space, table) == (None, counts) == (None, (1, 2, 1))


@pytest.mark.parametrize("odd", [0, 1])
def test_a_parity_is_found_in_little_memory(odd: int) -> None:
    """A large space has gigabytes of actions, which are not copied."""
    actions = np.tile(np.arange(2048, dtype=np.uint32), (1024, 1))
    actions[:, 1:] = np.random.default_rng(1).permuted(actions[:, 1:], axis=1)
    base = np.array([[1, 0] * 512])
    base[0, 0] = base[0, 0] * (1 - odd)
    space = StateSpace(base, np.arange(1024, dtype=np.int32)[None], actions, True)
    with mock.patch("cubesolve.encodings.parity.colouring._AT_ONCE", 1 << 14):
        tracemalloc.start()
        found = colouring_of(space)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (found is None) == bool(odd)
    assert peak < space.nbytes // 4


def test_a_parity_that_is_said_is_checked() -> None:
    wrong = dataclasses.replace(ring(4), parity=np.array([0, 0, 1, 1], np.uint8))
    assert colouring_of(wrong) is None
    assert colouring_of(dataclasses.replace(wrong, parity=np.array([1, 0, 1, 0], np.uint8))) is not None
    with pytest.raises(ValueError, match="where every move changes its parity"):
        count_by_parity(wrong)


# -- Counting ----------------------------------------------------------------------------------------------------------

PUBLISHED = {
    "sliding tiles": (("tiles-3x3",), PUZZLES["8-puzzle corner"]["distribution"], 1),
    "quarter turns": (("pocket", "qtm"), POCKET["qtm"], 1),
    "squares": (("rubik", "htm", "U2 R2 F2 D2 L2 B2"), PUZZLES["3x3x3 squares group"]["distribution"], 1),
    "half turns": (("pocket", "htm"), POCKET["htm"], 2),
    "corners and centres": (("skewb",), PUZZLES["skewb"]["distribution"], 2),
}


@pytest.mark.parametrize("family", only({"sliding tiles", "half turns"}, PUBLISHED))
def test_published_numbers_are_counted_with_one_bit_where_that_is_enough(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, published, bits = PUBLISHED[family]
    space, starts = _space(*question)
    monkeypatch.setattr("cubesolve.spaces.space.SMALL_SPACE", 0)
    assert bits_to_count(space, starts) == bits
    assert list(count_states(space, starts)) == published


def test_pancakes_with_flips_that_are_odd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubesolve.spaces.space.SMALL_SPACE", 0)
    space, starts = _space("pancake-7", moves="f2 f3 f6 f7")
    assert bits_to_count(space, starts) == 1
    reached, counts = {tuple(range(7))}, list[int]()
    newest = reached
    while newest:
        counts.append(len(newest))
        newest = {stack[:n][::-1] + stack[n:] for stack in newest for n in (2, 3, 6, 7)} - reached
        reached = reached | newest
    assert list(count_states(space, starts)) == counts


def test_what_needs_bytes_is_counted_with_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubesolve.spaces.space.SMALL_SPACE", 0)
    costly = dataclasses.replace(tiles(4), costs=(3, 3, 1, 1))
    assert bits_to_count(costly) == 8
    assert bits_to_count(dataclasses.replace(costly, costs=(2, 2, 1, 1))) == 2
    assert count_states(costly) == distribution(enumerate_depths(costly))


def test_counting_is_refused_where_the_memory_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubesolve.runtime.machine.half_of_memory", lambda: 100)
    with pytest.raises(TooLargeError):
        count_states(tiles(3))


# -- Tables ------------------------------------------------------------------------------------------------------------


def bits_of(table: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.unpackbits(table, bitorder="little")


def _tables() -> list[Any]:
    cases = [tiles(3), ring(64), ring(130), _space("floppy")[0], of_both_parities(ring(33)), _space("tower", "qtm")[0]]
    return [pytest.param(space, id=f"{space.rows} x {space.width}") for space in cases]


@pytest.mark.parametrize("space", _tables())
def test_entries_are_the_higher_bits_of_depths(space: StateSpace) -> None:
    depths = enumerate_depths(space)
    for workers in (1, 2, 5):
        table, counts = enumerate_bits(space, workers=workers)
        assert counts == distribution(depths)
        assert np.array_equal(bits_of(table)[: space.states], depths >> 1 & 1)
        assert bits_of(table)[space.states :].all()
        assert find_bit_fault(space, table, workers=workers) == (None, counts)


@pytest.mark.parametrize("space", [later(tiles(3)), ring(70)])
def test_every_single_wrong_entry_is_named(space: StateSpace) -> None:
    table, _ = enumerate_bits(space)
    for place in range(8 * len(table)):
        table[place >> 3] ^= 1 << (place & 7)
        fault, _ = find_bit_fault(space, table, workers=1)
        right = 1 - int(bits_of(table)[place])
        assert fault == Fault(place, 1 - right, right, 1)
        table[place >> 3] ^= 1 << (place & 7)


def test_several_starts() -> None:
    space = tiles(4)
    starts = np.flatnonzero(enumerate_depths(space) % 2 == 0)[::900]
    table, counts = enumerate_bits(space, starts)
    depths = enumerate_depths(space, starts)
    assert np.array_equal(bits_of(table)[: space.states], depths >> 1 & 1)
    assert find_bit_fault(space, table, starts) == (None, counts)
    assert find_bit_fault(space, table, starts[1:])[0] is not None


def test_states_from_which_no_start_is_reached_have_no_entry() -> None:
    apart = of_both_parities(ring(4))  # two rings
    with pytest.raises(ValueError, match="no entry for states from which no start can be reached"):
        enumerate_bits(apart)
    table, counts = enumerate_bits(apart, [0, 1])
    assert counts == (2, 4, 2)
    fault, counts = find_bit_fault(apart, table)
    assert fault == Fault(1, 0, 255, 4)
    assert counts == (1, 2, 1)


@pytest.mark.parametrize("space", [tiles(3), ring(130), later(_space("tower", "qtm")[0])])
def test_one_bit_answers(space: StateSpace) -> None:
    table, counts = enumerate_bits(space)
    depths, graph = enumerate_depths(space), SpaceGraph(space)
    distances, by_bytes = ParityDistances(graph, table.tobytes()), Distances(graph, depths.tobytes())
    ranks = np.random.default_rng(1).integers(0, space.states, 300)
    for rank in ranks[:100].tolist():
        assert distances[rank] == depths[rank]
        assert distances.first_steps(rank) == by_bytes.first_steps(rank)
        assert distances.solution(rank) == by_bytes.solution(rank)
        assert distances.number(rank) == by_bytes.number(rank) if space.width > 1 else True
    probe = ParityProbe(graph, table.tobytes(), counts)
    found, lengths = np.empty(300, np.uint8), np.empty(300, np.uint8)
    probe.find_depths(ranks, found)
    assert np.array_equal(found, depths[ranks])
    moves, expected = (np.empty((300, len(counts)), np.uint8) for _ in range(2))
    probe.descend(300)(ranks, moves, lengths)
    descent.descend(space, depths, ranks, expected, found)
    assert np.array_equal(moves, expected)
    assert np.array_equal(lengths, found)


def test_entries_that_lead_nowhere_are_no_depths() -> None:
    space = tiles(3)
    table, _ = enumerate_bits(space)
    for seed in range(20):
        wrong = np.random.default_rng(seed).integers(0, 256, len(table), dtype=np.uint8).tobytes()
        distances = ParityDistances(SpaceGraph(space), wrong)
        for rank in range(0, space.states, 7):
            with contextlib.suppress(CorruptTableError):
                way, at = distances.solution(rank), rank
                for move in way:
                    at = distances.graph.neighbours(at)[move]
                assert at == 0


@pytest.mark.exhaustive
def test_kernels_in_plain_python() -> None:
    code = (
        "import contextlib\n"
        "from cubesolve.encodings.parity.colouring import has_parity\n"
        "from cubesolve.encodings.parity.enumeration import count_by_parity, enumerate_bits\n"
        "from cubesolve.encodings.parity.proof import find_bit_fault\n"
        "from tests.encodings.rings import of_both_parities, ring\n"
        "for space in (ring(70), of_both_parities(ring(5))):\n"
        "    for starts in ([0], [0, space.states // 2] if space.rows == 10 else [0, 2]):\n"
        "        if not has_parity(space, starts):\n"
        "            continue\n"
        "        print(count_by_parity(space, starts, workers=2)[0].tolist())\n"
        "        with contextlib.suppress(ValueError):\n"
        "            table, counts = enumerate_bits(space, starts, workers=2)\n"
        "            print(table.tolist(), find_bit_fault(space, table, starts, workers=2))\n"
        "            table[0] ^= 2\n"
        "            print(find_bit_fault(space, table, starts, workers=2))\n"
    )
    plain = run_python(code, {"NUMBA_DISABLE_JIT": "1"}, fresh=True)
    assert plain.returncode == 0, plain.stderr
    with contextlib.redirect_stdout(io.StringIO()) as compiled:
        exec(code, {})  # here they are compiled
    assert plain.stdout == compiled.getvalue() != ""

"""Deriving spaces keeps within limits; spaces that are too large are counted and not enumerated."""

from __future__ import annotations

import math
import pickle
import random
import tracemalloc
import weakref
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import cubesolve
from cubesolve.catalog import rules_named
from cubesolve.definition.definition import Orbit
from cubesolve.definition.formats import parse_cycles
from cubesolve.encodings.enumeration import distribution, enumerate_depths
from cubesolve.errors import CorruptTableError, TooLargeError
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, after, arrangement, inverse
from cubesolve.spaces import derive as deriving
from cubesolve.spaces import form_of, rows, space_of
from cubesolve.spaces.coordinates import MOST_STATES, Coordinates
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.derive import derive, packed, unpacked_moves
from cubesolve.spaces.derived import derived_space, make_ready
from cubesolve.spaces.levels import LevelSearch
from cubesolve.spaces.placements import LabelMoves, basis_of, ways_to
from cubesolve.spaces.rows import RowIndex
from cubesolve.spaces.variants import towards
from cubesolve.store import tablefile
from cubesolve.store.build import build
from tests.definitions.samples import permuted, rules_of
from tests.distances import distances
from tests.encodings.rings import counts_of


def _mixed(number: int, *sizes: int) -> list[Move]:
    """Random permutations of points in blocks of these sizes, and their inverses."""
    source, changes = random.Random(3), list[Arrangement]()
    for _ in range(number):
        blocks = list[int]()
        for size in sizes:
            blocks += source.sample(range(len(blocks), len(blocks) + size), size)
        changes.append(arrangement(blocks))
    return [Move(f"m{i}_", (Effect(each),)) for i, each in enumerate([*changes, *map(inverse, changes)])]


@pytest.mark.parametrize("most", [1 << 16, 40, 20])
def test_moves_may_do_many_different_things_in_a_row(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Files number actions with 16 bits; if that is not enough, the rows are made smaller."""
    turns, start = _mixed(3, 5, 6), bytes([0, 1, 2, 3, 4, 5, 5, 5, 8, 8, 8])
    monkeypatch.setattr(deriving, "MOST_ACTIONS", most)
    space = derive(start, turns)
    assert len(space.arrays.fibre) <= most
    assert (len(space.arrays.fibre) > 40) == (most > 40)
    known = distances([arrangement(start)], lambda state: (after(state, turn.effects[0].sources) for turn in turns))
    assert distribution(enumerate_depths(space.arrays, [0])) == tuple(Counter(known.values()).values())
    again = unpacked_moves(packed(space, [start]), turns, [turn.effects[0].sources for turn in turns])
    assert (again.action == space.arrays.action).all()
    assert (again.fibre == space.arrays.fibre).all()


@pytest.mark.parametrize("name", ["topspin-8-4", "tiles-2x3", "ivy"])
def test_edges_are_numbered_alike_in_any_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks have 64 bits: spaces of more than 2^31 states are derived alike, and kernels take no others."""
    bodies = set[bytes]()
    for at_once in (1 << 22, 100):
        monkeypatch.setattr(rows, "AT_ONCE", at_once)
        bodies.add(make_ready(graph := DerivedGraph(rules_of(name), "htm")))
    assert len(bodies) == 1
    space, ranks = derived_space(graph), np.array([0, 1, graph.states - 1])
    again = space.ranks(space.states(ranks))
    assert (again.dtype.name, again.tolist()) == ("int64", ranks.tolist())


def test_an_enumeration_makes_no_more_of_a_space_than_its_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = DerivedGraph(rules_of("tiles-2x3"), "htm")
    make_ready(graph)
    with monkeypatch.context() as without:
        without.setattr(deriving, "ways_to", None)
        moves = space_of(graph)
    assert derived_space(graph).arrays is moves


def test_the_moves_are_released_before_a_table_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_of(permuted({"A": [1, 2, 0, 3], "B": [0, 2, 3, 1]}))
    graph, alive = rules.graph(metric="htm"), []  # no other test has used it
    moves = weakref.ref(space_of(graph))
    monkeypatch.setattr(tablefile, "write", lambda *_: alive.append(moves()))
    build(rules, graph.entry, tmp_path)
    assert alive == [None]


def test_pieces_that_only_rotations_move() -> None:
    """Those of the first orbit do not determine the rotation, of which the third power leaves them where they are."""
    turns = {"D": [0, 1, 2, 5, 3, 4, 6, 8, 7], "E": [0, 1, 2, 4, 5, 3, 8, 7, 6], "F": [0, 1, 2, 5, 3, 4, 7, 6, 8]}
    rotations = {"Uv": bytes([1, 2, 0, 3, 5, 4, 8, 6, 7])}
    graph = rules_of(permuted(turns, orbits=tuple(Orbit(name, 3) for name in "ABC"), rotations=rotations)).graph()
    assert graph.reduction.rotated
    assert graph.reduction.scheme == "up to rotations that alone move some pieces"  # wrong tables are not read
    assert counts_of(graph) == LevelSearch(graph).count(99).counts == (1, 11, 6)


def test_generators_are_named_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deriving, "FEW_NUMBERS", math.inf)
    monkeypatch.setattr(rows, "AT_ONCE", 1 << 12)
    graph = rules_of("topspin-9-4").graph()
    moves = LabelMoves(graph.origin, graph.reduction.moves, frozenset(), (), ())
    basis = basis_of(moves, moves.candidates()[:5], MOST_STATES, MOST_STATES)
    ways = ways_to(moves.sources, basis.parents, basis.steps)
    edges = deriving._Edges(moves, basis, ways, RowIndex(basis.places))
    tracemalloc.start()
    named = sum(names.nbytes for names in edges.names())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < named


def test_moves_that_are_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move undoes another in a row, and another one elsewhere; its cost is the same."""
    space = derive(bytes(range(9)), _mixed(2, 5, 4)).arrays
    target, action = space.base, space.action
    mixed = np.arange(space.rows) % 2 == 0  # moves are exchanged in some rows
    for array in (target, action):
        array[:2, mixed] = array[1::-1, mixed]
    for at_once in (1 << 22, 10):
        monkeypatch.setattr(rows, "AT_ONCE", at_once)
        assert deriving._is_mutual(target, action, space.fibre, [1] * 4)
        assert not deriving._is_mutual(target, action, space.fibre, [1, 1, 1, 2])
        assert not deriving._is_mutual(target[:3], action[:3], space.fibre, [1] * 3)
        wrong = action.copy()
        wrong[3, -1] = (wrong[3, -1] + 1) % len(space.fibre)
        assert not deriving._is_mutual(target, wrong, space.fibre, [1] * 4)


def test_pieces_that_look_alike_do_not_make_moves_differ() -> None:
    """At most 24 actions of the stabilizer of two labels differ, however moves permute the other nine pieces."""
    space = derive(bytes([0, 1, 2, 3, 4, 5, *[6] * 9]), _mixed(3, 6, 9), most_numbers=600).arrays
    assert (space.rows, space.width, len(space.fibre)) == (30, 24, 23)


@pytest.mark.exhaustive
def test_pieces_that_a_goal_ignores_are_placed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row has 864 states; with pieces of the goal first, so few placements are not enough."""
    monkeypatch.setattr(deriving, "MOST_ROWS", 7_000)
    graph = towards(rules_named("rubik"), "roux-block-BU").graph()
    make_ready(graph)
    assert graph.states == 24 * 22 * 20 * 24 * 21


@pytest.mark.parametrize("limit", ["MOST_ROWS", "MOST_EDGES", "MOST_PLACED"])
def test_limits(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    rules = rules_of("skewb")
    monkeypatch.setattr(deriving, limit, 1000)
    with pytest.raises(TooLargeError, match="placements of some pieces or more"):
        derive(rules.definition.solved[0], rules.definition.moves())


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("tiles-4x4", math.factorial(16) // 2),  # half of all arrangements: Johnson and Story, 1879
        ("tiles-9x9", math.factorial(81) // 2),
        ("pancake-99", math.factorial(99)),
        ("topspin-20-4", math.factorial(19)),
    ],
)
def test_any_size_of_a_family_is_counted(name: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting does not enumerate."""
    monkeypatch.setattr(deriving, "MOST_ROWS", 100)
    rules = rules_of(name)
    reduction = rules.graph().reduction
    with pytest.raises(TooLargeError, match=f"there are {number:,} states, more than") as caught:
        deriving.derive(reduction.solved[0], reduction.moves, rules.definition.illegal)
    assert (rules.number_of_states, caught.value.states, caught.value.most) == (number, number, MOST_STATES)
    assert caught.value.exact


def _symmetric(points: int) -> DerivedRules:
    file = f"L := ({','.join(map(str, range(1, points + 1)))}); X := (1,2);"
    return rules_of(parse_cycles(file, "symmetric"))


def test_the_binding_limit_is_reported_before_work_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six of thirteen points belong to the fibre, which has 720 arrangements: 720 states per row."""
    monkeypatch.setattr(deriving, "basis_of", None)
    with pytest.raises(TooLargeError) as caught:
        make_ready(_symmetric(13).graph())
    assert (caught.value.states, caught.value.most) == (math.factorial(13), deriving.MOST_ROWS * 720)
    assert caught.value.exact
    assert str(caught.value) == (
        "there are 6,227,020,800 states, more than can be enumerated: at most 3,019,898,880;"
        " ask about single states, or choose fewer moves"
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(TooLargeError) as caught:  # more than any table can have; the base has the lower limit
        make_ready(_symmetric(16).graph())
    assert (caught.value.states, caught.value.most) == (math.factorial(16), deriving.MOST_ROWS * 720)


def test_the_reported_limit_is_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deriving, "WIDEST", 10)  # so that three points are left in a row, in 6 ways
    monkeypatch.setattr(deriving, "MOST_ROWS", 839)
    with pytest.raises(TooLargeError, match=r"^there are 5,040 states, more than can be enumerated: at most 5,034;"):
        make_ready(_symmetric(7).graph())
    monkeypatch.setattr(deriving, "MOST_ROWS", 840)
    graph = _symmetric(7).graph()
    make_ready(graph)
    assert graph.states == math.factorial(7)


@pytest.mark.parametrize("name", ["tiles-2x3", "tower", "topspin-5-3", "pyramorphix", "floppy"])
def test_ranks_by_tables_are_those_by_searches_in_rows(name: str) -> None:
    puzzle = cubesolve.puzzle(name)
    graph = puzzle.solver.arrays({}).graph
    rng, form = np.random.default_rng(1), form_of(graph)
    rows = form.written(rng.integers(graph.states, size=1200)).astype(np.int64)
    swapped = np.take_along_axis(rows, rng.permuted(np.tile(np.arange(rows.shape[1]), (1200, 1)), axis=1), axis=1)
    wrong = rows.copy()
    wrong[np.arange(1200), rng.integers(rows.shape[1], size=1200)] = rng.choice([-1, 0, 1, 255, 256], 1200)
    numbers = np.concatenate([rows, swapped, wrong])
    found, few = (form.batch(some).ranks(numbers) for some in (numbers, numbers[:1000]))
    assert (found == few).all()
    assert (found[:1200] >= 0).all()
    assert (found[1200:] < 0).any()


def test_factors_are_those_that_numpy_draws() -> None:
    """Rows of spaces up to symmetry are in the order of their hashes, so tables that users have need these factors."""
    drawn = np.random.default_rng(20260601).integers(1 << 62, 1 << 63, (2, 4096), dtype=np.uint64)
    assert np.array_equal(rows._FACTORS, drawn | np.uint64(1))


@pytest.mark.parametrize("number", [1, 2, 3, 1000])
def test_rows_are_found_by_their_hashes(number: int) -> None:
    random = np.random.default_rng(number)
    known, others = np.split(np.unique(random.integers(0, 99, (2 * number, 20), dtype=np.uint8), axis=0), [number])
    order = random.permutation(number)
    asked = np.concatenate([known[order], others])
    expected = [*order.tolist(), *[-1] * len(others)]
    assert RowIndex(known).find(asked).tolist() == expected
    assert RowIndex(known).find(asked[:, None]).tolist() == [[each] for each in expected]


def test_rows_with_the_first_bits_of_their_hashes_in_common_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "hashed", lambda rows: rows[..., 0].astype(np.uint64))
    known = np.zeros((9, 30), np.uint8)
    known[:, 0], known[1:, 1:] = [7, 1, 3, 5, 0, 9, 8, 11, 13], np.random.default_rng(1).integers(0, 99, (8, 29))
    asked = known.copy()
    asked[0, 0], asked[1, 0] = 20, 2
    assert RowIndex(known).find(asked).tolist() == [-1, -1, *range(2, 9)]


# -- Coordinates in files ----------------------------------------------------------------------------------------------


def test_bytes_that_are_no_coordinates_are_refused() -> None:
    floppy, ivy = (rules_of(name).graph() for name in ("floppy", "ivy"))
    derived_space(floppy), derived_space(ivy)
    for body in (b"", b"x" * 39, bytes(40), floppy.known.body[:-1], floppy.known.body + b"x", ivy.known.body):
        with pytest.raises(CorruptTableError, match="these are none, or of another puzzle"):
            Coordinates(body, floppy.reduction.moves, floppy.reduction.changes)


@pytest.mark.parametrize("name", ["floppy", "tiles-2x3"])
def test_no_number_leads_outside(name: str) -> None:
    graph = rules_of(name).graph()
    derived_space(graph)
    rng = random.Random(2)
    refused = 0
    for _ in range(400):
        body = bytearray(graph.known.body)
        for _ in range(rng.choice((1, 3, 20))):
            body[rng.randrange(len(body))] = rng.randrange(256)
        try:
            coordinates = Coordinates(bytes(body), graph.reduction.moves, graph.reduction.changes)
            for rank in range(0, coordinates.states, 7):
                assert max(coordinates.neighbours(rank)) < coordinates.states
                assert -1 <= coordinates.rank(coordinates.unrank(rank)) < coordinates.states
        except CorruptTableError:
            refused += 1
        try:
            space = unpacked_moves(bytes(body), graph.reduction.moves, graph.reduction.changes)
        except CorruptTableError:
            refused += 1
        else:
            assert space.neighbours_of(np.arange(space.states)).max() < space.states
    assert refused > 50

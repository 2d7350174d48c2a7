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
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.formats import parse_cycles
from cubesolve.definition.piece_view import PieceView
from cubesolve.encodings.enumeration import distribution, enumerate_depths
from cubesolve.errors import TooLargeError
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, after, arrangement, inverse
from cubesolve.spaces import derive as deriving
from cubesolve.spaces import form_of, rows, space_of
from cubesolve.spaces.coordinates import MOST_STATES
from cubesolve.spaces.defined import DerivedGraph, DerivedRules, derived
from cubesolve.spaces.derive import derive, packed, unpacked
from cubesolve.spaces.derived import derived_space, make_ready
from cubesolve.spaces.levels import LevelSearch
from cubesolve.spaces.placements import LabelMoves, basis_of, ways_to
from cubesolve.spaces.rows import RowIndex
from cubesolve.spaces.variants import towards
from cubesolve.store import tablefile
from cubesolve.store.build import build
from tests.distances import distances
from tests.encodings.rings import counts_of


def _mixed(source: random.Random, *sizes: int) -> Arrangement:
    """A random permutation of points in blocks of these sizes."""
    blocks, first = [], 0
    for size in sizes:
        blocks += source.sample(range(first, first + size), size)
        first += size
    return arrangement(blocks)


@pytest.mark.parametrize("most", [1 << 16, 40, 20])
def test_moves_may_do_many_different_things_in_a_row(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Files number actions with 16 bits; if that is not enough, the rows are made smaller."""
    source = random.Random(3)
    changes = [_mixed(source, 5, 6) for _ in range(3)]
    turns = [Move(f"m{i}_", (Effect(each),)) for i, each in enumerate([*changes, *map(inverse, changes)])]
    start = bytes([0, 1, 2, 3, 4, 5, 5, 5, 8, 8, 8])
    monkeypatch.setattr(deriving, "MOST_ACTIONS", most)
    space = derive(start, turns)
    assert len(space.arrays.fibre) <= most
    assert (len(space.arrays.fibre) > 40) == (most > 40)
    known = distances([arrangement(start)], lambda state: (after(state, turn.effects[0].sources) for turn in turns))
    assert distribution(enumerate_depths(space.arrays, [0])) == tuple(Counter(known.values()).values())
    again = unpacked(packed(space, [start]), turns).arrays
    assert (again.action == space.arrays.action).all()
    assert (again.fibre == space.arrays.fibre).all()


@pytest.mark.parametrize("name", ["topspin-8-4", "tiles-2x3", "ivy"])
def test_edges_are_numbered_alike_in_any_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = set[bytes]()
    for at_once in (1 << 22, 100):
        monkeypatch.setattr(rows, "AT_ONCE", at_once)
        bodies.add(make_ready(DerivedGraph(derived(rules_named(name)), "htm")))
    assert len(bodies) == 1


def test_an_enumeration_makes_no_more_of_a_space_than_its_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = DerivedGraph(derived(rules_named("tiles-2x3")), "htm")
    make_ready(graph)
    with monkeypatch.context() as without:
        without.setattr(deriving, "ways_to", None)
        moves = space_of(graph)
    assert derived_space(graph).arrays is moves


@pytest.mark.parametrize("name", ["tiles-2x3", "topspin-8-4", "ivy"])
def test_ranks_have_64_bits(name: str) -> None:
    """Spaces of more than 2^31 states are derived as small ones are; kernels take no other ranks."""
    graph = DerivedGraph(derived(rules_named(name)), "htm")
    space, ranks = derived_space(graph), np.array([0, 1, graph.states - 1])
    assert space.ranks(space.states(ranks)).dtype == np.int64
    assert space.ranks(space.states(ranks)).tolist() == ranks.tolist()


def test_the_moves_are_released_before_a_table_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = {"A": (Effect(bytes([1, 2, 0, 3])),), "B": (Effect(bytes([0, 2, 3, 1])),)}
    rules = DerivedRules(PieceView(Definition("released", (Orbit("BEADS", 4),), (bytes(range(4)),), moved)))
    graph, alive = rules.graph(metric="htm"), []  # no other test has used it
    moves = weakref.ref(space_of(graph))
    monkeypatch.setattr(tablefile, "write", lambda *_: alive.append(moves()))
    build(rules, graph.entry, tmp_path)
    assert alive == [None]


def test_pieces_that_only_rotations_move() -> None:
    """Those of the first orbit do not determine the rotation, of which the third power leaves them where they are."""
    orbits = tuple(Orbit(name, 3) for name in "ABC")
    turns = {
        "D": bytes([0, 1, 2, 5, 3, 4, 6, 8, 7]),
        "E": bytes([0, 1, 2, 4, 5, 3, 8, 7, 6]),
        "F": bytes([0, 1, 2, 5, 3, 4, 7, 6, 8]),
    }
    effects = {name: (Effect(each),) for name, each in turns.items()}
    rotations = {"Uv": bytes([1, 2, 0, 3, 5, 4, 8, 6, 7])}
    found = Definition("found", orbits, (bytes(range(9)),), effects, rotations=rotations)
    graph = DerivedRules(PieceView(found)).graph()
    assert graph.reduction.rotated
    assert graph.reduction.scheme == "up to rotations that alone move some pieces"  # wrong tables are not read
    assert counts_of(graph) == LevelSearch(graph).count(99).counts == (1, 11, 6)


def test_generators_are_named_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deriving, "FEW_NUMBERS", math.inf)
    monkeypatch.setattr(rows, "AT_ONCE", 1 << 12)
    graph = derived(rules_named("topspin-9-4")).graph()
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
    source = random.Random(3)
    changes = [_mixed(source, 5, 4) for _ in range(2)]
    turns = [Move(f"m{i}_", (Effect(each),)) for i, each in enumerate([*changes, *map(inverse, changes)])]
    space = derive(bytes(range(9)), turns).arrays
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
    source, start = random.Random(3), bytes([0, 1, 2, 3, 4, 5, *[6] * 9])
    changes = [_mixed(source, 6, 9) for _ in range(3)]
    turns = [Move(f"m{i}_", (Effect(each),)) for i, each in enumerate([*changes, *map(inverse, changes)])]
    space = derive(start, turns, most_numbers=600).arrays
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
    rules = derived(rules_named("skewb"))
    monkeypatch.setattr(deriving, limit, 1000)
    with pytest.raises(TooLargeError, match="placements of some pieces or more"):
        derive(rules.definition.solved[0], rules.definition.moves())


# -- Too large ---------------------------------------------------------------------------------------------------------


def _too_large(rules: DerivedRules) -> TooLargeError:
    with pytest.raises(TooLargeError) as caught:
        deriving.derive(rules.graph().reduction.solved[0], rules.graph().reduction.moves, rules.definition.illegal)
    assert caught.value.most == MOST_STATES
    assert caught.value.exact
    assert f"there are {caught.value.states:,} states, more than" in str(caught.value)
    return caught.value


@pytest.fixture
def _no_more_than_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting does not enumerate."""
    monkeypatch.setattr(deriving, "MOST_ROWS", 100)


@pytest.mark.usefixtures("_no_more_than_a_look")
@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("tiles-4x4", math.factorial(16) // 2),  # half of all arrangements: Johnson and Story, 1879
        ("tiles-9x9", math.factorial(81) // 2),
        ("pancake-99", math.factorial(99)),
        ("topspin-20-4", math.factorial(19)),
    ],
)
def test_any_size_of_a_family_is_counted(name: str, number: int) -> None:
    rules = derived(rules_named(name))
    assert rules.number_of_states == _too_large(rules).states == number


def _symmetric(points: int) -> DerivedRules:
    file = f"L := ({','.join(map(str, range(1, points + 1)))}); X := (1,2);"
    return DerivedRules(PieceView(parse_cycles(file, "symmetric")))


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

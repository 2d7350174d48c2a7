"""The two-phase search of the 3x3x3: its tables are proved, its solutions are applied."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from cubesolve import lookup
from cubesolve.catalog.rubik.cube import RubikCube, random_cube
from cubesolve.catalog.rubik.projections import TWISTS
from cubesolve.catalog.rubik.solver import RubikSolver
from cubesolve.catalog.rubik.two_phase import coordinates
from cubesolve.catalog.rubik.two_phase.search import TwoPhaseSearch
from cubesolve.catalog.rubik.two_phase.tables import CLASSES, NEAR, SIZE, PruningTables
from cubesolve.errors import SearchLimitError
from cubesolve.lookup import open_tablebase
from cubesolve.notation import FACES

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
LONG = "L2 F R2 D2 U2 B' D2 F' L2 D2 U L' R' D2 B' D R F2 L2 F"


@pytest.fixture(scope="module")
def tables() -> PruningTables:
    solver = open_tablebase().puzzle("rubik").solver
    assert isinstance(solver, RubikSolver)
    return solver._two_phase_tables()


def cubes(number: int, seed: int = 1) -> list[RubikCube]:
    source = random.Random(seed)
    return [random_cube(source) for _ in range(number)]


def is_proved(depths: NDArray[np.uint8], first: NDArray[np.uint16], second: NDArray[np.uint16]) -> bool:
    """Whether depths of pairs are right: only 0 is solved, all others have a neighbour that is one move nearer."""
    grid = depths.reshape(len(first), len(second)).astype(np.int16)
    nearest = np.full(grid.shape, 99, np.int16)
    for move in range(first.shape[1]):
        after = grid[first[:, move]][:, second[:, move]]
        nearest = np.minimum(nearest, after)
    expected = nearest + 1
    expected[0, 0] = 0
    return bool((grid == expected).all())


def test_bounds_of_pairs_are_proved(tables: PruningTables) -> None:
    for depths, first, second in (
        (tables.twist_slice, tables.twist_moves, tables.slice_moves),
        (tables.flip_slice, tables.flip_moves, tables.slice_moves),
        (tables.corner_slice, tables.corner_moves, tables.slice_order_moves),
        (tables.edge_slice, tables.edge_moves, tables.slice_order_moves),
        (tables.corner_half, tables.corner_moves, coordinates.half_moves()),
    ):
        assert is_proved(depths, first, second)


def test_as_many_are_near_as_a_proved_table_says(tables: PruningTables) -> None:
    near = int((~np.unpackbits(tables.far, count=CLASSES * TWISTS).astype(bool)).sum())
    proved = next(entry for entry in open_tablebase().puzzle("rubik").rules.tables() if entry.name == "rubik-htm-small")
    assert near == sum(proved.header.distribution[: NEAR + 1])
    assert sum(array.nbytes for array in tables) == SIZE < 30_000_000


@pytest.mark.parametrize("longest", [21, 20])
def test_random_cubes_are_solved(tables: PruningTables, longest: int) -> None:
    for cube in cubes(100):
        alg = TwoPhaseSearch(tables, cube.cubies, longest).improve()
        assert alg is not None
        assert len(alg) <= longest
        assert cube.apply(alg).is_solved


def test_the_lower_bound_is_one(tables: PruningTables) -> None:
    source = random.Random(5)
    for depth in range(10):
        alg = lookup.scramble(source, puzzle="rubik", depth=depth)
        search = TwoPhaseSearch(tables, RubikCube.from_alg(alg).cubies, 30)
        assert min(depth, 1) <= search.at_least <= depth
    assert all(7 <= TwoPhaseSearch(tables, cube.cubies, 30).at_least <= 12 for cube in cubes(20))


def test_each_solution_is_shorter(tables: PruningTables) -> None:
    for cube in [RubikCube.from_alg(LONG), RubikCube.from_alg(SUPERFLIP), *cubes(3, seed=2)]:
        search, lengths = TwoPhaseSearch(tables, cube.cubies, 30), list[int]()
        while (alg := search.improve(3_000_000)) is not None:
            assert cube.apply(alg).is_solved
            lengths.append(len(alg))
        assert lengths == sorted(set(lengths), reverse=True)
        assert lengths[-1] <= 22  # the superflip needs longer for 21
        assert 3_000_000 <= search.nodes < 3_300_000


@pytest.mark.parametrize(
    ("alg", "length"), [("", 0), ("R", 1), ("U2", 1), ("R U F' L2 B", 5), ("U D R2 L2 F2 B2 U", 7)]
)
def test_near_cubes_end_at_once(tables: PruningTables, alg: str, length: int) -> None:
    search = TwoPhaseSearch(tables, RubikCube.from_alg(alg).cubies, 30)
    found = list[int]()
    while (solution := search.improve()) is not None:
        found.append(len(solution))
    assert search.is_exhausted
    assert found[-1] <= length


# -- Questions ---------------------------------------------------------------------------------------------------------


def counted(alg: str) -> int:
    return len(alg.split())


def test_any_holding_and_any_colours() -> None:
    source = random.Random(3)
    for cube in cubes(20, seed=4):
        colours = "".join(source.sample("abcdefgh", 6))
        held = cube.apply(source.choice(["", "x", "y2", "z' x", "y x2"]))
        given = RubikCube("".join(colours[FACES.index(face)] for face in held.facelets))
        alg = lookup.solve(given, max_length=21)
        assert counted(alg) <= 21
        assert given.apply(alg).is_solved


def test_what_is_accepted() -> None:
    cube = RubikCube.from_alg(LONG)
    assert counted(lookup.solve(cube, max_length=22)) <= 22
    assert counted(lookup.solve(cube, within=30)) <= 40
    assert counted(lookup.solve(RubikCube.from_alg("R U F"), max_length=3)) == 3
    with pytest.raises(SearchLimitError, match="in 2 moves"):
        lookup.solve(RubikCube.from_alg("R U F"), max_length=2)
    with pytest.raises(ValueError, match="within and max_length cannot be combined"):
        lookup.solve(cube, within=3, max_length=21)
    with pytest.raises(ValueError, match="max_length must be at least 0"):
        lookup.solve(cube, max_length=-1)
    with pytest.raises(SearchLimitError):
        lookup.solve(cube, max_length=17, timeout=0.3)


def test_quarter_turns_are_counted() -> None:
    for cube in cubes(5, seed=6):
        alg = lookup.solve(cube, metric="qtm", max_length=32)
        assert cube.apply(alg).is_solved
        assert counted(alg) + alg.count("2") <= 32


def test_batches() -> None:
    batch = cubes(10, seed=7)
    algs = lookup.solve_batch(batch, max_length=21)
    assert all(cube.apply(alg).is_solved and counted(alg) <= 21 for cube, alg in zip(batch, algs, strict=True))


# -- Scrambles ---------------------------------------------------------------------------------------------------------


def test_scrambles_repeat_and_are_short() -> None:
    scrambles = [lookup.scramble(seed, puzzle="rubik") for seed in range(20)]
    assert scrambles == [lookup.scramble(seed, puzzle="rubik") for seed in range(20)]
    assert len(set(scrambles)) == 20
    assert all(2 <= counted(alg) <= 21 for alg in scrambles)


def test_scrambles_are_uniform() -> None:
    """Orientations and parities of 300 scrambles; chi-squared passes its limit less often than once in 10,000 times."""
    made = [RubikCube.from_alg(lookup.scramble(seed, puzzle="rubik")).cubies for seed in range(300)]
    for limit, rows in (
        (23.5, [[each.twists.count(twist) for each in made] for twist in range(3)]),
        (23.5, [[each.flips.count(flip) for each in made] for flip in range(2)]),
    ):
        totals = np.array(rows).sum(axis=1)
        expected = totals.sum() / len(totals)
        assert ((totals - expected) ** 2 / expected).sum() < limit
    places = np.bincount([each.corners.index(0) for each in made], minlength=8)
    assert ((places - 300 / 8) ** 2 / (300 / 8)).sum() < 33
    odd = sum(is_odd(each.edges) for each in made)
    assert abs(odd - 150) < 4 * 75**0.5


def is_odd(order: Sequence[int]) -> bool:
    return sum(a > b for i, a in enumerate(order) for b in order[i + 1 :]) % 2 == 1


@pytest.mark.parametrize("metric", ["htm", "qtm"])
@pytest.mark.parametrize("depth", [0, 1, 2, 6])
def test_scrambles_of_a_depth(depth: int, metric: str) -> None:
    alg = lookup.scramble(5, puzzle="rubik", depth=depth, metric=metric)
    assert counted(alg) == depth
    assert lookup.depth(RubikCube.from_alg(alg), metric=metric) == depth


def test_deeper_scrambles_are_refused() -> None:
    with pytest.raises(ValueError, match="depth must be at most 12, not 13"):
        lookup.scramble(5, puzzle="rubik", depth=13)

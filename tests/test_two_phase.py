"""The two-phase search of the 3x3x3: its tables are proved, and its solutions are applied."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from cubesolve import lookup
from cubesolve.catalog.rubik import solver as rubik_solver
from cubesolve.catalog.rubik.cube import RubikCube, random_cube
from cubesolve.catalog.rubik.projections import CORNERS, EDGES, TWISTS, halves
from cubesolve.catalog.rubik.solver import RubikSolver
from cubesolve.catalog.rubik.two_phase.search import TwoPhaseSearch
from cubesolve.catalog.rubik.two_phase.tables import CLASSES, FLIPS, MOVES, NEAR, SECOND, SIZE, PruningTables, place_of
from cubesolve.definition.notation import FACES
from cubesolve.errors import InvalidStateError, SearchLimitError
from cubesolve.lookup import open_tablebase
from cubesolve.solvers.arrays import Solutions
from tests.chance import agrees, cycles, is_odd
from tests.processes import COMMAND, run_python

LONG = "L2 F R2 D2 U2 B' D2 F' L2 D2 U L' R' D2 B' D R F2 L2 F"


@pytest.fixture(scope="module")
def tables() -> PruningTables:
    solver = open_tablebase().puzzle("rubik").solver
    assert isinstance(solver, RubikSolver)
    return solver.two_phase_tables()


def test_the_file_is_not_kept_in_memory_beside_its_copy() -> None:
    with open_tablebase() as tables:
        solver = tables.puzzle("rubik").solver
        assert isinstance(solver, RubikSolver)
        opened = solver.two_phase_tables()
        assert tables._tables._bodies == {}
        assert solver.two_phase_tables() is opened


def cubes(number: int, seed: int = 1) -> list[RubikCube]:
    source = random.Random(seed)
    return [random_cube(source) for _ in range(number)]


def is_proved(depths: NDArray[np.uint8], first: NDArray[np.uint16], second: NDArray[np.uint16]) -> bool:
    """Whether depths of pairs are right: only 0 is solved, and all others have a neighbour one move nearer."""
    grid = depths.reshape(len(first), len(second)).astype(np.int16)
    nearest = np.full(grid.shape, 99, np.int16)
    for move in range(first.shape[1]):
        after = grid[first[:, move]][:, second[:, move]]
        nearest = np.minimum(nearest, after)
    expected = nearest + 1
    expected[0, 0] = 0
    return bool((grid == expected).all())


def of_all(classes: NDArray[np.uint16], reduced: NDArray[np.uint8], images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the depths of all pairs from those of the classes."""
    depths: NDArray[np.uint8] = reduced.reshape(-1, images.shape[1])[(classes >> 4)[:, None], images[classes & 15]]
    return depths


@pytest.mark.exhaustive
def test_bounds_of_pairs_are_proved(tables: PruningTables) -> None:
    one, two, moves = tables.first, tables.second, [MOVES[number] for number in SECOND]
    corner_half_moves, edge_half_moves = (halves(kind).after(moves).T.astype(np.uint16) for kind in (CORNERS, EDGES))
    assert is_proved(one.twist_slice, one.twist_moves, one.slice_moves)
    assert is_proved(one.flip_slice, one.flip_moves, one.slice_moves)
    for classes, changes, slices, half, images, half_moves in (
        (two.corner_classes, two.corner_moves, two.corner_slice, two.corner_half, two.edge_halves, edge_half_moves),
        (two.edge_classes, two.edge_moves, two.edge_slice, two.edge_half, two.corner_halves, corner_half_moves),
    ):
        assert is_proved(of_all(classes, slices, two.slice_orders), changes, two.slice_order_moves)
        assert is_proved(of_all(classes, half, images), changes, half_moves)


@pytest.mark.exhaustive
def test_as_many_are_near_as_a_proved_table_says(tables: PruningTables) -> None:
    near = int((~np.unpackbits(tables.first.far, count=CLASSES * TWISTS).astype(bool)).sum())
    proved = next(entry for entry in open_tablebase().puzzle("rubik").rules.tables() if entry.name == "rubik-htm-small")
    assert near == sum(proved.header.distribution[: NEAR + 1])
    endings = sum(array.nbytes for array in tables.endings)
    stored = (*tables.first, *tables.second, *tables.pieces)
    assert sum(array.nbytes for array in stored) == SIZE < 30_000_000 - endings


def test_no_state_is_nearer_than_the_bits_tell(tables: PruningTables) -> None:
    """Random walks from H: a state at a distance has the bits of this and all larger numbers."""
    source = random.Random(9)
    for _ in range(2000):
        twist = flip = slices = 0
        for moves in range(NEAR):
            pair = FLIPS * slices + flip
            entry = TWISTS * int(tables.first.classes[pair]) + int(
                tables.first.twist_images[twist, tables.first.shown_by[pair]]
            )
            assert not tables.first.far[entry >> 3] >> (entry & 7) & 1
            for least in range(moves, NEAR):
                place = place_of(entry, least)
                assert tables.first.nearer[place >> 3] >> (place & 7) & 1
            move = source.randrange(18)
            twist, flip, slices = coordinates_after(tables, (twist, flip, slices), move)


def coordinates_after(tables: PruningTables, state: tuple[int, int, int], move: int) -> tuple[int, int, int]:
    moves = (tables.first.twist_moves, tables.first.flip_moves, tables.first.slice_moves)
    twist, flip, slices = (int(after[place, move]) for after, place in zip(moves, state, strict=True))
    return twist, flip, slices


def test_all_ways_of_few_moves_into_h_are_listed(tables: PruningTables) -> None:
    """Random walks back into H are found by their first move; all others lead into H as well."""
    source, endings, solved = random.Random(11), tables.endings, (0, 0, 0)
    inverses = [MOVES.index(move.inverse()) for move in MOVES]
    for length in [1, 2, 3, 4] * 50:
        way, states = [source.choice([3, 6, 12, 15])], [solved]
        states.append(coordinates_after(tables, solved, inverses[way[0]]))
        while len(way) < length:
            move = source.randrange(18)
            if way[0] // 3 not in (move // 3, move // 3 - 3):
                way.insert(0, move)
                states.append(coordinates_after(tables, states[-1], inverses[move]))
        twist, flip, slices = states[-1]
        entry = TWISTS * (FLIPS * slices + flip) + twist
        first, end = endings.starts[place_of(entry, length) :][:2].tolist()
        found = [endings.moves[each, :length].tolist() for each in range(first, end) if endings.entries[each] == entry]
        assert (way in found) == (solved not in states[1:])
        for other in found:
            state = states[-1]
            for move in other:
                assert state != solved
                state = coordinates_after(tables, state, move)
            assert state == solved


def test_random_cubes_are_solved(tables: PruningTables) -> None:
    for cube, longest in itertools.product(cubes(100), (21, 20)):
        alg = TwoPhaseSearch(tables, cube.cubies, longest).improve()
        assert alg is not None
        assert len(alg) <= longest
        assert cube.apply(alg).is_solved


def test_the_lower_bound_is_one(tables: PruningTables) -> None:
    source = random.Random(5)
    for depth in range(10):
        alg = lookup.scramble(source, puzzle="rubik", depth=depth)
        search = TwoPhaseSearch(tables, RubikCube.from_alg(alg).cubies, 30)
        is_in_all = all(move.endswith("2") for move in alg.split())  # of the subgroups about the three axes
        assert (not is_in_all) <= search.at_least <= depth
    assert all(7 <= TwoPhaseSearch(tables, cube.cubies, 30).at_least <= 12 for cube in cubes(20))


@pytest.mark.parametrize("alg", ["", "R", "U2", "R U F' L2 B", "U D R2 L2 F2 B2 U", LONG])
def test_each_solution_is_shorter(tables: PruningTables, alg: str) -> None:
    """Searches for near cubes end at once."""
    cube, lengths = RubikCube.from_alg(alg), list[int]()
    search = TwoPhaseSearch(tables, cube.cubies, 30)
    while (solution := search.improve(500_000)) is not None:
        assert cube.apply(solution).is_solved
        lengths.append(len(solution))
    assert lengths == sorted(set(lengths), reverse=True)
    assert search.is_exhausted == (alg != LONG)
    assert lengths[-1] <= (22 if alg == LONG else len(alg.split()))
    assert alg != LONG or 500_000 <= search.nodes < 800_000


# -- Questions ---------------------------------------------------------------------------------------------------------


def spelled(found: Solutions) -> list[str]:
    return [
        " ".join(str(MOVES[move]) for move in alg[:length])
        for alg, length in zip(found.moves.tolist(), found.lengths.tolist(), strict=True)
    ]


def test_a_batch_is_solved_as_each_cube_is() -> None:
    batch = [*cubes(17, seed=7), RubikCube.solved(), RubikCube.from_alg("R U F2"), RubikCube.from_alg("L2 x y")]
    alone = [str(lookup.solve(cube, max_length=21)) for cube in batch]
    facelets = np.array([[FACES.index(face) for face in cube.facelets] for cube in batch], np.uint8)
    for given in (
        batch,
        [cube.facelets for cube in batch],
        np.array([cube.facelets for cube in batch]),
        facelets,
        facelets.reshape(-1, 6, 9),
        facelets.reshape(-1, 6, 3, 3).astype(np.int64),
    ):
        found = lookup.solve_batch(given, max_length=21)
        assert (found.moves.shape, found.moves.dtype, found.lengths.dtype) == ((20, 30), np.uint8, np.uint8)
        assert (found.moves[np.arange(30) >= found.lengths[:, None]] == 255).all()
        assert spelled(found) == alone
    for workers in (1, 2, 5):
        assert spelled(lookup.solve_batch(facelets, max_length=21, workers=workers)) == alone
    assert lookup.solve_batch(facelets[:0], max_length=21).moves.shape == (0, 30)


def test_rows_that_are_not_answered() -> None:
    wrong = [RubikCube.from_alg("R").facelets, "U" * 54, RubikCube.from_alg("U R2 F").facelets]
    with pytest.raises(InvalidStateError, match="row 1"):
        lookup.solve_batch(wrong, max_length=21)
    found = lookup.solve_batch(np.array(wrong), max_length=21, invalid="mask")
    assert found.lengths[1] == 255
    assert (found.moves[1] == 255).all()
    assert 255 not in found.lengths[[0, 2]].tolist()
    beyond = np.array([[FACES.index(face) for face in wrong[0]]])
    beyond[0, 0] += 256
    assert lookup.solve_batch(beyond, max_length=21, invalid="mask").lengths.tolist() == [255]
    with pytest.raises(SearchLimitError, match="in 2 moves"):
        lookup.solve_batch([wrong[0], wrong[2]], max_length=2)
    assert lookup.solve_batch([wrong[0], wrong[2]], max_length=2, invalid="mask").lengths.tolist() == [1, 255]
    assert lookup.solve_batch([wrong[0]], max_length=1 << 64).lengths.tolist() == [1]
    with pytest.raises(SearchLimitError, match="in 2 moves"):
        lookup.solve_batch([wrong[2]], max_length=21, max_depth=2)


def test_a_first_question_needs_no_compiler() -> None:
    lookup.solve(RubikCube.from_alg(LONG), max_length=21)  # stores the machine code
    facelets = RubikCube.from_alg(LONG).facelets
    code = (
        f"from cubesolve import lookup; lookup.solve('{facelets}', max_length=21); lookup.scramble(4, puzzle='rubik')"
    )
    code += "; import sys, cubesolve.catalog.rubik.optimal; print('numba' in sys.modules)"
    assert run_python(code, fresh=True).stdout == f"{os.name != 'posix'}\n"


def test_lines_are_answered_as_they_come() -> None:
    batch = [cube.facelets for cube in cubes(4, seed=15)]
    command = [*COMMAND, "solve", "--puzzle", "rubik", "--max-length", "21", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for text in (batch[0], f"{batch[1]}\n{batch[2]}"):
            process.stdin.write(f"{text}\n")
            process.stdin.flush()
            for each in text.split("\n"):
                alg = process.stdout.readline()
                assert RubikCube(each).apply(alg).is_solved
        process.stdin.write(batch[3])  # without an end of the line
        process.stdin.close()
        assert RubikCube(batch[3]).apply(process.stdout.read()).is_solved


# -- Scrambles ---------------------------------------------------------------------------------------------------------


def test_many_scrambles_are_those_that_are_asked_for_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    solver, source = open_tablebase().puzzle("rubik").solver, random.Random(11)
    monkeypatch.setattr(rubik_solver, "_SCRAMBLES_AT_ONCE", 20)
    alone = [lookup.scramble(source, puzzle="rubik") for _ in range(50)]
    assert list(solver.scrambles(50, random.Random(11))) == alone
    assert list(solver.scrambles(3, random.Random(11), timeout=600)) == alone[:3]
    short = [lookup.scramble(source, puzzle="rubik", depth=3) for source in [random.Random(12)] for _ in range(2)]
    assert list(solver.scrambles(2, random.Random(12), depth=3)) == short


@pytest.mark.parametrize("is_many", [False, True])
def test_no_scramble_is_solved_in_fewer_than_two_moves(is_many: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [RubikCube.from_alg(alg) for alg in ("R", "", "U2", "R U")]
    last = drawn[-1]
    monkeypatch.setattr(rubik_solver, "random_cube", lambda _: drawn.pop(0))
    solver = open_tablebase().puzzle("rubik").solver
    alg = next(solver.scrambles(1, random.Random(1))) if is_many else solver.scramble(random.Random(1))
    assert RubikCube.from_alg(alg) == last


def test_scrambles_are_uniform() -> None:
    """Count the places and orientations of pieces, parities, and the cycles of corners of scrambles."""
    algs = open_tablebase().puzzle("rubik").solver.scrambles(400, random.Random(13))
    made = [RubikCube.from_alg(alg).cubies for alg in algs]
    for order, how, pieces, orientations in (("corners", "twists", 8, 3), ("edges", "flips", 12, 2)):
        for place in range(pieces):
            seen = [orientations * getattr(each, order)[place] + getattr(each, how)[place] for each in made]
            assert agrees(Counter(seen), dict.fromkeys(range(pieces * orientations), 1 / (pieces * orientations)))
    counts = Counter(min(len(cycles(each.corners)), 6) for each in made)
    stirling = 5040, 13068, 13132, 6769, 1960, 322 + 28 + 1  # numbers of the first kind
    assert agrees(counts, {length: share / 40320 for length, share in enumerate(stirling, 1)})
    assert agrees(Counter(is_odd(each.edges) for each in made), {False: 1 / 2, True: 1 / 2})
    assert all(is_odd(each.edges) == is_odd(each.corners) for each in made)


@pytest.mark.parametrize("metric", ["htm", "qtm"])
@pytest.mark.parametrize("depth", [0, 1, 2, 6])
def test_scrambles_of_a_depth(depth: int, metric: str) -> None:
    alg = lookup.scramble(5, puzzle="rubik", depth=depth, metric=metric)
    assert len(alg.split()) == depth
    assert lookup.depth(RubikCube.from_alg(alg), metric=metric) == depth

"""States as arrays of labels."""

import itertools
import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cubesolve import puzzle
from cubesolve.ask import Puzzle
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.piece_view import PieceView
from cubesolve.errors import CubesolveError
from cubesolve.group.moves import Effect
from cubesolve.learn.export import columns_of
from cubesolve.learn.labels import Oracle
from cubesolve.solvers import arrays as solvers_arrays
from cubesolve.solvers import state_arrays
from cubesolve.spaces.defined import DerivedRules, derived
from cubesolve.store.tables import Tables
from tests.definitions.samples import disks

PUZZLES = ["pocket", "rubik", "4x4x4", "megaminx", "square1", "tiles-3x3", "topspin-8-4", "skewb", "clock"]


@pytest.mark.parametrize("name", PUZZLES)
def test_walks_follow_the_moves(name: str) -> None:
    arrays = puzzle(name).state_arrays()
    walks = arrays.walks(40, np.arange(40) % 13, rng=3)
    rows = np.tile(arrays.solved, (40, 1))
    for step in range(12):
        going = np.flatnonzero(walks.lengths > step)
        assert arrays.possible(rows[going])[np.arange(len(going)), walks.moves[going, step]].all()
        rows[going] = arrays.apply(rows[going], walks.moves[going, step])
    assert (rows == walks.states).all()
    assert walks.lengths.tolist() == (np.arange(40) % 13).tolist()
    assert ((walks.moves != np.iinfo(walks.moves.dtype).max).sum(axis=1) == walks.lengths).all()
    assert arrays.is_solved(rows)[walks.lengths == 0].all()
    assert not arrays.is_solved(rows)[walks.lengths == 1].any()


@pytest.mark.parametrize("name", PUZZLES)
def test_moves_do_what_they_do_to_states(name: str) -> None:
    asked: Puzzle = puzzle(name)
    arrays = asked.state_arrays()
    rows = arrays.walks(3, 5, rng=5).states
    states = arrays.states(rows)
    assert (arrays.read(iter(states)) == rows).all() or name == "pocket"  # has the colours of its holding
    neighbors, possible = arrays.neighbors(rows), arrays.possible(rows)
    for state, row, there, ways in zip(states, rows, neighbors, possible, strict=True):
        for number, move in enumerate(arrays.moves):
            if ways[number]:
                after = asked.rules.view.after(state, move)
                assert (arrays.canonical(arrays.read([after])) == arrays.canonical(there[number][None])).all()
            else:
                assert (there[number] == row).all()


@pytest.mark.parametrize("name", ["pocket", "pocket R U", "tiles-3x3", "skewb"])
def test_ranks_are_those_of_the_table(name: str) -> None:
    """Also of a cube whose stickers are told apart in its table, as only two faces turn."""
    asked: Puzzle = puzzle("pocket").restrict("R U") if " " in name else puzzle(name)
    arrays = asked.state_arrays()
    walks = arrays.walks(20, 6, rng=1)
    ranks = arrays.ranks(walks.states)
    assert (ranks == asked.ranks([" ".join(arrays.moves[move] for move in moves) for moves in walks.moves])).all()
    rows = arrays.from_ranks(ranks)
    assert (arrays.canonical(rows) == arrays.canonical(walks.states)).all()
    assert (arrays.ranks(rows) == ranks).all()
    there = arrays.ranks(arrays.neighbors(rows).reshape(-1, arrays.points)).reshape(20, -1)
    assert (np.where(arrays.possible(rows), there, -1) == asked.neighbors(ranks)).all()


@pytest.mark.parametrize("name", ["tiles-2x3", "pyraminx-duo", "docs/glued-ring.tws", "docs/rings.tws"])
def test_random_states_are_uniform(name: str) -> None:
    """With a gap, orientations, blocked moves, and pieces that look alike."""
    asked: Puzzle = puzzle(name)
    arrays = asked.state_arrays()
    counts = np.bincount(arrays.ranks(arrays.random(20 * asked.states, rng=1)), minlength=asked.states)
    assert len(counts) == asked.states
    assert abs(((counts - 20) ** 2 / 20).mean() - 1) < 5 * (2 / asked.states) ** 0.5  # chi-squared


@pytest.mark.parametrize(
    ("move", "illegal", "metric", "states"),
    [
        ("3 1 2", "Illegal DISKS 1 3", "htm", 2),  # no pieces can be exchanged
        ("4 1 2 3", "Illegal DISKS 2 1\nIllegal DISKS 4 1", "htm", 2),  # a half turn leads past them
        ("4 1 2 3", "Illegal DISKS 2 1\nIllegal DISKS 4 1", "qtm", 1),
    ],
)
def test_random_states_where_places_are_illegal(
    move: str, illegal: str, metric: str, states: int, tmp_path: Path
) -> None:
    (path := tmp_path / "ring.tws").write_text(disks({"A": move}, more=illegal))
    rows = puzzle(str(path)).state_arrays(metric=metric).random(30, rng=1)
    assert len(np.unique(rows, axis=0)) == states


def test_images_where_rotations_are_the_only_symmetries(tmp_path: Path) -> None:
    moves = {"Aa": "3 2 1; 1 0 0", "Ab": "1 3 2; 0 2 2", "Ac": "2 1 3; 0 1 0", "x": "2 3 1; 2 2 0"}
    moves |= {"Ba": "2 1 3; 1 2 0", "Bb": "3 2 1; 2 0 1", "Bc": "1 3 2; 0 0 0"}
    (path := tmp_path / "ring.tws").write_text(disks(moves, "1 2 3; ? 0 ?", orientations=3))
    asked: Puzzle = puzzle(str(path))
    arrays = asked.state_arrays()
    rows = arrays.walks(40, 4, rng=1).states
    images = arrays.least_images(rows)
    assert len(np.unique(images, axis=0)) == len(np.unique(asked.ranks(rows)))


def test_images_of_states_with_turned_centres() -> None:
    """The corners and edges of a solved cube, turned about another axis than its centres, are not solved."""
    arrays = puzzle("rubik").state_arrays()
    turned = arrays.read(["x", "y", "z", "x R", "z R"])
    images = arrays.least_images(turned)
    assert (images[:3] == images[0]).all()
    assert (images[3:] == images[3]).all()
    mixed = turned[:1].copy()
    mixed[:, 4::9] = turned[1, 4::9]
    assert not arrays.is_solved(mixed)[0]
    assert (arrays.least_images(mixed) != images[0]).any()


@pytest.mark.parametrize("marked", [False, True])
def test_images_where_rotations_do_not_preserve_the_moves(tmp_path: Path, marked: bool) -> None:
    """Disks in a ring, of which the last and the first are not exchanged; no move changes the marks."""
    marks = "MARKS\n2 1\n" if marked else ""
    text = disks({"A": "2 1 3 4", "B": "1 2 4 3", "C": "1 3 2 4"}, more=f"Move x\nDISKS\n2 3 4 1\n{marks}End\n")
    (path := tmp_path / "row.tws").write_text(f"{'Set MARKS 2 1' if marked else ''}\n{text}")
    asked: Puzzle = puzzle(str(path))
    arrays = asked.state_arrays()
    starts = [arrays.solved, arrays.read(["x"])[0]]
    rows = np.concatenate([arrays.walks(200, 6, rng=1, start=start).states for start in starts])
    depths = asked.depths(rows)
    for fixed in {row[4:].tobytes() for row in rows}:
        some = [number for number, row in enumerate(rows) if row[4:].tobytes() == fixed]
        known = dict(zip(map(bytes, arrays.least_images(rows[some])), depths[some].tolist(), strict=True))
        assert [known[bytes(image)] for image in arrays.least_images(rows[some])] == depths[some].tolist()
    state = rows[depths.argmax()]
    found = asked.search(state, heuristic=asked.depths, method="bwas", width=10, symmetric=True)
    assert found.length == depths.max()


def test_images_where_a_piece_that_no_move_changes_decides(tmp_path: Path) -> None:
    change, never = Effect(bytes([1, 0, 2, 3]), ((2, 2),)), Effect(bytes([1, 0, 2, 3]), ((2, 3),))
    definition = Definition("locked", (Orbit("DISKS", 4),), (bytes(range(4)),), {"A": (change, never)}, {"A": "A"})
    arrays = Puzzle(DerivedRules(PieceView(definition)), Tables(tmp_path)).state_arrays()
    rows = np.array([[0, 1, 2, 3], [1, 0, 2, 3], [1, 0, 3, 2]], np.uint8)
    assert len(np.unique(arrays.least_images(rows), axis=0)) == 3


def test_more_moves_than_a_byte_can_number(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Puzzle = puzzle("ivy")
    bytes_of_moves = asked.state_arrays().walks(20, 3, rng=1).moves
    monkeypatch.setattr(state_arrays, "MOST_MOVES", 7)
    monkeypatch.setattr(solvers_arrays, "MOST_MOVES", 7)
    walks = asked.state_arrays().walks(20, 3, rng=1)
    assert walks.moves.dtype == np.uint16
    assert walks.moves.tolist() == bytes_of_moves.tolist()
    assert asked.state_arrays().walks(2, [0, 1], rng=1).moves[0, 0] == 65_535
    with pytest.raises(CubesolveError, match="at most 7 moves, and there are 8"):
        asked.solve_batch([0])


def test_walks_do_not_undo_a_move_and_repeat_with_a_seed() -> None:
    arrays = puzzle("rubik").state_arrays()
    walks = arrays.walks(500, 9, rng=7)
    faces = walks.moves // 3
    assert (faces[:, 1:] != faces[:, :-1]).all()
    assert (np.bincount(walks.moves[:, 0], minlength=18) > 10).all()
    assert (arrays.walks(500, 9, rng=7).states == walks.states).all()
    further = arrays.walks(500, 2, rng=8, start=walks.states)
    assert (arrays.apply(arrays.apply(walks.states, further.moves[:, 0]), further.moves[:, 1]) == further.states).all()


def test_walks_of_commuting_moves_go_on() -> None:
    arrays = puzzle("rubik").restrict("U D").state_arrays()
    walks = arrays.walks(20, 7, rng=1)
    faces = np.array([move[0] for move in arrays.moves])[walks.moves]
    assert (walks.lengths == 7).all()
    assert (faces[:, 1:] != faces[:, :-1]).all()
    single = puzzle("rubik").restrict("U").state_arrays()
    assert (single.walks(5, 7, rng=1).lengths == 1).all()


def test_large_arrays_are_divided_among_threads() -> None:
    arrays = pickle.loads(pickle.dumps(puzzle("rubik").state_arrays()))  # as other processes take it
    walks = arrays.walks(30_000, 3, rng=1)
    parts = [arrays.apply(walks.states[first : first + 1000], 4) for first in range(0, 30_000, 1000)]
    assert (arrays.apply(walks.states, 4) == np.concatenate(parts)).all()


def test_turns_of_the_square_1_are_those_of_its_solutions() -> None:
    asked, metric = puzzle("square1"), "wca"
    arrays = asked.state_arrays(metric=metric)
    assert arrays.moves == tuple(asked.moves)
    drawn = arrays.random(3, rng=1)
    assert len(np.unique(arrays.least_images(drawn), axis=0)) == 3
    walks = arrays.walks(40, 9, rng=1)
    twists = [[arrays.moves[move] == "/" for move in moves] for moves in walks.moves]
    assert all(one != other for row in twists for one, other in itertools.pairwise(row))  # turns are joined
    costs = arrays.costs[walks.moves].sum(axis=1)
    depths = asked.depths(walks.states[:8], metric=metric)
    assert (asked.bounds(walks.states[:8], metric=metric)[:, 0] <= depths).all()
    assert (depths <= costs[:8]).all()
    assert asked.bounds(walks.states).max() > 1


def test_the_clock_adds_hours() -> None:
    clock: Puzzle = puzzle("clock")
    arrays = clock.state_arrays()
    walks = arrays.walks(3, [1, 2, 3], rng=1)
    assert (arrays.points, arrays.labels, len(arrays.moves)) == (18, 12, 330)
    assert walks.moves.dtype == np.uint16
    assert [state.hours[:9] + state.back for state in arrays.states(walks.states)] == [
        *map(tuple, walks.states.tolist())
    ]
    assert clock.depths(walks.states).tolist() == [1, 2, 3]
    solved = clock.solve_batch(walks.states)
    assert (solved.moves.dtype, solved.lengths.tolist()) == (np.uint16, [1, 2, 3])
    for row, moves in zip(walks.states, solved.moves, strict=True):
        made = [arrays.moves[move] for move in moves[moves != 65_535]]
        assert arrays.is_solved(arrays.apply(row[None], " ".join(made)))[0]
    assert clock.search(walks.states[1], heuristic=lambda rows: (rows != 0).sum(axis=1) / 12, method="ida").length == 2
    assert np.array_equal(np.asarray(arrays.undoing_costs), arrays.costs)
    assert arrays.has_inverses


def test_each_symmetry_of_the_clock_maps_moves_to_moves() -> None:
    arrays = puzzle("clock").state_arrays()
    row = arrays.random(1, rng=1)
    around = arrays.read([str(state.apply("y2")) for state in arrays.states(row)])
    assert (arrays.canonical(around) == arrays.canonical(row)).all()
    assert len(arrays._images.sources) == 32
    for sources, labels in zip(*arrays._images, strict=True):
        images, there = labels[arrays.neighbors(row)[0][:, sources]], arrays.neighbors(labels[row[:, sources]])[0]
        assert {*map(bytes, images)} == {*map(bytes, there)}
        assert (arrays.least_images(labels[row[:, sources]]) == arrays.least_images(row)).all()


def test_optimal_moves_of_the_clock_on_both_sides() -> None:
    clock: Puzzle = puzzle("clock")
    arrays = clock.state_arrays()
    rows = arrays.read(["UR3+ y2 L1-"])
    (leads,) = Oracle(clock).optimal_moves(rows)
    some = np.unique([*np.flatnonzero(leads), *range(0, len(leads), 9)])
    assert (leads[some] == (clock.depths(arrays.neighbors(rows)[0, some]) < clock.depths(rows))).all()


def test_small_arrays_start_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "cubesolve.runtime.workers.ThreadPoolExecutor", lambda _count: pytest.fail("a thread was started")
    )
    arrays = puzzle("rubik").state_arrays()
    walks = arrays.walks(500, 3, rng=1, workers=2)
    assert (walks.states == arrays.walks(500, 3, rng=1).states).all()
    after = arrays.apply(walks.states, 0, workers=2)
    assert not arrays.is_solved(after, workers=2).all()


def test_walks_towards_a_goal_begin_where_moves_lead() -> None:
    asked = puzzle("tiles-2x2").towards("1 * * 2")
    arrays = asked.state_arrays()
    assert asked.depths(arrays.solved[None]).tolist() == [0]
    assert asked.depths(arrays.walks(9, 3, rng=1).states).max() <= 3


@pytest.mark.parametrize("name", ["rubik", "tiles-2x3", "megaminx"])
def test_no_states_are_states(name: str) -> None:
    arrays = puzzle(name).state_arrays()
    assert arrays.random(0, rng=1).shape == arrays.walks(0, 3, rng=1).states.shape == (0, arrays.points)
    assert arrays.neighbors(arrays.read([])).shape == (0, len(arrays.moves), arrays.points)
    assert arrays.walks(0, [], start=[]).states.shape == arrays.apply([], []).shape == (0, arrays.points)
    if name == "tiles-2x3":
        assert arrays.from_ranks(arrays.ranks([])).shape == (0, arrays.points)


# -- Batches without a table -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rubik", "15-puzzle"])
def test_rows_of_labels_stand_for_ranks(name: str) -> None:
    asked = puzzle(name)
    arrays = asked.state_arrays()
    drawn = asked.sample(2, rng=1)
    assert drawn.shape == (2, arrays.points)
    assert (drawn == asked.sample(2, rng=1)).all()
    near = asked.neighbors(drawn)
    assert (near == arrays.neighbors(drawn)).all()
    states = arrays.walks(2, [1, 2], rng=1).states
    assert asked.depths(states).tolist() == [asked.depth(state) for state in arrays.states(states)]
    assert asked.depths(arrays.one_hot(states)).tolist() == asked.depths(states).tolist()


def test_every_question_about_a_batch_searches() -> None:
    tiles = puzzle("15-puzzle")
    batch = ["D R", "no state", "D D"]
    assert tiles.depths(batch, invalid="mask").tolist() == [2, 255, 2]
    assert tiles.count_solutions_batch(batch, invalid="mask").tolist() == [1, 0, 1]
    assert np.argwhere(tiles.optimal_moves_batch(batch, invalid="mask")).tolist() == [[0, 2], [2, 0]]
    moves, lengths = tiles.solve_batch(batch, invalid="mask")
    assert moves.tolist() == [[2, 0], [255, 255], [0, 0]]
    assert lengths.tolist() == [2, 255, 2]
    assert tiles.solve_batch(np.array(["D R"]), max_length=5).lengths.tolist() == [2]


# -- Moves of states that differ by a rotation, which are one for a table ----------------------------------------------


Held = tuple[Puzzle, NDArray[np.uint8]]


@pytest.fixture(params=["reference", "rotated"])
def held(request: pytest.FixtureRequest) -> Held:
    """A puzzle with a reference piece or a rotation, and its states in many orientations."""
    halves = "U2 D2 R2 L2 F2 B2"
    asked = puzzle("tower").restrict(halves) if request.param == "reference" else puzzle("topspin-8-4")
    return asked, asked.state_arrays().walks(100, 9, rng=1).states


def test_solutions_of_arrays_solve_the_states(held: Held) -> None:
    asked, rows = held
    moves, lengths = asked.solve_batch(rows)
    states = asked.state_arrays().states(rows)
    assert lengths.tolist() == [asked.depth(state) for state in states]
    assert lengths.max() > 2
    for state, numbers, length in zip(states, moves, lengths, strict=True):
        assert state.apply(" ".join(asked.moves[number] for number in numbers[:length])).is_solved
        assert (numbers[length:] == 255).all()


def test_scrambles_reach_every_state() -> None:
    asked: Puzzle = puzzle("tower").restrict("U2 D2 R2 L2 F2 B2")
    rules, ranks = derived(asked.rules), range(asked.states)
    graph = rules.graph()
    algs = [rules.made(asked.solve(rank), graph.unrank(rank)) for rank in ranks]
    assert sorted(graph.rank(alg) for alg in algs) == list(ranks)


def test_searched_moves_are_found_for_states_as_they_are_held() -> None:
    big: Puzzle = puzzle("4x4x4")
    arrays, oracle = big.state_arrays(), Oracle(big)
    rows = arrays.read(["x Rw U", "Lw"])
    leads, depths = oracle.optimal_moves(rows), oracle.distances(rows)
    assert leads.any(axis=1).all()
    for row, lead, depth in zip(rows, leads, depths, strict=True):
        assert ((oracle.distances(arrays.neighbors(row[None])[0]) < depth) == lead).all()


def test_exported_moves_solve_the_exported_states(held: Held) -> None:
    asked, _ = held
    columns = columns_of(asked, asked.usual_table())
    ranks = np.arange(asked.states)[::20]
    states = asked.state_arrays().states(columns["state"].values(ranks))
    for state, alg in zip(states, columns["moves"].texts(columns["moves"].values(ranks)), strict=True):
        assert state.apply(alg).is_solved

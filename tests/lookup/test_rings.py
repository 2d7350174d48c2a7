"""Searches of puzzles whose pieces form a ring, with one table for all windows, find optimal solutions."""

from __future__ import annotations

import functools
import heapq
import itertools
import math
import random
import tracemalloc
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from cubesolve import lookup
from cubesolve.catalog import rules_named
from cubesolve.deadline import EndedError
from cubesolve.definitions.canonical import beginnings
from cubesolve.definitions.definition import Definition, Effect, Orbit
from cubesolve.definitions.piece_view import PieceView
from cubesolve.definitions.rings import Ring, ring_of
from cubesolve.encodings.byte.enumeration import enumerate_depths
from cubesolve.encodings.mod3.absolute import half_bytes
from cubesolve.encodings.mod3.enumeration import enumerate_mod3
from cubesolve.errors import CorruptTableError, NoMemoryError, UnsolvableStateError
from cubesolve.permutations import Permutation, after, arrangement, identity, power
from cubesolve.search import ida_star, ring_sums
from cubesolve.search.ring_sums import RingSumSolver, choose_partition
from cubesolve.search.rings import RingSolver, building_bytes, choose_windows
from cubesolve.solvers import derived, opening, ring_beams, searched
from cubesolve.solvers.choices import choice_entry, search_entry
from cubesolve.solvers.ring_beams import RingBeams
from cubesolve.spaces.defined import DerivedGraph, DerivedRules
from cubesolve.spaces.shares import Partition
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import MOD3
from cubesolve.spaces.windows import Windows, states_of
from cubesolve.store import build, tablefile
from cubesolve.store.tables import Tables
from tests.subsets import later


def _graph(name: str) -> DerivedGraph:
    rules = rules_named(name)
    assert isinstance(rules, DerivedRules)
    return rules.graph()


def _burnt(disks: int, room: int, step: int = 1) -> DerivedGraph:
    """TopSpin whose reversed disks are turned over; the rotation in the definition moves several places."""
    moves = {}
    for first in range(disks):
        change = list(range(2 * disks))
        for place, side in itertools.product(range(room), range(2)):
            here, there = ((first + each) % disks for each in (place, room - 1 - place))
            change[2 * here + side] = 2 * there + 1 - side
        moves[f"T{first}"] = (Effect(arrangement(change)),)
    shift = arrangement((point - 2 * step) % (2 * disks) for point in range(2 * disks))
    orbit = (Orbit("DISKS", disks, 2),)
    definition = Definition("burnt", orbit, (identity(2 * disks),), moves, rotations={"s": shift})
    return DerivedRules(PieceView(definition, "burnt")).graph()


def _rooms(disks: int, rooms: Iterable[int]) -> DerivedGraph:
    """TopSpin with turntables of several sizes, so that some moves may be odd permutations and others even ones."""
    moves = {}
    for room, first in itertools.product(rooms, range(disks)):
        change = list(range(disks))
        for place in range(room):
            change[(first + place) % disks] = (first + room - 1 - place) % disks
        moves[f"T{room}_{first}"] = (Effect(arrangement(change)),)
    shift = arrangement((point - 1) % disks for point in range(disks))
    definition = Definition("rooms", (Orbit("DISKS", disks, 1),), (identity(disks),), moves, rotations={"s": shift})
    return DerivedRules(PieceView(definition, "rooms")).graph()


def _ring(graph: DerivedGraph) -> Ring:
    ring = ring_of(graph.reduction, graph.definition_moves, graph.rules.definition.solved)
    assert ring is not None
    return ring


def _solver(graph: DerivedGraph, memory: int) -> RingSolver:
    windows = choose_windows(_ring(graph), memory)
    entry = search_entry(graph, "windows", "windows", MOD3, windows.states)
    space = windows.space()
    header, table = build.make_distances(entry, space, windows.start)
    depths = half_bytes(space, np.frombuffer(table, np.uint64), windows.start, len(header.distribution) - 1)
    return RingSolver(windows, depths, graph.reduction)


def _sums(graph: DerivedGraph, pieces: int, extra: int) -> RingSumSolver:
    partition = Partition(_ring(graph), pieces, extra)
    assert partition.is_sound
    tables = {size: partition.table(size, enumerate_depths(partition.space(size))) for size in partition.sizes}
    return RingSumSolver(partition, tables, graph.reduction)


def _depths(graph: DerivedGraph) -> dict[Permutation, int]:
    """Return the depths of all states up to rotation by an independent search over unreduced states."""
    definition = graph.rules.definition
    shift = definition.rotations["s"]
    turned = [power(shift, times) for times in range(len(definition.solved[0]))]
    level = [after(definition.solved[0], each) for each in turned]
    found = dict.fromkeys(level, 0)
    changes = [move.effects[0].sources for move in definition.moves()]
    for depth in itertools.count(1):
        level = [state for state in {after(old, change) for old in level for change in changes} if state not in found]
        if not level:
            return found
        found |= dict.fromkeys(level, depth)
    raise AssertionError


@pytest.mark.parametrize(
    ("graph", "memory", "every"),
    [
        (_graph("topspin-6-4"), 90, 7),
        (_burnt(5, 2, 2), 1_000, 53),
        later(_graph("topspin-7-3"), 100, 97),
        later(_burnt(5, 3), 110, 41),
        later(_graph("topspin-8-5"), 300, 7),  # a disk only reaches every other place
        later(_graph("topspin-8-4"), 300, 8),
        later(_burnt(6, 4), 3_000, 50),
    ],
    ids=lambda given: given.rules.title if isinstance(given, DerivedGraph) else str(given),
)
def test_states_are_solved_in_as_few_moves_as_a_breadth_first_search_needs(
    graph: DerivedGraph, memory: int, every: int
) -> None:
    _compare(_solver(graph, memory), graph, every)


@pytest.mark.parametrize(
    ("disks", "rooms", "pieces", "extra", "every"),
    [
        (6, [4], 3, 0, 13),
        (7, [2], 2, 0, 211),
        (6, [3, 4], 2, 1, 13),
        later(6, [3], 4, 1, 13),
        later(7, [3], 3, 1, 97),
        later(8, [5], 3, 1, 7),
        later(7, [5], 4, 1, 50),
        later(7, [2, 5], 3, 0, 50),
        later(8, [4], 3, 1, 8),
        later(8, [3], 4, 0, 97),
    ],
)
def test_sums_find_as_few_moves_as_a_breadth_first_search_needs(
    disks: int, rooms: list[int], pieces: int, extra: int, every: int
) -> None:
    """The permutations of the moves, and those of the rotations, are odd or even."""
    graph = _rooms(disks, rooms)
    _compare(_sums(graph, pieces, extra), graph, every)


def test_states_that_even_moves_do_not_solve_are_found_at_once() -> None:
    solver = _sums(_rooms(7, [4]), 3, 1)
    with pytest.raises(UnsolvableStateError):
        solver.solve([1, 0, *range(2, 7)], workers=1)
    assert solver.nodes == 0


@pytest.mark.parametrize(("disks", "rooms", "pieces", "extra"), [(6, [4], 3, 0), (6, [3, 4], 2, 1)])
def test_beams_of_sums_find_shorter_and_shorter_algs(
    disks: int, rooms: list[int], pieces: int, extra: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A beam that has room for all states finds optimal ones."""
    monkeypatch.setattr(ring_beams, "_WIDTHS", (1, 4, math.factorial(disks)))
    monkeypatch.setattr(ring_beams, "_AT_ONCE", 5)
    graph = _rooms(disks, rooms)
    ring, beams = _ring(graph), RingBeams(_sums(graph, pieces, extra))
    for state, depth in sorted(_depths(graph).items())[5::97]:
        home = graph.reduction.home(state)
        assert home is not None
        algs = list(beams.algs(ring.points_of(home[0])))
        assert [*map(len, algs)] == sorted({*map(len, algs)}, reverse=True)
        assert len(algs[-1]) == depth
        for alg in algs:
            end = state
            for name in graph.reduction.alg(alg, home[1]):
                end = after(end, graph.rules.definition.generators[name][0].sources)
            assert graph.rules.labelling.is_solved(end)


def test_beams_of_unsolvable_states_are_empty() -> None:
    assert not [*RingBeams(_sums(_rooms(7, [4]), 3, 1)).algs([1, 0, *range(2, 7)])]


def test_beams_follow_when_the_time_of_a_search_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They need tables that are open; other algs are longer."""
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    puzzle, state, memory = lookup.open_tablebase(tmp_path).puzzle("topspin-9-3"), "9 8 7 6 5 4 3 2 1", 50_000
    solver = puzzle.solver
    assert isinstance(solver, derived.DerivedSolver)
    search = solver._searching(solver.graph_asked({}))
    assert not [*search.short_algs(search.home(state), {"memory": memory})]
    monkeypatch.setattr(derived.DerivedSolver, "_short_algs", lambda *_, **__: iter(["T1"]))
    assert [found.length for found in solver._some_solutions(state, {"memory": memory})] == [1]
    search._open(memory)
    found = [*solver._some_solutions(state, {"memory": memory})]
    assert all(puzzle.depth(solver.rules.view.after(solver.rules.read(state), each)) == 0 for each in found)
    assert found[-1].length == puzzle.depth(state, memory=memory)


def _compare(solver: RingSolver | RingSumSolver, graph: DerivedGraph, every: int) -> None:
    """Compare bounds and solutions of some states with the depths of an independent search."""
    ring = _ring(graph)
    for state, depth in sorted(_depths(graph).items())[::every]:
        home = graph.reduction.home(state)
        assert home is not None
        points = ring.points_of(home[0])
        bounds = solver.bounds(points)
        assert bounds.max() <= depth
        (alg,) = solver.solve(points, ruled_out=depth - 2, max_depth=depth, workers=1)
        assert len(alg) == depth
        for name in graph.reduction.alg(alg, home[1]):
            state = after(state, graph.rules.definition.generators[name][0].sources)  # noqa: PLW2901
        assert graph.rules.labelling.is_solved(state)


def test_pieces_pay_the_shares_of_the_moves_that_solve_them() -> None:
    """The least that three pieces pay, by Dijkstra's method over their places."""
    partition = Partition(_ring(_graph("topspin-7-4")), 3, 1)
    goes, shares = partition.goes.tolist(), partition.shares.tolist()
    assert (partition.scale, partition.sizes, shares[0]) == (6, [3, 3, 1], [2, 1, 1, 2, 0, 0, 0])
    paid, waiting = dict[tuple[int, ...], int](), [(0, (0, 1, 2))]
    while waiting:
        cost, places = heapq.heappop(waiting)
        if places in paid:
            continue
        paid[places] = cost
        for to, share in zip(goes, shares, strict=True):
            before = tuple(to[place] for place in places)  # each move undoes itself
            heapq.heappush(waiting, (cost + sum(share[place] for place in before), before))
    depths = partition.table(3, enumerate_depths(partition.space(3)))
    assert depths[partition.numbers(np.array([*paid]))].tolist() == [*paid.values()]
    assert len(paid) == 7 * 6 * 5


@pytest.mark.exhaustive
def test_sums_are_chosen_where_a_move_reaches_few_pieces() -> None:
    chosen = choose_partition(_ring(_graph("topspin-20-4")), 1 << 27)
    assert chosen is not None
    assert (chosen.pieces, chosen.extra, chosen.sizes, chosen.scale) == (6, 1, [6, 6, 6, 2], 6)
    for graph in (_graph("topspin-16-9"), _burnt(7, 3), _graph("topspin-5-3")):
        assert choose_partition(_ring(graph), 1 << 27) is None
    assert choose_partition(_ring(_graph("topspin-20-4")), 100) is None


def test_the_bound_of_sums_is_that_of_the_best_rotation() -> None:
    """All parts of a state have the same rotation, and its inverse has the same bound."""
    partition = Partition(_ring(_graph("topspin-9-4")), 4, 1)
    solver, source = _sums(_graph("topspin-9-4"), 4, 1), np.random.default_rng(3)
    states = np.arange(9)[None].repeat(4, axis=0)
    for _ in range(50):
        states = partition.goes[source.integers(9, size=(4, 1)), states]
    spaces = {size: enumerate_depths(partition.space(size)) for size in partition.sizes}
    tables = {size: partition.table(size, depths) for size, depths in spaces.items()}

    def bound(places: list[int]) -> int:
        sums = []
        for seen, first in itertools.product((places, [*map(places.index, range(9))]), range(9)):
            total, begin = 0, first
            for size in partition.sizes:
                part = [(seen[piece % 9] - first - (begin - first)) % 9 for piece in range(begin, begin + size)]
                total, begin = total + int(tables[size][partition.numbers(np.array(part))]), begin + size
            sums.append(-(-total // partition.scale))
        return max(sums)

    expected = [min(bound([*np.roll(state, -turn)]) for turn in range(9)) for state in states]
    assert solver.bounds(states)[:, 0].tolist() == solver.bounds(states.argsort())[:, 0].tolist() == expected


def test_windows_have_the_distances_of_the_puzzle_without_the_other_pieces() -> None:
    """Each state of a window has its own rank."""
    graph = _burnt(5, 3)
    ring, solver = _ring(graph), _solver(graph, 110)
    windows = solver._windows
    least: dict[int, int] = {}
    for state, depth in _depths(graph).items():
        rank = int(windows.ranks(np.array(ring.points_of(state))[windows.numbers[0]]))
        least[rank] = min(depth, least.get(rank, depth))
        assert least[rank] <= depth
    assert sorted(least) == [*range(windows.states)]
    points = np.array([ring.points_of(state) for state in list(_depths(graph))[::50]])
    ranks = windows.ranks(points[:, windows.numbers])
    assert solver.bounds(points).tolist() == [[least[rank] for rank in row] for row in ranks.tolist()]


def test_whole_distances_follow_from_distances_modulo_3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubesolve.spaces.windows._WIDEST", 5)
    windows = Windows(_ring(_graph("topspin-7-3")), 3, 1)
    space = windows.space()
    assert (space.rows, space.width) == (6, 5)
    depths = enumerate_depths(space, windows.start).astype(np.int64)
    table = enumerate_mod3(space, windows.start)[0].view(np.uint64)
    for deepest, part in ((int(depths.max()), 1), (31, 2)):
        found = half_bytes(space, table, windows.start, deepest).depths(np.arange(space.states))
        assert found.tolist() == (depths // part * part).tolist()


def test_states_that_no_moves_connect_with_the_start_have_no_distance() -> None:
    """There are as many of them as make a walk through all rows leave the memory of the connected ones."""
    apart = np.arange(4, 1 << 16)
    base = np.array([[1, 2, 3, 0, *apart], [3, 0, 1, 2, *apart]])
    space = StateSpace(base, np.zeros(base.shape, np.int32), np.array([[0]], np.uint32), mutual=True)
    found = half_bytes(space, enumerate_mod3(space)[0].view(np.uint64), 0, 2)
    assert found.depths(np.arange(1 << 16)).tolist() == [0, 1, 2, 1, *[0] * len(apart)]


def test_the_windows_of_the_dual_state_are_those_of_the_inverse() -> None:
    solver, source = _solver(_graph("topspin-7-3"), 100), np.random.default_rng(3)
    points = source.permuted(np.tile(np.arange(7), (20, 1)), axis=1)
    bounds, inverse = solver.bounds(points), solver.bounds(np.argsort(points))
    assert bounds.shape == (20, 14)
    assert bounds.tolist() == np.roll(inverse, 7, axis=1).tolist()


def test_the_distance_of_the_pieces_with_the_best_bounds_is_chosen() -> None:
    ring = _ring(_graph("topspin-11-4"))
    assert choose_windows(ring, 1_000)[1:] == (4, 1)
    assert choose_windows(_ring(_burnt(7, 3, 2)), 1_000).step in {3, 4}  # two places are one step of the rotation
    with pytest.raises(NoMemoryError, match="3 bytes are not enough for a table of a ring of 11: 142 are"):
        choose_windows(ring, 3)


def test_rings_are_found_by_their_moves() -> None:
    assert [len(place) for place in _ring(_burnt(7, 3)).places] == [2] * 7
    for name in ("ivy", "dino", "pyraminx", "tiles-3x3", "pancake-6"):
        graph = _graph(name)
        assert ring_of(graph.reduction, graph.definition_moves, graph.rules.definition.solved) is None


@pytest.mark.parametrize(
    ("name", "memory", "tables", "kind", "slack", "wrong"),
    [
        ("topspin-7-4", 1_000, "*-apart*", "windows", 1, [(3, 7), (7, 1)]),
        later("topspin-9-3", 5_000, "*-shares-*", "shares", 0, [(9, 1), (3, 2), (7, 0)]),
    ],
)
def test_answers_are_those_of_a_table(
    name: str,
    memory: int,
    tables: str,
    kind: str,
    slack: int,
    wrong: list[tuple[int, int]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = lookup.open_tablebase(tmp_path / "all").puzzle(name)
    states = [table.random_state(seed) for seed in range(6 * slack or 2)]
    answers = [(table.depth(state), list(table.solutions(state, slack=slack))) for state in states]
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    for limit in ("_NEAR", "_IN_PYTHON", "_NEAR_OPEN"):
        monkeypatch.setattr(searched, limit, 1)
    monkeypatch.setattr(searched.Searched, "_newly_hashed", lambda _self, _memory: None)
    folder = tmp_path / "searched"
    puzzle = lookup.open_tablebase(folder).puzzle(name)
    asked = functools.partial(puzzle.solutions, slack=slack, memory=memory)
    assert [(puzzle.depth(state, memory=memory), list(asked(state))) for state in states] == answers
    assert [path.name for path in folder.glob(tables)]
    choice = choice_entry(_graph(name), kind, memory)
    for numbers in wrong:
        body = f"[[{numbers[0]}, {numbers[1]}]]".encode()
        header = choice.header._replace(entries=len(body), sha256=tablefile.digest(body))
        tablefile.write(str(folder / f"{choice.name}.zst"), header, memoryview(body), 1)
        with pytest.raises(CorruptTableError):
            lookup.open_tablebase(folder).puzzle(name).depth(states[0], memory=memory)


@pytest.mark.parametrize(("name", "memory"), [("topspin-7-4", 1_000), ("topspin-9-3", 5_000)])
def test_a_choice_is_kept_once_its_tables_are_made(
    name: str, memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = searched.Searched(_graph(name), Tables(str(tmp_path)))
    with monkeypatch.context() as ending:
        ending.setattr(build, "make_distances", _ended)
        with pytest.raises(EndedError):
            search._open(memory)
    assert not searched.Searched(_graph(name), Tables(str(tmp_path)))._is_kept(memory)
    search._open(memory)
    assert searched.Searched(_graph(name), Tables(str(tmp_path)))._is_kept(memory)


@pytest.mark.exhaustive
def test_a_round_has_a_limited_number_of_parts_from_all_rotations_together() -> None:
    solver = _solver(_graph("topspin-20-4"), 10_000)
    parts = [number for _, number in itertools.islice(beginnings(solver.problem.following.tolist()), 4)]
    assert parts == [20, 250, 2_560, 23_912]  # from one rotation, after 1 to 4 moves
    found = []
    for expanded, rotations in itertools.product((10**4, 10**12), (1, 10, 20)):
        before = ida_star._Run(solver._kernel, solver.problem, 17, False, None, None, solver)
        before.nodes = expanded
        now = ida_star._Run(solver._kernel, solver.problem, 18, False, None, before, solver)
        found.append(solver._split(now, 18, rotations))
    assert found == [1, None, None, 4, 3, 2]


def test_tables_of_a_ring_replace_long_searches_with_hashed_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, tables, memory = _graph("topspin-9-3"), Tables(str(tmp_path)), 50_000
    rounds = searched.Searched(graph, tables)._hashed_rounds(memory)
    assert [*rounds] == [searched._HASHED_SOON, searched._HASHED_OPEN]
    compiling = list[object]()
    monkeypatch.setattr(opening, "compile_meanwhile", compiling.append)
    searched.Searched(graph, tables)._open(memory)
    assert compiling == [ring_sums.deepen_sums]
    for limit in ("_NEAR", "_IN_PYTHON", "_NEAR_OPEN"):
        monkeypatch.setattr(searched, limit, 1)
    monkeypatch.setattr(searched.Searched, "_newly_hashed", lambda _self, _memory: None)
    monkeypatch.setattr(searched.Searched, "_found_hashed", _ended)
    search = searched.Searched(graph, tables)  # the tables are kept, so they are opened first
    state = search.home("9 8 7 6 5 4 3 2 1")
    found = search.solve(state, {"memory": memory}, every=False)
    assert search.is_solved_by(state, found.algs[0])
    search._faster[memory] = True
    with pytest.raises(EndedError):
        search.solve(state, {"memory": memory}, every=False)


def _ended(*_: object) -> None:
    raise EndedError("after 1 s")


def test_states_of_a_few_moves_have_the_lengths_of_another_search(tmp_path: Path) -> None:
    puzzle, graph = lookup.open_tablebase(tmp_path).puzzle("topspin-20-4"), _graph("topspin-20-4")
    ring, solver, source = _ring(graph), _solver(graph, 10_000), random.Random(5)
    for length in (3, 4, 5):
        state = graph.rules.definition.solved[0]
        for move in source.choices(graph.definition_moves, k=length):
            state = after(state, move.effects[0].sources)
        home = graph.reduction.home(state)
        assert home is not None
        depth = puzzle.depth(graph.rules.labelling.state(state))
        assert len(solver.solve(ring.points_of(home[0]))[0]) == depth <= length


def test_the_memory_of_a_table_includes_its_proof_and_its_space() -> None:
    ring = _ring(_graph("topspin-20-4"))
    assert [building_bytes(ring, pieces) for pieces in (8, 9)] == [128_373_120, 1_546_058_880]
    assert states_of(ring, 9) == Windows(ring, 9, 1).states == 3_047_466_240


@pytest.mark.exhaustive
def test_the_memory_of_tables_that_are_added_includes_their_spaces() -> None:
    partition = Partition(_ring(_graph("topspin-20-4")), 6, 1)
    depths = np.zeros(partition.states(6), np.uint8)
    tracemalloc.start()
    partition.space(6)
    partition.table(6, depths)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak + depths.nbytes <= ring_sums.building_bytes(partition)

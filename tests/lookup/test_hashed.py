"""Searches with hashed tables of any size and filling answer as a table of all states does."""

from __future__ import annotations

import itertools
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.errors import UnsolvableStateError
from cubesolve.group.canonical import canonical
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, after
from cubesolve.group.symmetries import symmetries
from cubesolve.runtime import kernels
from cubesolve.runtime.deadline import Deadline, EndedError, running
from cubesolve.search import hashed, limits
from cubesolve.search.hashed import HashedSolver
from cubesolve.search.packed import PackedPuzzle, TooManyLabelsError
from cubesolve.solvers import derived, searched
from cubesolve.spaces.defined import derived as rules_of
from tests.definitions.samples import disks
from tests.lookup.test_searched import _puzzle, answer_by

MOST = 1 << 40


def _packed(puzzle: Puzzle) -> PackedPuzzle:
    graph = rules_of(puzzle.rules).graph()
    sources = [move.effects[0].sources for move in graph.reduction.moves]
    solved = [state for state in graph.reduction.solved if graph.reach is None or graph.reach.may_have(state)]
    return PackedPuzzle(sources, solved, graph.canonical.following, symmetries(solved, graph.reduction.moves))


def _walked(puzzle: Puzzle, length: int, rng: random.Random) -> Arrangement:
    graph = rules_of(puzzle.rules).graph()
    place = graph.reduction.solved[0]
    for _ in range(length):
        place = after(place, rng.choice(graph.reduction.moves).effects[0].sources)
    return place


class Pancakes(NamedTuple):
    """Eight pancakes, and random states of them."""

    packed: PackedPuzzle
    states: list[Arrangement]

    def solver(self, bits: int) -> HashedSolver:
        """Return a solver with a memory of so many bits."""
        return HashedSolver(self.packed, 1 << bits, MOST)


@pytest.fixture
def pancakes() -> Pancakes:
    puzzle, rng = lookup.puzzle("pancake-8"), random.Random(7)
    return Pancakes(_packed(puzzle), [_walked(puzzle, 60, rng) for _ in range(40)])


def test_places_have_at_most_as_many_labels_as_a_byte() -> None:
    def packed(points: int, ring: int) -> PackedPuzzle:
        return PackedPuzzle([(*range(1, ring), 0, *range(ring, points))], [tuple(range(points))], [[0]])

    packed(256, 256)
    packed(400, 200)  # two orbits that never mix
    with pytest.raises(TooManyLabelsError):
        packed(257, 257)


@pytest.mark.parametrize("memory", [1 << 10, 1 << 18])
def test_a_table_never_says_too_much(memory: int, tmp_path: Path) -> None:
    """Bounds are right at every stage of filling, also after an interruption."""
    puzzle = lookup.open_tablebase(tmp_path).puzzle("skewb")
    packed, rng = _packed(puzzle), random.Random(5)
    solver = HashedSolver(packed, memory, MOST)
    walked = [(length, packed.key(packed.pack(_walked(puzzle, length, rng)))) for length in range(1, 9)] * 3
    for depth in range(1, 7):
        over = threading.Event()
        over.set()
        with running(Deadline(cancel=over)), pytest.raises(Exception, match="cancelled"):
            solver._fill_to(depth, 1)
        assert all(solver._tables.bound(key) <= length for length, key in walked)
        if solver._words(depth):
            solver._fill_to(depth, 2)
            assert solver._tables.filled == depth
        assert len(solver._tables.words) * 8 <= memory
        assert all(solver._tables.bound(key) <= length for length, key in walked)
        assert solver._tables.bound(packed.moves.solved[0]) == 0
    assert solver._tables.filled == (3 if memory == 1 << 10 else 6)


def test_filling_goes_on_where_it_was_interrupted(pancakes: Pancakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashed, "_SMALL", 1)
    whole, parts = (pancakes.solver(19) for _ in range(2))
    whole._fill_to(6, 1)
    descend, calls, ends = hashed.descend, itertools.count(1), 0

    def interrupted(*arguments: Any) -> int:
        if next(calls) % 7 == 0:
            arguments[1].best[0] = -1
            descend(*arguments)
            raise EndedError("after 1 s")
        return descend(*arguments)

    monkeypatch.setattr(hashed, "descend", interrupted)
    while parts._tables.filled < 6:
        try:
            parts._fill_to(6, 1)
        except EndedError:
            ends += 1
    assert ends > 5
    assert parts._tables.words.tolist() == whole._tables.words.tolist()


def test_questions_at_the_same_time(pancakes: Pancakes) -> None:
    expected, solver = list(map(pancakes.solver(14).solve, pancakes.states)), pancakes.solver(14)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(solver.solve, pancakes.states)) == expected


def test_a_question_does_not_wait_while_another_fills_a_table(pancakes: Pancakes) -> None:
    place, solver = pancakes.states[0], pancakes.solver(14)
    with solver._lock:
        algs = solver.solve(place)
        solver.forget()
    assert solver.solve(place) == algs
    assert solver._tables.filled > 0
    solver.forget()
    assert solver._tables.filled == 0
    assert solver.solve(place) == algs


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # keys wrap around
def test_a_row_is_reversed_by_swaps_of_neighbours() -> None:
    """Also run where nothing is compiled, so an index out of bounds is an error: see tests/test_kernels.py."""
    swaps = [bytes([*range(n), n + 1, n, *range(n + 2, 4)]) for n in range(3)]
    turns = tuple(Move(str(n), (Effect(swap),)) for n, swap in enumerate(swaps))
    solver = HashedSolver(PackedPuzzle(swaps, [bytes(range(4))], canonical(turns, bytes(range(4))).following), 64, MOST)
    algs = [(0, 1, 0, 2, 1, 0), (0, 2, 1, 0, 2, 1), (1, 0, 2, 1, 0, 2)]
    assert solver.solve(bytes([3, 2, 1, 0])) == algs[:1]
    assert solver.solve(bytes([3, 2, 1, 0]), every=True) == algs


def test_progress_is_reported_within_a_depth(pancakes: Pancakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_EVERY", 0)
    monkeypatch.setattr(hashed, "_SMALL", 1)
    reports = list[tuple[int, int]]()
    pancakes.solver(14).solve(pancakes.states[0], progress=lambda depth, nodes, _: reports.append((depth, nodes)))
    assert reports == sorted(reports)
    assert len(reports) > len({depth for depth, _ in reports})


def test_tables_are_filled_when_searches_would_have_saved_as_much(pancakes: Pancakes) -> None:
    """Short searches may use the table; it is never filled beyond the memory limit."""
    solver, filled, states = pancakes.solver(15), set[int](), pancakes.states[:5]
    algs = [solver.solve(state) for state in states]
    for _ in range(10):
        assert [solver.solve(state) for state in states] == algs
        filled.add(solver._tables.filled)
    assert len(filled) > 1
    assert solver._words(max(filled) + 1) == 0
    assert 8 * len(solver._tables.words) <= 1 << 15


def test_few_other_states_are_in_the_table_of_a_depth(pancakes: Pancakes) -> None:
    """With sixteen bits per state, at most one state of a hundred is confused."""
    tables = pancakes.solver(20)._fill_to(4, 1)
    keys = np.random.default_rng(3).integers(0, 1 << 64, 5000, dtype=np.uint64)
    assert all(0 <= sum(depth in tables._depths(key) for key in keys) < 50 for depth in (3, 4))


@pytest.mark.exhaustive
def test_the_method_whose_rounds_are_faster_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state beyond the lengths that hashed tables solve before pattern databases are built."""
    with_table, memory = _puzzle(tmp_path / "all", "pyraminx-duo"), 1 << 16
    state = with_table.random_state(random.Random(4), depth=4)
    first = with_table.solve(state)
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    monkeypatch.setattr(searched, "_NEAR", 0)
    monkeypatch.setattr(searched, "_NEAR_OPEN", 0)
    monkeypatch.setattr(searched, "_HASHED", 4)
    for faster in (0, MOST):
        monkeypatch.setattr(searched, "_FASTER", faster)
        puzzle = _puzzle(tmp_path / "none", "pyraminx-duo")
        found = puzzle.solve(state, memory=memory)
        assert found == first if faster else len(found) == len(first)
        assert isinstance(puzzle.solver, derived.DerivedSolver)
        (search,) = puzzle.solver._searched.values()
        assert search._faster == {memory: bool(faster)}
        assert search._is_open(memory) == (not faster)


@pytest.mark.parametrize("is_ready", [False, True])
def test_the_bidirectional_search_goes_on_while_the_kernel_is_compiled(
    is_ready: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_table = _puzzle(tmp_path / "all", "pyraminx-duo")
    state = with_table.random_state(random.Random(4), depth=4)
    expected = list(with_table.solutions(state))
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    monkeypatch.setattr(searched, "_IN_PYTHON", 1)
    monkeypatch.setattr(searched, "_NEAR", 30)
    compiling, lengths = list[object](), list[int]()
    monkeypatch.setattr(kernels, "compile_meanwhile", compiling.append)
    monkeypatch.setattr(hashed.descend, "is_ready", lambda: is_ready)
    puzzle = _puzzle(tmp_path / "none", "pyraminx-duo")
    assert list(puzzle.solutions(state, progress=lambda length, *_: lengths.append(length))) == expected
    assert compiling == [hashed.descend]
    assert lengths == sorted(set(lengths))
    assert isinstance(puzzle.solver, derived.DerivedSolver)
    (search,) = puzzle.solver._searched.values()
    assert search._hashed.has(limits.MEMORY) == is_ready


@pytest.mark.parametrize(
    ("name", "goal", "images"),
    [
        ("pancake-8", "1 2 3 4 5 6 7 8|8 7 6 5 4 3 2 1", 2),  # one is the other with other names
        ("ring.tws", "1 * * 2 * 3 *", 6),  # each of three and each of two may be the one that comes there
        ("ring.tws", "* 1 1 * * * 4", 3),
    ],
)
def test_several_solved_states_are_one_for_images(
    name: str, goal: str, images: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(tmp_path, "ring.tws").write_text(disks({"A": "2 3 4 5 6 7 1", "B": "2 3 1 4 5 6 7"}, "1 1 1 2 2 3 4"))
    with_table, puzzle = (
        _puzzle(tmp_path / each, str(tmp_path / name) if "." in name else name).towards(goal)
        for each in ("all", "none")
    )
    states = [with_table.random_state(seed) for seed in range(8)]
    expected = [(with_table.depth(state), list(with_table.solutions(state))) for state in states]
    answer_by("hashed", monkeypatch)
    for state, (depth, algs) in zip(states, expected, strict=True):
        assert (puzzle.depth(state, memory=1 << 16), puzzle.solve(state, memory=1 << 16)) == (depth, algs[0])
        assert list(puzzle.solutions(state, memory=1 << 16)) == algs
    (found,) = puzzle.solver._searched.values()  # type: ignore[attr-defined]  # puzzles with a goal have it
    assert found._single.number == images


def test_images_that_no_moves_solve_are_left_out() -> None:
    """A ring of five points is one piece, which has five of the ten arrangements of two and three alike."""
    puzzle = PackedPuzzle([bytes([1, 2, 3, 4, 0])], [bytes([2, 2, 0, 2, 0])], [[0]])
    other, rotated = bytes([0, 0, 2, 2, 2]), bytes([0, 2, 2, 0, 2])
    (packed,) = puzzle.pack_all([rotated, other])
    assert packed.tolist() == puzzle.pack(rotated).tolist()
    with pytest.raises(UnsolvableStateError):
        puzzle.pack_all([other, other])

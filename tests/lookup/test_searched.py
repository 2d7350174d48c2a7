"""Searches with projections agree with a table of all states; errors where a table is missing."""

from __future__ import annotations

import contextlib
import functools
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cubesolve import RubikCube, lookup
from cubesolve.ask import Puzzle
from cubesolve.errors import (
    CorruptTableError,
    CubesolveError,
    CubesolveWarning,
    MissingTableError,
    NoMemoryError,
    SearchLimitError,
    TooLargeError,
    UnsolvableStateError,
)
from cubesolve.runtime.deadline import EndedError
from cubesolve.search import near, pattern_selection
from cubesolve.search.limits import MEMORY
from cubesolve.solvers import derived, opening, questions, searched
from cubesolve.spaces.derive import DerivedSpace, derive
from cubesolve.spaces.space import Levels
from cubesolve.spaces.tables import TableEntry
from cubesolve.store import build, checkpoint
from tests.distances import distances
from tests.subsets import later, only

PUZZLES = [
    ("skewb", None, None),
    ("pyraminx-duo", None, None),
    ("tiles-2x4", None, None),
    ("topspin-8-4", None, None),
    ("pancake-8", None, None),
    ("pocket", "R U2", "U2=3"),
    ("rubik", "M U2", None),
]
TOWER, HALF_TURNS = later("tower", None, None), later("rubik", "R2 U2 F2", None)
FEWEST = only([each for each in PUZZLES if each[0] in {"pyraminx-duo", "pancake-8", "pocket"}], PUZZLES)
FEW = only([each for each in PUZZLES if each[0] not in {"skewb", "tiles-2x4"}], PUZZLES)


def _puzzle(folder: Path, name: str, moves: str | None = None, cost: str | None = None) -> Puzzle:
    puzzle = lookup.open_tablebase(folder).puzzle(name)
    return puzzle.restrict(moves, cost) if moves or cost else puzzle


@pytest.fixture
def searching(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Disable tables and the bidirectional search of near states."""
    with monkeypatch.context() as context:
        context.setattr(derived, "AT_ONCE", 0)
        context.setattr(searched, "_NEAR", 20)
        context.setattr(searched, "_HASHED", 0)
        context.setattr(searched, "_FASTER", 0)
        yield context


@pytest.mark.parametrize(("name", "moves", "cost"), [*FEWEST, TOWER, HALF_TURNS])
def test_the_answers_are_those_of_a_table(
    name: str, moves: str | None, cost: str | None, tmp_path: Path, searching: pytest.MonkeyPatch
) -> None:
    searching.undo()
    with_table = _puzzle(tmp_path / "all", name, moves, cost)
    source = random.Random(11)
    states = [with_table.random_state(source) for _ in range(8)]
    states.append(with_table.rules.view.solved(states[0]))
    expected = [
        (with_table.depth(state), list(with_table.solutions(state)), with_table.optimal_moves(state))
        for state in states
    ]
    searching.setattr(derived, "AT_ONCE", 0)
    searching.setattr(searched, "_NEAR", 20)
    searching.setattr(searched, "_HASHED", 0)
    searching.setattr(searched, "_FASTER", 0)
    puzzle = _puzzle(tmp_path / "parts", name, moves, cost)
    assert puzzle.states == with_table.states
    for state, (depth, algs, first) in zip(states, expected, strict=True):
        assert puzzle.depth(state, memory=1 << 20) == depth
        assert list(puzzle.solutions(state, memory=1 << 20)) == algs
        assert puzzle.solve(state, memory=1 << 20) in algs
        assert puzzle.count_solutions(state, memory=1 << 20) == len(algs)
        assert puzzle.optimal_moves(state, memory=1 << 20) == first
    made = [path.name for path in (tmp_path / "parts").glob("*")]
    kinds = ("projections", "parts", "windows")
    assert any(kind in each for kind in kinds for each in made) == (name != "pancake-8")
    assert all(each.startswith("custom-") for each in made)


@pytest.mark.parametrize(("name", "moves", "cost"), [*FEWEST, TOWER])
def test_open_tables_change_no_answer(
    name: str, moves: str | None, cost: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened tables are used after a few states, also for the first solution in order."""
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    puzzle = _puzzle(tmp_path, name, moves, cost)
    rules, source, states = puzzle.rules, random.Random(1), []
    for length in [1, 2, 3, 4, 5, 6, 7] * 2:
        state = rules.at_first({})
        for _ in range(length):
            turn = source.choice(puzzle.moves)
            with contextlib.suppress(CubesolveError, ValueError):  # it is not possible here
                state = rules.view.after(state, turn)
        states.append(state)
    before = [puzzle.solve(state, memory=1 << 20) for state in states]
    assert before == [next(iter(puzzle.solutions(state, memory=1 << 20))) for state in states]
    assert isinstance(puzzle.solver, derived.DerivedSolver)
    for each in puzzle.solver._searched.values():
        each._open(1 << 20)
    seen = list[int]()
    between = near.between

    def counting(*arguments: Any, after_level: Callable[[int, int], object], **limits: Any) -> object:
        def count(ruled_out: int, looked_at: int) -> None:
            seen.append(looked_at)
            after_level(ruled_out, looked_at)

        return between(*arguments, after_level=count, **limits)

    for module in (near, searched):
        monkeypatch.setattr(module, "between", counting)
    for state, alg in zip(states, before, strict=True):
        for workers in (1, 2):
            assert puzzle.solve(state, memory=1 << 20, workers=workers) == alg
    assert max(seen, default=0) <= searched._NEAR_OPEN


@pytest.mark.parametrize(
    ("name", "moves", "cost"), [*(later(*each) for each in PUZZLES if each[0] != "tiles-2x4"), HALF_TURNS]
)
def test_longer_solutions_are_those_of_a_table(
    name: str, moves: str | None, cost: str | None, tmp_path: Path, searching: pytest.MonkeyPatch
) -> None:
    searching.undo()
    with_table = _puzzle(tmp_path / "all", name, moves, cost)
    asked = [(with_table.random_state(seed), slack) for seed, slack in ((1, 1), (2, 2 if name != "topspin-8-4" else 1))]
    asked.append((with_table.rules.view.solved(asked[0][0]), 3))
    expected = [list(with_table.solutions(state, slack=slack)) for state, slack in asked]
    limited = [list(with_table.solutions(state, slack=3, max_depth=with_table.depth(state))) for state, _ in asked]
    assert limited == [list(with_table.solutions(state)) for state, _ in asked]
    searching.setattr(derived, "AT_ONCE", 0)
    searching.setattr(searched, "_NEAR", 20)
    puzzle = _puzzle(tmp_path / "parts", name, moves, cost)
    assert [list(puzzle.solutions(state, slack=slack)) for state, slack in asked] == expected
    large = [*(tmp_path / "parts").glob(f"*-{MEMORY}.zst")]
    assert cost or not large  # hashed tables find the optimal solutions, unless moves have costs
    for (state, slack), algs in zip(asked, limited, strict=True):
        most = with_table.depth(state)
        assert list(puzzle.solutions(state, slack=slack, max_depth=most, memory=1 << 20)) == algs


@pytest.mark.usefixtures("searching")
def test_there_may_be_no_longer_solutions(tmp_path: Path) -> None:
    (path := tmp_path / "ring.gap").write_text("A := (1,2,3);")
    ring = lookup.open_tablebase(tmp_path / "none").puzzle(str(path))
    assert list(ring.solutions("A", slack=3)) == ["A'"]


@pytest.mark.exhaustive
def test_small_tables_are_made_first_where_time_is_limited(tmp_path: Path, searching: pytest.MonkeyPatch) -> None:
    state = _puzzle(tmp_path, "topspin-8-4").random_state(3)
    expected = _puzzle(tmp_path / "all", "topspin-8-4").solve(state)
    parts = _puzzle(tmp_path / "parts", "topspin-8-4")
    assert parts.solve(state, timeout=600) == expected
    assert isinstance(parts.solver, derived.DerivedSolver)
    (opened,) = parts.solver._searched.values()
    assert list(opened._opened) == [MEMORY]  # the small ones are closed
    made = [path.name for path in (tmp_path / "parts").iterdir()]
    for memory in (*searched._SOONER, MEMORY):
        assert any(name.endswith(f"projections-{memory}.zst") for name in made)
    open_tables = searched.Searched._open

    def too_late(self: searched.Searched, memory: int) -> object:
        if memory == MEMORY:
            raise EndedError("after 300 s")
        return open_tables(self, memory)

    searching.setattr(searched.Searched, "_open", too_late)
    searching.setattr(questions, "_LAST_SECONDS", 0)  # nothing else is tried
    few = _puzzle(tmp_path / "few", "topspin-8-4").solve(state, timeout=600)
    assert len(few.split()) == len(expected.split())
    searching.setattr(searched, "_MOMENTS", 10**9)
    with pytest.raises(SearchLimitError, match="not solved after 300 s") as caught:
        _puzzle(tmp_path / "few", "topspin-8-4").solve(state, timeout=600)
    assert 3 < caught.value.at_least <= len(expected.split())


@pytest.mark.usefixtures("searching")
def test_a_bound_is_not_lower_when_it_is_asked_for_again(tmp_path: Path) -> None:
    puzzle = _puzzle(tmp_path, "topspin-8-4")
    state = puzzle.random_state(3)
    depth = puzzle.depth(state, memory=1 << 12)
    for memory in (1 << 12, 1 << 11):
        for most in (depth - 1, 1):
            with pytest.raises(SearchLimitError) as caught:
                puzzle.depth(state, memory=memory, max_depth=most)
            assert (caught.value.at_least, caught.value.limit) == (depth, f"in {most} moves")
    assert puzzle.depth(state, memory=1 << 12) == depth


@pytest.mark.exhaustive
def test_tables_are_made_once(tmp_path: Path, searching: pytest.MonkeyPatch) -> None:
    puzzle = _puzzle(tmp_path, "topspin-8-4")
    state = puzzle.random_state(3)
    depth = puzzle.depth(state, memory=1 << 12)
    made = sorted(path.name for path in tmp_path.iterdir())
    searching.delattr(opening, "choose")
    assert _puzzle(tmp_path, "topspin-8-4").depth(state, memory=1 << 12) == depth
    assert sorted(path.name for path in tmp_path.iterdir()) == made
    (largest,) = sorted(tmp_path.iterdir(), key=lambda path: -path.stat().st_size)[:1]
    largest.unlink()
    assert _puzzle(tmp_path, "topspin-8-4").depth(state, memory=1 << 12) == depth  # a table that is lost is made again
    assert sorted(path.name for path in tmp_path.iterdir()) == made
    content = bytearray(largest.read_bytes())
    content[-9] ^= 1
    largest.write_bytes(content)
    with pytest.raises(CorruptTableError):
        _puzzle(tmp_path, "topspin-8-4").depth(state, memory=1 << 12)


def test_arrays_of_moves_take_memory_too(tmp_path: Path, searching: pytest.MonkeyPatch) -> None:
    searching.setattr(pattern_selection, "_ARRAYS", 0)
    spaces = _puzzle(tmp_path, "topspin-8-4").solver.workbench(None).searched.opening.open(1 << 14).spaces
    assert sum(space.states + space.nbytes for space in spaces) <= 1 << 14


class Killed(BaseException):
    """Simulate the end of a process."""


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "moves", "memory"), [("topspin-8-4", None, 1 << 12), later("rubik", "R U2", 1 << 16)])
def test_choosing_goes_on_in_the_next_process(
    name: str, moves: str | None, memory: int, tmp_path: Path, searching: pytest.MonkeyPatch
) -> None:
    state = _puzzle(tmp_path, name, moves).random_state(3)
    depth = _puzzle(tmp_path / "whole", name, moves).depth(state, memory=memory)
    made, make, keep = list[str](), build.make, build.keep

    def making(rules: Any, entry: TableEntry, **more: Any) -> Any:
        made.append(entry.name)
        return make(rules, entry, **more)

    def keeping(*table: Any) -> None:
        keep(*table)
        raise Killed

    searching.setattr(build, "make", making)
    searching.setattr(build, "keep", keeping)
    ends = 0
    for _ in range(100):
        with contextlib.suppress(Killed):
            assert _puzzle(tmp_path / "parts", name, moves).depth(state, memory=memory) == depth
            break
        ends += 1
    assert ends == len(made) + 1  # the last was the choice
    assert len(made) == len(set(made)) > 2
    for path in (tmp_path / "whole").iterdir():
        assert (tmp_path / "parts" / path.name).read_bytes() == path.read_bytes()
    assert len(list((tmp_path / "parts").iterdir())) == len(list((tmp_path / "whole").iterdir()))


@pytest.mark.exhaustive
def test_an_enumeration_goes_on_in_the_next_process(tmp_path: Path, searching: pytest.MonkeyPatch) -> None:
    state = _puzzle(tmp_path, "topspin-8-4").random_state(3)
    depth = _puzzle(tmp_path / "whole", "topspin-8-4").depth(state, memory=1 << 14, timeout=600)
    begun, keep, begin = list[int](), checkpoint.Checkpoint.keep, checkpoint.Checkpoint.begun

    def keeping(self: checkpoint.Checkpoint, table: Any, counts: tuple[int, ...]) -> None:
        keep(self, table, counts)
        if len(counts) == begun[-1] + 2:
            raise Killed

    def beginning(self: checkpoint.Checkpoint) -> Levels | None:
        levels = begin(self)
        begun.append(len(levels[1]) if levels else 0)
        return levels

    searching.setattr(checkpoint, "_SOON", 0.0)
    searching.setattr(checkpoint.Checkpoint, "keep", keeping)
    searching.setattr(checkpoint.Checkpoint, "begun", beginning)
    folder = tmp_path / "parts"
    for attempt in range(100):
        with contextlib.suppress(Killed):
            assert _puzzle(folder, "topspin-8-4").depth(state, memory=1 << 14, timeout=600) == depth
            break
        for path in folder.glob("*.checkpoint") if attempt == 1 else ():
            path.write_bytes(b"not a checkpoint")  # the enumeration begins anew
    assert {2, 4} <= set(begun)
    assert begun[:3] == [0, 2, 0]
    made, expected = ({path.name for path in each.iterdir()} for each in (folder, tmp_path / "whole"))
    assert made == expected


def test_tables_that_cannot_be_kept_are_made_once(tmp_path: Path, searching: pytest.MonkeyPatch) -> None:
    made, make = list[str](), build.make

    def making(rules: Any, entry: TableEntry, **more: Any) -> Any:
        made.append(entry.name)
        return make(rules, entry, **more)

    searching.setattr(build, "make", making)
    (folder := tmp_path / "file").write_text("not a folder")
    puzzle = _puzzle(folder, "topspin-8-4")
    state = puzzle.random_state(3)
    with pytest.warns(CubesolveWarning, match="it is made anew by every process"):
        assert puzzle.depth(state, memory=1 << 12) == puzzle.depth(state, memory=1 << 12) > 3
    assert len(made) == len(set(made)) > 2


def _note(nodes: list[int], _depth: int, number: int, _seconds: float) -> None:
    nodes.append(number)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("searching")
def test_more_memory_is_less_work_for_the_same_answer(tmp_path: Path) -> None:
    puzzle = _puzzle(tmp_path, "topspin-9-4")
    state = puzzle.random_state(5)
    looked_at = []
    for memory in (1 << 10, 1 << 14, 1 << 18):
        nodes: list[int] = []
        depth = puzzle.depth(state, memory=memory, progress=functools.partial(_note, nodes))
        looked_at.append((depth, -nodes[-1]))
    assert len({depth for depth, _ in looked_at}) == 1
    assert looked_at == sorted(looked_at)
    with pytest.raises(CubesolveError, match="100 bytes are not enough for tables of the TopSpin"):
        puzzle.depth(state, memory=100)


@pytest.mark.usefixtures("searching")
def test_a_search_ends_at_its_limits(tmp_path: Path) -> None:
    puzzle = _puzzle(tmp_path, "topspin-9-4")
    state = next(state for state in map(puzzle.random_state, range(99)) if puzzle.depth(state) > 6)
    depth = puzzle.depth(state)
    for limit in range(depth):
        with pytest.raises(SearchLimitError) as caught:
            puzzle.solve(state, max_depth=limit)
        assert limit < caught.value.at_least <= depth
    cancel = threading.Event()
    cancel.set()
    for question in ({"timeout": 0}, {"cancel": cancel}):
        with pytest.raises(SearchLimitError) as caught:
            puzzle.solve(state, **question)
        assert caught.value.at_least <= depth
    assert puzzle.solve(state, workers=1) == puzzle.solve(state, workers=3, max_depth=depth)


def test_what_no_table_holds_is_answered_and_counted(tmp_path: Path) -> None:
    puzzle = _puzzle(tmp_path, "rubik", "R U F")
    assert puzzle.states == 170659735142400  # 7! 3^6 of corners, 9! 2^8 of edges, half of both
    state = RubikCube.from_alg("R U F2 R' U2 F'")
    assert puzzle.depth(state) == 6
    assert puzzle.solve(state) == "F U2 R F2 U' R'"
    assert puzzle.path(RubikCube.from_alg("R U"), RubikCube.from_alg("F")) == "U' R' F"
    with pytest.raises(UnsolvableStateError):
        puzzle.depth(RubikCube.from_alg("D"))
    with pytest.raises(TooLargeError):
        puzzle.distribution()
    fifteen = _puzzle(tmp_path, "tiles-4x4")
    assert fifteen.states == 10461394944000
    assert fifteen.depth("1 2 3 4 5 6 7 8 9 10 11 12 13 0 14 15") == 2
    with pytest.raises(UnsolvableStateError):
        fifteen.depth("1 2 3 4 5 6 7 8 9 10 11 12 13 15 14 0")
    drawn = {fifteen.random_state(seed) for seed in range(5)}
    assert len(drawn) == 5


def _pancake_depths(number: int) -> dict[tuple[int, ...], int]:
    """An independent search."""
    turned = range(2, number + 1)
    return distances([tuple(range(1, number + 1))], lambda stack: (stack[:n][::-1] + stack[n:] for n in turned))


@pytest.mark.exhaustive
@pytest.mark.usefixtures("searching")
@pytest.mark.parametrize("pancakes", [5, later(6)])
def test_every_stack_has_the_depth_that_a_plain_search_finds(pancakes: int, tmp_path: Path) -> None:
    puzzle = _puzzle(tmp_path, f"pancake-{pancakes}")
    for stack, depth in _pancake_depths(pancakes).items():
        text = " ".join(map(str, stack))
        assert puzzle.depth(puzzle.parse(text, "pieces"), memory=2000) == depth


def test_a_scramble_of_a_large_puzzle_is_found_by_solving(tmp_path: Path) -> None:
    pyraminx = _puzzle(tmp_path, "pyraminx-tips")
    alg = pyraminx.scramble(2, workers=1)
    assert alg == pyraminx.scramble(2)
    assert pyraminx.depth(alg) == len(alg.split()) >= pyraminx.rules.scramble_depth == 6  # type: ignore[attr-defined]
    assert pyraminx.depth(pyraminx.scramble(1, depth=9)) == pyraminx.depth(pyraminx.random_state(1, 9)) == 9


ALL_STATES: dict[str, Callable[[Puzzle], Any]] = {
    "distribution": lambda puzzle: puzzle.distribution(),
    "antipodes": lambda puzzle: puzzle.antipodes(),
    "scramble": lambda puzzle: puzzle.scramble(1, depth=3, length=4),
    "depths": lambda puzzle: puzzle.depths([0, 1]),
    "solve_batch": lambda puzzle: puzzle.solve_batch([0, 1]),
    "sample": lambda puzzle: puzzle.sample(3),
}


@pytest.mark.parametrize("question", ALL_STATES)
def test_a_table_that_is_missing_is_named_before_anything_is_derived(
    question: str, tmp_path: Path, searching: pytest.MonkeyPatch
) -> None:
    def nothing(*_: object) -> None:
        raise AssertionError("this takes long")

    for where in ("cubesolve.spaces.derived.make_ready", "cubesolve.store.build.make"):
        searching.setattr(where, nothing)
    with pytest.raises(MissingTableError, match=r"tables build rubik --moves 'R2 U2 F2' \(2,592 states, about 1 s\)"):
        ALL_STATES[question](_puzzle(tmp_path, "rubik", "R2 U2 F2"))
    assert not list(tmp_path.iterdir())


def test_a_distribution_that_is_pinned_needs_no_table(tmp_path: Path) -> None:
    puzzle = lookup.open_tablebase(tmp_path).puzzle("tiles-3x4")
    assert sum(puzzle.distribution()) == puzzle.states == 239_500_800
    assert not list(tmp_path.iterdir())


def test_a_space_with_too_many_rows_is_derived_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the number of states is not known, only deriving the space detects too many rows."""
    calls: list[Any] = []

    def derive_and_note(*given: Any) -> DerivedSpace:
        calls.append(given)
        return derive(*given)

    monkeypatch.setattr("cubesolve.definition.reach.MOST_EDGES", 1)
    monkeypatch.setattr("cubesolve.spaces.derive.MOST_ROWS", 20)
    monkeypatch.setattr("cubesolve.spaces.derived.derive", derive_and_note)
    tiles = lookup.open_tablebase(tmp_path).puzzle("tiles-2x4").restrict(cost="L=2")
    with pytest.raises(TooLargeError, match="24 states or more, more than can be enumerated: at most 20;"):
        tiles.distribution()
    assert len(calls) == 1


def test_hashed_tables_are_searched_on_where_no_pattern_database_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = [lookup.puzzle("skewb").random_state(seed) for seed in range(3)]
    expected = [lookup.puzzle("skewb").depth(state) for state in states]
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    for limit in ("_NEAR", "_IN_PYTHON", "_NEAR_OPEN", "_HASHED", "_HASHED_SOON"):
        monkeypatch.setattr(searched, limit, 1)
    monkeypatch.setattr(searched, "_FASTER", 0)

    def without_memory(_self: object, memory: int) -> None:
        raise NoMemoryError(f"{memory} bytes are not enough")

    monkeypatch.setattr(searched.Searched, "_newly_opened", without_memory)
    skewb = lookup.open_tablebase(tmp_path).puzzle("skewb")
    assert [*map(skewb.depth, states)] == expected
    with pytest.raises(NoMemoryError):
        skewb.depth(states[0], memory=100_000)
    monkeypatch.setattr(searched.Searched, "_newly_hashed", lambda _self, _memory: None)
    with pytest.raises(NoMemoryError):
        lookup.open_tablebase(tmp_path).puzzle("skewb").depth(states[0])

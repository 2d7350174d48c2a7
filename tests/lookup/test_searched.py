"""Searches with projections agree with a table of all states; errors where a table is missing."""

from __future__ import annotations

import contextlib
import itertools
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from cubesolve import SearchLimitError, TooLargeError, UnsolvableStateError, lookup
from cubesolve.ask import Puzzle
from cubesolve.errors import CubesolveWarning, MissingTableError, NoMemoryError, in_moves
from cubesolve.group.canonical import Alg
from cubesolve.runtime.deadline import Deadline, EndedError, running
from cubesolve.search import gaps, ida_star, near, pattern_selection
from cubesolve.search.bidirectional import between_arrangements
from cubesolve.search.limits import MEMORY
from cubesolve.search.near import ShortestPaths, between, between_bytes, cheapest
from cubesolve.search.rounds import Run
from cubesolve.solvers import derived, questions, searched
from cubesolve.solvers.opening import Opening
from cubesolve.spaces.defined import derived as derived_rules
from cubesolve.spaces.derive import derive
from cubesolve.spaces.tables import TableEntry
from cubesolve.store import build
from tests.chance import agrees
from tests.definitions.samples import disks
from tests.distances import by_cost
from tests.processes import run_python
from tests.subsets import later

PUZZLES = [
    ("pyraminx-duo", None, None),
    ("pancake-8", None, None),
    ("pocket", "R U2", "U2=3"),
    later("skewb", None, None),
    later("rubik", "M U2", None),
    later("tower", None, None),
]
WAYS = {"databases": 1 << 20, "gaps": 1 << 20, "hashed": 1 << 20, "few hashed": 1 << 12}
"""Searches, and the memory of each."""


def _puzzle(folder: Path, name: str, moves: str | None = None, cost: str | None = None) -> Puzzle:
    puzzle = lookup.open_tablebase(folder).puzzle(name)
    return puzzle.restrict(moves, cost) if moves or cost else puzzle


def answer_by(way: str, patch: pytest.MonkeyPatch) -> None:
    """Disable tables and, but for the nearest states, the bidirectional search."""
    patch.setattr(derived, "AT_ONCE", 0)
    patch.setattr(searched, "_NEAR", 0 if "hashed" in way else 20)
    patch.setattr(searched, "_HASHED", 1 << 40 if "hashed" in way else 0)
    patch.setattr(searched, "_FASTER", 0)
    patch.setattr(searched, "_HALVES", 0)
    if way == "gaps":
        patch.setattr(gaps, "_radius", lambda *_: 0)  # wherever there are any


@pytest.fixture
def searching(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Answer with pattern databases."""
    answer_by("databases", monkeypatch)
    return monkeypatch


def made_tables(patch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which the names of tables are added when they have been made."""
    made, make = list[str](), build.make

    def making(rules: Any, entry: TableEntry, *others: Any, **named: Any) -> Any:
        table = make(rules, entry, *others, **named)
        made.append(entry.name)
        return table

    patch.setattr(build, "make", making)
    return made


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "moves", "cost"), PUZZLES)
def test_the_answers_are_those_of_a_table(
    way: str, name: str, moves: str | None, cost: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_table, memory = _puzzle(tmp_path / "all", name, moves, cost), WAYS[way]
    source, slack = random.Random(11), int(way == "databases")
    states = [with_table.random_state(source) for _ in range(6)]
    states.append(with_table.rules.view.solved(states[0]))
    expected = [
        (with_table.depth(state), [*with_table.solutions(state)], [*with_table.solutions(state, slack=slack)])
        for state in states
    ]
    first = [with_table.optimal_moves(state) for state in states]
    answer_by(way, monkeypatch)
    puzzle = _puzzle(tmp_path / "parts", name, moves, cost)
    assert puzzle.states == with_table.states
    for state, (depth, algs, longer), begins in zip(states, expected, first, strict=True):
        assert puzzle.depth(state, memory=memory) == depth
        assert list(puzzle.solutions(state, memory=memory)) == algs
        assert list(puzzle.solutions(state, slack=slack, memory=memory)) == longer
        assert {puzzle.solve(state, memory=memory, workers=workers) for workers in (1, 2)} <= {*algs}
        assert puzzle.count_solutions(state, memory=memory) == len(algs)
        assert puzzle.optimal_moves(state, memory=memory) == begins
        if depth:
            with pytest.raises(SearchLimitError) as caught:
                puzzle.depth(state, memory=memory, max_depth=depth - 1)
            assert caught.value.at_least <= depth
    made = [path.name for path in (tmp_path / "parts").glob("*")]
    assert all(each.startswith("custom-") for each in made)
    if way == "databases" and not cost:
        assert any(kind in each for kind in ("projections", "parts") for each in made) == (name != "pancake-8")
    elif "hashed" in way and not cost:
        assert not made


def test_the_gaps_of_pancakes_are_those_of_the_literature() -> None:
    graph = derived_rules(lookup.puzzle("pancake-20").rules).graph()
    found = gaps.gaps_of(graph, graph.reduction.solved)
    assert found is not None
    assert sorted(map(tuple, found.pairs.tolist())) == [*itertools.pairwise(range(21))]
    assert found.least.tolist() == list(range(21))
    source = random.Random(1)
    for _ in range(20):
        stack = source.sample(range(20), 20)
        number = sum(abs(one - other) > 1 for one, other in itertools.pairwise([*stack, 20]))
        assert found.numbers(np.array([*stack, 20], np.uint8)) == number


@pytest.mark.parametrize(("name", "moves", "cost"), PUZZLES)
def test_open_tables_change_no_answer(
    name: str, moves: str | None, cost: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened tables are used after a few states, also for the first solution in order."""
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    puzzle = _puzzle(tmp_path, name, moves, cost)
    states = [puzzle.random_state(seed) for seed in range(12)]
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

    monkeypatch.setattr(near, "between", counting)
    for state, alg in zip(states, before, strict=True):
        for workers in (1, 2):
            assert puzzle.solve(state, memory=1 << 20, workers=workers) == alg
    assert max(seen, default=0) <= searched._NEAR_OPEN


@pytest.mark.usefixtures("searching")
def test_there_may_be_no_longer_solutions(tmp_path: Path) -> None:
    (path := tmp_path / "ring.gap").write_text("A := (1,2,3);")
    ring = lookup.open_tablebase(tmp_path / "none").puzzle(str(path))
    assert list(ring.solutions("A", slack=3)) == ["A'"]


def test_longer_solutions_where_moves_can_be_blocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_table, source = _puzzle(tmp_path / "all", "tiles-2x3"), random.Random(5)
    states = [with_table.random_state(source, depth=depth) for depth in range(5)]
    expected = [[*with_table.solutions(state, slack=3)] for state in states]
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    puzzle = _puzzle(tmp_path / "none", "tiles-2x3")
    assert [[*puzzle.solutions(state, slack=3)] for state in states] == expected
    monkeypatch.setattr(searched, "_HALVES", 0)
    with pytest.raises(TooLargeError, match="so much longer solutions need a table"):
        list(puzzle.solutions(states[4], slack=3))


@pytest.mark.parametrize(
    ("name", "selected", "depth"),
    [
        ("skewb", {}, 2),
        ("ivy", {"cost": "R=2 L'=3"}, 3),
        ("tower", {"moves": "U R2 F2", "cost": "R2=2"}, 3),
        ("skewb", {"moves": "R U L", "inverses": False}, 3),
    ],
)
def test_states_at_a_depth_are_drawn_uniformly(
    name: str, selected: dict[str, Any], depth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = lookup.open_tablebase(tmp_path / "all").puzzle(name).restrict(**selected).distribution()[depth]
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    puzzle, source = lookup.open_tablebase(tmp_path / "none").puzzle(name).restrict(**selected), random.Random(6)
    seen = Counter(str(puzzle.random_state(source, depth=depth)) for _ in range(20 * number))
    assert len(seen) == number
    assert agrees(seen, dict.fromkeys(seen, 1 / number))


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
            assert (caught.value.at_least, caught.value.limit) == (depth, f"in {in_moves(most)}")
    assert puzzle.depth(state, memory=1 << 12) == depth
    with pytest.raises(NoMemoryError, match="100 bytes are not enough for tables of the TopSpin"):
        puzzle.depth(state, memory=100)


def test_arrays_of_moves_take_memory_too(tmp_path: Path, searching: pytest.MonkeyPatch) -> None:
    searching.setattr(pattern_selection, "_ARRAYS", 0)
    spaces = _puzzle(tmp_path, "topspin-8-4").solver.workbench(None).searched.opening.open(1 << 14).spaces
    assert sum(space.states + space.nbytes for space in spaces) <= 1 << 14


class Killed(BaseException):
    """Simulate the end of a process."""


@pytest.mark.exhaustive
def test_choosing_goes_on_in_the_next_process(tmp_path: Path, searching: pytest.MonkeyPatch) -> None:
    state = _puzzle(tmp_path, "topspin-8-4").random_state(3)
    depth = _puzzle(tmp_path / "whole", "topspin-8-4").depth(state, memory=1 << 12)
    made, keep = made_tables(searching), build.keep

    def keeping(*table: Any) -> None:
        keep(*table)
        raise Killed

    searching.setattr(build, "keep", keeping)
    ends = 0
    for _ in range(100):
        with contextlib.suppress(Killed):
            assert _puzzle(tmp_path / "parts", "topspin-8-4").depth(state, memory=1 << 12) == depth
            break
        ends += 1
    assert ends == len(made) + 1  # the last was the choice
    assert len(made) == len(set(made)) > 2
    for path in (tmp_path / "whole").iterdir():
        assert (tmp_path / "parts" / path.name).read_bytes() == path.read_bytes()
    assert len(list((tmp_path / "parts").iterdir())) == len(list((tmp_path / "whole").iterdir()))


def test_tables_that_cannot_be_kept_are_made_once(tmp_path: Path, searching: pytest.MonkeyPatch) -> None:
    made = made_tables(searching)
    (folder := tmp_path / "file").write_text("not a folder")
    puzzle = _puzzle(folder, "topspin-8-4")
    state = puzzle.random_state(3)
    with pytest.warns(CubesolveWarning, match="it is made anew by every process"):
        assert puzzle.depth(state, memory=1 << 12) == puzzle.depth(state, memory=1 << 12) > 3
    assert len(made) == len(set(made)) > 2


@pytest.mark.parametrize("worth", [0, 1 << 60], ids=["in parts", "in one part"])
def test_a_search_ends_at_its_limits(worth: int, tmp_path: Path, searching: pytest.MonkeyPatch) -> None:
    searching.setattr(ida_star, "_WORTH", worth)
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


@pytest.mark.usefixtures("searching")
def test_a_search_ends_where_no_state_is_left(tmp_path: Path) -> None:
    halves = _puzzle(tmp_path, "rubik", "R2")
    opened = halves.solver.workbench(None).searched.opening.open(1 << 12)
    ranks = opened.ranks(derived_rules(halves.rules).graph().origin)
    assert opened.solver.solve(ranks) == [()]
    with pytest.raises(UnsolvableStateError):
        opened.solver.solve(ranks, accept=lambda _: False)


@pytest.mark.usefixtures("searching")
def test_an_orientation_from_which_no_moves_lead_to_a_goal(tmp_path: Path) -> None:
    """The moves permute the disks evenly, and the rotation does not."""
    moves = {"A": "2 4 3 1", "B": "3 2 4 1", "x": "1 3 2 4"}
    (path := tmp_path / "four.tws").write_text(disks(moves))
    goal = lookup.open_tablebase(tmp_path / "none").puzzle(str(path)).towards("1 2 3 *")
    assert goal.depth("A") == 1
    with pytest.raises(UnsolvableStateError):
        goal.depth("x")


class _Moment(Deadline):
    """A deadline that ends a search after a number of checks, soon after the beginning of a round."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._looks = looks

    def left(self) -> float:
        if self._looks == 0:
            time.sleep(0.002)
            raise EndedError("after a moment")
        self._looks -= 1
        return 1


def test_an_interrupted_search_goes_on(tmp_path: Path, searching: pytest.MonkeyPatch) -> None:
    """Only if it is known to be about the same state."""
    searching.setattr(ida_star, "_WORTH", 0)
    puzzle = _puzzle(tmp_path, "topspin-10-4")
    opened = puzzle.solver.workbench(None).searched.opening.open(1 << 12)
    state = puzzle.random_state(3).arrangement
    ranks = opened.ranks(state)
    expected = opened.solver.solve(ranks, every=True)
    length = len(expected[0])
    searching.setattr(ida_star, "Run", begun := Mock(wraps=Run))
    for about, most in ((state, 100), (None, 3)):
        found, tries = list[Alg](), 0
        while not found and tries < most:
            tries += 1
            with running(_Moment(1 if about is None else tries)), contextlib.suppress(SearchLimitError):
                found = opened.solver.solve(ranks, every=True, ruled_out=length - 1, workers=1, about=about)
        assert tries > 1
        assert [call.args[1] for call in begun.call_args_list] == [length] * (1 if about else tries)
        assert found == expected or not about
        begun.reset_mock()


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
}


@pytest.mark.parametrize("question", ALL_STATES)
def test_a_table_that_is_missing_is_named_before_anything_is_derived(
    question: str, tmp_path: Path, searching: pytest.MonkeyPatch
) -> None:
    for where in ("cubesolve.spaces.derived.make_ready", "cubesolve.store.build.make"):
        searching.setattr(where, Mock(side_effect=AssertionError("this takes long")))
    with pytest.raises(MissingTableError, match=r"tables build rubik --moves 'R2 U2 F2' \(2,592 states, about 1 s\)"):
        ALL_STATES[question](_puzzle(tmp_path, "rubik", "R2 U2 F2"))
    assert not list(tmp_path.iterdir())


def test_a_distribution_that_is_pinned_needs_no_table(tmp_path: Path) -> None:
    puzzle = lookup.open_tablebase(tmp_path).puzzle("tiles-3x4")
    assert sum(puzzle.distribution()) == puzzle.states == 239_500_800
    assert not list(tmp_path.iterdir())


def test_a_space_with_too_many_rows_is_derived_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the number of states is not known, only deriving the space detects too many rows."""
    monkeypatch.setattr("cubesolve.definition.reach.MOST_EDGES", 1)
    monkeypatch.setattr("cubesolve.spaces.derive.MOST_ROWS", 20)
    monkeypatch.setattr("cubesolve.spaces.derived.derive", derived_once := Mock(wraps=derive))
    tiles = lookup.open_tablebase(tmp_path).puzzle("tiles-2x4").restrict(cost="L=2")
    with pytest.raises(TooLargeError, match="24 states or more, more than can be enumerated: at most 20;"):
        tiles.distribution()
    derived_once.assert_called_once()


def test_hashed_tables_are_searched_on_where_no_pattern_database_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = [lookup.puzzle("skewb").random_state(seed) for seed in range(3)]
    expected = [lookup.puzzle("skewb").depth(state) for state in states]
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    for limit in ("_NEAR", "_IN_PYTHON", "_NEAR_OPEN", "_HASHED", "_HASHED_SOON"):
        monkeypatch.setattr(searched, limit, 1)
    monkeypatch.setattr(searched, "_FASTER", 0)
    monkeypatch.setattr(Opening, "open", Mock(side_effect=NoMemoryError("it is not enough")))
    skewb = lookup.open_tablebase(tmp_path).puzzle("skewb")
    assert [*map(skewb.depth, states)] == expected
    with pytest.raises(NoMemoryError):
        skewb.depth(states[0], memory=100_000)
    monkeypatch.setattr(searched.Searched, "_newly_hashed", lambda _self, _memory: None)
    with pytest.raises(NoMemoryError):
        lookup.open_tablebase(tmp_path).puzzle("skewb").depth(states[0])


# -- Bidirectional search with numpy finds the same paths as in Python -------------------------------------------------


POINTS = 7


def neighbours_by(sources: list[tuple[int, ...]]) -> Callable[[bytes], list[tuple[str, bytes]]]:
    return lambda state: [(str(n), bytes(state[point] for point in source)) for n, source in enumerate(sources)]


def moves(rng: random.Random) -> list[tuple[int, ...]]:
    """Random permutations and their inverses; some of these are the same."""
    chosen = [tuple(rng.sample(range(POINTS), POINTS)) for _ in range(rng.randint(1, 3))]
    return [*chosen, *(tuple(map(int, np.argsort(each))) for each in chosen)]


@pytest.mark.parametrize("most", [0, 1, 30, 200, 100_000])
def test_the_ways_are_those_found_in_python(most: int) -> None:
    rng = random.Random(5)
    for _ in range(40):
        sources, start = moves(rng), bytes(rng.choices(range(4), k=POINTS))
        neighbours, goal = neighbours_by(sources), start
        for _ in range(rng.randint(0, 12)):
            goal = rng.choice(neighbours(goal))[1]
        goals = [bytes(rng.choices(range(4), k=POINTS)), goal, goal]  # the first is often out of reach
        expected = between(start, goals, neighbours, most=10**6)
        assert isinstance(expected, ShortestPaths)
        levels: list[tuple[int, int]] = []
        found = between_arrangements(
            start, goals, sources,
            most=most, after_level=lambda *level: levels.append(level),  # noqa: B023
        )  # fmt: skip
        assert [ruled_out for ruled_out, _ in levels] == list(range(len(levels)))
        if isinstance(found, int):
            assert found < expected.depth
            assert found == len(levels)
            assert most < 100_000
        else:
            assert found is not None
            paths = ShortestPaths(found, neighbours)
            assert (list(paths), paths.number()) == (list(expected), expected.number())
            assert paths.first_moves() == expected.first_moves()


SWAPS = [(*range(n), n + 1, n, *range(n + 2, POINTS)) for n in range(POINTS - 1)]


@pytest.mark.parametrize("in_python", [1, 10**6])
def test_a_search_for_what_no_moves_lead_to_and_one_that_is_ended(in_python: int) -> None:
    start, levels, last = bytes(range(POINTS)), list[int](), POINTS**2

    def after_level(ruled_out: int, _seen: int) -> None:
        levels.append(ruled_out)
        if ruled_out == last:
            raise TimeoutError

    def searched(goal: bytes) -> object:
        around = neighbours_by(SWAPS)
        return between_bytes(start, [goal], around, SWAPS, in_python=in_python, most=10**6, after_level=after_level)

    assert searched(bytes(POINTS)) is None
    assert levels == list(range(len(levels)))
    last = 2
    with pytest.raises(TimeoutError):
        searched(start[::-1])


@pytest.mark.parametrize(("metric", "alg"), [("htm", "R U F2 D L' B U2 R"), later("qtm", "R U F D L' B U R' F D'")])
def test_near_cubes_need_neither_tables_nor_numba(metric: str, alg: str, tmp_path: object) -> None:
    code = f"""
import sys
sys.modules["numba"] = None
from cubesolve import lookup, RubikCube
tables, cube, calls = lookup.open_tablebase({str(tmp_path)!r}), RubikCube.from_alg({alg!r}), []
depth = tables.depth(cube, metric={metric!r})
ways = list(tables.solutions(cube, metric={metric!r}, progress=lambda *level: calls.append(level[0])))
assert calls == sorted(set(calls)) and calls[-1] == depth, calls
assert all(cube.apply(way).is_solved and len(way.split()) == depth for way in {{*ways}})
print(depth)
"""
    result = run_python(code, fresh=True)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    assert 7 < int(result.stdout) <= len(alg.split())


@pytest.mark.parametrize("seed", range(30))
def test_the_cheapest_paths_are_those_of_a_search_from_one_end(seed: int) -> None:
    """Moves have costs and no inverses, and lead to equal states, too."""
    source = random.Random(seed)
    ends = [[(source.randint(1, 9), source.randrange(40)) for _ in range(source.randint(1, 4))] for _ in range(40)]
    goals = set(source.sample(range(40), 2))
    back = [list[tuple[int, int, int]]() for _ in ends]
    for here, ways in enumerate(ends):
        for move, (cost, end) in enumerate(ways):
            back[end].append((move, cost, here))

    def after(here: int) -> list[tuple[int, int, int]]:
        return [(move, cost, end) for move, (cost, end) in enumerate(ends[here])]

    def paths(here: int, left: int) -> list[tuple[int, ...]]:
        if left == 0:
            return [()] if here in goals else []
        further = ((move, end, left - cost) for move, cost, end in after(here) if cost <= left)
        return [(move, *rest) for move, end, less in further for rest in paths(end, less)]

    depth = next((cost for here, cost in by_cost([0], ends.__getitem__) if here in goals), None)
    for most in (1000, 12):
        found = cheapest(0, goals, after, back.__getitem__, most=most)
        if isinstance(found, int):
            assert most == 12
            assert depth is None or found < depth
        elif found is None:
            assert depth is None
        else:
            assert (found[0], list(found[1])) == (depth, paths(0, found[0]))

"""Solutions of the 3x3x3 get shorter while the lower bound rises; the best one is kept at the time limit."""

from __future__ import annotations

import itertools
import json
import pickle
import random
import sys
import threading
import time
from pathlib import Path

import pytest

from cubesolve import RubikCube, lookup
from cubesolve.catalog.rubik.cube import random_cube
from cubesolve.catalog.rubik.improving import Narrowing
from cubesolve.catalog.rubik.solver import RubikSolver
from cubesolve.errors import NoMemoryError, SearchLimitError
from cubesolve.lookup import Solution, Tablebase, open_tablebase
from cubesolve.runtime import notices
from cubesolve.search.limits import SearchOptions
from cubesolve.solvers.questions import Accepted, Asked
from cubesolve.spaces.tables import TableEntry, TableHeader
from cubesolve.store import build, tablefile
from tests import rubik_oracle
from tests.commands import invoke
from tests.once import copy_two_phase
from tests.patience import PATIENCE

FAR = random_cube(random.Random(4))  # needs 17 moves or more
SECONDS = (0.3, 3, 30, 300)  # the first that is long enough for a solution is far from enough for a proof
NEAR = RubikCube.from_alg("R U F D L B R U2 F D L B R'")  # needs 13 moves


@pytest.fixture
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a table, spend little time on shorter solutions, which these tests do not examine."""
    monkeypatch.setattr("cubesolve.catalog.rubik.improving.NODES_AT_ONCE", 1 << 12)


def require_bounds(cube: RubikCube, solution: Solution, at_least: int) -> None:
    assert rubik_oracle.is_solved(rubik_oracle.apply(cube.facelets, solution))
    assert at_least <= solution.length


def test_bounds_are_admissible_and_limit_the_length(with_tables: Tablebase) -> None:
    source = random.Random(8)
    for moves in (9, 12):
        cube = RubikCube.from_alg(" ".join(source.choice(rubik_oracle.FACE_TURNS) for _ in range(moves)))
        depth = with_tables.depth(cube)
        for within in (0, 3, 7):
            alg = with_tables.solve(cube, within=within)
            require_bounds(cube, alg, alg.at_least)
            assert alg.at_least <= depth <= alg.length <= alg.at_least + within
    with pytest.raises(SearchLimitError, match="in 14 moves"):
        with_tables.solve(FAR, within=12, max_depth=14)


def test_quarter_turns_another_holding_and_another_goal(with_tables: Tablebase) -> None:
    quarters = with_tables.solve(FAR, metric="qtm", within=30)
    assert rubik_oracle.is_solved(rubik_oracle.apply(FAR.facelets, quarters))
    assert "2" not in quarters
    held = FAR.apply("x y")
    assert rubik_oracle.is_solved(rubik_oracle.apply(held.facelets, with_tables.solve(held, within=12)))
    turned = RubikCube.from_alg("R U x")
    assert FAR.apply(with_tables.solve(FAR, goal=turned, within=12)) == turned


def test_bounds_meet_at_the_depth(with_tables: Tablebase) -> None:
    depth = with_tables.depth(NEAR)
    found = list(with_tables.puzzle("rubik").improvements(NEAR))
    for alg in found:
        require_bounds(NEAR, alg, alg.at_least)
    for before, after in itertools.pairwise(found):
        assert after.length <= before.length
        assert after.at_least >= before.at_least
        assert (after, after.at_least) != (before, before.at_least)
    assert found[-1] == with_tables.solve(NEAR)
    assert found[-1].length == found[-1].at_least == depth == 13
    assert found[0].length > depth


@pytest.mark.exhaustive
@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_answers_do_not_depend_on_earlier_questions(metric: str, rubik_tables: str) -> None:
    source = random.Random(5)
    cubes = [
        RubikCube.from_alg(" ".join(source.choice(rubik_oracle.FACE_TURNS[::3]) for _ in range(moves)))
        for moves in (6, 9, 11)
    ]
    first, second = (open_tablebase(rubik_tables) for _ in range(2))
    algs = [first.solve(cube, metric=metric) for cube in cubes]
    with pytest.raises(SearchLimitError):
        second.solve(cubes[-1], metric=metric, max_depth=algs[-1].length - 1)
    again = [second.solve(cube, metric=metric) for cube in reversed(cubes)]
    assert again[::-1] == algs
    assert [second.depth(cube, metric=metric) for cube in cubes] == [alg.at_least for alg in algs]


def until_searched() -> SearchOptions:
    """A limit that ends a question after some lengths of the optimal search, which would take hours."""
    cancel = threading.Event()
    return {"workers": 1, "cancel": cancel, "progress": lambda depth, *_: cancel.set() if depth >= 9 else None}


def test_the_end_of_the_time_leaves_both_bounds(with_tables: Tablebase) -> None:
    limit = r"not proved optimal before it was cancelled: \d+ moves found, at least"
    for ask in (with_tables.solve, with_tables.depth):
        with pytest.raises(SearchLimitError, match=limit) as caught:
            ask(FAR, **until_searched())
        error = caught.value
        require_bounds(FAR, error.solution, error.at_least)
        assert error.at_least >= 9
        assert str(error).endswith(error.solution)
        again = pickle.loads(pickle.dumps(error))
        assert (again.at_least, again.solution, str(again)) == (error.at_least, error.solution, str(error))
    held = FAR.apply("x y")
    with pytest.raises(SearchLimitError, match="not solved in 16 moves before it was cancelled: ") as caught:
        with_tables.solve(held, max_length=16, **until_searched())
    require_bounds(held, caught.value.solution, caught.value.at_least)


def test_a_quick_search_follows_the_first_solution() -> None:
    """Only shorter solutions would follow, as long as there is time."""
    puzzle = lookup.puzzle("15-puzzle")
    state = puzzle.random_state(seed=3)
    *longer, last = puzzle.improvements(state, within=1, timeout=PATIENCE)
    assert len(longer) <= 1
    assert (last.length, last.at_least) == (puzzle.depth(state),) * 2


def test_solutions_are_kept_for_the_next_question(with_tables: Tablebase) -> None:
    def found(seconds: float) -> Solution | None:
        with pytest.raises(SearchLimitError) as limit:
            with_tables.solve(FAR, timeout=seconds)
        solution: Solution | None = limit.value.solution
        return solution

    best = next(filter(None, map(found, SECONDS)))
    again = found(0.05)
    assert again is not None
    assert again.length <= best.length


def test_what_the_two_phase_search_is_worth(without_tables: Tablebase) -> None:
    solver = without_tables.puzzle("rubik").solver
    assert isinstance(solver, RubikSolver)

    def narrowing(*, is_patient: bool = True, max_depth: int | None = None, **accepted: int) -> Narrowing:
        search = SearchOptions(max_depth=max_depth)
        asked = Asked(FAR, FAR, solver.rules, {"metric": "htm"}, search, Accepted(**accepted))
        return Narrowing(solver, asked, is_patient=is_patient)

    asked = narrowing()
    assert asked.nodes(17, 1000) > asked.nodes(16, 1000) > asked.nodes(16, 2000) > 0
    assert asked.nodes_without_table(is_limited=True) is None
    assert narrowing(is_patient=False).nodes_without_table(is_limited=True)
    assert narrowing(max_depth=11).nodes_without_table(is_limited=True)
    for accepted, is_short in (({"max_length": 20}, True), ({"max_length": 19}, False), ({"within": 9}, False)):
        assert narrowing(is_patient=True, max_depth=None, **accepted).is_short == is_short


def test_at_the_command_line(rubik_tables: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBESOLVE_TABLES", rubik_tables)
    monkeypatch.setattr("cubesolve.cli.solving.is_watched", lambda: True)
    monkeypatch.setattr("cubesolve.catalog.rubik.solver._NEAR", 1000)  # a solution is found sooner
    command = ["solve", "--puzzle", "rubik", "--json"]
    for seconds in SECONDS:
        ended = invoke(*command, "--timeout", str(seconds), FAR.facelets)
        assert ended.exit_code == 1
        record = json.loads(ended.stdout)
        if "solution" in record:
            break
    assert rubik_oracle.is_solved(rubik_oracle.apply(FAR.facelets, record["solution"]))
    assert record["at_least"] <= len(record["solution"].split())
    assert "moves found, at least" in ended.stderr
    assert "not solved in 12 moves: at least 13" in invoke(*command, "--max-length", "12", NEAR.facelets).stderr
    found = invoke(*command, "--max-length", "21", FAR.facelets)
    assert json.loads(found.stdout)["at_least"] <= json.loads(found.stdout)["moves"] <= 21


@pytest.mark.exhaustive
def test_scrambles_that_only_a_table_confirms_build_a_small_one(tmp_path: Path) -> None:
    tables = open_tablebase(copy_two_phase(tmp_path))
    alg = tables.scramble(5, puzzle="rubik", depth=12)
    assert len(alg.split()) == tables.depth(RubikCube.from_alg(alg)) == 12
    assert (tmp_path / "rubik-htm-small.zst").exists()


@pytest.mark.usefixtures("_hurried")
def test_a_user_who_waits_gets_a_small_table(
    rubik_tables: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    header, body = tablefile.read(f"{rubik_tables}/rubik-htm-small.zst")  # other tests enumerate it
    notice, shown = "cubesolve: building rubik-htm-small, once", [""]

    def make(_rules: object, entry: TableEntry, **_: object) -> tuple[TableHeader, memoryview]:
        assert entry.name == header.name
        until = time.monotonic() + PATIENCE
        while notice not in shown[0] and time.monotonic() < until:
            time.sleep(0.001)
            shown[0] += capsys.readouterr().err
        return header, memoryview(body)

    monkeypatch.setattr(build, "make", make)
    monkeypatch.setattr(notices, "_DELAY", 0)
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    tables = open_tablebase(copy_two_phase(tmp_path))
    assert tables.depth(NEAR) == 13
    assert (tmp_path / "rubik-htm-small.zst").exists()
    assert notice in shown[0]
    with pytest.raises(NoMemoryError, match="37,111,680 are"):
        tables.depth(NEAR, memory=1000)

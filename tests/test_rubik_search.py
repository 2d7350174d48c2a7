from __future__ import annotations

import contextlib
import itertools
import json
import random
import re
import signal
import threading
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from numpy.typing import NDArray

from cubesolve.catalog.rubik import optimal, solver
from cubesolve.catalog.rubik.cube import Cubies, RubikCube, random_cube, turn_cubies
from cubesolve.catalog.rubik.kernels import AXES, BOUND_COLUMN, EDGES_COLUMN, PROBES, deepen, node_of
from cubesolve.catalog.rubik.optimal import OptimalSolver
from cubesolve.catalog.rubik.pairs import database, move_tables, pair_states
from cubesolve.catalog.rubik.projections import CORNERS, EDGES, TWISTS, Pieces, axis_turns, projection, slices
from cubesolve.definition.notation import FACES, format_alg, metric_moves
from cubesolve.encodings.packed import enumerate_packed, find_packed_fault, slots
from cubesolve.errors import NoMemoryError, SearchLimitError, TableError
from cubesolve.lookup import Tablebase, open_tablebase
from cubesolve.runtime import notices
from cubesolve.runtime.deadline import Deadline
from cubesolve.search.rounds import Run
from cubesolve.spaces.tables import TableEntry
from tests import rubik_oracle
from tests.distances import distances
from tests.facts import DATA, RUBIK
from tests.once import build_once, copy_two_phase
from tests.processes import run_python
from tests.subsets import later, only
from tests.test_deadline import cancelled_after

METRICS = ["htm", "qtm"]
SUPERFLIP = RubikCube.from_alg(RUBIK["superflip"]["alg"])


def optimal_algs(
    search: OptimalSolver, cubies: Cubies, *, every: bool = False, least: int = 0, deadline: Deadline | None = None
) -> list[tuple[str, ...]]:
    deepening, clock = search.deepening(cubies, every=every), deadline or Deadline()
    return next(filter(None, (deepening.algs(length, clock) for length in deepening.lengths(least))))


def test_a_cube_one_move_farther_is_solved_before_kernels_are_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(solver, "_NEAR", 10_000)
    monkeypatch.setattr(solver, "_NEARLY", 100_000)
    compiling, ready = list[object](), [False]
    monkeypatch.setattr(optimal, "compile_meanwhile", compiling.append)
    monkeypatch.setattr(deepen, "is_ready", lambda: ready[0])
    monkeypatch.setattr(solver.RubikSolver, "_smallest_built", lambda *_: pytest.fail("the search is not needed"))
    cube, seen = RubikCube.from_alg("F2 R2 B2 R2 F U' B2 L2"), list[int]()
    with Tablebase(copy_two_phase(tmp_path)) as tables:
        alg = tables.solve(cube, progress=lambda length, *_: seen.append(length))
        assert rubik_oracle.is_solved(rubik_oracle.apply(cube.facelets, alg))
        assert len(alg.split()) == 8
        assert compiling == [deepen]
        assert seen == sorted(set(seen))
        with pytest.raises(SearchLimitError) as limit:
            tables.depth(cube, max_depth=7)
        assert limit.value.at_least == 8
        ready[0] = True
        with pytest.raises(pytest.fail.Exception, match="not needed"):
            tables.depth(cube)


@pytest.mark.parametrize(
    ("label", "with_flips"),
    [("order", False), *(later(label, False) for label in ("none", "parity", "sets", "tetrads")), later("none", True)],
)
def test_pairs_lead_to_the_cubes_entries(label: str, with_flips: bool) -> None:
    rows, rng = projection(label, with_flips), random.Random(4)
    table = np.random.default_rng(1).integers(0, 256, 576 * rows.rows, np.uint8)
    found, base = database(rows, 9, table), 9
    moves, turns = move_tables(rows, "qtm"), metric_moves("qtm", FACES)
    for _ in range(20):
        cube = random_cube(rng).cubies
        node = node_of(found, pair_states(cube))
        for probe in range(PROBES):
            seen = cube if probe < AXES else RubikCube.from_cubies(cube).inverse().cubies
            turn = axis_turns()[probe % AXES]
            edges = Pieces(EDGES, np.array([seen.edges]), np.array([seen.flips])).image_under(turn)
            corners = Pieces(CORNERS, np.array([seen.corners]), np.array([seen.twists])).image_under(turn)
            flip = int(edges.orientation()[0]) if with_flips else 0
            group, symmetry = divmod(int(rows.classes[int(slices().raw(edges)[0]) * rows.flips + flip]), 16)
            number = sum(
                labels[symmetry, part.raw(pieces)[0]]
                for labels, part, pieces in zip(rows.labels, rows.label, (edges, corners), strict=True)
            )
            slot = slots(TWISTS)[rows.twists[symmetry, corners.orientation()[0]]]
            row = table[576 * (group * rows.label.number + number) :][:576]
            code = row[slot // 4] >> 2 * (slot % 4) & 3
            assert node[BOUND_COLUMN + probe] == (base + code if code else row[slot // 4 | 63])
        for (number, move), axis in itertools.product(enumerate(turns), range(AXES)):
            columns = slice(EDGES_COLUMN + axis, BOUND_COLUMN, AXES)
            steps_of: list[NDArray[Any]] = [moves.edges, moves.flips, moves.twists, moves.labels]
            image = int(moves.images[32 * axis + number])
            assert turns[image] == axis_turns()[axis].image(move)
            after = [step[32 * int(at) + image] for step, at in zip(steps_of, node[columns], strict=True)]
            assert after == node_of(found, pair_states(cube.then(turn_cubies(move))))[columns].tolist()


@pytest.mark.parametrize("metric", only({"htm"}, METRICS))
def test_what_a_limit_leaves_open(metric: str, without_tables: Tablebase, with_tables: Tablebase) -> None:
    for tables in (without_tables, with_tables):
        with pytest.raises(SearchLimitError, match="not solved in 8 moves: at least") as caught:
            tables.depth(SUPERFLIP, metric=metric, max_depth=8)
        assert 9 <= caught.value.at_least <= 12
        with pytest.raises(SearchLimitError, match=r"not solved after 0 s: at least \d+ moves are needed") as caught:
            tables.solve(SUPERFLIP, metric=metric, timeout=0)
        assert caught.value.at_least <= RUBIK["superflip"][metric]


def test_progress_and_workers(with_tables: Tablebase) -> None:
    seen: list[tuple[int, int, float]] = []
    cube = RubikCube.from_alg("R U F D L B R U F D L")
    depth = with_tables.depth(cube, progress=lambda *each: seen.append(each), workers=2)
    depths = [each[0] for each in seen]
    assert depths == sorted(set(depths))
    assert depths[-1] == depth
    assert seen[-1][1] > 0
    assert seen[-1][2] > 0
    assert with_tables.solve(cube, workers=1) == with_tables.solve(cube, workers=3)


def test_a_long_search_names_a_larger_table_once(with_tables: Tablebase, monkeypatch: pytest.MonkeyPatch) -> None:
    messages, cube = list[str](), RubikCube.from_alg("R U F D L B R U F D L")
    monkeypatch.setattr(notices, "_LISTENERS", {messages.append: True})
    monkeypatch.setattr(solver, "_PATIENCE", 0)
    monkeypatch.setattr(with_tables.puzzle("rubik").solver, "_has_advised", False)
    assert [with_tables.depth(cube) for _ in range(2)] == [11, 11]
    (message,) = [each for each in messages if "larger table" in each]
    assert re.match(r"a larger table is faster: .*cubesolve tables build rubik-htm-medium \(.+\)", message)


def test_what_is_missing(without_tables: Tablebase, monkeypatch: pytest.MonkeyPatch) -> None:
    def built(_rules: object, entry: TableEntry, _directory: object) -> NoReturn:
        raise TableError(entry.name, "is built")

    monkeypatch.setattr("cubesolve.catalog.rubik.solver._NEAR", 1000)  # tables are looked for sooner
    monkeypatch.setattr("cubesolve.store.build.built", built)
    for metric in METRICS:
        with pytest.raises(TableError, match=f"rubik-{metric}-small: is built"):
            without_tables.depth(SUPERFLIP, metric=metric)
    with pytest.raises(ValueError, match="unknown metric"):
        without_tables.depth(SUPERFLIP, metric="atm")


def test_what_needs_too_much_memory(
    with_tables: Tablebase, without_tables: Tablebase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cubesolve.catalog.rubik.solver._NEAR", 1000)
    monkeypatch.setattr("cubesolve.catalog.rubik.improving.NODES_AT_ONCE", 1 << 12)  # of shorter solutions
    for tables in (with_tables, without_tables):
        with pytest.raises(NoMemoryError, match="not enough for a pattern database of the 3x3x3: 37,111,680 are"):
            tables.depth(SUPERFLIP, memory=1)
        with pytest.raises(SearchLimitError) as limit:
            tables.depth(SUPERFLIP, memory=1, max_depth=8)
        assert limit.value.at_least >= 9  # more if another question has proved it


STATES = json.loads((DATA.parents[1] / "benchmarks" / "rubik" / "states.json").read_text())["states_by_depth"]


@pytest.mark.parametrize(
    ("name", "alg", "first"), [("rubik", "R2 U2 F2", "F2 U2 R2"), ("square1", "/", "/"), ("clock", "UR3+", "UR3-")]
)
def test_longer_solutions_end_when_they_are_cancelled(
    name: str, alg: str, first: str, without_tables: Tablebase
) -> None:
    """The state itself is solved, so nothing is proved."""
    event = threading.Event()
    ways = (without_tables if name == "rubik" else open_tablebase()).puzzle(name).solutions(alg, slack=8, cancel=event)
    assert next(ways) == first
    event.set()
    with pytest.raises(SearchLimitError) as limit:
        list(ways)
    assert limit.value.at_least == 0


@pytest.mark.parametrize(
    ("alg", "moves"), [*((STATES[moves][0], int(moves)) for moves in ("15", "16")), *RUBIK["optimal"].items()]
)
@pytest.mark.exhaustive
def test_known_cubes_with_the_medium_table(alg: str, moves: int, shared: Path) -> None:
    with open_tablebase(build_once(shared / "medium", "rubik-htm-medium")) as tables:
        solution = tables.solve(RubikCube.from_alg(alg))
    assert len(solution.split()) == moves
    assert rubik_oracle.apply(rubik_oracle.apply(rubik_oracle.SOLVED, alg), solution) == rubik_oracle.SOLVED


LABELS = [("order", "htm"), ("order", "qtm"), *itertools.product(["sets", "parity", "tetrads"], ["htm"])]


@pytest.mark.parametrize(("label", "metric"), only({("order", "htm"), ("sets", "htm")}, LABELS))
def test_labels_of_rows(without_tables: Tablebase, label: str, metric: str) -> None:
    """Near cubes and some farther ones are solved optimally.

    Rows with labels of tetrads do not distinguish the half turns of an axis: a cube that is a quarter turn away is at
    the same depth on all axes, and must not be left out as one that needs more.
    """
    some, base = projection(label, with_flips=False), 4
    space = some.space(metric_moves(metric, FACES))
    table, _ = enumerate_packed(space, base)
    assert find_packed_fault(space, table.copy(), base) is None
    solver = OptimalSolver(metric, some, table, base)
    rng = random.Random(label)
    turns = [turn_cubies(move) for move in metric_moves(metric, FACES)]
    depths = distances([RubikCube.solved().cubies], lambda cubies: map(cubies.then, turns), 3)
    near = [(cubies, depths[cubies]) for cubies in [*[*depths][:20], *rng.sample([*depths], 60)]]
    algs = (format_alg(rng.choices(metric_moves(metric, FACES), k=length)) for length in (6, 8, 9))
    far = [(cube.cubies, without_tables.depth(cube, metric=metric)) for cube in map(RubikCube.from_alg, algs)]
    for cubies, depth in (*near, *far):
        (alg,) = optimal_algs(solver, cubies)
        assert RubikCube.from_cubies(cubies).apply(alg).is_solved
        assert len(alg) == depth


def test_an_interrupted_search_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[int]()

    class Counted(Run):
        def __init__(self, kernel: Any, longest: int, *others: Any) -> None:
            super().__init__(kernel, longest, *others)
            begun.append(longest)

    rows = projection("none", with_flips=False)
    table, _ = enumerate_packed(rows.space(metric_moves("htm", FACES)), 5)
    solver = OptimalSolver("htm", rows, table, 5)
    cubies = RubikCube.from_alg("F2 R2 B2 R2 F U' B2 L2 U2 D F'").cubies
    expected = optimal_algs(solver, cubies, every=True)
    monkeypatch.setattr(optimal, "Run", Counted)
    found: list[Any] = []
    for looks in itertools.count():  # at a deadline that comes later each time
        with contextlib.suppress(SearchLimitError):
            found = optimal_algs(
                solver, cubies, every=True, least=max(begun, default=11), deadline=cancelled_after(looks)
            )
            break
        interrupted = bool(begun)
    assert found == expected
    assert interrupted
    assert begun == [11]


_SEARCHES = {
    "here": "search()\n",
    "one thread": "search(workers=1)\n",
    "with": "with ThreadPoolExecutor() as pool:\n    pool.submit(search).result()\n",
    "bare": "ThreadPoolExecutor().submit(search).result()\n",
    "batch": "with ThreadPoolExecutor() as pool:\n    tables.solve_batch([FAR], executor=pool, progress=tell)\n",
    "asyncio": "async def main():\n    await asyncio.to_thread(search)\nasyncio.run(main())\n",
}


@pytest.mark.parametrize("how", only({"bare"}, _SEARCHES))
def test_an_interrupt_ends_searches_at_once(how: str, rubik_tables: str) -> None:
    code = (
        "import asyncio, signal, threading\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from cubesolve.catalog.rubik import solver\n"
        "from cubesolve.lookup import open_tablebase\n"
        "solver._NEAR = solver._NEARLY = 1000\n"
        f"tables = open_tablebase({rubik_tables!r})\n"
        # The system may give a signal for the process to any of its threads, and Python does not wake its main thread
        # then. This one is for the main thread.
        "def tell(depth, *_):\n"
        "    if depth == 11: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)\n"
        f"FAR = {SUPERFLIP.facelets!r}\n"
        "def search(**how): tables.depth(FAR, progress=tell, **how)\n"
    )
    result = run_python(code + _SEARCHES[how], fresh=True)  # the search would take hours
    assert result.returncode == -signal.SIGINT
    assert result.stderr.rstrip().endswith("KeyboardInterrupt")

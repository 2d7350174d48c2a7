from __future__ import annotations

import itertools
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubesolve import InvalidStateError, MissingTableError, SearchLimitError, lookup, puzzle
from cubesolve.catalog.pocket import cube as pocket
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.pocket.spaces import pocket_inverses
from cubesolve.catalog.rolling.model import Shape
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.catalog.rubik.cube import RubikCube, random_cube
from cubesolve.lookup import Tablebase
from cubesolve.solvers import many
from cubesolve.solvers.arrays import Solutions
from tests import oracle
from tests.chance import agrees
from tests.facts import POCKET
from tests.strategies import HTM, QTM, colours, cubes, orientations, recoloured

metrics = st.sampled_from(["htm", "qtm"])


@given(cubes, orientations, colours, metrics)
def test_depth_ignores_holding_colours_and_inversion(cube: PocketCube, turn: str, symbols: str, metric: str) -> None:
    depth = lookup.depth(cube, metric=metric)
    assert lookup.depth(cube.apply(turn), metric=metric) == depth
    assert lookup.depth(recoloured(cube, symbols), metric=metric) == depth
    assert lookup.depth(" \t".join(str(cube)), metric=metric) == depth
    assert lookup.depth(cube.inverse(), metric=metric) == depth


@given(cubes, colours, metrics)
def test_solutions(cube: PocketCube, symbols: str, metric: str) -> None:
    facelets = recoloured(cube, symbols)
    depth = lookup.depth(facelets, metric=metric)
    moves = HTM if metric == "htm" else QTM
    algs = list(lookup.solutions(facelets, metric=metric))
    assert algs[0] == lookup.solve(facelets, metric=metric)
    assert algs == sorted(set(algs), key=lambda alg: [moves.index(move) for move in alg.split()])
    assert lookup.count_solutions(facelets, metric=metric) == len(algs)
    for alg in algs[:50]:
        assert len(alg.split()) == depth
        assert oracle.is_solved(oracle.apply(facelets, alg))
    first = list(dict.fromkeys(alg.split()[0] for alg in algs if alg))
    assert lookup.optimal_moves(facelets, metric=metric) == first


def test_scrambles_are_uniform_over_depths() -> None:
    allowed = sum(lookup.distribution()[4:])
    assert allowed == POCKET["wca"]["allowed"]
    assert pocket.STATES - allowed == POCKET["wca"]["excluded"]
    rng, drawn = random.Random(3), Counter[int]()
    for _ in range(1000):
        moves = lookup.scramble(rng).split()
        assert len(moves) == 11
        assert all(move[0] in "URF" for move in moves)
        assert all(move[0] != then[0] for move, then in itertools.pairwise(moves))
        drawn[lookup.depth(oracle.apply(oracle.SOLVED, " ".join(moves)))] += 1
    assert agrees(drawn, {depth: count / allowed for depth, count in enumerate(lookup.distribution()) if depth >= 4})
    assert lookup.scramble(5) == lookup.scramble(random.Random(5)) != lookup.scramble(6)
    assert lookup.scramble() != lookup.scramble()


def test_random_states_at_a_depth() -> None:
    rng = random.Random(2)
    drawn = Counter(lookup.random_state(rng, depth=1) for _ in range(270))
    assert agrees(drawn, {PocketCube.from_alg(move): 1 / 9 for move in HTM})
    assert lookup.random_state(4) == lookup.random_state(4) != lookup.random_state(5)


def test_distributions_and_antipodes() -> None:
    found = {metric: list(lookup.antipodes(metric=metric)) for metric in ("htm", "qtm")}
    for metric, farthest in found.items():
        assert lookup.distribution(metric=metric) == tuple(POCKET[metric])
        assert len(farthest) == POCKET[metric][-1]
        assert [cube.rank for cube in farthest] == sorted({cube.rank for cube in farthest})
        assert {lookup.depth(cube, metric=metric) for cube in farthest} == {len(POCKET[metric]) - 1}
    assert len({*found["htm"]} & {*found["qtm"]}) == POCKET["antipodes_in_both_metrics"]
    assert lookup.depth(PocketCube.from_alg(POCKET["antipode_example_htm_11"])) == 11


def test_keywords_that_a_question_lacks() -> None:
    skewb = puzzle("skewb")
    asked: list[Any] = [skewb.alg, skewb.restrict, skewb.towards, puzzle, lookup.table]
    for ask in asked:
        with pytest.raises(TypeError, match="unexpected keyword argument 'timout': did you mean timeout"):
            ask("R", timout=3)


def test_closing_while_another_thread_loads() -> None:
    def ask_or_find_closed() -> None:
        try:
            assert tables.depth(PocketCube.from_alg("R")) == 1
        except ValueError as error:
            assert "closed" in str(error)  # noqa: PT017

    for _ in range(30):
        tables = Tablebase()
        asking = threading.Thread(target=ask_or_find_closed)
        asking.start()
        tables.close()
        asking.join()
        assert tables._tables._bodies == {}


def test_many_threads_on_a_cold_tablebase() -> None:
    tables, gate = Tablebase(), threading.Barrier(8)

    def wrong(seed: int) -> list[str]:
        rng, found = random.Random(seed), list[str]()
        gate.wait()
        for _ in range(500):
            cube, metric = PocketCube.unrank(rng.randrange(pocket.STATES)), rng.choice(["htm", "qtm"])
            alg = tables.solve(str(cube), metric=metric)
            if alg.length != tables.depth(str(cube), metric=metric) or not cube.apply(alg).is_solved:
                found.append(str(cube))
        return found

    with ThreadPoolExecutor(8) as pool:
        assert not any(pool.map(wrong, range(8)))


def test_random_trays() -> None:
    start = (2, 1)
    tray = lookup.random_state(7, depth=20, puzzle="rolling")
    assert lookup.depth((1, 1), tray) == 20
    rolling = puzzle("rolling")
    tray = rolling.random_state(random.Random(5), 17, start=start)
    assert rolling.depth(Tray.start(start), tray) == 17
    alg = rolling.scramble(8, start=start)
    assert len(alg) == rolling.depth(Tray.start(start), Tray.start(start).apply(alg))
    assert len(rolling.scramble(3, length=12)) == len(rolling.scramble(3, depth=12)) == 12


def test_a_state_of_a_file_with_the_name_of_a_puzzle_that_ships(tmp_path: Path) -> None:
    (tmp_path / "own.tws").write_text("Name skewb\nSet A 3 1\nSolved\nEnd\nMove R\nA\n2 3 1\nEnd\n")
    state = lookup.puzzle(str(tmp_path / "own.tws")).parse("R2", "alg")
    assert (lookup.depth(state), lookup.solve(state)) == (1, "R")


# -- Whole tables ----------------------------------------------------------------------------------------------------


def test_a_table_is_an_array_that_is_not_a_copy() -> None:
    table = lookup.table("pocket-qtm")
    array = table.as_array()
    assert array.dtype == np.uint8
    assert not array.flags.writeable
    assert np.shares_memory(array, np.frombuffer(table.body, np.uint8))
    assert np.bincount(array).tolist() == list(table.header.distribution) == list(lookup.distribution(metric="qtm"))
    assert (lookup.table("pocket").header.name, len(lookup.table("pocket"))) == ("pocket-htm", 3_674_160)
    assert np.shares_memory(np.asarray(table), table.as_array())
    assert np.asarray(table, float)[-3:].tolist() == table.as_array()[-3:].tolist()


def test_transitions_of_trays() -> None:
    transitions = lookup.transition_table("rolling-edge")
    start = Tray.start((2, 1))
    for rank in np.random.default_rng(2).integers(len(transitions), size=100).tolist():
        rolls = dict(Tray.unrank(rank, start.plus, Shape(3, 3)).rolls())
        assert transitions[rank].tolist() == [rolls[d].rank if d in rolls else -1 for d in "UDLR"]


def test_solution_counts_add_up(tmp_path: Path) -> None:
    with pytest.raises(MissingTableError):
        lookup.open_tablebase(tmp_path).solution_counts("corners-htm")
    counts, depths = lookup.solution_counts("ivy-htm"), lookup.table("ivy-htm").as_array()
    transitions = lookup.transition_table("ivy-htm")
    nearer = (transitions >= 0) & (depths[transitions] < depths[:, None])
    sums = np.where(nearer, counts[transitions], 0).sum(axis=1)
    assert counts[depths == 0].tolist() == [1]
    assert np.array_equal(counts[depths > 0], sums[depths > 0])
    assert counts.min() == 1
    assert not counts.flags.writeable


def test_inverses() -> None:
    inverses = pocket_inverses()
    assert np.array_equal(inverses[inverses], np.arange(pocket.STATES))
    for rank in random.Random(4).sample(range(pocket.STATES), 200):
        assert inverses[rank] == PocketCube.unrank(rank).inverse().rank


@pytest.mark.exhaustive
@pytest.mark.parametrize("inversion", [False, True])
def test_symmetry_classes(inversion: bool) -> None:
    classes = lookup.symmetry_classes("pocket", inversion=inversion)
    published = POCKET["symmetry_classes"]
    assert len(classes.representative) == published["with_inverse_96" if inversion else "rotations_reflections_48"]
    if inversion:
        sizes, numbers = np.unique(classes.size, return_counts=True)
        assert dict(zip(map(str, sizes.tolist()), numbers.tolist(), strict=True)) == published["sizes_with_inverse_96"]
    assert classes.size.sum(dtype=int) == pocket.STATES
    assert (np.bincount(classes.class_of) == classes.size).all()
    assert set((96 if inversion else 48) % np.unique(classes.size)) == {0}  # sizes divide the order of the group
    assert (np.diff(classes.representative) > 0).all()
    assert (classes.class_of[classes.representative] == np.arange(len(classes.size))).all()
    for metric in ("htm", "qtm"):
        depths = lookup.table(f"pocket-{metric}").as_array()
        assert np.array_equal(depths[classes.representative][classes.class_of], depths)
    assert np.array_equal(classes.depth, lookup.depths(classes.representative))


def test_samples() -> None:
    assert np.array_equal(lookup.sample(100, rng=1), lookup.sample(100, rng=1))
    assert np.array_equal(lookup.sample(100, rng=1), lookup.sample(100, rng=np.random.default_rng(1)))
    assert not np.array_equal(lookup.sample(100, rng=1), lookup.sample(100, rng=2))
    assert len(set(lookup.sample(100).tolist())) > 90
    drawn = lookup.sample(200_000, rng=3)
    assert drawn.dtype == np.int32
    # Each twentieth of the ranks gets its share.
    shares = np.bincount(drawn // (pocket.STATES // 20 + 1), minlength=20)
    assert ((shares - 10_000) ** 2 / 10_000).sum() < 50
    for metric in ("htm", "qtm"):
        deepest = len(lookup.distribution(metric=metric)) - 1
        ranks = lookup.sample(50, depth=deepest, rng=4, metric=metric)
        assert (lookup.depths(ranks, metric=metric) == deepest).all()
    wanted = np.arange(1200) % 12
    assert np.array_equal(lookup.depths(lookup.sample(1200, depth=wanted, rng=5)), wanted)
    assert len(set(lookup.sample(5000, depth=11, rng=6).tolist())) > 0.8 * 2644  # all of 2644 can come
    trays = lookup.sample(100, depth=42, rng=7, goal=(2, 2))
    assert set(lookup.depths(trays, goal=(2, 2)).tolist()) == {42}


def test_colours_of_facelets() -> None:
    ranks = lookup.sample(2000, rng=8)
    as_text = lookup.facelets(ranks).view("S24")[:, 0]
    assert as_text.tolist() == [PocketCube.unrank(rank).facelets.encode() for rank in ranks.tolist()]
    assert np.array_equal(lookup.ranks(as_text), ranks)
    numbers = lookup.facelets(ranks, colours=range(6))
    assert np.array_equal(np.frombuffer(b"URFDLB", np.uint8)[numbers], lookup.facelets(ranks))
    assert np.array_equal(lookup.depths(numbers), lookup.depths(ranks))


# -- Many 3x3x3 cubes, divided among the workers of executors ----------------------------------------------------------


def near_cubes(number: int, seed: int = 1) -> list[RubikCube]:
    rng = random.Random(seed)
    moves = [face + suffix for face in "URFDLB" for suffix in ("", "2", "'")]
    return [RubikCube.from_alg(" ".join(rng.choices(moves, k=i % 6))) for i in range(number)]


class Unreliable(Executor):
    """An executor that fails the first `failures` tasks, and accepts at most `most`."""

    def __init__(self, failures: int, most: int = 10**9, error: BaseException | None = None) -> None:
        self.failures, self.most, self.submitted = failures, most, 0
        self.error = error or ConnectionError("the worker is gone")

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.submitted += 1
        if self.submitted > self.most:
            raise self.error
        future: Future[Any] = Future()
        if self.submitted <= self.failures:
            future.set_exception(self.error)
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def spelled(found: Solutions) -> list[str]:
    names = puzzle("rubik").solver.moves
    assert (found.moves[np.arange(30) >= found.lengths[:, None]] == 255).all()
    return [
        " ".join(names[move] for move in alg[:length])
        for alg, length in zip(found.moves.tolist(), found.lengths.tolist(), strict=True)
    ]


def test_in_order_and_all_of_them() -> None:
    cubes = near_cubes(30)
    alone = [lookup.solve(cube) for cube in cubes]
    assert lookup.solve_batch(cubes) == alone
    assert lookup.solve_batch([str(cube) for cube in cubes], metric="htm", workers=1) == alone
    with ThreadPoolExecutor(3) as threads:
        assert lookup.solve_batch(cubes, executor=threads) == alone
        quarter = lookup.solve_batch(cubes, metric="qtm", executor=threads)
    assert quarter == [lookup.solve(cube, metric="qtm") for cube in cubes]
    with ProcessPoolExecutor(2) as processes:
        assert lookup.solve_batch(cubes, executor=processes) == alone


@pytest.mark.parametrize("shape", [(0, 54), (0, 6, 9), (0, 6, 3, 3), (0,)])
def test_no_cubes_at_all(shape: tuple[int, ...]) -> None:
    for kind in (np.uint8, np.int64):
        assert list(lookup.solve_batch(np.zeros(shape, kind))) == [] or shape == (0,)
        assert puzzle("rubik").solve_batch(np.zeros(shape, kind)) == []


def test_content_with_solutions_that_are_a_little_longer() -> None:
    cubes = [RubikCube.from_alg("R U F2 B L D"), RubikCube.solved(), random_cube(random.Random(4))]
    found = lookup.solve_batch(cubes, within=30)
    assert spelled(found) == [lookup.solve(cube, within=30) for cube in cubes]
    assert all(cube.apply(alg).is_solved for cube, alg in zip(cubes, spelled(found), strict=True))
    assert spelled(lookup.solve_batch(cubes[:2], within=0)) == [lookup.solve(cube, within=0) for cube in cubes[:2]]
    with ThreadPoolExecutor(2) as threads:
        assert spelled(lookup.solve_batch(cubes, within=30, executor=threads)) == spelled(found)


@pytest.mark.parametrize(
    "executor",
    [
        *map(Unreliable, (1, 7, 30, 10**6)),
        *(
            Unreliable(12, error=error)
            for error in (SystemExit(1), MissingTableError("rubik-htm-small", ["there"]), MemoryError())
        ),
        *(Unreliable(0, most=4, error=error) for error in (RuntimeError("shut down"), OSError("lost"))),
    ],
)
def test_workers_fail_in_many_ways(executor: Unreliable) -> None:
    cubes = near_cubes(10)
    assert lookup.solve_batch(cubes, executor=executor) == lookup.solve_batch(cubes)
    assert executor.submitted == min(10 + executor.failures, 30, executor.most + 1)


def test_a_killed_process() -> None:
    cubes = near_cubes(200)
    with ProcessPoolExecutor(2) as pool:
        victim = pool.submit(os.getpid).result()

        def kill() -> None:
            time.sleep(0.05)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        answers = lookup.solve_batch(cubes, executor=pool)
        killer.join()
    assert answers == lookup.solve_batch(cubes)


def test_what_an_executor_loses_while_it_breaks_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "_PATIENCE", 0.01)

    class Losing(Unreliable):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            return Future() if self.submitted == 3 else future  # which nobody ever finishes

    cubes = near_cubes(10)
    assert lookup.solve_batch(cubes, executor=Losing(0, most=5)) == lookup.solve_batch(cubes)


def test_limits_and_faults_stand_in_their_places() -> None:
    cubes: list[RubikCube | str] = [RubikCube.from_alg("R U F2"), "U" * 54, RubikCube.from_alg("D")]
    for executor in (None, Unreliable(0)):
        answers = lookup.solve_batch(tuple(cubes), max_depth=2, invalid="mask", executor=executor)
        assert isinstance(answers[0], SearchLimitError)
        assert answers[0].at_least == 3
        assert isinstance(answers[1], InvalidStateError)
        assert answers[2] == "D'"
    first, second = lookup.solve_batch(["bad", str(RubikCube.from_alg("R"))], invalid="mask")
    assert isinstance(first, InvalidStateError)
    assert second == "R'"
    assert lookup.solve_batch([], executor=Unreliable(0)) == []
    assert lookup.solve_batch(["UUUUBBRRRRFFDDDDFFLLLLBB"]).lengths.tolist() == [1]

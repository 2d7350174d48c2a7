"""Many 3x3x3 cubes, divided among the workers of executors."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from cubesolve import InvalidStateError, MissingTableError, SearchLimitError, lookup, puzzle
from cubesolve.catalog.rubik.cube import RubikCube, random_cube
from cubesolve.solvers import many
from cubesolve.solvers.arrays import Solutions


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
    with pytest.raises(ValueError, match="within must be at least 0, not -1"):
        lookup.solve_batch(cubes, within=-1)


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
    with pytest.raises(InvalidStateError, match=r"^row 1: the six centres of a cube differ"):
        lookup.solve_batch(tuple(cubes))
    with pytest.raises(ValueError, match="invalid must be 'raise' or 'mask'"):
        lookup.solve_batch(tuple(cubes), invalid="skip")
    with pytest.raises(InvalidStateError, match="and 2 more of 5 rows"):
        lookup.solve_batch(["U" * 54] * 5)
    first, second = lookup.solve_batch(["bad", str(RubikCube.from_alg("R"))], invalid="mask")
    assert isinstance(first, InvalidStateError)
    assert second == "R'"
    with pytest.raises(InvalidStateError, match="row 1: expected a cube or its facelets, not int"):
        lookup.solve_batch([RubikCube.solved(), 3])
    assert lookup.solve_batch([], executor=Unreliable(0)) == []
    assert lookup.solve_batch(["UUUUBBRRRRFFDDDDFFLLLLBB"]).lengths.tolist() == [1]


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="goal is not supported for the 3x3x3 Rubik's cube"):
        lookup.solve_batch([RubikCube.solved()], goal=(1, 1))
    with pytest.raises(ValueError, match="max_depth is not supported for the 2x2x2 pocket cube"):
        lookup.solve_batch([1, 2], max_depth=3)

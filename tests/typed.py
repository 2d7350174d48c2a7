"""Lines of a user's script that mypy must accept or reject; `make lint` checks them.

Rejected lines have the error in a comment. A line that mypy accepts, or rejects for another reason, is an error of
this file, since unused comments are errors.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, assert_type

import numpy as np
from distributed import Client
from numpy.typing import NDArray

from cubesolve import PocketCube, Puzzle, RubikCube, Tray, lookup, puzzle
from cubesolve.catalog.rubik.cube import Cubies
from cubesolve.counting import cluster
from cubesolve.counting.records import record
from cubesolve.learn.envs import PuzzleEnv, PuzzleVectorEnv
from cubesolve.learn.labels import Oracle
from cubesolve.learn.research import evaluate, evaluate_solver
from cubesolve.lookup import Distribution, Solution
from cubesolve.practice.analysis import analyse
from cubesolve.practice.trainers import setups, step_scrambles


def accepted() -> None:
    cube = PocketCube.from_alg("R U F2")
    assert_type(lookup.depth(cube, metric="qtm", timeout=3), int)
    assert_type(lookup.depth((2, 1), "RBW/RWW/EWW", model="axis"), int)
    assert_type(lookup.solve(cube, orientation="fixed"), Solution)
    assert_type(lookup.solve(cube, within=2, max_depth=20, memory=1 << 30), Solution)
    assert_type(lookup.solutions(cube, slack=2), Iterator[str])
    assert_type(lookup.distribution(start=(2, 1), patterns=True), Distribution)
    assert_type(lookup.antipodes(metric="qtm"), list[PocketCube])
    skewb = puzzle("skewb")
    assert_type(skewb, Puzzle[Any])
    assert_type(puzzle(str(cube), inverses=False), Puzzle[Any])
    assert_type(skewb.depth("R U'", max_depth=9, cancel=threading.Event()), int)
    assert_type(skewb.solve("R U'", goal="L", metric="htm"), Solution)
    assert_type(skewb.restrict("R U", cost={"R": 2}, timeout=3).solve("R"), Solution)
    assert_type(skewb.towards("L", timeout=3, cancel=None).alg("R", timeout=3), Solution)
    assert_type(skewb.scramble(depth=3, metric="htm"), str)
    pocket, rubik, rolling = puzzle("pocket"), puzzle("3x3x3"), puzzle("rolling")
    assert_type(pocket, Puzzle[PocketCube])
    assert_type(pocket.parse("R U", "alg"), PocketCube)
    assert_type(pocket.random_state(7, depth=9, metric="qtm"), PocketCube)
    assert_type(pocket.antipodes(metric="qtm"), list[PocketCube])
    assert_type(pocket.restrict("R U").towards("first-layer").parse("R"), PocketCube)
    assert_type(rubik.random_state(timeout=3), RubikCube)
    assert_type(rubik.solve("R U").states, list[RubikCube])
    assert_type(pocket.path("R", "U").start, PocketCube)
    assert_type(rubik.parse("R").apply("U").is_solved, bool)
    assert_type(rolling.random_state(depth=9, start=(2, 1)), Tray)
    assert_type(rolling.antipodes(start=(2, 1), patterns=True), list[str])
    assert_type(lookup.random_state(7), PocketCube)
    assert_type(lookup.random_state(7, puzzle="rubik"), RubikCube)
    rubik.depth(b"U" * 54, rubik.random_state(), metric="qtm")
    rolling.depth((2, 1), rolling.random_state(), model="axis")
    pocket.solve(1574640, orientation="fixed")
    assert_type(pocket.solve_batch([cube, cube]).lengths, NDArray[np.uint8])
    assert_type(pocket.depths([cube, "R U"]), NDArray[np.uint8])
    rubik.solve_batch([rubik.random_state()]).append(None)
    assert_type(rubik.solve_batch([rubik.random_state()], max_length=21).lengths, NDArray[np.uint8])
    assert_type(rubik.state_arrays().states([[0] * 54]), list[RubikCube])
    assert_type(rubik.rules.view.solved(None).cubies, Cubies)
    assert_type([state for _, state in rolling.rules.view.steps(rolling.random_state(), "U")], list[Tray])
    assert_type(pocket.solver.random_state(), PocketCube)
    assert_type(analyse(pocket, cube, "F2 U' R'").lost, int)
    assert_type(setups(pocket, [cube, "R U"]), list[str])


def accepted_for_learning_and_counting(skewb: Puzzle, client: Client) -> None:
    oracle = Oracle("skewb", metric="htm")
    assert_type(oracle.distances(np.arange(3)), NDArray[np.uint8])
    assert_type(oracle.optimal_moves(np.arange(3)), NDArray[np.bool_])
    assert_type(oracle.distances(array("b")), array[int])  # of the same library
    assert_type(oracle.bounds(np.arange(3), timeout=3), NDArray[np.uint8])
    assert_type(skewb.search("R U'", heuristic=lambda states: states.sum(axis=1), width=10), Solution)
    counted = record(skewb, seconds=0, metric="htm", count=True)
    assert_type(counted["distribution"], Sequence[int])
    assert_type(cluster.record(client, skewb, metric="htm", levels=3)["distribution"], Sequence[int])
    assert_type(counted["is_complete"], bool | None)
    evaluate_solver(skewb.heuristic().search, skewb, ["R U'"]), evaluate_solver(str, "skewb", ["R U'"])


def rejected(cube: PocketCube, client: Client, _numbers: Puzzle[int]) -> None:  # type: ignore[type-var]
    skewb, pocket, rubik, rolling = puzzle("skewb"), puzzle("pocket"), puzzle("3x3x3"), puzzle("rolling")
    lookup.depth(cube, metrc="qtm")  # type: ignore[call-arg]
    lookup.search(cube, heuristic=np.sum, metrc="qtm")  # type: ignore[call-arg]
    lookup.depths([0], metrc="qtm")  # type: ignore[call-arg]
    lookup.distribution(metrc="qtm")  # type: ignore[call-arg]
    lookup.solve(cube, "R", "qtm")  # type: ignore[call-arg]
    skewb.depth("R", metrc="htm")  # type: ignore[call-arg]
    skewb.solve_batch(["R"], metrc="htm")  # type: ignore[call-overload]
    skewb.random_state(metrc="htm")  # type: ignore[call-arg]
    skewb.depth("R", slack=2)  # type: ignore[call-arg]
    skewb.solve("R", timeout="3")  # type: ignore[arg-type]
    skewb.towards("L", metrc="htm")  # type: ignore[call-arg]
    skewb.depth("R").upper()  # type: ignore[attr-defined]
    pocket.solve("R", metrc="qtm")  # type: ignore[call-arg]
    rubik.solve("R", metrc="qtm")  # type: ignore[call-arg]
    rubik.scramble(3, metrc="qtm")  # type: ignore[call-arg]
    rubik.solve_batch(["R"], metrc="qtm")  # type: ignore[call-overload]
    rolling.distribution(metrc="rolls")  # type: ignore[call-arg]
    rolling.scramble(metrc="rolls")  # type: ignore[call-arg]
    pocket.antipodes(metrc="qtm")  # type: ignore[call-overload]
    pocket.depth(rubik.random_state())  # type: ignore[arg-type]
    rubik.depth(3.5)  # type: ignore[arg-type]
    len(pocket.parse("R").cubies)  # type: ignore[attr-defined]
    Oracle("skewb", metrc="htm")  # type: ignore[call-arg]
    PuzzleEnv("skewb", metrc="htm")  # type: ignore[call-arg]
    PuzzleVectorEnv("skewb", metrc="htm")  # type: ignore[call-arg]
    skewb.towards(3)  # type: ignore[arg-type]
    skewb.search("R", heuristic=print)  # type: ignore[arg-type]
    evaluate_solver(id, "skewb", ["R"])  # type: ignore[arg-type]
    evaluate(print, "skewb")  # type: ignore[arg-type]
    record(skewb, metrc="htm")  # type: ignore[call-arg]
    record(skewb)["distribtion"]  # type: ignore[typeddict-item]
    cluster.record(client, skewb, metrc="htm")  # type: ignore[call-arg]
    evaluate(len, pocket, takes="labels", states=[rubik.random_state()])  # type: ignore[misc]
    setups(pocket, [rubik.random_state()])  # type: ignore[misc]
    skewb.pdb(3)  # type: ignore[arg-type]
    step_scrambles(skewb, 1, metrc="htm")  # type: ignore[call-arg]
    pocket.depths([rubik.random_state()])  # type: ignore[list-item]
    pocket.solve_batch([cube]).moves.upper()  # type: ignore[attr-defined]
    analyse(pocket, rubik.random_state(), "R")  # type: ignore[misc]
    rubik.solve_batch(["R"], within=1).append("R")  # type: ignore[attr-defined]
    pocket.rules.view.after(rubik.random_state(), "R")  # type: ignore[arg-type]

"""Small spaces are derived, enumerated, proved and queried with numpy, without Numba."""

from __future__ import annotations

import numpy as np
import pytest

from cubesolve.encodings import batch, descent
from cubesolve.encodings.enumeration import enumerate_depths
from cubesolve.encodings.proof import find_fault
from cubesolve.spaces import derive as deriving
from cubesolve.spaces import space as spaces
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.derive import DerivedSpace, derive, packed
from tests.definitions.samples import rules_of
from tests.processes import run_python
from tests.subsets import later


def space_of(graph: DerivedGraph) -> DerivedSpace:
    return derive(graph.origin, graph.reduction.moves, graph.rules.definition.illegal, first=graph.first_labels)


@pytest.mark.parametrize("name", ["ivy", "pancake-4", "pancake-6", "pyraminx-duo", "tiles-2x3", "topspin-8-4"])
def test_both_ways_give_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = rules_of(name).graph()
    solved = graph.reduction.solved
    space = space_of(graph)
    assert space.arrays.is_small
    starts = space.ranks(np.array([list(state) for state in solved], space.arrangements.dtype))
    starts = starts[starts >= 0].tolist()
    depths = enumerate_depths(space.arrays, starts)
    wrong = depths.copy()
    wrong[len(wrong) // 2 :: 7] += 1
    faults = [find_fault(space.arrays, each, starts) for each in (depths, wrong)]
    assert faults[0] is None
    assert faults[1] is not None

    monkeypatch.setattr(spaces, "SMALL_SPACE", 0)
    monkeypatch.setattr(deriving, "FEW_NUMBERS", 0)
    again = space_of(graph)
    assert packed(again, solved) == packed(space, solved)
    assert enumerate_depths(again.arrays, starts).tobytes() == depths.tobytes()
    assert [find_fault(again.arrays, each, starts) for each in (depths, wrong)] == faults
    if not space.arrays.costs:
        ways = batch.count_solutions(batch.Steps.of(space.arrays), depths)
        assert descent.count_all_solutions(space.arrays, depths).tolist() == ways.tolist()


@pytest.mark.parametrize("puzzle", ["docs/rings.tws", *map(later, ("ivy", "pyraminx-duo", "floppy", "pancake-6"))])
def test_nothing_about_a_small_puzzle_needs_numba(puzzle: str, tmp_path: object) -> None:
    code = f"""
import sys, warnings
warnings.simplefilter("error")
sys.modules["numba"] = None
from cubesolve import lookup
tables = lookup.open_tablebase({str(tmp_path)!r})
puzzle = tables.puzzle({puzzle!r})
state = puzzle.random_state(3)
alg = puzzle.solve(state)
assert alg in list(puzzle.solutions(state)) and puzzle.depth(state) == len(alg.split())
assert puzzle.count_solutions(state) == puzzle.count_solutions_batch([state])[0]
other = puzzle.random_state(4)
puzzle.depth(state, other), puzzle.scramble(5), puzzle.distribution(), puzzle.antipodes()
ranks = puzzle.sample(1000, rng=1)
puzzle.depths(ranks), puzzle.solve_batch(ranks), puzzle.optimal_moves_batch(ranks), puzzle.solution_counts()
puzzle.count_solutions_batch(ranks), puzzle.neighbors(ranks)
from cubesolve.cli import main
main(["tables", "build", {puzzle!r}], standalone_mode=False)
main(["tables", "verify", {puzzle!r}], standalone_mode=False)
"""
    folder = {"CUBESOLVE_TABLES": str(tmp_path)}
    result = run_python(code, folder, fresh=True)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr

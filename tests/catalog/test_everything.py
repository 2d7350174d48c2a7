"""Every question, for small puzzles that ship and for puzzles in files."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cubesolve import InvalidStateError, Puzzle, Tablebase, UnsolvableStateError
from cubesolve.spaces.defined import DerivedRules
from cubesolve.store.build import verify
from tests.definitions.samples import HALF_TURNS_CYCLES, POCKET_KPUZZLE
from tests.subsets import only

BLOCKED_TWS = """\
Name Blocked
Set CORNERS 4 3
Set RING 5 1
Solved
CORNERS
1 2 3 3
0 0 ? ?
RING
1 1 2 2 3
End
Move A
CORNERS
2 3 1 4
1 0 0 0
End
Move B
CORNERS
1 3 4 2
RING
2 3 4 5 1
End
Illegal CORNERS 4 1
"""
"""Pieces that look alike, an orientation that does not matter, and a place that a piece may not come to."""

FILES = {"half.gap": HALF_TURNS_CYCLES, "pocket.json": POCKET_KPUZZLE, "blocked.tws": BLOCKED_TWS}

PUZZLES: dict[str, tuple[str, str | None, str | None]] = {
    name: (name, None, None)
    for name in (
        "floppy", "ivy", "pyraminx", "pyraminx-duo", "pyramorphix", "skewb", "skewb-diamond", "tower", "tiles-2x3",
        "tiles-3x3", "topspin-8-4", "pancake-6", *FILES,
    )
} | {
    "pocket, two faces": ("pocket", "R U", None),
    "rubik, half turns": ("rubik", "U2 R2 F2", None),
    "rubik, slices": ("rubik", "M2 E2 S2", None),
    "skewb, costs": ("skewb", "R U", "R=2"),
    "tiles, costs": ("tiles-2x3", None, "U=3 D=3"),
}  # fmt: skip


USUAL = {
    "floppy", "pyraminx-duo", "tiles-2x3", "topspin-8-4", "pancake-6", "half.gap", "blocked.tws", "rubik, half turns",
    "tiles, costs", "tower",
}  # fmt: skip


@pytest.fixture(scope="module", params=only(USUAL, PUZZLES))
def puzzle(request: pytest.FixtureRequest, tables: Tablebase, tmp_path_factory: pytest.TempPathFactory) -> Puzzle:
    name, moves, cost = PUZZLES[request.param]
    if name in FILES:
        path = tmp_path_factory.mktemp("definitions") / name
        path.write_text(FILES[name])
        name = str(path)
    found: Puzzle = tables.puzzle(name)
    return found.restrict(moves, cost) if moves or cost else found


def _costs(puzzle: Puzzle) -> dict[str, int]:
    rules = puzzle.rules
    assert isinstance(rules, DerivedRules)
    return dict(rules.costs)


def _count(puzzle: Puzzle, alg: str) -> int:
    """Return the cost of an alg."""
    costs = _costs(puzzle)
    return sum(costs.get(move, 1) for move in puzzle.rules.view.split(alg) if not puzzle.rules.view.is_free(move))


def _apply(puzzle: Puzzle, state: Any, alg: str) -> Any:
    for move in puzzle.rules.view.split(alg):
        state = puzzle.rules.view.after(state, move)
    return state


def _solved(puzzle: Puzzle) -> Any:
    return puzzle.rules.view.solved(puzzle.random_state(0))


def test_all_states(puzzle: Puzzle) -> None:
    counts = puzzle.distribution()
    assert sum(counts) == puzzle.states
    assert min(counts) >= 0 < counts[-1]
    antipodes = puzzle.antipodes()
    assert len(antipodes) == counts[-1]
    assert {puzzle.depth(state) for state in antipodes[:20]} == {len(counts) - 1}
    depths = puzzle.depths(np.arange(puzzle.states))
    assert tuple(np.bincount(depths).tolist()) == counts


def test_random_states(puzzle: Puzzle) -> None:
    assert puzzle.random_state(7) == puzzle.random_state(random.Random(7))
    counts = puzzle.distribution()
    for depth, number in enumerate(counts):
        if number:
            assert puzzle.depth(puzzle.random_state(depth, depth=depth)) == depth
    for depth in (-1, len(counts)):
        with pytest.raises(ValueError, match=f"no state has depth {depth}"):
            puzzle.random_state(depth=depth)
    if puzzle.states < 100:
        drawn = Counter(puzzle.random_state(seed) for seed in range(60 * puzzle.states))
        assert len(drawn) == puzzle.states
        assert max(drawn.values()) < 120


def test_scrambles(puzzle: Puzzle) -> None:
    start, farthest = _solved(puzzle), len(puzzle.distribution()) - 1
    for seed in range(4):
        scramble = puzzle.scramble(seed)
        assert scramble == puzzle.scramble(seed)
        least = getattr(puzzle.rules, "scramble_depth", 0)
        assert puzzle.depth(_apply(puzzle, start, scramble)) >= min(least, farthest)
        depth = seed % (farthest + 1)
        if puzzle.distribution()[depth]:
            assert puzzle.depth(_apply(puzzle, start, puzzle.scramble(seed, depth=depth))) == depth
    for length in (0, 1, 2, 3, farthest, farthest + 3):
        found = _scramble_of(puzzle, length)
        assert found is not None or 0 < length < 3 or length > farthest
        if found is not None:
            assert puzzle.rules.view.count(found) == length
            assert puzzle.depth(_apply(puzzle, start, found)) <= _count(puzzle, puzzle.rules.view.invert(found))
    with pytest.raises(ValueError, match="length must be at least 0, not -1"):
        puzzle.scramble(length=-1)


def _scramble_of(puzzle: Puzzle, length: int) -> str | None:
    """A scramble with exactly so many moves; None if the error is that there is none."""
    try:
        return puzzle.scramble(1, length=length)
    except ValueError as error:
        if f"that just {length} moves lead to" not in str(error):
            raise
        return None


def test_arrays(puzzle: Puzzle) -> None:
    ranks = puzzle.sample(200, rng=1)
    assert ranks.dtype == np.int32
    assert (puzzle.ranks(puzzle.written(ranks)) == ranks).all()
    table = puzzle.transition_table()
    assert (puzzle.neighbors(ranks) == table[ranks]).all()
    costs = np.array([_costs(puzzle).get(move, 1) for move in puzzle.moves])
    near = puzzle.depths(np.maximum(table[ranks], 0).reshape(-1)).reshape(len(ranks), -1).astype(int)
    leads = (table[ranks] >= 0) & (near == puzzle.depths(ranks)[:, None].astype(int) - costs)
    assert (puzzle.optimal_moves_batch(ranks) == leads).all()
    assert (puzzle.solution_counts()[ranks] == puzzle.count_solutions_batch(ranks)).all()
    deepest = len(puzzle.distribution()) - 1
    assert set(puzzle.depths(puzzle.sample(50, depth=deepest, rng=2)).tolist()) == {deepest}
    with pytest.raises(InvalidStateError):
        puzzle.depths([puzzle.states])
    assert puzzle.depths(np.array([0, puzzle.states]), invalid="mask").tolist() == [puzzle.depth(0), 255]


def test_tables_are_proved(puzzle: Puzzle, shared: Path) -> None:
    assert puzzle.depth(0) == 0
    assert verify(puzzle.rules, puzzle.usual_table(), shared / "catalog")


def test_states_that_moves_do_not_lead_to(tables: Tablebase) -> None:
    half = tables.puzzle("rubik").restrict("U2 R2 F2")
    with pytest.raises(UnsolvableStateError, match="U2 R2 F2 alone: no moves lead"):
        half.depth(half.parse("R", "alg"))
    with pytest.raises(UnsolvableStateError):
        tables.puzzle("tiles-2x3").depth("2 1 3 4 5 0")

"""The gap heuristic is admissible, is derived from the moves, and finds optimal solutions."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.search import gaps
from cubesolve.spaces.defined import DerivedGraph, DerivedRules
from tests.subsets import later


def _burnt(number: int) -> str:
    """A stack of burnt pancakes: a flip turns over each of the flipped ones."""
    lines = [
        f"Name Burnt{number}",
        f"Set PANCAKES {number} 2",
        "",
        "Solved",
        "PANCAKES",
        " ".join(map(str, range(1, number + 1))),
    ]
    lines += [" ".join("0" * number), "End"]
    for turned in range(1, number + 1):
        order = [*range(turned, 0, -1), *range(turned + 1, number + 1)]
        sides = [1] * turned + [0] * (number - turned)
        lines += ["", f"Move f{turned}", "PANCAKES", " ".join(map(str, order)), " ".join(map(str, sides)), "End"]
    return "\n".join(lines) + "\n"


def _graph(puzzle: Puzzle) -> DerivedGraph:
    return cast("DerivedRules", puzzle.rules).graph()


def _gaps(puzzle: Puzzle) -> gaps.Gaps | None:
    graph = _graph(puzzle)
    return gaps.gaps_of(
        graph, [each for each in graph.reduction.solved if not graph.reach or graph.reach.may_have(each)]
    )


def test_the_gaps_of_pancakes_are_those_of_the_literature() -> None:
    found = _gaps(lookup.puzzle("pancake-20"))
    assert found is not None
    assert sorted(map(tuple, found.pairs.tolist())) == [*itertools.pairwise(range(21))]
    assert found.least.tolist() == list(range(21))
    source = random.Random(1)
    for _ in range(20):
        stack = source.sample(range(20), 20)
        number = sum(abs(one - other) > 1 for one, other in itertools.pairwise([*stack, 20]))
        assert found.numbers(np.array([*stack, 20], np.uint8)) == number


@pytest.mark.parametrize(
    ("name", "moves", "cost"),
    [
        later("pancake-7", None, None),
        ("pancake-6", None, "f2=3 f4=2"),
        ("pancake-4", None, "f2=2 f3=3 f4=4"),
        ("pocket", "R U", "U2=2"),
        later("skewb", None, None),
        ("burnt", None, None),
    ],
)
def test_the_bound_is_admissible_and_the_search_optimal(
    name: str, moves: str | None, cost: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gaps, "_radius", lambda *_: 0)
    (tmp_path / "burnt.tws").write_text(_burnt(5))
    puzzle = lookup.open_tablebase(tmp_path).puzzle(str(tmp_path / "burnt.tws") if name == "burnt" else name)
    puzzle = puzzle.restrict(moves, cost) if moves or cost else puzzle
    found, graph = _gaps(puzzle), _graph(puzzle)
    assert found is not None
    solver, source = gaps.GapSolver(found), random.Random(5)
    turns, solved = graph.reduction.moves, graph.reduction.solved[0]
    best = 0
    for _ in range(25):
        place = solved
        for _ in range(source.randrange(40)):
            place = source.choice(turns).apply(place) or place
        state = graph.labelling.state(place)
        depth, algs = puzzle.depth(state), list(puzzle.solutions(state))
        bound = int(solver.bounds(list(place))[0])
        assert bound <= depth
        best = max(best, bound)
        found_algs = graph.canonical.equivalent_algs(solver.solve(list(place), every=True))
        assert [" ".join(graph.names(alg, state)) for alg in found_algs] == algs
        assert solver.solve(list(place)) == found_algs[:1]
    assert best > 1

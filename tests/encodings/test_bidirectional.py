"""Bidirectional search with numpy finds the same paths as in Python, in the same order, and larger distances."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from cubesolve.search.bidirectional import between_arrangements
from cubesolve.search.near import ShortestPaths, between, between_bytes
from tests.processes import run_python
from tests.subsets import later

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

"""The first levels, counted without a space, and free moves, compared with dictionaries and published numbers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from cubesolve import Puzzle, puzzle
from cubesolve.definition.definition import Definition
from cubesolve.encodings.counting import bits_to_count
from cubesolve.encodings.enumeration import enumerate_levels
from cubesolve.errors import CubesolveError, TooLargeError
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, arrangement, identity
from cubesolve.spaces import levels
from cubesolve.spaces.defined import DerivedGraph, derived
from cubesolve.spaces.levels import FirstLevels, LevelSearch
from cubesolve.spaces.representatives import MOST_FREE, free_permutations
from cubesolve.spaces.symmetric import Plan, space_up_to_symmetry
from cubesolve.store.tables import Tables
from tests.definitions.samples import permuted, rules_of
from tests.distances import distances
from tests.encodings.rings import counts_of
from tests.facts import FTO, RUBIK
from tests.one_way import one_way


@pytest.mark.parametrize(
    ("name", "metric", "known"),
    [
        ("docs/fto-corners-edges.tws", "htm", FTO["corners and edges"]["distribution"]),
        ("rubik", "htm", RUBIK["positions"]["htm"]),
        ("rubik", "qtm", RUBIK["positions"]["qtm"]),
    ],
)
def test_published_numbers(name: str, metric: str, known: list[int]) -> None:
    assert puzzle(name).distribution(levels=4, metric=metric) == tuple(known[:5])


def test_too_many_states_and_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    assert puzzle("ivy").distribution(levels=10**12) == puzzle("ivy").distribution()  # not estimated one by one
    with pytest.raises(TooLargeError, match=r"symmetry classes or more.*choose fewer levels, or allow more memory"):
        puzzle("topspin-8-4").distribution(levels=9, memory=1000)
    monkeypatch.setattr(levels, "MOST_CLASSES", 0)
    with pytest.raises(CubesolveError, match="more than 0 labels"):
        puzzle("topspin-8-4").distribution(levels=9)


def test_solved_states_that_are_not_reached() -> None:
    solved = tuple(map(arrangement, ([1, 1, 2, 0], [1, 0, 1, 2], [2, 0, 1, 1])))
    graph = rules_of(permuted({"A": [3, 2, 1, 0], "B": [2, 3, 0, 1]})._replace(solved=solved)).graph()
    assert LevelSearch(graph).count(99).counts == counts_of(graph) == (2, 2)


def test_moves_that_lead_one_way(tmp_path: Path) -> None:
    """From the solved state, the gap cannot go where a move leads to the solved state from."""
    asked = Puzzle(one_way("tiles-2x3", "L"), Tables(tmp_path))
    assert asked.distribution() == (1,)
    with pytest.raises(CubesolveError, match="moves without inverses are not always possible"):
        asked.distribution(levels=9)


def test_symmetries_of_cubes_with_centres() -> None:
    """Symmetries of the moves go with rotations, which move centres that no move does."""
    graph = derived(puzzle("rubik").rules).graph()
    assert LevelSearch(graph).count(1) == FirstLevels((1, 18), 48, 3)


# -- Free moves --------------------------------------------------------------------------------------------------------


def with_free(free: str, definition: Definition) -> DerivedGraph:
    """Return a graph in which the powers of a move cost nothing."""
    costs = {move.name: 0 for move in definition.moves() if move.name.startswith(free)}
    return rules_of(definition._replace(costs=costs)).graph()


def layer(corners: int) -> DerivedGraph:
    """A layer of corners of two wedges and of edges that turns freely, and a twist that a corner can block."""
    wedges = range(0, 2 * corners, 2)
    illegal = {(place, wedge) for place in (0, 2, 7) for wedge in wedges}
    illegal |= {(place, wedge + 1) for place in (1, 3, 6) for wedge in wedges}
    generators, start = {"U": [5, *range(5), 6, 7], "/": [0, 6, 7, 3, 4, 5, 1, 2]}, [5, 0, 1, 2, 3, 4, 6, 7]
    return with_free("U", permuted(generators, start, illegal=frozenset(illegal)))


def ring(*change: int) -> DerivedGraph:
    """A ring of five disks that turns freely, and a permutation of it and of disks outside, with its inverse."""
    return with_free("T", permuted({"T": [1, 2, 3, 4, 0, *range(5, len(change))], "S": change}))


def connected(graph: DerivedGraph, state: Arrangement) -> Iterable[Arrangement]:
    """The states that free moves connect with one, itself first."""
    free = [move for move in graph.reduction.moves if move.cost == 0]
    return distances([state], lambda each: filter(None, (graph.moved(each, move) for move in free)))


def by_dictionary(graph: DerivedGraph) -> tuple[list[int], list[int]]:
    """The states at each depth, and the same with those that free moves connect as one."""
    depths = dict.fromkeys(connected(graph, graph.origin), 0)
    level, whole, classes = [*depths], [len(depths)], [1]
    while level:
        before, level, number = level, [], 0
        for state in before:
            for move in graph.reduction.moves:
                there = graph.moved(state, move) if move.cost else None
                if there is not None and there not in depths:
                    near = dict.fromkeys(connected(graph, there), len(whole))
                    depths |= near
                    level += near
                    number += 1
        whole.append(len(level))
        classes.append(number)
    return whole[:-1], classes[:-1]


@pytest.mark.parametrize("graph", [layer(1), layer(2), ring(0, 1, 2, 4, 5, 6, 3), ring(5, 1, 6, 3, 4, 2, 0)])
def test_counts_are_those_of_dictionaries(graph: DerivedGraph) -> None:
    whole, classes = by_dictionary(graph)
    assert list(LevelSearch(graph).count(99).counts) == whole
    assert list(LevelSearch(graph, up_to_free=True).count(99).counts) == classes
    plans = list[Plan]()
    found = space_up_to_symmetry(graph, up_to_free=True, planned=plans.append)
    assert found is not None
    assert plans[0].states == found.space.counted
    assert plans[0].moves == len(found.space.base)
    assert found.space.states < sum(classes)
    assert list(enumerate_levels(found.space, found.starts, bits=bits_to_count(found.space))[1]) == classes


def test_what_has_no_symmetric_space() -> None:
    """No pattern of a ring of five distinguishes its turns but that of all its disks."""
    assert space_up_to_symmetry(ring(1, 0, 2, 3, 4), up_to_free=True) is None


def test_permutations_of_free_moves() -> None:
    turn, other = (Move("T", (Effect(arrangement(each)),), 0) for each in ([1, 2, 0, 3], [0, 2, 3, 1]))
    assert len(free_permutations(4, [turn, other], blocked=False) or ()) == 12
    assert free_permutations(4, [turn, other], blocked=True) is None  # some need more than one move of a point
    assert free_permutations(4, [Move("T", (Effect(identity(4), ((0, 1),)),), 0)], blocked=False) is None
    whole = [Move("T", (Effect(arrangement(each)),), 0) for each in ([1, 0, *range(2, 7)], [*range(1, 7), 0])]
    assert MOST_FREE < 5040
    assert free_permutations(7, whole, blocked=False) is None

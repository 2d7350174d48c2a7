"""Free moves: counts of states, and of states up to free moves, compared with dictionary searches."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.piece_view import PieceView
from cubesolve.encodings.counting import bits_to_count
from cubesolve.encodings.enumeration import enumerate_levels
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, arrangement, identity
from cubesolve.spaces.defined import DerivedGraph, DerivedRules
from cubesolve.spaces.levels import LevelSearch
from cubesolve.spaces.representatives import MOST_FREE, free_permutations
from cubesolve.spaces.symmetric import Plan, space_up_to_symmetry
from tests.distances import distances


def graph_of(definition: Definition) -> DerivedGraph:
    return DerivedRules(PieceView(definition, "puzzle")).graph()


def layer(corners: int) -> DerivedGraph:
    """A layer of corners of two wedges and of edges that turns freely, and a twist that a corner can block."""
    turn, twist = [5, *range(5), 6, 7], [0, 6, 7, 3, 4, 5, 1, 2]
    generators = {"U": (Effect(arrangement(turn)),), "/": (Effect(arrangement(twist)),)}
    wedges = range(0, 2 * corners, 2)
    illegal = {(place, wedge) for place in (0, 2, 7) for wedge in wedges}
    illegal |= {(place, wedge + 1) for place in (1, 3, 6) for wedge in wedges}
    start = arrangement([5, 0, 1, 2, 3, 4, 6, 7])
    definition = Definition("layer", (Orbit("WEDGES", 8),), (start,), generators, illegal=frozenset(illegal))
    return graph_of(definition._replace(costs={move.name: 0 for move in definition.moves() if move.name != "/"}))


def ring(*change: int) -> DerivedGraph:
    """A ring of five disks that turns freely, and a permutation of it and of disks outside, with its inverse."""
    size = len(change)
    generators = {"T": [1, 2, 3, 4, 0, *range(5, size)], "S": change}
    effects = {name: (Effect(arrangement(each)),) for name, each in generators.items()}
    definition = Definition("ring", (Orbit("DISKS", size),), (identity(size),), effects)
    costs = {move.name: 0 if move.name.startswith("T") else 1 for move in definition.moves()}
    return graph_of(definition._replace(costs=costs))


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

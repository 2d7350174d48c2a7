"""Counts up to symmetry or free moves are those of all states, of dictionaries and published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from cubesolve import Puzzle, puzzle
from cubesolve.counting.records import record
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.encodings.counting import bits_to_count, have_solutions, solutions
from cubesolve.encodings.enumeration import enumerate_levels
from cubesolve.errors import CubesolveError, TooLargeError
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, arrangement, identity
from cubesolve.solvers import counts
from cubesolve.spaces import levels, symmetric
from cubesolve.spaces.defined import derived
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.levels import FirstLevels, LevelSearch
from cubesolve.spaces.representatives import MOST_FREE, free_permutations, groups_of
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.symmetric import Plan, space_up_to_symmetry
from cubesolve.store.tables import Tables
from tests.definitions.samples import permuted, rules_of
from tests.distances import depths_to, distances
from tests.encodings.rings import counts_of
from tests.facts import FTO, RUBIK
from tests.one_way import one_way
from tests.subsets import later

_PAIR, _THREE, _THREE_OF_EIGHT = (1, 0, *range(2, 6)), (1, 2, 0, *range(3, 6)), (1, 2, 0, *range(3, 8))


def _reduced(graph: DerivedGraph) -> StateSpace:
    found = space_up_to_symmetry(graph)
    assert found is not None
    space = found.space
    assert found.starts == [0]
    assert space.symmetric > 0
    return space


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("ivy", 20),  # the orientations of pieces
        ("floppy", 2.6),
        ("tiles-3x3", 1.9),  # moves that are not always possible
        ("topspin-8-4", 1.9),  # a reference piece, and a symmetry that keeps it at home
        later("pocket", 5.9),
        later("pyraminx", 21),
        later("skewb", 5.9),
    ],
)
def test_puzzles(name: str, least: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symmetric, "_AT_ONCE", 1000)  # many small pieces
    graph = rules_of(name).graph()
    space = _reduced(graph)
    assert space.counted / space.states > least
    assert bits_to_count(space) == 2
    assert enumerate_levels(space, bits=2)[1] == counts_of(graph) == LevelSearch(graph).count(99).counts


def test_rotations_that_bring_reference_pieces_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ring of 8 disks can be turned and turned over; only turning over a disk leaves it where it is."""
    graph = rules_of("topspin-8-4").graph()
    small, whole = groups_of(graph.reduction, graph.definition_moves, frozenset(), up_to_free=False)
    assert [len(small.symmetries), len(whole.symmetries)] == [2, 16]
    monkeypatch.setattr(symmetric, "groups_of", lambda *_, **__: [whole])
    space = _reduced(graph)
    assert space.counted / space.states > 12
    assert enumerate_levels(space, bits=2)[1] == counts_of(graph)


def ring(
    change: Sequence[int],
    costs: Sequence[int],
    *,
    alike: bool = False,
    directed: bool = False,
    swapped: Sequence[tuple[int, int]] = (),
) -> DerivedGraph:
    """Return a ring of disks, opposite ones of which may look alike, with costs of moves by place.

    States in which one of some pairs of disks is swapped count as solved, too.
    """
    size = len(change)
    turned = [[(change[(point - shift) % size] + shift) % size for point in range(size)] for shift in range(size)]
    start = arrangement(point % (size // 2) if alike else point for point in range(size))
    others = [arrangement({one: other, other: one}.get(label, label) for label in start) for one, other in swapped]
    moves = {f"m{shift}_": each for shift, each in enumerate(turned)}
    definition = permuted(moves, directed=directed)._replace(solved=(start, *others))
    names = {move.name: costs[int(move.name.strip("()'")[1]) % len(costs)] for move in definition.moves()}
    return rules_of(definition._replace(costs=names)).graph()


@pytest.mark.parametrize(
    "graph",
    [
        ring(_PAIR, (1,), swapped=[(0, 3), (1, 4), (2, 5)]),
        ring(_PAIR, (1,), swapped=[(0, 2)]),  # which few symmetries leave as it is
        ring((1, 0, *range(2, 8)), (1,), alike=True, swapped=[(0, 1), (1, 2), (2, 3), (3, 0)]),
        ring(_PAIR, (1, 2), swapped=[(0, 2), (2, 4), (0, 4)]),  # costs
        ring(_PAIR, (1,), directed=True, swapped=[(0, 3), (1, 4), (2, 5)]),
        ring(_THREE, (1,), swapped=[(0, 3)]),  # no moves lead to the other solved state
    ],
)
def test_several_solved_states(graph: DerivedGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Symmetries leave the first one as it is; an entry that stands for others counts as many."""
    monkeypatch.setattr(symmetric, "_FEWEST_SYMMETRIES", 2)
    found = space_up_to_symmetry(graph)
    assert found is not None
    expected, states = _by_dictionary(graph), found.classes(np.array(found.starts))
    assert sum(number for _, number, _ in states) == expected[0]
    assert {state for state, *_ in states} <= {*graph.reduction.solved}
    assert enumerate_levels(found.space, found.starts)[1] == expected
    assert enumerate_levels(found.space, found.starts, bits=2)[1] == expected


def wheel(spoke: int, rim: int) -> DerivedGraph:
    """A gap and four tiles, which move along the spokes and the rim of a wheel, with costs."""
    ways = {(0, point): spoke for point in range(1, 5)} | {(point, point % 4 + 1): rim for point in range(1, 5)}
    effects, costs = dict[str, tuple[Effect, ...]](), dict[str, int]()
    for name, ((one, other), cost) in zip("ABCDEFGH", ways.items(), strict=True):
        swap = [*range(5)]
        swap[one], swap[other] = other, one
        effects[name] = tuple(Effect(arrangement(swap), ((point, 0),)) for point in (one, other))
        costs[name] = cost
    same = {name: name for name in effects}
    definition = Definition("wheel", (Orbit("TILES", 5),), (arrangement(range(5)),), effects, same, costs=costs)
    return rules_of(definition).graph()


def _by_dictionary(graph: DerivedGraph, like: Callable[[Arrangement], Arrangement] = bytes) -> tuple[int, ...]:
    """Count the states at each depth, the least cost of moves to a solved state; those that are alike once."""

    def around(state: Arrangement) -> Iterator[tuple[int, Arrangement]]:
        for move in graph.reduction.moves:
            there = graph.moved(state, move)
            if there is not None:
                yield move.cost, there

    depths = depths_to([graph.origin], around, graph.reduction.solved.__contains__)
    counts = Counter({like(state): depth for state, depth in depths.items()}.values())
    return tuple(counts[depth] for depth in range(1 + max(counts)))


@pytest.mark.parametrize(
    "graph",
    [
        ring(_PAIR, (1, 2)),
        ring(_PAIR, (1, 3)),
        ring(_THREE, (1,), directed=True),
        ring(_THREE_OF_EIGHT, (2, 1), alike=True, directed=True),
        ring((3, 0, 1, 2, *range(4, 6)), (1,)),
        ring((2, 1, 0, *range(3, 8)), (1,), alike=True),
        ring(_PAIR, (0, 1)),
        ring(_THREE, (0, 2), directed=True),
        wheel(1, 2),
        wheel(0, 1),
        wheel(2, 0),
    ],
)
def test_costs_and_moves_without_inverses(graph: DerivedGraph) -> None:
    """Symmetries map moves to moves of the same cost; some moves have no inverses, or cost nothing."""
    space = _reduced(graph)
    assert space.counted / space.states > 1.5
    assert bits_to_count(space) == (2 if max(space.cost_of_moves) <= 2 else 8)
    counts = enumerate_levels(space)[1]
    assert counts == enumerate_levels(space, bits=bits_to_count(space))[1]
    assert counts == counts_of(graph) == LevelSearch(graph).count(99).counts == _by_dictionary(graph)


@pytest.mark.parametrize("is_whole", [True, False], ids=["whole", "small"])
@pytest.mark.parametrize(
    "graph",
    [
        rules_of("topspin-8-4").graph(),  # reference pieces
        ring(_PAIR, (1, 3)),
        ring(_THREE_OF_EIGHT, (2, 1), alike=True, directed=True),
        ring(_PAIR, (1,), swapped=[(0, 3), (1, 4), (2, 5)]),
        wheel(1, 2),
    ],
)
def test_entries_have_solutions(graph: DerivedGraph, is_whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state is followed from entry to entry, each of which stands for an image of it."""
    groups = [*groups_of(graph.reduction, graph.definition_moves, frozenset(), up_to_free=False)]
    monkeypatch.setattr(symmetric, "groups_of", lambda *_, **__: groups[-1:] if is_whole else groups[:1])
    monkeypatch.setattr(symmetric, "_FEWEST_SYMMETRIES", 2)
    found = space_up_to_symmetry(graph)
    assert found is not None
    table, counts = enumerate_levels(found.space, found.starts)
    for depth in range(len(counts)):
        classes = found.classes(np.flatnonzero(table == depth)[:9])
        ranks = np.array([rank for *_, rank in classes])
        algs = [*solutions(found.space, 8, table, ranks, found.walk)]
        for (state, *_), alg in zip(classes, algs, strict=True):
            made = [graph.reduction.moves[move] for move in alg]
            place: Arrangement | None = state
            for move in made:
                assert place is not None
                place = graph.moved(place, move)
            assert place in graph.reduction.solved
            assert sum(move.cost for move in made) == depth
        if have_solutions(found.space, 2):
            same, _ = enumerate_levels(found.space, found.starts, bits=2)
            assert [*solutions(found.space, 2, same, ranks, found.walk)] == algs


def test_few_symmetries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries of a byte are counted without them where all fit in the memory, which takes less time."""
    graph = ring(_THREE, (1, 1, 2, 1, 1, 1), directed=True)
    assert space_up_to_symmetry(graph) is None
    monkeypatch.setattr(symmetric, "_FEWEST_SYMMETRIES", 1)
    found = space_up_to_symmetry(graph)
    assert found is not None
    assert found.symmetries == 1
    assert enumerate_levels(found.space, found.starts, bits=bits_to_count(found.space))[1] == _by_dictionary(graph)


@pytest.mark.parametrize("name", ["ivy", "topspin-8-4"])
def test_a_part_of_the_symmetries_takes_less_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The farthest states are listed up to all symmetries nevertheless."""
    monkeypatch.setattr(counts, "_MANY", 1)
    whole = record(puzzle(name), count=True)
    monkeypatch.setattr(symmetric, "_LARGE", 0)
    monkeypatch.setattr(symmetric, "_SMALLER", 1)
    part = record(puzzle(name), count=True)
    assert 2 * part["symmetries"] == whole["symmetries"]
    assert part["distribution"] == whole["distribution"]
    sizes = [sorted(each["states"] for each in found["farthest"] or []) for found in (part, whole)]
    assert sizes[0] == sizes[1] != []
    assert part["is_confirmed"]


@pytest.mark.parametrize("name", ["ivy", "topspin-8-4"])
def test_ways_that_lead_to_other_states_are_not_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces in their order may be a state that moves do not lead to, which a sample need not show."""
    graph = rules_of(name).graph()
    for is_sampled in (True, False):
        monkeypatch.setattr(symmetric.SymmetricSpace, "_are_reached_in_order", lambda *_, found=is_sampled: found)
        assert enumerate_levels(_reduced(graph), bits=2)[1] == counts_of(graph)


@pytest.mark.exhaustive
def test_few_actions_of_pieces_that_look_alike() -> None:
    """Corners of which only the twist matters stay in their order: each move has one action on their twists."""
    found = space_up_to_symmetry(derived(puzzle("rubik").towards("dr").rules).graph(), memory=500_000_000)
    assert found is not None
    assert found.space.fibre.shape == (18, 2187)


def test_limits_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What actions take is known before their effects are computed."""
    monkeypatch.setattr(counts, "_MANY", 1)
    with pytest.raises(TooLargeError, match="counting them takes about 44,655 bytes of memory: allow it with memory"):
        space_up_to_symmetry(rules_of("ivy").graph(), 40_000)
    with pytest.raises(TooLargeError, match="counting them takes about"):
        puzzle("ivy").distribution(count=True, memory=40_000)


def test_what_has_no_symmetric_space() -> None:
    """Another state as the goal, blocked moves without inverses, a ring whose turns only all disks distinguish."""
    for rules in (puzzle("pyraminx-duo").towards("R U L").rules, one_way("tiles-2x3", "L")):
        assert space_up_to_symmetry(derived(rules).graph()) is None
    assert space_up_to_symmetry(free_ring(1, 0, 2, 3, 4), up_to_free=True) is None


# -- The first levels, counted without a space, and free moves ---------------------------------------------------------


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


def free_ring(*change: int) -> DerivedGraph:
    """A ring of five disks that turns freely, and a permutation of it and of disks outside, with its inverse."""
    return with_free("T", permuted({"T": [1, 2, 3, 4, 0, *range(5, len(change))], "S": change}))


def connected(graph: DerivedGraph, state: Arrangement) -> Iterable[Arrangement]:
    """The states that free moves connect with one, itself first."""
    free = [move for move in graph.reduction.moves if move.cost == 0]
    return distances([state], lambda each: filter(None, (graph.moved(each, move) for move in free)))


@pytest.mark.parametrize("graph", [layer(1), layer(2), free_ring(0, 1, 2, 4, 5, 6, 3), free_ring(5, 1, 6, 3, 4, 2, 0)])
def test_counts_are_those_of_dictionaries(graph: DerivedGraph) -> None:
    classes = _by_dictionary(graph, lambda state: min(connected(graph, state)))
    assert LevelSearch(graph).count(99).counts == _by_dictionary(graph)
    assert LevelSearch(graph, up_to_free=True).count(99).counts == classes
    plans = list[Plan]()
    found = space_up_to_symmetry(graph, up_to_free=True, planned=plans.append)
    assert found is not None
    assert plans[0].states == found.space.counted
    assert plans[0].moves == len(found.space.base)
    assert found.space.states < sum(classes)
    assert enumerate_levels(found.space, found.starts, bits=bits_to_count(found.space))[1] == classes


def test_permutations_of_free_moves() -> None:
    turn, other = (Move("T", (Effect(arrangement(each)),), 0) for each in ([1, 2, 0, 3], [0, 2, 3, 1]))
    assert len(free_permutations(4, [turn, other], blocked=False) or ()) == 12
    assert free_permutations(4, [turn, other], blocked=True) is None  # some need more than one move of a point
    assert free_permutations(4, [Move("T", (Effect(identity(4), ((0, 1),)),), 0)], blocked=False) is None
    whole = [Move("T", (Effect(arrangement(each)),), 0) for each in ([1, 0, *range(2, 7)], [*range(1, 7), 0])]
    assert MOST_FREE < 5040
    assert free_permutations(7, whole, blocked=False) is None

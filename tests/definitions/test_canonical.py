"""Canonical sequences: every state is reached by a shortest one, and each alg has a canonical equivalent."""

from __future__ import annotations

import itertools
import random

import pytest

import cubesolve
from cubesolve.group.canonical import Alg, canonical
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.deadline import Deadline, EndedError, running
from cubesolve.spaces.defined_graph import DerivedGraph
from tests.definitions.samples import permuted, rules_of
from tests.subsets import later


def _bandaged() -> DerivedGraph:
    """Pancakes whose largest must never be on top."""
    definition = rules_of("pancake-5").definition
    return rules_of(definition._replace(illegal=frozenset({(0, 4)}))).graph()


def _after(graph: DerivedGraph, alg: Alg) -> Arrangement | None:
    state: Arrangement | None = graph.reduction.solved[0]
    for move in alg:
        state = state and graph.reduction.moves[move].apply(state)
        if state is None or not graph.rules.definition.is_legal(state):
            return None
    return state


@pytest.mark.parametrize(
    ("graph", "most"),
    [
        (rules_of("rubik", "R L U").graph(), 4),
        (rules_of("rubik", "M U").graph(), 5),
        (rules_of("pocket", "R U F", "*2=2").graph(), 4),
        later(rules_of("tiles-2x3").graph(), 9),
        (rules_of("pancake-5").graph(), 5),
        (rules_of("topspin-8-4").graph(), 3),
        (_bandaged(), 4),
    ],
    ids=["R L U", "M U", "U2=2", "tiles", "pancakes", "topspin", "bandaged"],
)
def test_all_shortest_algs_are_spellings_of_canonical_ones(graph: DerivedGraph, most: int) -> None:
    turns = graph.reduction.moves
    found = canonical(tuple(turns), graph.reduction.solved[0], blocked=bool(graph.rules.definition.illegal))
    every: dict[Arrangement, dict[int, list[Alg]]] = {}
    for length in range(most + 1):
        for alg in itertools.product(range(len(turns)), repeat=length):
            state, cost = _after(graph, alg), sum(turns[move].cost for move in alg)
            if state is not None and cost <= most:
                every.setdefault(state, {}).setdefault(cost, []).append(alg)

    def is_canonical(alg: Alg) -> bool:
        state = 0
        for move in alg:
            state = found.following[state][move]
            if state < 0:
                return False
        return True

    assert len(every) > 20
    for state, by_cost in every.items():
        algs = by_cost[min(by_cost)]
        chosen = [alg for alg in algs if is_canonical(alg)]
        assert chosen, algs
        assert [alg for alg in found.equivalent_algs(chosen) if _after(graph, alg) == state] == sorted(algs)


def test_what_may_follow_is_found_from_the_moves_alone() -> None:
    graph = rules_of("rubik", "U D R").graph()  # U, D: any of three each, in one order; R: after all but itself
    names = [move.name for move in graph.reduction.moves]
    found = canonical(tuple(graph.reduction.moves), graph.reduction.solved[0])

    def following(alg: str) -> list[str]:
        state = 0
        for name in alg.split():
            state = found.following[state][names.index(name)]
        return [name for name, there in zip(names, found.following[state], strict=True) if there >= 0]

    assert following("U") == [name for name in names if name[0] != "U"]
    assert following("D2") == following("U D'") == [name for name in names if name[0] == "R"]
    assert following("R'") == [name for name in names if name[0] != "R"]


def test_a_way_round_may_not_lead_through_what_is_not_allowed() -> None:
    left, right = Move("L", (Effect(b"\1\0\2\3"),)), Move("R", (Effect(b"\0\1\3\2"),))
    assert canonical((left, right), bytes(range(4))).following[2][0] < 0
    assert canonical((left, right), bytes(range(4)), blocked=True).following[2][0] >= 0


def test_a_tile_is_not_moved_back() -> None:
    """Each move needs the gap, of which there is one, where the move before has left it."""
    following = rules_of("tiles-2x3").graph().canonical.following
    assert [row.index(-1) for row in following[1:]] == [1, 0, 3, 2]


def test_random_walks_have_nothing_in_vain_and_end_where_no_move_is_left() -> None:
    rubik = rules_of("rubik").graph()
    swap = rules_of(permuted({"S": [1, 0]})).graph()

    def walked(graph: DerivedGraph, length: int, walks: int) -> set[Arrangement | None]:
        algs = [graph.random_alg(length, source) for _ in range(walks)]
        ends = {_after(graph, tuple(alg)) for alg in algs if alg is not None}
        assert None not in ends
        return ends

    source, puzzle = random.Random(1), cubesolve.puzzle("rubik")
    ends = walked(rubik, 3, 50)
    assert len(ends) > 40
    assert {puzzle.depth(rubik.rules.labelling.state(place)) for place in ends if place} == {3}
    assert len(walked(_bandaged(), 4, 50)) > 10
    assert [walked(swap, length, 1) for length in (0, 1, 2)] == [{b"\0\1"}, {b"\1\0"}, set()]


def _of_order_105() -> tuple[Move, ...]:
    """The powers of a permutation of three cycles, and a move with which none of them commutes."""
    cycles = [1, 2, 0, 4, 5, 6, 7, 3, 9, 10, 11, 12, 13, 14, 8]
    return permuted({"T": cycles, "S": [3, 1, 2, 0, 4, 5, 6, 8, 7, *range(9, 15)]}).moves()


def test_a_shortest_alg_has_no_product_of_powers() -> None:
    moves = _of_order_105()
    found = canonical(moves, bytes(range(15)))
    swap = next(number for number, move in enumerate(moves) if move.name == "S")
    assert len(moves) == 105
    assert not found.alike  # of 105 algs with the effect of each power, 104 have two moves
    for number in range(len(moves)):
        after = found.following[found.following[0][number]]
        assert [move for move, there in enumerate(after) if there >= 0] == (
            [each for each in range(len(moves)) if each != swap] if number == swap else [swap]
        )


def test_a_deadline_limits_the_comparison_of_algs() -> None:
    with running(Deadline(timeout=0)), pytest.raises(EndedError):
        canonical(_of_order_105()[:50], bytes(range(15)))  # those of other tests are kept

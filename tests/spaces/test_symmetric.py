"""Counts up to symmetry are those of all states."""

from __future__ import annotations

import random

import pytest

from cubesolve import puzzle
from cubesolve.catalog import rules_named
from cubesolve.definitions.definition import Case, Definition, Orbit
from cubesolve.definitions.piece_view import PieceView
from cubesolve.encodings.byte.enumeration import distribution, enumerate_depths
from cubesolve.encodings.counting import bits_to_count
from cubesolve.encodings.mod3.enumeration import enumerate_mod3
from cubesolve.encodings.parity.enumeration import count_by_parity
from cubesolve.errors import TooLargeError
from cubesolve.permutations import arrangement
from cubesolve.solvers import derived as solving
from cubesolve.spaces import space_of, symmetric
from cubesolve.spaces.defined import DerivedGraph, DerivedRules, derived
from cubesolve.spaces.derived import make_ready
from cubesolve.spaces.representatives import groups_of
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.symmetric import space_up_to_symmetry
from tests.subsets import later


def _counts(graph: DerivedGraph) -> tuple[int, ...]:
    """Count all states one by one."""
    make_ready(graph)
    return distribution(enumerate_depths(space_of(graph), list(graph.starts)))


def _reduced(graph: DerivedGraph) -> StateSpace:
    found = space_up_to_symmetry(graph)
    assert found is not None
    space = found.space
    assert found.starts == [0]
    assert space.symmetric > 0
    return space


@pytest.mark.parametrize(
    ("name", "bits", "least"),
    [
        ("ivy", 2, 20),  # the orientations of pieces
        ("floppy", 1, 2.6),  # a parity
        ("tiles-3x3", 1, 1.9),  # moves that are not always possible
        ("topspin-8-4", 2, 1.9),  # a reference piece, and a symmetry that keeps it at home
        later("pocket", 2, 5.9),
        later("pyraminx", 2, 23),
        later("skewb", 2, 5.9),
    ],
)
def test_puzzles(name: str, bits: int, least: float) -> None:
    graph = derived(rules_named(name)).graph()
    space = _reduced(graph)
    assert space.counted / space.states > least
    assert bits_to_count(space) == bits
    count = count_by_parity if bits == 1 else enumerate_mod3
    assert count(space)[1] == _counts(graph)


def test_rotations_that_bring_reference_pieces_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ring of 8 disks can be turned and turned over; only turning over a disk leaves it where it is."""
    graph = derived(rules_named("topspin-8-4")).graph()
    small, whole = groups_of(graph.reduction, graph.definition_moves, frozenset())
    assert [len(small.symmetries), len(whole.symmetries)] == [2, 16]
    monkeypatch.setattr(symmetric, "groups_of", lambda *_: [whole])
    space = _reduced(graph)
    assert space.counted / space.states > 12
    assert enumerate_mod3(space)[1] == _counts(graph)


@pytest.mark.parametrize("seed", range(6))
def test_random_rings(seed: int) -> None:
    """A permutation of a ring at each of its places, and its inverse; pieces that are opposite may look alike."""
    source, size = random.Random(seed), 6 + 2 * (seed % 2)
    first = arrangement([*source.sample(range(4), 4), *range(4, size)])
    turned = [[(first[(point - shift) % size] + shift) % size for point in range(size)] for shift in range(size)]
    start = arrangement(point % (size // 2) if seed % 2 else point for point in range(size))
    generators = {f"m{shift}_": (Case(arrangement(each)),) for shift, each in enumerate(turned)}
    definition = Definition("ring", (Orbit("DISKS", size),), (start,), generators)
    graph = DerivedRules(PieceView(definition, "ring")).graph()
    assert enumerate_mod3(_reduced(graph))[1] == _counts(graph)


def test_a_question_counts_up_to_symmetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_MANY", 1)
    monkeypatch.setattr(symmetric, "_AT_ONCE", 1000)  # many small pieces
    assert puzzle("ivy").distribution(count=True) == puzzle("ivy").distribution()


@pytest.mark.parametrize("name", ["ivy", "topspin-8-4"])
def test_ways_that_lead_to_other_states_are_not_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces in their order may be a state that moves do not lead to, which a sample need not show."""
    graph = derived(rules_named(name)).graph()
    for is_sampled in (True, False):
        monkeypatch.setattr(symmetric._Deriving, "_are_reached_in_order", lambda *_, found=is_sampled: found)
        assert enumerate_mod3(_reduced(graph))[1] == _counts(graph)


@pytest.mark.exhaustive
def test_few_actions_of_pieces_that_look_alike() -> None:
    """Corners of which only the twist matters stay in their order: each move has one action on their twists."""
    found = space_up_to_symmetry(derived(puzzle("rubik").towards("dr").rules).graph(), memory=500_000_000)
    assert found is not None
    assert found.space.fibre.shape == (18, 2187)


def test_memory_of_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is known before the effects of the actions are computed, and no other space is smaller."""
    monkeypatch.setattr(solving, "_MANY", 1)
    with pytest.raises(TooLargeError, match="counting them takes about 55,599 bytes of memory: allow it with memory"):
        space_up_to_symmetry(derived(rules_named("ivy")).graph(), 40_000)
    with pytest.raises(TooLargeError, match="counting them takes about"):
        puzzle("ivy").distribution(count=True, memory=40_000)


def test_too_many_states_are_not_looked_at() -> None:
    """Symmetries are not searched for if even one bit for every 255 states is too much."""
    with pytest.raises(TooLargeError, match="more than can be enumerated"):
        puzzle("megaminx").distribution(count=True, timeout=600)


def test_what_has_no_symmetric_space() -> None:
    """Costs, several solved states, rotations without reference pieces."""
    for asked in (puzzle("ivy").restrict(cost={"R": 2}), puzzle("dino")):
        assert space_up_to_symmetry(derived(asked.rules).graph()) is None

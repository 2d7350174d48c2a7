"""Symmetric states are in one split; here they are made by rotating and reflecting puzzles in space."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import cubesolve
from cubesolve import lookup
from cubesolve.catalog import rules_named
from cubesolve.definition.geometry import Solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.group.permutations import Arrangement, Permutation, after, inverse
from cubesolve.learn.dataset.rows import Choice, rows_of
from cubesolve.learn.dataset.splits import symmetry_numbers
from cubesolve.spaces import space_of
from cubesolve.spaces.defined import DerivedRules
from tests.subsets import later

SIGNED = [(axes, signs) for axes in itertools.permutations(range(3)) for signs in itertools.product((1, -1), repeat=3)]
"""The 48 symmetries of a cube."""


def moved(vector: Any, axes: tuple[int, ...], signs: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sign * vector[axis] for axis, sign in zip(axes, signs, strict=True))


def is_rotation(axes: tuple[int, ...], signs: tuple[int, ...]) -> bool:
    swaps = sum(a > b for a, b in itertools.combinations(axes, 2))
    return swaps % 2 == signs.count(-1) % 2


def in_space(solid: Solid) -> Iterator[tuple[Permutation, bool]]:
    """Return the permutations of points by the symmetries of a cube, and whether these are rotations."""
    for axes, signs in SIGNED:
        images: list[Any] = [(moved(place, axes, signs), moved(facing, axes, signs)) for place, facing in solid.points]
        if set(images) == set(solid.points):
            yield bytes(images.index(point) for point in solid.points), is_rotation(axes, signs)


def copies_in_space(rules: DerivedRules) -> Callable[[Arrangement], set[int]]:
    """Return a function for the ranks of all copies of a state, in any orientation."""
    assert isinstance(rules.view, PieceView)
    graph, solid, solved = rules.graph(), rules.view.solid, rules.definition.solved[0]
    assert isinstance(solid, Solid)
    images = list(in_space(solid))
    held = [sources for sources, is_turned in images if is_turned]
    changes = {move.effects[0].sources for move in graph.definition_moves}
    keeping = []
    for sources, _ in images:
        back = inverse(sources)
        conjugates = (after(after(back, change), sources) for change in changes)
        if all(any(after(turned, rotation) in changes for rotation in held) for turned in conjugates):
            labels = dict(zip(solved, (solved[point] for point in back), strict=True))
            if bytes(labels[label] for label in after(solved, sources)) == solved:
                keeping.append((sources, labels))

    def copies(place: Arrangement) -> set[int]:
        found = set()
        for sources, labels in keeping:
            image = bytes(labels[label] for label in after(place, sources))
            found |= {graph.rank_of(after(image, rotation)) for rotation in held}
        return found - {-1}

    return copies


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("ivy", 24),
        later("pyramorphix", 24),
        ("floppy", 8),
        ("pyraminx-duo", 24),
        later("skewb-diamond", 48),
        later("tower", 16),
        later("skewb", 48),
        later("pyraminx", 24),
    ],
)
def test_no_copy_of_a_state_in_space_falls_to_another_split(name: str, most: int) -> None:
    puzzle, rules = cubesolve.puzzle(name), rules_named(name)
    assert isinstance(rules, DerivedRules)
    puzzle.depth(puzzle.random_state(1))  # builds the table
    splits: Any = rows_of(name, Choice(seed=1, ratios=[0.5, 0.3, 0.2]))
    side = np.full(puzzle.states, -1)
    for number, pools in enumerate(splits._sorted[0]):
        side[pools[0]] = number
    assert all(0.4 < np.mean(side == number) / share < 1.6 for number, share in enumerate((0.5, 0.3, 0.2)))
    graph: Any = puzzle.solver.arrays({}).graph
    copies, source = copies_in_space(graph.rules), random.Random(1)
    found = [copies(graph.known.unrank(source.randrange(puzzle.states))) for _ in range(40)]
    assert max(map(len, found)) == most
    assert all(len(set(side[list(ranks)].tolist())) == 1 for ranks in found)


ACROSS = {"U": "L", "L": "U", "D": "R", "R": "D"}
MIRRORED = {"U": "U", "D": "D", "L": "R", "R": "L"}


def walked_twice(rules: DerivedRules, renamed: dict[str, str], source: random.Random) -> list[Arrangement]:
    """Return the states after a random alg and after its image under a symmetry."""
    turns, places = {turn.name: turn for turn in rules.graph().definition_moves}, [rules.definition.solved[0]] * 2
    for name in source.choices(list(turns), k=60):
        there = turns[name].apply(places[0]), turns[renamed[name]].apply(places[1])
        places = [new or old for new, old in zip(there, places, strict=True)]
    return places


@pytest.mark.parametrize(
    ("name", "renamed"),
    [
        ("tiles-3x3", ACROSS),
        ("topspin-8-4", {f"T{n}": f"T{n % 8 + 1}" for n in range(1, 9)}),
        ("topspin-8-4", {f"T{n}": f"T{9 - n}" for n in range(1, 9)}),
    ],
)
def test_algs_with_other_names_lead_to_states_with_the_same_number(name: str, renamed: dict[str, str]) -> None:
    puzzle, source = cubesolve.puzzle(name), random.Random(1)
    graph: Any = puzzle.solver.arrays({}).graph
    numbers = symmetry_numbers(space_of(graph), puzzle.depths(np.arange(graph.states)))
    assert len(np.unique(numbers)) > graph.states / 30
    for _ in range(50):
        one, other = map(graph.rank_of, walked_twice(graph.rules, renamed, source))
        assert numbers[one] == numbers[other]


@pytest.mark.exhaustive
def test_as_many_numbers_as_classes_of_pocket_cubes_were_published() -> None:
    arrays = cubesolve.puzzle("pocket").solver.arrays({})
    numbers = symmetry_numbers(space_of(arrays.graph), arrays.body)
    assert len(np.unique(numbers)) == len(lookup.symmetry_classes().representative) == 77_802

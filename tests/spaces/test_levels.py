"""The first levels, counted without a space, equal those of the whole distribution."""

from __future__ import annotations

from pathlib import Path

import pytest

from cubesolve import Puzzle, puzzle
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.piece_view import PieceView
from cubesolve.errors import CubesolveError, TooLargeError
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import arrangement
from cubesolve.spaces import levels
from cubesolve.spaces.defined import DerivedRules, derived
from cubesolve.spaces.levels import FirstLevels, LevelSearch
from cubesolve.store.tables import Tables
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


def test_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLargeError, match=r"symmetry classes or more.*choose fewer levels, or allow more memory"):
        puzzle("topspin-8-4").distribution(levels=9, memory=1000)
    monkeypatch.setattr(levels, "MOST_CLASSES", 0)
    with pytest.raises(CubesolveError, match="more than 0 labels"):
        puzzle("topspin-8-4").distribution(levels=9)


def test_depths_that_no_state_has() -> None:
    """They are not estimated one by one."""
    assert puzzle("ivy").distribution(levels=10**12) == puzzle("ivy").distribution()


def _counted(definition: Definition) -> tuple[int, ...]:
    """Count the states of a definition both ways."""
    graph = DerivedRules(PieceView(definition, "ring")).graph()
    counts = counts_of(graph)
    assert LevelSearch(graph).count(99).counts == counts
    return counts


def test_solved_states_that_are_not_reached() -> None:
    effects = {name: (Effect(arrangement(each)),) for name, each in (("A", [3, 2, 1, 0]), ("B", [2, 3, 0, 1]))}
    solved = tuple(map(arrangement, ([1, 1, 2, 0], [1, 0, 1, 2], [2, 0, 1, 1])))
    assert _counted(Definition("ring", (Orbit("BEADS", 4),), solved, effects)) == (2, 2)


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

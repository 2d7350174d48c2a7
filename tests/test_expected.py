"""The expected time of a count, from its first levels."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from cubesolve.catalog import rules_named
from cubesolve.solvers.expected import expansions, expected_levels, first_levels, seconds_to_count
from cubesolve.spaces.defined import derived
from cubesolve.spaces.variants import restricted
from tests.facts import DATA, FTO, PUZZLES

SQUARE1 = json.loads((DATA / "square1.json").read_text())

SLOW = (1, 3, 6, 12, 24, 48, 90, 168, 314, 572, 1033, 1850, 3263, 5701, 9863, 16759)
"""The first levels of LRX with 12 disks, of docs/record.md."""


@pytest.mark.parametrize(
    ("counts", "known"),
    [
        (PUZZLES["skewb"]["distribution"], 6),
        (PUZZLES["2x2x2 qtm"]["distribution"], 7),
        (PUZZLES["pyraminx without tips"]["distribution"], 6),
        (FTO["corners and edges"]["distribution"], 6),
        (SQUARE1["twists"]["distribution"], 5),
    ],
)
def test_levels_are_about_as_expected(counts: Sequence[int], known: int) -> None:
    expected = expected_levels(counts[:known], sum(counts))
    assert expected[:known] == counts[:known]
    assert len(counts) - 2 <= len(expected) <= len(counts) + 5
    assert expansions(counts) == pytest.approx(expansions(expected), rel=1 / 3)


def test_many_levels_take_longer() -> None:
    assert seconds_to_count(10**9, 10**9, 3, SLOW) > seconds_to_count(10**9, 10**9, 3, [1, 18, 300, 5000])
    assert seconds_to_count(10**9, 10**9, 3, [1, 0, 2]) == seconds_to_count(10**9, 10**9, 3, [])


def test_entries_of_symmetric_rows_take_time_in_each_level() -> None:
    """Of the domino up to symmetry, a third are; its first eleven levels have few states."""
    usual, real = (seconds_to_count(406_425_600, 32_094_720, 7, [], n) for n in (0, 11_773_440))
    assert 5 < real / usual < 10


def test_first_levels() -> None:
    assert first_levels(derived(rules_named("ivy")).graph()) == [1, 8, 48, 288, 1640, 7582, 15262, 4221, 110]
    assert first_levels(restricted(rules_named("ivy"), costs="R=2").graph()) == []
    few = first_levels(derived(rules_named("4x4x4")).graph())
    assert 3 < len(few) < 9

"""More than half of the memory is used only with consent."""

from __future__ import annotations

from typing import Any

import pytest

from cubesolve import SearchLimitError, TooLargeError, lookup
from cubesolve.catalog.rolling import solver
from cubesolve.catalog.rolling.searching import to_count
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.runtime import machine
from cubesolve.search import limits
from cubesolve.solvers import derived


def _has_memory(monkeypatch: pytest.MonkeyPatch, half: int) -> None:
    for module in (derived, limits, machine, solver):
        monkeypatch.setattr(module, "half_of_memory", lambda: half)


def test_distances_of_a_tray(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, start = lookup.puzzle("rolling"), Tray.start((1, 1), 2, 2)
    space = to_count(start).space
    least = space.nbytes + -(-space.states // 4)  # states in a byte
    _has_memory(monkeypatch, least)
    assert sum(puzzle.distribution(tray=(2, 2))) == 36
    # One byte less, and so few that nobody has to look which states are alike: the 324 states would take 41 bytes.
    for half, most in ((least - 1, space.counted * (least - 1) // least), (5, 324 * 5 // 41)):
        _has_memory(monkeypatch, half)
        with pytest.raises(TooLargeError) as caught:
            puzzle.distribution(tray=(2, 2))
        assert (caught.value.most, caught.value.exact) == (most, True)


def test_distances_to_another_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = lookup.puzzle("tiles-2x3")
    solved, other = puzzle.parse(""), puzzle.antipodes()[0]
    _has_memory(monkeypatch, 100)
    with pytest.raises(TooLargeError, match="there are 360 states, more than can be enumerated: at most 50"):
        puzzle.depth(solved, other)
    _has_memory(monkeypatch, 1000)
    assert puzzle.depth(solved, other) == 21


def test_searches_of_trays(monkeypatch: pytest.MonkeyPatch) -> None:
    question: dict[str, Any] = {"state": (1, 1), "goal": "WWWW/WWWW/BBBE"}
    _has_memory(monkeypatch, 100_000)
    with pytest.raises(SearchLimitError, match="within 100,000 bytes of memory"):
        lookup.puzzle("rolling").depth(**question)
    assert lookup.puzzle("rolling").depth(**question, memory=1 << 31) == 17


def test_deriving_the_states_to_count() -> None:
    rings = lookup.puzzle("docs/rings.tws").restrict(cost="L2=3 R3=2")
    with pytest.raises(
        TooLargeError, match=r"placements .* or more, .*; allow more memory with memory \(--memory\), or"
    ):
        rings.distribution(count=True, memory=10)

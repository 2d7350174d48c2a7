"""The 4x4x4: its states are uniformly random, and solved by phases."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from cubesolve import SearchLimitError, puzzle
from cubesolve.catalog import rules_named
from cubesolve.catalog.nxnxn import USUAL_LENGTH, phases
from tests.chance import agrees, is_odd

DRAWN = 400


def test_random_states_are_uniform() -> None:
    solver, source = puzzle("4x4x4"), random.Random(2026)
    states = [solver.random_state(source).pattern for _ in range(DRAWN)]
    corners, wings, centres = ([state[orbit] for state in states] for orbit in states[0])
    # One corner is always at home, which determines the orientation of the puzzle.
    (home,) = (place for place in range(8) if all(state["pieces"][place] == place for state in corners))
    for place in set(range(8)) - {home}:
        seen = Counter((state["pieces"][place], state["orientation"][place]) for state in corners)
        others = [(piece, turned) for piece in set(range(8)) - {home} for turned in range(3)]
        assert agrees(seen, dict.fromkeys(others, 1 / 21))
    for place in range(24):
        assert agrees(Counter(state["pieces"][place] for state in wings), dict.fromkeys(range(24), 1 / 24))
        assert agrees(Counter(state["pieces"][place] // 4 for state in centres), dict.fromkeys(range(6), 1 / 6))
    signs = Counter((is_odd(one["pieces"]), is_odd(other["pieces"])) for one, other in zip(corners, wings, strict=True))
    assert agrees(signs, dict.fromkeys([(False, False), (False, True), (True, False), (True, True)], 1 / 4))


def test_phases_keep_pairs_apart() -> None:
    rules: Any = rules_named("4x4x4")
    sign = phases(rules.definition)[2].coordinates[0]
    wings = [pair for pair in sign.classes if len(pair) == 2]
    assert len(wings) == 12
    assert all(len(pair & (sign.points or set())) == 1 for pair in wings)


@pytest.mark.exhaustive
def test_every_state_is_solved_at_once() -> None:
    solver: Any = puzzle("4x4x4")
    drawn, source = random.Random(7), random.Random(7)
    for _ in range(10):
        scramble = solver.scramble(source)
        assert len(scramble.split()) <= USUAL_LENGTH
        state = solver.random_state(drawn)  # the scramble leads to it in some orientation
        tilted = [state.apply(tilt) for tilt in ("", "x", "x2", "x'", "z", "z'")]
        assert solver.rules.read(scramble) in {each.apply(turn) for each in tilted for turn in ("", "y", "y2", "y'")}
    for held in ("", "x y", "z2"):
        state = solver.random_state(drawn).apply(held)
        for given in (state, str(state), solver.rules.view.facelets(state)):
            solution = solver.solve(given, max_length=USUAL_LENGTH)
            assert solution.length <= USUAL_LENGTH
            assert state.apply(solution).is_solved
    assert solver.solve("Rw U Fw'", max_length=3).length == 3
    assert solver.solve("y", max_length=0) == ""
    with pytest.raises(SearchLimitError):
        solver.solve("Rw U Fw'", max_length=2)

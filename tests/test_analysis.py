"""Analyses of solutions: distances after each move, steps, and chains of steps."""

from __future__ import annotations

import itertools
import random
import threading
from typing import NoReturn

import pytest

import cubesolve
from cubesolve import SearchLimitError
from cubesolve.definition.view import DefinedView
from cubesolve.practice import analysis
from cubesolve.practice.analysis import analyse, shortest_chain
from cubesolve.practice.steps import Steps
from cubesolve.search import limits
from cubesolve.solvers import derived
from tests.patience import PATIENCE

RUBIK, POCKET, SKEWB = map(cubesolve.puzzle, ("rubik", "pocket", "skewb"))
SCRAMBLE = "R U F2 D' L B2 U R2 F L2 D R' B U2"


def test_table() -> None:
    """Every number is that of the table; a move is lost unless it decreases the number by one."""
    start = POCKET.parse("R U2 F R'", "alg")
    found = analyse("pocket", start, "R U U' F' U U R'", ["first-layer", "solved"])
    states = [start]
    for position in found.positions[1:]:
        states.append(states[-1].apply(position.move))
    numbers = [POCKET.depth(state) for state in states]
    assert [(each.at_least, each.at_most) for each in found.positions] == [(number, number) for number in numbers]
    lost = [before <= now for before, now in itertools.pairwise(numbers)]
    assert [each.lost for each in found.positions[1:]] == lost
    assert found.lost == sum(lost)
    assert sum(part.length for part in found.parts) == 7
    for part in found.parts:
        assert part.optimal is not None
        assert part.at_least == len(part.optimal.split()) <= part.length


def test_bounds() -> None:
    """Numbers that take too long have bounds, and neighbours differ by at most the cost of the move."""
    found = analyse(RUBIK, RUBIK.parse(SCRAMBLE, "alg"), RUBIK.rules.view.invert(SCRAMBLE), share=0.01)
    assert [found.positions[-1].at_least, found.positions[-1].at_most] == [0, 0]
    for one, other in itertools.pairwise(found.positions):
        assert 0 <= one.at_least <= one.at_most <= 14
        assert abs(one.at_least - other.at_least) <= 1
        assert abs(one.at_most - other.at_most) <= 1


@pytest.mark.exhaustive
def test_work_is_limited_by_moves() -> None:
    """Without a share of time, results do not depend on the computer."""
    expected = {"rubik": 13, "dino": 15, "square1": 13, "pocket": None, "clock": None}
    assert {name: cubesolve.puzzle(name).solver.moves_in_seconds for name in expected} == expected
    assert RUBIK.towards("htr").solver.moves_in_seconds == 13
    start = RUBIK.parse(SCRAMBLE, "alg")
    short = RUBIK.solver.short(start)
    assert start.apply(short).is_solved
    assert short.length <= 19


def test_chain() -> None:
    """Each step is optimal; with more algs of each step the whole is not longer."""
    start = POCKET.parse("R U2 F R' U F2", "alg")
    narrow = shortest_chain(POCKET, start, ["first-layer", "solved"], width=1, number=1)
    wide = shortest_chain(POCKET, start, ["first-layer", "solved"], width=50, number=50, slack=2)
    assert narrow.length >= wide.length >= POCKET.depth(start)
    for chain in (narrow, wide):
        assert start.apply(chain.alg).is_solved
        assert chain.length == len(chain.alg.split())
    assert len(narrow.parts[0][1].split()) == POCKET.towards("first-layer").depth(start)


def test_time_of_a_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end of the time the chain that is known is returned, or the error names the step."""
    start = SKEWB.parse("R U L B R'", "alg")
    expected = shortest_chain(SKEWB, start, ["layer", "solved"])
    ended = SearchLimitError(7, "after 60 s")

    def end(*_: object) -> NoReturn:
        raise ended

    with monkeypatch.context() as patch:
        patch.setattr(analysis._Links, "improved", end)
        assert shortest_chain(SKEWB, start, ["layer", "solved"]) == expected
    monkeypatch.setattr(analysis._Links, "_extended", end)
    with pytest.raises(SearchLimitError, match="not answered after 60 s, in the step layer"):
        shortest_chain(SKEWB, start, ["layer", "solved"])


def test_a_limit_has_no_bound_of_another_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proved about the length of a slice is not about the scramble."""
    cancel, is_over = threading.Event(), threading.Event()

    def end(*_: object) -> NoReturn:
        cancel.set()
        is_over.wait(PATIENCE)
        raise AssertionError

    monkeypatch.setattr(limits, "_PATIENCE", 0)
    monkeypatch.setattr(analysis, "_bounds", end)
    try:
        with pytest.raises(SearchLimitError, match=r"^not answered before it was cancelled$"):
            analyse(RUBIK, "M", "M'", cancel=cancel)
    finally:
        is_over.set()


def test_a_chain_without_a_time_limit_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "ALGS_IN_SECONDS", 10)
    with pytest.raises(SearchLimitError, match=r"not answered within seconds \(.*\), in the step oll"):
        shortest_chain(RUBIK, SCRAMBLE, ["oll", "solved"])


def test_moves_on_the_inverse() -> None:
    """With steps on the inverse, too, solutions are not longer; they solve the state, and are read back."""
    view, switched = SKEWB.rules.view, 0
    for seed in range(6):
        start, names = SKEWB.random_state(seed), ["layer", "solved"]
        plain, both = (shortest_chain(SKEWB, start, names, niss=niss) for niss in (False, True))
        assert both.length <= plain.length
        assert start.apply(both.alg).is_solved
        assert len(view.split(both.alg)) == both.length
        switched += "(" in both.parts[0][1]
        written = " ".join(alg for _, alg in both.parts)
        found = analyse(SKEWB, start, written, names, niss=True)
        assert [part.length for part in found.parts] == [len(alg.split()) for _, alg in both.parts]
        assert all(part.at_least == part.length for part in found.parts[:1])
        assert [position.at_least for position in found.positions][:: both.length] == [SKEWB.depth(start), 0]
        for one, other in itertools.pairwise(found.positions):
            assert abs(one.at_least - other.at_least) <= 1
    assert switched


def test_moves_keep_the_step_before() -> None:
    view, source = RUBIK.rules.view, random.Random(1)
    assert isinstance(view, DefinedView)
    kept = {before: moves.split() for (before, _), moves in view.named_steps.moves.items() if before != "htr"}
    assert len(kept) == 8
    for before, moves in kept.items():
        [step] = Steps(RUBIK, [before]).after("", before)
        state = RUBIK.parse(" ".join(source.choice(moves) for _ in range(30)), "alg")
        assert step.holds(state), before
        assert not step.holds(state.apply("R U F")), before
    [*axes] = Steps(RUBIK, []).after("eo-RL", "dr-any")
    assert [step.name for step in axes] == ["dr-FB", "dr-UD"]
    assert [step.name for step in Steps(RUBIK, []).after("", "cross-any")] == ["cross-any"]


def test_moves_without_inverses_are_refused() -> None:
    with pytest.raises(ValueError, match=r"not supported for the 2x2x2 pocket cube.*without inverses"):
        analyse(POCKET.restrict("R U", inverses=False), "R", "R R R")

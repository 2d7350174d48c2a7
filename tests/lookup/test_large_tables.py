"""Tables with two bits per state answer as tables with bytes do, for small puzzles."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.catalog import rules_named
from cubesolve.encodings import encoding_of
from cubesolve.learn.envs import PuzzleVectorEnv
from cubesolve.spaces import defined
from cubesolve.spaces.defined import DerivedRules
from cubesolve.store.tables import Tables
from tests.subsets import later

Pair = tuple[Puzzle, Puzzle]


@pytest.fixture(params=["floppy", "pyraminx-duo", later("tiles-2x3"), later("ivy")])
def pair(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """A puzzle with a table of bytes, and the same puzzle with two bits per state."""
    by_bytes = Puzzle(unpinned(request.param), Tables(str(tmp_path / "bytes")))
    by_bytes.distribution()
    monkeypatch.setattr(defined, "MOST_BYTES", 10)
    by_bits = Puzzle(unpinned(request.param), Tables(str(tmp_path / "bits")))
    assert encoding_of(by_bits.header(by_bits.usual_tables()[-1])).bits == 2
    return by_bytes, by_bits


def unpinned(name: str) -> DerivedRules:
    """Return a puzzle as one that does not ship; no table of it has been opened."""
    rules = rules_named(name)
    assert isinstance(rules, DerivedRules)
    return DerivedRules(rules.view)


def test_environments(pair: Pair) -> None:
    by_bytes, by_bits = (PuzzleVectorEnv(each, 30) for each in pair)
    (shown, _), (same, _) = (each.reset(seed=1, options={"depth": None}) for each in (by_bytes, by_bits))
    for move in range(5):
        assert (shown == same).all()
        moves = np.arange(move, move + 30) % len(by_bytes.moves)
        (shown, *first, infos), (same, *other, others) = by_bytes.step(moves), by_bits.step(moves)
        assert all((one == two).all() for one, two in zip(first, other, strict=True))
        assert (infos["optimal_moves"] == others["optimal_moves"]).all()
        assert (infos["distance"] == others["distance"]).all()


def test_states(pair: Pair) -> None:
    by_bytes, by_bits = pair
    assert by_bits.distribution() == by_bytes.distribution()
    assert by_bits.antipodes() == by_bytes.antipodes()
    for rank in random.Random(1).choices(range(by_bytes.states), k=60):
        for ask in ("depth", "solve", "count_solutions", "optimal_moves"):
            assert getattr(by_bits, ask)(rank) == getattr(by_bytes, ask)(rank)
        assert list(by_bits.solutions(rank)) == list(by_bytes.solutions(rank))
    depths = range(len(by_bytes.distribution()))
    assert [by_bytes.depth(by_bits.random_state(depth, depth)) for depth in depths] == [*depths]
    assert len(by_bits.scramble(3, depth=depths[-1]).split()) == depths[-1]
    drawn = Counter(str(by_bits.random_state(number, 2)) for number in range(7 * by_bytes.distribution()[2]))
    assert len(drawn) == by_bytes.distribution()[2]


def test_arrays(pair: Pair) -> None:
    by_bytes, by_bits = pair
    ranks, few = np.arange(by_bytes.states), by_bytes.sample(200, rng=1)
    assert np.array_equal(by_bits.depths(ranks), by_bytes.depths(ranks))
    assert np.array_equal(by_bits.sample(200, rng=1), few)
    for ask in ("solve_batch", "optimal_moves_batch", "count_solutions_batch", "neighbors"):
        assert np.array_equal(getattr(by_bits, ask)(few)[0], getattr(by_bytes, ask)(few)[0])
    wanted = [0, 1, 2, 3, 3, 2, 1]
    assert by_bytes.depths(by_bits.sample(7, np.array(wanted), 5)).tolist() == wanted
    with pytest.raises(ValueError, match="too many to count"):
        by_bits.solution_counts()


def test_no_state_between_two_depths() -> None:
    costly = lookup.puzzle("floppy").restrict(cost="*=2")
    assert 0 in costly.distribution()
    with pytest.raises(ValueError, match="no state has depth 1"):
        costly.sample(3, 1)
    with pytest.raises(ValueError, match="no state has depth 1"):
        costly.random_state(depth=1)

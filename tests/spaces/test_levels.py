"""The first levels, counted without a space, equal those of the whole distribution."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cubesolve import Puzzle, puzzle
from cubesolve.encodings.byte.enumeration import distribution, enumerate_depths
from cubesolve.errors import CubesolveError, TooLargeError
from cubesolve.spaces import levels, space_of
from cubesolve.spaces.defined import derived
from cubesolve.spaces.derived import make_ready
from tests.facts import FTO, RUBIK
from tests.subsets import later

PUZZLES: dict[str, Callable[[], Puzzle]] = {
    "symmetries": lambda: puzzle("ivy"),
    "costs": lambda: puzzle("ivy").restrict("R L", cost={"R": 2, "L": 3}),
    "moves without inverses": lambda: puzzle("ivy").restrict("R L", inverses=False),
    "a reference piece": lambda: puzzle("topspin-8-4"),
    "no reference piece": lambda: puzzle("dino"),
    "moves that are not always possible": lambda: puzzle("docs/glued-ring.tws"),
    "identical pieces": lambda: puzzle("docs/rings.tws"),
    "rotations of the solved puzzle": lambda: puzzle("pocket").restrict("R2 F2"),
}


@pytest.mark.parametrize("name", [name if name != "no reference piece" else later(name) for name in PUZZLES])
def test_any_puzzle(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "_AT_ONCE", 1000)  # several parts
    asked = PUZZLES[name]()
    graph = derived(asked.rules).graph()
    make_ready(graph)
    counts = distribution(enumerate_depths(space_of(graph), list(graph.starts)))
    for most in (0, 4, 300):
        assert asked.distribution(levels=most) == counts[: most + 1]


@pytest.mark.parametrize(
    ("name", "known"),
    [("docs/fto-corners-edges.tws", FTO["corners and edges"]["distribution"]), ("rubik", RUBIK["positions"]["htm"])],
)
def test_published_numbers(name: str, known: list[int]) -> None:
    assert puzzle(name).distribution(levels=4) == tuple(known[:5])


def test_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "half_of_memory", lambda: 1000)
    with pytest.raises(TooLargeError, match=r"symmetry classes or more.*choose fewer levels"):
        puzzle("topspin-8-4").distribution(levels=9)
    monkeypatch.setattr(levels, "MOST_CLASSES", 0)
    with pytest.raises(CubesolveError, match="more than 0 labels"):
        puzzle("topspin-8-4").distribution(levels=9)


def test_memory_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[str]()
    monkeypatch.setattr(levels, "_LARGE", 0)
    monkeypatch.setattr(levels, "notify", said.append)
    puzzle("ivy").distribution(levels=2)
    assert said == ["up to 48 states at depth 2: at most 0.0 GB of memory"]

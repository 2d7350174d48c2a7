"""Every published distribution, computed from the moves."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from cubesolve.catalog import entry_named, names, rules_named
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.derived import make_ready
from cubesolve.store.build import make
from tests.definitions.samples import rules_of
from tests.facts import PANCAKES, PUZZLES


def _enumerated(rules: DerivedRules, metric: str) -> tuple[int, ...]:
    """A distribution from an enumeration that is proved and compared with the pin."""
    graph = rules.graph(metric=metric)
    make_ready(graph)
    return make(rules, graph.entry)[0].distribution


DEFINED: Mapping[str, tuple[str, ...]] = {
    "2x2x2 htm": ("pocket.tws",),
    "2x2x2 qtm": ("pocket.json",),
    "pyraminx without tips": ("pyraminx",),
    "skewb": ("skewb",),
    "beachball skewb": ("beachball.gap",),
    "pyramorphix": ("pyramorphix",),
    "dino, both mirror solutions": ("dino",),
    "Rubik's Cheese": ("cheese.gap",),
    "sliding 3x2 corner": ("tiles-2x3",),
    "sliding 4x2 corner": ("tiles-2x4",),
    "sliding 5x2 corner": ("tiles-2x5",),
    "8-puzzle corner": ("tiles-3x3",),
    "3x3x3 squares group": ("rubik", "U2 R2 F2 D2 L2 B2"),
    "3x3x3 <U2,R2,F2>": ("rubik", "U2 R2 F2"),
    "floppy 1x3x3": ("floppy",),
    "pyraminx duo": ("pyraminx-duo",),
    "pyraminx with tips, layers and tips as moves, not up to rotation (x4)": ("layers.gap",),
}
"""The puzzle of each published distribution, and the chosen moves."""


def _metric(name: str) -> str:
    return "qtm" if name.endswith("qtm") else "htm"


def test_all_that_is_published_is_defined() -> None:
    assert {*DEFINED} == set(PUZZLES)
    for published in PUZZLES.values():
        assert sum(published["distribution"]) == published["states"]
        assert len(published["distribution"]) == published["gods_number"] + 1


def _later(states: int) -> list[pytest.MarkDecorator]:
    """Return the marks of a test that enumerates so many states."""
    return [pytest.mark.exhaustive] if states > 1 << 19 else []


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=_later(0 if _metric(name) in rules_of(*made).pinned else PUZZLES[name]["states"]))
        for name, made in DEFINED.items()
    ],
)
def test_published_distributions(name: str) -> None:
    """For puzzles that ship, the distribution is in the entries of their tables, before they are built."""
    rules = rules_of(*DEFINED[name])
    if _metric(name) not in rules.pinned:
        assert list(_enumerated(rules, _metric(name))) == PUZZLES[name]["distribution"]
        return
    header = entry_named(rules.name)[1].header
    assert list(header.distribution) == PUZZLES[name]["distribution"]
    assert rules.number_of_states == header.entries == PUZZLES[name]["states"]


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        pytest.param(name, metric, marks=_later(sum(pinned.distribution)))
        for name in names()
        if isinstance(rules := rules_named(name), DerivedRules)
        for metric, pinned in rules.pinned.items()
    ],
)
def test_what_is_pinned_is_found(name: str, metric: str) -> None:
    """Every table is compared with its pinned digest."""
    rules = rules_of(name)
    assert _enumerated(rules, metric) == rules.pinned[metric].distribution


def test_published_numbers_of_pancakes() -> None:
    for pancakes, number in PANCAKES["gods_numbers"].items():
        rules = rules_of(f"pancake-{pancakes}")
        assert (rules.gods_number or len(_enumerated(rules, "htm")) - 1) == number

"""Whole tables: transitions, counts, symmetry classes, samples."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from cubesolve import PocketCube, lookup
from cubesolve.catalog.pocket import cube as pocket
from cubesolve.catalog.pocket.spaces import pocket_inverses
from cubesolve.catalog.rolling.model import Shape
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.errors import MissingTableError
from tests.facts import POCKET


def test_a_table_is_an_array_that_is_not_a_copy() -> None:
    table = lookup.table("pocket-qtm")
    array = table.as_array()
    assert array.dtype == np.uint8
    assert not array.flags.writeable
    assert np.shares_memory(array, np.frombuffer(table.body, np.uint8))
    assert np.bincount(array).tolist() == list(table.header.distribution) == list(lookup.distribution(metric="qtm"))
    assert (lookup.table("pocket").header.name, len(lookup.table("pocket"))) == ("pocket-htm", 3_674_160)
    assert np.shares_memory(np.asarray(table), table.as_array())
    assert np.asarray(table, float)[-3:].tolist() == table.as_array()[-3:].tolist()
    with pytest.raises(ValueError, match="unknown table 'cube': expected a puzzle or one of its tables"):
        lookup.table("cube")


def test_transitions_of_trays(tmp_path: Path) -> None:
    transitions = lookup.transition_table("rolling-edge")
    start = Tray.start((2, 1))
    for rank in np.random.default_rng(2).integers(len(transitions), size=100).tolist():
        rolls = dict(Tray.unrank(rank, start.plus, Shape(3, 3)).rolls())
        assert transitions[rank].tolist() == [rolls[d].rank if d in rolls else -1 for d in "UDLR"]
    with pytest.raises(ValueError, match="rolling-edge-patterns is not a table of states"):
        lookup.transition_table("rolling-edge-patterns")
    with pytest.raises(MissingTableError):
        lookup.open_tablebase(tmp_path).solution_counts("corners-htm")
    with pytest.raises(ValueError, match="rubik-htm-small is not a table of states"):
        lookup.solution_counts("rubik-htm-small")
    with pytest.raises(ValueError, match="rubik-htm-small does not have a byte per state"):
        lookup.table("rubik-htm-small")


def test_solution_counts_add_up() -> None:
    counts, depths = lookup.solution_counts("ivy-htm"), lookup.table("ivy-htm").as_array()
    transitions = lookup.transition_table("ivy-htm")
    nearer = (transitions >= 0) & (depths[transitions] < depths[:, None])
    sums = np.where(nearer, counts[transitions], 0).sum(axis=1)
    assert counts[depths == 0].tolist() == [1]
    assert np.array_equal(counts[depths > 0], sums[depths > 0])
    assert counts.min() == 1
    assert not counts.flags.writeable


def test_inverses() -> None:
    inverses = pocket_inverses()
    assert np.array_equal(inverses[inverses], np.arange(pocket.STATES))
    for rank in random.Random(4).sample(range(pocket.STATES), 200):
        assert inverses[rank] == PocketCube.unrank(rank).inverse().rank


@pytest.mark.exhaustive
@pytest.mark.parametrize("inversion", [False, True])
def test_symmetry_classes(inversion: bool) -> None:
    classes = lookup.symmetry_classes("pocket", inversion=inversion)
    published = POCKET["symmetry_classes"]
    assert len(classes.representative) == published["with_inverse_96" if inversion else "rotations_reflections_48"]
    if inversion:
        sizes, numbers = np.unique(classes.size, return_counts=True)
        assert dict(zip(map(str, sizes.tolist()), numbers.tolist(), strict=True)) == published["sizes_with_inverse_96"]
    assert classes.size.sum(dtype=int) == pocket.STATES
    assert (np.bincount(classes.class_of) == classes.size).all()
    assert set((96 if inversion else 48) % np.unique(classes.size)) == {0}  # sizes divide the order of the group
    assert (np.diff(classes.representative) > 0).all()
    assert (classes.class_of[classes.representative] == np.arange(len(classes.size))).all()
    for metric in ("htm", "qtm"):
        depths = lookup.table(f"pocket-{metric}").as_array()
        assert np.array_equal(depths[classes.representative][classes.class_of], depths)
    assert np.array_equal(classes.depth, lookup.depths(classes.representative))


def test_classes_are_of_the_pocket_cube() -> None:
    with pytest.raises(ValueError, match="rolling-edge is not a table of the pocket cube"):
        lookup.symmetry_classes("rolling-edge")


def test_samples() -> None:
    assert np.array_equal(lookup.sample(100, rng=1), lookup.sample(100, rng=1))
    assert np.array_equal(lookup.sample(100, rng=1), lookup.sample(100, rng=np.random.default_rng(1)))
    assert not np.array_equal(lookup.sample(100, rng=1), lookup.sample(100, rng=2))
    assert len(set(lookup.sample(100).tolist())) > 90
    drawn = lookup.sample(200_000, rng=3)
    assert drawn.dtype == np.int32
    # Each twentieth of the ranks gets its share.
    shares = np.bincount(drawn // (pocket.STATES // 20 + 1), minlength=20)
    assert ((shares - 10_000) ** 2 / 10_000).sum() < 50
    for metric in ("htm", "qtm"):
        deepest = len(lookup.distribution(metric=metric)) - 1
        ranks = lookup.sample(50, depth=deepest, rng=4, metric=metric)
        assert (lookup.depths(ranks, metric=metric) == deepest).all()
    wanted = np.arange(1200) % 12
    assert np.array_equal(lookup.depths(lookup.sample(1200, depth=wanted, rng=5)), wanted)
    assert len(set(lookup.sample(5000, depth=11, rng=6).tolist())) > 0.8 * 2644  # all of 2644 can come
    trays = lookup.sample(100, depth=42, rng=7, goal=(2, 2))
    assert set(lookup.depths(trays, goal=(2, 2)).tolist()) == {42}


def test_samples_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"no state has depth 12: depths are 0\.\.11"):
        lookup.sample(3, depth=[1, 12, 3])
    with pytest.raises(ValueError, match="no state has depth -1"):
        lookup.sample(3, depth=-1)
    with pytest.raises(ValueError, match=r"depth must be an integer, or 3 of them, not int64 \(2,\)"):
        lookup.sample(3, depth=[1, 2])
    with pytest.raises(ValueError, match="depth must be an integer"):
        lookup.sample(3, depth=1.5)


def test_colours_of_facelets() -> None:
    ranks = lookup.sample(2000, rng=8)
    as_text = lookup.facelets(ranks).view("S24")[:, 0]
    assert as_text.tolist() == [PocketCube.unrank(rank).facelets.encode() for rank in ranks.tolist()]
    assert np.array_equal(lookup.ranks(as_text), ranks)
    assert lookup.depths(as_text[:300]).tolist() == [lookup.depth(text.decode()) for text in as_text[:300].tolist()]
    numbers = lookup.facelets(ranks, colours=range(6))
    assert np.array_equal(np.frombuffer(b"URFDLB", np.uint8)[numbers], lookup.facelets(ranks))
    assert np.array_equal(lookup.depths(numbers), lookup.depths(ranks))
    for colours in ("WWRGYO", "WRGYO", [0, 1, 2, 3, 4, 256], "WRGYOBX", "WRGYO\u2603"):
        with pytest.raises(ValueError, match="colours must be six different bytes"):
            lookup.facelets(ranks, colours=colours)

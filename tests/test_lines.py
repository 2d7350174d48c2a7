from __future__ import annotations

import functools
import random

import numpy as np
import pytest

from cubesolve import catalog
from cubesolve.engine.lines import enumerate_lines, find_line_fault, slots
from cubesolve.notation import FACES, metric_moves
from cubesolve.spaces.cosets import axis_symmetries, label_named, projection
from cubesolve.spaces.space import RefinedSpace
from cubesolve.store.build import line_space
from tests.facts import RUBIK
from tests.processes import run_python

HTM = metric_moves("htm", FACES)


def slices(metric: str = "htm") -> RefinedSpace:
    """A space with few rows: slices by their classes, and twists."""
    return projection("none", with_flips=False).space(metric_moves(metric, FACES))


@functools.cache
def depths_by_looking(metric: str) -> list[int]:
    """The depth of every entry, found one by one from the neighbours."""
    whole = slices(metric).whole()
    neighbours = [list(whole.neighbours(rank)) for rank in range(whole.states)]
    depths = [0] + [99] * (whole.states - 1)
    for depth in range(1, 99):
        found = [
            r for r, near in enumerate(neighbours) if depths[r] == 99 and any(depths[n] == depth - 1 for n in near)
        ]
        for rank in found:
            depths[rank] = depth
        if not found:
            break
    return depths


def entries_of(space: RefinedSpace, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The entries of a table, and for each the smallest depth of its line."""
    slot = slots(space.fibre.shape[1])
    rows = table.reshape(space.rows, -1)
    return (rows[:, slot >> 2] >> 2 * (slot & 3).astype(np.uint8)) & 3, rows[:, slot >> 2 | 63]


@pytest.mark.parametrize("base", [1, 4, 6, 9])
@pytest.mark.parametrize("metric", ["htm", pytest.param("qtm", marks=pytest.mark.exhaustive)])
def test_every_entry_says_its_depth(metric: str, base: int) -> None:
    space = slices(metric)
    table, counts = enumerate_lines(space, base)
    depths = np.array(depths_by_looking(metric)).reshape(space.rows, -1)
    entries, smallest = entries_of(space, table)
    assert np.array_equal(entries, np.clip(depths - base, 0, 3))
    by_line = depths.reshape(space.rows, 9, 243).min(axis=2)
    assert np.array_equal(smallest, np.repeat(np.minimum(by_line, base + 3), 243, axis=1))
    expected = np.bincount(np.minimum(depths, base + 3).reshape(-1), minlength=base + 4)
    assert counts == tuple(expected.tolist())
    assert find_line_fault(space, table, base) is None
    for workers in (1, 3):
        assert np.array_equal(enumerate_lines(space, base, workers=workers)[0], table)


def test_progress_level_by_level() -> None:
    levels: list[tuple[int, int, int]] = []
    _, counts = enumerate_lines(slices(), 4, progress=lambda *level: levels.append(level))
    assert levels == [(d, n, sum(counts[: d + 1])) for d, n in enumerate(counts[:-1])]


def test_every_kind_of_wrong_entry_is_found() -> None:
    space, base = slices(), 5
    table, _ = enumerate_lines(space, base)
    rng = random.Random(1)
    places = [0, 60, 61, 62, 63, 64, len(table) - 1, *(rng.randrange(len(table)) for _ in range(120))]
    for place in places:
        changed = table.copy()
        changed[place] ^= 1 << rng.randrange(8)
        fault = find_line_fault(space, changed, base)
        assert fault is not None
        assert fault.rank // 243 >= place // 64 - 9 * space.rows
    # Bounds that are all too small by one are admissible, and still not what the table should say.
    lower, _ = enumerate_lines(space, base + 1)
    assert find_line_fault(space, lower, base) is not None


def test_faults_say_what_is_wrong() -> None:
    space, base = slices(), 5
    table, _ = enumerate_lines(space, base)
    entries, _ = entries_of(space, table)
    rank = int(np.flatnonzero(entries.reshape(-1) == 2)[-1])
    place = rank // 243 * 64 + rank % 243 // 4
    table[place] ^= 1 << 2 * (rank % 243 % 4)
    fault = find_line_fault(space, table, base)
    assert fault is not None
    assert fault.rank <= rank
    if fault.rank == rank:
        assert fault[1:3] == (base + 3, base + 2)


def test_arguments_are_checked() -> None:
    space = slices()
    with pytest.raises(ValueError, match="workers must be at least 1"):
        enumerate_lines(space, 4, workers=0)
    with pytest.raises(ValueError, match="the table must have 25920 bytes"):
        find_line_fault(space, np.zeros(64, np.uint8), 4)
    narrow = RefinedSpace(space.base, space.action, space.relabel, space.labels, space.fibre[:, :100])
    with pytest.raises(ValueError, match="rows of 100 entries cannot be cut into lines of 243"):
        enumerate_lines(narrow, 4)
    with pytest.raises(ValueError, match="no such label"):
        label_named("colour")
    with pytest.raises(ValueError, match="pocket-htm is no pattern database"):
        line_space(catalog.tables()["pocket-htm"])


def test_classes_and_labels() -> None:
    assert len({symmetry.faces for symmetry in axis_symmetries()}) == 16
    assert sum(symmetry.reflection for symmetry in axis_symmetries()) == 8
    assert [projection(label).rows for label in ("none", "order", "layer")] == [64430, 6 * 64430, 70 * 64430]
    for label in ("order", "layer"):
        space = projection(label).space(HTM)
        # Moves permute the labels, and from where one leads to, some move leads back to the class.
        assert (np.sort(space.labels, axis=1) == np.arange(space.labels.shape[1])).all()
        for m in range(len(HTM)):
            assert (space.base[:, space.base[m]] == np.arange(len(space.base[m]))).any(axis=0).all()


@pytest.mark.parametrize("name", ["rubik-htm-small", "rubik-htm-medium", "rubik-htm-large", "corners-htm"])
def test_catalog_has_the_levels_of_another_program(name: str) -> None:
    header = catalog.tables()[name].header
    levels = tuple(RUBIK["levels"][name])
    assert header.distribution[: len(levels)] == levels
    assert header.reachable == header.entries
    assert not catalog.tables()[name].by_default


@pytest.mark.exhaustive
def test_kernels_stay_inside_their_arrays(tmp_path: object) -> None:
    code = (
        "from tests.test_lines import *\n"
        "for metric in ('htm', 'qtm'):\n"
        "    table, counts = enumerate_lines(slices(metric), 5, workers=2)\n"
        "    assert find_line_fault(slices(metric), table, 5) is None\n"
        "    print(counts, int(table.astype(np.int64) @ np.arange(len(table))))\n"
    )
    # Bounds are checked just as well by code that is not optimized, which is sooner compiled.
    checked = run_python(code, {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "NUMBA_CACHE_DIR": str(tmp_path)})
    plain = run_python(code)
    assert checked.returncode == plain.returncode == 0, checked.stderr + plain.stderr
    assert checked.stdout == plain.stdout != ""

"""Bounds of many 3x3x3 cubes equal those of single ones, and never exceed the distance."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from numpy.typing import NDArray

from cubesolve import InvalidStateError, RubikCube, lookup
from cubesolve.catalog.rubik.arrays import read_cubes
from cubesolve.catalog.rubik.cube import random_cube
from cubesolve.catalog.rubik.pairs import pair_states
from cubesolve.errors import MissingTableError
from cubesolve.lookup import Tablebase, open_tablebase
from cubesolve.spaces.tables import TableEntry
from tests import rubik_oracle
from tests.chance import is_odd


def _rows(cubes: list[RubikCube]) -> NDArray[np.uint8]:
    return np.array([list(cube.facelets.encode()) for cube in cubes], np.uint8)


def _random(number: int, seed: int) -> list[RubikCube]:
    source = random.Random(seed)
    return [random_cube(source).apply(source.choice(["", "x", "y2 z"])) for _ in range(number)]


def _is_cube(row: list[int]) -> bool:
    try:
        RubikCube("".join(chr(0x20000 + colour) for colour in row))
    except InvalidStateError:
        return False
    return True


def test_cubes_are_read_as_one_at_a_time() -> None:
    cubes = _random(300, 1)
    pairs, parities, valid = read_cubes(_rows(cubes))
    assert valid.all()
    assert [is_odd(cube.cubies.corners) for cube in cubes] == parities.tolist()
    assert 0 < parities.sum() < len(cubes)
    assert np.array_equal(pairs, [pair_states(cube.cubies) for cube in cubes])


def test_what_is_no_cube_is_seen() -> None:
    rows = _rows(_random(1000, 2))
    source = np.random.default_rng(3)
    for row in rows:
        places = source.integers(0, 54, 2 + 2 * source.integers(3))
        row[places] = row[np.roll(places, 1)]
        if source.random() < 0.1:
            row[places[0]] = source.integers(256)
    # Two corners, or two edges, exchanged; a corner twisted; an edge flipped.
    changes = ([8, 9, 20], [2, 45, 11]), ([5, 10], [7, 19]), ([8, 9, 20], [9, 20, 8]), ([5, 10], [10, 5])
    for i, (here, there) in enumerate(changes):
        rows[i] = _rows([RubikCube.solved()])[0]
        rows[i, here + there] = rows[i, there + here]
    pairs, parities, valid = read_cubes(rows)
    expected = [_is_cube(row) for row in rows.tolist()]
    assert valid.tolist() == expected
    assert not any(expected[:4])
    assert 33 < expected.count(True) < 667
    home = pair_states(RubikCube.solved().cubies)
    assert (pairs[~valid] == home).all()
    assert not parities[~valid].any()


def test_bounds_are_those_of_one_at_a_time_and_admissible(with_tables: Tablebase) -> None:
    source = random.Random(4)
    algs = [" ".join(source.choices(rubik_oracle.FACE_TURNS, k=moves // 3)) for moves in range(27)]
    near = [*map(RubikCube.from_alg, algs)]
    cubes = near + _random(10, 5)
    found = with_tables.bounds(_rows(cubes))
    assert found.shape == (len(cubes), 6)
    assert found.dtype == np.uint8
    assert np.array_equal(found, np.concatenate([with_tables.bounds([cube]) for cube in cubes]))
    for workers in (1, 3):
        assert np.array_equal(found, with_tables.bounds(_rows(cubes), workers=workers))
    for cube, bounds in list(zip(near, found.tolist(), strict=False))[::4]:  # some of each number of moves
        assert max(bounds) <= with_tables.depth(cube)
    # The three axes of the cube, then those of its inverse.
    assert np.array_equal(with_tables.bounds([cube.inverse() for cube in near]), found[: len(near), [3, 4, 5, 0, 1, 2]])
    assert found[0].tolist() == [0] * 6
    assert with_tables.bounds(_rows(near), metric="qtm").max() > found[: len(near)].max()


def test_any_array_and_any_colours(with_tables: Tablebase) -> None:
    cubes = _random(20, 6)
    rows = _rows(cubes)
    found = with_tables.bounds(rows)
    texts = [cube.facelets for cube in cubes]
    numbers = np.array(["URFDLB".index(symbol) for text in texts for symbol in text]).reshape(-1, 54)
    batches: list[Any] = [
        numbers, rows.reshape(-1, 6, 9), rows.reshape(-1, 6, 3, 3), rows[:, ::-1][:, ::-1], numbers.astype(">i4"),
        cubes, texts, np.array(texts), [text.encode() for text in texts], np.array(texts, "S54"),
    ]  # fmt: skip
    for batch in batches:
        assert np.array_equal(with_tables.bounds(batch), found)
    assert with_tables.bounds(rows[:0]).shape == (0, 6)


def test_what_is_wrong_is_named(with_tables: Tablebase) -> None:
    rows = _rows(_random(10, 7)).astype(np.int64)
    rows[3, 0] = 300
    rows[7, 4] = rows[7, 13]
    rows[8] = -1
    with pytest.raises(InvalidStateError, match=r"row 3: .*row 7: .*row 8: ") as caught:
        with_tables.bounds(rows)
    assert caught.value.rows == (3, 7, 8)
    masked = with_tables.bounds(rows, invalid="mask")
    assert (masked == 255).all(axis=1).nonzero()[0].tolist() == [3, 7, 8]
    listed: list[RubikCube | str] = [RubikCube.from_alg("R"), "no cube" * 10]
    with pytest.raises(InvalidStateError, match="row 1"):
        with_tables.bounds(listed)
    assert with_tables.bounds(listed, invalid="mask").max(axis=1).tolist() == [1, 255]
    assert lookup.bounds(["UUUUBBRRRRFFDDDDFFLLLLBB"]).tolist() == [[1]]  # a table has the depth


def test_the_smallest_database_is_built_if_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def built(_rules: object, entry: TableEntry, _directory: object) -> NoReturn:
        raise MissingTableError(entry.name, [], build_in="", built_by="", effort="")

    monkeypatch.setattr("cubesolve.store.build.built", built)
    with pytest.raises(MissingTableError, match="rubik-qtm-small"):
        open_tablebase(tmp_path / "none").bounds([RubikCube.solved()], metric="qtm")


def test_bounds_in_quarter_turns_are_odd_or_even_as_the_distance_is(with_tables: Tablebase) -> None:
    source, steps = random.Random(8), [each for each in rubik_oracle.FACE_TURNS if "2" not in each]
    walks = [source.choices(steps, k=length) for length in range(14) for _ in range(30)]
    cubes = [RubikCube.from_alg(" ".join(walk)).apply(source.choice(["", "x y'"])) for walk in walks]
    found = with_tables.bounds(_rows(cubes), metric="qtm")
    for walk, bounds in zip(walks, found.astype(int), strict=True):
        assert set(bounds % 2) == {len(walk) % 2}
        assert bounds.max() <= len(walk)
    for cube, bounds in list(zip(cubes, found, strict=True))[:200:20]:
        assert bounds.max() <= with_tables.depth(cube, metric="qtm")
    masked = with_tables.bounds([cubes[1], "no cube"], metric="qtm", invalid="mask")
    assert masked[1].tolist() == [255] * 6


def test_which_axes_bounds_are_of(with_tables: Tablebase) -> None:
    """Quarter turns about an axis, and half turns, keep the bounds along this axis."""
    for axis, alg in enumerate(("U D' R2 U F2", "F B' R2 F U2", "R L' U2 R F2")):
        bounds = with_tables.bounds([RubikCube.from_alg(alg)])[0].tolist()
        assert bounds[axis] == bounds[3 + axis] == 0
        assert bounds.count(0) == 2

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from cubesolve import InvalidStateError, PocketCube, lookup, open_tablebase
from cubesolve.catalog.pocket import cube as pocket
from cubesolve.catalog.pocket.facelets import read_facelets
from cubesolve.catalog.rolling.model import Shape, model_named
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.definition.facelets import cube_rotations
from cubesolve.spaces import batches
from cubesolve.spaces.batches import SMALL
from tests.processes import run_python
from tests.strategies import examples

ORIENTATIONS = sorted(cube_rotations().values())
Rows = NDArray[np.uint8]
QUESTIONS: Any = (lookup.depths, lookup.solve_batch, lookup.optimal_moves_batch, lookup.count_solutions_batch)


def mixed_rows(number: int, seed: int) -> list[bytes]:
    """Cubes in all orientations, in face letters, in other letters, and in any six bytes."""
    rng = random.Random(seed)
    rows = []
    for i in range(number):
        cube = PocketCube.unrank(rng.randrange(pocket.STATES)).apply(ORIENTATIONS[i % 24])
        colours = [b"URFDLB", b"WRGYOB", bytes(rng.sample(range(256), 6)), bytes(rng.sample(b"URFDLB", 6))][i // 24 % 4]
        rows.append(cube.facelets.encode().translate(bytes.maketrans(b"URFDLB", colours)))
    return rows


def as_rows(facelets: list[bytes]) -> Rows:
    return np.frombuffer(b"".join(facelets), np.uint8).reshape(-1, 24)


def scalar(facelets: bytes, ask: Callable[[str], int], invalid: int) -> int:
    """Return the answer for one cube; bytes that `str` counts as white space are renamed in order."""
    text = facelets.decode("latin-1")
    if set(text) != set("URFDLB"):
        text = "".join(chr(0x2800 + value) for value in facelets)
    try:
        return ask(text)
    except InvalidStateError:
        return invalid


# -- The same as for one state ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [240, 1200])  # few, and so many that kernels are used
def test_facelets_in_every_holding_and_colouring(number: int) -> None:
    facelets = mixed_rows(number, seed=number)
    rows = as_rows(facelets)
    anchored = [scalar(row, pocket.reference_rank, -1) for row in facelets]
    assert -1 in anchored  # face letters arranged as in a mirror
    table = lookup.table("pocket-htm").body
    assert lookup.depths(rows, invalid="mask").tolist() == [255 if rank < 0 else table[rank] for rank in anchored]
    at_home = [scalar(row, lambda text: PocketCube(text).rank, -1) for row in facelets]
    assert lookup.ranks(rows, invalid="mask").tolist() == at_home
    as_text = np.array([row for row in facelets if row[-1]], "S24")  # text ends before a 0
    with_text = [rank for row, rank in zip(facelets, at_home, strict=True) if row[-1]]
    assert lookup.ranks(as_text, invalid="mask").tolist() == with_text


def test_batches_of_damaged_facelets_agree_with_single_ones() -> None:
    rng = random.Random(3)
    facelets = []
    for row in mixed_rows(250, seed=4):
        damaged = bytearray(row)
        i, j = rng.randrange(24), rng.randrange(24)
        damaged[i], damaged[j] = (damaged[j], damaged[i]) if rng.random() < 0.7 else (damaged[j], damaged[j])
        facelets.append(bytes(damaged))
    expected = [scalar(row, pocket.reference_rank, -1) for row in facelets]
    assert expected.count(-1) > 166
    assert read_facelets(as_rows(facelets)).tolist() == expected
    few = lookup.depths(as_rows(facelets[:SMALL]), invalid="mask")
    assert np.array_equal(few, lookup.depths(as_rows(facelets), invalid="mask")[:SMALL])


# -- How batches may be given ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [10, 3000])
def test_inputs_of_every_layout_are_left_alone(number: int) -> None:
    rows = lookup.facelets(lookup.sample(number, rng=1))
    expected = lookup.depths(rows)
    layouts: list[NDArray[Any]] = [
        np.asfortranarray(rows),
        np.repeat(rows, 2, axis=0)[::2],
        np.repeat(rows, 2, axis=1)[:, ::2],
        rows[::-1][::-1],
        rows.view("S24")[:, 0],
        np.repeat(rows.view("S24")[:, 0], 5)[::5],
    ]
    for given_rows in layouts:
        given_rows.flags.writeable = False
        before = given_rows.copy()
        assert np.array_equal(lookup.depths(given_rows), expected)
        assert np.array_equal(lookup.depths(given_rows, workers=3), expected)
        assert np.array_equal(given_rows, before)


def test_empty_and_single() -> None:
    empties: list[Any] = [[], np.empty(0, np.int32), np.empty((0, 24), np.uint8), np.empty(0, "S24")]
    for empty in empties:
        assert lookup.depths(empty).shape == (0,)
        if not isinstance(empty, list):  # which could be meant as one of any puzzle
            assert lookup.solve_batch(empty).moves.shape == (0, 11)
        assert lookup.optimal_moves_batch(empty, metric="qtm").shape == (0, 6)
        assert lookup.count_solutions_batch(empty).shape == (0,)
        assert lookup.ranks(empty).shape == (0,)
    assert lookup.facelets([]).shape == (0, 24)
    assert lookup.neighbors([]).shape == (0, 9)
    assert lookup.sample(0).shape == (0,)
    for single in (7, np.int8(7), np.array(7, ">u2"), lookup.facelets(7).tobytes()):
        assert lookup.depths(single).shape == ()
        assert int(lookup.depths(single)) == lookup.depth(PocketCube.unrank(7))
        assert lookup.solve_batch(single).moves.shape == (11,)
        assert lookup.optimal_moves_batch(single).shape == (9,)
    assert lookup.facelets(7).shape == (24,)
    assert lookup.neighbors(7).shape == (9,)
    assert lookup.depths(np.zeros((0, 3, 3), int), goal=(1, 1)).shape == (0,)


def test_ranks_that_change_meanwhile_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checked ranks are used, even if another thread changes the array as soon as they have been read."""
    ranks = np.arange(500)
    expected = [ask(ranks) for ask in QUESTIONS]
    read = batches.checked_ranks

    def read_and_change(given: NDArray[Any], states: int) -> NDArray[np.int64]:
        found = read(given, states)
        ranks[:] = 1 << 31
        return found

    monkeypatch.setattr(batches, "checked_ranks", read_and_change)
    for ask, right in zip(QUESTIONS, expected, strict=True):
        ranks[:] = np.arange(500)
        np.testing.assert_equal(ask(ranks), right)


def test_invalid_rows_can_be_masked() -> None:
    for number in (10, 3000):
        ranks = np.arange(number)
        ranks[[2, number - 1]] = -7, pocket.STATES
        wrong = (ranks < 0) | (ranks >= pocket.STATES)
        assert np.array_equal(lookup.depths(ranks, invalid="mask") == 255, wrong)
        moves, lengths = lookup.solve_batch(ranks, invalid="mask")
        assert (moves[wrong] == 255).all()
        assert np.array_equal(lengths == 255, wrong)
        assert not lookup.optimal_moves_batch(ranks, invalid="mask")[wrong].any()
        assert np.array_equal(lookup.count_solutions_batch(ranks, invalid="mask") == 0, wrong)
        assert (lookup.neighbors(ranks, invalid="mask")[wrong] == -1).all()
        assert np.array_equal(lookup.ranks(ranks, invalid="mask") == -1, wrong)
    trays = lookup.cells([131220] * 6, goal=(1, 1)).astype(np.int64)
    trays[range(5), [0, 4, 4, 4, 4]] = [0, 255, 6, -2, 3]
    assert lookup.depths(trays, goal=(1, 1), invalid="mask").tolist() == [255] * 5 + [0]
    signed = np.where(trays[5:] == 255, -1, trays[5:]).astype(np.int8).reshape(-1, 3, 3)
    assert lookup.depths(signed, goal=(1, 1)).tolist() == [0]


any_array = hnp.arrays(
    dtype=st.one_of(
        hnp.integer_dtypes(endianness="?"),
        hnp.unsigned_integer_dtypes(endianness="?"),
        hnp.floating_dtypes(endianness="?"),
        hnp.boolean_dtypes(),
        hnp.byte_string_dtypes(min_len=20, max_len=26),
        hnp.complex_number_dtypes(),
        hnp.datetime64_dtypes(),
    ),
    shape=st.one_of(
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=26),
        st.tuples(st.integers(0, 5), st.sampled_from([9, 24])),
    ),
)


def text_rank(text: bytes, *, at_home: bool) -> int:
    """The rank of a cube as text of any length, -1 if it is none."""
    try:
        cube = PocketCube(text)
    except InvalidStateError:
        return -1
    return cube.rank if at_home else cube.reference_rank


def ranks_one_by_one(given_batch: NDArray[Any], goal: tuple[int, int] | None, *, at_home: bool) -> list[int]:
    """Return the rank of each row of a batch by the scalar code, or -1."""
    if given_batch.ndim <= 1 and given_batch.dtype.kind in "iu":
        known = pocket.STATES if goal is None else Shape(3, 3).states(4)
        return [rank if 0 <= rank < known else -1 for rank in given_batch.ravel().tolist()]
    if goal is None:
        if given_batch.dtype.kind == "S" and given_batch.dtype.itemsize != 24:
            return [text_rank(text, at_home=at_home) for text in given_batch.ravel().tolist()]
        rows = given_batch.ravel() if given_batch.dtype.kind == "S" else given_batch.reshape(-1, 24)
        ask = (lambda text: PocketCube(text).rank) if at_home else pocket.reference_rank
        sound = [len(row) == 24 and all(0 <= value < 256 for value in row) for row in rows.tolist()]
        return [scalar(bytes(row), ask, -1) if fits else -1 for row, fits in zip(rows.tolist(), sound, strict=True)]
    names = {**dict(enumerate(model_named("axis").names)), -1: "E", 255: "E"}
    ranks = []
    for cells in given_batch.reshape(-1, 3, 3).tolist():
        try:
            tray = Tray("/".join(" ".join(names.get(cell, "?") for cell in row) for row in cells))
        except InvalidStateError:
            ranks.append(-1)
        else:
            ranks.append(tray.rank if tray.plus == Tray.start(goal).plus else -1)
    return ranks


@examples(200)
@given(any_array)
def test_no_array_makes_a_wrong_answer(given_batch: NDArray[Any]) -> None:
    before = given_batch.tobytes()
    for ask, blank in ((lookup.depths, 255), (lookup.count_solutions_batch, 0), (lookup.ranks, -1)):
        for goal in (None, (1, 1)):
            try:
                answers = ask(given_batch, goal=goal, invalid="mask")
            except ValueError as error:
                assert isinstance(error, InvalidStateError) or "3x3x3" in str(error)  # noqa: PT017  # it can be either
                continue
            if given_batch.size:
                ranks = ranks_one_by_one(given_batch, goal, at_home=ask == lookup.ranks)
                expected = [blank if rank < 0 else int(ask(rank, goal=goal)) for rank in ranks]
                assert answers.ravel().tolist() == expected
            else:
                assert not answers.size
    assert given_batch.tobytes() == before


def test_small_batches_do_not_wait_for_numba() -> None:
    code = """
import sys
from cubesolve import lookup
assert "numpy" not in sys.modules
import numpy as np
ranks = np.arange(1000)
facelets = lookup.facelets(ranks)
for batch in (ranks, facelets):
    lookup.depths(batch), lookup.solve_batch(batch), lookup.optimal_moves_batch(batch)
    lookup.count_solutions_batch(batch), lookup.ranks(batch)
lookup.neighbors(ranks), lookup.sample(1000, depth=8), lookup.table("pocket").as_array()
lookup.depths(lookup.cells(ranks, goal=(2, 1)), goal=(2, 1)), lookup.solve_batch(ranks, goal=(3, 2))
lookup.depths(np.arange(1_000_000))
print("numba" in sys.modules)
"""
    result = run_python(code, fresh=True)
    assert (result.stdout, result.stderr) == ("False\n", "")


def test_a_closed_tablebase_answers_no_more() -> None:
    with open_tablebase() as tables:
        whole = tables.table("pocket").as_array()
        assert tables.solution_counts("pyraminx-htm")[0] == 1
    for ask in (tables.depths, tables.solve_batch, tables.count_solutions_batch, tables.optimal_moves_batch):
        with pytest.raises(ValueError, match="closed"):
            ask([0])
    for metric in ("htm", "qtm"):
        with pytest.raises(ValueError, match="closed"):
            tables.depth(PocketCube.solved(), metric=metric)
    assert whole[0] == 0

from __future__ import annotations

import numpy as np
import pytest

from cubesolve.spaces import rows


def test_factors_are_those_that_numpy_draws() -> None:
    """Rows of spaces up to symmetry are in the order of their hashes, so tables that users have need these factors."""
    drawn = np.random.default_rng(20260601).integers(1 << 62, 1 << 63, (2, 4096), dtype=np.uint64)
    assert np.array_equal(rows._FACTORS, drawn | np.uint64(1))


@pytest.mark.parametrize("number", [1, 2, 3, 1000])
def test_rows_are_found_by_their_hashes(number: int) -> None:
    random = np.random.default_rng(number)
    known, others = np.split(np.unique(random.integers(0, 99, (2 * number, 20), dtype=np.uint8), axis=0), [number])
    order = random.permutation(number)
    asked = np.concatenate([known[order], others])
    expected = [*order.tolist(), *[-1] * len(others)]
    assert rows.RowIndex(known).find(asked).tolist() == expected
    assert rows.RowIndex(known).find(asked[:, None]).tolist() == [[each] for each in expected]


def test_rows_with_the_first_bits_of_their_hashes_in_common_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "hashed", lambda rows: rows[..., 0].astype(np.uint64))
    known = np.zeros((9, 30), np.uint8)
    known[:, 0], known[1:, 1:] = [7, 1, 3, 5, 0, 9, 8, 11, 13], np.random.default_rng(1).integers(0, 99, (8, 29))
    asked = known.copy()
    asked[0, 0], asked[1, 0] = 20, 2
    assert rows.RowIndex(known).find(asked).tolist() == [-1, -1, *range(2, 9)]

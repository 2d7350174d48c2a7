from __future__ import annotations

import numpy as np

from cubesolve.spaces import rows


def test_factors_are_those_that_numpy_draws() -> None:
    """Rows of spaces up to symmetry are in the order of their hashes, so tables that users have need these factors."""
    drawn = np.random.default_rng(20260601).integers(1 << 62, 1 << 63, (2, 4096), dtype=np.uint64)
    assert np.array_equal(rows._FACTORS, drawn | np.uint64(1))

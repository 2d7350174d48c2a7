"""What several modules of tests share: one browser, that of `tests.browser`, and kernels for small spaces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cubesolve.spaces import derive, space
from tests.browser import browser

__all__ = ["browser", "way"]


@pytest.fixture(scope="module", params=["numpy", "kernels"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Small spaces are left to numpy, as always, or to kernels, as only large ones are elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "kernels":
            patch.setattr(space, "SMALL_SPACE", 0)
            patch.setattr(derive, "FEW_NUMBERS", 0)
        yield request.param

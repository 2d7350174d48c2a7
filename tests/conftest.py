"""Fixtures of several test modules: the browser of `tests.browser`, and kernels for small spaces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cubesolve.spaces import derive, space
from tests.browser import browser

__all__ = ["browser", "way"]


@pytest.fixture(scope="module", params=["numpy", "kernels"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a test with numpy, which small spaces use, and with kernels, which large spaces use."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "kernels":
            patch.setattr(space, "SMALL_SPACE", 0)
            patch.setattr(derive, "FEW_NUMBERS", 0)
        yield request.param

"""Fixtures of several test modules: the browser of `tests.browser`, and kernels for small spaces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cubesolve import lookup
from cubesolve.spaces import derive, space
from cubesolve.store.tables import Tables
from tests.browser import browser

__all__ = ["browser", "nothing_open", "way"]


@pytest.fixture
def nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `lookup` open its tables again, whatever tests before have opened."""
    monkeypatch.setattr(lookup._default, "_tables", Tables(None))
    monkeypatch.setattr(lookup._default, "_puzzles", {})


@pytest.fixture(scope="module", params=["numpy", "kernels"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a test with numpy, which small spaces use, and with kernels, which large spaces use."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "kernels":
            patch.setattr(space, "SMALL_SPACE", 0)
            patch.setattr(derive, "FEW_NUMBERS", 0)
        yield request.param

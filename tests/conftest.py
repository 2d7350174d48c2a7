"""Fixtures of several test modules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cubesolve import Tablebase, lookup, open_tablebase
from cubesolve.spaces import derive, space
from cubesolve.store.tables import Tables
from tests.browser import browser
from tests.once import copy_two_phase

__all__ = ["browser", "nothing_open", "way", "with_tables", "without_tables"]


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


@pytest.fixture(scope="module")
def with_tables(rubik_tables: str) -> Tablebase:
    """Return a tablebase with the smallest pattern databases of the 3x3x3."""
    return open_tablebase(rubik_tables)


@pytest.fixture(scope="module")
def without_tables(tmp_path_factory: pytest.TempPathFactory) -> Tablebase:
    """Return a tablebase without pattern databases of the 3x3x3."""
    return open_tablebase(copy_two_phase(tmp_path_factory.mktemp("empty")))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that take longest, so that no worker is left with one in the end."""
    items.sort(key=lambda item: item.path.name not in {"test_matrix.py", "test_stages.py"})

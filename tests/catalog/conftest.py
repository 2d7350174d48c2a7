from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cubesolve.lookup import Tablebase, open_tablebase


@pytest.fixture(scope="session")
def tables(shared: Path) -> Iterator[Tablebase]:
    """Tables that are built on demand."""
    folder = shared / "catalog"
    folder.mkdir(exist_ok=True)
    with open_tablebase(folder) as tablebase:
        yield tablebase

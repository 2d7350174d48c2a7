"""Every test, and every example in the documentation, finds the default tables built and right."""

from __future__ import annotations

import pytest

from cubesolve import generate
from cubesolve.catalog import tables_named
from cubesolve.errors import TableError


@pytest.fixture(scope="session", autouse=True)
def _tables() -> None:
    for name in tables_named():
        try:
            generate.verify_table(name)
        except TableError:
            generate.build_table(name)

"""Every test, and every example in the documentation, finds the default tables built and right."""

from __future__ import annotations

import os

import pytest

from cubesolve import generate
from cubesolve.catalog import tables_named
from cubesolve.errors import TableError
from cubesolve.folders import CACHE_VARIABLE


@pytest.fixture(scope="session", autouse=True)
def _tables() -> None:
    for name in tables_named():
        try:
            generate.verify_table(name)
        except TableError:
            generate.build_table(name)


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ[CACHE_VARIABLE] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def rubik_tables(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with the smallest pattern databases of the 3x3x3."""
    folder = str(tmp_path_factory.mktemp("rubik"))
    for name in ("rubik-htm-small", "rubik-qtm-small"):
        generate.build_table(name, folder)
    return folder

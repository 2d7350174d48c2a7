"""Puzzles whose moves have no inverses: published growth, and tables; the matrix has their answers."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from cubesolve import puzzle
from tests.commands import printed

GROWTH = json.loads((Path(__file__).parent / "data" / "lx.json").read_text())
"""States at each distance in the graph that a cycle of n points and the exchange of two make, without inverses."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for files, beside that of the tables."""
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path / "tables"))
    (tmp_path / "tables").mkdir()
    return tmp_path


def _lx(folder: Path, points: int, what: str = "Monoid") -> str:
    """Return the path of a file with these moves."""
    text = f"L := ({','.join(map(str, range(points, 0, -1)))}); X := (1,2); {what}(L, X);"
    (path := folder / f"{what}.gap").write_text(text)
    return str(path)


@pytest.mark.parametrize("points", range(4, 10))
def test_the_published_growth(points: int, folder: Path) -> None:
    found, group = puzzle(_lx(folder, points)), _lx(folder, points, "Group")
    assert found.moves == ("L", "X")
    assert list(found.distribution()) == GROWTH["growth"][str(points)]
    assert puzzle(group, inverses=False).distribution() == found.distribution()
    assert len(puzzle(group).distribution()) < len(found.distribution())


@pytest.mark.usefixtures("folder")
def test_chosen_moves_of_a_cube_without_inverses() -> None:
    found = puzzle("pocket").restrict("R2 U", inverses=False)
    assert found.moves == ("R2", "U")
    assert found.rules.spoken == "pocket --moves 'R2 U' --no-inverses"
    assert pickle.loads(pickle.dumps(found.rules)).is_directed
    assert not found.restrict("R U").rules.is_directed


def test_tables_are_proved(folder: Path) -> None:
    path = _lx(folder, 5, "Group")
    printed("tables", "build", path, "--no-inverses")
    assert "proved right" in printed("tables", "verify", path, "--no-inverses")

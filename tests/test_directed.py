"""Puzzles whose moves have no inverses: published growth, and tables; the matrix has their answers."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from cubesolve import InvalidMoveError, puzzle
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


@pytest.mark.usefixtures("folder")
def test_what_is_not_chosen_again_stays() -> None:
    found = puzzle("pocket").restrict("R U2", "R=2", inverses=False).towards("first-layer")
    assert (found.restrict("U2").moves, found.restrict(cost="U2=3").rules.costs) == (("U2",), {"R": 2, "U2": 3})
    costly = puzzle("pocket").restrict(cost="R2=2 F=3").restrict("R U")
    assert (costly.states, costly.rules.costs) == (29160, {"R2": 2})
    assert costly.restrict(cost="R2=1 U=2").title == "2x2x2 pocket cube, R U alone, U=2"
    with pytest.raises(InvalidMoveError, match=r"'F' .* is not among its moves: expected R R2 R' U U2 U'"):
        costly.restrict("F")
    with pytest.raises(InvalidMoveError, match=r"\"R'\" .* is not among its moves: expected U R F D L B"):
        puzzle("pocket").restrict(inverses=False).restrict("R'")


def test_scrambles_begin_with_the_rotations_that_they_need(tmp_path: Path) -> None:
    """Without inverses, moves alone do not lead from the solved state to each of these."""
    sets, moves = "Set A 5 1\nSet B 3 1\nSolved\nA\n4 1 3 1 3\nB\n1 2 3\nEnd\n", "Move C\nA\n1 2 4 3 5\nB\n3 2 1\nEnd\n"
    turned = "Move B\nA\n5 2 3 4 1\nEnd\nMove x\nA\n3 1 5 4 2\nEnd\n"
    (tmp_path / "held.tws").write_text(sets + moves + turned)
    asked = puzzle(str(tmp_path / "held.tws")).restrict("B C", inverses=False)
    for depth, number in enumerate(asked.distribution()):
        for seed in range(6 if number else 0):
            assert asked.depth(asked.scramble(seed, depth=depth)) == depth


def test_tables_are_proved(folder: Path) -> None:
    path = _lx(folder, 5, "Group")
    printed("tables", "build", path, "--no-inverses")
    assert "proved right" in printed("tables", "verify", path, "--no-inverses")

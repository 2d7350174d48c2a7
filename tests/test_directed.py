"""Puzzles whose moves have no inverses, against dictionary breadth-first search and published growth."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from cubesolve import puzzle
from cubesolve.ask import Puzzle
from cubesolve.errors import TooLargeError
from cubesolve.spaces.defined import DerivedRules
from tests.commands import printed

GROWTH = json.loads((Path(__file__).parent / "data" / "lx.json").read_text())
"""States at each distance in the graph that a cycle of n points and the exchange of two make, without inverses."""


def _lx(points: int, what: str = "Monoid", alike: str = "") -> str:
    return f"L := ({','.join(map(str, range(points, 0, -1)))}); X := (1,2); {what}(L, X); {alike}"


FILES = {
    "lx.gap": _lx(5),
    "alike.gap": _lx(6, alike="ip := [[1,2,3],[4,5],[6]];"),
    "three.gap": "A := (1,2,3,4); B := (3,4,5,6,7); C := (1,5)(2,6); Semigroup(A, B, C);",
    "pairs.gap": "A := (1,2,3)(4,5,6); B := (1,4,7); ip := [[1,2],[4,7]]; Monoid(A, B);",
}


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path / "tables"))
    (tmp_path / "tables").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def _rules(found: Puzzle) -> DerivedRules:
    assert isinstance(found.rules, DerivedRules)
    return found.rules


@pytest.mark.parametrize("points", range(4, 10))
def test_the_published_growth(points: int, folder: Path) -> None:
    file = folder / "file.gap"
    file.write_text(_lx(points))
    found = puzzle(str(file))
    assert found.moves == ("L", "X")
    assert list(found.distribution()) == GROWTH["growth"][str(points)]
    file.write_text(_lx(points, "Group"))
    assert puzzle(str(file), inverses=False).distribution() == found.distribution()
    assert len(puzzle(str(file)).distribution()) < len(found.distribution())


@pytest.mark.parametrize("name", FILES)
def test_scrambles_have_no_inverses(name: str, folder: Path) -> None:
    found = puzzle(str(folder / name))
    assert set(found.scramble(1).split()) <= set(found.moves)
    with pytest.raises(ValueError, match=r"^length is not supported for puzzles whose moves have no inverses$"):
        found.scramble(1, length=5)


def test_chosen_moves_of_a_cube_without_inverses(folder: Path) -> None:
    assert folder
    found = puzzle("pocket").restrict("R2 U", inverses=False)
    assert found.moves == ("R2", "U")
    assert found.rules.spoken == "pocket --moves 'R2 U' --no-inverses"
    assert found.solve(puzzle("pocket").parse("U", "alg")) == "U U U"
    assert pickle.loads(pickle.dumps(found.rules)).is_directed
    assert not found.restrict("R U").rules.is_directed


def test_the_command_line(folder: Path) -> None:
    (folder / "group.gap").write_text(_lx(5, "Group"))
    printed("tables", "build", folder / "group.gap", "--no-inverses")
    assert printed("tables", "verify", folder / "group.gap", "--no-inverses")
    assert "11" in printed("tables", "distribution", "--puzzle", folder / "group.gap", "--no-inverses")


def test_blocked_moves_keep_their_inverses() -> None:
    with pytest.raises(ValueError, match=r"^moves without inverses are not supported for .*: they are not always"):
        puzzle("tiles-2x3").restrict(inverses=False)
    with pytest.raises(ValueError, match="is not supported"):
        puzzle("rolling").restrict(inverses=False)


def test_more_states_than_there_are_bytes_for_are_refused(folder: Path) -> None:
    """Two bits per state need depths of neighbours that differ by at most one, unlike here."""
    (folder / "large.gap").write_text(_lx(13))
    found = puzzle(str(folder / "large.gap"))
    message = r"^there are 6,227,020,800 states, more than can be enumerated: at most 1,073,741,824;"
    with pytest.raises(TooLargeError, match=message):
        found.distribution()

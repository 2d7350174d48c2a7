"""Puzzles whose moves have no inverses, against dictionary breadth-first search and published growth."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from pathlib import Path
from typing import cast

import pytest

from cubesolve import puzzle
from cubesolve.ask import Puzzle
from cubesolve.definition.definition import Power
from cubesolve.definition.piece_view import PieceView
from cubesolve.errors import TooLargeError
from cubesolve.group.permutations import Arrangement, after, inverse
from cubesolve.solvers import derived
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.tables import AT_ONCE
from tests.commands import printed
from tests.distances import distances

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


@pytest.mark.parametrize(
    ("name", "at_once"), [*((name, AT_ONCE) for name in FILES), *((name, 10) for name in [*FILES][:3])]
)
def test_depths_are_distances_to_the_solved_state(
    name: str, at_once: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are in a table, or searched for."""
    monkeypatch.setattr(derived, "AT_ONCE", at_once)
    found = puzzle(str(folder / name))
    rules = _rules(found)
    solved = rules.definition.solved[0]
    backs = [inverse(move.effects[0].sources) for move in rules.graph().definition_moves]
    depths = distances([solved], lambda state: (after(state, back) for back in backs))
    states = {rules.labelling.state(place): depth for place, depth in depths.items()}
    for state in random.Random(1).sample([*states], min(20, len(states))):
        solution = found.solve(state)
        assert found.depth(state) == len(solution.split()) == states[state]
        assert set(solution.split()) <= set(found.moves)
        assert state.apply(str(solution)) == rules.labelling.state(solved)
    if at_once > 10:
        assert found.states == len(depths)
        assert list(found.distribution()) == [*Counter(depths.values()).values()]
        assert list(found.depths([*states])) == [*states.values()]


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


ROTATED = {
    "an exchange with a piece without orientation": (
        "Set B 4 2\nSolved\nB\n1 2 3 4\n0 ? 0 ?\nEnd\nMove MA\nB\n1 3 4 2\nEnd\n"
        "Move MD\nB\n3 2 4 1\nEnd\nMove y\nB\n2 1 3 4\nEnd",
        (1, 2, 4, 4, 1),
    ),
    "three orientations": (
        "Set B 4 3\nSolved\nB\n1 2 3 4\n0 0 ? ?\nEnd\nMove MA\nB\n1 3 4 2\n0 1 0 2\nEnd\n"
        "Move MB\nB\n3 2 4 1\n1 0 0 2\nEnd\nMove y\nB\n2 1 3 4\nEnd",
        None,
    ),
}


@pytest.mark.parametrize("name", ROTATED)
def test_states_that_differ_by_a_rotation_are_one(name: str, tmp_path: Path) -> None:
    text, published = ROTATED[name]
    (tmp_path / "rotated.tws").write_text(text)
    found = puzzle(str(tmp_path / "rotated.tws"), inverses=False)
    assert isinstance(found.rules, DerivedRules)
    definition, view = found.rules.definition, cast("PieceView", found.rules.view)
    solved, turn = definition.solved[0], definition.effects(Power("y"))[0].sources

    def home(state: Arrangement) -> Arrangement:
        return min(state, after(state, turn))

    back = [inverse(move.effects[0].sources) for move in definition.moves()]
    depths = distances([home(solved)], lambda state: (home(after(state, change)) for change in back))
    counts = tuple(Counter(depths.values()).values())
    assert published in {None, counts}
    assert found.distribution() == found.distribution(count=True) == counts
    assert found.distribution(levels=len(counts) - 1) == counts
    for state, distance in depths.items():
        alg = found.solve(view.state(state))
        assert home(definition.apply(state, definition.parse(alg))) == home(solved)
        assert len(alg.split()) == found.depth(view.state(state)) == distance

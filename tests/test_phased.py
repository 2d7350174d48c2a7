"""Questions about puzzles with phases: accepted solutions, limits, and the file of tables."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cubesolve import puzzle
from cubesolve.definition.definition import Definition
from cubesolve.definition.phases import Coordinate, Phase
from cubesolve.errors import CorruptTableError, SearchLimitError, UnsupportedTableError
from cubesolve.search.phased import PhasedRules, PinnedPhases
from cubesolve.solvers.phased import PhasedSolver
from cubesolve.store import build
from cubesolve.store.tables import Tables

IVY: Any = puzzle("ivy")


def phases(definition: Definition) -> Sequence[Phase]:
    """Two phases of the Ivy cube: the leaf of U and two others, then the rest with two moves."""
    first, rest = Coordinate.of({12, 13, 14}), Coordinate.of(range(12))
    leaves = Coordinate.of(range(12, 18))
    return [Phase.of(definition, "R L D B", [first], [(0,)]), Phase.of(definition, "R L D B", [rest, leaves], [(0, 1)])]


def ivy(pinned: PinnedPhases | None = None) -> PhasedRules:
    return PhasedRules(IVY.rules.view, phases, usual_length=20, pinned_phases=pinned)


@pytest.fixture(scope="module")
def solver(tmp_path_factory: pytest.TempPathFactory) -> PhasedSolver:
    return PhasedSolver(ivy(), Tables(str(tmp_path_factory.mktemp("ivy"))))


def test_solutions_get_shorter_until_one_is_accepted(solver: PhasedSolver) -> None:
    source = random.Random(7)
    for _ in range(5):
        state = solver.random_state(source)
        depth = IVY.depth(str(state))
        found = list(solver.improvements(state))
        assert found[-1].length == found[-1].at_least == depth
        assert all(one.length > other.length for one, other in itertools.pairwise(found))
        for more in range(4):
            solution = solver.solve(state, within=more)
            assert depth <= solution.length <= depth + more
            assert solution.at_least == depth
            assert solver.rules.view.after(state, solution).is_solved
        assert solver.solve(state, max_length=depth).length == depth
        with pytest.raises(SearchLimitError, match=f"at least {depth} moves"):
            solver.solve(state, max_length=depth - 1)
        with pytest.raises(SearchLimitError, match=f"in {depth - 1} moves"):
            solver.solve(state, within=9, max_depth=depth - 1)
    with pytest.raises(ValueError, match="cannot be combined"):
        solver.solve(state, within=1, max_length=9)


def test_scrambles_with_acceptance(solver: PhasedSolver) -> None:
    drawn, source = random.Random(3), random.Random(3)
    accepted: Sequence[dict[str, Any]] = ({}, {"within": 1}, {"max_length": 9})
    for acceptance in accepted:
        state, scramble = solver.random_state(drawn), solver.scramble(source, **acceptance)
        assert solver.rules.view.after(state, solver.rules.view.invert(scramble)).is_solved
        assert len(scramble.split()) <= IVY.depth(str(state)) + acceptance.get("within", 9)


def test_the_table_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = ivy().prepared_phases()
    rules = ivy(PinnedPhases(len(body), hashlib.sha256(body).hexdigest(), "a moment"))
    entry = rules.phases_entry
    assert entry is not None
    assert [each.name for each in rules.tables()] == ["ivy-phases"]
    monkeypatch.setattr(PhasedSolver, "has_table", lambda *_: False)  # which would answer
    made = PhasedSolver(rules, Tables(str(tmp_path))).solve("R L D", max_length=20)
    path = Path(build.verify(rules, entry, str(tmp_path)))
    assert path.parent == tmp_path
    monkeypatch.setattr(PhasedRules, "prepared_phases", lambda _: body[:-1])
    assert PhasedSolver(rules, Tables(str(tmp_path))).solve("R L D", max_length=20) == made
    with pytest.raises(CorruptTableError, match="do not match the moves"):
        build.verify(rules, entry, str(tmp_path))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(CorruptTableError):
        PhasedSolver(rules, Tables(str(tmp_path))).solve("R L D", max_length=20)
    other = ivy(PinnedPhases(len(body) + 8, hashlib.sha256(body).hexdigest(), "a moment"))
    with pytest.raises((CorruptTableError, UnsupportedTableError)):
        PhasedSolver(other, Tables(str(tmp_path))).solve("R L D", max_length=20)

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from cubesolve.catalog.rubik import cosets
from cubesolve.catalog.rubik.coset_coordinates import SUBGROUPS
from cubesolve.catalog.rubik.coset_kernels import count_pages, pass_moves
from cubesolve.catalog.rubik.cosets import CosetSolver
from cubesolve.catalog.rubik.cube import Cubies, RubikCube, turn_cubies
from cubesolve.errors import InvalidStateError
from tests.patience import PATIENCE
from tests.processes import ROOT

HOME = RubikCube.solved().cubies
FAR = RubikCube.from_alg("R U2 F' R2 U F R' U' F2 R F").cubies


@pytest.fixture(scope="module")
def urf() -> CosetSolver:
    return CosetSolver("urf")


def depths(name: str, moves: int) -> dict[Cubies, int]:
    """The cubes within some moves, breadth-first."""
    turns = [turn_cubies(move) for move in SUBGROUPS[name].moves]
    found, newest = {HOME: 0}, [HOME]
    for depth in range(1, moves + 1):
        after = {cube.then(turn) for cube, turn in itertools.product(newest, turns)} - found.keys()
        found |= dict.fromkeys(after, depth)
        newest = list(after)
    return found


def coset_of(cube: Cubies, *, slices: bool) -> object:
    at_slice = [edge >= 8 for edge in cube.edges] if slices else []
    return cube.twists, cube.flips, tuple(at_slice)


def check_all(solver: CosetSolver, name: str, moves: int, count: int) -> None:
    """The bits set are those of the cubes that a breadth-first search finds in a coset."""
    groups: defaultdict[object, dict[Cubies, int]] = defaultdict(dict)
    for cube, depth in depths(name, moves).items():
        groups[coset_of(cube, slices=name == "kociemba")][cube] = depth
    for group in [next(iter(groups.values())), *random.Random(1).sample(list(groups.values()), count)]:
        for level in itertools.islice(solver.levels(random.Random(2).choice(list(group)), moves), moves + 1):
            assert level.reached == sum(depth <= level.depth for depth in group.values())
            assert all(solver.is_reached(cube) == (depth <= level.depth) for cube, depth in group.items())


def test_sizes(urf: CosetSolver) -> None:
    assert (urf.cubes, urf.cosets) == (914_457_600, 186_624)
    assert urf.cubes * urf.cosets == 170_659_735_142_400


@pytest.mark.exhaustive
def test_cubes_within_some_moves(urf: CosetSolver) -> None:
    check_all(urf, "urf", 3, 2)


@pytest.mark.exhaustive
def test_passes_find_the_same_cubes(urf: CosetSolver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cosets, "_PASS_FROM", urf.cubes)
    check_all(urf, "urf", 3, 1)


@pytest.mark.exhaustive
def test_more_cubes_within_more_moves(urf: CosetSolver, monkeypatch: pytest.MonkeyPatch) -> None:
    check_all(urf, "urf", 6, 60)
    monkeypatch.setattr(cosets, "_PASS_FROM", urf.cubes)
    check_all(urf, "urf", 6, 30)


def check_pass(solver: CosetSolver, share: float, full: float) -> None:
    """A pass sets the bits of all cubes that a move of the subgroup leads to from one whose bit is set."""
    coordinates, source = solver._coordinates, np.random.default_rng(5)
    old, new, pages = solver._before, solver._bits, range(7, 10)
    for page in {*pages, *coordinates.pass_tables.pages[:, pages].reshape(-1).tolist()}:
        old[page] = (source.random((old.shape[1], 12)) < share) @ (1 << np.arange(12))
    for page in pages:
        old[page, source.random(old.shape[1]) < full] = (1 << 12) - 1
    counts = np.zeros(len(old), np.uint32)
    assert count_pages(old, counts, 0, len(old)) == counts.sum()
    pass_moves(coordinates.pass_tables, old, new, counts, pages.start, pages.stop)
    inside = [turn_cubies(coordinates.subgroup.moves[m]) for m in coordinates.inside]
    seen = set()
    for _ in range(100):
        page = int(source.choice(pages))
        place = page, int(source.choice(np.flatnonzero(old[page] < (1 << 12) - 1))), int(source.integers(12))
        cube = solver._cubies_at(*place)
        assert solver._place(coordinates.root(cube)) == place
        before = [solver._place(coordinates.root(cube.then(turn))) for turn in inside]
        expected = any(old[page, word] >> bit & 1 for page, word, bit in [place, *before])
        assert new[place[:2]] >> place[2] & 1 == expected
        seen.add(expected)
    assert seen == {False, True}


DENSITIES = [(0.005, 0.0), (0.2, 0.0), (0.2, 0.99)]
"""The share of bits that are set, and of words of the new pages that are full: each of the ways of a pass."""


@pytest.mark.parametrize(("share", "full"), DENSITIES)
def test_a_pass_over_any_bits(urf: CosetSolver, share: float, full: float) -> None:
    check_pass(urf, share, full)


def test_numbers_of_cosets(urf: CosetSolver) -> None:
    assert urf.number(HOME) == urf.number(RubikCube.from_alg("U R2 F2 U'").cubies) == 0
    numbers = random.Random(3).sample(range(urf.cosets), 20)
    assert [urf.number(urf.representative(number)) for number in numbers] == numbers
    assert len(set(map(urf.number, depths("urf", 2)))) == len(
        {coset_of(cube, slices=False) for cube in depths("urf", 2)}
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(("moves", "most"), [(1, 33_000), (2, 9_000), (5, 150)])
def test_cosets_near_all_others(urf: CosetSolver, moves: int, most: int) -> None:
    chosen = set(urf.covering(moves))
    assert len(chosen) < most
    turns = [turn_cubies(move) for move in SUBGROUPS["urf"].moves]
    for number in random.Random(2).sample(range(urf.cosets), 300 // 3**moves):
        cubes = {urf.representative(number)}
        for _ in range(moves):
            cubes |= {cube.then(turn) for cube, turn in itertools.product(cubes, turns)}
        assert not chosen.isdisjoint(map(urf.number, cubes))


@pytest.mark.exhaustive
def test_cubes_that_are_left(urf: CosetSolver) -> None:
    for _ in itertools.islice(urf.levels(FAR, 9), 10):
        pass
    left = urf.left(50)
    assert len(set(left)) == 50
    assert not any(urf.is_reached(cube) for cube in left)


def test_cubes_of_no_coset_or_another(urf: CosetSolver) -> None:
    with pytest.raises(InvalidStateError, match="turns of U R F do not solve this cube"):
        next(urf.levels(RubikCube.from_alg("L").cubies, 1))
    next(urf.levels(HOME, 0))
    with pytest.raises(InvalidStateError, match="another coset"):
        urf.is_reached(RubikCube.from_alg("R").cubies)
    with pytest.raises(ValueError, match="no such subgroup: thistlethwaite"):
        CosetSolver("thistlethwaite")


def depth_by_coset(solver: CosetSolver, cube: Cubies) -> int:
    return next(level.depth for level in solver.levels(cube, 16) if solver.is_reached(cube))


@pytest.mark.exhaustive
def test_a_cube_and_its_inverse(urf: CosetSolver) -> None:
    # They are in different cosets, and have the same depth.
    source, moves, found = random.Random(4), SUBGROUPS["urf"].moves, list[int]()
    for _ in range(6):
        cube = RubikCube.from_alg(source.choices(moves, k=24)).cubies
        found.append(depth_by_coset(urf, cube))
        assert depth_by_coset(urf, cube.inverse()) == found[-1]
    assert max(found) >= 14


@pytest.mark.exhaustive
def test_a_whole_coset(urf: CosetSolver) -> None:
    levels = list(urf.levels(FAR, 15))
    assert [level.depth for level in levels] == list(range(25))
    assert [level.searched for level in levels] == [True] * 16 + [False] * 9
    assert [level.reached for level in levels[8:14]] == [16, 117, 710, 4_503, 27_419, 164_887]
    assert levels[-1].reached == urf.cubes
    assert urf.left(1) == []


@pytest.mark.exhaustive
def test_cosets_of_kociemba() -> None:
    solver = CosetSolver("kociemba")
    assert (solver.cubes, solver.cosets) == (19_508_428_800, 2_217_093_120)
    check_all(solver, "kociemba", 4, 2)
    for share, full in DENSITIES:
        check_pass(solver, share, full)


@pytest.mark.exhaustive
def test_a_run_goes_on(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "scripts" / "cosets.py"), "urf", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, cwd=ROOT)

    file = tmp_path / "cosets.csv"
    two = ["--cosets", "1-2", "--search-to", "13", "--out", str(file)]
    first = run(*two)
    assert first.returncode == 0, first.stderr
    written = file.read_text()
    assert len(written.splitlines()) == 3
    file.write_text(written[:-5])
    second = run(*two)
    assert second.returncode == 0, second.stderr
    assert second.stderr.count("at most") == 1
    assert file.read_text() == written
    assert second.stdout.startswith("2 cosets, and the moves in which all of their cubes are solved: ")
    assert run(*two, "--at-most", "30").returncode == 0
    assert file.read_text() == written
    again = run(*two, "--at-most", str(max(int(line.split(",")[2]) for line in written.splitlines()[1:]) - 1))
    assert again.returncode == 0, again.stderr
    assert file.read_text().startswith(written)
    assert ",14," in file.read_text()[len(written) :]
    file.write_text("something else\n")
    assert "is not a file of this script" in run(*two).stderr
    assert file.read_text() == "something else\n"
    assert "--cosets goes with urf" in run("R", "--cosets", "1-2").stderr
    assert "expected two numbers" in run("--cosets", "2-1").stderr

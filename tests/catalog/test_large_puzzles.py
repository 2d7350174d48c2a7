"""Cubes of four to seven layers, and dodecahedra: states read and written, published numbers of states."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from typing import Any

import pytest

from cubesolve import puzzle
from cubesolve.catalog import rules_named
from cubesolve.catalog.nxnxn import phases
from cubesolve.definition.facelets import turn
from cubesolve.definition.notation import FACES, FaceTurn
from cubesolve.picture.vectors import NORMALS
from tests.chance import agrees, is_odd
from tests.definitions.samples import rules_of

CUBES = ("4x4x4", "5x5x5", "6x6x6", "7x7x7")


def view(name: str) -> Any:
    return rules_named(name).view


def test_numbers_of_states() -> None:
    wings, centres = math.factorial(24), math.factorial(24) // math.factorial(4) ** 6
    corners, edges = math.factorial(8) * 3**7, math.factorial(12) * 2**11
    assert rules_of("4x4x4").number_of_states == corners // 24 * wings * centres
    assert rules_of("5x5x5").number_of_states == corners * edges // 2 * wings * centres**2
    assert rules_of("6x6x6").number_of_states == corners // 24 * wings**2 * centres**4
    assert rules_of("7x7x7").number_of_states == corners * edges // 2 * wings**2 * centres**6
    corners = math.factorial(20) // 2 * 3**19
    assert rules_of("megaminx").number_of_states == corners * math.factorial(30) // 2 * 2**29
    assert rules_of("kilominx").number_of_states == corners // 60
    # Even permutations of corners and of edges, an even number of turned corners, and twelve orientations as a whole.
    corners, edges = math.factorial(6) // 2 * 2**5, math.factorial(12) // 2
    centres = math.factorial(12) // math.factorial(3) ** 4
    assert rules_of("fto").number_of_states == corners * edges * centres**2 // 12


@pytest.mark.parametrize("name", [*CUBES, "megaminx", "kilominx"])
def test_states_are_read_and_written(name: str) -> None:
    shown, rng, definition = view(name), random.Random(name), rules_of(name).definition
    moves = [move + power for move in (*definition.generators, *definition.rotations) for power in ("", "2", "'")]
    for _ in range(3):
        state = shown.read(" ".join(rng.choices(moves, k=30)))
        for form in shown.forms.values():
            assert form.write is None or form.read(form.write(state)) == state
        assert shown.read(str(state)) == state


@pytest.mark.parametrize("name", CUBES)
def test_facelets_turn_as_those_of_any_cube(name: str) -> None:
    shown, rng = view(name), random.Random(name)
    letters = [*FACES, *(f"{face}w" for face in FACES), *"xyz"]
    moves = [FaceTurn(rng.choice(letters), rng.randrange(1, 4)) for _ in range(30)]
    facelets = "".join(face * shown.size**2 for face in FACES)
    state = shown.read(" ".join(map(str, moves)))
    assert shown.facelets(state) == turn(shown.size, facelets, moves)
    assert shown.read(shown.facelets(state)) == state


@pytest.mark.parametrize(("alg", "same"), [("3Rw", "L x"), ("3Uw2", "D2 y2"), ("3Fw'", "B' z'"), ("Rw", "Lw x")])
def test_wide_moves_and_rotations(alg: str, same: str) -> None:
    assert view("4x4x4").read(alg) == view("4x4x4").read(same)


@pytest.mark.parametrize("name", CUBES)
def test_inner_slices(name: str) -> None:
    shown = view(name)
    size, opposites = shown.size, dict(zip("URFDLB", "DLBURF", strict=True))
    for face, other in opposites.items():
        wide = ["", face, *(f"{layers}{face}w".replace("2", "", layers == 2) for layers in range(2, size))]
        for first, last in itertools.combinations_with_replacement(range(2, size), 2):
            written = (f"{first}{face}", f"{size + 1 - first}{other}'")
            if first < last:
                written = (f"{first}-{last}{face}w", f"{size + 1 - last}-{size + 1 - first}{other}w'")
            made = shown.read(f"{wide[last]} ({wide[first - 1]})'")
            assert [shown.read(alg) for alg in written] == [made, made]
            layers = shown.motion(made, written[0]).beyond
            heights = [size / 2 - layer + 0.5 for layer in range(1, size + 1)]
            x, y, z = NORMALS[face]
            points = [(height * x, height * y, height * z) for height in heights]
            turned = [all(plane.height(point) > 0 for plane in layers) for point in points]
            assert turned == [first <= layer <= last for layer in range(1, size + 1)]


def test_inner_slices_are_moves() -> None:
    cube = puzzle("4x4x4").restrict("2R U")
    assert cube.moves == ("2R", "2R2", "2R'", "U", "U2", "U'")
    assert cube.solve("U' Rw' R") == "2R U"
    assert puzzle("6x6x6").restrict("2-3Rw U").depth("3Rw R' U2") == 2
    assert puzzle("4x4x4").depth("2R U") == 3
    assert puzzle("4x4x4").rules.view.invert("2R2 2-3Fw 3U'") == "3U 2-3Fw' 2R2"


def test_near_states_are_solved_without_tables() -> None:
    assert puzzle("megaminx").depth("R++ U") == 2
    assert puzzle("kilominx").solve("U F'") == "F U'"


def test_short_solutions_are_as_long_as_their_metric_says() -> None:
    state = puzzle("4x4x4").random_state(1)
    alg = puzzle("4x4x4").solve(state, metric="qtm", max_length=100)
    assert {move.rstrip("'") for move in alg.moves} <= {*"URFDLB", "Uw", "Rw", "Fw", "Dw", "Lw", "Bw"}
    assert len(alg.moves) == alg.length <= 100
    assert alg.start.apply(alg).is_solved
    assert puzzle("4x4x4").solve("R2 U", metric="qtm", max_length=100) == "U' R R"


def test_both_bounds_are_narrowed_without_a_time_limit() -> None:
    """The first solutions have some 30 moves, and an optimal one is found in a second."""
    kilominx = puzzle("kilominx")
    corners = {"CORNERS": {"pieces": [*range(6), *[None] * 14], "orientation": [*[0] * 6, *[None] * 14]}}
    alg = kilominx.towards(corners).solve(kilominx.random_state(7), within=2)
    assert (alg.length, alg.at_least) == (7, 7)


@pytest.mark.parametrize(("name", "metric"), [("4x4x4", "qtm"), ("5x5x5", "htm"), ("kilominx", "qtm")])
def test_a_target_is_reached_from_afar(name: str, metric: str) -> None:
    """The centres of the two 5x5x5 are those of different orientations."""
    state, target = (puzzle(name).random_state(seed) for seed in (7, 8))
    alg = puzzle(name).solve(state, target, metric=metric, max_length=300)
    assert state.apply(alg) == target
    assert len([move for move in alg.moves if not alg.rules.view.is_free(move)]) == alg.length
    assert metric == "htm" or not any("2" in move for move in alg.moves)


def test_random_states_of_the_4x4x4_are_uniform() -> None:
    solver, source = puzzle("4x4x4"), random.Random(2026)
    states = [solver.random_state(source).pattern for _ in range(400)]
    corners, wings, centres = ([state[orbit] for state in states] for orbit in states[0])
    # One corner is always at home, which determines the orientation of the puzzle.
    (home,) = (place for place in range(8) if all(state["pieces"][place] == place for state in corners))
    for place in set(range(8)) - {home}:
        seen = Counter((state["pieces"][place], state["orientation"][place]) for state in corners)
        others = [(piece, turned) for piece in set(range(8)) - {home} for turned in range(3)]
        assert agrees(seen, dict.fromkeys(others, 1 / 21))
    for place in range(24):
        assert agrees(Counter(state["pieces"][place] for state in wings), dict.fromkeys(range(24), 1 / 24))
        assert agrees(Counter(state["pieces"][place] // 4 for state in centres), dict.fromkeys(range(6), 1 / 6))
    signs = Counter((is_odd(one["pieces"]), is_odd(other["pieces"])) for one, other in zip(corners, wings, strict=True))
    assert agrees(signs, dict.fromkeys([(False, False), (False, True), (True, False), (True, True)], 1 / 4))


def test_phases_keep_pairs_apart() -> None:
    rules: Any = rules_named("4x4x4")
    sign = phases(rules.definition)[2].coordinates[0]
    wings = [pair for pair in sign.classes if len(pair) == 2]
    assert len(wings) == 12
    assert all(len(pair & (sign.points or set())) == 1 for pair in wings)

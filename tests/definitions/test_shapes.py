"""The positions of stickers in space agree with the moves, for every solid puzzle."""

from __future__ import annotations

import functools
import random
from collections import Counter
from typing import Any

import pytest

from cubesolve.catalog import names, rules_named
from cubesolve.definition.notation import LETTERS
from cubesolve.picture.pictures import EMPTY
from cubesolve.picture.scenes import Plane, Point, Scene, brick, divided, middle
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.variants import restricted, towards
from tests.scenes import corners, scene_after, stickers
from tests.subsets import later, only

STICKERS = {
    "pocket": 24, "rubik": 54, "dino": 24, "domino": 42, "floppy": 30, "fto": 72, "pyraminx": 24, "pyraminx-tips": 36,
    "pyramorphix": 16, "skewb": 30, "skewb-diamond": 32, "tower": 32, "4x4x4": 96, "5x5x5": 150,
    "6x6x6": 216, "7x7x7": 294, "megaminx": 132, "kilominx": 132,
}  # fmt: skip
"""How many stickers each of these has, those of the Kilominx with what is dark."""

FACES = {
    "pyraminx": 4, "pyraminx-tips": 4, "pyramorphix": 4, "skewb-diamond": 8, "fto": 8, "megaminx": 12, "kilominx": 12,
}  # fmt: skip
"""How many faces those have that are no cubes."""

NAMED = only({"pocket", "floppy", "pyraminx", "pyramorphix", "skewb", "skewb-diamond", "fto", "kilominx"}, STICKERS)

NOWHERE = {"ivy", "pancake", "pyraminx-duo", "rolling", "tiles", "topspin"}
"""What has curved cuts, or none; rolling cubes are asked about below."""

ELSEWHERE = {
    "clock": ("UR1+ DR2+ DL3+ UL4+ U5+ y2 R1- D2- L3- ALL4-", "UR3+ y2 \\5- ALL6+ ur0+ y2 D1-", 92),
    "square1": ("", "(-5,0) / (5,0) / (3,3) / (1,2) / (-2,0) / (-4,-2) / (-3,2) /", 46),
}
"""What has dials, or changes its shape: an alg, the moves after it, and the number of stickers."""


def solved(rules: Rules) -> Any:
    return rules.view.solved(None)


def seen(rules: Rules, state: Any) -> Scene:
    scene = rules.view.scene(state)
    assert scene
    return scene


def moves(rules: Rules) -> list[str]:
    if isinstance(rules, DerivedRules):
        turns = [move.name for move in rules.definition.moves()]
        return [*turns, *rules.definition.rotations]
    letters = LETTERS if rules.name == "rubik" else "URFDLBxyz"
    return [letter + amount for letter in letters for amount in ("", "2", "'")]


@pytest.mark.exhaustive
@pytest.mark.parametrize("most", [100, later(1000)])
def test_every_puzzle_is_listed(most: int) -> None:
    shapes = {name: rules_named(name) for name in names() if name != "rolling" and STICKERS.get(name, 0) <= most}
    in_space = {name for name, rules in shapes.items() if rules.view.scene(solved(rules))}
    assert in_space == ELSEWHERE.keys() | {name for name, number in STICKERS.items() if number <= most}
    in_space |= set(STICKERS)
    assert {name.split("-")[0] if name != "pyraminx-duo" else name for name in set(names()) - in_space} == NOWHERE


@pytest.mark.parametrize("name", only({"pocket", "floppy", "pyraminx", "pyramorphix", "skewb"}, STICKERS))
def test_turning_in_space_is_what_moves_do(name: str) -> None:
    rules, rng = rules_named(name), random.Random(name)
    state = solved(rules)
    for move in rng.sample(moves(rules), min(len(moves(rules)), 20 if STICKERS[name] < 60 else 4)):
        state = after_turning(rules, state, move)


@pytest.mark.parametrize("name", ["square1", later("clock")])
def test_turning_in_space_without_cuts(name: str) -> None:
    rules, (start, alg, number) = rules_named(name), ELSEWHERE[name]
    state = rules.read(start)
    for move in rules.view.split(alg):
        state = after_turning(rules, state, move)
        scene = seen(rules, state)
        assert stickers(scene).total() == number
        assert all(_normal(side.corners) for part in scene.parts for side in part if side.colour)


def after_turning(rules: Rules, state: Any, move: str) -> Any:
    """Return the state after a move; its stickers lie where turning in space takes those of the state before."""
    there = rules.view.after(state, move)
    assert stickers(scene_after(seen(rules, state), rules.view.motion(state, move))) == stickers(seen(rules, there))
    return there


@pytest.mark.parametrize("name", [later(name) if name == "kilominx" else name for name in NAMED])
def test_parts_fill_the_body_and_lie_between_planes(name: str) -> None:
    rules = rules_named(name)
    scene = seen(rules, solved(rules))
    assert stickers(scene).total() == STICKERS[name]
    sides: Counter[frozenset[Point]] = Counter()
    for part in scene.parts:
        sides.update(map(corners, part))
    for plane in scene.planes:
        height = functools.cache(plane.height)
        for part in scene.parts:
            heights = [height(corner) for side in part for corner in side.corners]
            assert min(heights) >= 0 or max(heights) <= 0
    outside = {corners(side) for part in scene.parts for side in part if side.colour}
    assert {sides[side] for side in outside} == {1}  # and what is inside lies between two parts, or is the core's
    assert max(sides.values()) <= 2


@pytest.mark.parametrize("name", NAMED)
def test_a_solved_puzzle_has_one_colour_on_each_face(name: str) -> None:
    rules = rules_named(name)
    scene = seen(rules, solved(rules))
    faces: dict[Any, set[Any]] = {}
    for side in (side for part in scene.parts for side in part if side.colour and side.colour != EMPTY):
        faces.setdefault(_normal(side.corners), set()).add(side.colour)
    assert all(len(colours) == 1 for colours in faces.values())
    assert len(faces) == len(set(map(frozenset, faces.values()))) == FACES.get(name, 6)


def _normal(corners: tuple[Point, ...]) -> tuple[float, ...]:
    """Return the direction of a side, which is outwards."""
    a, b, c = corners[:3]
    u, v = ([float(q - p) for p, q in zip(a, other, strict=True)] for other in (b, c))
    normal = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    length = sum(x * x for x in normal) ** 0.5
    assert sum(x * float(y) for x, y in zip(normal, a, strict=True)) > 0
    return tuple(round(x / length, 6) for x in normal)


def test_colours_are_those_that_a_cube_is_given_in() -> None:
    rules = rules_named("pocket")
    named, same, held = (
        seen(rules, rules.read(facelets))
        for facelets in ("WWWWRRRRGGGGYYYYOOOOBBBB", "000011112222333344445555", "OOOOWWWWGGGGRRRRYYYYBBBB")
    )
    assert stickers(named) == stickers(same)
    assert stickers(held) == stickers(scene_after(named, rules.view.motion(None, "z")))  # so that orange is up
    assert stickers(held) != stickers(named)


@pytest.mark.parametrize(
    ("name", "chosen", "goal"), [("rubik", "R U", "cross"), ("skewb", "R U", "* * * * * * * *; U * * * * *")]
)
def test_chosen_moves_and_goals_are_seen_as_the_puzzle_is(name: str, chosen: str, goal: str) -> None:
    whole = rules_named(name)
    for rules in (restricted(whole, chosen), towards(whole, goal)):
        state = functools.reduce(rules.view.after, rules.view.split("(R U)2"), rules.view.solved(solved(whole)))
        assert rules.view.scene(state) == whole.view.scene(state)
        assert rules.view.motion(state, "R") == whole.view.motion(state, "R")


@pytest.mark.parametrize("tray", ["WR BW RB/WB E WB/WB WB WB", "WB/E/RB"])
def test_rolling_in_space_is_what_rolls_do(tray: str) -> None:
    rules, rng = rules_named("rolling"), random.Random(tray)
    state = rules.read(tray)
    for _ in range(12):
        roll, there = rng.choice(list(state.rolls()))
        before, after = seen(rules, state), seen(rules, there)
        motion = rules.view.motion(state, roll)
        assert sum(motion.takes(middle(part)) for part in before.parts) == 1
        assert stickers(scene_after(before, motion)) == stickers(after)
        assert all(corner[1] >= 0 for part in after.parts for side in part for corner in side.corners)
        state = there


def test_a_cut_through_edges_leaves_no_side_of_two_corners() -> None:
    halves = divided(brick((0, 0, 0), (2, 2, 2)), [Plane((1, -1, 0), 0)])
    assert [len(half) for half in halves] == [5, 5]

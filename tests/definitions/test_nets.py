"""Nets, compared with those of cubes, which are made of facelets, and with counts of stickers."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from cubesolve import puzzle
from cubesolve.picture.nets import net_of
from cubesolve.picture.pictures import Cell, Picture, Point


def pictured(name: str, alg: str = "") -> Picture:
    view = puzzle(name).rules.view
    picture = view.picture(view.read(alg))
    assert picture is not None
    return picture


@pytest.mark.parametrize("name", ["pocket", "rubik"])
def test_nets_of_cubes_are_those_of_their_facelets(name: str) -> None:
    view: Any = puzzle(name).rules.view
    for state in (view.forms["alg"].read(alg) for alg in ("", "R", "U F2 x", "R U R' D2 B L'")):
        found: Any = net_of(view.scene(state), str(state))
        wanted = {(cell.column, cell.row): cell for cell in view.picture(state).cells}
        assert len(found.cells) == len(wanted)
        for cell in found.cells:
            other = wanted[cell.column, cell.row]
            assert cell.colour == other.colour
            assert corners(cell) == corners(other)


def corners(cell: Cell) -> set[Point]:
    return {(round(x, 6), round(y, 6)) for x, y in cell.outline}


SOLIDS = "dino domino floppy ivy pyraminx pyraminx-duo pyraminx-tips skewb skewb-diamond tower"


@pytest.mark.parametrize("name", SOLIDS.split())
def test_cells_do_not_overlap_and_moves_take_no_colour_away(name: str) -> None:
    alg = " ".join(random.Random(1).choices(puzzle(name).moves, k=30))
    cells, solved = pictured(name, alg).cells, pictured(name).cells
    coloured, before = (sorted((cell.colour, round(area(cell), 6)) for cell in each) for each in (cells, solved))
    assert coloured == before
    assert len({(cell.column, cell.row) for cell in cells}) == len(cells)
    assert sum(map(area, cells)) / len(cells) == pytest.approx(1)
    within = [cell for cell in cells if inside(middle(cell), cell)]  # what a leaf leaves of a corner is hollow
    assert len(within) >= len(cells) / 3
    assert not any(inside(middle(one), other) for one in within for other in cells if other is not one)
    assert min(x for cell in cells for x, _ in cell.outline) == pytest.approx(0)


def area(cell: Cell) -> float:
    pairs = zip(cell.outline, [*cell.outline[1:], cell.outline[0]], strict=True)
    return abs(sum(a * d - b * c for (a, b), (c, d) in pairs)) / 2


def middle(cell: Cell) -> Point:
    x, y = (sum(values) / len(values) for values in zip(*cell.outline, strict=True))
    return x, y


def inside(point: Point, cell: Cell) -> bool:
    """Whether a point lies in a convex outline."""
    pairs = zip(cell.outline, [*cell.outline[1:], cell.outline[0]], strict=True)
    sides = {math.copysign(1, (c - a) * (point[1] - b) - (d - b) * (point[0] - a)) for (a, b), (c, d) in pairs}
    return len(sides) == 1


def test_nets_in_letters() -> None:
    """U turns the top layers of three faces clockwise as seen from above: the front goes to the left."""
    assert pictured("pyraminx-tips", "U u'").text().split("\n") == [
        "R R G G R G B R R B B",
        "  R R G B B B R B B",
        "    R G G G G G B",
        "      Y Y Y Y Y",
        "        Y Y Y",
        "          Y",
    ]
    assert pictured("tower").text().split("\n")[:3] == ["    W W", "    W W", "O O G G R R B B"]


def test_a_turn_of_the_ivy_cube() -> None:
    """R turns the corner between up, right and front clockwise: up goes to the right, and right to the front."""
    solved, turned = pictured("ivy"), pictured("ivy", "R")
    before, after = ({(cell.column, cell.row): cell.text for cell in each.cells} for each in (solved, turned))
    changed = {place: before[place] + after[place] for place in before if before[place] != after[place]}
    leaves, corner = {(4, 1): "WG", (4, 4): "GR", (7, 4): "RW"}, {(5, 2): "WG", (5, 3): "GR", (6, 3): "RW"}
    assert changed == leaves | corner


def test_what_has_another_shape_has_no_net() -> None:
    assert pictured("pyramorphix").cells
    view = puzzle("pyramorphix").rules.view
    assert view.picture(view.read("R")) is None
    assert puzzle("pyramorphix").solve("R F")._repr_svg_() is None

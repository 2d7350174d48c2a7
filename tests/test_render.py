from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

from hypothesis import given

from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.cli.writing import _paint
from cubesolve.facelets import FaceletCube
from cubesolve.pictures import Colour, net
from cubesolve.render import picture_svg
from tests import rubik_oracle
from tests.strategies import colours, cubes, recoloured, rubik_cubes


def net_text(cube: FaceletCube, paint: Callable[[str, Colour], str] | None = None) -> str:
    return net(cube.facelets, cube.colours).text(paint)


def net_svg(cube: FaceletCube) -> str:
    return picture_svg(net(cube.facelets, cube.colours))


NET = """\
    a b
    c d
q r i j e f u v
s t k l g h w x
    m n
    o p"""

RUBIK_NET = """\
         U1 U2 U3
         U4 U5 U6
         U7 U8 U9
L1 L2 L3 F1 F2 F3 R1 R2 R3 B1 B2 B3
L4 L5 L6 F4 F5 F6 R4 R5 R6 B4 B5 B6
L7 L8 L9 F7 F8 F9 R7 R8 R9 B7 B8 B9
         D1 D2 D3
         D4 D5 D6
         D7 D8 D9"""


@given(rubik_cubes, colours)
def test_net_of_a_3x3x3(cube: RubikCube, symbols: str) -> None:
    facelets = recoloured(cube, symbols)
    at = dict(zip(rubik_oracle.NAMES, facelets, strict=True))
    net = net_text(RubikCube(facelets))
    for line, expected in zip(net.split("\n"), RUBIK_NET.split("\n"), strict=True):
        assert line == " " * (expected.count(" " * 9) * 6) + " ".join(at[name] for name in expected.split())
    root = ET.fromstring(net_svg(RubikCube(facelets)))
    squares = [element for element in root.iter() if element.tag.endswith("rect")]
    assert len({(square.get("x"), square.get("y")) for square in squares}) == 54
    assert sorted(square[0].text or "" for square in squares) == sorted(facelets)


@given(cubes, colours)
def test_net_shows_every_facelet_in_its_place(cube: PocketCube, symbols: str) -> None:
    facelets = recoloured(cube, symbols)
    expected = re.sub("[a-x]", lambda match: facelets[ord(match[0]) - ord("a")], NET)
    assert net_text(PocketCube(facelets)) == expected
    painted = net_text(PocketCube(facelets), _paint)
    assert re.sub("\x1b[^m]*m", "", painted).replace(" ", "") == expected.replace(" ", "")
    assert painted.count("\x1b[0m") == 24


@given(cubes, colours)
def test_svg_is_well_formed(cube: PocketCube, symbols: str) -> None:
    facelets = recoloured(cube, symbols)
    root = ET.fromstring(net_svg(PocketCube(facelets)))
    squares = [element for element in root.iter() if element.tag.endswith("rect")]
    assert len({(square.get("x"), square.get("y")) for square in squares}) == 24
    assert {square.get("fill") for square in squares} == {
        "#ffffff",
        "#c81e2d",
        "#009b4b",
        "#ffd500",
        "#ff7800",
        "#005ac8",
    }
    assert sorted(square[0].text or "" for square in squares) == sorted(facelets)


def test_letters_that_name_colours_have_them() -> None:
    svg = net_svg(PocketCube("YYYYGGGGOOOOWWWWBBBBRRRR"))
    assert re.findall(r'fill="(.{7})"', svg)[0] == "#ffd500"
    for turned in (PocketCube.from_alg("x2"), RubikCube.from_alg("x2")):
        assert re.findall(r'fill="(.{7})"', net_svg(turned))[0] == "#ffd500"

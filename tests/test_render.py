from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from hypothesis import given

from cubesolve.pocket import PocketCube
from cubesolve.render import net_svg, net_text
from tests.strategies import colours, cubes, recoloured

NET = """\
    a b
    c d
q r i j e f u v
s t k l g h w x
    m n
    o p"""


@given(cubes, colours)
def test_net_shows_every_facelet_in_its_place(cube: PocketCube, symbols: str) -> None:
    facelets = recoloured(cube, symbols)
    expected = re.sub("[a-x]", lambda match: facelets[ord(match[0]) - ord("a")], NET)
    assert net_text(PocketCube(facelets)) == expected
    painted = net_text(PocketCube(facelets), colour=True)
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
    svg = net_svg(PocketCube.from_alg("x2"))
    assert re.findall(r'fill="(.{7})"', svg)[0] == "#ffd500"

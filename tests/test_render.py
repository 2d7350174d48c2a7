from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.cli.output import _paint
from cubesolve.definition.facelet_cube import FaceletCube
from cubesolve.picture.pictures import Cell, Colour, Picture, net
from cubesolve.picture.render import distribution_svg, picture_svg, pictures_svg
from tests import oracle, rubik_oracle
from tests.strategies import colours, cubes, recoloured, rubik_cubes


def net_text(cube: FaceletCube, paint: Callable[[str, Colour], str] | None = None) -> str:
    return net(cube.facelets, cube.colours).text(paint)


def net_svg(cube: FaceletCube) -> str:
    return picture_svg(net(cube.facelets, cube.colours)) or ""


def squares(svg: str) -> dict[tuple[float, float], str]:
    """Return the colour of each square, by its upper left corner."""
    found = {}
    for path in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}path"):
        outlines = re.findall(r"M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)H([\d.]+)z", path.get("d", ""))
        assert "".join("M{} {}H{}V{}H{}z".format(*numbers) for numbers in outlines) == path.get("d")
        for x, y, right, below, left in outlines:
            assert (left, float(right) - float(x)) == (x, float(below) - float(y))
            found[float(x), float(y)] = path.get("fill", "")
    return found


NET = """\
      U1 U2
      U3 U4
L1 L2 F1 F2 R1 R2 B1 B2
L3 L4 F3 F4 R3 R4 B3 B4
      D1 D2
      D3 D4"""

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


@given(st.one_of(cubes, rubik_cubes), colours)
def test_a_net_shows_every_facelet_in_its_place(cube: PocketCube | RubikCube, symbols: str) -> None:
    facelets = recoloured(cube, symbols)
    names, lines = (oracle.NAMES, NET) if isinstance(cube, PocketCube) else (rubik_oracle.NAMES, RUBIK_NET)
    shown, at = type(cube)(facelets), dict(zip(names, facelets, strict=True))
    expected = re.sub(r"\b[A-Z]\d", lambda name: at[name[0]], lines.replace("   ", "  "))
    assert net_text(shown) == expected
    painted = net_text(shown, _paint)
    assert re.sub("\x1b[^m]*m", "", painted).replace(" ", "") == expected.replace(" ", "")
    assert painted.count("\x1b[0m") == len(facelets)
    drawn = squares(net_svg(shown))
    pairs = zip(expected.split(), [drawn[place] for place in sorted(drawn, key=_row)], strict=True)
    assert len({*pairs}) == 6 == len({*drawn.values()})


def _row(place: tuple[float, float]) -> tuple[float, float]:
    return place[1], place[0]


def test_letters_that_name_colours_have_them() -> None:
    for cube in (PocketCube("YYYYGGGGOOOOWWWWBBBBRRRR"), PocketCube.from_alg("x2"), RubikCube.from_alg("x2")):
        drawn = squares(net_svg(cube))
        first = min(drawn, key=_row)
        assert (first[1], drawn[first]) == (12, "#ffd500")


def test_steps_stand_side_by_side_and_none_is_cut_off() -> None:
    picture = net(RubikCube.solved().facelets, "URFDLB")
    root = ET.fromstring(pictures_svg([(f"step {number}", picture) for number in range(10)]) or "")
    width, height = (float(root.get(name, "")) for name in ("width", "height"))
    places = [list(map(float, re.findall(r"[\d.]+", path.get("d", "")))) for path in root.iter() if "d" in path.attrib]
    assert max(max(each) for each in places) < max(width, height)
    captions = [text for text in root.iter() if text.tag.endswith("text")]
    assert [text.text for text in captions] == [f"step {number}" for number in range(10)]
    assert len({text.get("y") for text in captions}) == 3
    assert all(0 < float(text.get("x", "")) < width and 0 < float(text.get("y", "")) < height for text in captions)
    assert width <= 1200


def test_whatever_is_written_is_well_formed() -> None:
    strange = Picture([Cell(0, 0, "<", (0, 0, 0), ((0, 0), (1, 0), (0.5, 1)), "&\0<")], "a & b\x1b")
    root = ET.fromstring(pictures_svg([('"<\ud800>"', strange)]) or "")
    assert pictures_svg([("start", strange), ("1 R", None)]) is None
    texts = [each.text for each in root.iter() if each.tag.endswith("text")]
    assert texts == ['"<\ufffd>"', "&\ufffd<"]
    assert [each.get("fill") for each in root if len(each) and each[0].text == texts[1]] == ["#fff"]
    assert "L" in next(each.get("d", "") for each in root.iter() if "d" in each.attrib)


@pytest.mark.parametrize("counts", [(1,), (1, 9, 54, 321, 1847, 9992), (0, 5, 0, 10**12), ()])
def test_bars_are_as_long_as_the_share_of_states(counts: tuple[int, ...]) -> None:
    root = ET.fromstring(distribution_svg(counts))
    bars = [float(each.get("width", "")) for each in root.iter() if each.tag.endswith("rect")]
    words = [each.text for each in root.iter() if each.tag.endswith("text")]
    assert words == ["depth", "states", *(word for d, n in enumerate(counts) for word in (str(d), f"{n:,}"))]
    for bar, states in zip(bars, counts, strict=True):
        assert bar == (max(1, round(400 * states / max(counts))) if states else 0)
    assert all(
        float(each.get("x", 0)) + float(each.get("width", 0)) <= float(root.get("width", "")) for each in root[2]
    )

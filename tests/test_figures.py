from __future__ import annotations

import itertools
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SCRIPT, FIGURE = ROOT / "scripts" / "figures.py", ROOT / "docs" / "depths.svg"


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


@pytest.mark.exhaustive
def test_no_number_lies_across_a_bar(figures: dict[str, Any]) -> None:
    figure, axes = figures["plt"].subplots(figsize=(13 / 3, 3.8), layout="constrained")
    figures["numbers_of_states"](axes)
    figure.canvas.draw()
    bars = [bar.get_window_extent() for bar in axes.patches]
    words = [*axes.texts, axes.title, *axes.get_legend().get_texts()]
    numbers = [text.get_window_extent() for text in words if text.get_text()]
    assert len(bars) == 12 + 15
    assert len(numbers) >= 3
    assert not [pair for pair in itertools.product(numbers, bars) if pair[0].overlaps(pair[1])]
    figures["plt"].close(figure)


@pytest.mark.exhaustive
def test_the_same_picture_is_drawn_again(figures: dict[str, Any]) -> None:
    assert figures["figure_svg"]() == figures["figure_svg"]()


@pytest.mark.exhaustive
def test_the_picture_is_the_one_that_is_shown_and_can_be_read_on_black(figures: dict[str, Any]) -> None:
    drawn = figures["figure_svg"]()
    assert figures["STYLE"] in drawn
    # Versions of matplotlib differ in how they write a line; what is written in words must be the same.
    words, shipped = (re.findall(r">([^<>\n]+)</text>", each) for each in (drawn, FIGURE.read_text()))
    assert words == shipped
    assert all(any(number in word for word in words) for number in ("2,644", "276", "States at each depth"))
    inks = set(re.findall(r"(?<![-\w])(?:fill|stroke): ([^;\"]+)", drawn))
    assert inks == {"none", "currentColor", *figures["COLOURS"].values()}

"""The guide docs/puzzles.md shows the contents of its files."""

from __future__ import annotations

import re

from cubesolve.definition.formats import parse_cycles, parse_kpuzzle, parse_tws
from tests.processes import ROOT

GUIDE = (ROOT / "docs" / "puzzles.md").read_text()


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.M | re.S)


def test_files_are_as_shown() -> None:
    assert [(ROOT / "docs" / "rings.tws").read_text()] == _blocks("tws")
    assert [(ROOT / "docs" / "rings.gap").read_text()] == _blocks("gap")


def test_beads_of_which_nothing_is_said_all_differ() -> None:
    (tws,) = _blocks("tws")
    said = re.search(r"^Solved\n(BEADS\n.*\n)End$", tws, re.M)
    assert said is not None
    assert sorted(parse_tws(tws.replace(said[1], ""), "").solved[0]) == list(range(10))


def test_all_three_formats_say_the_same() -> None:
    (tws,), (kpuzzle,), (cycles,) = map(_blocks, ("tws", "json", "gap"))
    rings, same, numbered = parse_tws(tws, ""), parse_kpuzzle(kpuzzle, ""), parse_cycles(cycles, "")
    assert rings._replace(name="") == same._replace(name="")
    assert rings.generators == numbered.generators
    assert len(set(numbered.solved[0])) == 10

"""The guide docs/puzzles.md shows the contents of its files; docs/catalog.md has the table of all puzzles."""

from __future__ import annotations

import re
import runpy

from cubesolve.catalog import names
from cubesolve.definition.formats import parse_cycles, parse_kpuzzle, parse_tws
from tests.facts import PUZZLES
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


def test_the_documentation_has_the_table_of_every_puzzle() -> None:
    lines = runpy.run_path(str(ROOT / "scripts" / "puzzle_table.py"))["lines"]()
    table, rows = "\n".join(lines), lines[2:]
    assert f"\n{table}\n" in (ROOT / "docs" / "catalog.md").read_text()
    assert {line.count("|") for line in lines} == {7}
    cells = {row.split("|")[1].strip(): [cell.strip() for cell in row.split("|")[2:-1]] for row in rows}
    assert list(cells) == [f"`{name}`" for name in names()]
    skewb = PUZZLES["skewb"]
    assert cells["`skewb`"][:3] == ["Skewb", f"{skewb['states']:,}", str(skewb["gods_number"])]
    assert cells["`pocket`"][2:] == ["11 htm, 14 qtm", "7.3 MB", "yes"]
    assert cells["`rubik`"][1:3] == ["43,252,003,274,489,856,000", "20 htm"]
    assert cells["`tower`"][2::2] == ["14 htm, 15 qtm", ""]

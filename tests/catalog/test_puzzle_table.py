"""The table of all puzzles agrees with the pinned and the published numbers."""

from __future__ import annotations

import runpy
from pathlib import Path

from cubesolve.catalog import names
from tests.facts import PUZZLES

SCRIPT = Path(__file__).parents[2] / "scripts" / "puzzle_table.py"


def test_the_table_has_every_puzzle() -> None:
    head, rule, *rows = runpy.run_path(str(SCRIPT))["lines"]()
    assert {line.count("|") for line in (head, rule, *rows)} == {7}
    cells = {row.split("|")[1].strip(): [cell.strip() for cell in row.split("|")[2:-1]] for row in rows}
    assert list(cells) == [f"`{name}`" for name in names()]
    skewb = PUZZLES["skewb"]
    assert cells["`skewb`"][:3] == ["Skewb", f"{skewb['states']:,}", str(skewb["gods_number"])]
    assert cells["`pocket`"][2:] == ["11 htm, 14 qtm", "7.3 MB", "yes"]
    assert cells["`rubik`"][1:3] == ["43,252,003,274,489,856,000", "20 htm"]
    assert cells["`tower`"][2::2] == ["14 htm, 15 qtm", ""]


def test_the_documentation_has_the_table() -> None:
    table = "\n".join(runpy.run_path(str(SCRIPT))["lines"]())
    assert f"\n{table}\n" in (SCRIPT.parents[1] / "docs" / "catalog.md").read_text()

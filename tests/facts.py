"""The published numbers of tests/data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
ROLLING: dict[str, Any] = json.loads((DATA / "rolling.json").read_text())
POCKET: dict[str, Any] = json.loads((DATA / "pocket.json").read_text())
RUBIK: dict[str, Any] = json.loads((DATA / "rubik.json").read_text())
PUZZLES: dict[str, Any] = json.loads((DATA / "puzzles.json").read_text())
PANCAKES: dict[str, Any] = json.loads((DATA / "pancakes.json").read_text())
FTO: dict[str, Any] = json.loads((DATA / "fto.json").read_text())
SCRAMBLES: dict[str, Any] = json.loads((DATA / "scrambles.json").read_text())
STEPS: dict[str, Any] = json.loads((DATA / "steps.json").read_text())
CASES: list[Any] = json.loads((DATA / "cases.json").read_text())
DIGESTS: dict[str, Any] = json.loads((DATA / "digests.json").read_text())


def below_begins(name: str) -> Iterator[tuple[str, str]]:
    """Yield the indented lines of a file, each after the line below which it stands: its begin."""
    begin = ""
    for line in (DATA / name).read_text().splitlines():
        if line.startswith(" "):
            yield begin, line.strip()
        else:
            begin = line

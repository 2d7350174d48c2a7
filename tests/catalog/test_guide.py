"""The guide docs/puzzles.md: its commands print what it says, and its files are those that it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cubesolve.rules.readers import parse_cycles, parse_kpuzzle, parse_tws
from tests.processes import ROOT, typed

GUIDE = (ROOT / "docs" / "puzzles.md").read_text()


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.M | re.S)


def _sessions() -> list[tuple[str, str]]:
    """Commands, and what they print."""
    found = re.findall(r"^    \$ (.*)\n((?:    (?!\$).*\n)*)", GUIDE, re.M)
    return [(command, re.sub(r"^    ", "", printed, flags=re.M)) for command, printed in found]


def test_commands_print_what_the_guide_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert len(_sessions()) > 15
    for command, printed in _sessions():
        assert typed(command, ROOT, tmp_path)[1:] == (printed, ""), command


def test_files_are_as_shown() -> None:
    assert [(ROOT / "docs" / "rings.tws").read_text()] == _blocks("tws")
    assert [(ROOT / "docs" / "rings.gap").read_text()] == _blocks("gap")


def test_all_three_formats_say_the_same() -> None:
    (tws,), (kpuzzle,), (cycles,) = map(_blocks, ("tws", "json", "gap"))
    rings, same, numbered = parse_tws(tws, ""), parse_kpuzzle(kpuzzle, ""), parse_cycles(cycles, "")
    assert rings._replace(name="") == same._replace(name="")
    assert rings.generators == numbered.generators
    assert len(set(numbered.solved[0])) == 10

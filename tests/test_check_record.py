"""A script that checks records finds no fault in a right one, and what is wrong with another."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cubesolve import puzzle
from cubesolve.counting.records import record
from tests.processes import ROOT


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """The script, in this process."""
    path = ROOT / "scripts" / "check_record.py"
    spec = importlib.util.spec_from_file_location("check_record", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run(*arguments: str) -> None:
        monkeypatch.setattr(sys, "argv", [str(path), *arguments])
        module.main()

    return run


def test_a_record(check: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, file, counts = record(puzzle("floppy")), tmp_path / "floppy.json", tmp_path / "floppy.csv"
    file.write_text(json.dumps(found))
    check(str(file), "--csv")
    counts.write_text(capsys.readouterr().out)
    check(str(file), str(counts))
    assert capsys.readouterr().out.endswith("192 states, at most 8 moves: no fault found\n")
    counts.write_text("0 1\n1 4\n")
    with pytest.raises(SystemExit, match="has other counts"):
        check(str(file), str(counts))

    def fault(**wrong: Any) -> str:
        file.write_text(json.dumps({**found, **wrong}))
        with pytest.raises(SystemExit) as ended:
            check(str(file))
        return str(ended.value)

    first, *rest = found["distribution"]
    assert "the counts sum to 192 states, not 193" in fault(states=193)
    assert "the first counts are [2," in fault(distribution=[first + 1, *rest])
    assert found["farthest"]
    (farthest,) = found["farthest"]
    assert "does not solve" in fault(farthest=[{**farthest, "solution": "R2 F2"}])
    assert "has not 8 moves" in fault(farthest=[{**farthest, "solution": f"{farthest['solution']} R2 R2"}])
    assert "the farthest states are not 1" in fault(farthest=[farthest, farthest])
    file.write_text(json.dumps({**found, "puzzle": "missing.tws"}))
    with pytest.raises(SystemExit, match=r"cannot be checked: missing.tws: cannot be read: No such file or directory"):
        check(str(file))


def test_files_without_a_record(check: Callable[..., None], tmp_path: Path) -> None:
    file, counts = tmp_path / "some.json", tmp_path / "some.csv"
    with pytest.raises(SystemExit, match=r"some.json cannot be read: No such file or directory"):
        check(str(file))
    for text in ("", "[1]", '{"distribution": [1]}'):
        file.write_text(text)
        with pytest.raises(SystemExit, match=r"some.json is not a record of tables distribution --out"):
            check(str(file), "--csv")
    file.write_text(json.dumps(record(puzzle("floppy"))))
    with pytest.raises(SystemExit, match=r"some.csv cannot be read: No such file or directory"):
        check(str(file), str(counts))
    for text in ("", "0\n1\n", "0 1 2\n"):
        counts.write_text(text)
        with pytest.raises(SystemExit, match=r"some.csv has no lines of a depth and a number"):
            check(str(file), str(counts))

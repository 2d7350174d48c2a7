from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.exhaustive
def test_a_short_torture_breaks_nothing() -> None:
    script = ROOT / "scripts" / "torture.py"
    result = subprocess.run(
        [sys.executable, script, "--seconds", "0", "--seed", "7"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    rows = re.findall(r"^(\w+) +([\d,]+) +0  \S", result.stdout, re.M)
    assert [name for name, _ in rows] == re.findall(
        r"(\w+)", re.findall(r"^ATTEMPTS = \((.*)\)", script.read_text(), re.M)[0]
    )
    assert all(int(cases.replace(",", "")) > 0 for _, cases in rows)


@pytest.mark.exhaustive
def test_a_short_torture_does_not_stop_a_server() -> None:
    script = ROOT / "scripts" / "torture_server.py"
    result = subprocess.run(
        [sys.executable, script, "--seconds", "0", "--seed", "7"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    rows = re.findall(r"^(\w+) +([\d,]+) +0 +\d+ ms +\d+  \S", result.stdout, re.M)
    assert [name for name, _ in rows] == re.findall(
        r"(\w+)", re.findall(r"^ATTEMPTS = \((.*)\)", script.read_text(), re.M)[0]
    )

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "times"), [("torture", ""), ("torture_server", r" +\d+ ms +\d+")])
def test_a_short_torture_breaks_nothing(name: str, times: str) -> None:
    script = ROOT / "scripts" / f"{name}.py"
    command = [sys.executable, str(script), "--seconds", "0", "--seed", "7"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    rows = re.findall(rf"^(\w+) +([\d,]+) +0{times}  \S", result.stdout, re.M)
    attempts = re.findall(r"^ATTEMPTS = \((.*)\)", script.read_text(), re.M)[0]
    assert [name for name, _ in rows] == re.findall(r"(\w+)", attempts)
    assert name == "torture_server" or all(int(cases.replace(",", "")) > 0 for _, cases in rows)

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.patience import PATIENCE
from tests.processes import ROOT

SCRIPT = ROOT / "scripts" / "bench_turns.py"


def compare(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        cwd=ROOT,
    )


@pytest.mark.exhaustive
def test_two_commits_by_turns() -> None:
    result = compare("HEAD", "HEAD", "--rounds", "2", "--only", "process")
    assert result.returncode == 0, result.stderr
    *_, measured = result.stdout.splitlines()
    ratio = re.fullmatch(r"\| `cubesolve depth`, the whole process \| (\d\.\d\d) \| .* \|", measured)
    assert ratio, measured
    assert 0.2 < float(ratio[1]) < 5


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["HEAD"], "required: NEW"),
        (["HEAD", "HEAD", "--rounds", "0"], "--rounds must be 1 or more"),
        (["HEAD", "HEAD", "--only", "nothing"], "invalid choice"),
        (["HEAD", "no-such-commit"], "no-such-commit is no commit of this repository"),
    ],
)
def test_what_is_no_comparison(arguments: list[str], reason: str) -> None:
    result = compare(*arguments)
    assert result.returncode == 2
    assert reason in result.stderr

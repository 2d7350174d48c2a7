"""Ctrl-C while the command line is being loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

_INTERRUPTS = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(600)\n"


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)


_ZSTD = "compression" if sys.version_info >= (3, 14) else "backports"


@pytest.mark.parametrize("module", ["click", _ZSTD])
def test_ctrl_c_while_it_is_loaded(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text(_INTERRUPTS)
    result = _run(tmp_path, "-m", "cubesolve", "depth", "UUUUBBRRRRFFDDDDFFLLLLBB")
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def test_ctrl_c_that_the_caller_ignores(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text(_INTERRUPTS.replace("time.sleep(600)", "raise SystemExit(7)"))
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'cubesolve'])\n"
    )
    assert _run(tmp_path, "-c", code).returncode == 7

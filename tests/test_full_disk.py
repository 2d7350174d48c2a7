"""On a full disk, an error names the file, and the status is 1."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pytest

from tests.commands import invoke
from tests.processes import COMMAND
from tests.subsets import later

FULL = "/dev/full"
TURNED = "UUUUBBRRRRFFDDDDFFLLLLBB"


@pytest.mark.parametrize(
    "line",
    [
        f"depth {TURNED}",
        "",  # what a shell completes
        *map(later, ("puzzles", "--help", "completion zsh", "--version", "depth --help", "tables build -h")),
    ],
)
def test_standard_output_is_full(line: str) -> None:
    completing = {"_CUBESOLVE_COMPLETE": "bash_complete", "COMP_WORDS": "cubesolve ", "COMP_CWORD": "1"}
    env = {**os.environ, **({} if line else completing)}
    command = [*COMMAND, *line.split()]
    with open(FULL, "w") as nowhere:
        result = subprocess.run(command, stdout=nowhere, stderr=subprocess.PIPE, text=True, env=env, check=False)
    assert (result.returncode, result.stderr) == (1, "cubesolve: output: No space left on device\n")


WRITING = {
    "a.svg": ["show", TURNED, "--svg", "{path}"],
    "b.svg": ["solve", TURNED, "--svg", "{path}"],
    "c.svg": ["tables", "info", "pocket-htm", "--plot", "{path}"],
    "a.html": ["solve", TURNED, "--html", "{path}"],
    "b.html": ["play", "R U", "--html", "{path}"],
    "a.csv": ["export", "tiles-2x3", "--out", "{path}"],
    "a.npz": ["export", "tiles-2x3", "--out", "{path}"],
    "data": ["dataset", "tiles-2x3", "--size", "10", "--format", "npz", "--out", "{path}"],
    "judged": ["judge", "poj-3131", "--generate", "3", "--seed", "1", "--out", "{path}"],
}


@pytest.mark.parametrize("name", WRITING)
def test_a_file_that_has_no_room_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = str(tmp_path / name)
    monkeypatch.setattr(os, "fsync", full)
    result = invoke(*[word.format(path=path) for word in WRITING[name]])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"cubesolve: {path}")
    assert result.stderr.endswith(": No space left on device\n")
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


def test_a_device_is_named_too(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.symlink_to(FULL)
    result = invoke("show", TURNED, "--svg", str(path))
    assert (result.exit_code, result.stderr) == (1, f"cubesolve: {path}: No space left on device\n")

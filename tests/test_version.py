"""The version, the tables that it lists, and the completion of shells."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cubesolve import catalog
from cubesolve.store.folders import find_table
from tests.commands import invoke, printed
from tests.processes import COMMAND, run


def test_the_version_is_a_line() -> None:
    for arguments in (["--version"], ["--version", "depth"], ["--version", "--", "depth", "x"]):
        result = run(*arguments)
        assert (result.returncode, result.stderr) == (0, "")
        assert re.fullmatch(r"cubesolve \d+\.\d+\.\d+\n", result.stdout)


def test_what_answers_rest_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, users = tmp_path / "own", tmp_path / "data" / "cubesolve" / "tables"
    for folder in (own, users):
        folder.mkdir(parents=True)
        shutil.copy(find_table("pocket-htm"), folder)
    shutil.copy(find_table("pocket-htm"), users / "pocket-qtm.zst")
    (users / "custom-1.zst").write_text("nothing")
    (users / ".custom-2.zst").mkdir()
    (users / "custom-3.zst").mkdir()
    (users / "notes.txt").write_text("nothing")
    monkeypatch.setenv("CUBESOLVE_TABLES", str(own))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    result = invoke("--verbose", "--version")
    first, second, *rest = result.stdout.splitlines()
    assert result.exit_code == 0
    assert first + "\n" == run("--version").stdout
    packages = r"click [\d.]+, filelock [\d.]+, numba .*, backports.zstd [\d.]+"
    assert re.fullmatch(rf"Python 3\.\d+\.\d+ on .*; {packages}", second)
    digest = catalog.tables()["pocket-htm"].header.sha256
    assert rest[:2] == [str(own), f"  pocket-htm                        {digest}"]
    assert rest[-2:] == [str(users), f"  pocket-htm                        {digest} (not used: found above)"]
    wrong = [line.removeprefix(f"cubesolve: {users}/").partition(":")[0] for line in result.stderr.splitlines()]
    assert wrong == ["custom-1.zst", "custom-3.zst", "pocket-qtm.zst"]
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path / "file"))
    result = invoke("--version", "--verbose")
    assert result.exit_code == 0
    assert f"cubesolve: {tmp_path}/file: Not a directory\n" in result.stderr
    monkeypatch.setenv("CUBESOLVE_TABLES", "no\nwhere")
    assert r"no\nwhere" in printed("--version", "--verbose").splitlines()


def completed(*words: str) -> list[str]:
    """Return the completions of bash for the last word."""
    env = {"_CUBESOLVE_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    result = run(env=env)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.split()


def test_what_is_completed() -> None:
    assert completed("cubesolve", "dep") == ["plain,depth"]
    assert completed("cubesolve", "depth", "--puzzle", "skewb-") == ["plain,skewb-diamond"]
    assert completed("cubesolve", "depth", "--puzzle", "docs/r") == ["file,docs/r"]
    assert completed("cubesolve", "tables", "info", "rubik-qtm-s") == ["plain,rubik-qtm-small"]
    for wrong in (["--puzzle", "none"], ["--puzzle", "."], ["--moves", "Z"], ["--goal", "none"], ["--cost", "0"]):
        assert completed("cubesolve", "depth", *wrong, "--keep") == ["plain,--keep-order"]


def test_scripts_of_shells_complete(tmp_path: Path) -> None:
    assert "#compdef cubesolve" in printed("completion", "zsh")
    assert "complete --no-files --command cubesolve" in printed("completion", "fish")
    (tmp_path / "cubesolve").write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    (tmp_path / "cubesolve").chmod(0o755)
    (tmp_path / "script").write_text(printed("completion", "bash"))
    code = (
        f"source {tmp_path}/script 2> {tmp_path}/errors\n"
        "COMP_WORDS=(cubesolve tables dis); COMP_CWORD=2; _cubesolve_completion cubesolve; echo ${COMPREPLY[*]}\n"
    )
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    result = subprocess.run(["/bin/bash", "-c", code], env=env, capture_output=True, text=True, check=True)
    assert result.stdout == "distribution\n", (tmp_path / "errors").read_text()

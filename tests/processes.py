"""How a user starts cubesolve: real processes, and what a user types."""

from __future__ import annotations

import contextlib
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from cubesolve.cli import main

COMMAND = [sys.executable, "-m", "cubesolve"]
ROOT = Path(__file__).parents[1]


def run(
    *arguments: str, stdin: str | bytes = b"", env: dict[str, str] | None = None, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(
        [*COMMAND, *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        timeout=timeout,
        check=False,
    )
    return subprocess.CompletedProcess(result.args, result.returncode, result.stdout.decode(), result.stderr.decode())


def run_python(code: str, env: dict[str, str] | None = None, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **(env or {})},
        timeout=timeout,
        check=False,
    )


def killed(task: Callable[[], object]) -> bool:
    """Whether a process of its own, and whatever it started, is killed by a task."""
    child = os.fork()
    if not child:
        os.setsid()
        task()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def typed(line: str, folder: Path, commands: Path) -> tuple[int, str, str]:
    """The status, output and errors of a line that is typed in a folder.

    A line that needs a shell gets one, which finds the command in another folder; any other is run here, in a fraction
    of the time.
    """
    if not set("|<>;&$").isdisjoint(line):
        (commands / "cubesolve").write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
        (commands / "cubesolve").chmod(0o755)
        env = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        shell = subprocess.run(line, shell=True, cwd=folder, env=env, capture_output=True, text=True, check=False)
        return shell.returncode, shell.stdout, shell.stderr
    name, *arguments = shlex.split(line)
    assert name == "cubesolve"
    with contextlib.chdir(folder):
        result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.stdout, result.stderr


def watched(*arguments: str) -> str:
    """What a command shows at a terminal, where whatever takes longer than no time has a bar; it must end well."""
    ours, theirs = pty.openpty()
    at_once = "from cubesolve import __main__, notices; notices._DELAY = -1; __main__.main()"
    command = [sys.executable, "-c", at_once, *arguments]
    with subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while piece := os.read(ours, 1000):
                shown += piece
    os.close(ours)
    assert process.returncode == 0
    return shown.decode()

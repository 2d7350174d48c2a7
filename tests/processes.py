"""Real processes of cubesolve, started as users start them."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import pty
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Iterator
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest
from click.testing import CliRunner

from cubesolve.cli import main
from tests.patience import PATIENCE

COMMAND = [sys.executable, "-m", "cubesolve"]
TAKEN = "cubesolve: 2x2x2; for others: --puzzle 333\n"  # said of an alg if no puzzle is named
_MAIN = "from cubesolve.__main__ import main; main()"
ROOT = Path(__file__).parents[1]


def run(*arguments: str, stdin: str | bytes = b"", env: dict[str, str] | None = None, fresh: bool = False) -> Result:
    """Run the command; see `run_python`."""
    content = stdin.encode() if isinstance(stdin, str) else stdin
    if fresh:
        return _started([*COMMAND, *arguments], content, env, PATIENCE)
    return _forked(_MAIN, arguments, content, env, PATIENCE)


def run_python(
    code: str, env: dict[str, str] | None = None, timeout: float = PATIENCE, *, fresh: bool = False
) -> Result:
    """Run code in a process that has imported Numba, `tests.preloaded`, and begins in milliseconds.

    A `fresh` one has imported nothing. Tests of what is imported, of how an interpreter starts and of how it ends need
    one, and any with a limit of the size of files or with variables that Python or Numba reads when it is loaded.
    """
    if fresh:
        return _started([sys.executable, "-c", code], b"", env, timeout)
    return _forked(code, (), b"", env, timeout)


Result = subprocess.CompletedProcess[str]


def _started(command: list[str], stdin: bytes, env: dict[str, str] | None, timeout: float) -> Result:
    result = subprocess.run(
        command, input=stdin, capture_output=True, env={**os.environ, **(env or {})}, timeout=timeout, check=False
    )
    return Result(result.args, result.returncode, result.stdout.decode(), result.stderr.decode())


def _forked(code: str, arguments: tuple[str, ...], stdin: bytes, env: dict[str, str] | None, timeout: float) -> Result:
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(stdin)
        files[0].seek(0)
        process = fork(code, arguments, env, *(file.fileno() for file in files))
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired([code, *arguments], timeout)
        out, err = (os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode() for file in files[1:])
        return Result([code, *arguments], process.exitcode, out, err)


def signalled(code: str, number: signal.Signals, env: dict[str, str] | None = None) -> Result:
    """Run code that gets a signal as soon as it has printed a line, and must wait for it."""
    ours, theirs = os.pipe()
    with open(ours) as out, tempfile.TemporaryFile() as errors, open(os.devnull) as null:
        process = fork(code, (), env, null.fileno(), theirs, errors.fileno())
        os.close(theirs)
        printed = out.readline()
        assert process.pid
        os.kill(process.pid, number)
        printed += out.read()
        process.join()
        errors.seek(0)
        return Result([code], process.exitcode or 0, printed, errors.read().decode())


def fork(code: str, arguments: tuple[str, ...], env: dict[str, str] | None, *files: int) -> ForkServerProcess:
    """Start a process with three open files as its standard input, output and error."""
    start_server()
    streams = [Connection(os.dup(file)) for file in files]
    process = _FORKING.Process(target=_begin, args=(code, arguments, {**os.environ, **(env or {})}, *streams))
    process.start()
    for stream in streams:
        stream.close()
    return process


_FORKING = multiprocessing.get_context("forkserver")


@functools.cache
def start_server() -> None:
    """Start the process that is forked; it has no threads, as those of OpenBLAS.

    Each process has one such server. Whatever else starts it, it would load nothing in advance, and all processes that
    are forked later would import Numba.
    """
    _FORKING.set_forkserver_preload(["tests.preloaded"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENBLAS_NUM_THREADS", "1")
        patch.setenv("PYTHONPATH", str(ROOT))
        forkserver.ensure_running()


def _begin(code: str, arguments: tuple[str, ...], env: dict[str, str], *streams: Connection) -> None:
    """Turn this process into that of `python -c`."""
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
        stream.close()
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(env)
    import numba

    numba.config.reload_config()  # type: ignore[no-untyped-call]  # read when it was imported
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["-c", *arguments]
    sys.path[:0] = filter(None, env.get("PYTHONPATH", "").split(os.pathsep))
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(code, "<string>", "exec"), vars(main))


def killed(task: Callable[[], object]) -> bool:
    """Whether a task kills its process and all its children."""
    child = os.fork()
    if not child:
        os.setsid()
        task()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def typed(line: str, folder: Path, commands: Path) -> tuple[int, str, str]:
    """Run a typed line in a folder; return its status, output and errors.

    A line that needs a shell gets one, which finds the command in another folder, and has it forked; any other is run
    here, in a fraction of the time.
    """
    if not set("|<>;&$").isdisjoint(line):
        env = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}"}
        with _forking(commands / "cubesolve"):
            shell = subprocess.run(line, shell=True, cwd=folder, env=env, capture_output=True, text=True, check=False)
        return shell.returncode, shell.stdout, shell.stderr
    name, *arguments = shlex.split(line)
    assert name == "cubesolve"
    with contextlib.chdir(folder):
        result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


_ASKING = """\
#!{executable} -IS
import os, socket, sys
with socket.socket(socket.AF_UNIX) as asking:
    asking.connect({address!r})
    socket.send_fds(asking, ["\\0".join([os.getcwd(), *sys.argv[1:]]).encode()], [0, 1, 2])
    sys.exit(int(asking.recv(9)) & 255)
"""


@contextlib.contextmanager
def _forking(command: Path) -> Iterator[None]:
    """Make a program that has the command forked here with its own arguments, folder and files, in a hundredth of the
    time that an interpreter takes to load it.
    """
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        address = f"{folder}/socket"  # the name of a test's folder may be too long
        listening.bind(address)
        listening.listen()
        command.write_text(_ASKING.format(executable=sys.executable, address=address))
        command.chmod(0o755)
        threading.Thread(target=_fork_all, args=(listening,), daemon=True).start()
        yield
        listening.shutdown(socket.SHUT_RDWR)


def _fork_all(listening: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the end
        while True:
            threading.Thread(target=_fork_one, args=(listening.accept()[0],), daemon=True).start()


def _fork_one(asking: socket.socket) -> None:
    with asking:
        said, files, _, _ = socket.recv_fds(asking, 1 << 20, 3)
        folder, *arguments = said.decode().split("\0")
        process = fork("import os, sys; os.chdir(sys.argv.pop(1)); " + _MAIN, (folder, *arguments), None, *files)
        for file in files:
            os.close(file)
        process.join()
        asking.send(str(process.exitcode).encode())


def watched(*arguments: str, env: dict[str, str] | None = None, paints: bool = False) -> str:
    """Return what a command that must succeed prints on a terminal: its messages, and if it `paints`, its answer, too.

    All work has a progress bar.
    """
    ours, theirs = pty.openpty()
    at_once = (
        "from cubesolve import __main__; from cubesolve.runtime import notices; notices._DELAY = -1; __main__.main()"
    )
    with open(os.devnull, "r+") as null:
        process = fork(at_once, arguments, env, null.fileno(), theirs if paints else null.fileno(), theirs)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while piece := os.read(ours, 1000):
            shown += piece
    os.close(ours)
    process.join()
    assert process.exitcode == 0
    return shown.decode()

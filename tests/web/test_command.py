"""`cubesolve serve` as a process: its address, how it ends, and its errors at the start."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import invoke
from tests.processes import run, run_python
from tests.subsets import later
from tests.web.conftest import RING, Client, asking, received
from tests.web.test_api import FAR


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


SERVE = """
import functools
from cubesolve.web import serving
serving.Settings = functools.partial(serving.Settings, warm=False)
serving._LEAVING = 0
from cubesolve.__main__ import main
main()
"""


@pytest.fixture
def process(tmp_path: Path, temporary: Path) -> Iterator[Any]:
    (tmp_path / "ring.gap").write_text(RING)
    command = [sys.executable, "-c", SERVE, "serve", "--port", "0", str(tmp_path / "ring.gap")]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(temporary)}, **pipes) as started:
        yield started
        started.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, later(signal.SIGTERM)])
def test_it_serves_until_a_signal(process: Any, temporary: Path, number: signal.Signals) -> None:
    client = _begin(process)
    assert client.ask("depth", puzzle="ring.gap", state="T").content["depth"] == 1
    assert client.ask("depth", puzzle="ring.gap", state="T", moves="T2").status == 422
    assert "<title>cubesolve</title>" in client.get("/").content
    assert len(list(temporary.iterdir())) == 1
    process.send_signal(number)
    assert process.wait() == (130 if number == signal.SIGINT else -number)
    assert list(temporary.iterdir()) == []
    assert process.stdout.read() == ""
    assert '"POST /api/depth HTTP/1.1" 200' in process.stderr.read()


def _begin(process: Any) -> Client:
    address = next(line.split()[1] for line in process.stderr if line.startswith("cubesolve: "))
    return Client(int(address.rstrip("/").rpartition(":")[2]))


@pytest.mark.exhaustive
def test_a_signal_ends_open_requests_with_an_answer(process: Any, temporary: Path) -> None:
    client, (head, body) = _begin(process), asking(**FAR)
    with client.connect(head + body) as searching, client.connect(head) as half, client.connect(b"GET / HT") as idle:
        client.until("running", 1)
        process.send_signal(signal.SIGTERM)
        for connection in (searching, half):
            answer = received(connection)
            assert answer.startswith(b"HTTP/1.1 503 ")
            assert b'{"error":"the server is shutting down"}' in answer.replace(b'": "', b'":"')
        assert received(idle) == b""
    assert process.wait() == -signal.SIGTERM
    assert "Traceback" not in process.stderr.read()
    assert list(temporary.iterdir()) == []


@pytest.mark.exhaustive
def test_killed_it_leaves_neither_a_folder_nor_a_process(process: Any, temporary: Path) -> None:
    client = _begin(process)
    assert client.ask("depth", puzzle="ring.gap", state="T", moves="T2").status == 422
    with client.connect(b"".join(asking(**FAR))):
        client.until("running", 1)
        assert len(list(temporary.iterdir())) == 1
        process.kill()
    process.stderr.read()  # until the last process that writes there has ended
    assert list(temporary.iterdir()) == []


def test_without_the_extra_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['fastapi'] = None; sys.argv = ['cubesolve', 'serve']\n"
    result = run_python(code + "from cubesolve.__main__ import main; main()", fresh=True)
    said = "cubesolve: fastapi is not installed; install the extra web with: pip install 'cubesolve[web]'\n"
    assert (result.returncode, result.stdout, result.stderr) == (1, "", said)


@pytest.mark.exhaustive
def test_the_first_request_finds_everything_loaded() -> None:
    code = """
import gc
from cubesolve.catalog.pocket.cube import neighbour_rows
from cubesolve.web import serving

def ready(_address, server):
    print(gc.get_freeze_count() > 10_000, neighbour_rows.cache_info().misses)
    server.should_exit = True

serving.serve(serving.Settings("127.0.0.1", 0, 9, 1, 1, warm=False), [], ready)
"""
    result = run_python(code)
    assert result.stdout == "True 2\n", result.stderr  # the pocket cube has two metrics


def test_other_commands_do_not_load_it() -> None:
    code = "import sys, cubesolve.cli, cubesolve.lookup; print({'fastapi', 'uvicorn'} & set(sys.modules))"
    result = run_python(code, fresh=True)
    assert result.stdout == "set()\n"


def test_what_cannot_be_served(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", "--port", str(port))
    assert (result.returncode, result.stderr) == (1, f"cubesolve: 127.0.0.1, port {port}: Address already in use\n")
    (tmp_path / "pocket").write_text(RING)
    twice = invoke("serve", "--port", "0", str(tmp_path / "pocket"))
    assert "the name pocket is used by another puzzle" in twice.stderr

"""The process of `cubesolve serve`, and those of its searches.

Searches: a bounded number at once, a bounded number waiting, and each can be ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import queue
import signal
import socket
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cubesolve.web import searches as module
from cubesolve.web import worker
from cubesolve.web.searches import Answered, BusyError, DiedError, Gone, GoneError, LateError, Searches
from cubesolve.web.served import Served
from tests.commands import invoke
from tests.patience import PATIENCE
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


@pytest.fixture
def client(process: Any) -> Client:
    address = next(line.split()[1] for line in process.stderr if line.startswith("cubesolve: "))
    return Client(int(address.rstrip("/").rpartition(":")[2]))


@pytest.mark.parametrize("number", [signal.SIGINT, later(signal.SIGTERM)])
def test_it_serves_until_a_signal(process: Any, client: Client, temporary: Path, number: signal.Signals) -> None:
    assert client.ask("depth", puzzle="ring.gap", state="T").content["depth"] == 1
    assert client.ask("depth", puzzle="ring.gap", state="T", moves="T2").status == 422
    assert "<title>cubesolve</title>" in client.get("/").content
    assert len(list(temporary.iterdir())) == 1
    process.send_signal(number)
    assert process.wait() == (130 if number == signal.SIGINT else -number)
    assert list(temporary.iterdir()) == []
    assert process.stdout.read() == ""
    assert '"POST /api/depth HTTP/1.1" 200' in process.stderr.read()


@pytest.mark.exhaustive
def test_a_signal_ends_open_requests_with_an_answer(process: Any, client: Client, temporary: Path) -> None:
    head, body = asking(**FAR)
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
def test_killed_it_leaves_neither_a_folder_nor_a_process(process: Any, client: Client, temporary: Path) -> None:
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
    assert run_python(code, fresh=True).stdout == "set()\n"


def test_what_cannot_be_served(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", "--port", str(port))
    assert (result.returncode, result.stderr) == (1, f"cubesolve: 127.0.0.1, port {port}: Address already in use\n")
    (tmp_path / "pocket").write_text(RING)
    twice = invoke("serve", "--port", "0", str(tmp_path / "pocket"))
    assert "the name pocket is used by another puzzle" in twice.stderr


# -- Searches ----------------------------------------------------------------------------------------------------------

OBEDIENT = """
import json, os, sys, time
sys.stdin.readline()
print(flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked is None:  # its question is answered
        continue
    if asked["kind"] == "hang":
        while True: time.sleep(1)
    if asked["kind"] == "wait":
        sys.stdin.readline()
    if asked["kind"] == "improve":
        print("102 0 3\\n102 0 2\\n200 0 1", flush=True)
        continue
    if asked["kind"] == "die":
        print("200 0", end="", flush=True)
        os._exit(1)
    print(200, 1, json.dumps(os.getpid()), flush=True)
"""

QUICK = (sys.executable, "-IS", "-c")  # which looks for no installed packages
HANG, WAIT, DIE, ASK = ({"kind": kind} for kind in ("hang", "wait", "die", "ask"))


@pytest.fixture(autouse=True)
def _obedient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes answer, but ignore their time limits."""
    monkeypatch.setattr(module, "_COMMAND", (*QUICK, OBEDIENT))
    monkeypatch.setattr(module, "_AGAIN", 0.01)


@pytest.fixture
def searches(request: pytest.FixtureRequest) -> Searches:
    """Searches, of which some run at once and some wait; see conftest.py."""
    at_once, waiting = getattr(request, "param", (1, 1))
    return Searches(at_once, waiting, {})


async def never() -> None:
    await asyncio.Event().wait()


async def until(come: Callable[[], bool]) -> None:
    while not come():
        await asyncio.sleep(0.001)


async def begun(searches: Searches, question: dict[str, str], gone: Gone = never) -> asyncio.Future[Answered]:
    """Ask, and wait until the question is running."""
    asked = asyncio.ensure_future(searches.ask(question, PATIENCE, gone))
    await until(lambda: searches.running == 1)
    return asked


async def pid(searches: Searches) -> int:
    return int((await searches.ask(ASK, PATIENCE, never)).content)


async def test_one_is_answered_while_another_waits_and_more_are_refused(
    searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_GRACE", 0.01)
    left: Any = asyncio.Event()  # by a visitor
    first = await begun(searches, HANG, left.wait)
    second = asyncio.ensure_future(searches.ask(ASK, PATIENCE, never))
    await until(lambda: searches.waiting == 1)
    with pytest.raises(BusyError, match="busy: 2 searches are running or waiting") as busy:
        await searches.ask(ASK, PATIENCE, never)
    assert busy.value.after == PATIENCE // 2
    left.set()
    with pytest.raises(GoneError):
        await first
    answered = await second
    assert (answered.status, answered.at_once) == (200, True)
    assert (searches.open, searches.running, searches.waiting) == (0, 0, 0)


@pytest.mark.parametrize("ending", ["disconnects", "is cancelled"])
@pytest.mark.parametrize("searches", [(1, 3)], indirect=True)
async def test_a_question_that_ends_as_it_is_given_a_process_puts_it_back(searches: Searches, ending: str) -> None:
    await pid(searches)
    left: Any = asyncio.Event()  # by a visitor
    held = await begun(searches, WAIT, left.wait)
    asked = [asyncio.ensure_future(searches.ask(ASK, PATIENCE, left.wait)) for _ in range(3)]
    await until(lambda: searches.waiting == 3)
    assert (searches.idle, searches.busy, searches.lost) == (0, 1, 0)
    put_back = searches._put_back

    def end_at_once(process: Process) -> None:
        put_back(process)
        left.set() if ending == "disconnects" else [each.cancel() for each in asked]

    searches._put_back = end_at_once  # type: ignore[method-assign]
    left.set() if ending == "disconnects" else held.cancel()
    for each in (held, *asked):
        with contextlib.suppress(GoneError, asyncio.CancelledError):
            await each
    searches._put_back = put_back  # type: ignore[method-assign]
    await until(lambda: (searches.idle, searches.busy) == (1, 0))
    assert (searches.open, searches.lost) == (0, 0)
    assert await pid(searches)


@pytest.mark.parametrize("searches", [(2, 1)], indirect=True)
async def test_processes_answer_at_the_same_time(searches: Searches) -> None:
    hanging = await begun(searches, HANG)
    assert await pid(searches) == await pid(searches)
    hanging.cancel()


@pytest.mark.parametrize("question", [HANG, DIE], ids=["late", "dead"])
@pytest.mark.parametrize("searches", [(1, 0)], indirect=True)
async def test_capacity_comes_back(
    searches: Searches, question: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processes are replaced after every overrun and every death."""
    monkeypatch.setattr(module, "_GRACE", 0.01)
    pids = [await pid(searches)]
    for _ in range(3):
        with pytest.raises(LateError if question is HANG else DiedError):
            await searches.ask(question, 0.05 if question is HANG else PATIENCE, never)
        pids.append(await pid(searches))
    assert len(set(pids)) == 4
    assert (searches.open, searches.running) == (0, 0)


async def test_a_process_is_in_a_group_of_its_own_and_replaced_when_it_dies_idle(searches: Searches) -> None:
    """Ctrl-C does not reach the process; Linux compares priorities only within a session (autogroup)."""
    first = await pid(searches)
    assert (os.getpgid(first), os.getsid(first)) == (first, os.getsid(0))
    os.kill(first, signal.SIGKILL)
    with contextlib.suppress(DiedError):  # where it was asked before that was noticed
        assert await pid(searches) != first
    assert await pid(searches) != first


async def test_what_waits_too_long_is_not_started(searches: Searches) -> None:
    hanging = await begun(searches, HANG)
    with pytest.raises(BusyError, match=r"not started within 0.01 s"):
        await searches.ask(ASK, 0.01, never)
    with pytest.raises(BusyError, match=r"not started within 600 s"):
        await searches.ask(ASK, PATIENCE, never, 0.01)
    hanging.cancel()


async def test_the_end_of_the_server_is_an_answer(searches: Searches) -> None:
    asked = await begun(searches, HANG), asyncio.ensure_future(searches.ask(HANG, PATIENCE, never))
    await until(lambda: searches.waiting == 1)
    await searches.close()
    for each in asked:
        with pytest.raises(BusyError, match="the server is shutting down"):
            await each
    with pytest.raises(BusyError, match="the server is shutting down"):
        await searches.ask(ASK, PATIENCE, never)


async def test_a_process_that_does_not_begin_is_started_again(
    searches: Searches, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "_COMMAND", ("/nonexistent",))
    with pytest.raises(BusyError):
        await searches.ask(ASK, 0.1, never)
    path = f"pathlib.Path({str(tmp_path / 'begun')!r})"
    code = f"import pathlib\nif not {path}.exists(): {path}.touch(); raise SystemExit\n"  # the first time
    monkeypatch.setattr(module, "_COMMAND", (*QUICK, code + OBEDIENT))
    assert await pid(searches)


# -- A process ---------------------------------------------------------------------------------------------------------


def _question(chosen: list[str | None], fields: dict[str, str]) -> str:
    asked = {"kind": "depth", "chosen": chosen, "fields": fields, "given": None, "seconds": 6 * PATIENCE}
    return json.dumps(asked) + "\n"


def test_a_worker_answers_line_by_line_and_ends_with_its_input(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cubesolve.web.worker"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    process: Any
    with subprocess.Popen(command, **pipes) as process:
        (tmp_path / "visitors").mkdir()
        begin = {"files": {}, "folder": str(tmp_path / "visitors"), "nicer": 1, "warm": True}
        process.stdin.write(json.dumps(begin) + "\n")
        assert process.stdout.readline() == "\n"
        for said, expected in (
            ({"state": "R U"}, '200 1 {"metric":"htm","depth":2}\n'),
            ({"state": "Q"}, "422 0 "),
            ({"state": "R", "moves": "R U"}, '200 1 {"metric":"htm","depth":1}\n'),
        ):
            process.stdin.write(_question(["skewb", said.pop("moves", None)], said))
            assert process.stdout.readline().startswith(expected)
        assert len(list((tmp_path / "visitors").iterdir())) == 1
        process.stdin.write(_question([FAR["puzzle"]], {"state": FAR["state"]}))
        process.stdin.close()  # the server was killed
        assert process.wait(PATIENCE) == 0
    asyncio.run(until(lambda: not list(tmp_path.iterdir())))


def test_a_question_is_dropped_before_it_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: queue.SimpleQueue[worker.Line] = queue.SimpleQueue()
    monkeypatch.setattr(worker, "_remove_later", lambda _: None)
    monkeypatch.setattr(os, "_exit", lambda _: None)
    worker._listen(io.StringIO("1\nnull\n2\n"), lines, "")
    (first, is_dropped), (second, is_wanted) = lines.get(), lines.get()
    assert (first, is_dropped.is_set()) == ("1\n", True)
    assert (second, is_wanted.is_set()) == ("2\n", False)


def test_a_defect_is_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert worker.reply(Served({}, str(tmp_path)), {"kind": "wrong"}) == (500, False, worker.FAILED)
    assert "KeyError: 'wrong'" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # without a first line, there is nothing to do
    worker.main()


async def test_a_process_that_drops_its_question_is_kept(searches: Searches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_GRACE", PATIENCE)
    process = await pid(searches)
    left: Any = asyncio.Event()  # by a visitor
    asked = await begun(searches, WAIT, left.wait)
    left.set()
    with pytest.raises(GoneError):
        await asked
    with pytest.raises(LateError):
        await searches.ask(WAIT, PATIENCE, never, 0.1)
    assert await pid(searches) == process


async def test_answers_before_the_last_one_are_heard(searches: Searches) -> None:
    heard = list[Answered]()
    last = await searches.ask({"kind": "improve"}, PATIENCE, never, heard=heard.append)
    assert ([each.content for each in heard], last.status, last.content) == ([b"3", b"2"], 200, b"1")

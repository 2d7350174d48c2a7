"""A server in a thread of this process."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import inspect
import json
import queue
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import uvicorn

from cubesolve.web import serving
from tests.patience import PATIENCE


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine; its searches begin and end with it."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given: dict[str, Any] = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}

    async def whole() -> None:
        given["searches"].start()
        try:
            async with asyncio.timeout(PATIENCE):
                await pyfuncitem.obj(**given)
        finally:
            await given["searches"].close()

    asyncio.run(whole())
    return True


RING = "T := (1,2,3,4);"


class Answer(NamedTuple):
    status: int
    content: Any
    headers: dict[str, str]


class Client(NamedTuple):
    """A client of a server."""

    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def send(self, method: str, path: str, body: bytes | None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # a server need not read what it refuses
                connection.request(method, path, body, {"content-type": "application/json", **named})
            response = connection.getresponse()
            text = response.read().decode()
            content = json.loads(text) if "json" in response.headers["content-type"] else text
            return Answer(response.status, content, {name.lower(): value for name, value in response.headers.items()})
        finally:
            connection.close()

    def ask(self, kind: str, **said: Any) -> Answer:
        return self.send("POST", f"/api/{kind}", json.dumps(said).encode())

    def get(self, path: str, **headers: str) -> Answer:
        return self.send("GET", path, None, **headers)

    def connect(self, sent: bytes = b"") -> socket.socket:
        """Open a connection, and send something."""
        connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        connection.sendall(sent)
        return connection

    def until(self, what: str, number: int) -> None:
        """Wait until a number in the health of the server is another one."""
        end = time.monotonic() + PATIENCE
        while self.get("/api/health").content[what] != number:
            assert time.monotonic() < end
            time.sleep(0.01)


def asking(**said: Any) -> tuple[bytes, bytes]:
    """Return the head and the body of a request for a depth."""
    body = json.dumps(said).encode()
    head = "POST /api/depth HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode(), body


def received(connection: socket.socket) -> bytes:
    """Return all that a server sends until it closes a connection."""
    return b"".join(iter(lambda: connection.recv(1000), b""))


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a server with a puzzle file."""
    file = tmp_path_factory.mktemp("puzzles") / "ring.gap"
    file.write_text(RING)
    with running(str(file)) as client:
        yield client


@contextlib.contextmanager
def running(*files: str, seconds: float = PATIENCE) -> Iterator[Client]:
    """Run a server in a thread, and yield a client.

    Its processes do not prepare for searches, which takes longer than most tests.
    """
    begun = queue.SimpleQueue[tuple[str, uvicorn.Server]]()
    settings = serving.Settings("127.0.0.1", 0, seconds=seconds, searches=1, waiting=4, warm=False)
    thread = threading.Thread(target=serving.serve, args=(settings, files, lambda *server: begun.put(server)))
    thread.start()
    address, server = begun.get(timeout=PATIENCE)
    try:
        yield Client(int(address.rstrip("/").rpartition(":")[2]))
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
    assert not thread.is_alive()

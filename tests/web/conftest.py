"""A server in a thread of this process."""

from __future__ import annotations

import contextlib
import http.client
import json
import queue
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import uvicorn

from cubesolve.web import serving
from tests.patience import PATIENCE

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
    settings = serving.Settings("127.0.0.1", 0, seconds=PATIENCE, searches=1, waiting=4)
    with running(settings, [file]) as port:
        yield Client(port)


@contextlib.contextmanager
def running(settings: serving.Settings, files: list[Path]) -> Iterator[int]:
    """Run a server in a thread, and yield its port.

    Its processes do not prepare for searches, which takes longer than most tests.
    """
    begun = queue.SimpleQueue[tuple[str, uvicorn.Server]]()
    given = settings._replace(warm=False), [str(file) for file in files], lambda *server: begun.put(server)
    thread = threading.Thread(target=serving.serve, args=given)
    thread.start()
    address, server = begun.get(timeout=PATIENCE)
    try:
        yield int(address.rstrip("/").rpartition(":")[2])
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
    assert not thread.is_alive()

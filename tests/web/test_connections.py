"""Idle connections are closed, and no address can block others."""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import Iterator

import pytest

from cubesolve.web import guard, serving
from tests.patience import PATIENCE
from tests.subsets import later
from tests.web.conftest import Client, asking, received, running
from tests.web.test_api import FAR

MOST = 40
HEALTH = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
HEAD, BODY = asking(**FAR)


@pytest.fixture(scope="module")
def server() -> Iterator[running]:
    """A server that allows few connections per address."""
    settings = serving.Settings("127.0.0.1", 0, seconds=PATIENCE, searches=1, waiting=4, connections=MOST)
    with (started := running(settings, [])):
        yield started


@pytest.fixture
def few(server: running) -> Client:
    """A client of this server."""
    return Client(server.port)


@contextlib.contextmanager
def connected(client: Client, number: int = 1, sent: bytes = b"") -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(client.connect(sent)) for _ in range(number)]


def is_closed(connection: socket.socket) -> bool:
    """Whether a connection is closed, or is being closed."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"", later(b"GET / HT"), HEAD + BODY[:1]])
def test_a_further_connection_closes_the_one_that_was_idle_longest(few: Client, sent: bytes) -> None:
    with connected(few, MOST, sent) as opened:
        for _ in range(3):
            assert few.get("/api/health").status == 200
        assert is_closed(opened[0])
        assert select.select([opened[-1]], [], [], 0)[0] == []


def test_a_connection_that_was_used_is_not_the_oldest(few: Client) -> None:
    with connected(few, MOST) as opened:
        opened[0].sendall(HEALTH)
        answer = b""
        while not answer.endswith(b"}"):
            answer += opened[0].recv(1 << 16)
        assert few.get("/api/health").status == 200
        assert is_closed(opened[1])
        opened[0].sendall(HEALTH)
        assert opened[0].recv(1 << 16).startswith(b"HTTP/1.1 200 ")


def test_where_all_are_being_answered_a_further_one_is_refused(
    server: running, few: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with few.connect(HEAD + BODY):
        few.until("running", 1)
        while len(server.connections._all) > 1:  # those of other tests, and of the question
            time.sleep(0.01)
        monkeypatch.setattr(server.connections, "_most", 2)
        with few.connect(HEAD + BODY):
            while sum(not each.is_incomplete for each in [*server.connections._all]) < 2:  # until that is read
                time.sleep(0.01)
            answer = few.get("/api/health")
    assert (answer.status, answer.content) == (503, {"error": "too many connections"})


@pytest.mark.parametrize("sent", [b"", b"GET / HT", HEALTH])
def test_idle_connections_are_closed(few: Client, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    with connected(few, 3, sent) as opened:
        monkeypatch.setattr(serving, "MOST_IDLE", 0.05)
        for connection in opened:
            while not is_closed(connection):
                pass


def test_a_client_that_does_not_read_is_not_waited_for(few: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MOST_IDLE", 0.05)
    request = b"GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with few.connect() as connection, pytest.raises(ConnectionError):
        connection.sendall(request * 1_000_000)


def test_a_body_must_arrive_in_time(few: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_SLOWEST", 0.05)
    with few.connect(HEAD + BODY[:1]) as connection:
        answer = received(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"the request did not arrive within 0.05 s" in answer


def test_requests_are_counted_and_timed(few: Client) -> None:
    before = few.get("/api/health").content
    few.get("/")
    after = few.get("/api/health").content
    assert after["requests"] == before["requests"] + 2
    assert after["seconds"] >= before["seconds"]
    assert after["slowest"] >= before["slowest"] >= 0
    assert (after["running"], after["waiting"], after["refused"]) == (0, 0, before["refused"])

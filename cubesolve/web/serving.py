"""The server process, and limits on its connections: idle ones are closed, and no address can block others."""

from __future__ import annotations

import asyncio
import copy
import functools
import gc
import json
import os
import socket
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from cubesolve.runtime.machine import processors
from cubesolve.web.app import Service, application
from cubesolve.web.served import read_files

# -- Connections -------------------------------------------------------------------------------------------------------

MOST_CONNECTIONS = 1_000  # the largest number of connections
MOST_FROM_ONE = 100  # the default limit of connections from one address
MOST_IDLE = 20  # the seconds within which a client must send the headers of a request, or read more of an answer
_MOST_READ = 1 << 12  # bytes at once, because thousands of requests in one packet would block the server
_BUSY = "too many connections"


class Connections:
    """The open connections.

    If there are too many, the one that has waited longest for a complete request is closed. If all of them are being
    answered, the new one is refused.
    """

    def __init__(self, most_from_one: int = MOST_FROM_ONE) -> None:
        self._most = most_from_one
        self._by_address: defaultdict[str, set[_Connection]] = defaultdict(set)
        self._all = set[_Connection]()

    def add(self, new: _Connection) -> None:
        """Accept a connection, or refuse it."""
        theirs = self._by_address[new.address]
        for among, limit in ((theirs, self._most), (self._all, MOST_CONNECTIONS)):
            if len(among) >= limit and not _close_one(among):
                new.refuse(503, _BUSY)
                return
        theirs.add(new)
        self._all.add(new)

    def remove(self, old: _Connection) -> None:
        self._all.discard(old)
        self._by_address[old.address].discard(old)
        if not self._by_address[old.address]:
            del self._by_address[old.address]

    def sweep(self) -> None:
        """Close connections that have been idle for too long."""
        before = time.monotonic() - MOST_IDLE
        for connection in [connection for connection in self._all if connection.waits_since < before]:
            connection.transport.abort()


def _close_one(among: Iterable[_Connection]) -> bool:
    oldest = min(
        (connection for connection in among if connection.is_incomplete), key=lambda each: each.since, default=None
    )
    if oldest is not None:
        oldest.transport.abort()
        oldest.connections_open.remove(oldest)
    return oldest is not None


class _Connection(H11Protocol):
    """A connection that records how long it has waited for its client."""

    def __init__(self, *args: Any, connections_open: Connections, **named: Any) -> None:
        super().__init__(*args, **named)
        self.connections_open = connections_open
        self.since = time.monotonic()  # when it was opened, or when its last request was answered
        self._full_since: float | None = None

    @property
    def address(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered, or received beyond its headers."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_incomplete(self) -> bool:
        """Whether no complete request is being answered."""
        return self.is_idle or self.cycle.more_body

    @property
    def waits_since(self) -> float:
        """The time since when it has waited for its client; infinity if it is not waiting."""
        if self._full_since is not None:
            return self._full_since
        return self.since if self.is_idle else float("inf")

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.max_size = _MOST_READ  # type: ignore[attr-defined]  # the size of asyncio's reads
        self.connections_open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.connections_open.remove(self)
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self.since = time.monotonic()
        super().on_response_complete()

    def pause_writing(self) -> None:
        self._full_since = time.monotonic()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._full_since = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # errors are JSON, unlike this message
        self.refuse(400, "malformed request")

    def refuse(self, status: int, error: str) -> None:
        """Answer with an error, and close the connection."""
        body = json.dumps({"error": error}).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        conn = h11.Connection(h11.SERVER)
        for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(conn.send(event) or b"")
        self.transport.close()


# -- The server process ------------------------------------------------------------------------------------------------

_LEAVING = 2  # seconds for requests that are running at shutdown
_ACCEPTED = 16  # connections at once; fewer than one address may have, so that a new one can send before it is closed


class Settings(NamedTuple):
    """The settings of a server."""

    host: str  # the address to bind
    port: int  # the port; 0 for any free one
    seconds: float  # the time limit of a request
    searches: int  # the number of searches that run at once
    waiting: int  # the number of further searches that may wait
    connections: int = MOST_FROM_ONE  # the limit of connections from one address
    warm: bool = True  # whether worker processes prepare for searches before the first one


def usual_searches() -> int:
    """Return the default number of searches, which leaves a processor for other requests."""
    return max(1, processors() - 1)


def serve(settings: Settings, files: Sequence[str], ready: Callable[[str, uvicorn.Server], object]) -> None:
    """Answer requests until the process receives a signal to end; `ready` gets the address of the page."""
    texts = read_files(files)
    with (
        _bound(settings.host, settings.port) as listening,
        tempfile.TemporaryDirectory(prefix="cubesolve-serve-", ignore_cleanup_errors=True) as folder,
    ):
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = f"http://{host}:{listening.getsockname()[1]}/"
        limits = settings.searches, settings.waiting, settings.seconds
        service = Service(texts, folder, *limits, warm=settings.warm)
        connections = Connections(settings.connections)
        logged = copy.deepcopy(uvicorn.config.LOGGING_CONFIG)
        logged["handlers"]["access"]["stream"] = "ext://sys.stderr"  # as its other messages
        config = uvicorn.Config(
            application(service, [settings.host]),
            http=functools.partial(_Connection, connections_open=connections),  # type: ignore[arg-type]  # a factory
            log_config=logged,
            server_header=False,
            ws="none",
            proxy_headers=False,
            backlog=_ACCEPTED,
            timeout_keep_alive=MOST_IDLE,
            timeout_graceful_shutdown=_LEAVING,
        )
        server = _Server(config, service, connections, functools.partial(ready, address))
        server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that reports when it is ready, closes idle connections, and ends running requests at shutdown."""

    def __init__(
        self,
        config: uvicorn.Config,
        service: Service,
        connections: Connections,
        ready: Callable[[uvicorn.Server], object],
    ) -> None:
        super().__init__(config)
        self._service, self._connections, self._ready = service, connections, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(MOST_CONNECTIONS)  # the number of connections that may wait to be accepted
        gc.collect()
        gc.freeze()  # later collections skip the loaded objects; traversing them would block requests for 0.1 s
        self._ready(self)

    async def on_tick(self, counter: int) -> bool:
        self._connections.sweep()  # ten times a second
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._service.close()  # running requests get an error
        await super().shutdown(sockets)


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    bound = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(place)
        bound.listen(MOST_CONNECTIONS)
    except BaseException:
        bound.close()
        raise
    return bound

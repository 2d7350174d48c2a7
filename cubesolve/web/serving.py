"""The server process: uvicorn with the settings of `serve`, and what it does when it begins and ends."""

from __future__ import annotations

import asyncio
import copy
import functools
import gc
import os
import socket
import tempfile
from collections.abc import Callable, Sequence
from typing import NamedTuple

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from cubesolve.web.app import Service, application
from cubesolve.web.served import read_files

_LEAVING = 2  # seconds for requests that are running at shutdown
_IDLE = 20  # seconds after which a connection is closed if no further request arrives on it
_MOST_CONNECTIONS = 1_000  # while that many are open, requests are refused
_MOST_READ = 1 << 12  # bytes at once, because thousands of chunks or requests in one packet would block the server


class Settings(NamedTuple):
    """The settings of a server."""

    host: str  # the address to bind
    port: int  # the port; 0 for any free one
    seconds: float  # the time limit of a request
    searches: int  # the number of searches that run at once
    waiting: int  # the number of further searches that may wait
    warm: bool = True  # whether worker processes prepare for searches before the first one


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
        logged = copy.deepcopy(uvicorn.config.LOGGING_CONFIG)
        logged["handlers"]["access"]["stream"] = "ext://sys.stderr"  # as its other messages
        config = uvicorn.Config(
            application(service, [settings.host]),
            http=_Connection,
            log_config=logged,
            server_header=False,
            ws="none",
            proxy_headers=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_keep_alive=_IDLE,
            timeout_graceful_shutdown=_LEAVING,
        )
        server = _Server(config, service, functools.partial(ready, address))
        server.run(sockets=[listening])


class _Connection(H11Protocol):
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.max_size = _MOST_READ  # type: ignore[attr-defined]  # the size of asyncio's reads


class _Server(uvicorn.Server):
    """A server that reports when it is ready, and ends running requests at shutdown."""

    def __init__(self, config: uvicorn.Config, service: Service, ready: Callable[[uvicorn.Server], object]) -> None:
        super().__init__(config)
        self._service, self._ready = service, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # later collections skip the loaded objects; traversing them would block requests for 0.1 s
        self._ready(self)

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
        bound.listen()
    except BaseException:
        bound.close()
        raise
    return bound

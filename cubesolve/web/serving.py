"""The server process."""

from __future__ import annotations

import contextlib
import copy
import functools
import gc
import os
import socket
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import uvicorn

from cubesolve.runtime.machine import processors
from cubesolve.runtime.temporary import TemporaryFolder
from cubesolve.web.app import Service, application
from cubesolve.web.connections import MOST_CONNECTIONS, MOST_FROM_ONE, MOST_IDLE, Connection, Connections
from cubesolve.web.served import read_files

_LEAVING = 2  # seconds for requests that are running at shutdown
_ACCEPTED = 16  # connections at once; fewer than one address may have, so that a new one can send before it is closed


class Settings(NamedTuple):
    """The settings of a server.

    Attributes:
        host: the address to bind.
        port: the port; 0 for any free one.
        seconds: the time limit of a request.
        searches: the number of searches that run at once.
        waiting: the number of further searches that may wait.
        connections: the limit of connections from one address.
        warm: whether worker processes prepare for searches before the first one.
    """

    host: str
    port: int
    seconds: float
    searches: int
    waiting: int
    connections: int = MOST_FROM_ONE
    warm: bool = True


def usual_searches() -> int:
    """Return the default number of searches, which leaves a processor for other requests."""
    return max(1, processors() - 1)


def serve(settings: Settings, files: Sequence[str], ready: Callable[[str, uvicorn.Server], object]) -> None:
    """Answer requests until the process receives a signal to end.

    Args:
        ready: called with the address of the page and the server, when the page is available.

    Raises:
        OSError: the address cannot be bound.
        InvalidDefinitionError: a file is invalid.
    """
    texts = read_files(files)
    with (
        _bound(settings.host, settings.port) as listening,
        contextlib.closing(TemporaryFolder()) as folder,
    ):
        address = f"http://{_shown(settings.host)}:{listening.getsockname()[1]}/"
        limits = settings.searches, settings.waiting, settings.seconds
        service = Service(texts, folder.path, *limits, warm=settings.warm)
        connections = Connections(settings.connections)
        config = uvicorn.Config(
            application(service, [settings.host]),
            http=functools.partial(Connection, connections_open=connections),  # type: ignore[arg-type]  # a factory
            log_config=_on_standard_error(),
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
        """Start to answer requests."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(MOST_CONNECTIONS)  # the number of connections that may wait to be accepted
        gc.collect()
        gc.freeze()  # later collections skip the loaded objects; traversing them would block requests for 0.1 s
        self._ready(self)

    async def on_tick(self, counter: int) -> bool:
        """Close idle connections, ten times a second."""
        self._connections.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down; running requests get an error."""
        await self._service.close()
        await super().shutdown(sockets)


def _on_standard_error() -> dict[str, Any]:
    """Return uvicorn's logging configuration, with stderr in place of stdout."""
    config = copy.deepcopy(uvicorn.config.LOGGING_CONFIG)
    config["handlers"]["access"]["stream"] = "ext://sys.stderr"
    return config


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


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host

"""Running the server."""

from __future__ import annotations

import copy
import os
import socket
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import uvicorn

from cubesolve.web.app import Service, application
from cubesolve.web.searches import Searches
from cubesolve.web.served import Served

_SWITCH = 0.001  # seconds that Python code of one thread runs while another one's waits
_MOST_CONNECTIONS = 1_000
_KEPT = 30  # seconds that a connection is kept for the next question
_LEAVING = 2  # seconds for what is under way at the end
_BACKLOG = 256


class Settings(NamedTuple):
    """How to serve.

    Attributes:
        host: the address to be bound.
        port: the port; any that is free, if it is 0.
        seconds: the time for a question.
        searches: how many are answered at once that take a while.
        waiting: how many more of these wait.
    """

    host: str
    port: int
    seconds: float
    searches: int
    waiting: int


def usual_searches() -> int:
    """How many searches there are at once, if nothing is said: a processor is left for what needs none."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, processors - 1)


def serve(settings: Settings, files: Sequence[str], ready: Callable[[str, uvicorn.Server], object]) -> None:
    """Answer requests until the process is told to end.

    Args:
        settings: how.
        files: files that describe puzzles.
        ready: is called with the address of the page, as soon as it is there, and with what serves it.

    Raises:
        OSError: the address cannot be bound.
        InvalidDefinitionError: a file describes no puzzle.
    """
    sys.setswitchinterval(_SWITCH)
    with _bound(settings.host, settings.port) as listening:
        address = f"http://{_shown(settings.host)}:{listening.getsockname()[1]}/"
        service = Service(Served(files), Searches(settings.searches, settings.waiting), settings.seconds)
        config = uvicorn.Config(
            application(service, [settings.host]),
            log_config=_on_standard_error(),
            server_header=False,
            ws="none",
            proxy_headers=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_keep_alive=_KEPT,
            timeout_graceful_shutdown=_LEAVING,
        )
        _Server(config, address, ready).run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that tells when it answers."""

    def __init__(self, config: uvicorn.Config, address: str, ready: Callable[[str, uvicorn.Server], object]) -> None:
        super().__init__(config)
        self._address, self._ready = address, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        self._ready(self._address, self)


def _on_standard_error() -> dict[str, Any]:
    """What uvicorn logs, with nothing on standard output."""
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
        bound.listen(_BACKLOG)
    except BaseException:
        bound.close()
        raise
    return bound


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host

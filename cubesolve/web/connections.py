"""Limits on connections: idle ones are closed, and no address can block others."""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 1_000
"""The largest number of connections."""

MOST_FROM_ONE = 100
"""The default limit of connections from one address."""

MOST_IDLE = 20
"""The seconds within which a client must send the headers of a request, or read more of an answer."""

_MOST_READ = 1 << 12  # bytes at once, because thousands of requests in one packet would block the server
_BUSY = "too many connections"


class Connections:
    """The open connections.

    If there are too many, the one that has waited longest for a complete request is closed. If all of them are being
    answered, the new one is refused.
    """

    def __init__(self, most_from_one: int = MOST_FROM_ONE) -> None:
        """Start without connections."""
        self._most = most_from_one
        self._by_address: defaultdict[str, set[Connection]] = defaultdict(set)
        self._all = set[Connection]()

    def add(self, new: Connection) -> None:
        """Accept a connection, or refuse it."""
        theirs = self._by_address[new.address]
        for among, most in ((theirs, self._most), (self._all, MOST_CONNECTIONS)):
            if len(among) >= most and not _close_one(among):
                new.refuse(503, _BUSY)
                return
        theirs.add(new)
        self._all.add(new)

    def remove(self, old: Connection) -> None:
        """Remove a connection."""
        self._all.discard(old)
        self._by_address[old.address].discard(old)
        if not self._by_address[old.address]:
            del self._by_address[old.address]

    def sweep(self) -> None:
        """Close connections that have been idle for too long."""
        before = time.monotonic() - MOST_IDLE
        for each in [each for each in self._all if each.waits_since < before]:
            each.transport.abort()


def _close_one(among: Iterable[Connection]) -> bool:
    oldest = min((each for each in among if each.is_incomplete), key=lambda each: each.since, default=None)
    if oldest is not None:
        oldest.transport.abort()
        oldest.connections_open.remove(oldest)
    return oldest is not None


class Connection(H11Protocol):
    """A connection that records how long it has waited for its client.

    Attributes:
        since: the time when it was opened, or when its last request was answered.
    """

    def __init__(self, *args: Any, connections_open: Connections, **named: Any) -> None:
        """Open a connection among others."""
        super().__init__(*args, **named)
        self.connections_open = connections_open
        self.since = time.monotonic()
        self._full_since: float | None = None

    @property
    def address(self) -> str:
        """The address of the client."""
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
        """Register the connection."""
        super().connection_made(transport)
        transport.max_size = _MOST_READ  # type: ignore[attr-defined]  # the size of asyncio's reads
        self.connections_open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection."""
        self.connections_open.remove(self)
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self.since = time.monotonic()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Start to wait until the client reads more of an answer."""
        self._full_since = time.monotonic()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Stop waiting for the client to read."""
        self._full_since = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # errors are JSON, unlike this message
        """Refuse a malformed request."""
        self.refuse(400, "malformed request")

    def refuse(self, status: int, error: str) -> None:
        """Answer with an error, and close the connection."""
        body = json.dumps({"error": error}).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        conn = h11.Connection(h11.SERVER)
        for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(conn.send(event) or b"")
        self.transport.close()

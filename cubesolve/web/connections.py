"""Connections: none stays open for nothing, and no address keeps others from the server."""

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
"""The most connections at once."""

MOST_FROM_ONE = 100
"""The most connections of one address, unless the user sets another limit."""

MOST_IDLE = 20
"""The seconds in which a request must come, headers included, and in which a client must take what is answered."""

_MOST_READ = 1 << 12  # bytes at once: thousands of requests or pieces in one packet would take long
_BUSY = "too many connections"


class Connections:
    """The connections that are open.

    Where there are too many, the one is closed that has waited longest for a request to be complete. If all are being
    answered, the new one is refused.
    """

    def __init__(self, most_from_one: int = MOST_FROM_ONE) -> None:
        """Begin with none.

        Args:
            most_from_one: the most of one address.
        """
        self._most = most_from_one
        self._by_address: defaultdict[str, set[Connection]] = defaultdict(set)
        self._all = set[Connection]()

    def add(self, new: Connection) -> None:
        """Let a connection in, or refuse it."""
        theirs = self._by_address[new.address]
        for among, most in ((theirs, self._most), (self._all, MOST_CONNECTIONS)):
            if len(among) >= most and not _close_one(among):
                new.refuse(503, _BUSY)
                return
        theirs.add(new)
        self._all.add(new)

    def remove(self, old: Connection) -> None:
        """Forget a connection."""
        self._all.discard(old)
        self._by_address[old.address].discard(old)
        if not self._by_address[old.address]:
            del self._by_address[old.address]

    def sweep(self) -> None:
        """Close those on which nothing happened for too long."""
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
    """A connection, which knows since when it waits for its client.

    Attributes:
        since: when it was made, or when the last request was answered.
    """

    def __init__(self, *args: Any, connections_open: Connections, **named: Any) -> None:
        """Take what all connections have in common."""
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
        """Whether there is no whole request that is to be answered."""
        return self.is_idle or self.cycle.more_body

    @property
    def waits_since(self) -> float:
        """Since when it waits for its client; forever after, if it does not."""
        if self._full_since is not None:
            return self._full_since
        return self.since if self.is_idle else float("inf")

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin."""
        super().connection_made(transport)
        transport.max_size = _MOST_READ  # type: ignore[attr-defined]  # which asyncio reads at once
        self.connections_open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self.connections_open.remove(self)
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self.since = time.monotonic()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait until the client takes what was answered."""
        self._full_since = time.monotonic()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Go on."""
        self._full_since = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # it is said in JSON, as all errors are
        """Say that what came in is no request."""
        self.refuse(400, "this is no request")

    def refuse(self, status: int, error: str) -> None:
        """Answer nothing but an error, and end."""
        body = json.dumps({"error": error}).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        conn = h11.Connection(h11.SERVER)
        for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(conn.send(event) or b"")
        self.transport.close()

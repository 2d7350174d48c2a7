"""Checks of every request: its host and origin, its size, and the time it takes to arrive."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import time
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1 << 16  # the largest size of a request's body
MOST_TEXT_BYTES = 1 << 19  # the largest size of a body with the text of a file

_WITH_TEXT = "/api/puzzles"
_FEW_BYTES = 2_000  # a smaller body cannot have too many values
_MOST_VALUES = 100
_SLOWEST = 20.0  # seconds within which the body must arrive
_POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"
_HEADERS = {
    "Content-Security-Policy": f"{_POLICY}; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_RAW = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]


class Guard:
    """ASGI middleware that rejects invalid requests.

    Pages of other sites in the same browser cannot send requests: the origin header has their address. If their name
    resolves to this machine (DNS rebinding), the host header has that name.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = {"localhost", *(name.lower() for name in names)}
        self.requests, self.seconds, self.slowest = 0, 0.0, 0.0  # answered, their total time, and the longest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.monotonic()
        try:
            await self._answer(scope, receive, send)
        finally:
            took = time.monotonic() - began
            self.requests, self.seconds, self.slowest = self.requests + 1, self.seconds + took, max(self.slowest, took)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = MOST_TEXT_BYTES if scope["path"] == _WITH_TEXT else MOST_BYTES
        begun = False

        async def with_headers(message: Message) -> None:
            nonlocal begun
            begun = True
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(header for header in _RAW if header[0] not in own)]
            await send(message)

        try:
            refusal = self._refusal(scope, Headers(scope=scope), limit)
            if refusal is None:
                refusal, receive = await _received(receive, limit)
            if refusal is None:
                await self._app(scope, receive, with_headers)
            else:
                await _refuse(send, *refusal)
        except asyncio.CancelledError:  # the server has stopped waiting for this request
            if not begun:
                await _refuse(send, 503, "the server is shutting down")

    def _refusal(self, scope: Scope, headers: Headers, most: int) -> _Refusal | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(_name(f"//{hosts[0]}")):
            return 400, "the host is not a name of this server"
        origins = headers.getlist("origin")
        if any(origin != f"{scope['scheme']}://{hosts[0]}" for origin in origins):
            return 403, _OTHER_SITE
        if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"} and scope["path"].startswith("/api/"):
            return 403, _OTHER_SITE
        if "transfer-encoding" in headers:  # joining thousands of small chunks would block the server
            return 411, "the Content-Length header is missing"
        return _too_large(most) if int(headers.get("content-length", "0") or 0) > most else None

    def _is_own(self, name: str | None) -> bool:
        if name is None:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return True


_Refusal = tuple[int, str]
_OTHER_SITE = "requests from pages of other sites are not allowed"


def _too_large(most: int) -> _Refusal:
    return 413, f"the request is too large: at most {most:,} bytes"


def _has_too_many_values(body: bytes) -> bool:
    """Return whether a body has more values than any valid request, which would take long to validate."""
    with contextlib.suppress(ValueError, RecursionError):  # validation reports these errors
        content = json.loads(body)
        values = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
        return len(values) > _MOST_VALUES or any(isinstance(value, (dict, list)) for value in values)
    return False


def _name(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


async def _received(receive: Receive, most: int) -> tuple[_Refusal | None, Receive]:
    """Receive the whole body, and return a function that replays it; or a refusal if it is too large or too slow."""
    parts, size = list[bytes](), 0
    try:
        async with asyncio.timeout(_SLOWEST):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None, receive
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > most:
                    return _too_large(most), receive
                if not message.get("more_body"):
                    break
    except TimeoutError:
        return (408, f"the request did not arrive within {_SLOWEST:g} s"), receive
    body = b"".join(parts)
    if _FEW_BYTES < size <= MOST_BYTES and _has_too_many_values(body):
        return (422, "the request has too many values"), receive
    whole = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def again() -> Message:
        return next(whole, None) or await receive()

    return None, again


async def _refuse(send: Send, status: int, error: str) -> None:
    headers = [*_RAW, (b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": error}).encode()})

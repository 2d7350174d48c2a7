"""What every request must be like, whatever it asks: who may send one, how large it is, how long it takes to come."""

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

MOST_BYTES = 1 << 16
"""The size of what is sent with a request."""

MOST_TEXT_BYTES = 1 << 19
"""The size of what is sent with a request that has the text of a file in it."""

_WITH_TEXT = "/api/puzzles"
_FEW_BYTES = 2_000  # in which there cannot be too many values
_MOST_VALUES = 100
_SLOWEST = 20.0  # seconds in which all of it must be there
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
    """Lets through what may come in.

    A page of somebody else's, open in the same browser, cannot ask anything: its requests carry its origin, and where
    it gives its own name the address of this machine (DNS rebinding), they carry that name.

    Attributes:
        requests: how many requests were answered.
        seconds: how long these took together.
        slowest: how long the one took that took longest.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        """Take what is guarded.

        Args:
            app: answers.
            names: what this server is called, beside ``localhost`` and addresses in figures.
        """
        self._app = app
        self._names = {"localhost", *(name.lower() for name in names)}
        self.requests, self.seconds, self.slowest = 0, 0.0, 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
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
        most = MOST_TEXT_BYTES if scope["path"] == _WITH_TEXT else MOST_BYTES
        begun = False

        async def with_headers(message: Message) -> None:
            nonlocal begun
            begun = True
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_RAW]
            await send(message)

        try:
            refusal = self._refusal(scope, Headers(scope=scope), most)
            if refusal is None:
                refusal, receive = await _received(receive, most)
            if refusal is None:
                await self._app(scope, receive, with_headers)
            else:
                await _refuse(send, *refusal)
        except asyncio.CancelledError:  # the server does not wait any longer for what was sent, or is to be answered
            if not begun:
                await _refuse(send, 503, "the server is ending")

    def _refusal(self, scope: Scope, headers: Headers, most: int) -> _Refusal | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(_name(f"//{hosts[0]}")):
            return 400, "this is not a name of this server"
        origins = headers.getlist("origin")
        if any(origin != f"{scope['scheme']}://{hosts[0]}" for origin in origins):
            return 403, "pages of other sites may not ask"
        if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"} and scope["path"].startswith("/api/"):
            return 403, "pages of other sites may not ask"
        if "transfer-encoding" in headers:  # thousands of small pieces would take long to join
            return 411, "this does not say how long it is"
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


def _too_large(most: int) -> _Refusal:
    return 413, f"this is too large: at most {most:,} bytes"


def _has_too_many_values(body: bytes) -> bool:
    """Whether what is sent is JSON that nobody means as a question: to say what is wrong with it would take long."""
    with contextlib.suppress(ValueError, RecursionError):  # others say what is wrong then
        content = json.loads(body)
        values = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
        return len(values) > _MOST_VALUES or any(isinstance(each, (dict, list)) for each in values)
    return False


def _name(url: str) -> str | None:
    """The name in an address, without the port."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


async def _received(receive: Receive, most: int) -> tuple[_Refusal | None, Receive]:
    """All that is sent, unless it is too large or too slow; and what gives it again."""
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
        return (408, f"this did not arrive within {_SLOWEST:g} s"), receive
    body = b"".join(parts)
    if _FEW_BYTES < size <= MOST_BYTES and _has_too_many_values(body):
        return (422, "this has too many values for a question"), receive
    whole = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def again() -> Message:
        return next(whole, None) or await receive()

    return None, again


async def _refuse(send: Send, status: int, error: str) -> None:
    headers = [*_RAW, (b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": error}).encode()})

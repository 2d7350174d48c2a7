"""What every request must be like, whatever it asks: who may send one, how large it is, how long it takes to come."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1 << 19
"""The size of what is sent with a request."""

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
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        """Take what is guarded.

        Args:
            app: answers.
            names: what this server is called, beside ``localhost`` and addresses in figures.
        """
        self._app = app
        self._names = {"localhost", *(name.lower() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is None and int(headers.get("content-length", "0") or 0) > MOST_BYTES:
            refusal = _TOO_LARGE
        if refusal is None:
            refusal, receive = await _received(receive)
        if refusal is not None:
            await _refuse(send, *refusal)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_RAW]
            await send(message)

        await self._app(scope, receive, with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> _Refusal | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(_name(f"//{hosts[0]}")):
            return 400, "this is not a name of this server"
        origins = headers.getlist("origin")
        if any(origin != f"{scope['scheme']}://{hosts[0]}" for origin in origins):
            return 403, "pages of other sites may not ask"
        if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"} and scope["path"].startswith("/api/"):
            return 403, "pages of other sites may not ask"
        return None

    def _is_own(self, name: str | None) -> bool:
        if name is None:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return True


_Refusal = tuple[int, str]
_TOO_LARGE: _Refusal = (413, f"this is too large: at most {MOST_BYTES:,} bytes")


def _name(url: str) -> str | None:
    """The name in an address, without the port."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


async def _received(receive: Receive) -> tuple[_Refusal | None, Receive]:
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
                if size > MOST_BYTES:
                    return _TOO_LARGE, receive
                if not message.get("more_body"):
                    break
    except TimeoutError:
        return (408, f"this did not arrive within {_SLOWEST:g} s"), receive
    whole = iter([{"type": "http.request", "body": b"".join(parts), "more_body": False}])

    async def again() -> Message:
        return next(whole, None) or await receive()

    return None, again


async def _refuse(send: Send, status: int, error: str) -> None:
    headers = [*_RAW, (b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"error": error}).encode()})

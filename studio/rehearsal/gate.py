"""What stands before the routes: the API key, the faults that hit every answer, and the clock of the last client."""

from __future__ import annotations

import asyncio
import hmac
import time

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.rehearsal.faults import Faults

GUARDED = ("/v1", "/v2", "/inference", "/cohere")
_PROXY_PAGE = "<html><head><title>{code}</title></head><body><center><h1>{code}</h1></center><hr>nginx</body></html>"


class Clients:
    """When anybody last asked for anything (monotonic seconds)."""

    def __init__(self) -> None:
        self.last_seen = time.monotonic()


class Gate:
    """Middleware. `key`: the API key, or None for an open server."""

    def __init__(self, app: ASGIApp, faults: Faults, clients: Clients, key: str | None) -> None:
        self.app, self.faults, self.clients, self.key = app, faults, clients, key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        self.clients.last_seen = time.monotonic()
        refusal = None if scope["path"].startswith("/_rehearsal") else await self._refusal(scope)
        broken = refusal is None and self.faults.take("broken_json")
        await (refusal or self.app)(scope, receive, _broken(send) if broken else send)
        self.clients.last_seen = time.monotonic()

    async def _refusal(self, scope: Scope) -> Response | None:
        if fault := self.faults.take("slow_answer"):
            await asyncio.sleep(fault.number(5))
        if fault := self.faults.take("http"):
            code = int(fault.number(502))
            return HTMLResponse(_PROXY_PAGE.format(code=code), code)
        if not scope["path"].startswith(GUARDED) or scope["method"] == "OPTIONS":
            return None
        if self.faults.take_since("unauthorized") or not self._holds_key(scope):
            return JSONResponse({"error": "Unauthorized"}, 401)
        return None

    def _holds_key(self, scope: Scope) -> bool:
        if self.key is None:
            return True
        sent = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        scheme, _, token = sent.partition(b" ")
        return bool(scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self.key.encode()))


def _broken(send: Send) -> Send:
    """Sends half of a JSON body and calls it all; other answers pass."""
    held: list[Message] = []

    async def half(message: Message) -> None:
        if message["type"] == "http.response.start":
            if dict(message["headers"]).get(b"content-type") == b"application/json":
                held.append(message)
                return
        elif held:
            start = held.pop()
            body = message["body"][: len(message["body"]) // 2]
            headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
            await send({**start, "headers": [*headers, (b"content-length", str(len(body)).encode())]})
            message = {"type": "http.response.body", "body": body}
        await send(message)

    return half

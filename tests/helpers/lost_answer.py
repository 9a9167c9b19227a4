"""A way to a rehearsal server on which the answer to the first POST is lost."""

from __future__ import annotations

import httpx

from studio.client import Client
from studio.jobs import Job
from studio.jobs.servers import Connection, DirectServers
from studio.server import RehearsalLauncher


class LosesTheAnswer(httpx.AsyncHTTPTransport):
    """Passes requests on, and breaks the connection before the answer to the first POST.

    `copies`: how often that POST reaches the server, as through a proxy that repeats what it should not.
    """

    def __init__(self, *, copies: int = 1) -> None:
        super().__init__()
        self.posts = 0
        self._copies = copies

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method != "POST":
            return await super().handle_async_request(request)
        self.posts += 1
        if self.posts > 1:
            return await super().handle_async_request(request)
        content = await request.aread()
        for _ in range(self._copies):
            copy = httpx.Request("POST", request.url, headers=request.headers, content=content)
            response = await super().handle_async_request(copy)
            await response.aread()
            await response.aclose()
        raise httpx.ReadError("connection reset", request=request)


class LossyServers(DirectServers):
    """A rehearsal server that is reached so."""

    def __init__(self, transport: httpx.AsyncHTTPTransport) -> None:
        super().__init__(RehearsalLauncher("cli", step_seconds=0.01))
        self._transport = transport

    async def connect(self, job: Job) -> Connection:
        """The server's connection, with the transport in between."""
        connection = await super().connect(job)
        return Connection(Client(connection.client.url, transport=self._transport), None, connection.record)

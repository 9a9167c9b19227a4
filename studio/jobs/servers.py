"""How a job gets to a server: the window's own, one of an earlier start, or one that is started for this job alone."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, Protocol

from studio.client import Client
from studio.core.tasks import TaskScope
from studio.jobs.job import Job
from studio.server import LogWatch, RehearsalLauncher, ServerManager, ServerRecord, records
from studio.settings import secrets


@dataclass(frozen=True, slots=True)
class Connection:
    """A server that can take the job. `watch` tells its progress when its log is ours to read."""

    client: Client
    watch: LogWatch | None = None
    record: ServerRecord | None = None
    about: dict[str, Any] = field(default_factory=dict)
    """What the sidecar says of the server: url, model, version. Nothing secret."""

    @property
    def server_died(self) -> bool:
        """Whether the server was ours and runs no more."""
        return self.record is not None and not self.record.process.alive()


class Servers(Protocol):
    """Finds or starts the server of a job."""

    async def connect(self, job: Job) -> Connection:
        """Wait until the job's server can take it. Raises StudioError when it cannot be had."""

    async def aclose(self) -> None:
        """Close connections; servers go on."""


class DirectServers:
    """For the command line: attaches to an address, or starts a rehearsal server and finds it again later."""

    def __init__(self, launcher: RehearsalLauncher | None = None) -> None:
        self.launcher = launcher or RehearsalLauncher("cli")
        self.started: list[ServerRecord] = []
        self._scope = TaskScope("servers")
        self._open: dict[str, Connection] = {}

    async def connect(self, job: Job) -> Connection:
        """The server that holds the job, the one at its address, or a new rehearsal server."""
        if job.target.kind == "url":
            assert job.target.url is not None
            return await self._at(job.target.url)
        record = await asyncio.to_thread(records.load, job.target.server_id) if job.target.server_id else None
        if record is None or not record.process.alive():
            if job.remote_id is not None and record is not None:
                return await self._watched(record)  # gone: the pipeline sees it by `server_died`
            record = await self.launcher.start()
            self.started.append(record)
        return await self._watched(record)

    async def stop_started(self) -> None:
        """End the rehearsal servers that were started here."""
        for record in self.started:
            await self.launcher.stop(record)
        self.started.clear()

    async def aclose(self) -> None:
        """Close connections and log watches."""
        await self._scope.aclose()
        for connection in self._open.values():
            await connection.client.aclose()
        self._open.clear()

    async def _at(self, url: str) -> Connection:
        if url not in self._open:
            client = Client(url, api_key=await asyncio.to_thread(secrets.api_key, url))
            try:
                self._open[url] = Connection(client, about=await about(client))
            except BaseException:
                await client.aclose()
                raise
        return self._open[url]

    async def _watched(self, record: ServerRecord) -> Connection:
        if record.id not in self._open:
            client = Client(record.url or "")
            try:
                facts = await about(client) if record.process.alive() else {"url": record.url}
            except BaseException:
                await client.aclose()
                raise
            watch = LogWatch(record)
            self._scope.start(watch.run(), name=f"log {record.id}")
            self._open[record.id] = Connection(client, watch, record, facts)
        return self._open[record.id]


class ManagedServers:
    """For the window: the server that it manages; jobs of an earlier start are followed where they are."""

    def __init__(self, manager: ServerManager) -> None:
        self.manager = manager
        self._direct = DirectServers()

    async def connect(self, job: Job) -> Connection:
        """The window's server once it is ready; a job that is already on another server stays there."""
        present = self.manager.status.record
        if job.remote_id is not None and (present is None or job.target.server_id != present.id):
            return await self._direct.connect(job)
        client = await self.manager.ready()
        return Connection(client, self.manager.watch, self.manager.status.record, await about(client))

    async def aclose(self) -> None:
        """Close what was opened here; the manager closes its own."""
        await self._direct.aclose()


async def about(client: Client) -> dict[str, Any]:
    """Address, model and version of a server; checks the key on the way. Raises ClientError."""
    return {"url": client.url, "model": await client.model(), "version": await client.version()}

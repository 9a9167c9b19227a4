"""How a job gets to a server: the window's own, one of an earlier start, or one that is started for this job alone."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from studio.client import Client, ClientError
from studio.core.errors import StudioError
from studio.core.tasks import TaskScope
from studio.jobs.job import Job, Target
from studio.server import (
    Fleet,
    LogWatch,
    RehearsalLauncher,
    ServerManager,
    ServerRecord,
    ServerState,
    ServerStatus,
    records,
)
from studio.settings import secrets

_RETRY_FIRST, _RETRY_LAST = 1.0, 30.0
_NOT_NOW: Final = frozenset({"server.unreachable", "server.no_answer", "server.failed"})


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
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._open: dict[str, Connection] = {}
        self._closed = False

    async def connect(self, job: Job) -> Connection:
        """The server that holds the job, the one at its address, or a new rehearsal server."""
        if job.target.kind == "url":
            assert job.target.url is not None
            return await self._at(job.target.url)
        record = await asyncio.to_thread(records.load, job.target.server_id) if job.target.server_id else None
        if record is None or not record.process.alive():
            if job.remote_id is not None and record is not None:
                return await self._watched(record)  # gone: the pipeline sees it by `server_died`
            record = await self._chosen(job.target)
        return await self._watched(record)

    async def _chosen(self, target: Target) -> ServerRecord:
        """The server that a job without one goes to. A real one is never started here, nor its place taken by another.

        Raises StudioError `job.needs_server`.
        """
        if target.kind == "rehearsal":
            return await self._running()
        for record in await asyncio.to_thread(records.living):
            if record.url is not None and target.name in (record.profile, record.name):
                return record
        raise StudioError("job.needs_server", mend="job.needs_server.mend", name=target.name)

    async def _running(self) -> ServerRecord:
        """The rehearsal server that was started here, or a new one."""
        async with self._turns["start"]:
            last = self.started[-1] if self.started else None
            if last is None or not await asyncio.to_thread(last.process.alive):
                await self._end_nameless()
                last = await self.launcher.start()
                self.started.append(last)
            return last

    async def _end_nameless(self) -> None:
        """End rehearsal servers whose command line died before it knew their address: no job can be on one."""
        for record in await asyncio.to_thread(self._nameless):
            await self.launcher.stop(record)

    def _nameless(self) -> list[ServerRecord]:
        by = self.launcher.started_by
        left = [record for record in records.living() if record.kind == "rehearsal" and record.started_by == by]
        return [record for record in left if record.url is None and not record.starter_alive]

    async def stop_started(self) -> None:
        """End the rehearsal servers that were started here."""
        for record in self.started:
            await self.launcher.stop(record)
        self.started.clear()

    def kill_started(self) -> None:
        """End them at once, whatever they do."""
        for record in self.started:
            record.process.kill_group()
        self.started.clear()

    async def aclose(self) -> None:
        """Close connections and log watches."""
        self._closed = True
        await self._scope.aclose()
        while self._open:
            _, connection = self._open.popitem()
            await connection.client.aclose()

    async def _at(self, url: str) -> Connection:
        async with self._turns[url]:
            if url in self._open:
                client = self._open[url].client
                return Connection(client, about=await about(client))  # asked anew: it may be another by now
            client = Client(url, api_key=await asyncio.to_thread(secrets.api_key, url))
            try:
                self._hold(url, Connection(client, about=await about(client)))
            except BaseException:
                await client.aclose()
                raise
            return self._open[url]

    async def _watched(self, record: ServerRecord) -> Connection:
        async with self._turns[record.id]:
            if record.id not in self._open:
                client = Client(record.url or "")
                watch = LogWatch(record)
                try:
                    facts = await about(client) if record.process.alive() else {"url": record.url}
                    self._hold(record.id, Connection(client, watch, record, facts))
                except BaseException:
                    await client.aclose()
                    raise
                self._scope.start(watch.run(), name=f"log {record.id}")
            return self._open[record.id]

    def _hold(self, key: str, connection: Connection) -> None:
        """Keep a connection until all are closed; one that comes later is nobody's."""
        if self._closed:
            raise asyncio.CancelledError
        self._open[key] = connection


class ManagedServers:
    """For the window: the servers that it manages; jobs of an earlier start are followed where they are."""

    def __init__(self, servers: ServerManager | Fleet) -> None:
        self.fleet = servers if isinstance(servers, Fleet) else Fleet(servers)
        self._direct = DirectServers()

    async def connect(self, job: Job) -> Connection:
        """The job's server once it is ready: the one of its place, or another by its address.

        A job that is already on a server of an earlier start stays there. One that does not answer yet, or is stopped
        this moment, is waited for.
        """
        pause = _RETRY_FIRST
        while True:
            try:
                return await self._at_once(job)
            except ClientError as error:
                if error.code not in _NOT_NOW:
                    raise
            await asyncio.sleep(pause)
            pause = min(_RETRY_LAST, 2 * pause)

    async def _at_once(self, job: Job) -> Connection:
        target = job.target
        if target.kind == "url":
            manager = self.fleet.by_url(target.url or "")
            if manager is None or manager.client is None:
                return await self._direct.connect(job)
        else:
            manager = self.fleet.at(target.place)
            present = manager.status.record
            if job.remote_id is not None and (present is None or target.server_id != present.id):
                return await self._direct.connect(job)
        client = await self._own(manager, target)
        return Connection(client, manager.watch, manager.status.record, await about(client))

    async def _own(self, manager: ServerManager, target: Target) -> Client:
        """Wait until a server of ours is the one that was chosen for the job, and ready."""
        while not serves(manager.status, target) or manager.client is None:
            await self._news(manager)
        return manager.client

    async def _news(self, manager: ServerManager) -> None:
        """Wait for another status of a server."""
        news = asyncio.Event()
        unsubscribe = manager.changed.subscribe(lambda _: news.set())
        try:
            await news.wait()
        finally:
            unsubscribe()

    async def aclose(self) -> None:
        """Close what was opened here; the managers close their own."""
        await self._direct.aclose()


def serves(status: ServerStatus, target: Target) -> bool:
    """Whether a server that is ready is the one that a job wants."""
    if status.state is not ServerState.READY:
        return False
    if target.kind == "url":
        return (status.url or "").rstrip("/") == target.url
    if status.record is None:
        return False
    match target.kind:
        case "profile":
            return status.record.profile == target.name
        case "unit":
            return status.record.name == target.name
        case _:
            return status.record.kind == "rehearsal"


async def about(client: Client) -> dict[str, Any]:
    """Address, model and version of a server; checks the key on the way. Raises ClientError."""
    return {"url": client.url, "model": await client.model(), "version": await client.version()}

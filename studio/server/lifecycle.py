"""One server of the window: started by us, adopted after a crash of ours, or attached by address.

Ready means `/health` answered 200 from the process that we started. A missed `/health` is not a death: while the
server encodes an MP4 its event loop stalls. Only what we started is ever ended.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from enum import StrEnum

from studio.client import Client, ClientError
from studio.core.children import ProcessId
from studio.core.errors import StudioError
from studio.core.events import Event
from studio.core.tasks import TaskScope
from studio.core.words import Message, say
from studio.server import records
from studio.server.launchers.base import Launcher
from studio.server.records import ServerRecord
from studio.server.watch import LogWatch

log = logging.getLogger(__name__)
_HEALTH_EVERY = 2.0


class ServerState(StrEnum):
    """Where the one server stands."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What there is to know of the server; `ours` tells whether we may stop it."""

    state: ServerState = ServerState.STOPPED
    url: str | None = None
    ours: bool = False
    rehearsal: bool = False
    model: str | None = None
    record: ServerRecord | None = None
    trouble: Message | None = None
    since: float = 0.0


class ServerManager:
    """Owns the window's server. `changed` tells every new status; `ready()` waits for one that can render."""

    def __init__(self, launcher: Launcher) -> None:
        self.launcher = launcher
        self.changed: Event[ServerStatus] = Event()
        self.status = ServerStatus()
        self.watch: LogWatch | None = None
        self.client: Client | None = None
        self._scope = TaskScope("server")
        self._tasks: list[asyncio.Task[None]] = []
        self._ready = asyncio.Event()

    async def start(self) -> None:
        """Start the launcher's server, or adopt one of ours that still runs. Raises StudioError when it fails."""
        if self.status.state in (ServerState.STARTING, ServerState.READY):
            return
        self._set(ServerStatus(ServerState.STARTING, ours=True, rehearsal=True))
        try:
            record = await self._adoptable() or await self.launcher.start()
            await self._take(record)
        except asyncio.CancelledError:
            self._set(ServerStatus())
            raise
        except StudioError as error:
            self._set(ServerStatus(ServerState.FAILED, trouble=error.message))
            raise

    async def adopt(self) -> bool:
        """Take up a server that an earlier studio of ours left running, if there is one; starts none."""
        if self.status.state is not ServerState.STOPPED or (record := await self._adoptable()) is None:
            return False
        await self._take(record)
        return True

    async def attach(self, url: str, api_key: str | None = None) -> None:
        """Use a server that somebody else runs. It is watched and never stopped. Raises ClientError."""
        await self._drop()
        client = Client(url, api_key=api_key)
        self._set(ServerStatus(ServerState.STARTING, url=url))
        try:
            await client.healthy()
            model = await client.model()
        except ClientError as error:
            await client.aclose()
            self._set(ServerStatus(ServerState.FAILED, url=url, trouble=error.message))
            raise
        self.client = client
        self._follow(ServerStatus(ServerState.READY, url=url, model=model))

    async def stop(self) -> None:
        """End the server that we started; let go of one that we only attached to."""
        record = self.status.record
        if record is None:
            await self._drop()
            self._set(ServerStatus())
            return
        self._ready.clear()
        self._set(replace(self.status, state=ServerState.STOPPING))
        await self._drop()
        await self.launcher.stop(record)
        if record.process.alive():
            self._set(ServerStatus(ServerState.FAILED, trouble=Message("server.still_running", {"pid": record.pid})))
        else:
            self._set(ServerStatus())

    async def ready(self) -> Client:
        """Wait until a server can take a request, and give its client."""
        while self.client is None or self.status.state is not ServerState.READY:
            await self._ready.wait()
            await asyncio.sleep(0)
        return self.client

    async def aclose(self) -> None:
        """Let go without ending anything."""
        await self._drop()
        await self._scope.aclose()

    async def _adoptable(self) -> ServerRecord | None:
        for record in await asyncio.to_thread(records.living):
            if record.started_by != "window" or record.url is None or record.starter_alive:
                continue
            async with Client(record.url) as client:
                try:
                    if await client.healthy():
                        return record
                except ClientError:
                    log.info("server %s of an earlier start does not answer", record.id)
        return None

    async def _take(self, record: ServerRecord) -> None:
        assert record.url is not None
        client = Client(record.url)
        try:
            async with asyncio.timeout(60):
                while not await _healthy(client):
                    await asyncio.sleep(0.1)
            model = await client.model()
        except BaseException:
            await client.aclose()
            raise
        self.client = client
        # Ours from now on: another window must not adopt it while we live.
        record = record.model_copy(update={"starter": ProcessId.mine().as_dict()}).save()
        self._follow(
            ServerStatus(ServerState.READY, url=record.url, ours=True, rehearsal=True, model=model, record=record)
        )

    def _follow(self, status: ServerStatus) -> None:
        if status.record is not None:
            self.watch = LogWatch(status.record)
            self._tasks.append(self._scope.start(self.watch.run(), name="log"))
            self._tasks.append(self._scope.start(self._notice_death(status.record), name="life"))
        self._set(status)

    async def _notice_death(self, record: ServerRecord) -> None:
        while await asyncio.to_thread(record.process.alive):
            await asyncio.sleep(_HEALTH_EVERY)
        if self.status.record is not record or self.status.state is not ServerState.READY:
            return
        how = self.launcher.how_it_ended(record)
        params = {"name": say(self.launcher.name_code), "how": how, "log": str(record.stderr)}
        client, self.client = self.client, None
        self._ready.clear()
        self._set(ServerStatus(ServerState.FAILED, trouble=Message("server.died", params)))
        if client is not None:
            await client.aclose()

    async def _drop(self) -> None:
        self._ready.clear()
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            self._scope.cancel(task)
        await asyncio.gather(*tasks, return_exceptions=True)
        client, self.client, self.watch = self.client, None, None
        if client is not None:
            await client.aclose()

    def _set(self, status: ServerStatus) -> None:
        self.status = status
        if status.state is ServerState.READY:
            self._ready.set()
        else:
            self._ready.clear()
        self.changed.emit(status)


async def _healthy(client: Client) -> bool:
    try:
        return await client.healthy()
    except ClientError:
        return False

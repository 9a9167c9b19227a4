"""One server of the window: started by us, adopted after a crash of ours, or attached by address.

Ready means `/health` answered 200 from the process that we started. A missed `/health` is not a death: while the
server encodes an MP4 its event loop stalls. A start has no time limit: loading may take as long as it takes, is shown,
and can be given up. Only what we started is ever ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from studio.client import Client, ClientError
from studio.core.children import ProcessId
from studio.core.errors import StudioError
from studio.core.events import Event
from studio.core.tasks import TaskScope
from studio.core.words import Message, say
from studio.server import machine, phases, ports, records
from studio.server.answering import answers_itself, health, tasks_of
from studio.server.ending import Ending, end_all
from studio.server.gpu_release import still_holding
from studio.server.launchers import RehearsalLauncher, launcher_of, start_units
from studio.server.launchers.base import Launcher
from studio.server.launchers.outliving import last_line
from studio.server.records import ServerRecord
from studio.server.start_watch import StartWatch
from studio.server.status import Readings, ServerState, ServerStatus
from studio.server.watch import LogWatch
from studio.settings import secrets

log = logging.getLogger(__name__)
_LOOK_EVERY: Final = 2.0
_GRACE_WHILE_LOADING: Final = 30.0
_SOURCE_ENDS_WITHIN: Final = 5.0


class ServerManager:
    """Owns one server of the window. `changed` tells every new status; `ready()` waits for one that can render.

    `place` tells it apart from the window's other servers (`studio.server.fleet`). `nvml` gives a module of pynvml's
    face, or None: after a stop the cards' memory is seen to be free through it.
    """

    def __init__(self, launcher: Launcher, *, place: str = "", nvml: Callable[[], Any | None] = machine.nvml) -> None:
        self.launcher = launcher
        self.place = place
        self.changed: Event[ServerStatus] = Event()
        self.status = ServerStatus()
        self.watch: LogWatch | None = None
        self.client: Client | None = None
        self.ending: Ending | None = None
        """The stop under way: its countdown, and `hurry()`."""
        self._nvml = nvml
        self._scope = TaskScope("server")
        self._tasks: list[asyncio.Task[None]] = []
        self._ready = asyncio.Event()
        self._start: StartWatch | None = None
        self._source: asyncio.Task[None] | None = None
        """Brings the log here; a container's ends with it, and has asked then how that was."""

    @property
    def state(self) -> ServerState:
        """Where the server stands."""
        return self.status.state

    # Getting a server.

    async def start(self) -> None:
        """Start the launcher's server, or adopt one of ours that still runs. Raises StudioError when it fails.

        Cancelled, it ends what it started and leaves what it adopted.
        """
        if self.status.state in (ServerState.STARTING, ServerState.READY):
            return
        self._set(ServerStatus(ServerState.STARTING, ours=True, rehearsal=self._rehearses))
        await self._drop()
        record = started = None
        try:
            record = await self._adoptable(self.launcher.takes)
            if record is None:
                record = started = await self.launcher.start()
            await self._see_ready(self._hold(record))
        except asyncio.CancelledError:
            await self._give_up(started)
            raise
        except StudioError as error:
            if self.state is ServerState.STARTING:  # else it ended because it was stopped
                await self._give_up(started, error)
            raise

    async def adopt(self) -> bool:
        """Take up a server that an earlier studio of ours left running, if there is one; starts none.

        One that still loads is taken up too, and waited for in the background.
        """
        if self.status.state is not ServerState.STOPPED or (record := await self._adoptable(lambda _: True)) is None:
            return False
        answers = await self._answers(record)
        record = self._hold(record)
        if answers:
            await self._see_ready(record)
        else:
            self._tasks.append(self._scope.start(self._see_ready_later(record), name="adopt"))
        return True

    async def attach(self, url: str, api_key: str | None = None) -> None:
        """Use a server that somebody else runs; waits while it loads. It is never stopped. Raises ClientError."""
        await self._drop()
        client = Client(url, api_key=api_key)
        self._set(ServerStatus(ServerState.STARTING, url=url))
        try:
            await self._until_loaded(client, url)
            model = await client.model()
        except asyncio.CancelledError:
            await client.aclose()
            self._set(ServerStatus())
            raise
        except ClientError as error:
            await client.aclose()
            self._set(ServerStatus(ServerState.FAILED, url=url, trouble=error.message))
            raise
        self.client = client
        readings = Readings(None, True, True)
        self._set(ServerStatus(ServerState.READY, url=url, model=model, readings=readings))

    # Letting it go.

    async def stop(self) -> None:
        """End the server that we started; let go of one that we only attached to."""
        record = self.status.record
        if record is None:
            await self._drop()
            self._set(ServerStatus())
            return
        loading = self.status.state is ServerState.STARTING
        self._ready.clear()
        self._set(replace(self.status, state=ServerState.STOPPING, trouble=None))
        await self._let_go_of_client()
        grace = min(record.grace, _GRACE_WHILE_LOADING) if loading else None
        left = await self._end(record, grace)
        await self._drop()
        self._set(await self._after_stop(record, left))

    def end_now(self) -> None:
        """Cut the patience of a stop short."""
        if self.ending is not None:
            self.ending.hurry()

    async def end_leftovers(self) -> None:
        """End what a stopped server left behind: its processes that still live or hold a card's memory."""
        record = self.status.record
        if record is not None and self.status.leftovers:
            # What stands here for a server elsewhere is not that server.
            elsewhere = record.kind == "ssh"
            left = await (self._end(record, None) if elsewhere else end_all(record, list(self.status.leftovers)))
            self._set(await self._after_stop(record, left))

    def forget_failure(self) -> None:
        """Nothing is wrong any more: another server was chosen. What is left of a stopped one stays in sight."""
        if self.state is ServerState.FAILED and not self.status.leftovers:
            self._set(ServerStatus())

    async def bring_back(self) -> None:
        """Start the units again that the stopped server's start had ended. Raises StudioError."""
        await start_units(self.status.displaced)
        self._say(displaced=())

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

    # How a server becomes ready.

    @property
    def _rehearses(self) -> bool:
        return self.launcher.name_code == "server.name.rehearsal"

    async def _adoptable(self, wanted: Callable[[ServerRecord], bool]) -> ServerRecord | None:
        for record in await asyncio.to_thread(records.living):
            free = record.started_by == "window" and not record.starter_alive
            if free and record.place == self.place and wanted(record):
                if record.url is not None:
                    return record
                with contextlib.suppress(StudioError):  # its starter died before it had said its address
                    return await RehearsalLauncher("window").announced(record)
        return None

    async def _answers(self, record: ServerRecord) -> bool:
        async with Client(record.url or "") as client:
            return await health(client) is True

    def _hold(self, record: ServerRecord) -> ServerRecord:
        """Make a running server of ours this manager's: on disk, in the status, its log followed."""
        # Ours from now on: another window must not adopt it while we live.
        record = record.model_copy(update={"starter": ProcessId.mine().as_dict(), "place": self.place}).save()
        self._set(
            ServerStatus(
                ServerState.STARTING,
                url=record.url,
                ours=True,
                rehearsal=record.kind == "rehearsal",
                record=record,
                readings=Readings(True, False, False),
                since=self.status.since if self.status.state is ServerState.STARTING else time.time(),
            )
        )
        self._follow_log(record)
        return record

    async def _see_ready(self, record: ServerRecord) -> None:
        """Wait until a server is ready, and follow it from then on. Raises StudioError when it ends before."""
        key = None if record.kind == "rehearsal" else await asyncio.to_thread(secrets.api_key, record.url or "")
        client = Client(record.url or "", api_key=key)
        try:
            model = await self._until_ready(client, record)
        except BaseException:
            await client.aclose()
            raise
        self.client = client
        self._remember_start(record)
        self._tasks.append(self._scope.start(self._notice_death(record), name="life"))
        tasks = await asyncio.to_thread(tasks_of, record)
        ready = replace(self.status, state=ServerState.READY, since=time.time(), model=model, tasks=tasks)
        self._set(replace(ready, progress=None, readings=Readings(True, True, True)))

    async def _see_ready_later(self, record: ServerRecord) -> None:
        try:
            await self._see_ready(record)
        except StudioError as error:
            if self.state is ServerState.STARTING:  # else it ended because it was stopped
                await self._give_up(None, error)

    async def _until_ready(self, client: Client, record: ServerRecord) -> str | None:
        """Wait until it answers, and give its model's name."""
        pause = 0.1
        while (answer := await health(client)) is not True or not await asyncio.to_thread(answers_itself, record):
            if not await asyncio.to_thread(record.process.alive):
                raise await self._ended_early(record)
            self._say(readings=Readings(True, answer is not None, False))
            await asyncio.sleep(pause)
            pause = min(1.0, pause * 1.2)
        if not await asyncio.to_thread(record.process.alive):
            # Somebody else answers there: no render is ever sent to a stranger.
            raise await self._ended_early(record)
        try:
            return await client.model()
        except ClientError as error:
            if error.code != "server.unreachable":
                raise
        # It went away between two questions: the next look tells what of.
        await asyncio.sleep(pause)
        return await self._until_ready(client, record)

    async def _until_loaded(self, client: Client, url: str) -> None:
        """Wait for somebody else's server. One that loads answers 503, or has its port and refuses connections."""
        pause = 0.5
        while (answer := await health(client)) is not True:
            if answer is None and not await asyncio.to_thread(ports.held_here, url):
                await client.healthy()  # says why nothing answers
            self._say(loading=True, readings=Readings(None, answer is not None, False))
            await asyncio.sleep(pause)
            pause = min(3.0, pause * 1.3)

    async def _give_up(self, started: ServerRecord | None, error: StudioError | None = None) -> None:
        cause = self.status.cause
        if started is not None:
            self._set(replace(self.status, state=ServerState.STOPPING, since=time.time(), record=started))
            await self._end(started, min(started.grace, _GRACE_WHILE_LOADING))
        await self._drop()
        if error is None:
            self._set(ServerStatus())
        else:
            rehearsal = self._rehearses
            self._set(ServerStatus(ServerState.FAILED, rehearsal=rehearsal, trouble=error.message, cause=cause))

    async def _ended_early(self, record: ServerRecord) -> StudioError:
        await self._source_ended(record)
        if self.watch is not None:
            await self.watch.look()
        params = {
            "name": say(self._launcher(record).name_code),
            "how": self._launcher(record).how_it_ended(record),
            "last_line": await asyncio.to_thread(last_line, record.stderr),
            "log": str(record.stderr),
        }
        return StudioError("server.start_died", mend="server.start_failed.mend", **params)

    # Following.

    def _launcher(self, record: ServerRecord) -> Launcher:
        """The launcher that started it, or one of its kind for a server of an earlier start."""
        return self.launcher if self.launcher.takes(record) else launcher_of(record)

    def _follow_log(self, record: ServerRecord) -> None:
        self.watch = LogWatch(record)
        self._start = StartWatch(self.watch, record, self._say)
        self._source = self._scope.start(self._launcher(record).follow_log(record), name="log source")
        self._tasks.append(self._source)
        self._tasks.append(self._scope.start(self.watch.run(), name="log"))

    def _remember_start(self, record: ServerRecord) -> None:
        if self._start is not None and self._start.from_the_beginning:
            phases.remember_times(record.profile or record.kind, self._start.times, time.time() - record.started)

    async def _notice_death(self, record: ServerRecord) -> None:
        while await asyncio.to_thread(record.process.alive):
            await asyncio.sleep(_LOOK_EVERY)
        await self._source_ended(record)
        if self.status.record is not record or self.status.state is not ServerState.READY:
            return
        launcher = self._launcher(record)
        params = {"name": say(launcher.name_code), "how": launcher.how_it_ended(record), "log": str(record.stderr)}
        if self.watch is not None:
            await self.watch.look()
        cause, trouble = self.status.cause, Message("server.died", params)
        client, self.client = self.client, None
        self._ready.clear()
        rehearsal = self.status.rehearsal
        self._set(ServerStatus(ServerState.FAILED, rehearsal=rehearsal, trouble=trouble, cause=cause))
        if client is not None:
            await client.aclose()

    async def _source_ended(self, record: ServerRecord) -> None:
        if record.kind == "container" and self._source is not None:
            await asyncio.wait([self._source], timeout=_SOURCE_ENDS_WITHIN)

    # Ending.

    async def _end(self, record: ServerRecord, grace: float | None) -> list[ProcessId]:
        self.ending = Ending(grace)
        self.ending.changed.subscribe(lambda _: self.changed.emit(self.status))
        try:
            return await self._launcher(record).stop(record, self.ending)
        finally:
            self.ending = None

    async def _after_stop(self, record: ServerRecord, left: list[ProcessId]) -> ServerStatus:
        """Stopped, or what is left: said only when every process is gone and the cards' memory is seen to be free."""
        if left:
            trouble = Message("server.still_running", {"pid": left[0].pid})
            if record.kind == "ssh":
                trouble = Message("server.still_running_there", {"host": record.name})
            return ServerStatus(ServerState.FAILED, record=record, trouble=trouble, leftovers=tuple(left))
        library = await asyncio.to_thread(self._nvml)
        if library is not None and record.kind not in ("rehearsal", "ssh"):
            held = await still_holding(library, record)
            if held is not None:
                processes = tuple(held.processes)
                return ServerStatus(ServerState.FAILED, record=record, trouble=held.message, leftovers=processes)
        return ServerStatus(displaced=record.displaced)

    async def _let_go_of_client(self) -> None:
        client, self.client = self.client, None
        if client is not None:
            await client.aclose()

    async def _drop(self) -> None:
        self._ready.clear()
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        self._tasks = []
        for task in tasks:
            self._scope.cancel(task)
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._start is not None:
            self._start.close()
        self._start = self.watch = None
        await self._let_go_of_client()

    def _say(self, **changes: Any) -> None:
        """The same state, with more known of it."""
        status = replace(self.status, **changes)
        if status != self.status:
            self._set(status)

    def _set(self, status: ServerStatus) -> None:
        if status.state is not self.status.state and status.since == self.status.since:
            status = replace(status, since=time.time())
        self.status = status
        if status.state is ServerState.READY:
            self._ready.set()
        else:
            self._ready.clear()
        self.changed.emit(status)

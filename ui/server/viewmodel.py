"""The server as the window sees it: its status, its log, the next sensible act, and how it is stopped.

The one place in Server that talks to studio.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal

from studio import __version__
from studio.core.errors import StudioError
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message, say
from studio.jobs import Job, JobService, JobState
from studio.server import LogWatch, RehearsalLauncher, ServerManager, ServerState, ServerStatus
from studio.server.launchers import Launcher, UnitLauncher
from studio.server.phases import last_times
from studio.settings import SettingsStore, secrets
from ui.server import policy
from ui.server.launch_model import LaunchModel
from ui.server.policy import Kind
from ui.widgets.act_button import Act

_HOST: Final = re.compile(r"[\w.:%-]+")
_DOTS: Final = {ServerState.READY: "good", ServerState.FAILED: "bad", ServerState.STOPPED: "faint"}


class ServerModel(QObject):
    """Lives on the GUI thread. One act at a time: starting, connecting and stopping take turns."""

    status_changed = Signal(object)
    """The server's ServerStatus, the act, or the number of waiting jobs is another."""
    log_line = Signal(str)
    log_restarted = Signal()
    """Another server's log begins; `recent_log` has what it said so far."""
    confirm_requested = Signal(str)
    """Stopping now would lose this: ask, then call `stop_now`."""
    address_needed = Signal()
    """Connecting needs an address first: show the workspace."""
    profile_shown = Signal(str)
    """A profile that is not built in wants to start for the first time: show this, then call `confirm_and_start`."""
    address_refused = Signal(object)
    """The Message that belongs beside the address."""

    def __init__(
        self,
        manager: ServerManager,
        settings: SettingsStore,
        notices: Notices,
        jobs: JobService,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._manager, self._settings, self._notices, self._service = manager, settings, notices, jobs
        self._scope = TaskScope("server-model", lambda error, _task: notices.error(error))
        self._jobs: dict[str, Job] = {}
        self._acting: asyncio.Task[None] | None = None
        self._stop_after: str | None = None
        self._held: set[str] = set()
        self.launches = LaunchModel(settings, notices, self._remember, self)
        self._watch: LogWatch | None = None
        self._last_time: float | None = None
        self._displaced = ""
        """User units that our start ended, by their `Conflicts=`."""
        self._forget_lines: Callable[[], None] = _nothing
        self._unsubscribe = [manager.changed.subscribe(self._on_status), jobs.changed.subscribe(self._on_job)]
        self._follow_log()

    async def aclose(self) -> None:
        """Stop following; the server is left as it is."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._forget_lines()
        await self.launches.aclose()
        await self._scope.aclose()

    # What there is to see.

    @property
    def status(self) -> ServerStatus:
        """The server's status."""
        return self._manager.status

    @property
    def kind(self) -> Kind:
        """Which server the user chose; the one that runs may still be the other."""
        return self._settings.present.server.kind

    @property
    def url(self) -> str:
        """The address to connect to, as last used; may be empty."""
        return self._settings.present.server.url or ""

    @property
    def step_seconds(self) -> float:
        """The rehearsal's pace, in seconds a step."""
        return self._settings.present.server.rehearsal_step_seconds

    @property
    def act(self) -> Act:
        """The next sensible act."""
        stopping_after = self._stop_after is not None
        return policy.next_act(self.status, self._jobs.values(), self.kind, stopping_after=stopping_after)

    @property
    def waiting(self) -> int:
        """How many jobs wait for a server."""
        return policy.waiting(self._jobs.values())

    @property
    def seconds_in_state(self) -> float:
        """How long the server has been in its present state."""
        return max(0.0, time.time() - self.status.since)

    @property
    def seconds_last_time(self) -> float | None:
        """How long the present start took last time, until it was ready."""
        return self._last_time

    @property
    def seconds_to_force(self) -> float | None:
        """How long a stop still waits for a clean end."""
        return self._manager.ending.left if self._manager.ending is not None else None

    @property
    def dot(self) -> str:
        """Token role of the chip's dot."""
        return _DOTS.get(self.status.state, "warn")

    def text(self) -> str:
        """The server's state in a few words."""
        status = self.status
        kind = "rehearsal" if status.rehearsal else "own" if status.ours or not status.url else "url"
        match status.state:
            case ServerState.STOPPED:
                return say("server.chip.none")
            case ServerState.READY if status.ours and self._stop_after is not None:
                return say(f"server.chip.{kind}.after")
        return say(f"server.chip.{kind}.{status.state}", {"where": urlsplit(status.url or "").netloc})

    def facts(self) -> str:
        """What a copied log begins with: program, machine, server. Nothing secret."""
        status, record = self.status, self.status.record
        about = f"# H3 Studio {__version__} · {self.launches.machine_line()}\n"
        server = record.profile or record.kind if record is not None else "–"
        return f"{about}# {server} · {status.url or '–'} · {status.model or '–'}\n"

    def recent_log(self) -> Sequence[str]:
        """The last lines of the server's log, oldest first; empty for a server that is not ours."""
        return tuple(self._watch.recent) if self._watch is not None else ()

    # What can be done.

    def choose(self, kind: Kind) -> None:
        """Render on the rehearsal server, on one at an address, or on a user unit. Starts and stops nothing."""
        if kind != self.kind:
            self._remember(kind=kind)
            self._on_kind()

    def choose_profile(self, profile_id: str) -> None:
        """Render on a server of a profile. Starts and stops nothing."""
        self.launches.choose(profile_id)
        self._on_kind()

    def set_step_seconds(self, seconds: float) -> None:
        """Another pace for the rehearsal, from its next start on."""
        if seconds != self.step_seconds:
            self._remember(rehearsal_step_seconds=seconds)

    def perform(self, act: Act) -> None:
        """Do what a button says."""
        doing: dict[Act, Callable[[], object]] = {
            Act.START: self.start,
            Act.CONNECT: self._connect_again,
            Act.CANCEL_START: self.stop,
            Act.DISCONNECT: self.stop,
            Act.STOP: self.stop,
            Act.STOP_AFTER: self.stop_after_render,
            Act.KEEP: self.keep_running,
            Act.STOP_NOW: self._ask_to_stop,
            Act.STOPPING: _nothing,
        }
        doing[act]()

    def start(self) -> None:
        """Start the chosen server, or take up one of its kind that still runs."""
        if (shown := self.launches.unconfirmed()) is not None:
            self.profile_shown.emit(shown)
        else:
            self._begin(self._start, "start")

    def confirm_and_start(self) -> None:
        """Start a profile that was shown for the first time."""
        self.launches.confirm()
        self.start()

    def end_now(self) -> None:
        """Do not wait any longer for a clean end."""
        self._manager.end_now()

    def end_leftovers(self) -> None:
        """End what a stopped server left behind."""
        self._begin(self._manager.end_leftovers, "end leftovers")

    def attach(self, url: str, key: str | None) -> None:
        """Connect to a server at an address; an empty key means the one that is remembered for it, if any."""
        address = url.strip().rstrip("/")
        if address and "://" not in address:
            address = f"http://{address}"
        if not _is_address(address):
            self.address_refused.emit(Message("server.bad_address", {"text": url.strip()}))
        elif self.status.ours and policy.on_server(self._jobs.values(), self.status):
            self.address_refused.emit(Message("server.busy_here"))
        else:
            self._remember(kind="url", url=address)
            self._begin(partial(self._attach, address, key or None), "attach")

    def stop(self) -> None:
        """End the server that we started, or let go of one that we only use; give up a start."""
        self._stop_after = None
        if self._acting is not None and self.status.state is ServerState.STARTING:
            self._scope.cancel(self._acting)
        self._begin(self._stop, "stop")

    def stop_after_render(self) -> None:
        """End the server when the present render is fetched; what has not been sent yet waits for the next start."""
        job = policy.present(self._jobs.values(), self.status)
        if job is None:
            self.stop()
            return
        self._stop_after = job.id
        for other in tuple(self._jobs.values()):
            self._hold(other)
        self.status_changed.emit(self.status)

    def keep_running(self) -> None:
        """Take `stop_after_render` back."""
        self._stop_after = None
        self._let_go_on()
        self.status_changed.emit(self.status)

    def stop_now(self) -> None:
        """Cancel what is on our server, then end it."""
        self._stop_after = None
        self._begin(self._stop_now, "stop now")

    # How it is done.

    def _begin(self, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        self._acting = self._scope.start(self._in_turn(self._acting, work), name=name)

    async def _in_turn(self, before: asyncio.Task[None] | None, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if before is not None:
            await asyncio.gather(before, return_exceptions=True)
        try:
            await work()
        except StudioError as error:
            # The manager's status says it already, where it belongs.
            if self.status.trouble is None:
                self._notices.error(error)

    async def _start(self) -> None:
        launcher: Launcher = self._manager.launcher
        if self.kind in ("profile", "unit"):
            launcher = self.launches.launcher()
        elif not isinstance(launcher, RehearsalLauncher):
            launcher = RehearsalLauncher("window")
        if isinstance(launcher, RehearsalLauncher):
            launcher.step_seconds = self.step_seconds
        if isinstance(launcher, UnitLauncher) and (names := await launcher.displaced()):
            self._displaced = " ".join(names)
            self._tell_displaced("server.displaces", launcher.unit)
        self._manager.launcher = launcher
        await self._manager.start()

    async def _attach(self, url: str, key: str | None) -> None:
        if self.status.ours:
            await self._manager.stop()
        if key is not None and not await asyncio.to_thread(secrets.remember, url, key):
            self._notices.post(Notice("info", Message("server.key_for_session")))
        key = key or await asyncio.to_thread(secrets.api_key, url)
        await self._manager.attach(url, key)

    async def _stop(self) -> None:
        status = self.status
        there = policy.on_server(self._jobs.values(), status) if not status.ours else []
        for job in there:  # they go on there, and are followed over a connection of their own
            await self._service.detach(job.id)
        await self._manager.stop()
        if self._displaced and self.status.state is ServerState.STOPPED:
            self._tell_displaced("server.displaced")
            self._displaced = ""
        for job in there:
            await self._service.resume(job.id)

    async def _stop_now(self) -> None:
        for job in policy.on_server(self._jobs.values(), self.status):
            with contextlib.suppress(StudioError):  # ended by itself meanwhile
                await self._service.cancel(job.id)
        await self._manager.stop()

    def _tell_displaced(self, code: str, unit: str = "") -> None:
        self._notices.post(Notice("info", Message(code, {"unit": unit, "names": self._displaced})))

    def _ask_to_stop(self) -> None:
        lost = policy.lost_by_stopping(self._jobs.values(), self.status)
        if lost is None:
            self.stop_now()
        else:
            self.confirm_requested.emit(lost)

    def _connect_again(self) -> None:
        if self.url:
            self.attach(self.url, None)
        else:
            self.address_needed.emit()

    def _hold(self, job: Job) -> None:
        """Keep a job from being sent: it waits, unowned, until a server is there again."""
        if self._stop_after not in (None, job.id) and job.state is JobState.WAITING and job.id not in self._held:
            self._held.add(job.id)
            self._scope.start(self._service.detach(job.id), name=f"hold {job.id}")

    def _let_go_on(self) -> None:
        held, self._held = self._held, set()
        for job_id in held:
            self._scope.start(self._service.resume(job_id), name=f"go on {job_id}")

    def _remember(self, **changes: Any) -> None:
        try:
            self._settings.update(server=self._settings.present.server.model_copy(update=changes))
        except OSError as error:
            params = {"path": str(self._settings.path), "reason": error.strerror or str(error)}
            self._notices.error(StudioError("disk.write", mend="disk.write.mend", **params))

    def _on_kind(self) -> None:
        self.launches.profiles_changed.emit()
        self.status_changed.emit(self.status)

    # Following.

    def _on_status(self, status: ServerStatus) -> None:
        if status.state is ServerState.STARTING and status.record is not None and self._last_time is None:
            self._last_time = last_times(status.record.profile or status.record.kind).get("ready")
        elif status.state is not ServerState.STARTING:
            self._last_time = None
        self._follow_log()
        if status.state is ServerState.READY:
            self._let_go_on()
        else:
            self._stop_after = None if status.state is not ServerState.STOPPING else self._stop_after
        self.status_changed.emit(status)

    def _on_job(self, job: Job) -> None:
        before = self.act, self.waiting
        if job.state.finished:
            self._jobs.pop(job.id, None)
            self._held.discard(job.id)
        else:
            self._jobs[job.id] = job
            self._hold(job)
        if job.state.finished and job.id == self._stop_after:
            self.stop()
        elif (self.act, self.waiting) != before:
            self.status_changed.emit(self.status)

    def _follow_log(self) -> None:
        watch = self._manager.watch
        if watch is None or watch is self._watch:
            return
        self._forget_lines()
        self._watch = watch
        self._forget_lines = watch.lines.subscribe(self.log_line.emit)
        self.log_restarted.emit()


def _nothing() -> None:
    """For an act that has nothing to do."""


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(_HOST.fullmatch(parts.hostname or "")) and parts.port != 0
    except ValueError:
        return False

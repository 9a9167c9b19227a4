"""The server as the window sees it: its status, its log, the next sensible act, and how it is stopped.

The one place in Server that talks to studio.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from studio.core import addresses
from studio.core.errors import StudioError
from studio.core.notices import Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.jobs import Job, JobService
from studio.jobs.calibration import past_runs
from studio.server import ServerManager, ServerState, ServerStatus
from studio.server.doctor import Check
from studio.server.launchers import Launcher, UnitLauncher
from studio.server.phases import last_times
from studio.settings import Settings, SettingsStore
from studio.settings.saving import save
from ui.server import acts, policy
from ui.server.launch_model import LaunchModel
from ui.server.log_source import LogSource
from ui.server.policy import Kind
from ui.server.stop_after import StopAfter
from ui.server.turns import Turns
from ui.widgets.act_button import Act


class ServerModel(QObject):
    """Lives on the GUI thread. One act at a time: starting, connecting and stopping take turns."""

    status_changed = Signal(object)
    """The server's ServerStatus, the act, or the number of waiting jobs is another."""
    switched = Signal()
    """Another server is in view."""
    log_line = Signal(str)
    log_restarted = Signal()
    """Another server's log begins; `recent_log` has what it said so far."""
    confirm_requested = Signal(str)
    """Stopping now would lose this: ask, then call `stop_now`."""
    address_needed = Signal()
    """Connecting needs an address first: show the workspace."""
    displacing = Signal(str, str)
    """Starting this unit ends these: ask, then call `displace_and_start`."""
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
        self._jobs: dict[str, Job] = {}  # the unfinished
        self._turns = Turns(self._scope)
        self._afters: dict[str, StopAfter] = {}
        self.launches = LaunchModel(
            settings,
            notices,
            self._remember,
            self,
            jobs=lambda: tuple(self._here),
            past_runs=lambda lane: jobs.tools.write(past_runs, jobs.tools.store, lane),
        )
        self._log = LogSource(self)
        self._log.line.connect(self.log_line)
        self._log.restarted.connect(self.log_restarted)
        self._last_time: float | None = None
        self._may_end: tuple[str, ...] = ()
        """User units that the next start may end, by `Conflicts=`."""
        self._unsubscribe = [manager.changed.subscribe(self._on_status), jobs.changed.subscribe(self._on_job)]
        self._follow_log()

    async def aclose(self) -> None:
        """Stop following; the server is left as it is."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        for after in self._afters.values():
            after.close()
        self._log.close()
        await self.launches.aclose()
        await self._scope.aclose()

    def use(self, manager: ServerManager) -> None:
        """Bring another server into view; the settings have it as the chosen one already."""
        if manager is self._manager:
            return
        self._unsubscribe[0]()
        self._manager = manager
        self._unsubscribe[0] = manager.changed.subscribe(self._on_status)
        self._last_time = None
        self._log.follow(manager.watch)
        self.launches.refresh()
        self.switched.emit()
        self._on_status(manager.status)

    # What there is to see.

    @property
    def _after(self) -> StopAfter:
        """Whether and after which render the server in view is stopped; others have their own."""
        after = self._afters.get(self._manager.place)
        if after is None or after.manager is not self._manager:  # the place may have been given to another
            if after is not None:
                after.close()
            after = StopAfter(self._manager, self._service, self._scope, self._stop_after)
            self._afters[self._manager.place] = after
        return after

    @property
    def _here(self) -> list[Job]:
        """The unfinished jobs of the server in view."""
        return [job for job in self._jobs.values() if job.target.place == self._manager.place]

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
    def settings(self) -> Settings:
        """All settings as they are."""
        return self._settings.present

    @property
    def act(self) -> Act:
        """The next sensible act."""
        stopping_after = self._after.job is not None
        return policy.next_act(self.status, self._here, self.kind, stopping_after=stopping_after)

    @property
    def waiting(self) -> int:
        """How many jobs wait for a server."""
        return policy.waiting(self._here)

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
        return policy.dot(self.status)

    def text(self) -> str:
        """The server's state in a few words."""
        return policy.chip(self.status, stopping_after=self._after.job is not None)

    def limits(self) -> list[Check]:
        """What the time limits of the server that runs would do to the longest queued job."""
        return policy.limits(self.status, self.launches.longest_job)

    def facts(self) -> str:
        """What a copied log begins with: program, machine, server. Nothing secret."""
        return policy.facts(self.status, self.launches.machine_line())

    def recent_log(self) -> Sequence[str]:
        """The last lines of the server's log, oldest first; empty for a server that is not ours."""
        return self._log.recent

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

    def set_rehearsal_task(self, task: str) -> None:
        """Another partition for the rehearsal, from its next start on."""
        self._remember(rehearsal_task=task)
        self.status_changed.emit(self.status)

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
            return
        try:
            launcher = self.launches.launcher(self._manager.launcher)
        except StudioError as error:
            self._notices.error(error)
        else:
            self._begin(partial(self._start, self._manager, launcher), "start")

    def confirm_and_start(self) -> None:
        """Start a profile that was shown for the first time."""
        self.launches.confirm()
        self.start()

    def displace_and_start(self, names: str) -> None:
        """Start the unit although it ends others, which were named."""
        self._may_end = tuple(names.split())
        self.start()

    def bring_back(self) -> None:
        """Start the units again that the stopped server's start had ended."""
        self._begin(self._manager.bring_back, "bring back")

    def end_now(self) -> None:
        """Do not wait any longer for a clean end."""
        self._manager.end_now()

    def end_leftovers(self) -> None:
        """End what a stopped server left behind."""
        self._begin(self._manager.end_leftovers, "end leftovers")

    def attach(self, url: str, key: str | None) -> None:
        """Connect to a server at an address; an empty key means the one that is remembered for it, if any."""
        address = addresses.address(url.strip().rstrip("/"))
        if address is None:
            wrong = "server.bad_address" if url.strip() else "server.no_address"
            self.address_refused.emit(Message(wrong, {"text": url.strip()}))
        elif self.status.ours and policy.on_server(self._here, self.status):
            self.address_refused.emit(Message("server.busy_here"))
        else:
            self._remember(kind="url", url=address)
            self._begin(partial(self._attach, self._manager, address, key or None), "attach")

    def stop(self) -> None:
        """End the server that we started, or let go of one that we only use; give up a start."""
        self._after.job = None
        if self.status.state is ServerState.STARTING:
            self._turns.cancel(self._manager.place)
        there = policy.on_server(self._here, self.status)
        self._begin(partial(acts.stop, self._manager, self._service, there), "stop")

    def stop_after_render(self) -> None:
        """End the server when the present render is fetched; what has not been sent yet waits for the next start."""
        job = policy.present(self._here, self.status)
        if job is None:
            self.stop()
            return
        self._after.begin(job.id, self._here)
        self.status_changed.emit(self.status)

    def keep_running(self) -> None:
        """Take `stop_after_render` back."""
        self._after.take_back()
        self.status_changed.emit(self.status)

    def stop_now(self) -> None:
        """Cancel what is on our server, then end it."""
        self._after.job = None
        there = policy.on_server(self._here, self.status)
        self._begin(partial(acts.stop_now, self._manager, self._service, there), "stop now")

    # How it is done.

    def _begin(self, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        manager = self._manager

        async def act() -> None:
            try:
                await work()
            except StudioError as error:
                # The manager's status says it already, where it belongs.
                if manager.status.trouble is None:
                    self._notices.error(error)

        self._turns.begin(manager.place, act, name)

    def _stop_after(self, manager: ServerManager) -> None:
        self._turns.begin(manager.place, partial(acts.stop, manager, self._service, ()), "stop after")

    async def _start(self, manager: ServerManager, launcher: Launcher) -> None:
        await self.launches.recall()
        if manager is self._manager:  # else another server came into view meanwhile
            # Its time limits follow what was learned of the queue.
            launcher = self.launches.launcher(manager.launcher)
        may_end, self._may_end = self._may_end, ()
        if isinstance(launcher, UnitLauncher) and not set(names := await launcher.displaced()) <= set(may_end):
            self.displacing.emit(launcher.unit, " ".join(names))
            return
        manager.launcher = launcher
        await manager.start()

    async def _attach(self, manager: ServerManager, url: str, key: str | None) -> None:
        await self.launches.recall()
        await acts.attach(manager, self._notices, url, key)

    def _ask_to_stop(self) -> None:
        lost = policy.lost_by_stopping(self._here, self.status)
        if lost is None:
            self.stop_now()
        else:
            self.confirm_requested.emit(lost)

    def _connect_again(self) -> None:
        if self.url:
            self.attach(self.url, None)
        else:
            self.address_needed.emit()

    def _remember(self, **changes: Any) -> None:
        server = self._settings.present.server.model_copy(update=changes)
        save(self._settings, self._notices, server=server)

    def _on_kind(self) -> None:
        self._manager.forget_failure()
        self.launches.profiles_changed.emit()
        self.status_changed.emit(self.status)

    # Following.

    def _on_status(self, status: ServerStatus) -> None:
        if status.state is ServerState.STARTING and status.record is not None and self._last_time is None:
            self._last_time = last_times(status.record.profile or status.record.kind).get("ready")
        elif status.state is not ServerState.STARTING:
            self._last_time = None
        self._follow_log()
        self.status_changed.emit(status)

    def _on_job(self, job: Job) -> None:
        before = self.act, self.waiting
        known = self._jobs.get(job.id)
        if job.state.finished:
            self._jobs.pop(job.id, None)
        else:
            self._jobs[job.id] = job
        if known is None or known.state is not job.state:
            self.launches.on_queue()
        if (self.act, self.waiting) != before:
            self.status_changed.emit(self.status)

    def _follow_log(self) -> None:
        watch = self._manager.watch
        elsewhere = self.status.url is not None and not self.status.ours
        if watch is not None or elsewhere:
            self._log.follow(watch)  # what a stopped server said can still be read


def _nothing() -> None:
    """For an act that has nothing to do."""

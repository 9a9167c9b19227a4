"""One studio: its rooms, its workspaces and how they are wired. Everything is closed in one place, in one order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QCloseEvent

from studio.contract import Reference, Shot
from studio.core import paths
from studio.core.files import free_bytes
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message, sentences, tr
from studio.jobs import Job, JobService, JobState, JobStore, ManagedServers, Target, Tools, telling
from studio.media.workers import Workers
from studio.server import RehearsalLauncher, ServerManager
from studio.settings import SettingsStore
from ui.closing import ClosingQuestion
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel
from ui.compose.view import ComposeWorkspace
from ui.compose.viewmodel import ComposeModel
from ui.keys import KeySheet
from ui.main_window import MainWindow, Workspace
from ui.queue.view import QueueWorkspace
from ui.queue.viewmodel import QueueModel
from ui.server.view import ServerWorkspace
from ui.server.viewmodel import ServerModel
from ui.widgets.status_strip import StatusStrip

log = logging.getLogger(__name__)
_DISK_EVERY_MS = 20_000

sentences(
    {
        "job.finished_notice": "“{name}” is finished and checked.",
        "job.failed_notice": "“{name}” did not work out: {why}",
    }
)


class Studio(QObject):
    """The application behind the window. `ended` is emitted once, when it may be left."""

    ended = Signal()

    def __init__(self, settings: SettingsStore, notices: Notices) -> None:
        super().__init__()
        self.settings = settings
        self.notices = notices
        self.workers = Workers()
        store = JobStore()
        launcher = RehearsalLauncher("window", step_seconds=settings.present.server.rehearsal_step_seconds)
        self.manager = ServerManager(launcher)
        tools = Tools(store, self.workers, ManagedServers(self.manager), settings, notices=notices)
        self.jobs = JobService(tools)
        self._scope = TaskScope("studio", lambda error, _name: notices.error(error))
        self._mine: set[str] = set()
        self._leaving = False

        self.compose = ComposeModel(self.workers, notices, autosave=paths.data_dir() / "draft.json", parent=self)
        self.queue = QueueModel(self.jobs, notices, parent=self)
        self.compare = CompareModel(self.workers, notices, parent=self)
        self.server = ServerModel(self.manager, settings, notices, self.jobs, parent=self)
        self.strip = StatusStrip()
        self.compose_page = ComposeWorkspace(self.compose)
        self.compare_page = CompareWorkspace(self.compare)
        self.queue_page = QueueWorkspace(self.queue)
        self.server_page = ServerWorkspace(self.server)
        self.window = MainWindow(
            [
                Workspace("go.compose", self.compose_page),
                Workspace("go.queue", self.queue_page),
                Workspace("go.compare", self.compare_page),
                Workspace("go.server", self.server_page),
            ],
            self.strip,
        )
        self.window.resize(1440, 900)
        self._wire()
        if store.trouble is not None:
            notices.post(Notice("warn", store.trouble))
        if settings.trouble is not None:
            notices.post(settings.trouble)

    async def start(self, shot: Path | None, *, with_server: bool) -> None:
        """Show the window, take up what an earlier studio left, and open a shot or the last draft."""
        self.window.show()
        self._look_at_disk()
        if shot is not None:
            self.compose_page.open_shot(shot)
        await self.manager.adopt()
        await self.jobs.start(take_over=True)
        self.queue.load()
        if with_server:
            self.server.choose("rehearsal")
            self.server.start()

    async def settled(self) -> None:
        """Wait until the shot's files are read and seen (ten seconds at most), and the window has drawn itself."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(10):
                while not all(map(self._is_seen, self.compose.shot.references)):
                    await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)

    def _is_seen(self, reference: Reference) -> bool:
        return self.compose.thumbnail(reference) is not None or self.compose.waveform(reference) is not None

    async def aclose(self) -> None:
        """Close every room. What renders on a server goes on there."""
        self._disk.stop()
        self.window.hide()
        await self._scope.aclose()
        for model in (self.compose, self.queue, self.compare, self.server):
            await model.aclose()
        await self.jobs.aclose()
        await self.manager.aclose()
        await self.workers.aclose()
        self.window.deleteLater()

    # -- wiring ----------------------------------------------------------------------------------------------------

    def _wire(self) -> None:
        self.notices.posted.subscribe(self.window.notice_bar.show_notice)
        self.window.closing.connect(self._on_closing)
        self.window.keys_requested.connect(self._show_keys)
        self.compose.render_requested.connect(self._render)
        self.queue_page.compose_requested.connect(lambda: self.window.go("go.compose"))
        self.queue.compare_requested.connect(self.open_result)
        self.jobs.changed.subscribe(self._on_job)
        self.queue.running_changed.connect(self._show_running)
        self.server.status_changed.connect(self._show_server)
        self.server.address_needed.connect(lambda: self.window.go("go.server"))
        self.strip.server_clicked.connect(lambda: self.window.go("go.server"))
        self.strip.act_chosen.connect(self.server.perform)
        self._disk = QTimer(self, interval=_DISK_EVERY_MS)
        self._disk.timeout.connect(self._look_at_disk)
        self._disk.start()
        self._show_server()

    def _render(self, shot: Shot) -> None:
        name = self.compose.path.stem if self.compose.path else ""
        self._scope.start(self._submit(shot, name), name="submit")

    async def _submit(self, shot: Shot, name: str) -> None:
        server = self.settings.present.server
        target = Target(kind="url", url=server.url) if server.kind == "url" and server.url else Target()
        job = await self.jobs.submit(shot, target, name=name)
        self._mine.add(job.id)
        self.queue.select(job.id)
        self.window.go("go.queue")

    def _on_job(self, job: Job) -> None:
        if job.id not in self._mine or not job.state.finished:
            return
        self._mine.discard(job.id)
        name = job.title[:48]
        if job.state is JobState.DONE:
            self.notices.post(Notice("good", Message("job.finished_notice", {"name": name})))
            if self.window.workspace == "go.queue":
                self.open_result(job)
        elif job.state is not JobState.CANCELLED and job.fault is not None:
            why = job.fault.text()
            self.notices.post(Notice("bad", Message("job.failed_notice", {"name": name, "why": why})))

    def open_result(self, job: Job) -> None:
        """Open a finished render in Compare, beside its source; alone beside itself when it has none."""
        if job.video is None:
            return
        source = job.source_clip or next((r.path for r in job.shot.sent() if r.kind == "image"), None)
        self.compare.open(source or job.video, job.video)
        self.window.go("go.compare")

    def _show_server(self, _status: object = None) -> None:
        rehearsal = self.server.status.rehearsal
        self.strip.set_server(self.server.text(), self.server.dot, rehearsal=rehearsal)
        self.strip.set_act(self.server.act, self.server.waiting)

    def _show_running(self, job: Job | None) -> None:
        self.strip.set_job(self.queue.progress_line(job) if job else "", job.progress.fraction if job else None)

    def _look_at_disk(self) -> None:
        folder = self.jobs.tools.results_dir()
        self._scope.start(self._read_disk(folder), name="disk")

    async def _read_disk(self, folder: Path) -> None:
        self.strip.set_disk(await asyncio.to_thread(free_bytes, folder))

    def _show_keys(self) -> None:
        KeySheet(self.window).open()

    # -- the way out -----------------------------------------------------------------------------------------------

    def close_at_once(self) -> None:
        """Leave without asking, as at a signal: a running render is kept, an idle rehearsal server is not."""
        self._leave("keep" if self._busy() else "idle")

    def _on_closing(self, event: QCloseEvent) -> None:
        event.ignore()
        if self._leaving:
            return
        busy = self._busy()
        if not busy:
            self._leave("idle")
        elif (remembered := self.settings.present.closing) != "ask":
            self._leave(remembered)
        else:
            losing = next(filter(None, map(telling.loss, busy)), None) or tr("the work done so far")
            question = ClosingQuestion(len(busy), losing, self.window)
            question.chosen.connect(self._on_chosen)
            question.open()

    def _on_chosen(self, choice: str, remember: bool) -> None:
        if remember:
            self.settings.update(closing=choice)
        if choice != "cancel":
            self._leave(choice)

    def _leave(self, choice: str) -> None:
        if not self._leaving:
            self._leaving = True
            self.window.hide()
            self._scope.start(self._ending(choice), name="leave")

    async def _ending(self, choice: str) -> None:
        """*keep*: the server goes on. *after*: wait for the running render, then stop the server. *now*: end the
        renders and the server. With nothing running an own rehearsal server is stopped and a real one left alone."""
        try:
            busy = self._busy()
            if choice == "after" and busy:
                await self.jobs.wait(min(busy, key=lambda job: (not job.state.on_server, job.created)).id)
            elif choice == "now":
                for job in busy:
                    await self.jobs.cancel(job.id)
            if choice != "keep" and self.manager.status.ours:
                await self.manager.stop()
        finally:
            self.ended.emit()

    def _busy(self) -> list[Job]:
        """Jobs that closing the window could harm; one that waits for a server is kept by the store."""
        idle = (JobState.DRAFT, JobState.WAITING)
        return [job for job in self.queue.jobs.jobs if not job.state.finished and job.state not in idle]

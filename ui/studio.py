"""One studio: its rooms, its workspaces and how they are wired. Everything is closed in one place, in one order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, QTimer, Signal
from PySide6.QtGui import QCloseEvent

from studio.contract import Reference, Shot
from studio.core import paths
from studio.core.files import free_bytes
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message, language_changed, sentences, tr
from studio.jobs import Awake, Job, JobService, JobState, JobStore, ManagedServers, Tools, telling
from studio.jobs.library import Library
from studio.media.workers import Workers
from studio.server import Fleet, RehearsalLauncher, ServerManager
from studio.settings import SettingsStore
from ui.closing import ClosingQuestion
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel
from ui.compose.view import ComposeWorkspace
from ui.compose.viewmodel import ComposeModel
from ui.desktop import DesktopNews
from ui.first_start import FirstStart
from ui.keys import KeySheet
from ui.library import LibraryModel, LibraryWorkspace
from ui.main_window import MainWindow, Workspace
from ui.memory_gauge import MemoryGauge
from ui.orders import Orders, surroundings
from ui.queue.view import QueueWorkspace
from ui.queue.viewmodel import QueueModel
from ui.server.servers_model import ServersModel
from ui.server.view import ServerWorkspace
from ui.server.viewmodel import ServerModel
from ui.settings import SettingsModel, SettingsWorkspace
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
        self.fleet = Fleet(ServerManager(launcher))
        self.manager = self.fleet.first
        in_view = self.fleet.in_view
        tools = Tools(store, self.workers, ManagedServers(self.fleet), settings, notices=notices, awake=Awake())
        self.jobs = JobService(tools)
        self.results = Library(self.workers, notices)
        self._scope = TaskScope("studio", lambda error, _name: notices.error(error))
        self._mine: set[str] = set()
        self._first: FirstStart | None = None
        self._leaving = False

        data = paths.data_dir()
        self.compose = ComposeModel(
            self.workers,
            notices,
            autosave=data / "drafts",
            recent=data / "recent.json",
            parent=self,
            around=surroundings(settings, self.jobs, in_view),
        )
        self.orders = Orders(self.compose, self.jobs, in_view, settings, self._scope, runs=self.fleet.runs)
        self.queue = QueueModel(self.jobs, notices, parent=self)
        self.compare = CompareModel(self.workers, notices, parent=self)
        self.library = LibraryModel(self.results, self.jobs, self.workers, notices, parent=self)
        self.server = ServerModel(self.manager, settings, notices, self.jobs, parent=self)
        self.servers = ServersModel(self.fleet, self.server, settings, notices, parent=self)
        self.preferences = SettingsModel(settings, notices, parent=self)
        self.strip = StatusStrip()
        self.compose_page = ComposeWorkspace(self.compose)
        self.compare_page = CompareWorkspace(self.compare)
        self.queue_page = QueueWorkspace(self.queue)
        self.library_page = LibraryWorkspace(self.library)
        self.server_page = ServerWorkspace(self.server, servers=self.servers)
        self.settings_page = SettingsWorkspace(self.preferences)
        self.window = MainWindow(
            [
                Workspace("go.compose", self.compose_page),
                Workspace("go.queue", self.queue_page),
                Workspace("go.compare", self.compare_page),
                Workspace("go.library", self.library_page),
                Workspace("go.server", self.server_page),
                Workspace("go.settings", self.settings_page, at_foot=True),
            ],
            self.strip,
        )
        self.window.resize(1440, 900)
        self._desktop = DesktopNews(self.jobs, settings, self.window)
        self._gauge = MemoryGauge(tools.monitor, in_view, settings, self.strip, self.window)
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
            self.compose.open(shot)
        self.results.start(self.jobs.tools.results_dir())
        await self.fleet.adopt()
        await self.jobs.start(take_over=True)
        self.queue.load()
        self.orders.learn()
        if with_server:
            self.server.choose("rehearsal")
            self.server.start()

    def welcome(self) -> None:
        """Ask the question of the first start."""
        self._first = FirstStart(self.server, self.settings, self.notices, self.window.go, self._welcomed, parent=self)
        self.window.cover(self._first.page)

    def _welcomed(self) -> None:
        if self._first is not None:
            self.window.uncover(self._first.page)

    async def settled(self) -> None:
        """Wait until the shot's files are read and seen (ten seconds at most), and the window has drawn itself."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(10):
                while not all(map(self._is_seen, self.compose.shot.references)):
                    await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)

    def _is_seen(self, reference: Reference) -> bool:
        editor = self.compose_page.preview.editor
        if editor is not None and editor.reference_id == reference.id and not editor.is_shown:
            return False
        return self.compose.thumbnail(reference) is not None or self.compose.waveform(reference) is not None

    async def aclose(self) -> None:
        """Close every room. What renders on a server goes on there."""
        self._forget_language()
        self._disk.stop()
        self._gauge.close()
        self._desktop.close()
        self.window.hide()
        self.orders.close()
        await self._scope.aclose()
        if self._first is not None:
            await self._first.aclose()
        for model in (
            self.compose,
            self.queue,
            self.compare,
            self.library,
            self.servers,
            self.server,
            self.preferences,
        ):
            await model.aclose()
        await self.results.aclose()
        await self.jobs.aclose()
        await self.fleet.aclose()
        await self.workers.aclose()
        self.window.deleteLater()

    # -- wiring ----------------------------------------------------------------------------------------------------

    def _wire(self) -> None:
        self.notices.posted.subscribe(self.window.notice_bar.show_notice)
        self.window.closing.connect(self._on_closing)
        self.window.keys_requested.connect(self._show_keys)
        self.orders.submitted.connect(self._on_submitted)
        self.orders.pair_done.connect(self._compare_files)
        self.queue_page.compose_requested.connect(lambda: self.window.go("go.compose"))
        self.queue.compare_requested.connect(self.open_result)
        self.queue.change_requested.connect(lambda job: self._open_recipe(job.shot))
        self.queue.control.restart_requested.connect(self.servers.restart)
        self.jobs.emptied.subscribe(self._on_emptied)
        self.library_page.compose_requested.connect(lambda: self.window.go("go.compose"))
        self.library.recipe_requested.connect(self._open_recipe)
        self.library.reference_requested.connect(self._use_as_references)
        self.library.compare_requested.connect(self._compare_files)
        self.jobs.changed.subscribe(self._on_job)
        self.queue.running_changed.connect(self._show_running)
        self.server.status_changed.connect(self._show_server)
        self.server.address_needed.connect(lambda: self.window.go("go.server"))
        self.settings_page.server_requested.connect(lambda: self.window.go("go.server"))
        self.window.dropped.connect(self._on_dropped)
        self.strip.server_clicked.connect(lambda: self.window.go("go.server"))
        self.strip.act_chosen.connect(self.server.perform)
        self._forget_language = language_changed.subscribe(self._show_server)
        self._disk = QTimer(self, interval=_DISK_EVERY_MS)
        self._disk.timeout.connect(self._look_at_disk)
        self._disk.start()
        self._show_server()

    def _on_submitted(self, jobs: tuple[Job, ...]) -> None:
        # Drafts are opened as a pair, once both are there.
        self._mine.update(job.id for job in jobs if job.purpose != "draft")
        self.queue.select(jobs[0].id)
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

    def _on_emptied(self, lane: str) -> None:
        """End our server once nothing is left for it to render, if the user wants that."""
        if self.settings.present.queue.stop_server_when_empty:
            self.servers.end(lane)

    def open_result(self, job: Job) -> None:
        """Open a finished render in Compare, beside its source; alone beside itself when it has none."""
        if job.video is None:
            return
        source = job.source_clip or next((r.path for r in job.shot.sent() if r.kind == "image"), None)
        self.compare.open(source or job.video, job.video)
        self.window.go("go.compare")

    def _open_recipe(self, shot: Shot) -> None:
        self.compose.put(shot)
        self.window.go("go.compose")

    def _use_as_references(self, videos: list[Path]) -> None:
        self.compose.add_paths(videos)
        self.window.go("go.compose")

    def _compare_files(self, a: Path, b: Path) -> None:
        self.compare.open(a, b)
        self.window.go("go.compare")

    def _show_server(self, _status: object = None) -> None:
        rehearsal = self.server.status.rehearsal
        self.strip.set_server(self.server.text(), self.server.dot, rehearsal=rehearsal)
        self.strip.set_act(self.server.act, self.server.waiting)

    def _show_running(self, job: Job | None) -> None:
        self.strip.set_job(self.queue.progress_line(job) if job else "", job.progress.fraction if job else None)

    def _on_dropped(self, mime: QMimeData) -> None:
        if self.compose_page.take(mime):
            self.window.go("go.compose")

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
            if choice != "keep":
                await asyncio.gather(*(manager.stop() for manager in self.fleet if manager.status.ours))
        finally:
            self.ended.emit()

    def _busy(self) -> list[Job]:
        """Jobs that closing the window could harm; one that waits for a server is kept by the store."""
        idle = (JobState.DRAFT, JobState.WAITING, JobState.CANCELLING)
        return [job for job in self.queue.jobs.jobs if not job.state.finished and job.state not in idle]

"""One studio: its workspaces and how they are wired. Everything is closed in one place, in one order.

The window stands with Compose alone; what the others need is made one part a turn of the loop after the first paint, or
as soon as somebody asks for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QMimeData, QTimer, Signal

from studio.contract import Reference, Role, Shot
from studio.core import paths
from studio.core.files import free_bytes
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message, language_changed, sentences
from studio.jobs.states import JobState
from studio.settings import SettingsStore
from ui import startup
from ui.around import surroundings
from ui.compose.view import ComposeWorkspace
from ui.compose.viewmodel import ComposeModel
from ui.leaving import Leaving
from ui.main_window import MainWindow
from ui.pages import workspaces
from ui.rooms import Rooms
from ui.widgets.act_button import Act
from ui.widgets.status_strip import StatusStrip

if TYPE_CHECKING:
    from studio.jobs import Job
    from ui.compare.viewmodel import CompareModel
    from ui.desktop import DesktopNews
    from ui.first_start import FirstStart
    from ui.library import LibraryModel
    from ui.memory_gauge import MemoryGauge
    from ui.orders import Orders
    from ui.queue import QueueModel
    from ui.server.servers_model import ServersModel
    from ui.server.viewmodel import ServerModel
    from ui.settings import SettingsModel

_DISK_EVERY_MS: Final = 20_000
_MODELS: Final = ("queue", "compare", "library", "servers", "server", "preferences")
"""In the order in which they are closed."""

sentences(
    {
        "job.finished_notice": "“{name}” is finished and checked.",
        "job.failed_notice": "“{name}” was not rendered: {why}",
    }
)


class Studio(Rooms):
    """The application behind the window. `ended` is emitted once, when it may be left."""

    ended = Signal()

    def __init__(self, settings: SettingsStore, notices: Notices) -> None:
        super().__init__(settings, notices)
        self.scope = TaskScope("studio", lambda error, _name: notices.error(error))
        self._mine: set[str] = set()
        self._first: FirstStart | None = None
        data = paths.data_dir()
        self.compose = ComposeModel(
            self.workers,
            notices,
            autosave=data / "drafts",
            recent=data / "recent.json",
            parent=self,
            around=surroundings(settings, lambda: self.jobs, lambda: self.fleet.in_view),
        )
        self.compose_page = ComposeWorkspace(self.compose)
        self.strip = StatusStrip()
        self.window = MainWindow(workspaces(self), self.strip)
        self.window.resize(1440, 900)
        self._leaving = Leaving(self)
        self._disk = QTimer(self, interval=_DISK_EVERY_MS)
        self._wire()
        if settings.trouble is not None:
            notices.post(settings.trouble)

    def _wire(self) -> None:
        self.notices.posted.subscribe(self.window.notice_bar.show_notice)
        self._leaving.ended.connect(self.ended)
        self.window.closing.connect(self._leaving.on_closing)
        self.window.keys_requested.connect(self._show_keys)
        self.window.dropped.connect(self._on_dropped)
        self.compose.wishes.wished.connect(lambda wish: self.orders.place(wish))
        self.strip.set_act(Act.CONNECT if self.settings.present.server.kind == "url" else Act.START)
        self.strip.server_clicked.connect(lambda: self.window.go("go.server"))
        self.strip.act_chosen.connect(lambda act: self.server.perform(act))
        self._disk.timeout.connect(self._look_at_disk)

    async def start(self, shot: Path | None, *, with_server: bool) -> None:
        """Show the window, make the rest, take up what an earlier studio left, and open a shot or the last draft.

        Raises StudioError when the queue's store cannot be opened.
        """
        self.window.show()
        if shot is not None:
            self.compose.open(shot)
        await self.window.painted()
        await asyncio.to_thread(startup.import_rooms)
        folder = self.jobs.tools.results_dir()
        self.results.start(folder)
        await self._make_models()
        if self._first is not None:
            self._first.look()
        await self.fleet.adopt()
        await self.jobs.start(take_over=True)
        self.queue.load()
        self.orders.learn()
        if with_server:
            self.server.choose("rehearsal")
            self.server.start()
        self._look_at_disk()
        self._disk.start()
        for action in self.window.actions_shown:
            await asyncio.sleep(0)
            self.window.page(action)
        await asyncio.sleep(0)
        importlib.import_module("ui.compose.reference_editor")  # the first look at a clip is not to wait for it

    async def _make_models(self) -> None:
        for name in ("orders", *_MODELS, "_desktop", "_gauge"):
            await asyncio.sleep(0)
            getattr(self, name)
        self._show_server()

    def welcome(self) -> None:
        """Ask the question of the first start."""
        from ui.first_start import FirstStart

        self._first = FirstStart(
            lambda: self.server, self.settings, self.notices, self.window.go, self._welcomed, parent=self
        )
        self.window.cover(self._first.page)
        if self.stands("server"):
            self._first.look()

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

    def close_at_once(self) -> None:
        """Leave without asking, as at a signal."""
        self._leaving.at_once()

    async def aclose(self) -> None:
        """Close every room. What renders on a server goes on there."""
        self._disk.stop()
        self.window.hide()
        if self.stands("server"):
            self._forget_language()
        if self.stands("_gauge"):
            self._gauge.close()
        if self.stands("_desktop"):
            self._desktop.close()
        if self.stands("orders"):
            self.orders.close()
        await self.scope.aclose()
        if self._first is not None:
            await self._first.aclose()
        await self.compose.aclose()
        for name in filter(self.stands, _MODELS):
            await getattr(self, name).aclose()
        await self.close_rooms()
        self.window.deleteLater()

    # -- the models of the workspaces ------------------------------------------------------------------------------

    @cached_property
    def orders(self) -> Orders:
        """What Compose asks for becomes jobs."""
        from ui.orders import Orders

        in_view, runs = self.fleet.in_view, self.fleet.runs
        orders = Orders(self.compose, self.jobs, in_view, self.settings, self.scope, runs=runs)
        orders.submitted.connect(self._on_submitted)
        orders.pair_done.connect(self.compare_files)
        self.jobs.changed.subscribe(self._on_job)
        return orders

    @cached_property
    def queue(self) -> QueueModel:
        """The queue on the screen."""
        from ui.queue import QueueModel

        queue = QueueModel(self.jobs, self.notices, parent=self)
        queue.compare_requested.connect(self.open_result)
        queue.takes_requested.connect(self.show_takes)
        queue.change_requested.connect(lambda job: self._open_recipe(job.shot))
        queue.control.restart_requested.connect(lambda lane: self.servers.restart(lane))
        queue.running_changed.connect(self._show_running)
        return queue

    @cached_property
    def compare(self) -> CompareModel:
        """The comparison on the screen."""
        from ui.compare.viewmodel import CompareModel

        compare = CompareModel(self.workers, self.notices, parent=self, library=self.results)
        compare.frame_wanted.connect(self._use_frame)
        return compare

    @cached_property
    def library(self) -> LibraryModel:
        """The library on the screen."""
        from ui.library import LibraryModel

        library = LibraryModel(self.results, self.jobs, self.workers, self.notices, parent=self)
        library.recipe_requested.connect(self._open_recipe)
        library.reference_requested.connect(self._use_as_references)
        library.compare_requested.connect(self.compare_files)
        library.takes_requested.connect(self.show_takes)
        library.frame_wanted.connect(self._use_frame)
        return library

    @cached_property
    def server(self) -> ServerModel:
        """The server that is in view."""
        from ui.server.viewmodel import ServerModel

        server = ServerModel(self.manager, self.settings, self.notices, self.jobs, parent=self)
        composed = self.compose.documents
        server.launches.draft = lambda: () if composed.current.is_blank else (composed.current.shot,)
        server.status_changed.connect(self._show_server)
        server.address_needed.connect(lambda: self.window.go("go.server"))
        self._forget_language = language_changed.subscribe(self._show_server)
        return server

    @cached_property
    def servers(self) -> ServersModel:
        """All servers of the user's."""
        from ui.server.servers_model import ServersModel

        servers = ServersModel(self.fleet, self.server, self.settings, self.notices, parent=self)
        self.jobs.emptied.subscribe(self._on_emptied)
        return servers

    @cached_property
    def preferences(self) -> SettingsModel:
        """The settings on the screen."""
        from ui.settings import SettingsModel

        return SettingsModel(self.settings, self.notices, parent=self)

    @cached_property
    def _desktop(self) -> DesktopNews:
        from ui.desktop import DesktopNews

        return DesktopNews(self.jobs, self.settings, self.window)

    @cached_property
    def _gauge(self) -> MemoryGauge:
        from ui.memory_gauge import MemoryGauge

        return MemoryGauge(self.jobs.tools.monitor, self.fleet.in_view, self.settings, self.strip, self.window)

    # -- from one to another ---------------------------------------------------------------------------------------

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
        if job.video is not None:
            source = job.source_clip or next((r.path for r in job.shot.sent() if r.kind == "image"), None)
            self.compare_files(source or job.video, job.video)

    def compare_files(self, a: Path, b: Path) -> None:
        """Open two files in Compare."""
        self.compare.open(a, b)
        self.window.go("go.compare")

    def show_takes(self, files: list[Path]) -> None:
        """Open renders of one shot in Compare, to choose among them."""
        self.compare.takes.open(files)
        self.window.go("go.compare")

    def _open_recipe(self, shot: Shot) -> None:
        self.compose.put(shot)
        self.window.go("go.compose")

    def _use_as_references(self, videos: list[Path]) -> None:
        self.compose.add_paths(videos)
        self.window.go("go.compose")

    def _use_frame(self, video: Path, picture: int, role: Role) -> None:
        self.compose.add_frame(video, picture, role)
        self.window.go("go.compose")

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
        self.scope.start(self._read_disk(self.jobs.tools.results_dir()), name="disk")

    async def _read_disk(self, folder: Path) -> None:
        self.strip.set_disk(await asyncio.to_thread(free_bytes, folder))

    def _show_keys(self) -> None:
        from ui.keys import KeySheet

        KeySheet(self.window).open()

"""The queue as the window sees it: the list of jobs, the selected one with its stages, and what can be done to them.

The one place in Queue that talks to studio.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import time
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QImage

from studio.core.errors import StudioError
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message, language_changed, tr
from studio.jobs import Job, JobService, JobState, telling
from studio.jobs.plain import as_plain
from ui.queue.control import QueueControl
from ui.queue.model import JobListModel
from ui.queue.pictures import JobPictures
from ui.queue.recordings import Recordings
from ui.queue.stages import Stage, ended, stages
from ui.queue.timeline import Timeline
from ui.queue.trace import Trace

_GATHER_MS: Final = 50
"""Changes of jobs are shown at most this often: an upload alone tells hundreds a second."""
_KEPT_TRACES: Final = 50
_PAGE: Final = 200
"""Jobs that have ended are read so many at a time, as far as the list is scrolled."""


class QueueModel(QObject):
    """Lives on the GUI thread; follows `service.changed`."""

    selected_changed = Signal(object)
    """The selected Job has a new value, or another job (or None) is selected."""
    stages_changed = Signal()
    """The selected job's stages must be drawn anew."""
    running_changed = Signal(object)
    """The job that the status strip shows has a new value; None when none is on its way."""
    takes_requested = Signal(object)
    """The user wants to choose among these videos (a list of Path), renders of one shot with other seeds."""
    compare_requested = Signal(object)
    """The user wants to see this Job's result beside its source."""
    change_requested = Signal(object)
    """The user wants to make another shot from this Job's."""
    cancel_requested = Signal(object)
    """The user wants this Job to end: ask first when work would be lost."""
    choice_requested = Signal(object)
    """The user wants to say which of the server's renders this Job is."""
    candidates_read = Signal(str, object)
    """What a job (by its id) may be on its server: a list of VideoJob, or the StudioError why nobody knows."""

    def __init__(self, service: JobService, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._notices = notices
        self._scope = TaskScope("queue", lambda error, _task: notices.error(error))
        self._traces: dict[str, Trace] = {}
        self._pending: dict[str, Job] = {}
        self._selected: str | None = None
        self._changes: tuple[str, list[dict[str, Any]]] = ("", [])
        self._ending: set[str] = set()
        self._plot: asyncio.Task[None] | None = None
        self.recordings = Recordings(service, self._scope, self)
        self.recordings.changed.connect(self.stages_changed)
        self.pictures = JobPictures(service.tools.workers, self._scope, self)
        self.jobs = JobListModel(self.progress_line, self.pictures.of, self)
        self.pictures.ready.connect(self.jobs.refresh)
        self._last_read: Job | None = None
        self._reading: asyncio.Task[None] | None = None
        self.jobs.more_wanted.connect(self._read_more)
        self.control = QueueControl(service, notices, lambda: self.jobs.unfinished, self.seconds_left, self)
        self.jobs.reordered.connect(self.control.reorder)
        self._gather = QTimer(self, interval=_GATHER_MS, singleShot=True)
        self._gather.timeout.connect(self._show_pending)
        self._unsubscribe = (
            service.changed.subscribe(self._on_changed),
            language_changed.subscribe(lambda _: self.running_changed.emit(self.running)),
        )

    def load(self) -> None:
        """Read the jobs that are in the store already. Needs the running loop."""
        self._scope.start(self._load(), name="load")

    async def aclose(self) -> None:
        """Stop following and wait for what was begun."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._gather.stop()
        await self.control.aclose()
        await self._scope.aclose()

    # What there is to see.

    @property
    def selected(self) -> Job | None:
        """The selected job."""
        return self.jobs.get(self._selected)

    @property
    def running(self) -> Job | None:
        """The job that is furthest on its way: on a server before preparing, older before newer."""
        return min(self.jobs.unfinished, key=lambda job: (not job.state.on_server, job.created), default=None)

    def is_ending(self, job_id: str) -> bool:
        """Whether the user has cancelled it and the server has not let go yet."""
        job = self.jobs.get(job_id)
        return job_id in self._ending or (job is not None and job.state is JobState.CANCELLING)

    def seconds_left(self, job: Job) -> tuple[float, float] | None:
        """Least and most seconds until the job's video is there; None when that is not known."""
        trace, watching = self._traces.get(job.id), self.recordings.watching(job)
        if trace is None:
            return None
        tails, late = (watching.tails, watching.late) if watching else ((), 0.0)
        return trace.left(job, time.monotonic() + late, tails)

    def progress_line(self, job: Job) -> str:
        """How far a job is, in words: "step 27/50 · 1.9 s/step · done 14:05–14:07"."""
        if job.state is JobState.WAITING:
            return self.control.why_waiting(job)
        if job.stalled is not None:
            return tr("no sign of progress for {time}", time=telling.duration(time.time() - job.stalled))
        return telling.progress_line(job, self.seconds_left(job))

    def trace(self, job: Job) -> Trace:
        """What was seen of the job's steps since this window is open."""
        return self._traces.get(job.id) or Trace()

    def stages(self, job: Job) -> list[Stage]:
        """The stages of the selected job's last attempt; empty until they are read."""
        owner, changes = self._changes
        if owner != job.id:
            return []
        phases, recording = self.trace(job).phases, self.recordings.of(job)
        if not phases and recording is not None:
            phases = [(name, recording.began + t) for t, name in recording.stages]
        return stages(job, changes, phases, time.time())

    def timeline(self, job: Job) -> Timeline:
        """The selected job on its time axis, as it is now."""
        watching = self.recordings.watching(job)
        return Timeline(
            stages=self.stages(job),
            samples=tuple(self.trace(job).samples),
            now=time.time(),
            left=self.seconds_left(job),
            broke=job.state in (JobState.FAILED, JobState.LOST),
            recording=self.recordings.of(job),
            ghost=self.recordings.ghost(job),
            running=not job.state.finished,
            unseen=job.state is JobState.RUNNING and watching is not None and not watching.steps_seen,
        )

    def end(self, job: Job) -> dict[str, Any] | None:
        """When, why and by whom the selected job ended (`at`, `cause`, `who`); None while it has not."""
        owner, changes = self._changes
        last = ended(changes) if owner == job.id else None
        return dict(last) if last else None

    def details(self, job: Job) -> str:
        """Everything that is known of the job, as JSON for a report. No secret is in a job."""
        changes = self._changes[1] if self._changes[0] == job.id else None
        return json.dumps(as_plain(job, changes), ensure_ascii=False, indent=2)

    def plot_is_loaded(self) -> bool:
        """Whether the library is there that draws the selected job; if not, it will be at the next `stages_changed`."""
        if self._plot is None:
            self._plot = self._scope.start(self._load_plot(), name="plot")
        return self._plot.done()

    # What can be done.

    def select(self, job_id: str | None) -> None:
        """Show another job."""
        if job_id == self._selected:
            return
        self._selected = job_id
        self.selected_changed.emit(self.selected)
        self._read_changes()

    def cancel(self, job_id: str) -> None:
        """End a job: here at once, on the server at its next step."""
        if job_id not in self._ending:
            self._ending.add(job_id)
            self._scope.start(self._cancel(job_id), name=f"cancel {job_id}")
            self._show(job_id)

    def resume(self, job_id: str) -> None:
        """Try a job again with the same seed, from where it truly is."""
        self._scope.start(self._service.resume(job_id), name=f"resume {job_id}")

    def read_candidates(self, job_id: str) -> None:
        """Ask a job's server which of its renders it may be; `candidates_read` tells."""
        self._scope.start(self._read_candidates(job_id), name=f"candidates {job_id}")

    def take(self, job_id: str, remote_id: str) -> None:
        """Go on with a job as that render of its server."""
        self._scope.start(self._service.take(job_id, remote_id), name=f"take {job_id}")

    def save_picture(self, image: QImage, path: Path) -> None:
        """Write a picture of the time axis as PNG; a notice says how that went."""
        self._scope.start(self._save_picture(image, path), name="picture")

    def open_result(self, job_id: str) -> None:
        """Ask for the result beside its source."""
        if (job := self._with_video(job_id)) is not None:
            self.compare_requested.emit(job)

    def takes(self, job: Job) -> list[Path]:
        """The videos of a job and of those that were asked for with it, oldest first, as far as they are done."""
        batch = job.batch or job.id
        done = [other for other in self.jobs.jobs if batch in (other.id, other.batch) and other.purpose == "render"]
        videos = [(other.created, other.video) for other in done if other.state is JobState.DONE and other.video]
        return [video for _, video in sorted(videos)]

    def show_file(self, job_id: str) -> None:
        """Open the folder of the result in the desktop's file manager."""
        job = self._with_video(job_id)
        if job is None or job.video is None:
            return
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(job.video.parent))):
            self._notices.post(Notice("warn", Message("queue.no_file_manager", {"path": str(job.video.parent)})))

    # Following the service.

    async def _load(self) -> None:
        under_way = await self._service.unfinished()
        for job in under_way:
            self._on_changed(job)
        ended = await self._ended()
        stored = {job.id: job for job in (*self.jobs.jobs, *under_way, *ended)}
        self.jobs.fill(stored.values(), more_to_come=len(ended) == _PAGE)
        if self._selected is None and self.jobs.jobs:
            self.select(self.jobs.jobs[0].id)
        self.control.learn()
        if self.running is not None:
            self.running_changed.emit(self.running)

    async def _ended(self) -> list[Job]:
        """The next page of the jobs that have ended, newest first."""
        tools = self._service.tools
        page = await tools.write(tools.store.ended, _PAGE, self._last_read)
        self._last_read = page[-1] if page else self._last_read
        return page

    def _read_more(self) -> None:
        if self._reading is None or self._reading.done():
            self._reading = self._scope.start(self._append(), name="more")

    async def _append(self) -> None:
        page = await self._ended()
        self.jobs.append(page, more_to_come=len(page) == _PAGE)

    def _on_changed(self, job: Job) -> None:
        if not job.state.finished:
            self._traces.setdefault(job.id, Trace()).feed(job, time.monotonic(), time.time())
            while len(self._traces) > _KEPT_TRACES:
                self._traces.pop(next(iter(self._traces)))
        self._pending[job.id] = job
        if not self._gather.isActive():
            self._gather.start()

    def _show_pending(self) -> None:
        before = self.selected.state if self.selected else None
        (pending, self._pending), news = (self._pending, {}), False
        for job in pending.values():
            known = self.jobs.get(job.id)
            self.jobs.put(job)
            if known is None or known.state is not job.state:
                news = True
        if news:
            self.control.learn()
        if self._selected in pending:
            self.selected_changed.emit(self.selected)
            if self.selected and self.selected.state is not before:
                self._read_changes()
            else:
                self.stages_changed.emit()
        elif self._selected is None and self.jobs.jobs:
            self.select(self.jobs.jobs[0].id)
        self.running_changed.emit(self.running)

    def _show(self, job_id: str) -> None:
        self.jobs.refresh()
        if job_id == self._selected:
            self.selected_changed.emit(self.selected)

    def _read_changes(self) -> None:
        if self._selected is not None:
            self._scope.start(self._load_changes(self._selected), name="changes")

    async def _load_changes(self, job_id: str) -> None:
        tools = self._service.tools
        changes = await tools.write(tools.store.changes, job_id)
        if job_id == self._selected:
            self._changes = (job_id, changes)
            self.selected_changed.emit(self.selected)
            self.stages_changed.emit()

    async def _load_plot(self) -> None:
        await asyncio.to_thread(importlib.import_module, "ui.queue.time_axis")
        asyncio.get_running_loop().call_soon(self.stages_changed.emit)  # when this task is done

    async def _cancel(self, job_id: str) -> None:
        try:
            await self._service.cancel(job_id)
        finally:
            self._ending.discard(job_id)
            self._show(job_id)

    async def _read_candidates(self, job_id: str) -> None:
        try:
            found: object = await self._service.candidates(job_id)
        except StudioError as error:
            found = error
        self.candidates_read.emit(job_id, found)

    async def _save_picture(self, image: QImage, path: Path) -> None:
        # The stubs want bytes, which it does not take (PySide6 6.11).
        saved = await asyncio.to_thread(lambda: image.save(str(path), "PNG"))  # type: ignore[call-overload]
        code = "queue.picture_saved" if saved else "queue.picture_not_saved"
        self._notices.post(Notice("good" if saved else "bad", Message(code, {"path": str(path)})))

    def _with_video(self, job_id: str) -> Job | None:
        job = self.jobs.get(job_id)
        if job is None or job.state is not JobState.DONE or job.video is None:
            return None
        if not job.video.exists():
            self._notices.post(Notice("warn", Message("queue.file_gone", {"path": str(job.video)})))
            return None
        return job

"""Recordings of renders for the Queue: the one that grows, those of finished jobs from files, and the last alike."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, Signal

from studio.core.tasks import TaskScope
from studio.jobs import Job, JobService
from studio.jobs.calibration import last_alike
from studio.jobs.watching import Watching
from studio.telemetry import Recording, replay

log = logging.getLogger(__name__)
_KEPT: Final = 6


class Recordings(QObject):
    """Asked when something is painted; what must be read first is there at the next `changed`."""

    changed = Signal()

    def __init__(self, service: JobService, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service, self._scope = service, scope
        self._read: dict[Path, Recording | None] = {}
        self._alike: dict[str, tuple[Path, float] | None] = {}
        self._busy: set[object] = set()

    def watching(self, job: Job) -> Watching | None:
        """What watches a job that is on a server now."""
        return self._service.tools.watchings.get(job.id)

    def of(self, job: Job) -> Recording | None:
        """What was recorded of a job so far."""
        if (watching := self.watching(job)) is not None:
            return watching.recording
        if job.telemetry is None or not (job.state.finished or job.video):
            return None
        return self._file(job.telemetry, job.posted_at or job.created)

    def ghost(self, job: Job) -> Recording | None:
        """The last finished run of the same shape on the same server, before this one."""
        if not job.rows:
            return None
        if job.id not in self._alike:
            self._begin(("alike", job.id), lambda: self._find_alike(job))
            return None
        found = self._alike[job.id]
        return self._file(*found) if found else None

    def _file(self, path: Path, began: float) -> Recording | None:
        if path not in self._read:
            self._begin(path, lambda: self._read_file(path, began))
        return self._read.get(path)

    def _begin(self, key: object, reading: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if key not in self._busy:
            self._busy.add(key)
            self._scope.start(reading(), name="recording")

    async def _read_file(self, path: Path, began: float) -> None:
        recording: Recording | None = None
        try:
            recording = await asyncio.to_thread(replay, path, began)
        except (OSError, ValueError) as error:
            log.info("the recording %s cannot be shown: %s", path, error)
        self._busy.discard(path)
        while len(self._read) >= _KEPT:
            self._read.pop(next(iter(self._read)))
        self._read[path] = recording
        self.changed.emit()

    async def _find_alike(self, job: Job) -> None:
        tools = self._service.tools
        self._alike[job.id] = await tools.write(last_alike, tools.store, job)
        self._busy.discard(("alike", job.id))
        self.changed.emit()

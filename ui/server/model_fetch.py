"""The model's download as the window sees it: it goes on while its dialog is closed, and ends with the window."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio.core.errors import StudioError
from studio.core.files import free_bytes
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.server.doctor import Check, Level, check_hub
from studio.server.doctor.checkpoint import check_checkpoint
from studio.server.model import Download, Partition, Progress
from studio.server.profiles import Profile


class ModelFetch(QObject):
    """One download at a time."""

    changed = Signal()
    answered = Signal(object)
    """What the hub said when it was asked, as a Check; None while it is asked."""
    done = Signal(object)
    """The folder (Path) that holds a whole model now."""

    def __init__(self, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._notices = notices
        self._scope = TaskScope("model-fetch", lambda error, _task: notices.error(error))
        self._task: asyncio.Task[None] | None = None
        self.progress = Progress()
        self.trouble = ""
        """Why the last one ended, and what to do; "" while all is well."""

    async def aclose(self) -> None:
        """End the download; it goes on from there next time."""
        await self._scope.aclose()

    @property
    def running(self) -> bool:
        """Whether one is under way."""
        return self._task is not None and not self._task.done()

    def start(self, partition: Partition, folder: Path) -> None:
        """Fetch a partition into a folder, or go on with it."""
        if not self.running:
            self.trouble, self.progress = "", Progress()
            self._task = self._scope.start(self._run(Download(partition, folder)), name="download")
            self.changed.emit()

    def stop(self) -> None:
        """End it; what is there is kept."""
        if self._task is not None:
            self._scope.cancel(self._task)

    def ask(self) -> None:
        """Ask the hub whether it gives the model to this user: only when somebody pressed for it."""
        self.answered.emit(None)
        self._scope.start(self._ask(), name="ask")

    @staticmethod
    def free(folder: str) -> int:
        """Bytes that are free where a folder is, or would be. Blocking, short."""
        return free_bytes(Path(folder).expanduser() if folder else Path.home())

    async def _ask(self) -> None:
        self.answered.emit(await check_hub())

    async def _run(self, download: Download) -> None:
        unsubscribe = download.changed.subscribe(self._on_progress)
        try:
            await download.run()
            wrong = await asyncio.to_thread(lambda: faults(download.partition, download.folder))
            if wrong:
                self.trouble = wrong[0].message.text()
            else:
                folder = str(download.folder)
                self._notices.post(Notice("good", Message("model.fetched", {"path": folder})))
                self.done.emit(download.folder)
        except StudioError as error:
            self.trouble = error.text()
        finally:
            unsubscribe()
            self._task = None
            self.changed.emit()

    def _on_progress(self, progress: Progress) -> None:
        self.progress = progress
        self.changed.emit()


def faults(partition: Partition, folder: Path) -> list[Check]:
    """What a folder lacks of a partition. Blocking, some ms."""
    suffix = "" if partition == "combined" else partition
    profile = Profile(id="any", title="", partition=partition, model_path_suffix=suffix)
    return [check for check in check_checkpoint(profile, str(folder)) if check.level is Level.FAIL]

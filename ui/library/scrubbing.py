"""The clip of the result that is looked at, open for its exact frames: the newest wish first."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio.core.tasks import TaskScope
from studio.media.wishes import Wishes


class Scrubbing(QObject):
    """Opens a clip when a frame of it is first asked for, so that looking through the grid costs no decoder."""

    opened = Signal(int)
    """So many frames the clip has."""
    shown = Signal(int, object)
    """A frame's number and picture, (h, w, 4) uint8 BGRA."""
    failed = Signal(str)
    """A sentence: why the frame cannot be shown."""

    def __init__(self, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scope = scope
        self._path: Path | None = None
        self._task: asyncio.Task[None] | None = None
        self._wishes = Wishes(
            lambda info: self.opened.emit(info.frames),
            self.shown.emit,
            lambda error: self.failed.emit(error.text()),
        )

    def set_clip(self, path: Path | None) -> None:
        """Another clip is looked at; the one that is open is closed."""
        if path != self._path:
            self._path = path
            if self._task is not None:
                self._scope.cancel(self._task)
                self._task = None

    def ask(self, n: int) -> None:
        """Wish for frame n; `shown` brings it unless a newer wish overtakes it."""
        if self._path is None:
            return
        self._wishes.ask(n)
        if self._task is None:
            self._task = self._scope.start(
                self._wishes.answer(self._path, trusted=True), name=f"scrub/{self._path.name}"
            )

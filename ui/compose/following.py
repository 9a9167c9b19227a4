"""Following what lies under an area through a clip, in a worker, with a way out."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.contract.keep_change import Area
from ui.compose.reading import Reading

if TYPE_CHECKING:
    from studio.media.follow import Followed


class Following(QObject):
    """One at a time."""

    progressed = Signal(float)
    """How far it is, 0…1."""
    found = Signal(object, float, object)
    """The area that was followed, the time (s) from which on, and the `Followed`."""
    ended = Signal()

    def __init__(self, reading: Reading, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reading = reading
        self._task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether something is followed."""
        return self._task is not None

    def start(self, path: Path, area: Area, time: float, pictures: range) -> None:
        """Follow what is under `area` at `time` from the first of `pictures` to the last."""
        if self._task is None and len(pictures) > 1:
            self._task = self._reading.start(self._follow(path, area, time, pictures), name=f"follow/{path.name}")
            self._task.add_done_callback(self._on_done)
            self.progressed.emit(0.0)

    def stop(self) -> None:
        """Give up."""
        if self._task is not None:
            self._task.cancel()

    async def _follow(self, path: Path, area: Area, time: float, pictures: range) -> None:
        followed: Followed = await self._reading.follow(path, area, time, pictures, self.progressed.emit)
        self.found.emit(area, time, followed)

    def _on_done(self, _task: asyncio.Task[None]) -> None:
        # Also for one that was stopped before it began.
        self._task = None
        self.ended.emit()

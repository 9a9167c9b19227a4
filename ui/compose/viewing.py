"""A clip that is looked at closely: open for its exact pictures, the newest wish first."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.core.errors import StudioError
from studio.core.tasks import TaskScope
from studio.media.colour import Picture
from studio.media.frames import Clip, ClipInfo


class Viewing(QObject):
    """Opens a clip or still in the background; `ask` for pictures by number, as shown. It is deleted once closed.

    Wishes that a newer one has overtaken are not answered.
    """

    opened = Signal(object)
    """The ClipInfo: how many pictures there are, and when each is shown."""
    picture_ready = Signal(int, QImage)
    failed = Signal(str)
    """A sentence: why the clip, or the picture asked for, cannot be shown."""
    closed = Signal()

    def __init__(self, path: Path, scope: TaskScope, parent: QObject | None = None, ground: str | None = None) -> None:
        """`ground` lies under what is transparent, as "#rrggbb"."""
        super().__init__(parent)
        self.info: ClipInfo | None = None
        self._path, self._ground = path, ground
        self._scope = scope
        self._wanted = 0
        self._wish = asyncio.Event()
        self._task = scope.start(self._run(), name=f"view/{path.name}")

    def ask(self, n: int) -> None:
        """Wish for picture n; `picture_ready` brings it."""
        self._wanted = n
        self._wish.set()

    def close(self) -> None:
        """Let go of the clip, once."""
        self.closed.emit()
        self._scope.cancel(self._task)
        self._task.add_done_callback(lambda _task: self.deleteLater())

    async def _run(self) -> None:
        try:
            clip = await Clip.open(self._path, ground=self._ground)
        except StudioError as error:
            self.failed.emit(error.text())
            return
        try:
            self.info = clip.info
            self.opened.emit(clip.info)
            while await self._wish.wait():
                self._wish.clear()
                await self._show(clip, self._wanted)
        finally:
            await clip.aclose()

    async def _show(self, clip: Clip, n: int) -> None:
        try:
            picture = await clip.frame(n)
        except StudioError as error:
            self.failed.emit(error.text())
        else:
            self.picture_ready.emit(n, image_of(picture))


def image_of(bgra: Picture) -> QImage:
    """A decoded picture as an image of its own memory: the frame's may be used again meanwhile."""
    height, width = bgra.shape[:2]
    return QImage(np.ascontiguousarray(bgra).data, width, height, width * 4, QImage.Format.Format_RGB32).copy()

"""A clip that is looked at closely: open for its exact pictures, the newest wish first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.core.tasks import TaskScope
from studio.media.colour import Picture
from studio.media.frames import ClipInfo
from studio.media.wishes import Wishes


class Viewing(QObject):
    """Opens a clip or still in the background; `ask` for pictures by number, as shown. It is deleted once closed."""

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
        self._scope = scope
        self._wishes = Wishes(
            self._on_opened,
            lambda n, picture: self.picture_ready.emit(n, image_of(picture)),
            lambda error: self.failed.emit(error.text()),
        )
        self._task = scope.start(self._wishes.answer(path, ground=ground), name=f"view/{path.name}")

    def ask(self, n: int) -> None:
        """Wish for picture n; `picture_ready` brings it unless a newer wish overtakes it."""
        self._wishes.ask(n)

    def close(self) -> None:
        """Let go of the clip, once."""
        self.closed.emit()
        self._scope.cancel(self._task)
        self._task.add_done_callback(lambda _task: self.deleteLater())

    def _on_opened(self, info: ClipInfo) -> None:
        self.info = info
        self.opened.emit(info)


def image_of(bgra: Picture) -> QImage:
    """A decoded picture as an image of its own memory: the frame's may be used again meanwhile."""
    height, width = bgra.shape[:2]
    return QImage(np.ascontiguousarray(bgra).data, width, height, width * 4, QImage.Format.Format_RGB32).copy()

"""The small pictures of the grid: read and scaled on threads, the newest wish first, the last few hundred kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage

from studio.core.tasks import TaskScope
from studio.jobs.library import Entry, Library

KEPT: Final = 400
"""About 45 MB at the usual pixel density."""
_WISHES: Final = 150
"""More than a screen shows; older wishes were scrolled away."""
_READERS: Final = 4


class Pictures(QObject):
    """`get` gives what is there and asks for what is not; `ready` tells of each that came."""

    ready = Signal(int)
    """The id of a result."""

    def __init__(self, library: Library, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library, self._scope = library, scope
        self._size = QSize(224, 126)
        self._images: OrderedDict[int, QImage] = OrderedDict()
        self._wanted: OrderedDict[int, Entry] = OrderedDict()
        self._reading: set[int] = set()
        self._readers = 0

    def set_size(self, size: QSize) -> None:
        """The room for a picture in screen pixels; what was made for another size is made anew."""
        if size != self._size:
            self._size = size
            self._images.clear()

    def get(self, entry: Entry) -> QImage | None:
        """A result's picture; a null image when it has none, None while that is not known."""
        image = self._images.get(entry.id)
        if image is not None:
            self._images.move_to_end(entry.id)
            return image
        if entry.id not in self._reading:
            self._wanted[entry.id] = entry
            self._wanted.move_to_end(entry.id)
            while len(self._wanted) > _WISHES:
                self._wanted.popitem(last=False)
            if self._readers < _READERS:
                self._readers += 1
                self._scope.start(self._read_wanted(), name="pictures")
        return None

    def forget(self, entry_id: int) -> None:
        """Look again the next time."""
        self._images.pop(entry_id, None)

    async def whole(self, entry: Entry) -> QImage:
        """A result's thumbnail as it is kept on disk; a null image when it has none."""
        path = await self._library.thumbnails.get(entry)
        return await asyncio.to_thread(QImage, str(path)) if path else QImage()

    async def _read_wanted(self) -> None:
        try:
            while self._wanted:
                entry_id, entry = self._wanted.popitem()
                self._reading.add(entry_id)
                try:
                    self._images[entry_id] = await self._read(entry)
                finally:
                    self._reading.discard(entry_id)
                while len(self._images) > KEPT:
                    self._images.popitem(last=False)
                self.ready.emit(entry_id)
        finally:
            self._readers -= 1

    async def _read(self, entry: Entry) -> QImage:
        path = await self._library.thumbnails.get(entry)
        await self._library.notice_missing(entry)
        return await asyncio.to_thread(_scaled, path, self._size) if path else QImage()


def _scaled(path: Path, size: QSize) -> QImage:
    image = QImage(str(path))
    if image.isNull():
        return image
    return image.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)

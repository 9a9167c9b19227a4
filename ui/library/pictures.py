"""The pictures of the grid, from the thumbnails on disk, scaled on threads."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QImage

from studio.core.tasks import TaskScope
from studio.jobs.library import Entry, Library
from ui.widgets.small_pictures import SmallPictures

_READERS: Final = 4


class Pictures(SmallPictures):
    """By the ids of the results."""

    def __init__(self, library: Library, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(scope, _READERS, parent)
        self._library = library
        self._size = QSize(224, 126)

    def set_size(self, size: QSize) -> None:
        """The room for a picture in screen pixels; what was made for another size is made anew."""
        if size != self._size:
            self._size = size
            self.forget_all()

    def of(self, entry: Entry) -> QImage | None:
        """A result's picture; a null image when it has none, None while that is not known."""
        return self.get(entry.id, partial(self._read, entry))

    async def whole(self, entry: Entry) -> QImage:
        """A result's thumbnail as it is kept on disk; a null image when it has none."""
        path = await self._library.thumbnails.get(entry)
        return await asyncio.to_thread(QImage, str(path)) if path else QImage()

    async def _read(self, entry: Entry) -> QImage:
        path = await self._library.thumbnails.get(entry)
        await self._library.notice_missing(entry)
        return await asyncio.to_thread(_scaled, path, self._size) if path else QImage()


def _scaled(path: Path, size: QSize) -> QImage:
    image = QImage(str(path))
    if image.isNull():
        return image
    return image.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)

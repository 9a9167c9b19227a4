"""Small pictures that are read when a view asks for them: the newest wish first, the last few hundred kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.core.tasks import TaskScope

KEPT: Final = 400
"""About 45 MB of the grid's pictures at the usual pixel density."""
_WISHES: Final = 150
"""More than a screen shows; older wishes were scrolled away."""

Read = Callable[[], Awaitable[QImage]]
"""Reads one picture; a null image when there is none to be seen."""


class SmallPictures(QObject):
    """`get` gives what is there and asks for what is not; `ready` tells of each that came."""

    ready = Signal(object)
    """The key of a picture."""

    def __init__(self, scope: TaskScope, readers: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scope, self._free = scope, readers
        self._images: OrderedDict[Hashable, QImage] = OrderedDict()
        self._wanted: OrderedDict[Hashable, Read] = OrderedDict()
        self._reading: set[Hashable] = set()

    def get(self, key: Hashable, read: Read) -> QImage | None:
        """A picture; a null image when there is none to be seen, None while that is not known."""
        image = self._images.get(key)
        if image is not None:
            self._images.move_to_end(key)
            return image
        if key not in self._reading:
            self._wanted[key] = read
            self._wanted.move_to_end(key)
            while len(self._wanted) > _WISHES:
                self._wanted.popitem(last=False)
            if self._free:
                self._free -= 1
                self._scope.start(self._read_wanted(), name="pictures")
        return None

    def forget(self, key: Hashable) -> None:
        """Look again the next time."""
        self._images.pop(key, None)

    def forget_all(self) -> None:
        """Look again for all of them."""
        self._images.clear()

    async def _read_wanted(self) -> None:
        try:
            while self._wanted:
                key, read = self._wanted.popitem()
                self._reading.add(key)
                try:
                    self._images[key] = await read()
                finally:
                    self._reading.discard(key)
                while len(self._images) > KEPT:
                    self._images.popitem(last=False)
                self.ready.emit(key)
        finally:
            self._free += 1

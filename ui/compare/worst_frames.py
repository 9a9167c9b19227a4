"""The frames that differ most, drawn small in the background once the measures are there."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from studio.core.tasks import TaskScope
from studio.media.errors import MediaError
from ui.compare.measuring import Measuring
from ui.compare.pair import ClipPair, Frame
from ui.compare.still import thumbnail


@dataclass(frozen=True, slots=True)
class Worst:
    """One of them: its position, and A beside B in small, (h, w, 4) BGRA."""

    position: int
    picture: Frame


class WorstPictures(QObject):
    """`found` grows picture by picture, worst first."""

    changed = Signal()

    def __init__(self, scope: TaskScope, measures: Measuring, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scope, self._measures = scope, measures
        self._task: asyncio.Task[None] | None = None
        self.found: list[Worst] = []

    def draw(self, pair: ClipPair | None) -> None:
        """Forget what there is; draw anew if that pair is measured."""
        self._cancel()
        self.found = []
        if pair is not None and self._measures.comparison is not None:
            self._task = self._scope.start(self._draw(pair), name="worst")
        self.changed.emit()

    async def stop(self) -> None:
        """Give up and forget."""
        task = self._cancel()
        if task is not None:
            await asyncio.wait({task})
        self.found = []

    def _cancel(self) -> asyncio.Task[None] | None:
        task, self._task = self._task, None
        if task is not None:
            self._scope.cancel(task)
        return task

    async def _draw(self, pair: ClipPair) -> None:
        for position in self._measures.worst():
            # A frame that cannot be decoded has no picture; the stage says so when it is asked for.
            with contextlib.suppress(MediaError):
                pictures = await pair.fetch(position)
                self.found.append(Worst(position, await asyncio.to_thread(thumbnail, pictures.a, pictures.b)))
                self.changed.emit()

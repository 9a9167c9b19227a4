"""Of an edited clip: which part was kept, and how far it is from the source; found and measured in the background."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.compare.compositing import compose
from studio.core.tasks import TaskScope
from studio.media.workers import Workers
from ui.compare.display import Display
from ui.compare.pair import ClipPair, Frame, Pictures

if TYPE_CHECKING:
    from studio.compare.kept_parts import EditedClip, KeptParts


class KeptPartsModel(QObject):
    """Knows one pair at a time. `clip` is None unless B has a recipe that edits A."""

    changed = Signal()
    """It is known now that B edits A, or the measures came, or all of it went."""

    def __init__(self, scope: TaskScope, workers: Workers, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scope, self._workers = scope, workers
        self._task: asyncio.Task[None] | None = None
        self.clip: EditedClip | None = None
        self.parts: KeptParts | None = None

    def open(self, pair: ClipPair) -> None:
        """Look at a pair."""
        self._task = self._scope.start(self._look(pair), name="kept parts")

    async def close(self) -> None:
        """Give up and forget."""
        task, self._task = self._task, None
        if task is not None:
            self._scope.cancel(task)
            await asyncio.wait({task})
        was_there, self.clip, self.parts = self.clip is not None, None, None
        if was_there:
            self.changed.emit()

    def at(self, frame: int | None) -> tuple[float | None, float | None]:
        """Mean difference of the kept part and of the changed part in a frame of B."""
        if self.parts is None or frame is None or not 0 <= frame < len(self.parts.kept):
            return None, None
        return self.parts.kept[frame], self.parts.changed[frame]

    async def offset(self, pair: ClipPair) -> int | None:
        """The offset that the recipe of an edit tells: nobody needs to look for it. None for other pairs."""
        from studio.compare.kept_parts import begins_at

        start = await asyncio.to_thread(begins_at, pair.a.info.path, pair.b.info.path)
        return None if start is None else round(start * pair.fps)

    def made(self, pair: ClipPair, pictures: Pictures, position: int, display: Display) -> Frame | None:
        """The one picture of both clips in modes that make one, of both parts in the mode for that (`parts_shown`).

        Takes some ms: for a thread.
        """
        a, b, clip, look = pictures.a, pictures.b, self.clip, display.look
        if display.mode != "kept":
            return compose(a, b, display.mode, look)
        frame = pair.numbers(position)[1]
        if clip is None or a is None or b is None or frame is None:
            return None
        from studio.compare.kept_parts import parts_shown

        return parts_shown(a, b, clip, frame, look.gain)

    async def _look(self, pair: ClipPair) -> None:
        from studio.compare.kept_parts import edited_clip, kept_parts

        self.clip = await edited_clip(self._workers, pair.a.info.path, pair.b.info.path)
        if self.clip is not None:
            self.changed.emit()
            self.parts = await kept_parts(self._workers, self.clip)
            self.changed.emit()

"""What stands on the screen, brought to what the state asks for: the newest wish counts, others are dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from studio.core.errors import StudioError
from studio.core.tasks import TaskScope
from ui.compare.pair import ClipPair, Frame, Pictures
from ui.compare.playback import Playback


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands on the screen: the position, its pictures, and the picture made of both (in modes that make one)."""

    position: int
    offset: int
    pictures: Pictures
    made: Frame | None


class Showing(QObject):
    """Follows a playhead. `all_of_them` says whether C and D are seen, too; `made` makes the one picture of both."""

    changed = Signal()

    def __init__(
        self,
        scope: TaskScope,
        playback: Playback,
        all_of_them: Callable[[], bool],
        made: Callable[[ClipPair, Pictures, int], Awaitable[Frame | None]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._scope, self._playback, self._all_of_them, self._made = scope, playback, all_of_them, made
        self._task: asyncio.Task[None] | None = None
        self._stale = False
        self.shown: Shown | None = None

    def refresh(self, pair: ClipPair | None) -> None:
        """Show what the state asks for now."""
        self._stale = True
        if pair is not None and self._task is None:
            self._task = self._scope.start(self._show(pair), name="show")

    async def stop(self) -> None:
        """Give up and forget."""
        if self._task is not None:
            self._scope.cancel(self._task)
            await asyncio.wait({self._task})
        self.shown = None

    async def _show(self, pair: ClipPair) -> None:
        try:
            while self._stale:
                self._stale = False
                position, offset, now = self._playback.position, pair.offset, self.shown
                same = now is not None and (now.position, now.offset) == (position, offset)
                every = self._all_of_them()
                enough = now is not None and same and (not every or now.pictures.beside is not None)
                pictures = now.pictures if now and enough else await pair.fetch(position, all_of_them=every)
                made = await self._made(pair, pictures, position)
                self.shown = Shown(position, offset, pictures, made)
                self.changed.emit()
        except StudioError:
            self._playback.pause()
            raise
        finally:
            self._task = None

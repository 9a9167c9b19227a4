"""Files made of a comparison, in the background; a notice says when one is there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.media.workers import Workers
from ui.compare.pair import ClipPair
from ui.compare.render import Frame
from ui.compare.still import write_png

if TYPE_CHECKING:
    from studio.compare.result import Comparison


class Saving:
    """Starts the work in `scope`, which tells of errors."""

    def __init__(self, scope: TaskScope, workers: Workers, notices: Notices) -> None:
        self._scope, self._workers, self._notices = scope, workers, notices

    def comparison(self, found: Comparison, path: Path) -> None:
        """A contact sheet (.png), a clip of both (.mp4) or the measures (.csv)."""
        self._scope.start(self._export(found, path), name="export")

    def picture(self, picture: Frame, path: Path) -> None:
        """A PNG of (h, w, 4) BGRA."""
        self._scope.start(self._write(picture, path), name="picture")

    def b_with_sound_of_a(self, pair: ClipPair, path: Path) -> None:
        """An MP4 of B's pictures and A's sound, at the offset of now."""
        self._scope.start(self._mux(pair, path), name="sound")

    async def _export(self, found: Comparison, path: Path) -> None:
        from studio.compare.export import export

        await export(self._workers, found, path)
        self._say(path)

    async def _write(self, picture: Frame, path: Path) -> None:
        try:
            await asyncio.to_thread(write_png, picture, path)
        except OSError:
            self._notices.post(Notice("bad", Message("ui.compare.not_saved", {"name": path.name})))
        else:
            self._say(path)

    async def _mux(self, pair: ClipPair, path: Path) -> None:
        from studio.compare.mux import mux_sound

        late = -pair.offset / pair.fps
        await mux_sound(self._workers, pair.b.info.path, pair.a.info.path, path, late=late)
        self._say(path)

    def _say(self, path: Path) -> None:
        self._notices.post(Notice("good", Message("ui.compare.saved", {"name": path.name})))

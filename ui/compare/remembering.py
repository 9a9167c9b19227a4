"""How each pair was looked at: read when it is opened, kept when it is left."""

from __future__ import annotations

import asyncio
import contextlib

from studio.compare.view_state import KeptViews, ViewState
from studio.media.frames import Clip
from ui.compare.display import Display
from ui.compare.pair import ClipPair


class Remembering:
    """Files that are gone meanwhile are not remembered."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._views = KeptViews()
        self._before: ViewState | None = None
        self.offset: int | None = None
        """The offset that was set by hand and kept."""

    async def recall(self, pair: ClipPair, *, shown_so: bool) -> int | None:
        """The offset that was set for a pair by hand; with `shown_so` it is shown as it was, too."""
        kept = await self._read(pair.a, pair.b)
        if kept is not None and shown_so:
            self._display.restore(kept)
        self.offset = kept.offset if kept is not None else None
        self._before = self._display.state(self.offset)
        return self.offset

    async def recall_beside(self, pair: ClipPair) -> None:
        """Put C and D at the offsets that were set for them against A by hand."""
        for other in pair.beside:
            kept = await self._read(pair.a, other.clip)
            other.offset = (kept and kept.offset) or 0

    async def keep(self, pair: ClipPair) -> None:
        """Keep how a pair is shown now, if that is another way than before."""
        now = self._display.state(self.offset)
        if now != self._before:
            with contextlib.suppress(OSError):
                await asyncio.to_thread(self._views.write, pair.a.info.path, pair.b.info.path, now)

    async def _read(self, a: Clip, b: Clip) -> ViewState | None:
        with contextlib.suppress(OSError):
            return await asyncio.to_thread(self._views.read, a.info.path, b.info.path)
        return None

"""The frames of a clip that somebody looks at, the newest wish first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from studio.core.errors import StudioError
from studio.media.colour import Picture
from studio.media.frames import Clip, ClipInfo


class Wishes:
    """`ask` for frames by number, as shown, while `answer` runs. A wish that a newer one has overtaken is left out."""

    def __init__(
        self,
        opened: Callable[[ClipInfo], None],
        shown: Callable[[int, Picture], None],
        failed: Callable[[StudioError], None],
    ) -> None:
        """`shown` gets a frame's number and picture, (h, w, 4) uint8 BGRA, whose memory may be used again later."""
        self._opened, self._shown, self._failed = opened, shown, failed
        self._wanted = 0
        self._wish = asyncio.Event()

    def ask(self, n: int) -> None:
        """Wish for frame n; one beyond the end is the last."""
        self._wanted = n
        self._wish.set()

    async def answer(self, path: Path, *, trusted: bool = False, ground: str | None = None) -> None:
        """Open a clip or still and answer until cancelled; `trusted` and `ground` as `Clip.open` takes them."""
        try:
            clip = await Clip.open(path, trusted=trusted, ground=ground)
        except StudioError as error:
            self._failed(error)
            return
        try:
            self._opened(clip.info)
            while await self._wish.wait():
                self._wish.clear()
                await self._show(clip, min(self._wanted, clip.info.frames - 1))
        finally:
            await clip.aclose()

    async def _show(self, clip: Clip, n: int) -> None:
        try:
            picture = await clip.frame(n)
        except StudioError as error:
            self._failed(error)
        else:
            self._shown(n, picture)

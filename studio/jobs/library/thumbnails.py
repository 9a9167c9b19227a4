"""A small picture of each result, made once by a worker and kept on disk."""

from __future__ import annotations

import asyncio
import hashlib
import io
import logging
import os
from pathlib import Path
from typing import Final

from PIL import Image

from studio.core.errors import StudioError
from studio.core.files import write_atomic
from studio.jobs.library.entry import Entry
from studio.media.thumbs import thumbnail_png
from studio.media.workers import Workers

log = logging.getLogger(__name__)

EDGE: Final = 384
"""Longest edge in pixels: sharp in the grid at nearly twice the usual pixel density."""
_AT_S: Final = 1.0
"""A render's first pictures may still be the reference's; a second on, it is itself."""
_QUALITY: Final = 88
_TIMEOUT_S: Final = 60.0


class Thumbnails:
    """The folder of thumbnails, by the content of the videos: a result that was moved keeps its own."""

    def __init__(self, workers: Workers, folder: Path, lane: asyncio.Semaphore) -> None:
        self._workers, self._folder, self._lane = workers, folder, lane
        self._broken: set[str] = set()

    def path(self, entry: Entry) -> Path:
        """Where a result's thumbnail is kept (JPEG)."""
        name = entry.sha256 or hashlib.sha256(os.fsencode(entry.video)).hexdigest()
        safe = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:40]
        return self._folder / safe[:2] / f"{safe}.jpg"

    async def get(self, entry: Entry) -> Path | None:
        """A result's thumbnail, made if need be; None when its video shows nothing, which is asked once a session."""
        path = self.path(entry)
        if await asyncio.to_thread(path.exists):
            return path
        if entry.sha256 in self._broken or not await asyncio.to_thread(entry.video.exists):
            return None
        async with self._lane:
            try:
                await self._workers.run(_make, entry.video, path, timeout=_TIMEOUT_S)
            except StudioError as error:
                log.info("no thumbnail of %s: %s", entry.video.name, error.code)
                self._broken.add(entry.sha256)
                return None
        return path


def _make(video: Path, path: Path) -> None:
    picture = Image.open(io.BytesIO(thumbnail_png(video, EDGE, _AT_S)))
    buffer = io.BytesIO()
    picture.convert("RGB").save(buffer, "JPEG", quality=_QUALITY)
    write_atomic(path, buffer.getvalue())

"""Fills the film of a reference: its pictures and the outline of its sound."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, QTimer

from studio.contract import MediaFacts
from ui.compose.film import FILM_HEIGHT, Film
from ui.compose.moments import Moments
from ui.compose.reading import Reading
from ui.compose.seen import Seen

_TILES = 12
_PAUSE_MS = 250


class FilmDrawing(QObject):
    """Draws a film in the background, the newest wish only. `origin` is where the reference's clock begins on the
    file's, in seconds; `ground` the colour under what is transparent."""

    def __init__(self, film: Film, reading: Reading, facts: MediaFacts, parent: QObject) -> None:
        super().__init__(parent)
        self._film, self._reading, self._facts = film, reading, facts
        self._moments: Moments | None = None
        self._what: Seen | None = None
        self._origin, self._ground = 0.0, ""
        self._drawing: asyncio.Task[None] | None = None
        self._soon = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._soon.timeout.connect(self._start)

    def draw(self, moments: Moments, origin: float, ground: str) -> None:
        """Draw the film of a clip or sound whose moments are known."""
        self._moments, self._origin, self._ground = moments, origin, ground
        self._start()

    def draw_as_seen(self, what: Seen | None) -> None:
        """Draw what the server is given, or the whole clip, once the handles have rested a quarter of a second."""
        self._what = what
        self._soon.start()

    def stop(self) -> None:
        """Draw no more."""
        self._soon.stop()
        if self._drawing is not None:
            self._drawing.cancel()

    def _start(self) -> None:
        self.stop()
        if self._moments is not None:
            self._drawing = self._reading.start(self._draw(self._moments), name=f"film/{self._facts.path.name}")

    async def _draw(self, moments: Moments) -> None:
        if self._facts.kind == "video":
            await self._draw_pictures(moments)
        if self._facts.audio is not None and (peaks := await self._reading.outline(self._facts.path)) is not None:
            self._film.show_peaks(peaks)

    async def _draw_pictures(self, moments: Moments) -> None:
        """All along the clip, or the two a second that the server's vision encoder is given."""
        shown, span = moments.tiles(_TILES), (0.0, 1.0)
        if self._what is not None and self._what.moments:
            shown, length = list(self._what.moments), len(moments)
            span = (moments.at(shown[0]) / length, min(1.0, (moments.at(shown[-1] + 0.5) + 1) / length))
        times = [at + self._origin for at in shown]
        strip = await self._reading.strip(self._facts.path, times, FILM_HEIGHT * 2, self._ground)
        if not strip.isNull():
            self._film.show_strip(strip, span)

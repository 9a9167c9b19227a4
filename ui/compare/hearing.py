"""The sound of a pair: A, B or A − B under the playhead, played where there is something to play it on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from studio.core.tasks import TaskScope
from studio.media.workers import Workers
from ui.compare.pair import ClipPair
from ui.compare.playback import Playback

if TYPE_CHECKING:
    from studio.compare.tracks import Track

Heard = Literal["", "A", "B", "A−B"]
Samples = NDArray[np.int16]

OUT_OF_STEP_S = 0.06
"""Sound this far from the picture starts again at the picture's place; people notice from about 0.1 s on."""


class Output(Protocol):
    """Where sound goes."""

    def start(self, samples: Samples) -> None:
        """Play (n, 2) samples at `studio.media.sound.RATE`, instead of what plays."""

    def played(self) -> float:
        """Seconds that were played since `start`."""

    def stop(self) -> None:
        """Be silent."""


class Hearing(QObject):
    """Follows a playhead. Sound is heard at real time, forward; at other speeds it is silent.

    `likely` says at no cost whether the machine has a sound output; `find` opens it (None: it has none after all).
    """

    changed = Signal()
    """Tracks came or went, or another side is heard."""

    def __init__(
        self,
        scope: TaskScope,
        workers: Workers,
        playback: Playback,
        *,
        likely: Callable[[], bool],
        find: Callable[[], Awaitable[Output | None]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._scope, self._workers, self._playback = scope, workers, playback
        self._likely, self._find = likely, find
        self._output: Output | None = None
        self._has_output = False
        self._pair: ClipPair | None = None
        self._reading: asyncio.Task[None] | None = None
        self._started: float | None = None
        """The moment of the clock (seconds) at which the sound that plays began; None: none plays."""
        self.tracks: tuple[Track | None, Track | None] = (None, None)
        self.heard: Heard = ""
        self.reading = False
        """Whether the sound of both clips is being read."""
        playback.moved.connect(self._on_moved)
        playback.playing_changed.connect(self._restart)
        playback.speed_changed.connect(self._restart)

    @property
    def can_play(self) -> bool:
        """Whether there is sound, and something to play it on."""
        return self._has_output and any(self.tracks)

    @property
    def lacks_output(self) -> bool:
        """Whether there is sound, and nothing to play it on."""
        return not self.reading and not self._has_output and any(self.tracks)

    def open(self, pair: ClipPair) -> None:
        """Read the sound of both clips in the background."""
        self._pair = pair
        if pair.a.info.has_sound or pair.b.info.has_sound:
            self.reading = True
            self._reading = self._scope.start(self._read(pair), name="hear")
            self.changed.emit()

    async def close(self) -> None:
        """Be silent and forget the tracks."""
        self._silence()
        reading, self._reading = self._reading, None
        if reading is not None:
            self._scope.cancel(reading)
            await asyncio.wait({reading})
        self._pair, self.tracks, self.heard = None, (None, None), ""
        self.changed.emit()

    def choose(self, heard: Heard) -> None:
        """Hear one side, the difference, or ("") nothing."""
        self.heard = heard
        self.changed.emit()
        if heard and self._output is None:
            self._scope.start(self._open_output(), name="sound output")
        else:
            self._restart()

    def shifted(self) -> None:
        """The offset between the clips is another one."""
        self._restart()

    async def _read(self, pair: ClipPair) -> None:
        from studio.compare.tracks import read_tracks

        try:
            self.tracks = await read_tracks(self._workers, pair.a.info.path, pair.b.info.path)
            self._has_output = self._likely()
        finally:
            self.reading = False
            self.changed.emit()

    async def _open_output(self) -> None:
        self._output = await self._find()
        if self._output is None:
            self._has_output, self.heard = False, ""
            self.changed.emit()
        self._restart()

    def _on_moved(self, position: int) -> None:
        if self._started is None or self._output is None or self._pair is None:
            return
        if abs(self._started + self._output.played() - position / self._pair.fps) > OUT_OF_STEP_S:
            self._restart()

    def _restart(self, *_changed: object) -> None:
        self._silence()
        playback, pair = self._playback, self._pair
        if self._output is None or pair is None or not playback.playing or playback.speed != 1.0:
            return
        samples = self._samples(pair)
        if samples is None:
            return
        from studio.media.sound import RATE

        now = playback.position / pair.fps
        rest = samples[round(now * RATE) :]
        if len(rest):
            self._output.start(rest)
            self._started = now

    def _samples(self, pair: ClipPair) -> Samples | None:
        """What is heard, from A's first picture on."""
        from studio.compare.tracks import difference
        from studio.media.sound import RATE

        a, b = self.tracks
        lag = round(pair.offset / pair.fps * RATE)
        if self.heard == "A" and a is not None:
            return a.samples
        if b is None or self.heard in ("", "A"):
            return None
        nothing = np.zeros((max(0, len(b.samples) + lag), 2), np.int16)
        if self.heard == "B":
            # Negated twice: B alone, where it belongs.
            return np.negative(difference(nothing, b.samples, lag))
        return difference(a.samples, b.samples, lag) if a is not None else None

    def _silence(self) -> None:
        if self._started is not None and self._output is not None:
            self._output.stop()
        self._started = None

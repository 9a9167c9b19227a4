"""The state of a comparison: two clips, one playhead, a mode, an offset, the measures. The view only shows it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from studio.core.errors import StudioError
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.media.workers import Workers
from ui.compare.pair import ClipPair, Frame, Pictures
from ui.compare.playback import Playback
from ui.compare.render import GAINS, Mode, compose

if TYPE_CHECKING:
    from studio.compare.result import Comparison

Solo = Literal["A", "B", ""]
Rgb = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands on the screen: the position, its pictures, and the picture made of both (in modes that make one)."""

    position: int
    offset: int
    pictures: Pictures
    made: Frame | None


@dataclass(frozen=True, slots=True)
class FrameMeasures:
    """The measures of one pair of frames: MAD 0…255, PSNR in dB, SSIM to 1."""

    mad: float
    psnr: float
    ssim: float


class CompareModel(QObject):
    """Opens, plays and measures a pair of clips. All of it runs on the Qt loop; `aclose` ends everything it started."""

    pair_changed = Signal()
    """Two clips were opened or closed."""
    opening_changed = Signal(bool)
    shown_changed = Signal()
    """Other pictures stand on the screen."""
    mode_changed = Signal(str)
    solo_changed = Signal(str)
    gain_changed = Signal(int)
    offset_changed = Signal(int)
    ready_changed = Signal(int)
    """So many frames of both clips can be shown at once."""
    measuring = Signal(float)
    """How far the measuring is, 0…1."""
    measured = Signal()
    """The measures came, or went."""

    def __init__(self, workers: Workers, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workers, self._notices = workers, notices
        self._scope = TaskScope("compare", lambda error, _name: notices.error(error))
        self.playback = Playback(self)
        self.pair: ClipPair | None = None
        self.titles = ("", "")
        self.shown: Shown | None = None
        self.comparison: Comparison | None = None
        self.mode: Mode = "side"
        self.solo: Solo = ""
        self.gain = 4
        self.wipe_at = 0.5
        self._opening: asyncio.Task[None] | None = None
        self._measuring: asyncio.Task[None] | None = None
        self._showing: asyncio.Task[None] | None = None
        self._stale = False
        self.playback.moved.connect(self._refresh)

    @property
    def opening(self) -> bool:
        """Whether clips are being opened."""
        return self._opening is not None

    @property
    def ready(self) -> int:
        """How many positions, from the first one, can about be shown at once."""
        if self.pair is None:
            return 0
        shares = (clip.cached_frames / clip.info.frames for clip in (self.pair.a, self.pair.b))
        return round(min(shares) * self.pair.positions)

    @property
    def is_measuring(self) -> bool:
        """Whether measures are being taken."""
        return self._measuring is not None

    @property
    def offset(self) -> int:
        """B's slot k lies under A's slot k + offset."""
        return self.pair.offset if self.pair else 0

    def open(self, a: Path, b: Path, title_a: str = "", title_b: str = "") -> None:
        """Open two files instead of what is open, and measure them. Titles default to the file names.

        A file that cannot be read is a notice.
        """
        before = self._opening
        if before is not None:
            self._scope.cancel(before)
        titles = (title_a or a.name, title_b or b.name)
        self._opening = self._scope.start(self._open(a, b, titles, before), name="open")
        self.opening_changed.emit(True)

    def cancel_opening(self) -> None:
        """Give up opening."""
        if self._opening is not None:
            self._scope.cancel(self._opening)

    def swap(self) -> None:
        """A becomes B and B becomes A."""
        if self.pair is not None:
            self.open(self.pair.b.info.path, self.pair.a.info.path, self.titles[1], self.titles[0])

    def set_mode(self, mode: Mode) -> None:
        """Show the pair in another way; both sides again if one was shown alone."""
        self.set_solo("")
        if mode != self.mode:
            self.mode = mode
            self.mode_changed.emit(mode)
            self._refresh()

    def set_solo(self, solo: Solo) -> None:
        """Show one side alone, or ("") both as the mode has it."""
        if solo != self.solo:
            self.solo = solo
            self.solo_changed.emit(solo)

    def toggle_solo(self) -> None:
        """A alone, then B alone, and so on."""
        self.set_solo("B" if self.solo == "A" else "A")

    def change_gain(self, by: int) -> None:
        """Go up or down the ladder of gains."""
        index = max(0, min(len(GAINS) - 1, GAINS.index(self.gain) + by))
        if GAINS[index] != self.gain:
            self.gain = GAINS[index]
            self.gain_changed.emit(self.gain)
            self._refresh()

    def set_wipe(self, at: float) -> None:
        """Put the edge of the wipe at this share (0…1) of the width."""
        self.wipe_at = max(0.0, min(1.0, at))
        self._refresh()

    def set_offset(self, offset: int) -> None:
        """Shift B against A, kept to where they overlap. The measures stay those of the offset they were taken at."""
        if self.pair is None:
            return
        offset = max(self.pair.offsets.start, min(self.pair.offsets.stop - 1, offset))
        if offset != self.pair.offset:
            self.pair.offset = offset
            self.offset_changed.emit(offset)
            self._refresh()

    def shift(self, by: int) -> None:
        """Move B by some frames: later when above 0."""
        self.set_offset(self.offset + by)

    @property
    def offset_is_measured(self) -> bool:
        """Whether the measures are those of the current offset."""
        return self.comparison is not None and self.comparison.alignment.offset_frames == self.offset

    def measure(self, offset: int | None = None) -> None:
        """Take the measures anew, at an offset or (None) at the one that is found."""
        if self.pair is None:
            return
        if self._measuring is not None:
            self._scope.cancel(self._measuring)
        self.comparison = None
        self._measuring = self._scope.start(self._measure(self.pair, offset), name="measure")
        self.measured.emit()

    def measures_at(self, position: int) -> FrameMeasures | None:
        """The measures of the pair at a position, if that pair was measured."""
        if self.comparison is None or not self.offset_is_measured:
            return None
        frames, index = self.comparison.frames, position - max(0, self.offset)
        if not 0 <= index < len(frames.mad):
            return None
        return FrameMeasures(frames.mad[index], frames.psnr[index], frames.ssim[index])

    def curve(self, of: Literal["mad", "ssim"]) -> NDArray[np.float64]:
        """One measure by position; NaN where nothing was compared. Empty before the measures are there."""
        if self.comparison is None or self.pair is None:
            return np.empty(0)
        values = np.full(self.pair.positions, np.nan)
        taken = getattr(self.comparison.frames, of)
        first = max(0, self.comparison.alignment.offset_frames)
        values[first : first + len(taken)] = taken[: self.pair.positions - first]
        return values

    def go_to_worst(self) -> None:
        """Go to the frame that differs most."""
        if self.comparison is not None:
            self.playback.pause()
            self.playback.seek(self.comparison.worst + max(0, self.comparison.alignment.offset_frames))

    def colours_at(self, x: float, y: float) -> tuple[Rgb | None, Rgb | None]:
        """R, G, B of A and of B at a place given in shares (0…1) of width and height."""
        if self.shown is None:
            return None, None
        return _colour(self.shown.pictures.a, x, y), _colour(self.shown.pictures.b, x, y)

    def export(self, path: Path) -> None:
        """Write a contact sheet (.png), a clip of both (.mp4) or the measures (.csv); a notice says when it is done."""
        if self.pair is not None and self.comparison is not None:
            self._scope.start(self._export(self.comparison, path), name="export")

    async def aclose(self) -> None:
        """End all work and close the clips."""
        self.playback.pause()
        pair, self.pair, self.shown = self.pair, None, None
        await self._scope.aclose()
        if pair is not None:
            await pair.aclose()

    async def _open(self, a: Path, b: Path, titles: tuple[str, str], before: asyncio.Task[None] | None) -> None:
        me = asyncio.current_task()
        try:
            if before is not None:
                await asyncio.wait({before})
            await self._close_pair()
            pair = await ClipPair.open(a, b)
            self.pair, self.titles = pair, titles
            for clip in (pair.a, pair.b):
                clip.progress.subscribe(self._on_cached)
            self.playback.reset(pair.positions, pair.fps)
            self.pair_changed.emit()
            self._refresh()
            self.measure()
        finally:
            if self._opening is me:
                self._opening = None
                self.opening_changed.emit(False)

    async def _close_pair(self) -> None:
        pair, self.pair = self.pair, None
        if pair is None:
            return
        self.playback.reset(0, 24.0)
        for task in (self._measuring, self._showing):
            if task is not None:
                self._scope.cancel(task)
                await asyncio.wait({task})
        self.shown = self.comparison = None
        await pair.aclose()
        self.pair_changed.emit()

    def _on_cached(self, _count: int) -> None:
        if self.pair is not None:
            self.ready_changed.emit(self.ready)

    def _refresh(self, *_ignored: object) -> None:
        """Show what the state asks for. Only the newest wish counts: what came in between is dropped."""
        self._stale = True
        if self.pair is not None and self._showing is None:
            self._showing = self._scope.start(self._show(self.pair), name="show")

    async def _show(self, pair: ClipPair) -> None:
        try:
            while self._stale:
                self._stale = False
                position, offset, now = self.playback.position, pair.offset, self.shown
                same = now is not None and (now.position, now.offset) == (position, offset)
                pictures = now.pictures if now and same else await pair.fetch(position)
                made = await asyncio.to_thread(
                    compose, pictures.a, pictures.b, self.mode, gain=self.gain, wipe_at=self.wipe_at
                )
                self.shown = Shown(position, offset, pictures, made)
                self.shown_changed.emit()
        except StudioError:
            self.playback.pause()
            raise
        finally:
            self._showing = None

    async def _measure(self, pair: ClipPair, offset: int | None) -> None:
        from studio.compare.comparison import compare

        me = asyncio.current_task()
        try:
            self.measuring.emit(0.0)
            paths = pair.a.info.path, pair.b.info.path
            found = await compare(self._workers, *paths, offset=offset, progress=self.measuring.emit)
            self.comparison = found
            self.set_offset(found.alignment.offset_frames)
        finally:
            if self._measuring is me:
                self._measuring = None
                self.measured.emit()

    async def _export(self, comparison: Comparison, path: Path) -> None:
        from studio.compare.export import export

        await export(self._workers, comparison, path)
        self._notices.post(Notice("good", Message("ui.compare.saved", {"name": path.name})))


def _colour(frame: Frame | None, x: float, y: float) -> Rgb | None:
    if frame is None:
        return None
    height, width = frame.shape[:2]
    blue, green, red, _ = frame[min(height - 1, int(y * height)), min(width - 1, int(x * width))]
    return int(red), int(green), int(blue)

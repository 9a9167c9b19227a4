"""The state of a comparison: two clips, one playhead, a mode, an offset, the measures. The view only shows it."""

from __future__ import annotations

import asyncio
import contextlib
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
from studio.media.errors import MediaError
from studio.media.workers import Workers
from ui.compare.audio_output import find, likely
from ui.compare.hearing import Hearing
from ui.compare.measuring import FrameMeasures, Measure, Measuring
from ui.compare.pair import ClipPair, Frame, Pictures
from ui.compare.playback import Playback
from ui.compare.render import GAINS, LAID_OVER, Kind, Mode, compose
from ui.compare.saving import Saving
from ui.compare.still import as_seen, thumbnail

if TYPE_CHECKING:
    from studio.compare.recipe import RecipeDiff
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
class Worst:
    """One of the frames that differ most: its position, and A beside B in small, (h, w, 4) BGRA."""

    position: int
    picture: Frame


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
    worst_changed = Signal()
    """Small pictures of the frames that differ most came, or went."""
    recipe_changed = Signal()

    def __init__(self, workers: Workers, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workers, self._notices = workers, notices
        self._scope = TaskScope("compare", lambda error, _name: notices.error(error))
        self.playback = Playback(self)
        self.measures = Measuring(self._scope, workers, self)
        self.hearing = Hearing(self._scope, workers, self.playback, likely=likely, find=find, parent=self)
        self._saving = Saving(self._scope, workers, notices)
        self.pair: ClipPair | None = None
        self.titles = ("", "")
        self.shown: Shown | None = None
        self.worst: list[Worst] = []
        self.recipe: RecipeDiff | None = None
        self.mode: Mode = "side"
        self.kind: Kind = "absolute"
        self.solo: Solo = ""
        self.gain = 4
        self.wipe_at = 0.5
        self._opening: asyncio.Task[None] | None = None
        self._drawing: asyncio.Task[None] | None = None
        self._showing: asyncio.Task[None] | None = None
        self._stale = False
        self.playback.moved.connect(self._refresh)
        self.measures.progressed.connect(self.measuring)
        self.measures.changed.connect(self._on_measured)

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
    def comparison(self) -> Comparison | None:
        """What was found; None until all of it is."""
        return self.measures.comparison

    @property
    def is_measuring(self) -> bool:
        """Whether measures are being taken."""
        return self.measures.running

    @property
    def offset(self) -> int:
        """B's slot k lies under A's slot k + offset."""
        return self.pair.offset if self.pair else 0

    @property
    def can_lay_over(self) -> bool:
        """Whether one picture of both makes sense: both lie, or both stand."""
        return self.pair is None or (self.pair.a.info.width >= self.pair.a.info.height) == (
            self.pair.b.info.width >= self.pair.b.info.height
        )

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
        """Show the pair in another way; both sides again if one was shown alone. Says why where it cannot be."""
        if mode in LAID_OVER and not self.can_lay_over:
            self._notices.post(Notice("warn", Message("ui.compare.other_orientation")))
            return
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

    def set_kind(self, kind: Kind) -> None:
        """Show the difference in another way."""
        self.kind = kind
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
            self.hearing.shifted()
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
        if self.pair is not None:
            self.measures.start(self.pair, offset)

    def measures_at(self, position: int) -> FrameMeasures | None:
        """The measures of the pair at a position, if that pair was measured."""
        return self.measures.at(position, self.offset)

    def curve(self, of: Measure) -> NDArray[np.float64]:
        """One measure by position; NaN where nothing was compared (yet). Empty before the first measures are there."""
        return self.measures.curve(of, self.pair.positions) if self.pair else np.empty(0)

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
            first, last = self._range_of_pairs(self.comparison)
            chosen = self.comparison.part(first, last) if path.suffix.lower() == ".mp4" else self.comparison
            self._saving.comparison(chosen, path)

    def save_picture(self, path: Path) -> None:
        """Write what the stage shows as a PNG of the clips' own pixels; a notice says when it is done."""
        if (shown := self.shown) is not None:
            seen = as_seen(shown.pictures.a, shown.pictures.b, shown.made, self.mode, self.solo)
            if seen is not None:
                self._saving.picture(seen, path)

    def put_sound_under(self, path: Path) -> None:
        """Write B's pictures with A's sound, at the offset of now; a notice says when it is done."""
        if self.pair is not None:
            self._saving.b_with_sound_of_a(self.pair, path)

    @property
    def can_put_sound_under(self) -> bool:
        """Whether A has sound and B moves."""
        return self.pair is not None and self.pair.a.info.has_sound and self.pair.b.info.frames > 1

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
            if self.mode in LAID_OVER and not self.can_lay_over:
                self.set_mode("side")
            self.pair_changed.emit()
            self._refresh()
            self.measure()
            self.hearing.open(pair)
            self._scope.start(self._read_recipe(pair), name="recipe")
        finally:
            if self._opening is me:
                self._opening = None
                self.opening_changed.emit(False)

    async def _close_pair(self) -> None:
        pair, self.pair = self.pair, None
        if pair is None:
            return
        self.playback.reset(0, 24.0)
        for task in (self._showing, self._drawing):
            if task is not None:
                self._scope.cancel(task)
                await asyncio.wait({task})
        await self.measures.stop()
        await self.hearing.close()
        self.shown, self.worst, self.recipe = None, [], None
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
                    compose,
                    pictures.a,
                    pictures.b,
                    self.mode,
                    gain=self.gain,
                    wipe_at=self.wipe_at,
                    kind=self.kind,
                )
                self.shown = Shown(position, offset, pictures, made)
                self.shown_changed.emit()
        except StudioError:
            self.playback.pause()
            raise
        finally:
            self._showing = None

    def _on_measured(self) -> None:
        if self._drawing is not None:
            self._scope.cancel(self._drawing)
            self._drawing = None
        self.worst = []
        if self.comparison is not None and self.pair is not None:
            self.set_offset(self.comparison.alignment.offset_frames)
            self._drawing = self._scope.start(self._draw_worst(self.pair), name="worst")
        self.measured.emit()
        self.worst_changed.emit()

    async def _draw_worst(self, pair: ClipPair) -> None:
        for position in self.measures.worst():
            # A frame that cannot be decoded has no picture; the stage says so when it is asked for.
            with contextlib.suppress(MediaError):
                pictures = await pair.fetch(position)
                self.worst.append(Worst(position, await asyncio.to_thread(thumbnail, pictures.a, pictures.b)))
                self.worst_changed.emit()

    async def _read_recipe(self, pair: ClipPair) -> None:
        from studio.compare.recipe import recipe_diff

        found = await asyncio.to_thread(recipe_diff, pair.a.info.path, pair.b.info.path)
        if self.pair is pair:
            self.recipe = found
            self.recipe_changed.emit()

    def _range_of_pairs(self, found: Comparison) -> tuple[int, int]:
        """The pairs inside the range that is looped; all when there is none."""
        first, last = self.playback.range_ or (0, self.pair.positions - 1 if self.pair else 0)
        start = max(0, found.alignment.offset_frames)
        whole = found.frames_compared - 1
        inside = max(0, first - start), min(whole, last - start)
        return inside if inside[0] <= inside[1] else (0, whole)


def _colour(frame: Frame | None, x: float, y: float) -> Rgb | None:
    if frame is None:
        return None
    height, width = frame.shape[:2]
    blue, green, red, _ = frame[min(height - 1, int(y * height)), min(width - 1, int(x * width))]
    return int(red), int(green), int(blue)

"""The state of a comparison: two clips, one playhead, a mode, an offset, the measures. The view only shows it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from studio.compare.compositing import LAID_OVER, Mode, other_shape
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.media.workers import Workers
from ui.compare.display import Display
from ui.compare.hearing import Hearing
from ui.compare.kept_parts import KeptPartsModel
from ui.compare.measuring import FrameMeasures, Measure, Measuring
from ui.compare.pair import ClipPair, Frame, Pictures
from ui.compare.playback import Playback
from ui.compare.probing import Rgb, colours
from ui.compare.remembering import Remembering
from ui.compare.saving import Saving
from ui.compare.showing import Showing, Shown
from ui.compare.still import as_seen
from ui.compare.takes.model import TakesModel
from ui.compare.worst_frames import Worst, WorstPictures
from ui.widgets.audio_output import find, likely

if TYPE_CHECKING:
    from studio.compare.recipe import RecipeDiff
    from studio.compare.result import Comparison
    from studio.jobs.library import Library


MOST_CLIPS = 4


class CompareModel(QObject):
    """Opens, plays and measures a pair of clips. All of it runs on the Qt loop; `aclose` ends everything it started."""

    pair_changed = Signal()
    """Two clips were opened or closed."""
    opening_changed = Signal(bool)
    shown_changed = Signal()
    """Other pictures stand on the screen."""
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
    frame_wanted = Signal(object, int, str)
    """The picture of this number of a clip (Path) is wanted in a shot, in this Role."""

    def __init__(
        self, workers: Workers, notices: Notices, parent: QObject | None = None, *, library: Library | None = None
    ) -> None:
        super().__init__(parent)
        self._workers, self._notices = workers, notices
        self._scope = TaskScope("compare", lambda error, _name: notices.error(error))
        self.playback = Playback(self)
        self.measures = Measuring(self._scope, workers, self)
        self.display = Display(self._may_show, self)
        self.worst_pictures = WorstPictures(self._scope, self.measures, self)
        self.kept_parts = KeptPartsModel(self._scope, workers, self)
        self.takes = TakesModel(workers, notices, library, self)
        self._showing = Showing(self._scope, self.playback, lambda: self.mode == "grid", self._made, self)
        self._remembering = Remembering(self.display)
        self.hearing = Hearing(self._scope, workers, self.playback, likely=likely, find=find, parent=self)
        self._saving = Saving(self._scope, workers, notices)
        self.pair: ClipPair | None = None
        self.titles: tuple[str, ...] = ("", "")
        """Of A, B, and C and D where there are."""
        self.recipe: RecipeDiff | None = None
        self._opening: asyncio.Task[None] | None = None
        self.playback.moved.connect(self._refresh)
        self.display.mode_changed.connect(self._refresh)
        self.display.look_changed.connect(self._refresh)
        self.takes.pair_wanted.connect(self.open)
        self._showing.changed.connect(self.shown_changed)
        self.worst_pictures.changed.connect(self.worst_changed)
        self.measures.progressed.connect(self.measuring)
        self.measures.changed.connect(self._on_measured)

    @property
    def opening(self) -> bool:
        """Whether clips are being opened."""
        return self._opening is not None

    @property
    def shown(self) -> Shown | None:
        """What stands on the screen."""
        return self._showing.shown

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

    @property
    def mode(self) -> Mode:
        """How the pair is shown."""
        return self.display.mode

    def set_mode(self, mode: Mode) -> None:
        """Show the pair in another way."""
        self.display.set_mode(mode)

    @property
    def worst(self) -> list[Worst]:
        """The frames that differ most, worst first."""
        return self.worst_pictures.found

    def open(self, a: Path, b: Path, title_a: str = "", title_b: str = "", *, beside: Sequence[Path] = ()) -> None:
        """Open two files, and up to two `beside` them, instead of what is open, and measure A and B.

        Titles default to the file names. A file that cannot be read is a notice.
        """
        self.takes.come(False)
        before = self._opening
        if before is not None:
            self._scope.cancel(before)
        files = (a, b, *beside)[:MOST_CLIPS]
        titles = (title_a or a.name, title_b or b.name, *(path.name for path in files[2:]))
        self._opening = self._scope.start(self._open(files, titles, before), name="open")
        self.opening_changed.emit(True)

    def open_all(self, files: Sequence[Path]) -> None:
        """Open two to four files as a pair with others beside it, or up to nine as takes."""
        if 2 <= len(files) <= MOST_CLIPS:
            self.open(files[0], files[1], beside=files[2:])
        else:
            self.takes.open(files)

    def add(self, path: Path) -> None:
        """Open one more file beside the pair: it becomes C, or D."""
        if self.pair is not None and len(self.pair.clips) < MOST_CLIPS:
            a, b, *beside = (clip.info.path for clip in self.pair.clips)
            self.open(a, b, *self.titles[:2], beside=[*beside, path])

    def promote(self, index: int) -> None:
        """C (0) or D (1) becomes B: it is measured, heard and laid over A from now on."""
        if self.pair is None or index >= len(self.pair.beside):
            return
        titles = list(self.titles)
        titles[1], titles[2 + index] = titles[2 + index], titles[1]
        self._scope.start(self._promote(self.pair, index, tuple(titles)), name="promote")

    def cancel_opening(self) -> None:
        """Give up opening."""
        if self._opening is not None:
            self._scope.cancel(self._opening)

    def swap(self) -> None:
        """A becomes B and B becomes A."""
        if self.pair is not None:
            a, b, *beside = (clip.info.path for clip in self.pair.clips)
            self.open(b, a, self.titles[1], self.titles[0], beside=beside)

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
            self._remembering.offset = offset
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

    def colours_at(self, x: float, y: float) -> tuple[Rgb | None, ...]:
        """R, G, B of every clip that is shown, A first, at a place given in shares (0…1) of width and height."""
        if self.shown is None or self.pair is None:
            return ()
        return colours(self.pair, self.shown.pictures, self.mode, self.display.look, (x, y))

    @property
    def shapes_differ(self) -> bool:
        """Whether B has another shape than A, so that it matters how it is laid over A."""
        if self.pair is None:
            return False
        return other_shape(*(clip.info.width / clip.info.height for clip in (self.pair.a, self.pair.b)))

    def export(self, path: Path, at: Sequence[int] = ()) -> None:
        """Write a clip as the stage shows it (.mp4), a contact sheet (.png) or the measures (.csv, .json).

        `at`: positions on the contact sheet, else evenly spread ones. A notice says when it is done.
        """
        if self.pair is not None and self.comparison is not None:
            pair, within, edited = self.pair, self.playback.range_, self.kept_parts.clip
            self._saving.comparison(self.comparison, pair, path, self.display, within=within, at=at, edited=edited)

    def export_worst(self, path: Path) -> None:
        """Write a contact sheet of the frames that differ most."""
        self.export(path, sorted(worst.position for worst in self.worst))

    def save_picture(self, path: Path) -> None:
        """Write what the stage shows as a PNG of the clips' own pixels; a notice says when it is done."""
        if (shown := self.shown) is not None:
            a, b, beside = shown.pictures.a, shown.pictures.b, shown.pictures.beside or ()
            seen = as_seen(a, b, shown.made, self.mode, self.display.solo, beside)
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
        pair, self.pair = self.pair, None
        if pair is not None:
            await self._remembering.keep(pair)
        await self.takes.aclose()
        await self._showing.stop()
        await self._scope.aclose()
        if pair is not None:
            await pair.aclose()

    async def _open(self, files: tuple[Path, ...], titles: tuple[str, ...], before: asyncio.Task[None] | None) -> None:
        me = asyncio.current_task()
        try:
            if before is not None:
                await asyncio.wait({before})
            await self._close_pair()
            a, b, *beside = files
            pair = await ClipPair.open(a, b, *beside)
            for clip in pair.clips:
                clip.progress.subscribe(self._on_cached)
            try:
                await self._remembering.recall_beside(pair)
                await self._begin(pair, titles)
            finally:
                if self.pair is not pair:
                    await pair.aclose()
        finally:
            if self._opening is me:
                self._opening = None
                self.opening_changed.emit(False)

    async def _begin(self, pair: ClipPair, titles: tuple[str, ...], at: float = 0.0) -> None:
        """Show a pair, from `at` seconds on; measure and read all that belongs to it."""
        by_hand = await self._remembering.recall(pair, shown_so=self.pair is None)
        offset = by_hand if by_hand is not None else await self.kept_parts.offset(pair)
        self.pair, self.titles = pair, titles
        self.playback.reset(pair.positions, pair.fps)
        if not self._fits(self.mode):
            self.set_mode("side")
        if offset is not None:
            self.set_offset(offset)
        self.playback.seek(round(at * pair.fps))
        self.pair_changed.emit()
        self._refresh()
        self.measure(offset)
        self.hearing.open(pair)
        self.kept_parts.open(pair)
        self._scope.start(self._read_recipe(pair), name="recipe")

    async def _promote(self, pair: ClipPair, index: int, titles: tuple[str, ...]) -> None:
        at = self.playback.position / pair.fps
        await self._leave(pair)
        pair.promote(index)
        await self._begin(pair, titles, at)

    async def _close_pair(self) -> None:
        pair, self.pair = self.pair, None
        if pair is None:
            return
        self.playback.reset(0, 24.0)
        await self._leave(pair)
        await pair.aclose()
        self.pair_changed.emit()

    async def _leave(self, pair: ClipPair) -> None:
        """End all that goes on for this pair, which stays open."""
        self.playback.pause()
        await self._remembering.keep(pair)
        await self._showing.stop()
        await self.worst_pictures.stop()
        await self.measures.stop()
        await self.hearing.close()
        await self.kept_parts.close()
        self.recipe = None

    def _on_cached(self, _count: int) -> None:
        if self.pair is not None:
            self.ready_changed.emit(self.ready)

    def _refresh(self, *_ignored: object) -> None:
        self._showing.refresh(self.pair)

    async def _made(self, pair: ClipPair, pictures: Pictures, position: int) -> Frame | None:
        return await asyncio.to_thread(self.kept_parts.made, pair, pictures, position, self.display)

    def _on_measured(self) -> None:
        if self.comparison is not None and self.pair is not None:
            self.set_offset(self.comparison.alignment.offset_frames)
        self.measured.emit()
        self.worst_pictures.draw(self.pair)

    def _may_show(self, mode: Mode) -> bool:
        if mode in LAID_OVER and not self.can_lay_over:
            self._notices.post(Notice("warn", Message("ui.compare.other_orientation")))
            return False
        return self._fits(mode)

    def _fits(self, mode: Mode) -> bool:
        """Whether what is open can be shown so."""
        if mode == "kept":
            return self.kept_parts.clip is not None
        if mode == "grid":
            return self.pair is not None and bool(self.pair.beside)
        return mode not in LAID_OVER or self.can_lay_over

    async def _read_recipe(self, pair: ClipPair) -> None:
        from studio.compare.recipe import recipe_diff

        found = await asyncio.to_thread(recipe_diff, pair.a.info.path, pair.b.info.path)
        if self.pair is pair:
            self.recipe = found
            self.recipe_changed.emit()

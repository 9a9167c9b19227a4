"""The state of the takes: their small clips, one playhead, what is kept. The page shows it."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.core.errors import StudioError
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope, on_thread
from studio.core.words import Message, tr
from studio.jobs.library import Entry, Library, Marks
from studio.jobs.library.marks import mark_beside, read_marks
from studio.jobs.library.recipe import read_sidecar
from studio.media.workers import Workers
from ui.compare.playback import Playback

if TYPE_CHECKING:
    from studio.media.small_clips import SmallClip
    from ui.compare.pair import Frame

MOST_TAKES = 9
FASTEST = 60.0
"""Positions a second; a clip of more is shown in every second picture or so."""


@dataclass(slots=True)
class Take:
    """One render. `clip` is None until it is open, or when it cannot be: then `trouble` says why."""

    path: Path
    seed: int | None = None
    source: Path | None = None
    marks: Marks = field(default_factory=Marks)
    clip: SmallClip | None = None
    trouble: Message | None = None
    picture: Frame | None = None
    """What it shows now, (h, w, 4) uint8 BGRA."""

    @property
    def title(self) -> str:
        """What tells it from the others: its seed, else its file's name."""
        return self.path.stem if self.seed is None else tr("Seed {seed}", seed=self.seed)


class TakesModel(QObject):
    """Lives on the Qt loop; `aclose` ends all it began. Without a `library` marks go to files beside the videos."""

    takes_changed = Signal()
    """Other takes are there, or none, or more is known of them."""
    shown_changed = Signal()
    """Other pictures stand there."""
    looked_at = Signal()
    """Another take is the current one."""
    marks_changed = Signal()
    front_changed = Signal()
    """The takes are looked at now, or the pair is."""
    pair_wanted = Signal(object, object, str, str)
    """Two files (A, B) to be compared, and what to call them."""

    def __init__(
        self, workers: Workers, notices: Notices, library: Library | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._workers, self._notices, self._library = workers, notices, library
        self._scope = TaskScope("takes", lambda error, _name: notices.error(error))
        self.playback = Playback(self)
        self.takes: list[Take] = []
        self.in_front = False
        """Whether the takes are what is looked at, and not the pair."""
        self.current = 0
        self.before: int | None = None
        """The take that was looked at before the current one: A of the pair that `compare` opens."""
        self.shown = 0
        """The position whose pictures stand there."""
        self._opening: asyncio.Task[None] | None = None
        self._showing: asyncio.Task[None] | None = None
        self._marking = asyncio.Lock()
        self._stale = False
        self._fps = 24.0
        self.playback.moved.connect(self._refresh)
        self._forget = library.entry_changed.subscribe(self._on_entry) if library is not None else lambda: None

    @property
    def fps(self) -> float:
        """Positions a second."""
        return self._fps

    @property
    def positions(self) -> int:
        """How many positions the longest take has; 0 until they are open."""
        longest = max((take.clip.small.seconds for take in self.takes if take.clip), default=0.0)
        return math.ceil(longest * self._fps - 1e-6)

    @property
    def ready(self) -> float:
        """How much of all takes can be shown, 0…1."""
        shares = [take.clip.ready for take in self.takes if take.clip]
        return min(shares, default=0.0)

    def open(self, files: Sequence[Path]) -> None:
        """Show these takes, at most nine, in place of others."""
        self.come(bool(files))
        before = self._opening
        if before is not None:
            self._scope.cancel(before)
        self._opening = self._scope.start(self._open(tuple(files)[:MOST_TAKES], before), name="open")

    def close(self) -> None:
        """Show none."""
        self.open(())

    async def aclose(self) -> None:
        """End all work and close the clips."""
        self._forget()
        self.playback.pause()
        await self._scope.aclose()
        await self._leave()

    def come(self, to_front: bool = True) -> None:
        """Look at the takes, or at the pair; the takes stay at hand."""
        if to_front != self.in_front:
            self.in_front = to_front
            self.front_changed.emit()

    def look_at(self, index: int) -> None:
        """Make a take the current one."""
        if index != self.current and 0 <= index < len(self.takes):
            self.before, self.current = self.current, index
            self.looked_at.emit()

    def move(self, by: int) -> None:
        """Look at the next take, or the one before."""
        if self.takes:
            self.look_at((self.current + by) % len(self.takes))

    def toggle_star(self) -> None:
        """Star the current take, or take its star away."""
        self._toggle("star")

    def toggle_reject(self) -> None:
        """Reject the current take, or take that back."""
        self._toggle("reject")

    def compare(self) -> None:
        """Ask for the current take beside the one looked at before, else beside its source."""
        if not self.takes:
            return
        take = self.takes[self.current]
        if self.before is not None:
            other = self.takes[self.before]
            self.pair_wanted.emit(other.path, take.path, other.title, take.title)
        elif take.source is not None:
            self.pair_wanted.emit(take.source, take.path, take.source.name, take.title)
        else:
            self._notices.post(Notice("info", Message("ui.compare.one_take")))

    # How it comes about.

    async def _open(self, files: tuple[Path, ...], before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        self.playback.reset(0, self._fps)
        await self._leave()
        self.takes = [await asyncio.to_thread(_told_beside, path) for path in files]
        self.current, self.before = 0, None
        self.takes_changed.emit()
        if files:
            await self._read(files)

    async def _read(self, files: tuple[Path, ...]) -> None:
        # PyAV comes with it: not before the first paint.
        from studio.media.small_clips import fill, open_small

        opened: Sequence[SmallClip | StudioError]
        try:
            opened = await open_small(self._workers, files, edge_for(len(files)))
        except StudioError as full:  # no room for their pictures
            opened = [full] * len(files)
        for take, found in zip(self.takes, opened, strict=True):
            if isinstance(found, StudioError):
                take.trouble = found.message
            else:
                take.clip = found
        there = [(take, take.clip) for take in self.takes if take.clip is not None]
        self._fps = min(FASTEST, max((clip.small.fps for _, clip in there), default=24.0))
        self.playback.reset(self.positions, self._fps)
        self.takes_changed.emit()
        if not there:
            return
        errors = await fill(self._workers, [clip for _, clip in there], self._refresh)
        for (take, _), error in zip(there, errors, strict=True):
            take.trouble = error.message if error is not None else None
        self._refresh()
        self.takes_changed.emit()

    async def _leave(self) -> None:
        """Close the clips, once nobody reads them."""
        self._stale = False
        if self._showing is not None:
            await asyncio.wait({self._showing})
        takes, self.takes = self.takes, []
        for take in takes:
            if take.clip is not None:
                take.clip.close()

    def _refresh(self, _moved: object = None) -> None:
        """Show what the playhead asks for. Only the newest wish counts: what came in between is dropped, evenly."""
        self._stale = True
        if self._showing is None and any(take.clip for take in self.takes):
            self._showing = self._scope.start(self._show(), name="show")

    async def _show(self) -> None:
        try:
            while self._stale:
                self._stale = False
                takes, position = self.takes, self.playback.position
                clips = [take.clip for take in takes]
                # Not cancelled half-way: a clip must not be closed while a thread reads it.
                pictures = await on_thread(_pictures, clips, position / self._fps)
                for take, picture in zip(takes, pictures, strict=True):
                    take.picture = picture
                self.shown = position
                self.shown_changed.emit()
        finally:
            self._showing = None

    def _toggle(self, name: str) -> None:
        if self.takes:
            take = self.takes[self.current]
            wanted = not getattr(take.marks, name)
            self._scope.start(self._mark(take, name, wanted), name="mark")
            take.marks = take.marks.but(**{name: wanted})
            self.marks_changed.emit()

    async def _mark(self, take: Take, name: str, wanted: bool) -> None:
        def change(marks: Marks) -> Marks:
            return marks.but(**{name: wanted})

        try:
            async with self._marking:
                if self._library is not None:
                    await self._library.mark_video(take.path, change)
                else:
                    await asyncio.to_thread(mark_beside, take.path, change)
        except (OSError, StudioError) as error:
            take.marks = await asyncio.to_thread(read_marks, take.path)
            self.marks_changed.emit()
            if isinstance(error, StudioError):
                raise
            params = {"name": take.path.name, "reason": error.strerror or str(error)}
            self._notices.post(Notice("warn", Message("ui.compare.mark_lost", params)))

    def _on_entry(self, entry: Entry) -> None:
        """It was marked in the library."""
        for take in self.takes:
            if take.path == entry.video and take.marks != entry.marks:
                take.marks = entry.marks
                self.marks_changed.emit()


def edge_for(takes: int) -> int:
    """How long a take's pictures are at most, in pixels: about what is seen of them on a large screen."""
    return 480 if takes > 4 else 720 if takes > 1 else 1280


def _told_beside(path: Path) -> Take:
    """What the files beside a video say of it."""
    take = Take(path, marks=read_marks(path))
    # A clip without a recipe, or with a damaged one, goes by its name.
    with contextlib.suppress(StudioError):
        recipe = read_sidecar(path)
        take.seed, take.source = recipe.resolved.seed, recipe.source()
    return take


def _pictures(clips: Sequence[SmallClip | None], seconds: float) -> list[Frame | None]:
    numbers = [clip.number(seconds) if clip is not None else None for clip in clips]
    return [
        clip.picture(n) if clip is not None and n is not None else None for clip, n in zip(clips, numbers, strict=True)
    ]

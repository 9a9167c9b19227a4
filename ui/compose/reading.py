"""What is known of the files of a shot: facts, thumbnails, waveforms. Each is read once, in a worker, by path."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.contract.facts import MediaFacts, Unreadable
from studio.contract.keep_change import Area
from studio.core.errors import StudioError
from studio.core.tasks import TaskScope
from studio.media.workers import Workers

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from studio.media.follow import Followed
    from ui.compose.player import Samples
    from ui.compose.viewing import Viewing
    from ui.widgets.audio_output import DeviceOutput

    Peaks = npt.NDArray[np.float32]
    """Lowest and highest sample of each slice of time, shape (slices, 2), −1…1."""

# What reads media brings decoders: each function imports it when there is something to read.

log = logging.getLogger(__name__)

THUMBNAIL_EDGE = 384
"""Longest edge of a thumbnail in pixels: sharp on a card at twice the usual pixel density."""
WAVEFORM_SLICES = 240
_HEARD_S = 180.0
_SOUND_TIMEOUT_S = 120.0


class Reading(QObject):
    """Reads files in the background and remembers what it found. `pending` counts files not looked at yet."""

    facts_read = Signal(object)
    """A path whose facts (or the reason why there are none) are known now."""
    picture_read = Signal(object)
    """A path of which there is more to show now: a thumbnail, a waveform, a first glance."""
    pending_changed = Signal()

    def __init__(self, workers: Workers, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.facts: dict[Path, MediaFacts | Unreadable] = {}
        self.glances: dict[Path, MediaFacts] = {}
        """What the headers of large files say, to be shown until the facts are there; never for the rules."""
        self.thumbnails: dict[Path, dict[str | None, QImage]] = {}
        """By the ground under what is transparent; None: the usual one."""
        self.waveforms: dict[Path, Peaks] = {}
        self._workers = workers
        self._scope = scope
        self._looking: dict[Path, asyncio.Task[MediaFacts | Unreadable]] = {}
        self._viewing: Viewing | None = None
        self._output: DeviceOutput | None = None
        self._asked_output = False

    @property
    def pending(self) -> int:
        """How many files are being looked at."""
        return len(self._looking)

    def ensure(self, paths: Iterable[Path]) -> None:
        """Begin to look at the files that are not known yet."""
        for path in paths:
            if path not in self.facts:
                self._begin(path)

    def forget(self, path: Path) -> None:
        """Look again the next time: the file may have changed, or come back."""
        for known in (self.facts, self.glances, self.thumbnails, self.waveforms):
            known.pop(path, None)

    async def look(self, path: Path) -> MediaFacts | Unreadable:
        """What is known of a file, read now if need be. Never raises for the file's sake."""
        known = self.facts.get(path)
        return known if known is not None else await asyncio.shield(self._begin(path))

    async def settled(self) -> None:
        """Wait until every file that was asked for has been looked at."""
        while self._looking:
            await asyncio.wait(self._looking.values())

    def view(self, path: Path, ground: str | None = None) -> Viewing:
        """Open a clip for its exact pictures, what is transparent over `ground` ("#rrggbb"); the one that was open
        before is closed."""
        from ui.compose.viewing import Viewing

        if self._viewing is not None:
            self._viewing.close()
        viewing = self._viewing = Viewing(path, self._scope, self, ground)
        viewing.closed.connect(self._on_viewing_closed)
        return viewing

    def thumbnail(self, path: Path, ground: str | None) -> QImage | None:
        """The picture of a file, what is transparent over `ground`; until that is drawn, over its usual one."""
        drawn = self.thumbnails.get(path)
        if drawn is None:
            return None
        if ground not in drawn:
            drawn[ground] = drawn[None]
            self._scope.start(self._picture_over(path, ground), name=f"picture/{path.name}")
        return drawn[ground]

    def start(self, coro: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Run something about a file in the background; it ends with this at the latest."""
        return self._scope.start(coro, name=name)

    async def strip(self, path: Path, moments: Sequence[float], height: int, ground: str | None = None) -> QImage:
        """What a clip shows at these seconds (rising), side by side. A null image when it cannot be drawn."""
        from studio.media.thumbs import filmstrip

        try:
            png = await filmstrip(self._workers, path, height=height, at=tuple(moments), ground=ground)
            return QImage.fromData(png)
        except StudioError as error:
            log.info("no strip of %s: %s", path.name, error.code)
            return QImage()

    async def outline(self, path: Path) -> Peaks | None:
        """The waveform of a file with sound, read once; None when it cannot be drawn."""
        if path not in self.waveforms:
            from studio.media.peaks import peaks

            try:
                self.waveforms[path] = await peaks(self._workers, path, WAVEFORM_SLICES)
            except StudioError as error:
                log.info("no waveform of %s: %s", path.name, error.code)
        return self.waveforms.get(path)

    async def picture(self, path: Path, n: int) -> QImage:
        """Picture n of a clip or still, exactly. Raises StudioError."""
        from studio.media.frames import Clip
        from ui.compose.viewing import image_of

        clip = await Clip.open(path)
        try:
            return image_of(await clip.frame(n))
        finally:
            await clip.aclose()

    async def follow(
        self, path: Path, area: Area, time: float, pictures: range, progress: Callable[[float], None]
    ) -> Followed:
        """Where what lies under an area at a time goes, picture by picture. Raises StudioError."""
        from studio.media.follow import follow

        return await follow(self._workers, path, area, time, pictures, progress)

    async def sound(self, path: Path, start: float) -> Samples | None:
        """The sound of a file from `start` (seconds) on; None without any. Raises StudioError."""
        import numpy as np

        from studio.compare.sound import stereo

        found = await self._workers.run(stereo, path, start, _HEARD_S, timeout=_SOUND_TIMEOUT_S)
        return None if found is None else np.ascontiguousarray(np.round(found.T * 32767), np.int16)

    async def sound_output(self) -> DeviceOutput | None:
        """Where sound can be played; None on a machine without an output. Asked for once."""
        from ui.widgets import audio_output

        if not self._asked_output and audio_output.likely():
            self._output = await audio_output.find()
        self._asked_output = True
        return self._output

    def _on_viewing_closed(self) -> None:
        self._viewing = None

    def _begin(self, path: Path) -> asyncio.Task[MediaFacts | Unreadable]:
        task = self._looking.get(path)
        if task is None:
            task = self._looking[path] = self._scope.start(self._look(path), name=f"look/{path.name}")
            self.pending_changed.emit()
        return task

    async def _look(self, path: Path) -> MediaFacts | Unreadable:
        await asyncio.to_thread(importlib.import_module, "studio.media.probe")  # too long for the loop
        from studio.media.probe import probe

        found: MediaFacts | Unreadable
        try:
            try:
                await self._glance(path)
                found = await probe(self._workers, path)
            except StudioError as error:
                found = Unreadable(path=path, code=error.code, params={"name": path.name, **error.params})
            self.facts[path] = found
        finally:
            del self._looking[path]
            self.pending_changed.emit()
        self.facts_read.emit(path)
        if isinstance(found, MediaFacts):
            self._scope.start(self._picture(path, found), name=f"picture/{path.name}")
        return found

    async def _glance(self, path: Path) -> None:
        from studio.media.probe import glance

        seen = await glance(self._workers, path)
        if seen is not None:
            self.glances[path] = seen
            self.picture_read.emit(path)

    async def _picture(self, path: Path, facts: MediaFacts) -> None:
        from studio.media.thumbs import thumbnail

        try:
            if facts.kind == "audio":
                await self.outline(path)
            else:
                png = await thumbnail(self._workers, path, edge=THUMBNAIL_EDGE)
                self.thumbnails[path] = {None: QImage.fromData(png)}
        except StudioError as error:
            # The card shows the kind's icon instead; what is wrong with the file is the probe's to say.
            log.info("no picture of %s: %s", path.name, error.code)
            return
        self.picture_read.emit(path)

    async def _picture_over(self, path: Path, ground: str | None) -> None:
        from studio.media.thumbs import thumbnail

        try:
            png = await thumbnail(self._workers, path, edge=THUMBNAIL_EDGE, ground=ground)
        except StudioError as error:
            log.info("no picture of %s: %s", path.name, error.code)
            return
        if path in self.thumbnails:
            self.thumbnails[path][ground] = QImage.fromData(png)
            self.picture_read.emit(path)

"""The measures of a pair: taken in a worker, shown while they come, read by position."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from studio.core.tasks import TaskScope
from studio.media.workers import Workers
from ui.compare.pair import ClipPair
from ui.widgets.frame_axis import GRID

if TYPE_CHECKING:
    from studio.compare.result import Comparison
    from studio.compare.rows import Rows

Measure = Literal["mad", "ssim", "self_a", "self_b"]

WORST = 4
"""So many of the frames that differ most are offered, each in another block of 17."""


@dataclass(frozen=True, slots=True)
class FrameMeasures:
    """The measures of one pair of frames: MAD 0…255, PSNR in dB, SSIM to 1."""

    mad: float
    psnr: float
    ssim: float


class Measuring(QObject):
    """Measures one pair at a time. `comparison` is None until all of it is there."""

    progressed = Signal(float)
    """How far it is, 0…1."""
    grew = Signal()
    """More frames are measured."""
    changed = Signal()
    """The measures came, or went."""

    def __init__(self, scope: TaskScope, workers: Workers, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scope, self._workers = scope, workers
        self._task: asyncio.Task[None] | None = None
        self._rows: Rows | None = None
        self.comparison: Comparison | None = None

    @property
    def running(self) -> bool:
        """Whether measures are being taken."""
        return self._task is not None

    def start(self, pair: ClipPair, offset: int | None) -> None:
        """Measure anew, at an offset or (None) at the one that is found."""
        self._cancel()
        self.comparison = self._rows = None
        self._task = self._scope.start(self._measure(pair, offset), name="measure")
        self.changed.emit()

    async def stop(self) -> None:
        """Give up and forget."""
        task = self._cancel()
        if task is not None:
            await asyncio.wait({task})
        self.comparison = self._rows = None

    def at(self, position: int, offset: int) -> FrameMeasures | None:
        """The measures of the pair at a position, if that pair was measured at this offset (so far)."""
        found = self.comparison
        if found is None:
            return self._so_far(position, offset)
        if found.alignment.offset_frames != offset:
            return None
        frames, index = found.frames, position - max(0, offset)
        if not 0 <= index < len(frames.mad):
            return None
        return FrameMeasures(frames.mad[index], frames.psnr[index], frames.ssim[index])

    def curve(self, of: Measure, positions: int) -> NDArray[np.float64]:
        """(positions,) one measure; NaN where nothing was compared (yet). Empty before the first measures."""
        values = np.full(positions, np.nan)
        if self.comparison is not None:
            taken = getattr(self.comparison.frames, of)
            first = max(0, self.comparison.alignment.offset_frames)
            values[first : first + len(taken)] = taken[: positions - first]
        elif self._rows is not None:
            there = self._rows[self._rows["a"] < positions]
            values[there["a"]] = there[of]
        return values if not np.isnan(values).all() else np.empty(0)

    def worst(self) -> list[int]:
        """Positions of the pairs that differ most, worst first, each in another block of 17 frames."""
        if self.comparison is None or not self.comparison.mad_max:
            return []
        first = max(0, self.comparison.alignment.offset_frames)
        mad = np.array(self.comparison.frames.mad)
        found: list[int] = []
        for index in np.argsort(-mad, kind="stable"):
            if mad[index] and all(abs(int(index) + first - other) >= GRID for other in found):
                found.append(int(index) + first)
            if len(found) == WORST:
                break
        return found

    def _so_far(self, position: int, offset: int) -> FrameMeasures | None:
        rows = self._rows
        if rows is None or rows["a"][0] - rows["b"][0] != offset:
            return None
        index = position - int(rows["a"][0])
        if not 0 <= index < len(rows):
            return None
        return FrameMeasures(*(float(rows[name][index]) for name in ("mad", "psnr", "ssim")))

    def _cancel(self) -> asyncio.Task[None] | None:
        task = self._task
        if task is not None:
            self._scope.cancel(task)
        return task

    async def _measure(self, pair: ClipPair, offset: int | None) -> None:
        from studio.compare.comparison import compare

        me = asyncio.current_task()
        try:
            self.progressed.emit(0.0)
            self.comparison = await compare(
                self._workers,
                pair.a.info.path,
                pair.b.info.path,
                offset=offset,
                progress=self.progressed.emit,
                growing=self._grow,
                stores=await pair.stores(),
            )
        finally:
            if self._task is me:
                self._task = None
                self.changed.emit()

    def _grow(self, rows: Rows) -> None:
        if len(rows):
            self._rows = rows
            self.grew.emit()

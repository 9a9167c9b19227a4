"""Two open clips on one clock: position n shows A's n-th slot, and of B what belongs to it at the current offset."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from studio.media.frames import Clip

if TYPE_CHECKING:
    from studio.compare.alignment import Clock

Frame = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Pictures:
    """What is seen at one position. Arrays are (H, W, 4) BGRA; None where that clip has no frame."""

    a: Frame | None
    b: Frame | None


class ClipPair:
    """Owns two clips. `offset` as in `studio.compare.alignment`: B's slot k lies under A's slot k + offset."""

    def __init__(self, a: Clip, b: Clip, clock: Clock) -> None:
        self.a, self.b = a, b
        self._clock = clock
        self.offset = 0

    @classmethod
    async def open(cls, a: Path, b: Path) -> ClipPair:
        """Open both files. Raises MediaError when one cannot be read; the other is closed again then."""
        opening = [asyncio.ensure_future(Clip.open(path)) for path in (a, b)]
        try:
            # OpenCV comes with the clock's room: not before the first paint, and not on the loop.
            return await asyncio.to_thread(_pair, *await asyncio.gather(*opening))
        except BaseException:
            # A cancelled gather has cancelled both already; a second time would cut their cleaning up short.
            ended = await asyncio.gather(*opening, return_exceptions=True)
            await asyncio.gather(*(clip.aclose() for clip in ended if isinstance(clip, Clip)))
            raise

    @property
    def positions(self) -> int:
        """Positions there are: one for each slot of A."""
        return len(self._clock.a)

    @property
    def fps(self) -> float:
        """Positions a second."""
        return self._clock.fps

    @property
    def by_time(self) -> bool:
        """Whether frames are paired by time because the rates differ, not by their number."""
        return self._clock.pairing == "time"

    @property
    def offsets(self) -> range:
        """Offsets at which at least one frame of B lies under A."""
        return range(1 - len(self._clock.b), len(self._clock.a))

    def numbers(self, position: int) -> tuple[int | None, int | None]:
        """The frame of A and the frame of B at a position; None where there is none."""
        slot = position - self.offset
        a = int(self._clock.a[position]) if 0 <= position < len(self._clock.a) else None
        b = int(self._clock.b[slot]) if 0 <= slot < len(self._clock.b) else None
        return a, b

    async def fetch(self, position: int) -> Pictures:
        """The pictures at a position. Raises MediaError for a damaged frame."""
        a, b = self.numbers(position)
        return Pictures(*await asyncio.gather(_frame(self.a, a), _frame(self.b, b)))

    async def aclose(self) -> None:
        """Close both clips."""
        await asyncio.gather(self.a.aclose(), self.b.aclose())


async def _frame(clip: Clip, number: int | None) -> Frame | None:
    return None if number is None else await clip.frame(number)


def _pair(a: Clip, b: Clip) -> ClipPair:
    from studio.compare.alignment import common_clock
    from studio.compare.decode import JITTER, STILL_FPS, Timeline

    def line(clip: Clip) -> Timeline:
        info = clip.info
        times, fps = info.times - info.times[0], info.fps or STILL_FPS
        constant = bool(np.all(np.abs(np.diff(times) * fps - 1) < JITTER))
        return Timeline(times, fps, constant, float(info.times[0]), (info.width, info.height))

    return ClipPair(a, b, common_clock(line(a), line(b)))

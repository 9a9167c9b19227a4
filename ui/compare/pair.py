"""Two open clips on one clock, and up to two more beside them: position n shows A's n-th slot, and of the others what
belongs to it at their offsets."""

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
    from studio.compare.decode import Timeline
    from studio.compare.measured import Stores

Frame = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Pictures:
    """What is seen at one position. Arrays are (H, W, 4) BGRA; None where that clip has no frame."""

    a: Frame | None
    b: Frame | None
    beside: tuple[Frame | None, ...] | None = None
    """Of C and D; None when they were not asked for."""


@dataclass(slots=True)
class Beside:
    """C or D: a clip that is seen with the pair, and can take B's place. `clock` is A's and its own."""

    clip: Clip
    clock: Clock
    offset: int = 0


class ClipPair:
    """Owns its clips. `offset` as in `studio.compare.alignment`: B's slot k lies under A's slot k + offset."""

    def __init__(self, a: Clip, b: Clip, clock: Clock, beside: tuple[Beside, ...] = ()) -> None:
        self.a, self.b = a, b
        self._clock = clock
        self.offset = 0
        self.beside = beside

    @classmethod
    async def open(cls, a: Path, b: Path, *beside: Path) -> ClipPair:
        """Open all files, at most four. Raises MediaError when one cannot be read; the others are closed again then."""
        opening = [asyncio.ensure_future(Clip.open(path)) for path in (a, b, *beside)]
        try:
            # OpenCV comes with the clock's room: not before the first paint, and not on the loop.
            return await asyncio.to_thread(_pair, *await asyncio.gather(*opening))
        except BaseException:
            # A cancelled gather has cancelled both already; a second time would cut their cleaning up short.
            ended = await asyncio.gather(*opening, return_exceptions=True)
            await asyncio.gather(*(clip.aclose() for clip in ended if isinstance(clip, Clip)))
            raise

    @property
    def clips(self) -> tuple[Clip, ...]:
        """A, B, and C and D where there are."""
        return self.a, self.b, *(other.clip for other in self.beside)

    def promote(self, index: int) -> None:
        """C (0) or D (1) becomes B, and B takes its place."""
        other = self.beside[index]
        self.b, other.clip = other.clip, self.b
        self._clock, other.clock = other.clock, self._clock
        self.offset, other.offset = other.offset, self.offset

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

    def numbers_beside(self, position: int) -> tuple[int | None, ...]:
        """The frames of C and D at a position; None where there is none."""
        slots = [round(position * c.clock.fps / self.fps) - c.offset for c in self.beside]
        return tuple(
            int(c.clock.b[slot]) if 0 <= slot < len(c.clock.b) else None
            for c, slot in zip(self.beside, slots, strict=True)
        )

    async def fetch(self, position: int, *, all_of_them: bool = False) -> Pictures:
        """The pictures at a position, of C and D if asked for. Raises MediaError for a damaged frame."""
        a, b = self.numbers(position)
        beside = self.numbers_beside(position) if all_of_them else ()
        others = (_frame(other.clip, n) for other, n in zip(self.beside, beside, strict=False))
        seen_a, seen_b, *rest = await asyncio.gather(_frame(self.a, a), _frame(self.b, b), *others)
        return Pictures(seen_a, seen_b, tuple(rest) if all_of_them else None)

    async def stores(self) -> Stores:
        """Wait until both are decoded: where another process can read them. None when one will not be whole."""
        from studio.compare.decode import Decoded

        a, b = await asyncio.gather(self.a.whole(), self.b.whole())
        return (Decoded(a, _line(self.a)), Decoded(b, _line(self.b))) if a is not None and b is not None else None

    async def aclose(self) -> None:
        """Close all clips."""
        await asyncio.gather(*(clip.aclose() for clip in self.clips))


async def _frame(clip: Clip, number: int | None) -> Frame | None:
    return None if number is None else await clip.frame(number)


def _pair(a: Clip, b: Clip, *beside: Clip) -> ClipPair:
    from studio.compare.alignment import common_clock

    line_a = _line(a)
    others = tuple(Beside(clip, common_clock(line_a, _line(clip))) for clip in beside)
    return ClipPair(a, b, common_clock(line_a, _line(b)), others)


def _line(clip: Clip) -> Timeline:
    from studio.compare.decode import timeline

    return timeline(clip.info.times, (clip.info.width, clip.info.height))

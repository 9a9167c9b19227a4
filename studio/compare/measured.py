"""One pass over two clips: both decoded once, in step; small luma of every frame, all measures of every pair."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from studio.compare.alignment import Clock, common_clock
from studio.compare.decode import Bytes, Timeline, on_clock, read_timeline
from studio.compare.errors import CompareError
from studio.compare.measures import Measurer, PairMeasures, psnr, self_difference, small_luma
from studio.compare.result import PerFrame
from studio.compare.rows import RowWriter

Floats = npt.NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Clips:
    """Two files, their times, and the clock that both run on."""

    a: Path
    b: Path
    line_a: Timeline
    line_b: Timeline
    clock: Clock


def open_clips(a: Path, b: Path) -> Clips:
    """Read the times of both. Raises MediaError when one cannot be read or has no picture."""
    line_a, line_b = read_timeline(a), read_timeline(b)
    return Clips(a, b, line_a, line_b, common_clock(line_a, line_b))


@dataclass(frozen=True, slots=True)
class Measured:
    """Raw results. `pairs` of what overlaps, with their slots of the clock; small luma (n, h, w) of each whole clip."""

    slots_a: npt.NDArray[np.int64]
    slots_b: npt.NDArray[np.int64]
    pairs: list[PairMeasures]
    whole_a: Bytes
    whole_b: Bytes

    @property
    def small_a(self) -> Bytes:
        """(pairs, h, w) small luma of A's compared frames."""
        return self.whole_a[self.slots_a]

    @property
    def small_b(self) -> Bytes:
        """(pairs, h, w) small luma of B's compared frames."""
        return self.whole_b[self.slots_b]

    def column(self, name: str) -> Floats:
        """(pairs, …) one measure of every pair."""
        return np.array([getattr(pair, name) for pair in self.pairs], np.float64)

    def per_frame(self, clock: Clock) -> PerFrame:
        """Everything that is shown frame by frame."""
        small_a, small_b = self.small_a, self.small_b
        columns = {name: self.column(name) for name in ("mad", "fitted", "ssim", "changed")}
        columns |= {"luma_a": small_a.mean(axis=(1, 2)), "luma_b": small_b.mean(axis=(1, 2))}
        columns |= {"self_a": self_difference(small_a), "self_b": self_difference(small_b)}
        columns |= {"psnr": np.array([psnr(pair.mse) for pair in self.pairs])}
        numbers = {"a": clock.a[self.slots_a], "b": clock.b[self.slots_b]}
        return PerFrame.model_validate({name: values.tolist() for name, values in (numbers | columns).items()})


def measure(clips: Clips, offset: int, tell: Callable[[float], None], out: RowWriter) -> Measured:
    """Measure all pairs at an offset. `tell` gets 0…1, `out` a row a pair. Raises CompareError `compare.no_overlap`."""
    clock = clips.clock
    slots_a, slots_b = clock.pairs(offset)
    if not len(slots_b):
        raise CompareError("compare.no_overlap", offset=offset, a=len(clock.a), b=len(clock.b))
    size = clips.line_a.size
    measurer = Measurer(*size)
    pairs: list[PairMeasures] = []
    small_a: list[Bytes] = []
    small_b: list[Bytes] = []
    slots = range(min(0, offset), max(len(clock.a), len(clock.b) + offset))
    with closing(on_clock(clips.a, clock.a, size)) as side_a, closing(on_clock(clips.b, clock.b, size)) as side_b:
        for slot in slots:
            a = next(side_a, None) if slot >= 0 else None
            b = next(side_b, None) if slot >= offset else None
            if a is not None:
                small_a.append(small_luma(a))
            if b is not None:
                small_b.append(small_luma(b))
            if a is not None and b is not None:
                pair = measurer(a, b)
                pairs.append(pair)
                still_a, still_b = _last_step(small_a), _last_step(small_b)
                out.add(slot, slot - offset, pair.mad, psnr(pair.mse), pair.ssim, still_a, still_b)
            tell((slot - slots.start + 1) / len(slots))
    if not pairs:
        raise CompareError("compare.no_overlap", offset=offset, a=len(small_a), b=len(small_b))
    n = len(pairs)
    return Measured(slots_a[:n], slots_b[:n], pairs, np.stack(small_a), np.stack(small_b))


def _last_step(smalls: list[Bytes]) -> float:
    return float(self_difference(smalls[-2:])[-1])

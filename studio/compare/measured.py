"""One pass over two clips: both decoded once, in step. MAD, PSNR and SSIM of every pair are taken in it.

Of every frame a small picture is kept, from which all else is found afterwards: what people wait for comes first.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from studio.compare.alignment import Clock, common_clock
from studio.compare.colour_fit import sampled
from studio.compare.decode import Bytes, Decoded, Timeline
from studio.compare.errors import CompareError
from studio.compare.measures import ColourFits, Measurer, PairMeasures, psnr, self_difference, small_luma
from studio.compare.planes import PlaneConverter, Planes
from studio.compare.result import PerFrame
from studio.compare.rows import RowWriter
from studio.compare.sources import Measurable, Source, opened
from studio.media.ahead import in_step

Floats = npt.NDArray[np.floating]
Stores = tuple[Decoded, Decoded] | None
"""Both clips, if they are decoded already."""

THREADS = min(4, os.cpu_count() or 1)
"""That measure; decoding has its own."""


@dataclass(frozen=True, slots=True)
class Clips:
    """Two files, their times, and the clock that both run on."""

    a: Path
    b: Path
    source_a: Source
    source_b: Source
    clock: Clock

    @property
    def line_a(self) -> Timeline:
        """A's times and size."""
        return self.source_a.line

    @property
    def line_b(self) -> Timeline:
        """B's times and size."""
        return self.source_b.line

    def close(self) -> None:
        """Close both."""
        self.source_a.close()
        self.source_b.close()


def open_clips(a: Path, b: Path, stores: Stores = None) -> Clips:
    """Open both. Raises MediaError when one cannot be read or has no picture."""
    with ThreadPoolExecutor(2) as pool:
        opening = [pool.submit(opened, *of) for of in zip((a, b), stores or (None, None), strict=True)]
    try:
        source_a, source_b = (source.result() for source in opening)
    except BaseException:
        for source in opening:
            if source.exception() is None:
                source.result().close()
        raise
    return Clips(a, b, source_a, source_b, common_clock(source_a.line, source_b.line))


def readable(stores: Stores) -> Stores:
    """The same if both can be opened here and hold planes as they were coded, else None: decoding always works."""
    try:
        for decoded in stores or ():
            decoded.shared.open().close()
    except OSError:
        return None
    layouts = [decoded.shared.layout for decoded in stores or ()]
    return stores if all(layout.planar and not layout.colour.full_range for layout in layouts) else None


@dataclass(frozen=True, slots=True)
class Measured:
    """Raw results. `pairs` of what overlaps, with their slots of the clock; small luma (n, h, w) of each whole clip."""

    slots_a: npt.NDArray[np.int64]
    slots_b: npt.NDArray[np.int64]
    pairs: list[PairMeasures]
    fits: ColourFits
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
        """(pairs, …) one measure of every pair. Those of `ColourMeasures` are taken when the first one is asked for."""
        of = self.pairs if name in PairMeasures.__slots__ else self.fits.taken()
        return np.array([getattr(pair, name) for pair in of], np.float64)

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
    """Measure all pairs at an offset; colours are fitted later. `tell` gets 0…1, `out` a row a pair.

    Raises CompareError `compare.no_overlap`.
    """
    clock = clips.clock
    slots_a, slots_b = clock.pairs(offset)
    if not len(slots_b):
        raise CompareError("compare.no_overlap", offset=offset, a=len(clock.a), b=len(clock.b))
    pairs: list[PairMeasures] = []
    fits = ColourFits()
    small_a: list[Bytes] = []
    small_b: list[Bytes] = []
    slots = range(min(0, offset), max(len(clock.a), len(clock.b) + offset))
    take = _Taker(clips.line_a.size)
    with (
        closing(_in_slots(clips, offset, slots)) as both,
        closing(in_step(take, both, THREADS)) as taken,
    ):
        for slot, (a, b, pair) in zip(slots, taken, strict=True):
            if a is not None:
                small_a.append(a.small)
            if b is not None:
                small_b.append(b.small)
            if a is not None and b is not None and pair is not None:
                pairs.append(pair)
                fits.add(a.sample, b.sample, pair.mad)
                still_a, still_b = _last_step(small_a), _last_step(small_b)
                out.add(slot, slot - offset, pair.mad, psnr(pair.mse), pair.ssim, still_a, still_b)
            tell((slot - slots.start + 1) / len(slots))
    if not pairs:
        raise CompareError("compare.no_overlap", offset=offset, a=len(small_a), b=len(small_b))
    n = len(pairs)
    return Measured(slots_a[:n], slots_b[:n], pairs, fits, np.stack(small_a), np.stack(small_b))


Both = tuple[Measurable | None, Measurable | None]


class _Side(NamedTuple):
    """What is kept of one picture: its small luma, and its pixels on the grid of the colour fit."""

    small: Bytes
    sample: Bytes


class _Taker:
    """What is taken of the pictures of one slot, on any thread: measured where they were converted."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._measurer = Measurer(*size)
        self._of_thread = threading.local()

    def __call__(self, both: Both) -> tuple[_Side | None, _Side | None, PairMeasures | None]:
        (a, side_a), (b, side_b) = (self._side(picture) for picture in both)
        pair = None if a is None or b is None else self._measurer(a, b)
        return side_a, side_b, pair

    def _side(self, picture: Measurable | None) -> tuple[Planes, _Side] | tuple[None, None]:
        if picture is None:
            return None, None
        planes = picture.planes(self._size, self._converter())
        # A picture as small as that is not made smaller, and planes do not outlive the call.
        return planes, _Side(np.array(small_luma(planes.luma)), sampled(planes.gbr))

    def _converter(self) -> PlaneConverter:
        if not hasattr(self._of_thread, "converter"):
            self._of_thread.converter = PlaneConverter()
        converter: PlaneConverter = self._of_thread.converter
        return converter


def _in_slots(clips: Clips, offset: int, slots: range) -> Generator[Both]:
    """The pictures of A and of B in each of these slots; None before a clip begins and after it ends."""
    with (
        closing(clips.source_a.on_clock(clips.clock.a)) as side_a,
        closing(clips.source_b.on_clock(clips.clock.b)) as side_b,
    ):
        for slot in slots:
            yield next(side_a, None) if slot >= 0 else None, next(side_b, None) if slot >= offset else None


def _last_step(smalls: list[Bytes]) -> float:
    return float(self_difference(smalls[-2:])[-1])

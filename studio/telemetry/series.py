"""A value over time in a fixed amount of memory: when it is full, neighbours become one bucket that keeps both ends.

So a week of samples costs what a minute costs, and a peak of one sample is never lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CAPACITY = 8192


@dataclass(frozen=True, slots=True)
class Curve:
    """Buckets in order: seconds, and the least and most value in each. NaN is a gap."""

    t: NDArray[np.float64]
    low: NDArray[np.float32]
    high: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.t)


class Series:
    """Grows at its end; times must not go back. `capacity` buckets, an even number."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._t = np.empty(capacity, np.float64)
        self._low = np.empty(capacity, np.float32)
        self._high = np.empty(capacity, np.float32)
        self._count = 0
        self._stride = 1
        self._in_last = 0
        self.peak: tuple[float, float] | None = None
        """(seconds, value) of the greatest value so far."""
        self.last: float | None = None
        """The newest value; None when that was a gap."""

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """What the arrays take."""
        return int(self._t.nbytes + self._low.nbytes + self._high.nbytes)

    def add(self, t: float, value: float | None) -> None:
        """Append a sample; None and NaN are gaps."""
        known = value is not None and math.isfinite(value)
        number = value if known and value is not None else math.nan
        self.last = number if known else None
        if known and (self.peak is None or number > self.peak[1]):
            self.peak = t, number
        if self._count and 0 < self._in_last < self._stride:
            at = self._count - 1
            self._low[at] = np.fmin(self._low[at], number)
            self._high[at] = np.fmax(self._high[at], number)
            self._in_last += 1
            return
        if self._count == len(self._t):
            self._halve()
        self._t[self._count] = t
        self._low[self._count] = self._high[self._count] = number
        self._count += 1
        self._in_last = 1

    def view(self, start: float, end: float, buckets: int) -> Curve:
        """What lies between two times, with one sample more at each side, in at most about `buckets` buckets."""
        times = self._t[: self._count]
        first = max(0, int(np.searchsorted(times, start, "left")) - 1)
        past = min(self._count, int(np.searchsorted(times, end, "right")) + 1)
        t, low, high = times[first:past], self._low[first:past], self._high[first:past]
        if len(t) <= buckets:
            return Curve(t.copy(), low.copy(), high.copy())
        # Edges at fixed multiples of the bucket's width: buckets do not shimmer while the view moves along.
        width = _round_up((end - start) / buckets)
        edges = np.flatnonzero(np.diff(np.floor(t / width), prepend=-np.inf))
        return Curve(t[edges], np.fmin.reduceat(low, edges), np.fmax.reduceat(high, edges))

    def at(self, t: float) -> float | None:
        """The greatest value of the bucket that holds a time; None outside and in a gap."""
        index = int(np.searchsorted(self._t[: self._count], t, "right")) - 1
        if index < 0 or (index == self._count - 1 and t > self._t[index] + self._pause()):
            return None
        value = float(self._high[index])
        return value if math.isfinite(value) else None

    def _pause(self) -> float:
        """Seconds between buckets, and some more: how long the last value counts."""
        if self._count < 2:
            return 2.0
        return 3 * float(self._t[self._count - 1] - self._t[0]) / (self._count - 1)

    def _halve(self) -> None:
        half = self._count // 2
        self._t[:half] = self._t[0 : 2 * half : 2]
        self._low[:half] = np.fmin(self._low[0 : 2 * half : 2], self._low[1 : 2 * half : 2])
        self._high[:half] = np.fmax(self._high[0 : 2 * half : 2], self._high[1 : 2 * half : 2])
        self._count = half
        self._stride *= 2
        self._in_last = self._stride


def _round_up(width: float) -> float:
    """The next power of two: neighbouring zooms share their edges."""
    return float(2.0 ** math.ceil(math.log2(max(width, 1e-6))))

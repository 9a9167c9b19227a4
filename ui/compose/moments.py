"""When each picture of a reference is shown, and which pictures a part of it takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from studio.contract import FPS, Reference

_SAME_S = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """`times`: seconds on the reference's own clock, rising, one for each picture."""

    times: npt.NDArray[np.float64]

    @classmethod
    def of_sound(cls, seconds: float) -> Moments:
        """A sound has no pictures: 24 moments a second."""
        return cls(np.arange(max(1, round(seconds * FPS))) / FPS)

    def __len__(self) -> int:
        return len(self.times)

    def at(self, seconds: float) -> int:
        """The picture on screen at a moment."""
        return max(0, int(np.searchsorted(self.times, seconds + _SAME_S, side="right")) - 1)

    def time(self, n: int) -> float:
        """When picture n comes up; of the one after the last: when the last one goes."""
        if n < len(self.times):
            return float(self.times[n])
        return float(self.times[-1] + self.times[-1] / max(1, len(self.times) - 1))

    def part(self, reference: Reference) -> tuple[int, int]:
        """First and last picture of the part that is sent."""
        first, last = self.at(reference.start), len(self.times) - 1
        if reference.end is not None:
            last = min(last, max(first, int(np.searchsorted(self.times, reference.end - _SAME_S)) - 1))
        return first, last

    def cut(self, first: int, last: int) -> tuple[float, float | None]:
        """The seconds that take the pictures `first` … `last`, to the moment when the next one would be shown."""
        start = 0.0 if first == 0 else round(float(self.times[first]), 6)
        return start, None if last + 1 >= len(self.times) else round(float(self.times[last + 1]), 6)

    def tiles(self, count: int) -> list[float]:
        """So many moments evenly along the whole."""
        return [float(self.times[int((k + 0.5) * len(self.times) / count)]) for k in range(count)]

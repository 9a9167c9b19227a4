"""Wall time laid out from left to right: the one mapping that bands, steps and labels of a job share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_ROUND: Final = (0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Times from `start` to `end` (seconds) between the pixels `left` and `right`."""

    start: float
    end: float
    left: float
    right: float

    @property
    def scale(self) -> float:
        """Pixels a second."""
        return (self.right - self.left) / max(1e-3, self.end - self.start)

    def x(self, at: float) -> float:
        """Where a time is, kept inside the axis."""
        return min(self.right, max(self.left, self.left + (at - self.start) * self.scale))

    def ticks(self, apart: float) -> list[float]:
        """Round times since the start, in seconds, at least `apart` pixels from one another."""
        step = next((s for s in _ROUND if s * self.scale >= apart), _ROUND[-1])
        while step * self.scale < apart:
            step *= 2
        return [n * step for n in range(int((self.end - self.start) / step + 1e-9) + 1)]


def elapsed(seconds: float) -> str:
    """A tick's label: "0:05", "12:30", "1:02:00"; tenths only where they matter ("0.5 s" steps)."""
    whole = int(seconds)
    tenths = f".{round((seconds - whole) * 10)}" if seconds != whole else ""
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}{tenths}" if hours else f"{minutes}:{whole % 60:02d}{tenths}"

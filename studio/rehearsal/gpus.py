"""Two pretended GPUs of 96 GB: how much memory and power a render of this size would show over time."""

from __future__ import annotations

import math
import time
from typing import Any, Literal

Phase = Literal["loading", "idle", "encode", "denoise", "decode", "gone"]

COUNT = 2
GIB = 1024  # MiB
TOTAL = 95.59 * GIB  # what such a card really offers
LOADED = 56.3 * GIB  # both transformers in FP8 on two cards (h3-contract, measured by users)
_EASE = 0.35  # s: how fast the shown value follows
_EXTRA_GIB = {"loading": -56.0, "idle": 0.0, "encode": 3.1, "denoise": 6.0, "decode": 9.5, "gone": -56.0}
_BUSY = {"loading": 2, "idle": 0, "encode": 41, "denoise": 99, "decode": 87, "gone": 0}


class Gpus:
    """The curve: a level for each phase, approached exponentially, with a little ripple. Memory in MiB."""

    def __init__(self) -> None:
        self._phase: Phase = "loading"
        self._since = time.monotonic()
        self._from = self._to = 0.3 * GIB
        self.peak = 0.0

    def enter(self, phase: Phase, frames: int = 0, area: int = 0) -> None:
        """A phase begins. `frames` and `area` (pixels) of the output set how much it holds."""
        self._from = self._used()
        self._phase, self._since = phase, time.monotonic()
        size = frames * area / (124 * 1344 * 768)
        extra = _EXTRA_GIB[phase] * (1 + 0.6 * size if phase in ("denoise", "decode") else 1)
        self._to = min(LOADED + extra * GIB, 0.985 * TOTAL)
        self.peak = max(self.peak, self._to) if phase not in ("loading", "idle", "gone") else self.peak

    def start_job(self) -> None:
        """A job begins: its peak is counted anew."""
        self.peak = 0.0

    def _used(self) -> float:
        return self._to + (self._from - self._to) * math.exp(-(time.monotonic() - self._since) / _EASE)

    def read(self) -> list[dict[str, Any]]:
        """One entry a GPU: memory in MiB, utilisation in percent, power in watts, degrees Celsius."""
        now = time.monotonic()
        busy = _BUSY[self._phase]
        cards = []
        for index in range(COUNT):
            ripple = math.sin(now * 1.7 + index) * 0.02 * GIB * (busy > 0)
            cards.append(
                {
                    "index": index,
                    "uuid": f"GPU-00000000-0000-4000-8000-{index:012d}",
                    "name": "Rehearsal GPU 96GB",
                    "total_mib": int(TOTAL),
                    "used_mib": max(0, int(self._used() + ripple - index * 0.4 * GIB)),
                    "utilisation": busy,
                    "power_w": round(28 + busy * 5.3, 1),
                    "temperature_c": round(38 + busy * 0.35),
                }
            )
        return cards

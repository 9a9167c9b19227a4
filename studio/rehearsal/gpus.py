"""Two pretended GPUs of 96 GB: how much memory and power a render of this size would show over time."""

from __future__ import annotations

import math
import os
import time
from typing import Any, Literal

Phase = Literal["loading", "idle", "encode", "denoise", "decode"]

COUNT = 2
GIB = 1 << 30
TOTAL = 96 * GIB
LOADED = 56.3 * GIB  # both transformers in FP8 on two cards (h3-contract, measured by users)
_EASE = 0.35  # s: how fast the shown value follows
_EXTRA_GIB = {"loading": -56.0, "idle": 0.0, "encode": 3.1, "denoise": 6.0, "decode": 9.5}
_BUSY = {"loading": 2, "idle": 0, "encode": 41, "denoise": 99, "decode": 87}


class Gpus:
    """The curve: a level for each phase, approached exponentially, with a little ripple."""

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
        self.peak = max(self.peak, self._to) if phase not in ("loading", "idle") else self.peak

    def start_job(self) -> None:
        """A job begins: its peak is counted anew."""
        self.peak = 0.0

    def _used(self) -> float:
        return self._to + (self._from - self._to) * math.exp(-(time.monotonic() - self._since) / _EASE)

    def read(self) -> list[dict[str, Any]]:
        """One entry a GPU: bytes, percent, degrees Celsius, watts."""
        now = time.monotonic()
        busy = _BUSY[self._phase]
        cards = []
        for index in range(COUNT):
            ripple = math.sin(now * 1.7 + index) * 0.02 * GIB * (busy > 0)
            used = int(self._used() + ripple - index * 0.4 * GIB)
            cards.append(
                {
                    "index": index,
                    "name": "Rehearsal GPU 96GB",
                    "memory_total_bytes": TOTAL,
                    "memory_used_bytes": max(used, 0),
                    "utilisation_percent": busy,
                    "temperature_c": 38 + busy * 0.35,
                    "power_w": 28 + busy * 5.3,
                    "processes": [{"pid": os.getpid(), "memory_used_bytes": max(used, 0)}],
                }
            )
        return cards

"""What deserves a word while a render runs: each alert once for each card and job."""

from __future__ import annotations

import statistics
from collections import deque
from typing import Final

from studio.core.words import Message
from studio.telemetry.readings import Sample
from studio.telemetry.recording import StepMark

GIB: Final = 1 << 30
_FULL: Final = 0.97
_HOST_SHARE, _HOST_LEAST = 0.03, 1 * GIB
_DISK_LEAST: Final = 2 * GIB
_SLOWER: Final = 2.0
_SLOW_STEPS: Final = 3
"""Steps in a row that must be slow: one hiccup is none."""
_SLOW_LEAST: Final = 0.5
"""Seconds a step under which no pace is worth a word."""
_SILENT: Final = 5.0
_SILENT_LEAST: Final = 20.0
"""Seconds under which no silence is worth a word."""
_USUAL_FROM: Final = 5


class Alerts:
    """Feed it what is seen; each call gives the alerts that are new."""

    def __init__(self) -> None:
        self._said: set[tuple[str, str]] = set()
        self._paces: list[float] = []
        self._latest: deque[float] = deque(maxlen=_SLOW_STEPS)
        self._last_step: float | None = None

    def on_sample(self, sample: Sample) -> list[Message]:
        """Memory nearly full, a card slowed by heat, main memory short."""
        found: list[Message] = []
        for card, reading in zip(sample.cards, sample.gpus, strict=True):
            if reading.used is not None and card.total and not card.unified and reading.used >= _FULL * card.total:
                used, total = f"{reading.used / GIB:.1f}", f"{card.total / GIB:.1f}"
                found += self._once("alert.memory", card.label, gpu=card.label, used=used, total=total)
            hot = card.hot is not None and reading.temperature is not None and reading.temperature >= card.hot
            if reading.throttled or hot:
                degrees = "?" if reading.temperature is None else f"{reading.temperature:.0f}"
                found += self._once("alert.hot", card.label, gpu=card.label, degrees=degrees)
        if (host := sample.host) is not None:
            free = host.total - host.used
            if free < max(_HOST_LEAST, _HOST_SHARE * host.total):
                found += self._once("alert.host", "", free=f"{free / GIB:.1f}")
        return found

    def on_step(self, mark: StepMark) -> list[Message]:
        """Steps that take twice as long as they did."""
        self._last_step = mark.t
        if mark.seconds is None or mark.step <= 1:  # the first step prepares, and may compile
            return []
        self._latest.append(mark.seconds)
        usual = self.usual
        self._paces.append(mark.seconds)
        if usual is None or len(self._latest) < _SLOW_STEPS or min(self._latest) < max(_SLOW_LEAST, _SLOWER * usual):
            return []
        return self._once("alert.slow", "", now=f"{mark.seconds:.1f}", before=f"{usual:.1f}")

    def on_time(self, t: float, *, denoising: bool) -> list[Message]:
        """No step for much longer than one takes. `t` is on the clock of the steps."""
        usual = self.usual
        if not denoising or usual is None or self._last_step is None:
            return []
        silence = t - self._last_step
        if silence < max(_SILENT_LEAST, _SILENT * usual):
            return []
        return self._once("alert.silent", "", seconds=f"{silence:.0f}", usual=f"{usual:.1f}")

    def on_disk(self, free: int) -> list[Message]:
        """Bytes that are free where results go."""
        return self._once("alert.disk", "", free=f"{free / GIB:.1f}") if free < _DISK_LEAST else []

    @property
    def usual(self) -> float | None:
        """Seconds that a step of this run takes; None before a few were seen."""
        return statistics.median(self._paces) if len(self._paces) >= _USUAL_FROM else None

    def _once(self, code: str, subject: str, **params: str) -> list[Message]:
        if (code, subject) in self._said:
            return []
        self._said.add((code, subject))
        return [Message(code, params)]

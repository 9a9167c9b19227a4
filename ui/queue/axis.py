"""The time since a job began, from left to right: where its ticks are and how they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ui.widgets.plot import pg

_ROUND: Final = (0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_APART: Final = 80
"""Pixels between two ticks, at least."""


class ElapsedAxis(pg.AxisItem):
    """Labels at round times."""

    def __init__(self) -> None:
        super().__init__("bottom")

    def tickValues(self, start: float, end: float, size: float) -> list[tuple[float, list[float]]]:
        return [ticks(start, end, size)]

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        return [elapsed(value) for value in values]


def ticks(start: float, end: float, pixels: float) -> tuple[float, list[float]]:
    """The distance of the ticks and where they are, in seconds: at round times, not too near to one another."""
    least = _APART * max(1e-3, end - start) / max(1.0, pixels)
    step: float = next((step for step in _ROUND if step >= least), _ROUND[-1])
    while step < least:
        step *= 2
    return step, [n * step for n in range(-int(-start // step), int(end / step + 1e-9) + 1)]


def elapsed(seconds: float) -> str:
    """A tick's label: "0:05", "12:30", "1:02:00"; tenths only where they matter ("0.5 s" steps)."""
    whole = int(seconds)
    tenths = f".{round((seconds - whole) * 10)}" if seconds != whole else ""
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}{tenths}" if hours else f"{minutes}:{whole % 60:02d}{tenths}"

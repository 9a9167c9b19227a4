"""What is measured of every card: how it is named, in which unit, and how high its plot is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from studio.core.words import mark, tr
from studio.telemetry import Series, Track

MIB_A_GB: Final = 1024.0
"""The GB that cards are sold by."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value of every card over time. `top` is where its scale ends; None: at what was seen."""

    key: str
    title: str
    unit: str
    height: int
    series: Callable[[Track], Series]
    top: float | None = None


FURTHER: Final = (
    Quantity("load", mark("Load"), "%", 48, lambda track: track.load, 100.0),
    Quantity("power", mark("Power"), "W", 54, lambda track: track.power),
    Quantity("heat", mark("Temperature"), "°C", 54, lambda track: track.heat),
)
"""What is shown on demand under the memory."""


def gb(mib: float) -> str:
    """MiB as GB: "61.2"."""
    return f"{mib / MIB_A_GB:.1f}"


def name_of(track: Track) -> str:
    """ "GPU 0"; a machine whose card shares its memory says so."""
    if track.unified:
        return tr("Shared {gpu}", gpu=track.label)
    return tr("GPU {gpu}", gpu=track.label)

"""Plays a part of a reference: a clock that says which moment is shown, with sound where there is an output."""

from __future__ import annotations

import time
from typing import Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject, QTimer, Signal

from studio.media.sound import RATE
from ui.widgets.audio_output import DeviceOutput

_TICK_MS: Final = 15

Samples = npt.NDArray[np.int16]
"""(n, 2) at `studio.media.sound.RATE`, from the reference's own zero on."""


class Player(QObject):
    """Runs in real time from one moment to another, in seconds; with sound, the sound is the clock."""

    moved = Signal(float)
    """The moment that is to be shown now."""
    playing_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.samples: Samples | None = None
        """What is heard; None: silence."""
        self.output: DeviceOutput | None = None
        self._from = self._until = self._began = 0.0
        self._sounds = False
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._on_tick)

    @property
    def playing(self) -> bool:
        """Whether it runs."""
        return self._tick.isActive()

    def play(self, start: float, end: float) -> None:
        """Run from `start` to `end`."""
        self.stop()
        self._from, self._until, self._began = start, end, time.monotonic()
        if self.output is not None and self.samples is not None:
            part = self.samples[round(start * RATE) : round(end * RATE)]
            self._sounds = bool(len(part))
            if self._sounds:
                self.output.start(part)
        self._tick.start()
        self.playing_changed.emit()

    def stop(self) -> None:
        """Stand still where it is."""
        if not self.playing:
            return
        self._tick.stop()
        if self._sounds and self.output is not None:
            self.output.stop()
        self._sounds = False
        self.playing_changed.emit()

    def _on_tick(self) -> None:
        by_clock = time.monotonic() - self._began
        passed = by_clock if not self._sounds or self.output is None else self.output.played()
        if self._from + by_clock >= self._until:
            self.moved.emit(self._until)
            self.stop()
        else:
            self.moved.emit(self._from + passed)

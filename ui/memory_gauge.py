"""Keeps the strip's memory reading up to date while the window can be seen and a server runs; reads nothing else."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from studio.core.words import language_changed, tr
from studio.jobs.sources import source_of
from studio.server import Seen, ServerState
from studio.settings import SettingsStore
from studio.telemetry import Monitor, Sample, Source
from ui.widgets.sparkline import POINTS
from ui.widgets.status_strip import StatusStrip

_RATE: Final = 0.5
_GIB: Final = 1 << 30
_RUNS: Final = (ServerState.STARTING, ServerState.READY)


class MemoryGauge(QObject):
    """Watches the cards of the manager's server for the strip."""

    def __init__(
        self, monitor: Monitor, manager: Seen, settings: SettingsStore, strip: StatusStrip, window: QWidget
    ) -> None:
        super().__init__(window)
        self._monitor, self._manager, self._settings = monitor, manager, settings
        self._strip, self._window = strip, window
        self._shares: deque[float] = deque(maxlen=POINTS)
        self._last: Sample | None = None
        self._source: Source | None = None
        self._unwatch: Callable[[], None] = lambda: None
        self._undo = (manager.changed.subscribe(self._look), language_changed.subscribe(lambda _: self._show()))
        window.installEventFilter(self)
        self._look()

    def close(self) -> None:
        """Stop watching."""
        for undo in self._undo:
            undo()
        self._window.removeEventFilter(self)
        self._watch(None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.WindowStateChange):
            self._look()
        return super().eventFilter(watched, event)

    def _look(self, _status: object = None) -> None:
        """Watch the server's cards, or nothing while nobody can see them."""
        status = self._manager.status
        seen = self._window.isVisible() and not self._window.isMinimized()
        runs = status.state in _RUNS and (status.record is None or status.url is not None)
        wanted = source_of(status.record, status.url, self._settings.present.server) if seen and runs else None
        if wanted != self._source:
            self._watch(wanted)
        if not runs:
            self._last = None
            self._shares.clear()
            self._show()

    def _watch(self, source: Source | None) -> None:
        self._unwatch()
        self._source = source
        self._unwatch = (lambda: None) if source is None else self._monitor.watch(source, self._on_sample, rate=_RATE)

    def _on_sample(self, sample: Sample) -> None:
        fullest = sample.fullest
        self._last = sample
        self._shares.append(fullest[0] / fullest[1] if fullest else math.nan)
        self._show()

    def _show(self) -> None:
        sample = self._last
        if sample is None:
            self._strip.set_memory("")
            return
        fullest = sample.fullest
        why = sample.trouble.text() if sample.trouble else ""
        text = tr("not reported") if fullest is None else f"{fullest[0] / _GIB:.0f} GB"
        self._strip.set_memory(text, tuple(self._shares), total=fullest[1] if fullest else None, why=why)

"""The lanes of the time axis that show values: memory of each card against its total, pace of the steps, and more."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont

from studio.core.words import say, tr
from studio.jobs import telling
from studio.telemetry import Curve, Recording, Series, Track
from ui.queue.axis import ElapsedAxis, elapsed
from ui.queue.quantities import MIB_A_GB, Quantity, gb, name_of
from ui.queue.series_colours import colour
from ui.queue.timeline import Timeline
from ui.theme.palette import tokens
from ui.theme.tokens import Tokens, mix
from ui.widgets.plot import Plot, pg

_PIXELS_A_BUCKET: Final = 3.0
"""Finer, nobody sees more, and painting takes as much longer."""
_MEMORY_HEIGHT: Final = 126
_PACE_HEIGHT: Final = 54
_DOT: Final = 3
_PIN: Final = 8
"""Pixels of the pin at the fullest moment, and from it to its text."""


class _Lane(Plot):
    """A plot of one thing of a Timeline, which `draw` shows. Times on its axis count from the timeline's start."""

    def __init__(self, height: int) -> None:
        super().__init__(height, ElapsedAxis())

    def line(self, z: float = 0) -> pg.PlotCurveItem:
        """A new curve with gaps."""
        made = pg.PlotCurveItem(connect="finite")
        made.setZValue(z)
        self.addItem(made, ignoreBounds=True)
        return made

    def part(self, series: Series, zero: float) -> Curve:
        """What is to be seen of a series whose second 0 lies at `zero` on the axis."""
        start, end = self.viewRange()[0]
        return series.view(start - zero, end - zero, max(8, int(self.vb.width() / _PIXELS_A_BUCKET)))


class CardLane(_Lane):
    """One value of every card."""

    def __init__(self, quantity: Quantity) -> None:
        super().__init__(quantity.height)
        self._quantity = quantity
        self._lines: list[pg.PlotCurveItem] = []
        self._shades: list[str] = []

    def draw(self, seen: Timeline) -> None:
        quantity, tracks = self._quantity, _tracks(seen.recording)
        peaks = [peak[1] for track in tracks if (peak := quantity.series(track).peak) is not None]
        title = tr(quantity.title)
        self.set_title(f"{title}, {quantity.unit}" if peaks else title)
        self.set_note("" if peaks else tr("{what}: not reported.", what=title))
        self.set_top((quantity.top or max(peaks, default=0.0)) * 1.05 or 1.0)
        self.draw_cards(seen, quantity, 1.0)

    def draw_cards(self, seen: Timeline, quantity: Quantity, scale: float) -> None:
        """A line and a name for every card; values are divided by `scale`."""
        tracks, rows = _tracks(seen.recording), []
        self._set_shades(tracks)
        for line, track, shade in zip(self._lines, tracks, self._shades, strict=False):
            series, zero = quantity.series(track), _zero(seen)
            line.setData(*_zigzag(self.part(series, zero), zero, scale))
            rows.append(((series.last or 0.0) / scale, _name(track, quantity, series.last), shade))
        self.names.set_rows(rows)

    def _set_shades(self, tracks: list[Track]) -> None:
        """A line for every card; those that do not serve step back."""
        t = tokens()
        wanted = [colour(n, t) if track.serving is not False else _faded(0.35) for n, track in enumerate(tracks)]
        if wanted == self._shades:
            return
        self._shades = wanted
        while len(self._lines) < len(wanted):
            self._lines.append(self.line())
        for line, shade in zip(self._lines, wanted, strict=False):
            line.setPen(shade)
        for line in self._lines[len(wanted) :]:
            line.clear()


class MemoryLane(CardLane):
    """Every card against its total, the peak with its moment and what was free above it, the last run behind."""

    def __init__(self) -> None:
        super().__init__(Quantity("memory", "", "GB", _MEMORY_HEIGHT, lambda track: track.used))
        self._total, self._level = pg.InfiniteLine(angle=0), pg.InfiniteLine(angle=0)
        self._ghost = self.line(z=-2)
        self._ghost_name, self._peak = pg.TextItem(anchor=(1, 0)), pg.TextItem()
        self._pin = pg.ArrowItem(angle=-90, headLen=_PIN, tipAngle=60, pen=None)
        for item, z in ((self._total, -3), (self._level, -3), (self._ghost_name, 1), (self._pin, 3), (self._peak, 2)):
            item.setZValue(z)
            self.addItem(item, ignoreBounds=True)

    def draw(self, seen: Timeline) -> None:
        recording, tracks = seen.recording, _tracks(seen.recording)
        most = max((track.used.peak[1] for track in tracks if track.used.peak), default=0.0)
        total = max((track.total or 0.0 for track in tracks), default=0.0)
        trouble = recording.trouble.text() if recording and recording.trouble else tr("GPU memory was not recorded.")
        self.set_note("" if most else trouble)
        self.set_title(tr("GPU memory, GB of {total}", total=gb(total)) if total else tr("GPU memory, GB"))
        top = (total or most or MIB_A_GB) / MIB_A_GB * 1.06
        self.set_top(top)
        self._total.setVisible(bool(total))
        self._total.setValue(total / MIB_A_GB)
        self.draw_cards(seen, self._quantity, MIB_A_GB)
        self._draw_ghost(seen)
        self._draw_peak(seen, top)

    def _draw_ghost(self, seen: Timeline) -> None:
        """The fullest card of the last run of the same shape."""
        zero, peak = seen.ghost_zero(), seen.ghost.peak if seen.ghost else None
        curve = self.part(peak[0].used, zero - seen.start) if peak and zero is not None else None
        known = np.flatnonzero(np.isfinite(curve.high)) if curve is not None else np.empty(0, np.intp)
        self._ghost.setVisible(len(known) > 0)
        self._ghost_name.setVisible(len(known) > 0)
        if curve is None or zero is None or not len(known):
            return
        self._ghost.setData(*_zigzag(curve, zero - seen.start, MIB_A_GB))
        self._ghost_name.setText(tr("last run"))
        x = min(float(curve.t[known[-1]]) + zero - seen.start, self.viewRange()[0][1])
        self._ghost_name.setPos(x, float(curve.high[known[-1]]) / MIB_A_GB)

    def _draw_peak(self, seen: Timeline, top: float) -> None:
        """A pin at the fullest moment with value and time, and the line from which the headroom is measured."""
        peak = seen.recording.peak if seen.recording else None
        for item in (self._level, self._pin, self._peak):
            item.setVisible(peak is not None)
        if peak is None:
            return
        track, seconds, used = peak
        x, y = seconds + _zero(seen), used / MIB_A_GB
        self._level.setValue(y)
        self._pin.setPos(x, y)
        text = tr("peak {used} GB at {moment}", used=gb(used), moment=elapsed(float(int(x))))
        if track.total:
            text += " · " + tr("{free} GB headroom", free=gb(max(0.0, track.total - used)))
        self._peak.setText(text)
        box = self._peak.boundingRect()
        self._peak.setPos(x, y)
        start, end = self.viewRange()[0]
        right = (end - x) / (end - start) * self.vb.width() > box.width()
        above = (top - y) / top * self.vb.height() > box.height()
        beside = _PIN / max(1.0, box.width())
        self._peak.setAnchor((-beside if right else 1 + beside, 1 if above else 0))

    def dress(self, t: Tokens, font: QFont, names_width: float) -> None:
        super().dress(t, font, names_width)
        self._total.setPen(_faded(0.45))
        self._level.setPen(pg.mkPen(_faded(0.30), style=Qt.PenStyle.DotLine))
        self._ghost.setPen(_faded(0.35))
        self._pin.setBrush(pg.mkBrush(t.text))
        self._peak.fill = pg.mkBrush(t.ground)
        for text, shade in ((self._ghost_name, t.faint), (self._peak, t.text)):
            text.setFont(font)
            text.setColor(shade)


class PaceLane(_Lane):
    """Seconds of each step as dots, their average as a line, the last run's behind."""

    def __init__(self) -> None:
        super().__init__(_PACE_HEIGHT)
        self._ghost, self._mean = self.line(z=-2), self.line(z=1)
        self._dots = pg.ScatterPlotItem(size=_DOT, pen=None)
        self.addItem(self._dots, ignoreBounds=True)
        self._drawn: object = None

    def draw(self, seen: Timeline) -> None:
        self.set_title(tr("Seconds a step") if seen.has_pace else "")
        self.set_note("" if seen.has_pace else say("gpu.steps_none"))
        if self._drawn is not seen.steps:
            self._drawn = seen.steps
            self._draw_steps(seen)
        last = seen.pace[-1][1] if seen.has_pace else None
        self.names.set_rows([] if last is None else [(last, telling.pace(last), tokens().text)])

    def _draw_steps(self, seen: Timeline) -> None:
        known = [(point.at, point.seconds) for point in seen.steps if point.seconds is not None]
        # The first step prepares buffers, and may compile: it must not flatten all the others.
        top = 1.2 * max((seconds for _, seconds in known[1:]), default=1.0)
        self.set_top(top)
        x, y = _from(known, seen.start)
        self._dots.setData(x, np.minimum(y, top))
        self._mean.setData(*_from(seen.pace, seen.start))
        self._ghost.setData(*_from(seen.ghost_pace, seen.start))

    def dress(self, t: Tokens, font: QFont, names_width: float) -> None:
        super().dress(t, font, names_width)
        self._dots.setBrush(t.dim)
        self._mean.setPen(t.text)
        self._ghost.setPen(_faded(0.35))


Lane = CardLane | PaceLane


def _tracks(recording: Recording | None) -> list[Track]:
    return list(recording.tracks.values()) if recording else []


def _zero(seen: Timeline) -> float:
    """Where second 0 of the recording lies on the axis."""
    return seen.recording.began - seen.start if seen.recording else 0.0


def _name(track: Track, quantity: Quantity, value: float | None) -> str:
    said = "–" if value is None else gb(value) if quantity.unit == "GB" else f"{value:.0f} {quantity.unit}"
    return f"{name_of(track)}  {said}"


def _zigzag(curve: Curve, zero: float, scale: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both ends of every bucket, one after the other: no peak is lost, however many samples a pixel has."""
    y = np.column_stack([curve.low, curve.high]).astype(np.float64) / scale
    return np.repeat(curve.t + zero, 2), y.ravel()


def _from(line: list[tuple[float, float]], start: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(time, value) pairs as two arrays, times since `start`."""
    pairs = np.array(line, np.float64).reshape(-1, 2)
    return pairs[:, 0] - start, pairs[:, 1]


def _faded(share: float) -> str:
    """The text colour laid thinly on the ground."""
    return mix(tokens().text, tokens().ground, share)

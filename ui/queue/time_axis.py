"""One time axis of a job: its stages as bands, the denoise steps on them, the pace of the steps as a curve under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.core.words import tr
from studio.jobs import telling
from studio.jobs.eta import StepSample, paces
from ui.queue.axis import TimeAxis, elapsed
from ui.queue.stages import WAITS, Stage
from ui.theme.palette import tokens
from ui.theme.tokens import SPACE_S, SPACE_XS, Tokens, mix

_BAND: Final = 26
_CURVE: Final = 56
_GAP: Final = SPACE_S
_TICKS_APART: Final = 80
_HATCH_FROM: Final = 12

_SHARES: Final = {"denoise": 0.62, "prepare": 0.40, "decode": 0.46, "mux": 0.34, "running": 0.50, "saved": 0.34}
"""How much of the text colour a band carries; what the GPU works on stands out. Others are lighter."""
_OTHER, _WAITING = 0.26, 0.12


@dataclass(frozen=True, slots=True)
class Timeline:
    """What is drawn. Times are wall seconds; `left` is the range of seconds still to go, seen from `now`."""

    stages: Sequence[Stage] = ()
    samples: Sequence[StepSample] = ()
    now: float = 0.0
    left: tuple[float, float] | None = None
    broke: bool = False
    """The last stage ended badly."""


class TimeAxisView(QWidget):
    """Draws a Timeline; what it shows is also said in its accessible description."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._timeline = Timeline()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def timeline(self) -> Timeline:
        """What is drawn."""
        return self._timeline

    def set_timeline(self, timeline: Timeline) -> None:
        """Draw another state."""
        had_curve = self._has_curve()
        self._timeline = timeline
        self.setAccessibleName(tr("Time axis"))
        said = (f"{stage.text()} {telling.duration(stage.seconds)}" for stage in timeline.stages)
        self.setAccessibleDescription(", ".join(said))
        if had_curve != self._has_curve():
            self.updateGeometry()
        self.update()

    def axis(self) -> TimeAxis:
        """Where each time is; reaches to the latest end while the job runs."""
        seen = self._timeline
        start = seen.stages[0].start if seen.stages else seen.now
        end = seen.stages[-1].end if seen.stages else seen.now
        if seen.left is not None:
            end = max(end, seen.now + seen.left[1])
        return TimeAxis(start, max(end, start + 1), 0, self.width() - 1)

    def sizeHint(self) -> QSize:
        curve = _GAP + self.fontMetrics().height() + _CURVE if self._has_curve() else 0
        return QSize(400, _BAND + curve + SPACE_XS + self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        seen, t, axis = self._timeline, tokens(), self.axis()
        if not seen.stages:
            return
        painter = QPainter(self)
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() - 1)
        painter.setFont(small)
        self._paint_ticks(painter, axis, t)
        self._paint_rest(painter, axis, t)
        for stage in seen.stages:
            self._paint_stage(painter, axis, stage, t)
        self._paint_steps(painter, axis, t)
        if seen.broke:
            x = axis.x(seen.stages[-1].end)
            painter.fillRect(QRectF(x - 3, 0, 3, _BAND), QColor(t.bad))
        if self._has_curve():
            self._paint_curve(painter, axis, t)
        painter.end()

    def _has_curve(self) -> bool:
        return len(paces(self._timeline.samples)) > 1

    def _paint_ticks(self, painter: QPainter, axis: TimeAxis, t: Tokens) -> None:
        metrics = QFontMetrics(painter.font())
        bottom = self.height() - metrics.height()
        for seconds in axis.ticks(_TICKS_APART):
            x = round(axis.x(axis.start + seconds)) + 0.5
            painter.setPen(QColor(t.line))
            painter.drawLine(QPointF(x, 0), QPointF(x, bottom))
            painter.setPen(QColor(t.dim))
            label = elapsed(seconds)
            width = metrics.horizontalAdvance(label)
            left = max(0.0, min(x - width / 2, self.width() - width))
            painter.drawText(QPointF(left, self.height() - metrics.descent()), label)

    def _paint_stage(self, painter: QPainter, axis: TimeAxis, stage: Stage, t: Tokens) -> None:
        left, right = axis.x(stage.start), axis.x(stage.end)
        band = QRectF(left, 0, max(1.5, right - left - 1), _BAND)
        share = share_of(stage.name)
        painter.fillRect(band, QColor(mix(t.text, t.surface, share)))
        if stage.name in WAITS and band.width() > _HATCH_FROM:
            painter.fillRect(band, _hatched(mix(t.text, t.surface, 0.30)))
        text, metrics = stage.text(), QFontMetrics(painter.font())
        if metrics.horizontalAdvance(text) + 2 * SPACE_S <= band.width():
            painter.setPen(QColor(t.surface if share > 0.5 else t.text))
            room = band.adjusted(SPACE_S, 0, -SPACE_S, -SPACE_XS if stage.name == "denoise" else 0)
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_steps(self, painter: QPainter, axis: TimeAxis, t: Tokens) -> None:
        painter.setPen(QPen(QColor(t.surface), 1))
        for sample in self._timeline.samples:
            x = round(axis.x(sample.wall)) + 0.5
            painter.drawLine(QPointF(x, _BAND - 6), QPointF(x, _BAND))

    def _paint_rest(self, painter: QPainter, axis: TimeAxis, t: Tokens) -> None:
        """From now to the soonest end an outline, from there to the latest end a hatch."""
        seen = self._timeline
        if seen.left is None:
            return
        now, soonest, latest = (axis.x(at) for at in (seen.now, seen.now + seen.left[0], seen.now + seen.left[1]))
        painter.setPen(QPen(QColor(mix(t.text, t.surface, 0.30)), 1, Qt.PenStyle.DashLine))
        painter.drawRect(QRectF(now, 0.5, max(0.0, soonest - now), _BAND - 1))
        painter.fillRect(QRectF(soonest, 0, max(2.0, latest - soonest), _BAND), _hatched(t.dim))

    def _paint_curve(self, painter: QPainter, axis: TimeAxis, t: Tokens) -> None:
        points = paces(self._timeline.samples)
        metrics = QFontMetrics(painter.font())
        said = QRectF(axis.x(points[0][0]), _BAND + _GAP, axis.right, metrics.height())
        text = telling.pace(points[-1][1])
        painter.fillRect(
            said.adjusted(0, 1, metrics.horizontalAdvance(text) + SPACE_XS - said.width(), 0), self.palette().window()
        )
        painter.setPen(QColor(t.dim))
        painter.drawText(said, Qt.AlignmentFlag.AlignLeft, text)
        top = max(pace for _, pace in points)
        plot = QRectF(axis.left, said.bottom(), axis.right - axis.left, _CURVE)
        line = [QPointF(axis.x(wall), plot.bottom() - pace / top * plot.height()) for wall, pace in points]
        painter.setPen(QColor(t.line))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill = QColor(t.text)
        fill.setAlphaF(0.10)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        foot = QPointF(line[0].x(), plot.bottom()), QPointF(line[-1].x(), plot.bottom())
        painter.drawPolygon(QPolygonF([foot[0], *line, foot[1]]))
        painter.setPen(QPen(QColor(t.text), 1.5))
        painter.drawPolyline(QPolygonF(line))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def share_of(stage: str) -> float:
    """How strongly a stage's band is drawn, 0…1."""
    return _SHARES.get(stage, _WAITING if stage in WAITS else _OTHER)


def _hatched(colour: str) -> QBrush:
    return QBrush(QColor(colour), Qt.BrushStyle.BDiagPattern)

"""The lane of the time axis that shows the stages with their steps, what is still to come, a bad end, and alerts."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen, QPolygonF

from ui.queue.axis import ElapsedAxis
from ui.queue.look import share_of
from ui.queue.stages import WAITS, Stage
from ui.queue.timeline import Timeline
from ui.theme.palette import tokens
from ui.theme.tokens import SPACE_S, SPACE_XS, Tokens, mix
from ui.widgets.plot import Plot, pg

_BAND: Final = 26
_HATCH_FROM: Final = 12
_STEP: Final = 0.23
"""How tall the mark of a step is, as a share of the band."""
_STEPS_APART: Final = 3


class StageLane(Plot):
    """The stages of a Timeline as bands."""

    def __init__(self) -> None:
        self._bands = _Bands()
        super().__init__(_BAND, ElapsedAxis(), self._bands)
        self.hideAxis("left")
        self._steps = pg.PlotCurveItem(connect="pairs")
        self.addItem(self._steps, ignoreBounds=True)

    def draw(self, seen: Timeline) -> None:
        """Show another state, or another part of the time."""
        self._bands.seen = seen
        self._bands.update()
        start, end = self.viewRange()[0]
        # Closer than this, they would only be a grey block.
        cells = np.floor(seen.step_times * self._bands.width() / (_STEPS_APART * (end - start)))
        x = seen.step_times[np.flatnonzero(np.diff(cells, prepend=-np.inf))]
        self._steps.setData(np.repeat(x, 2), np.tile((0.0, _STEP), len(x)))

    def dress(self, t: Tokens, font: QFont, names_width: float) -> None:
        super().dress(t, font, names_width)
        self._bands.font = font
        self._steps.setPen(t.surface)


class _Bands(pg.ViewBox):
    """Paints in its own pixels, so that texts and hatches keep their size. (A pg.LinearRegionItem a stage cannot carry
    its name where it is seen, and would be two lines and a rectangle for each.)"""

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.seen, self.font = Timeline(), QFont()

    def paint(self, painter: QPainter, *_: object) -> None:
        painter.setClipRect(self.rect())
        painter.setFont(self.font)
        self._paint_rest(painter)
        for stage in self.seen.stages:
            self._paint_stage(painter, stage)
        if self.seen.broke and self.seen.stages:
            painter.fillRect(QRectF(self._x(self.seen.stages[-1].end) - 3, 0, 3, _BAND), QColor(tokens().bad))
        if self.seen.recording is not None:
            for t, _message in self.seen.recording.alerts:
                self._paint_alert(painter, self._x(self.seen.recording.began + t))

    def _x(self, at: float) -> float:
        """The pixel of a wall time."""
        start, end = self.viewRange()[0]
        return float((at - self.seen.start - start) * self.width() / (end - start))

    def _paint_stage(self, painter: QPainter, stage: Stage) -> None:
        t, share = tokens(), share_of(stage.name)
        left, right = self._x(stage.start), self._x(stage.end)
        band = QRectF(left, 0, max(1.5, right - left - 1), _BAND).intersected(self.rect())
        painter.fillRect(band, QColor(mix(t.text, t.surface, share)))
        if stage.name in WAITS and band.width() > _HATCH_FROM:
            painter.fillRect(band, _hatched(mix(t.text, t.surface, 0.30)))
        text = stage.text()
        if painter.fontMetrics().horizontalAdvance(text) + 2 * SPACE_S <= band.width():
            painter.setPen(QColor(t.surface if share > 0.5 else t.text))
            room = band.adjusted(SPACE_S, 0, -SPACE_S, -SPACE_XS if stage.name == "denoise" else 0)
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_rest(self, painter: QPainter) -> None:
        """From now to the soonest end an outline, from there to the latest end a hatch."""
        seen, t = self.seen, tokens()
        if seen.left is None:
            return
        now, soonest, latest = (self._x(at) for at in (seen.now, seen.now + seen.left[0], seen.now + seen.left[1]))
        painter.setPen(QPen(QColor(mix(t.text, t.surface, 0.30)), 1, Qt.PenStyle.DashLine))
        painter.drawRect(QRectF(now, 0.5, max(0.0, soonest - now), _BAND - 1))
        painter.fillRect(QRectF(soonest, 0, max(2.0, latest - soonest), _BAND), _hatched(t.dim))

    def _paint_alert(self, painter: QPainter, x: float) -> None:
        painter.setPen(QPen(QColor(tokens().surface), 1))
        painter.setBrush(QColor(tokens().warn))
        painter.drawPolygon(QPolygonF([QPointF(x, 0), QPointF(x - 6, 10), QPointF(x + 6, 10)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _hatched(colour: str) -> QBrush:
    return QBrush(QColor(colour), Qt.BrushStyle.BDiagPattern)

"""One number a frame as a small filled curve, painted by hand; a click goes to that frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QWidget

from ui.theme.palette import tokens
from ui.widgets.frame_axis import FrameAxis
from ui.widgets.frame_row import FrameRow


class Curve(FrameRow):
    """Values by frame between `low` and `high`, the label and the current value left of it.

    Frames without a value (NaN) stay empty, so a curve can grow while it is measured.
    """

    def __init__(self, label: str, parent: QWidget | None = None, *, decimals: int = 1, role: str = "text") -> None:
        super().__init__(label, parent, role=role)
        self._decimals = decimals
        self._values: NDArray[np.float64] = np.empty(0)
        self._low, self._high = 0.0, 1.0
        self._line: list[QPointF] | None = None
        """The curve in widget coordinates; None when it must be laid out again."""

    def set_frames(self, frames: int) -> None:
        """How many frames the axis has; forgets the values."""
        self._values, self._line = np.full(frames, np.nan), None
        super().set_frames(frames)

    def set_values(self, values: NDArray[np.floating], low: float, high: float) -> None:
        """Show values (one a frame from frame 0; NaN: none) between `low` (bottom) and `high` (top)."""
        self.frames = max(self.frames, len(values))
        self._values = np.full(self.frames, np.nan)
        self._values[: len(values)] = values
        self._low, self._high, self._line = low, max(high, low + 1e-9), None
        self.redraw()

    def value_text(self) -> str:
        value = self._values[self.position] if self.position < len(self._values) else np.nan
        return "–" if np.isnan(value) else f"{value:.{self._decimals}f}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._line = None
        super().resizeEvent(event)

    def paint_plot(self, painter: QPainter, axis: FrameAxis, plot: QRectF) -> None:
        painter.setPen(QPen(QColor(tokens().line), 1))
        painter.drawLine(QPointF(plot.left(), plot.bottom() + 0.5), QPointF(plot.right(), plot.bottom() + 0.5))
        if self._line is None:
            self._line = self._points(axis, plot)
        if not self._line:
            return
        ends = QPointF(self._line[0].x(), plot.bottom()), QPointF(self._line[-1].x(), plot.bottom())
        fill = self.colour
        fill.setAlphaF(0.22)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF([ends[0], *self._line, ends[1]]))
        painter.setPen(QPen(self.colour, 1))
        painter.drawPolyline(QPolygonF(self._line))

    def _points(self, axis: FrameAxis, plot: QRectF) -> list[QPointF]:
        known = np.flatnonzero(~np.isnan(self._values))
        share = np.clip((self._values[known] - self._low) / (self._high - self._low), 0, 1)
        ys = plot.bottom() - share * plot.height()
        return [QPointF(axis.x(int(n)), float(y)) for n, y in zip(known, ys, strict=True)]

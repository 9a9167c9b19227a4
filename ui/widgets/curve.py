"""One number a frame as a small filled curve, painted by hand; a click goes to that frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.palette import tokens
from ui.theme.tokens import Tokens
from ui.widgets.frame_axis import GUTTER, FrameAxis

HEIGHT = 44
_PAD = 4


class Curve(QWidget):
    """Values by frame between `low` and `high`, the label and the current value left of it.

    Frames without a value (NaN) stay empty, so a curve can grow while it is measured.
    """

    clicked = Signal(int)
    """The user asked for this frame."""

    def __init__(self, label: str, parent: QWidget | None = None, *, decimals: int = 1, role: str = "text") -> None:
        super().__init__(parent)
        self._label, self._decimals, self._role = label, decimals, role
        self._values: NDArray[np.float64] = np.empty(0)
        self._low, self._high = 0.0, 1.0
        self._frames, self._position = 0, 0
        self._line: list[QPointF] | None = None
        """The curve in widget coordinates; None when it must be laid out again."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(label)

    def set_label(self, label: str) -> None:
        """Another language's label."""
        self._label = label
        self.setAccessibleName(label)
        self.update()

    def set_frames(self, frames: int) -> None:
        """How many frames the axis has; forgets the values."""
        self._frames, self._values, self._line = frames, np.full(frames, np.nan), None
        self.update()

    def set_values(self, values: NDArray[np.floating], low: float, high: float) -> None:
        """Show values (one a frame from frame 0; NaN: none) between `low` (bottom) and `high` (top)."""
        self._values = np.full(max(self._frames, len(values)), np.nan)
        self._values[: len(values)] = values
        self._low, self._high, self._line = low, max(high, low + 1e-9), None
        self.update()

    def set_position(self, frame: int) -> None:
        """Put the playhead at a frame."""
        if frame != self._position:
            self._position = frame
            self.update()

    def axis(self) -> FrameAxis:
        """Where each frame is."""
        return FrameAxis(max(self._frames, len(self._values)), GUTTER, self.width() - 8)

    def sizeHint(self) -> QSize:
        return QSize(320, HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._line = None
        super().resizeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._click(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._click(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        t, axis = tokens(), self.axis()
        painter = QPainter(self)
        self._paint_labels(painter, t)
        plot = QRectF(axis.left, _PAD, axis.right - axis.left, self.height() - 2 * _PAD)
        painter.setPen(QPen(QColor(t.line), 1))
        for frame in axis.grid():
            x = round(axis.left + frame * axis.step) + 0.5
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        painter.drawLine(QPointF(plot.left(), plot.bottom() + 0.5), QPointF(plot.right(), plot.bottom() + 0.5))
        self._paint_area(painter, axis, plot, t)
        if axis.frames:
            x = axis.x(self._position)
            painter.setPen(QPen(QColor(t.text), 1.5))
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        painter.end()

    def _click(self, event: QMouseEvent) -> None:
        if axis_frames := self.axis().frames:
            self.clicked.emit(min(axis_frames - 1, self.axis().frame(event.position().x())))

    def _paint_labels(self, painter: QPainter, t: Tokens) -> None:
        width = GUTTER - 8
        painter.setPen(QColor(t.dim))
        painter.drawText(QRectF(0, 2, width, self.height() / 2 - 2), Qt.AlignmentFlag.AlignLeft, self._label)
        value = self._values[self._position] if self._position < len(self._values) else np.nan
        painter.setPen(QColor(t.text))
        shown = "–" if np.isnan(value) else f"{value:.{self._decimals}f}"
        painter.drawText(QRectF(0, self.height() / 2, width, self.height() / 2), Qt.AlignmentFlag.AlignLeft, shown)

    def _paint_area(self, painter: QPainter, axis: FrameAxis, plot: QRectF, t: Tokens) -> None:
        if self._line is None:
            self._line = self._points(axis, plot)
        if not self._line:
            return
        ends = QPointF(self._line[0].x(), plot.bottom()), QPointF(self._line[-1].x(), plot.bottom())
        fill = QColor(getattr(t, self._role))
        fill.setAlphaF(0.22)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF([ends[0], *self._line, ends[1]]))
        painter.setPen(QPen(QColor(getattr(t, self._role)), 1))
        painter.drawPolyline(QPolygonF(self._line))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _points(self, axis: FrameAxis, plot: QRectF) -> list[QPointF]:
        known = np.flatnonzero(~np.isnan(self._values))
        share = np.clip((self._values[known] - self._low) / (self._high - self._low), 0, 1)
        ys = plot.bottom() - share * plot.height()
        return [QPointF(axis.x(int(n)), float(y)) for n, y in zip(known, ys, strict=True)]

"""The sound of one side as a wave under the frames, on the same axis as timeline and curves; a click goes there."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.palette import tokens
from ui.widgets.curve import HEIGHT
from ui.widgets.frame_axis import GUTTER, FrameAxis

_PAD = 4


class Wave(QWidget):
    """An outline of lowest and highest values over `frames` frames, moved by `late` frames against the axis."""

    clicked = Signal(int)
    """The user asked for this frame."""

    def __init__(self, side: Literal["A", "B"], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._side = side
        self._frames, self._position, self._late = 0, 0, 0
        self._outline: NDArray[np.float32] = np.empty((0, 2), np.float32)
        self._per_frame = 1.0
        self._note = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_frames(self, frames: int) -> None:
        """How many frames the axis has; forgets the outline."""
        self._frames, self._outline = frames, np.empty((0, 2), np.float32)
        self.update()

    def set_outline(self, outline: NDArray[np.float32], per_frame: float, note: str) -> None:
        """Show (n, 2) lowest and highest values (-1…1), `per_frame` of them a frame; `note` where there are none."""
        self._outline, self._per_frame, self._note = outline, per_frame, note
        self.update()

    def set_late(self, frames: int) -> None:
        """Begin that many frames into the axis."""
        if frames != self._late:
            self._late = frames
            self.update()

    def set_position(self, frame: int) -> None:
        """Put the playhead at a frame."""
        if frame != self._position:
            self._position = frame
            self.update()

    def axis(self) -> FrameAxis:
        """Where each frame is."""
        return FrameAxis(self._frames, GUTTER, self.width() - 8)

    def sizeHint(self) -> QSize:
        return QSize(320, HEIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._click(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._click(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        t, axis = tokens(), self.axis()
        plot = QRectF(axis.left, _PAD, axis.right - axis.left, self.height() - 2 * _PAD)
        painter = QPainter(self)
        painter.setPen(QColor(t.a if self._side == "A" else t.b))
        painter.drawText(QRectF(0, 2, GUTTER - 8, self.height() / 2 - 2), Qt.AlignmentFlag.AlignLeft, self._side)
        painter.setPen(QPen(QColor(t.line), 1))
        for frame in axis.grid():
            x = round(axis.left + frame * axis.step) + 0.5
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        middle = plot.center().y()
        painter.drawLine(QPointF(plot.left(), middle), QPointF(plot.right(), middle))
        if len(self._outline) and self._frames:
            painter.setPen(QPen(QColor(t.a if self._side == "A" else t.b), 1))
            painter.drawLines(self._lines(axis, plot))
        elif self._note:
            painter.setPen(QColor(t.dim))
            painter.drawText(plot.adjusted(8, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._note)
        if self._frames:
            x = axis.x(self._position)
            painter.setPen(QPen(QColor(t.text), 1.5))
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        painter.end()

    def _click(self, event: QMouseEvent) -> None:
        if self._frames:
            self.clicked.emit(self.axis().frame(event.position().x()))

    def _lines(self, axis: FrameAxis, plot: QRectF) -> list[QLineF]:
        """One upright line a pixel column, from the lowest to the highest value in it."""
        columns = np.arange(int(plot.width()) + 1)
        edges = np.round((columns / axis.step - self._late) * self._per_frame).astype(np.int64)
        inside = (edges[:-1] >= 0) & (edges[:-1] < len(self._outline))
        starts, columns = edges[:-1][inside], columns[:-1][inside]
        if not len(starts):
            return []
        end = max(int(starts[-1]) + 1, min(int(edges[1:][inside][-1]), len(self._outline)))
        low = np.minimum.reduceat(self._outline[:end, 0], starts)
        high = np.maximum.reduceat(self._outline[:end, 1], starts)
        middle, half = plot.center().y(), plot.height() / 2
        return [
            QLineF(
                plot.left() + x + 0.5, middle - float(h) * half - 0.5, plot.left() + x + 0.5, middle - float(w) * half
            )
            for x, w, h in zip(columns, low, high, strict=True)
        ]

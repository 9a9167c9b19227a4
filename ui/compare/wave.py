"""The sound of one side as a wave under the frames."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from ui.compare.sound_row import SoundRow
from ui.theme.palette import tokens
from ui.widgets.frame_axis import FrameAxis


class Wave(SoundRow):
    """An outline of lowest and highest values."""

    def __init__(self, side: Literal["A", "B"], parent: QWidget | None = None) -> None:
        super().__init__(side, parent)
        self._outline: NDArray[np.float32] = np.empty((0, 2), np.float32)
        self._per_frame = 1.0

    def set_frames(self, frames: int) -> None:
        """How many frames the axis has; forgets the outline."""
        self._outline = np.empty((0, 2), np.float32)
        super().set_frames(frames)

    def set_outline(self, outline: NDArray[np.float32], per_frame: float) -> None:
        """Show (n, 2) lowest and highest values (-1…1), `per_frame` of them a frame."""
        self._outline, self._per_frame = outline, per_frame
        self.set_note("")

    def paint_sound(self, painter: QPainter, axis: FrameAxis, plot: QRectF) -> None:
        if not len(self._outline):
            return
        middle = plot.center().y()
        painter.setPen(QPen(QColor(tokens().line), 1))
        painter.drawLine(QPointF(plot.left(), middle), QPointF(plot.right(), middle))
        painter.setPen(QPen(self.colour, 1))
        painter.drawLines(self._lines(axis, plot))

    def _lines(self, axis: FrameAxis, plot: QRectF) -> list[QLineF]:
        """One upright line a pixel column, from the lowest to the highest value in it."""
        columns = np.arange(int(plot.width()) + 1)
        edges = np.round((columns / axis.step - self.late) * self._per_frame).astype(np.int64)
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

"""A row with the sound of one side, on the same axis as timeline and curves; a click goes there."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from ui.theme.palette import tokens
from ui.widgets.frame_axis import FrameAxis
from ui.widgets.frame_row import FrameRow


class SoundRow(FrameRow):
    """`paint_sound` puts the sound in; it is moved by `late` frames on the axis. A note says why there is none."""

    def __init__(self, side: Literal["A", "B"], parent: QWidget | None = None) -> None:
        super().__init__(side, parent, role=side.lower())
        self.side = side
        self.late = 0
        self._note = ""

    def paint_sound(self, painter: QPainter, axis: FrameAxis, plot: QRectF) -> None:
        """Put the sound into the plot."""

    def set_note(self, note: str) -> None:
        """Say why there is no sound."""
        self._note = note
        self.redraw()

    def set_late(self, frames: int) -> None:
        """Begin that many frames into the axis."""
        if frames != self.late:
            self.late = frames
            self.redraw()

    def paint_plot(self, painter: QPainter, axis: FrameAxis, plot: QRectF) -> None:
        if self.frames:
            self.paint_sound(painter, axis, plot)
        if self._note:
            painter.setPen(QColor(tokens().dim))
            painter.drawText(plot.adjusted(8, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._note)

"""A row with the sound of one side, on the same axis as timeline and curves; a click goes there."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.palette import tokens
from ui.widgets.curve import HEIGHT
from ui.widgets.frame_axis import GUTTER, FrameAxis

_PAD = 4


class SoundRow(QWidget):
    """Letter, 17-frame grid and playhead; `paint_sound` puts the sound in. It is moved by `late` frames on the axis."""

    clicked = Signal(int)
    """The user asked for this frame."""

    def __init__(self, side: Literal["A", "B"], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.side = side
        self.frames, self.late = 0, 0
        self._position = 0
        self._note = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def paint_sound(self, painter: QPainter, axis: FrameAxis, plot: QRectF) -> None:
        """Put the sound into the plot."""
        raise NotImplementedError

    @property
    def colour(self) -> QColor:
        """The side's."""
        return QColor(tokens().a if self.side == "A" else tokens().b)

    def set_frames(self, frames: int) -> None:
        """How many frames the axis has."""
        self.frames = frames
        self.update()

    def set_note(self, note: str) -> None:
        """Say why there is no sound."""
        self._note = note
        self.update()

    def set_late(self, frames: int) -> None:
        """Begin that many frames into the axis."""
        if frames != self.late:
            self.late = frames
            self.update()

    def set_position(self, frame: int) -> None:
        """Put the playhead at a frame."""
        if frame != self._position:
            self._position = frame
            self.update()

    def axis(self) -> FrameAxis:
        """Where each frame is."""
        return FrameAxis(self.frames, GUTTER, self.width() - 8)

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
        painter.setPen(self.colour)
        painter.drawText(QRectF(0, 2, GUTTER - 8, self.height() / 2 - 2), Qt.AlignmentFlag.AlignLeft, self.side)
        painter.setPen(QPen(QColor(t.line), 1))
        for frame in axis.grid():
            x = round(axis.left + frame * axis.step) + 0.5
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        if self.frames:
            self.paint_sound(painter, axis, plot)
        if self._note:
            painter.setPen(QColor(t.dim))
            painter.drawText(plot.adjusted(8, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._note)
        if self.frames:
            x = axis.x(self._position)
            painter.setPen(QPen(QColor(t.text), 1.5))
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        painter.end()

    def _click(self, event: QMouseEvent) -> None:
        if self.frames:
            self.clicked.emit(self.axis().frame(event.position().x()))

"""A row over the frames of a clip: label, a line every 17 frames, playhead; a click goes to that frame."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.palette import tokens
from ui.widgets.frame_axis import GUTTER, FrameAxis

HEIGHT = 44
_PAD = 4


class FrameRow(QWidget):
    """What rows under a timeline have in common. Subclasses paint into the plot, and something under the label.

    `role` is the token of the row's colour: "text" for a measure, "a" or "b" for what belongs to a side.
    """

    clicked = Signal(int)
    """The user asked for this frame."""

    def __init__(self, label: str, parent: QWidget | None = None, *, role: str = "text") -> None:
        super().__init__(parent)
        self._label, self._role = label, role
        self.frames, self.position = 0, 0
        self._still: tuple[object, QPixmap] | None = None
        """What stays as it is while the playhead moves, and what it was drawn for."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(label)

    def paint_plot(self, painter: QPainter, axis: FrameAxis, plot: QRectF) -> None:
        """Put into the plot what the row shows."""

    def value_text(self) -> str:
        """What stands under the label."""
        return ""

    @property
    def colour(self) -> QColor:
        """Of what the row shows."""
        return QColor(tokens().as_dict()[self._role])

    def set_frames(self, frames: int) -> None:
        """How many frames the axis has."""
        self.frames = frames
        self.redraw()

    def set_position(self, frame: int) -> None:
        """Put the playhead at a frame."""
        if frame != self.position:
            self.position = frame
            self.update()

    def redraw(self) -> None:
        """Paint the plot anew: it shows something else."""
        self._still = None
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
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._drawn())
        painter.setPen(QColor(tokens().text))
        half = self.height() / 2
        painter.drawText(QRectF(0, half, GUTTER - 8, half), Qt.AlignmentFlag.AlignLeft, self.value_text())
        if self.frames:
            x = self.axis().x(self.position)
            painter.setPen(QPen(QColor(tokens().text), 1.5))
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        painter.end()

    def _drawn(self) -> QPixmap:
        """Label, grid and plot: while a clip plays, only the playhead moves."""
        key = (self.size(), self.devicePixelRatioF(), self.font(), tokens())
        if self._still is None or self._still[0] != key:
            pixmap = QPixmap(self.size() * self.devicePixelRatioF())
            pixmap.setDevicePixelRatio(self.devicePixelRatioF())
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            painter.setFont(self.font())
            self._paint_still(painter)
            painter.end()
            self._still = (key, pixmap)
        return self._still[1]

    def _paint_still(self, painter: QPainter) -> None:
        t, axis = tokens(), self.axis()
        plot = QRectF(axis.left, _PAD, axis.right - axis.left, self.height() - 2 * _PAD)
        painter.setPen(QColor(t.dim) if self._role == "text" else self.colour)
        painter.drawText(QRectF(0, 2, GUTTER - 8, self.height() / 2 - 2), Qt.AlignmentFlag.AlignLeft, self._label)
        painter.setPen(QPen(QColor(t.line), 1))
        for frame in axis.grid():
            x = round(axis.left + frame * axis.step) + 0.5
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        self.paint_plot(painter, axis, plot)

    def _click(self, event: QMouseEvent) -> None:
        if self.frames:
            self.clicked.emit(self.axis().frame(event.position().x()))

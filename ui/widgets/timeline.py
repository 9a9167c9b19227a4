"""A scrubber over the frames of a clip, with a tick every 17 frames and a range between two handles."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from ui.theme.palette import tokens
from ui.theme.tokens import Tokens
from ui.widgets.frame_axis import GRID, FrameAxis

_HEIGHT = 30
_BAR_TOP, _BAR_HEIGHT = 12, 6
_GRAB = 7


class Timeline(QAbstractSlider):
    """A slider of frames 0…n−1 (value: the current frame), so that keyboard and screen readers know it.

    Arrow keys go one frame, Page Up and Page Down 17. `range_` is the part between the handles, None for all.
    """

    sought = Signal(int)
    """The user asked for this frame."""
    range_changed = Signal(int, int)
    """The user moved a handle: first and last frame of the range."""

    def __init__(self, parent: QWidget | None = None, *, gutter: int = 8) -> None:
        super().__init__(parent)
        self._gutter = gutter
        self._frames = 0
        self._range: tuple[int, int] | None = None
        self._ready = 0
        self._held: int | None = None
        """Which handle is being dragged: 0 in, 1 out, None: the playhead."""
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setPageStep(GRID)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)

    @property
    def range_(self) -> tuple[int, int] | None:
        """First and last frame of the range, None when there is none."""
        return self._range

    def set_frames(self, frames: int) -> None:
        """How many frames there are; clears the range."""
        self._frames, self._range, self._ready = frames, None, 0
        self.setRange(0, max(0, frames - 1))
        self.update()

    def set_range(self, first: int | None, last: int | None = None) -> None:
        """Show the range `first`…`last` (inclusive), or none."""
        self._range = None if first is None or last is None else (min(first, last), max(first, last))
        self.update()

    def set_ready(self, frames: int) -> None:
        """How many frames from the start can be shown at once."""
        self._ready = frames
        self.update()

    def axis(self) -> FrameAxis:
        """Where each frame is."""
        return FrameAxis(self._frames, self._gutter, self.width() - 8)

    def sizeHint(self) -> QSize:
        return QSize(320, _HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.value()
        super().keyPressEvent(event)
        if self.value() != before:
            self.sought.emit(self.value())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._frames:
            return
        self._held = self._handle_at(event.position().x())
        self.setSliderDown(True)
        self._drag(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._drag(event.position().x())
        else:
            over = self._handle_at(event.position().x()) is not None
            self.setCursor(Qt.CursorShape.SizeHorCursor if over else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._held = None
        self.setSliderDown(False)

    def paintEvent(self, _event: QPaintEvent) -> None:
        t, axis = tokens(), self.axis()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(axis.left, _BAR_TOP, max(0.0, axis.right - axis.left), _BAR_HEIGHT)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.line))
        painter.drawRoundedRect(bar, 2, 2)
        if self._frames:
            self._paint_spans(painter, bar, axis, t)
            self._paint_grid(painter, bar, axis, t)
            self._paint_playhead(painter, bar, axis, t)
        if self.property("ring"):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(t.accent), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        painter.end()

    def _drag(self, x: float) -> None:
        frame = self.axis().frame(x)
        if self._held is None or self._range is None:
            if frame != self.value() or not self.hasTracking():
                self.setSliderPosition(frame)
            self.sought.emit(frame)
            return
        first, last = self._range
        self._range = (min(frame, last), last) if self._held == 0 else (first, max(frame, first))
        self.range_changed.emit(*self._range)
        self.update()

    def _handle_at(self, x: float) -> int | None:
        if self._range is None:
            return None
        axis = self.axis()
        ends = (axis.x(self._range[0]) - axis.step / 2, axis.x(self._range[1]) + axis.step / 2)
        near = min((0, 1), key=lambda i: abs(ends[i] - x))
        return near if abs(ends[near] - x) <= _GRAB else None

    def _paint_spans(self, painter: QPainter, bar: QRectF, axis: FrameAxis, t: Tokens) -> None:
        painter.setOpacity(0.45)
        painter.setBrush(QColor(t.faint))
        painter.drawRoundedRect(
            QRectF(bar.x(), bar.y(), min(self._ready, self._frames) * axis.step, bar.height()), 2, 2
        )
        painter.setOpacity(1.0)
        if self._range is None:
            return
        left = axis.x(self._range[0]) - axis.step / 2
        right = axis.x(self._range[1]) + axis.step / 2
        painter.setBrush(QColor(t.accent))
        painter.drawRect(QRectF(left, bar.y(), right - left, bar.height()))
        for x in (left, right):
            painter.drawRoundedRect(QRectF(x - 2, bar.y() - 5, 4, bar.height() + 10), 2, 2)

    def _paint_grid(self, painter: QPainter, bar: QRectF, axis: FrameAxis, t: Tokens) -> None:
        painter.setPen(QPen(QColor(t.faint), 1))
        for frame in axis.grid():
            x = round(axis.left + frame * axis.step) + 0.5
            painter.drawLine(QPointF(x, bar.bottom() + 3), QPointF(x, bar.bottom() + 6))

    def _paint_playhead(self, painter: QPainter, bar: QRectF, axis: FrameAxis, t: Tokens) -> None:
        x = axis.x(self.value())
        painter.setPen(QPen(QColor(t.text), 1.5))
        painter.drawLine(QPointF(x, 6), QPointF(x, _HEIGHT - 2))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.text))
        painter.drawPolygon(QPolygonF([QPointF(x - 5, 1), QPointF(x + 5, 1), QPointF(x, 9)]))

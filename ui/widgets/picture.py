"""A picture with zoom and pan: raster painting of a BGRA array, without a copy, right on any pixel ratio."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.palette import tokens
from ui.theme.tokens import FOCUS_RING, Tokens

Frame = NDArray[np.uint8]
Side = Literal["A", "B", "C", "D", ""]

_NEAREST_FROM = 2.0
_ZOOM_RANGE = (0.05, 32.0)
_STEPS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Zooms that keys go through."""
_WHEEL_STEP = 1.25
LETTER_SIZE = QSize(22, 20)


Zoom = float | Literal["fill"] | None


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """How a picture is looked at. `zoom` is screen pixels a picture pixel; None fits the picture into the widget,
    "fill" fills the widget with it. `x`, `y` (0…1 of the picture) is what lies in the middle."""

    zoom: Zoom = None
    x: float = 0.5
    y: float = 0.5


def as_qimage(frame: Frame) -> QImage:
    """A QImage over the array's own memory. `frame` is (H, W, 4) uint8 BGRA with packed pixels.

    The array must not be written to while the image is shown. Raises ValueError for another layout.
    """
    if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 4 or frame.strides[1:] != (4, 1):
        raise ValueError("expected packed uint8 BGRA rows")
    height, width = frame.shape[:2]
    return QImage(frame.data, width, height, frame.strides[0], QImage.Format.Format_RGB32)


def paint_letter(painter: QPainter, corner: QPointF, side: Side, t: Tokens, *, leftward: bool = False) -> None:
    """The filled tab that names a side of a comparison, right of a corner (or left of it)."""
    tab = QRectF(corner - QPointF(LETTER_SIZE.width(), 0) if leftward else corner, QSizeF(LETTER_SIZE))
    painter.fillRect(tab, QColor(t.of_side(side)))
    font = QFont(painter.font())
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(QColor(t.on_accent))
    painter.drawText(tab, Qt.AlignmentFlag.AlignCenter, side)


class PictureView(QWidget):
    """Shows one frame. Wheel zooms at the pointer, dragging pans, a double click goes between fit and 100 %."""

    probed = Signal(int, int)
    """The pointer is over this pixel (x, y) of the picture."""
    probe_left = Signal()
    viewpoint_changed = Signal(object)
    """The user zoomed or panned to this Viewpoint."""
    zoom_changed = Signal(float)
    """The picture has this many screen pixels a picture pixel now."""

    def __init__(self, side: Side = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.side: Side = side
        self._image: QImage | None = None
        self._size = QSizeF()
        self._viewpoint = Viewpoint()
        self._drag_from: QPointF | None = None
        self._marker: tuple[int, int] | None = None
        self._ring = False
        self._note = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(96, 72)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def show_frame(self, frame: Frame | None, size: QSizeF | None = None) -> None:
        """Show a frame (None: nothing). `size` is what it counts as when zooming (default: its own size), so that
        two pictures of different resolution stay in step."""
        self._image = None if frame is None else as_qimage(frame)
        if frame is not None:
            size = size or QSizeF(frame.shape[1], frame.shape[0])
            changed, self._size = size != self._size, size
            if changed:
                self.zoom_changed.emit(self.zoom)
        self.update()

    def image(self) -> QImage | None:
        """What is shown, at its own resolution."""
        return self._image

    @property
    def viewpoint(self) -> Viewpoint:
        """How the picture is looked at now."""
        return self._viewpoint

    def set_viewpoint(self, viewpoint: Viewpoint) -> None:
        """Look at the picture in another way; does not emit `viewpoint_changed`."""
        if viewpoint != self._viewpoint:
            self._viewpoint = viewpoint
            self.zoom_changed.emit(self.zoom)
            self.update()

    def set_note(self, text: str) -> None:
        """What to say where there is no picture to show."""
        if text != self._note:
            self._note = text
            self.update()

    def set_side(self, side: Side) -> None:
        """Put the letter of that side into the corner ("": none)."""
        self.side = side
        self.update()

    def set_marker(self, at: tuple[int, int] | None) -> None:
        """Mark a pixel with a small cross: where the pointer is in the other picture."""
        if at != self._marker:
            self._marker = at
            self.update()

    def toggle_zoom(self) -> None:
        """Between fit and 100 %."""
        self._go(Viewpoint() if self._viewpoint.zoom == 1.0 else replace(self._viewpoint, zoom=1.0))

    def toggle_fill(self) -> None:
        """Between fit and a picture that fills the widget, with its edges cut off."""
        self._go(Viewpoint() if self._viewpoint.zoom == "fill" else replace(self._viewpoint, zoom="fill"))

    def step_zoom(self, by: int) -> None:
        """To the next larger (1) or smaller (-1) power of two, around the middle."""
        now = self.zoom
        steps = [step for step in _STEPS if (step > now * 1.001 if by > 0 else step < now / 1.001)]
        if steps and self._image is not None:
            self._zoom_at(QRectF(self.rect()).center(), steps[0] if by > 0 else steps[-1])

    def pan_by(self, x: float, y: float) -> None:
        """Move what is seen right and down, in shares of the widget's size."""
        if self._viewpoint.zoom is not None:
            self._pan(QPointF(-x * self.width(), -y * self.height()))

    @property
    def zoom(self) -> float:
        """Screen pixels a picture pixel, fitted or chosen."""
        return self._scale() * self.devicePixelRatioF()

    def picture_rect(self) -> QRectF:
        """Where the whole picture lies, in the widget's coordinates (may reach beyond it)."""
        scale, v = self._scale(), self._viewpoint
        size = self._size * scale
        x, y = (0.5, 0.5) if v.zoom is None else (v.x, v.y)
        left = self._snapped(self._start(size.width(), self.width(), x))
        top = self._snapped(self._start(size.height(), self.height(), y))
        return QRectF(QPointF(left, top), size)

    def pixel_at(self, at: QPointF) -> tuple[int, int] | None:
        """The picture's pixel under a point of the widget, None outside."""
        rect = self.picture_rect()
        if self._image is None or not rect.contains(at):
            return None
        fx, fy = (at.x() - rect.x()) / rect.width(), (at.y() - rect.y()) / rect.height()
        width, height = self._image.width(), self._image.height()
        return min(width - 1, int(fx * width)), min(height - 1, int(fy * height))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.zoom_changed.emit(self.zoom)

    def sizeHint(self) -> QSize:
        return QSize(480, 270)

    def paintEvent(self, _event: QPaintEvent) -> None:
        t = tokens()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(t.ground))
        if self._image is not None:
            rect = self.picture_rect()
            smooth = self.zoom < _NEAREST_FROM
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
            painter.drawImage(rect, self._image, QRectF(self._image.rect()))
            painter.save()
            self.paint_over(painter, rect)
            painter.restore()
            self._paint_marker(painter, rect)
            if self.side:
                paint_letter(painter, rect.intersected(QRectF(self.rect())).topLeft(), self.side, t)
        elif self._note:
            painter.setPen(QColor(t.dim))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._note)
        if self._ring:
            half = FOCUS_RING / 2
            painter.setPen(QPen(QColor(t.accent), FOCUS_RING))
            painter.drawRect(QRectF(self.rect()).adjusted(half, half, -half, -half))
        painter.end()

    def paint_over(self, painter: QPainter, rect: QRectF) -> None:
        """For subclasses: draw on the picture that lies at `rect`."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        # A ring around every picture that was clicked or just opened would be brighter than the picture.
        self._ring = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._ring = False
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turns = event.angleDelta().y() / 120
        if self._image is None or not turns:
            return
        zoom = max(_ZOOM_RANGE[0], min(_ZOOM_RANGE[1], self.zoom * _WHEEL_STEP**turns))
        self._zoom_at(event.position(), zoom)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._drag_from = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag_from is not None and event.buttons() and self._viewpoint.zoom is not None:
            moved, self._drag_from = event.position() - self._drag_from, event.position()
            self._pan(moved)
        pixel = self.pixel_at(event.position())
        if pixel is None:
            self.probe_left.emit()
        else:
            self.probed.emit(*pixel)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._drag_from = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._viewpoint.zoom is None:
            self._zoom_at(event.position(), 1.0)
        else:
            self._go(Viewpoint())

    def leaveEvent(self, event: object) -> None:
        self.probe_left.emit()

    def _scale(self) -> float:
        """Device-independent pixels a picture pixel."""
        zoom = self._viewpoint.zoom
        if isinstance(zoom, float):
            return zoom / self.devicePixelRatioF()
        if self._size.isEmpty():
            return 1.0
        shares = self.width() / self._size.width(), self.height() / self._size.height()
        return max(shares) if zoom == "fill" else min(shares)

    @staticmethod
    def _start(length: float, room: float, middle: float) -> float:
        if length <= room:
            return (room - length) / 2
        return max(room - length, min(0.0, room / 2 - middle * length))

    def _snapped(self, length: float) -> float:
        """On a whole screen pixel: half a pixel off, 100 % would be blurred."""
        ratio = self.devicePixelRatioF()
        return round(length * ratio) / ratio

    def _zoom_at(self, at: QPointF, zoom: float) -> None:
        """Zoom so that what is under `at` stays there."""
        before = self.picture_rect()
        fx, fy = (at.x() - before.x()) / before.width(), (at.y() - before.y()) / before.height()
        size = self._size * (zoom / self.devicePixelRatioF())
        x = fx + (self.width() / 2 - at.x()) / size.width()
        y = fy + (self.height() / 2 - at.y()) / size.height()
        self._go(Viewpoint(zoom, x, y))

    def _pan(self, moved: QPointF) -> None:
        rect = self.picture_rect()
        x = (self.width() / 2 - rect.x() - moved.x()) / rect.width()
        y = (self.height() / 2 - rect.y() - moved.y()) / rect.height()
        self._go(replace(self._viewpoint, x=max(0.0, min(1.0, x)), y=max(0.0, min(1.0, y))))

    def _go(self, viewpoint: Viewpoint) -> None:
        if viewpoint != self._viewpoint:
            self.set_viewpoint(viewpoint)
            self.viewpoint_changed.emit(viewpoint)

    def _paint_marker(self, painter: QPainter, rect: QRectF) -> None:
        if self._marker is None or self._image is None:
            return
        x = rect.x() + (self._marker[0] + 0.5) * rect.width() / self._image.width()
        y = rect.y() + (self._marker[1] + 0.5) * rect.height() / self._image.height()
        # Dark under light: seen on any picture.
        for colour, width in ((QColor(0, 0, 0, 160), 3), (QColor(255, 255, 255, 230), 1)):
            painter.setPen(QPen(colour, width))
            painter.drawLine(QPointF(x - 6, y), QPointF(x + 6, y))
            painter.drawLine(QPointF(x, y - 6), QPointF(x, y + 6))

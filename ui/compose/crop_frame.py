"""A picture with a rectangle on it that says which part is sent."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.contract import Crop
from ui.compose.ratio import in_shape
from ui.theme.palette import tokens

_LEAST_HEIGHT = 110
_GRAB = 9
_STEP = 0.01
_LEAST = 0.05
WHOLE = QRectF(0, 0, 1, 1)


class CropFrame(QWidget):
    """Drag an edge or a corner to change the part, its middle to move it; arrow keys move it, with Shift they size it.
    The thirds are drawn while it changes.

    All rectangles are in fractions of the picture's width and height.
    """

    crop_changed = Signal(object)
    """The user chose this Crop; None for the whole picture."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.image: QImage | None = None
        """The picture that is shown."""
        self._part = QRectF(WHOLE)
        self._shape: float | None = None
        self._as_seen: QSize | None = None
        self._held: tuple[int, int] | None = None
        """Which sides are dragged (−1 left or top, 1 right or bottom, 0 neither); (0, 0) moves all."""
        self._from = QPointF()
        self.setMinimumHeight(_LEAST_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    def show_image(self, image: QImage) -> None:
        """Show a picture, upright."""
        self.image = image
        self.update()

    def show_crop(self, crop: Crop | None) -> None:
        """Show which part is sent."""
        self._part = QRectF(crop.x, crop.y, crop.width, crop.height) if crop else QRectF(WHOLE)
        self.update()

    def keep_shape(self, ratio: float | None) -> None:
        """Keep the part at this ratio of width to height, in pixels, while it is drawn; None: any shape."""
        self._shape = ratio

    def sizeHint(self) -> QSize:
        return QSize(320, 190)

    def show_as_seen(self, canvas: QSize | None) -> None:
        """Show only the part that is sent, stretched to the server's canvas; None: the whole picture again."""
        self._as_seen = canvas
        self.update()

    # Drawing.

    def paintEvent(self, _event: QPaintEvent) -> None:
        t = tokens()
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), QColor(t.ground))
        if self.image is not None and self._as_seen is not None:
            painter.drawImage(self._fitted(self._as_seen.toSizeF()), self.image, self._source())
        elif self.image is not None:
            painter.drawImage(self.picture_on_screen(), self.image)
            self._paint_part(painter)
        if self.property("ring"):
            painter.setPen(QPen(QColor(t.accent), 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        painter.end()

    def _paint_part(self, painter: QPainter) -> None:
        if self._part == WHOLE and not self.hasFocus():
            return
        shown, part = self.picture_on_screen(), self.part_on_screen()
        shade = QColor(tokens().ground)
        shade.setAlphaF(0.65)
        for box in (
            QRectF(shown.topLeft(), QPointF(shown.right(), part.top())),
            QRectF(QPointF(shown.left(), part.bottom()), shown.bottomRight()),
            QRectF(QPointF(shown.left(), part.top()), part.bottomLeft()),
            QRectF(part.topRight(), QPointF(shown.right(), part.bottom())),
        ):
            painter.fillRect(box, shade)
        painter.setPen(QPen(QColor(tokens().accent), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(part)
        if self._held is not None or self.hasFocus():
            self._paint_thirds(painter, part)

    def _paint_thirds(self, painter: QPainter, part: QRectF) -> None:
        guide = QColor(tokens().accent)
        guide.setAlphaF(0.45)
        painter.setPen(QPen(guide, 1))
        for share in (1 / 3, 2 / 3):
            x, y = part.left() + share * part.width(), part.top() + share * part.height()
            painter.drawLine(QPointF(x, part.top()), QPointF(x, part.bottom()))
            painter.drawLine(QPointF(part.left(), y), QPointF(part.right(), y))

    def picture_on_screen(self) -> QRectF:
        """Where the picture is on the widget."""
        return self._fitted(self.image.size().toSizeF() if self.image else QSizeF(16, 9))

    def _fitted(self, size: QSizeF) -> QRectF:
        fitted = size.scaled(self.size().toSizeF(), Qt.AspectRatioMode.KeepAspectRatio)
        box = QRectF(QPointF(), fitted)
        box.moveCenter(QRectF(self.rect()).center())
        return box

    def part_on_screen(self) -> QRectF:
        """Where the part that is sent is on the widget."""
        shown, part = self.picture_on_screen(), self._part
        return QRectF(
            shown.x() + part.x() * shown.width(),
            shown.y() + part.y() * shown.height(),
            part.width() * shown.width(),
            part.height() * shown.height(),
        )

    def _source(self) -> QRectF:
        size = self.image.size() if self.image else QSize()
        part = self._part
        return QRectF(
            part.x() * size.width(),
            part.y() * size.height(),
            part.width() * size.width(),
            part.height() * size.height(),
        )

    # Acting.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.image is not None and self._as_seen is None:
            self._held, self._from = self._grip(event.position()), event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is None:
            self.setCursor(
                _cursor(self._grip(event.position())) if self._as_seen is None else Qt.CursorShape.ArrowCursor
            )
            return
        shown, moved = self.picture_on_screen(), event.position() - self._from
        self._from = event.position()
        self._change(self._held, moved.x() / shown.width(), moved.y() / shown.height())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        if self._held is not None:
            self._held = None
            self._tell()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (-_STEP, 0.0),
            Qt.Key.Key_Right: (_STEP, 0.0),
            Qt.Key.Key_Up: (0.0, -_STEP),
            Qt.Key.Key_Down: (0.0, _STEP),
        }
        if (step := steps.get(Qt.Key(event.key()))) is None or self._as_seen is not None:
            super().keyPressEvent(event)
            return
        sized = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._change((1 if step[0] else 0, 1 if step[1] else 0) if sized else (0, 0), *step)
        self._tell()

    def _grip(self, at: QPointF) -> tuple[int, int]:
        part = self.part_on_screen()
        across = -1 if abs(at.x() - part.left()) < _GRAB else int(abs(at.x() - part.right()) < _GRAB)
        down = -1 if abs(at.y() - part.top()) < _GRAB else int(abs(at.y() - part.bottom()) < _GRAB)
        return across, down

    def _change(self, held: tuple[int, int], dx: float, dy: float) -> None:
        part = self._part
        left, right = _moved(part.left(), part.right(), held[0], dx, held == (0, 0))
        top, bottom = _moved(part.top(), part.bottom(), held[1], dy, held == (0, 0))
        part = QRectF(left, top, right - left, bottom - top)
        if self._shape is not None and self.image is not None and held != (0, 0):
            part = in_shape(part, self._shape * self.image.height() / self.image.width(), held)
        self._part = part
        self.update()

    def _tell(self) -> None:
        part = self._part
        whole = part.width() > 1 - _STEP / 2 and part.height() > 1 - _STEP / 2
        self.crop_changed.emit(
            None if whole else Crop(x=part.x(), y=part.y(), width=part.width(), height=part.height())
        )


def _moved(low: float, high: float, side: int, by: float, whole: bool) -> tuple[float, float]:
    """An interval inside 0…1 with one side (−1 low, 1 high) or the whole of it moved."""
    if whole:
        by = min(max(by, -low), 1 - high)
        return low + by, high + by
    if side < 0:
        low = min(max(0.0, low + by), high - _LEAST)
    elif side > 0:
        high = max(min(1.0, high + by), low + _LEAST)
    return low, high


def _cursor(grip: tuple[int, int]) -> Qt.CursorShape:
    match grip:
        case (0, 0):
            return Qt.CursorShape.SizeAllCursor
        case (0, _):
            return Qt.CursorShape.SizeVerCursor
        case (_, 0):
            return Qt.CursorShape.SizeHorCursor
        case (across, down):
            return Qt.CursorShape.SizeFDiagCursor if across == down else Qt.CursorShape.SizeBDiagCursor

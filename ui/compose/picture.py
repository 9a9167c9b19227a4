"""What a card shows of its file: the thumbnail, the waveform, or the icon of its kind until there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.compose.film import peaks_polygon
from ui.theme import icons
from ui.theme.palette import tokens
from ui.theme.tokens import RADIUS_CONTROL

if TYPE_CHECKING:
    import numpy.typing as npt

_SIZE = QSize(112, 88)
_ICON = 24


class CardPicture(QWidget):
    """A picture of fixed size; the whole frame is shown, never cut, on the ground colour."""

    def __init__(self, kind: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = kind
        self._image: QImage | None = None
        self._peaks: npt.NDArray[Any] | None = None
        self._waits = True
        self.setFixedSize(_SIZE)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_media(self, image: QImage | None, peaks: npt.NDArray[Any] | None, *, waits: bool) -> None:
        """Show a thumbnail, or peaks of shape (slices, 2), or the kind's icon; `waits` draws it faintly."""
        self._image, self._peaks, self._waits = image, peaks, waits
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        frame = QPainterPath()
        frame.addRoundedRect(QRectF(self.rect()), RADIUS_CONTROL, RADIUS_CONTROL)
        painter.setClipPath(frame)
        painter.fillRect(self.rect(), QColor(tokens().ground))
        if self._image is not None:
            self._paint_image(painter, self._image)
        elif self._peaks is not None and len(self._peaks):
            self._paint_peaks(painter, self._peaks)
        else:
            self._paint_icon(painter)
        painter.end()

    def _paint_image(self, painter: QPainter, image: QImage) -> None:
        shown = image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        target = QRectF(0, 0, shown.width(), shown.height())
        target.moveCenter(QRectF(self.rect()).center())
        painter.drawImage(target, image)

    def _paint_peaks(self, painter: QPainter, peaks: npt.NDArray[Any]) -> None:
        painter.setPen(QColor(tokens().faint))
        painter.setBrush(QColor(tokens().faint))
        painter.drawPolygon(peaks_polygon(peaks, QRectF(self.rect()).adjusted(0, 6, 0, -6)))

    def _paint_icon(self, painter: QPainter) -> None:
        painter.setOpacity(0.5 if self._waits else 1.0)
        drawn = icons.pixmap(self._kind, _ICON, "faint", ratio=self.devicePixelRatioF())
        painter.drawPixmap((self.width() - _ICON) // 2, (self.height() - _ICON) // 2, drawn)

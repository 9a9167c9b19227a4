"""The windows of a continued long video, laid along its length: each begins inside the one before it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.palette import tokens

Windows = tuple[tuple[int, int], ...]
"""(first frame, frame after the last) of each."""
_HEIGHT, _BAR = 22, 9


class WindowBar(QWidget):
    """Every second window lies a little lower, so that what two share is seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._windows: Windows = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)

    def show_windows(self, windows: Windows) -> None:
        """Show these windows."""
        self._windows = windows
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        t = tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        total = max((end for _, end in self._windows), default=1)
        step = (self.width() - 2) / total
        fill = QColor(t.faint)
        fill.setAlphaF(0.45)
        for number, (first, end) in enumerate(self._windows):
            box = QRectF(1 + first * step, 1 + number % 2 * (_HEIGHT - _BAR - 2), (end - first) * step, _BAR)
            painter.setPen(QPen(QColor(t.faint), 1))
            painter.setBrush(fill)
            painter.drawRoundedRect(box, 2, 2)
            if painter.fontMetrics().horizontalAdvance(str(number + 1)) + 6 < box.width():
                font = painter.font()
                font.setPixelSize(8)
                painter.setFont(font)
                painter.setPen(QColor(t.text))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(number + 1))
        painter.end()

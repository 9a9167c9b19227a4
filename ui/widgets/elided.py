"""A label that shortens its text to the room it has; the whole text is its tooltip and accessible name."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class ElidedLabel(QLabel):
    """One line of plain text. File names lose their middle, sentences (`mode` ElideRight) their end.

    It is not shortened below `kept` pixels: a short name among long ones stays whole.
    """

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
        kept: int = 0,
    ) -> None:
        super().__init__(parent)
        self._mode, self._kept = mode, kept
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        least = max(self.fontMetrics().horizontalAdvance("…"), min(self._kept, self.sizeHint().width()))
        return QSize(least, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        inside = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), self._mode, inside.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(inside, int(self.alignment() | Qt.TextFlag.TextSingleLine), shown)
        painter.end()

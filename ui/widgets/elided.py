"""Labels that shorten their text to the room they have; the whole text is their tooltip and accessible name."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

_DOT: Final = " · "


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

    def fitting(self, width: int) -> str:
        """The text as it is shown in so many pixels."""
        return self.fontMetrics().elidedText(self.text(), self._mode, width)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        inside = self.contentsRect()
        shown = self.fitting(inside.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(inside, int(self.alignment() | Qt.TextFlag.TextSingleLine), shown)
        painter.end()


class FactsLabel(ElidedLabel):
    """Facts with dots between them: of those there is no room for, the last go first, and each goes whole."""

    def fitting(self, width: int) -> str:
        facts = self.text().split(_DOT)
        shown = [self.text(), *(_DOT.join((*facts[:count], "…")) for count in range(len(facts) - 1, 0, -1))]
        return next((text for text in shown if self.fontMetrics().horizontalAdvance(text) <= width), "")

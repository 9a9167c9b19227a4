"""An icon that stands for a word: drawn in a token's colour, with the word as its accessible name."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme import icons
from ui.theme.tokens import ICON


class IconLabel(QWidget):
    """Shows one icon; follows theme and pixel ratio because it is drawn when painted."""

    def __init__(self, name: str, role: str = "text", parent: QWidget | None = None, *, size: int = ICON) -> None:
        super().__init__(parent)
        self._name, self._role, self._size = name, role, size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFixedSize(size, size)

    def set_icon(self, name: str, role: str) -> None:
        """Show another icon."""
        self._name, self._role = name, role
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._size, self._size)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        ratio = self.devicePixelRatioF()
        painter.drawPixmap(self.rect(), icons.pixmap(self._name, self._size, self._role, ratio=ratio))
        painter.end()

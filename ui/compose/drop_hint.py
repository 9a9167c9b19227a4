"""What shows, while files are dragged over Compose, that they may be let go anywhere."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from studio.core.words import tr
from ui.theme.palette import tokens
from ui.theme.tokens import FOCUS_RING, RADIUS_CARD, SPACE_S

_VEIL = 210


class DropHint(QWidget):
    """Lies over the tray, takes no events of its own."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def appear(self) -> None:
        """Cover the tray as it is now."""
        self.setGeometry(self._over.rect())
        self.raise_()
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = tokens()
        veil = QColor(look.ground)
        veil.setAlpha(_VEIL)
        painter = QPainter(self)
        painter.fillRect(self.rect(), veil)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(look.accent), FOCUS_RING, Qt.PenStyle.DashLine))
        inside = QRectF(self.rect()).adjusted(SPACE_S, SPACE_S, -SPACE_S, -SPACE_S)
        painter.drawRoundedRect(inside, RADIUS_CARD, RADIUS_CARD)
        painter.setPen(QColor(look.text))
        painter.drawText(inside, Qt.AlignmentFlag.AlignCenter, tr("Drop to add to the references"))
        painter.end()

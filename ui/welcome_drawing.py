"""The three pictures of the first start: this computer alone, this computer and a server, a server being set up."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.palette import tokens

Way = Literal["rehearsal", "connect", "set_up"]

_SIZE = QSize(200, 96)


class WayPicture(QWidget):
    """Drawn in the colours of the theme; says nothing to screen readers, since the words beside it do."""

    def __init__(self, way: Way, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._way = way
        self.setFixedHeight(_SIZE.height())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return _SIZE

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate((self.width() - _SIZE.width()) / 2, 0)
        pen = QPen(QColor(tokens().text), 2)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        match self._way:
            case "rehearsal":
                _laptop(painter, 55)
            case "connect":
                _laptop(painter, 8)
                painter.setPen(QPen(QColor(tokens().dim), 2, Qt.PenStyle.DotLine))
                painter.drawLine(QPointF(103, 48), QPointF(134, 48))
                painter.setPen(pen)
                _rack(painter, 140, lit=3)
            case "set_up":
                _rack(painter, 74, lit=1)
                _plus(painter, QPointF(150, 48))
        painter.end()


def _laptop(painter: QPainter, left: float) -> None:
    painter.drawRoundedRect(QRectF(left + 8, 14, 74, 50), 4, 4)
    painter.drawPolyline(QPolygonF([QPointF(left, 74), QPointF(left + 90, 74)]))
    painter.drawPolyline(
        QPolygonF([QPointF(left + 4, 74), QPointF(left + 8, 80), QPointF(left + 82, 80), QPointF(left + 86, 74)])
    )
    middle = QPointF(left + 45, 39)
    painter.drawPolygon(QPolygonF([middle + QPointF(-7, -10), middle + QPointF(10, 0), middle + QPointF(-7, 10)]))


def _rack(painter: QPainter, left: float, *, lit: int) -> None:
    for row in range(3):
        box = QRectF(left, 12 + 25 * row, 52, 20)
        painter.drawRoundedRect(box, 3, 3)
        painter.drawLine(QPointF(left + 8, box.center().y()), QPointF(left + 28, box.center().y()))
        painter.setBrush(QColor(tokens().good) if row < lit else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(left + 42, box.center().y()), 3, 3)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _plus(painter: QPainter, middle: QPointF) -> None:
    painter.drawEllipse(middle, 13, 13)
    painter.drawLine(middle - QPointF(6, 0), middle + QPointF(6, 0))
    painter.drawLine(middle - QPointF(0, 6), middle + QPointF(0, 6))

"""What each kind of render is made from, drawn: sources, an arrow, a result."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from studio.contract import Task

WIDTH, HEIGHT = 84, 30
_WAVE = (2, 5, 3, 7, 4, 6, 2)


def draw_mode(painter: QPainter, task: Task, at: QPointF, colour: QColor) -> None:
    """Draw a mode's picture, `WIDTH` × `HEIGHT`, with its upper left corner at `at`."""
    painter.save()
    painter.translate(at)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    match task:
        case "ref2va":
            _draw_references(painter)
        case "fl2va":
            _draw_frames(painter, colour)
        case "t2va":
            _draw_words(painter)
    painter.restore()


def _draw_references(painter: QPainter) -> None:
    _still(painter, QRectF(1, 1, 17, 12))
    _clip(painter, QRectF(22, 1, 18, 12))
    for index, height in enumerate(_WAVE):
        x = 10 + 3.5 * index
        painter.drawLine(QPointF(x, 23 - height / 2), QPointF(x, 23 + height / 2))
    _arrow(painter, 44, 54)
    _clip(painter, QRectF(58, 7, 25, 16))


def _draw_frames(painter: QPainter, colour: QColor) -> None:
    _still(painter, QRectF(1, 6, 23, 17))
    _still(painter, QRectF(60, 6, 23, 17))
    painter.setPen(QPen(colour, 1.4, Qt.PenStyle.DotLine))
    painter.drawRect(QRectF(29, 8, 12, 13))
    painter.drawRect(QRectF(44, 8, 12, 13))


def _draw_words(painter: QPainter) -> None:
    for y, length in ((8, 34), (15, 28), (22, 32)):
        painter.drawLine(QPointF(3, y), QPointF(3 + length, y))
    _arrow(painter, 43, 53)
    _clip(painter, QRectF(58, 7, 25, 16))


def _still(painter: QPainter, box: QRectF) -> None:
    painter.drawRoundedRect(box, 2, 2)
    low = box.bottom() - 2
    points = ((0.12, low), (0.4, box.top() + 0.45 * box.height()), (0.6, low - 2), (0.75, box.center().y()), (0.9, low))
    painter.drawPolyline(QPolygonF([QPointF(box.left() + x * box.width(), y) for x, y in points]))


def _clip(painter: QPainter, box: QRectF) -> None:
    painter.drawRoundedRect(box, 2, 2)
    middle, size = box.center(), box.height() * 0.26
    corners = ((-size * 0.8, -size), (size, 0), (-size * 0.8, size))
    painter.drawPolygon(QPolygonF([middle + QPointF(x, y) for x, y in corners]))


def _arrow(painter: QPainter, left: float, right: float) -> None:
    tip = QPointF(right, 15)
    painter.drawLine(QPointF(left, 15), tip)
    painter.drawPolyline(QPolygonF([tip + QPointF(-3, -3), tip, tip + QPointF(-3, 3)]))

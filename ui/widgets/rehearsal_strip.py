"""The striped strip with the word, along the bottom of a rehearsal's picture."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPixmap, QPixmapCache

from studio.core.words import tr
from ui.theme.palette import tokens
from ui.theme.tokens import SPACE_S

_STRIPE: Final = 7


def paint_strip(painter: QPainter, picture: QRect, font: QFont) -> None:
    """Put the strip over the bottom of a picture, the word in a heavier `font`."""
    strip = _strip(picture.width(), font, painter.device().devicePixelRatioF())
    painter.drawPixmap(QPointF(picture.left(), picture.bottom() + 1 - strip.deviceIndependentSize().height()), strip)


def _strip(width: int, font: QFont, ratio: float) -> QPixmap:
    """The strip, drawn once for all pictures. Qt's own cache keeps it, bounded and cleared with the application."""
    word, t = tr("Rehearsal"), tokens()
    font = QFont(font)
    font.setWeight(QFont.Weight.DemiBold)
    key = f"h3-strip/{width}/{font.toString()}/{word}/{t.ground}/{t.text}/{ratio}"
    strip = QPixmap()
    if not QPixmapCache.find(key, strip):
        strip = _drawn(QSize(width, QFontMetrics(font).height() + 2), ratio, font, word)
        QPixmapCache.insert(key, strip)
    return strip


def _drawn(size: QSize, ratio: float, font: QFont, word: str) -> QPixmap:
    strip, t = QPixmap(size * ratio), tokens()
    strip.setDevicePixelRatio(ratio)
    ground = QColor(t.ground)
    ground.setAlpha(215)
    strip.fill(ground)
    painter = QPainter(strip)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    stripe = QColor(t.text)
    stripe.setAlpha(45)
    painter.setPen(QPen(stripe, _STRIPE / 1.6))
    for x in range(-size.height(), size.width(), 2 * _STRIPE):
        painter.drawLine(QPointF(x, size.height()), QPointF(x + size.height(), 0))
    room = QRectF(0, 0, QFontMetrics(font).horizontalAdvance(word) + 2 * SPACE_S, size.height())
    painter.fillRect(room, QColor(t.ground))
    painter.setFont(font)
    painter.setPen(QColor(t.text))
    painter.drawText(room, Qt.AlignmentFlag.AlignCenter, word)
    painter.end()
    return strip

"""A few minutes of one share as a small curve: enough to see whether it rises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.palette import tokens
from ui.theme.tokens import mix

POINTS: Final = 60
_SIZE: Final = QSize(64, 18)
_FULL: Final = 0.97


class Sparkline(QWidget):
    """Shares 0…1, oldest first; NaN is a gap. Fixed in size, so that nothing beside it moves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shares: tuple[float, ...] = ()
        self.setFixedSize(_SIZE)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_shares(self, shares: Sequence[float]) -> None:
        """Show the last `POINTS` of these."""
        self._shares = tuple(shares)[-POINTS:]
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, t = QPainter(self), tokens()
        width, height = self.width() - 1.0, self.height() - 1.0
        painter.setPen(QPen(QColor(mix(t.text, t.surface, 0.25)), 1))
        painter.drawLine(QPointF(0, height), QPointF(width, height))
        known = [share for share in self._shares if not math.isnan(share)]
        if not known:
            return
        role = t.warn if known[-1] >= _FULL else t.dim
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(role), 1.2))
        offset = POINTS - len(self._shares)
        piece: list[QPointF] = []
        for index, share in enumerate((*self._shares, math.nan)):
            if math.isnan(share):
                painter.drawPolyline(QPolygonF(piece))
                piece = []
            else:
                piece.append(QPointF((offset + index) * width / (POINTS - 1), height - min(1.0, share) * (height - 1)))
        painter.end()

"""How the rows of Server's lists are painted alike: their ground, and the smaller second line."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from ui.theme.palette import tokens
from ui.theme.tokens import RADIUS_CONTROL, mix


def paint_ground(painter: QPainter, option: QStyleOptionViewItem, chosen: bool) -> None:
    """The ground of a row that is chosen, under the pointer, or that the keys are on, which need not be the chosen."""
    t, focused = tokens(), option.state & QStyle.StateFlag.State_HasFocus
    if chosen or focused or option.state & QStyle.StateFlag.State_MouseOver:
        painter.setPen(QColor(t.accent) if focused else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(t.text, t.surface, 0.14 if chosen else 0.08)))
        painter.drawRoundedRect(option.rect.adjusted(0, 0, -1, -1), RADIUS_CONTROL, RADIUS_CONTROL)

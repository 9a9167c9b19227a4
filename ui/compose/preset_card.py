"""One preset in the gallery: its drawing, its name, what it is for, what it needs and what it costs here."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from studio.contract import Cost
from studio.core.words import ntr, tr
from studio.presets import Preset
from ui.compose.cost_text import rows_short, time_words
from ui.compose.pictogram import HEIGHT, WIDTH, draw_pictogram
from ui.theme.palette import tokens
from ui.theme.tokens import FOCUS_RING, RADIUS_CARD, SPACE_M, SPACE_S, SPACE_XS

_CARD_WIDTH = 402


class PresetCard(QAbstractButton):
    """A button that stays down while its preset is the chosen one."""

    used = Signal()
    """A double click: choose it and be done."""

    def __init__(self, preset: Preset, *, is_default: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preset = preset
        self._is_default = is_default
        self._cost: Cost | None = None
        self._is_whole = True
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.retranslate()

    def show_cost(self, cost: Cost | None, *, whole: bool) -> None:
        """Show what the shot would cost with it; `whole`: all that it needs is in the tray, so nothing comes on top."""
        self._cost, self._is_whole = cost, whole
        self.retranslate()
        self.update()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self.setText(tr(self.preset.title))
        self.setAccessibleName(". ".join(filter(None, (self.text(), tr(self.preset.purpose), *self._facts()))))
        self.setToolTip(tr(self.preset.purpose))

    def sizeHint(self) -> QSize:
        lines = 4 * self.fontMetrics().lineSpacing() + 3 * SPACE_XS
        return QSize(_CARD_WIDTH, max(lines, HEIGHT) + 2 * SPACE_M)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.used.emit()

    def _facts(self) -> tuple[str, str]:
        needs: Counter[str] = Counter(self.preset.needs)
        named = (
            ("video", ntr("{count} clip", "{count} clips", needs["video"])),
            ("image", ntr("{count} picture", "{count} pictures", needs["image"])),
            ("audio", ntr("{count} sound", "{count} sounds", needs["audio"])),
        )
        needed = tr("needs {what}", what=", ".join(text for kind, text in named if needs[kind])) if needs else ""
        if self._cost is None:
            return needed, ""
        rows = rows_short(self._cost.rows.total)
        if not self._is_whole:
            return needed, tr("{rows} rows, and those of what it needs", rows=rows)
        told = tr("{rows} rows", rows=rows)
        return needed, f"{told} · {time_words(self._cost)}" if self._cost.seconds else told

    def paintEvent(self, _event: QPaintEvent) -> None:
        look, painter = tokens(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen, ring = self.isChecked(), bool(self.property("ring"))
        edge = look.accent if chosen or ring else look.faint if self.underMouse() else look.line
        painter.setPen(QPen(QColor(edge), FOCUS_RING if chosen or ring else 1))
        painter.setBrush(QColor(look.raised if self.underMouse() or chosen else look.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS_CARD, RADIUS_CARD)
        drawing = QRectF(SPACE_M, SPACE_M, WIDTH, HEIGHT)
        draw_pictogram(painter, self.preset.pictogram, drawing, look.text)
        line, left = self.fontMetrics().lineSpacing(), drawing.right() + SPACE_M
        needed, cost = self._facts()
        mark = " ★" if self._is_default else ""
        top = float(SPACE_M)
        bold = painter.font()
        bold.setBold(True)
        rows = ((self.text() + mark, look.text, bold), (tr(self.preset.purpose), look.dim, self.font()))
        for text, colour, font in (*rows, (needed, look.faint, self.font()), (cost, look.faint, self.font())):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            room = QRectF(left, top, self.width() - left - SPACE_S, line)
            short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room.width()))
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, short)
            top += line + SPACE_XS
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
        super().changeEvent(event)

"""One take: its picture, its number and seed, and what the user thinks of it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from studio.core.words import tr
from ui.compare.takes.model import Take
from ui.theme import icons
from ui.theme.palette import tokens
from ui.theme.tokens import FOCUS_RING, ICON, SPACE_S, SPACE_XS, Tokens
from ui.widgets.picture import Side, as_qimage, paint_letter

_REJECTED = 0.3
"""Opacity of what is rejected."""


class TakeCell(QWidget):
    """Shows a Take. Focus or a press looks at it; a double click compares it."""

    looked_at = Signal()
    opened = Signal()

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number = number
        """From 1: the key that goes here."""
        self._take: Take | None = None
        self._side: Side = ""
        self._current = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def caption_height(self) -> int:
        """Pixels of the line under the picture."""
        return self.fontMetrics().height() + 2 * SPACE_XS

    def show_take(self, take: Take, *, current: bool, side: Side) -> None:
        """Show what is known of it now. `side`: its letter in the pair that would be compared."""
        self._take, self._current, self._side = take, current, side
        self.setAccessibleName(tr("Take {number}, {said}", number=self.number, said=self.said()))
        self.setToolTip(str(take.path))
        self.update()

    def said(self) -> str:
        """What the cell says, in words."""
        take = self._take
        if take is None:
            return ""
        parts = [take.title]
        if take.marks.star:
            parts.append(tr("starred"))
        if take.marks.reject:
            parts.append(tr("rejected"))
        if note := self._note(take):
            parts.append(note)
        elif take.trouble is not None:
            parts.append(take.trouble.text())
        return ", ".join(parts)

    def sizeHint(self) -> QSize:
        return QSize(320, 200)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.looked_at.emit()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.opened.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.looked_at.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        take, t = self._take, tokens()
        if take is None:
            return
        painter = QPainter(self)
        inside = QRectF(self.rect()).adjusted(FOCUS_RING, FOCUS_RING, -FOCUS_RING, -FOCUS_RING)
        room = inside.adjusted(0, 0, 0, -self.caption_height)
        self._paint_picture(painter, take, room, t)
        self._paint_caption(painter, take, QRectF(inside.left(), room.bottom(), inside.width(), self.caption_height), t)
        if self._current:
            half = FOCUS_RING / 2
            painter.setPen(QPen(QColor(t.accent), FOCUS_RING))
            painter.drawRect(QRectF(self.rect()).adjusted(half, half, -half, -half))
        painter.end()

    def _paint_picture(self, painter: QPainter, take: Take, room: QRectF, t: Tokens) -> None:
        if take.picture is None:
            painter.fillRect(room, QColor(t.surface))
            painter.setPen(QColor(t.dim))
            middle = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(room.adjusted(SPACE_S, 0, -SPACE_S, 0), middle, self._note(take))
            return
        image = as_qimage(take.picture)
        scale = min(room.width() / image.width(), room.height() / image.height())
        place = QRectF(0, 0, image.width() * scale, image.height() * scale)
        place.moveCenter(room.center())
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setOpacity(_REJECTED if take.marks.reject else 1.0)
        painter.drawImage(place, image, QRectF(image.rect()))
        painter.setOpacity(1.0)
        if self._side:
            paint_letter(painter, place.topLeft(), self._side, t)

    def _paint_caption(self, painter: QPainter, take: Take, line: QRectF, t: Tokens) -> None:
        font = self.font()
        painter.setFont(font)
        middle = Qt.AlignmentFlag.AlignVCenter
        left = line.left() + SPACE_S
        painter.setPen(QColor(t.faint))
        painter.drawText(QRectF(left, line.top(), line.width(), line.height()), middle, str(self.number))
        left += self.fontMetrics().horizontalAdvance("0") + SPACE_S
        right = line.right() - SPACE_S
        for name, role in self._badges(take):
            right -= ICON
            at = QPointF(right, line.center().y() - ICON / 2)
            painter.drawPixmap(at, icons.pixmap(name, ICON, role, ratio=self.devicePixelRatioF()))
            right -= SPACE_XS
        if reading := self._reading(take):
            painter.setPen(QColor(t.faint))
            painter.drawText(QRectF(left, line.top(), right - left, line.height()), _RIGHT, reading)
            right -= self.fontMetrics().horizontalAdvance(reading) + SPACE_S
        painter.setPen(QColor(t.dim if take.marks.reject else t.text))
        title = self.fontMetrics().elidedText(take.title, Qt.TextElideMode.ElideMiddle, max(0, int(right - left)))
        painter.drawText(QRectF(left, line.top(), right - left, line.height()), middle, title)

    def _badges(self, take: Take) -> list[tuple[str, str]]:
        """Icons right in the caption, from the right: what stands against it, what is thought of it."""
        found = [("warning", "warn")] if take.trouble is not None else []
        if take.marks.star:
            found.append(("star", "warn"))
        if take.marks.reject:
            found.append(("close", "bad"))
        return found

    def _reading(self, take: Take) -> str:
        """How far it is read; empty once it is."""
        if take.clip is None or take.trouble is not None or take.clip.ready == 1:
            return ""
        return tr("{share} % read", share=int(take.clip.ready * 100))

    def _note(self, take: Take) -> str:
        """What stands in place of a picture."""
        if take.picture is not None:
            return ""
        if take.trouble is not None:
            return take.trouble.text()
        if take.clip is None or not take.clip.ready:
            return tr("Reading…")
        return tr("It has ended.")


_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight

"""Paints one result as a card: picture with its marks, prompt, what it is."""

from __future__ import annotations

import functools

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPainterPath, QPen, QTextLayout
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from studio.core.words import tr
from studio.jobs.library import Entry
from ui.library.model import EntryRole, PictureRole
from ui.library.telling import outline
from ui.theme import icons
from ui.theme.palette import smaller, tokens
from ui.theme.tokens import FOCUS_RING, ICON, RADIUS_CARD, SPACE_S, SPACE_XS, Tokens, mix
from ui.widgets.rehearsal_strip import paint_strip

Index = QModelIndex | QPersistentModelIndex

PICTURE = QSize(224, 126)
_BADGE = 24


class ResultDelegate(QStyledItemDelegate):
    """Cards are of one size. The picture is the brightest thing on them; a rejected one is dimmed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cell = QSize()
        """What a card has of the view, so that the columns fill its width."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return self.cell.expandedTo(card_size(option.font))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = tokens()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        size = card_size(option.font)
        card = QRect(option.rect.left() + (option.rect.width() - size.width()) // 2, option.rect.top(), 0, 0)
        card.setSize(QSize(size.width(), size.height() - SPACE_S))
        self._paint_ground(painter, card, option, t)
        entry = index.data(EntryRole)
        picture = QRect(card.left() + SPACE_S, card.top() + SPACE_S, PICTURE.width(), PICTURE.height())
        painter.fillRect(picture, QColor(mix(t.text, t.ground, 0.04)))
        if isinstance(entry, Entry):
            self._paint_picture(painter, picture, entry, index.data(PictureRole), t)
            self._paint_words(painter, picture, entry, option.font, t)
        painter.restore()

    def _paint_ground(self, painter: QPainter, card: QRect, option: QStyleOptionViewItem, t: Tokens) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if selected or hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(mix(t.text, t.surface, 0.16 if selected else 0.06)))
            painter.drawRoundedRect(QRectF(card), RADIUS_CARD, RADIUS_CARD)
        if selected and option.state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(t.accent), FOCUS_RING))
            half = FOCUS_RING / 2
            painter.drawRoundedRect(QRectF(card).adjusted(half, half, -half, -half), RADIUS_CARD, RADIUS_CARD)

    def _paint_picture(self, painter: QPainter, room: QRect, entry: Entry, image: QImage | None, t: Tokens) -> None:
        if entry.marks.reject:
            painter.setOpacity(0.35)
        if image is not None and not image.isNull():
            ratio = painter.device().devicePixelRatioF()
            size = image.size() / ratio
            place = QRect(room.topLeft(), size)
            place.moveCenter(room.center())
            painter.drawImage(place, image)
        elif image is not None or entry.missing:
            _icon(painter, room, "warning" if entry.missing else "video", "faint", 24)
        painter.setOpacity(1.0)
        if entry.rehearsal:
            paint_strip(painter, room, smaller(painter.font()))
        corner = room.adjusted(SPACE_XS, SPACE_XS, -SPACE_XS, -SPACE_XS)
        if entry.marks.star or entry.marks.reject:
            place = QRect(corner.left(), corner.top(), _BADGE, _BADGE)
            _badge(painter, place, *(("star", "warn") if entry.marks.star else ("close", "bad")), t)
        if entry.flaws or entry.missing:
            place = QRect(corner.right() - _BADGE + 1, corner.top(), _BADGE, _BADGE)
            _badge(painter, place, *(("error", "bad") if entry.missing else ("warning", "warn")), t)

    def _paint_words(self, painter: QPainter, picture: QRect, entry: Entry, font: QFont, t: Tokens) -> None:
        small = smaller(font)
        line = QFontMetrics(small).height()
        top = picture.bottom() + 1 + SPACE_XS
        title = QRect(picture.left(), top, picture.width(), 2 * line)
        painter.setPen(QColor(t.dim if entry.marks.reject else t.text))
        _paint_lines(painter, title, entry.title, small, 2)
        below = QRect(picture.left(), title.bottom() + 1 + SPACE_XS // 2, picture.width(), line)
        painter.setPen(QColor(t.bad if entry.missing else t.faint))
        _paint_lines(painter, below, tr("not there any more") if entry.missing else outline(entry), small, 1)


def card_size(font: QFont) -> QSize:
    """Size of a card with the room to the next one."""
    line = QFontMetrics(smaller(font)).height()
    return QSize(
        PICTURE.width() + 2 * SPACE_S, PICTURE.height() + 3 * line + 2 * SPACE_S + SPACE_XS + SPACE_XS // 2 + SPACE_S
    )


def _badge(painter: QPainter, place: QRect, name: str, role: str, t: Tokens) -> None:
    ground = QColor(t.ground)
    ground.setAlpha(215)
    path = QPainterPath()
    path.addEllipse(QRectF(place))
    painter.fillPath(path, ground)
    _icon(painter, place, name, role, ICON)


def _icon(painter: QPainter, room: QRect, name: str, role: str, size: int) -> None:
    place = QRect(0, 0, size, size)
    place.moveCenter(room.center())
    painter.drawPixmap(place, icons.pixmap(name, size, role, ratio=painter.device().devicePixelRatioF()))


def _paint_lines(painter: QPainter, room: QRect, text: str, font: QFont, lines: int) -> None:
    """Text on so many lines, the last one elided."""
    metrics = QFontMetrics(font)
    at = QPointF(room.left(), room.top() + metrics.ascent())
    painter.setFont(font)
    for line in _broken(text[:300], font.toString(), room.width(), lines):
        painter.drawText(at, line)
        at += QPointF(0, metrics.height())


@functools.lru_cache(4000)
def _broken(text: str, font_name: str, width: int, lines: int) -> tuple[str, ...]:
    """The lines, broken anywhere where a script has no spaces. Kept: it costs more than painting them."""
    font = QFont()
    font.fromString(font_name)
    layout, metrics = QTextLayout(text, font), QFontMetrics(font)
    shown: list[str] = []
    layout.beginLayout()
    while len(shown) < lines and (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        end = line.textStart() + line.textLength() if len(shown) < lines - 1 else len(text)
        part = text[line.textStart() : end].rstrip()
        shown.append(metrics.elidedText(part, Qt.TextElideMode.ElideRight, width))
    layout.endLayout()
    return tuple(shown)

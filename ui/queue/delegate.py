"""Paints one job as a row: picture, state and age, prompt, progress."""

from __future__ import annotations

import time

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from studio.core.words import say, tr
from studio.jobs import Job, JobState, telling
from ui.queue.look import LOOK
from ui.queue.model import LineRole, PictureRole, title
from ui.theme import icons
from ui.theme.palette import smaller, tokens
from ui.theme.tokens import ICON, RADIUS_CONTROL, SPACE_M, SPACE_S, SPACE_XS, Tokens, mix
from ui.widgets.rehearsal_strip import paint_strip

Index = QModelIndex | QPersistentModelIndex
_BAR = 3
_PICTURE = 88
"""Its width."""


class JobDelegate(QStyledItemDelegate):
    """Rows are of one height, whatever the job's state, so that nothing jumps when it changes."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        body, small = QFontMetrics(option.font), QFontMetrics(smaller(option.font))
        return QSize(200, 2 * SPACE_S + body.height() + 2 * small.height() + 3 * SPACE_XS + _BAR)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        job, t = index.data(Qt.ItemDataRole.UserRole), tokens()
        assert isinstance(job, Job)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option, t)
        inside = option.rect.adjusted(SPACE_M, SPACE_S, -SPACE_M, -SPACE_S)
        small = smaller(option.font)
        picture = QRect(inside.topLeft(), QSize(_PICTURE, inside.height()))
        self._paint_picture(painter, picture, job, index.data(PictureRole), small, t)
        inside.setLeft(picture.right() + 1 + SPACE_M)
        line = QFontMetrics(small).height()
        top = QRect(inside.left(), inside.top(), inside.width(), line)
        self._paint_state(painter, top, job, small, t)
        middle = QRect(inside.left(), top.bottom() + SPACE_XS, inside.width(), QFontMetrics(option.font).height())
        _text(painter, middle, title(job), option.font, t.text)
        bar = QRect(inside.left(), middle.bottom() + SPACE_XS, inside.width(), _BAR)
        if not job.state.finished and job.progress.fraction is not None:
            self._paint_bar(painter, bar, job, t)
        bottom = QRect(inside.left(), bar.bottom() + SPACE_XS, inside.width(), line)
        said = self._last_line(job, str(index.data(LineRole)))
        _text(painter, bottom, said, small, t.dim)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, t: Tokens) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if selected or hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(mix(t.text, t.surface, 0.14 if selected else 0.06)))
            painter.drawRoundedRect(QRectF(option.rect).adjusted(4, 1, -4, -1), RADIUS_CONTROL, RADIUS_CONTROL)

    def _paint_picture(
        self, painter: QPainter, room: QRect, job: Job, image: QImage | None, font: QFont, t: Tokens
    ) -> None:
        painter.fillRect(room, QColor(mix(t.text, t.ground, 0.06)))
        if image is not None and not image.isNull():
            place = QRect(room.topLeft(), image.size().scaled(room.size(), Qt.AspectRatioMode.KeepAspectRatio))
            place.moveCenter(room.center())
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(place, image)
        elif image is not None:
            place = QRect(0, 0, ICON, ICON)
            place.moveCenter(room.center())
            painter.drawPixmap(place, icons.pixmap("video", ICON, "faint", ratio=painter.device().devicePixelRatioF()))
        if job.verified is not None and job.verified.get("rehearsal"):
            paint_strip(painter, room, font)

    def _paint_state(self, painter: QPainter, line: QRect, job: Job, font: QFont, t: Tokens) -> None:
        name, role = LOOK[job.state] if job.stalled is None else ("warning", "warn")
        ratio = painter.device().devicePixelRatioF()
        drawn = icons.pixmap(name, ICON, role, ratio=ratio)
        painter.drawPixmap(QRect(line.left(), line.center().y() - ICON // 2 + 1, ICON, ICON), drawn)
        word = line.adjusted(ICON + SPACE_S - 2, 0, 0, 0)
        font = QFont(font)
        font.setWeight(QFont.Weight.DemiBold)
        _text(painter, word, _state(job), font, getattr(t, role))
        aged = telling.age(max(0.0, time.time() - job.created))
        font.setWeight(QFont.Weight.Normal)
        painter.setPen(QColor(t.faint))
        painter.setFont(font)
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, aged)

    def _paint_bar(self, painter: QPainter, bar: QRect, job: Job, t: Tokens) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(t.text, t.surface, 0.20)))
        painter.drawRoundedRect(bar, 1.5, 1.5)
        done = QRectF(bar)
        done.setWidth(bar.width() * min(1.0, job.progress.fraction or 0.0))
        painter.setBrush(QColor(t.accent))
        painter.drawRoundedRect(done, 1.5, 1.5)

    def _last_line(self, job: Job, line: str) -> str:
        """How far it is; where only the state would be said again, what was asked for."""
        if job.state in (JobState.FAILED, JobState.LOST) and job.fault is not None:
            return job.fault.message.text()
        says_more = not job.state.finished and line != say(f"state.{job.state}")
        return line if says_more else telling.outline(job)


def _state(job: Job) -> str:
    """The state, and what the job is for where that is not a render."""
    # What a waiting job waits for is said below.
    state = tr("waiting") if job.state is JobState.WAITING else say(f"state.{job.state}")
    state = tr("stalled") if job.stalled is not None else state
    match job.purpose:
        case "smoke":
            return tr("smoke test · {state}", state=state)
        case "draft":
            return tr("draft · {state}", state=state)
    return state


def _text(painter: QPainter, room: QRect, text: str, font: QFont, colour: str) -> None:
    painter.setFont(font)
    painter.setPen(QColor(colour))
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

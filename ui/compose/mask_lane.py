"""A lane along the clip that says when it is kept and when it changes: drag to mark, drag an edge or a soft edge."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.contract.keep_change import SoundMarks, Span
from studio.contract.marks import value_at
from studio.core.words import mark, tr
from ui.compose.marking import LaneName, marked, retimed, softened, span_under
from ui.compose.moments import Moments
from ui.theme.palette import tokens
from ui.widgets.frame_axis import GRID, FrameAxis

_HEIGHT = 24
_GRAB = 6
_FADE_BAND = 9
"""The soft edges are taken hold of in the upper part of the lane."""
_WORD_ROOM = 12
_WORDS: dict[tuple[LaneName, float], str] = {
    ("picture", 0.0): mark("picture kept"),
    ("picture", 1.0): mark("new picture"),
    ("sound", 0.0): mark("sound kept"),
    ("sound", 1.0): mark("new sound"),
}
Part = Literal["start", "end", "fade_in", "fade_out"]


@dataclass(frozen=True, slots=True)
class _Grip:
    """What is dragged of which span."""

    index: int
    part: Part


class MaskLane(QWidget):
    """Drawn over the same pixels as film and timeline (`gutter`). The fill is as high as what is made anew.

    Keys: arrows move the playhead, Home and End go to its ends, Delete removes the mark there.
    """

    changed = Signal(object)
    """Other marks of this lane, by one act of the user."""
    sought = Signal(int)
    """The user asked for this frame."""

    def __init__(self, name: LaneName, gutter: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._gutter = name, gutter
        self._marks = SoundMarks()
        self._draft: SoundMarks | None = None
        """The marks while something is dragged."""
        self._moments = Moments(np.zeros(1))
        self._sent = (0, 0)
        self._outlined: tuple[SoundMarks, QRectF, QPolygonF] | None = None
        """The outline that was drawn last, of which marks and where: a playhead that runs draws it often."""
        self._change = 0.0
        self._playhead = 0
        self._anchor: int | None = None
        self._pressed: int | None = None
        self._grip: _Grip | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    @property
    def marking_from(self) -> int | None:
        """The frame at which a mark was begun by key; None while none is."""
        return self._anchor

    def show_marks(self, lane: SoundMarks, moments: Moments, sent: tuple[int, int]) -> None:
        """Show the marks of a clip with these moments, of which the first to the last in `sent` are sent."""
        self._marks, self._moments, self._sent, self._draft, self._outlined = lane, moments, sent, None, None
        self.update()

    def show_playhead(self, frame: int) -> None:
        """Where the playhead stands."""
        self._playhead = frame
        self.update()

    def set_change(self, change: float) -> None:
        """What a drag marks: 0 keep, 1 change."""
        self._change = change
        self.update()

    # Acts by key, at the playhead.

    def mark_here(self) -> None:
        """Begin a mark with the frame at the playhead; the second time, end it there."""
        if self._anchor is None:
            self._anchor = self._playhead
            self.update()
            return
        first, last = sorted((self._anchor, self._playhead))
        self.cancel_mark()
        self.changed.emit(marked(self._marks, self._span(first, last + 1)))

    def cancel_mark(self) -> None:
        """Forget the mark that was begun."""
        self._anchor = None
        self.update()

    def soften(self, by: float) -> None:
        """Make the soft edges of the mark at the playhead wider, or narrower, by so many seconds."""
        if (index := span_under(self._marks, self._time(self._playhead))) is not None:
            self.changed.emit(retimed(self._marks, index, softened(self._marks.spans[index], by)))

    def remove_mark(self) -> bool:
        """Remove the mark at the playhead; whether there was one."""
        index = span_under(self._marks, self._time(self._playhead))
        if index is not None:
            spans = self._marks.spans
            self.changed.emit(self._marks.but(spans=spans[:index] + spans[index + 1 :]))
        return index is not None

    # Mouse and keys.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._grip = self._grip_at(event.position())
        self._pressed = self._bound(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            grip = self._grip_at(event.position())
            self.setCursor(Qt.CursorShape.IBeamCursor if grip is None else Qt.CursorShape.SizeHorCursor)
            return
        here = self._bound(event.position().x())
        if self._grip is not None:
            self._draft = self._dragged(self._grip, here)
        elif here != self._pressed:
            first, end = sorted((self._pressed, here))
            self._draft = marked(self._marks, self._span(first, end))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        draft, self._draft = self._draft, None
        was_pressed, self._pressed = self._pressed is not None, None
        if draft is not None:
            self.changed.emit(draft)
        elif was_pressed:
            self.sought.emit(self._axis().frame(event.position().x()))
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        last = len(self._moments) - 1
        goals = {
            Qt.Key.Key_Left: self._playhead - (GRID if far else 1),
            Qt.Key.Key_Right: self._playhead + (GRID if far else 1),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        goal = goals.get(Qt.Key(event.key()))
        if goal is not None:
            self.sought.emit(min(max(0, goal), last))
        elif event.key() == Qt.Key.Key_Escape and self._anchor is not None:
            self.cancel_mark()
        elif event.key() != Qt.Key.Key_Delete or not self.remove_mark():
            super().keyPressEvent(event)

    # Drawing.

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        t, axis, shown = tokens(), self._axis(), self._draft or self._marks
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(axis.left, 2, max(1.0, axis.right - axis.left), _HEIGHT - 4)
        painter.fillRect(box, QColor(t.ground))
        self._paint_values(painter, box, shown)
        painter.setPen(QPen(QColor(t.faint), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)
        self._paint_fade_grips(painter, box, shown)
        self._paint_words(painter, box, shown)
        self._dim(painter, box)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._anchor is not None:
            first, last = sorted((self._anchor, self._playhead))
            left = axis.left + first * axis.step
            painter.setPen(QPen(QColor(t.text), 2, Qt.PenStyle.DashLine))
            painter.drawRect(QRectF(left, box.top(), axis.left + (last + 1) * axis.step - left, box.height()))
        painter.setPen(QPen(QColor(t.text), 1.5))
        head = axis.x(self._playhead)
        painter.drawLine(QPointF(head, 0), QPointF(head, _HEIGHT))
        if self.property("ring"):
            painter.setPen(QPen(QColor(t.accent), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        painter.end()

    def _paint_values(self, painter: QPainter, box: QRectF, shown: SoundMarks) -> None:
        if self._outlined is None or self._outlined[:2] != (shown, box):
            self._outlined = (shown, box, self._outline(box, shown))
        painter.setPen(Qt.PenStyle.NoPen)
        fill = QColor(tokens().faint)
        fill.setAlphaF(0.55)
        painter.setBrush(fill)
        painter.drawPolygon(self._outlined[2])

    def _outline(self, box: QRectF, shown: SoundMarks) -> QPolygonF:
        columns = max(1, int(box.width()))
        moments = self._seconds(np.linspace(0, len(self._moments), columns, endpoint=False))
        outline = [box.bottomLeft()]
        for column, time in enumerate(moments):
            y = box.bottom() - value_at(shown, float(time)) * box.height()
            outline += [QPointF(box.left() + column, y), QPointF(box.left() + column + 1, y)]
        return QPolygonF([*outline, box.bottomRight()])

    def _paint_fade_grips(self, painter: QPainter, box: QRectF, shown: SoundMarks) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens().text))
        for span in shown.spans:
            for time in (span.start + span.fade_in, span.end - span.fade_out):
                painter.drawRect(QRectF(self._x(time) - 2, box.top() - 1, 4, 5))

    def _dim(self, painter: QPainter, box: QRectF) -> None:
        """What is not sent, as on the film above."""
        veil = QColor(tokens().surface)
        veil.setAlphaF(0.7)
        axis = self._axis()
        first, end = axis.left + self._sent[0] * axis.step, axis.left + (self._sent[1] + 1) * axis.step
        painter.fillRect(QRectF(box.left(), box.top(), first - box.left(), box.height()), veil)
        painter.fillRect(QRectF(end, box.top(), box.right() - end, box.height()), veil)

    def _paint_words(self, painter: QPainter, box: QRectF, shown: SoundMarks) -> None:
        font = painter.font()
        font.setPointSizeF(max(6.0, font.pointSizeF() - 1))
        painter.setFont(font)
        bounds = sorted({0.0, self._time(len(self._moments)), *(t for s in shown.spans for t in (s.start, s.end))})
        for start, end in pairwise(bounds):
            value = value_at(shown, (start + end) / 2)
            word = tr(_WORDS[self._name, value]) if (self._name, value) in _WORDS else tr("partly")
            left, right = max(box.left(), self._x(start)), min(box.right(), self._x(end))
            if painter.fontMetrics().horizontalAdvance(word) + _WORD_ROOM < right - left:
                painter.setPen(QColor(tokens().text))
                room = QRectF(left, box.top(), right - left, box.height())
                painter.drawText(room, Qt.AlignmentFlag.AlignCenter, word)

    # Where things are.

    def _axis(self) -> FrameAxis:
        return FrameAxis(len(self._moments), self._gutter, self.width() - 8)  # as the timeline's

    def _time(self, bound: int) -> float:
        return self._moments.time(bound)

    def _seconds(self, frames: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        count = len(self._moments)
        bounds = np.append(self._moments.times, self._moments.time(count))
        return np.asarray(np.interp(frames, np.arange(count + 1), bounds))

    def _x(self, time: float) -> float:
        count, axis = len(self._moments), self._axis()
        bounds = np.append(self._moments.times, self._moments.time(count))
        return axis.left + float(np.interp(time, bounds, np.arange(count + 1))) * axis.step

    def _bound(self, x: float) -> int:
        """The nearest border between two frames, 0…frames."""
        axis = self._axis()
        return max(0, min(len(self._moments), round((x - axis.left) / axis.step)))

    def _span(self, first: int, end: int) -> Span:
        start = 0.0 if first == 0 else round(self._time(first), 6)
        return Span(start=start, end=round(self._time(end), 6), change=self._change)

    def _grip_at(self, at: QPointF) -> _Grip | None:
        found: list[tuple[float, _Grip]] = []
        for index, span in enumerate(self._marks.spans):
            places: dict[Part, float] = {"start": span.start, "end": span.end}
            if at.y() < _FADE_BAND:
                places = {"fade_in": span.start + span.fade_in, "fade_out": span.end - span.fade_out}
            found += [(abs(self._x(time) - at.x()), _Grip(index, part)) for part, time in places.items()]
        near = min(found, key=lambda pair: pair[0], default=None)
        return near[1] if near is not None and near[0] <= _GRAB else None

    def _dragged(self, grip: _Grip, bound: int) -> SoundMarks:
        span, time = self._marks.spans[grip.index], round(self._time(bound), 6)
        first, end = (self._moments.at(span.start), self._moments.at(span.end - 1e-3) + 1)
        match grip.part:
            case "start":
                span = self._but(span, start=0.0 if bound == 0 else round(self._time(min(bound, end - 1)), 6))
            case "end":
                span = self._but(span, end=round(self._time(max(bound, first + 1)), 6))
            case "fade_in":
                span = span.but(fade_in=min(max(0.0, time - span.start), span.end - span.start - span.fade_out))
            case "fade_out":
                span = span.but(fade_out=min(max(0.0, span.end - time), span.end - span.start - span.fade_in))
        return retimed(self._marks, grip.index, span)

    @staticmethod
    def _but(span: Span, **bounds: float) -> Span:
        moved = span.but(**bounds)
        most = (moved.end - moved.start) / 2
        return moved.but(fade_in=min(moved.fade_in, most), fade_out=min(moved.fade_out, most))

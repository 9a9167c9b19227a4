"""One time axis of a job: stages and steps, memory of each card, pace of the steps; pan, zoom, follow, read out."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPalette
from PySide6.QtWidgets import QLabel, QWidget

from studio.core.words import tr
from ui.queue.axis import ticks
from ui.queue.curves import CardLane, Lane, MemoryLane, PaceLane
from ui.queue.lanes import StageLane
from ui.queue.quantities import FURTHER, Quantity
from ui.queue.readout import readout, summary
from ui.queue.timeline import Timeline
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import SPACE_M, SPACE_S
from ui.widgets.plot import Stack

_PAUSE: Final = 0.9
"""Seconds between two drawings of a state in which nothing has happened: looks at cards come once a second."""
_LEAST_SPAN: Final = 2.0
_ZOOM: Final = 1.25
_PAN: Final = 0.1
"""Share of a view that an arrow key pans."""
_AHEAD: Final = 0.05
"""Share of a view that follows which is kept free right of now."""


class TimeAxisView(Stack):
    """Draws a Timeline. Wheel and + − zoom, a drag and the arrow keys pan, Home and End go to the ends, F follows,
    0 or a double click shows the whole; Shift with an arrow key moves the moment that is read out."""

    view_changed = Signal()
    """Another part of the time is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("GPU 0:0  000.0 °C", parent)
        self._timeline = Timeline()
        self._part: tuple[float, float] | None = None
        """Seconds since the timeline's start that are shown; None: all."""
        self._follows = False
        self._drawn = 0.0
        """The `now` of what was drawn last."""
        self._cursor: float | None = None
        self._stages, self._memory, self._pace = StageLane(), MemoryLane(), PaceLane()
        self._further: dict[str, CardLane] = {}
        self._opened: frozenset[str] = frozenset()
        self._readout = QLabel(self, textFormat=Qt.TextFormat.PlainText)
        self._readout.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        set_role(self._readout, "notice")
        self._readout.hide()
        self.moved.connect(self._on_moved)
        self.pointed.connect(lambda x: self.set_cursor(None if x is None else self._timeline.start + x))
        self.outdated.connect(self._draw)

    # What is shown.

    @property
    def timeline(self) -> Timeline:
        """What is drawn."""
        return self._timeline

    @property
    def shown(self) -> tuple[float, float]:
        """The wall times at both ends."""
        start, end = self._wanted()
        return self._timeline.start + start, self._timeline.start + end

    @property
    def is_whole(self) -> bool:
        """Whether all of the time is shown."""
        return self._part is None

    @property
    def follows(self) -> bool:
        """Whether the view moves on with the running job."""
        return self._follows

    def set_timeline(self, timeline: Timeline) -> None:
        """Draw another state."""
        before, self._timeline = self._timeline, timeline.after(self._timeline)
        self.setAccessibleName(tr("Time axis"))
        self._say()
        if not timeline.is_but_later(before) or not 0 <= timeline.now - self._drawn < _PAUSE:
            self._choose_lanes()
            self._draw()

    def set_lane(self, key: str, shown: bool) -> None:
        """Show or hide load, power or temperature (`quantities.FURTHER`)."""
        self._opened = self._opened | {key} if shown else self._opened - {key}
        self._choose_lanes()
        self._draw()

    def show_whole(self) -> None:
        """Show all of the time."""
        self._follows = False
        self._show(None)

    def follow(self, on: bool) -> None:
        """Keep the newest part in view, as wide as what is shown now; a whole view becomes its last quarter."""
        self._follows = on and self._timeline.running
        start, end = self._wanted() if self._part else (0.0, max(_LEAST_SPAN, self._length / 4))
        self._show((start, end) if self._follows or self._part else None)

    def zoom(self, factor: float, at: float | None = None) -> None:
        """Show a part that is `factor` times as long, with the wall time `at` (the middle) where it is."""
        start, end = self._wanted()
        centre = (start + end) / 2 if at is None else at - self._timeline.start
        self._show((centre - (centre - start) * factor, centre + (end - centre) * factor))

    def pan(self, seconds: float) -> None:
        """Show what lies later."""
        start, end = self._wanted()
        self._follows = False
        self._show((start + seconds, end + seconds))

    def set_cursor(self, at: float | None) -> None:
        """Read out a wall time; None takes the read-out away."""
        self._cursor = at if self._timeline.stages else None
        self._say()
        self._draw_cursor()

    def said(self) -> list[str]:
        """What is read out at the cursor, line by line."""
        return [] if self._cursor is None else readout(self._timeline, self._cursor)

    def picture(self, width: int = 1600, title: str = "") -> QImage:
        """The plot as it is shown, drawn anew for a file at twice the density, under a title."""
        twin = TimeAxisView()
        twin._part, twin._follows, twin._opened = self._part, self._follows, self._opened
        twin.set_timeline(self._timeline)
        twin.resize(width, twin.sizeHint().height())
        ratio, head = 2, self.fontMetrics().height() + SPACE_M if title else 0
        size = (width + 2 * SPACE_M) * ratio, (twin.height() + head + 2 * SPACE_M) * ratio
        image = QImage(*size, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(self.palette().color(QPalette.ColorRole.Window))
        painter = QPainter(image)
        painter.setPen(QColor(tokens().text))
        painter.setFont(self.font())
        painter.drawText(QPoint(SPACE_M, SPACE_M + self.fontMetrics().ascent()), title)
        QWidget.render(twin, painter, QPoint(SPACE_M, SPACE_M + head))
        painter.end()
        twin.deleteLater()
        return image

    # Qt's own.

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.show_whole()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        start, end = self._wanted()
        span, by_cursor = end - start, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) or self.is_whole
        match event.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom(1 / _ZOOM, self._cursor)
            case Qt.Key.Key_Minus:
                self.zoom(_ZOOM, self._cursor)
            case Qt.Key.Key_0:
                self.show_whole()
            case Qt.Key.Key_F if self._timeline.running:
                self.follow(not self._follows)
            case Qt.Key.Key_Left | Qt.Key.Key_Right if by_cursor:
                self._move_cursor(-1 if event.key() == Qt.Key.Key_Left else 1)
            case Qt.Key.Key_Left:
                self.pan(-_PAN * span)
            case Qt.Key.Key_Right:
                self.pan(_PAN * span)
            case Qt.Key.Key_Home | Qt.Key.Key_End:
                self._go_to(0.0 if event.key() == Qt.Key.Key_Home else self._length)
            case Qt.Key.Key_Escape if self._cursor is not None:
                self.set_cursor(None)
            case _:
                event.ignore()

    # How.

    @property
    def _length(self) -> float:
        """Seconds of the whole."""
        return max(self._timeline.end - self._timeline.start, 1.0)

    def _wanted(self) -> tuple[float, float]:
        """The seconds to show."""
        if self._part is None:
            return 0.0, self._length
        start, end = self._part
        if self._follows:
            span = end - start
            end = self._timeline.now - self._timeline.start + _AHEAD * span
            start = end - span
        return start, end

    def _show(self, part: tuple[float, float] | None) -> None:
        """Show a part, kept inside the whole; a part that is the whole is the whole."""
        if part is not None:
            span = max(_LEAST_SPAN, part[1] - part[0])
            left = part[0] if self._follows else min(max(0.0, part[0]), self._length - span)
            part = None if span >= self._length else (left, left + span)
            self._follows = self._follows and part is not None
        self._part = part
        self._draw()
        self.view_changed.emit()

    def _on_moved(self, start: float, end: float) -> None:
        before = self._wanted()
        if abs((end - start) - (before[1] - before[0])) < 1e-6 * (end - start):  # panned, not zoomed
            self._follows = False
        self._show((start, end))

    def _move_cursor(self, by: int) -> None:
        start, end = self.shown
        at = (start + end) / 2 if self._cursor is None else self._cursor + by * (end - start) / 100
        at = min(max(at, self._timeline.start), self._timeline.start + self._length)
        if not start <= at <= end:
            self.pan(at - (end if by > 0 else start))
        self.set_cursor(at)

    def _go_to(self, at: float) -> None:
        if self._part is not None:
            start, end = self._wanted()
            self.pan(at - (start if at == 0 else end))
        if self._cursor is not None or self._part is None:
            self.set_cursor(self._timeline.start + at)

    def _choose_lanes(self) -> None:
        seen, lanes = self._timeline, list[Lane]()
        if seen.recording is not None and not seen.recording.is_empty:
            lanes.append(self._memory)
        if seen.unseen or seen.has_pace:
            lanes.append(self._pace)
        if lanes:
            lanes += [self._lane_of(quantity) for quantity in FURTHER if quantity.key in self._opened]
        self.set_plots([self._stages, *lanes])

    def _lane_of(self, quantity: Quantity) -> CardLane:
        if quantity.key not in self._further:
            self._further[quantity.key] = CardLane(quantity)
        return self._further[quantity.key]

    def _draw(self) -> None:
        self._drawn = self._timeline.now
        self.show_range(*self._wanted())
        for plot in self.plots:
            plot.draw(self._timeline)
        self.fit()
        start, end = self._wanted()
        _, places = ticks(start, end, self._stages.vb.width())
        for plot in self.plots[1:]:
            plot.set_grid(places)
        self._draw_cursor()

    def _draw_cursor(self) -> None:
        lines = self.said()
        for plot in self.plots:
            plot.pointer.setVisible(bool(lines))
            if self._cursor is not None:
                plot.pointer.setValue(self._cursor - self._timeline.start)
        self._readout.setVisible(bool(lines))
        if not lines or self._cursor is None:
            return
        self._readout.setText("\n".join(lines))
        self._readout.adjustSize()
        x, width = self.place(self._cursor - self._timeline.start), self._readout.width()
        left = x + SPACE_S if x + SPACE_S + width < self.curves_rect().right() else x - SPACE_S - width
        self._readout.move(max(0, round(left)), self._stages.tall + SPACE_S)

    def _say(self) -> None:
        self.setAccessibleDescription("\n".join(self.said()) or summary(self._timeline))

"""pyqtgraph in the dress of the rest: plots over one another on one horizontal axis, with names beside the curves.

Loading it takes a fifth of a second and more: import this when a plot is first looked at, never at the start.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Final

# pyqtgraph imports the binding by this very name, and without it takes the first that it finds.
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.palette import smaller, tokens
from ui.theme.tokens import FOCUS_RING, SPACE_S, SPACE_XS, Tokens

_SWATCH: Final = 10
_LOOK: Final = (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.LanguageChange)
_SCALE: Final = 34
"""Pixels left of the curves for the numbers of their scale."""
_APART: Final = 24
"""Pixels between two of these numbers, at least."""


class Names(pg.AxisItem):
    """Right of a plot, where a second scale could be: each curve's name and newest value, at its height."""

    def __init__(self) -> None:
        super().__init__("right")
        self._rows: list[tuple[float, str, str]] = []

    def set_rows(self, rows: Sequence[tuple[float, str, str]]) -> None:
        """(value, text, colour of the swatch) of each curve; they are pushed apart so that none covers another."""
        # Curves that lie on one another keep their order, whichever is a hair above.
        level = max(self.range[1], 1e-9) / 20
        if self._rows != (ordered := sorted(rows, key=lambda row: -round(row[0] / level))):
            self._rows = ordered
            self.update()

    @property
    def count(self) -> int:
        """How many names there are."""
        return len(self._rows)

    def paint(self, painter: QPainter, *_option: object) -> None:
        painter.setFont(self.style["tickFont"])
        metrics, (low, high) = QFontMetricsF(painter.font()), self.range
        height, line, left = self.size().height(), metrics.height(), SPACE_S + _SWATCH + SPACE_XS
        wanted = [height * (high - value) / (high - low) for value, _, _ in self._rows]
        for y, (_, text, shade) in zip(apart(wanted, line, line / 2, height - line / 2), self._rows, strict=True):
            painter.setPen(QPen(QColor(shade), 2))
            painter.drawLine(QPointF(SPACE_S, y), QPointF(SPACE_S + _SWATCH, y))
            room = QRectF(left, y - line / 2, self.size().width() - left, line)
            painter.setPen(self.textPen())
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


class Plot(pg.PlotItem):
    """One plot of a stack, `tall` pixels of it for curves. Its scale stands left, `names` right, its title above.

    The horizontal axis is the user's to move; the vertical one goes from 0 to what `set_top` says.
    """

    def __init__(self, tall: int, bottom: pg.AxisItem, box: pg.ViewBox | None = None) -> None:
        self.tall, self.bottom, self.names = tall, bottom, Names()
        self._title, self._top, self._font = "", 1.0, QFont()
        self._noted: tuple[str, float] = ("", 0.0)
        self._box = box or pg.ViewBox(enableMenu=False)  # pyqtgraph's children need an owner in Python
        super().__init__(viewBox=self._box, enableMenu=False, axisItems={"right": self.names, "bottom": bottom})
        self.left = self.getAxis("left")
        for side in ("left", "right", "top", "bottom"):
            self.getAxis(side).enableAutoSIPrefix(False)
        self.left.setWidth(_SCALE)
        for axis in (self.left, self.bottom):
            axis.setStyle(tickLength=0, tickAlpha=0, maxTickLevel=0)
        self.hideButtons()
        self.setMouseEnabled(x=True, y=False)
        self.disableAutoRange()
        self.setYRange(0, 1, padding=0)
        self.titleLabel.setAttr("justify", "left")
        self.layout.setContentsMargins(0, 0, 0, 0)
        self.layout.setColumnFixedWidth(0, _SCALE)
        self.grid = pg.PlotCurveItem(connect="pairs")
        self.pointer = pg.InfiniteLine(angle=90, movable=False)
        self.pointer.hide()
        self._note = pg.TextItem()
        self._note.setParentItem(self._box)
        for item, z in ((self.grid, -10), (self.pointer, 10)):
            item.setZValue(z)
            self.addItem(item, ignoreBounds=True)

    def needed(self) -> int:
        """Pixels that it takes from top to bottom: curves no lower than their names are high, a note alone less."""
        line = math.ceil(QFontMetricsF(self._font).height())
        tall = max(self.tall, line * self.names.count)
        if self.note:
            tall = math.ceil(self._note.boundingRect().height())
        return int(tall + line * bool(self._title) + (line + SPACE_XS) * self.bottom.isVisible())

    def set_title(self, title: str) -> None:
        """The line above; "" for none."""
        if title != self._title:
            self._title = title
            self._show_title(tokens())

    @property
    def note(self) -> str:
        """The sentence in place of curves."""
        return self._noted[0]

    def set_note(self, note: str) -> None:
        """A sentence where the curves would be; "" for none."""
        if self._noted == (noted := (note, self._box.width())):
            return
        self._noted = noted
        self.left.setStyle(showValues=not note)
        self.grid.setVisible(not note)
        self._note.setTextWidth(self._box.width())
        self._note.setText(note)

    def set_top(self, top: float) -> None:
        """Show values from 0 to `top`; 1 where there is nothing above 0."""
        top = top if top > 0 else 1.0
        if top != self._top:
            self._top = top
            self.setYRange(0, top, padding=0)
            self.left.setTickSpacing(levels=[(_round_up(top * _APART / self.tall), 0)])

    def set_grid(self, places: Sequence[float]) -> None:
        """Upright lines there, and one along the bottom. (pyqtgraph's own grid costs more than all the curves.)"""
        x = [*self.viewRange()[0], *(x for place in places for x in (place, place))]
        self.grid.setData(x, [0.0, 0.0, *(0.0, self._top) * len(places)])

    def dress(self, t: Tokens, font: QFont, names_width: float) -> None:
        """Put on the theme's colours."""
        self._font = font
        for axis in (self.left, self.bottom, self.names):
            axis.setStyle(tickFont=font)
            axis.setPen(None)
            axis.setTextPen(t.text if axis is self.names else t.dim)
        self.bottom.setHeight(round(QFontMetricsF(font).height()) + SPACE_XS)
        self.names.setWidth(names_width)
        self.grid.setPen(t.line)
        self.pointer.setPen(t.text)
        self._note.setFont(font)
        self._note.setColor(t.dim)
        self._show_title(t)

    def _show_title(self, t: Tokens) -> None:
        self.setTitle(escape(self._title) or None, color=t.dim, size=f"{self._font.pointSizeF():g}pt")
        line = QFontMetricsF(self._font).height() if self._title else 0
        self.titleLabel.setMaximumHeight(line)
        self.layout.setRowFixedHeight(0, line)


class Stack(pg.GraphicsLayoutWidget):
    """Plots over one another on one horizontal axis. The wheel and a right drag ask to zoom, a drag to pan."""

    moved = Signal(float, float)
    """The user wants to see this part of the horizontal axis."""
    pointed = Signal(object)
    """Where on the horizontal axis the pointer is; None when it is on none of the plots."""
    outdated = Signal()
    """The plots got another width, colours or language: what they show is to be drawn anew."""

    def __init__(self, longest_name: str, parent: QWidget | None = None) -> None:
        self._longest_name = longest_name
        self._plots: list[Plot] = []
        self._heights: list[int] = []
        super().__init__(parent)
        self.ci.setContentsMargins(0, 0, 0, 0)
        self.ci.setSpacing(SPACE_S)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def plots(self) -> Sequence[Plot]:
        """What is shown, from top to bottom."""
        return self._plots

    def set_plots(self, plots: Sequence[Plot]) -> None:
        """Show these."""
        if self._plots == list(plots):
            return
        for plot in self._plots:
            plot.sigRangeChangedManually.disconnect()
            self.removeItem(plot)
        self._plots = list(plots)
        for row, plot in enumerate(plots):
            self.addItem(plot, row=row, col=0)
            plot.showAxis("bottom", row == len(plots) - 1)
            plot.sigRangeChangedManually.connect(partial(self._on_range_moved, plot))
        self.dress()

    def dress(self) -> None:
        """Put on the theme's colours."""
        font = smaller(self.font())
        names = QFontMetricsF(font).horizontalAdvance(self._longest_name) + SPACE_S + _SWATCH + SPACE_XS
        self.setBackground(self.palette().color(QPalette.ColorRole.Window))
        for plot in self._plots:
            plot.dress(tokens(), font, names)
        self.fit()

    def fit(self) -> None:
        """Take as much height as the plots need now."""
        heights = [plot.needed() for plot in self._plots]
        if heights == self._heights:
            return
        self._heights = heights
        for row, height in enumerate(heights):
            self.ci.layout.setRowFixedHeight(row, height)
        self.setFixedHeight(sum(heights) + SPACE_S * max(0, len(heights) - 1))
        self.ci.layout.activate()  # at once: how finely curves are drawn goes by their width

    def show_range(self, start: float, end: float) -> None:
        """Show this part of the horizontal axis in all plots."""
        # Not by pyqtgraph's links: these go by places on the screen, which plots that were never laid out have not.
        for plot in self._plots:
            plot.setXRange(start, end, padding=0)

    def curves_rect(self) -> QRectF:
        """Where curves are, in pixels of this widget."""
        boxes = [plot.vb.sceneBoundingRect() for plot in self._plots]
        return boxes[0].united(boxes[-1]) if boxes else QRectF()

    def place(self, x: float) -> float:
        """The pixel of a value of the horizontal axis."""
        return float(self._plots[0].vb.mapViewToScene(QPointF(x, 0)).x())

    def value(self, pixel: float) -> float:
        """The value of the horizontal axis at a pixel."""
        return float(self._plots[0].vb.mapSceneToView(QPointF(pixel, 0)).x())

    # Qt's own.

    def close(self) -> bool:
        # pyqtgraph's takes the scene apart at once, under all that is held here: Qt does it with the widget.
        return bool(QWidget.close(self))

    def sizeHint(self) -> QSize:
        return QSize(400, self.minimumHeight())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if self._plots and event.type() in _LOOK:
            self.dress()
            self.outdated.emit()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if event is not None and event.oldSize().width() != event.size().width():
            self.outdated.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.property("ring"):
            painter = QPainter(self.viewport())
            painter.setPen(QPen(QColor(tokens().accent), FOCUS_RING))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
            painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        at, curves = event.position().x(), self.curves_rect()
        self.pointed.emit(self.value(at) if curves.left() <= at <= curves.right() else None)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit(None)

    def _on_range_moved(self, plot: Plot, _axes: object) -> None:
        self.moved.emit(*plot.viewRange()[0])


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50…"""
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= value * (1 - 1e-9))


def apart(wanted: Sequence[float], distance: float, top: float, bottom: float) -> list[float]:
    """Places in order, each near where it is wanted, at least `distance` from the next, inside if there is room."""
    places: list[float] = []
    for y in wanted:
        places.append(max(y, places[-1] + distance if places else top))
    limit = max(bottom, top + distance * (len(places) - 1))
    for index in reversed(range(len(places))):
        places[index] = limit = min(places[index], limit)
        limit -= distance
    return places

"""The film of a clip under its playhead: small pictures and the outline of its sound, along the frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.palette import tokens
from ui.widgets.frame_axis import FrameAxis

if TYPE_CHECKING:
    import numpy.typing as npt

FILM_HEIGHT = 40
"""Pixels of the small pictures."""
_SOUND_HEIGHT = 22
_GAP = 2
_QUIET = 0.05
"""A sound whose peaks stay under this is drawn as quiet as it is; louder ones fill the height."""


class Film(QWidget):
    """Drawn over the same pixels as the timeline below it (`gutter`); what is outside the range is dimmed."""

    def __init__(self, gutter: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gutter = gutter
        self._strip: QImage | None = None
        self._span: tuple[float, float] = (0.0, 1.0)
        self._peaks: npt.NDArray[Any] | None = None
        self._range: tuple[float, float] = (0.0, 1.0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_strip(self, strip: QImage, span: tuple[float, float] = (0.0, 1.0)) -> None:
        """Show a row of pictures over the part `span` of the clip (fractions of its length)."""
        self._strip, self._span = strip, span
        self._resize()

    def show_peaks(self, peaks: npt.NDArray[Any]) -> None:
        """Show the outline of the sound, (slices, 2), −1…1, over the whole length."""
        self._peaks = peaks
        self._resize()

    def show_range(self, first: float, last: float) -> None:
        """Dim what lies outside these fractions of the length."""
        self._range = (first, last)
        self.update()

    def sizeHint(self) -> QSize:
        film = FILM_HEIGHT if self._strip is not None else 0
        sound = _SOUND_HEIGHT if self._peaks is not None else 0
        return QSize(240, film + sound + (_GAP if film and sound else 0))

    def paintEvent(self, _event: QPaintEvent) -> None:
        axis = FrameAxis(1, self._gutter, self.width() - 8)  # as the timeline's
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        top = 0.0
        if self._strip is not None:
            left, right = (axis.left + part * axis.step for part in self._span)
            painter.drawImage(QRectF(left, top, right - left, FILM_HEIGHT), self._strip)
            top += FILM_HEIGHT + _GAP
        if self._peaks is not None and len(self._peaks):
            outline = peaks_polygon(self._peaks, QRectF(axis.left, top, axis.step, _SOUND_HEIGHT))
            painter.setPen(QColor(tokens().faint))
            painter.setBrush(QColor(tokens().faint))
            painter.drawPolygon(outline)
        self._dim(painter, axis)
        painter.end()

    def _dim(self, painter: QPainter, axis: FrameAxis) -> None:
        painter.setOpacity(0.7)
        first, last = (axis.left + part * axis.step for part in self._range)
        ground = QColor(tokens().surface)
        painter.fillRect(QRectF(axis.left, 0, first - axis.left, self.height()), ground)
        painter.fillRect(QRectF(last, 0, axis.right - last, self.height()), ground)

    def _resize(self) -> None:
        self.setFixedHeight(self.sizeHint().height())
        self.update()


def peaks_polygon(peaks: npt.NDArray[Any], box: QRectF) -> QPolygonF:
    """The outline of peaks (slices, 2) drawn into a box."""
    middle = box.center().y()
    reach = box.height() / 2 / max(_QUIET, float(abs(peaks).max()))
    step = box.width() / len(peaks)
    low = [QPointF(box.left() + i * step, middle - float(lowest) * reach) for i, (lowest, _) in enumerate(peaks)]
    high = [QPointF(box.left() + i * step, middle - float(highest) * reach) for i, (_, highest) in enumerate(peaks)]
    return QPolygonF(high + low[::-1])

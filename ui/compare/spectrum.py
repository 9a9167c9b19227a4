"""The sound of one side as a spectrogram under the frames: high pitch on top, louder stands out more."""

from __future__ import annotations

import functools
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from ui.compare.sound_row import SoundRow
from ui.theme.palette import tokens
from ui.widgets.frame_axis import FrameAxis

_HALF_WAY = 0.75
"""Share of the scale at which a level has the side's own colour: noise stays near the ground, tones stand out."""


class Spectrum(SoundRow):
    """A picture of levels, from the theme's ground over the side's colour to the colour of text."""

    def __init__(self, side: Literal["A", "B"], parent: QWidget | None = None) -> None:
        super().__init__(side, parent)
        self._levels: NDArray[np.uint8] = np.empty((0, 0), np.uint8)
        self._per_frame = 1.0

    def set_frames(self, frames: int) -> None:
        """How many frames the axis has; forgets the picture."""
        self._levels = np.empty((0, 0), np.uint8)
        super().set_frames(frames)

    def set_levels(self, levels: NDArray[np.uint8], per_frame: float) -> None:
        """Show (bands, columns) levels, `per_frame` columns a frame."""
        self._levels, self._per_frame = np.ascontiguousarray(levels), per_frame
        self.set_note("")

    def paint_sound(self, painter: QPainter, axis: FrameAxis, plot: QRectF) -> None:
        if not self._levels.size:
            return
        bands, columns = self._levels.shape
        image = QImage(self._levels.data, columns, bands, columns, QImage.Format.Format_Indexed8)
        image.setColorTable(_shades(tokens().ground, self.colour.name(), tokens().text))
        left, width = axis.left + self.late * axis.step, columns / self._per_frame * axis.step
        painter.setClipRect(plot)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(left, plot.top(), width, plot.height()), image)


@functools.cache
def _shades(silent: str, usual: str, loud: str) -> list[int]:
    """256 colours from the one over the other to the third."""
    stops = np.array([(c.red(), c.green(), c.blue()) for c in map(QColor, (silent, usual, loud))]).T
    levels = np.linspace(0, 1, 256)
    mixed = np.stack([np.interp(levels, (0, _HALF_WAY, 1), channel) for channel in stops], axis=1).round()
    return [QColor(*colour).rgb() for colour in mixed.astype(int).tolist()]

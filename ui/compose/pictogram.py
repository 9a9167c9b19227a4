"""The small drawings of templates (resources/presets/NAME.svg, 64 × 36), in a colour of the theme."""

from __future__ import annotations

import functools
from importlib import resources

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgRenderer

WIDTH, HEIGHT = 64, 36
FALLBACK = "own"


def draw_pictogram(painter: QPainter, name: str, where: QRectF, colour: str) -> None:
    """Draw a template's pictogram; the one of presets of the user's own for a name without a drawing."""
    svg = QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", colour).encode()))
    svg.render(painter, where)


@functools.cache
def _drawing(name: str) -> str:
    folder = resources.files("resources") / "presets"
    known = {entry.name for entry in folder.iterdir()}
    return (folder / f"{name if f'{name}.svg' in known else FALLBACK}.svg").read_text("utf-8")

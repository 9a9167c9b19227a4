"""Draws what an edit makes of a picture: the areas as they were drawn, and what the latent grid makes of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPainterPathStroker, QPen

from studio.contract import Crop
from studio.contract.keep_change import Area, Rectangle
from studio.contract.marks import shift_at
from studio.core.words import tr
from ui.compose.marking import box_at, has_key

_DARK, _LIGHT = QColor(0, 0, 0, 170), QColor(255, 255, 255)
_TINTS = 8
"""So many steps of how much is made anew are told apart."""
_GRIP = 7
Values = npt.NDArray[np.float32]


def on_screen(picture: QRectF, box: tuple[float, float, float, float]) -> QRectF:
    """Where a box in fractions of the picture lies, when the picture lies at `picture`."""
    x, y, width, height = box
    return QRectF(
        picture.x() + x * picture.width(),
        picture.y() + y * picture.height(),
        width * picture.width(),
        height * picture.height(),
    )


def draw_cells(painter: QPainter, picture: QRectF, window: Crop, cells: Values) -> None:
    """Hatch the cells (rows, columns) that are made anew, as dense as their value, in the window that is sent."""
    part = on_screen(picture, (window.x, window.y, window.width, window.height))
    rows, columns = cells.shape
    high, wide = part.height() / rows, part.width() / columns
    steps = np.ceil(cells * _TINTS).astype(np.int64)
    for step in np.unique(steps[steps > 0]):
        path = QPainterPath()
        for row, first, last in _runs(steps == step):
            left, top = part.left() + first * wide, part.top() + row * high
            path.addRect(QRectF(left, top, (last - first) * wide, high))
        share = float(step) / _TINTS
        painter.fillPath(path, QColor(0, 0, 0, round(90 * share)))
        painter.fillPath(path, QBrush(QColor(255, 255, 255, round(150 * share)), Qt.BrushStyle.BDiagPattern))


def draw_blocks(painter: QPainter, picture: QRectF, window: Crop, blocks: Values) -> None:
    """Outline the blocks (rows, columns) that the model makes anew."""
    part = on_screen(picture, (window.x, window.y, window.width, window.height))
    made = np.pad(blocks > 0, 1)
    rows, columns = blocks.shape
    high, wide = part.height() / rows, part.width() / columns
    lines = [
        QLineF(part.left() + x * wide, part.top() + y * high, part.left() + x * wide, part.top() + (y + 1) * high)
        for y, x in np.argwhere(made[1:-1, 1:] != made[1:-1, :-1]).tolist()
    ]
    lines += [
        QLineF(part.left() + x * wide, part.top() + y * high, part.left() + (x + 1) * wide, part.top() + y * high)
        for y, x in np.argwhere(made[1:, 1:-1] != made[:-1, 1:-1]).tolist()
    ]
    # Dark under light: seen on any picture.
    for colour, width in ((_DARK, 3.0), (QColor(255, 255, 255, 210), 1.0)):
        painter.setPen(QPen(colour, width))
        painter.drawLines(lines)


def draw_area(painter: QPainter, picture: QRectF, area: Area, time: float, *, selected: bool) -> None:
    """Draw an area where it is at a time; with its grips and its name when it is selected."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    outline = area_path(picture, area, time)
    for colour, width in ((_DARK, 4.0 if selected else 3.0), (_LIGHT, 2.0 if selected else 1.0)):
        painter.setPen(QPen(colour, width))
        painter.drawPath(outline)
    if selected and isinstance(area, Rectangle):
        _draw_grips(painter, on_screen(picture, box_at(area, time)))
    if selected:
        _draw_name(painter, outline.boundingRect(), area, time)


def area_path(picture: QRectF, area: Area, time: float) -> QPainterPath:
    """The outline of an area on the screen."""
    path = QPainterPath()
    if isinstance(area, Rectangle):
        path.addRect(on_screen(picture, box_at(area, time)))
        return path
    dx, dy = shift_at(area, time)
    places = [(x + dx, y + dy) for x, y in area.points]
    return brush_path(picture, places, area.radius)


def brush_path(picture: QRectF, places: Sequence[tuple[float, float]], radius: float) -> QPainterPath:
    """The outline of what a round brush went over; `places` and `radius` in fractions (the radius: of the height)."""
    reach = radius * picture.height()
    points = [QPointF(picture.x() + x * picture.width(), picture.y() + y * picture.height()) for x, y in places]
    if len(points) == 1:
        path = QPainterPath()
        path.addEllipse(points[0], reach, reach)
        return path
    line = QPainterPath(points[0])
    for point in points[1:]:
        line.lineTo(point)
    stroker = QPainterPathStroker()
    stroker.setWidth(2 * reach)
    stroker.setCapStyle(Qt.PenCapStyle.RoundCap)
    stroker.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return stroker.createStroke(line).simplified()


def _draw_grips(painter: QPainter, box: QRectF) -> None:
    painter.setPen(QPen(_DARK, 1))
    painter.setBrush(_LIGHT)
    middle = box.center()
    for x in (box.left(), middle.x(), box.right()):
        for y in (box.top(), middle.y(), box.bottom()):
            if (x, y) != (middle.x(), middle.y()):
                painter.drawRect(QRectF(x - _GRIP / 2, y - _GRIP / 2, _GRIP, _GRIP))


def _draw_name(painter: QPainter, around: QRectF, area: Area, time: float) -> None:
    """What it does; a full diamond where it has a key of its own at this time."""
    word = tr("keep") if area.change == 0 else tr("change")
    text = f"{'◆' if has_key(area, time) else '◇'} {word}"
    room = painter.fontMetrics().boundingRect(text).adjusted(-5, -2, 5, 2)
    box = QRectF(around.left(), around.top() - room.height(), room.width(), room.height())
    box.moveTop(max(0.0, box.top()))
    box.moveLeft(max(0.0, box.left()))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(0, 0, 0, 190))
    painter.drawRect(box)
    painter.setPen(_LIGHT)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _runs(there: npt.NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """(row, first, after the last) of every stretch of cells that lie side by side."""
    edges = np.diff(np.pad(there, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    begins, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    return [(int(row), int(a), int(b)) for (row, a), (_, b) in zip(begins, ends, strict=True)]

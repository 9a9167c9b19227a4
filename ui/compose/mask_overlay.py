"""Over the picture: areas that are kept or changed, drawn and moved by pointer and keys; the latent grid under them."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from studio.contract.keep_change import Area, Rectangle, RectangleKey, Stroke
from studio.contract.latent_grid import EditGrid
from studio.contract.marks import counts_at
from ui.compose.crop_frame import CropFrame
from ui.compose.marking import LEAST, box_at, moved, placed, without_key
from ui.compose.mask_drawing import (
    Values,
    area_path,
    brush_path,
    draw_area,
    draw_blocks,
    draw_cells,
    on_screen,
)
from ui.theme.palette import tokens

Tool = Literal["select", "rectangle", "brush"]
_GRAB = 8
_STEP = 0.01
_NEAR_PX = 3.0
"""A brush takes another point once it has gone that far, or a third of its radius: nobody sees more."""
_ARROWS = {
    Qt.Key.Key_Left: (-_STEP, 0.0),
    Qt.Key.Key_Right: (_STEP, 0.0),
    Qt.Key.Key_Up: (0.0, -_STEP),
    Qt.Key.Key_Down: (0.0, _STEP),
}


class MaskOverlay(QWidget):
    """Lies over a `CropFrame` while marks are edited. All places are fractions of the picture, times seconds.

    Keys: arrows move the selected area, with Shift they size a rectangle; Delete removes it, with Shift its key here;
    Page Up and Page Down select another one; comma and period go one frame.
    """

    area_drawn = Signal(object)
    """A new Area."""
    area_changed = Signal(int, object)
    """The area with this index became another, or None: it is removed."""
    area_nudged = Signal(int, object)
    """The same by an arrow key, which is pressed several times for one act."""
    selection_changed = Signal()
    stepped = Signal(int)
    """Go so many frames on."""

    def __init__(self, frame: CropFrame) -> None:
        super().__init__(frame)
        self._frame = frame
        self._areas: tuple[Area, ...] = ()
        self._time = 0.0
        self._grid: EditGrid | None = None
        self._cells: Values | None = None
        self._blocks: Values | None = None
        self.tool: Tool = "select"
        self.change = 0.0
        """What a new area does: 0 keep, 1 change."""
        self.radius = 0.06
        """Of the brush, as a fraction of the picture's height."""
        self.selected: int | None = None
        self._held: tuple[int, int] | None = None
        self._from = QPointF()
        self._draft: Area | None = None
        """The selected area, or a new one, while it is dragged."""
        self._stroke: list[tuple[float, float]] = []
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        frame.installEventFilter(self)
        self.hide()

    def show_areas(self, areas: tuple[Area, ...], time: float) -> None:
        """Show the areas where they are at a time."""
        self._areas, self._time = areas, time
        if self.selected is not None and self.selected >= len(areas):
            self.select(None)
        self.update()

    def show_grid(self, grid: EditGrid | None, cells: Values | None = None, blocks: Values | None = None) -> None:
        """Show what the latent at this time makes anew: cells of 16 px (rows, columns), and the model's blocks."""
        self._grid, self._cells, self._blocks = grid, cells, blocks
        self.update()

    def select(self, index: int | None) -> None:
        """Select an area."""
        if index != self.selected:
            self.selected = index
            self.selection_changed.emit()
            self.update()

    def draw_in_the_middle(self) -> None:
        """What a drag with the tool would draw, in the middle of the picture: for the keyboard."""
        if self.tool == "brush":
            self.area_drawn.emit(Stroke(change=self.change, radius=self.radius, points=((0.5, 0.5),)))
        else:
            self.area_drawn.emit(self._rectangle(QRectF(0.3, 0.3, 0.4, 0.4)))

    @property
    def chosen(self) -> Area | None:
        """The selected area."""
        return self._areas[self.selected] if self.selected is not None else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._frame.rect())
        return super().eventFilter(watched, event)

    # Mouse.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._frame.image is None:
            return
        self._from = at = event.position()
        match self.tool:
            case "brush":
                self._stroke = [self._place(at)]
            case "rectangle":
                self._held = (1, 1)
                self._draft = self._rectangle(QRectF(*self._place(at), LEAST, LEAST))
            case "select":
                self._take_hold(at)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._stroke:
            reach = max(_NEAR_PX, self.radius * self._frame.picture_on_screen().height() / 3)
            if (at - self._point(self._stroke[-1])).manhattanLength() > reach:
                self._stroke.append(self._place(at))
        elif self._held is not None and self._draft is not None:
            picture, by = self._frame.picture_on_screen(), at - self._from
            self._from = at
            self._draft = self._pulled(self._draft, self._held, by.x() / picture.width(), by.y() / picture.height())
        else:
            self._show_cursor(at)
            return
        self.update()

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        stroke, self._stroke = self._stroke, []
        draft, self._draft = self._draft, None
        held, self._held = self._held, None
        if stroke:
            self.area_drawn.emit(Stroke(change=self.change, radius=self.radius, points=tuple(stroke[:2000])))
        elif draft is not None and self.tool == "rectangle":
            _, _, width, height = box_at(draft, self._time) if isinstance(draft, Rectangle) else (0, 0, 0, 0)
            if width > 2 * LEAST and height > 2 * LEAST:
                self.area_drawn.emit(draft)
        elif draft is not None and held is not None and self.selected is not None and draft != self.chosen:
            self.area_changed.emit(self.selected, draft)
        self.update()

    def _take_hold(self, at: QPointF) -> None:
        chosen = self.chosen
        if isinstance(chosen, Rectangle) and (sides := self._sides(chosen, at)) is not None:
            self._held, self._draft = sides, chosen
            return
        self.select(self._under(at))
        if (chosen := self.chosen) is not None:
            self._held, self._draft = (0, 0), chosen

    def _under(self, at: QPointF) -> int | None:
        picture = self._frame.picture_on_screen()
        for index in reversed(range(len(self._areas))):
            area = self._areas[index]
            if counts_at(area, self._time) and area_path(picture, area, self._time).contains(at):
                return index
        return None

    def _sides(self, area: Rectangle, at: QPointF) -> tuple[int, int] | None:
        """Which sides of a rectangle the pointer holds; None when it holds none."""
        box = on_screen(self._frame.picture_on_screen(), box_at(area, self._time))
        if not box.adjusted(-_GRAB, -_GRAB, _GRAB, _GRAB).contains(at):
            return None
        across = -1 if abs(at.x() - box.left()) < _GRAB else int(abs(at.x() - box.right()) < _GRAB)
        down = -1 if abs(at.y() - box.top()) < _GRAB else int(abs(at.y() - box.bottom()) < _GRAB)
        return (across, down) if across or down else None

    def _pulled(self, area: Area, held: tuple[int, int], dx: float, dy: float) -> Area:
        if held == (0, 0) or not isinstance(area, Rectangle):
            return moved(area, self._time, dx, dy)
        x, y, width, height = box_at(area, self._time)
        left, right = _pulled_side(x, x + width, held[0], dx)
        top, bottom = _pulled_side(y, y + height, held[1], dy)
        return placed(area, self._time, (left, top, right - left, bottom - top))

    def _show_cursor(self, at: QPointF) -> None:
        if self.tool != "select":
            self.setCursor(Qt.CursorShape.CrossCursor)
        elif isinstance(self.chosen, Rectangle) and self._sides(self.chosen, at) is not None:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            over = self._under(at) is not None
            self.setCursor(Qt.CursorShape.SizeAllCursor if over else Qt.CursorShape.ArrowCursor)

    # Keys.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        key, chosen = Qt.Key(event.key()), self.chosen
        if key in (Qt.Key.Key_Comma, Qt.Key.Key_Period):
            self.stepped.emit(1 if key == Qt.Key.Key_Period else -1)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown) and self._areas:
            step = 1 if key == Qt.Key.Key_PageDown else -1
            self.select(((self.selected if self.selected is not None else -step) + step) % len(self._areas))
        elif chosen is not None and self.selected is not None and key in _ARROWS:
            self.area_nudged.emit(self.selected, self._pulled(chosen, (int(shift), int(shift)), *_ARROWS[key]))
        elif chosen is not None and self.selected is not None and key == Qt.Key.Key_Delete:
            self.area_changed.emit(self.selected, without_key(chosen, self._time) if shift else None)
        else:
            super().keyPressEvent(event)

    # Drawing.

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        picture = self._frame.picture_on_screen()
        if self._grid is not None and self._cells is not None:
            draw_cells(painter, picture, self._grid.window, self._cells)
        if self._grid is not None and self._blocks is not None:
            draw_blocks(painter, picture, self._grid.window, self._blocks)
        for index, area in enumerate(self._areas):
            chosen = index == self.selected
            shown = self._draft if chosen and self._draft is not None and self.tool == "select" else area
            if chosen or counts_at(area, self._time):
                draw_area(painter, picture, shown, self._time, selected=chosen)
        if self._draft is not None and self.tool == "rectangle":
            draw_area(painter, picture, self._draft, self._time, selected=True)
        if self._stroke:
            painter.setPen(QPen(QColor(255, 255, 255), 1))
            painter.drawPath(brush_path(picture, self._stroke, self.radius))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.property("ring"):
            painter.setPen(QPen(QColor(tokens().accent), 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        painter.end()

    # Places.

    def _place(self, at: QPointF) -> tuple[float, float]:
        picture = self._frame.picture_on_screen()
        x, y = (at.x() - picture.x()) / picture.width(), (at.y() - picture.y()) / picture.height()
        return round(min(max(0.0, x), 1.0), 5), round(min(max(0.0, y), 1.0), 5)

    def _point(self, place: tuple[float, float]) -> QPointF:
        picture = self._frame.picture_on_screen()
        return QPointF(picture.x() + place[0] * picture.width(), picture.y() + place[1] * picture.height())

    def _rectangle(self, box: QRectF) -> Rectangle:
        key = RectangleKey(time=self._time, x=box.x(), y=box.y(), width=box.width(), height=box.height())
        return Rectangle(change=self.change, keys=(key,))


def _pulled_side(low: float, high: float, side: int, by: float) -> tuple[float, float]:
    """An interval with its low (−1) or high (1) side moved; it never turns over."""
    if side < 0:
        low = min(low + by, high - LEAST)
    elif side > 0:
        high = max(high + by, low + LEAST)
    return low, high

"""Where the pictures stand: side by side or stacked, or one picture made of both; looked at from one viewpoint."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QMouseEvent, QPainter, QPen, QShowEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from studio.compare.compositing import FLICKER_S
from studio.core.words import tr
from ui.compare.pair import Frame
from ui.compare.viewmodel import CompareModel
from ui.theme.palette import tokens
from ui.widgets.picture import LETTER_SIZE, PictureView, Side, Viewpoint, Zoom, paint_letter

_GRAB = 8
_PAN = 0.1
"""Of the picture's room, by key."""


class Edge(NamedTuple):
    """Where a wipe changes from A to B: at `share` (0…1) of the width, or of the height unless `upright`."""

    share: float
    upright: bool

    def line(self, rect: QRectF) -> QLineF:
        """The edge on a picture that lies at `rect`."""
        if self.upright:
            x = rect.x() + self.share * rect.width()
            return QLineF(x, rect.top(), x, rect.bottom())
        y = rect.y() + self.share * rect.height()
        return QLineF(rect.left(), y, rect.right(), y)


class WipePicture(PictureView):
    """A picture with an edge that can be dragged; without one it is a plain picture."""

    wiped = Signal(float)
    """The user put the edge at this share (0…1) of the width, or of the height when it lies."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("A", parent)
        self._edge: Edge | None = None
        self._holds_edge = False

    def set_edge(self, edge: Edge | None) -> None:
        """Draw the edge there, or none."""
        self._edge = edge
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._over_edge(event.position()):
            self._holds_edge = True
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._holds_edge and self._edge is not None:
            rect, at = self.picture_rect(), event.position()
            share = (at.x() - rect.x()) / rect.width() if self._edge.upright else (at.y() - rect.y()) / rect.height()
            self.wiped.emit(max(0.0, min(1.0, share)))
            return
        self.setCursor(self._cursor_at(event.position()))
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._holds_edge = False
        super().mouseReleaseEvent(event)

    def paint_over(self, painter: QPainter, rect: QRectF) -> None:
        if self._edge is None:
            return
        line = self._edge.line(rect)
        # Dark under light: seen on any picture.
        for colour, width in ((QColor(0, 0, 0, 150), 3), (QColor(255, 255, 255), 1)):
            painter.setPen(QPen(colour, width))
            painter.drawLine(line)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(255, 255, 255))
        painter.setPen(QPen(QColor(0, 0, 0, 150), 1))
        painter.drawEllipse(line.center(), 6, 6)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        corners = rect.intersected(QRectF(self.rect()))
        paint_letter(painter, corners.topLeft(), "A", tokens())
        if self._edge.upright:
            paint_letter(painter, corners.topRight(), "B", tokens(), leftward=True)
        else:
            paint_letter(painter, corners.bottomLeft() - QPointF(0, LETTER_SIZE.height()), "B", tokens())

    def _over_edge(self, at: QPointF) -> bool:
        if self._edge is None:
            return False
        rect = self.picture_rect()
        line = self._edge.line(rect)
        away = line.x1() - at.x() if self._edge.upright else line.y1() - at.y()
        return rect.contains(at) and abs(away) <= _GRAB

    def _cursor_at(self, at: QPointF) -> Qt.CursorShape:
        if self._edge is None or not self._over_edge(at):
            return Qt.CursorShape.ArrowCursor
        return Qt.CursorShape.SplitHCursor if self._edge.upright else Qt.CursorShape.SplitVCursor


class Stage(QWidget):
    """Shows what the model shows. Zoom, pan and probe are common to both pictures."""

    probed = Signal(float, float)
    """The pointer is at this place, in shares (0…1) of width and height."""
    probe_left = Signal()

    def __init__(self, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.first, self.second = WipePicture(self), PictureView("B", self)
        self.beside = PictureView("C", self), PictureView("D", self)
        self.views: tuple[PictureView, ...] = (self.first, self.second, *self.beside)
        self._box = QGridLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(2)
        self._flicker_b = False
        self._flicker = QTimer(self, interval=round(FLICKER_S * 1000))
        self._flicker.timeout.connect(self._on_flicker)
        for view in self.views:
            view.viewpoint_changed.connect(self.set_viewpoint)
            view.probe_left.connect(self._on_probe_left)
            view.probed.connect(partial(self._probe, view))
        self.first.wiped.connect(model.display.set_wipe)
        model.shown_changed.connect(self._show)
        model.pair_changed.connect(self._on_pair_changed)
        model.display.mode_changed.connect(self._arrange)
        model.display.solo_changed.connect(self._arrange)
        self._arrange()
        self.retranslate()

    def zoom_actions(self) -> dict[str, Callable[[], object]]:
        """What each action of zoom and pan does, by its id."""
        first = self.first
        return {
            "view.zoom": first.toggle_zoom,
            "view.fill": first.toggle_fill,
            "view.zoom_in": partial(first.step_zoom, 1),
            "view.zoom_out": partial(first.step_zoom, -1),
            "view.pan_left": partial(first.pan_by, -_PAN, 0.0),
            "view.pan_right": partial(first.pan_by, _PAN, 0.0),
            "view.pan_up": partial(first.pan_by, 0.0, -_PAN),
            "view.pan_down": partial(first.pan_by, 0.0, _PAN),
        }

    def look(self, how: str) -> None:
        """See the pictures whole ("fit"), filling their room ("fill"), or at 100 % ("100")."""
        kept = self.first.viewpoint
        zooms: dict[str, Zoom] = {"fill": "fill", "100": 1.0}
        self.set_viewpoint(Viewpoint(zooms[how], kept.x, kept.y) if how in zooms else Viewpoint())

    def set_viewpoint(self, viewpoint: Viewpoint) -> None:
        """Look at all pictures from there."""
        for view in self.views:
            view.set_viewpoint(viewpoint)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._flicker.stop()

    def retranslate(self) -> None:
        """Set the accessible names in the current language."""
        self.first.setAccessibleName(tr("Picture A, or both in one"))
        self.second.setAccessibleName(tr("Picture B"))
        for view in self.beside:
            view.setAccessibleName(tr("Picture {side}", side=view.side))

    def _on_pair_changed(self) -> None:
        self.set_viewpoint(Viewpoint())
        self._arrange()

    def _arrange(self) -> None:
        mode, solo = self._model.mode, self._model.display.solo
        many = len(self._model.pair.beside) if self._model.pair and mode == "grid" and not solo else 0
        self.second.setVisible(not solo and mode in ("side", "stacked", "grid"))
        for number, view in enumerate(self.beside):
            view.setVisible(number < many)
        columns = 1 if mode == "stacked" else 2
        for number, view in enumerate(self.views):
            row, column = divmod(number, columns)
            # What is hidden takes no room: its row and column do not stretch.
            self._box.addWidget(view, row, column)
        for number in range(len(self.views)):
            shown = [view for view in self.views if not view.isHidden()]
            places = [divmod(self.views.index(view), columns) for view in shown]
            self._box.setRowStretch(number, int(any(row == number for row, _ in places)))
            self._box.setColumnStretch(number, int(any(column == number for _, column in places)))
        if mode == "flicker" and not solo:
            self._flicker.start()
        else:
            self._flicker.stop()
        self._box.activate()
        self._show()

    def _show(self) -> None:
        shown, mode, solo = self._model.shown, self._model.mode, self._model.display.solo
        self.first.set_edge(None)
        if shown is None:
            for view in self.views:
                view.show_frame(None)
            return
        a, b = shown.pictures.a, shown.pictures.b
        self.first.set_note(tr("A has no frame here."))
        self.second.set_note(tr("B has no frame here."))
        if mode == "flicker" and not solo:
            solo = "B" if self._flicker_b else "A"
        if solo or mode in ("side", "stacked", "grid"):
            self.first.set_side(solo or "A")
            if solo == "B":
                self.first.set_note(tr("B has no frame here."))
            self.first.show_frame(b if solo == "B" else a, self._size_of(solo or "A"))
            self.second.show_frame(b, self._size_of("B"))
            self._show_beside(shown.pictures.beside or ())
        elif shown.made is not None:
            look = self._model.display.look
            self.first.set_side("")
            self.first.set_edge(Edge(look.edge, look.upright) if mode == "wipe" else None)
            self.first.show_frame(shown.made, self._size_of("A"))
        else:
            self.first.set_side("A" if b is None else "B")
            self.first.show_frame(a if b is None else b, self._size_of("A" if b is None else "B"))

    def _show_beside(self, pictures: tuple[Frame | None, ...]) -> None:
        for view, picture in zip(self.beside, pictures, strict=False):
            view.set_note(tr("{side} has no frame here.", side=view.side))
            view.show_frame(picture, self._size_of(view.side))

    def _size_of(self, side: Side) -> QSizeF:
        """What a side counts as when zooming: others in their own shape, as high as A, so that all stay in step."""
        pair = self._model.pair
        number = "ABCD".index(side or "A")
        if pair is None or number >= len(pair.clips):
            return QSizeF()
        a, own = pair.a.info, pair.clips[number].info
        return QSizeF(own.width * a.height / own.height, a.height)

    def _on_flicker(self) -> None:
        self._flicker_b = not self._flicker_b
        self._show()

    def _probe(self, under: PictureView, x: int, y: int) -> None:
        image = under.image()
        if image is None:
            return
        fx, fy = (x + 0.5) / image.width(), (y + 0.5) / image.height()
        for view in self.views:
            there = view.image()
            marked = view is not under and there is not None
            view.set_marker((int(fx * there.width()), int(fy * there.height())) if marked and there else None)
        self.probed.emit(fx, fy)

    def _on_probe_left(self) -> None:
        for view in self.views:
            view.set_marker(None)
        self.probe_left.emit()

"""Where the pictures stand: side by side or stacked, or one picture made of both; looked at from one viewpoint."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QMouseEvent, QPainter, QPen, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from studio.core.words import tr
from ui.compare.viewmodel import CompareModel
from ui.theme.palette import tokens
from ui.widgets.picture import PictureView, Viewpoint, paint_letter

FLICKER_MS = 250
"""Two changes there and back a second: enough to see a difference, under the three flashes a second that can harm."""
_GRAB = 8


class WipePicture(PictureView):
    """A picture with an edge that can be dragged; without `wipe_at` it is a plain picture."""

    wiped = Signal(float)
    """The user put the edge at this share (0…1) of the width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("A", parent)
        self._wipe_at: float | None = None
        self._holds_edge = False

    def set_wipe(self, at: float | None) -> None:
        """Draw the edge there, or none."""
        self._wipe_at = at
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._over_edge(event.position()):
            self._holds_edge = True
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._holds_edge:
            rect = self.picture_rect()
            self.wiped.emit(max(0.0, min(1.0, (event.position().x() - rect.x()) / rect.width())))
            return
        over = self._over_edge(event.position())
        self.setCursor(Qt.CursorShape.SplitHCursor if over else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._holds_edge = False
        super().mouseReleaseEvent(event)

    def paint_over(self, painter: QPainter, rect: QRectF) -> None:
        if self._wipe_at is None:
            return
        x = rect.x() + self._wipe_at * rect.width()
        # Dark under light: seen on any picture.
        for colour, width in ((QColor(0, 0, 0, 150), 3), (QColor(255, 255, 255), 1)):
            painter.setPen(QPen(colour, width))
            painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(255, 255, 255))
        painter.setPen(QPen(QColor(0, 0, 0, 150), 1))
        painter.drawEllipse(QPointF(x, rect.center().y()), 6, 6)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        corners = rect.intersected(QRectF(self.rect()))
        paint_letter(painter, corners.topLeft(), "A", tokens())
        paint_letter(painter, corners.topRight(), "B", tokens(), leftward=True)

    def _over_edge(self, at: QPointF) -> bool:
        if self._wipe_at is None:
            return False
        rect = self.picture_rect()
        return rect.contains(at) and abs(rect.x() + self._wipe_at * rect.width() - at.x()) <= _GRAB


class Stage(QWidget):
    """Shows what the model shows. Zoom, pan and probe are common to both pictures."""

    probed = Signal(float, float)
    """The pointer is at this place, in shares (0…1) of width and height."""
    probe_left = Signal()

    def __init__(self, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.first, self.second = WipePicture(self), PictureView("B", self)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(2)
        self._flicker_b = False
        self._flicker = QTimer(self, interval=FLICKER_MS)
        self._flicker.timeout.connect(self._on_flicker)
        for view in (self.first, self.second):
            self._box.addWidget(view, 1)
            view.viewpoint_changed.connect(self._on_viewpoint_changed)
            view.probe_left.connect(self._on_probe_left)
        self.first.probed.connect(self._on_first_probed)
        self.second.probed.connect(self._on_second_probed)
        self.first.wiped.connect(model.set_wipe)
        model.shown_changed.connect(self._show)
        model.pair_changed.connect(self._on_pair_changed)
        model.mode_changed.connect(self._arrange)
        model.solo_changed.connect(self._arrange)
        self._arrange()
        self.retranslate()

    def toggle_zoom(self) -> None:
        """Between fit and 100 %."""
        self.first.toggle_zoom()

    def set_viewpoint(self, viewpoint: Viewpoint) -> None:
        """Look at both pictures from there."""
        self.first.set_viewpoint(viewpoint)
        self.second.set_viewpoint(viewpoint)

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

    def _on_pair_changed(self) -> None:
        self.set_viewpoint(Viewpoint())
        self._show()

    def _arrange(self) -> None:
        mode, solo = self._model.mode, self._model.solo
        stacked = mode == "stacked"
        self._box.setDirection(QBoxLayout.Direction.TopToBottom if stacked else QBoxLayout.Direction.LeftToRight)
        self.second.setVisible(not solo and mode in ("side", "stacked"))
        if mode == "flicker" and not solo:
            self._flicker.start()
        else:
            self._flicker.stop()
        self._show()

    def _show(self) -> None:
        shown, mode, solo = self._model.shown, self._model.mode, self._model.solo
        self.first.set_wipe(None)
        if shown is None:
            self.first.show_frame(None)
            self.second.show_frame(None)
            return
        a, b = shown.pictures.a, shown.pictures.b
        self.first.set_note(tr("A has no frame here."))
        self.second.set_note(tr("B has no frame here."))
        if mode == "flicker" and not solo:
            solo = "B" if self._flicker_b else "A"
        if solo or mode in ("side", "stacked"):
            self.first.set_side(solo or "A")
            if solo == "B":
                self.first.set_note(tr("B has no frame here."))
            self.first.show_frame(b if solo == "B" else a, self._size_of(solo or "A"))
            self.second.show_frame(b, self._size_of("B"))
        elif shown.made is not None:
            self.first.set_side("")
            self.first.set_wipe(self._model.wipe_at if mode == "wipe" else None)
            self.first.show_frame(shown.made, self._size_of("A"))
        else:
            self.first.set_side("A" if b is None else "B")
            self.first.show_frame(a if b is None else b, self._size_of("A" if b is None else "B"))

    def _size_of(self, side: str) -> QSizeF:
        """What a side counts as when zooming: B in its own shape, as high as A, so that both stay in step."""
        pair = self._model.pair
        if pair is None:
            return QSizeF()
        a, own = pair.a.info, (pair.a if side == "A" else pair.b).info
        return QSizeF(own.width * a.height / own.height, a.height)

    def _on_flicker(self) -> None:
        self._flicker_b = not self._flicker_b
        self._show()

    def _on_viewpoint_changed(self, viewpoint: Viewpoint) -> None:
        self.set_viewpoint(viewpoint)

    def _on_first_probed(self, x: int, y: int) -> None:
        self._probe(self.first, self.second, x, y)

    def _on_second_probed(self, x: int, y: int) -> None:
        self._probe(self.second, self.first, x, y)

    def _probe(self, under: PictureView, other: PictureView, x: int, y: int) -> None:
        image, there = under.image(), other.image()
        if image is None:
            return
        fx, fy = (x + 0.5) / image.width(), (y + 0.5) / image.height()
        under.set_marker(None)
        other.set_marker((int(fx * there.width()), int(fy * there.height())) if there is not None else None)
        self.probed.emit(fx, fy)

    def _on_probe_left(self) -> None:
        self.first.set_marker(None)
        self.second.set_marker(None)
        self.probe_left.emit()

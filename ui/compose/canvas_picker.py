"""The named shapes of the result, each drawn as what it is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QSizePolicy, QWidget

from studio.contract import ASPECTS
from studio.core.words import tr
from ui.theme.palette import smaller, tokens
from ui.theme.tokens import FOCUS_RING, RADIUS_CONTROL

_HEIGHT = 56
_BOX = 26


class CanvasPicker(QWidget):
    """One button for each named ratio; none is down for an explicit size. Arrow keys move along the row."""

    chosen = Signal(str)
    """The user chose this ratio ("16:9")."""

    def __init__(self, aspects: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self.buttons: dict[str, _Shape] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for aspect in aspects:
            button = self.buttons[aspect] = _Shape(aspect, ASPECTS[aspect])
            self._group.addButton(button)
            row.addWidget(button)
        self._group.buttonClicked.connect(self._on_clicked)
        self.retranslate()

    def show_aspect(self, aspect: str | None) -> None:
        """Put the button of a ratio down, or none."""
        self._group.setExclusive(False)
        for name, button in self.buttons.items():
            button.setChecked(name == aspect)
        self._group.setExclusive(True)

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self.setAccessibleName(tr("Canvas"))
        for aspect, button in self.buttons.items():
            button.setAccessibleName(tr("Canvas {aspect}", aspect=aspect))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _on_clicked(self, button: QAbstractButton) -> None:
        self.chosen.emit(button.text())


class _Shape(QAbstractButton):
    def __init__(self, aspect: str, ratio: float) -> None:
        super().__init__(text=aspect, checkable=True)
        self._ratio = ratio
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFont(smaller(self.font()))

    def sizeHint(self) -> QSize:
        return QSize(40, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inside = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self.isChecked() or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.accent if self.isChecked() else look.line))
            painter.drawRoundedRect(inside, RADIUS_CONTROL, RADIUS_CONTROL)
        if bool(self.property("ring")):
            painter.setPen(QPen(QColor(look.faint if self.isChecked() else look.accent), FOCUS_RING))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(inside, RADIUS_CONTROL, RADIUS_CONTROL)
        ink = QColor(look.on_accent if self.isChecked() else look.text)
        width, height = (_BOX, _BOX / self._ratio) if self._ratio >= 1 else (_BOX * self._ratio, _BOX)
        shape = QRectF(0, 0, width, height)
        shape.moveCenter(QRectF(0, 4, self.width(), _BOX + 6).center())
        painter.setPen(QPen(ink, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(shape, 2, 2)
        painter.drawText(QRectF(0, _HEIGHT - 20, self.width(), 18), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()

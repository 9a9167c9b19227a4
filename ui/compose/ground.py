"""The colour under what is transparent in a picture or clip: a swatch that opens a menu of colours."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QActionGroup, QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QColorDialog, QMenu, QWidget

from studio.contract import MediaFacts, Reference
from studio.core.words import mark, tr
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import tokens
from ui.theme.tokens import ICON
from ui.widgets.popup_button import PopupButton

_COLOURS = (
    ("#000000", mark("Black")),
    ("#ffffff", mark("White")),
    ("#808080", mark("Grey")),
    ("#00b140", mark("Green")),
)


class GroundButton(PopupButton):
    """Shows the ground of a reference, and lets another one be chosen; hidden where nothing is transparent."""

    def __init__(self, model: ComposeModel, facts: MediaFacts, parent: QWidget | None = None) -> None:
        super().__init__("", self._fill_colours, parent)
        shown = facts.video or facts.image
        self.setHidden(shown is None or not shown.alpha)
        self._model = model
        self._reference: Reference | None = None

    def show_reference(self, reference: Reference) -> None:
        """Show the ground of a reference."""
        self._reference = reference
        self.setIcon(_swatch(reference.ground, self.devicePixelRatioF()))
        self.set_name(tr("Colour under what is transparent: {colour}", colour=_name(reference.ground)))

    def _fill_colours(self, menu: QMenu) -> None:
        now = self._reference.ground if self._reference else ""
        group = QActionGroup(menu)
        for colour, name in _COLOURS:
            action = menu.addAction(tr(name), partial(self._choose, colour))
            action.setIcon(_swatch(colour, self.devicePixelRatioF(), chosen=colour == now))
            action.setCheckable(True)
            action.setChecked(colour == now)
            group.addAction(action)
        menu.addAction(tr("Another colour…"), self.ask)

    def ask(self) -> QColorDialog:
        """Ask for a colour of any kind."""
        dialog = QColorDialog(QColor(self._reference.ground if self._reference else "black"), self)
        dialog.setWindowTitle(tr("Colour under what is transparent"))
        dialog.colorSelected.connect(lambda colour: self._choose(colour.name()))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def _choose(self, colour: str) -> None:
        if self._reference is not None:
            self._model.set_ground(self._reference.id, colour)


def _name(colour: str) -> str:
    return next((tr(name) for known, name in _COLOURS if known == colour), colour)


def _swatch(colour: str, ratio: float, *, chosen: bool = False) -> QIcon:
    picture = QPixmap(round(ICON * ratio), round(ICON * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box, inset = QRectF(0, 0, ICON, ICON), 3.5 if chosen else 2.5
    if chosen:
        painter.setPen(QPen(QColor(tokens().accent), 1.5))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 4, 4)
    painter.setPen(QPen(QColor(tokens().dim), 1))
    painter.setBrush(QColor(colour))
    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), 2, 2)
    painter.end()
    return QIcon(picture)

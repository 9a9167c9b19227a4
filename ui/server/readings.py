"""Process, API and engine: three readings that can differ, each a sign with its word."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from studio.core.words import mark, tr
from studio.server import Readings
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_M, SPACE_XS
from ui.widgets.icon_label import IconLabel

_NAMES = {"process": mark("Process"), "api": mark("API"), "engine": mark("Engine")}
_LOOKS = {
    True: ("check", "good", mark("well")),
    False: ("clock", "warn", mark("not yet")),
    None: ("info", "faint", mark("not known from here")),
}


class ReadingsRow(QWidget):
    """Shows the server's Readings."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._readings = Readings()
        self._signs = {name: IconLabel("info", "faint") for name in _NAMES}
        self._names = {name: QLabel() for name in _NAMES}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_XS)
        for name in _NAMES:
            set_role(self._names[name], "dim")
            row.addWidget(self._signs[name])
            row.addWidget(self._names[name])
            row.addSpacing(SPACE_M)
        row.addStretch()
        self._show()

    def set_readings(self, readings: Readings) -> None:
        """Show these."""
        if readings != self._readings:
            self._readings = readings
            self._show()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._show()
        super().changeEvent(event)

    def _show(self) -> None:
        for name, word in _NAMES.items():
            look, role, meaning = _LOOKS[getattr(self._readings, name)]
            self._signs[name].set_icon(look, role)
            self._names[name].setText(tr(word))
            self._names[name].setToolTip(tr(meaning))
            self._signs[name].setAccessibleName(f"{tr(word)}: {tr(meaning)}")

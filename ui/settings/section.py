"""A heading with rows under it: a name, a control, and what it means in one line."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox, QGridLayout, QLabel, QLayout, QLineEdit, QVBoxLayout, QWidget

from studio.core.words import tr
from ui.theme.palette import set_role
from ui.theme.tokens import CONTROL_HEIGHT, SPACE_L, SPACE_S
from ui.widgets.number_field import inset

NAME_WIDTH, FIELD_WIDTH = 200, 260


class Section(QWidget):
    """`title`, and the names and notes of its rows, are marked English texts."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts: list[tuple[QLabel, str]] = []
        self._named: list[tuple[QWidget, str]] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(SPACE_L)
        self._grid.setVerticalSpacing(SPACE_S)
        self._grid.setColumnMinimumWidth(0, NAME_WIDTH)
        self._grid.setColumnStretch(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        heading = self._label(title, "heading")
        column.addWidget(heading)
        column.addLayout(self._grid)

    def add(self, name: str, control: QWidget, note: str = "", *beside: QWidget) -> None:
        """A row; `beside` stand right of the control."""
        row = self._grid.rowCount()
        label = self._label(name)
        label.setMinimumHeight(CONTROL_HEIGHT)
        label.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        label.setWordWrap(True)
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
        if isinstance(control, QLineEdit):
            control.setMinimumWidth(max(FIELD_WIDTH, control.minimumWidth()))
        self._grid.addLayout(_row(control, *beside), row, 1)
        self._named.append((control, name))
        if note:
            text = self._label(note, "faint")
            text.setWordWrap(True)
            self._grid.addWidget(text, row + 1, 1)

    def add_choice(self, control: QWidget, note: str = "") -> None:
        """A row of a control that says its name itself."""
        row = self._grid.rowCount()
        self._grid.addWidget(control, row, 1)
        if note:
            text = self._label(note, "faint")
            text.setWordWrap(True)
            self._grid.addWidget(text, row + 1, 1)

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        for label, text in self._texts:
            label.setText(tr(text))
        for control, name in self._named:
            control.setAccessibleName(tr(name))
            if isinstance(control, QAbstractSpinBox):
                inset(control)
                control.lineEdit().setAccessibleName(tr(name))

    def _label(self, text: str, role: str = "") -> QLabel:
        label = QLabel(textFormat=Qt.TextFormat.PlainText)
        set_role(label, role)
        self._texts.append((label, text))
        return label


def _row(*widgets: QWidget) -> QLayout:
    row = QGridLayout()
    row.setHorizontalSpacing(SPACE_S)
    for index, widget in enumerate(widgets):
        row.addWidget(widget, 0, index)
    row.setColumnStretch(len(widgets), 1)
    return row

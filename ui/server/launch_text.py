"""A text to read and copy, with what there is to know of it: where it belongs, and what would check it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from studio.core.words import tr
from studio.server.texts import Form
from ui.server.launch_model import LaunchModel
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import ICON, SPACE_M, SPACE_S


class LaunchText(QWidget):
    """Follows a LaunchModel; `read` gives (note, text) in the current language."""

    def __init__(self, model: LaunchModel, read: Callable[[], tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._read = read
        self.text = QPlainTextEdit(readOnly=True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self.note = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_role(self.note, "dim")
        self.copy_button = QPushButton(icon("copy"), "")
        self.copy_button.setIconSize(QSize(ICON, ICON))
        self.copy_button.clicked.connect(self._on_copy)
        row = QHBoxLayout()
        row.setSpacing(SPACE_M)
        row.addWidget(self.note, 1)
        row.addWidget(self.copy_button, alignment=Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_M, SPACE_M, SPACE_M, SPACE_M)
        column.setSpacing(SPACE_S)
        column.addLayout(row)
        column.addWidget(self.text, 1)
        model.profiles_changed.connect(self._show)
        model.place_changed.connect(self._show)
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._show()
        super().changeEvent(event)

    def _show(self) -> None:
        self.copy_button.setText(tr("Copy"))
        self.text.setAccessibleName(tr("The launch as text"))
        note, written = self._read()
        if written != self.text.toPlainText():
            self.text.setPlainText(written)
        self.text.setVisible(bool(written))
        self.copy_button.setVisible(bool(written))
        self.note.setText(note)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())


def read_form(model: LaunchModel, form: Form) -> tuple[str, str]:
    """The chosen launch in one of its forms."""
    written = model.text(form)
    if not written:
        return tr("Choose a profile to see how it is started."), ""
    where, check = model.note(form)
    note = tr(
        "Belongs in {where}. The program that reads it has not checked it; this does: {check}", where=where, check=check
    )
    return note, written


def read_lacking(model: LaunchModel) -> tuple[str, str]:
    """What the chosen unit or container lacks."""
    if model.unit_lacks is None:
        return tr("What a unit or container lacks is written here once it was found by its name."), ""
    where, written = model.unit_lacks
    if where is None:
        return tr("A container cannot be changed: create it anew with these options added."), written
    note = tr(
        "Write this to {where}, then run: systemctl --user daemon-reload. The unit's own file stays.", where=str(where)
    )
    return note, written

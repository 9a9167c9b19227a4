"""A launch as text to read and copy, with where it belongs and what would check it."""

from __future__ import annotations

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
    """Follows a LaunchModel."""

    def __init__(self, model: LaunchModel, form: Form, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._form = model, form
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
        where, check = self._model.note(self._form)
        written = self._model.text(self._form)
        if written != self.text.toPlainText():
            self.text.setPlainText(written)
        self.copy_button.setEnabled(bool(written))
        note = tr(
            "Belongs in {where}. The program that reads it has not checked it; this does: {check}",
            where=where,
            check=check,
        )
        self.note.setText(note if written else tr("Choose a profile to see how it is started."))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())

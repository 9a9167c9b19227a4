"""Star, reject, tags and notes of the result that is looked at."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import tr
from studio.jobs.library import Entry
from ui.library.viewmodel import LibraryModel
from ui.theme.tokens import SPACE_S
from ui.widgets.popup_button import PopupButton
from ui.widgets.toggle import Toggle

_PAUSE_MS = 800
_NOTES_LINES = 3


class MarksEditor(QWidget):
    """What is typed is kept when it pauses, and when another result is looked at."""

    def __init__(self, model: LibraryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._entry: Entry | None = None
        self.star, self.reject = Toggle("star"), Toggle("close")
        self.star.clicked.connect(model.toggle_star)
        self.reject.clicked.connect(model.toggle_reject)
        self.tags = QLineEdit()
        self.tags.editingFinished.connect(self._keep_tags)
        self.known = PopupButton("", self._fill, icon_name="chevron-down")
        self.notes = _Notes()
        self.notes.setFixedHeight(_NOTES_LINES * self.fontMetrics().lineSpacing() + 18)
        self._pause = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self._keep_notes)
        self.notes.textChanged.connect(self._pause.start)
        self.notes.left.connect(self._keep_notes)
        self._lay_out()
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def show_entry(self, entry: Entry) -> None:
        """Show a result's marks. What is being typed about the same result stays."""
        is_new = self._entry is None or self._entry.id != entry.id
        if is_new:
            self._keep_tags()
            self._keep_notes()
        self._entry = entry
        self.star.setChecked(entry.marks.star)
        self.reject.setChecked(entry.marks.reject)
        if is_new or not self.tags.hasFocus():
            self.tags.setText(", ".join(entry.marks.tags))
        if (is_new or not self.notes.hasFocus()) and self.notes.toPlainText() != entry.marks.notes:
            self.notes.setPlainText(entry.marks.notes)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE_S)
        buttons.addWidget(self.star, 1)
        buttons.addWidget(self.reject, 1)
        tags = QHBoxLayout()
        tags.setSpacing(0)
        tags.addWidget(self.tags, 1)
        tags.addWidget(self.known)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        column.addLayout(buttons)
        column.addLayout(tags)
        column.addWidget(self.notes)

    def _retranslate(self) -> None:
        for button, name in ((self.star, tr("Star")), (self.reject, tr("Reject"))):
            button.setText(name)
            button.setAccessibleName(name)
        self.tags.setPlaceholderText(tr("Tags, with commas between them"))
        self.tags.setAccessibleName(tr("Tags"))
        self.known.set_name(tr("Tags in use"))
        self.notes.setPlaceholderText(tr("Notes"))
        self.notes.setAccessibleName(tr("Notes"))

    def _keep_tags(self) -> None:
        if self._entry is not None:
            tags = tuple(self.tags.text().replace("\uff0c", ",").replace("\u3001", ",").split(","))
            self._model.set_tags(self._entry, tags)

    def _keep_notes(self) -> None:
        self._pause.stop()
        if self._entry is not None:
            self._model.set_notes(self._entry, self.notes.toPlainText())

    def _fill(self, menu: QMenu) -> None:
        entry = self._entry
        if entry is None:
            return
        for name, _count in self._model.tags:
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(name in entry.marks.tags)
            action.triggered.connect(lambda on, name=name: self._switch(name, on))
        if not self._model.tags:
            menu.addAction(tr("No tags yet")).setEnabled(False)

    def _switch(self, name: str, on: bool) -> None:
        if self._entry is not None:
            others = tuple(tag for tag in self._entry.marks.tags if tag != name)
            self._model.set_tags(self._entry, (*others, name) if on else others)


class _Notes(QPlainTextEdit):
    """Tab goes on to the next control; `left` tells that the focus went."""

    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()

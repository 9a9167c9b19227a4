"""Prompts of earlier renders, newest first, found by their words and taken over with their mentions."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from studio.contract import edits
from studio.contract.labels import readable
from studio.core.words import tr
from studio.presets import filled, generalised
from ui.compose.surroundings import Past
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_S

_SKELETON: Final = Qt.ItemDataRole.UserRole
_WORDS: Final = Qt.ItemDataRole.UserRole + 1
_SIZE = (760, 520)
_TITLE_LENGTH: Final = 90


class PastPrompts(QDialog):
    """Each different prompt once. The one that is taken replaces the shot's, as one step of undo."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.search = QLineEdit(clearButtonEnabled=True)
        self.list = QListView()
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setUniformItemSizes(True)
        self.whole = QPlainTextEdit(readOnly=True)
        self.whole.setTabChangesFocus(True)
        self.use_button, self.close_button = QPushButton(), QPushButton()
        set_role(self.use_button, "primary")
        self.use_button.setDefault(True)
        self._items = QStandardItemModel(self)
        self._found = QSortFilterProxyModel(self)
        self._found.setSourceModel(self._items)
        self._found.setFilterRole(_WORDS)
        self._found.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.list.setModel(self._found)
        self._lay_out()
        self.search.textChanged.connect(self._on_search)
        self.list.selectionModel().currentChanged.connect(self._show_whole)
        self.list.doubleClicked.connect(self._use)
        self.use_button.clicked.connect(self._use)
        self.close_button.clicked.connect(self.reject)
        self.resize(*_SIZE)
        self.retranslate()
        self._show_whole()
        self._read()

    def _read(self) -> None:
        # The dialog may be closed before the answer is there.
        self._alive = True
        self.finished.connect(self._on_finished)
        self._model.presets.read_past(lambda past: self.show_past(past) if self._alive else None)

    def _on_finished(self, _result: int) -> None:
        self._alive = False

    def _lay_out(self) -> None:
        panes = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        panes.addWidget(self.list)
        panes.addWidget(self.whole)
        panes.setStretchFactor(0, 3)
        panes.setStretchFactor(1, 2)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.use_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        column.setSpacing(SPACE_S)
        column.addWidget(self.search)
        column.addWidget(panes, 1)
        column.addLayout(buttons)

    def show_past(self, past: Past) -> None:
        """Show these shots' prompts."""
        seen: set[str] = set()
        for when, shot in past:
            skeleton = generalised(shot.prompt, shot)
            if not skeleton.strip() or skeleton in seen:
                continue
            seen.add(skeleton)
            title = " ".join(readable(shot).split())[:_TITLE_LENGTH]
            item = QStandardItem(f"{datetime.fromtimestamp(when):%Y-%m-%d}  {title}")
            item.setData(skeleton, _SKELETON)
            item.setData(skeleton.casefold(), _WORDS)
            item.setEditable(False)
            self._items.appendRow(item)
        self._mark_first()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self.setWindowTitle(tr("Earlier prompts"))
        self.search.setPlaceholderText(tr("Search in all prompts that were rendered"))
        self.search.setAccessibleName(tr("Search"))
        self.list.setAccessibleName(tr("Earlier prompts"))
        self.whole.setAccessibleName(tr("The whole prompt"))
        self.whole.setPlaceholderText(tr("Nothing was rendered yet that fits."))
        self.use_button.setText(tr("Use"))
        self.close_button.setText(tr("Close"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _on_search(self, text: str) -> None:
        self._found.setFilterFixedString(text.casefold())
        self._mark_first()

    def _mark_first(self) -> None:
        if not self.list.currentIndex().isValid():
            self.list.setCurrentIndex(self._found.index(0, 0))
        self._show_whole()

    def _show_whole(self, _now: object = None, _before: object = None) -> None:
        skeleton = self._chosen()
        self.whole.setPlainText(skeleton or "")
        self.use_button.setEnabled(skeleton is not None)

    def _chosen(self) -> str | None:
        index: QModelIndex = self.list.currentIndex()
        return str(index.data(_SKELETON)) if index.isValid() else None

    def _use(self, _index: object = None) -> None:
        skeleton = self._chosen()
        if skeleton is not None:
            self.accept()
            self._model.edit(lambda shot: edits.set_prompt(shot, filled(skeleton, shot)), "edit.past_prompt")

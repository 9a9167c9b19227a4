"""The tabs of the open shots."""

from __future__ import annotations

import re

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QTabBar, QToolButton, QWidget

from studio.contract.labels import readable
from studio.core.words import tr
from ui.compose.document import Document
from ui.compose.viewmodel import ComposeModel
from ui.theme.icons import icon
from ui.theme.palette import set_role

_TAB_WIDTH = 200
_NAME_WORDS, _NAME_LOOK = 4, 400
_WORD = re.compile(r"<[^<>]*>\S*|\S+")  # a tag is one word


class ShotTabs(QTabBar):
    """Follows the model's documents. Tabs are moved by drag; `close_requested` asks for one to be closed (its key)."""

    close_requested = Signal(int)

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._documents = model.documents
        self._shown: list[int] = []
        self.setExpanding(False)
        self.setMovable(True)
        self.setDrawBase(False)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setStyleSheet(f"QTabBar::tab {{ max-width: {_TAB_WIDTH}px; }}")
        self.currentChanged.connect(self._on_chosen)
        self.tabMoved.connect(self._on_moved)
        model.document_changed.connect(self.refresh)
        model.shot_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the open documents."""
        documents = self._documents.all
        blocker = QSignalBlocker(self)
        if (keys := [d.key for d in documents]) != self._shown:
            self._show_tabs(keys)
        for index, document in enumerate(documents):
            self._show_tab(index, document)
        self.setCurrentIndex(self._documents.index)
        blocker.unblock()
        self.setAccessibleName(tr("Open shots"))

    def _show_tabs(self, keys: list[int]) -> None:
        while self.count():
            self.removeTab(0)
        for key in keys:
            close = QToolButton()
            close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            close.setIcon(icon("close"))
            set_role(close, "quiet")
            close.clicked.connect(lambda _checked=False, key=key: self.close_requested.emit(key))
            self.setTabButton(self.addTab(""), QTabBar.ButtonPosition.RightSide, close)
        self._shown = keys

    def _show_tab(self, index: int, document: Document) -> None:
        name = document_name(document)
        mark = " •" if document.is_worth_saving else ""
        self.setTabText(index, (name + mark).replace("&", "&&"))
        self.setTabToolTip(index, str(document.path) if document.path else tr("in no file yet"))
        if (close := self.tabButton(index, QTabBar.ButtonPosition.RightSide)) is not None:
            close.setToolTip(tr("Close {name} (Ctrl+W)", name=name))
            close.setAccessibleName(tr("Close {name}", name=name))

    def _on_chosen(self, index: int) -> None:
        if 0 <= index < len(self._shown):
            self._documents.select(self._shown[index])

    def _on_moved(self, from_index: int, to_index: int) -> None:
        self._shown.insert(to_index, self._shown.pop(from_index))
        self._documents.move(from_index, to_index)


def document_name(document: Document) -> str:
    """How a document is called: its file's name, or the first words of its prompt."""
    if document.path is not None:
        return document.path.stem
    begins = document.shot.model_copy(update={"prompt": document.shot.prompt[:_NAME_LOOK]})
    words = _WORD.findall(readable(begins).replace("[[", "").replace("]]", ""))
    return " ".join(words[:_NAME_WORDS]) or tr("Untitled shot")

"""The text field of the prompt: tags stand out, media that is pasted goes to the tray, undo is the shot's."""

from __future__ import annotations

import re
from collections.abc import Collection

from PySide6.QtCore import QMimeData, QSignalBlocker, Signal
from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from ui.compose import inbox
from ui.compose.fields import leave_to_window


class PromptEditor(QPlainTextEdit):
    """Shows what the model holds; every change goes up by `textChanged`."""

    media_pasted = Signal(object)
    """Files or a picture, as QMimeData."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        leave_to_window(self)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() + 1)
        self.setFont(font)
        self._tags = _TagHighlighter(self.document())

    def show_prompt(self, text: str, tags: Collection[str]) -> None:
        """Show a prompt in which these texts are tags. The cursor keeps its place in the text."""
        blocker = QSignalBlocker(self)  # highlighting, too, counts as a change of text
        current = self.toPlainText()
        if text != current:
            cursor = self.textCursor()
            at = _place_after(current, text, cursor.position())
            cursor.select(cursor.SelectionType.Document)
            cursor.insertText(text)
            cursor.setPosition(at)
            self.setTextCursor(cursor)
        self._tags.show_tags(tags)
        blocker.unblock()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return not inbox.is_media(source) and super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if inbox.is_media(source):
            self.media_pasted.emit(source)
        else:
            self.insertPlainText(source.text())


class _TagHighlighter(QSyntaxHighlighter):
    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._shown: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None
        self._format = QTextCharFormat()
        self._format.setFontWeight(QFont.Weight.DemiBold)

    def show_tags(self, tags: Collection[str]) -> None:
        if frozenset(tags) == self._shown:
            return
        self._shown = frozenset(tags)
        longest_first = sorted(self._shown, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for match in self._pattern.finditer(text) if self._pattern else ():
            self.setFormat(match.start(), match.end() - match.start(), self._format)


def _place_after(before: str, after: str, at: int) -> int:
    """Where position `at` of one text lies in the next: texts agree up to a change and again after it."""
    if before[:at] == after[:at]:
        return at
    tail = before[at:]
    if after.endswith(tail):
        return len(after) - len(tail)
    return min(at, len(after))

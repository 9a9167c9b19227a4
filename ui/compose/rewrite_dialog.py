"""Another wording for the prompt: who is asked, what came back and how it differs, and only then *Use*."""

from __future__ import annotations

import difflib
import re
from html import escape

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import tr
from ui.compose import mentions
from ui.compose.assistant import Assistant
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import CONTROL_HEIGHT, SPACE_L, SPACE_S

_SIZE = (720, 540)


class RewriteDialog(QDialog):
    """Shows the assistant's answer beside the prompt, word by word."""

    def __init__(self, model: ComposeModel, assistant: Assistant, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._assistant = model, assistant
        self.url, self.name, self.key = QLineEdit(assistant.url), QLineEdit(assistant.name), QLineEdit()
        self.url.setPlaceholderText("http://127.0.0.1:11434/v1")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self._labels = [QLabel() for _field in range(3)]
        self._promise, self._state = QLabel(), QLabel()
        for label in (self._promise, self._state):
            label.setWordWrap(True)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        set_role(self._promise, "dim")
        self.difference = QTextBrowser()
        self._busy = QProgressBar(textVisible=False)
        self._busy.setRange(0, 0)
        self.ask_button, self.cancel_button, self.use_button = QPushButton(), QPushButton(), QPushButton()
        set_role(self.use_button, "primary")
        self._lay_out()
        self.ask_button.clicked.connect(self._ask)
        self.cancel_button.clicked.connect(self._cancel)
        self.use_button.clicked.connect(self._use)
        self.finished.connect(lambda _result: assistant.cancel())
        assistant.changed.connect(self.refresh)
        self.url.textChanged.connect(self.refresh)
        self.resize(*_SIZE)
        self.retranslate()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setSpacing(SPACE_S)
        for label, field in zip(self._labels, (self.url, self.name, self.key), strict=True):
            label.setBuddy(field)
            label.setMinimumHeight(CONTROL_HEIGHT)
            form.addRow(label, field)
        buttons = QHBoxLayout()
        buttons.addWidget(self.ask_button)
        buttons.addStretch()
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.use_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        column.setSpacing(SPACE_S)
        column.addLayout(form)
        column.addWidget(self._promise)
        column.addWidget(self.difference, 1)
        column.addWidget(self._busy)
        column.addWidget(self._state)
        column.addLayout(buttons)

    def refresh(self, _change: object = None) -> None:
        """Show how far the assistant is."""
        assistant = self._assistant
        busy = assistant.is_at_work
        self._busy.setVisible(busy)
        self.ask_button.setEnabled(bool(self.url.text().strip()) and not busy)
        self.use_button.setEnabled(assistant.answer is not None)
        self.cancel_button.setText(tr("Stop waiting") if busy else tr("Close"))
        if assistant.failure is not None:
            self._state.setText(assistant.failure.text())
        else:
            self._state.setText(tr("The assistant is writing…") if busy else "")
        self._state.setVisible(bool(self._state.text()))
        before = self._model.prompt_shown()
        after = None if assistant.answer is None else mentions.to_shown(assistant.answer, self._model.names)
        self.difference.setHtml(difference_html(before, before if after is None else after))

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self.setWindowTitle(tr("Rewrite the prompt"))
        for label, field, text in zip(
            self._labels,
            (self.url, self.name, self.key),
            (tr("Address of your assistant"), tr("Model"), tr("Key, if it wants one")),
            strict=True,
        ):
            label.setText(text)
            field.setAccessibleName(text)
        self._promise.setText(
            tr("Any OpenAI-compatible service. Only the words of the prompt go there, and only when you press Ask.")
        )
        self.difference.setAccessibleName(tr("What would change"))
        self.ask_button.setText(tr("Ask"))
        self.use_button.setText(tr("Use"))
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _ask(self) -> None:
        self._assistant.set_up(self.url.text(), self.name.text(), self.key.text())
        self._assistant.ask()

    def _cancel(self) -> None:
        if self._assistant.is_at_work:
            self._assistant.cancel()
        else:
            self.reject()

    def _use(self) -> None:
        self._assistant.take()
        self.accept()


def difference_html(before: str, after: str) -> str:
    """Two texts as one, word by word: what goes is struck through, what comes is underlined."""
    look = tokens()
    old, new = (re.findall(r"\s+|[^\s]+", text) for text in (before, after))
    pieces = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(escape("".join(old[a:b])))
            continue
        if a < b:
            pieces.append(f'<s style="color:{look.bad}">{escape("".join(old[a:b]))}</s>')
        if c < d:
            pieces.append(f'<u style="color:{look.good}">{escape("".join(new[c:d]))}</u>')
    return f'<div style="white-space:pre-wrap">{"".join(pieces)}</div>'

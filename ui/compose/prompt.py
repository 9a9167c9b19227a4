"""The middle of Compose: the prompt, the tags it can mention, what is wrong with it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.core.words import ntr, tr
from ui.compose.finding_list import FindingList
from ui.compose.mention_row import MentionRow
from ui.compose.prompt_editor import PromptEditor
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role
from ui.theme.tokens import CONTROL_HEIGHT, SPACE_L, SPACE_M, SPACE_S


class PromptPanel(QWidget):
    """The editor with its count of characters; what is typed goes to the model."""

    media_pasted = Signal(object)
    """Files or a picture that were pasted where text goes, as QMimeData."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._title, self._count = QLabel(), QLabel()
        set_role(self._title, "caption")
        self._title.setMinimumHeight(CONTROL_HEIGHT)
        set_role(self._count, "dim")
        self.editor = PromptEditor(self)
        self.mentions = MentionRow(model, self)
        self.findings = FindingList(model, self)
        self._lay_out()
        self.editor.textChanged.connect(self._on_typed)
        self.editor.media_pasted.connect(self.media_pasted)
        self.mentions.mention_requested.connect(self.insert_mention)
        model.findings_changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._title)
        head.addStretch()
        head.addWidget(self._count)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        column.setSpacing(SPACE_S)
        column.addLayout(head)
        column.addWidget(self.editor, 1)
        column.addWidget(self.mentions)
        column.addWidget(self.findings)

    def refresh(self) -> None:
        """Show the model's prompt; the cursor stays where it was in the text around it."""
        self.editor.show_prompt(self._model.prompt_shown(), self._model.names.values())
        self.mentions.refresh()
        self.findings.show_findings(self._model.findings_of("prompt"))
        self.retranslate()

    def insert_mention(self, ref_id: str) -> None:
        """Put the tag of a reference where the cursor is, and the focus into the prompt."""
        at = self.editor.textCursor().position()
        before = len(self._model.prompt_shown())
        self._model.insert_mention(ref_id, at)
        cursor = self.editor.textCursor()
        cursor.setPosition(at + len(self._model.prompt_shown()) - before)
        self.editor.setTextCursor(cursor)
        self.editor.setFocus()

    def insert_text(self, text: str) -> None:
        """Put pasted text where the cursor is."""
        self.editor.insertPlainText(text)
        self.editor.setFocus()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self._title.setText(tr("PROMPT"))
        self._count.setText(ntr("{count} character", "{count} characters", len(self.editor.toPlainText())))
        self.mentions.retranslate()
        self.editor.setAccessibleName(tr("Prompt"))
        self.editor.setPlaceholderText(
            tr("Say in plain words what to change and what to keep. Press @ or type <Video 1> to mention a reference.")
        )

    def _on_typed(self) -> None:
        text = self.editor.toPlainText()
        if text != self._model.prompt_shown():
            self._model.type_prompt(text)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

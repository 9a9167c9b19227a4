"""One prompt for each window of a continued long video."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from studio.contract import FPS, window_prompts
from studio.core.words import tr
from ui.compose.chips import looks_of
from ui.compose.mention_choices import choices_of
from ui.compose.mentions import to_stored
from ui.compose.prompt_editor import PromptEditor
from ui.compose.viewmodel import ComposeModel
from ui.compose.window_bar import Windows
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_M, SPACE_S

_FIELD_HEIGHT = 72
_SIZE = QSize(560, 460)


class WindowPrompts(QDialog):
    """`chosen` brings a prompt for each window, mentions in their stored form; none at all when every field says the
    same as the shot's prompt."""

    chosen = Signal(list)

    def __init__(self, model: ComposeModel, windows: Windows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names, self._common = model.names, model.shot.prompt
        self._looks, self._choices = looks_of(model.request, model.names, {}), choices_of(model)
        self.setWindowTitle(tr("A prompt for each window"))
        own = window_prompts(model.shot)
        self.fields = [self._field(own[n] if n < len(own) else self._common) for n in range(len(windows))]
        inside = QWidget()
        rows = QVBoxLayout(inside)
        rows.setContentsMargins(0, 0, SPACE_S, 0)
        rows.setSpacing(SPACE_S)
        for number, ((first, end), field) in enumerate(zip(windows, self.fields, strict=True), 1):
            name = tr("Window {n}, {begin:sec}–{end:sec} s", n=number, begin=first / FPS, end=end / FPS)
            label = QLabel(name)
            label.setBuddy(field)
            field.setAccessibleName(name)
            rows.addWidget(label)
            rows.addWidget(field)
        rows.addStretch()
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(inside)
        hint = QLabel(tr("Each window is rendered with its own prompt and begins with the end of the one before it."))
        hint.setWordWrap(True)
        set_role(hint, "dim")
        self.trouble = QLabel(wordWrap=True)
        set_role(self.trouble, "bad")
        self.trouble.hide()
        self.buttons = QDialogButtonBox()
        self.use = self.buttons.addButton(tr("Use these prompts"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        self.buttons.accepted.connect(self._on_accepted)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setSpacing(SPACE_M)
        for widget in (hint, scroll, self.trouble, self.buttons):
            column.addWidget(widget)
        self.resize(_SIZE)

    def _field(self, stored: str) -> PromptEditor:
        field = PromptEditor()
        field.setFixedHeight(_FIELD_HEIGHT)
        field.set_choices(self._choices)
        field.show_prompt(to_stored(stored, self._names), self._looks)
        field.textChanged.connect(partial(self._on_typed, field))
        field.mention_chosen.connect(partial(self._on_mention, field))
        return field

    def _on_typed(self, field: PromptEditor) -> None:
        """A tag that is written out becomes a mention, as in the shot's own prompt."""
        field.show_prompt(to_stored(field.stored(), self._names), self._looks)
        field.offer_mentions()

    def _on_mention(self, field: PromptEditor, mention: str, start: int, end: int) -> None:
        text = field.stored()
        field.show_prompt(text[:start] + mention + text[end:], self._looks)
        field.go_to(start + len(mention))

    def _on_accepted(self) -> None:
        texts = [field.stored().strip() for field in self.fields]
        if (empty := next((n for n, text in enumerate(texts) if not text), None)) is not None:
            self.trouble.setText(tr("Window {n} has no prompt. Give every window one.", n=empty + 1))
            self.trouble.show()
            self.fields[empty].setFocus()
            return
        self.chosen.emit([] if all(text == self._common for text in texts) else texts)
        self.accept()

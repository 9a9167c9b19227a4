"""The middle of Compose: the prompt, what it can mention, where to begin from, what is wrong with it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.contract import edits, mention_of
from studio.core.words import ntr, tr
from ui.compose.chips import ChipLook, looks_of
from ui.compose.counting import characters, words
from ui.compose.finding_list import FindingList
from ui.compose.mention_choices import choices_of
from ui.compose.mention_row import MentionRow
from ui.compose.prompt_editor import PromptEditor
from ui.compose.prompt_menu import PromptMenu
from ui.compose.template_row import TemplateRow
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role
from ui.theme.tokens import CONTROL_HEIGHT, SPACE_L, SPACE_M, SPACE_S

_COUNT_AT_ONCE, _COUNT_PAUSE_MS = 2_000, 200
"""Longer prompts are counted when the typing pauses: counting 100,000 characters takes longer than a key may."""
_LINES = 4
"""Of the prompt, that are seen at least."""


class PromptPanel(QWidget):
    """The editor with its count; what is typed goes to the model."""

    media_pasted = Signal(object)
    """Files or a picture that were pasted where text goes, as QMimeData."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._looks: dict[str, ChipLook] = {}
        self._chosen_from: tuple[tuple[str, str], ...] = ()
        self._title, self._count = QLabel(), QLabel()
        self._count_soon = QTimer(self, interval=_COUNT_PAUSE_MS, singleShot=True)
        self._count_soon.timeout.connect(self._show_count)
        set_role(self._title, "caption")
        self._title.setMinimumHeight(CONTROL_HEIGHT)
        set_role(self._count, "dim")
        self.editor = PromptEditor(self)
        self.mentions = MentionRow(model, self)
        self.menu = PromptMenu(model, self)
        self.templates = TemplateRow(model, self)
        self.findings = FindingList(model, self)
        self._lay_out()
        self.editor.setMinimumHeight(_LINES * self.editor.fontMetrics().lineSpacing())
        self.editor.textChanged.connect(self._on_typed)
        self.editor.media_pasted.connect(self.media_pasted)
        self.editor.mention_chosen.connect(self._put)
        self.mentions.mention_requested.connect(self.insert_mention)
        model.findings_changed.connect(self.refresh)
        model.thumbnail_changed.connect(self._show_choices)
        model.presets.applied.connect(self.begin_filling)
        self.refresh()
        self.retranslate()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(SPACE_S)
        head.addWidget(self._title)
        head.addStretch()
        head.addWidget(self._count)
        head.addWidget(self.menu)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        column.setSpacing(SPACE_S)
        column.addLayout(head)
        column.addWidget(self.editor, 1)
        column.addWidget(self.mentions)
        column.addWidget(self.findings)
        column.addWidget(self.templates)

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            # A splitter asks for no height at a width: what is wrapped would be cut off when there is little room.
            self.setMinimumHeight(self._column.minimumHeightForWidth(self.width()))
        return done

    def refresh(self) -> None:
        """Show the model's prompt; the cursor stays where it was in the text around it."""
        self._looks = looks_of(self._model.request, self._model.names, self._looks)
        self.editor.show_prompt(self._model.shot.prompt, self._looks)
        self._show_choices()
        self.mentions.refresh()
        self.findings.show_findings(self._model.findings_of("prompt"))
        if len(self._model.shot.prompt) < _COUNT_AT_ONCE:
            self._show_count()
        else:
            self._count_soon.start()

    def insert_mention(self, ref_id: str) -> None:
        """Put the tag of a reference where the cursor is, and the focus into the prompt."""
        at = self.editor.index()
        self._put(mention_of(ref_id), at, at)
        self.editor.setFocus()

    def insert_text(self, text: str) -> None:
        """Put pasted text where the cursor is."""
        self.editor.insertPlainText(text)
        self.editor.setFocus()

    def begin_filling(self) -> None:
        """Put the focus on the first place of the prompt that is to be filled in."""
        self.editor.setFocus()
        self.editor.go_to(0)
        if not self.editor.go_to_place():
            self.editor.go_to(len(self._model.shot.prompt))

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self._title.setText(tr("PROMPT"))
        self._show_count()
        self.mentions.retranslate()
        self.editor.setAccessibleName(tr("Prompt"))
        self.editor.setPlaceholderText(
            tr("Say in plain words what to change and what to keep. Press @ or type <Video 1> to mention a reference.")
        )

    def _put(self, mention: str, start: int, end: int) -> None:
        prompt = self._model.shot.prompt
        before = prompt[:start]
        gap = " " if before and not before[-1].isspace() else ""
        changed = before + gap + mention + prompt[end:]
        self._model.edit(lambda shot: edits.set_prompt(shot, changed), "edit.mention")
        self.editor.go_to(start + len(gap) + len(mention))

    def _show_count(self) -> None:
        text = self.editor.shown()
        # The document itself holds a chip as one sign that no screen reader can say.
        self.editor.setAccessibleDescription(text[:_COUNT_AT_ONCE] if self.editor.has_chips() else "")
        counted = ntr("{count} character", "{count} characters", characters(text))
        self._count.setText(" · ".join((counted, ntr("{count} word", "{count} words", words(text)))))

    def _show_choices(self, pictured: str = "") -> None:
        """Tell the editor what can be mentioned, when that or the picture of a reference is new."""
        key = tuple(self._model.names.items())
        if key == self._chosen_from and not pictured:
            return
        self._chosen_from = key
        self.editor.set_choices(choices_of(self._model))

    def _on_typed(self) -> None:
        stored = self.editor.stored()
        if stored != self._model.shot.prompt:
            self._model.type_prompt(stored)
        self.editor.offer_mentions()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            self.refresh()
        super().changeEvent(event)

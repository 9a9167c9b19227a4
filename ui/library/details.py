"""The pane beside the grid: one result looked at closely, what it was made of, and what to do with it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from studio.core.words import ntr, tr
from studio.jobs.library import Entry
from ui.library.flaw_list import FlawList
from ui.library.marks_editor import MarksEditor
from ui.library.preview import Preview
from ui.library.telling import facts, outline
from ui.library.viewmodel import LibraryModel
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import ICON, SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.layouts import empty

WIDTH = 348
_PROMPT_SHOWN = 1500
"""Characters; the whole prompt is in the recipe."""


class Details(QScrollArea):
    """Follows `model.current`; with several results selected, what can be done with all of them."""

    def __init__(self, model: LibraryModel, actions: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedWidth(WIDTH)
        self.preview, self.marks, self.flaws = Preview(model), MarksEditor(model), FlawList()
        self.flaws.frame_chosen.connect(self.preview.go_to)
        self.headline, self.prompt, self.outline = _label(), _label(), _label()
        set_role(self.headline, "heading")
        set_role(self.outline, "dim")
        self.compare_button = _button("compare", actions["library.compare"], role="primary")
        self.recipe_button = _button("compose", actions["library.recipe"])
        self.reference_button = _button("add", actions["library.reference"])
        self.sound_button = _button("sound", actions["library.sound"])
        self.play_button = _button("play", actions["library.play"])
        self.folder_button = _button("folder", actions["library.folder"])
        self.trash_button = _button("remove", actions["library.trash"])
        self.forget_button = _button("close", None)
        self.forget_button.clicked.connect(model.forget)
        self._buttons = QGridLayout()
        self._buttons.setSpacing(SPACE_S)
        self._facts = QGridLayout()
        self._facts.setContentsMargins(0, 0, 0, 0)
        self._facts.setHorizontalSpacing(SPACE_M)
        self._facts.setVerticalSpacing(SPACE_XS)
        self._facts.setColumnStretch(1, 1)
        self._page = self._lay_out()
        self.setWidget(self._page)
        self.hint = _label()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        set_role(self.hint, "dim")
        behind = QVBoxLayout(self.viewport())
        behind.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        behind.addWidget(self.hint)
        model.current_changed.connect(self._show)
        model.selected_changed.connect(self._show)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _lay_out(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_L)
        column.setSpacing(SPACE_S)
        column.addWidget(self.headline)
        column.addWidget(self.preview)
        column.addWidget(self.prompt)
        column.addWidget(self.outline)
        column.addWidget(self.flaws)
        column.addWidget(self.compare_button)
        column.addLayout(self._buttons)
        column.addSpacing(SPACE_XS)
        column.addWidget(self.marks)
        column.addSpacing(SPACE_XS)
        column.addLayout(self._facts)
        column.addStretch()
        return page

    def _retranslate(self) -> None:
        self.setAccessibleName(tr("Selected result"))
        names = (
            (self.recipe_button, tr("Open this recipe")),
            (self.reference_button, tr("Use as reference")),
            (self.play_button, tr("Play")),
            (self.folder_button, tr("Show in folder")),
            (self.sound_button, tr("Source's sound")),
            (self.forget_button, tr("Take off the list")),
        )
        for button, name in names:
            button.setText(name)
        self.hint.setText(tr("Choose a result to see what it was made of."))
        self.sound_button.setToolTip(tr("Write a copy of these pictures with the sound of the source clip (M)"))
        self._show()

    def _show(self) -> None:
        entry, count = self._model.current, len(self._model.selected)
        self._page.setVisible(entry is not None)
        self.hint.setVisible(entry is None)
        if entry is None:
            return
        self.headline.setText(ntr("{count} result selected", "{count} results selected", count))
        self.headline.setVisible(count > 1)
        self.preview.show_entry(entry)
        self.prompt.setText(_cut(entry.prompt))
        said = outline(entry)
        self.outline.setText(f"{said} · {tr('Rehearsal')}" if entry.rehearsal else said)
        self.flaws.show_entry(entry)
        self.marks.show_entry(entry)
        self._show_buttons(entry)
        self._show_facts(entry)

    def _show_buttons(self, entry: Entry) -> None:
        recipe = self._model.recipe
        several = self._model.pair or self._model.takes
        made_of_nothing = recipe is not None and not recipe.uploads and not several
        with_another = tr("Compare the two") if self._model.pair else tr("Choose among these takes")
        self.compare_button.setText(with_another if several else tr("Compare with source"))
        in_use = not entry.missing and not entry.trashed
        offered = {
            self.recipe_button: True,
            self.reference_button: in_use,
            self.play_button: not entry.missing,
            self.folder_button: not entry.missing,
            self.sound_button: in_use and not made_of_nothing,
            self.trash_button: not entry.missing,
            self.forget_button: entry.missing,
        }
        self.trash_button.setText(tr("Put back") if entry.trashed else tr("To the trash"))
        self.compare_button.setVisible(in_use and not made_of_nothing)
        for button in offered:
            self._buttons.removeWidget(button)
        for at, button in enumerate(button for button in offered if offered[button]):
            self._buttons.addWidget(button, at // 2, at % 2)
        # Only now: a widget without a parent would be shown as a window of its own.
        for button, wanted in offered.items():
            button.setVisible(wanted)

    def _show_facts(self, entry: Entry) -> None:
        empty(self._facts)
        for row, (name, value) in enumerate(facts(entry, self._model.recipe)):
            left, right = QLabel(name), _label()
            set_role(left, "faint")
            set_role(right, "dim")
            right.setText(value)
            self._facts.addWidget(left, row, 0, Qt.AlignmentFlag.AlignTop)
            self._facts.addWidget(right, row, 1)


def _label() -> QLabel:
    label = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    # A word without a break (a path, a prompt of one word) must not widen the pane.
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label


def _button(name: str, action: QAction | None, *, role: str = "") -> QPushButton:
    button = QPushButton(icon(name, "on_accent" if role == "primary" else "text"), "")
    button.setIconSize(QSize(ICON, ICON))
    if role:
        set_role(button, role)
    if action is not None:
        button.clicked.connect(action.trigger)
        button.setToolTip(action.toolTip())
        action.changed.connect(lambda: button.setToolTip(action.toolTip()))
    return button


def _cut(prompt: str) -> str:
    text = prompt.strip()
    return text if len(text) <= _PROMPT_SHOWN else text[:_PROMPT_SHOWN] + " …"

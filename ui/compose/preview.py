"""The preview under the prompt: the selected reference looked at closely. Takes no room while none is selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from studio.contract import MediaFacts
from studio.core.words import tr
from ui.compose.describe import plain_tag
from ui.compose.loop import loop_runs
from ui.compose.viewmodel import ComposeModel
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import CONTROL_HEIGHT, SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.elided import ElidedLabel

if TYPE_CHECKING:
    from ui.compose.reference_editor import ReferenceEditor

_REST_MS = 150
"""A selection that moves on sooner opens no file."""


class Preview(QWidget):
    """Follows the model's selection; a clip is open while it is shown."""

    wide_changed = Signal(bool)
    """It needs all the room there is: marks are drawn on the picture. Or no longer."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.editor: ReferenceEditor | None = None
        self._title, self._name = QLabel(), ElidedLabel()
        set_role(self._title, "caption")
        set_role(self._name, "dim")
        self.close_button = QToolButton()
        self.close_button.setIcon(icon("close"))
        set_role(self.close_button, "quiet")
        self.close_button.clicked.connect(lambda _checked=False: model.select(None))
        self._rest = QTimer(self, interval=_REST_MS, singleShot=True)
        self._rest.timeout.connect(self._on_rested)
        self._head = QHBoxLayout()
        self._head.setSpacing(SPACE_S)
        self._head.addWidget(self._title)
        self._head.addWidget(self._name, 1)
        self._head.addWidget(self.close_button)
        self._title.setMinimumHeight(CONTROL_HEIGHT)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(SPACE_L, SPACE_XS, SPACE_L, SPACE_M)
        self._column.setSpacing(SPACE_XS)
        self._column.addLayout(self._head)
        model.selected_changed.connect(self._rest.start)
        model.findings_changed.connect(self.refresh)
        self.hide()

    def show_now(self) -> None:
        """Show the selected reference at once, and put the keyboard there."""
        self._show_selected()
        if self.editor is not None:
            target = self.editor.timeline if self.editor.facts.kind != "image" else self.editor.frame
            target.setFocus(Qt.FocusReason.OtherFocusReason)

    def make_room(self) -> None:
        """Put the marks away: something else is to be seen."""
        if self.editor is not None:
            self.editor.marks.toggle.setChecked(False)

    def refresh(self) -> None:
        """Show what the model knows now of the reference that is open."""
        reference, editor = self._model.selected, self.editor
        if editor is None or reference is None or self._model.facts.get(reference.id) != editor.facts:
            self._rest.start()
        else:
            editor.show_reference(reference)
            self.retranslate()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        reference = self._model.selected
        own = self._model.tags.get(reference.id, ()) if reference else ()
        self._title.setText(" · ".join([tr("PREVIEW"), *(plain_tag(tag) for tag in own[-1:])]))
        self._name.setText(reference.path.name if reference else "")
        self.close_button.setToolTip(tr("Close the preview"))
        self.close_button.setAccessibleName(tr("Close the preview"))

    def close_media(self) -> None:
        """Put the editor away and let go of its file."""
        editor, self.editor = self.editor, None
        if editor is not None:
            self.wide_changed.emit(False)
            editor.marks.toggle.deleteLater()
            editor.close_media()
            self._column.removeWidget(editor)
            editor.hide()
            editor.deleteLater()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _on_rested(self) -> None:
        if loop_runs():
            self._show_selected()
        else:
            self._rest.start()

    def _show_selected(self) -> None:
        self._rest.stop()
        reference = self._model.selected
        facts = self._model.facts.get(reference.id) if reference else None
        if reference is None or not isinstance(facts, MediaFacts) or facts.kind != reference.kind:
            self.close_media()
            self.hide()
        elif self.editor is None or (self.editor.reference_id, self.editor.facts) != (reference.id, facts):
            from ui.compose.reference_editor import ReferenceEditor  # brings numpy: not before a reference is looked at

            self.close_media()
            self.editor = ReferenceEditor(self._model, reference, facts, self)
            self.editor.closed.connect(self._on_closed)
            self.editor.marks.shown_changed.connect(self.wide_changed)
            self._head.insertWidget(self._head.indexOf(self.close_button), self.editor.marks.toggle)
            self._column.addWidget(self.editor, 1)
            self.retranslate()
            self.show()

    def _on_closed(self) -> None:
        self._model.select(None)

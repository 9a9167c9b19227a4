"""The bar over Compose: which shot this is, whether it is saved, and what is done with it as a whole."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from studio.core.words import say, tr
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.elided import ElidedLabel


class TopBar(QFrame):
    """Shows the model's document; its buttons are the actions that it is given."""

    def __init__(self, model: ComposeModel, actions: dict[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._undo, self._redo = actions["edit.undo"], actions["edit.redo"]
        self.name, self._state = ElidedLabel(), QLabel()
        set_role(self.name, "title")
        set_role(self._state, "dim")
        self.buttons: dict[str, QToolButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_L, SPACE_S, SPACE_L, SPACE_S)
        row.setSpacing(SPACE_XS)
        row.addWidget(self.name)
        row.addSpacing(SPACE_M)
        row.addWidget(self._state)
        row.addStretch(1)
        for name in ("edit.undo", "edit.redo"):
            row.addWidget(self._button(name, actions[name], Qt.ToolButtonStyle.ToolButtonIconOnly))
        row.addSpacing(SPACE_M)
        for name in ("shot.new", "shot.open", "shot.save"):
            row.addWidget(self._button(name, actions[name], Qt.ToolButtonStyle.ToolButtonTextOnly))
        model.history_changed.connect(self.refresh)
        model.document_changed.connect(self.refresh)
        self.refresh()

    def _button(self, name: str, action: QAction, style: Qt.ToolButtonStyle) -> QToolButton:
        button = self.buttons[name] = QToolButton(toolButtonStyle=style)
        button.setDefaultAction(action)
        set_role(button, "quiet")
        return button

    def refresh(self) -> None:
        """Show the document's name and state, and what undo and redo would do."""
        model = self._model
        self.name.setText(model.path.stem if model.path else tr("Untitled shot"))
        self.name.setToolTip(str(model.path or ""))
        self._state.setText(self._state_text())
        history = model.history
        for action, name, label in (
            (self._undo, tr("Undo"), history.undo_label),
            (self._redo, tr("Redo"), history.redo_label),
        ):
            action.setEnabled(label is not None)
            action.setToolTip(f"{name}: {say(label)}" if label else name)
        for name, text in (("shot.new", tr("New")), ("shot.open", tr("Open…")), ("shot.save", tr("Save"))):
            self.buttons[name].setText(text)
        for button in self.buttons.values():
            button.setAccessibleName(button.defaultAction().text())

    def _state_text(self) -> str:
        if self._model.is_saved:
            return tr("saved")
        if self._model.path is not None:
            return tr("edited")
        return tr("in no file yet") if self._model.is_worth_saving else ""

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)

"""The bar over Compose: the open shots as tabs, whether this one is saved, and what is done with it as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from studio.core.words import say, tr
from ui.compose.tabs import ShotTabs
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.popup_button import PopupButton


class TopBar(QFrame):
    """Shows the model's documents; its buttons are the actions that it is given. `open_shot` opens a recent one."""

    def __init__(
        self,
        model: ComposeModel,
        actions: Mapping[str, QAction],
        open_shot: Callable[[Path], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model, self._actions, self._open_shot = model, actions, open_shot
        self.tabs = ShotTabs(model)
        self._state = QLabel()
        set_role(self._state, "dim")
        self.buttons: dict[str, QToolButton] = {}
        self.recent = PopupButton("", self._fill_recent, icon_name="chevron-down")
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_S, SPACE_XS, SPACE_L, SPACE_XS)
        row.setSpacing(SPACE_XS)
        row.addWidget(self.tabs)
        row.addWidget(self._button("shot.new", Qt.ToolButtonStyle.ToolButtonIconOnly))
        row.addSpacing(SPACE_M)
        row.addWidget(self._state)
        row.addStretch(1)
        for name in ("edit.undo", "edit.redo"):
            row.addWidget(self._button(name, Qt.ToolButtonStyle.ToolButtonIconOnly))
        row.addSpacing(SPACE_M)
        row.addWidget(self._button("shot.open", Qt.ToolButtonStyle.ToolButtonTextOnly))
        row.addWidget(self.recent)
        row.addWidget(self._button("shot.save", Qt.ToolButtonStyle.ToolButtonTextOnly))
        model.history_changed.connect(self.refresh)
        model.document_changed.connect(self.refresh)
        self.refresh()

    def _button(self, name: str, style: Qt.ToolButtonStyle) -> QToolButton:
        button = self.buttons[name] = QToolButton(toolButtonStyle=style)
        button.setDefaultAction(self._actions[name])
        set_role(button, "quiet")
        return button

    def refresh(self) -> None:
        """Show the state of the shot on the table, and what undo and redo would do."""
        self._state.setText(self._state_text())
        history = self._model.history
        for action, name, label in (
            (self._actions["edit.undo"], tr("Undo"), history.undo_label),
            (self._actions["edit.redo"], tr("Redo"), history.redo_label),
        ):
            action.setEnabled(label is not None)
            action.setToolTip(f"{name}: {say(label)}" if label else name)
        for name, text in (("shot.open", tr("Open…")), ("shot.save", tr("Save"))):
            self.buttons[name].setText(text)
        for button in self.buttons.values():
            button.setAccessibleName(button.defaultAction().text())
        self.recent.set_name(tr("Recent shots"))
        self.tabs.refresh()

    def _state_text(self) -> str:
        if self._model.is_saved:
            return tr("saved")
        if self._model.path is not None:
            return tr("edited")
        return tr("in no file yet") if self._model.documents.current.is_worth_saving else ""

    def _fill_recent(self, menu: QMenu) -> None:
        for path in self._model.recent.shots:
            menu.addAction(path.stem, partial(self._open_shot, path)).setToolTip(str(path))
        if menu.isEmpty():
            menu.addAction(tr("No shot was opened yet")).setEnabled(False)
        menu.setToolTipsVisible(True)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)

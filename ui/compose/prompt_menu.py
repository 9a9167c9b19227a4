"""What else can be done with the prompt: earlier ones, what will be sent, the command, another wording."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QMenu, QWidget

from studio.core.words import tr
from ui.compose.viewmodel import ComposeModel
from ui.widgets.popup_button import PopupButton


class PromptMenu(PopupButton):
    """A button that opens the menu."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("More for the prompt"), self.fill, parent)
        self._model = model

    def fill(self, menu: QMenu) -> None:
        """Put the entries in, in the current language."""
        menu.addAction(tr("Earlier prompts…"), self.open_past)
        menu.addAction(tr("What will be sent…"), self.open_sent)
        menu.addAction(tr("Copy as curl"), self.copy_curl)
        if self._model.assistant is not None:
            menu.addSeparator()
            menu.addAction(tr("Rewrite with an assistant of your own…"), self.open_rewrite)

    def open_past(self) -> QDialog:
        """Show the prompts of earlier renders."""
        from ui.compose.past_prompts import PastPrompts

        return self._show(PastPrompts(self._model, self.window()))

    def open_sent(self) -> QDialog:
        """Show what will be sent."""
        from ui.compose.sent_view import SentView

        return self._show(SentView(self._model, self.window()))

    def copy_curl(self) -> None:
        """Copy the request as a shell command."""
        from ui.compose.sent_view import curl_of

        QGuiApplication.clipboard().setText(curl_of(self._model))

    def open_rewrite(self) -> QDialog | None:
        """Ask the assistant for another wording."""
        assistant = self._model.assistant
        if assistant is None:
            return None
        from ui.compose.rewrite_dialog import RewriteDialog

        return self._show(RewriteDialog(self._model, assistant, self.window()))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.set_name(tr("More for the prompt"))
        super().changeEvent(event)

    def _show(self, dialog: QDialog) -> QDialog:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

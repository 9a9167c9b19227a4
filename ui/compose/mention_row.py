"""A button for each reference that is sent: its tag, which it puts into the prompt."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QToolButton, QWidget

from studio.core.words import tr
from ui.compose.describe import plain_tag
from ui.compose.viewmodel import ComposeModel
from ui.theme.tokens import SPACE_XS
from ui.widgets.flow import Flow


class MentionRow(Flow):
    """Follows the model's tags."""

    mention_requested = Signal(str)

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent, spacing=SPACE_XS)
        self._model = model
        self._shown: tuple[tuple[str, str], ...] = ()
        self.buttons: list[QToolButton] = []
        self.refresh()

    def refresh(self) -> None:
        """Show the tags of the references that are sent."""
        wanted = tuple((ref_id, plain_tag(own[-1])) for ref_id, own in self._model.tags.items() if own)
        if wanted == self._shown:
            return
        self._shown = wanted
        for button in self.buttons:
            button.hide()
            button.deleteLater()
        self.buttons = [self._button(ref_id, tag) for ref_id, tag in wanted]
        self.setVisible(bool(wanted))
        self.retranslate()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        for button, (_ref_id, tag) in zip(self.buttons, self._shown, strict=True):
            name = tr("Mention {name} in the prompt", name=tag)
            button.setToolTip(name)
            button.setAccessibleName(name)

    def _button(self, ref_id: str, tag: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(f"@ {tag}")
        button.clicked.connect(partial(self._request, ref_id))
        self.add(button)
        return button

    def _request(self, ref_id: str, _checked: bool = False) -> None:
        self.mention_requested.emit(ref_id)

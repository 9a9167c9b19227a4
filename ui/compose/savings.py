"""What would save most of the render's time, each as a button that does it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from studio.contract import Saving
from studio.core.words import tr
from ui.compose.cost_text import rows_short
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_XS

_MOST = 3
_AROUND = 28
"""What a button needs beside its text, in px."""


class Savings(QWidget):
    """Follows the estimate. Takes no room while nothing would save enough to be worth a word."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: tuple[Saving, ...] = ()
        self.buttons: list[QPushButton] = []
        self._title = QLabel()
        set_role(self._title, "dim")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE_XS)
        self._column.addWidget(self._title)
        self.hide()

    def refresh(self) -> None:
        """Show what would save most of the shot as it is now."""
        found = self._model.estimate.cost
        wanted = found.savings[:_MOST] if found else ()
        if wanted != self._shown:
            self._shown = wanted
            self._rebuild()
        self.setVisible(bool(wanted))
        self.retranslate()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self._title.setText(tr("What would save most"))
        for button, saving in zip(self.buttons, self._shown, strict=True):
            percent = round(saving.share * 100)
            text = tr("−{percent} %  {what}", percent=percent, what=_label(self._model, saving))
            button.setText(button.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, self.width() - _AROUND))
            button.setToolTip(f"{saving_words(saving)}\n{tr('{rows} rows fewer', rows=rows_short(saving.rows))}")
            name = tr("Save {percent} % of the time: {what}", percent=percent, what=saving_words(saving))
            button.setAccessibleName(name)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.retranslate()

    def _rebuild(self) -> None:
        for button in self.buttons:
            self._column.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = []
        for saving in self._shown:
            button = QPushButton(self)
            button.setStyleSheet("text-align: left")
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            button.clicked.connect(partial(self._save, saving))
            self._column.addWidget(button)
            self.buttons.append(button)

    def _save(self, saving: Saving, _checked: bool = False) -> None:
        self._model.estimate.save(saving)


def saving_words(saving: Saving) -> str:
    """What a saving does ("Set aside boat.mp4")."""
    return saving.mend.message.text()


def _label(model: ComposeModel, saving: Saving) -> str:
    """The same, short, with the reference's tag where its name would be."""
    ref_id = saving.mend.params.get("ref")
    own = model.tags.get(str(ref_id), ())
    text = saving_words(saving)
    name = saving.mend.params.get("name")
    if own and isinstance(name, str):
        return text.replace(name, own[-1].strip("<>"))
    return f"{own[-1].strip('<>')}: {text}" if own else text

"""What closing the window does to a render: never end it by surprise, ask once, remember if told to."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QMessageBox, QWidget

from studio.core.words import ntr, tr

Choice = Literal["keep", "after", "now", "cancel"]


class ClosingQuestion(QMessageBox):
    """*Keep rendering* (default) / *Stop after this render* / *Stop now* / *Cancel*. `chosen` tells which, and
    whether to remember it."""

    chosen = Signal(str, bool)

    def __init__(self, running: int, losing: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("H3 Studio")
        self.setIcon(QMessageBox.Icon.Question)
        self.setText(ntr("A render is under way.", "{count} renders are under way.", running))
        self.setInformativeText(
            tr(
                "“Keep rendering” closes the window; the server goes on, and the video is fetched at the next start."
                " “Stop now” loses {losing}.",
                losing=losing,
            )
        )
        role = QMessageBox.ButtonRole
        self._choices: dict[object, Choice] = {
            self.addButton(tr("Keep rendering"), role.AcceptRole): "keep",
            self.addButton(tr("Stop after this render"), role.ActionRole): "after",
            self.addButton(tr("Stop now"), role.DestructiveRole): "now",
            self.addButton(tr("Cancel"), role.RejectRole): "cancel",
        }
        buttons = {choice: button for button, choice in self._choices.items()}
        self.setDefaultButton(buttons["keep"])  # type: ignore[call-overload]
        self.setEscapeButton(buttons["cancel"])  # type: ignore[call-overload]
        self._remember = QCheckBox(tr("Do not ask again"))
        self.setCheckBox(self._remember)
        self.finished.connect(self._on_finished)

    def _on_finished(self, _result: int) -> None:
        choice = self._choices.get(self.clickedButton(), "cancel")
        self.chosen.emit(choice, self._remember.isChecked() and choice != "cancel")
        self.deleteLater()

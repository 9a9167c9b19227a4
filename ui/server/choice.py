"""One of the servers that can be used: a radio button with what it is for under it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel, QRadioButton, QVBoxLayout, QWidget

from studio.core.words import tr
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_M, SPACE_S


class Choice(QFrame):
    """`name` and `purpose` are marked English texts. The whole card can be clicked."""

    chosen = Signal()

    def __init__(self, name: str, purpose: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._purpose = name, purpose
        self.button = QRadioButton()
        self.button.setAutoExclusive(False)
        self.button.clicked.connect(self._on_clicked)
        self._text = QLabel(wordWrap=True)
        set_role(self._text, "dim")
        set_role(self, "card")
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_M)
        column.setSpacing(0)
        column.addWidget(self.button)
        below = QVBoxLayout()
        below.setContentsMargins(SPACE_L + SPACE_S, 0, 0, 0)
        below.addWidget(self._text)
        column.addLayout(below)
        self._retranslate()

    def set_chosen(self, chosen: bool) -> None:
        """Whether this is the one; does not emit `chosen`."""
        self.button.setChecked(chosen)

    def set_compact(self, compact: bool) -> None:
        """The name alone, with what it is for as its tooltip."""
        self._text.setVisible(not compact)
        side, below = (SPACE_S, SPACE_S) if compact else (SPACE_M, SPACE_M)
        self._column.setContentsMargins(side, SPACE_S, side, below)
        self.setToolTip(self._text.text() if compact else "")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self._on_clicked()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _on_clicked(self) -> None:
        self.button.setChecked(True)  # a second click does not undo the choice
        self.chosen.emit()

    def _retranslate(self) -> None:
        self.button.setText(tr(self._name))
        self.button.setAccessibleDescription(tr(self._purpose))
        self._text.setText(tr(self._purpose))

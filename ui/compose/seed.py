"""The seed: a number that makes a render repeatable, drawn here, kept or drawn anew for each render."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRegularExpression, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QWidget

from studio.contract import Limits
from studio.core.words import tr
from ui.compose.fields import leave_to_window
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_XS


class SeedField(QWidget):
    """The number, a lock and a dice. 64 bits, which no spin box holds."""

    chosen = Signal(object)
    """The user typed this seed (int)."""
    drawn = Signal()
    lock_changed = Signal(bool)

    def __init__(self, limits: Limits, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._limits = limits
        self._seed, self._locked = 0, True
        self.field = QLineEdit()
        self.field.setValidator(QRegularExpressionValidator(QRegularExpression(r"-?\d{1,19}"), self))
        leave_to_window(self.field)
        self.lock, self.dice = QToolButton(), QToolButton()
        self.dice.setIcon(icon("dice"))
        for button in (self.lock, self.dice):
            set_role(button, "quiet")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_XS)
        row.addWidget(self.field, 1)
        row.addWidget(self.lock)
        row.addWidget(self.dice)
        self.field.editingFinished.connect(self._on_finished)
        self.lock.clicked.connect(self._on_lock)
        self.dice.clicked.connect(self.drawn)
        self.retranslate()

    def show_seed(self, seed: int, *, locked: bool) -> None:
        """Show a seed and whether it is kept."""
        self._seed, self._locked = seed, locked
        self.field.setText(str(seed))
        self.lock.setIcon(icon("lock" if locked else "unlock"))
        self.retranslate()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self.field.setAccessibleName(tr("Seed"))
        kept, drawn = (
            tr("The seed is kept. Draw one for each render"),
            tr("A seed is drawn for each render. Keep this one"),
        )
        self.lock.setToolTip(kept if self._locked else drawn)
        self.lock.setAccessibleName(self.lock.toolTip())
        self.dice.setToolTip(tr("Draw another seed"))
        self.dice.setAccessibleName(tr("Draw another seed"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _on_lock(self) -> None:
        self.lock_changed.emit(not self._locked)

    def _on_finished(self) -> None:
        try:
            typed = int(self.field.text())
        except ValueError:
            typed = self._seed
        seed = min(max(typed, self._limits.seed_min), self._limits.seed_max)
        self.field.setText(str(seed))
        if seed != self._seed:
            self.chosen.emit(seed)

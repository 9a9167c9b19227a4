"""While two clips are being opened: what happens, and a way out."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from studio.core.words import tr
from ui.compare.viewmodel import CompareModel
from ui.theme.tokens import SPACE_M

_WIDTH = 240


class Opening(QWidget):
    """A busy bar with *Cancel*."""

    def __init__(self, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text, self._bar, self._cancel = QLabel(), QProgressBar(), QPushButton()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 0)
        self._bar.setFixedWidth(_WIDTH)
        self._cancel.clicked.connect(model.cancel_opening)
        column = QVBoxLayout(self)
        column.setSpacing(SPACE_M)
        column.addStretch()
        for widget in (self._text, self._bar, self._cancel):
            column.addWidget(widget, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._text.setText(tr("Opening both clips…"))
        self._bar.setAccessibleName(tr("Opening"))
        self._cancel.setText(tr("Cancel"))

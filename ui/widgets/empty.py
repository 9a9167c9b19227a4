"""What stands where nothing is yet: an icon, one sentence that says what to do, one button that does it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from studio.core.words import tr
from ui.theme import icons
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_M

_ICON = 40


class EmptyState(QWidget):
    """`sentence` and `button` are marked English texts; without `button` there is no button."""

    pressed = Signal()

    def __init__(self, icon: str, sentence: str, button: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon, self._sentence, self._button_text = icon, sentence, button
        self._picture = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._text = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._text.setWordWrap(True)
        set_role(self._text, "dim")
        self.button = QPushButton(self)
        self.button.setHidden(not button)
        self.button.clicked.connect(self.pressed)
        set_role(self.button, "primary")
        column = QVBoxLayout(self)
        column.setSpacing(SPACE_M)
        column.addStretch()
        column.addWidget(self._picture)
        column.addWidget(self._text)
        column.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()
        self._retranslate()
        self._draw()

    def set_sentence(self, sentence: str) -> None:
        """Say something else (a marked English text)."""
        self._sentence = sentence
        self._retranslate()

    def text(self) -> str:
        """What it says, in the current language."""
        return self._text.text()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        elif event.type() in (QEvent.Type.PaletteChange, QEvent.Type.DevicePixelRatioChange):
            self._draw()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._text.setText(tr(self._sentence))
        self.button.setText(tr(self._button_text))

    def _draw(self) -> None:
        self._picture.setPixmap(icons.pixmap(self._icon, _ICON, "faint", ratio=self.devicePixelRatioF()))

"""The bar that shows a notice: what happened, what to do, *Copy details*, and a way to put it away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from studio.core.notices import Notice, Severity
from studio.core.words import mark, tr
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.icon_label import IconLabel

_LOOK: dict[Severity, tuple[str, str, str]] = {
    "info": ("info", "dim", mark("Note")),
    "good": ("check", "good", mark("Done")),
    "warn": ("warning", "warn", mark("Warning")),
    "bad": ("error", "bad", mark("Error")),
}


class NoticeBar(QFrame):
    """Hidden until `show_notice`; a newer notice takes the place of the older one."""

    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._notice: Notice | None = None
        self._icon = IconLabel("info", "dim", self)
        self._text = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy_button = QPushButton()
        self.copy_button.clicked.connect(self._on_copy)
        self.dismiss_button = QToolButton()
        self.dismiss_button.setIcon(icon("close"))
        self.dismiss_button.clicked.connect(self.dismiss)
        set_role(self.copy_button, "quiet")
        set_role(self.dismiss_button, "quiet")
        set_role(self, "notice")
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_M, SPACE_XS, SPACE_XS, SPACE_XS)
        row.setSpacing(SPACE_S)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self.copy_button)
        row.addWidget(self.dismiss_button)
        self.hide()

    @property
    def notice(self) -> Notice | None:
        """What is shown."""
        return self._notice

    def show_notice(self, notice: Notice) -> None:
        """Show a notice until it is put away or another comes."""
        self._notice = notice
        self._icon.set_icon(*_LOOK[notice.severity][:2])
        self.copy_button.setVisible(bool(notice.detail))
        self._retranslate()
        self.show()

    def dismiss(self) -> None:
        """Put the notice away."""
        self._notice = None
        self.hide()
        self.dismissed.emit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _on_copy(self) -> None:
        if self._notice is not None:
            QGuiApplication.clipboard().setText(f"{self._text.text()}\n\n{self._notice.detail}")

    def _retranslate(self) -> None:
        self.copy_button.setText(tr("Copy details"))
        self.dismiss_button.setToolTip(tr("Dismiss"))
        self.dismiss_button.setAccessibleName(tr("Dismiss"))
        if self._notice is None:
            return
        sentences = [self._notice.message.text(), self._notice.mend.text() if self._notice.mend else ""]
        self._text.setText(" ".join(filter(None, sentences)))
        self._icon.setAccessibleName(tr(_LOOK[self._notice.severity][2]))

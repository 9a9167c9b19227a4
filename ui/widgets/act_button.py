"""The one button about the server: always the next sensible act, with a menu beside it when there is another."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from studio.core.words import mark, ntr, tr
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import ICON
from ui.widgets.popup_button import PopupButton


class Act(StrEnum):
    """What can be done about the server."""

    START = "start"
    CANCEL_START = "cancel start"
    CONNECT = "connect"
    DISCONNECT = "disconnect"
    STOP = "stop"
    STOP_AFTER = "stop after"
    """Once the present render is done."""
    KEEP = "keep"
    """Do not stop after the present render."""
    STOP_NOW = "stop now"
    STOPPING = "stopping"
    """Nothing to do but wait."""


_TEXTS = {
    Act.START: mark("Start server"),
    Act.CANCEL_START: mark("Cancel"),
    Act.CONNECT: mark("Connect"),
    Act.DISCONNECT: mark("Disconnect"),
    Act.STOP: mark("Stop server"),
    Act.STOP_AFTER: mark("Stop after this render"),
    Act.KEEP: mark("Keep the server running"),
    Act.STOP_NOW: mark("Stop now"),
    Act.STOPPING: mark("Stopping…"),
}
_GO = (Act.START, Act.CONNECT)


class ActButton(QWidget):
    """Shows an act; `chosen` tells which one the user wants."""

    chosen = Signal(object)
    """An Act."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._act, self._waiting = Act.START, 0
        self.button = QPushButton()
        self.button.setIconSize(QSize(ICON, ICON))
        self.button.clicked.connect(self._on_clicked)
        self.more = PopupButton("", self._fill, icon_name="chevron-down")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.button)
        row.addWidget(self.more)
        self._show()

    @property
    def act(self) -> Act:
        """What a press does."""
        return self._act

    def set_act(self, act: Act, waiting: int = 0) -> None:
        """Offer another act; `waiting` jobs wait for a server."""
        if (act, waiting) != (self._act, self._waiting):
            self._act, self._waiting = act, waiting
            self._show()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._show()
        super().changeEvent(event)

    def _show(self) -> None:
        text = tr(_TEXTS[self._act])
        if self._waiting and self._act in _GO:
            jobs = ntr("{count} job waits", "{count} jobs wait", self._waiting)
            text = tr("{act}, {jobs}", act=text, jobs=jobs)
        self.button.setText(text)
        self.button.setEnabled(self._act is not Act.STOPPING)
        set_role(self.button, "primary" if self._act in _GO else "")
        self.more.setVisible(self._act in (Act.STOP_AFTER, Act.KEEP))
        self.more.set_name(tr("Other ways to stop"))

    def _on_clicked(self) -> None:
        self.chosen.emit(self._act)

    def _fill(self, menu: QMenu) -> None:
        now = menu.addAction(icon("stop"), tr("Stop now…"))
        now.triggered.connect(self._on_stop_now)

    def _on_stop_now(self) -> None:
        self.chosen.emit(Act.STOP_NOW)

"""Which server is used, and the API keys for those that want one."""

from __future__ import annotations

import shlex

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from studio.contract import list_limits, load_limits
from studio.core.words import mark, tr
from studio.settings import Settings
from ui.settings.section import Section
from ui.settings.viewmodel import SettingsModel
from ui.widgets.dropdown import Dropdown


class ServersSection(Section):
    """Follows the model. A key is never shown again once it is kept."""

    server_requested = Signal()
    """The user wants to choose another server."""

    def __init__(self, model: SettingsModel, parent: QWidget | None = None) -> None:
        super().__init__(mark("Servers"), parent)
        self._model = model
        self._used, self.change = QLabel(), QPushButton()
        self.address, self.key = QLineEdit(), QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.keep, self.forget = QPushButton(), QPushButton()
        self.address.setPlaceholderText("http://192.168.1.20:8000")
        self.add(mark("Renders go to"), self._used, "", self.change)
        self.limits = Dropdown()
        for limits_id in (None, *reversed(list_limits())):
            self.limits.addItem("" if limits_id is None else load_limits(limits_id).title, limits_id)
        self.add(mark("Its limits"), self.limits, mark("What a request is judged by before anything is sent."))
        self.limits.activated.connect(lambda at: model.change_part("server", limits=self.limits.itemData(at)))
        self.cards = QLineEdit()
        self.cards.setPlaceholderText("ssh gpu-box")
        self.add(
            mark("Its cards are read by"),
            self.cards,
            mark("For a server on another machine: what is put before nvidia-smi. Empty: nothing is read there."),
        )
        self.cards.editingFinished.connect(self._on_cards)
        self.add(mark("Address that wants an API key"), self.address)
        self.add(
            mark("API key"),
            self.key,
            mark("Kept in the desktop's key store; without one, for this session only. H3_API_KEY comes before it."),
            self.keep,
            self.forget,
        )
        self.change.clicked.connect(self.server_requested)
        self.keep.clicked.connect(self._on_keep)
        self.forget.clicked.connect(self._on_forget)
        self.key.returnPressed.connect(self._on_keep)
        for field in (self.address, self.key):
            field.textChanged.connect(self._show_buttons)

    def refresh(self) -> None:
        """Show what the model knows, in the current language."""
        self.retranslate()
        settings = self._model.present
        self._used.setText(_server_name(settings))
        self._used.setAccessibleName(tr("Renders go to {name}", name=_server_name(settings)))
        self.limits.setItemText(0, tr("Those of the server's own version"))
        self.limits.setCurrentIndex(max(0, self.limits.findData(settings.server.limits)))
        if not self.cards.hasFocus():
            self.cards.setText(shlex.join(settings.server.gpu_command))
        if not self.address.text():
            self.address.setText(settings.server.url or "")
        self.change.setText(tr("Choose a server…"))
        self.keep.setText(tr("Keep"))
        self.forget.setText(tr("Forget"))
        self.keep.setAccessibleName(tr("Keep the API key"))
        self.forget.setAccessibleName(tr("Forget the API key"))
        self._show_buttons()

    def _show_buttons(self) -> None:
        there = bool(self.address.text().strip())
        self.keep.setEnabled(there and bool(self.key.text()))
        self.forget.setEnabled(there)

    def _on_cards(self) -> None:
        try:
            words = tuple(shlex.split(self.cards.text()))
        except ValueError:  # a quote is not closed: what was there stays
            self.cards.setText(shlex.join(self._model.present.server.gpu_command))
            return
        if words != self._model.present.server.gpu_command:
            self._model.change_part("server", gpu_command=words)

    def _on_keep(self) -> None:
        if self.keep.isEnabled():
            self._model.remember_key(self.address.text(), self.key.text())
            self.key.clear()

    def _on_forget(self) -> None:
        self._model.forget_key(self.address.text())


def _server_name(settings: Settings) -> str:
    server = settings.server
    match server.kind:
        case "rehearsal":
            return tr("Rehearsal server")
        case "url":
            return server.url or tr("Running server at an address")
        case "profile":
            return tr("profile {name}", name=server.profile or "")
        case "unit":
            return server.unit or tr("Unit or container of your own")

"""The Server workspace: which server left, where it stands in the middle, its live log right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QMessageBox, QScrollArea, QSplitter, QTabWidget, QVBoxLayout, QWidget

from studio.core.words import mark, tr
from ui.server.choice import Choice
from ui.server.launch_text import LaunchText
from ui.server.log_view import LogView
from ui.server.policy import Kind
from ui.server.profile_list import ProfileList
from ui.server.state_pane import StatePane
from ui.server.viewmodel import ServerModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_M, SPACE_S
from ui.widgets.ask import ask_before

_WIDTHS = (250, 380, 580)
_ROOM_FOR_THREE = 820
"""Width under which the log stands below the state instead of beside it."""


class ServerWorkspace(QWidget):
    """Shows a ServerModel, and asks what it wants asked."""

    def __init__(self, model: ServerModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.rehearsal = Choice(
            mark("Rehearsal server"),
            mark("Built in; needs no GPU and no model. It takes real requests and gives back a video made from them."),
        )
        self.by_address = Choice(
            mark("Running server at an address"),
            mark("A vLLM-Omni server with MiniMax-H3 that is already running, here or on another machine."),
        )
        self.rehearsal.chosen.connect(self._on_rehearsal)
        self.by_address.chosen.connect(self._on_address)
        self.by_unit = Choice(
            mark("User unit of systemd"),
            mark(
                "A unit that you wrote yourself. It is started, stopped and followed; its files are left as they are."
            ),
        )
        self.by_unit.chosen.connect(self._on_unit)
        self.profiles = ProfileList(model.launches)
        self.profiles.picked.connect(model.choose_profile)
        self.state = StatePane(model)
        self.texts = {form: LaunchText(model.launches, form) for form in ("shell", "quadlet", "compose")}
        self.tabs = QTabWidget(documentMode=True)
        self.log = LogView()
        self._right = QSplitter(Qt.Orientation.Horizontal)
        self._caption, self._profiles_caption = QLabel(), QLabel()
        for caption in (self._caption, self._profiles_caption):
            set_role(caption, "caption")
        self._lay_out()
        model.log_line.connect(self.log.append)
        model.log_restarted.connect(self._on_log_restarted)
        model.status_changed.connect(self._show)
        model.confirm_requested.connect(self._on_confirm)
        model.profile_shown.connect(self._on_profile_shown)
        model.address_needed.connect(self.state.address.setFocus)
        self._on_log_restarted()
        self._retranslate()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._model.launches.look()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = event.size().width() < _ROOM_FOR_THREE
        self._right.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)

    def _lay_out(self) -> None:
        left = QFrame()
        set_role(left, "panel")
        choices = QVBoxLayout(left)
        choices.setContentsMargins(SPACE_M, SPACE_L, SPACE_M, SPACE_M)
        choices.setSpacing(SPACE_S)
        choices.addWidget(self._caption)
        choices.addWidget(self.rehearsal)
        choices.addWidget(self.by_address)
        choices.addWidget(self.by_unit)
        choices.addWidget(self._profiles_caption)
        choices.addWidget(self.profiles, 1)
        state = QScrollArea(widgetResizable=True)
        state.setFrameShape(QFrame.Shape.NoFrame)
        state.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        state.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        state.setWidget(self.state)
        self._right.addWidget(state)
        for tab in (self.log, *self.texts.values()):
            self.tabs.addTab(tab, "")
        self._right.addWidget(self.tabs)
        self._right.setStretchFactor(1, 1)
        self._right.setSizes(list(_WIDTHS[1:]))
        whole = QSplitter(Qt.Orientation.Horizontal)
        whole.addWidget(left)
        whole.addWidget(self._right)
        whole.setStretchFactor(1, 1)
        whole.setSizes([_WIDTHS[0], sum(_WIDTHS[1:])])
        for split in (whole, self._right):
            split.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(whole)

    def _retranslate(self) -> None:
        self.setAccessibleName(tr("Server"))
        self._caption.setText(tr("RENDER ON"))
        self.tabs.setAccessibleName(tr("Log and launch texts"))
        self.tabs.tabBar().setAccessibleName(tr("Log and launch texts"))
        self._profiles_caption.setText(tr("OR START A PROFILE"))
        for index, name in enumerate((tr("Log"), tr("Command"), tr("Quadlet"), tr("Compose file"))):
            self.tabs.setTabText(index, name)
        self._show()

    def _show(self, _status: object = None) -> None:
        cause = self._model.status.cause
        self.log.pin(cause.line if cause is not None else "")
        self.log.facts = self._model.facts()
        self.rehearsal.set_chosen(self._model.kind == "rehearsal")
        self.by_address.set_chosen(self._model.kind == "url")
        self.by_unit.set_chosen(self._model.kind == "unit")

    def _on_rehearsal(self) -> None:
        self._choose("rehearsal")

    def _on_address(self) -> None:
        self._choose("url")

    def _on_unit(self) -> None:
        self._choose("unit")

    def _on_profile_shown(self, differences: str) -> None:
        box = QMessageBox(QMessageBox.Icon.NoIcon, tr("H3 Studio"), "", parent=self.window())
        box.setText(tr("Start a profile that is not built in?"))
        box.setInformativeText(tr("It would run:\n{differences}", differences=differences))
        start = box.addButton(tr("Start"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
        start.clicked.connect(self._model.confirm_and_start)
        box.finished.connect(box.deleteLater)
        box.open()

    def _choose(self, kind: Kind) -> None:
        self._model.choose(kind)
        self._show()

    def _on_log_restarted(self) -> None:
        self.log.restart(self._model.recent_log())

    def _on_confirm(self, lost: str) -> None:
        what = tr("This is lost: {lost}.", lost=lost)
        ask_before(self, tr("Stop the server now?"), what, tr("Stop now"), self._model.stop_now)

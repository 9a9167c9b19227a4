"""The Server workspace: which server left, where it stands in the middle, its live log right."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QMessageBox, QScrollArea, QSplitter, QTabWidget, QVBoxLayout, QWidget

from studio.core.words import mark, tr
from studio.server import ServerState
from studio.server.texts import Form
from ui.server.choice import Choice
from ui.server.launch_text import LaunchText, read_form, read_lacking
from ui.server.log_view import ELSEWHERE, NO_SERVER, LogView
from ui.server.policy import Kind
from ui.server.profile_form import ProfileForm
from ui.server.profile_list import ProfileList
from ui.server.servers_list import ServersList
from ui.server.servers_model import ServersModel
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

    def __init__(
        self, model: ServerModel, parent: QWidget | None = None, *, servers: ServersModel | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self.servers = ServersList(servers) if servers is not None else None
        self._state = ServerState.STOPPED
        self.rehearsal = Choice(
            mark("Rehearsal server"),
            mark("Built in: needs no GPU and no model."),
        )
        self.by_address = Choice(
            mark("Running server at an address"),
            mark("Already running, here or elsewhere."),
        )
        self.rehearsal.chosen.connect(self._on_rehearsal)
        self.by_address.chosen.connect(self._on_address)
        self.by_unit = Choice(
            mark("Unit or container of your own"),
            mark("Started and stopped by its name; its files stay as they are."),
        )
        self.by_unit.chosen.connect(self._on_unit)
        self.profiles = ProfileList(model.launches)
        self.profiles.picked.connect(model.choose_profile)
        self.state = StatePane(model)
        forms: tuple[Form, ...] = ("shell", "quadlet", "compose")
        self.texts = {form: LaunchText(model.launches, partial(read_form, model.launches, form)) for form in forms}
        self.lacking = LaunchText(model.launches, partial(read_lacking, model.launches))
        self.profile_form = ProfileForm(model.launches)
        self.tabs = QTabWidget(documentMode=True)
        self.log = LogView()
        self._right = QSplitter(Qt.Orientation.Horizontal)
        self._caption, self._profiles_caption = QLabel(), QLabel()
        for caption in (self._caption, self._profiles_caption):
            set_role(caption, "caption")
        self._lay_out()
        model.log_line.connect(self.log.append)
        self.log.unsaved.connect(model.launches.tell_unwritten)
        model.log_restarted.connect(self._on_log_restarted)
        model.status_changed.connect(self._show)
        model.confirm_requested.connect(self._on_confirm)
        model.profile_shown.connect(self._on_profile_shown)
        model.displacing.connect(self._on_displacing)
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
        if self.servers is not None:
            choices.addWidget(self.servers)
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
        for tab in (self.log, self.profile_form, *self.texts.values(), self.lacking):
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
        names = (tr("Log"), tr("Flags"), tr("Command"), tr("Quadlet"), tr("Compose file"), tr("What it lacks"))
        for index, name in enumerate(names):
            self.tabs.setTabText(index, name)
        self._show()

    def _show(self, _status: object = None) -> None:
        cause = self._model.status.cause
        self.log.pin(cause.line if cause is not None else "")
        self.log.facts = self._model.facts()
        status = self._model.status
        if status.state is ServerState.STARTING and self._state is not ServerState.STARTING:
            self.tabs.setCurrentWidget(self.log)
        self._state = status.state
        self.log.explain_empty(NO_SERVER if status.ours or not status.url else ELSEWHERE)
        self.rehearsal.set_chosen(self._model.kind == "rehearsal")
        self.by_address.set_chosen(self._model.kind == "url")
        self.by_unit.set_chosen(self._model.kind == "unit")
        for choice in (self.rehearsal, self.by_address, self.by_unit):
            choice.set_compact(bool(self._model.settings.others))
        self._show_tabs()

    def _show_tabs(self) -> None:
        kind = self._model.kind
        for tab in (self.profile_form, *self.texts.values()):
            self.tabs.setTabVisible(self.tabs.indexOf(tab), kind == "profile")
        self.tabs.setTabVisible(self.tabs.indexOf(self.lacking), kind == "unit")

    def _on_rehearsal(self) -> None:
        self._choose("rehearsal")

    def _on_address(self) -> None:
        self._choose("url")

    def _on_unit(self) -> None:
        self._choose("unit")

    def _on_profile_shown(self, differences: str) -> None:
        what = tr("It would run:\n{differences}", differences=differences)
        self._ask_to_start(tr("Start a profile that is not built in?"), what, self._model.confirm_and_start)

    def _on_displacing(self, unit: str, names: str) -> None:
        question = tr("Start {unit} and end what runs in its place?", unit=unit)
        what = tr("This ends: {names}. It can be started again once the server is stopped.", names=names)
        self._ask_to_start(question, what, lambda: self._model.displace_and_start(names))

    def _ask_to_start(self, question: str, what: str, then: Callable[[], object]) -> None:
        box = QMessageBox(QMessageBox.Icon.NoIcon, tr("H3 Studio"), question, parent=self.window())
        box.setInformativeText(what)
        start = box.addButton(tr("Start"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
        start.clicked.connect(lambda _checked=False: then())
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

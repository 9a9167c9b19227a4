"""Where the server stands: its state in one sentence, the next sensible act, what is known of it."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QLocale, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import Message, mark, say, tr
from studio.jobs import telling
from studio.server import ServerState
from ui.server.doctor_list import DoctorList
from ui.server.launch_form import LaunchForm
from ui.server.readings import ReadingsRow
from ui.server.remedies import Remedy, remedies
from ui.server.viewmodel import ServerModel
from ui.theme.palette import repolish, set_role
from ui.theme.tokens import CONTROL_HEIGHT, SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from ui.widgets.act_button import Act, ActButton
from ui.widgets.elided import ElidedLabel
from ui.widgets.flow import Flow
from ui.widgets.number_field import inset
from ui.widgets.segmented import Segmented

_TICK_MS = 500
_NARROWEST = 240


class StatePane(QWidget):
    """The middle of the Server workspace."""

    def __init__(self, model: ServerModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._refused: Message | None = None
        self._title, self.sentence, self._hint = (_label() for _ in range(3))
        self.setMinimumWidth(_NARROWEST)
        set_role(self._title, "title")
        set_role(self._hint, "dim")
        self.busy = QProgressBar(textVisible=False, maximum=0)
        self.act = ActButton()
        self.act.chosen.connect(self._on_act)
        self._readings = ReadingsRow()
        self._remedies = Flow(spacing=SPACE_S)
        self._offered: list[str] = []
        self.cause = _label()
        self.form, self.doctor = LaunchForm(model.launches), DoctorList(mark("DOCTOR"))
        self.limits = DoctorList(mark("TIME LIMITS"), all_shown=True)
        model.launches.examined.connect(self.doctor.set_checks)
        self.address, self.key = QLineEdit(), QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.trouble = _label()
        set_role(self.trouble, "bad")
        for field in (self.address, self.key):
            field.returnPressed.connect(self._connect)
        self.address.textEdited.connect(self._forget_refusal)
        self.pace = QDoubleSpinBox(minimum=0.0, maximum=60.0, decimals=2, singleStep=0.05)
        self.pace.setKeyboardTracking(False)
        inset(self.pace)
        self.pace.setLocale(QLocale.c())
        self.pace.valueChanged.connect(model.set_step_seconds)
        parts = (("combined", mark("All modes")), ("fl2va", mark("T2VA, FL2VA")), ("ref2va", mark("Ref2VA")))
        self.partition = Segmented(parts, mark("What it renders"))
        self.partition.chosen.connect(model.set_rehearsal_task)
        self.facts = {name: ElidedLabel() for name in ("model", "tasks", "address", "pid", "logs")}
        self._names = {name: QLabel() for name in ("field", "key", "pace", "plays", *self.facts)}
        for name, label in self._names.items():
            set_role(label, "dim")
            if name not in self.facts:
                label.setMinimumHeight(CONTROL_HEIGHT)
        self._lay_out()
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._show_elapsed)
        model.switched.connect(self._on_switched)
        model.status_changed.connect(self._show)
        model.address_refused.connect(self._on_refused)
        self.address.setText(model.url)
        self.pace.setValue(model.step_seconds)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tick.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._tick.stop()
        super().hideEvent(event)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        column.setSpacing(SPACE_S)
        for widget in (self._title, self.sentence, self._readings, self.cause, self.busy, self._remedies):
            column.addWidget(widget)
        column.addSpacing(SPACE_S)
        self._form = _form(column)
        self._form.addRow(self._names["field"], self.address)
        self._form.addRow(self._names["key"], self.key)
        self._form.addRow(self._names["pace"], self.pace)
        self._form.addRow(self._names["plays"], self.partition)
        column.addWidget(self.form)
        column.addWidget(self.trouble)
        column.addWidget(self._hint)
        column.addSpacing(SPACE_S)
        column.addWidget(self.act, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addSpacing(SPACE_L)
        self._known = _form(column)
        for name, label in self.facts.items():
            self._known.addRow(self._names[name], label)
        column.addSpacing(SPACE_S)
        column.addWidget(self.limits)
        column.addWidget(self.doctor)
        column.addStretch()

    # Showing.

    def _retranslate(self) -> None:
        words = {
            "field": tr("Address"),
            "key": tr("API key"),
            "pace": tr("Pace"),
            "plays": tr("Renders"),
            "model": tr("Model"),
            "tasks": tr("Renders"),
            "address": tr("Address"),
            "pid": tr("Process"),
            "logs": tr("Logs"),
        }
        for name, text in words.items():
            self._names[name].setText(text)
        for field, name in ((self.address, "field"), (self.key, "key"), (self.pace, "pace")):
            field.setAccessibleName(words[name])
        self.pace.lineEdit().setAccessibleName(words["pace"])
        self.address.setPlaceholderText("http://192.168.1.20:8000")
        self.key.setPlaceholderText(tr("only if the server asks for one"))
        self.pace.setSuffix(" " + tr("s/step"))
        self.busy.setAccessibleName(tr("Working"))
        self._offered = []
        self._show()

    def _show(self, _status: object = None) -> None:
        model, status = self._model, self._model.status
        by_address = model.kind == "url"
        wanted = model.kind == "rehearsal"
        elsewhere = status.state is ServerState.READY and (status.rehearsal != wanted or status.ours == by_address)
        self._title.setText(model.text())
        self.busy.setVisible(status.state in (ServerState.STARTING, ServerState.STOPPING))
        self.act.set_act(model.act, model.waiting)
        idle = status.state in (ServerState.STOPPED, ServerState.FAILED)
        connected = by_address and status.state is ServerState.READY and not status.ours
        self._form.setRowVisible(self.address, by_address and not connected)
        self._form.setRowVisible(self.key, by_address and not connected)
        self._form.setRowVisible(self.pace, model.kind == "rehearsal")
        self.partition.set_current(model.settings.server.rehearsal_task)
        self._form.setRowVisible(self.partition, model.kind == "rehearsal" and idle and bool(model.settings.others))
        self.form.setVisible(model.kind in ("profile", "unit") and (idle or elsewhere))
        self.doctor.setVisible(model.kind == "profile" and idle)
        self._show_cause()
        self._readings.setVisible(status.state in (ServerState.STARTING, ServerState.READY))
        self._readings.set_readings(status.readings)
        self.limits.set_checks(model.limits())
        self.limits.setVisible(bool(self.limits.checks))
        self.trouble.setText(self._refused.text() if self._refused is not None else "")
        self.trouble.setVisible(by_address and self._refused is not None)
        self._hint.setText(self._hint_text(elsewhere))
        self._hint.setVisible(bool(self._hint.text()))
        self._show_elapsed()
        self._show_facts()

    def _hint_text(self, elsewhere: bool) -> str:
        ready = self._model.status.state is ServerState.READY
        if elsewhere and not self._model.status.ours:
            return tr("Disconnect first to use another server.")
        if elsewhere and self._model.kind != "url":
            return tr("Stop the server that runs first to use another.")
        if elsewhere:
            return tr("Connecting elsewhere ends the server that runs here.")
        if self._model.kind == "rehearsal" and ready:
            return tr("Another pace counts from the next start on.")
        return ""

    def _show_elapsed(self) -> None:
        model, status = self._model, self._model.status
        for_long = telling.duration(float(int(model.seconds_in_state))).replace(".00", "")
        match status.state:
            case ServerState.FAILED if status.trouble is not None:
                text = status.trouble.text()
            case ServerState.STARTING if status.loading:
                text = f"{say('server.phase.remote')} · {tr('{time} so far', time=for_long)}"
            case ServerState.STARTING:
                text = self._start_text(for_long)
            case ServerState.STOPPING if (left := model.seconds_to_force) is not None:
                text = tr("It has {seconds} s left to end by itself.", seconds=int(left))
            case ServerState.STOPPING:
                text = tr("{time} so far", time=for_long)
            case ServerState.READY if status.record is not None:
                uptime = telling.duration(float(int(max(0.0, time.time() - status.record.started)))).replace(".00", "")
                text = tr("Running for {time}.", time=uptime)
            case ServerState.READY:
                text = tr("Somebody else runs it: the studio uses it and never stops it.")
            case _:
                text = tr("Renders wait until there is one.")
        self.sentence.setText(text)
        set_role(self.sentence, "bad" if status.state is ServerState.FAILED else "")

    def _start_text(self, for_long: str) -> str:
        progress, last = self._model.status.progress, self._model.seconds_last_time
        parts = []
        if progress is not None:
            shards = f" {progress.shards[0]}/{progress.shards[1]}" if progress.shards else ""
            parts.append(say(f"server.phase.{progress.phase}") + shards)
        parts.append(tr("{time} so far", time=for_long))
        if last is not None:
            parts.append(tr("last time {time}", time=telling.duration(float(int(last))).replace(".00", "")))
        return " · ".join(parts)

    def _show_cause(self) -> None:
        status = self._model.status
        cause = status.cause if status.state in (ServerState.FAILED, ServerState.STARTING) else None
        self.cause.setText(f"{cause.message.text()} {cause.mend.text()}" if cause is not None else "")
        self.cause.setVisible(cause is not None)
        self._offer(list(remedies(self._model)))

    def _offer(self, offered: list[Remedy]) -> None:
        texts = [remedy.text for remedy in offered]
        if texts != self._offered:  # a button under the pointer stays the same as long as it says the same
            self._offered = texts
            self._remedies.clear()
            for remedy in offered:
                button = QPushButton(remedy.text)
                button.setToolTip(remedy.tip)
                button.clicked.connect(lambda _checked=False, do=remedy.do: do())
                self._remedies.add(button)
        self._remedies.setVisible(bool(texts))

    def _show_facts(self) -> None:
        status = self._model.status
        record = status.record
        values = {
            "model": status.model,
            "tasks": " · ".join(status.tasks) or None,
            "address": status.url if status.state is ServerState.READY else None,
            "pid": str(record.pid) if record is not None else None,
            "logs": str(record.folder) if record is not None else None,
        }
        for name, value in values.items():
            self.facts[name].setText(value or "")
            self._known.setRowVisible(self.facts[name], value is not None)

    def _on_switched(self) -> None:
        """Another server is in view: the fields are its own."""
        self._forget_refusal()
        self.key.clear()
        self.address.setText(self._model.url)
        self.pace.setValue(self._model.step_seconds)

    # Doing.

    def _on_act(self, act: Act) -> None:
        if act is Act.CONNECT:
            self._connect()
        else:
            self._model.perform(act)

    def _connect(self) -> None:
        self._forget_refusal()
        self._model.attach(self.address.text(), self.key.text())
        if self._refused is None:
            self.key.clear()

    def _on_refused(self, message: Message) -> None:
        self._refused = message
        self._mark_address("bad")
        self.address.setFocus()
        self._show()

    def _forget_refusal(self, _text: str = "") -> None:
        if self._refused is not None:
            self._refused = None
            self._mark_address("")
            self._show()

    def _mark_address(self, state: str) -> None:
        self.address.setProperty("state", state)
        repolish(self.address)


def _label() -> QLabel:
    label = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _form(column: QVBoxLayout) -> QFormLayout:
    form = QFormLayout()
    form.setHorizontalSpacing(SPACE_M)
    form.setVerticalSpacing(SPACE_S)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    column.addLayout(form)
    return form

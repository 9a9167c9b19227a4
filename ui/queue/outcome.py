"""What came of a job: the fault with what to do, the findings that stood in its way, or the facts of its video."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from studio.contract.findings import Finding, Severity
from studio.core.words import cut_seconds, ntr, say, tr
from studio.jobs import Fault, Job, choosing
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_M, SPACE_S
from ui.widgets.finding import FindingRow
from ui.widgets.icon_label import IconLabel
from ui.widgets.layouts import widgets_of


class Outcome(QFrame):
    """A card under the head of the job; hidden while there is nothing to say."""

    rule_requested = Signal()
    """What the server refused is to be a rule of that server from now on."""
    choice_requested = Signal()
    """The user wants to say which of the server's renders the job is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job: Job | None = None
        self._can_be_rule = False
        self._shown: object = None
        set_role(self, "notice")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        self._column.setSpacing(SPACE_S)
        self.hide()

    def show_job(self, job: Job, *, can_be_rule: bool = False) -> None:
        """Show what came of this job; `can_be_rule`: its server refused it for a reason that our rules do not know."""
        self._job, self._can_be_rule = job, can_be_rule
        shown = (job.fault, job.findings, job.verified, job.video, can_be_rule)
        if shown != self._shown:
            self._shown = shown
            self._build()

    def text(self) -> str:
        """All that is said, one sentence a line."""
        return "\n".join(label.text() for label in self.findChildren(QLabel))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._build()
        super().changeEvent(event)

    def _build(self) -> None:
        for widget in widgets_of(self._column):
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()
        rows = self._rows(self._job) if self._job is not None else []
        for row in rows:
            self._column.addWidget(row)
        self.setVisible(bool(rows))

    def _rows(self, job: Job) -> list[QWidget]:
        if job.findings:
            return [FindingRow(_finding(plain)) for plain in job.findings]
        if job.fault is not None:
            rows = [_said("error", "bad", _fault_text(job.fault))]
            if choosing.is_open(job):
                rows.append(_offer(tr("Choose…"), tr("Which render on the server it is"), self.choice_requested))
            if self._can_be_rule:
                why = tr("Compose will stop what this server would refuse for the same reason.")
                rows.append(_offer(tr("Treat as a rule here"), why, self.rule_requested))
            return rows
        if job.verified is not None and job.video is not None:
            rows = [_said("check", "good", verified_text(job.verified)), _said("video", "dim", str(job.video))]
            if job.verified.get("rehearsal"):
                rows.insert(1, _said("info", "dim", tr("Rehearsal: made from the references, not by the model.")))
            return rows
        return []


def verified_text(verified: dict[str, Any]) -> str:
    """What verification saw: "Every frame decodes: 243 frames, 10.12 s, 1344×768 at 24 fps, stereo sound at 48 kHz"."""
    facts = [ntr("{count} frame", "{count} frames", int(verified.get("frames", 0)))]
    if (seconds := verified.get("video_seconds")) is not None:
        facts.append(tr("{seconds} s", seconds=cut_seconds(float(seconds))))
    facts.append(f"{verified.get('width')}×{verified.get('height')}")
    facts.append(tr("{fps} fps", fps=f"{float(verified.get('fps', 0)):g}"))
    facts.append(_sound(verified))
    if (size := verified.get("size_bytes")) is not None:
        facts.append(tr("{size:mib}", size=int(size)))
    return tr("Verified, every frame decodes: {facts}.", facts=" · ".join(facts))


def _sound(verified: dict[str, Any]) -> str:
    channels = verified.get("audio_channels")
    if not channels:
        return tr("no sound")
    if verified.get("sound_silent"):
        return tr("a silent sound track")
    names = {1: tr("mono sound"), 2: tr("stereo sound")}
    return names.get(int(channels)) or tr("{count} channels of sound", count=int(channels))


def _fault_text(fault: Fault) -> str:
    """What went wrong and, on a line of its own, what to do: a server's own words may end without a full stop."""
    mend = [say(fault.mend, fault.params)] if fault.mend else []
    return "\n".join([fault.message.text(), *mend])


def _finding(plain: dict[str, Any]) -> Finding:
    return Finding(plain["code"], Severity(plain["severity"]), plain["subject"], plain["params"])


def _offer(text: str, why: str, pressed: SignalInstance) -> QWidget:
    """A button for what can be done about it."""
    button = QPushButton(text)
    button.setToolTip(why)
    button.clicked.connect(pressed)
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    line.addWidget(button)
    line.addStretch(1)
    return row


def _said(icon: str, role: str, text: str) -> QWidget:
    row = QWidget()
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(SPACE_S)
    line.addWidget(IconLabel(icon, role), alignment=Qt.AlignmentFlag.AlignTop)
    line.addWidget(label, 1)
    return row

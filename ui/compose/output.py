"""What comes out: canvas, length, steps, seed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QSpinBox, QVBoxLayout, QWidget

from studio.contract import Canvas
from studio.contract.shot import Follow
from studio.core.words import tr
from ui.compose.advanced import AdvancedFold
from ui.compose.canvas_picker import CanvasPicker
from ui.compose.fields import leave_to_window, name_field
from ui.compose.finding_list import FindingList
from ui.compose.length import LengthLadder
from ui.compose.long_video import LongVideo
from ui.compose.seed import SeedField
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role
from ui.theme.tokens import CONTROL_HEIGHT, SPACE_M, SPACE_S, SPACE_XS
from ui.widgets.elided import ElidedLabel


class OutputPanel(QWidget):
    """Shows the shot's output fields; every change goes to the model."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._title, self._steps_label, self._seed_label = QLabel(), QLabel(), QLabel()
        set_role(self._title, "caption")
        self._title.setMinimumHeight(CONTROL_HEIGHT)
        self._canvas_row = _Heading(model, "canvas")
        self.canvas = CanvasPicker(model.limits.aspects)
        self._length_row = _Heading(model, "frames")
        self.length, self.long_video = LengthLadder(model.limits), LongVideo(model, self)
        self.steps = QSpinBox(minimum=model.limits.steps_min, maximum=model.limits.steps_max)
        self.steps.setKeyboardTracking(False)
        self.steps.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.steps.setFixedWidth(72)
        leave_to_window(self.steps)
        self.seed = SeedField(model.limits)
        self.advanced = AdvancedFold(model)
        self.findings = FindingList(model, self)
        self._lay_out()
        self._connect()
        self.refresh()
        self.retranslate()

    def _lay_out(self) -> None:
        numbers = QGridLayout()
        numbers.setHorizontalSpacing(SPACE_M)
        numbers.setVerticalSpacing(SPACE_XS)
        numbers.setColumnStretch(1, 1)
        numbers.addWidget(self._steps_label, 0, 0)
        numbers.addWidget(self.steps, 1, 0)
        numbers.addWidget(self._seed_label, 0, 1)
        numbers.addWidget(self.seed, 1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        for widget in (self._title, self._canvas_row, self.canvas, self._length_row, self.length, self.long_video):
            column.addWidget(widget)
        column.addSpacing(SPACE_XS)
        column.addLayout(numbers)
        column.addWidget(self.advanced)
        column.addWidget(self.findings)
        column.addStretch()

    def _connect(self) -> None:
        model = self._model
        self.canvas.chosen.connect(self._on_aspect)
        self.length.chosen.connect(model.set_frames)
        self.steps.valueChanged.connect(model.set_steps)
        self.seed.chosen.connect(model.set_seed)
        self.seed.drawn.connect(model.draw_seed)
        self.seed.lock_changed.connect(model.lock_seed)
        model.findings_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the model's shot."""
        shot, resolved = self._model.shot, self._model.resolved
        self.canvas.setVisible(shot.task != "fl2va")
        self.canvas.show_aspect(shot.canvas.aspect)
        size = f"{resolved.width} × {resolved.height}" if resolved else ""
        self._canvas_row.show_value(size)
        self.long_video.refresh()
        self.length.set_longest(self.long_video.seconds_max)
        self.length.show_frames(shot.frames)
        self._length_row.show_value(tr("{frames} frames", frames=shot.frames))
        blocker = QSignalBlocker(self.steps)
        self.steps.setValue(shot.steps)
        blocker.unblock()
        self.seed.show_seed(shot.seed, locked=shot.seed_locked)
        self.advanced.refresh()
        self.findings.show_findings(self._model.output_findings)

    def reveal(self, field: str) -> None:
        """Put the focus on the control of a field of the shot."""
        control = {
            "frames": self.length.slider,
            "long_video": self.long_video.modes,
            "steps": self.steps,
            "seed": self.seed.field,
            "flow_shift": self.advanced.toggle,
            "audio_flow_shift": self.advanced.toggle,
        }.get(field, next(iter(self.canvas.buttons.values())))
        control.setFocus(Qt.FocusReason.OtherFocusReason)

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self._title.setText(tr("OUTPUT"))
        self._steps_label.setText(tr("Steps"))
        self._seed_label.setText(tr("Seed"))
        name_field(self.steps, tr("Steps"))
        self.advanced.retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            self.refresh()
        super().changeEvent(event)

    def _on_aspect(self, aspect: str) -> None:
        self._model.set_canvas(Canvas(aspect=aspect))


class _Heading(QWidget):
    """ "Length … 243 frames · follows Video 1", or a button that lets it follow again."""

    def __init__(self, model: ComposeModel, field: Follow) -> None:
        super().__init__()
        self._model, self._field = model, field
        self._name, self._value = QLabel(), ElidedLabel()
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        set_role(self._value, "dim")
        self.follow = QPushButton()
        set_role(self.follow, "quiet")
        self.follow.clicked.connect(self._on_follow)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_S)
        self.setFixedHeight(CONTROL_HEIGHT)
        row.addWidget(self._name)
        row.addWidget(self._value, 1)
        row.addWidget(self.follow)

    def show_value(self, value: str) -> None:
        """Show a value and what it follows."""
        leader = self._model.leader(self._field)
        follows = self._field in self._model.shot.follow
        note = tr("follows {name}", name=leader) if leader and follows else ""
        self._value.setText(" · ".join(filter(None, (value, note))))
        self.follow.setVisible(bool(leader) and not follows)
        self._name.setText(tr("Canvas") if self._field == "canvas" else tr("Length"))
        self.follow.setText(tr("Follow {name}", name=leader))
        self.follow.setAccessibleName(f"{self._name.text()}: {self.follow.text()}")

    def _on_follow(self) -> None:
        self._model.follow(self._field)

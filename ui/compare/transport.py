"""Under the pictures: playback buttons, the playhead in figures, the timeline, the rows of measures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from studio.core.words import cut_seconds, tr
from ui.compare.playback import SPEEDS
from ui.compare.rows import Rows
from ui.compare.viewmodel import CompareModel
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_S, SPACE_XS
from ui.widgets.frame_axis import GUTTER
from ui.widgets.timeline import Timeline

_BUTTONS = ("play.first", "play.step_back", "play.toggle", "play.step_forward", "play.last")
_OFFSET_BUTTONS = (("compare.offset_back", "−"), ("compare.offset_forward", "+"))


class Transport(QWidget):
    """Shows where the playhead is and lets the user move it. `actions` are the workspace's, by id."""

    def __init__(self, model: CompareModel, actions: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._actions = model, actions
        self.timeline = Timeline(gutter=GUTTER)
        self.rows = Rows(model)
        self._frame, self._seconds, self._offset = QLabel(), QLabel(), QLabel()
        self.speed = QToolButton()
        self._offset_label = QLabel()
        self._offset_buttons = [self._button(QToolButton(), action) for action, _ in _OFFSET_BUTTONS]
        self.keep = QPushButton()
        self._play = QToolButton()
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_S, SPACE_XS, SPACE_S, SPACE_S)
        column.setSpacing(SPACE_XS)
        column.addLayout(self._row())
        column.addWidget(self.timeline)
        column.addWidget(self.rows)
        self._connect()
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(SPACE_XS)
        for name in _BUTTONS:
            row.addWidget(self._button(self._play if name == "play.toggle" else QToolButton(), name))
        row.addSpacing(SPACE_S)
        for widget in (self._frame, self._seconds, self.speed):
            row.addWidget(widget)
        row.addWidget(self._button(QToolButton(), "play.loop"))
        row.addStretch()
        row.addWidget(self.keep)
        row.addSpacing(SPACE_L)
        row.addWidget(self._offset_label)
        back, forward = self._offset_buttons
        for widget in (back, self._offset, forward):
            row.addWidget(widget)
        self._hold_widths()
        return row

    def _hold_widths(self) -> None:
        # Fixed widths: nothing jumps when a figure changes.
        for label, widest in (
            (self._seconds, "00000.00 s"),
            (self._offset, "+000"),
        ):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setFixedWidth(label.fontMetrics().horizontalAdvance(widest) + SPACE_XS)
        self.speed.setFixedWidth(self.speed.fontMetrics().horizontalAdvance("−0.25×") + SPACE_L)
        set_role(self.speed, "quiet")
        set_role(self._offset_label, "dim")
        set_role(self.keep, "quiet")
        policy = self.keep.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.keep.setSizePolicy(policy)

    def _button(self, button: QToolButton, action: str) -> QToolButton:
        button.setDefaultAction(self._actions[action])
        set_role(button, "quiet")
        return button

    def _connect(self) -> None:
        model, playback = self._model, self._model.playback
        self.timeline.sought.connect(playback.seek)
        self.timeline.range_changed.connect(playback.set_range)
        self.keep.clicked.connect(self._on_keep)
        self.speed.clicked.connect(self._open_speeds)
        playback.moved.connect(self._show_position)
        playback.playing_changed.connect(self._show_playing)
        playback.speed_changed.connect(self._show_playing)
        playback.range_changed.connect(self._show_range)
        model.pair_changed.connect(self._show_pair)
        model.offset_changed.connect(self._show_offset)
        model.measured.connect(self._show_offset)
        model.ready_changed.connect(self.timeline.set_ready)

    def _show_pair(self) -> None:
        positions = self._model.pair.positions if self._model.pair else 0
        self._frame.setFixedWidth(self._frame.fontMetrics().horizontalAdvance(f"{positions} / {positions}") + SPACE_XS)
        self.timeline.set_frames(positions)
        self.timeline.set_ready(self._model.ready)
        self._show_range()
        self._show_playing()
        self._show_offset()

    def _show_position(self) -> None:
        pair, position = self._model.pair, self._model.playback.position
        last = pair.positions - 1 if pair else 0
        self._frame.setText(f"{position} / {last}")
        self._seconds.setText(f"{cut_seconds(position / pair.fps if pair else 0.0)} s")
        self.timeline.setValue(position)
        self.rows.set_position(position)

    def _show_playing(self) -> None:
        playback = self._model.playback
        self._play.setIcon(icon("pause" if playback.playing else "play"))
        self.speed.setText(_times(playback.speed if playback.playing else playback.usual_speed))
        self._show_position()

    def _show_range(self) -> None:
        playback = self._model.playback
        self.timeline.set_range(*(playback.range_ or (None, None)))
        self._actions["play.loop"].setChecked(playback.loops)

    def _show_offset(self) -> None:
        self._offset.setText(f"{self._model.offset:+d}".replace("-", "−"))
        unmeasured = self._model.comparison is not None and not self._model.offset_is_measured
        self.keep.setVisible(unmeasured)

    def _open_speeds(self) -> None:
        menu, playback = QMenu(self), self._model.playback
        for speed in SPEEDS:
            action = menu.addAction(_times(speed))
            action.setCheckable(True)
            action.setChecked(speed == playback.usual_speed)
            action.triggered.connect(partial(playback.set_usual_speed, speed))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.speed.mapToGlobal(self.speed.rect().bottomLeft()))

    def _on_keep(self) -> None:
        self._model.measure(self._model.offset)

    def _retranslate(self) -> None:
        self.timeline.setAccessibleName(tr("Frame"))
        self.rows.retranslate()
        self._offset_label.setText(tr("Offset of B"))
        for button, (_, text) in zip(self._offset_buttons, _OFFSET_BUTTONS, strict=True):
            # In another language the action puts its own text.
            button.setText(text)
        self.speed.setToolTip(tr("Speed at which it plays"))
        self.speed.setAccessibleName(tr("Speed at which it plays"))
        self.keep.setText(tr("Keep this offset and measure"))
        self._show_pair()


def _times(speed: float) -> str:
    return f"{speed:g}×".replace("-", "−")

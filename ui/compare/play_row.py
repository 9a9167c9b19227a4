"""Playback buttons and the playhead in figures; what the keys of playback do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from studio.core.words import cut_seconds, tr
from ui.compare.playback import SPEEDS, Playback
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_S, SPACE_XS
from ui.widgets.frame_axis import GRID

_BUTTONS = ("play.first", "play.step_back", "play.toggle", "play.step_forward", "play.last")


def play_actions(playback: Playback) -> dict[str, Callable[[], object]]:
    """What each action of playback does, by its id."""
    return {
        "play.toggle": playback.toggle,
        "play.backward": partial(playback.shuttle, -1),
        "play.pause": playback.pause,
        "play.forward": partial(playback.shuttle, 1),
        "play.slow_backward": partial(playback.shuttle, -1, slower=True),
        "play.slow_forward": partial(playback.shuttle, 1, slower=True),
        "play.step_back": partial(playback.step, -1),
        "play.step_forward": partial(playback.step, 1),
        "play.block_back": partial(playback.step, -GRID),
        "play.block_forward": partial(playback.step, GRID),
        "play.first": playback.to_start,
        "play.last": playback.to_end,
        "play.loop_in": playback.loop_from_here,
        "play.loop_out": playback.loop_to_here,
        "play.loop": playback.toggle_loop,
    }


class PlayRow(QWidget):
    """Follows a playhead. `actions` are the page's, by id."""

    def __init__(self, playback: Playback, actions: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._playback, self._actions = playback, actions
        self._positions, self._fps = 0, 24.0
        self._frame, self._seconds = QLabel(), QLabel()
        self._play, self.speed = QToolButton(), QToolButton()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_XS)
        for name in _BUTTONS:
            row.addWidget(quiet_button(self._play if name == "play.toggle" else QToolButton(), actions[name]))
        row.addSpacing(SPACE_S)
        for widget in (self._frame, self._seconds, self.speed):
            row.addWidget(widget)
        row.addWidget(quiet_button(QToolButton(), actions["play.loop"]))
        # Fixed widths: nothing jumps when a figure changes.
        self._seconds.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.speed.setFixedWidth(self.speed.fontMetrics().horizontalAdvance("−0.25×") + SPACE_L)
        set_role(self.speed, "quiet")
        self.speed.clicked.connect(self._open_speeds)
        playback.moved.connect(self._show_position)
        playback.playing_changed.connect(self._show_playing)
        playback.speed_changed.connect(self._show_playing)
        playback.range_changed.connect(self._show_loop)
        self._retranslate()

    def set_extent(self, positions: int, fps: float) -> None:
        """How many positions there are, and how many of them a second."""
        self._positions, self._fps = positions, fps
        self._frame.setFixedWidth(self._frame.fontMetrics().horizontalAdvance(f"{positions} / {positions}") + SPACE_XS)
        self._show_loop()
        self._show_playing()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _show_position(self) -> None:
        position = self._playback.position
        self._frame.setText(f"{position} / {max(0, self._positions - 1)}")
        self._seconds.setText(tr("{seconds} s", seconds=cut_seconds(position / self._fps)))

    def _show_playing(self) -> None:
        playback = self._playback
        self._play.setIcon(icon("pause" if playback.playing else "play"))
        self.speed.setText(_times(playback.speed if playback.playing else playback.usual_speed))
        self._show_position()

    def _show_loop(self) -> None:
        self._actions["play.loop"].setChecked(self._playback.loops)

    def _open_speeds(self) -> None:
        menu, playback = QMenu(self), self._playback
        for speed in SPEEDS:
            action = menu.addAction(_times(speed))
            action.setCheckable(True)
            action.setChecked(speed == playback.usual_speed)
            action.triggered.connect(partial(playback.set_usual_speed, speed))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.speed.mapToGlobal(self.speed.rect().bottomLeft()))

    def _retranslate(self) -> None:
        self._frame.setToolTip(tr("Frames are counted from 0, here and in all that is saved"))
        self.speed.setToolTip(tr("Speed at which it plays"))
        self.speed.setAccessibleName(tr("Speed at which it plays"))
        longest = tr("{seconds} s", seconds="00000.00")
        self._seconds.setFixedWidth(self._seconds.fontMetrics().horizontalAdvance(longest) + SPACE_XS)
        self._show_playing()


def quiet_button(button: QToolButton, action: QAction) -> QToolButton:
    """The button as an action without a frame."""
    button.setDefaultAction(action)
    set_role(button, "quiet")
    return button


def _times(speed: float) -> str:
    return f"{speed:g}×".replace("-", "−")

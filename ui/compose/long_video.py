"""Longer than one pass: the mode, the windows that a continued video is rendered in, and a prompt for each."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from studio.contract import window_prompts
from studio.core.words import mark, tr
from ui.compose.viewmodel import ComposeModel
from ui.compose.window_bar import WindowBar
from ui.compose.window_prompts import WindowPrompts
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_XS
from ui.widgets.dropdown import Dropdown

_MODES = (
    ("", mark("One pass, up to {seconds} s")),
    ("full", mark("Long, in one pass, up to {seconds} s")),
    ("continuation", mark("Long, in windows, up to {seconds} s")),
)


class LongVideo(QWidget):
    """Takes no room on a server without long videos. Windows are the server's, for references only."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.modes, self.bar = Dropdown(), WindowBar()
        self.said = QLabel(wordWrap=True)
        self.prompts = QPushButton()
        set_role(self.said, "dim")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        for widget in (self.bar, self.said, self.prompts, self.modes):
            column.addWidget(widget)
        self.modes.activated.connect(lambda index: self._choose(self.modes.itemData(index)))
        self.prompts.clicked.connect(lambda _checked=False: self.ask_prompts())
        self.refresh()

    @property
    def mode(self) -> str:
        """What the shot asks for: "", "full" or "continuation"."""
        shot = self._model.shot
        if shot.long_video is None:
            return ""
        default = "continuation" if shot.task == "ref2va" else "full"
        return str(shot.long_video.get("long_video_mode", default))

    @property
    def seconds_max(self) -> float:
        """How long a video of this mode can be."""
        return self._longest(self.mode)

    def refresh(self) -> None:
        """Show the model's shot."""
        shot, resolved = self._model.shot, self._model.resolved
        self.setVisible(self._model.limits.long_video or shot.long_video is not None)
        offered = [mode for mode, _ in _MODES if mode != "continuation" or shot.task == "ref2va" or self.mode == mode]
        blocker = QSignalBlocker(self.modes)
        self.modes.clear()
        for mode, text in _MODES:
            if mode in offered:
                self.modes.addItem(tr(text, seconds=f"{self._longest(mode):.0f}"), mode)
        self.modes.setCurrentIndex(self.modes.findData(self.mode))
        blocker.unblock()
        windows = resolved.windows if resolved is not None and self.mode == "continuation" else ()
        for widget in (self.bar, self.said, self.prompts):
            widget.setVisible(len(windows) > 1)
        self.bar.show_windows(windows)
        if len(windows) > 1:
            shared = windows[0][1] - windows[1][0]
            about = {"count": len(windows), "frames": windows[0][1], "shared": shared}
            said = tr("{count} windows of {frames} frames; each begins {shared} frames inside the one before", **about)
            self.said.setText(said)
        own = window_prompts(shot)
        self.prompts.setText(tr("Prompts: one for each window…") if own else tr("A prompt for each window…"))
        self.modes.setAccessibleName(tr("How long the video can be"))
        self.modes.setToolTip(
            tr(
                "In windows: each is rendered after the one before and begins inside it, for references only. To go on "
                "from a clip's last frame instead, choose that in the preview of the clip."
            )
        )
        self.bar.setAccessibleName(tr("Windows of the video"))

    def ask_prompts(self) -> WindowPrompts:
        """Ask for a prompt for each window."""
        resolved = self._model.resolved
        dialog = WindowPrompts(self._model, resolved.windows if resolved is not None else (), self)
        dialog.chosen.connect(self._model.set_window_prompts)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)

    def _choose(self, mode: str) -> None:
        self._model.set_long_video(mode or None, self._longest(mode))

    def _longest(self, mode: str) -> float:
        limits = self._model.limits
        return {
            "full": limits.long_full_seconds_max,
            "continuation": limits.long_continuation_seconds_max,
        }.get(mode, limits.output_seconds_max)

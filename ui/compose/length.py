"""The length as a ladder: a slider over the rungs of the 17n+5 grid, and a box of seconds that snaps up to one."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QSlider, QWidget

from studio.contract import FPS, Limits, frames_for, rungs
from studio.core.words import cut_seconds, tr
from ui.compose.fields import leave_to_window, name_field
from ui.theme.tokens import SPACE_S


class LengthLadder(QWidget):
    """Chooses a number of frames; shows seconds with two decimals, cut."""

    chosen = Signal(int)
    """The user chose this many frames, a rung."""

    def __init__(self, limits: Limits, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._limits, self._rungs = limits, rungs(limits)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, len(self._rungs) - 1)
        self.slider.setPageStep(2)
        self.box = SecondsBox(limits)
        self.box.setFixedWidth(96)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_S)
        row.addWidget(self.slider, 1)
        row.addWidget(self.box)
        self.slider.valueChanged.connect(self._on_slid)
        self.box.chosen.connect(self.chosen)
        self.retranslate()

    def set_longest(self, seconds: float) -> None:
        """How long a length can be, in seconds."""
        offered = rungs(self._limits, seconds)
        if offered != self._rungs:
            self._rungs = offered
            blocker = QSignalBlocker(self.slider)
            self.slider.setRange(0, len(offered) - 1)
            blocker.unblock()
            self.box.set_longest(seconds)

    def show_frames(self, frames: int) -> None:
        """Show a length; the slider stands at the last rung that is not longer."""
        blocker = QSignalBlocker(self.slider)
        self.slider.setValue(max(0, sum(rung <= frames for rung in self._rungs) - 1))
        blocker.unblock()
        self.box.show_frames(frames)

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self.slider.setAccessibleName(tr("Length"))
        name_field(self.box, tr("Length in seconds"))
        tip = tr("Lengths come in steps of 17 frames. What you type becomes the next one up.")
        self.slider.setToolTip(tip)
        self.box.setToolTip(tip)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _on_slid(self, index: int) -> None:
        self.chosen.emit(self._rungs[index])


class SecondsBox(QDoubleSpinBox):
    """Seconds that become a rung when the field is left or Enter is pressed; the arrows go from rung to rung."""

    chosen = Signal(int)

    def __init__(self, limits: Limits, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._limits = limits
        self._rungs = rungs(limits)
        self._longest = limits.output_seconds_max
        self._frames = self._rungs[0]
        self.setDecimals(9)  # of the value; two are shown
        self.setRange(0.0, 1e5)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        leave_to_window(self)
        self.valueChanged.connect(self._on_value_changed)

    def set_longest(self, seconds: float) -> None:
        """How long a length can be, in seconds."""
        self._longest = seconds
        self._rungs = rungs(self._limits, seconds)

    def show_frames(self, frames: int) -> None:
        """Show a length in frames at 24 fps."""
        self._frames = frames
        blocker = QSignalBlocker(self)
        self.setValue(frames / FPS)
        blocker.unblock()

    def textFromValue(self, value: float) -> str:
        return tr("{seconds:sec} s", seconds=value)

    def valueFromText(self, text: str) -> float:
        typed = _number(text)
        return self._frames / FPS if typed is None else self._rung_of(typed) / FPS

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        state = QValidator.State.Intermediate if _number(text) is None else QValidator.State.Acceptable
        return (state, text, position)

    def fixup(self, _text: str) -> str:
        return self.textFromValue(self._frames / FPS)

    def stepBy(self, steps: int) -> None:
        here = sum(rung <= self._frames for rung in self._rungs) - 1
        self.setValue(self._rungs[min(max(here + steps, 0), len(self._rungs) - 1)] / FPS)

    def _rung_of(self, seconds: float) -> int:
        """The next rung up, except that a number which is shown for a length means just that length."""
        shown = {cut_seconds(rung / FPS): rung for rung in (*self._rungs, self._frames)}
        if (rung := shown.get(cut_seconds(seconds))) is not None:
            return rung
        within = min(max(seconds, self._limits.output_seconds_min), self._longest)
        return frames_for(within, self._limits, self._longest)

    def _on_value_changed(self, seconds: float) -> None:
        self._frames = round(seconds * FPS)
        self.chosen.emit(self._frames)


def _number(text: str) -> float | None:
    digits = text.replace(",", ".").strip().rstrip("s秒 ").strip()
    try:
        value = float(digits)
    except ValueError:
        return None
    return value if 0 <= value < 1e6 else None

"""How a pair is shown: mode, kind and gain of the difference, edge of the wipe, opacity. Knows nothing of clips."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject, Signal

from studio.compare.compositing import GAINS, KINDS, Fit, Kind, Look, Mode
from studio.compare.view_state import ViewState

Solo = Literal["A", "B", ""]

_STEP = 0.05
"""Of the edge and of the opacity, by key."""


class Display(QObject):
    """`may_show(mode)` is asked before a mode is taken; it says why where it is not."""

    mode_changed = Signal(str)
    solo_changed = Signal(str)
    look_changed = Signal()
    """Gain, kind, edge or opacity."""

    def __init__(self, may_show: Callable[[Mode], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._may_show = may_show
        self.mode: Mode = "side"
        self.solo: Solo = ""
        self.look = Look()

    def set_mode(self, mode: Mode) -> None:
        """Show the pair in another way; both sides again if one was shown alone.

        The wipe's own key turns its edge, the difference's goes on to its next kind.
        """
        if not self._may_show(mode):
            return
        again = mode == self.mode and not self.solo
        self.set_solo("")
        if again and mode == "wipe":
            self._set_look(self.look._replace(upright=not self.look.upright))
        elif again and mode == "difference":
            self.set_kind(KINDS[(KINDS.index(self.look.kind) + 1) % len(KINDS)])
        elif mode != self.mode:
            self.mode = mode
            self.mode_changed.emit(mode)

    def set_solo(self, solo: Solo) -> None:
        """Show one side alone, or ("") both as the mode has it."""
        if solo != self.solo:
            self.solo = solo
            self.solo_changed.emit(solo)

    def toggle_solo(self) -> None:
        """A alone, then B alone, and so on."""
        self.set_solo("B" if self.solo == "A" else "A")

    def change(self, by: int) -> None:
        """One step more or less of what the mode has: the gain, the opacity of B, or where the edge is."""
        look = self.look
        match self.mode:
            case "wipe":
                self.set_wipe(look.edge + by * _STEP)
            case "overlay":
                self.set_opacity(look.opacity + by * _STEP)
            case _:
                index = max(0, min(len(GAINS) - 1, GAINS.index(look.gain) + by))
                self._set_look(look._replace(gain=GAINS[index]))

    def set_kind(self, kind: Kind) -> None:
        """Show the difference in another way."""
        self._set_look(self.look._replace(kind=kind))

    def set_fit(self, fit: Fit) -> None:
        """Lay a B of another shape over A in another way."""
        self._set_look(self.look._replace(fit=fit))

    def set_wipe(self, at: float) -> None:
        """Put the edge of the wipe at this share (0…1) of the width, or of the height when it lies."""
        self._set_look(self.look._replace(edge=round(max(0.0, min(1.0, at)), 4)))

    def set_opacity(self, opacity: float) -> None:
        """How much of B is seen over A, 0…1."""
        self._set_look(self.look._replace(opacity=round(max(0.0, min(1.0, opacity)), 2)))

    def state(self, offset: int | None) -> ViewState:
        """What is kept for the next time that this pair is opened."""
        look = self.look
        return ViewState(
            mode=self.mode,
            kind=look.kind,
            gain=look.gain,
            edge=look.edge,
            upright=look.upright,
            opacity=look.opacity,
            fit=look.fit,
            offset=offset,
        )

    def restore(self, kept: ViewState) -> None:
        """Show it as it was."""
        gain = kept.gain if kept.gain in GAINS else Look().gain
        self._set_look(Look(gain, kept.kind, kept.edge, kept.upright, kept.opacity, kept.fit))
        if kept.mode != self.mode and self._may_show(kept.mode):
            self.mode = kept.mode
            self.mode_changed.emit(kept.mode)

    def _set_look(self, look: Look) -> None:
        if look != self.look:
            self.look = look
            self.look_changed.emit()

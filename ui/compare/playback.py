"""The playhead: which position it is now, by monotonic time. Late positions are dropped; the clock never drifts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)


class Playback(QObject):
    """Moves from position to position at `fps` × speed, inside a range that may loop.

    `monotonic` gives seconds that only grow.
    """

    moved = Signal(int)
    """The playhead is at another position."""
    playing_changed = Signal(bool)
    speed_changed = Signal(float)
    range_changed = Signal()
    """The range or whether it loops."""

    def __init__(self, parent: QObject | None = None, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self._monotonic = monotonic
        self._frames, self._fps = 0, 24.0
        self._position, self._speed = 0, 1.0
        self._range: tuple[int, int] | None = None
        self._loops = False
        self._anchor = (0.0, 0.0)
        """A moment and the (fractional) position that it had."""
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.advance)
        self._playing = False
        self.usual_speed = 1.0
        """How fast the play key plays, 0.1…4."""

    @property
    def position(self) -> int:
        """Where the playhead is, from 0."""
        return self._position

    @property
    def playing(self) -> bool:
        """Whether it moves."""
        return self._playing

    @property
    def speed(self) -> float:
        """How fast it moves when it plays, 1.0 is real time; below 0 backward."""
        return self._speed

    @property
    def range_(self) -> tuple[int, int] | None:
        """First and last position of the range, None when all counts."""
        return self._range

    @property
    def loops(self) -> bool:
        """Whether it starts again at the end."""
        return self._loops

    def reset(self, frames: int, fps: float) -> None:
        """Start anew at 0 with that many positions, at that rate."""
        self.pause()
        self._frames, self._fps = frames, fps
        self._range, self._loops = None, False
        self._set_speed(self.usual_speed)
        self.range_changed.emit()
        self._move(0)

    def seek(self, position: int) -> None:
        """Go to a position (kept inside what there is); playing goes on from there."""
        self._move(max(0, min(self._frames - 1, position)))
        self._set_anchor()

    def step(self, by: int) -> None:
        """Pause, and go some positions forward or (below 0) back."""
        self.pause()
        self.seek(self._position + by)

    def play(self, speed: float | None = None) -> None:
        """Move, at `speed` if given; at the end of what there is it starts again from the other end."""
        if self._frames < 2:
            return
        if speed is not None:
            self._set_speed(speed)
        first, last = self._bounds()
        if not self._playing and self._position == (last if self._speed > 0 else first):
            self._move(first if self._speed > 0 else last)
        self._set_anchor()
        if not self._playing:
            self._playing = True
            self.playing_changed.emit(True)
        self._schedule()

    def pause(self) -> None:
        """Stand still."""
        self._timer.stop()
        if self._playing:
            self._playing = False
            self.playing_changed.emit(False)

    def toggle(self) -> None:
        """Play forward at the usual speed, or pause."""
        if self._playing:
            self.pause()
        else:
            self.play(self.usual_speed)

    def set_usual_speed(self, speed: float, _checked: bool = False) -> None:
        """The speed (one of `SPEEDS`) at which it plays from now on."""
        self.usual_speed = speed
        if self._playing:
            self.play(math.copysign(speed, self._speed))
        self.speed_changed.emit(self._speed)

    def to_start(self) -> None:
        """Go to the first position."""
        self.seek(0)

    def to_end(self) -> None:
        """Go to the last position."""
        self.seek(self._frames - 1)

    def shuttle(self, direction: int, *, slower: bool = False) -> None:
        """J and L: play that way; the same way again is faster. With `slower`, at half the speed and less."""
        same_way = self._playing and self._speed * direction > 0
        now = abs(self._speed) if same_way else self.usual_speed
        if slower:
            speed = next((s for s in reversed(SPEEDS) if s < now), SPEEDS[0])
        else:
            speed = next((s for s in SPEEDS if s > now), SPEEDS[-1]) if same_way else now
        self.play(direction * speed)

    def set_range(self, first: int | None, last: int | None) -> None:
        """Play only `first`…`last`, and loop it; None, None: all."""
        if first is None or last is None:
            self._range = None
        else:
            self._range = (min(first, last), max(first, last))
            self._loops = True
        self.range_changed.emit()

    def loop_from_here(self) -> None:
        """The range begins here, and ends where it did or at the end of all."""
        last = self._bounds()[1]
        self.set_range(self._position, last if last > self._position else self._frames - 1)

    def loop_to_here(self) -> None:
        """The range ends here, and begins where it did or at the start of all."""
        first = self._bounds()[0]
        self.set_range(first if first < self._position else 0, self._position)

    def toggle_loop(self) -> None:
        """Start again at the end, or stop there; without looping the range is gone."""
        self._loops = not self._loops
        if not self._loops:
            self._range = None
        self.range_changed.emit()

    def advance(self) -> None:
        """Go to where the clock says it is now."""
        now, (since, start) = self._monotonic(), self._anchor
        first, last = self._bounds()
        at = start + (now - since) * self._fps * self._speed
        if first <= at < last + 1:
            self._move(math.floor(at))
        elif self._loops:
            self._move(first + math.floor(at - first) % (last - first + 1))
            self._anchor = (now, first + (at - first) % (last - first + 1))
        else:
            self._move(last if self._speed > 0 else first)
            self.pause()
            return
        self._schedule()

    def _bounds(self) -> tuple[int, int]:
        return self._range or (0, self._frames - 1)

    def _set_anchor(self) -> None:
        # Half a position in: forward or backward, the first change comes half a period later.
        self._anchor = (self._monotonic(), self._position + 0.5)

    def _schedule(self) -> None:
        since, start = self._anchor
        at = start + (self._monotonic() - since) * self._fps * self._speed
        to_next = math.floor(at) + 1 - at if self._speed > 0 else at - math.floor(at) + 1e-3
        wait = to_next / (self._fps * abs(self._speed))
        self._timer.start(max(1, math.ceil(wait * 1000)))

    def _set_speed(self, speed: float) -> None:
        if speed != self._speed:
            self._speed = speed
            self.speed_changed.emit(speed)

    def _move(self, position: int) -> None:
        if position != self._position:
            self._position = position
            self.moved.emit(position)

"""Which log the Server workspace shows: the one of the server in view, and a stopped one's until another begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from studio.server import LogWatch


class LogSource(QObject):
    """Passes on the lines of one watch at a time."""

    line = Signal(str)
    restarted = Signal()
    """Another server's log begins; `recent` has what it said so far."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watch: LogWatch | None = None
        self._forget: Callable[[], None] = _nothing

    @property
    def recent(self) -> Sequence[str]:
        """The last lines, oldest first; empty for a server that is not ours."""
        return tuple(self._watch.recent) if self._watch is not None else ()

    def follow(self, watch: LogWatch | None) -> None:
        """Show another watch's lines from now on."""
        if watch is not self._watch:
            self._forget()
            self._watch = watch
            self._forget = watch.lines.subscribe(self.line.emit) if watch is not None else _nothing
            self.restarted.emit()

    def close(self) -> None:
        """Listen no more."""
        self._forget()


def _nothing() -> None:
    """Nothing is followed."""

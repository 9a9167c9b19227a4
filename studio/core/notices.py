"""The one road of news to the user: anything may post, the window (or stderr) listens."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from studio.core.errors import StudioError
from studio.core.events import Event
from studio.core.words import Message, sentences

Severity = Literal["info", "good", "warn", "bad"]

sentences({"crash": "Something went wrong in the studio itself. Your work is saved; the log has the details."})


@dataclass(frozen=True, slots=True)
class Notice:
    """A piece of news; `mend` is a second sentence, `detail` is for *Copy details* only."""

    severity: Severity
    message: Message
    mend: Message | None = None
    detail: str = field(default="", compare=False)


class Notices:
    """Keeps the last notices and tells listeners of each new one."""

    def __init__(self, keep: int = 200) -> None:
        self.posted: Event[Notice] = Event()
        self.recent: deque[Notice] = deque(maxlen=keep)

    def post(self, notice: Notice) -> None:
        """Keep and announce a notice."""
        self.recent.append(notice)
        self.posted.emit(notice)

    def error(self, error: BaseException, detail: str = "") -> None:
        """Announce an error: its own sentence when it is one of ours, the crash sentence otherwise."""
        if isinstance(error, StudioError):
            mend = Message(error.mend, error.params) if error.mend else None
            self.post(Notice("bad", error.message, mend, detail or error.detail))
        else:
            self.post(Notice("bad", Message("crash"), None, detail or repr(error)))

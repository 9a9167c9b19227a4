"""Reads a server's log for the manager: the phases of its start, and the first failure that is known."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from studio.server.failures import CauseWatch
from studio.server.phases import StartPhase, StartReader
from studio.server.records import ServerRecord
from studio.server.watch import LogWatch


class StartWatch:
    """`say(progress=…)` and `say(cause=…)` whenever there is more to know."""

    def __init__(self, watch: LogWatch, record: ServerRecord, say: Callable[..., Any]) -> None:
        self._record, self._say = record, say
        self._reader, self._causes = StartReader(), CauseWatch()
        self.from_the_beginning = time.time() - record.started < 5
        """False for a server taken up later: its phases' times are not known."""
        self.close = watch.lines.subscribe(self._on_line)

    @property
    def times(self) -> dict[StartPhase, float]:
        """When each phase began, s after the start."""
        return self._reader.times

    def _on_line(self, line: str) -> None:
        if self._reader.feed(line, time.time() - self._record.started):
            self._say(progress=self._reader.progress)
        if self._causes.feed(line):
            self._say(cause=self._causes.cause)

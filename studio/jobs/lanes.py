"""Whose turn it is: on each server one job at a time, in the order of the queue, none while it is paused.

A lane pauses itself when the next job would meet what ended the last one: a server out of memory stays so.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

from studio.core.errors import StudioError
from studio.core.events import Event
from studio.jobs.faults import OF_THE_SERVER, ONCE_IS_ENOUGH
from studio.jobs.job import Job

EVERYWHERE: Final = ""
"""The lane of a pause that holds on every server."""


class Lanes:
    """One lane a server (`Target.lane`). `order` and `paused` are the store's, told by `learn`."""

    def __init__(self) -> None:
        self.paused: Mapping[str, str] = {}
        """Lane → why nothing new begins there."""
        self.changed: Event[None] = Event()
        self.paused_itself: Event[tuple[str, str]] = Event()
        """(lane, code of the fault): to be remembered and said."""
        self._order: Mapping[str, int] = {}
        self._waiting: defaultdict[str, set[str]] = defaultdict(set)
        self._inside: defaultdict[str, int] = defaultdict(int)
        self._last_fault: dict[str, str] = {}
        self._news = asyncio.Event()

    def learn(self, order: Mapping[str, int], paused: Mapping[str, str]) -> None:
        """Take over the order of the jobs and what is paused."""
        differs = dict(paused) != dict(self.paused)
        self._order, self.paused = order, paused
        self._tell()
        if differs:
            self.changed.emit(None)

    def why_paused(self, lane: str) -> str | None:
        """Why nothing new begins on a server; None when it does."""
        return self.paused.get(lane) or self.paused.get(EVERYWHERE)

    def inside(self, lane: str) -> bool:
        """Whether a job runs in a lane."""
        return self._inside[lane] > 0

    @asynccontextmanager
    async def turn(self, job: Job, *, there: bool = False) -> AsyncIterator[None]:
        """Wait for a job's turn and hold it. One that is on its server already (`there`) does not wait."""
        lane = job.target.lane
        self._waiting[lane].add(job.id)
        try:
            while not there and not self._is_next(job.id, lane):
                await self._news.wait()
        finally:
            self._waiting[lane].discard(job.id)
        self._inside[lane] += 1
        try:
            yield
        except StudioError as error:
            self._note_fault(lane, error.code)
            raise
        else:
            self._last_fault.pop(lane, None)
        finally:
            self._inside[lane] -= 1
            self._tell()

    def _is_next(self, job_id: str, lane: str) -> bool:
        if self.inside(lane) or self.why_paused(lane) is not None:
            return False
        return job_id == min(self._waiting[lane], key=lambda other: (self._order.get(other, 1 << 62), other))

    def _note_fault(self, lane: str, code: str) -> None:
        again = self._last_fault.pop(lane, None) == code
        if code not in OF_THE_SERVER:
            return
        if again or code in ONCE_IS_ENOUGH:
            # At once, before anybody waiting here looks again.
            self.paused = {**self.paused, lane: code}
            self.paused_itself.emit((lane, code))
            self.changed.emit(None)
        else:
            self._last_fault[lane] = code

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

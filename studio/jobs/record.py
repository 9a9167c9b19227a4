"""A job while it is worked on: its latest value, written before it is acted on, told to whoever listens."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, ParamSpec, TypeVar

from studio.contract import Request
from studio.jobs.job import Job, Progress, Who
from studio.jobs.schema import StoreError
from studio.jobs.states import JobState
from studio.jobs.tools import Tools

P = ParamSpec("P")
T = TypeVar("T")
_SAVE_EVERY: Final = 1.0
_RETRY_FIRST, _RETRY_LAST = 0.5, 10.0


class Record:
    """The only place that changes a job which is under way. `changed` is told each new value."""

    def __init__(self, job: Job, tools: Tools, changed: Callable[[Job], None]) -> None:
        self.job = job
        self.request: Request | None = None
        """What the rules judged, once they did in this attempt."""
        self._tools = tools
        self._changed = changed
        self._saved_at = 0.0

    async def move(self, new: JobState, cause: str, who: Who = "studio", **changes: Any) -> None:
        """Change its state, with what goes with it."""
        changes.setdefault("progress", Progress(since=self._tools.clock.now()))
        changes.setdefault("stalled", None)
        self.job = await self._written(self._tools.store.move, self.job, new, cause, who, **changes)
        self._saved_at = time.monotonic()
        self._changed(self.job)

    async def save(self, **changes: Any) -> None:
        """Change its data, at once on disk."""
        changed = self.job.model_copy(update=changes)
        self.job = await self._written(self._tools.store.save, changed)
        self._changed(self.job)

    def note(self, **changes: Any) -> None:
        """Change data that the next move or save writes."""
        self.job = self.job.model_copy(update=changes)

    def progress(self, progress: Progress) -> None:
        """Say how far the present state is."""
        self.job = self.job.model_copy(update={"progress": progress, "stalled": None})
        self._changed(self.job)
        if time.monotonic() - self._saved_at >= _SAVE_EVERY:  # others watch through the store
            self._saved_at = time.monotonic()
            self._tools.write_soon(self._tools.store.save, self.job)

    def fraction(self, done: float) -> None:
        """Say how far the present state is, 0…1."""
        self.progress(Progress(fraction=done, since=self.job.updated))

    def counted(self, done: int, total: int) -> None:
        """The same in bytes; `total` 0 when it is not known."""
        self.progress(Progress(fraction=done / total if total else None, since=self.job.updated))

    async def _written(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Write it. While the disk refuses, wait: nothing is done that is not on record, and nothing is lost by it."""
        pause = _RETRY_FIRST
        while True:
            try:
                written = await self._tools.write(fn, *args, **kwargs)
            except StoreError as error:
                self._tools.store_refuses(error)
            else:
                self._tools.store_writes()
                return written
            await self._tools.clock.sleep(pause)
            pause = min(_RETRY_LAST, 1.5 * pause)

    @asynccontextmanager
    async def timed(self, stage: str) -> AsyncIterator[None]:
        """Add the time spent inside to a stage of the job's timings."""
        began = time.monotonic()
        try:
            yield
        finally:
            seconds = time.monotonic() - began
            timings = {**self.job.timings, stage: round(self.job.timings.get(stage, 0.0) + seconds, 3)}
            self.note(timings=timings)

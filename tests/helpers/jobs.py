"""A job service on a rehearsal server of the test's own, and shots small enough for a suite."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from studio.contract import Canvas, Shot
from studio.core.clock import Clock
from studio.core.notices import Notices
from studio.jobs import Awake, DirectServers, Job, JobService, JobState, JobStore, Tools
from studio.media.workers import Workers
from studio.server import RehearsalLauncher
from studio.settings import SettingsStore


def small_shot(**changes: Any) -> Shot:
    """A t2va shot of 107 frames at 256×256."""
    fields: dict[str, Any] = {
        "task": "t2va",
        "prompt": "a red kite over the sea",
        "frames": 107,
        "canvas": Canvas(width=256, height=256),
        "follow": frozenset(),
        "steps": 6,
        "seed": 7,
    }
    return Shot(**(fields | changes))


@dataclass(slots=True)
class Bench:
    """A service, its servers and all values that its jobs had."""

    service: JobService
    servers: DirectServers
    store: JobStore
    notices: Notices
    seen: list[Job]

    def states(self, job_id: str) -> list[JobState]:
        """The states that a job went through, from the store."""
        return [JobState(change["to"]) for change in self.store.changes(job_id)]

    def live(self, job_id: str) -> Job:
        """The latest value of a job: what was heard of it, or what the store has while nothing was."""
        job = next((job for job in reversed(self.seen) if job.id == job_id), None) or self.store.get(job_id)
        assert job is not None
        return job


@asynccontextmanager
async def bench(
    *faults: str,
    step_seconds: float = 0.01,
    servers: Any = None,
    stop: bool = True,
    take_over: bool = False,
    clock: Clock | None = None,
    awake: Awake | None = None,
    **queue: Any,
) -> AsyncIterator[Bench]:
    """A job service; with `stop` the servers that it started are ended with it. `queue` are settings of the queue."""
    made = servers or DirectServers(RehearsalLauncher("cli", step_seconds=step_seconds, faults=faults))
    store, workers, notices = JobStore(), Workers(), Notices()
    settings = SettingsStore()
    settings.update(queue=settings.present.queue.model_copy(update=queue))
    service = JobService(Tools(store, workers, made, settings, notices=notices, clock=clock, awake=awake))
    seen: list[Job] = []
    service.changed.subscribe(seen.append)
    await service.start(take_over=take_over)
    try:
        yield Bench(service, made, store, notices, seen)
    finally:
        if stop:
            await made.stop_started()
        await service.aclose()
        await workers.aclose()

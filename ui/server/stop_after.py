"""“Stop after this render”: until it is done, what has not been sent yet is held back from the server."""

from __future__ import annotations

from collections.abc import Iterable

from studio.core.tasks import TaskScope
from studio.jobs import Job, JobService, JobState


class StopAfter:
    """`job` is the render after which the server is stopped; None when it is to go on."""

    def __init__(self, service: JobService, scope: TaskScope) -> None:
        self._service, self._scope = service, scope
        self._held: set[str] = set()
        self.job: str | None = None

    def begin(self, job_id: str, others: Iterable[Job]) -> None:
        """Stop after this job; hold back the others."""
        self.job = job_id
        for other in tuple(others):
            self.hold(other)

    def hold(self, job: Job) -> None:
        """Keep a job from being sent: it waits, unowned, until a server is there again."""
        if self.job not in (None, job.id) and job.state is JobState.WAITING and job.id not in self._held:
            self._held.add(job.id)
            self._scope.start(self._service.detach(job.id), name=f"hold {job.id}")

    def forget(self, job_id: str) -> None:
        """A job that has ended."""
        self._held.discard(job_id)

    def let_go_on(self) -> None:
        """Send what was held back once a server can take it."""
        held, self._held = self._held, set()
        for job_id in held:
            self._scope.start(self._service.resume(job_id), name=f"go on {job_id}")

"""“Stop after this render”: until it is done, what has not been sent yet is held back from its server."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from studio.core.tasks import TaskScope
from studio.jobs import Job, JobService, JobState
from studio.server import ServerManager, ServerState, ServerStatus


class StopAfter:
    """For one server, in view or not. `job` is the render after which it is stopped; None when it is to go on.

    `stop` is called when that render has ended.
    """

    def __init__(
        self, manager: ServerManager, service: JobService, scope: TaskScope, stop: Callable[[ServerManager], None]
    ) -> None:
        self.manager = manager
        self.job: str | None = None
        self._service, self._scope, self._stop = service, scope, stop
        self._held: set[str] = set()
        self._unsubscribe = manager.changed.subscribe(self._on_status), service.changed.subscribe(self._on_job)

    def close(self) -> None:
        """Follow no more."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    def begin(self, job_id: str, others: Iterable[Job]) -> None:
        """Stop after this job; hold back the others."""
        self.job = job_id
        for other in tuple(others):
            self._hold(other)

    def take_back(self) -> None:
        """Let the server go on, and send what was held back."""
        self.job = None
        self._send_held()

    def _hold(self, job: Job) -> None:
        """Keep a job from being sent: it waits, unowned, until a server is there again."""
        if self.job not in (None, job.id) and job.state is JobState.WAITING and job.id not in self._held:
            self._held.add(job.id)
            self._scope.start(self._service.detach(job.id), name=f"hold {job.id}")

    def _send_held(self) -> None:
        held, self._held = self._held, set()
        for job_id in held:
            self._scope.start(self._service.resume(job_id), name=f"go on {job_id}")

    def _on_job(self, job: Job) -> None:
        if not job.state.finished:
            if job.target.place == self.manager.place:
                self._hold(job)
            return
        self._held.discard(job.id)
        if job.id == self.job:
            self._stop(self.manager)

    def _on_status(self, status: ServerStatus) -> None:
        if status.state not in (ServerState.READY, ServerState.STOPPING):
            self.job = None
        elif status.state is ServerState.READY and self.job is None:
            self._send_held()

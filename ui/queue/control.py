"""The queue as a whole, as the window sees it: its order, its pauses, when it will be done, what it does beside.

With `viewmodel`, the one place in Queue that talks to studio.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from PySide6.QtCore import QObject, Signal

from studio.contract import PastRun, Refusal
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message, ntr, say, tr
from studio.jobs import Job, JobService, JobState, Target, calibration, telling
from studio.jobs.forecast import queue_seconds
from studio.jobs.seeds import with_seeds
from studio.jobs.smoke import smoke_shape
from studio.settings.model import QueueSettings
from studio.settings.saving import save, save_address

SEEDS: Final = (2, 4, 8)
"""How many more seeds can be asked for at once."""


class QueueControl(QObject):
    """Lives on the GUI thread. `jobs` gives the jobs as shown, `left` the seconds that a job has still to go."""

    changed = Signal()
    """Pauses, or what is known of the servers' pace, are other ones."""
    restart_requested = Signal(str)
    """The user wants the server of this lane to be started again."""

    def __init__(
        self,
        service: JobService,
        notices: Notices,
        jobs: Callable[[], Iterable[Job]],
        left: Callable[[Job], tuple[float, float] | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._service, self._notices, self._jobs, self._left = service, notices, jobs, left
        self._scope = TaskScope("queue-control", lambda error, _task: notices.error(error))
        self._history: dict[str, Sequence[PastRun]] = {}
        self._unsubscribe = service.tools.lanes.changed.subscribe(lambda _: self.changed.emit())

    async def aclose(self) -> None:
        """Stop following and wait for what was begun."""
        self._unsubscribe()
        await self._scope.aclose()

    # What there is to see.

    @property
    def paused(self) -> bool:
        """Whether the queue, or one server's part of it, is paused."""
        return bool(self._service.tools.lanes.paused)

    @property
    def restart_helps(self) -> str | None:
        """The lane whose server should be started again; None when the pause is the user's own."""
        paused = self._service.tools.lanes.paused
        return next((lane for lane, cause in paused.items() if cause != "user"), None)

    def why_paused(self) -> str:
        """Why nothing new begins, in words."""
        causes = set(self._service.tools.lanes.paused.values())
        # What a server did says more than that the user paused, too.
        return " ".join(say(f"queue.paused.{cause}") for cause in sorted(causes - {"user"} or causes))

    def why_waiting(self, job: Job) -> str:
        """What a job that is ready waits for, in words."""
        lanes, lane = self._service.tools.lanes, job.target.lane
        if lanes.why_paused(lane) is not None:
            return tr("waiting: the queue is paused")
        ahead = [other for other in self._jobs() if other.target.lane == lane and other.id != job.id]
        if any(other.state is JobState.CANCELLING for other in ahead):
            return tr("waiting: the cancelled render still holds the GPU")
        waiting = sum(other.state is JobState.WAITING and other.position < job.position for other in ahead)
        if waiting or any(other.state.on_server for other in ahead):
            return tr("waiting for its turn, number {place}", place=waiting + 1)
        return tr("waiting for {server}", server=job.target.label.text())

    def elsewhere(self, job: Job) -> Target | None:
        """The server that is chosen now, if it is not the job's."""
        chosen = Target.of(self._service.tools.settings.present.server)
        return chosen if chosen.lane != job.target.lane else None

    def summary(self) -> str:
        """How much there is to do and until when: "3 to render · done 14:05–14:20"; empty when there is nothing."""
        jobs = [job for job in self._jobs() if not job.state.finished]
        if not jobs:
            return ""
        parts = [ntr("{count} to render", "{count} to render", len(jobs))]
        now = time.time()
        span = None if self.paused else queue_seconds(jobs, self._history, self._left, now)
        if span is not None:
            when = telling.clock_range(now + span.least, now + span.most, now)
            parts.append(tr("done {when}", when=when))
        return " · ".join(parts)

    def refusal_of(self, job: Job) -> Refusal | None:
        """What the job's server refused although our rules had let it pass, while it is no rule yet."""
        said = job.fault.params.get("said") if job.fault else None
        known = self._service.tools.rules.refusals.of(job.target.lane)
        return next((refusal for refusal in known if refusal.said == said and not refusal.rule), None)

    def treat_as_rule(self, job: Job) -> None:
        """From now on stop what that server would refuse for the same reason."""
        if (refusal := self.refusal_of(job)) is not None:
            self._service.tools.rules.refusals.treat_as_rule(job.target.lane, refusal)
            self._notices.post(Notice("good", Message("queue.is_rule", {"server": job.target.label.text()})))
            self.changed.emit()

    @property
    def options(self) -> QueueSettings:
        """What the queue does beside rendering."""
        return self._service.tools.settings.present.queue

    # What can be done.

    def pause(self) -> None:
        """Let what runs go on and nothing new begin."""
        self._scope.start(self._service.pause(), name="pause")

    def go_on(self) -> None:
        """Take every pause back."""
        self._scope.start(self._service.go_on(), name="go on")

    def restart(self) -> None:
        """Have the server that failed started again, and go on there."""
        lane = self.restart_helps
        if lane is not None:
            self.restart_requested.emit(lane)
            self._scope.start(self._service.go_on(lane), name="go on")

    def reorder(self, ids: Sequence[str]) -> None:
        """Let these jobs go in this order."""
        self._scope.start(self._service.reorder(ids), name="reorder")

    def more_seeds(self, job: Job, count: int) -> None:
        """Render a job's shot with so many other seeds, as one batch with it."""
        self._scope.start(self._submit_seeds(job, count), name="seeds")

    def send_to(self, job: Job, target: Target) -> None:
        """Render a job that has not been sent on another server."""
        self._scope.start(self._service.retarget(job.id, target), name="retarget")

    def smoke(self, job: Job) -> None:
        """Find out quickly whether a job's shape works on its server."""
        shot = smoke_shape(job.shot, self._service.tools.rules.limits(job.target.lane))
        target = job.target.model_copy(update={"server_id": None})
        submitted = self._service.submit(shot, target, name=job.name, purpose="smoke", batch=job.batch or job.id)
        self._scope.start(submitted, name="smoke")

    def set_option(self, **changes: Any) -> None:
        """Change what the queue does beside rendering."""
        save(self._service.tools.settings, self._notices, queue=self.options.model_copy(update=changes))

    def set_post_address(self, text: str) -> None:
        """Tell an address of each end; empty, none. What is no address is said, and nothing is changed."""
        save_address(self._service.tools.settings, self._notices, "queue", "post_url", text)

    def learn(self) -> None:
        """Read what the servers' past renders say of their pace. Needs the running loop."""
        self._scope.start(self._learn(), name="learn")

    async def _learn(self) -> None:
        tools = self._service.tools
        for lane in {job.target.lane for job in self._jobs() if not job.state.finished}:
            seen = await tools.write(calibration.past_runs, tools.store, lane)
            # Where nobody sees the steps, a render's whole time tells of its pace.
            self._history[lane] = seen or await tools.write(tools.evidence.history, lane)
        self.changed.emit()

    async def _submit_seeds(self, job: Job, count: int) -> None:
        target = job.target.model_copy(update={"server_id": None})
        batch = job.batch or job.id
        for shot in with_seeds(job.shot, count + 1)[1:]:
            await self._service.submit(shot, target, name=job.name, out_dir=job.out_dir, batch=batch)

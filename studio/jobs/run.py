"""One job from wherever it stands to its end: check, prepare, send, follow, fetch, verify.

Each change of state is in the store before it is acted on, so a run that is killed anywhere is taken up by the next.
Cancelling the task leaves the job as it is; ending it is the service's decision.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from studio.contract import codes_of
from studio.core.errors import StudioError
from studio.jobs.cancelling import Cancelling
from studio.jobs.faults import LOST
from studio.jobs.fetching import Fetching
from studio.jobs.job import Fault, Job, Who
from studio.jobs.record import Record
from studio.jobs.sending import Sending
from studio.jobs.states import JobState
from studio.jobs.tools import Tools

log = logging.getLogger(__name__)
S = JobState
_THERE = frozenset({S.UPLOADING, S.QUEUED, S.RUNNING, S.DOWNLOADING, S.VERIFYING})


class Run:
    """The present attempt at one job; `changed` is told each new value of it."""

    def __init__(self, job: Job, tools: Tools, changed: Callable[[Job], None]) -> None:
        self._tools = tools
        self._record = Record(job, tools, changed)

    @property
    def job(self) -> Job:
        """The job's latest value."""
        return self._record.job

    async def to_end(self) -> Job:
        """Bring the job to an end. A StudioError on the way makes it failed (or lost), with its sentence."""
        try:
            if self.job.state is S.CANCELLING:
                await Cancelling(self._record, self._tools).ended()
            else:
                await self._render()
        except StudioError as error:
            await self._fail(error)
        except OSError as error:
            path = str(error.filename or self.job.video or "")
            reason = error.strerror or str(error)
            await self._fail(StudioError("disk.write", mend="disk.write.mend", path=path, reason=reason))
        except Exception as error:  # a bug of ours must not leave a job that nobody ends
            log.exception("job %s broke", self.job.id)
            await self._fail(StudioError("crash", detail=repr(error)))
        return self.job

    async def _render(self) -> None:
        sending, fetching = Sending(self._record, self._tools), Fetching(self._record, self._tools)
        if self.job.state is S.UPLOADING:
            await sending.settle()
        try:
            if self.job.state in (S.QUEUED, S.RUNNING):
                async with self._tools.lanes.turn(self.job, there=True):
                    await fetching.followed()
            elif not self.job.state.on_server:
                async with sending.sent() as connection:
                    await fetching.followed(connection)
            await fetching.fetched()
        except StudioError as error:
            if error.code not in LOST or not await fetching.salvaged():
                raise

    async def _fail(self, error: StudioError) -> None:
        new = S.LOST if error.code in LOST and self.job.state in _THERE else S.FAILED
        who: Who = "server" if error.code.startswith(("server.", "job.failed_there", "job.out_of")) else "studio"
        self._remember(error)
        log.info("job %s %s: %s %s", self.job.id, new, error, error.detail)
        await self._record.move(new, error.code, who, fault=Fault.of(error))

    def _remember(self, error: StudioError) -> None:
        """A refusal that our rules did not foresee is kept, for the next request like it on that server."""
        said, request = error.params.get("said"), self._record.request
        if request is None or not isinstance(said, str):
            return
        if error.code == "job.refused" or (error.code == "job.failed_there" and codes_of(said)):
            self._tools.rules.refused(self.job.target.lane, request, said)

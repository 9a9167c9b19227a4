"""The queue of one studio: takes shots, owns their runs, cancels and resumes, and takes up what a dead studio left."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from pathlib import Path

from studio.contract import Shot
from studio.core.errors import StudioError
from studio.core.events import Event
from studio.core.tasks import TaskScope
from studio.core.words import say
from studio.jobs import results
from studio.jobs.ambiguity import find_posted
from studio.jobs.job import Job, Target, Who, new_job_id
from studio.jobs.run import Run
from studio.jobs.states import JobState
from studio.jobs.tools import Tools

log = logging.getLogger(__name__)
S = JobState
_LOOK_EVERY = 1.0
_RENEW_EVERY = 5.0


class JobService:
    """All jobs of this process. `changed` tells every new value of a job, also those that others write."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.changed: Event[Job] = Event()
        self._scope = TaskScope("jobs", self._run_broke)
        self._runs: dict[str, tuple[Run, asyncio.Task[Job]]] = {}
        self._ending: dict[str, asyncio.Future[None]] = {}

    async def start(self, *, take_over: bool) -> None:
        """Begin the heartbeat; with `take_over`, go on with unfinished jobs whose owner is dead."""
        self._scope.start(self._heartbeat(), name="heartbeat")
        if take_over:
            for job in await self.tools.write(self.tools.store.unfinished):
                with contextlib.suppress(StudioError):
                    await self.resume(job.id)

    async def submit(self, shot: Shot, target: Target, *, name: str = "", out_dir: Path | None = None) -> Job:
        """Put a shot in the queue. It is in the store when this returns."""
        job = Job(id=new_job_id(), created=time.time(), shot=shot, target=target, name=name, out_dir=out_dir)
        job = await self.tools.write(self.tools.store.add, job)
        self._begin(job)
        return job

    async def all(self) -> list[Job]:
        """Every job, newest first; those that run here as they are now."""
        stored = await self.tools.write(self.tools.store.all)
        return [self._runs[job.id][0].job if job.id in self._runs else job for job in stored]

    async def get(self, job_id: str) -> Job:
        """One job as it is now. Raises StudioError `job.unknown`."""
        if job_id in self._runs:
            return self._runs[job_id][0].job
        job = await self.tools.write(self.tools.store.get, job_id)
        if job is None:
            raise StudioError("job.unknown", mend="job.unknown.mend", id=job_id)
        return job

    async def wait(self, job_id: str) -> Job:
        """Wait until a job that runs here has ended, was cancelled by anybody, or is let go of."""
        while job_id in self._runs or job_id in self._ending:
            # `asyncio.wait` neither cancels the run when we are cancelled, nor raises when the run is.
            await asyncio.wait([self._runs[job_id][1] if job_id in self._runs else self._ending[job_id]])
            await asyncio.sleep(0)
        return await self.get(job_id)

    async def resume(self, job_id: str) -> Job:
        """Go on with a job where it truly is; a failed, cancelled or lost one begins again with the same seed.

        Raises StudioError when another living studio owns it, or when it is done.
        """
        if job_id in self._runs:
            return self._runs[job_id][0].job
        owner = await self.tools.write(self.tools.store.claim, job_id)
        job = await self.get(job_id)
        if owner is not None:
            raise StudioError("job.owned", id=job_id, pid=owner)
        if job.state is S.DONE:
            await self.tools.write(self.tools.store.release, job_id)
            raise StudioError("job.finished", id=job_id, state=say(f"state.{job.state}"))
        if job.state is S.FAILED and _still_there(job):
            there = S.DOWNLOADING if job.video is not None else S.RUNNING
            job = await self.tools.write(self.tools.store.move, job, there, "resumed", "user", fault=None)
        self._begin(job)
        return job

    async def cancel(self, job_id: str, who: Who = "user") -> Job:
        """End a job: here at once, on the server at its next denoise step. An owner elsewhere is asked to."""
        job = await self.get(job_id)
        if job.state.finished:
            raise StudioError("job.finished", id=job_id, state=say(f"state.{job.state}"))
        if job_id not in self._runs:
            owner = await self.tools.write(self.tools.store.claim, job_id)
            if owner is not None:
                await self.tools.write(self.tools.store.wish, job_id, "cancel")
                return job
        self._ending[job_id] = ended = asyncio.get_running_loop().create_future()
        try:
            run = await self._let_go(job_id)
            job = run.job if run else job
            await self._end_there(job)
            job = await self.tools.write(self.tools.store.move, job, S.CANCELLED, "cancelled", who)
        finally:
            del self._ending[job_id]
            ended.set_result(None)
        if job.video is not None:
            await asyncio.to_thread(results.part_of(job.video).unlink, missing_ok=True)
        self.changed.emit(job)
        return job

    async def detach(self, job_id: str) -> None:
        """Stop following a job without ending it: any studio may take it up."""
        await self._let_go(job_id)
        await self.tools.write(self.tools.store.release, job_id)

    async def aclose(self) -> None:
        """Let go of every run. What is on a server goes on there."""
        for job_id in tuple(self._runs):
            await self.detach(job_id)
        await self._scope.aclose()
        await self.tools.aclose()

    # -- runs ------------------------------------------------------------------------------------------------------

    def _begin(self, job: Job) -> None:
        run = Run(job, self.tools, self.changed.emit)
        task = self._scope.start(run.to_end(), name=job.id)
        self._runs[job.id] = (run, task)
        task.add_done_callback(lambda _: self._runs.pop(job.id, None))
        self.changed.emit(job)

    async def _let_go(self, job_id: str) -> Run | None:
        if job_id not in self._runs:
            return None
        run, task = self._runs[job_id]
        self._scope.cancel(task)
        await asyncio.gather(task, return_exceptions=True)
        return run

    async def _end_there(self, job: Job) -> None:
        """Delete the job on its server, also when its POST was still under way."""
        if job.state is not S.UPLOADING and job.remote_id is None:
            return
        try:
            connection = await self.tools.servers.connect(job)
            if connection.server_died:
                return
            remote_id = job.remote_id
            if remote_id is None:
                known = await self.tools.write(self.tools.store.remote_ids)
                posted = await find_posted(connection.client, job, known, self.tools.clock, looks=1)
                remote_id = posted.id if posted else None
            if remote_id is not None:
                await connection.client.delete(remote_id)
        except StudioError as error:
            log.warning("job %s could not be ended on its server: %s", job.id, error)

    async def _heartbeat(self) -> None:
        renewed, version = 0.0, 0
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            seen = await self.tools.write(self.tools.store.version)
            if seen != version or time.monotonic() - renewed >= _RENEW_EVERY:
                wishes = await self.tools.write(self.tools.store.renew)
                renewed = time.monotonic()
                for job_id, wish in wishes.items():
                    if wish == "cancel" and job_id in self._runs:
                        await self.cancel(job_id)
            if seen != version:
                version = seen
                for job in await self.tools.write(self.tools.store.all, 100):
                    if job.id not in self._runs:
                        self.changed.emit(job)

    def _run_broke(self, error: BaseException, name: str) -> None:
        log.error("%s broke", name, exc_info=error)
        self.tools.notices.error(error)


_PASSING = frozenset(
    {
        "server.unauthorized",
        "server.unreachable",
        "server.no_answer",
        "server.bad_answer",
        "server.broken_download",
        "disk.write",
    }
)


def _still_there(job: Job) -> bool:
    """Whether only the way to the server failed: then the render there is followed, not made anew."""
    return job.remote_id is not None and job.fault is not None and job.fault.code in _PASSING

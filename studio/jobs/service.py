"""The queue of one studio: takes shots, owns their runs, cancels and resumes, and takes up what a dead studio left."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from studio.client import VideoJob
from studio.contract import MediaFacts, Shot, rows
from studio.core.errors import StudioError
from studio.core.events import Event
from studio.core.notices import Notice
from studio.core.tasks import TaskScope
from studio.core.words import Message, say
from studio.jobs import body, choosing, hook, results
from studio.jobs.faults import WAY_ONLY
from studio.jobs.job import Job, Purpose, Target, Who, new_job_id
from studio.jobs.lanes import EVERYWHERE
from studio.jobs.run import Run
from studio.jobs.schema import StoreError
from studio.jobs.smoke import Verdict
from studio.jobs.states import JobState
from studio.jobs.tools import Tools
from studio.media import processes
from studio.media.probe import probe

log = logging.getLogger(__name__)
S = JobState
_LOOK_EVERY: Final = 1.0
_RENEW_EVERY: Final = 5.0
_PATIENCE: Final = 5.0
_ONLY_HERE: Final = frozenset({S.DRAFT, S.CHECKING, S.PREPARING, S.WAITING})
_AT_WORK: Final = frozenset(S) - frozenset({S.DRAFT, S.WAITING, S.DONE, S.FAILED, S.CANCELLED, S.LOST})


class JobService:
    """All jobs of this process. `changed` tells every new value of a job, also those that others write."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.changed: Event[Job] = Event()
        self.ended: Event[Job] = Event()
        """A job that ran here has ended, whichever way."""
        self.emptied: Event[str] = Event()
        """The lane whose last job has ended here; nothing is left to render on that server."""
        self._scope = TaskScope("jobs", self._run_broke)
        self._runs: dict[str, tuple[Run, asyncio.Task[Job]]] = {}
        self._ending: dict[str, asyncio.Future[None]] = {}
        self._telling: set[asyncio.Task[bool]] = set()
        self._takes_over = False
        tools.lanes.paused_itself.subscribe(self._on_paused_itself)

    async def start(self, *, take_over: bool) -> None:
        """Begin the heartbeat; with `take_over`, go on with unfinished jobs whose owner is dead, and obey pauses.

        A command line that renders one shot has been told to do so now: a paused queue does not hold it back.
        """
        self._takes_over = take_over
        await asyncio.to_thread(processes.get_ready)
        await self._learn_order()
        self._scope.start(self._heartbeat(), name="heartbeat")
        if take_over:
            for job in await self.tools.write(self.tools.store.unfinished):
                with contextlib.suppress(StudioError):
                    await self.resume(job.id)

    async def submit(
        self,
        shot: Shot,
        target: Target,
        *,
        name: str = "",
        out_dir: Path | None = None,
        purpose: Purpose = "render",
        batch: str | None = None,
    ) -> Job:
        """Put a shot at the end of the queue. It is in the store when this returns."""
        job = Job(
            id=new_job_id(),
            created=time.time(),
            shot=shot,
            target=target,
            name=body.readable(name),
            out_dir=out_dir,
            purpose=purpose,
            batch=batch,
        )
        job = await self.tools.write(self.tools.store.add, job)
        await self._learn_order()
        self._begin(job)
        return job

    async def all(self, limit: int | None = None) -> list[Job]:
        """Every job, newest first, or the newest `limit`; those that run here as they are now."""
        stored = await self.tools.write(self.tools.store.all, limit)
        return [self._present(job) for job in stored]

    async def unfinished(self) -> list[Job]:
        """The jobs on their way, in the order of the queue."""
        return [self._present(job) for job in await self.tools.write(self.tools.store.unfinished)]

    async def get(self, job_id: str) -> Job:
        """One job as it is now. Raises StudioError `job.unknown`."""
        job = await self.tools.write(self.tools.store.get, job_id)
        if job is None:
            raise StudioError("job.unknown", mend="job.unknown.mend", id=job_id)
        return self._present(job)

    async def wait(self, job_id: str) -> Job:
        """Wait until a job that runs here has ended, was cancelled by anybody, or is let go of."""
        while job_id in self._runs or job_id in self._ending:
            # `asyncio.wait` neither cancels the run when we are cancelled, nor raises when the run is.
            await asyncio.wait([self._runs[job_id][1] if job_id in self._runs else self._ending[job_id]])
            await asyncio.sleep(0)
        return await self.get(job_id)

    # -- what is done with a job -----------------------------------------------------------------------------------

    async def resume(self, job_id: str) -> Job:
        """Go on with a job where it truly is; a failed, cancelled or lost one begins again with the same seed.

        Raises StudioError when another living studio owns it, or when it is done.
        """
        if job_id in self._runs:
            return self._runs[job_id][0].job
        job = await self._claimed(job_id)
        if job.state is S.DONE:
            await self.tools.write(self.tools.store.release, job_id)
            raise StudioError("job.finished", id=job_id, state=say(f"state.{job.state}"))
        if job.state is S.FAILED and _still_there(job):
            there = S.DOWNLOADING if job.video is not None else S.RUNNING
            job = await self.tools.write(self.tools.store.move, job, there, "resumed", "user", fault=None)
        elif job.state.finished:
            await self.tools.write(self.tools.store.to_the_end, job_id)
            await self._learn_order()
        if job_id not in self._runs:  # somebody else may have been as quick
            self._begin(job)
        return job

    async def candidates(self, job_id: str) -> list[VideoJob]:
        """What on its server may be a job whose upload's answer was lost (`job.ambiguous`), newest first.

        Empty when its server has ended since. Raises StudioError when there is nothing to choose, or nobody to ask.
        """
        return await choosing.candidates(await self.get(job_id), self.tools)

    async def take(self, job_id: str, remote_id: str) -> Job:
        """Go on with a job as that one of `candidates`. Raises StudioError when it is none of them (any more)."""
        if all(remote.id != remote_id for remote in await self.candidates(job_id)):
            raise StudioError("job.no_candidate", id=job_id, remote=remote_id)
        job = await self._claimed(job_id)
        if not choosing.is_open(job):  # somebody else was as quick
            return job
        chosen: dict[str, Any] = {"remote_id": remote_id, "fault": None}
        job = await self.tools.write(self.tools.store.move, job, S.RUNNING, "chosen on the server", "user", **chosen)
        self._begin(job)
        return job

    async def cancel(self, job_id: str, who: Who = "user", *, patience: float = _PATIENCE) -> Job:
        """End a job: here at once; on its server at the next denoise step, waited for up to `patience` seconds.

        It is *cancelling* until the server has let go of it. An owner elsewhere is asked to. Raises StudioError when it
        has ended already.
        """
        job = await self.get(job_id)
        if job.state.finished:
            raise StudioError("job.finished", id=job_id, state=say(f"state.{job.state}"))
        if job_id not in self._runs:
            owner = await self.tools.write(self.tools.store.claim, job_id)
            if owner is not None:
                await self.tools.write(self.tools.store.wish, job_id, "cancel")
                return job
        if job.state is S.CANCELLING:
            if job_id not in self._runs:  # the studio that began to end it is dead
                self._begin(job)
        elif job_id not in self._ending:
            job = await self._begin_to_end(job_id, who)
        if job.state is S.CANCELLING and job_id in self._runs:
            await asyncio.wait([self._runs[job_id][1]], timeout=patience)
            await asyncio.sleep(0)
        return await self.get(job_id)

    async def retarget(self, job_id: str, target: Target) -> Job:
        """Render a job on another server. Raises StudioError `job.not_waiting` once it was sent."""
        job = await self.get(job_id)
        if job.state not in _ONLY_HERE:
            raise StudioError("job.not_waiting", id=job_id)
        await self._let_go(job_id)
        job = await self.get(job_id)
        if job.state not in _ONLY_HERE:  # it went this moment
            self._begin(job)
            raise StudioError("job.not_waiting", id=job_id)
        job = await self.tools.write(self.tools.store.save, job.model_copy(update={"target": target}))
        self._begin(job)
        return job

    @property
    def in_hand(self) -> tuple[Job, ...]:
        """The jobs that run here, as they are this moment."""
        return tuple(run.job for run, _ in self._runs.values())

    async def detach(self, job_id: str) -> None:
        """Stop following a job without ending it: any studio may take it up."""
        await self._let_go(job_id)
        await self.tools.write(self.tools.store.release, job_id)

    # -- what is done with the queue -------------------------------------------------------------------------------

    async def reorder(self, ids: Sequence[str]) -> None:
        """Let these jobs go in this order. One that is on its server already stays there."""
        await self.tools.write(self.tools.store.reorder, list(ids))
        await self._learn_order()
        for job in await self.unfinished():
            self.changed.emit(job)

    async def pause(self, lane: str = EVERYWHERE) -> None:
        """Let what runs go on and nothing new begin, on one server or on all."""
        await self.tools.write(self.tools.store.pause, lane, "user")
        await self._learn_order()

    async def go_on(self, lane: str | None = None) -> None:
        """Take the pause of a lane back, or every pause."""
        for paused in tuple(self.tools.lanes.paused) if lane is None else (lane,):
            await self.tools.write(self.tools.store.go_on, paused)
        await self._learn_order()

    async def smoke_verdict(self, shot: Shot, profile: str, *, row_count: int | None = None) -> Verdict | None:
        """What is known of a shot's rows on a server (`Target.lane`: address, profile's id, unit's name or
        "rehearsal"); None when nothing is, or when the shot cannot be resolved. Its files are read unless `row_count`
        is known."""
        if row_count is None:
            try:
                facts: dict[str, MediaFacts] = {
                    ref.id: await probe(self.tools.workers, ref.path) for ref in shot.sent()
                }
                row_count = rows(self.tools.rules.request(profile, shot, facts)).padded
            except StudioError:
                return None
        return await self.tools.write(self.tools.evidence.verdict, profile, row_count)

    async def aclose(self) -> None:
        """Let go of every run. What is on a server goes on there."""
        for job_id in tuple(self._runs):
            with contextlib.suppress(StoreError):  # a dead owner gives it up as well
                await self.detach(job_id)
        if self._telling:
            await asyncio.wait(self._telling)  # each has a short time limit of its own
        await self._scope.aclose()
        await self.tools.aclose()

    # -- runs ------------------------------------------------------------------------------------------------------

    def _present(self, stored: Job) -> Job:
        """A stored job as it is now: newer where it runs here, in the place that the store gives it."""
        if stored.id not in self._runs:
            return stored
        return self._runs[stored.id][0].job.model_copy(update={"position": stored.position})

    def _begin(self, job: Job) -> None:
        run = Run(job, self.tools, self._on_changed)
        task = self._scope.start(run.to_end(), name=job.id)
        self._runs[job.id] = (run, task)
        task.add_done_callback(lambda _: self._ended(job.id))
        self._on_changed(job)

    def _on_changed(self, job: Job) -> None:
        self._look_at_sleep()
        self.changed.emit(job)

    def _ended(self, job_id: str) -> None:
        run, _ = self._runs.pop(job_id)
        self._look_at_sleep()
        if run.job.state.finished:
            self._learn_from(run.job)

    def _learn_from(self, job: Job) -> None:
        """What follows the end of a job: what it told of its server is kept, and who wants to know is told."""
        self.tools.write_soon(self.tools.evidence.add, job, time.time())
        self.ended.emit(job)
        url = self.tools.settings.present.queue.post_url
        if url and job.state is not S.CANCELLED:
            task = self._scope.start(hook.post(url, job), name=f"tell {job.id}")
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)
        if not any(run.job.target.lane == job.target.lane for run, _ in self._runs.values()):
            self.emptied.emit(job.target.lane)

    async def _claimed(self, job_id: str) -> Job:
        """A job that is this studio's from now on. Raises StudioError `job.owned`."""
        owner = await self.tools.write(self.tools.store.claim, job_id)
        job = await self.get(job_id)
        if owner is not None:
            raise StudioError("job.owned", id=job_id, pid=owner)
        return job

    async def _let_go(self, job_id: str) -> None:
        if job_id in self._runs:
            _, task = self._runs[job_id]
            self._scope.cancel(task)
            await asyncio.gather(task, return_exceptions=True)
            await asyncio.sleep(0)

    async def _begin_to_end(self, job_id: str, who: Who) -> Job:
        """Stop the run and write the wish before it is acted on: a death of ours in between does not undo it."""
        self._ending[job_id] = ended = asyncio.get_running_loop().create_future()
        try:
            # The server stays taken from one run to the next: nobody goes there before its GPU is free.
            async with self.tools.lanes.turn(await self.get(job_id), there=True):
                run = self._runs[job_id][0] if job_id in self._runs else None
                await self._let_go(job_id)
                job = await self.get(job_id)  # its last move may have been under way
                if job.state.finished:
                    return job
                half = job.state is S.UPLOADING and run is not None and _is_half_sent(run.job)
                here = half or job.state in _ONLY_HERE
                cause = "cancelled before it had gone up whole" if half else "cancelled"
                new, cause = (S.CANCELLED, cause) if here else (S.CANCELLING, "stops at the next step")
                try:
                    job = await self.tools.write(self.tools.store.move, job, new, cause, who, stalled=None)
                except StoreError:
                    self._begin(job)  # what is not on record is not done: it goes on as before
                    raise
                if job.video is not None:
                    await asyncio.to_thread(results.part_of(job.video).unlink, missing_ok=True)
                if not here:
                    self._begin(job)
                    await asyncio.sleep(0)
            self.changed.emit(job)
            return job
        finally:
            del self._ending[job_id]
            ended.set_result(None)

    # -- side by side with other studios ---------------------------------------------------------------------------

    async def _learn_order(self) -> None:
        order = await self.tools.write(self.tools.store.positions)
        paused = await self.tools.write(self.tools.store.pauses) if self._takes_over else {}
        self.tools.lanes.learn(order, paused)

    def _on_paused_itself(self, news: tuple[str, str]) -> None:
        lane, code = news
        self.tools.write_soon(self.tools.store.pause, lane, code)
        self.tools.notices.post(Notice("warn", Message(f"queue.paused.{code}"), Message("queue.paused.mend")))

    def _look_at_sleep(self) -> None:
        busy = any(run.job.state in _AT_WORK for run, _ in self._runs.values())
        self.tools.awake.want(busy and self.tools.settings.present.queue.keep_awake)

    async def _heartbeat(self) -> None:
        renewed, version, told = 0.0, 0, time.time()
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            self._look_at_sleep()
            seen = await self.tools.write(self.tools.store.version)
            if seen != version or time.monotonic() - renewed >= _RENEW_EVERY:
                renewed = time.monotonic()
                with contextlib.suppress(StoreError):  # a disk that is full now may not be in a moment
                    await self._hear_wishes()
                if self._takes_over:
                    await self._take_up_orphans()
            if seen != version:
                version = seen
                await self._learn_order()
                since, told = told, time.time() - _LOOK_EVERY  # what is being written now is told again
                for job in await self.tools.write(self.tools.store.updated_since, since):
                    if job.id not in self._runs:
                        self.changed.emit(job)

    async def _hear_wishes(self) -> None:
        for job_id, wish in (await self.tools.write(self.tools.store.renew)).items():
            if wish == "cancel" and job_id in self._runs:
                with contextlib.suppress(StudioError):  # it may end by itself this moment
                    await self.cancel(job_id, patience=0)

    async def _take_up_orphans(self) -> None:
        """Go on with what another studio left when it died; what was let go of on purpose waits to be asked for."""
        for job_id in await self.tools.write(self.tools.store.orphans):
            with contextlib.suppress(StudioError):  # a third studio was quicker
                await self.resume(job_id)

    def _run_broke(self, error: BaseException, name: str) -> None:
        log.error("%s broke", name, exc_info=error)
        self.tools.notices.error(error)


def _is_half_sent(job: Job) -> bool:
    """Whether part of its upload was still to go: a server makes no job of half a form. Only its own run knows."""
    return job.progress.fraction is not None and job.progress.fraction < 1


def _still_there(job: Job) -> bool:
    """Whether only the way to the server failed: then the render there is followed, not made anew."""
    return job.remote_id is not None and job.fault is not None and job.fault.code in WAY_ONLY

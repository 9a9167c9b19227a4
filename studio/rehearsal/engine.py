"""The pretended engine: one job at a time, first come first served, in the phases of the real pipeline.

Everything but the probing of references runs on the event loop; writing the MP4 blocks it, as on the real server.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from studio.rehearsal.encoding import begin_painting, write_result
from studio.rehearsal.faults import Faults
from studio.rehearsal.gpus import Gpus
from studio.rehearsal.injection import ENGINE_DEAD, FORWARD_TIMED_OUT, before_step, lose_output, refuse_rows
from studio.rehearsal.log import Log, step_bar
from studio.rehearsal.metrics import Metrics
from studio.rehearsal.options import Options
from studio.rehearsal.records import Job, Jobs
from studio.rehearsal.rows import Pace, count
from studio.rehearsal.rules import Plan, resolve
from studio.rehearsal.storage import Storage
from studio.rehearsal.worker import Stopped, WorkerError


class Engine:
    """Runs jobs. The phases beside denoising take a few steps' time each. `stopping`: whether the server goes down."""

    def __init__(
        self,
        storage: Storage,
        log: Log,
        faults: Faults,
        options: Options,
        metrics: Metrics,
        stopping: Callable[[], bool],
    ) -> None:
        self.jobs = Jobs()
        self.storage, self.log, self.faults, self.options, self.metrics = storage, log, faults, options, metrics
        self.gpus = Gpus()
        self.dead = False
        self._pace = Pace(options.step_seconds, options.row_seconds)
        self._stopping = stopping
        self._waiting: deque[Job] = deque()
        self._arrived = asyncio.Event()

    def submit(self, job: Job, *, listed: bool = True) -> None:
        """Queue a job; one that is not listed has no id for later."""
        if listed:
            self.jobs.add(job)
        self._waiting.append(job)
        self._arrived.set()

    def cancel(self, job: Job) -> None:
        """Let go of a waiting job at once, of the running one at its next step."""
        slow = self.faults.take("slow_cancel") if job.status == "in_progress" else None
        job.cancel(slow.number(10) if slow else 0.0)
        self.metrics.aborted()
        self.log.info("async_omni.py:1180", f"[AsyncOmni] Aborted request(s) {job.id}")

    async def run(self) -> None:
        """Serve jobs until cancelled."""
        self.gpus.enter("idle")
        while True:
            while self._waiting and not self.faults.get("stuck_queued"):
                job = self._waiting.popleft()
                try:
                    await self._serve(job)
                finally:
                    job.references.discard()
                    job.ended.set()
            self._arrived.clear()
            try:
                # Looked at again now and then: the order that holds the queue may be lifted.
                await asyncio.wait_for(self._arrived.wait(), 0.2 if self._waiting else None)
            except TimeoutError:
                continue

    async def _serve(self, job: Job) -> None:
        if job.stopped:
            return
        steps: int | None = None
        try:
            steps = await self._render(job)
        except Stopped:
            self.log.info("async_omni.py:1204", f"Stopped cancelled diffusion request(s) {job.id}")
            return
        except WorkerError as error:
            if error.client and self.options.step_execution:
                error.code = 400
            job.fail(error)
            self.log.error("helpers.py:470", f"Video generation failed for id={job.id}\n{error.message}")
        except Exception as error:  # as on the real server, whatever the worker raises becomes the job's text
            job.fail(WorkerError(str(error)))
            self.log.error("helpers.py:470", f"Video generation failed for id={job.id}\n{error}")
        finally:
            self.gpus.enter("gone" if self.dead else "idle")
        self.metrics.ended(job, steps)

    async def _render(self, job: Job) -> int:
        """All phases. Gives the number of steps."""
        waited = (time.monotonic() - job.asked_at) * 1000
        if self.dead:
            raise WorkerError(ENGINE_DEAD, client=False)
        job.status = "in_progress"
        self.gpus.start_job()
        seed = job.request.seed if job.request.seed is not None else random.getrandbits(31)
        self.log.info(
            "serving_video.py:476",
            f"Video sampling params: steps={job.request.num_inference_steps} guidance=None guidance_2=None "
            f"seed={job.request.seed}",
        )
        began = time.monotonic()
        plan = await self._forward(job, seed)
        job.stage_durations |= {"queue_wait_ms": waited, "stage_0_gen_ms": (time.monotonic() - began) * 1000}
        self._encode_and_save(job, plan)
        return plan.steps

    async def _forward(self, job: Job, seed: int) -> Plan:
        """What runs on the GPU, under the watchdogs that a render can run into."""
        fault = self.faults.get("forward_timeout")
        limit = fault.number(600) if fault else None
        try:
            async with asyncio.timeout(limit):
                plan = await self._phases(job, seed)
        except TimeoutError:
            self.dead = True
            self.log.error(
                "multiproc_executor.py:504",
                f"DLO DP collective wave timed out after {limit:.1f}s; shutting down the worker group: "
                f"{FORWARD_TIMED_OUT}",
            )
            raise WorkerError(FORWARD_TIMED_OUT, client=False) from None
        if fault := self.faults.get("output_watchdog"):
            await lose_output(fault.number(600), self.log)
        return plan

    async def _phases(self, job: Job, seed: int) -> Plan:
        with self._phase(job, "encode_prompt"):
            self.gpus.enter("encode")
            plan = await asyncio.to_thread(resolve, job.request, job.references, seed, self.options.task_type)
            rows = count(plan)
            step = self._pace.of(rows)
            await self._pause(job, step)
        if plan.clips or plan.images or plan.edit is not None:
            with self._phase(job, "_encode_local_media"):
                await self._pause(job, step * (1 + len(plan.clips)))
        refuse_rows(rows, self.faults)
        size = plan.frames, plan.width * plan.height
        with self._phase(job, "diffuse"):
            self.gpus.enter("denoise", *size)
            await self._denoise(job, plan, step, random.Random(seed))
        with self._phase(job, "decode"):
            self.gpus.enter("decode", *size)
            await self._pause(job, step * 2)
        return plan

    @contextmanager
    def _phase(self, job: Job, target: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        if self.options.profiler:
            seconds = time.monotonic() - began
            job.stage_durations[f"MiniMaxH3Pipeline.{target}"] = seconds
            self.log.profile(target, seconds)

    async def _pause(self, job: Job, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if job.stopped:
            raise Stopped

    async def _denoise(self, job: Job, plan: Plan, step_seconds: float, chance: random.Random) -> None:
        shown = not (self.faults.get("no_bar") or self.options.step_execution)
        with step_bar(plan.steps, shown=shown) as bar:
            for step in range(1, plan.steps + 1):
                before_step(step, plan.steps, self)
                while self.faults.at_step("hang", step, plan.steps):
                    await asyncio.sleep(0.2)
                await self._pause(job, step_seconds * max(0.5, chance.gauss(1, self.options.step_scatter)))
                bar.update()

    def _encode_and_save(self, job: Job, plan: Plan) -> None:
        """Write the MP4 on the event loop: nothing else is answered meanwhile."""
        self.log.info("serving_video.py:598", "Video response encoding route selected: in-process MP4")
        began = time.monotonic()
        part = self.storage.part(job.id)
        painting = begin_painting(plan, self.faults)
        try:
            write_result(part, painting, job, self.faults, self._stopping)
        except BaseException:
            painting.stop()
            part.unlink(missing_ok=True)
            raise
        took = (time.monotonic() - began) * 1e3
        self.log.info("serving_video.py:627", f"Video response encoding (MP4 bytes): {took:.2f} ms")
        job.expires_at = self.storage.keep(job.id)
        self.log.info("helpers.py:427", f"Video request {job.id} persisted {job.id} output file.")
        job.peak_memory_mb = self.gpus.peak
        job.complete(plan.frames)

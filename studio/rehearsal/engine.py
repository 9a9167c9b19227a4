"""The pretended engine: one job at a time, first come first served, in the phases of the real pipeline.

Everything but the probing of references runs on the event loop; writing the MP4 blocks it, as on the real server.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from studio.media.mp4 import Mp4Writer
from studio.rehearsal.faults import Faults
from studio.rehearsal.gpus import Gpus
from studio.rehearsal.log import Log, step_bar
from studio.rehearsal.paint import Painting, paint
from studio.rehearsal.records import Job, Jobs
from studio.rehearsal.rules import Plan, resolve
from studio.rehearsal.worker import WorkerError

COMMENT = "H3 Studio rehearsal"
SOUND_RATE = 32_000  # Hz
_OOM = (
    "CUDA out of memory. Tried to allocate 12.38 GiB. GPU 0 has a total capacity of 95.59 GiB of which 3.02 GiB is "
    "free. Including non-PyTorch memory, this process has 92.55 GiB memory in use."
)


def _codec_options(extra: Mapping[str, Any]) -> tuple[str, int]:
    """Preset and crf from `video_codec_options`; wrong ones fail here, after the whole denoise, as on the server."""
    options = dict(extra.get("video_codec_options") or {})
    if any(not isinstance(value, str) for value in options.values()):
        raise TypeError("Argument 'value' has incorrect type (expected str, got int)")
    return options.get("preset", "ultrafast"), int(options.get("crf", 18))


class _Stopped(Exception):
    """The job was cancelled, or the server is going down."""


class Engine:
    """Runs jobs. `step_seconds` is the length of a denoise step; the other phases follow it."""

    def __init__(
        self,
        jobs: Jobs,
        storage: Path,
        log: Log,
        faults: Faults,
        step_seconds: float,
        stopping: Callable[[], bool],
    ) -> None:
        self.jobs, self.storage, self.log, self.faults = jobs, storage, log, faults
        self.step_seconds = step_seconds
        self.gpus = Gpus()
        self.dead = False
        self._stopping = stopping
        self._waiting: deque[Job] = deque()
        self._arrived = asyncio.Event()

    def submit(self, job: Job) -> None:
        """Queue a job."""
        self.jobs.add(job)
        self._waiting.append(job)
        self._arrived.set()

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
            self._arrived.clear()
            try:
                # Looked at again now and then: the order that holds the queue may be lifted.
                await asyncio.wait_for(self._arrived.wait(), 0.2 if self._waiting else None)
            except TimeoutError:
                continue

    async def _serve(self, job: Job) -> None:
        if job.cancelled:
            return
        try:
            await self._render(job)
        except _Stopped:
            self.log.info("async_omni.py:1204", f"Stopped cancelled diffusion request(s) {job.id}")
        except WorkerError as error:
            job.fail(error)
            self.log.error("helpers.py:470", f"Video generation failed for id={job.id}\n{error.message}")
        except Exception as error:  # as on the real server, whatever the worker raises becomes the job's text
            job.fail(WorkerError(str(error)))
            self.log.error("helpers.py:470", f"Video generation failed for id={job.id}\n{error}")
        finally:
            self.gpus.enter("idle")

    async def _render(self, job: Job) -> None:
        waited = (time.monotonic() - job.asked_at) * 1000
        if self.dead:
            raise WorkerError("Stage-0 has no live replica")
        job.status = "in_progress"
        self.gpus.start_job()
        seed = job.request.seed if job.request.seed is not None else random.getrandbits(31)
        steps = job.request.num_inference_steps
        self.log.info(
            "serving_video.py:476",
            f"Video sampling params: steps={steps} guidance=None guidance_2=None seed={job.request.seed}",
        )
        began = time.monotonic()
        with self._phase(job, "encode_prompt"):
            self.gpus.enter("encode")
            plan = await asyncio.to_thread(resolve, job.request, job.references, seed)
            await self._pause(job, 1)
        if plan.clips or plan.images:
            with self._phase(job, "_encode_local_media"):
                await self._pause(job, 1 + len(plan.clips))
        with self._phase(job, "diffuse"):
            self.gpus.enter("denoise", plan.frames, plan.width * plan.height)
            await self._denoise(job, plan)
        painting = self._painting(plan)
        with self._phase(job, "decode"):
            self.gpus.enter("decode", plan.frames, plan.width * plan.height)
            await self._pause(job, 2)
        job.stage_durations |= {"queue_wait_ms": waited, "stage_0_gen_ms": (time.monotonic() - began) * 1000}
        self._encode_and_save(job, plan, painting)

    @contextmanager
    def _phase(self, job: Job, target: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        seconds = time.monotonic() - began
        job.stage_durations[f"MiniMaxH3Pipeline.{target}"] = seconds
        self.log.profile(target, seconds)

    async def _pause(self, job: Job, steps: float) -> None:
        await asyncio.sleep(self.step_seconds * steps)
        if job.cancelled:
            raise _Stopped

    async def _denoise(self, job: Job, plan: Plan) -> None:
        with step_bar(plan.steps, shown=not self.faults.get("no_bar")) as bar:
            for step in range(1, plan.steps + 1):
                self._strike(step, plan.steps)
                while self.faults.at_step("hang", step, plan.steps):
                    await asyncio.sleep(0.2)
                await self._pause(job, 1)
                bar.update()

    def _strike(self, step: int, steps: int) -> None:
        """Faults that hit before this step."""
        if self.faults.at_step("oom", step, steps):
            raise WorkerError(_OOM)
        if fault := self.faults.at_step("error", step, steps):
            raise WorkerError(fault.value or f"worker failed at step {step}/{steps}")
        if self.faults.at_step("engine_death", step, steps):
            self.dead = True
            raise WorkerError("EngineCore encountered an issue. See stack trace (above) for the root cause.")
        if self.faults.at_step("server_death", step, steps):
            os._exit(1)
        if self.faults.at_step("forget", step, steps):
            self.jobs.clear()
            raise _Stopped

    def _painting(self, plan: Plan) -> Painting:
        """Start painting what will be encoded, with the ordered faults in the result."""
        faults = self.faults
        if fault := faults.get("wrong_frames"):
            plan = replace(plan, frames=plan.frames - int(fault.number(17)))
        if fault := faults.get("wrong_canvas"):
            less = int(fault.number(32))
            plan = replace(plan, width=plan.width - less, height=plan.height - less)
        return paint(
            plan,
            edited=not faults.get("unedited"),
            frozen=bool(faults.get("frozen")),
            flash=bool(faults.get("flash")),
            silent=bool(faults.get("silent")),
        )

    def _encode_and_save(self, job: Job, plan: Plan, painting: Painting) -> None:
        """Write the MP4 on the event loop: nothing else is answered meanwhile."""
        self.log.info("serving_video.py:598", "Video response encoding route selected: in-process MP4")
        began = time.monotonic()
        part = self.storage / f".{job.id}.part"
        try:
            self._write(job, painting, part)
            if self.faults.get("disk_full"):
                raise OSError(28, "No space left on device")
        except BaseException:
            painting.stop()
            part.unlink(missing_ok=True)
            raise
        self.log.info(
            "serving_video.py:627", f"Video response encoding (MP4 bytes): {(time.monotonic() - began) * 1e3:.2f} ms"
        )
        part.chmod(0o600)
        part.replace(self.storage / job.id)
        self.log.info("helpers.py:427", f"Video request {job.id} persisted {job.id} output file.")
        job.peak_memory_mb = self.gpus.peak / (1 << 20)
        job.complete(plan.frames)

    def _write(self, job: Job, painting: Painting, path: Path) -> None:
        sound = None if self.faults.get("no_sound") else painting.sound
        preset, crf = _codec_options(job.request.extra_params or {})
        size = painting.width, painting.height
        sound_rate = SOUND_RATE if sound is not None else None
        with Mp4Writer(path, *size, Fraction(painting.rate), sound_rate, COMMENT, preset, crf) as writer:
            per_frame = SOUND_RATE / painting.rate
            for index, picture in enumerate(painting.frames()):
                if self._stopping() or job.cancelled:
                    raise _Stopped
                writer.frame(picture)
                if sound is not None:
                    writer.sound(sound[:, round(index * per_frame) : round((index + 1) * per_frame)])

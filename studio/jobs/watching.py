"""Watches one job while its server renders it: cards, steps and stages onto one clock, into one file, with alerts.

Nothing here can make a render fail: what cannot be read or written is missing from the picture, and that is all.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from studio.core import paths
from studio.core.errors import StudioError
from studio.core.files import free_bytes
from studio.core.notices import Notice
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.jobs import calibration
from studio.jobs.calibration import Learned
from studio.jobs.job import Job
from studio.jobs.record import Record
from studio.jobs.servers import Connection
from studio.jobs.sources import source_of
from studio.jobs.states import JobState
from studio.jobs.tools import Tools
from studio.telemetry import Alerts, Phase, Reading, Recorder, Recording, Sample, Step, past_run, replay

log = logging.getLogger(__name__)
_LOOK_EVERY: Final = 0.2
"""Seconds between looks at the log: a step is seen well within a third of a second."""
_FIRST_STEP_WITHIN: Final = 600.0
"""Seconds a render may read its references before the bar says 0/N; longer without one, and there is no bar."""
_WRITE_EVERY: Final = 2.0
_DISK_EVERY: Final = 30.0
_REHEARSAL_RATE: Final = 5.0
_KEPT: Final = 40
"""Recordings of jobs that came to no video."""


def folder() -> Path:
    """Where recordings grow, and stay when there is no video to lie beside."""
    return paths.data_dir() / "telemetry"


def file_of(job: Job) -> Path:
    """The recording of a job's present attempt while it grows."""
    return folder() / f"{job.id}-{int(job.posted_at or job.created)}.csv"


class Watching:
    """Entered while a job is on its server; `recording` grows meanwhile and stays when it is left."""

    def __init__(self, record: Record, tools: Tools, connection: Connection) -> None:
        job = record.job
        self.recording = Recording(job.posted_at or job.created)
        self.tails: list[float] = []
        """Seconds from the last step to the file, of past runs on this server."""
        self.late = 0.0
        """Seconds by which the newest step was heard after it was done, by the bar's own clock."""
        self._record, self._tools, self._connection = record, tools, connection
        self._recorder = Recorder(file_of(job))
        self._alerts = Alerts()
        self._steps: list[Step] = []
        self._early: list[tuple[float, Reading]] = []
        self._cold = self._open = False
        self._behind = -1
        self._bar_began: float | None = None
        self._undo: list[Callable[[], None]] = []
        self._scope = TaskScope(f"watching {job.id}")

    @property
    def steps_seen(self) -> bool:
        """Whether the server's log can be read, and is believed to tell steps: not when it has long told none."""
        job = self._record.job
        waited = self._tools.clock.now() - job.progress.since if job.state is JobState.RUNNING else 0.0
        return self._connection.watch is not None and bool(self._steps or waited < _FIRST_STEP_WITHIN)

    async def __aenter__(self) -> Self:
        try:
            await self._begin()
        except BaseException:
            self._undo_all()
            raise
        return self

    async def _begin(self) -> None:
        job, tools, connection = self._record.job, self._tools, self._connection
        if connection.watch is not None:
            for reading in connection.watch.present:  # the log may be quicker than we are
                self._hold(self._now(), reading)
            self._undo.append(connection.watch.readings.subscribe(self._hear))
        self.recording = await asyncio.to_thread(_begun, self._recorder.path, self.recording.began)
        self._behind = self.recording.steps[-1].step if self.recording.steps else -1
        known = await tools.write(calibration.learned, tools.store, job.target.lane)
        self.tails = calibration.tails(known, job.rows or 0)
        self._cold = await self._is_cold()
        server = tools.settings.present.server
        source = source_of(connection.record, connection.client.url, server)
        rate = _REHEARSAL_RATE if source.url else server.gpu_rate
        self._undo.append(tools.monitor.watch(source, self._on_sample, rate=rate))
        self._scope.start(self._keep(), name="keep")
        self._record.note(telemetry=self._recorder.path)  # written with the next change, whatever becomes of the job
        tools.watchings[job.id] = self
        self._open = True

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._undo_all()
        await self._scope.aclose()
        self._tools.watchings.pop(self._record.job.id, None)
        await self._write()
        telemetry = self._recorder.path if self._recorder.path.exists() else None
        server = {**self._record.job.server, "gpus": self._peaks()}
        self._record.note(telemetry=telemetry, server=server, learned=self._learned() if error is None else {})

    def _undo_all(self) -> None:
        for undo in self._undo:
            undo()
        self._undo.clear()

    def _hear(self, reading: Reading) -> None:
        state, now = self._record.job.state, self._now()
        if state is JobState.QUEUED or not self._open:
            self._hold(now, reading)
        elif state is JobState.RUNNING:
            # The server is asked a moment too late whether the job runs: what the log said meanwhile is its own.
            early = [] if reading is Phase.PREPARE else _dated(self._early)
            self._early = []
            for at, one in (*early, (now, reading)):
                self._take(at, one)

    def _hold(self, now: float, reading: Reading) -> None:
        """Keep what the log says while the job waits, from the last job's beginning on: it may be this one's."""
        if reading is Phase.PREPARE:
            self._early.clear()
        elif reading is Phase.DENOISE:
            self._early = [entry for entry in self._early if entry[1] is Phase.PREPARE]
        self._early.append((now, reading))

    def _take(self, now: float, reading: Reading) -> None:
        if isinstance(reading, Phase):
            self._enter(now, reading)
            return
        if reading.n <= self._behind:  # told before, to an earlier studio of ours
            return
        self._behind = -1
        if self._steps and reading.n <= self._steps[-1].n:  # another window of a long video
            self._steps.clear()
        before = self._steps[-1] if self._steps else None
        self._steps.append(reading)
        took = reading.elapsed - before.elapsed if before and reading.n == before.n + 1 and reading.exact else None
        mark = self.recording.add_step(self._done_at(reading, now), reading.n, reading.total, took)
        self.late = max(0.0, self._now() - mark.t)
        self._recorder.step(mark)
        self._alert(self._alerts.on_step(mark))

    def _done_at(self, step: Step, now: float) -> float:
        """When a step was done: by the bar's own clock, whose zero is known from whichever step was seen soonest."""
        if step.n == 0 or self._bar_began is None:
            self._bar_began = now - step.elapsed
        self._bar_began = min(self._bar_began, now - step.elapsed)
        return self._bar_began + step.elapsed if step.exact else now

    def _enter(self, t: float, phase: Phase) -> None:
        if phase is Phase.SAVED:
            return
        if not self.recording.stages and phase is not Phase.PREPARE:
            self._enter(t, Phase.PREPARE)
        self.recording.add_stage(t, phase)
        self._recorder.stage(t, phase)

    def _on_sample(self, sample: Sample) -> None:
        if self._record.job.state is not JobState.RUNNING:
            return
        if not self.recording.stages:
            self._enter(self._now(), Phase.PREPARE)
        self.recording.add_sample(sample)
        self._recorder.sample(self.recording.end, sample)
        self._alert(self._alerts.on_sample(sample))

    async def _keep(self) -> None:
        """Look at the log often, write the file and look for silence now and then."""
        watch = self._connection.watch
        written = disk = time.monotonic()
        while True:
            if watch is not None:
                await watch.look()
            now = time.monotonic()
            if now - written >= _WRITE_EVERY:
                written = now
                await self._write()
                denoising = self._record.job.progress.phase == Phase.DENOISE
                self._alert(self._alerts.on_time(self._now(), denoising=denoising))
            if now - disk >= _DISK_EVERY:
                disk = now
                place = self._record.job.out_dir or self._tools.results_dir()
                self._alert(self._alerts.on_disk(await asyncio.to_thread(free_bytes, place)))
            await asyncio.sleep(_LOOK_EVERY)

    async def _write(self) -> None:
        try:
            await asyncio.to_thread(self._recorder.flush)
        except OSError as error:
            log.warning("the recording of job %s could not be written: %s", self._record.job.id, error)

    async def _is_cold(self) -> bool:
        """Whether this is the first job since the server's start, as far as anybody knows."""
        record, job, tools = self._connection.record, self._record.job, self._tools
        if record is not None:
            return not await tools.write(calibration.served_before, tools.store, record.id, job.id)
        if tools.tidy():  # what was rendered before is not in its list any more
            return False
        try:
            others = await self._connection.client.list()
        except StudioError:
            return False
        return not any(other.standing == "done" for other in others if other.id != job.remote_id)

    def _learned(self) -> dict[str, object]:
        job, peak = self._record.job, self.recording.peak
        told = job.server.get("peak_memory_mb")
        peak_bytes = int(peak[2] * (1 << 20)) if peak else int(told * 1e6) if told else None
        run = past_run(job.rows or 0, self._steps, peak_bytes=peak_bytes, cold=self._cold)
        if run is None:
            return {}
        one = Learned(
            rows=run.rows,
            seconds_per_step=run.seconds_per_step,
            peak_bytes=peak_bytes,
            cold=run.cold,
            denoised_at=self.recording.began + self.recording.steps[-1].t,
        )
        return calibration.plain(one, job.target.lane)

    def _peaks(self) -> list[dict[str, object]]:
        """The greatest memory of each card, for the sidecar."""
        return [
            {"gpu": track.label, "name": track.name, "peak_mib": round(track.used.peak[1]), "total_mib": track.total}
            for track in self.recording.tracks.values()
            if track.used.peak is not None
        ]

    def _alert(self, messages: list[Message]) -> None:
        for message in messages:
            self.recording.alerts.append((self.recording.end, message))
            self._tools.notices.post(Notice("warn", message))

    def _now(self) -> float:
        return time.time() - self.recording.began


def put_beside(job: Job) -> Path | None:
    """Move a job's recording beside its verified video; its new place, or None. Blocking. Never raises."""
    assert job.video is not None
    try:
        return Recorder(file_of(job)).move_beside(job.video)
    except OSError as error:
        log.warning("the recording of job %s could not be put beside its video: %s", job.id, error)
        return job.telemetry


def completed(job: Job, now: float) -> dict[str, object]:
    """What the job taught, with how long its end took now that it is over."""
    since = job.learned.get("denoised_at")
    return {**job.learned, "tail_seconds": round(now - since, 3)} if since else dict(job.learned)


def _dated(heard: list[tuple[float, Reading]]) -> list[tuple[float, Reading]]:
    """Readings that were heard late, or all at once, at the times at which they were true, by the bars' own clocks."""
    dated: list[tuple[float, Reading]] = []
    began: float | None = None
    for heard_at, one in reversed(heard):
        at = min(heard_at, dated[-1][0]) if dated else heard_at
        if isinstance(one, Step):
            began = at - one.elapsed if began is None else min(began, at - one.elapsed)
            at = began + one.elapsed
            began = None if one.n == 0 else began  # before it was another window's bar
        dated.append((at, one))
    return dated[::-1]


def _begun(path: Path, began: float) -> Recording:
    """The recording that an earlier studio of ours began, or a new one; old ones without a video are let go."""
    try:
        for old in sorted(folder().glob("*.csv"), reverse=True)[_KEPT:]:
            old.unlink(missing_ok=True)
        return replay(path, began)
    except (OSError, ValueError):
        return Recording(began)

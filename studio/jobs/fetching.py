"""From a job on its server to a verified file: follow, download, verify. What passes is waited out.

A server that does not answer may be encoding an MP4: only its process's end or its own word makes a job lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path
from typing import Any, Final

from studio.client import ClientError, VideoJob
from studio.core.errors import StudioError
from studio.core.files import finish
from studio.core.notices import Notice
from studio.core.tasks import on_thread
from studio.core.words import Message
from studio.jobs import places, results, salvage, watching
from studio.jobs.expected import mismatch
from studio.jobs.faults import failure
from studio.jobs.job import Progress
from studio.jobs.record import Record
from studio.jobs.servers import Connection
from studio.jobs.states import JobState
from studio.jobs.tools import Tools
from studio.jobs.watching import Watching
from studio.media.errors import MediaError
from studio.media.verify import verify
from studio.telemetry import Phase, Reading, Step

log = logging.getLogger(__name__)
S = JobState
_POLL_FIRST: Final = 0.4
_POLL_LAST: Final = 2.0
_SILENT_LAST: Final = 30.0
_PASSES: Final = frozenset({"server.unreachable", "server.no_answer", "server.failed", "server.bad_answer"})
_UNSEEN: Final = 6
"""A server whose steps cannot be read is given so many times the patience before its job counts as stalled."""


class Fetching:
    """The second half of one attempt at a job."""

    def __init__(self, record: Record, tools: Tools) -> None:
        self._record = record
        self._tools = tools
        self._heard = self._tools.clock.monotonic()
        """When there was last a sign of the job."""
        self._saved = asyncio.Event()
        """The log says that a file is saved: the next question need not wait."""

    async def followed(self, connection: Connection | None = None) -> None:
        """Wait until the server has rendered the job, if it has not yet."""
        if self._record.job.state in (S.QUEUED, S.RUNNING):
            connection = connection or await self._connect()
            async with Watching(self._record, self._tools, connection):
                await self._follow(connection)

    async def fetched(self) -> None:
        """Download and verify what was rendered."""
        for last in (False, True):
            if self._record.job.state is S.DOWNLOADING:
                await self._download(await self._connect())
            if self._record.job.state is S.VERIFYING:
                await self._verify(last=last)

    async def salvaged(self) -> bool:
        """Take a finished video from the folder of a server that is gone; whether there was one."""
        found = await asyncio.to_thread(salvage.find, self._record.job.remote_id)
        if found is None:
            return False
        if self._record.job.state in (S.QUEUED, S.RUNNING):
            await self._rendered("found in the server's folder")
        video = self._record.job.video
        assert video is not None
        await asyncio.to_thread(salvage.fetch, found, results.part_of(video))
        if self._record.job.state is S.DOWNLOADING:
            await self._record.move(S.VERIFYING, "taken from the server's folder")
        self._tools.tell(Message("job.salvaged", {"name": self._record.job.title[:48]}))
        await self._verify(last=True)
        return True

    async def _connect(self) -> Connection:
        connection = await self._tools.servers.connect(self._record.job)
        if connection.server_died:
            raise StudioError("job.lost.died", mend="job.lost.mend")
        return connection

    # -- following -------------------------------------------------------------------------------------------------

    async def _follow(self, connection: Connection) -> None:
        unsubscribe = connection.watch.readings.subscribe(self._hear) if connection.watch else lambda: None
        pause, self._heard = _POLL_FIRST, self._tools.clock.monotonic()
        try:
            async with self._record.timed("render"):
                while True:
                    remote = await self._ask(connection)
                    if connection.watch is not None:
                        await connection.watch.look()  # the steps before the end, also of a quick job
                    if remote is not None and await self._heed(remote):
                        break
                    pause = min(_SILENT_LAST, pause * 1.5) if remote is None else min(_POLL_LAST, pause * 1.2)
                    await self._look_for_stall(seen=connection.watch is not None)
                    if await self._pause(pause):
                        pause = _POLL_FIRST
        finally:
            unsubscribe()
        await self._rendered("rendered")

    async def _pause(self, seconds: float) -> bool:
        """Wait before the server is asked again; whether the log's word that a file is saved cut it short."""
        waits = [asyncio.ensure_future(wait) for wait in (self._tools.clock.sleep(seconds), self._saved.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        saved = self._saved.is_set()
        self._saved.clear()
        return saved

    async def _ask(self, connection: Connection) -> VideoJob | None:
        """The server's word on the job; None while it does not answer."""
        assert self._record.job.remote_id is not None
        try:
            return await connection.client.get(self._record.job.remote_id)
        except ClientError as error:
            if error.code == "server.job_unknown":
                raise StudioError("job.lost.forgot", mend="job.lost.mend") from error
            if await asyncio.to_thread(lambda: connection.server_died):
                raise StudioError("job.lost.died", mend="job.lost.mend") from error
            if error.code not in _PASSES:
                raise
            log.info("job %s: %s", self._record.job.id, error)
            return None

    async def _heed(self, remote: VideoJob) -> bool:
        """Take over what the server says; True when the video is there to fetch."""
        state = self._record.job.state
        match remote.standing:
            case "failed":
                raise failure(remote)
            case "gone":
                raise StudioError("job.lost.forgot", mend="job.lost.mend")
            case "done":
                server: dict[str, Any] = {**self._record.job.server, "stage_durations": remote.stage_durations}
                server |= {"inference_time_s": remote.inference_time_s, "peak_memory_mb": remote.peak_memory_mb}
                self._record.note(server=server)
                return True
            case "running" if state is S.QUEUED:
                self._heard = self._tools.clock.monotonic()
                progress = Progress(phase=Phase.PREPARE, since=self._tools.clock.now())
                await self._record.move(S.RUNNING, "scheduled", "server", progress=progress)
            case "queued" if state is S.RUNNING:
                await self._record.move(S.QUEUED, "queued again", "server")
        return False

    def _hear(self, reading: Reading) -> None:
        # The bar carries no request id; since one job runs at a time, it is the one that is in progress.
        if self._record.job.state is not S.RUNNING:
            return
        self._heard = self._tools.clock.monotonic()
        now = self._record.job.progress
        if isinstance(reading, Step):
            self._record.progress(
                Progress(
                    phase=Phase.DENOISE,
                    fraction=reading.n / reading.total if reading.total else None,
                    step=reading.n,
                    steps=reading.total,
                    seconds_per_step=reading.seconds_per_step or now.seconds_per_step,
                    since=now.since if now.phase == Phase.DENOISE else self._tools.clock.now(),
                )
            )
        elif reading is not Phase.DENOISE:
            if reading is Phase.SAVED:
                self._saved.set()
            self._record.progress(now.model_copy(update={"phase": reading, "since": self._tools.clock.now()}))

    async def _look_for_stall(self, *, seen: bool) -> None:
        """Mark a job that runs without a sign for too long. It is never ended for that: a slow server is not dead."""
        job, silent = self._record.job, self._tools.clock.monotonic() - self._heard
        if job.state is not S.RUNNING or job.stalled is not None:
            return
        if silent >= self._tools.patience() * (1 if seen else _UNSEEN):
            await self._record.save(stalled=self._tools.clock.now() - silent)
            told = Message("job.stalled", {"name": job.title[:48], "minutes": round(silent / 60)})
            self._tools.notices.post(Notice("warn", told, Message("job.stalled.mend")))

    async def _rendered(self, cause: str) -> None:
        job, folder = self._record.job, self._tools.results_dir()
        expected = places.expected_bytes(job.resolved)
        video, elsewhere = await on_thread(
            results.plan_output, job, folder, expected, dropped=lambda planned: results.give_back(planned[0])
        )
        if elsewhere:
            asked = str(job.out_dir or folder)
            self._tools.tell(Message("job.results_elsewhere", {"folder": asked, "used": str(video.parent)}))
        try:
            await self._record.move(S.DOWNLOADING, cause, "server", video=video)
        except BaseException:
            await on_thread(results.give_back, video)
            raise

    # -- fetching --------------------------------------------------------------------------------------------------

    async def _download(self, connection: Connection) -> None:
        job = self._record.job
        assert job.remote_id is not None and job.video is not None
        job.video.parent.mkdir(parents=True, exist_ok=True)
        async with self._record.timed("download"):
            try:
                await connection.client.download(job.remote_id, results.part_of(job.video), self._record.counted)
            except ClientError as error:
                await asyncio.to_thread(results.give_back, job.video)
                if error.code == "server.job_unknown":
                    raise StudioError("job.lost.forgot", mend="job.lost.mend") from error
                if error.code == "server.file_gone":
                    raise StudioError("server.file_gone", mend="job.lost.mend") from error
                if await asyncio.to_thread(lambda: connection.server_died):
                    raise StudioError("job.lost.died", mend="job.lost.mend") from error
                raise
        await self._record.move(S.VERIFYING, "downloaded")

    async def _verify(self, *, last: bool) -> None:
        """Decode all of it. A damaged file is fetched once more; the second one is the server's own doing."""
        video = self._record.job.video
        assert video is not None
        part = results.part_of(video)
        at = part if part.exists() or not video.exists() else video  # killed between rename and recipe
        async with self._record.timed("verify"):
            try:
                seen = await verify(self._tools.workers, at, progress=self._record.fraction)
            except MediaError as error:
                if last:
                    kept = video.with_name(f"{video.stem}.damaged")
                    await asyncio.to_thread(finish, at, kept)
                    raise StudioError("job.damaged", why=error.text(), kept=str(kept)) from error
                await asyncio.to_thread(at.unlink, missing_ok=True)
                return await self._record.move(S.DOWNLOADING, error.code)
            if (wrong := mismatch(seen, self._record.job)) is not None:
                kept = video.with_name(f"{video.stem}.unexpected.mp4")
                await asyncio.to_thread(finish, at, kept)
                fault = StudioError(wrong.code, mend="job.wrong.mend", kept=str(kept))
                fault.params.update(wrong.params)
                raise fault
            if at is part:
                await asyncio.to_thread(finish, part, video)
        job, now = self._record.job, self._tools.clock.now()
        telemetry = await asyncio.to_thread(watching.put_beside, job)
        learned = watching.completed(job, now)
        self._record.note(verified=seen.model_dump(mode="json"), telemetry=telemetry, learned=learned)
        sidecar = await self._write_sidecar()
        await self._record.move(S.DONE, "verified", sidecar=sidecar, progress=Progress(fraction=1.0))
        await self._tidy()

    async def _write_sidecar(self) -> Path | None:
        job = self._record.job
        try:
            return await asyncio.to_thread(results.write_sidecar, job)
        except OSError as error:
            assert job.video is not None
            params = {"path": str(results.sidecar_of(job.video)), "reason": error.strerror or str(error)}
            self._tools.tell(Message("job.no_sidecar", params))
            return None

    async def _tidy(self) -> None:
        job = self._record.job
        if not self._tools.tidy() or job.remote_id is None:
            return
        with contextlib.suppress(StudioError):
            connection = await self._tools.servers.connect(job)
            if not connection.server_died:
                await connection.client.delete(job.remote_id)

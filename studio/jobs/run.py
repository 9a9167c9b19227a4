"""One job from wherever it stands to its end: check, prepare, send, follow, fetch, verify.

Each change of state is in the store before it is acted on, so a run that is killed anywhere is taken up by the next.
Cancelling the task leaves the job as it is; ending it is the service's decision.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from studio.client import Client, ClientError, Upload, VideoJob
from studio.contract import Finding, MediaFacts, Reference, Request, Unreadable, check, resolve, wire_form
from studio.core.errors import StudioError
from studio.core.files import finish
from studio.core.words import Message
from studio.jobs import results
from studio.jobs.ambiguity import find_posted
from studio.jobs.job import Fault, Job, Progress, Sent, Who
from studio.jobs.servers import Connection
from studio.jobs.states import JobState
from studio.jobs.tools import Tools
from studio.media.cache import prepared
from studio.media.errors import MediaError
from studio.media.probe import probe
from studio.media.verify import Verified, verify
from studio.telemetry import Phase, Reading, Step

log = logging.getLogger(__name__)
S = JobState
_POLL_FIRST, _POLL_LAST = 0.4, 2.0
_SILENT_LAST = 30.0


class Run:
    """The present attempt at one job. `job` is its latest value; `changed` is told each new one."""

    def __init__(self, job: Job, tools: Tools, changed: Callable[[Job], None]) -> None:
        self.job = job
        self._tools = tools
        self._changed = changed
        self._saved_at = 0.0
        self._facts: dict[str, MediaFacts | Unreadable] = {}

    async def to_end(self) -> Job:
        """Bring the job to an end. A StudioError on the way makes it failed (or lost), with its sentence."""
        try:
            if self.job.state is S.UPLOADING:
                await self._settle_upload()
            if not self.job.state.on_server:
                await self._from_start()
            await self._fetch()
        except StudioError as error:
            await self._fail(error)
        except OSError as error:
            path = str(error.filename or self.job.video or "")
            reason = error.strerror or str(error)
            await self._fail(StudioError("disk.write", mend="disk.write.mend", path=path, reason=reason))
        return self.job

    # -- from a shot to a job on the server ---------------------------------------------------------------------

    async def _from_start(self) -> None:
        if self.job.state is not S.CHECKING:
            fresh: dict[str, Any] = {"remote_id": None, "fault": None, "findings": (), "timings": {}, "posted_at": None}
            await self._move(S.CHECKING, "begun", **fresh)
        async with self._timed("check"):
            request = await self._check()
        await self._move(S.PREPARING, "checked", resolved=asdict(resolve(request)))
        async with self._timed("prepare"):
            sent = await self._prepare(request)
        await self._move(S.WAITING, "prepared", sent=sent)
        async with self._tools.turn(self.job.target):
            connection = await self._connect()
            await self._upload(connection, request)
            await self._follow(connection)

    async def _check(self) -> Request:
        for reference in self.job.shot.sent():
            try:
                self._facts[reference.id] = await probe(self._tools.workers, reference.path)
            except StudioError as error:
                self._facts[reference.id] = Unreadable(path=reference.path, code=error.code, params=error.params)
        request = Request(self.job.shot, self._tools.limits, self._facts)
        errors = [finding for finding in check(request) if finding.is_error]
        if errors:
            self.job = self.job.model_copy(update={"findings": tuple(map(plain_finding, errors))})
            first = errors[0].message.text()
            code = "job.finding" if len(errors) == 1 else "job.findings"
            raise StudioError(code, count=len(errors), first=first)
        return request

    async def _prepare(self, request: Request) -> tuple[Sent, ...]:
        references = self.job.shot.sent()
        sent: list[Sent] = []
        numbers: dict[str, int] = {}
        for index, reference in enumerate(references):
            facts = request.facts_of(reference)
            assert facts is not None  # an unreadable reference is an error finding

            def tell(fraction: float, done: int = index) -> None:
                self._progress(Progress(fraction=(done + fraction) / len(references), since=self.job.updated))

            numbers[reference.kind] = numbers.get(reference.kind, 0) + 1
            sent.append(await self._prepare_one(reference, facts, numbers[reference.kind], tell))
        return tuple(sent)

    async def _prepare_one(
        self, reference: Reference, facts: MediaFacts, number: int, tell: Callable[[float], None]
    ) -> Sent:
        made = await prepared(self._tools.workers, facts, reference, progress=tell)
        return Sent(
            reference=reference.id,
            path=made.output,
            # The user's own file name is nobody's business on the server, and may hold anything.
            filename=f"{reference.kind}{number}{made.output.suffix}",
            content_type=made.content_type,
            sha256=made.sha256,
            receipt=made.receipt.model_dump(mode="json"),
        )

    async def _connect(self) -> Connection:
        connection = await self._tools.servers.connect(self.job)
        if connection.record is not None and self.job.target.server_id != connection.record.id:
            target = self.job.target.model_copy(update={"server_id": connection.record.id})
            self.job = await self._tools.write(self._tools.store.save, self.job.model_copy(update={"target": target}))
        return connection

    async def _upload(self, connection: Connection, request: Request) -> None:
        form = wire_form(request)
        by_reference = {sent.reference: sent for sent in self.job.sent}
        parts = [by_reference[part.ref_id] for part in form.parts]
        # posted_at goes by the wall clock, since it is compared with the server's created_at.
        await self._move(
            S.UPLOADING, "sent", wire=form.fields, posted_at=self._tools.clock.now(), server=connection.about
        )

        def tell(done: int, total: int) -> None:
            self._progress(Progress(fraction=done / total if total else None, since=self.job.updated))

        uploads = [Upload(sent.path, sent.filename, sent.content_type) for sent in parts]
        async with self._timed("upload"):
            try:
                remote = await connection.client.create(form.fields, uploads, tell)
            except ClientError as error:
                if error.code != "server.upload_lost":
                    raise _refusal(error) from error
                remote = await self._find_posted(connection.client) or await connection.client.create(
                    form.fields, uploads, tell
                )
        await self._move(S.QUEUED, "accepted", "server", remote_id=remote.id)

    async def _find_posted(self, client: Client) -> VideoJob | None:
        known = await self._tools.write(self._tools.store.remote_ids)
        return await find_posted(client, self.job, known, self._tools.clock)

    async def _settle_upload(self) -> None:
        connection = await self._connect_or_lose()
        remote = await self._find_posted(connection.client)
        if remote is None:
            await self._move(S.CHECKING, "the upload never arrived")
        else:
            await self._move(S.QUEUED, "found on the server", "server", remote_id=remote.id)

    # -- from a job on the server to a file ----------------------------------------------------------------------

    async def _fetch(self) -> None:
        if self.job.state in (S.QUEUED, S.RUNNING):
            await self._follow(await self._connect_or_lose())
        for last in (False, True):
            if self.job.state is S.DOWNLOADING:
                await self._download(await self._connect_or_lose())
            if self.job.state is S.VERIFYING:
                await self._verify(last=last)

    async def _connect_or_lose(self) -> Connection:
        connection = await self._tools.servers.connect(self.job)
        if connection.server_died:
            raise StudioError("job.lost.died", mend="job.lost.mend")
        return connection

    async def _follow(self, connection: Connection) -> None:
        if self.job.state not in (S.QUEUED, S.RUNNING):
            return
        unsubscribe = connection.watch.readings.subscribe(self._hear) if connection.watch else lambda: None
        pause, began = _POLL_FIRST, time.monotonic()
        try:
            while True:
                remote = await self._ask(connection)
                if connection.watch is not None:
                    await connection.watch.look()  # the steps before the end, also of a quick job
                if remote is None:
                    pause = min(_SILENT_LAST, pause * 1.5)
                else:
                    pause = min(_POLL_LAST, pause * 1.2)
                    if await self._heed(remote):
                        break
                await self._tools.clock.sleep(pause)
        finally:
            unsubscribe()
            self._add_time("render", time.monotonic() - began)
        folder = self._tools.results_dir()
        video, elsewhere = await asyncio.to_thread(results.plan_output, self.job, folder)
        if elsewhere:
            asked = str(self.job.out_dir or folder)
            self._tools.tell(Message("job.results_elsewhere", {"folder": asked, "used": str(video.parent)}))
        await self._move(S.DOWNLOADING, "rendered", "server", video=video)

    async def _ask(self, connection: Connection) -> VideoJob | None:
        """The server's word on the job; None while it does not answer (it may be encoding an MP4)."""
        assert self.job.remote_id is not None
        try:
            return await connection.client.get(self.job.remote_id)
        except ClientError as error:
            if error.code == "server.job_unknown":
                raise StudioError("job.lost.forgot", mend="job.lost.mend") from error
            if await asyncio.to_thread(lambda: connection.server_died):
                raise StudioError("job.lost.died", mend="job.lost.mend") from error
            if error.code not in ("server.unreachable", "server.no_answer", "server.failed", "server.bad_answer"):
                raise
            log.info("job %s: %s", self.job.id, error)
            return None

    async def _heed(self, remote: VideoJob) -> bool:
        """Take over what the server says; True when the video is there to fetch."""
        match remote.standing:
            case "failed":
                raise _failure(remote)
            case "done":
                self._add_server_times(remote)
                return True
            case "running" if self.job.state is S.QUEUED:
                progress = Progress(phase=Phase.PREPARE, since=self._tools.clock.now())
                await self._move(S.RUNNING, "scheduled", "server", progress=progress)
            case "queued" if self.job.state is S.RUNNING:
                await self._move(S.QUEUED, "queued again", "server")
        return False

    def _hear(self, reading: Reading) -> None:
        # The bar carries no request id; since one job runs at a time, it is the one that is in progress.
        if self.job.state is not S.RUNNING:
            return
        now = self.job.progress
        if isinstance(reading, Step):
            self._progress(
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
            self._progress(now.model_copy(update={"phase": reading, "since": self._tools.clock.now()}))

    async def _download(self, connection: Connection) -> None:
        assert self.job.remote_id is not None and self.job.video is not None
        self.job.video.parent.mkdir(parents=True, exist_ok=True)

        def tell(done: int, total: int) -> None:
            self._progress(Progress(fraction=done / total if total else None, since=self.job.updated))

        async with self._timed("download"):
            try:
                await connection.client.download(self.job.remote_id, results.part_of(self.job.video), tell)
            except ClientError as error:
                if error.code == "server.job_unknown":
                    raise StudioError("job.lost.forgot", mend="job.lost.mend") from error
                if error.code == "server.file_gone":
                    raise StudioError("server.file_gone", mend="job.lost.mend") from error
                if connection.server_died:
                    raise StudioError("job.lost.died", mend="job.lost.mend") from error
                raise
        await self._move(S.VERIFYING, "downloaded")

    async def _verify(self, *, last: bool) -> None:
        """Decode all of it. A damaged file is fetched once more; the second one is the server's own doing."""
        video = self.job.video
        assert video is not None
        part = results.part_of(video)
        at = part if part.exists() or not video.exists() else video  # killed between rename and recipe

        def tell(fraction: float) -> None:
            self._progress(Progress(fraction=fraction, since=self.job.updated))

        async with self._timed("verify"):
            try:
                seen = await verify(self._tools.workers, at, progress=tell)
            except MediaError as error:
                if last:
                    raise StudioError("job.damaged", why=error.text(), kept=str(at)) from error
                await asyncio.to_thread(at.unlink)
                return await self._move(S.DOWNLOADING, error.code)
            if (wrong := _mismatch(seen, self.job)) is not None:
                kept = video.with_name(f"{video.stem}.unexpected.mp4")
                await asyncio.to_thread(finish, at, kept)
                fault = StudioError(wrong.code, mend="job.wrong.mend", kept=str(kept))
                fault.params.update(wrong.params)
                raise fault
            if at is part:
                await asyncio.to_thread(finish, part, video)
        self.job = self.job.model_copy(update={"verified": seen.model_dump(mode="json")})
        sidecar: Path | None = None
        try:
            sidecar = await asyncio.to_thread(results.write_sidecar, self.job)
        except OSError as error:
            params = {"path": str(results.sidecar_of(video)), "reason": error.strerror or str(error)}
            self._tools.tell(Message("job.no_sidecar", params))
        await self._move(S.DONE, "verified", sidecar=sidecar, progress=Progress(fraction=1.0))
        await self._tidy()

    async def _tidy(self) -> None:
        if not self._tools.tidy() or self.job.remote_id is None:
            return
        with contextlib.suppress(StudioError):
            connection = await self._tools.servers.connect(self.job)
            await connection.client.delete(self.job.remote_id)

    # -- keeping the record --------------------------------------------------------------------------------------

    async def _move(self, new: JobState, cause: str, who: Who = "studio", **changes: Any) -> None:
        changes.setdefault("progress", Progress(since=self._tools.clock.now()))
        self.job = await self._tools.write(self._tools.store.move, self.job, new, cause, who, **changes)
        self._saved_at = time.monotonic()
        self._changed(self.job)

    async def _fail(self, error: StudioError) -> None:
        lost = error.code.startswith("job.lost.") or error.code == "server.file_gone"
        new = S.LOST if lost and self.job.state in (S.UPLOADING, *_ON_SERVER) else S.FAILED
        who: Who = "server" if error.code.startswith(("server.", "job.failed_there", "job.out_of")) else "studio"
        log.info("job %s %s: %s %s", self.job.id, new, error, error.detail)
        await self._move(new, error.code, who, fault=Fault.of(error))

    def _progress(self, progress: Progress) -> None:
        self.job = self.job.model_copy(update={"progress": progress})
        self._changed(self.job)
        if time.monotonic() - self._saved_at >= 1.0:  # others watch through the store; once a second is enough
            self._saved_at = time.monotonic()
            self._tools.write_soon(self._tools.store.save, self.job)

    @asynccontextmanager
    async def _timed(self, stage: str) -> AsyncIterator[None]:
        began = time.monotonic()
        yield
        self._add_time(stage, time.monotonic() - began)

    def _add_time(self, stage: str, seconds: float) -> None:
        timings = {**self.job.timings, stage: round(self.job.timings.get(stage, 0.0) + seconds, 3)}
        self.job = self.job.model_copy(update={"timings": timings})

    def _add_server_times(self, remote: VideoJob) -> None:
        server: dict[str, Any] = {**self.job.server, "stage_durations": remote.stage_durations}
        server |= {"inference_time_s": remote.inference_time_s, "peak_memory_mb": remote.peak_memory_mb}
        self.job = self.job.model_copy(update={"server": server})


_ON_SERVER = tuple(state for state in JobState if state.on_server)


def plain_finding(finding: Finding) -> dict[str, Any]:
    """A finding as the command line prints it."""
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "subject": finding.subject,
        "message": finding.message.text(),
        "params": dict(finding.params),
        "mends": [{"code": m.code, "params": dict(m.params), "label": m.message.text()} for m in finding.mends],
    }


def _refusal(error: ClientError) -> StudioError:
    if error.code == "server.refused":
        return StudioError("job.refused", mend="job.refused.mend", said=error.params.get("said"))
    return error


def _failure(remote: VideoJob) -> StudioError:
    said = remote.fault
    if "out of memory" in said.lower():
        return StudioError("job.out_of_memory", mend="job.out_of_memory.mend", said=said)
    return StudioError("job.failed_there", said=said)


def _mismatch(seen: Verified, job: Job) -> Message | None:
    """How the video differs from what was resolved, if it does."""
    wanted = job.resolved
    if seen.frames != wanted["frames"]:
        return Message("job.wrong_frames", {"is": seen.frames, "wanted": wanted["frames"]})
    size, asked = f"{seen.width}×{seen.height}", f"{wanted['width']}×{wanted['height']}"
    if size != asked:
        return Message("job.wrong_size", {"is": size, "wanted": asked})
    if abs(seen.fps - 24) > 0.01:
        return Message("job.wrong_rate", {"is": round(seen.fps, 3)})
    if not seen.audio_channels:
        return Message("job.no_sound")
    return None

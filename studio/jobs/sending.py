"""From a shot to a job on its server: check, prepare, wait for a turn, upload. A POST is never repeated blindly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

from studio.client import Client, ClientError, Upload, VideoJob
from studio.contract import MediaFacts, Reference, Request, Unreadable, check, resolve, rows, wire_form
from studio.contract.labels import in_upload_order
from studio.core.errors import StudioError
from studio.core.notices import Notice
from studio.core.words import Message
from studio.jobs import places
from studio.jobs.ambiguity import find_posted
from studio.jobs.job import Sent
from studio.jobs.plain import plain_finding
from studio.jobs.record import Record
from studio.jobs.servers import Connection
from studio.jobs.states import JobState
from studio.jobs.tools import Tools
from studio.media.cache import prepared
from studio.media.edit_files import edit_files
from studio.media.probe import probe
from studio.presets import findings as places_left

S = JobState
_BEFORE_AGAIN = 1.0


class Sending:
    """The first half of one attempt at a job."""

    def __init__(self, record: Record, tools: Tools) -> None:
        self._record = record
        self._tools = tools

    @asynccontextmanager
    async def sent(self) -> AsyncIterator[Connection]:
        """Bring the job onto its server; the turn there is held until the block ends."""
        record = self._record
        if record.job.state is not S.CHECKING:
            fresh: dict[str, Any] = {"remote_id": None, "fault": None, "findings": (), "timings": {}}
            await record.move(S.CHECKING, "begun", **fresh, posted_at=None, posted_there=None)
        async with record.timed("check"):
            request = self._judged(await self._facts())
        resolved = asdict(resolve(request)) | {"rows": rows(request).padded}
        await record.move(S.PREPARING, "checked", resolved=resolved)
        await self._warn()
        async with record.timed("prepare"):
            sent = await self._prepare(request)
        await record.move(S.WAITING, "prepared", sent=sent)
        while True:
            # The server first: whoever has the turn goes at once, and until then the order may change.
            there = await self._tools.servers.connect(record.job)
            if await self._tools.rules.learn(record.job.target.lane, there.client, there.about.get("version")):
                request = self._judged(request.facts)
            async with self._tools.lanes.turn(record.job):
                connection = await self._connect()
                if await self._upload(connection, request):
                    yield connection
                    return
            await self._tools.clock.sleep(_BEFORE_AGAIN)

    async def settle(self) -> None:
        """After an upload that was cut off by our own end: find the job on its server, or begin again."""
        connection = await self._tools.servers.connect(self._record.job)
        if connection.server_died:
            raise StudioError("job.lost.died", mend="job.lost.mend")
        remote = await self.find_posted(connection.client)
        if remote is None:
            await self._record.move(S.CHECKING, "the upload never arrived")
        else:
            await self._record.move(S.QUEUED, "found on the server", "server", remote_id=remote.id)

    async def find_posted(self, client: Client) -> VideoJob | None:
        """The server's job that a lost answer was about. Raises StudioError `job.ambiguous`."""
        known = await self._tools.write(self._tools.store.remote_ids)
        return await find_posted(client, self._record.job, known, self._tools.clock)

    async def _facts(self) -> dict[str, MediaFacts | Unreadable]:
        facts: dict[str, MediaFacts | Unreadable] = {}
        for reference in self._record.job.shot.sent():
            try:
                facts[reference.id] = await probe(self._tools.workers, reference.path)
            except StudioError as error:
                facts[reference.id] = Unreadable(path=reference.path, code=error.code, params=error.params)
        return facts

    def _judged(self, facts: Mapping[str, MediaFacts | Unreadable]) -> Request:
        """The request by the rules of its server. Raises StudioError when one of them is broken."""
        job = self._record.job
        request = self._tools.rules.request(job.target.lane, job.shot, facts)
        self._record.request = request
        errors = [finding for finding in (*check(request), *places_left(job.shot)) if finding.is_error]
        if errors:
            self._record.note(findings=tuple(map(plain_finding, errors)))
            code = "job.finding" if len(errors) == 1 else "job.findings"
            raise StudioError(code, count=len(errors), first=errors[0].message.text())
        return request

    async def _warn(self) -> None:
        """Say what may spoil the render before hours of it: its folders, and a size that nothing like it passed."""
        job = self._record.job
        folder = job.out_dir or self._tools.results_dir()
        for message in await asyncio.to_thread(places.before_render, folder, job.resolved):
            self._tools.notices.post(Notice("warn", message, Message("place.mend")))
        verdict = await self._tools.write(self._tools.evidence.verdict, job.target.lane, job.rows or 0)
        if verdict is not None and verdict.exceeds and job.purpose != "smoke":
            self._tools.notices.post(Notice("warn", verdict.message, Message("smoke.mend")))

    async def _prepare(self, request: Request) -> tuple[Sent, ...]:
        references = in_upload_order(self._record.job.shot)
        sent: list[Sent] = []
        numbers: dict[str, int] = {}
        for index, reference in enumerate(references):
            facts = request.facts_of(reference)
            assert facts is not None  # an unreadable reference is an error finding

            def tell(fraction: float, done: int = index) -> None:
                self._record.fraction((done + fraction) / len(references))

            numbers[reference.kind] = numbers.get(reference.kind, 0) + 1
            sent.append(await self._prepare_one(reference, facts, numbers[reference.kind], tell))
        return (*sent, *await self._prepare_edit(request))

    async def _prepare_one(
        self, reference: Reference, facts: MediaFacts, number: int, tell: Callable[[float], None]
    ) -> Sent:
        made = await prepared(self._tools.workers, facts, reference, progress=tell, limit=self._tools.cache_bytes())
        return Sent(
            reference=reference.id,
            path=made.output,
            # The user's own file name is nobody's business on the server, and may hold anything.
            filename=f"{reference.kind}{number}{made.output.suffix}",
            content_type=made.content_type,
            sha256=made.sha256,
            receipt=made.receipt.model_dump(mode="json"),
        )

    async def _prepare_edit(self, request: Request) -> tuple[Sent, ...]:
        """The clip that is edited, at the size of the canvas, its sound and the masks; nothing without an edit."""
        source = request.shot.source()
        if source is None:
            return ()
        files = await edit_files(self._tools.workers, request, self._record.fraction, self._tools.cache_bytes())
        return tuple(
            Sent(
                reference=source.id,
                field=made.field,
                path=made.path,
                filename=made.filename,
                content_type=made.content_type,
                sha256=made.sha256,
                receipt=made.receipt.model_dump(mode="json") if made.receipt else {},
            )
            for made in files
        )

    async def _connect(self) -> Connection:
        job = self._record.job
        connection = await self._tools.servers.connect(job)
        if connection.record is not None and job.target.server_id != connection.record.id:
            target = job.target.model_copy(update={"server_id": connection.record.id})
            await self._record.save(target=target)
        return connection

    async def _upload(self, connection: Connection, request: Request) -> bool:
        """Send it; False when the server went away before anything was sent, and the job waits for it again."""
        form = wire_form(request)
        prepared_for = {(sent.reference, sent.field): sent for sent in self._record.job.sent}
        parts = [prepared_for[part.ref_id, part.field] for part in form.parts]
        now = self._tools.clock.now()
        posted: dict[str, Any] = {"posted_at": now, "posted_there": now + connection.client.clock_ahead}
        await self._record.move(S.UPLOADING, "sent", wire=form.fields, server=connection.about, **posted)
        uploads = [Upload(sent.path, sent.filename, sent.content_type, sent.field) for sent in parts]
        async with self._record.timed("upload"):
            try:
                remote = await connection.client.create(form.fields, uploads, self._record.counted)
            except ClientError as error:
                if error.code == "server.unreachable":
                    await self._record.move(S.WAITING, "the server went away before anything was sent")
                    return False
                if error.code != "server.upload_lost":
                    raise _refusal(error) from error
                remote = await self.find_posted(connection.client) or await connection.client.create(
                    form.fields, uploads, self._record.counted
                )
        await self._record.move(S.QUEUED, "accepted", "server", remote_id=remote.id)
        return True


def _refusal(error: ClientError) -> StudioError:
    if error.code == "server.refused":
        return StudioError("job.refused", mend="job.refused.mend", said=error.params.get("said"))
    return error

"""When the answer to a POST was lost and several jobs on the server could be ours: which they are, for the user."""

from __future__ import annotations

import asyncio
from typing import Final

from studio.client import VideoJob
from studio.core.errors import StudioError
from studio.core.words import say
from studio.jobs import ambiguity
from studio.jobs.job import Job
from studio.jobs.states import JobState
from studio.jobs.tools import Tools
from studio.server import records

_ANSWERS_WITHIN: Final = 10.0


def is_open(job: Job) -> bool:
    """Whether the choice has still to be made."""
    return job.state is JobState.FAILED and job.fault is not None and job.fault.code == ambiguity.AMBIGUOUS


async def candidates(job: Job, tools: Tools) -> list[VideoJob]:
    """What the job may be, newest first; nothing when its server has ended since. Raises StudioError."""
    if not is_open(job):
        raise StudioError("job.not_ambiguous", id=job.id, state=say(f"state.{job.state}"))
    if job.target.server_id is not None:
        record = await asyncio.to_thread(records.load, job.target.server_id)
        if record is None or not await asyncio.to_thread(record.process.alive):
            return []
    try:
        async with asyncio.timeout(_ANSWERS_WITHIN):
            connection = await tools.servers.connect(job)
    except TimeoutError:
        name = job.target.label.text()
        raise StudioError("job.needs_server", mend="job.needs_server.mend", name=name) from None
    known = await tools.write(tools.store.remote_ids)
    return await ambiguity.candidates(connection.client, job, known)

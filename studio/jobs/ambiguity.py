"""After a POST whose answer was lost: is the job on the server or not? (design: never post blindly twice)

The server finishes parsing and creates the job even when the client hung up, so the list is asked: a job that no
record of ours knows, with the same prompt, created since the POST began, is it. Exactly one is adopted; none after two
listings ten seconds apart means that it never arrived; several are a question for the user.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from studio.client import Client, VideoJob
from studio.core.clock import Clock
from studio.core.errors import StudioError
from studio.jobs.job import Job

AMBIGUOUS: Final = "job.ambiguous"
BETWEEN: Final = 10.0
_CLOCK_SLACK: Final = 2.0
"""`created_at` has whole seconds, and the server's clock may be a little off."""


async def candidates(client: Client, job: Job, known: Collection[str]) -> list[VideoJob]:
    """The server's jobs that the lost answer to `job`'s POST may have been about, newest first.

    `known` are the server ids that other records hold.
    """
    prompt, since = dict(job.wire).get("prompt", ""), (job.posted_there or job.posted_at or job.created) - _CLOCK_SLACK
    return [
        remote
        for remote in await client.list()
        if remote.id not in known and remote.prompt == prompt and remote.created_at >= since
    ]


async def find_posted(
    client: Client, job: Job, known: Collection[str], clock: Clock, *, looks: int = 2
) -> VideoJob | None:
    """The one candidate, or None when the POST never arrived. Raises StudioError `job.ambiguous` for several."""
    for look in range(looks):
        if look:
            await clock.sleep(BETWEEN)
        fitting = await candidates(client, job, known)
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise StudioError(AMBIGUOUS, mend="job.ambiguous.mend", count=len(fitting), id=job.id)
    return None

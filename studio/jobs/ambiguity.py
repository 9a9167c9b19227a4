"""After a POST whose answer was lost: is the job on the server or not? (design: never post blindly twice)

The server finishes parsing and creates the job even when the client hung up, so the list is asked: a job that no
record of ours knows, with the same prompt, created since the POST began, is it. Exactly one is adopted; none after two
listings ten seconds apart means that it never arrived; several are a question for the user.
"""

from __future__ import annotations

from collections.abc import Collection

from studio.client import Client, VideoJob
from studio.core.clock import Clock
from studio.core.errors import StudioError
from studio.jobs.job import Job

BETWEEN = 10.0
_CLOCK_SLACK = 2.0
"""`created_at` has whole seconds, and the server's clock may be a little off."""


async def find_posted(
    client: Client, job: Job, known: Collection[str], clock: Clock, *, looks: int = 2
) -> VideoJob | None:
    """The server's job that the lost answer to `job`'s POST was about, or None when it never arrived.

    `known` are the server ids that other records hold. Raises StudioError `job.ambiguous` when several fit.
    """
    prompt, since = dict(job.wire).get("prompt", ""), (job.posted_there or job.posted_at or job.created) - _CLOCK_SLACK
    for look in range(looks):
        if look:
            await clock.sleep(BETWEEN)
        fitting = [
            remote
            for remote in await client.list()
            if remote.id not in known and remote.prompt == prompt and remote.created_at >= since
        ]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise StudioError("job.ambiguous", mend="job.ambiguous.mend", count=len(fitting))
    return None

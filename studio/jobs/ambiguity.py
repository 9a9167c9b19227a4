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

BETWEEN = 10.0
_CLOCK_SLACK = 2.0
"""`created_at` has whole seconds, and the server's clock may be a little off."""


async def find_posted(
    client: Client, prompt: str, posted_at: float, known: Collection[str], clock: Clock
) -> VideoJob | None:
    """The job that the lost answer was about, or None when it never arrived. Raises StudioError when several fit."""
    for attempt in range(2):
        fitting = [
            job
            for job in await client.list()
            if job.id not in known and job.prompt == prompt and job.created_at >= posted_at - _CLOCK_SLACK
        ]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise StudioError("job.ambiguous", mend="job.ambiguous.mend", count=len(fitting))
        if attempt == 0:
            await clock.sleep(BETWEEN)
    return None

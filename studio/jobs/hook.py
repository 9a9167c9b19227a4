"""Tells an address of the user's own that a render has ended. Off unless an address is set; never in a render's way."""

from __future__ import annotations

import logging
from typing import Any, Final

import httpx

from studio.jobs.job import Job

log = logging.getLogger(__name__)
_TIMEOUT: Final = 10.0


def said_of(job: Job) -> dict[str, Any]:
    """What is sent: what the job is, how it ended, where its video lies.

    No key, no address of a server; of the prompt no more than the first words that name the video.
    """
    return {
        "job": job.id,
        "name": job.name,
        "purpose": job.purpose,
        "batch": job.batch,
        "state": str(job.state),
        "seed": job.shot.seed,
        "video": str(job.video) if job.verified is not None else None,
        "fault": job.fault.code if job.fault is not None else None,
        "seconds": round(sum(job.timings.values()), 3),
    }


async def post(url: str, job: Job) -> bool:
    """POST it as JSON, once; whether it was taken. A failure is only logged."""
    try:
        async with httpx.AsyncClient(timeout=_TIMEOUT) as http:
            response = await http.post(url, json=said_of(job))
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        log.warning("the end of job %s could not be told: %s", job.id, type(error).__name__)
        return False
    if not response.is_success:
        log.warning("the end of job %s was not taken: HTTP %d", job.id, response.status_code)
    return response.is_success

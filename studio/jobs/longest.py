"""How long the longest job of the queue may take: what a server's time limits are set from when it is started."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from studio.contract import Pace, PastRun, fit
from studio.jobs.job import Job

# What follows the denoising (decode, encode, fetch) takes 1–5 % of its time, and a few seconds more.
_AFTER: Final = 1.05
_AFTER_SECONDS: Final = 5.0


def longest_seconds(jobs: Iterable[Job], history: Sequence[PastRun]) -> float | None:
    """The most seconds that one of the unfinished jobs may take on the server whose past runs are `history`.

    None when there is no such job, or nothing to estimate it from. A job counts from its check on.
    """
    pace = fit(history)
    if pace is None:
        return None
    checked = [job.resolved for job in jobs if not job.state.finished and job.resolved.get("rows")]
    return max((_seconds(resolved, pace) for resolved in checked), default=None)


def _seconds(resolved: Mapping[str, Any], pace: Pace) -> float:
    steps = resolved["steps"] * max(1, len(resolved["windows"]))
    return float(pace.step(resolved["rows"]).most * steps * _AFTER + _AFTER_SECONDS)

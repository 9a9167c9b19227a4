"""The longest queued job's estimate."""

from __future__ import annotations

from typing import Any

from studio.contract import PastRun, Shot
from studio.jobs import Job, JobState
from studio.jobs.longest import longest_seconds

RUN = PastRun(rows=37_824, seconds_per_step=5.0)


def job(rows: int | None, steps: int = 50, windows: int = 1, state: JobState = JobState.WAITING) -> Job:
    resolved: dict[str, Any] = {"steps": steps, "windows": [(0, 1)] * windows}
    resolved |= {"rows": rows} if rows is not None else {}
    return Job(id="j", created=0, shot=Shot(prompt="x"), state=state, resolved=resolved)


def test_the_longest_counts() -> None:
    short, long = job(37_824, steps=10), job(37_824)
    assert longest_seconds([short, long], [RUN]) == longest_seconds([long], [RUN])
    longest = longest_seconds([long], [RUN])
    assert longest is not None and 250 < longest < 400
    continued = longest_seconds([job(37_824, windows=3)], [RUN])
    assert continued is not None and continued > 2.9 * (longest - 5)


def test_what_is_not_known_is_not_guessed() -> None:
    assert longest_seconds([job(37_824)], []) is None
    assert longest_seconds([job(None), job(37_824, state=JobState.DONE)], [RUN]) is None

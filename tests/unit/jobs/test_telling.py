"""A job in words."""

from __future__ import annotations

import time

import pytest

from studio.jobs import Job, JobState, Progress, telling
from tests.helpers.jobs import small_shot

NOON = time.mktime((2026, 11, 29, 12, 0, 0, 0, 0, -1))


def a_job(state: JobState, **fields: object) -> Job:
    return Job.model_validate({"id": "j1", "created": NOON, "shot": small_shot(), "state": state, **fields})


@pytest.mark.parametrize(
    ("seconds", "said"), [(3.029, "3.02 s"), (185, "3 min 05 s"), (7800, "2 h 10 min"), (-1, "0.00 s")]
)
def test_durations(seconds: float, said: str) -> None:
    assert telling.duration(seconds) == said


@pytest.mark.parametrize(("pace", "said"), [(0.15, "0.15 s/step"), (1.94, "1.9 s/step"), (262.35, "262 s/step")])
def test_paces_have_the_figures_that_matter(pace: float, said: str) -> None:
    assert telling.pace(pace) == said


def test_a_range_of_one_minute_is_said_once_and_another_day_with_its_date() -> None:
    assert telling.clock_range(NOON, NOON + 10, NOON) == "12:00"
    assert telling.clock_range(NOON, NOON + 120, NOON) == "12:00–12:02"
    assert telling.clock_range(NOON + 86400, NOON + 86520, NOON) == "2026-11-30 12:00–12:02"
    assert telling.clock_range(NOON, NOON + 86400, NOON) == "12:00–2026-11-30 12:00"


def test_a_running_job_says_step_pace_and_end() -> None:
    progress = Progress(phase="denoise", fraction=0.54, step=27, steps=50, seconds_per_step=1.9)
    job = a_job(JobState.RUNNING, progress=progress)
    assert telling.progress_line(job, (60, 180), NOON) == "step 27/50 · 1.9 s/step · done 12:01–12:03"
    assert telling.progress_line(a_job(JobState.RUNNING, progress=Progress(phase="decode"))) == "decoding"
    assert telling.progress_line(a_job(JobState.UPLOADING, progress=Progress(fraction=0.42))) == "uploading 42%"
    assert telling.progress_line(a_job(JobState.WAITING)) == "waiting for server"


def test_what_would_be_lost_is_named_once_it_is_worth_a_question() -> None:
    progress = Progress(phase="denoise", step=27, steps=50, since=NOON)
    job = a_job(JobState.RUNNING, progress=progress, posted_at=NOON)
    assert telling.loss(job, NOON + 7800) == "step 27 of 50, 2 h 10 min of work"
    assert telling.loss(job, NOON + 10) is None
    assert telling.loss(a_job(JobState.QUEUED, posted_at=NOON), NOON + 7800) is None
    assert telling.loss(a_job(JobState.PREPARING), NOON + 7800) is None

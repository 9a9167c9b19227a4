"""A job in words, as list, strip and questions show it: how long, until when, how far, what would be lost."""

from __future__ import annotations

import time

from studio.contract.shot import FPS
from studio.core.words import cut_seconds, ntr, say, tr
from studio.jobs.job import Job
from studio.jobs.states import JobState

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_WORTH_ASKING = 60.0
"""Seconds of work from which on losing it deserves a question."""


def duration(seconds: float) -> str:
    """A length of time: "3.02 s", "3 min 05 s", "2 h 10 min"."""
    if seconds < _MINUTE:
        return tr("{seconds} s", seconds=cut_seconds(max(0.0, seconds)))
    whole = int(seconds)
    if whole < _HOUR:
        return tr("{minutes} min {seconds:02d} s", minutes=whole // _MINUTE, seconds=whole % _MINUTE)
    return tr("{hours} h {minutes:02d} min", hours=whole // _HOUR, minutes=whole % _HOUR // _MINUTE)


def age(seconds: float) -> str:
    """How long ago: "just now", "5 min ago", "2 h ago", "3 days ago"."""
    if seconds < _MINUTE:
        return tr("just now")
    if seconds < _HOUR:
        return tr("{minutes} min ago", minutes=int(seconds // _MINUTE))
    if seconds < _DAY:
        return tr("{hours} h ago", hours=int(seconds // _HOUR))
    return ntr("{count} day ago", "{count} days ago", int(seconds // _DAY))


def clock(wall: float, now: float | None = None) -> str:
    """A time of day, with its date when that is not today: "14:05", "2026-11-30 02:10"."""
    there, here = time.localtime(wall), time.localtime(now)
    return time.strftime("%H:%M" if there[:3] == here[:3] else "%Y-%m-%d %H:%M", there)


def clock_range(earliest: float, latest: float, now: float | None = None) -> str:
    """From when to when, once if that is the same minute: "14:05–14:07"."""
    first, last = clock(earliest, now), clock(latest, now)
    if first == last:
        return first
    day, _, minute = last.rpartition(" ")
    return f"{first}–{minute}" if day and first.startswith(day) else f"{first}–{last}"


def pace(seconds_per_step: float) -> str:
    """Seconds a step with the figures that matter: "0.15 s/step", "1.9 s/step", "262 s/step"."""
    digits = 2 if seconds_per_step < 1 else 1 if seconds_per_step < 100 else 0
    return tr("{seconds} s/step", seconds=f"{seconds_per_step:.{digits}f}")


def stage(job: Job) -> str:
    """What is being done with a job: its phase on the server while it runs, else its state."""
    if job.state is JobState.RUNNING and job.progress.phase:
        return say(f"phase.{job.progress.phase}")
    return say(f"state.{job.state}")


def progress_line(job: Job, left: tuple[float, float] | None = None, now: float | None = None) -> str:
    """How far a job is: "step 27/50 · 1.9 s/step · done 14:05–14:07". `left` is the range of seconds still to go."""
    progress, parts = job.progress, []
    denoising = job.state is JobState.RUNNING and progress.phase == "denoise" and bool(progress.steps)
    if denoising:
        parts.append(tr("step {step}/{steps}", step=progress.step, steps=progress.steps))
        if progress.seconds_per_step:
            parts.append(pace(progress.seconds_per_step))
    elif job.state is JobState.CANCELLING:
        parts.append(tr("stops at the next step"))
    elif not job.state.finished and job.state is not JobState.RUNNING and progress.fraction is not None:
        parts.append(f"{stage(job)} {progress.fraction:.0%}")
    else:
        parts.append(stage(job))
    if left is not None:
        wall = time.time() if now is None else now
        parts.append(tr("done {when}", when=clock_range(wall + left[0], wall + left[1], wall)))
    return " · ".join(parts)


def loss(job: Job, now: float | None = None) -> str | None:
    """What ending a job now would lose ("step 27 of 50, 2 h 10 min of work"); None when that is next to nothing."""
    if not job.state.on_server or job.state is JobState.QUEUED:
        return None
    began = job.posted_at if job.posted_at is not None else job.progress.since
    work = (time.time() if now is None else now) - began
    if work < _WORTH_ASKING:
        return None
    if job.progress.steps:
        return tr(
            "step {step} of {steps}, {work} of work",
            step=job.progress.step or 0,
            steps=job.progress.steps,
            work=duration(work),
        )
    return tr("{stage}, {work} of work", stage=stage(job), work=duration(work))


def outline(job: Job) -> str:
    """What was asked for, in short: "1344×768 · 10.12 s · 50 steps · seed 1101"; size and length once resolved."""
    parts: list[str] = []
    if {"width", "height"} <= job.resolved.keys():
        parts.append(f"{job.resolved['width']}×{job.resolved['height']}")
    frames = int(job.resolved.get("frames", job.shot.frames))
    parts.append(tr("{seconds:sec} s", seconds=frames / FPS))
    parts.append(ntr("{count} step", "{count} steps", job.shot.steps))
    parts.append(tr("seed {seed}", seed=job.shot.seed))
    return " · ".join(parts)

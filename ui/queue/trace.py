"""What was seen of a job while it ran here: its steps and the phases on the server. Kept in memory only."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from studio.jobs import Job, JobState
from studio.jobs.eta import StepSample, seconds_left

_MOST_STEPS = 2000


class Trace:
    """Grows by the values of one job. A new attempt begins it anew."""

    def __init__(self) -> None:
        self.samples: deque[StepSample] = deque(maxlen=_MOST_STEPS)
        self.phases: list[tuple[str, float]] = []
        """(phase, wall time at which it began), in order."""

    def feed(self, job: Job, monotonic: float, wall: float) -> None:
        """Take in a new value of the job, seen at these times."""
        if job.state in (JobState.CHECKING, JobState.UPLOADING):
            self.samples.clear()
            self.phases.clear()
        if job.state is not JobState.RUNNING:
            return
        progress = job.progress
        if progress.phase and (not self.phases or self.phases[-1][0] != progress.phase):
            self.phases.append((progress.phase, progress.since or wall))
        if progress.phase != "denoise" or progress.step is None:
            return
        if self.samples and progress.step < self.samples[-1].step:
            self.samples.clear()
        if not self.samples or progress.step > self.samples[-1].step:
            self.samples.append(StepSample(monotonic, wall, progress.step, progress.seconds_per_step))

    def left(self, job: Job, monotonic: float, tails: Sequence[float] = ()) -> tuple[float, float] | None:
        """Least and most seconds until the video is there; None when unknown or not running.

        `tails`: how long past runs on this server took from the last step on.
        """
        if job.state is not JobState.RUNNING or not job.progress.steps:
            return None
        return seconds_left(tuple(self.samples), job.progress.steps, monotonic, tails)

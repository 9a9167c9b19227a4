"""What the time axis of a job shows, as one value on one clock (wall seconds since the epoch)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.jobs.eta import StepSample
from studio.telemetry import Recording
from ui.queue.stages import Stage

_DERIVED: Final = frozenset({"steps", "step_times", "has_pace", "pace", "ghost_pace"})


@dataclass(frozen=True, slots=True)
class StepPoint:
    """Step `step` was seen done at `at`; `seconds` it took, when that is known."""

    at: float
    step: int
    steps: int
    seconds: float | None


@dataclass(frozen=True)
class Timeline:
    """`left` is the range of seconds still to go, seen from `now`; `ghost` the last run of the same shape.

    A recording grows by itself: what is derived from it here is of the moment when it was first asked for.
    """

    stages: Sequence[Stage] = ()
    samples: Sequence[StepSample] = ()
    now: float = 0.0
    left: tuple[float, float] | None = None
    broke: bool = False
    """The last stage ended badly."""
    recording: Recording | None = None
    ghost: Recording | None = None
    running: bool = False
    unseen: bool = False
    """The job is being rendered by a server whose steps cannot be seen."""

    @property
    def start(self) -> float:
        """Where the axis begins."""
        return self.stages[0].start if self.stages else self.now

    @property
    def end(self) -> float:
        """Where it ends: at the latest end while the job runs."""
        end = self.stages[-1].end if self.stages else self.now
        return end if self.left is None else max(end, self.now + self.left[1])

    def after(self, before: Timeline) -> Timeline:
        """This, with what was derived for the one `before` from the same steps: they come seldom, and may be many."""
        if self._steps_key == before._steps_key:
            for name in _DERIVED & before.__dict__.keys():
                self.__dict__[name] = before.__dict__[name]
        return self

    def is_but_later(self, before: Timeline) -> bool:
        """Whether since the one `before` nothing has happened but samples and time."""
        return self._events_key == before._events_key

    @cached_property
    def _events_key(self) -> tuple[object, ...]:
        stages, alerts = [stage.name for stage in self.stages], len(self.recording.alerts) if self.recording else 0
        return *self._steps_key, stages, alerts, self.left is None, self.broke, self.running, self.unseen

    @cached_property
    def _steps_key(self) -> tuple[object, ...]:
        count = len(self.recording.steps) if self.recording and self.recording.steps else len(self.samples)
        return id(self.recording), count, id(self.ghost), self.ghost_zero(), self.start

    @cached_property
    def steps(self) -> list[StepPoint]:
        """Every step that was seen, in order."""
        if self.recording is not None and self.recording.steps:
            return step_points(self.recording, self.recording.began)
        found = [StepPoint(s.wall, s.step, 0, None) for s in self.samples[:1]]
        for before, now in pairwise(self.samples):
            count = max(1, now.step - before.step)
            found.append(StepPoint(now.wall, now.step, 0, now.seconds_per_step or (now.at - before.at) / count))
        return found

    @cached_property
    def step_times(self) -> NDArray[np.float64]:
        """Seconds from the start of the axis to each step."""
        return np.array([point.at for point in self.steps], np.float64) - self.start

    @cached_property
    def has_pace(self) -> bool:
        """Whether it is known of two steps how long they took."""
        return sum(point.seconds is not None for point in self.steps) > 1

    @cached_property
    def pace(self) -> list[tuple[float, float]]:
        """(time, seconds a step), smoothed."""
        return smoothed(self.steps)

    @cached_property
    def ghost_pace(self) -> list[tuple[float, float]]:
        """The same of the last run, where it lies on this axis."""
        zero = self.ghost_zero()
        return [] if self.ghost is None or zero is None else smoothed(step_points(self.ghost, zero))

    def ghost_zero(self) -> float | None:
        """The wall time at which second 0 of the ghost lies, so that both runs begin to denoise at once."""
        if self.ghost is None or self.recording is None:
            return None
        for stage in ("denoise", "prepare"):
            ours, theirs = self.recording.start_of(stage), self.ghost.start_of(stage)
            if ours is not None and theirs is not None:
                return self.recording.began + ours - theirs
        return None


def step_points(recording: Recording, zero: float) -> list[StepPoint]:
    """The steps of a recording whose second 0 lies at `zero`."""
    return [StepPoint(zero + mark.t, mark.step, mark.steps, mark.seconds) for mark in recording.steps]


def smoothed(points: Sequence[StepPoint]) -> list[tuple[float, float]]:
    """(time, seconds a step) as an average that forgets: what the pace is, without its hiccups."""
    found: list[tuple[float, float]] = []
    for point in points:
        if point.seconds is not None:
            mean = found[-1][1] if found else point.seconds
            found.append((point.at, mean + 0.3 * (point.seconds - mean)))
    return found

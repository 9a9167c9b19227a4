"""The simulated renders of the remaining time once more, through what the window itself uses: values of a job."""

from __future__ import annotations

import pytest

from studio.jobs import Job, JobState
from studio.jobs.job import Progress
from studio.telemetry import Phase
from tests.helpers.jobs import small_shot
from tests.unit.jobs.test_remaining import STEPS, Run, ranges, simulated
from ui.queue.trace import Trace


def seen(run: Run) -> list[tuple[float, float]]:
    """The range after each step, as the queue shows it a part of a step later."""
    trace, at, found = Trace(), 0.0, []
    job = Job(id="j", created=1.0, shot=small_shot(steps=STEPS), state=JobState.RUNNING)
    for step in range(STEPS + 1):
        at += run.steps[step - 1] if step else 0.0
        job = job.model_copy(update={"progress": Progress(phase=Phase.DENOISE, step=step, steps=STEPS)})
        trace.feed(job, at, at)
        late = 0.3 * run.steps[step] if step < STEPS else 0.0
        left = trace.left(job, at + late, run.past_tails)
        if step:
            assert left is not None
            found.append(left)
    return found


@pytest.mark.parametrize("seed", range(0, 50, 7))
def test_the_window_s_range_is_the_one_that_was_judged(seed: int) -> None:
    run = simulated(seed)
    assert seen(run) == [left for _, _, left in ranges(run)]

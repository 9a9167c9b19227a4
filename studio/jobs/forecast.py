"""When the queue will be done: a range from what its servers did before, or nothing while that is not known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from studio.contract import PastRun, Range, fit
from studio.jobs.job import Job


def job_seconds(job: Job, history: Sequence[PastRun]) -> Range | None:
    """How long a job takes on the server whose past runs are `history`; None before its check, or without any run."""
    pace = fit(history)
    if pace is None or job.rows is None:
        return None
    windows = max(1, len(job.resolved.get("windows", ())))
    return pace.step(job.rows).times(job.shot.steps * windows)


def queue_seconds(
    jobs: Iterable[Job],
    history: Mapping[str, Sequence[PastRun]],
    left: Callable[[Job], tuple[float, float] | None],
    now: float,
) -> Range | None:
    """Seconds until the last of the unfinished `jobs` is done; servers work side by side.

    `history`: past runs by lane. `left`: least and most seconds of a job whose steps are seen. None when any job's time
    is not known, or when nothing is on its way.
    """
    lanes: defaultdict[str, list[Range]] = defaultdict(list)
    for job in jobs:
        if job.state.finished:
            continue
        estimate = job_seconds(job, history.get(job.target.lane, ()))
        if (seen := left(job)) is not None:
            lanes[job.target.lane].append(Range(*seen))
        elif estimate is None:
            return None
        else:
            gone = max(0.0, now - job.posted_at) if job.state.on_server and job.posted_at else 0.0
            lanes[job.target.lane].append(Range(max(0.0, estimate.least - gone), max(0.0, estimate.most - gone)))
    if not lanes:
        return None
    sums = [Range(sum(r.least for r in lane), sum(r.most for r in lane)) for lane in lanes.values()]
    return Range(max(s.least for s in sums), max(s.most for s in sums))

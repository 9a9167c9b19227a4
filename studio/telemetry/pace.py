"""From the denoise steps that were read of a run to the pace that it teaches: one `PastRun`, or none."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from studio.contract import PastRun
from studio.telemetry.steps import Step

_STEPS_LEAST: Final = 3
"""Fewer steps than this after the first tell nothing: the first of a run prepares buffers and is left out."""


def past_run(rows: int, steps: Iterable[Step], *, peak_bytes: int | None = None, cold: bool = False) -> PastRun | None:
    """What a run of `rows` padded rows teaches; None when it was too short, or its steps were not seen.

    Goes by the bar's own clock, not by when the lines were read. `cold`: the first run after the server's start.
    """
    seen = list(steps)
    # The default bar cuts its clock to whole seconds: there the rate that it tells says more.
    told = [step.seconds_per_step for step in seen if step.n and step.seconds_per_step is not None]
    times = _seconds(seen)[1:] if all(step.exact for step in seen) else told[1:]
    if rows <= 0 or len(times) < _STEPS_LEAST:
        return None
    return PastRun(rows, statistics.median(times), peak_bytes, cold)


def _seconds(steps: Sequence[Step]) -> list[float]:
    """Seconds of each step; where lines were lost, the mean of those between."""
    found: list[float] = []
    for before, now in pairwise(steps):
        count = now.n - before.n
        if count > 0 and now.elapsed > before.elapsed:
            found += [(now.elapsed - before.elapsed) / count] * count
    return found
